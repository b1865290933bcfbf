package manifest

import (
	"bytes"
	"errors"
	"strings"

	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// splitter cuts a stream into documents: JSON values in splitjson.go, YAML documents in splityaml.go.
// [Document.Object] parses their content, possibly in several goroutines.
//
// The decoder of k8s.io/apimachinery/pkg/util/yaml is not used: it loses objects without an error,
// counts lines from the beginning of a document, and holds a whole List. The decoder of
// go.yaml.in/yaml/v3 reads nothing after an error. The tests in decoder_test.go show both.
//
// A value with items at its root is treated as a List, unless a kind other than a List comes before
// them, and its items are yielded at once. Its kind is certain only at its end.
type splitter struct {
	*source

	from    string
	number  int // of documents so far
	yield   yieldFunc
	stopped bool // the consumer has stopped
}

// split splits the whole stream.
func (s *splitter) split() {
	if bytes.HasPrefix(s.ahead(3), []byte("\ufeff")) {
		s.skip(3)
	}
	for !s.stopped && s.toContent() {
		if beginsJSON().Match(s.ahead(64)) {
			s.jsonValues()
		} else {
			s.yamlDocument()
		}
	}
}

// beginsJSON matches the beginning of a JSON array or object. Text in brackets that begins without
// a quote or bracket is YAML.
var beginsJSON = lazyregexp.New(`^\s*[{\[]\s*(["{}\[\]]|$)`)

// toContent skips lines without content. It is false at the end.
func (s *splitter) toContent() bool {
	for {
		line := s.nextLine()
		if len(line) == 0 {
			return false
		}
		if hasContent(line) {
			return true
		}
		s.skip(len(line))
	}
}

// hasContent reports whether a line has more than white space, a comment or a marker.
func hasContent(line []byte) bool {
	switch {
	case isBlank(line), isMarker(line, "..."):
		return false
	case isMarker(line, "---"):
		return !isBlank(line[len("---"):])
	}
	return true
}

// isMarker reports whether a line is a document marker, with or without content after the marker.
func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

// isBlank reports whether a line has only white space and a comment.
func isBlank(line []byte) bool {
	text := bytes.TrimSpace(line)
	return len(text) == 0 || text[0] == '#'
}

// pass yields a document, or its error, unless the stream broke off in the document.
func (s *splitter) pass(d *Document) {
	d.File = s.from
	d.Number = s.number
	if s.stopped || s.isCut(d.err) {
		return
	}
	s.stopped = !s.yield(d)
}

// passWhole yields a document that is not a List.
func (s *splitter) passWhole(d *Document) {
	if !s.isCut(d.err) {
		s.number++
		d.Item = -1
		s.pass(d)
	}
}

// isCut reports whether a document with this error ends because the stream broke off.
func (s *splitter) isCut(err error) bool {
	return s.failure() != nil && (s.Buffered() == 0 || errors.Is(err, errEnds))
}

// errNoList is the problem of a value that is read as a List, until its kind is read.
var errNoList = errors.New("is not a List, but has items; the file may be cut off")

func isList(kind string) bool { return strings.HasSuffix(kind, "List") }
