package crds

import (
	"errors"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// HasType reports whether the set has a type in its version.
func (s *Set) HasType(t facts.TypeMeta) bool { return s.resources[t] != nil }

// Changes compares a part of an object as API servers with the CRDs of two releases return it. Both
// sets must have the type, with the same classes. A field has the class that it has in the release
// that knows it.
func Changes(old, updated *Set, t facts.TypeMeta, part []byte) (hotupdate.Changes, error) {
	before := old.Returned(t, part)
	after := updated.Returned(t, part)
	bySchema := func(s *Set) (hotupdate.Changes, error) {
		schema, err := s.plain(t)
		if err != nil {
			return nil, err
		}
		return schema.DiffRaw(before, after)
	}
	byOld, oldErr := bySchema(old)
	byNew, newErr := bySchema(updated)
	if err := errors.Join(oldErr, newErr); err != nil {
		return nil, err
	}
	var all hotupdate.Changes
	for _, change := range byNew {
		known := changesOn(change.Pointer, byOld)
		switch {
		case change.Origin != unknownMember:
			known = hotupdate.Changes{change}
		case len(known) == 0: // to the old release, the value means the same as none
			continue
		}
		known = slices.DeleteFunc(known, func(c hotupdate.Change) bool { return c.Origin == unknownMember })
		if len(known) == 0 {
			known = hotupdate.Changes{change}
		}
		for _, one := range known { // free JSON is one change for all members in it
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// changesOn returns the changes of a value, of its parts, and of values that it is a part of.
func changesOn(pointer string, all hotupdate.Changes) (found hotupdate.Changes) {
	for _, c := range all {
		if isAtOrBelow(c.Pointer, pointer) || isAtOrBelow(pointer, c.Pointer) {
			found = append(found, c)
		}
	}
	return found
}

// isAtOrBelow reports whether a pointer leads to a value or to a part of it.
func isAtOrBelow(pointer, above string) bool {
	names := fieldpath.Names(pointer)
	of := fieldpath.Names(above)
	return len(names) >= len(of) && slices.Equal(names[:len(of)], of)
}

// plain returns the Schema of a type without its defaults, because the API server has filled them
// in. The Schema admits members that only the other release has.
func (s *Set) plain(t facts.TypeMeta) (*hotupdate.Schema, error) {
	if _, err := s.Schema(t); err != nil {
		return nil, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	r := s.resources[t]
	if r.plain == nil {
		plain := part{schema: r.part.schema.withoutDefaults()}
		made := r.compiled
		schema, err := made.meaning.schemaIn(plain.definition(r.version), r.version, made.missing)
		if err == nil {
			schema, err = schema.AdmitUnknown()
		}
		if err != nil {
			return nil, err
		}
		r.plain = schema
	}
	return r.plain, nil
}
