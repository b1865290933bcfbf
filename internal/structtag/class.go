// Package structtag reads one hotupdatable struct tag.
//
// It is a pure function from the text of a struct tag to a [Tag] or to problems. It knows the grammar and the near-misses; it must
// not know types, caches, plans or values. Whether an option suits the field's type is decided where types are known, in fieldplan.
package structtag

import "strconv"

// Class says what happens to machines when a field changes. A smaller class is stricter; the zero value is the strictest.
type Class uint8

// The classes, from the strictest.
const (
	Immutable Class = iota // machines are replaced
	InPlace                // machines are drained and updated in place (GEP-31)
	Hot                    // the running machine is updated
	Ignored                // no machine is concerned
)

// String returns the class in prose: immutable, in-place, hot or ignored. [ParseClass] reads the words of the struct tag instead.
func (c Class) String() string {
	switch c {
	case Immutable:
		return "immutable"
	case InPlace:
		return "in-place"
	case Hot:
		return "hot"
	case Ignored:
		return "ignored"
	}
	return "Class(" + strconv.Itoa(int(c)) + ")"
}

// Stricter returns the stricter of two classes.
func (c Class) Stricter(o Class) Class { return min(c, o) }

// ParseClass reads the word that stands for a class in a struct tag: true, false, inplace or ignore, and no other spelling.
func ParseClass(word string) (Class, bool) {
	switch word {
	case "true":
		return Hot, true
	case "false":
		return Immutable, true
	case "inplace":
		return InPlace, true
	case "ignore":
		return Ignored, true
	}
	return Immutable, false
}

// Word returns the word that stands for c in a struct tag. ParseClass inverts it.
func (c Class) Word() string {
	switch c {
	case Hot:
		return "true"
	case InPlace:
		return "inplace"
	case Ignored:
		return "ignore"
	case Immutable:
	}
	return "false"
}
