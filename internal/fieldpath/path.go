// Package fieldpath writes and reads the paths by which people and programs name a field.
//
// A path is a list of JSON names, with elements in brackets: tags.vm[cost-center],
// dataVolumes[name=a].iops, zones[=eu-1], args[0]. Of several elements with one key, the second is
// dataVolumes[name=a]#2. The package owns the spelling of paths and of RFC 6901 pointers. It must not
// know types or values.
package fieldpath

import (
	"strconv"
	"strings"
	"unicode"
)

// StepKind says how a step leads from a value to a part of it.
type StepKind uint8

// The kinds of steps.
const (
	Member  StepKind = iota // Name is a JSON name
	Index                   // At is the position in a list
	MapKey                  // Name is the key's text
	ListKey                 // Name=Value identifies the element at position At
	SetElem                 // Value is the text of the element at position At
)

// Hidden stands for a key or value that must not be shown.
const Hidden = "(sensitive)"

// Step is one step of a path through a value.
type Step struct {
	Kind    StepKind
	Hidden  bool     // the key or value must not be shown
	Ordinal int32    // of a ListKey: the number of elements with this key before this one
	Places  [2]int32 // of a ListKey, for those who ask: the positions in two lists from 1 on; 0 where it is missing
	Name    string
	Value   string
	At      int
}

// Path leads from the root to a part of a value.
type Path []Step

// usualLength is the length that most paths and pointers have at most, so that they need one
// allocation.
const usualLength = 128

// String returns the path for people.
func (p Path) String() string {
	var buf [usualLength]byte
	return string(p.append(buf[:0]))
}

func (p Path) append(dst []byte) []byte {
	for _, s := range p {
		dst = s.append(dst)
	}
	return dst
}

// Place is a path of at least one step. Places in one object or collection share the steps above the
// last one, which nobody may change.
type Place struct {
	Above Path
	Last  Step
}

// Len is the number of steps.
func (p *Place) Len() int { return len(p.Above) + 1 }

// At returns step i.
func (p *Place) At(i int) Step {
	if i == len(p.Above) {
		return p.Last
	}
	return p.Above[i]
}

// String returns the path for people.
func (p *Place) String() string {
	var buf [usualLength]byte
	return string(p.Last.append(p.Above.append(buf[:0])))
}

// Pointer is [Path.Pointer].
func (p *Place) Pointer() string {
	var buf [usualLength]byte
	dst, ok := p.Above.appendPointer(buf[:0])
	if ok {
		dst, _ = Path{p.Last}.appendPointer(dst)
	}
	return string(dst)
}

func (s Step) append(dst []byte) []byte {
	switch s.Kind {
	case Member:
		if s.Hidden {
			return append(dst, "["+Hidden+"]"...)
		}
		return appendMember(dst, s.Name)
	case Index:
		dst = strconv.AppendInt(append(dst, '['), int64(s.At), 10)
	case MapKey:
		dst = s.appendShown(append(dst, '['), s.Name)
	case ListKey:
		dst = append(append(append(dst, '['), s.Name...), '=')
		return s.appendOrdinal(append(s.appendShown(dst, s.Value), ']'))
	case SetElem:
		dst = s.appendShown(append(dst, "[="...), s.Value)
	}
	return append(dst, ']')
}

// appendOrdinal numbers the elements of one key, from the second on.
func (s Step) appendOrdinal(dst []byte) []byte {
	if s.Ordinal == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, '#'), int64(s.Ordinal)+1, 10)
}

func (s Step) appendShown(dst []byte, text string) []byte {
	switch {
	case s.Hidden:
		return append(dst, Hidden...)
	case isPlain(text, `[]"=`):
		return append(dst, text...)
	default:
		return strconv.AppendQuote(dst, text)
	}
}

// Join returns path, which may be empty, and a JSON name below it.
func Join(path, name string) string { return string(appendMember([]byte(path), name)) }

// Key returns path, which may be empty, and a key of a map below it, or a prefix of keys and "*".
func Key(path, key string) string { return path + "[" + strconv.Quote(key) + "]" }

// At returns path, which may be empty, and the position of an element below it.
func At(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func appendMember(dst []byte, name string) []byte {
	switch {
	case !isPlain(name, `[]"=.`):
		return append(strconv.AppendQuote(append(dst, '['), name), ']')
	case len(dst) > 0:
		dst = append(dst, '.')
	}
	return append(dst, name...)
}

// isPlain reports whether text needs no quotes: it is printable, not empty, and has no special
// characters.
func isPlain(text, special string) bool {
	for _, r := range text {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar || strings.ContainsRune(special, r) {
			return false
		}
	}
	return text != ""
}

// Pointer returns the path as an RFC 6901 pointer. It ends before the first step that must not be
// shown.
func (p Path) Pointer() string {
	var buf [usualLength]byte
	dst, _ := p.appendPointer(buf[:0])
	return string(dst)
}

// appendPointer appends the pointer. It is false if a step must not be shown.
func (p Path) appendPointer(dst []byte) ([]byte, bool) {
	for _, s := range p {
		switch s.Kind {
		case Index, ListKey, SetElem:
			dst = strconv.AppendInt(append(dst, '/'), int64(s.At), 10)
		case MapKey, Member:
			if s.Hidden {
				return dst, false
			}
			dst = AppendBelow(dst, s.Name)
		}
	}
	return dst, true
}

// unescape undoes the escapes of RFC 6901 in a name.
var unescape = strings.NewReplacer("~1", "/", "~0", "~") // ~01 is ~1, not a slash

// Below returns the RFC 6901 pointer to a member of the object at pointer.
func Below(pointer, name string) string { return string(AppendBelow([]byte(pointer), name)) }

// AppendBelow is [Below] for a pointer that it appends to.
func AppendBelow(pointer []byte, name string) []byte {
	pointer = append(pointer, '/')
	for i := range len(name) {
		switch c := name[i]; c {
		case '~':
			pointer = append(pointer, "~0"...)
		case '/':
			pointer = append(pointer, "~1"...)
		default:
			pointer = append(pointer, c)
		}
	}
	return pointer
}

// Names returns the names of the members that an RFC 6901 pointer leads through. It is the inverse
// of [Below].
func Names(pointer string) []string {
	if pointer == "" {
		return nil
	}
	names := strings.Split(pointer[1:], "/")
	for i, name := range names {
		if strings.Contains(name, "~") {
			names[i] = unescape.Replace(name)
		}
	}
	return names
}
