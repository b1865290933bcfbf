package repository_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGardenerModule: plan and hotupdate-gardener speak the same protocol although neither module depends on the other. The main module would get
// more than two hundred modules, and go install refuses a command whose go.mod replaces a module.
func TestGardenerModule(t *testing.T) {
	const protocol = "internal/gardenerplugin/gardenerplugin.go"
	assert.Equal(t, read(t, protocol), read(t, "hotupdate/gardener/"+protocol), "copy one of the files over the other")
	assert.NotContains(t, read(t, "go.mod"), "gardener/gardener")
	nested := read(t, "hotupdate/gardener/go.mod")
	assert.NotContains(t, nested, "\t"+module+" ")
	assert.NotRegexp(t, `(?m)^(replace|exclude)\b`, nested)
}

// TestGardenerModuleIsACommand: hotupdate plan is the only user of the module, and calls its command. So the module promises no Go API.
func TestGardenerModuleIsACommand(t *testing.T) {
	folder := filepath.Join(root, "hotupdate", "gardener")
	sources := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		sources++
		name, err := filepath.Rel(folder, path)
		assert.Regexp(t, `^(cmd/hotupdate-gardener|internal)/`, filepath.ToSlash(name), "others could import it")
		return err
	}))
	assert.Greater(t, sources, 20)
}

// TestGardenerVersion: plan is compared with the Gardener that its documents name.
func TestGardenerVersion(t *testing.T) {
	told := firstMatch(t, `(?m)^\| Gardener \| (v[0-9.]+) \|`, read(t, ".github/VERSIONS.md"))
	nested := read(t, "hotupdate/gardener/go.mod")
	assert.Equal(t, told, firstMatch(t, `github.com/gardener/gardener (v[0-9]+\.[0-9]+)\.[0-9]+\n`, nested))
	assert.Equal(t, told, firstMatch(t, `github.com/gardener/gardener/pkg/apis (v[0-9]+\.[0-9]+)\.[0-9]+\n`, nested))
	assert.Equal(t, told, firstMatch(t, `Source: Gardener (v[0-9]+\.[0-9]+)`, read(t, "hotupdate/gardener/internal/gardener/doc.go")))
}
