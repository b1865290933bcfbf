package manifest

import (
	"bytes"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// yamlDocument yields a YAML document, or the items of a List in block style. A document ends before
// a line that begins with --- or ..., where YAML allows no content.
func (s *splitter) yamlDocument() {
	line := s.line
	head, mayBeList, err := s.yamlHead()
	if mayBeList && err == nil {
		s.yamlList(head)
		return
	}
	rest, restErr := s.lines(isInDocument)
	if err == nil {
		err = restErr
	}
	s.passWhole(&Document{Place: Place{Line: line}, text: append(head, rest...), err: err})
}

// yamlHead reads a document up to its end, or up to the first item of a document that may be a List.
func (s *splitter) yamlHead() (text []byte, mayBeList bool, err error) {
	hasBegun := false
	hasItems := false // the last line with content begins the items
	text, err = s.lines(func(line []byte) bool {
		switch {
		case isMarker(line, "..."), hasBegun && isMarker(line, "---"), hasItems && isItem(line):
			return false
		case isBlank(line):
			return true
		}
		hasBegun = hasBegun || line[0] != '%' // directives are before the marker of their document
		hasItems = isItems(line)
		return true
	})
	if err != nil || !hasItems || !isItem(s.nextLine()) {
		return text, false, err
	}
	kind := kindOf(text)
	return text, kind == "" || isList(kind), nil
}

// isInDocument reports whether a line after the first line of a document belongs to the document.
func isInDocument(line []byte) bool { return !isMarker(line, "---") && !isMarker(line, "...") }

// yamlList yields the items that begin in the next line. The head is the text before them.
func (s *splitter) yamlList(head []byte) {
	s.number++
	indent := indentOf(s.nextLine())
	for item := 0; !s.stopped && isItemAt(s.nextLine(), indent); item++ {
		s.yamlItem(item, indent)
	}
	if !s.stopped {
		s.yamlTail(head)
	}
}

// yamlItem yields the item that begins in the next line. It ends before a line that is indented as far
// as the dash or less.
func (s *splitter) yamlItem(item, indent int) {
	line := s.line
	isFirst := true
	text, err := s.lines(func(line []byte) bool {
		wanted := isFirst || isBlank(line) || indentOf(line) > indent
		isFirst = false
		return wanted
	})
	if err == nil {
		text[indent] = ' ' // the dash
	}
	s.pass(&Document{Place: Place{Line: line, Item: item}, text: text, err: err})
}

// yamlTail reads the lines after the items of a document, and yields an error if it is not a List.
func (s *splitter) yamlTail(head []byte) {
	line := s.line
	rest, err := s.lines(isInDocument)
	if err == nil {
		withoutItems := slices.Concat(head, []byte("  {}\n"), rest)
		if !isList(kindOf(withoutItems)) {
			err = errNoList
		}
	}
	if err != nil {
		s.pass(&Document{Place: Place{Line: line, Item: -1}, err: err})
	}
}

// kindOf returns the kind of an object in YAML. It is empty if the object has none.
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

func isItemAt(line []byte, indent int) bool { return isItem(line) && indentOf(line) == indent }

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }
