package hotupdate

import (
	"bytes"
	"cmp"
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// HotPatchRaw returns the JSON merge patch (RFC 7386) that applies the Hot changes from old to
// updated and no others: the part of an update that a running machine can take. Applied to old, the
// patch gives the patched configuration. It is {} if nothing hot changed. Both are read as by
// [Schema.Decode]. Equal bytes give {}, whether they are JSON or not.
//
//   - Between old and the patched configuration, [Schema.Diff] lists Hot changes, and Ignored ones
//     where an Ignored field is added or removed with its Hot element.
//   - Between the patched configuration and updated, [Schema.Diff] lists Hot changes only below a
//     value that is added or removed and not Hot: an element of an Immutable list, an object, list
//     or map with the option presence, an element whose hotwhen holds on one side only.
//   - A merge patch replaces lists as a whole. Where a list is in the patch, its elements carry the
//     old Immutable, InPlace and Ignored parts.
//   - A Hot field whose value holds null in free JSON, and a list in the patch that holds null
//     anywhere, are an error with the code not-patchable: in a merge patch null removes a member.
//     RFC 7386 keeps null in lists, but common implementations remove it there too.
//
// A patch holds the values of sensitive fields.
func (s *Schema) HotPatchRaw(old, updated []byte) ([]byte, error) {
	if !s.isMissing() && bytes.Equal(old, updated) {
		return []byte("{}"), nil
	}
	before, after, err := s.decodeBoth(old, updated)
	if err != nil {
		return nil, err
	}
	onto, err := s.encoded(before)
	from, updatedErr := s.encoded(after)
	if err := cmp.Or(err, updatedErr); err != nil {
		return nil, err
	}
	onto.Old = true
	patched, err := engine.Overlay(s.plan, structtag.Hot, onto, from)
	if err != nil {
		return nil, err
	}
	patch, lost := jsonpatch.Merge(onto.Tree.(map[string]any), patched.(map[string]any))
	var problems fault.List
	for _, names := range lost {
		problems.Add(&fault.Error{
			Kind: fault.Unsupported, Code: "not-patchable", Path: engine.PathTo(s.plan, names).String(),
			What: "becomes or holds null, by which a merge patch removes a member", Hint: "leave the member out",
		})
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return jsonpatch.Write(patch)
}

// encoded returns a configuration with the tree of its JSON.
func (s *Schema) encoded(config reflect.Value) (side engine.Side, err error) {
	raw, err := s.written(config)
	if err != nil {
		return side, err
	}
	side.Value = config
	side.Tree, err = jsonpatch.Parse(raw)
	return side, err
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
func (s *Schema) decodeBoth(old, updated []byte) (before, after reflect.Value, err error) {
	before, err = s.read(old)
	after, updatedErr := s.read(updated)
	return before, after, cmp.Or(err, updatedErr)
}
