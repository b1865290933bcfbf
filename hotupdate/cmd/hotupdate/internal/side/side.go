// Package side reads the two sides of a change: the provider configs, Workers and Shoots in files,
// with the Schemas of the configs. It pairs each new manifest with the old one. Problems begin with
// the file and the line.
package side

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/inorder"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/validator"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Input is a Worker, a Shoot, or a provider config without a manifest.
type Input struct {
	From  string // for messages
	Place manifests.Place
	Type  facts.TypeMeta
	// Title names the manifest if there are several, see [Reader.All].
	Title string
	// Manifest has the pools of a Worker or Shoot, or one bare pool for a provider config.
	*facts.Manifest

	spec    *hotupdate.Schema // of a custom resource, whose spec is the provider config
	meaning *crds.Meaning     // of the fields of spec
	custom  *judge.Custom     // nil for others
	isWhole bool              // the object is the provider config, and not only its spec
	tree    *tree.Node        // the whole object
}

// IsBare reports whether the input is a provider config without a manifest.
func (m *Input) IsBare() bool { return m.Kind == facts.NoKind }

// PlaceOfConfig names the provider config of a pool for messages, or the file if it is a bare
// provider config.
func (m *Input) PlaceOfConfig(p facts.Pool) string { return placeOfConfig(m.From, p) }

// SchemaOf returns the Schema of the provider config of a pool of a manifest, or of the spec of a
// custom resource. A config without a Schema is an error.
func (r *Reader) SchemaOf(m *Input, p facts.Pool) (*hotupdate.Schema, error) {
	if m.spec != nil {
		return m.spec, nil
	}
	return r.Schemas.schemaOfConfig(m.PlaceOfConfig(p), p.Config)
}

// Name names a file for messages.
func Name(file string) string {
	if file == manifests.Stdin {
		return manifests.StdinName
	}
	return file
}

// noFile is git's name for a file that is missing on one side.
const noFile = "/dev/null"

// ErrNoPools is the error for choosing pools of a provider config.
var ErrNoPools = errors.New("--pool is for Worker and Shoot manifests, and not for a provider config")

// Reader reads the manifests of both sides, and compares them. A Reader is for one comparison.
type Reader struct {
	Stdin   io.Reader
	Schemas *Catalog
	Options judge.Options
	// Gardener is the path of the program that asks Gardener's own code, see package gardener; empty
	// for none.
	Gardener string
	// Validator has the program that asks the API server's own code about custom resources.
	Validator validator.Options
	// Landscape has the CloudProfiles and other objects beside the manifests; nil if they are not known.
	Landscape *Landscape
	// Lenient says that a file may hold no manifest.
	Lenient bool
	// AllowNone permits that neither side has an object that is compared.
	AllowNone bool
	// AnyName permits comparing objects with different names, see [pairUp].
	AnyName bool
	// Pools are the names of the wanted pools; empty for all.
	Pools []string
	// Exclude chooses the files that are not read.
	Exclude Globs
	// Renamed are the new paths of renamed files of the old side, by their old paths in it.
	Renamed map[string]string
	// Progress is told how many objects were read or compared, and of how many, 0 if that is not known;
	// nil if progress is not reported.
	Progress func(did string, done, all int)

	// Warnings are about the new side, each with its place.
	Warnings []string
	// NotJudged are the objects that [Reader.Compare] has not compared, in the order of the sides.
	NotJudged []NotJudged

	failed  []error           // problems of a whole side, or of other input than the sides
	objects []json.RawMessage // that the admission of Shoots reads
	others  []error           // problems of sides that have only objects of other kinds
	plain   map[manifests.Digest]*object
	read    int             // documents
	leftOut map[string]bool // files

	emptyLists []string // paths of sides that have a List without items
}

// NotJudged is an object, or unreadable text, that was not compared.
type NotJudged struct {
	Place manifests.Place
	// Err says why, with the place in each line.
	Err error
}

// readAll reads the objects of a side.
//
// It skips objects of other kinds, which the output of kustomize and helm contains in addition to a
// Shoot.
func (r *Reader) readAll(
	ctx context.Context, path string, examine func(*manifests.Document) *object,
) *objects {
	all := &objects{path: path}
	if path == noFile {
		return all
	}
	var others []*object
	for o := range inorder.Map(ctx, r.documents(path), examine) {
		r.read++
		r.tell("read", r.read, 0)
		if o != nil {
			o.file = inSide(path, o.Place.File)
		}
		switch {
		case o == nil:
		case o.role == isOther:
			others = append(others, o)
		default:
			all.list = append(all.list, o)
		}
		if o != nil && o.landscape != nil {
			r.objects = append(r.objects, o.landscape)
		}
	}
	if len(all.list) == 0 {
		all.list = r.ofNoKnownKind(path, others)
	}
	all.coverKustomized()
	all.coverCharts(r)
	for _, o := range all.list {
		r.Warnings = append(r.Warnings, o.warnings...)
		if o.fatal != nil && !slices.Contains(r.failed, o.fatal) {
			r.failed = append(r.failed, o.fatal)
		}
	}
	return all
}

func (r *Reader) tell(did string, done, all int) {
	if r.Progress != nil {
		r.Progress(did, done, all)
	}
}

// documents are the documents of a side that are read.
func (r *Reader) documents(path string) iter.Seq[*manifests.Document] {
	return func(yield func(*manifests.Document) bool) {
		for d := range manifests.Documents([]string{path}, r.Stdin) {
			if r.Exclude.Matches(path, d.File) {
				r.leaveOut(d.File)
				continue
			}
			if d.IsEmptyList() {
				r.emptyLists = append(r.emptyLists, path)
			}
			if !yield(d) {
				return
			}
		}
	}
}

// leaveOut counts the files that [Reader.Exclude] leaves out.
func (r *Reader) leaveOut(file string) {
	if r.leftOut == nil {
		r.leftOut = map[string]bool{}
	}
	r.leftOut[file] = true
}

// nothingFound is the error for sides without an object that is compared.
func (r *Reader) nothingFound(old, updated string) error {
	hint := ""
	if n := len(r.leftOut); n > 0 {
		hint = "; the globs leave out " + plaintext.Counted(n, "file")
	}
	return fmt.Errorf("%s and %s: have no Shoot, Worker, provider config or resource of --crd%s", Name(old),
		Name(updated), hint)
}

// ofNoKnownKind returns the only object of a side without objects of a known kind, if it may be a provider
// config. Otherwise it says what the side has instead.
func (r *Reader) ofNoKnownKind(path string, others []*object) []*object {
	switch {
	case r.Lenient:
	case len(others) == 1 && (r.Schemas.given != nil || others[0].Name == ""):
		others[0].role = isManifest
		r.check(others[0], others[0].document.Object())
		return others
	case len(others) > 0:
		r.others = append(r.others, fmt.Errorf(
			"%s: has %s, and no Shoot, Worker, provider config or resource of --crd among them", Name(path),
			plaintext.Counted(len(others), "object")))
	case !isStored(path) && !slices.Contains(r.emptyLists, path):
		r.failed = append(r.failed,
			fmt.Errorf("%s: is empty; the program that writes it may have failed", Name(path)))
	}
	return nil
}

// isStored reports whether a side is a file or a directory. Other sides, such as standard input,
// are written by a program, and are empty if it fails.
func isStored(path string) bool {
	info, err := os.Stat(path)
	if path == manifests.Stdin || err != nil {
		return false
	}
	return info.Mode().IsRegular() || info.IsDir()
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isKnown reports whether objects of a kind are compared. A WorkerConfig counts as a provider
// config in every API group.
func (r *Reader) isKnown(kind facts.TypeMeta) bool {
	isOfGardener := facts.KindOf(kind) != facts.NoKind
	isConfig := kind.Kind == configKind || r.Schemas.known[kind] != nil
	return isOfGardener || isConfig || r.Schemas.custom.Has(kind)
}
