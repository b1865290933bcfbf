// Package crds reads the CustomResourceDefinitions of custom resources, with the classes that the
// user gives to the fields of their specs.
//
// It owns which versions of which kinds there are, and the file of classes. Package hotupdate makes
// Schemas of them.
package crds

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Set has the custom resources of the CRDs in a file or directory. The zero value has none.
type Set struct {
	From      string
	resources map[facts.TypeMeta]*resource
}

// resource is a version of a custom resource.
type resource struct {
	from    string // the CRD, for messages
	raw     []byte
	version string
	classes *classes
	schema  func() (*hotupdate.Schema, error)
}

// Read reads the CRDs in a file or directory. Another file may give the classes of fields: it holds
// an object whose members are paths in the spec, each with the value of a struct tag. Schemas are
// made when they are asked for, so that classes concern only the kinds that are compared.
func Read(from, classesFile string, stdin io.Reader) (*Set, error) {
	c, err := readClasses(classesFile, stdin)
	s, crdErr := read(from, stdin)
	if err := errors.Join(err, crdErr); err != nil {
		return s, err
	}
	for _, r := range s.resources {
		r.classes = c
		r.schema = sync.OnceValues(func() (*hotupdate.Schema, error) { return r.compile(nil) })
	}
	return s, nil
}

const definitionKind = "CustomResourceDefinition"

// Holds reports whether a file has a CRD.
func Holds(file string) bool {
	for o := range manifest.Objects([]string{file}, strings.NewReader("")) {
		if o.Err == nil && facts.TypeMetaOf(o.Tree).Kind == definitionKind {
			return true
		}
	}
	return false
}

func read(from string, stdin io.Reader) (*Set, error) {
	s := &Set{From: from, resources: map[facts.TypeMeta]*resource{}}
	var problems []error
	for o := range manifest.Objects([]string{from}, stdin) {
		problems = append(problems, manifest.InFile(o.String(), o.Err))
		if facts.TypeMetaOf(o.Tree).Kind != definitionKind {
			continue
		}
		spec, raw := o.Tree.At("spec"), o.Tree.JSON()
		group, kind := spec.At("group").Text(), spec.At("names", "kind").Text()
		if group == "" || kind == "" {
			problems = append(problems,
				fmt.Errorf("%s: has no text as spec.group or spec.names.kind; write both", o.Place))
		}
		for _, version := range spec.At("versions").Elements() {
			name := version.At("name").Text()
			s.resources[facts.TypeMeta{APIVersion: group + "/" + name, Kind: kind}] = &resource{
				from: o.String(), raw: raw, version: name, classes: &classes{},
			}
		}
	}
	err := errors.Join(problems...)
	if err == nil && len(s.resources) == 0 {
		err = fmt.Errorf("%s: has no %s", nameOf(from), definitionKind)
	}
	return s, err
}

func nameOf(file string) string {
	if file == manifest.Stdin {
		return "standard input"
	}
	return file
}

// compile makes the Schema. Classes of the skipped paths are left out.
func (r *resource) compile(skipped map[string]bool) (*hotupdate.Schema, error) {
	var options []hotupdate.Option
	for _, c := range r.classes.all {
		if !skipped[c.path] {
			options = append(options, hotupdate.WithTag(c.path, c.tag))
		}
	}
	schema, err := hotupdate.SchemaOfCRD(r.raw, r.version, options...)
	return schema, r.classes.inFiles(r.from, err)
}

// Types are the types of all resources, in order.
func (s *Set) Types() []facts.TypeMeta {
	return slices.SortedFunc(maps.Keys(s.resources), func(a, b facts.TypeMeta) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.APIVersion, b.APIVersion))
	})
}

// Schema returns the Schema of a type, and nil if the set does not have it.
func (s *Set) Schema(t facts.TypeMeta) (*hotupdate.Schema, error) {
	if s == nil || s.resources[t] == nil {
		return nil, nil //nolint:nilnil // a missing Schema is no error
	}
	return s.resources[t].schema()
}

// Has reports whether the set has the kind of a type in its group, in some version.
func (s *Set) Has(t facts.TypeMeta) bool { return len(s.Versions(t)) > 0 }

// Versions are the versions of the kind of a type in its group, in order. There are none if the set
// does not have the kind.
func (s *Set) Versions(t facts.TypeMeta) (all []string) {
	if s == nil {
		return nil
	}
	for other := range s.resources {
		if other.Kind == t.Kind && facts.GroupOf(other.APIVersion) == facts.GroupOf(t.APIVersion) {
			all = append(all, s.resources[other].version)
		}
	}
	slices.Sort(all)
	return all
}

// ReadBoth reads two releases of CRDs. A class concerns the kinds and releases that have its field;
// one of them must.
func ReadBoth(old, updated, classesFile string) (before, after *Set, err error) {
	c, err := readClasses(classesFile, strings.NewReader(""))
	before, oldErr := read(old, strings.NewReader(""))
	after, newErr := read(updated, strings.NewReader(""))
	if err := errors.Join(err, oldErr, newErr); err != nil {
		return nil, nil, err
	}
	all := slices.Concat(slices.Collect(maps.Values(before.resources)), slices.Collect(maps.Values(after.resources)))
	missing, problems := map[string]int{}, []error{}
	for _, r := range all {
		r.classes = c
		skipped := r.missing()
		for path := range skipped {
			missing[path]++
		}
		schema, err := r.compile(skipped)
		problems = append(problems, err)
		r.schema = func() (*hotupdate.Schema, error) { return schema, nil }
	}
	for _, class := range c.all {
		if missing[class.path] == len(all) {
			problems = append(problems, c.locate(&fault.Error{
				Kind: fault.Declaration, Code: "unknown-path", Path: class.path, What: "matches no field of any kind",
				Hint: "check the JSON names; the path begins in the spec",
			}))
		}
	}
	return before, after, errors.Join(problems...)
}

// missing returns the paths of the classes whose fields the resource does not have.
func (r *resource) missing() map[string]bool {
	paths := map[string]bool{}
	var options []hotupdate.Option
	for _, c := range r.classes.all {
		options = append(options, hotupdate.WithTag(c.path, c.tag))
	}
	_, err := hotupdate.SchemaOfCRD(r.raw, r.version, options...)
	for _, problem := range fault.All(err) {
		if problem.Code == "unknown-path" {
			paths[problem.Path] = true
		}
	}
	return paths
}
