package hotupdatelint

import (
	"go/ast"
	"go/types"
	"reflect"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

// source is what the syntax of a package says beyond its types.
type source struct {
	pass     *analysis.Pass
	fields   map[*types.Var]*ast.Field // of every struct type
	calls    []*ast.CallExpr           // in the order of the files
	parts    []root                    // structs with a hotupdatable struct tag, or with something that looks like one
	defaults map[*types.Var]string     // the defaulting function that fills in the field
	nilTests map[*types.Var]string     // the function that compares the field with nil
}

func readSource(pass *analysis.Pass) *source {
	s := &source{
		pass: pass, fields: map[*types.Var]*ast.Field{}, defaults: map[*types.Var]string{}, nilTests: map[*types.Var]string{},
	}
	for _, file := range pass.Files {
		for _, declaration := range file.Decls {
			s.declaration(declaration)
			function, ok := declaration.(*ast.FuncDecl)
			switch {
			case !ok || function.Body == nil:
			case isDefaulting(function):
				s.readDefaults(function)
			case !ast.IsGenerated(file) && !isTest(pass, file) && !concernsNoMachine(function):
				s.readNilTests(function)
			}
		}
	}
	return s
}

func (s *source) declaration(declaration ast.Decl) {
	declared := map[ast.Expr]*ast.TypeSpec{}
	for n := range ast.Preorder(declaration) {
		switch n := n.(type) {
		case *ast.TypeSpec:
			declared[n.Type] = n
		case *ast.CallExpr:
			s.calls = append(s.calls, n)
		case *ast.StructType:
			s.structType(n, declared[n])
		}
	}
}

func (s *source) structType(syntax *ast.StructType, declared *ast.TypeSpec) {
	fields, i, tagged := s.pass.TypesInfo.TypeOf(syntax).(*types.Struct), 0, false
	for _, field := range syntax.Fields.List {
		for range max(1, len(field.Names)) { // an embedded field has none
			s.fields[fields.Field(i)] = field
			i++
		}
		_, present, _ := structtag.Parse(tagOf(field))
		tagged = tagged || present
	}
	typ := types.Type(fields)
	if declared != nil {
		typ = s.pass.TypesInfo.Defs[declared.Name].Type()
	}
	if tagged && !isGeneric(typ) {
		s.parts = append(s.parts, root{typ: typ, at: syntax})
	}
}

// lastName returns the identifier that says what an expression refers to: Name of p.Name[T].
func lastName(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return lastName(e.X)
	case *ast.IndexListExpr:
		return lastName(e.X)
	}
	return nil
}

func tagOf(field *ast.Field) reflect.StructTag {
	if field.Tag == nil {
		return ""
	}
	text, _ := strconv.Unquote(field.Tag.Value)
	return reflect.StructTag(text)
}
