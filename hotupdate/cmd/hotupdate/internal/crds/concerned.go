package crds

import (
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// MayRefuse returns the constraints that the updated release narrows or changes and that concern a part of an object
// as the API server returns it: the object has a value at the path, or lacks a member that is required now. Whether
// the value meets the constraint is not known here.
func MayRefuse(old, updated *Set, t facts.TypeMeta, part []byte) (all []Finding) {
	root := tree.Of(updated.Returned(t, part))
	for _, f := range updated.findingsSince(old, t) {
		steps, _ := fieldpath.ParsePattern(f.Path)
		isRequired := f.Keyword == requiredKeyword
		isOfObject := f.Path == specMember && isRequired // the part is there, or is null
		switch {
		case f.Forbidden.Where != fails:
		case isOfObject && root.Kind() != tree.Null:
		case isOfObject, holds(root, steps, isRequired):
			all = append(all, f)
		}
	}
	return all
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

// holds reports whether a value has a value at a path. If the last member is required, it reports whether an object
// around it lacks it.
func holds(value *tree.Node, steps []fieldpath.PatternStep, isRequired bool) bool {
	switch {
	case value.Kind() == tree.Null:
		return isRequired && len(steps) == 0
	case len(steps) == 0:
		return !isRequired
	case !steps[0].Element:
		isAround := !isRequired || len(steps) > 1
		if below := value.At(steps[0].Name); below.Kind() != tree.Null || !isAround {
			return holds(below, steps[1:], isRequired)
		}
		return false
	}
	for _, element := range value.Elements() {
		if holds(element, steps[1:], isRequired) {
			return true
		}
	}
	for _, member := range value.Members() {
		if holds(member, steps[1:], isRequired) {
			return true
		}
	}
	return false
}
