package repository_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// renamedRow matches a row of the changelog's table of names.
var renamedRow = regexp.MustCompile(`(?m)^\| (?:` + "`" + `([a-z/]+)` + "`" + `[^|]*)?\| ([^|]+) \| ([^|]+) \|$`)

// TestNewNamesExist: what the changelog tells to write instead of an old name is exported by the package, and
// the old name is gone.
func TestNewNamesExist(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ".github", "CHANGELOG.md"))
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "\n### Names\n")
	require.True(t, ok, "the changelog has the section Names")
	name := regexp.MustCompile(`^` + "`" + `([A-Z]\w*)` + "`" + `$`)
	folder := ""
	checked := 0
	for _, row := range renamedRow.FindAllStringSubmatch(table, -1) {
		if row[1] != "" {
			folder = row[1]
		}
		for i, cell := range row[2:] {
			for word := range strings.SplitSeq(cell, ", ") {
				found := name.FindStringSubmatch(strings.TrimSuffix(word, " and so on"))
				if found == nil {
					continue
				}
				checked++
				isNew := i == 1
				assert.Equal(t, isNew, exportedBy(t, folder)[found[1]], "%s.%s", folder, found[1])
			}
		}
	}
	assert.Greater(t, checked, 40)
}
