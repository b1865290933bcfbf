// Package crds reads the CustomResourceDefinitions of custom resources, with the classes that the
// user gives to the fields of their specs.
//
// It owns the list of kinds and versions, the assignment of classes to them, and the comparison of
// two versions of a kind. Package hotupdate compiles the Schemas.
package crds

import (
	"bytes"
	"cmp"
	"encoding/json"
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
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Set has the custom resources of the CRDs in a file or directory. A nil Set has none. It is safe
// for concurrent use.
type Set struct {
	// From is the file or directory.
	From string
	// Problems say which CRDs and texts in From cannot be used. The set has the others.
	Problems []error

	resources map[facts.TypeMeta]*resource
	classes   *classes

	mutex  sync.Mutex // guards the values that are computed on request: Schemas, and shared
	shared map[[2]facts.TypeMeta]*Shared
	since  map[facts.TypeMeta][]Finding // what differs from the release before
}

// resource is a version of a custom resource.
type resource struct {
	from    string // the CRD, for messages
	raw     []byte
	part    part
	version string
	storage string // the version in which API servers store the objects of all versions; empty if the CRD names none
	group   string
	kind    string
	// hasSpecInSpec says that a path which begins with spec leads to a member of the spec.
	hasSpecInSpec bool

	plural string // for kubectl; or the kind, which kubectl also takes

	compiled *compiled         // nil until it is used
	plain    *hotupdate.Schema // likewise
}

// Read reads the CRDs in a file or directory. Another file may give the classes of fields: it holds
// an object whose members are paths in the spec, each with the value of a struct tag.
//
// Schemas are compiled when they are requested. A class applies to each Schema that has its field.
// A class that applies to none of them is an error, see [Set.CheckClasses].
func Read(from, classesFile string, stdin io.Reader) (*Set, error) {
	c, err := readClasses(classesFile, stdin)
	s, crdErr := readSet(from, stdin)
	s.classes = c
	return s, errors.Join(err, crdErr, c.checkKinds(s))
}

// ReadBoth reads two releases of CRDs, with the same classes.
func ReadBoth(old, updated, classesFile string) (before, after *Set, err error) {
	c, err := readClasses(classesFile, strings.NewReader(""))
	before, oldErr := readSet(old, strings.NewReader(""))
	after, newErr := readSet(updated, strings.NewReader(""))
	before.classes = c
	after.classes = c
	return before, after, errors.Join(err, oldErr, newErr, c.checkKinds(before, after))
}

const definitionKind = "CustomResourceDefinition"

// AreIn reports whether a file or directory has a CRD, or text that cannot be read and names one.
func AreIn(file string) bool {
	for d := range manifest.Documents([]string{file}, strings.NewReader("")) {
		o := d.Object()
		switch {
		case o == nil:
		case o.Err == nil && facts.TypeMetaOf(o.Tree).Kind == definitionKind:
			return true
		case o.Err != nil && bytes.Contains(d.Text(), []byte(definitionKind)):
			return true
		}
	}
	return false
}

func readSet(from string, stdin io.Reader) (*Set, error) {
	s := &Set{
		From: from, resources: map[facts.TypeMeta]*resource{}, shared: map[[2]facts.TypeMeta]*Shared{},
		since: map[facts.TypeMeta][]Finding{},
	}
	for o := range manifest.Objects([]string{from}, stdin) {
		var problem error
		if o.Err != nil {
			problem = manifest.InFile(o.String(), o.Err)
		} else if facts.TypeMetaOf(o.Tree).Kind == definitionKind {
			problem = s.add(o)
		}
		if problem != nil {
			s.Problems = append(s.Problems, problem)
		}
	}
	switch {
	case len(s.resources) > 0:
		return s, nil
	case len(s.Problems) > 0:
		return s, errors.Join(s.Problems...)
	}
	return s, fmt.Errorf("%s: has no %s", nameOf(from), definitionKind)
}

// add adds the versions of a CRD. A copy of a CRD adds nothing.
func (s *Set) add(o *manifest.Object) error {
	if err := checkVersion(o.Tree); err != nil {
		return manifest.InFile(o.At(max(o.Line, o.Line-1+o.Tree.At("apiVersion").Line())), err)
	}
	spec := o.Tree.At("spec")
	raw := o.Tree.JSON()
	group := spec.At("group").Text()
	kind := spec.At("names", "kind").Text()
	if group == "" || kind == "" {
		return fmt.Errorf("%s: has no text as spec.group or spec.names.kind; write both", o.Place)
	}
	served, storage, err := versionsOf(spec)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Place, err)
	}
	for _, version := range served {
		name := version.At("name").Text()
		of := facts.TypeMeta{APIVersion: group + "/" + name, Kind: kind}
		if first := s.resources[of]; first != nil && !bytes.Equal(first.raw, raw) {
			return fmt.Errorf("%s: has %s %s, and so has %s; leave out one of them", o.Place, of.APIVersion, kind,
				first.from)
		}
		s.resources[of] = &resource{
			from: o.String(), raw: raw, part: partOf(version), version: name, storage: storage,
			group: group, kind: kind,
			hasSpecInSpec: version.At("schema", "openAPIV3Schema", "properties", "spec", "properties", "spec") != nil,
			plural:        cmp.Or(spec.At("names", "plural").Text(), strings.ToLower(kind)),
		}
	}
	return nil
}

// versionsOf returns the versions in the spec of a CRD that API servers serve, and the name of the
// one in which they store objects. A CRD without a served version is an error: objects of the kind
// would be skipped as unknown.
func versionsOf(spec *tree.Node) (served []*tree.Node, storage string, err error) {
	for _, version := range spec.At("versions").Elements() {
		name := version.At("name").Text()
		if name == "" {
			return nil, "", errors.New("has a version without a name in spec.versions; write it")
		}
		if string(version.At("served").JSON()) != "false" {
			served = append(served, version)
		}
		if string(version.At("storage").JSON()) == "true" {
			storage = name
		}
	}
	if len(served) == 0 {
		return nil, "", errors.New("has no served version in spec.versions; write one")
	}
	return served, storage, nil
}

const definitionVersion = "apiextensions.k8s.io/v1"

// checkVersion checks the apiVersion of a CRD.
func checkVersion(definition *tree.Node) error {
	err := facts.CheckVersion(definition, func(string) []string { return []string{definitionVersion} })
	if err == nil && definition.At("apiVersion").Text() != definitionVersion {
		err = &fault.Error{
			Kind: fault.Invalid, Code: "unknown-version", Path: "apiVersion",
			What: "is one that CRDs do not have, or no longer have", Hint: "write " + definitionVersion,
		}
	}
	return err
}

func nameOf(file string) string {
	if file == manifest.Stdin {
		return "standard input"
	}
	return file
}

// AllTypes are the types that at least one of the sets has, in order.
func AllTypes(sets ...*Set) (types []facts.TypeMeta) {
	for _, s := range sets {
		types = slices.AppendSeq(types, maps.Keys(s.resources))
	}
	slices.SortFunc(types, func(a, b facts.TypeMeta) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.APIVersion, b.APIVersion))
	})
	return slices.Compact(types)
}

// Definitions returns the CRDs in JSON, each once.
func (s *Set) Definitions() (definitions []json.RawMessage) {
	for _, of := range AllTypes(s) {
		raw := json.RawMessage(s.resources[of].raw)
		if !slices.ContainsFunc(definitions, func(one json.RawMessage) bool { return bytes.Equal(one, raw) }) {
			definitions = append(definitions, raw)
		}
	}
	return definitions
}

// Has reports whether the set has the kind of a type in its group, in some version.
func (s *Set) Has(t facts.TypeMeta) bool { return len(s.Versions(t)) > 0 }

// Versions are the versions of the kind of a type in its group, in order. There are none if the set
// does not have the kind.
func (s *Set) Versions(t facts.TypeMeta) (versions []string) {
	if s == nil {
		return nil
	}
	for other, r := range s.resources {
		if other.Kind == t.Kind && facts.GroupOf(other.APIVersion) == facts.GroupOf(t.APIVersion) {
			versions = append(versions, r.version)
		}
	}
	slices.Sort(versions)
	return versions
}

// IsConverted reports whether the objects of a type, which the set has, are stored in another version of their kind:
// the API server converts them whenever they are read.
func (s *Set) IsConverted(t facts.TypeMeta) bool {
	r := s.resources[t]
	return r.storage != "" && r.storage != r.version
}

// Kinds are the kinds of the set; some may occur several times.
func (s *Set) Kinds() (kinds []string) {
	if s == nil {
		return nil
	}
	for t := range s.resources {
		kinds = append(kinds, t.Kind)
	}
	return kinds
}

// APIVersions are the apiVersions of a kind in all groups, in order.
func (s *Set) APIVersions(kind string) (versions []string) {
	if s == nil {
		return nil
	}
	for t := range s.resources {
		if t.Kind == kind {
			versions = append(versions, t.APIVersion)
		}
	}
	slices.Sort(versions)
	return versions
}

// Schema returns the Schema of a type, and nil if the set does not have it.
func (s *Set) Schema(t facts.TypeMeta) (*hotupdate.Schema, error) {
	if s == nil || s.resources[t] == nil {
		return nil, nil //nolint:nilnil // a missing Schema is not an error
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	r := s.resources[t]
	if r.compiled == nil {
		r.compiled = s.classes.compile(r)
	}
	return r.compiled.schema, r.compiled.err
}

// Meaning says what edits of objects of a type do. The Schema of the type must have been compiled.
// The result is nil if the set does not have the type.
func (s *Set) Meaning(t facts.TypeMeta) *Meaning {
	if s == nil || s.resources[t] == nil {
		return nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if made := s.resources[t].compiled; made != nil {
		return made.meaning
	}
	return nil
}

// Resource names a type that the set has for kubectl, as in nodepools.v1.karpenter.sh.
func (s *Set) Resource(t facts.TypeMeta) string {
	r := s.resources[t]
	return r.plural + "." + r.version + "." + facts.GroupOf(t.APIVersion)
}
