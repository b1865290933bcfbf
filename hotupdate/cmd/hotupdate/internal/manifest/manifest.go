// Package manifest reads streams of Kubernetes objects: files, directories and standard input, in
// YAML and JSON, of any size.
//
// It owns the boundaries and the place of each object. It does not know the meaning of an object.
//
//   - A stream holds YAML documents or JSON values, one after the other; JSON lines are JSON
//     values. Empty documents are skipped.
//   - A List, whose kind ends in List, is read item by item. It may be larger than memory, such as
//     the output of kubectl get -o json or yaml. Its items are JSON, or YAML in block style without
//     aliases to other items.
//   - Streams of gzip are recognised by their first bytes. A stream of zstd is an error.
//   - Text that begins with { or [ and a quote or bracket is JSON. Everything else is YAML, for
//     example {a: 1}.
//   - Unreadable text becomes an object with an error. Reading continues after it: at the next
//     document marker, list item of YAML or line of JSON.
//   - Memory is bounded: one document or list item of at most 10 MiB is held at a time.
package manifest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/inorder"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// Stdin is the path of standard input, and StdinName its name in a [Place].
const (
	Stdin     = "-"
	StdinName = "standard input"
)

// MaxSize bounds an object. In a cluster it cannot exceed 1.5 MiB.
const MaxSize = tree.MaxSize

// Place is the location of a document.
type Place struct {
	// File is the path, or [StdinName].
	File string `json:"file"`
	// Line is the first line, counted from 1.
	Line int `json:"line"`
	// Number counts the documents of the file from 1.
	Number int `json:"document"`
	// Item counts the items of a List from 0; it is -1 outside of Lists.
	Item int `json:"item"`
}

// String names the place. The first document of a file is named by the file alone, since its problems
// have lines.
func (p Place) String() string {
	if p.Number > 1 || p.Item >= 0 {
		return p.At(p.Line)
	}
	return p.File
}

// At names a line of the object at the place.
func (p Place) At(line int) string {
	text := fmt.Sprintf("%s:%d", p.File, line)
	if p.Number > 1 {
		text += fmt.Sprintf(", document %d", p.Number)
	}
	if p.Item >= 0 {
		text += fmt.Sprintf(", items[%d]", p.Item)
	}
	return text
}

// Objects reads the objects of files, of directories and, for [Stdin], of standard input, in their
// order.
//
// In a directory, and in those below it, it reads the files that end in .yaml, .yml, .json, .jsonl
// or .ndjson, with or without .gz, .zst or .zstd after that, and files that are named like those of
// kubectl diff, in the order of their names. It skips hidden files.
func Objects(paths []string, stdin io.Reader) iter.Seq[*Object] {
	return func(yield func(*Object) bool) {
		for o := range inorder.Map(context.Background(), Documents(paths, stdin), (*Document).Object) {
			if o != nil && !yield(o) {
				return
			}
		}
	}
}

// ObjectsFrom is [Objects] for the text of a file.
func ObjectsFrom(file string, text io.Reader) iter.Seq[*Object] {
	return func(yield func(*Object) bool) {
		readStream(file, text, func(d *Document) bool {
			o := d.Object()
			return o == nil || yield(o)
		})
	}
}

// Documents is [Objects] for callers that call [Document.Object] themselves, in several goroutines.
func Documents(paths []string, stdin io.Reader) iter.Seq[*Document] {
	return func(yield func(*Document) bool) {
		for _, path := range paths {
			if !readPath(path, stdin, yield) {
				return
			}
		}
	}
}

type yieldFunc = func(*Document) bool

// readPath reads a file, a directory or standard input, and reports whether to go on.
func readPath(path string, stdin io.Reader, yield yieldFunc) bool {
	if path == Stdin {
		return readStream(StdinName, stdin, yield)
	}
	more := true
	// returns only errors of this function
	_ = filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		hidden := at != path && strings.HasPrefix(filepath.Base(at), ".")
		switch {
		case err != nil:
			more = yield(unreadable(at, err))
		case hidden && entry.IsDir():
			return fs.SkipDir
		case hidden || entry.IsDir():
		case at != path && isManifest(filepath.Base(at)) && isIrregular(at):
			more = yield(unreadable(at, errIrregular))
		case at == path || isManifest(filepath.Base(at)):
			more = readFile(at, yield)
		}
		if !more {
			return fs.SkipAll
		}
		return nil
	})
	return more
}

// isManifest reports whether a file of a directory is read.
func isManifest(name string) bool {
	for _, suffix := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, suffix)
	}
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".json", ".jsonl", ".ndjson":
		return true
	}
	return ofCustomResource().MatchString(name)
}

// ofCustomResource matches the names of kubectl diff's files for groups with a dot:
// GROUP.VERSION.KIND.NAMESPACE.NAME.
var ofCustomResource = lazyregexp.New(`^[a-z0-9-]+(\.[a-z0-9-]+)+\.v[0-9][0-9a-z]*\.[A-Z][A-Za-z0-9]*\.`)

// errIrregular is the problem of a named pipe, a socket or a device in a directory, which may never
// end. Such a file is read if the user names it, for example by a process substitution.
var errIrregular = errors.New("is not a regular file, and is not read; remove it, or name it alone")

// isIrregular reports whether a path leads to neither a file nor a directory.
func isIrregular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

func readFile(path string, yield yieldFunc) bool {
	file, err := os.Open(path)
	if err != nil {
		return yield(unreadable(path, err))
	}
	defer file.Close() //nolint:errcheck // it was only read
	return readStream(path, file, yield)
}

// readStream reads the documents of one stream.
func readStream(from string, in io.Reader, yield yieldFunc) bool {
	plain, err := decompress(in)
	if err != nil {
		return yield(unreadable(from, err))
	}
	s := splitter{source: &source{Reader: bufio.NewReaderSize(plain, readAhead), line: 1}, from: from, yield: yield}
	s.split()
	if err := s.failure(); err != nil && !s.stopped {
		return yield(&Document{Place: Place{from, s.line, s.number + 1, -1}, err: err})
	}
	return !s.stopped
}

// unreadable is a file that cannot be read.
func unreadable(file string, err error) *Document {
	return &Document{Place: Place{File: file, Line: 1, Number: 1, Item: -1}, err: reason(err)}
}

// reason removes the path from an error of package os.
func reason(err error) error {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		return pathError.Err
	}
	return err
}

// InFile puts a file, or a place in it, before every problem, one line each.
func InFile(file string, err error) error {
	if err == nil {
		return nil
	}
	var lines []error
	for line := range strings.SplitSeq(Reason(reason(err)), "\n") {
		lines = append(lines, fmt.Errorf("%s: %s", file, line))
	}
	return errors.Join(lines...)
}

// Reason returns the text of an error without the prefix that errors of the library have.
func Reason(err error) string { return strings.ReplaceAll(err.Error(), prefix, "") }

var prefix = new(fault.Error).Error()
