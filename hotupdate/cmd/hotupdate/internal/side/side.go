// Package side reads the two sides of a change: the provider configs, Workers and Shoots in files,
// with the Schemas of the configs. It pairs each new manifest with the old one. Problems begin with
// the file and the line.
package side

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Input is a Worker, a Shoot, or a provider config in a file of its own.
type Input struct {
	From  string // for messages
	Place manifests.Place
	Type  facts.TypeMeta
	// Manifest has the pools of a Worker or Shoot, or one bare pool for a provider config.
	*facts.Manifest

	spec *hotupdate.Schema // of a custom resource, whose spec is the provider config
	tree *tree.Node        // the whole object
}

// IsBare reports whether the manifest is a provider config in a file of its own.
func (m *Input) IsBare() bool { return m.Kind == facts.NoKind }

// Name names a file for messages.
func Name(file string) string {
	if file == manifests.Stdin {
		return "standard input"
	}
	return file
}

// noFile is git's name for a file that is missing on one side.
const noFile = "/dev/null"

// ErrNoPools is the error for choosing pools of a provider config.
var ErrNoPools = errors.New("--pool is for Worker and Shoot manifests, and not for a provider config")

// Reader reads the manifests of both sides.
type Reader struct {
	Stdin   io.Reader
	Schemas *Catalog
	Options judge.Options
	// Gardener is the path of the program that asks Gardener's own code, see package gardener; empty
	// for none.
	Gardener string
	// Landscape has the CloudProfiles and other objects beside the manifests; nil if they are not known.
	Landscape *Landscape
	// Lenient says that a file may hold no manifest.
	Lenient bool
	// AnyName says that objects of two names may be compared, see [pairUp].
	AnyName bool
	// Pools are the names of the wanted pools; empty for all.
	Pools []string

	// Warnings are about the new side, each with its place.
	Warnings []string
	problems []error
	objects  []json.RawMessage // that the admission of Shoots reads
	others   []error           // sides that have objects, and only of other kinds
}

// Read returns the manifests of a side. It collects their problems, so that those of both sides are
// reported at once.
//
// It skips objects of other kinds, which the output of kustomize and helm has beside a Shoot.
func (r *Reader) Read(path string) (found []*Input) {
	if path == noFile {
		return nil
	}
	var others []*manifests.Object
	judged, overlay := false, false // there is a manifest, or one with problems; there is a kustomization
	for o := range manifests.Objects([]string{path}, r.Stdin) {
		kind, err := r.Schemas.kindOf(o.Tree)
		switch {
		case o.Err != nil:
			judged = true
			r.problems = append(r.problems, manifests.InFile(o.String(), o.Err))
		case !facts.IsVersion(kind.APIVersion):
			judged = true
			r.problems = append(r.problems, located(o, malformedVersion()))
		case err == nil && r.isKnown(kind):
			judged = true
			found = append(found, r.parse(o)...)
		case err == nil && r.isTypo(o, kind):
			judged = true
		case isKustomization(o.File, kind):
			overlay = true
		default:
			if isOfLandscape(kind) {
				r.objects = append(r.objects, o.Tree.JSON())
			}
			others = append(others, o)
		}
	}
	switch {
	case judged:
	case overlay: // whatever it patches is elsewhere
		r.problems = append(r.problems,
			fmt.Errorf("%s: is a kustomization, and no manifest: render it first, with kustomize build", Name(path)))
	case r.Lenient:
	case len(others) == 1 && (r.Schemas.given != nil || isNameless(others[0])): // a provider config of some kind
		return r.parse(others[0])
	case len(others) > 0:
		r.others = append(r.others, fmt.Errorf(
			"%s: has %s, and no Shoot, Worker, provider config or resource of --crd among them", Name(path),
			plaintext.Counted(len(others), "object")))
	case isDirectory(path): // see Compare
	default:
		r.problems = append(r.problems,
			fmt.Errorf("%s: is empty; write a provider config, a Worker or a Shoot", Name(path)))
	}
	return found
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isKustomization reports whether an object says what kustomize makes of other objects. It needs no
// kind.
func isKustomization(file string, kind facts.TypeMeta) bool {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".yaml"), ".yml")
	return kind.Kind == "Kustomization" && facts.GroupOf(kind.APIVersion) == "kustomize.config.k8s.io" ||
		kind.Kind == "" && name == "kustomization"
}

// isNameless reports whether an object is none of a cluster.
func isNameless(o *manifests.Object) bool { return o.Tree.At("metadata", "name").Text() == "" }

// isKnown reports whether objects of a kind are compared. A WorkerConfig counts as a provider
// config in every API group.
func (r *Reader) isKnown(kind facts.TypeMeta) bool {
	return facts.KindOf(kind) != facts.NoKind || r.Schemas.known[kind] != nil || kind.Kind == "WorkerConfig" ||
		r.Schemas.custom.Has(kind)
}

// malformedVersion is the problem of an apiVersion that no API server reads.
func malformedVersion() error {
	return &fault.Error{
		Kind: fault.Malformed, Code: "malformed-version", Path: "apiVersion", What: "is malformed",
		Hint: "write GROUP/VERSION, or only a VERSION",
	}
}

// isTypo reports whether an object of Gardener is probably a misspelled Shoot or Worker, and
// records the problem.
func (r *Reader) isTypo(o *manifests.Object, kind facts.TypeMeta) bool {
	meant := fieldpath.Nearest(kind.Kind, []string{"Shoot", "Worker", "WorkerConfig"})
	if meant == "" || !strings.HasSuffix(facts.GroupOf(kind.APIVersion), "gardener.cloud") {
		return false
	}
	problem := &fault.Error{
		Kind: fault.Unknown, Code: "unknown-kind", Path: "kind", What: "is unknown",
		Hint: "did you mean " + meant + "?",
	}
	if meant == kind.Kind {
		problem.Path, problem.Hint = "apiVersion",
			"write core.gardener.cloud/v1beta1 for a Shoot, extensions.gardener.cloud/v1alpha1 for a Worker"
	}
	r.problems = append(r.problems, located(o, problem))
	return true
}

// parse reads a manifest with its provider configs, and collects all problems.
func (r *Reader) parse(o *manifests.Object) []*Input {
	m, err := r.manifest(o)
	if err == nil && m.IsBare() && m.spec == nil && m.Type.Kind != "WorkerConfig" {
		_, err = r.Schemas.SchemaOf(m.From, m.Type)
	}
	if err == nil && m.IsBare() && len(r.Pools) > 0 {
		err = ErrNoPools
	}
	if err != nil {
		if !slices.Contains(r.problems, err) { // all objects of a CRD have the same problems of the CRD
			r.problems = append(r.problems, err)
		}
		return nil
	}
	r.problems = append(r.problems, r.Schemas.check(m.From, m.Pools))
	return []*Input{m}
}

// manifest reads a manifest with its provider configs.
func (r *Reader) manifest(o *manifests.Object) (*Input, error) {
	kind, err := r.Schemas.kindOf(o.Tree)
	m := &Input{
		From: o.String(), Place: o.Place, Type: kind, tree: o.Tree,
		Manifest: &facts.Manifest{Pools: []facts.Pool{facts.Bare(o.Tree.JSON())}},
	}
	var misspelled error
	switch {
	case err != nil:
	case r.Schemas.custom.Has(kind):
		return m, r.readCustom(m, o)
	case facts.KindOf(kind) != facts.NoKind:
		m.Manifest, err = facts.Read(o.Tree)
		misspelled = r.checkMembers(m, o)
		r.checkCloudProfile(m)
	}
	if err == nil {
		err = m.checkConfigs(r.Options)
	}
	return m, located(o, errors.Join(misspelled, err))
}

// checkCloudProfile warns about a Shoot whose CloudProfile is not among those that are given.
func (r *Reader) checkCloudProfile(m *Input) {
	if r.Landscape == nil {
		return
	}
	if name := r.Landscape.CloudProfiles.MissingCloudProfile(m.Manifest); name != "" {
		r.Warnings = append(r.Warnings, m.From+": refers to "+name+", which the file of --cloudprofile does not have")
	}
}

// checkConfigs checks the provider configs. The config of a custom resource is its spec.
func (m *Input) checkConfigs(o judge.Options) error {
	err := pool.Check(m.Pools, m.options(o))
	if m.spec != nil {
		for _, problem := range fault.All(err) {
			problem.Path = strings.TrimSuffix("spec."+problem.Path, ".")
		}
	}
	return err
}

// checkMembers returns the members that the manifest's kind does not have. A member whose name is
// not similar to that of a missing member is a warning instead, since a later release of Gardener
// may have the member.
func (r *Reader) checkMembers(m *Input, o *manifests.Object) error {
	var misspelled, unjudged fault.List
	for _, found := range m.Unknown {
		problem := &fault.Error{
			Kind: fault.Unknown, Code: "unknown-member", Path: found.Path,
			What: "is no member of a " + string(m.Kind),
		}
		if found.Meant != "" {
			problem.Hint = "did you mean " + found.Meant + "?"
			misspelled.Add(problem)
		} else {
			problem.What += " that this command knows, and is not judged"
			unjudged.Add(problem)
		}
	}
	for _, warning := range placed(o, unjudged) {
		r.Warnings = append(r.Warnings, warning.Error())
	}
	return misspelled.Err()
}
