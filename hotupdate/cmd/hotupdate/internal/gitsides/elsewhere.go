package gitsides

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// elsewhere maps each changed file outside of the paths to the names that only this side of the
// file contains.
type elsewhere map[string]set

// lost are the names in a text that another text does not have.
func lost(text, other []byte) set {
	names := namesIn(text)
	for name := range namesIn(other) {
		delete(names, name)
	}
	return names
}

func namesIn(text []byte) set {
	names := set{}
	plain := bytes.ReplaceAll(text, []byte{0}, nil) // of UTF-16
	for name := range strings.FieldsFuncSeq(string(plain), func(r rune) bool { return !isOfName(r) }) {
		names[strings.Trim(name, ".-")] = true
	}
	return names
}

// isOfName reports whether names of Kubernetes have a character.
func isOfName(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		return true
	}
	return r == '-' || r == '.'
}

// mentions returns a file with a name; nothing if there is none.
func (e elsewhere) mentions(name string) string {
	for _, path := range slices.Sorted(maps.Keys(e)) {
		if e[path][name] {
			return path
		}
	}
	return ""
}

// CameFrom is a changed file outside of the paths that has lost a name: an object of this name may have been moved from
// there. It is empty if there is none.
func (s *Sides) CameFrom(name string) string { return s.elsewhereOld.mentions(name) }

// WentTo is a changed file outside of the paths that has gained a name, see [Sides.CameFrom].
func (s *Sides) WentTo(name string) string { return s.elsewhereNew.mentions(name) }
