package repository_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

const testingPage = ".github/TESTING.md"

var (
	// A row of a table that says where a word of the tests is declared: | `word` | what it is | `file` |
	wordRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\|.*\\| `(\\S+)` \\|$")
	// What stands alone in backquotes and has a slash is a file or a folder.
	fileName = regexp.MustCompile("`([a-zA-Z.]+(?:/[\\w.]+)+)`")
)

// TestWordsOfTests: the page about tests names files that there are, and explains words that are declared there.
func TestWordsOfTests(t *testing.T) {
	page := read(t, testingPage)
	for _, file := range fileName.FindAllStringSubmatch(page, -1) {
		_, err := os.Stat(filepath.Join(root, file[1]))
		assert.NoError(t, err, "%s names %s", testingPage, file[1])
	}
	rows := wordRow.FindAllStringSubmatch(page, -1)
	assert.Greater(t, len(rows), 10)
	for _, row := range rows {
		word := row[1]
		file := row[2]
		declared := regexp.MustCompile(`(?m)^(\t|type |func (\(.*\) )?)` + word + `\b`)
		assert.Regexp(t, declared, read(t, file), "%s says that %s declares %s", testingPage, file, word)
	}
}
