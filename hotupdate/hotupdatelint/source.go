package hotupdatelint

import (
	"go/ast"
	"go/types"
	"reflect"
	"strconv"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

// readSource collects facts from the syntax of the package that its types do not contain.
func (l *linter) readSource() {
	for _, file := range l.Files {
		for _, declaration := range file.Decls {
			l.declaration(declaration)
			function, ok := declaration.(*ast.FuncDecl)
			switch {
			case !ok || function.Body == nil:
			case isDefaulting(function):
				l.readDefaults(function)
			case !ast.IsGenerated(file) && !l.isTest(file) && !concernsNoMachine(function):
				l.readNilTests(function)
			}
		}
	}
}

func (l *linter) declaration(declaration ast.Decl) {
	declared := map[ast.Expr]*ast.TypeSpec{}
	for n := range ast.Preorder(declaration) {
		switch n := n.(type) {
		case *ast.TypeSpec:
			declared[n.Type] = n
		case *ast.CallExpr:
			l.calls = append(l.calls, n)
		case *ast.StructType:
			l.structType(n, declared[n])
		}
	}
}

func (l *linter) structType(syntax *ast.StructType, declared *ast.TypeSpec) {
	fields := l.TypesInfo.TypeOf(syntax).(*types.Struct)
	i := 0
	tagged := false
	for _, field := range syntax.Fields.List {
		for range max(1, len(field.Names)) { // an embedded field has no names
			l.fields[fields.Field(i)] = field
			i++
		}
		_, present, _ := structtag.Parse(tagOf(field))
		tagged = tagged || present
	}
	typ := types.Type(fields)
	if declared != nil {
		typ = l.TypesInfo.Defs[declared.Name].Type()
	}
	if tagged && !isGeneric(typ) {
		l.parts = append(l.parts, root{typ: typ, at: syntax})
	}
}

// lastName returns the identifier that an expression refers to: Name of p.Name[T].
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
