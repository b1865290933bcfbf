package machineupdate

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// leavesOf are the leaves of hot parts, as pointer and value. An attempt to remove everything has none of its own.
func leavesOf(hots []Hot) map[string]bool {
	all := map[string]bool{}
	for _, hot := range hots {
		if hot != Nothing {
			treeOf(hot.JSON()).leaves("", func(pointer, value string) bool {
				all[pointer+"="+value] = true
				return true
			})
		}
	}
	return all
}

// TestMergedAttemptsHaveTheSameLeaves: merging loses no leaf and invents none. Only the first of them removes everything.
func TestMergedAttemptsHaveTheSameLeaves(t *testing.T) {
	value := rapid.SampledFrom([]string{`"1"`, `"2"`, `[1]`, `{}`, `{"a":"1"}`, `{"a":"2","b":"1"}`, `{"a":{"b":"1"}}`, `{"a":{"b":"2"}}`})
	member := rapid.Map(value, func(text string) json.RawMessage { return json.RawMessage(text) })
	object := rapid.MapOfN(rapid.SampledFrom([]string{"k", "l", "m"}), member, 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		var attempted []Hot
		for _, drawn := range rapid.SliceOfN(object, 1, 6).Draw(t, "attempted") {
			text, err := json.Marshal(drawn)
			require.NoError(t, err)
			attempted = append(attempted, Hot(text))
		}
		got := merged(attempted)
		require.Equal(t, Nothing, got[0])
		require.Equal(t, leavesOf(attempted), leavesOf(got[1:]))
		require.LessOrEqual(t, len(got)-1, len(attempted))
	})
}
