package canonjson

import (
	"slices"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// MaxDepth bounds how deep objects and arrays may nest. A scalar has depth 0, [] has depth 1.
const MaxDepth = 1000

// maxPooled is the length of the longest text whose memory is kept for reuse.
const maxPooled = 32 << 10

var parsers = sync.Pool{New: func() any { return new(parser) }}

// AppendValue appends the canonical text of the one JSON value in raw, which may have white space
// around it.
//
//   - Anything but one value of RFC 8259, a byte-order mark included, is "invalid-json".
//   - Invalid UTF-8 in a string, and a lone surrogate, are "invalid-utf8".
//   - A name that occurs twice in an object is "duplicate-member".
//   - A number beyond [MaxExponent] is "number-range", nesting beyond [MaxDepth] is "too-deep".
//
// It returns the first problem that it finds; names are compared at the end of their object. Time
// and memory are linear in the length of raw, except for sorting the members of each object. Dst
// and raw may overlap.
func AppendValue(dst, raw []byte) ([]byte, *fault.Error) {
	p := parsers.Get().(*parser)
	defer p.release()
	p.Scanner = NewScanner(raw)
	p.text = slices.Grow(p.text, len(raw))
	if err := p.document(); err != nil {
		return dst, err
	}
	return p.outline.appendSorted(dst, p.text), nil
}

// parser writes raw as canonical text, except for the order of members. The members are sorted at
// the end, in one pass: if every object were sorted at its end, the innermost would be moved once
// per level.
type parser struct {
	Scanner

	text    []byte
	scratch []byte
	outline outline

	checks bool // only problems are wanted: nothing is kept of objects that have ended
}

func (p *parser) release() {
	if cap(p.text) > maxPooled {
		return
	}
	*p = parser{text: p.text[:0], scratch: p.scratch, outline: p.outline.reset()}
	parsers.Put(p)
}

func (p *parser) document() *fault.Error {
	if err := p.Begin(); err != nil {
		return err
	}
	if err := p.value(); err != nil {
		return err
	}
	return p.End()
}

func (p *parser) value() (err *fault.Error) {
	switch p.Peek() {
	case '{':
		return p.object()
	case '[':
		return p.each(']', (*parser).value)
	case '"':
		_, err = p.string()
		return err
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return p.number()
	default:
		return p.word()
	}
}

// open reads an opening bracket, and the closing one if nothing is between them.
func (p *parser) open(closing byte) (empty bool, err *fault.Error) {
	opening := p.Peek()
	if empty, err = p.Open(closing); err != nil {
		return false, err
	}
	p.text = append(p.text, opening)
	if empty {
		p.text = append(p.text, closing)
	}
	return empty, nil
}

// each reads the members or elements between brackets.
func (p *parser) each(closing byte, item func(*parser) *fault.Error) *fault.Error {
	if empty, err := p.open(closing); empty || err != nil {
		return err
	}
	for {
		if err := item(p); err != nil {
			return err
		}
		if last, err := p.separator(closing); last || err != nil {
			return err
		}
	}
}

func (p *parser) object() *fault.Error {
	start, outer := len(p.text), p.outline.begin(len(p.text))
	if err := p.each('}', (*parser).member); err != nil {
		return err
	}
	inOrder, err := p.outline.sort(outer)
	switch {
	case err != nil:
		return err
	case p.checks:
		p.text = p.text[:start]
		p.outline.forget(outer)
	case inOrder && p.outline.isFlat(outer):
		p.outline.forget(outer)
	default:
		p.outline.keep(outer, len(p.text))
	}
	return nil
}

func (p *parser) member() *fault.Error {
	m := member{offset: p.At, start: len(p.text), name: len(p.outline.names), object: len(p.outline.objects)}
	if p.Peek() != '"' {
		return invalidJSON(p.At, "no member name where one is due")
	}
	name, err := p.string()
	if err != nil {
		return err
	}
	p.outline.names = append(p.outline.names, name...)
	m.nameEnd = len(p.outline.names)
	if err = p.Colon(); err != nil {
		return err
	}
	p.text = append(p.text, ':')
	if err = p.value(); err != nil {
		return err
	}
	m.end = len(p.text)
	p.outline.open = append(p.outline.open, m)
	return nil
}

func (p *parser) separator(closing byte) (last bool, err *fault.Error) {
	last, err = p.Next(closing)
	switch {
	case err != nil:
		return false, err
	case last:
		p.text = append(p.text, closing)
	default:
		p.text = append(p.text, ',')
	}
	return last, nil
}

// string reads a string and returns its text, unescaped. The next call overwrites it.
func (p *parser) string() ([]byte, *fault.Error) {
	at := p.At
	text, err := p.Text(&p.scratch)
	if err != nil {
		return nil, err
	}
	if spelled := p.Raw[at:p.At]; len(text) == len(spelled)-len(`""`) { // each escape is longer than its character
		p.text = append(p.text, spelled...)
	} else {
		p.text = appendQuoted(p.text, text)
	}
	return text, nil
}

func (p *parser) number() *fault.Error {
	at := p.At
	n, err := p.readNumber()
	if err != nil {
		return err
	}
	var ok bool
	if p.text, ok = n.append(p.text); !ok {
		return numberRange(at)
	}
	return nil
}

// word reads true, false or null.
func (p *parser) word() *fault.Error {
	at := p.At
	err := p.Scalar()
	p.text = append(p.text, p.Raw[at:p.At]...)
	return err
}
