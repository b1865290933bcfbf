package canonjson

import (
	"bytes"
	"sync"
)

// Same reports whether two documents are one JSON value: whether they differ in nothing but white space, escapes and the order of
// members. Numbers have to be spelled alike, since 1.0 is no integer to a decoder. Documents of which [AppendValue] would refuse one are
// not the same. No value is built; memory and time are those of AppendValue.
func Same(a, b []byte) bool {
	t := walks.Get().(*twins)
	defer t.release()
	t.a, t.b, t.lost = NewScanner(a), NewScanner(b), false
	if same := t.document(); !t.lost {
		return same
	}
	return sameSorted(a, b)
}

// sameSorted is [Same] for documents whose members are not in one order.
func sameSorted(a, b []byte) bool {
	p, q := parsers.Get().(*parser), parsers.Get().(*parser)
	defer p.release()
	defer q.release()
	return p.spell(a) && q.spell(b) && bytes.Equal(p.sorted(), q.sorted())
}

// spell reads raw and leaves numbers as they are spelled.
func (p *parser) spell(raw []byte) bool {
	p.Scanner, p.verbatim = NewScanner(raw), true
	return p.document() == nil
}

func (p *parser) sorted() []byte {
	if len(p.outline.objects) == 0 {
		return p.text
	}
	p.copied = p.outline.appendSorted(p.copied[:0], p.text)
	return p.copied
}

// maxUnsorted is how many members, not in the order of their names, an object may have whose names are compared with one another.
const maxUnsorted = 64

// twins walks two documents token by token while their members stand in one order. A difference found here, or bad input, is final.
type twins struct {
	a, b  Scanner
	names [][]byte // of the objects around what is read, innermost last
	texts [2][]byte
	lost  bool // the documents may be the same, and the walk cannot tell
}

var walks = sync.Pool{New: func() any { return new(twins) }}

func (t *twins) release() {
	if len(t.a.Raw) > maxPooled || len(t.b.Raw) > maxPooled {
		return
	}
	t.forget(0)
	*t = twins{names: t.names, texts: t.texts}
	walks.Put(t)
}

// forget drops the names behind the first so many, and with them the document that they are pieces of.
func (t *twins) forget(first int) {
	clear(t.names[first:])
	t.names = t.names[:first]
}

func (t *twins) document() bool {
	return t.a.Begin() == nil && t.b.Begin() == nil && t.value() && t.a.End() == nil && t.b.End() == nil
}

func (t *twins) value() bool {
	c := t.a.Peek()
	if c != t.b.Peek() {
		return false
	}
	switch c {
	case '{':
		return t.object()
	case '[':
		return t.array()
	case '"':
		return t.plain() != nil || t.text()
	case 't':
		return t.word("true")
	case 'f':
		return t.word("false")
	case 'n':
		return t.word("null")
	default:
		return t.number()
	}
}

// open goes into both objects or arrays. The walk ends if they are empty, or if they differ in that.
func (t *twins) open(closing byte) (ends, same bool) {
	empty, problem := t.a.Open(closing)
	emptyToo, problemToo := t.b.Open(closing)
	same = problem == nil && problemToo == nil && empty == emptyToo
	return empty || !same, same
}

// next reads what follows a member or element, likewise.
func (t *twins) next(closing byte) (ends, same bool) {
	last, problem := t.a.Next(closing)
	lastToo, problemToo := t.b.Next(closing)
	same = problem == nil && problemToo == nil && last == lastToo
	return last || !same, same
}

func (t *twins) array() bool {
	if ends, same := t.open(']'); ends {
		return same
	}
	for {
		if !t.value() {
			return false
		}
		if ends, same := t.next(']'); ends {
			return same
		}
	}
}

func (t *twins) object() bool {
	if ends, same := t.open('}'); ends {
		return same
	}
	first, sorted := len(t.names), true
	for {
		name := t.plain()
		if name == nil {
			t.lost = true
			return false
		}
		if sorted = sorted && (len(t.names) == first || bytes.Compare(t.names[len(t.names)-1], name) < 0); !sorted && !t.isNew(name, t.names[first:]) {
			return false
		}
		t.names = append(t.names, name)
		if t.a.Colon() != nil || t.b.Colon() != nil || !t.value() {
			return false
		}
		if ends, same := t.next('}'); ends {
			t.forget(first)
			return same
		}
	}
}

// isNew reports whether a name differs from those before it. If there are very many, the walk is lost.
func (t *twins) isNew(name []byte, before [][]byte) bool {
	if len(before) > maxUnsorted {
		t.lost = true
		return false
	}
	for _, other := range before {
		if bytes.Equal(name, other) {
			return false
		}
	}
	return true
}

// plain reads a string without escapes that both documents spell alike, and returns it. Otherwise it returns nil and reads nothing.
func (t *twins) plain() []byte {
	if t.a.Peek() != '"' {
		return nil
	}
	start := t.a.At + 1
	end := PlainEnd(t.a.Raw, start) + 1
	if end > len(t.a.Raw) || t.a.Raw[end-1] != '"' || !t.cut(t.a.Raw[t.a.At:end]) {
		return nil
	}
	t.a.At = end
	return t.a.Raw[start : end-1]
}

// cut reads a token of b, if it is next.
func (t *twins) cut(token []byte) bool {
	rest := t.b.Raw[t.b.At:]
	if len(rest) < len(token) || string(rest[:len(token)]) != string(token) {
		return false
	}
	t.b.At += len(token)
	return true
}

func (t *twins) text() bool {
	for i, s := range []*Scanner{&t.a, &t.b} {
		text, end, problem := AppendText(t.texts[i][:0], s.Raw, s.At)
		if t.texts[i] = text; problem != nil {
			return false
		}
		s.At = end
	}
	return bytes.Equal(t.texts[0], t.texts[1])
}

func (t *twins) word(name string) bool {
	return t.a.Literal(name) == nil && t.b.Literal(name) == nil
}

// number reads a number, which is spelled alike. If b goes on, no comma is found where one is due.
func (t *twins) number() bool {
	start := t.a.At
	d, problem := t.a.readNumber()
	return problem == nil && d.inRange() && t.cut(t.a.Raw[start:t.a.At])
}
