package manifest

import (
	"bytes"
	"errors"
	"strings"
)

// smallSize is above what a single object usually takes. A larger document with items at its root is read as a List, before its kind is known.
const smallSize = 1 << 17

// splitter cuts a stream into documents.
//
// YAML documents end at the lines that begin with --- or ..., where YAML allows no content. JSON values end where their brackets do. Only
// their brackets and quotes are looked at here: the rest is left to [Document.Objects], which may run in several goroutines.
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
		if first := bytes.TrimLeft(s.peekLine(smallSize), " \t"); first[0] == '{' || first[0] == '[' {
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
		line := s.peekLine(smallSize)
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
func (s *splitter) pass(d *Document) {
	if !s.breaks(d.err) {
		s.stopped = s.stopped || !s.yield(d)
	}
}

// breaks reports whether what ends here, with an error or without, ends because the stream broke off.
func (s *splitter) breaks(err error) bool {
	return s.failure() != nil && (errors.Is(err, errEnds) || err == nil && s.at == len(s.held))
}

// The problems of documents. Those of brackets and quotes are at [source.skipValue].
var (
	errFollows = errors.New("is no valid YAML or JSON: something else follows where a JSON value ends")
	errNoList  = errors.New("is no List, and has items; the file may be cut off")
)

func (s *splitter) place(line, item int) Place { return Place{s.from, line, s.number, item} }

// fault passes on that a document cannot be read.
func (s *splitter) fault(line int, err error) {
	if !s.breaks(err) {
		s.number++
		s.pass(unreadable(s.place(line, -1), err))
	}
}

// document passes on what is marked.
func (s *splitter) document() {
	if s.breaks(nil) {
		return
	}
	s.number++
	s.pass(&Document{place: s.place(s.mark.line, -1), text: bytes.Clone(s.marked()), fractions: s.fractions})
}

// jsonValues reads JSON values up to what is none. If already the first is none, it may be YAML.
func (s *splitter) jsonValues() {
	for first := true; !s.stopped; first = false {
		s.setMark()
		s.skipSpace()
		if c := s.peek(); c != '{' && c != '[' {
			return
		}
		s.setMark()
		err := s.wholeValue(smallSize)
		switch {
		case err == nil:
			s.document()
		case first && s.isYAML():
			s.yamlDocument()
			return
		case !s.jsonList():
			s.jsonObject()
		}
	}
}

// jsonObject reads a JSON value that is no List, and is large or cannot be read.
func (s *splitter) jsonObject() {
	s.rewind()
	if err := s.wholeValue(MaxSize); err != nil {
		s.fault(s.mark.line, err)
		s.nextJSON()
		return
	}
	s.document()
}

// wholeValue goes to the end of a JSON value, behind which nothing but another one may follow in the line.
func (s *splitter) wholeValue(limit int) error {
	err := s.skipValue(limit)
	for n := 0; err == nil; n++ {
		switch c, ok := s.ahead(n); {
		case !ok, c == '\n', c == '{', c == '[':
			return nil
		case c != ' ' && c != '\t' && c != '\r':
			err = errFollows
		}
	}
	return err
}

// isYAML reports whether the rest of the document is YAML that begins like JSON. It goes nowhere.
func (s *splitter) isYAML() bool {
	s.rewind()
	defer s.rewind()
	if !s.toMarker(smallSize) {
		return false
	}
	_, err := toJSON(s.marked(), 1)
	return err == nil
}

// nextJSON goes to the next line behind the mark with which a JSON value or a document may begin.
func (s *splitter) nextJSON() {
	s.rewind()
	s.skipLine()
	for {
		line := s.peekLine(smallSize)
		if len(line) == 0 || line[0] == '{' || line[0] == '[' || isMarker(line, "---") {
			return
		}
		s.skipLine()
	}
}

// skipLine goes to the next line, and keeps none of this one.
func (s *splitter) skipLine() {
	for {
		line := s.peekLine(smallSize)
		s.skip(len(line))
		s.setMark()
		if len(line) == 0 || line[len(line)-1] == '\n' {
			return
		}
	}
}

// jsonList passes on the items of the marked object, and reports whether it is a List. If it is none, the source may be anywhere.
func (s *splitter) jsonList() bool {
	s.rewind()
	kind, found := "", false
	err := s.elements('{', func(int) error {
		name, err := s.value()
		if err == nil && !s.skipByte(':') {
			err = errFollows
		}
		if err != nil {
			return err
		}
		s.skipSpace()
		if name == `"items"` && s.peek() == '[' && !found && (kind == "" || isList(kind)) {
			found = true
			s.number++
			return s.elements('[', s.jsonItem)
		}
		value, err := s.value()
		if name == `"kind"` {
			kind = strings.Trim(value, `"`)
		}
		if found && err == nil {
			s.setMark()
		}
		return err
	})
	switch {
	case found && err != nil:
		s.listFault(s.line, err)
		s.nextJSON()
	case found && !s.stopped && !isList(kind):
		s.listFault(s.line, errNoList)
	}
	return found
}

// elements goes through the members of an object or the elements of an array, each up to the comma behind it.
func (s *splitter) elements(opening byte, each func(i int) error) error {
	closing := opening + 2 // in ASCII
	if !s.skipByte(opening) {
		return errFollows
	}
	if s.skipByte(closing) {
		return nil
	}
	for i := 0; !s.stopped; i++ {
		if err := each(i); err != nil {
			return err
		}
		if s.skipByte(closing) {
			return nil
		}
		if !s.skipByte(',') {
			return errFollows
		}
	}
	return nil
}

// jsonItem passes on an item of a List.
func (s *splitter) jsonItem(i int) error {
	s.skipSpace()
	s.setMark()
	if err := s.skipValue(MaxSize); err != nil {
		return err
	}
	if len(s.marked()) == 0 {
		return errFollows
	}
	s.pass(&Document{place: s.place(s.mark.line, i), text: bytes.Clone(s.marked()), fractions: s.fractions})
	s.setMark()
	return nil
}

func isList(kind string) bool { return strings.HasSuffix(kind, "List") }

// value goes through a JSON value and returns its text.
func (s *splitter) value() (string, error) {
	s.skipSpace()
	from := s.at - s.mark.at
	err := s.skipValue(MaxSize - from)
	return string(s.marked()[from:]), err
}

// listFault passes on a problem of a List of which items have been passed on.
func (s *splitter) listFault(line int, err error) { s.pass(unreadable(s.place(line, -1), err)) }

// yamlDocument reads a YAML document.
func (s *splitter) yamlDocument() {
	if s.toMarker(smallSize) {
		s.document()
		return
	}
	if s.yamlList() {
		return
	}
	s.rewind()
	if s.toMarker(MaxSize) {
		s.document()
		return
	}
	s.fault(s.mark.line, errTooLong)
	for line := s.peekLine(smallSize); len(line) > 0 && !isMarker(line, "---"); line = s.peekLine(smallSize) {
		s.skipLine()
	}
}

// toMarker goes to the end of a YAML document: a marker, or the end of the stream. It is false if that is further away from the mark than the
// limit.
func (s *splitter) toMarker(limit int) bool {
	for begun := false; ; { // with more than directives
		line := s.peekLine(limit + 1)
		if len(line) == 0 || begun && isMarker(line, "---") || isMarker(line, "...") {
			return true
		}
		begun = begun || line[0] != '%' && !isBlank(line)
		s.skip(len(line))
		if len(s.marked()) > limit {
			return false
		}
	}
}

// yamlList passes on the items of the marked document, and reports whether it is a List in block style. If it is none, the source may be
// anywhere.
func (s *splitter) yamlList() bool {
	s.rewind()
	for !isItems(s.peekLine(smallSize)) {
		line := s.peekLine(smallSize)
		s.skip(len(line))
		if len(line) == 0 || len(s.marked()) > smallSize {
			return false
		}
	}
	frame := bytes.Clone(s.marked()) // the List without its items
	s.skipLine()
	for line := s.peekLine(smallSize); len(line) > 0 && isBlank(line); line = s.peekLine(smallSize) {
		s.skipLine()
	}
	indent := indentOf(s.peekLine(smallSize))
	if !beginsItem(s.peekLine(smallSize), indent) {
		return false
	}
	s.number++
	for item := 0; !s.stopped && beginsItem(s.peekLine(smallSize), indent); item++ {
		s.yamlItem(item, indent)
	}
	if s.stopped {
		return true
	}
	s.setMark()
	if !s.toMarker(smallSize) {
		s.listFault(s.mark.line, errTooLong)
		s.skipLine()
		return true
	}
	frame = append(frame, s.marked()...)
	rest, err := toJSON(frame, s.mark.line)
	if err != nil || !isList(rootOf(rest).kind) {
		s.listFault(s.mark.line, errNoList)
	}
	return true
}

// yamlItem passes on the item that begins in the next line.
func (s *splitter) yamlItem(item, indent int) {
	s.setMark()
	at, long := s.place(s.line, item), false
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
		s.pass(unreadable(at, errTooLong))
		return
	}
	text := bytes.Clone(s.marked())
	text[indent] = ' ' // the dash
	s.pass(&Document{place: at, text: text})
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

func beginsItem(line []byte, indent int) bool {
	return indentOf(line) == indent && isMarker(line[indent:], "-")
}
