package side_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlacesOfAbsence: each place in absence.go names a function that exists, and a script that exists.
func TestPlacesOfAbsence(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("absence.go")
	require.NoError(t, err)
	var code strings.Builder
	for _, pattern := range []string{"*.go", "../crds/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			code.Write(text)
		}
	}
	rows := regexp.MustCompile(`(?m)^//   - (.+): ([A-Za-z.]+): (.+) \((\w+)\)$`).FindAllStringSubmatch(string(list), -1)
	assert.Len(t, rows, strings.Count(string(list), "//   - "), "each line has a place, what follows, and a script")
	assert.Greater(t, len(rows), 8)
	for _, row := range rows {
		name := row[2][strings.LastIndex(row[2], ".")+1:]
		assert.Regexp(t, `(?m)^func (\([^)]*\) )?`+name+`\(`, code.String(), row[2])
		assert.FileExists(t, filepath.Join("..", "..", "testdata", "script", row[4]+".txtar"))
	}
}
