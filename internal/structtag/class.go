// Package structtag reads one hotupdatable struct tag.
//
// It is a pure function from the text of a struct tag to a [Tag] or to problems. It knows the
// grammar and likely misspellings. It must not know types, caches, plans or values: package
// fieldplan decides whether an option suits the field's type.
package structtag

import (
	"slices"
	"strconv"
)

// Class says what happens to machines when a field changes. A smaller class is stricter; the zero
// value is the strictest.
type Class uint8

// The classes, from the strictest.
const (
	Immutable Class = iota // machines are replaced
	InPlace                // machines are drained and updated in place (GEP-31)
	Hot                    // the running machine is updated
	Ignored                // no machine is affected
)

var (
	prose = []string{Immutable: "immutable", InPlace: "in-place", Hot: "hot", Ignored: "ignored"}
	words = []string{Immutable: "false", InPlace: "inplace", Hot: "true", Ignored: "ignore"}
)

// String returns the class in prose: immutable, in-place, hot or ignored. [ParseClass] reads the
// words of the struct tag instead.
func (c Class) String() string { return nameIn(prose, "Class", int(c)) }

// nameIn returns the name of value i of an enum, or TYPE(i) if it has none.
func nameIn(names []string, typ string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return typ + "(" + strconv.Itoa(i) + ")"
}

// Stricter returns the stricter of two classes.
func (c Class) Stricter(o Class) Class { return min(c, o) }

// ParseClass parses the word of a class in a struct tag: true, false, inplace or ignore, in this
// spelling only.
func ParseClass(word string) (Class, bool) { return classIn(words, word) }

// ClassNamed parses the result of [Class.String].
func ClassNamed(name string) (Class, bool) { return classIn(prose, name) }

func classIn(names []string, name string) (Class, bool) {
	at := slices.Index(names, name)
	return Class(max(at, 0)), at >= 0
}

// Word returns the word of a class in a struct tag. [ParseClass] inverts it.
func (c Class) Word() string { return words[c] }
