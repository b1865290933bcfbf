package hotupdatelint

import (
	"go/ast"
	"go/types"

	"github.com/hotupdate/providerconfig/internal/leaf"
)

// checkInterfaces reports tagged values that are put into a field of a configuration whose type is an interface.
func (l *linter) checkInterfaces() {
	for _, file := range l.Files {
		for n := range ast.Preorder(file) {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				l.checkHeld(n.Key, n.Value)
			case *ast.AssignStmt:
				for i := range n.Lhs {
					if len(n.Lhs) == len(n.Rhs) {
						l.checkHeld(n.Lhs[i], n.Rhs[i])
					}
				}
			}
		}
	}
}

// checkHeld reports a value if it is a tagged one and goes into such a field.
func (l *linter) checkHeld(to, value ast.Expr) {
	name := lastName(to)
	if name == nil {
		return
	}
	v, ok := l.TypesInfo.Uses[name].(*types.Var)
	typ := l.TypesInfo.TypeOf(value)
	if !ok || !l.inConfig[v.Origin()] || !types.IsInterface(v.Type()) || types.IsInterface(typ) {
		return
	}
	if problem := leaf.BelowInterface(l.program.Of(behindPointers(typ))); problem != nil {
		l.report(target{node: value}, problem)
	}
}
