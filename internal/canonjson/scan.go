package canonjson

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Scanner steps through raw JSON token by token. It is for code that needs the offsets of values
// and not their meaning.
//
//   - It checks the grammar of RFC 8259 and [MaxDepth]: problems are "invalid-json" and "too-deep".
//   - It checks neither the encoding of text nor the range of numbers, and accepts invalid UTF-8
//     and lone surrogates, as encoding/json does.
//   - It allocates nothing but problems.
type Scanner struct {
	Raw   []byte
	At    int // offset of the next byte
	depth int
}

// NewScanner returns a Scanner of raw.
func NewScanner(raw []byte) Scanner { return Scanner{Raw: raw} }

// Begin skips to the value. A byte-order mark is a problem.
func (s *Scanner) Begin() *fault.Error {
	if bytes.HasPrefix(s.Raw, []byte("\ufeff")) {
		return invalidJSON(0, "a byte-order mark")
	}
	s.SkipSpace()
	return nil
}

// End checks that nothing but white space follows the value.
func (s *Scanner) End() *fault.Error {
	s.SkipSpace()
	if s.At < len(s.Raw) {
		return invalidJSON(s.At, "something follows the value")
	}
	return nil
}

// Depth is the number of objects and arrays around the next byte.
func (s *Scanner) Depth() int { return s.depth }

// Peek returns the next byte, or 0 at the end. A NUL is never valid JSON.
func (s *Scanner) Peek() byte {
	if s.At < len(s.Raw) {
		return s.Raw[s.At]
	}
	return 0
}

// SkipSpace skips JSON's white space. In most places there is none.
func (s *Scanner) SkipSpace() {
	if s.At < len(s.Raw) && s.Raw[s.At] <= ' ' {
		s.skipSpace()
	}
}

func (s *Scanner) skipSpace() {
	for s.At < len(s.Raw) {
		switch s.Raw[s.At] {
		case ' ', '\t', '\n', '\r':
			s.At++
		default:
			return
		}
	}
}

// Open enters an object or array, up to its first member or element. If it is empty, the closing
// bracket is read as well.
func (s *Scanner) Open(closing byte) (empty bool, err *fault.Error) {
	if s.depth == MaxDepth {
		return false, tooDeep(s.At)
	}
	s.At++
	s.SkipSpace()
	if empty = s.Peek() == closing; empty {
		s.At++
		return true, nil
	}
	s.depth++
	return false, nil
}

// Next reads a comma or the closing bracket, and the white space around a comma.
func (s *Scanner) Next(closing byte) (last bool, err *fault.Error) {
	s.SkipSpace()
	switch s.Peek() {
	case closing:
		s.At++
		s.depth--
		return true, nil
	case ',':
		s.At++
		s.SkipSpace()
		return false, nil
	default:
		return false, invalidJSON(s.At, "neither a comma nor the closing bracket")
	}
}

// Comma reads a comma, unless white space stands around it. It is small enough to be inlined.
func (s *Scanner) Comma() bool {
	at := s.At + 1
	if at >= len(s.Raw) || s.Raw[at-1] != ',' || s.Raw[at] <= ' ' {
		return false
	}
	s.At = at
	return true
}

// Each reads an object or array. It calls item with the index of each member or element, at its
// first byte; item reads it.
func (s *Scanner) Each(item func(i int) *fault.Error) *fault.Error {
	closing := s.Peek() + 2 // in ASCII
	last, err := s.Open(closing)
	for i := 0; !last && err == nil; i++ {
		if err = item(i); err == nil {
			last, err = s.Next(closing)
		}
	}
	return err
}

// Name reads a member's name and the colon, up to its value. The name is raw[start:end], without
// its quotes and with its escapes.
func (s *Scanner) Name() (start, end int, err *fault.Error) {
	if s.Peek() != '"' {
		return 0, 0, s.noName()
	}
	start = s.At + 1
	if err = s.skipString(); err != nil {
		return 0, 0, err
	}
	end = s.At - 1
	return start, end, s.Colon()
}

func (s *Scanner) noName() *fault.Error { return invalidJSON(s.At, "no member name where one is due") }

// Colon reads the colon after a member's name, with the white space around it.
func (s *Scanner) Colon() *fault.Error {
	s.SkipSpace()
	if s.Peek() != ':' {
		return invalidJSON(s.At, "no colon after a member name")
	}
	s.At++
	s.SkipSpace()
	return nil
}

// Text reads a string, such as a member's name, and returns its text: a part of Raw if all of it is
// ASCII without escapes, otherwise the new content of scratch. After a problem nothing has been
// read.
func (s *Scanner) Text(scratch *[]byte) (text []byte, err *fault.Error) {
	if s.Peek() != '"' {
		return nil, s.noName()
	}
	start := s.At + 1
	if end := plainEnd(s.Raw, start); end < len(s.Raw) && s.Raw[end] == '"' {
		s.At = end + 1
		return s.Raw[start:end], nil
	}
	end, err := scanString(s.Raw, start)
	if err != nil {
		return nil, err
	}
	if *scratch, err = appendUnescaped((*scratch)[:0], s.Raw[start:end], start); err == nil {
		s.At = end + 1
	}
	return *scratch, err
}

// AppendText is [Scanner.Text] and appends the canonical text of the string. After a problem nothing
// has been read, and dst is returned unchanged; its spare capacity may be overwritten.
func (s *Scanner) AppendText(dst []byte, scratch *[]byte) (appended, text []byte, err *fault.Error) {
	at := s.At
	if s.Peek() == '"' {
		copied, size, escapes := appendASCII(dst, s.Raw[at:])
		if size > 0 && escapes == 0 {
			s.At += size
			return copied, s.Raw[at+1 : s.At-1], nil
		}
	}
	if text, err = s.Text(scratch); err != nil {
		return dst, nil, err
	}
	spelled := s.Raw[at:s.At]
	if len(text) == len(spelled)-len(`""`) { // each escape is longer than its character
		return append(dst, spelled...), text, nil
	}
	return appendQuoted(dst, text), text, nil
}

// AppendString is [Scanner.AppendText] for a caller that does not need the string itself.
func (s *Scanner) AppendString(dst []byte, scratch *[]byte) ([]byte, *fault.Error) {
	if s.Peek() == '"' {
		if copied, size, _ := appendASCII(dst, s.Raw[s.At:]); size > 0 {
			s.At += size
			return copied, nil
		}
	}
	dst, _, err := s.AppendText(dst, scratch)
	return dst, err
}

// AppendValue reads a value of any kind and appends its canonical text. Problems are those of the
// function [AppendValue]. After a problem nothing has been read, and dst is returned as it was.
func (s *Scanner) AppendValue(dst []byte) ([]byte, *fault.Error) {
	p := parsers.Get().(*parser)
	defer p.release()
	p.Scanner = *s
	if err := p.value(); err != nil {
		return dst, err
	}
	s.At = p.At
	return append(dst, p.text...), nil
}

// Scalar reads a value that is neither object nor array.
func (s *Scanner) Scalar() *fault.Error {
	switch s.Peek() {
	case '"':
		return s.skipString()
	case 't':
		return s.Literal("true")
	case 'f':
		return s.Literal("false")
	case 'n':
		return s.Literal("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		_, err := s.readNumber()
		return err
	default:
		return invalidJSON(s.At, "no value where one is due")
	}
}

// Skip reads a value of any kind.
func (s *Scanner) Skip() *fault.Error {
	switch s.Peek() {
	case '{':
		return s.Each(func(int) *fault.Error {
			if _, _, err := s.Name(); err != nil {
				return err
			}
			return s.Skip()
		})
	case '[':
		return s.Each(func(int) *fault.Error { return s.Skip() })
	default:
		return s.Scalar()
	}
}

// Token reads up to and including the next string or number in well-formed JSON, and returns it in
// its spelling. It is nil at the end.
func (s *Scanner) Token() []byte {
	for ; s.At < len(s.Raw); s.At++ {
		if c := s.Raw[s.At]; c == '"' || StartsNumber(c) {
			start := s.At
			if s.Scalar() != nil {
				return nil
			}
			return s.Raw[start:s.At]
		}
	}
	return nil
}

// maxNaturalDigits is the number of digits that an int64 always holds.
const maxNaturalDigits = 18

// Natural reads a number of at most 18 digits without sign, fraction and exponent. Its canonical text
// is its spelling. Natural is false, and has read nothing, for anything else.
func (s *Scanner) Natural() (n uint64, ok bool) {
	rest := s.Raw[s.At:]
	size := 0
	for ; size < len(rest) && size < maxNaturalDigits && rest[size]-'0' <= 9; size++ {
		n = n*10 + uint64(rest[size]-'0')
	}
	startsWithZero := size > 1 && rest[0] == '0'
	if size == 0 || startsWithZero || !EndsValue(rest[size:]) {
		return 0, false
	}
	s.At += size
	return n, true
}

// StartsNumber reports whether a value that begins with this byte is a number.
func StartsNumber(c byte) bool { return c == '-' || '0' <= c && c <= '9' }

// Check is [Scanner.Skip] for a value that must have a canonical text. Problems are those of
// [AppendValue]. After a problem nothing has been read.
func (s *Scanner) Check() *fault.Error {
	p := parsers.Get().(*parser)
	defer p.release()
	p.Scanner = *s
	p.checks = true
	err := p.value()
	if err == nil {
		s.At = p.At
	}
	return err
}

// Literal reads a value that is spelled in one way only.
func (s *Scanner) Literal(name string) *fault.Error {
	if !bytes.HasPrefix(s.Raw[s.At:], []byte(name)) {
		return invalidJSON(s.At, "no value where one is due")
	}
	s.At += len(name)
	return nil
}

func (s *Scanner) readNumber() (number, *fault.Error) {
	n, end, ok := scanNumber(s.Raw[s.At:])
	if !ok {
		return n, invalidJSON(s.At+end, "malformed number")
	}
	s.At += end
	return n, nil
}

func (s *Scanner) skipString() *fault.Error {
	end, err := scanString(s.Raw, s.At+1)
	if err == nil {
		s.At = end + 1
	}
	return err
}

// SameTokens reports whether text begins with a value that differs from a well-formed one at most in
// JSON's white space, so that it is well-formed and means the same. Size is its length in text. No
// white space stands around the well-formed value.
func SameTokens(value, text []byte) (size int, ok bool) {
	at := 0
	to := 0
	before := byte(',')
	for at < len(value) {
		start := to
		at = spaceEnd(value, at)
		to = spaceEnd(text, to)
		if to == len(text) || value[at] != text[to] {
			return 0, false
		}
		separatesTokens := to > start && !isPunctuation(before) && !isPunctuation(value[at])
		if separatesTokens {
			return 0, false
		}
		before = value[at]
		at++
		to++
		if before != '"' {
			continue
		}
		length, ok := sameString(value[at:], text[to:])
		if !ok {
			return 0, false
		}
		at += length
		to += length
	}
	return to, EndsValue(text[to:])
}

// sameString reports whether text begins with the bytes of a well-formed string, which is given from
// behind its opening quote on and ends somewhere, and returns the string's length with the closing quote.
func sameString(body, text []byte) (size int, ok bool) {
	for at := 0; ; at++ {
		for at+8 <= min(len(body), len(text)) {
			x := load(body, at)
			if special(x) != 0 || x != load(text, at) {
				break
			}
			at += 8
		}
		if at >= len(text) || body[at] != text[at] {
			return 0, false
		}
		switch body[at] {
		case '"':
			return at + 1, true
		case '\\':
			at++
			if at >= len(text) || body[at] != text[at] {
				return 0, false
			}
		}
	}
}

// EndsValue reports whether what follows the bytes of a value does not continue it.
func EndsValue(rest []byte) bool {
	return len(rest) == 0 || isSpace(rest[0]) || isPunctuation(rest[0])
}

func spaceEnd(text []byte, at int) int {
	for at < len(text) && text[at] <= ' ' && isSpace(text[at]) {
		at++
	}
	return at
}

func isSpace(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

func isPunctuation(c byte) bool {
	switch c {
	case ',', ':', '{', '}', '[', ']':
		return true
	}
	return false
}

// SameText reports whether two JSON strings, given without their quotes, mean the same text. The
// second is canonical, as [AppendString] writes it. SameText allocates nothing.
func SameText(body []byte, canonical string) bool {
	for {
		plain := bytes.IndexByte(body, '\\')
		if plain < 0 {
			return string(body) == canonical
		}
		r, size, ok := escaped(body[plain:])
		if !ok || len(canonical) < plain || string(body[:plain]) != canonical[:plain] {
			return false
		}
		var text, spelled [8]byte
		canonical, ok = strings.CutPrefix(canonical[plain:],
			string(AppendEscaped(spelled[:0], utf8.AppendRune(text[:0], r))))
		if !ok {
			return false
		}
		body = body[plain+size:]
	}
}
