package engine

import (
	"bytes"
	"slices"
)

// list writes a list or array, and reports whether it did. If the presence of elements is not
// written, it writes every element at its index, up to the last element that has content.
func (r *run) list(n *routine, m memory) bool {
	if !n.writesPresence && !n.elem.writes {
		return false
	}
	elements := elementsAt(m, n)
	start := r.position()
	end := 0
	r.buf = append(r.buf, '[')
	for i := range elements.len {
		if i > 0 {
			r.buf = append(r.buf, ',')
		}
		r.at(n, i)
		switch e := elements.at(i, n.elemPointers); {
		case n.writesPresence:
			r.element(n.elem, e)
		case !r.traces(n.elem, e):
			r.emptyElement(n.elem, e)
			continue
		}
		end = r.position()
		if r.commit(); r.trail.lost {
			break
		}
	}
	return r.closeList(start, end)
}

// closeList ends a list behind its last element that is written, or removes it if there is none.
func (r *run) closeList(start, end int) bool {
	if end == 0 {
		r.cut(start)
		return false
	}
	r.cut(end)
	r.buf = append(r.buf, ']')
	return true
}

// array writes an array of fixed length. A member with the same text as the zero array counts as
// unset and is not written.
func (r *run) array(n *routine, m memory, empty whenEmpty) bool {
	if empty == written {
		return r.list(n, m)
	}
	r.held++
	start := len(r.buf)
	isWritten := r.list(n, m)
	r.held--
	if isWritten && bytes.Equal(r.buf[start:], n.zero()) {
		r.buf = r.buf[:start]
		isWritten = false
	}
	return isWritten
}

// span locates the text of a set's element in the buffer.
type span struct{ from, to int }

// set writes the elements in the order of their bytes, each once.
func (r *run) set(n *routine, m memory) bool {
	elements := elementsAt(m, n)
	if !n.writesPresence || elements.len == 0 {
		return false
	}
	start := len(r.buf)
	first := len(r.spans)
	r.held++
	r.spans = withRoom(r, r.spans, elements.len)
	for i := range elements.len {
		r.at(n, i)
		from := len(r.buf)
		r.element(n.elem, elements.at(i, n.elemPointers))
		r.spans = append(r.spans, span{from, len(r.buf)})
		if r.commit(); r.trail.lost {
			break
		}
	}
	r.held--
	r.joinSet(start, r.spans[first:])
	r.spans = r.spans[:first]
	return true
}

// joinSet replaces the buffer from start on by the elements of a set in their order, without
// duplicates.
func (r *run) joinSet(start int, spans []span) {
	mark := len(r.scratch)
	text := func(s span) []byte { return r.buf[s.from:s.to] }
	slices.SortFunc(spans, func(a, b span) int { return bytes.Compare(text(a), text(b)) })
	for i, s := range spans {
		if i > 0 && bytes.Equal(text(spans[i-1]), text(s)) {
			continue
		}
		if i > 0 {
			r.scratch = append(r.scratch, ',')
		}
		r.scratch = append(r.scratch, text(s)...)
	}
	r.buf = append(r.buf[:start], '[')
	r.buf = append(r.buf, r.scratch[mark:]...)
	r.buf = append(r.buf, ']')
	r.scratch = r.scratch[:mark]
}
