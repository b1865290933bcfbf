package fieldpath_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// TestNames: escapes are undone once, as section 4 of RFC 6901 demands of ~01.
func TestNames(t *testing.T) {
	for pointer, names := range map[string][]string{
		"": nil, "/": {""}, "/a": {"a"}, "/a//b": {"a", "", "b"}, "/~1/~0": {"/", "~"}, "/~01": {"~1"},
	} {
		assert.Equal(t, names, fieldpath.Names(pointer), pointer)
	}
}

// TestNamesAreTheInverseOfBelow: for any names.
func TestNamesAreTheInverseOfBelow(t *testing.T) {
	name := rapid.StringOfN(rapid.SampledFrom([]rune(`~/01a`)), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(name, 1, 4).Draw(t, "names")
		pointer := ""
		for _, name := range names {
			pointer = fieldpath.Below(pointer, name)
		}
		assert.Equal(t, names, fieldpath.Names(pointer))
	})
}
