package hotupdate

import (
	"bytes"
	"reflect"

	"github.com/hotupdate/providerconfig/internal/engine"
)

// HotPatch returns the JSON merge patch (RFC 7386) that applies the Hot changes from old to updated and no others: the part of an update
// that a running machine can take. Applied to old in JSON it gives the patched configuration. It is {} if nothing hot changed. Each is a
// value of the Schema's type or a pointer to one; nil is the empty configuration.
//
//   - Between old and the patched configuration, [Schema.Diff] lists Hot changes, and Ignored ones where an Ignored field is added or removed
//     with its Hot element.
//   - Between the patched configuration and updated, it lists no Hot change except below something that is added or removed and not Hot:
//     an element of an Immutable list, an object, list or map with the option presence, an element whose hotwhen holds on one side only.
//   - A merge patch replaces lists as a whole. Where a list is in the patch, its elements carry the old Immutable, InPlace and Ignored
//     parts.
//   - A Hot field whose value holds null in free JSON, and a list in the patch that holds null anywhere, are an error with
//     the code not-patchable: in a merge patch null removes a member. In lists it should not, but common implementations remove it there too.
//
// A patch holds the values of sensitive fields.
func (s *Schema) HotPatch(old, updated any) ([]byte, error) {
	before, after, err := s.values(old, updated)
	if err != nil {
		return nil, err
	}
	// Diff finds cycles and unreadable values, which the steps below rely on.
	if _, err := engine.Diff(s.plan, before, after); err != nil {
		return nil, err
	}
	patched, err := engine.Patched(s.plan, before, after)
	if err != nil {
		return nil, err
	}
	return engine.MergePatch(s.plan, before, patched)
}

// HotPatchRaw is [Schema.HotPatch] for raw JSON, read as by [Schema.Decode]. The patch applies to old as it is spelled. Equal bytes give {},
// whether they are JSON or not.
func (s *Schema) HotPatchRaw(old, updated []byte) ([]byte, error) {
	if !s.isMissing() && bytes.Equal(old, updated) {
		return []byte("{}"), nil
	}
	before, after, err := s.decodeBoth(old, updated)
	if err != nil {
		return nil, err
	}
	return s.HotPatch(before, after)
}

// values checks two configurations.
func (s *Schema) values(old, updated any) (before, after reflect.Value, err error) {
	if before, err = s.value(old); err != nil {
		return before, after, err
	}
	after, err = s.value(updated)
	return before, after, err
}

// decodeBoth reads two configurations.
func (s *Schema) decodeBoth(old, updated []byte) (before, after any, err error) {
	if before, err = s.read(old); err != nil {
		return nil, nil, err
	}
	after, err = s.read(updated)
	return before, after, err
}
