package repository_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGoDocListsConstants: go doc lists a constant under its type only if the declaration names the type, which a conversion does not do.
func TestGoDocListsConstants(t *testing.T) {
	checked := 0
	for _, p := range packages(t) {
		if layer(p.path()) == "internal" || isTop(layer(p.path())) {
			continue
		}
		for _, constants := range documentationOf(t, p).Consts {
			checked++
			for _, spec := range constants.Decl.Specs {
				for _, value := range spec.(*ast.ValueSpec).Values {
					if _, conversion := value.(*ast.CallExpr); conversion {
						t.Errorf("%s: go doc lists %s under no type", p.path(), strings.Join(constants.Names, ", "))
					}
				}
			}
		}
	}
	require.Positive(t, checked)
}

func documentationOf(t *testing.T, p pkg) *doc.Package {
	t.Helper()
	set := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
	require.NoError(t, err)
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, file)
	}
	documentation, err := doc.NewFromFiles(set, files, p.ImportPath)
	require.NoError(t, err)
	return documentation
}
