package manifest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// source is a stream that can go back to a mark. It keeps what was read since the mark, and a little more.
type source struct {
	in   io.Reader
	held []byte
	at   int // the next byte, in held
	line int // of the next byte, counted from 1
	mark struct{ at, line int }
	err  error // why no more can be read

	limit int // of what is read since the mark

	fractions bool // a JSON value since the mark may hold a number with a fraction or an exponent
}

// readAhead is how much is read at once.
const readAhead = 256 << 10

func newSource(in io.Reader) *source { return &source{in: in, line: 1, limit: MaxSize} }

// decompress returns what a stream of gzip or zstd stands for, and any other stream as it is.
func decompress(in io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(in, readAhead)
	magic, _ := buffered.Peek(4) // a shorter stream is not compressed, and an error comes back when the stream is read
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return gzip.NewReader(buffered)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		decoder, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		return decoder.IOReadCloser(), err
	}
	return io.NopCloser(buffered), nil
}

// more reads on and reports whether there was more. What stands before the mark is dropped, and so at may change.
func (s *source) more() bool {
	if s.err != nil {
		return false
	}
	if len(s.held) == cap(s.held) {
		kept := s.held[s.mark.at:]
		if cap(s.held)-len(kept) < readAhead {
			kept = append(make([]byte, 0, 2*(len(kept)+readAhead)), kept...)
		} else {
			kept = s.held[:copy(s.held, kept)]
		}
		s.held, s.at, s.mark.at = kept, s.at-s.mark.at, 0
	}
	for range 100 {
		n, err := s.in.Read(s.held[len(s.held):cap(s.held)])
		s.held, s.err = s.held[:len(s.held)+n], err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// failure is why the stream broke off; nil at its end.
func (s *source) failure() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// setMark keeps what follows.
func (s *source) setMark() { s.mark.at, s.mark.line, s.fractions = s.at, s.line, false }

// rewind goes back to the mark.
func (s *source) rewind() { s.at, s.line = s.mark.at, s.mark.line }

// marked is what stands between the mark and the next byte.
func (s *source) marked() []byte { return s.held[s.mark.at:s.at] }

// skip goes on by so many bytes, which are held.
func (s *source) skip(n int) {
	s.line += bytes.Count(s.held[s.at:s.at+n], []byte("\n"))
	s.at += n
}

// peek returns the next byte, 0 at the end.
func (s *source) peek() byte {
	if s.at < len(s.held) || s.more() {
		return s.held[s.at]
	}
	return 0
}

// peekLine returns the next line with its end, and no more than limit bytes of it. It is empty at the end of the stream.
func (s *source) peekLine(limit int) []byte {
	for searched := 0; ; {
		rest := s.held[s.at:]
		if end := bytes.IndexByte(rest[searched:], '\n'); end >= 0 {
			return rest[:min(searched+end+1, limit)]
		}
		searched = len(rest)
		if searched >= limit || !s.more() {
			return s.held[s.at:][:min(searched, limit)]
		}
	}
}

// skipSpace skips white space, of which there is little.
func (s *source) skipSpace() {
	for s.at-s.mark.at <= s.limit {
		switch s.peek() {
		case '\n':
			s.line++
			s.at++
		case ' ', '\t', '\r':
			s.at++
		default:
			return
		}
	}
}

// skipByte skips white space and then this byte, and reports whether it was there.
func (s *source) skipByte(c byte) bool {
	s.skipSpace()
	found := s.peek() == c
	if found {
		s.at++
	}
	return found
}

// ahead returns the byte that is n bytes away.
func (s *source) ahead(n int) (c byte, ok bool) {
	if s.at+n < len(s.held) || s.more() {
		return s.held[s.at+n], true
	}
	return 0, false
}

// elements goes through the members of an object or the elements of an array, each up to the comma behind it.
func (s *source) elements(opening byte, each func(i int) error) error {
	closing := opening + 2 // in ASCII
	if !s.skipByte(opening) {
		return errFollows
	}
	if s.skipByte(closing) {
		return nil
	}
	for i := 0; ; i++ {
		if err := each(i); err != nil {
			return err
		}
		if s.skipByte(closing) {
			return nil
		}
		if err := s.expect(','); err != nil {
			return err
		}
	}
}

// expect skips white space and then this byte.
func (s *source) expect(c byte) error {
	switch {
	case s.skipByte(c):
		return nil
	case s.at == len(s.held):
		return errEnds
	}
	return errFollows
}

// name goes through the name of a member, up to its value. It stands with its quotes between two offsets from the mark.
func (s *source) name() (from, to int, err error) {
	s.skipSpace()
	from = s.at - s.mark.at
	_, err = s.value()
	to = s.at - s.mark.at
	if err == nil {
		err = s.expect(':')
	}
	s.skipSpace()
	return from, to, err
}

// value goes through a JSON value and returns its text, which is held until more is read.
func (s *source) value() ([]byte, error) {
	s.skipSpace()
	from := s.at - s.mark.at
	err := s.skipValue(s.limit - from)
	return s.marked()[from:], err
}

// The problems of JSON that is looked at by brackets and quotes alone.
var (
	errTooLong  = fmt.Errorf("is larger than %d MiB; write one manifest in a document", MaxSize>>20)
	errEnds     = errors.New("is no valid YAML or JSON: it ends within a JSON value; the file may be cut off")
	errLine     = errors.New("is no valid YAML or JSON: a line ends within a JSON value")
	errNewline  = errors.New("is no valid YAML or JSON: a line ends within a JSON string")
	errFollows  = errors.New("is no valid YAML or JSON: something else follows where a JSON value ends")
	errBrackets = errors.New("is no valid YAML or JSON: its brackets do not match")
)

// skipValue goes to the end of the next JSON value, which it finds by brackets and quotes alone. If there is a problem, or the value is
// longer than the limit, it goes nowhere.
func (s *source) skipValue(limit int) error {
	var open []byte // by what closes the brackets
	plain := &isScalar
	for n := 0; ; n++ {
		n += leading(s.held[min(s.at+n, len(s.held)):], plain)
		c, ok := s.ahead(n)
		switch {
		case n >= limit:
			return errTooLong
		case !ok:
			return errEnds
		case c == '"':
			end, err := s.stringEnd(n, limit)
			if err != nil {
				return err
			}
			n = end
		case c == '{' && len(open) > 0 && s.in != nil && s.beginsLine(n, open[len(open)-1]):
			return errLine
		case c == '{' || c == '[':
			open, plain = append(open, c+2), &isNested // in ASCII
			continue
		case len(open) == 0 && strings.IndexByte("}], \t\r\n", c) >= 0: // behind a number or a word
			s.skip(n)
			return nil
		case c == '}' || c == ']':
			if open[len(open)-1] != c {
				return errBrackets
			}
			open = open[:len(open)-1]
		case c == '.' || c == 'E' || c == 'e' && n > 0 && s.held[s.at+n-1] <= '9':
			s.fractions = true
			continue
		default:
			continue
		}
		if len(open) == 0 {
			s.skip(n + 1)
			return nil
		}
	}
}

// beginsLine reports whether the { that is n bytes away begins a JSON value of its own, since it begins a line and nothing announces an element
// there. So a line of JSON that is cut off is told from those behind it. Objects that are written over several lines are indented, but for
// the elements of lists.
func (s *source) beginsLine(n int, closing byte) bool {
	before := s.held[s.at : s.at+n]
	if before[n-1] != '\n' {
		return false
	}
	before = bytes.TrimRight(before, " \t\r\n")
	last := before[len(before)-1]
	return closing != ']' || last != ',' && last != '['
}

// stringEnd tells how many bytes away the closing quote is of the string that begins n bytes away.
func (s *source) stringEnd(n, limit int) (int, error) {
	for n++; ; n++ {
		n += leading(s.held[min(s.at+n, len(s.held)):], &isText)
		c, ok := s.ahead(n)
		switch {
		case n >= limit:
			return 0, errTooLong
		case !ok:
			return 0, errEnds
		case c == '"':
			return n, nil
		case c == '\n':
			return 0, errNewline
		case c == '\\':
			if next, _ := s.ahead(n + 1); next != '\n' {
				n++
			}
		}
	}
}

// leading counts the bytes that a text begins with and that are in a set.
func leading(text []byte, set *[256]bool) int {
	for i, c := range text {
		if !set[c] {
			return i
		}
	}
	return len(text)
}

// These say which bytes mean nothing in a JSON string, in a number or word, and between the strings and brackets of an object.
var isText, isScalar, isNested = except("\"\\\n"), except("\"{}[],.eE \t\r\n"), except("\"{}[].eE")

func except(bytes string) (set [256]bool) {
	for i := range set {
		set[i] = strings.IndexByte(bytes, byte(i)) < 0
	}
	return set
}
