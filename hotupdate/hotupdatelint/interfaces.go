package hotupdatelint

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/sourcetype"
)

// checkInterfaces reports tagged values that are put behind an interface of a configuration.
func (l *linter) checkInterfaces() {
	for _, file := range l.Files {
		for n := range ast.Preorder(file) {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if l.isConfig(l.TypesInfo.TypeOf(n)) {
					l.checkLiteral(n)
				}
			case *ast.AssignStmt:
				for i := range n.Lhs {
					if len(n.Lhs) == len(n.Rhs) && l.isConfigMember(n.Lhs[i]) {
						l.checkHeld(n.Rhs[i], l.TypesInfo.TypeOf(n.Lhs[i]))
					}
				}
			}
		}
	}
}

func (l *linter) isConfig(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok && l.configs[l.program.Of(t)]
}

// isConfigMember reports whether e is a field of a configuration, or an element of one.
func (l *linter) isConfigMember(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return l.isConfigMember(e.X)
	case *ast.StarExpr:
		return l.isConfigMember(e.X)
	case *ast.SelectorExpr:
		return l.isConfig(behindPointers(l.TypesInfo.TypeOf(e.X))) || l.isConfigMember(e.X)
	}
	return false
}

func (l *linter) checkLiteral(literal *ast.CompositeLit) {
	typ := behindPointers(l.TypesInfo.TypeOf(literal))
	for i, element := range literal.Elts {
		value := element
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			value = pair.Value
		}
		if to := l.memberType(typ, element, i); to != nil {
			l.checkHeld(value, to)
		}
	}
}

// memberType returns the type that an element of a literal is converted to, nil for a field that is not in JSON.
func (l *linter) memberType(typ types.Type, element ast.Expr, i int) types.Type {
	s, ok := typ.Underlying().(*types.Struct)
	if !ok {
		if composed, ok := typ.Underlying().(interface{ Elem() types.Type }); ok {
			return composed.Elem()
		}
		return nil
	}
	if pair, ok := element.(*ast.KeyValueExpr); ok {
		name, _ := pair.Key.(*ast.Ident)
		i = slices.IndexFunc(slices.Collect(s.Fields()), func(v *types.Var) bool { return name != nil && v.Name() == name.Name })
	}
	if i < 0 || i >= s.NumFields() {
		return nil
	}
	if own, ok := l.program.Of(typ).(*sourcetype.Type); ok && own.Field(i).Tag.Get("json") == "-" {
		return nil // the Object of a RawExtension has the same struct tag, and is written
	}
	return s.Field(i).Type()
}

// checkHeld reports e if it is a tagged value that becomes an interface, and looks into it otherwise.
func (l *linter) checkHeld(e ast.Expr, to types.Type) {
	typ := l.TypesInfo.TypeOf(e)
	if types.IsInterface(to) && !types.IsInterface(typ) {
		if problem := leaf.BelowInterface(l.program.Of(behindPointers(typ))); problem != nil {
			l.report(target{node: e}, problem)
			return
		}
	}
	e = ast.Unparen(e)
	if address, ok := e.(*ast.UnaryExpr); ok {
		e = ast.Unparen(address.X)
	}
	if literal, ok := e.(*ast.CompositeLit); ok {
		l.checkLiteral(literal)
	}
}
