package repository_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	oneForEach  = "write one assignment for each name"
	namesForAll = "give the parts of the condition names"
)

// TestStatementsAreNotSqueezed: in product code and in tests, a statement sets one name and a condition has at most two operators.
//
// An assignment sets several names only if it must: the value is one call, or a later part needs an earlier name as it
// was, as in a swap. The clause before a condition or a loop may also set several names, because they live only there.
func TestStatementsAreNotSqueezed(t *testing.T) {
	files := goFiles(t)
	require.Greater(t, len(files), 500)
	set := token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, s := range squeezedIn(file) {
			t.Errorf("%s: %s", set.Position(s.at), s.hint)
		}
	}
}

// TestSqueezedIn: what the rule takes and what it finds.
func TestSqueezedIn(t *testing.T) {
	for statement, want := range map[string][]string{
		"a, b := 1, 2":                                     {oneForEach},
		"all, p.n = append(all, x), p.n+1":                 {oneForEach},
		"_, _ = a, b":                                      {oneForEach},
		"const a, b = 1, 2":                                {oneForEach},
		"var a, b = f(), g()":                              {oneForEach},
		"switch { case c: a, b = 1, 2 }":                   {oneForEach},
		"select { case <-c: a, b = 1, 2 }":                 {oneForEach},
		"go func() { a, b = 1, 2 }()":                      {oneForEach},
		"next, list = list[0], list[1:]":                   {oneForEach},
		"passed, n.passed = n.passed, nil":                 {oneForEach},
		"a, b = b, a":                                      nil,
		"l[i], l[j] = l[j], l[i]":                          nil,
		"(*l)[i], (*l)[j] = (*l)[j], (*l)[i]":              nil,
		"before, now = now, before+now":                    nil,
		"path, parent = after(path), path":                 nil,
		"i, l[i] = 1, 2":                                   nil,
		"n, n.next = n.next, nil":                          nil,
		"a, b := f()":                                      nil,
		"v, ok := m[k]":                                    nil,
		"var a, b int":                                     nil,
		"var a, b = f()":                                   nil,
		"if got, want := f(), g(); got != want {}":         nil,
		"for i, j := 0, n; i < j; i, j = i+1, j-1 { f() }": nil,

		"c = w && x && y && z":                             {namesForAll},
		"return w && (x || y) && !z":                       {namesForAll},
		"if w && f(x || y) && z {}":                        {namesForAll},
		"switch { case w && x || y && z: }":                {namesForAll},
		"f(w && x || y && z, w || x || y || z)":            {namesForAll, namesForAll},
		"c = w && x && y":                                  nil,
		"c = w && x == (y || z)":                           nil,
		"c = w && x && has(func() bool { return y && z })": nil,
		"c = a&b|c&d != 0":                                 nil,
		"f(w && x, y && z)":                                nil,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+statement+"\n}", parser.SkipObjectResolution)
		require.NoError(t, err, statement)
		var hints []string
		for _, s := range squeezedIn(file) {
			hints = append(hints, s.hint)
		}
		assert.Equal(t, want, hints, statement)
	}
}

// squeeze is a place where several steps stand as one, and how to mend it.
type squeeze struct {
	at   token.Pos
	hint string
}

func squeezedIn(file *ast.File) (squeezes []squeeze) {
	seen := map[ast.Node]bool{} // operators of a condition that is counted as a whole
	for node := range ast.Preorder(file) {
		switch n := node.(type) {
		case *ast.BlockStmt:
			squeezes = append(squeezes, assignmentsIn(n.List)...)
		case *ast.CaseClause:
			squeezes = append(squeezes, assignmentsIn(n.Body)...)
		case *ast.CommClause:
			squeezes = append(squeezes, assignmentsIn(n.Body)...)
		case *ast.ValueSpec:
			if len(n.Names) > 1 && len(n.Names) == len(n.Values) {
				squeezes = append(squeezes, squeeze{n.Pos(), oneForEach})
			}
		case *ast.BinaryExpr:
			if !seen[n] && countOperators(n, seen) > 2 {
				squeezes = append(squeezes, squeeze{n.Pos(), namesForAll})
			}
		}
	}
	return squeezes
}

// assignmentsIn returns the statements of a list that could be several assignments, in the same order.
func assignmentsIn(list []ast.Stmt) (squeezes []squeeze) {
	for _, statement := range list {
		a, isAssignment := statement.(*ast.AssignStmt)
		if !isAssignment || len(a.Lhs) != len(a.Rhs) {
			continue
		}
		if len(a.Lhs) > 1 && !needsOldValue(a) {
			squeezes = append(squeezes, squeeze{a.Pos(), oneForEach})
		}
	}
	return squeezes
}

// needsOldValue reports whether a part of an assignment reads what an earlier part sets.
func needsOldValue(a *ast.AssignStmt) bool {
	for i, set := range a.Lhs {
		for j := i + 1; j < len(a.Lhs); j++ {
			if contains(a.Rhs[j], set) || contains(a.Lhs[j], set) {
				return true
			}
		}
	}
	return false
}

// contains reports whether an expression has a part with the text of another expression. Names of fields and methods are not such parts.
func contains(e, part ast.Expr) (found bool) {
	text := types.ExprString(part)
	if text == "_" {
		return false
	}
	ast.Inspect(e, func(node ast.Node) bool {
		inner, isExpr := node.(ast.Expr)
		found = found || isExpr && types.ExprString(inner) == text
		selector, isSelector := node.(*ast.SelectorExpr)
		if isSelector {
			found = found || contains(selector.X, part)
		}
		return !isSelector
	})
	return found
}

// countOperators counts the boolean operators of an expression, but for those in functions that it declares, and marks what it counts.
func countOperators(e ast.Expr, seen map[ast.Node]bool) (n int) {
	ast.Inspect(e, func(node ast.Node) bool {
		if b, isBinary := node.(*ast.BinaryExpr); isBinary {
			seen[b] = true
			if b.Op == token.LAND || b.Op == token.LOR {
				n++
			}
		}
		_, isFunction := node.(*ast.FuncLit)
		return !isFunction
	})
	return n
}
