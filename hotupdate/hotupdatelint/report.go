package hotupdatelint

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// report identifies a finding: one field reached from two types is reported once.
type report struct {
	pos        token.Pos
	field      string // none for a field of the package, which may be called after several types
	code, what string
}

// report reports a problem, once, unless its line is silenced.
func (l *linter) report(at target, problem *fault.Error) {
	pos, end := at.node.Pos(), at.node.End()
	if field, ok := at.node.(*ast.Field); ok {
		end = field.Type.End()
		if field.Tag != nil {
			pos, end = field.Tag.Pos(), field.Tag.End()
		}
	}
	id := report{pos, problem.Field, problem.Code, problem.What}
	if at.field != nil {
		id.pos, id.field = at.field.Pos(), ""
	}
	if l.reported[id] || l.source.ignored[l.source.lineOf(pos)] {
		return
	}
	l.reported[id] = true
	d := analysis.Diagnostic{Pos: pos, End: end, Category: problem.Code, Message: problem.Error()}
	if isReadByParser(problem.Code) {
		d.SuggestedFixes = fixes(at.node)
	}
	l.Report(d)
}

// isReadByParser reports whether a problem lies in the text of a struct tag, whatever its field is.
func isReadByParser(code string) bool {
	return slices.Contains([]string{
		"malformed-tag", "misspelled-key", "duplicate-tag", "unknown-class", "unknown-option", "malformed-option", "duplicate-option",
	}, code)
}

// fixes offers the corrected struct tag of a field or an override. All problems of a struct tag have the same fix, which mends them all.
func fixes(at ast.Node) []analysis.SuggestedFix {
	switch at := at.(type) {
	case *ast.Field:
		if mended, ok := structtag.Mend(tagOf(at)); ok {
			return rewrite(at.Tag, "`"+string(mended)+"`", string(mended))
		}
	case *ast.CallExpr: // of WithTag, or of the function that makes a Schema
		if len(at.Args) < 2 {
			return nil
		}
		literal, _ := ast.Unparen(at.Args[1]).(*ast.BasicLit)
		if mended, ok := structtag.MendValue(textOf(literal)); ok {
			return rewrite(literal, strconv.Quote(mended), mended)
		}
	}
	return nil
}

// rewrite replaces a string literal by source code, or by its text in double quotes if that cannot be source code.
func rewrite(literal *ast.BasicLit, code, text string) []analysis.SuggestedFix {
	if !strconv.CanBackquote(text) {
		code = strconv.Quote(text)
	}
	return []analysis.SuggestedFix{{
		Message:   "Write " + code,
		TextEdits: []analysis.TextEdit{{Pos: literal.Pos(), End: literal.End(), NewText: []byte(code)}},
	}}
}
