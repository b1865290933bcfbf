package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestReadme: every piece of code in the README is in a file that compiles.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var sources []string
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		source, err := os.ReadFile(path)
		sources = append(sources, string(source))
		return err
	}))
	all := strings.Join(sources, "\n")
	blocks := goBlock.FindAllStringSubmatch(string(readme), -1)
	assert.Greater(t, len(blocks), 8)
	for _, block := range blocks {
		assert.Contains(t, all, block[1])
	}
}
