package hotupdatelint

import (
	"go/ast"
	"go/token"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/hotupdate/providerconfig/internal/fault"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// finding is what is to be reported.
type finding struct {
	place

	category string
	problem  *fault.Error
}

// report identifies a finding: one field reached from two types is reported once.
type report struct {
	pos            token.Pos
	field          string // none for a field of the package, which may be called after several types
	category, what string
}

func (l *linter) report(f finding) {
	pos, end := f.at.Pos(), f.at.End()
	field, isField := f.at.(*ast.Field)
	if isField {
		pos, end = fieldRange(field)
	}
	id := report{pos, f.problem.Field, f.category, f.problem.What}
	if f.field != nil {
		id.pos, id.field = f.field.Pos(), ""
	}
	if l.reported[id] || l.source.ignored[l.source.lineOf(pos)] {
		return
	}
	l.reported[id] = true
	d := analysis.Diagnostic{Pos: pos, End: end, Category: f.category, Message: f.problem.Error()}
	if isField && isReadByParser(f.problem.Code) {
		d.SuggestedFixes = fixes(field)
	}
	l.Report(d)
}

// fieldRange is the struct tag of a field, or its name and type without one.
func fieldRange(field *ast.Field) (pos, end token.Pos) {
	if field.Tag != nil {
		return field.Tag.Pos(), field.Tag.End()
	}
	return field.Pos(), field.Type.End()
}

// isReadByParser reports whether a problem lies in the text of a struct tag, whatever its field is.
func isReadByParser(code fault.Code) bool {
	return code >= fault.MalformedTag && code < fault.MisplacedOption && code != fault.ConflictingOptions
}

// fixes offers the corrected struct tag. All problems of a struct tag have the same fix, which mends them all.
func fixes(field *ast.Field) []analysis.SuggestedFix {
	mended, ok := structtag.Mend(tagOf(field))
	if !ok {
		return nil
	}
	text := "`" + string(mended) + "`"
	if !strconv.CanBackquote(string(mended)) {
		text = strconv.Quote(string(mended))
	}
	return []analysis.SuggestedFix{{
		Message:   "Write " + text,
		TextEdits: []analysis.TextEdit{{Pos: field.Tag.Pos(), End: field.Tag.End(), NewText: []byte(text)}},
	}}
}
