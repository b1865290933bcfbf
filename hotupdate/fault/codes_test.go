package fault_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

var update = flag.Bool("update", false, "write the golden files")

// TestCodes finds the codes of all errors in the sources of this module. A code is a literal: in an Error, in a variable, field or result
// named code, or as the argument of a function whose parameter is named code. The last three take the Kind that the Errors of the same
// package give to codes that are not literals.
//
// Each code has one kind. The golden list changes only on purpose: callers compare codes.
func TestCodes(t *testing.T) {
	t.Parallel()
	lines := map[string]bool{}
	kindOf := map[string]string{}
	for folder, files := range sources(t) {
		p := &codesOfPackage{found: map[string]string{}, indirect: map[string]bool{}, kinds: map[string]bool{}, parameters: map[string]int{}}
		for _, file := range files {
			ast.Inspect(file, p.declaration)
		}
		for _, file := range files {
			ast.Inspect(file, p.use)
		}
		assert.Empty(t, p.wrong, folder)
		for code := range p.indirect {
			kinds := slices.Collect(maps.Keys(p.kinds))
			if assert.Len(t, kinds, 1, "%s: which kind has %s?", folder, code) {
				p.found[code] = kinds[0]
			}
		}
		for code, kind := range p.found {
			if other, ok := kindOf[code]; ok {
				assert.Equal(t, other, kind, "%s: the kind of %s", folder, code)
			}
			kindOf[code] = kind
			lines[kind+"\t"+code+"\t"+folder+"\n"] = true
		}
	}
	got := strings.Join(slices.Sorted(maps.Keys(lines)), "")
	if *update {
		require.NoError(t, os.WriteFile("testdata/codes.txt", []byte(got), 0o600))
	}
	want, err := os.ReadFile("testdata/codes.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "if the change is meant: go test ./hotupdate/fault -update")
}

// sources parses the module's product code by folder.
func sources(t *testing.T) map[string][]*ast.File {
	t.Helper()
	const root = "../.."
	all := map[string][]*ast.File{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if entry.IsDir() && path != root && (name == "testdata" || name == "examples" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		folder, _ := filepath.Rel(root, filepath.Dir(path))
		all[filepath.ToSlash(folder)] = append(all[filepath.ToSlash(folder)], file)
		return err
	}))
	return all
}

// codesOfPackage collects the codes of one package.
type codesOfPackage struct {
	found      map[string]string // kinds by code
	indirect   map[string]bool   // codes that stand outside of an Error
	kinds      map[string]bool   // of Errors whose code is no literal
	parameters map[string]int    // where the code stands among the arguments, by function
	wrong      []string
}

// declaration notes functions with a parameter named code.
func (p *codesOfPackage) declaration(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		p.parameter(n.Name.Name, n.Type)
	case *ast.AssignStmt:
		f, isFunction := n.Rhs[0].(*ast.FuncLit)
		if name, ok := n.Lhs[0].(*ast.Ident); ok && isFunction {
			p.parameter(name.Name, f.Type)
		}
	case *ast.Field:
		if f, ok := n.Type.(*ast.FuncType); ok && len(n.Names) > 0 {
			p.parameter(n.Names[0].Name, f)
		}
	}
	return true
}

func (p *codesOfPackage) parameter(function string, typ *ast.FuncType) {
	if i := position(typ.Params); i >= 0 {
		p.parameters[function] = i
	}
}

// position returns where a list of parameters or results has the name code, -1 if nowhere.
func position(fields *ast.FieldList) int {
	i := 0
	for _, field := range fields.List {
		for _, name := range field.Names {
			if name.Name == "code" {
				return i
			}
			i++
		}
	}
	return -1
}

func (p *codesOfPackage) use(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		p.literal(n)
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if name, ok := left.(*ast.Ident); ok && name.Name == "code" && i < len(n.Rhs) {
				p.outside(n.Rhs[i])
			}
		}
	case *ast.CallExpr:
		p.call(n)
	case *ast.FuncDecl:
		p.results(n)
	}
	return true
}

// literal notes the code of an Error, or of a struct with a field named code.
func (p *codesOfPackage) literal(n *ast.CompositeLit) {
	var kind, code ast.Expr
	for _, element := range n.Elts {
		pair, _ := element.(*ast.KeyValueExpr)
		if pair == nil {
			continue
		}
		switch key, _ := pair.Key.(*ast.Ident); {
		case key == nil:
		case key.Name == "Kind":
			kind = pair.Value
		case key.Name == "Code":
			code = pair.Value
		case key.Name == "code":
			p.outside(pair.Value)
		}
	}
	if !isError(n.Type) || len(n.Elts) == 0 {
		return
	}
	selector, ok := kind.(*ast.SelectorExpr)
	if !ok || code == nil {
		p.wrong = append(p.wrong, "an Error without a Kind or a Code")
		return
	}
	if text, ok := text(code); ok {
		p.found[text] = kindName(selector)
	} else {
		p.kinds[kindName(selector)] = true
	}
}

func isError(typ ast.Expr) bool {
	selector, ok := typ.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	name, ok := selector.X.(*ast.Ident)
	return ok && name.Name == "fault" && selector.Sel.Name == "Error"
}

func kindName(selector *ast.SelectorExpr) string {
	names := []string{
		"Misuse", "Declaration", "Schema", "Malformed", "WrongType", "Missing", "Duplicate", "Limit", "Unknown", "Unsupported", "Conflict", "Failed",
	}
	return fault.Kind(slices.Index(names, selector.Sel.Name)).String() //nolint:gosec // a small index; an unknown name shows as Kind(255)
}

func (p *codesOfPackage) call(n *ast.CallExpr) {
	name := ""
	switch f := n.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if i, ok := p.parameters[name]; ok && i < len(n.Args) {
		p.outside(n.Args[i])
	}
}

// results notes what a function returns as its result named code.
func (p *codesOfPackage) results(n *ast.FuncDecl) {
	if n.Type.Results == nil || n.Body == nil {
		return
	}
	i := position(n.Type.Results)
	if i < 0 {
		return
	}
	ast.Inspect(n.Body, func(n ast.Node) bool {
		if statement, ok := n.(*ast.ReturnStmt); ok && i < len(statement.Results) {
			p.outside(statement.Results[i])
		}
		return true
	})
}

func (p *codesOfPackage) outside(n ast.Expr) {
	if text, ok := text(n); ok {
		p.indirect[text] = true
	}
}

func text(n ast.Expr) (string, bool) {
	literal, ok := n.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}
