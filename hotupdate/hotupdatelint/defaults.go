package hotupdatelint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// filling says what an unset pointer is filled in with.
type filling struct {
	by   string  // the function or the marker
	text *string // the default as the option has it; nil if it is not known
}

// checkPointers reports hashed pointers whose default, or whose difference from an empty value, the struct tag does not declare.
func (l *linter) checkPointers(all []compiled) {
	for i, c := range all {
		if c.plan != nil && !l.isCovered(all, i) {
			l.checkNode(c.plan.Root, c.targets, map[*fieldplan.Node]bool{})
		}
	}
}

// isCovered reports whether a part is compiled below another type as well, where its classes are known.
func (l *linter) isCovered(all []compiled, i int) bool {
	part := all[i]
	if part.root.isConfig {
		return false
	}
	for j, whole := range all {
		isBelow := j != i && whole.targets.seen[l.program.Of(part.root.typ)]
		if isBelow && (whole.root.isConfig || j < i || !part.targets.seen[l.program.Of(whole.root.typ)]) {
			return true
		}
	}
	return false
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
	if n.When != nil {
		l.checkNode(n.When.Hot, p, seen)
	}
}

func (l *linter) checkDefault(f *fieldplan.Field, at target) {
	field := l.source.fields[at.field]
	filled, ok := l.source.defaults[at.field]
	if marked, isMarked := marker(field); isMarked {
		filled, ok = marked, true
	}
	if !ok || !f.TakesDefault() || f.Default != nil {
		return
	}
	what, hint := "another value", "declare it with the option `default=`"
	if filled.text != nil {
		if _, fits := leaf.ParseText(f.Node.Leaf, f.Node.Type, *filled.text); fits {
			what, hint = "`"+*filled.text+"`", "write `"+withOption(field, f.Node.Class, "default="+structtag.Quote(*filled.text))+"`"
		}
	}
	l.report(at, &fault.Error{
		Kind: fault.Declaration, Code: "undeclared-default",
		Field: f.GoField,
		What:  "is a pointer that " + filled.by + " fills in with " + what + ", so a value that was left out is hashed differently once it is filled in",
		Hint:  hint,
	})
}

func withOption(field *ast.Field, class structtag.Class, option string) string {
	value, ok := tagOf(field).Lookup("hotupdatable")
	if !ok {
		value = class.Word()
	}
	return "hotupdatable:" + strconv.Quote(value+","+option)
}

// marker reads the default in a field's comment: +default=false, +kubebuilder:default:="gp3".
func marker(field *ast.Field) (filling, bool) {
	if field.Doc == nil {
		return filling{}, false
	}
	for _, comment := range field.Doc.List {
		text := strings.TrimSpace(strings.TrimPrefix(comment.Text, "//"))
		for _, name := range []string{"+default=", "+kubebuilder:default:=", "+kubebuilder:default="} {
			if value, ok := strings.CutPrefix(text, name); ok {
				return filling{by: "the marker `" + strings.TrimRight(name, ":=") + "`", text: markerText(strings.TrimSpace(value))}, true
			}
		}
	}
	return filling{}, false
}

// markerText reads JSON, or text without quotes. Objects, lists and references to constants are not known.
func markerText(text string) *string {
	if quoted, err := strconv.Unquote(text); err == nil {
		return &quoted
	}
	if text == "" || strings.ContainsAny(text, "{}[]()\"`") {
		return nil
	}
	return &text
}

// readDefaults finds out what a defaulting function fills in: in SetDefaults_Volume, if v.Encrypted == nil { v.Encrypted = ptr.To(false) }.
func (s *source) readDefaults(function *ast.FuncDecl) {
	if function.Body == nil || !isDefaulting(function) {
		return
	}
	for n := range ast.Preorder(function.Body) {
		branch, ok := n.(*ast.IfStmt)
		if !ok {
			continue
		}
		var unset *types.Var
		if comparison, ok := ast.Unparen(branch.Cond).(*ast.BinaryExpr); ok && comparison.Op == token.EQL {
			unset = s.nilTested(comparison)
		}
		for _, statement := range branch.Body.List {
			assignment, ok := statement.(*ast.AssignStmt)
			if ok && unset != nil && len(assignment.Lhs) == 1 && len(assignment.Rhs) == 1 && s.fieldOf(assignment.Lhs[0]) == unset {
				s.defaults[unset] = filling{by: function.Name.Name, text: s.pointedAt(assignment.Rhs[0])}
			}
		}
	}
}

func isDefaulting(function *ast.FuncDecl) bool {
	name := strings.ToLower(function.Name.Name)
	return strings.HasPrefix(name, "default") || strings.HasPrefix(name, "setdefault") || strings.HasPrefix(name, "setobjectdefault")
}

func (s *source) fieldOf(e ast.Expr) *types.Var {
	selector, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	v, ok := s.pass.TypesInfo.Uses[selector.Sel].(*types.Var)
	if !ok || !v.IsField() {
		return nil
	}
	return v.Origin()
}

// pointedAt returns the constant that a call such as ptr.To(false) or new(false) points at; nil if it is not known.
func (s *source) pointedAt(e ast.Expr) *string {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil
	}
	switch value := s.pass.TypesInfo.Types[call.Args[0]].Value; {
	case value == nil:
		return nil
	case value.Kind() == constant.String:
		return new(constant.StringVal(value))
	default:
		return new(value.ExactString())
	}
}
