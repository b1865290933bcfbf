package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// lineSize bounds the lines that are held as a whole.
const lineSize = 1 << 17

// splitter cuts a stream into documents.
//
// YAML documents end at the lines that begin with --- or ..., where YAML allows no content. JSON values end where their brackets do. Only
// their brackets and quotes are looked at here: the rest is left to [Document.Object], which may run in several goroutines.
//
// What has items at its root is taken for a List, unless another kind stands before them, and its items are passed on at once. Whether it is one
// is certain at its end.
type splitter struct {
	*source

	from    string
	number  int // of documents so far
	yield   yieldFunc
	stopped bool // nobody wants more
}

// split goes through the whole stream.
func (s *splitter) split() {
	if bytes.HasPrefix(s.peekLine(3), []byte("\ufeff")) {
		s.skip(3)
	}
	for !s.stopped && s.toContent() {
		if s.beginsJSON() {
			s.jsonValues()
		} else {
			s.yamlDocument()
		}
	}
}

// toContent goes to the next line with content, and marks it: neither white space, a comment nor a mere marker. It is false at the end.
func (s *splitter) toContent() bool {
	for {
		s.setMark()
		line := s.peekLine(lineSize)
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

// pass passes a document on, unless it is the rest before the stream broke off.
func (s *splitter) pass(item int, line int, err error) {
	if s.breaks(err) {
		return
	}
	d := &Document{Place: Place{s.from, line, s.number, item}, err: err}
	if err == nil {
		d.text = bytes.Clone(s.marked())
	}
	s.stopped = s.stopped || !s.yield(d)
}

// breaks reports whether what ends here, with an error or without, ends because the stream broke off.
func (s *splitter) breaks(err error) bool {
	return s.failure() != nil && (errors.Is(err, errEnds) || err == nil && s.at == len(s.held))
}

// whole passes on what is marked, or that it cannot be read.
func (s *splitter) whole(err error) {
	if !s.breaks(err) {
		s.number++
		s.pass(-1, s.mark.line, err)
	}
}

// The problems of Lists.
var (
	errNoList  = errors.New("is no List, and has items; the file may be cut off")
	errStopped = errors.New("nobody wants more")
)

func isList(kind string) bool { return strings.HasSuffix(kind, "List") }

// beginsJSON reports whether JSON follows the mark: an array, or an object but for one whose first name has no quotes. That is YAML. It goes
// nowhere.
func (s *splitter) beginsJSON() bool {
	defer s.rewind()
	if s.skipByte('[') {
		return true
	}
	isObject := s.skipByte('{')
	s.skipSpace()
	return isObject && strings.IndexByte("\"} \t\r\n\x00", s.peek()) >= 0
}

// jsonValues reads JSON values up to what is none.
func (s *splitter) jsonValues() {
	for !s.stopped {
		s.setMark()
		s.skipSpace()
		if c := s.peek(); c != '{' && c != '[' {
			return
		}
		s.setMark()
		var list jsonList
		err := s.jsonValue(&list)
		switch {
		case err == nil, s.stopped:
			continue
		case list.found:
			s.pass(-1, s.line, err)
		default:
			s.whole(err)
		}
		s.nextJSON()
	}
}

// jsonList is what is known of an object that may be a List.
type jsonList struct {
	kind  string
	found bool // items, which have been passed on
}

// jsonValue passes on a JSON value, behind which nothing but another one may follow in the line; of a List its items.
func (s *splitter) jsonValue(list *jsonList) (err error) {
	if s.peek() == '[' {
		err = s.skipValue()
	} else {
		err = s.elements('{', func(int) error { return s.jsonMember(list) })
	}
	for n := 0; err == nil; n++ {
		c, ok := s.ahead(n)
		if !ok || c == '\n' || c == '{' || c == '[' {
			break
		}
		if c != ' ' && c != '\t' && c != '\r' {
			err = errSyntax
		}
	}
	switch {
	case err != nil:
	case !list.found:
		s.whole(nil)
	case !isList(list.kind):
		s.pass(-1, s.line, errNoList)
	}
	return err
}

// jsonMember goes through a member at the root, and passes on the items of a List.
func (s *splitter) jsonMember(list *jsonList) error {
	name, err := s.name()
	if err != nil {
		return err
	}
	if name == "items" && s.peek() == '[' && !list.found && (list.kind == "" || isList(list.kind)) {
		list.found = true
		s.number++
		return s.elements('[', s.jsonItem)
	}
	if name == "kind" {
		list.kind, err = s.value()
	} else {
		err = s.skipValue()
	}
	if list.found && err == nil {
		s.setMark()
	}
	return err
}

// jsonItem passes on an item of a List.
func (s *splitter) jsonItem(i int) error {
	s.skipSpace()
	s.setMark()
	if err := s.skipValue(); err != nil {
		return err
	}
	if len(s.marked()) == 0 {
		return errSyntax
	}
	s.pass(i, s.mark.line, nil)
	s.setMark()
	if s.stopped {
		return errStopped
	}
	return nil
}

// nextJSON goes to the next line behind the mark with which a JSON value or a document may begin.
func (s *splitter) nextJSON() {
	s.skipLines(func(line []byte) bool { return line[0] == '{' || line[0] == '[' || isMarker(line, "---") })
}

// skipLines goes from the line of the mark to the next line that is to stay. It keeps none of those between.
func (s *splitter) skipLines(stays func(line []byte) bool) {
	s.rewind()
	for begins := false; ; { // a line, of which only a part may be held
		line := s.peekLine(lineSize)
		if len(line) == 0 || begins && stays(line) {
			return
		}
		s.skip(len(line))
		s.setMark()
		begins = line[len(line)-1] == '\n'
	}
}

// yamlDocument passes on a YAML document; of a List in block style its items.
func (s *splitter) yamlDocument() {
	fits := s.toMarker(MaxSize)
	if indent, begins := s.beginsItem(); begins && fits {
		if kind := kindOf(s.marked()); kind == "" || isList(kind) {
			s.yamlList(indent)
			return
		}
		fits = s.toMarker(MaxSize)
	}
	if fits {
		s.whole(nil)
		return
	}
	s.whole(errTooLong)
	s.skipLines(func(line []byte) bool { return isMarker(line, "---") })
}

// toMarker goes to the end of a YAML document: a marker, or the end of the stream; or to the first item of items at the root. It is false if that
// is further away from the mark than the limit.
func (s *splitter) toMarker(limit int) bool {
	for begun, items := false, false; ; { // with more than directives
		line := s.peekLine(limit + 1)
		if len(line) == 0 || begun && isMarker(line, "---") || isMarker(line, "...") {
			return true
		}
		if _, begins := s.beginsItem(); begins && items {
			return true
		}
		if !isBlank(line) {
			begun, items = begun || line[0] != '%', isItems(line)
		}
		s.skip(len(line))
		if len(s.marked()) > limit {
			return false
		}
	}
}

// yamlList passes on the items that begin in the next line. What is marked stands before them.
func (s *splitter) yamlList(indent int) {
	frame := append(bytes.Clone(s.marked()), "  {}\n"...) // the List with something else for its items
	s.number++
	for item, more := 0, true; more && !s.stopped; item++ {
		s.yamlItem(item, indent)
		at, begins := s.beginsItem()
		more = begins && at == indent
	}
	s.setMark()
	switch {
	case s.stopped:
	case !isMarker(s.peekLine(lineSize), "---") && !s.toMarker(lineSize):
		s.pass(-1, s.mark.line, errTooLong)
		s.skipLines(func(line []byte) bool { return isMarker(line, "---") })
	case !isList(kindOf(append(frame, s.marked()...))):
		s.pass(-1, s.mark.line, errNoList)
	}
}

// yamlItem passes on the item that begins in the next line.
func (s *splitter) yamlItem(item, indent int) {
	s.setMark()
	first, long := s.line, false
	line := s.peekLine(MaxSize)
	for begins := true; begins || len(line) > 0 && (isBlank(line) || indentOf(line) > indent); begins = false {
		s.skip(len(line))
		if len(s.marked()) > MaxSize {
			long = true
			s.setMark()
		}
		line = s.peekLine(MaxSize)
	}
	if long {
		s.pass(item, first, errTooLong)
		return
	}
	s.marked()[indent] = ' ' // the dash
	s.pass(item, first, nil)
}

// kindOf returns the kind that YAML says, nothing if it says none.
func kindOf(text []byte) string {
	var object struct{ Kind string }
	raw, err := toJSON(text, 1)
	if err == nil && json.Unmarshal(raw, &object) == nil {
		return object.Kind
	}
	return ""
}

// isItems reports whether a line is that of the items of a List in block style.
func isItems(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("items:"))
	return ok && isBlank(rest)
}

// isBlank reports whether a line holds nothing but white space and a comment.
func isBlank(line []byte) bool {
	text := bytes.TrimSpace(line)
	return len(text) == 0 || text[0] == '#'
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// beginsItem reports whether the next line begins an item, and its indentation.
func (s *splitter) beginsItem() (indent int, begins bool) {
	line := s.peekLine(lineSize)
	indent = indentOf(line)
	return indent, isMarker(line[indent:], "-")
}
