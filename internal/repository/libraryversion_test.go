package repository_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// libraryVersion is the version of the next release. The module hotupdate/updater requires it, and .ci/run release compares
// it with the tag.
func libraryVersion(t *testing.T) string {
	t.Helper()
	return firstMatch(t, `(?m)^\t`+module+` (v[0-9.]+)$`, read(t, "hotupdate/updater/go.mod"))
}

// TestOneVersion: every file names the same version of this library. The files for editors once named v1.0.0, and the
// module hotupdate/updater v0.1.0.
func TestOneVersion(t *testing.T) {
	// In a path of this library, and after it: module v0.1.0, command@v0.1.0, action@v0.1.0.
	named := regexp.MustCompile(`hotupdate/providerconfig[\w./-]*[ @](v[0-9][\w.+-]*)`)
	// A go.mod with a replace may require the version that nothing has.
	const placeholder = "v0.0.0"
	want := libraryVersion(t)
	assert.Equal(t, want, firstMatch(t, `The next release is (v[0-9.]+[0-9])`, read(t, ".github/VERSIONS.md")))
	found := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() == ".git" {
			return skip(err)
		}
		if !entry.Type().IsRegular() || !hasVersions(entry.Name()) {
			return nil
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), root+"/")
		for _, version := range named.FindAllStringSubmatch(read(t, name), -1) {
			if filepath.Base(name) == "go.mod" && version[1] == placeholder {
				continue
			}
			found++
			assert.Equal(t, want, version[1], name)
		}
		return nil
	}))
	assert.Greater(t, found, 5)
}

// skip skips a folder, unless it could not be read.
func skip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

// hasVersions reports whether a file is of a kind that names versions.
func hasVersions(name string) bool {
	switch filepath.Ext(name) {
	case ".go", ".md", ".mod", ".yml", ".yaml", ".json", ".txt", ".sh", ".rb":
		return true
	}
	return false
}

// TestEditorVersions: the files to copy name no version but those of this library and of golangci-lint.
func TestEditorVersions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "examples", "editor", "*"))
	require.NoError(t, err)
	versions := map[string]int{}
	for _, file := range files {
		text := read(t, filepath.Join("examples", "editor", filepath.Base(file)))
		for _, version := range regexp.MustCompile(`\bv[0-9]+\.[0-9]+\.[0-9]+\b`).FindAllString(text, -1) {
			versions[version]++
		}
	}
	golangci := firstMatch(t, `golangci-lint/v2 (v[0-9.]+)`, read(t, ".tools/golangci/go.mod"))
	// The plugin, the hook, the action and the command that it installs; and golangci-lint, once.
	assert.Equal(t, map[string]int{libraryVersion(t): 4, golangci: 1}, versions)
}
