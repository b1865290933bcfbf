package canonjson

import (
	"bytes"
	"cmp"
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
// It returns the first problem that it finds; names are compared at the end of their object. Memory
// is linear in the length of raw. So is time, except that members are sorted, and that members out
// of order are moved once on each level. Dst and raw may overlap.
func AppendValue(dst, raw []byte) ([]byte, *fault.Error) {
	p := parsers.Get().(*parser)
	defer p.release()
	p.Scanner = NewScanner(raw)
	p.text = slices.Grow(p.text, len(raw))
	if err := p.document(); err != nil {
		return dst, err
	}
	return append(dst, p.text...), nil
}

// parser writes raw as canonical text. It sorts the members of an object at the object's end.
type parser struct {
	Scanner

	text    []byte
	scratch []byte   // the last name or text with escapes
	members []member // of the objects around the current value, innermost last
	names   []byte   // of these members, unescaped

	checks bool // only problems are wanted: the text of objects that have ended is dropped
}

// member is a member at text[start:end], from its name to the end of its value.
type member struct {
	name, nameEnd int // in names
	start, end    int
	offset        int // in the input, for problems
}

func (p *parser) release() {
	if cap(p.text) > maxPooled {
		return
	}
	*p = parser{text: p.text[:0], scratch: p.scratch, members: p.members[:0], names: p.names[:0]}
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
		return p.each(p.value)
	case '"':
		_, err = p.string()
		return err
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return p.number()
	default:
		return p.word()
	}
}

// each reads the members or elements between brackets.
func (p *parser) each(item func() *fault.Error) *fault.Error {
	opening := p.Peek()
	p.text = append(p.text, opening)
	err := p.Each(func(i int) *fault.Error {
		if i > 0 {
			p.text = append(p.text, ',')
		}
		return item()
	})
	p.text = append(p.text, opening+2) // in ASCII
	return err
}

func (p *parser) object() *fault.Error {
	start := len(p.text)
	first := len(p.members)
	names := len(p.names)
	err := p.each(p.member)
	if err == nil {
		err = p.sort(start, p.members[first:])
	}
	if p.checks {
		p.text = p.text[:start]
	}
	p.members = p.members[:first]
	p.names = p.names[:names]
	return err
}

// sort sorts the members of the object that ends, the text from start on. Names that occur twice
// are a problem.
func (p *parser) sort(start int, own []member) *fault.Error {
	isSorted := slices.IsSortedFunc(own, p.compare)
	if !isSorted {
		slices.SortFunc(own, p.compare)
	}
	for i := 1; i < len(own); i++ {
		if bytes.Equal(p.nameOf(own[i-1]), p.nameOf(own[i])) {
			return duplicateMember(own[i].offset)
		}
	}
	if isSorted || p.checks {
		return nil
	}
	end := len(p.text)
	before := byte('{')
	for _, m := range own {
		p.text = append(append(p.text, before), p.text[m.start:m.end]...)
		before = ','
	}
	copy(p.text[start:], p.text[end:])
	p.text = append(p.text[:end-1], '}')
	return nil
}

// compare orders members by name, and members of one name by their offset.
func (p *parser) compare(a, b member) int {
	return cmp.Or(bytes.Compare(p.nameOf(a), p.nameOf(b)), cmp.Compare(a.offset, b.offset))
}

func (p *parser) nameOf(m member) []byte { return p.names[m.name:m.nameEnd] }

func (p *parser) member() *fault.Error {
	m := member{offset: p.At, start: len(p.text), name: len(p.names)}
	name, err := p.string()
	if err != nil {
		return err
	}
	p.names = append(p.names, name...)
	m.nameEnd = len(p.names)
	if err = p.Colon(); err != nil {
		return err
	}
	p.text = append(p.text, ':')
	if err = p.value(); err != nil {
		return err
	}
	m.end = len(p.text)
	p.members = append(p.members, m)
	return nil
}

// string reads a string and returns its text, unescaped. The next call overwrites it.
func (p *parser) string() (text []byte, err *fault.Error) {
	p.text, text, err = p.AppendText(p.text, &p.scratch)
	return text, err
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
