package strip

import "bytes"

// OnlyTypeMeta reports whether raw is JSON that says nothing, or nothing but apiVersion and kind: nothing at all, white space, null, or
// an object without other members.
func OnlyTypeMeta(raw []byte) bool {
	if len(bytes.TrimSpace(raw)) == 0 {
		return true
	}
	s := strippers.Get().(*stripper)
	defer s.release()
	if s.read(raw) != nil {
		return false
	}
	if len(s.items) == 0 {
		return string(bytes.TrimSpace(raw)) == "null"
	}
	return s.raw[s.items[0].start] == '{' && s.onlyTypeMeta()
}

// onlyTypeMeta looks at the members of the document.
func (o *outline) onlyTypeMeta() bool {
	for i := 1; i < o.items[0].next; i = o.items[i].next {
		if !o.named(i, "apiVersion") && !o.named(i, "kind") {
			return false
		}
	}
	return true
}
