package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// splitter cuts a stream into documents.
//
// YAML documents end at lines that begin with --- or ..., where YAML allows no content.
// [Document.Object] parses their content, possibly in several goroutines.
//
// A value with items at its root is treated as a List, unless a kind other than a List comes before
// them, and its items are yielded at once. Its kind is certain only at its end.
type splitter struct {
	*source

	from    string
	number  int // of documents so far
	yield   yieldFunc
	stopped bool // the consumer wants no more
}

// split splits the whole stream.
func (s *splitter) split() {
	if bytes.HasPrefix(s.ahead(3), []byte("\ufeff")) {
		s.skip(3)
	}
	for !s.stopped && s.toContent() {
		if beginsJSON.Match(s.ahead(64)) {
			s.jsonValues()
		} else {
			s.yamlDocument()
		}
	}
}

// beginsJSON matches the beginning of a JSON array or object. Text in brackets that begins without
// a quote or bracket is YAML.
var beginsJSON = regexp.MustCompile(`^\s*[{\[]\s*(["{}\[\]]|$)`)

// toContent skips lines without content: white space, comments and bare markers. It is false at the
// end.
func (s *splitter) toContent() bool {
	for {
		line := s.nextLine()
		isMere := isBlank(line) || isMarker(line, "...") || isMarker(line, "---") && isBlank(line[3:])
		if len(line) == 0 || !isMere {
			return len(line) > 0
		}
		s.skip(len(line))
	}
}

// isMarker reports whether a line is a document marker, with or without content after the marker.
func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

// pass yields a document, or its error, unless the stream broke off in it.
func (s *splitter) pass(d *Document) {
	d.File = s.from
	d.Number = s.number
	s.stopped = s.stopped || !s.isCut(d.err) && !s.yield(d)
}

// passWhole yields a document that is not a List.
func (s *splitter) passWhole(d *Document) {
	if !s.isCut(d.err) {
		s.number++
		d.Item = -1
		s.pass(d)
	}
}

// isCut reports whether the text before ends because the stream broke off.
func (s *splitter) isCut(err error) bool {
	return s.failure() != nil && (s.Buffered() == 0 || errors.Is(err, errEnds))
}

// jsonValues reads JSON values up to text that is not JSON.
func (s *splitter) jsonValues() {
	for next := s.skipSpace(); !s.stopped && (next == '{' || next == '['); next = s.skipSpace() {
		err := s.jsonValue()
		rest := bytes.TrimLeft(s.nextLine(), " \t\r")
		if err == nil && len(rest) > 0 && !bytes.ContainsRune([]byte("\n{["), rune(rest[0])) {
			s.passWhole(&Document{Place: Place{Line: s.line}, err: errFollows})
		} else if err == nil {
			continue
		}
		isBroken := true
		_, _ = s.lines(func(line []byte) bool {
			begins := line[0] == '{' || line[0] == '['
			wanted := isBroken || (!begins || errors.Is(err, tree.ErrTemplate)) && !isMarker(line, "---")
			isBroken = false
			return wanted
		})
	}
}

// jsonValue yields a JSON value, or the items of a List. It also yields the error that it returns.
func (s *splitter) jsonValue() error {
	var list jsonList
	line := s.line
	n, err := s.scan(list.members)
	if err != nil && bytes.HasPrefix(s.ahead(2), []byte("{{")) {
		err = tree.ErrTemplate
	}
	if err != nil || !list.isFound {
		s.passWhole(&Document{Place: Place{Line: line}, text: s.take(n), err: err})
		return err
	}
	s.number++
	s.skip(n)
	item, err := s.jsonItems()
	if err == nil && !s.stopped {
		item = -1
		n, err = s.scan(list.members)
		s.skip(n)
	}
	switch {
	case s.stopped:
	case err != nil:
		s.pass(&Document{
			Place: Place{Line: s.line, Item: item}, err: fmt.Errorf("%w; what follows in the List is not read", err),
		})
	case !isList(list.kind):
		s.pass(&Document{Place: Place{Line: s.line, Item: -1}, err: errNoList})
	}
	return err
}

// The problems of Lists and of JSON.
var (
	errNoList  = errors.New("is no List, and has items; the file may be cut off")
	errFollows = errors.New("is no valid JSON: something follows a JSON value in its line")
)

func isList(kind string) bool { return strings.HasSuffix(kind, "List") }

// jsonList is the state of an object that may be a List.
type jsonList struct {
	kind    string
	isFound bool // items follow, or have been yielded
}

// members reads members at the root, up to the end of the value, or up to the items of a value that
// may be a List.
func (l *jsonList) members(s *canonjson.Scanner) *fault.Error {
	if s.Peek() == '[' {
		return s.Skip()
	}
	next := s.Open
	if l.isFound {
		next = s.Next
	}
	last, err := next('}')
	for !last && err == nil {
		var start, end int
		if start, end, err = s.Name(); err != nil {
			break
		}
		name := string(s.Raw[start:end])
		if name == "items" && s.Peek() == '[' && !l.isFound && (l.kind == "" || isList(l.kind)) {
			l.isFound = true
			return nil
		}
		value := s.At
		if err = s.Skip(); err != nil {
			break
		}
		if name == "kind" {
			l.kind = strings.Trim(string(s.Raw[value:s.At]), `"`)
		}
		last, err = s.Next('}')
	}
	return err
}

// jsonItems yields the items of a List, up to its end or to an item whose end cannot be found, and
// returns that position.
func (s *splitter) jsonItems() (item int, err error) {
	var last bool
	n, err := s.scan(func(t *canonjson.Scanner) (problem *fault.Error) {
		last, problem = t.Open(']')
		return problem
	})
	for s.skip(n); err == nil && !last && !s.stopped; item++ {
		s.skipSpace()
		one := &Document{Place: Place{Line: s.line, Item: item}}
		end := 0
		n, err = s.scan(func(t *canonjson.Scanner) *fault.Error {
			problem := t.Skip()
			if problem != nil && lengthOf(t.Raw) > 0 {
				one.err = jsonError(problem)
				problem = nil
				t.At = lengthOf(t.Raw)
			}
			if problem == nil {
				end = t.At
				last, problem = t.Next(']')
			}
			return problem
		})
		if end == 0 || end > MaxSize {
			return item, err
		}
		one.text = s.take(end)
		s.pass(one)
		s.skip(max(0, n-end))
	}
	return item, err
}

// lengthOf returns the length of an object that may be malformed, by its brackets and quotes alone.
// It is 0 if the object does not end.
func lengthOf(text []byte) int {
	depth := 0
	inQuotes := false
	for i := 0; i < len(text) && text[0] == '{'; i++ {
		switch c := text[i]; {
		case c == '"':
			inQuotes = !inQuotes
		case inQuotes && c == '\\':
			i++
		case c == '{' && !inQuotes:
			depth++
		case c == '}' && !inQuotes:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// yamlDocument yields a YAML document, or the items of a List in block style.
func (s *splitter) yamlDocument() {
	line := s.line
	hasBegun := false
	hasItems := false
	text, err := s.lines(func(line []byte) bool {
		if hasBegun && isMarker(line, "---") || isMarker(line, "...") || hasItems && isItem(line) {
			return false
		}
		if !isBlank(line) { // directives are before the marker of their document
			hasBegun = hasBegun || line[0] != '%'
			hasItems = isItems(line)
		}
		return true
	})
	if hasItems && err == nil && isItem(s.nextLine()) {
		if kind := kindOf(text); kind == "" || isList(kind) {
			s.yamlList(text)
			return
		}
	}
	rest, restErr := s.lines(isInDocument)
	s.passWhole(&Document{Place: Place{Line: line}, text: append(text, rest...), err: cmp.Or(err, restErr)})
}

// isInDocument reports whether a line after the first line of a document belongs to the document.
func isInDocument(line []byte) bool { return !isMarker(line, "---") && !isMarker(line, "...") }

// yamlList yields the items that begin in the next line. The text is that before them.
func (s *splitter) yamlList(text []byte) {
	s.number++
	indent := indentOf(s.nextLine())
	for item := 0; !s.stopped && isItem(s.nextLine()) && indentOf(s.nextLine()) == indent; item++ {
		line := s.line
		hasBegun := false
		one, err := s.lines(func(line []byte) bool {
			wanted := !hasBegun || isBlank(line) || indentOf(line) > indent
			hasBegun = true
			return wanted
		})
		if err == nil {
			one[indent] = ' ' // the dash
		}
		s.pass(&Document{Place: Place{Line: line, Item: item}, text: one, err: err})
	}
	if s.stopped {
		return
	}
	line := s.line
	rest, err := s.lines(isInDocument)
	// with {} in place of the items
	if whole := slices.Concat(text, []byte("  {}\n"), rest); err == nil && !isList(kindOf(whole)) {
		err = errNoList
	}
	if err != nil {
		s.pass(&Document{Place: Place{Line: line, Item: -1}, err: err})
	}
}

// kindOf returns the kind of an object in YAML, or nothing if it has none.
func kindOf(text []byte) string {
	root, _ := tree.ParseYAML(text, 1)
	return root.At("kind").Text()
}

// isItems reports whether a line begins the items of a List in block style.
func isItems(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("items:"))
	return ok && isBlank(rest)
}

// isItem reports whether a line begins an item.
func isItem(line []byte) bool { return isMarker(line[indentOf(line):], "-") }

// isBlank reports whether a line has only white space and a comment.
func isBlank(line []byte) bool {
	text := bytes.TrimSpace(line)
	return len(text) == 0 || text[0] == '#'
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }
