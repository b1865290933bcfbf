// Package fieldpath writes and reads the paths by which people and programs name a field.
//
// A path is a list of JSON names with the places of elements in brackets: tags.vm[cost-center], dataVolumes[name=a].iops,
// zones[=eu-1], args[0]. It owns their spelling and that of RFC 6901 pointers; it must not know types or values.
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
	ListKey                 // Name=Value identifies the element, which stands at position At
	SetElem                 // Value is the element's text, which stands at position At
)

// Hidden stands for a key or value that must not be shown.
const Hidden = "(sensitive)"

// Step is one step of a path through a value.
type Step struct {
	Kind   StepKind
	Name   string
	Value  string
	At     int
	Hidden bool // keys and values are not to be shown
}

// Path leads from the root to a part of a value.
type Path []Step

// String returns the path for people.
func (p Path) String() string {
	var b strings.Builder
	for _, s := range p {
		s.write(&b)
	}
	return b.String()
}

func (s Step) write(b *strings.Builder) {
	switch s.Kind {
	case Member:
		WriteMember(b, s.Name)
	case Index:
		b.WriteString("[" + strconv.Itoa(s.At) + "]")
	case MapKey:
		b.WriteString("[" + s.shown(s.Name) + "]")
	case ListKey:
		b.WriteString("[" + s.Name + "=" + s.shown(s.Value) + "]")
	case SetElem:
		b.WriteString("[=" + s.shown(s.Value) + "]")
	}
}

func (s Step) shown(text string) string {
	switch {
	case s.Hidden:
		return Hidden
	case isPlain(text, `[]"=`):
		return text
	default:
		return strconv.Quote(text)
	}
}

// WriteMember appends a JSON name, after a dot where one is needed.
func WriteMember(b *strings.Builder, name string) {
	switch {
	case !isPlain(name, `[]"=.`):
		b.WriteString("[" + strconv.Quote(name) + "]")
	case b.Len() > 0:
		b.WriteString("." + name)
	default:
		b.WriteString(name)
	}
}

// isPlain reports whether text needs no quotes: printable, not empty, and without the special characters.
func isPlain(text, special string) bool {
	for _, r := range text {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar || strings.ContainsRune(special, r) {
			return false
		}
	}
	return text != ""
}

// Pointer returns the path as an RFC 6901 pointer. It ends before the first step that must not be shown.
func (p Path) Pointer() string {
	var b strings.Builder
	for _, s := range p {
		token := s.Name
		switch s.Kind {
		case Index, ListKey, SetElem:
			token = strconv.Itoa(s.At)
		case MapKey:
			if s.Hidden {
				return b.String()
			}
		case Member:
		}
		b.WriteByte('/')
		b.WriteString(pointerEscapes.Replace(token))
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
