package tags

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// text says what a key or a value may be. The zero value is the empty text only.
type text struct {
	max      int // the greatest length
	unit     unit
	maxBytes int // a further limit in bytes of UTF-8; 0 is none

	allowed alphabet // every character
	first   alphabet // the first character, beyond allowed
	last    alphabet // the last character, beyond allowed

	notPrefix     []string // in any case
	notContaining []string // in any case
}

// unit is what a cloud counts when it limits a length. The zero value is utf16Units, the larger count.
type unit uint8

const (
	utf16Units unit = iota // as length means in Java and .NET
	codePoints
)

// String names the unit as messages do.
func (u unit) String() string { return enumName(u, "unit", "UTF-16 code units", "characters") }

func (u unit) length(s string) int {
	n := utf8.RuneCountInString(s)
	if u == codePoints {
		return n
	}
	for _, r := range s {
		if r > 0xFFFF { // needs a surrogate pair
			n++
		}
	}
	return n
}

// alphabet is a set of characters: those of chars and of classes, but never those of except. With neither chars nor classes it is
// everything but except.
type alphabet struct {
	name    string // for messages: "may only contain <name>"
	chars   string
	classes []*unicode.RangeTable
	except  string
}

func (a *alphabet) contains(r rune) bool {
	if strings.ContainsRune(a.except, r) {
		return false
	}
	if a.chars == "" && len(a.classes) == 0 {
		return true
	}
	return strings.ContainsRune(a.chars, r) || unicode.IsOneOf(a.classes, r)
}

// errors lists the rules that a key or a value breaks; noun says which it is. The errors never quote the text.
func (t *text) errors(noun, s string, at *field.Path) (errs field.ErrorList) {
	broken := func(kind field.ErrorType, format string, args ...any) {
		detail := noun + " " + fmt.Sprintf(format, args...)
		errs = append(errs, &field.Error{Type: kind, Field: at.String(), BadValue: field.OmitValueType{}, Detail: detail})
	}
	if !utf8.ValidString(s) {
		broken(field.ErrorTypeInvalid, "is not valid UTF-8")
		return errs
	}
	switch n := t.unit.length(s); {
	case n > t.max:
		broken(field.ErrorTypeTooLong, "must have at most %d %s, has %d", t.max, t.unit, n)
	case t.maxBytes > 0 && len(s) > t.maxBytes:
		broken(field.ErrorTypeTooLong, "must have at most %d bytes, has %d", t.maxBytes, len(s))
	}
	t.checkAlphabet(s, broken)
	for _, prefix := range t.notPrefix {
		if hasPrefixFold(s, prefix) {
			broken(field.ErrorTypeInvalid, "must not begin with %q", prefix)
		}
	}
	for _, part := range t.notContaining {
		if strings.Contains(fold(s), fold(part)) {
			broken(field.ErrorTypeInvalid, "must not contain %q", part)
		}
	}
	return errs
}

// checkAlphabet names the first wrong character by its position, counted from 1, since the character itself may be secret.
func (t *text) checkAlphabet(s string, broken func(kind field.ErrorType, format string, args ...any)) {
	if s == "" {
		return
	}
	if at := strings.IndexFunc(s, func(r rune) bool { return !t.allowed.contains(r) }); at >= 0 {
		position := utf8.RuneCountInString(s[:at]) + 1
		broken(field.ErrorTypeInvalid, "may only contain %s; character %d is not one of these", t.allowed.name, position)
	}
	if first, _ := utf8.DecodeRuneInString(s); !t.first.contains(first) {
		broken(field.ErrorTypeInvalid, "must begin with %s", t.first.name)
	}
	if last, _ := utf8.DecodeLastRuneInString(s); !t.last.contains(last) {
		broken(field.ErrorTypeInvalid, "must end with %s", t.last.name)
	}
}
