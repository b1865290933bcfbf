package hotupdatelint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// checkPresence reports a hashed pointer to a struct, list or map if the package tests it for nil
// and its struct tag has no presence.
func (l *linter) checkPresence(f *fieldplan.Field, at target) {
	by, tested := l.nilTests[at.field]
	if !tested || !f.TakesPresence() || f.HasPresence() {
		return
	}
	l.report(at, &fault.Error{
		Kind: fault.Declaration, Code: "undeclared-presence", Field: f.GoField,
		What: "is a pointer that " + by + " compares with nil, but an empty value is hashed like an absent one",
		Hint: "add the option `presence` if they differ, or `//nolint:hotupdatelint` if they do not",
	})
}

// concernsNoMachine reports whether a function copies, converts or validates, so that its nil tests
// have no effect on machines.
func concernsNoMachine(function *ast.FuncDecl) bool {
	name := strings.ToLower(function.Name.Name)
	prefixes := []string{"deepcopy", "validate", "convert_", "autoconvert_"}
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// readNilTests finds the fields that a function compares with nil.
func (l *linter) readNilTests(function *ast.FuncDecl) {
	guards := map[*ast.BinaryExpr]bool{}
	for n := range ast.Preorder(function.Body) {
		if comparison, ok := n.(*ast.BinaryExpr); ok {
			l.findGuards(comparison, guards)
			if field := l.nilTested(comparison); field != nil && !guards[comparison] && l.nilTests[field] == "" {
				l.nilTests[field] = function.Name.Name
			}
		}
	}
}

// findGuards finds comparisons that only guard the expression behind them, as in x.F != nil &&
// x.F.G > 0: there, an empty object is treated like nil.
func (l *linter) findGuards(e *ast.BinaryExpr, guards map[*ast.BinaryExpr]bool) {
	guarding := map[token.Token]token.Token{token.LAND: token.NEQ, token.LOR: token.EQL}[e.Op]
	left := ast.Unparen(e.X)
	if inner, ok := left.(*ast.BinaryExpr); ok && inner.Op == e.Op {
		left = ast.Unparen(inner.Y)
	}
	comparison, ok := left.(*ast.BinaryExpr)
	if !ok || comparison.Op != guarding {
		return
	}
	guards[comparison] = strings.Contains(types.ExprString(e.Y), types.ExprString(ast.Unparen(comparison.X))+".")
}

// nilTested returns the field that a comparison compares with nil.
func (l *linter) nilTested(e *ast.BinaryExpr) *types.Var {
	if e.Op != token.EQL && e.Op != token.NEQ {
		return nil
	}
	x := ast.Unparen(e.X)
	y := ast.Unparen(e.Y)
	switch {
	case l.TypesInfo.Types[x].IsNil():
		return l.fieldOf(y)
	case l.TypesInfo.Types[y].IsNil():
		return l.fieldOf(x)
	}
	return nil
}
