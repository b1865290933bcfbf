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

// documents reads the manifests of files, of directories and, for -, of standard input. Only one of them is in memory at a time.
//
//   - A file holds YAML documents, or JSON ones; empty documents are passed over.
//   - A list as kubectl writes it is passed on item by item.
//   - Of a directory, and of those below it, the files .yaml, .yml and .json are read in the order of their names, hidden ones left out.
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
			more = yield(document{}, inFile(at, err))
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
		return yield(document{}, inFile(path, err))
	}
	defer file.Close() //nolint:errcheck // it was only read
	return readStream(path, file, yield)
}

// readStream reads the documents of one file.
func readStream(from string, in io.Reader, yield func(document, error) bool) bool {
	chunks := bufio.NewScanner(in)
	chunks.Buffer(make([]byte, 64<<10), maxDocumentSize+1)
	chunks.Split(new(splitter).split)
	n := 1
	for chunks.Scan() && chunks.Err() == nil {
		raws, err := toJSON(chunks.Bytes())
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
	err := chunks.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("is larger than %d MiB; write one manifest in a document", maxDocumentSize>>20)
	}
	return err == nil || yield(document{}, inFile(from, err))
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
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
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
	start, at int  // where the document begins in what the scanner holds, and where the next line does
	marked    bool // it has begun with ---, which directives may precede
	content   bool // there is more in it than comments, directives and the marker
}

// split is a [bufio.SplitFunc] for the documents that have any content.
func (s *splitter) split(data []byte, atEOF bool) (int, []byte, error) { //nolint:revive // the parameters of a SplitFunc
	for s.at < len(data) {
		line := data[s.at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		} else if !atEOF {
			return 0, nil, nil
		}
		begins, ends := isMarker(line, "---"), isMarker(line, "...")
		if begins && (s.marked || s.content) || ends {
			end := s.at
			if ends {
				s.at += len(line)
			}
			if s.content {
				return s.take(s.at, data[s.start:end])
			}
			s.start, s.marked = s.at, false
		}
		if !ends {
			s.read(line)
		}
	}
	if atEOF && s.content {
		return s.take(len(data), data[s.start:])
	}
	return 0, nil, nil
}

// take is the result of split: a document, and how much of the data has been read.
func (s *splitter) take(read int, chunk []byte) (int, []byte, error) {
	*s = splitter{}
	return read, chunk, nil
}

// read adds a line to the document.
func (s *splitter) read(line []byte) {
	s.at += len(line)
	rest, marker := bytes.TrimSpace(line), isMarker(line, "---")
	if marker {
		s.marked = true
		rest = bytes.TrimSpace(rest[len("---"):])
	}
	if len(rest) > 0 && rest[0] != '#' && (s.marked || rest[0] != '%') {
		s.content = true
	}
}

// isMarker reports whether a line is a document marker, with or without content after the marker.
func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}
