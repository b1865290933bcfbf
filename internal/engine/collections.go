package engine

import (
	"bytes"
	"slices"
)

func (r *run) list(n *node, m memory) bool {
	switch {
	case !n.writesPresence:
		return r.sparse(n, m)
	case elementsAt(m, n).len == 0:
		return false
	}
	r.places(n, m)
	return true
}

func (r *run) places(n *node, m memory) {
	elements := elementsAt(m, n)
	r.buf = append(r.buf, '[')
	for i := range elements.len {
		if i > 0 {
			r.buf = append(r.buf, ',')
		}
		r.at(n, m, i)
		r.element(n.elem, elements.at(i, n.elemPointers))
	}
	r.buf = append(r.buf, ']')
}

// sparse writes a list whose elements' presence is not written: every element at its index, up to
// the last element that has content.
func (r *run) sparse(n *node, m memory) bool {
	if !n.elem.writes {
		return false
	}
	elements, start, end := elementsAt(m, n), len(r.buf), 0
	r.buf = append(r.buf, '[')
	for i := range elements.len {
		if i > 0 {
			r.buf = append(r.buf, ',')
		}
		r.at(n, m, i)
		if e := elements.at(i, n.elemPointers); r.traces(n.elem, e) {
			end = len(r.buf)
		} else {
			r.emptyElement(n.elem, e)
		}
	}
	if end == 0 {
		r.buf = r.buf[:start]
		return false
	}
	r.buf = append(r.buf[:end], ']')
	return true
}

// array writes an array of fixed length. An array with the same text as the zero array counts as
// unset and is not written.
func (r *run) array(n *node, m memory) bool {
	if !n.writesPresence || n.len == 0 {
		return r.sparse(n, m)
	}
	start := len(r.buf)
	r.places(n, m)
	if bytes.Equal(r.buf[start:], n.zero) {
		r.buf = r.buf[:start]
		return false
	}
	return true
}

// span locates the text of a set's element in the buffer.
type span struct{ from, to int }

// set writes the elements in the order of their bytes, each once.
func (r *run) set(n *node, m memory) bool {
	elements := elementsAt(m, n)
	if !n.writesPresence || elements.len == 0 {
		return false
	}
	start, first := len(r.buf), len(r.spans)
	r.spans = withRoom(r.spans, elements.len)
	for i := range elements.len {
		r.at(n, m, i)
		from := len(r.buf)
		r.element(n.elem, elements.at(i, n.elemPointers))
		r.spans = append(r.spans, span{from, len(r.buf)})
	}
	r.joinSet(start, r.spans[first:])
	r.spans = r.spans[:first]
	return true
}

// joinSet replaces the buffer from start on by the elements of a set in their order, without
// duplicates.
func (r *run) joinSet(start int, spans []span) {
	end, text := len(r.buf), func(s span) []byte { return r.buf[s.from:s.to] }
	slices.SortFunc(spans, func(a, b span) int { return bytes.Compare(text(a), text(b)) })
	before := byte('[')
	for i, s := range spans {
		if i > 0 && bytes.Equal(text(spans[i-1]), text(s)) {
			continue
		}
		r.buf = append(append(r.buf, before), text(s)...)
		before = ','
	}
	r.buf = append(r.buf, ']')
	r.buf = r.buf[:start+copy(r.buf[start:], r.buf[end:])]
}
