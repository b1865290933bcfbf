package crds

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/internal/fieldclasses"
)

// removedMember is the member of a kind that says what the removal of its objects does.
const removedMember = "removed"

// Custom returns what is known about the objects of a type in addition to their Schema. The set
// must have the type, and its Schema must have been compiled without an error.
func (s *Set) Custom(t facts.TypeMeta) *judge.Custom {
	custom := &judge.Custom{Type: t, HasClasses: s.HasClasses(t)}
	builtIn := fieldclasses.RemovalOf(facts.GroupOf(t.APIVersion), t.Kind)
	custom.Removed, _ = judge.ParseRemoval(string(builtIn))
	if given := s.classes.removed[custom.Selector()]; given != judge.RemovalUnknown {
		custom.Removed = given
	}
	return custom
}

// GivenRemoval returns the class that the user gives to a kind, as the file with the classes has it; empty for none.
func (s *Set) GivenRemoval(t facts.TypeMeta) string {
	custom := judge.Custom{Type: t}
	return s.classes.removed[custom.Selector()].String()
}

// HasClasses reports whether fields of a type, which the set must have, have built-in classes or
// classes from a file. A file without classes means that every field is immutable.
func (s *Set) HasClasses(t facts.TypeMeta) bool {
	isEmpty := s.classes.object != nil && s.classes.object.Tree.Len() == 0
	made := s.resources[t].compiled
	if made == nil {
		return isEmpty
	}
	hasClass := func(f field) bool { return f.hasClasses() && !made.missing[f.Path] }
	return isEmpty || slices.ContainsFunc(made.meaning.fields, hasClass)
}
