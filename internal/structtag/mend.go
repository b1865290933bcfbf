package structtag

import (
	"reflect"
	"strconv"
	"strings"
)

// Mend returns the whole struct tag with the hints of [Parse] applied, if each problem has exactly one correction: wrong quotes, spaces or case,
// a typing error or a repeated option.
//
// The result is false if the struct tag has no problem, if a problem has several corrections, if the struct tag stands there twice, and if there is
// other text that reflect cannot read. A mended struct tag has no problems, and reflect sees all of it.
func Mend(tag reflect.StructTag) (mended reflect.StructTag, ok bool) {
	if _, _, problems := Parse(tag); len(problems) == 0 {
		return tag, false
	}
	found := find(string(tag))
	text, ok := found[0].rewrite(string(tag))
	if !ok || len(found) > 1 || !isConventional(text) {
		return tag, false
	}
	if _, present, problems := Parse(reflect.StructTag(text)); !present || len(problems) > 0 {
		return tag, false
	}
	return reflect.StructTag(text), true
}

// MendValue mends a value without a key, as in an override, by the rules of [Mend].
func MendValue(value string) (mended string, ok bool) {
	r := read(value)
	mended, ok = r.mend()
	return mended, ok && len(r.flaws) > 0
}

// rewrite replaces f by the corrected pair.
func (f finding) rewrite(tag string) (string, bool) {
	r := read(f.value)
	value, ok := r.mend()
	name := strings.TrimPrefix(f.text, `"`)
	if !ok || f.bare || liken(name[:wordEnd(name, 0)]) == related {
		return "", false
	}
	before, after := tag[:f.at], tag[f.at+len(f.text):]
	if f.state != seen {
		before, after = strings.TrimRightFunc(before, isSeparatorRune), strings.TrimLeftFunc(after, isSeparatorRune)
	}
	return before + spaces(tag[len(before):f.at], before) + pair(value) + spaces(tag[f.at+len(f.text):len(tag)-len(after)], after) + after, true
}

// spaces returns the separator between a pair and its neighbour: the gap if reflect accepts it, since spaces may align columns.
func spaces(gap, neighbour string) string {
	switch {
	case strings.Trim(gap, " ") == "":
		return gap
	case neighbour == "":
		return ""
	}
	return " "
}

// isConventional reports whether reflect sees all pairs of a struct tag.
func isConventional(tag string) bool {
	for at := 0; strings.Trim(tag[at:], " ") != ""; {
		_, colon, end := nextPair(tag, at)
		if end < 0 {
			return false
		}
		if _, err := strconv.Unquote(tag[colon+1 : end]); err != nil {
			return false
		}
		at = end
	}
	return true
}
