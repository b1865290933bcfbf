package repository_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// conventional are names that several packages may export, because they say the same in each: Go and the field use them so.
var conventional = map[string]string{
	"New":    "makes what the package is about",
	"Option": "is an option of the constructor beside it",
}

// TestOneNameOneMeaning: no two packages that one file imports together export the same top-level name. Whoever reads tags.State beside
// drivertest.State, or looks one up, takes one for the other. Internal packages and commands are left out: adopters cannot import them.
func TestOneNameOneMeaning(t *testing.T) {
	exported := map[string]map[string]bool{} // by package
	used := map[string]bool{}
	together := 0
	for _, file := range goFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		var imported []string
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if isPublic(path) {
				imported = append(imported, below(path))
			}
		}
		if len(imported) < 2 {
			continue
		}
		together++
		owners := map[string]string{}
		for _, folder := range imported {
			if exported[folder] == nil {
				exported[folder] = exportedBy(t, folder)
			}
			for name := range exported[folder] {
				other := owners[name]
				owners[name] = folder
				_, isConventional := conventional[name]
				switch {
				case other == "" || other == folder:
				case isConventional:
					used[name] = true
				default:
					t.Errorf("%s imports %s and %s, which both export %s: give one of them another name", file, other, folder, name)
				}
			}
		}
	}
	require.Greater(t, together, 100)
	assert.ElementsMatch(
		t, slices.Collect(maps.Keys(conventional)), slices.Collect(maps.Keys(used)), "a name of the list has one owner: take it out",
	)
}

// isPublic reports whether an adopter can import a package, and does it for its names.
func isPublic(path string) bool {
	parts := strings.Split(below(path), "/")
	isOurs := path == module || strings.HasPrefix(path, module+"/")
	isHidden := parts[0] == "examples" || slices.Contains(parts, "internal") || slices.Contains(parts, "cmd")
	return isOurs && !isHidden
}

// goFiles returns the Go files of all modules of the repository.
func goFiles(t *testing.T) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		isHidden := path != root && strings.HasPrefix(entry.Name(), ".")
		if entry.IsDir() && (isHidden || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// exportedBy returns the exported top-level names of a package, without its tests.
func exportedBy(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, folder)
	names := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declaration := range file.Decls {
			for _, ident := range declaredBy(declaration) {
				if ident.IsExported() {
					names[ident.Name] = true
				}
			}
		}
	}
	return names
}

// declaredBy returns what a declaration declares at the top level, which a method is not.
func declaredBy(declaration ast.Decl) (declared []*ast.Ident) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			declared = append(declared, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				declared = append(declared, s.Name)
			case *ast.ValueSpec:
				declared = append(declared, s.Names...)
			}
		}
	}
	return declared
}
