package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// jsonValues reads JSON values up to text that is not JSON.
func (s *splitter) jsonValues() {
	for !s.stopped && beginsValue(s.skipSpace()) {
		err := s.jsonValue()
		if err == nil {
			err = s.afterValue()
		}
		if err != nil {
			s.skipBroken(errors.Is(err, tree.ErrTemplate))
		}
	}
}

func beginsValue(first byte) bool { return first == '{' || first == '[' }

// jsonValue yields a JSON value, or the items of a List. It also yields the error that it returns.
func (s *splitter) jsonValue() error {
	line := s.line
	var list jsonList
	n, err := s.scan(list.head)
	if err != nil && bytes.HasPrefix(s.ahead(2), []byte("{{")) {
		err = tree.ErrTemplate
	}
	if err != nil || !list.hasItems {
		s.passWhole(&Document{Place: Place{Line: line}, text: s.take(n), err: err})
		return err
	}
	s.skip(n)
	return s.readList(&list)
}

// errFollows is the problem of a line with text after a JSON value.
var errFollows = errors.New("is not valid JSON: something follows a JSON value in its line")

// afterValue yields and returns an error if anything but another value follows a value in its line.
func (s *splitter) afterValue() error {
	rest := bytes.TrimLeft(s.nextLine(), " \t\r")
	if len(rest) == 0 || rest[0] == '\n' || beginsValue(rest[0]) {
		return nil
	}
	s.passWhole(&Document{Place: Place{Line: s.line}, err: errFollows})
	return errFollows
}

// skipBroken skips the rest of a line with an error, and the lines up to the next value or document
// marker. The lines of a template do not begin values.
func (s *splitter) skipBroken(isTemplate bool) {
	isFirst := true
	_, _ = s.lines(func(line []byte) bool {
		if isFirst {
			isFirst = false
			return true
		}
		isNext := !isTemplate && beginsValue(line[0])
		return !isNext && !isMarker(line, "---")
	})
}

// readList yields the items that begin at the next byte, and reads the members after them.
func (s *splitter) readList(list *jsonList) error {
	s.number++
	item, err := s.jsonItems()
	isEmpty := item == 0
	if err == nil && !s.stopped {
		item = -1
		var n int
		n, err = s.scan(list.tail)
		s.skip(n)
	}
	switch {
	case s.stopped:
	case err != nil:
		s.pass(&Document{
			Place: Place{Line: s.line, Item: item},
			err:   fmt.Errorf("%w; the rest of the List is not read", err),
		})
	case !isList(list.kind):
		s.pass(&Document{Place: Place{Line: s.line, Item: -1}, err: errNoList})
	case isEmpty:
		s.pass(&Document{Place: Place{Line: s.line, Item: -1}, text: []byte(emptyList)})
	}
	return err
}

// emptyList is the text of a List without items, of which nothing else is kept.
const emptyList = `{"kind":"List","items":[]}`

// jsonItems yields the items of a List, up to its end or to an error, and returns the number of
// items before that position.
func (s *splitter) jsonItems() (count int, err error) {
	var isLast bool
	n, err := s.scan(func(t *canonjson.Scanner) (problem *fault.Error) {
		isLast, problem = t.Open(']')
		return problem
	})
	s.skip(n)
	for err == nil && !isLast && !s.stopped {
		var isRead bool
		isRead, isLast, err = s.jsonItem(count)
		if isRead {
			count++
		}
	}
	return count, err
}

// jsonItem yields an item, and reads the comma or bracket after it. The item is not read if its end
// cannot be found. A malformed item whose brackets are balanced is yielded with its error.
func (s *splitter) jsonItem(item int) (isRead, isLast bool, err error) {
	s.skipSpace()
	one := &Document{Place: Place{Line: s.line, Item: item}}
	end := 0
	n, err := s.scan(func(t *canonjson.Scanner) *fault.Error {
		if problem := t.Skip(); problem != nil {
			length := lengthOf(t.Raw)
			if length == 0 {
				return problem
			}
			one.err = jsonError(problem)
			t.At = length
		}
		end = t.At
		var problem *fault.Error
		isLast, problem = t.Next(']')
		return problem
	})
	if end == 0 || end > MaxSize {
		return false, isLast, err
	}
	one.text = s.take(end)
	s.pass(one)
	s.skip(max(0, n-end))
	return true, isLast, err
}

// lengthOf returns the length of an object that may be malformed, by its brackets and quotes alone.
// It is 0 if the object does not end.
func lengthOf(text []byte) int {
	if len(text) == 0 || text[0] != '{' {
		return 0
	}
	depth := 0
	inQuotes := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inQuotes = !inQuotes
		case inQuotes && c == '\\':
			i++ // the escaped byte
		case inQuotes:
		case c == '{':
			depth++
		case c == '}':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// jsonList is the state of a value that may be a List.
type jsonList struct {
	kind     string
	hasItems bool
}

// head reads a value up to its end, or up to the items of a value that may be a List.
func (l *jsonList) head(s *canonjson.Scanner) *fault.Error {
	if s.Peek() == '[' {
		return s.Skip()
	}
	last, err := s.Open('}')
	if err != nil {
		return err
	}
	return l.members(s, last)
}

// tail reads the members after the items, up to the end of the value.
func (l *jsonList) tail(s *canonjson.Scanner) *fault.Error {
	last, err := s.Next('}')
	if err != nil {
		return err
	}
	return l.members(s, last)
}

// members reads members up to the end of the value, or up to the items.
func (l *jsonList) members(s *canonjson.Scanner, last bool) *fault.Error {
	for !last {
		begin, end, err := s.Name()
		if err != nil {
			return err
		}
		name := string(s.Raw[begin:end])
		if name == "items" && s.Peek() == '[' && l.mayBegin() {
			l.hasItems = true
			return nil
		}
		value := s.At
		if err = s.Skip(); err != nil {
			return err
		}
		if name == "kind" {
			l.kind = strings.Trim(string(s.Raw[value:s.At]), `"`)
		}
		if last, err = s.Next('}'); err != nil {
			return err
		}
	}
	return nil
}

// mayBegin reports whether a member items would be the items of a List: the first such member, after
// no kind or the kind of a List.
func (l *jsonList) mayBegin() bool { return !l.hasItems && (l.kind == "" || isList(l.kind)) }
