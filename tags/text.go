package tags

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Text says what a key or a value may be.
type Text struct {
	Min, Max int  // length
	Unit     Unit // what Min and Max count
	MaxBytes int  // a further limit in bytes of UTF-8; 0 is none

	Allowed Alphabet // every character
	First   Alphabet // the first character, beyond Allowed
	Last    Alphabet // the last character, beyond Allowed

	NotPrefix     []string // what it must not begin with, in any case
	NotContaining []string // what it must not contain, in any case
}

// Unit is what a cloud counts when it limits a length. The zero value is Bytes, the largest count.
type Unit uint8

// The units.
const (
	Bytes      Unit = iota // bytes of UTF-8
	UTF16Units             // UTF-16 code units, as length means in Java and .NET
	CodePoints             // Unicode code points
)

// String names the unit as messages do.
func (u Unit) String() string {
	switch u {
	case Bytes:
		return "bytes"
	case UTF16Units:
		return "UTF-16 code units"
	case CodePoints:
		return "characters"
	}
	return "Unit(" + strconv.Itoa(int(u)) + ")"
}

// Length returns the length of s in this unit.
func (u Unit) Length(s string) int {
	switch u {
	case CodePoints:
		return utf8.RuneCountInString(s)
	case UTF16Units:
		n := 0
		for _, r := range s {
			n++
			if r > 0xFFFF { // needs a surrogate pair
				n++
			}
		}
		return n
	case Bytes:
	}
	return len(s)
}

// Alphabet is a set of characters: those of Chars and of Classes, but never those of Except. With neither Chars nor Classes it is
// everything but Except.
type Alphabet struct {
	Name    string // for messages: "may only contain <name>"
	Chars   string
	Classes []*unicode.RangeTable
	Except  string
}

// Contains reports whether r is in the alphabet.
func (a *Alphabet) Contains(r rune) bool {
	if strings.ContainsRune(a.Except, r) {
		return false
	}
	if a.Chars == "" && len(a.Classes) == 0 {
		return true
	}
	return strings.ContainsRune(a.Chars, r) || unicode.IsOneOf(a.Classes, r)
}

// problem is a rule that a text breaks. Its detail never quotes the text.
type problem struct {
	kind   field.ErrorType
	detail string
}

// problems lists the rules that s breaks.
func (t *Text) problems(s string) []problem {
	if !utf8.ValidString(s) {
		return []problem{{field.ErrorTypeInvalid, "is not valid UTF-8"}}
	}
	found := t.lengthProblems(s)
	found = append(found, t.alphabetProblems(s)...)
	for _, prefix := range t.NotPrefix {
		if hasPrefixFold(s, prefix) {
			found = append(found, problem{field.ErrorTypeInvalid, fmt.Sprintf("must not begin with %q", prefix)})
		}
	}
	for _, text := range t.NotContaining {
		if strings.Contains(fold(s), fold(text)) {
			found = append(found, problem{field.ErrorTypeInvalid, fmt.Sprintf("must not contain %q", text)})
		}
	}
	return found
}

func (t *Text) lengthProblems(s string) []problem {
	n := t.Unit.Length(s)
	switch {
	case n < t.Min && n == 0:
		return []problem{{field.ErrorTypeRequired, "must not be empty"}}
	case n < t.Min:
		return []problem{{field.ErrorTypeInvalid, fmt.Sprintf("must have at least %d %s, has %d", t.Min, t.Unit, n)}}
	case n > t.Max:
		return []problem{{field.ErrorTypeTooLong, fmt.Sprintf("must have at most %d %s, has %d", t.Max, t.Unit, n)}}
	case t.MaxBytes > 0 && len(s) > t.MaxBytes:
		return []problem{{field.ErrorTypeTooLong, fmt.Sprintf("must have at most %d bytes, has %d", t.MaxBytes, len(s))}}
	}
	return nil
}

// alphabetProblems tells the first character that is wrong by its position, counted from 1, and not by its name.
func (t *Text) alphabetProblems(s string) []problem {
	if s == "" {
		return nil
	}
	var found []problem
	position := 0
	for _, r := range s {
		position++
		if !t.Allowed.Contains(r) {
			detail := fmt.Sprintf("may only contain %s; character %d is not one of these", t.Allowed.Name, position)
			found = append(found, problem{field.ErrorTypeInvalid, detail})
			break
		}
	}
	if first, _ := utf8.DecodeRuneInString(s); !t.First.Contains(first) {
		found = append(found, problem{field.ErrorTypeInvalid, "must begin with " + t.First.Name})
	}
	if last, _ := utf8.DecodeLastRuneInString(s); !t.Last.Contains(last) {
		found = append(found, problem{field.ErrorTypeInvalid, "must end with " + t.Last.Name})
	}
	return found
}
