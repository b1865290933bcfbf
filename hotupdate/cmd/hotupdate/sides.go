package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/members"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// noFile is what git calls a side on which a file is not there.
const noFile = "/dev/null"

// changedFile is what plan is asked to compare.
type changedFile struct {
	old, updated string
	path         string // by which git names the file; empty if the user names both sides
}

// changeOf reads the arguments: two sides, or what git hands to an external diff: the path, and of each side file, digest and mode; of a renamed
// file also the new path and how much of it stayed.
func changeOf(args []string) (changedFile, error) {
	if len(args) == 7 || len(args) == 9 {
		return changedFile{args[1], args[4], args[0]}, nil
	}
	if err := want(2, args); err != nil {
		return changedFile{}, err
	}
	return changedFile{old: args[0], updated: args[1]}, nil
}

// isOther reports whether git has called for a file that can be no manifest by its name.
func (c changedFile) isOther() bool {
	return c.path != "" && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(c.path))
}

// reader reads the manifests of both sides.
type reader struct {
	*call

	schemas  *catalog
	options  pool.Options
	lenient  bool // git has called for a file that need not hold a manifest
	warnings []string
	problems []error
}

// read returns the manifests of a side. What is wrong with them is kept, so that the mistakes of both sides are reported at once.
//
// Objects of other kinds are passed over, as they stand beside a Shoot in what kustomize and helm write, unless there is nothing else.
func (r *reader) read(path string) (found []*manifest) {
	if path == noFile {
		return nil
	}
	var others []manifests.Object
	judged := false // or found to be faulty
	for o := range manifests.Objects([]string{path}, r.std.in) {
		kind, err := kindOf(o.Raw)
		switch {
		case o.Err != nil:
			judged = true
			r.problems = append(r.problems, inFile(o.String(), o.Err))
		case err == nil && r.isKnown(kind):
			judged = true
			found = append(found, r.parse(&o)...)
		case err == nil && r.isTypo(&o, kind):
			judged = true
		default:
			others = append(others, o)
		}
	}
	info, err := os.Stat(path)
	isDirectory := err == nil && info.IsDir()
	switch {
	case r.lenient || judged:
	case len(others) == 1 && !isDirectory:
		return r.parse(&others[0])
	case len(others) > 0:
		r.problems = append(r.problems, fmt.Errorf("%s: has %s, and no Shoot, Worker or provider config among them", nameOf(path), counted(len(others), "object")))
	case !isDirectory:
		r.problems = append(r.problems, fmt.Errorf("%s: is empty; write a provider config, a Worker or a Shoot", nameOf(path)))
	}
	return found
}

// isKnown reports whether objects of a kind are compared. A WorkerConfig is taken for a provider config whatever its API group.
func (r *reader) isKnown(kind pool.TypeMeta) bool {
	return pool.KindOf(kind) != pool.NoKind || r.schemas.known[kind] != nil || kind.Kind == "WorkerConfig"
}

// isTypo reports whether an object of Gardener is probably a misspelled Shoot or Worker, and notes that.
func (r *reader) isTypo(o *manifests.Object, kind pool.TypeMeta) bool {
	meant := members.Nearest(kind.Kind, []string{"Shoot", "Worker", "WorkerConfig"})
	if meant == "" || !strings.HasSuffix(groupOf(kind.APIVersion), "gardener.cloud") {
		return false
	}
	problem := &fault.Error{Kind: fault.Unknown, Code: "unknown-kind", Path: "kind", What: "is unknown", Hint: "did you mean " + meant + "?"}
	if meant == kind.Kind {
		problem.Path, problem.Hint = "apiVersion", "write core.gardener.cloud/v1beta1 for a Shoot, extensions.gardener.cloud/v1alpha1 for a Worker"
	}
	r.problems = append(r.problems, located(o, problem))
	return true
}

// parse reads a manifest with its provider configs, and keeps all that is wrong with them.
func (r *reader) parse(o *manifests.Object) []*manifest {
	m, err := r.manifest(o)
	if err == nil && m.isBare() && m.kind.Kind != "WorkerConfig" {
		_, err = r.schemas.schemaOf(m.from, m.kind)
	}
	if err == nil {
		err = r.checkPool(m)
	}
	if err != nil {
		r.problems = append(r.problems, err)
		return nil
	}
	warnings, unknown := unknownMembers(o, m.Kind)
	r.warnings = append(r.warnings, warnings...)
	err = pool.Check(m.Pools, r.options)
	m.suggest(err, r.schemas)
	r.problems = append(r.problems, unknown, r.schemas.check(m.from, m.Pools), located(o, err))
	return []*manifest{m}
}

// manifest reads a manifest.
func (r *reader) manifest(o *manifests.Object) (*manifest, error) {
	kind, err := kindOf(o.Raw)
	if err != nil {
		return nil, inFile(o.String(), err)
	}
	m := &manifest{from: o.String(), kind: kind, object: o, Manifest: &pool.Manifest{Pools: []pool.Pool{pool.Bare(o.Raw)}}}
	if pool.KindOf(kind) != pool.NoKind {
		m.Manifest, err = pool.Read(o.Raw)
	}
	return m, located(o, err)
}
