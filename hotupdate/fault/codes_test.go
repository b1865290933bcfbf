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
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

var update = flag.Bool("update", false, "write the golden files")

// TestCodes finds the codes of all errors in the sources of this module. A code is a literal: in an Error, assigned to
// a field named Code, in a variable, constant, field or result named code, or as the argument of a function whose
// parameter is named code. Outside of an Error it takes the Kind that the Errors of the same package give to codes that
// are not literals.
//
// Each code has one kind. The golden list changes only on purpose: callers compare codes.
func TestCodes(t *testing.T) {
	t.Parallel()
	lines := map[string]bool{}
	kindOf := map[string]string{}
	for folder, files := range sources(t) {
		p := codesOf(files)
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
		isHidden := strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
		isLeftOut := isHidden || name == "testdata" || name == "examples"
		if entry.IsDir() && path != root && isLeftOut {
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

func codesOf(files []*ast.File) *codesOfPackage {
	p := &codesOfPackage{found: map[string]string{}, indirect: map[string]bool{}, kinds: map[string]bool{}, parameters: map[string]int{}}
	for _, file := range files {
		ast.Inspect(file, p.declaration)
	}
	for _, file := range files {
		ast.Inspect(file, p.use)
	}
	return p
}

// TestCodesAreSeen: every way to give an Error its code is seen, or is refused.
func TestCodesAreSeen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, statement, found, indirect string }{
		{"literal", `_ = fault.Error{Kind: fault.InvalidSchema, Code: "x"}`, "x", ""},
		{"behind a pointer", `_ = &fault.Error{Kind: fault.InvalidSchema, Code: "x"}`, "x", ""},
		{"list without the type", `_ = []fault.Error{{Kind: fault.InvalidSchema, Code: "x"}}`, "x", ""},
		{"list of pointers without the type", `_ = []*fault.Error{{Kind: fault.InvalidSchema, Code: "x"}}`, "x", ""},
		{"list with indices", `_ = [...]*fault.Error{3: {Kind: fault.InvalidSchema, Code: "x"}}`, "x", ""},
		{"named list without the type", `_ = fault.List{{Kind: fault.InvalidSchema, Code: "x"}}`, "x", ""},
		{"map without the type", `_ = map[string]fault.Error{"a": {Kind: fault.InvalidSchema, Code: "x"}}`, "x", ""},
		{"lists in a map", `_ = map[string][]fault.Error{"a": {{Kind: fault.InvalidSchema, Code: "x"}}}`, "x", ""},
		{"field that is assigned", `var e fault.Error; e.Code = "x"`, "", "x"},
		{"field of an element that is assigned", `all[0].Code = "x"`, "", "x"},
		{"variable that is assigned", `code = "x"`, "", "x"},
		{"variable that is declared", `var code = "x"`, "", "x"},
		{"constant", `const code = "x"`, "", "x"},
		{"constant of package fault", `_ = fault.Error{Kind: fault.InvalidSchema, Code: fault.TooDeep}`, "too-deep", ""},
		{"argument", `report("path", "x")`, "", "x"},
		{"field of a row", `_ = row{code: "x"}`, "", "x"},
	} {
		p := codesOf([]*ast.File{parse(t, tc.statement)})
		assert.Empty(t, p.wrong, tc.name)
		assert.Equal(t, tc.found, strings.Join(slices.Collect(maps.Keys(p.found)), " "), tc.name)
		assert.Equal(t, tc.indirect, strings.Join(slices.Collect(maps.Keys(p.indirect)), " "), tc.name)
	}
	for _, refused := range []string{
		`_ = fault.Error{Kind: fault.InvalidSchema}`, `_ = fault.Error{Code: "x"}`, `_ = fault.Error{fault.InvalidSchema, "x"}`,
		`_ = []fault.Error{{Code: "x"}}`,
	} {
		assert.NotEmpty(t, codesOf([]*ast.File{parse(t, refused)}).wrong, refused)
	}
}

// parse returns a file with one statement.
func parse(t *testing.T, statement string) *ast.File {
	t.Helper()
	source := "package p\nfunc report(path, code string) {}\nfunc f() {\n" + statement + "\n}\n"
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	require.NoError(t, err)
	return file
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
			if isCode(left) && i < len(n.Rhs) {
				p.outside(n.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if isCode(name) && i < len(n.Values) {
				p.outside(n.Values[i])
			}
		}
	case *ast.CallExpr:
		p.call(n)
	case *ast.FuncDecl:
		p.results(n)
	}
	return true
}

// isCode reports whether a variable or field is named for a code.
func isCode(n ast.Expr) bool {
	switch n := n.(type) {
	case *ast.Ident:
		return n.Name == "code"
	case *ast.SelectorExpr:
		return n.Sel.Name == "Code" || n.Sel.Name == "code"
	}
	return false
}

// literal notes the code of an Error, or of a struct with a field named code. Literals in a collection may leave out
// their type: they get it from the collection before they are met themselves.
func (p *codesOfPackage) literal(n *ast.CompositeLit) {
	for _, element := range n.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			element = pair.Value
		}
		if inner, ok := element.(*ast.CompositeLit); ok && inner.Type == nil {
			inner.Type = elementOf(n.Type)
		}
	}
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
	if !isOfFault(n.Type, "Error") || len(n.Elts) == 0 {
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

// elementOf returns the type of a collection's elements, without the star of a pointer, which their literals leave out as well.
func elementOf(collection ast.Expr) (elem ast.Expr) {
	switch c := collection.(type) {
	case *ast.ArrayType:
		elem = c.Elt
	case *ast.MapType:
		elem = c.Value
	case *ast.SelectorExpr:
		if isOfFault(c, "List") {
			return &ast.SelectorExpr{X: c.X, Sel: ast.NewIdent("Error")}
		}
	}
	if pointer, ok := elem.(*ast.StarExpr); ok {
		return pointer.X
	}
	return elem
}

// isOfFault reports whether a type is the one of package fault that has the name.
func isOfFault(typ ast.Expr, name string) bool {
	selector, ok := typ.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	folder, ok := selector.X.(*ast.Ident)
	return ok && folder.Name == "fault" && selector.Sel.Name == name
}

func kindName(selector *ast.SelectorExpr) string {
	if selector.Sel.Name == "InvalidSchema" {
		return string(fault.InvalidSchema)
	}
	return strings.ToLower(selector.Sel.Name)
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

// constants returns the codes of codes.go by the names of their constants.
var constants = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		return all // TestConstants fails
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			all[spec.Names[0].Name], _ = strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		}
		return true
	})
	return all
})

// TestConstants: each constant is a code that is used, and no product code spells it as a literal.
func TestConstants(t *testing.T) {
	t.Parallel()
	require.NotEmpty(t, constants())
	golden, err := os.ReadFile("testdata/codes.txt")
	require.NoError(t, err)
	names := map[string]string{}
	for name, code := range constants() {
		assert.Contains(t, string(golden), "\t"+code+"\t", name)
		names[strconv.Quote(code)] = name
	}
	for folder, files := range sources(t) {
		if folder == "hotupdate/fault" {
			continue
		}
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok {
					assert.Empty(t, names[literal.Value], "%s: write fault.%s", folder, names[literal.Value])
				}
				return true
			})
		}
	}
}

func (p *codesOfPackage) outside(n ast.Expr) {
	if text, ok := text(n); ok {
		p.indirect[text] = true
	}
}

// text returns the text of a literal, or of a constant of package fault.
func text(n ast.Expr) (string, bool) {
	if selector, ok := n.(*ast.SelectorExpr); ok {
		folder, isIdent := selector.X.(*ast.Ident)
		code, isConstant := constants()[selector.Sel.Name]
		return code, isIdent && folder.Name == "fault" && isConstant
	}
	literal, ok := n.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}
