package fieldpath

import "strings"

// Below returns the RFC 6901 pointer to a member of the object at pointer.
func Below(pointer, name string) string {
	var buf [usualLength]byte
	return string(appendToken(append(buf[:0], pointer...), name))
}

// Names returns the names of the members that an RFC 6901 pointer leads through. It is the inverse of [Below].
func Names(pointer string) []string {
	if pointer == "" {
		return nil
	}
	names := strings.Split(pointer[1:], "/")
	for i, name := range names {
		if strings.Contains(name, "~") { // ~01 is ~1, not a slash
			names[i] = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		}
	}
	return names
}
