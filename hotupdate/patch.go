package hotupdate

import (
	"bytes"
	"reflect"

	"github.com/hotupdate/providerconfig/internal/engine"
)

// HotPatch returns the JSON merge patch (RFC 7386) that applies the Hot changes from old to updated, and no others: what a running
// machine can be given of an update. Applied to old in JSON it gives the patched configuration. It is {} if nothing hot changed. Nil is the
// empty configuration.
//
//   - Between old and the patched configuration, [Schema.Diff] lists Hot changes only; Ignored ones beside them where an Ignored field comes or
//     goes with its Hot element.
//   - Between the patched configuration and updated, it lists no Hot change, but for what comes or goes with something that is not Hot: an
//     element of an Immutable list, an object with the option presence, an element whose hotwhen holds on one side only.
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
	// What the comparison has seen is free of cycles and can be read.
	if _, err := engine.Diff(s.plan, before, after); err != nil {
		return nil, err
	}
	patched, err := engine.Patched(s.plan, before, after)
	if err != nil {
		return nil, err
	}
	return engine.MergePatch(s.plan, before, patched)
}

// HotPatchRaw is [Schema.HotPatch] for raw JSON, read as by [Schema.Decode]. The patch applies to old as it is spelled. Equal bytes need none and
// are not looked at.
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
