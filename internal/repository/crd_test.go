package repository_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCRDModule: the command and hotupdate-crd speak the same protocol although neither module depends on the other. The main module would get twice
// its modules, and go install refuses a command whose go.mod replaces a module.
func TestCRDModule(t *testing.T) {
	const protocol = "internal/crdplugin/crdplugin.go"
	assert.Equal(t, read(t, protocol), read(t, "hotupdate/crd/"+protocol), "copy one of the files over the other")
	assert.NotContains(t, read(t, "go.mod"), "apiextensions-apiserver")
	nested := read(t, "hotupdate/crd/go.mod")
	assert.NotContains(t, nested, "\t"+module+" ")
	assert.NotRegexp(t, `(?m)^(replace|exclude)\b`, nested)
}

// TestCRDModuleIsACommand: the command is the only user of the module, and calls its program. So the module promises no Go API.
func TestCRDModuleIsACommand(t *testing.T) {
	folder := filepath.Join(root, "hotupdate", "crd")
	sources := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		sources++
		name, err := filepath.Rel(folder, path)
		assert.Regexp(t, `^(cmd/hotupdate-crd|internal)/`, filepath.ToSlash(name), "others could import it")
		return err
	}))
	assert.Greater(t, sources, 7)
}
