package judge_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlacesOfAbsence: each place in absence.go names functions that exist, and tests that exist. Each rule that a
// question of this package rests on stands there.
func TestPlacesOfAbsence(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("absence.go")
	require.NoError(t, err)
	code := textOf(t, "*.go", "../facts/*.go")
	tests := textOf(t, "../*_test.go")
	row := regexp.MustCompile(`(?m)^//   - (.+): ([A-Za-z., ]+): (.+) \((Test\w+)\)$`)
	rows := row.FindAllStringSubmatch(string(list), -1)
	assert.Len(t, rows, strings.Count(string(list), "//   - "), "each line has a place, what follows, and a test")
	assert.Greater(t, len(rows), 35)
	for _, found := range rows {
		for place := range strings.SplitSeq(found[2], ", ") {
			name := place[strings.LastIndex(place, ".")+1:]
			assert.Regexp(t, `(?m)^func (\([^)]*\) )?`+name+`\(`, code, place)
		}
		assert.Contains(t, tests, "func "+found[4]+"(t *testing.T)")
	}
	asked := regexp.MustCompile(`(?m)(?:Rule: |return verdict\.Indeterminate, |verdict\.Indeterminate, |case )verdict\.([A-Z]\w+)`)
	rules := 0
	for _, found := range asked.FindAllStringSubmatch(textOf(t, "readings.go", "questions.go"), -1) {
		rules++
		assert.Regexp(t, `\b`+found[1]+`\b`, string(list), "a question rests on the rule, and no place is listed")
	}
	assert.Greater(t, rules, 20)
}

// textOf returns the text of files.
func textOf(t *testing.T, patterns ...string) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			all.Write(text)
		}
	}
	return all.String()
}
