package repository_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestModulesDoNotShareInternalPackages: a module that is released imports no internal package of another one. Its
// users may have a newer main module, whose internal packages promise nothing: a method of one was renamed, and a
// driver with the updater did not compile.
func TestModulesDoNotShareInternalPackages(t *testing.T) {
	modules := map[string]string{} // by folder
	files, err := filepath.Glob(filepath.Join(root, "hotupdate", "*", "go.mod"))
	require.NoError(t, err)
	further, err := filepath.Glob(filepath.Join(root, "hotupdate", "*", "*", "go.mod"))
	require.NoError(t, err)
	for _, file := range append(files, further...) {
		folder, err := filepath.Rel(root, filepath.Dir(file))
		require.NoError(t, err)
		folder = filepath.ToSlash(folder)
		modules[folder] = firstMatch(t, `(?m)^module (.*)$`, read(t, folder+"/go.mod"))
	}
	assert.Len(
		t, modules, 5, "the updater, the linter's plugin, and the programs with Gardener's and the API server's code, and with client-go",
	)
	checked := map[string]bool{}
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue // only this repository compiles it
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for folder, path := range modules {
			if !isIn(filepath.ToSlash(file), filepath.ToSlash(filepath.Join(root, folder))) {
				continue
			}
			checked[folder] = true
			for _, spec := range parsed.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				isForeign := isIn(imported, module) && !isIn(imported, path)
				assert.False(
					t, isForeign && strings.Contains(imported+"/", "/internal/"), "%s imports %s: export what it needs", file, imported,
				)
			}
		}
	}
	assert.Len(t, checked, len(modules))
}
