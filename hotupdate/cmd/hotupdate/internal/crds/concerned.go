package crds

import (
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// MayRefuse returns the constraints that the updated release narrows or changes and that concern a
// part of an object as the API server returns it: the object has a value at the path, or lacks a
// member that is required now. It does not check whether the value meets the constraint.
func MayRefuse(old, updated *Set, t facts.TypeMeta, part []byte) (findings []Finding) {
	root := tree.Of(updated.Returned(t, part))
	for _, f := range updated.findingsSince(old, t) {
		steps, _ := fieldpath.ParsePattern(f.Path)
		isRequired := f.Keyword == requiredKeyword
		last := hasMember
		if isRequired {
			last = lacksMember
		}
		isOfObject := f.Path == specMember && isRequired // the part is there, or is null
		switch {
		case f.Forbidden.Where != fails:
		case isOfObject && root.Kind() != tree.Null:
		case isOfObject, meets(root, steps, last):
			findings = append(findings, f)
		}
	}
	return findings
}

// findingsSince compares a type with that of another release, once.
func (s *Set) findingsSince(old *Set, t facts.TypeMeta) []Finding {
	s.mutex.Lock()
	found, isKnown := s.since[t]
	s.mutex.Unlock()
	if isKnown {
		return found
	}
	found = Diff(old, s, t)
	s.mutex.Lock()
	s.since[t] = found
	s.mutex.Unlock()
	return found
}

// meets reports whether something holds of the values that a path leads to, and of the objects around them.
func meets(value *tree.Node, steps []fieldpath.PatternStep, last func(around *tree.Node, name string) bool) bool {
	switch {
	case value.Kind() == tree.Null:
		return false
	case len(steps) == 0:
		return true
	case len(steps) == 1 && !steps[0].Element:
		return last(value, steps[0].Name)
	case !steps[0].Element:
		return meets(value.At(steps[0].Name), steps[1:], last)
	}
	for _, element := range value.Elements() {
		if meets(element, steps[1:], last) {
			return true
		}
	}
	for _, member := range value.Members() {
		if meets(member, steps[1:], last) {
			return true
		}
	}
	return false
}

func hasMember(around *tree.Node, name string) bool { return around.At(name).Kind() != tree.Null }

func lacksMember(around *tree.Node, name string) bool { return !hasMember(around, name) }
