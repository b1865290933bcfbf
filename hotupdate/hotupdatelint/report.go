package hotupdatelint

import (
	"go/ast"
	"go/token"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// report identifies a finding: one field reached from two types is reported once.
type report struct {
	pos        token.Pos
	field      string // empty for a field of the package, which may be named after several types
	code, what string
}

// report reports a problem once.
func (l *linter) report(at target, problem *fault.Error) {
	pos := at.node.Pos()
	end := at.node.End()
	field, isField := at.node.(*ast.Field)
	if isField {
		end = field.Type.End()
		if field.Tag != nil {
			pos = field.Tag.Pos()
			end = field.Tag.End()
		}
	}
	id := report{pos, problem.Field, problem.Code, problem.What}
	if at.field != nil {
		id.pos = at.field.Pos()
		id.field = ""
	}
	if l.reported[id] {
		return
	}
	l.reported[id] = true
	d := analysis.Diagnostic{Pos: pos, End: end, Category: problem.Code, Message: problem.Error()}
	if isField {
		d.SuggestedFixes = fixes(field)
	}
	l.Report(d)
}

// fixes offers the corrected struct tag of a field. All problems of a struct tag have the same fix,
// which corrects them all.
func fixes(field *ast.Field) []analysis.SuggestedFix {
	mended, ok := structtag.Mend(tagOf(field))
	if !ok {
		return nil
	}
	code := "`" + string(mended) + "`"
	if !strconv.CanBackquote(string(mended)) {
		code = strconv.Quote(string(mended))
	}
	return []analysis.SuggestedFix{{
		Message:   "Write " + code,
		TextEdits: []analysis.TextEdit{{Pos: field.Tag.Pos(), End: field.Tag.End(), NewText: []byte(code)}},
	}}
}
