package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// mergePatch applies a JSON merge patch by the letter of RFC 7386, section 2.
func mergePatch(t require.TestingT, target, patch []byte) []byte {
	read := func(raw []byte) any {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		var value any
		require.NoError(t, decoder.Decode(&value), "%s", raw)
		return value
	}
	patched, err := json.Marshal(applyPatch(read(target), read(patch)))
	require.NoError(t, err)
	return patched
}

func applyPatch(target, patch any) any {
	members, isObject := patch.(map[string]any)
	if !isObject {
		return patch
	}
	object, isObject := target.(map[string]any)
	if !isObject {
		object = map[string]any{}
	}
	for name, value := range members {
		if value == nil {
			delete(object, name)
		} else {
			object[name] = applyPatch(object[name], value)
		}
	}
	return object
}

// patched draws the JSON of two configurations and the hot patch between them, and applies it to the first.
func (s subject) patched(t *rapid.T, old, updated []byte) (result []byte, ok bool) {
	patch, err := hotupdate.HotPatchRaw(s.schema, old, updated)
	if err != nil {
		for _, problem := range hotupdate.Errors(err) {
			require.Equal(t, hotupdate.CodeNotPatchable, problem.Code, "%v", err)
		}
		return nil, false
	}
	return mergePatch(t, old, patch), true
}

func (s subject) diffRaw(t require.TestingT, old, updated []byte) hotupdate.Changes {
	changes, err := hotupdate.DiffRaw(s.schema, old, updated)
	require.NoError(t, err, "%s\nold %s\nnew %s", s.describe(), old, updated)
	return changes
}

// TestHotPatchChangesOnlyWhatIsHot: a hot patch rolls nothing, and a second one has nothing left to do.
func TestHotPatchChangesOnlyWhatIsHot(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		a, b := s.drawPair(t)
		old, updated := toJSON(t, a), toJSON(t, b)
		patched, ok := s.patched(t, old, updated)
		if !ok {
			return
		}
		for _, c := range s.diffRaw(t, old, patched) {
			require.Contains(t, []hotupdate.Class{hotupdate.Hot, hotupdate.Ignored}, c.Class, "%s at %s: %s\nold %s\nnew %s\npatched %s", c.Op, c.Path, s.describe(), old, updated, patched)
		}
		again, err := hotupdate.HotPatchRaw(s.schema, patched, updated)
		require.NoError(t, err)
		require.Equal(t, "{}", string(again), "%s\nold %s\nnew %s\npatched %s", s.describe(), old, updated, patched)
	})
}

// TestHotPatchAppliesAllThatIsHot: where nothing changes that is hashed, a hot patch leaves nothing hot to do.
func TestHotPatchAppliesAllThatIsHot(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		a := s.draw(t)
		b := respelled(t, hashView, s.root, a)
		old, updated := toJSON(t, a), toJSON(t, b)
		patched, ok := s.patched(t, old, updated)
		if !ok {
			return
		}
		left := s.diffRaw(t, patched, updated)
		require.False(t, slices.ContainsFunc(left, func(c hotupdate.Change) bool { return c.Class != hotupdate.Ignored }),
			"%v: %s\nold %s\nnew %s\npatched %s", left, s.describe(), old, updated, patched)
	})
}
