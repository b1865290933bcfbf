package fieldclasses_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/fieldclasses"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// TestRows: every row has a path, a class, a reason for people and a source, and no two rows of a kind have one path.
func TestRows(t *testing.T) {
	for _, kind := range fieldclasses.All() {
		assert.Regexp(t, `^[a-zA-Z0-9./-]+ v[0-9.]+$`, kind.Source, kind.Kind)
		seen := map[string]bool{}
		for _, row := range kind.Rows {
			at := kind.Kind + " " + row.Path
			assert.False(t, seen[row.Path], at)
			seen[row.Path] = true
			_, ok := fieldpath.ParsePattern(row.Path)
			assert.True(t, ok, at)
			_, problems := structtag.ParseValue(row.Tag())
			assert.Empty(t, problems, at)
			for _, reason := range []string{row.Reason, row.OneSided} {
				assert.NotRegexp(t, regexp.MustCompile(`\.$`), reason, at)
			}
			assert.NotEmpty(t, row.Reason, at)
			assert.NotEmpty(t, row.Source, at)
		}
	}
}

// TestTags: what only custom resources have is compared like an immutable field.
func TestTags(t *testing.T) {
	for class, want := range map[fieldclasses.Class]string{
		fieldclasses.Roll: "false,set", fieldclasses.Hot: "true,set", fieldclasses.InPlace: "inplace,set",
		fieldclasses.NoEffect: "ignore,set", fieldclasses.Undecided: "false,set", fieldclasses.Refused: "false,set",
	} {
		assert.Equal(t, want, fieldclasses.Row{Class: class, Options: "set"}.Tag())
	}
}

// TestOf: a kind is found by its group too.
func TestOf(t *testing.T) {
	pool, ok := fieldclasses.Of("karpenter.sh", "NodePool")
	assert.True(t, ok)
	assert.NotEmpty(t, pool.Rows)
	_, ok = fieldclasses.Of("example.org", "NodePool")
	assert.False(t, ok)
}
