package crds

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// Shared describes what two versions of a kind have in common.
type Shared struct {
	// Schema reads the specs of both versions. A field that only the old version has is an unknown
	// member there. It is nil if the versions differ in anything but fields that only one of them has.
	Schema *hotupdate.Schema

	old   *hotupdate.Schema
	added [][]fieldpath.PatternStep // the fields that only the updated version has
}

// Share compares two versions of a kind. The set must have both, without errors.
//
// A field that only one of the versions has may hold a value of the other version that conversion
// has moved, so the meaning of a change is not known. Every other difference makes the Schema nil,
// unless it changes no hash and refuses no spec.
func (s *Set) Share(old, updated facts.TypeMeta) *Shared {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := [2]facts.TypeMeta{old, updated}
	if s.shared[key] == nil {
		s.shared[key] = share(s.resources[old].compiled.schema, s.resources[updated].compiled.schema)
	}
	return s.shared[key]
}

func share(old, updated *hotupdate.Schema) *Shared {
	shared := &Shared{old: old}
	findings, _ := hotupdate.Compatibility(old, updated) // fails only for nil
	for _, f := range findings {
		path := f.Path
		switch {
		case f.Kind == "FieldAdded":
		case f.Kind == "FieldRenamed":
			path = f.New
		case f.Kind == "FieldRemoved":
			continue // an unknown member
		case f.Kind == "SensitivityChanged", !f.Harmless():
			return shared
		default:
			continue
		}
		if steps, ok := fieldpath.ParsePattern(path); ok {
			shared.added = append(shared.added, steps)
		}
	}
	shared.Schema, _ = updated.AdmitUnknown() // which has been compiled
	return shared
}

// unknownMember is the origin of a change of an unknown member.
const unknownMember = "unknown member"

// Has reports whether both versions have the field of a change that was found under
// [Shared.Schema].
func (s *Shared) Has(c hotupdate.Change) bool {
	if c.Origin == unknownMember {
		return false
	}
	names := fieldpath.Names(c.Pointer)
	isCut := strings.Contains(c.Path, fieldpath.Hidden) // the pointer ends above the change
	return !slices.ContainsFunc(s.added, func(added []fieldpath.PatternStep) bool {
		if isCut {
			added = added[:min(len(added), len(names))]
		}
		return leadsTo(added, names)
	})
}

// leadsTo reports whether the names are at or below a pattern.
func leadsTo(pattern []fieldpath.PatternStep, names []string) bool {
	if len(names) < len(pattern) {
		return false
	}
	for i, step := range pattern {
		if !step.Element && step.Name != names[i] {
			return false
		}
	}
	return true
}

// MayShow reports whether the old version has the field of a change, and does not call its value
// sensitive.
func (s *Shared) MayShow(c hotupdate.Change) bool {
	d := (*schemabridge.Schema)(s.old).Describe(c.Pointer)
	return !d.Sensitive && !d.SensitiveKeys
}
