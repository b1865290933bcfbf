package side

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGlobs: a glob without a slash stands for a name anywhere, one with a slash for a path from the
// side on; each also for what is below.
func TestGlobs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		glob, file string
		want       bool
	}{
		{"templates", "side/templates/a.yaml", true},
		{"templates", "side/x/templates/y/a.yaml", true},
		{"templates", "side/templates.yaml", false},
		{"templates/", "side/x/templates/a.yaml", true},
		{"*.tpl.yaml", "side/x/a.tpl.yaml", true},
		{"*.tpl.yaml", "side/x/a.yaml", false},
		{"x/a.yaml", "side/x/a.yaml", true},
		{"x/a.yaml", "side/y/x/a.yaml", false},
		{"/x", "side/x/a.yaml", true},
		{"x/*", "side/x/y/a.yaml", true},
		{"x/*/b.yaml", "side/x/y/z/b.yaml", false},
		{"x/**/b.yaml", "side/x/y/z/b.yaml", true},
		{"x/**/b.yaml", "side/x/b.yaml", true},
		{"**/b.yaml", "side/b.yaml", true},
		{"**", "side/b.yaml", true},
		{"side", "side/b.yaml", false}, // the side itself is named by the user
		{"[a-c].yaml", "side/b.yaml", true},
		{"only.yaml", "only.yaml", true},
	} {
		globs, err := ParseGlobs([]string{"nothing", test.glob})
		require.NoError(t, err)
		side := "side"
		if test.file == "only.yaml" {
			side = test.file
		}
		assert.Equal(t, test.want, globs.Matches(side, test.file), "%s: %s", test.glob, test.file)
	}
	for _, bad := range []string{"", "/", "a[", "x/[a/b"} {
		_, err := ParseGlobs([]string{bad})
		assert.ErrorContains(t, err, "is not a glob; write the name of a file or folder", bad)
	}
	assert.False(t, Globs(nil).Matches("side", "side/a"))
}
