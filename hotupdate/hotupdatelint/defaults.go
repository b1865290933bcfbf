package hotupdatelint

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// checkPointers reports hashed pointers whose struct tag lacks a default, or the presence that
// distinguishes nil from an empty value.
func (l *linter) checkPointers(all []compiled) {
	for _, c := range all {
		if c.plan != nil && !l.isCovered(c, all) {
			l.checkNode(c.plan.Root, c.targets, map[*fieldplan.Node]bool{})
		}
	}
}

// isCovered reports whether a part is also compiled below another type, where its classes are
// known.
func (l *linter) isCovered(part compiled, all []compiled) bool {
	return !part.root.isConfig && slices.ContainsFunc(all, func(whole compiled) bool {
		isBelow := whole.targets.seen[l.program.Of(part.root.typ)]
		return isBelow && (whole.root.isConfig || !part.targets.seen[l.program.Of(whole.root.typ)])
	})
}

func (l *linter) checkNode(n *fieldplan.Node, p *targets, seen map[*fieldplan.Node]bool) {
	if n == nil || seen[n] {
		return
	}
	seen[n] = true
	for _, f := range n.Fields {
		if at := p.found[f.GoField]; at.field != nil && f.Pointer && fieldplan.IsProjected(f.Node.Class) {
			l.checkDefault(f, at)
			l.checkPresence(f, at)
		}
		l.checkNode(f.Node, p, seen)
	}
	l.checkNode(n.Elem, p, seen)
	if n.Keys != nil {
		for _, rule := range n.Keys.All {
			l.checkNode(rule.Node, p, seen)
		}
	}
	if n.When != nil {
		l.checkNode(n.When.Hot, p, seen)
	}
}

func (l *linter) checkDefault(f *fieldplan.Field, at target) {
	by, value := marker(l.fields[at.field])
	isScalar := f.Node.Kind == fieldplan.Leaf
	if isScalar {
		by = cmp.Or(by, l.defaults[at.field])
	}
	// An empty object means nothing, and what a function fills in is not known.
	fillsIn := by != "" && (isScalar || !slices.Contains([]string{"{}", "[]"}, value))
	if !fillsIn || !f.TakesDefault() || f.Default != nil {
		return
	}
	l.report(at, &fault.Error{
		Kind: fault.Declaration, Code: "undeclared-default", Field: f.GoField,
		What: "is a pointer that " + by +
			" fills in, so a value that was left out is hashed differently once it is filled in",
		Hint: "declare the value that is filled in by the option `default=`",
	})
}

// marker returns the marker for a default in a field's comment, such as +default=false or
// +kubebuilder:default:="gp3", and the default.
func marker(field *ast.Field) (by, value string) {
	for line := range strings.Lines(field.Doc.Text()) {
		name, value, found := strings.Cut(strings.TrimSpace(line), "=")
		if name = strings.TrimSuffix(name, ":"); found && (name == "+default" || name == "+kubebuilder:default") {
			return "the marker `" + name + "`", strings.ReplaceAll(value, " ", "")
		}
	}
	return "", ""
}

// readDefaults finds the fields that a defaulting function fills in: in SetDefaults_Volume, if
// v.Encrypted == nil { v.Encrypted = ptr.To(false) }. The field may be one of several conditions, and
// may be filled in deeper in the branch.
func (l *linter) readDefaults(function *ast.FuncDecl) {
	for n := range ast.Preorder(function.Body) {
		switch statement := n.(type) {
		case *ast.IfStmt:
			l.readBranch(function, []ast.Expr{statement.Cond}, statement.Body.List)
		case *ast.CaseClause:
			l.readBranch(function, statement.List, statement.Body)
		case *ast.AssignStmt:
			l.readFallback(function, statement)
		}
	}
}

// readBranch finds the fields that are nil if a condition holds, and that the branch fills in.
func (l *linter) readBranch(function *ast.FuncDecl, conditions []ast.Expr, body []ast.Stmt) {
	unset := map[*types.Var]bool{}
	for _, condition := range conditions {
		for _, field := range l.nilIf(condition) {
			unset[field] = true
		}
	}
	if len(unset) == 0 {
		return
	}
	for _, statement := range body {
		for n := range ast.Preorder(statement) {
			if assignment, ok := n.(*ast.AssignStmt); ok {
				for _, left := range assignment.Lhs {
					if field := l.fieldOf(left); unset[field] {
						l.defaults[field] = function.Name.Name
					}
				}
			}
		}
	}
}

// nilIf returns the fields that are nil, or may be nil, where a condition holds.
func (l *linter) nilIf(condition ast.Expr) []*types.Var {
	comparison, ok := ast.Unparen(condition).(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	switch comparison.Op {
	case token.LAND, token.LOR:
		return append(l.nilIf(comparison.X), l.nilIf(comparison.Y)...)
	case token.EQL:
		if field := l.nilTested(comparison); field != nil {
			return []*types.Var{field}
		}
	}
	return nil
}

// readFallback finds a field that cmp.Or fills in: c.Kind = cmp.Or(c.Kind, &gp3).
func (l *linter) readFallback(function *ast.FuncDecl, assignment *ast.AssignStmt) {
	if len(assignment.Lhs) != 1 || len(assignment.Rhs) != 1 {
		return
	}
	call, ok := ast.Unparen(assignment.Rhs[0]).(*ast.CallExpr)
	if !ok || len(call.Args) < 2 || !l.isOr(call) {
		return
	}
	if field := l.fieldOf(assignment.Lhs[0]); field != nil && l.fieldOf(call.Args[0]) == field {
		l.defaults[field] = function.Name.Name
	}
}

// isOr reports whether a call is one of cmp.Or.
func (l *linter) isOr(call *ast.CallExpr) bool {
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	function, ok := l.TypesInfo.Uses[selector.Sel].(*types.Func)
	return ok && function.FullName() == "cmp.Or"
}

func isDefaulting(function *ast.FuncDecl) bool {
	name := strings.ToLower(function.Name.Name)
	return strings.HasPrefix(name, "default") || strings.HasPrefix(name, "setdefault") ||
		strings.HasPrefix(name, "setobjectdefault")
}

func (l *linter) fieldOf(e ast.Expr) *types.Var {
	selector, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	v, ok := l.TypesInfo.Uses[selector.Sel].(*types.Var)
	if !ok || !v.IsField() {
		return nil
	}
	return v.Origin()
}
