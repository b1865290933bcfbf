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

// checkPresence reports a hashed pointer to a struct, list or map if the package tests it for nil and its struct tag has no presence.
func (l *linter) checkPresence(f *fieldplan.Field, at target) {
	by, tested := l.source.nilTests[at.field]
	if !tested || !f.TakesPresence() || f.HasPresence() {
		return
	}
	l.report(at, &fault.Error{
		Kind: fault.Declaration, Code: "undeclared-presence",
		Field: f.GoField,
		What:  "is a pointer that " + by + " compares with nil, but an empty value is hashed as none is",
		Hint:  "add the option `presence` if they differ, or `//nolint:hotupdatelint` if they do not",
	})
}

// concernsNoMachine reports whether a function copies, converts or validates, so that its nil tests have no effect on machines.
func concernsNoMachine(function *ast.FuncDecl) bool {
	name := strings.ToLower(function.Name.Name)
	prefixes := []string{"deepcopy", "validate", "convert_", "autoconvert_"}
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// readNilTests finds the fields that a function compares with nil.
func (s *source) readNilTests(function *ast.FuncDecl) {
	guards := map[*ast.BinaryExpr]bool{}
	for n := range ast.Preorder(function.Body) {
		if comparison, ok := n.(*ast.BinaryExpr); ok {
			s.findGuards(comparison, guards)
			if field := s.nilTested(comparison); field != nil && !guards[comparison] && s.nilTests[field] == "" {
				s.nilTests[field] = function.Name.Name
			}
		}
	}
}

// findGuards finds comparisons that only protect what stands behind them, as in x.F != nil && x.F.G > 0: there, an empty object is like none.
func (s *source) findGuards(e *ast.BinaryExpr, guards map[*ast.BinaryExpr]bool) {
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

// nilTested returns the field that a comparison tests for nil.
func (s *source) nilTested(e *ast.BinaryExpr) *types.Var {
	if e.Op != token.EQL && e.Op != token.NEQ {
		return nil
	}
	x, y := ast.Unparen(e.X), ast.Unparen(e.Y)
	switch {
	case s.pass.TypesInfo.Types[x].IsNil():
		return s.fieldOf(y)
	case s.pass.TypesInfo.Types[y].IsNil():
		return s.fieldOf(x)
	}
	return nil
}
