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
}

// readAhead is how much is read at once.
const readAhead = 256 << 10

func newSource(in io.Reader) *source { return &source{in: in, line: 1} }

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
	n, err := io.ReadAtLeast(s.in, s.held[len(s.held):cap(s.held)], 1)
	s.held, s.err = s.held[:len(s.held)+n], err
	return n > 0
}

// failure is why the stream broke off; nil at its end.
func (s *source) failure() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// setMark keeps what follows.
func (s *source) setMark() { s.mark.at, s.mark.line = s.at, s.line }

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
	for s.at-s.mark.at <= MaxSize {
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
	for s.at+n >= len(s.held) && s.more() {
	}
	if s.at+n < len(s.held) {
		return s.held[s.at+n], true
	}
	return 0, false
}

// elements goes through the members of an object or the elements of an array, each up to the comma behind it.
func (s *source) elements(opening byte, each func(i int) error) error {
	closing := opening + 2 // in ASCII
	if !s.skipByte(opening) {
		return errSyntax
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
	return errSyntax
}

// name goes through the name of a member, up to its value, and returns it without its quotes.
func (s *source) name() (string, error) {
	name, err := s.value()
	if err == nil {
		err = s.expect(':')
	}
	s.skipSpace()
	return name, err
}

// value goes through a JSON value and returns its text; that of a string without its quotes.
func (s *source) value() (string, error) {
	s.skipSpace()
	from := s.at - s.mark.at
	err := s.skipValue()
	return strings.Trim(string(s.marked()[from:]), `"`), err
}

// The problems of JSON that is looked at by brackets and quotes alone.
var (
	errTooLong = fmt.Errorf("is larger than %d MiB; write one manifest in a document", MaxSize>>20)
	errEnds    = errors.New("is no valid YAML or JSON: it ends within a JSON value; the file may be cut off")
	errLine    = errors.New("is no valid YAML or JSON: a line ends within a JSON value")
	errSyntax  = errors.New("is no valid YAML or JSON: a bracket, comma or colon is missing or too many")
)

// skipValue goes to the end of the next JSON value, which it finds by brackets and quotes alone. If there is a problem, it goes nowhere.
func (s *source) skipValue() error {
	limit := MaxSize - (s.at - s.mark.at)
	in, around := byte(0), make([]byte, 0, 32) // what closes the innermost bracket or quote, and those around it
	for n := 0; ; n++ {
		if s.at+n < len(s.held) {
			n += leading(s.held[s.at+n:], &plain[in])
		}
		c, ok := s.ahead(n)
		switch {
		case n >= limit:
			return errTooLong
		case !ok:
			return errEnds
		case plain[in][c]: // which was read just now
		case c == in && in != 0:
			if in, around = around[len(around)-1], around[:len(around)-1]; in == 0 {
				s.skip(n + 1)
				return nil
			}
		case in == '"' && c == '\\':
			n++
		case in == '"', c == '{' && in != 0 && s.beginsLine(n, in):
			return errLine
		case c == '"':
			in, around = c, append(around, in)
		case c == '{' || c == '[':
			in, around = c+2, append(around, in) // in ASCII
		case in == 0: // behind a number or a word
			s.skip(n)
			return nil
		default:
			return errSyntax
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

// leading counts the bytes that a text begins with and that are in a set.
func leading(text []byte, set *[256]bool) int {
	for i, c := range text {
		if !set[c] {
			return i
		}
	}
	return len(text)
}

// plain says which bytes mean nothing within what a byte closes: a string, an object or array, or else a number or word.
var plain = [256][256]bool{'"': except("\"\\\n"), '}': except("\"{}[]"), ']': except("\"{}[]"), 0: except("\"{}[],: \t\r\n")}

func except(bytes string) (set [256]bool) {
	for i := range set {
		set[i] = strings.IndexByte(bytes, byte(i)) < 0
	}
	return set
}
