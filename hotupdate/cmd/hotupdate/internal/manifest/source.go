package manifest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// source is a stream with unlimited lookahead.
type source struct {
	*bufio.Reader

	line int   // of the next byte, counted from 1
	err  error // why the lookahead ended
}

// readAhead is the number of bytes that are read at once. Longer lines are read in parts.
const readAhead = 8 << 10

// errZstd refuses zstd. A package that reads it would be most of the command's downloads, for few
// users.
var errZstd = errors.New("is compressed by zstd; decompress it: zstd -dc FILE | hotupdate audit … -")

// decompress returns the decompressed stream for gzip, and any other stream unchanged.
func decompress(in io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(in)
	magic, _ := buffered.Peek(4) // a shorter stream is not compressed, and reading returns the error again
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return gzip.NewReader(buffered)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return nil, errZstd
	}
	return buffered, nil
}

// failure is the reason why the stream broke off; nil at its end.
func (s *source) failure() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// ahead returns the buffered bytes from the next byte on: at least n bytes, unless the stream ends
// before.
func (s *source) ahead(n int) []byte {
	if n > s.Buffered() && s.err == nil {
		if n > s.Size() {
			s.Reader = bufio.NewReaderSize(s.Reader, 2*n)
		}
		_, s.err = s.Peek(n)
	}
	held, _ := s.Peek(s.Buffered())
	return held
}

// skip skips n buffered bytes.
func (s *source) skip(n int) {
	s.line += bytes.Count(s.ahead(n)[:n], []byte("\n"))
	_, _ = s.Discard(n)
}

// take is [source.skip], and returns a copy of the bytes.
func (s *source) take(n int) []byte {
	text := bytes.Clone(s.ahead(n)[:n])
	s.skip(n)
	return text
}

// skipSpace skips white space and returns the next byte, 0 at the end.
func (s *source) skipSpace() byte {
	for held := s.ahead(1); len(held) > 0; held = s.ahead(1) {
		rest := bytes.TrimLeft(held, " \t\r\n")
		s.skip(len(held) - len(rest))
		if len(rest) > 0 {
			return rest[0]
		}
	}
	return 0
}

// nextLine returns the next line with its end, or the beginning of a long one. It is empty at the
// end of the stream.
func (s *source) nextLine() []byte {
	for n := 1; ; {
		held := s.ahead(n)
		if end := bytes.IndexByte(held, '\n'); end >= 0 {
			return held[:end+1]
		}
		if len(held) < n || len(held) >= readAhead/2 {
			return held
		}
		n = len(held) + 1
	}
}

// lines reads lines while wanted returns true. More than [MaxSize] bytes are an error, and are
// dropped.
func (s *source) lines(wants func(line []byte) bool) (text []byte, err error) {
	for begins := true; ; { // a line, of which only a part may be buffered
		line := s.nextLine()
		if len(line) == 0 || begins && !wants(line) {
			return text, err
		}
		if text = append(text, line...); len(text) > MaxSize {
			text = nil
			err = errTooLong
		}
		begins = line[len(line)-1] == '\n'
		s.skip(len(line))
	}
}

// The problems of an object as a whole.
var (
	errTooLong = fmt.Errorf("is larger than %d MiB; write one manifest in a document", MaxSize>>20)
	errEnds    = errors.New("is not valid YAML or JSON: it ends within a JSON value; the file may be cut off")
)

// isBroken reports whether the token at the beginning of the rest is malformed, whatever bytes
// follow: a token spans no lines, and only a string may continue at the end of the stream.
func isBroken(rest []byte, hasEnded bool) bool {
	if bytes.IndexByte(rest, '\n') >= 0 {
		return true
	}
	return hasEnded && len(rest) > 0 && rest[0] != '"'
}

// scan returns the number of bytes of JSON that a function reads. If the buffered bytes end too
// early, scan calls the function again with more. An error is a problem of the JSON.
func (s *source) scan(step func(*canonjson.Scanner) *fault.Error) (int, error) {
	for n := 1; ; {
		scanner := canonjson.NewScanner(s.ahead(n))
		problem := step(&scanner)
		rest := scanner.Raw[scanner.At:]
		hasEnded := len(scanner.Raw) < n
		switch {
		case problem == nil && scanner.At <= MaxSize:
			return scanner.At, nil
		case problem == nil:
			return 0, errTooLong
		case isBroken(rest, hasEnded):
			return 0, jsonError(problem)
		case len(scanner.Raw) > MaxSize:
			return 0, errTooLong
		case hasEnded:
			return 0, errEnds
		}
		n = min(2*len(scanner.Raw), MaxSize) + 1
	}
}

func jsonError(problem *fault.Error) error { return fmt.Errorf("is not valid JSON: %s", problem.What) }
