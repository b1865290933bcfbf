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
		r.commit()
	}
	r.buf = append(r.buf, ']')
}

// sparse writes a list whose elements' presence is not written: every element at its index, up to
// the last element that has content.
func (r *run) sparse(n *node, m memory) bool {
	if !n.elem.writes {
		return false
	}
	elements, start, end := elementsAt(m, n), r.position(), 0
	r.buf = append(r.buf, '[')
	for i := range elements.len {
		if i > 0 {
			r.buf = append(r.buf, ',')
		}
		r.at(n, m, i)
		if e := elements.at(i, n.elemPointers); r.traces(n.elem, e) {
			end = r.position()
		} else {
			r.emptyElement(n.elem, e)
		}
	}
	if end == 0 {
		r.cut(start)
		return false
	}
	r.cut(end)
	r.buf = append(r.buf, ']')
	return true
}

// array writes an array of fixed length. An array with the same text as the zero array counts as
// unset and is not written.
func (r *run) array(n *node, m memory) bool {
	if !n.writesPresence || n.len == 0 {
		return r.sparse(n, m)
	}
	r.held++
	start := len(r.buf)
	r.places(n, m)
	r.held--
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
	r.held++
	r.spans = withRoom(r.spans, elements.len)
	for i := range elements.len {
		r.at(n, m, i)
		from := len(r.buf)
		r.element(n.elem, elements.at(i, n.elemPointers))
		r.spans = append(r.spans, span{from, len(r.buf)})
	}
	r.held--
	r.joinSet(start, r.spans[first:])
	r.spans = r.spans[:first]
	return true
}

// joinSet replaces the buffer from start on by the elements of a set in their order, without
// duplicates.
func (r *run) joinSet(start int, spans []span) {
	first, mark := len(r.entries), len(r.scratch)
	r.entries = withRoom(r.entries, len(spans))
	for i := range spans {
		r.entries = append(r.entries, entry{at: i})
	}
	own := r.entries[first:]
	text := func(at int) []byte { return r.buf[spans[at].from:spans[at].to] }
	slices.SortFunc(own, func(a, b entry) int { return bytes.Compare(text(a.at), text(b.at)) })
	for i, e := range own {
		if i > 0 && bytes.Equal(text(own[i-1].at), text(e.at)) {
			continue
		}
		if i > 0 {
			r.scratch = append(r.scratch, ',')
		}
		r.scratch = append(r.scratch, text(e.at)...)
	}
	r.entries = r.entries[:first]
	r.buf = append(r.buf[:start], '[')
	r.buf = append(r.buf, r.scratch[mark:]...)
	r.buf = append(r.buf, ']')
	r.scratch = r.scratch[:mark]
}
