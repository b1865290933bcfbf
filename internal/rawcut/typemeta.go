package rawcut

import "bytes"

// OnlyTypeMeta reports whether raw is JSON that says nothing, or nothing but apiVersion and kind: nothing at all, white space, null, or
// an object without other members.
func OnlyTypeMeta(raw []byte) bool {
	if len(bytes.TrimSpace(raw)) == 0 {
		return true
	}
	c := cutters.Get().(*cutter)
	defer c.release()
	if c.read(raw) != nil {
		return false
	}
	if len(c.items) == 0 {
		return string(bytes.TrimSpace(raw)) == "null"
	}
	return c.raw[c.items[0].start] == '{' && c.onlyTypeMeta()
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
