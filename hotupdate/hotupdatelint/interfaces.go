package hotupdatelint

import (
	"go/ast"
	"go/types"

	"github.com/hotupdate/providerconfig/internal/leaf"
)

// checkInterfaces reports tagged values that are assigned to an interface field of a configuration.
func (l *linter) checkInterfaces() {
	for _, file := range l.Files {
		for n := range ast.Preorder(file) {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				l.checkSet(n.Key, n.Value)
			case *ast.AssignStmt:
				for i := range n.Lhs {
					if len(n.Lhs) == len(n.Rhs) {
						l.checkSet(n.Lhs[i], n.Rhs[i])
					}
				}
			}
		}
	}
}

// checkSet reports tagged values that are assigned to a field of a configuration.
func (l *linter) checkSet(field, value ast.Expr) {
	if name := lastName(field); name != nil {
		if v, ok := l.TypesInfo.Uses[name].(*types.Var); ok && l.inConfig[v.Origin()] && types.IsInterface(v.Type()) {
			l.checkHeld(value)
		}
	}
}

// checkHeld reports a tagged value behind an interface, and looks into any other value.
func (l *linter) checkHeld(value ast.Expr) {
	value = ast.Unparen(value)
	if address, ok := value.(*ast.UnaryExpr); ok {
		value = address.X
	}
	if problem := leaf.BelowInterface(l.program.Of(behindPointers(l.TypesInfo.TypeOf(value)))); problem != nil {
		l.report(target{node: value}, problem)
		return
	}
	if literal, ok := value.(*ast.CompositeLit); ok {
		for _, element := range literal.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				element = pair.Value
			}
			l.checkHeld(element)
		}
	}
}
