package tree

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// simple reads a subset of YAML in one pass: the text that programs and most people write. It takes no text that
// [parseAnyYAML] reads as another value or refuses, and leaves everything else to it.
//
// The subset has mappings and lists in block style, and in flow style within one line. Its scalars are plain or quoted
// within one line, or literal. It has comments. It has only ASCII, and no tag, anchor, alias, merge key, escape,
// repeated key, folded text or document marker.
type simple struct {
	converter // reads the scalars

	next  string // the text from the next line on
	below []Node // members and elements of the values that are being read
	depth int

	// line is the number of the current line, indent its column, and rest what it has from there on. A line without
	// a value is never the current one. After the last line, and if the text is not in the subset, indent is -1.
	line, indent int
	rest         string
	isOther      bool // the text is not in the subset
	word         yaml.Node
}

// The bounds of a text in the subset. Those of the YAML parser are larger.
const (
	maxSimpleDepth = 64
	maxSimpleKey   = 256
)

// parseSimple returns the value of a text in the subset, and false for every other text.
func parseSimple(text []byte) (*Node, bool) {
	if !isSimple(text) {
		return nil, false
	}
	s := simple{next: string(text)}
	s.advance()
	if s.indent < 0 {
		return nil, false
	}
	root := s.block()
	if s.indent >= 0 || s.isOther || s.err != nil {
		return nil, false
	}
	return &root, true
}

// isSimple reports whether a text has only bytes that the subset may have, and ends with a line.
func isSimple(text []byte) bool {
	if !bytes.HasSuffix(text, []byte("\n")) {
		return false
	}
	for _, b := range text {
		isPrintable := ' ' <= b && b <= '~'
		isAllowed := b == '\n' || isPrintable && b != '!'
		if !isAllowed {
			return false
		}
	}
	return true
}

// leave says that the text is not in the subset.
func (s *simple) leave() Node {
	s.isOther = true
	s.indent = -1
	return Node{}
}

// advance goes to the next line with a value.
func (s *simple) advance() {
	for !s.isOther {
		line, isLine := s.cut()
		if !isLine {
			s.indent = -1
			return
		}
		s.rest = strings.TrimLeft(line, " ")
		s.indent = len(line) - len(s.rest)
		if s.rest != "" && s.rest[0] != '#' {
			return
		}
	}
}

// cut returns the next line without its end. It is false at the end of the text.
func (s *simple) cut() (line string, isLine bool) {
	if s.next == "" {
		return "", false
	}
	line, s.next, _ = strings.Cut(s.next, "\n")
	s.line++
	return line, true
}

// block reads the mapping or list that begins in the current line.
func (s *simple) block() Node {
	if s.depth++; s.depth > maxSimpleDepth {
		return s.leave()
	}
	defer func() { s.depth-- }()
	indent := s.indent
	n := Node{kind: Object, line: s.line}
	read := s.member
	if isElement(s.rest) {
		n.kind = List
		read = s.element
	}
	own := len(s.below)
	for s.indent == indent && isElement(s.rest) == (n.kind == List) {
		below := read()
		s.below = append(s.below, below)
	}
	if s.indent > indent {
		return s.leave()
	}
	return s.hold(n, own)
}

// hold gives to a mapping or list what was read since a length of below.
func (s *simple) hold(n Node, own int) Node {
	n.hold(slices.Clone(s.below[own:]))
	s.below = s.below[:own]
	if n.kind == Object && n.hasDuplicates() {
		return s.leave()
	}
	return n
}

func isElement(rest string) bool { return strings.HasPrefix(rest, "- ") }

// element reads an element of a list, and goes to the line after it.
func (s *simple) element() Node {
	list := s.indent
	rest := strings.TrimLeft(s.rest[1:], " ")
	if _, _, isMember := s.key(rest); isMember {
		s.indent += len(s.rest) - len(rest)
		s.rest = rest
		return s.block()
	}
	return s.value(rest, list)
}

// member reads a member of a mapping, and goes to the line after it.
func (s *simple) member() Node {
	line := s.line
	mapping := s.indent
	name, rest, isMember := s.key(s.rest)
	if !isMember {
		return s.leave()
	}
	rest = strings.TrimLeft(rest, " ")
	var n Node
	if isEnd(rest) {
		n = s.valueBelow(mapping)
	} else {
		n = s.value(rest, mapping)
	}
	n.name = name
	n.line = line
	return n
}

// isEnd reports whether the rest of a line, which follows a space, has no value.
func isEnd(rest string) bool { return rest == "" || rest[0] == '#' }

// key reads the name of a member and its colon, and returns the text after them. It is false for a text that does not
// begin with them.
func (s *simple) key(text string) (name, rest string, isKey bool) {
	switch {
	case text == "":
	case isQuote(text[0]):
		name, rest, isKey = quoted(text)
	case isAlphanumeric(text[0]), text[0] == '_':
		rest = strings.TrimLeftFunc(text, isOfKey)
		name, isKey = s.name(text[:len(text)-len(rest)])
	}
	if !isKey || len(text)-len(rest) > maxSimpleKey {
		return "", "", false
	}
	rest, hasColon := strings.CutPrefix(rest, ":")
	isApart := rest == "" || rest[0] == ' '
	return strings.Clone(name), rest, hasColon && isApart
}

// name returns the name that a plain key stands for, see keyName.
func (s *simple) name(key string) (name string, isName bool) {
	if isWord(key) {
		return key, true
	}
	s.word = yaml.Node{Kind: yaml.ScalarNode, Value: key}
	return keyName(&s.word)
}

// isOfKey reports whether a plain name may have a character.
func isOfKey(r rune) bool { return strings.ContainsRune("_./-", r) || isAlphanumeric(byte(r)) }

func isAlphanumeric(b byte) bool {
	isDigit := '0' <= b && b <= '9'
	return isDigit || isLetter(b)
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// valueBelow reads the value of a member that begins in a line below its name, and goes to the line after it. The
// elements of a list may be indented as the name.
func (s *simple) valueBelow(mapping int) Node {
	name := s.line
	s.advance()
	isListBeside := s.indent == mapping && isElement(s.rest)
	if s.indent > mapping || isListBeside {
		return s.block()
	}
	return s.scalar("", name)
}

// value reads the value that the rest of a line begins with, and goes to the line after it. The value belongs to a
// mapping or list with an indent.
func (s *simple) value(text string, indent int) Node {
	if text == "|" || text == "|-" {
		return s.literal(indent, text)
	}
	var n Node
	var rest string
	if isDelimited(text) {
		n, rest = s.flow(text)
	} else {
		text, rest = cutComment(text)
		n = s.plain(text)
	}
	comment := strings.TrimLeft(rest, " ")
	isComment := strings.HasPrefix(comment, "#") && len(comment) < len(rest)
	if comment != "" && !isComment {
		return s.leave()
	}
	s.advance()
	return n
}

// isDelimited reports whether a text begins with a quote or a bracket.
func isDelimited(text string) bool { return text != "" && strings.IndexByte(`"'{[`, text[0]) >= 0 }

// cutComment returns a line in block style without its comment, and the comment with the space before it.
func cutComment(text string) (before, comment string) {
	if at := strings.Index(text, " #"); at >= 0 {
		return text[:at], text[at:]
	}
	return text, ""
}

// scalar returns a plain scalar.
func (s *simple) scalar(text string, line int) Node {
	n := Node{kind: Text, line: line, text: strings.Clone(text)}
	if isWord(text) {
		return n
	}
	s.word = yaml.Node{Kind: yaml.ScalarNode, Value: n.text, Line: line}
	s.converter.scalar(&n, &s.word)
	return n
}

// isWord reports whether a plain scalar is text by its first letter or its length. The numbers of YAML begin with no
// letter, and its other words with few letters: true, false, yes, no, on, off, y, n and null.
func isWord(text string) bool {
	const longest = len("false")
	if text == "" || !isLetter(text[0]) {
		return false
	}
	return len(text) > longest || strings.IndexByte("tfyno", text[0]|0x20) < 0
}

// plain reads a text that is a plain scalar.
func (s *simple) plain(text string) Node {
	text = strings.TrimRight(text, " ")
	isMapping := strings.Contains(text, ": ") || strings.HasSuffix(text, ":")
	if isMapping || !beginsPlain(text) {
		return s.leave()
	}
	return s.scalar(text, s.line)
}

// beginsPlain reports whether the subset has plain scalars that begin like a text.
func beginsPlain(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return text != "" && (isAlphanumeric(text[0]) || strings.IndexByte("_./", text[0]) >= 0)
}

// literal reads a literal scalar, which belongs to a mapping or list with an indent, and goes to the line after it.
func (s *simple) literal(indent int, header string) Node {
	n := Node{kind: Text, line: s.line}
	first, _, _ := strings.Cut(s.next, "\n")
	own := indentOf(first)
	if own <= indent || own == len(first) {
		return s.leave()
	}
	var lines []string
	for s.next != "" {
		line, _, _ := strings.Cut(s.next, "\n")
		at := indentOf(line)
		isBlank := at == len(line)
		if at < own && !isBlank {
			break
		}
		if at > own && isBlank { // it may be text
			return s.leave()
		}
		lines = append(lines, line[min(own, at):])
		s.cut()
	}
	n.text = strings.TrimRight(strings.Join(lines, "\n"), "\n")
	if header == "|" {
		n.text += "\n"
	}
	s.advance()
	return n
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// quoted returns the text in the quotes that a text begins with, and what is after them. It is false for quotes with an
// escape.
func quoted(text string) (value, rest string, isQuoted bool) {
	quote := text[:1]
	value, rest, isClosed := strings.Cut(text[1:], quote)
	hasEscape := strings.HasPrefix(rest, quote) || quote == `"` && strings.Contains(value, `\`)
	return value, rest, isClosed && !hasEscape
}

func isQuote(b byte) bool { return b == '"' || b == '\'' }

// flow reads the value in flow style that a text begins with, and returns the text after it.
func (s *simple) flow(text string) (n Node, rest string) {
	switch {
	case text == "":
		return s.leave(), ""
	case text[0] == '{':
		return s.collection(Object, text[1:], "}", s.flowMember)
	case text[0] == '[':
		return s.collection(List, text[1:], "]", s.flow)
	case isQuote(text[0]):
		value, rest, isQuoted := quoted(text)
		if !isQuoted {
			return s.leave(), ""
		}
		return Node{kind: Text, line: s.line, text: strings.Clone(value)}, rest
	}
	rest = strings.TrimLeftFunc(text, isOfFlow)
	return s.plain(text[:len(text)-len(rest)]), rest
}

// isOfFlow reports whether a plain scalar in flow style may have a character.
func isOfFlow(r rune) bool { return strings.ContainsRune(" _./-+:=@", r) || isAlphanumeric(byte(r)) }

// collection reads a mapping or list in flow style after its bracket, and returns the text after it.
func (s *simple) collection(kind Kind, text, end string, read func(string) (Node, string)) (n Node, rest string) {
	if s.depth++; s.depth > maxSimpleDepth {
		return s.leave(), ""
	}
	defer func() { s.depth-- }()
	own := len(s.below)
	rest = strings.TrimLeft(text, " ")
	for !strings.HasPrefix(rest, end) {
		below, after := read(rest)
		s.below = append(s.below, below)
		after = strings.TrimLeft(after, " ")
		isLast := strings.HasPrefix(after, end)
		more, hasMore := strings.CutPrefix(after, ",")
		if !isLast && !hasMore {
			return s.leave(), ""
		}
		rest = strings.TrimLeft(more, " ")
	}
	return s.hold(Node{kind: kind, line: s.line}, own), rest[1:]
}

// flowMember reads a member of a mapping in flow style, and returns the text after it.
func (s *simple) flowMember(text string) (n Node, rest string) {
	name, rest, isMember := s.key(text)
	if !isMember {
		return s.leave(), ""
	}
	n, rest = s.flow(strings.TrimLeft(rest, " "))
	n.name = name
	return n, rest
}

// hasDuplicates reports whether several members of an Object have one name.
func (n *Node) hasDuplicates() bool {
	if n.index != nil {
		return len(n.index) < len(n.below)
	}
	for i := range n.below {
		isSame := func(before Node) bool { return before.name == n.below[i].name }
		if slices.ContainsFunc(n.below[:i], isSame) {
			return true
		}
	}
	return false
}
