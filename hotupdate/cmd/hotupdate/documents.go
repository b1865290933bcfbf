package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// stdin is the file argument that stands for standard input.
const stdin = "-"

// maxDocumentSize bounds one manifest. A resource cannot exceed 1.5 MiB in a cluster; a list of them may be larger.
const maxDocumentSize = 10 << 20

// document is one manifest as JSON. From names its file and position for messages.
type document struct {
	from string
	raw  []byte
}

// documents reads the manifests of files, of directories and, for -, of standard input, one at a time: however many there are, only one
// is in memory.
//
//   - A file holds YAML documents, or JSON ones; empty documents are passed over.
//   - A list as kubectl writes it is passed on item by item.
//   - Of a directory, and of those below it, the files are read that end in .yaml, .yml or .json, in the order of their names. Hidden
//     ones are left out.
//
// An error names its file, and ends the reading of that file only.
func documents(paths []string, in io.Reader) iter.Seq2[document, error] {
	return func(yield func(document, error) bool) {
		for _, path := range paths {
			if !readPath(path, in, yield) {
				return
			}
		}
	}
}

// readPath reads a file, a directory or standard input, and reports whether to go on.
func readPath(path string, in io.Reader, yield func(document, error) bool) bool {
	if path == stdin {
		return readStream("standard input", in, yield)
	}
	more := true
	_ = filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error { // which returns no error but of this function
		hidden := at != path && strings.HasPrefix(filepath.Base(at), ".")
		switch {
		case err != nil:
			more = yield(document{}, withPlace(at, err))
		case hidden && entry.IsDir():
			return fs.SkipDir
		case hidden || entry.IsDir():
		case at == path || slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(at)):
			more = readFile(at, yield)
		}
		if !more {
			return fs.SkipAll
		}
		return nil
	})
	return more
}

func readFile(path string, yield func(document, error) bool) bool {
	file, err := os.Open(path)
	if err != nil {
		return yield(document{}, withPlace(path, err))
	}
	defer file.Close() //nolint:errcheck // it was only read
	return readStream(path, file, yield)
}

// withPlace prefixes an error with the file and position, and drops the path that package os put into it.
func withPlace(from string, err error) error {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		err = pathError.Err
	}
	return fmt.Errorf("%s: %w", from, err)
}

// readStream reads the documents of one file.
func readStream(from string, in io.Reader, yield func(document, error) bool) bool {
	s := &splitter{in: bufio.NewReaderSize(in, 64<<10)}
	for n := 1; ; {
		chunk, err := s.next()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			return yield(document{}, withPlace(from, err))
		}
		raws, err := toJSON(chunk)
		if err != nil {
			return yield(document{}, inFile(from, err))
		}
		for _, raw := range raws {
			if !yieldItems(document{place(from, n), raw}, yield) {
				return false
			}
			n++
		}
	}
}

// place names a document of a file. The first has the name of the file.
func place(from string, n int) string {
	if n == 1 {
		return from
	}
	return fmt.Sprintf("%s, document %d", from, n)
}

// yieldItems passes a document on, or the items of a list.
func yieldItems(d document, yield func(document, error) bool) bool {
	var list struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
	}
	if json.Unmarshal(d.raw, &list) != nil || list.Items == nil || !strings.HasSuffix(list.Kind, "List") {
		return yield(d, nil)
	}
	for i, item := range list.Items {
		if !yield(document{fmt.Sprintf("%s, items[%d]", d.from, i), item}, nil) {
			return false
		}
	}
	return true
}

// splitter cuts a stream of YAML documents at the lines that begin with ---, where YAML allows no content. JSON has no such lines.
type splitter struct {
	in      *bufio.Reader
	ended   error  // why there are no more lines
	chunk   []byte // the document at hand
	marked  bool   // it has begun with ---, which directives may precede
	content bool   // there is more in it than comments, directives and the marker
}

// next returns the next document that has any content, or io.EOF.
func (s *splitter) next() ([]byte, error) {
	for s.ended == nil {
		line, err := s.line(len(s.chunk))
		if err != nil && !errors.Is(err, io.EOF) {
			s.ended = io.EOF
			return nil, err
		}
		s.ended = err
		begins, ends := isMarker(line, "---"), isMarker(line, "...")
		if !ends && (!begins || !s.marked && !s.content) {
			s.take(line)
			continue
		}
		chunk, content := s.chunk, s.content
		s.chunk, s.marked, s.content = nil, false, false
		if begins {
			s.take(line)
		}
		if content {
			return chunk, nil
		}
	}
	if !s.content {
		return nil, io.EOF
	}
	s.content = false
	return s.chunk, nil
}

// take adds a line to the document.
func (s *splitter) take(line []byte) {
	s.chunk = append(s.chunk, line...)
	rest := bytes.TrimSpace(line)
	if isMarker(line, "---") {
		s.marked = true
		rest = bytes.TrimSpace(rest[len("---"):])
	}
	if len(rest) > 0 && rest[0] != '#' && (s.marked || rest[0] != '%') {
		s.content = true
	}
}

// line returns the next line with its end. Together with what was read before it must not exceed the limit.
func (s *splitter) line(before int) ([]byte, error) {
	var line []byte
	for {
		piece, err := s.in.ReadSlice('\n')
		line = append(line, piece...)
		if before+len(line) > maxDocumentSize {
			return nil, fmt.Errorf("is larger than %d MiB; write one manifest in a document", maxDocumentSize>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// isMarker reports whether a line is a document marker, with or without content after the marker.
func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}
