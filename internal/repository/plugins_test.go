package repository_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plugins are the modules whose program hotupdate calls, with the name of the program, the file of their protocol,
// which both modules have, and the module that would come into the main one.
var plugins = []struct{ module, program, protocol, heavy string }{
	{"hotupdate/gardener", "hotupdate-gardener", "internal/gardenerplugin/gardenerplugin.go", "gardener/gardener"},
	{"hotupdate/crd", "hotupdate-crd", "internal/crdplugin/crdplugin.go", "apiextensions-apiserver"},
}

// TestPlugins: the command and its programs speak the same protocols although none of the modules depends on another.
// The main module would get more than two hundred modules, and go install refuses a command whose go.mod replaces a
// module.
func TestPlugins(t *testing.T) {
	for _, p := range plugins {
		assert.Equal(t, read(t, p.protocol), read(t, p.module+"/"+p.protocol), "copy one of the files over the other")
		assert.NotContains(t, read(t, "go.mod"), p.heavy)
		nested := read(t, p.module+"/go.mod")
		assert.NotContains(t, nested, "\t"+module+" ")
		assert.NotRegexp(t, `(?m)^(replace|exclude)\b`, nested)
	}
}

// TestPluginsAreCommands: hotupdate is the only user of the modules, and calls their programs. So the modules promise no Go API.
func TestPluginsAreCommands(t *testing.T) {
	for _, p := range plugins {
		folder := filepath.Join(root, filepath.FromSlash(p.module))
		sources := 0
		require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" {
				return err
			}
			sources++
			name, err := filepath.Rel(folder, path)
			assert.Regexp(t, `^(cmd/`+p.program+`|internal)/`, filepath.ToSlash(name), "others could import it")
			return err
		}))
		assert.Greater(t, sources, 7)
	}
}

// TestGardenerVersion: plan is compared with the Gardener that its documents name.
func TestGardenerVersion(t *testing.T) {
	told := firstMatch(t, `(?m)^\| Gardener \| (v[0-9.]+) \|`, read(t, ".github/VERSIONS.md"))
	nested := read(t, "hotupdate/gardener/go.mod")
	assert.Equal(t, told, firstMatch(t, `github.com/gardener/gardener (v[0-9]+\.[0-9]+)\.[0-9]+\n`, nested))
	assert.Equal(t, told, firstMatch(t, `github.com/gardener/gardener/pkg/apis (v[0-9]+\.[0-9]+)\.[0-9]+\n`, nested))
	assert.Equal(t, told, firstMatch(t, `Source: Gardener (v[0-9]+\.[0-9]+)`, read(t, "hotupdate/gardener/internal/gardener/doc.go")))
}
