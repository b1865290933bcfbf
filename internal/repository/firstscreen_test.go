package repository_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoInternalNamesInDocumentation: the first screen of go doc, the exported declarations, names no internal package.
// A reader cannot look it up: there stood `type Schema schemabridge.Schema` and `Class(structtag.Immutable)`.
func TestNoInternalNamesInDocumentation(t *testing.T) {
	checked := 0
	for _, file := range goFiles(t) {
		folder, err := filepath.Rel(root, filepath.Dir(file))
		require.NoError(t, err)
		if strings.HasSuffix(file, "_test.go") || !isPublic(module+"/"+filepath.ToSlash(folder)) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		hidden := internalImports(t, parsed)
		for _, shown := range declaredIn(parsed) {
			checked++
			assert.Empty(t, namesOf(shown, hidden), file)
		}
	}
	assert.Greater(t, checked, 150)
}

// internalImports are the names under which a file imports internal packages.
func internalImports(t *testing.T, file *ast.File) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if strings.Contains(path, "/internal/") {
			names[name] = true
		}
	}
	return names
}

// declaredIn are the parts of the exported declarations of a file that go doc shows without being asked for one.
func declaredIn(file *ast.File) (shown []ast.Node) {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Recv == nil {
				shown = append(shown, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				shown = append(shown, shownOf(spec)...)
			}
		}
	}
	return shown
}

// shownOf is declaredIn for a type, or for constants and variables. The members of structs and interfaces are left out.
func shownOf(spec ast.Spec) (shown []ast.Node) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		_, isStruct := s.Type.(*ast.StructType)
		_, isInterface := s.Type.(*ast.InterfaceType)
		if s.Name.IsExported() && !isStruct && !isInterface {
			shown = append(shown, s.Type)
		}
	case *ast.ValueSpec:
		if !s.Names[0].IsExported() {
			return nil
		}
		for _, value := range s.Values {
			shown = append(shown, value)
		}
		if s.Type != nil {
			shown = append(shown, s.Type)
		}
	}
	return shown
}

// namesOf are the names in a part of a declaration that belong to packages of a set.
func namesOf(part ast.Node, packages map[string]bool) (found []string) {
	ast.Inspect(part, func(n ast.Node) bool {
		selector, isSelector := n.(*ast.SelectorExpr)
		if !isSelector {
			return true
		}
		if from, isName := selector.X.(*ast.Ident); isName && packages[from.Name] {
			found = append(found, from.Name+"."+selector.Sel.Name)
		}
		return true
	})
	return found
}
