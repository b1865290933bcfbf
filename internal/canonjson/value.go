package canonjson

import (
	"bytes"
	"sync"

	"github.com/hotupdate/providerconfig/internal/fault"
)

// MaxDepth bounds how deep objects and arrays may nest. A scalar has depth 0, [] has depth 1.
const MaxDepth = 1000

// maxPooled is the length of the longest input whose memory is kept for another one.
const maxPooled = 32 << 10

var parsers = sync.Pool{New: func() any { return new(parser) }}

// AppendValue appends the canonical text of the one JSON value in raw, which may have white space around it.
//
//   - Anything but one value of RFC 8259, a byte-order mark included, is [fault.InvalidJSON].
//   - Invalid UTF-8 in a string, and a lone surrogate, are [fault.InvalidUTF8].
//   - A name that occurs twice in an object is [fault.DuplicateMember].
//   - A number beyond [MaxExponent] is [fault.NumberRange], nesting beyond [MaxDepth] is [fault.TooDeep].
//
// It returns the first problem that it finds; names are compared where their object ends. Time and memory are linear in the
// length of raw, but for sorting the members of each object. Dst and raw may overlap.
func AppendValue(dst, raw []byte) ([]byte, *fault.Error) {
	p := parsers.Get().(*parser)
	defer p.release()
	p.raw = raw
	if err := p.document(); err != nil {
		return dst, err
	}
	return p.outline.appendSorted(dst, p.text), nil
}

// parser writes raw as canonical text, but for the order of members. That is put right at the end, in one go: if every object were
// sorted where it ends, the innermost would be moved once per level.
type parser struct {
	raw     []byte
	at      int // offset in raw
	depth   int
	text    []byte
	scratch []byte
	outline outline
}

// release empties the parser and keeps its memory for another value.
func (p *parser) release() {
	if len(p.raw) > maxPooled {
		return
	}
	*p = parser{text: p.text[:0], scratch: p.scratch, outline: p.outline.reset()}
	parsers.Put(p)
}

// document reads raw from end to end.
func (p *parser) document() *fault.Error {
	if bytes.HasPrefix(p.raw, []byte("\ufeff")) {
		return invalidJSON(0, "a byte-order mark")
	}
	p.skipSpace()
	if err := p.value(); err != nil {
		return err
	}
	p.skipSpace()
	if p.at < len(p.raw) {
		return invalidJSON(p.at, "something follows the value")
	}
	return nil
}

// value reads one value.
func (p *parser) value() *fault.Error {
	switch p.peek() {
	case '{':
		return p.nested((*parser).object)
	case '[':
		return p.nested((*parser).array)
	case '"':
		return p.str()
	case 't':
		return p.literal("true")
	case 'f':
		return p.literal("false")
	case 'n':
		return p.literal("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return p.number()
	default:
		return invalidJSON(p.at, "no value where one is due")
	}
}

// nested reads an object or an array one level down.
func (p *parser) nested(read func(*parser) *fault.Error) *fault.Error {
	if p.depth == MaxDepth {
		return tooDeep(p.at)
	}
	p.depth++
	err := read(p)
	p.depth--
	return err
}

// array reads an array and the white space in it.
func (p *parser) array() *fault.Error {
	p.copyByte()
	p.skipSpace()
	if p.peek() == ']' {
		p.copyByte()
		return nil
	}
	for {
		if err := p.value(); err != nil {
			return err
		}
		if last, err := p.separator(']'); last || err != nil {
			return err
		}
	}
}

// object reads an object and the white space in it.
func (p *parser) object() *fault.Error {
	index, base := p.outline.begin(len(p.text))
	if err := p.members(); err != nil {
		return err
	}
	return p.outline.end(index, base, len(p.text))
}

// members reads an object with its brackets.
func (p *parser) members() *fault.Error {
	p.copyByte()
	p.skipSpace()
	if p.peek() == '}' {
		p.copyByte()
		return nil
	}
	for {
		if err := p.member(); err != nil {
			return err
		}
		if last, err := p.separator('}'); last || err != nil {
			return err
		}
	}
}

// member reads a name, the colon and the value.
func (p *parser) member() *fault.Error {
	m := member{offset: p.at, start: len(p.text), name: len(p.outline.names), object: len(p.outline.objects)}
	if p.peek() != '"' {
		return invalidJSON(p.at, "no member name where one is due")
	}
	var err *fault.Error
	if p.outline.names, err = p.appendText(p.outline.names); err != nil {
		return err
	}
	m.nameEnd = len(p.outline.names)
	p.skipSpace()
	if p.peek() != ':' {
		return invalidJSON(p.at, "no colon after a member name")
	}
	p.copyByte()
	p.skipSpace()
	if err = p.value(); err != nil {
		return err
	}
	m.end = len(p.text)
	p.outline.add(m)
	return nil
}

// separator reads a comma or the closing bracket, and the white space around a comma.
func (p *parser) separator(closing byte) (last bool, err *fault.Error) {
	p.skipSpace()
	switch p.peek() {
	case closing:
		p.copyByte()
		return true, nil
	case ',':
		p.copyByte()
		p.skipSpace()
		return false, nil
	default:
		return false, invalidJSON(p.at, "neither a comma nor the closing bracket")
	}
}

// str reads a string.
func (p *parser) str() (err *fault.Error) {
	p.scratch, err = p.appendText(p.scratch[:0])
	return err
}

// appendText reads a string and appends its text, unescaped, to dst.
func (p *parser) appendText(dst []byte) ([]byte, *fault.Error) {
	start := p.at + 1
	end, err := scanString(p.raw, start)
	if err != nil {
		return dst, err
	}
	mark := len(dst)
	if dst, err = appendUnescaped(dst, p.raw[start:end], start); err != nil {
		return dst, err
	}
	p.text = appendQuoted(p.text, dst[mark:])
	p.at = end + 1
	return dst, nil
}

// number reads a number.
func (p *parser) number() *fault.Error {
	d, end, ok := scanNumber(p.raw[p.at:])
	if !ok {
		return invalidJSON(p.at+end, "malformed number")
	}
	if !d.inRange() {
		return numberRange(p.at)
	}
	p.text = d.append(p.text)
	p.at += end
	return nil
}

// literal reads true, false or null.
func (p *parser) literal(name string) *fault.Error {
	if !bytes.HasPrefix(p.raw[p.at:], []byte(name)) {
		return invalidJSON(p.at, "no value where one is due")
	}
	p.text = append(p.text, name...)
	p.at += len(name)
	return nil
}

// peek returns the next byte, or 0 at the end, which is as wrong there as a NUL in the input.
func (p *parser) peek() byte {
	if p.at < len(p.raw) {
		return p.raw[p.at]
	}
	return 0
}

// copyByte takes the next byte over into the text.
func (p *parser) copyByte() {
	p.text = append(p.text, p.raw[p.at])
	p.at++
}

// skipSpace skips what JSON calls white space.
func (p *parser) skipSpace() {
	for p.at < len(p.raw) {
		switch p.raw[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}
