package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// MaxSize bounds the values of a document's aliases, in bytes.
const MaxSize = 10 << 20

// ParseYAML reads one YAML document as kubectl does. The text begins in a line of its file, which
// problems name. An empty document is null.
func ParseYAML(text []byte, line int) (*Node, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	document, err := onlyDocument(text, line)
	if err != nil {
		return nil, err
	}
	if document == nil {
		return &Node{}, nil
	}
	c := converter{firstLine: line, open: map[*yaml.Node]bool{}}
	root := c.node(document.Content[0])
	if err := c.problem(text); err != nil {
		return nil, err
	}
	if hasLoneTag(text, &root) {
		return nil, errLoneTag
	}
	return &root, nil
}

// onlyDocument parses a text of one document. It returns nil for a text without one.
func onlyDocument(text []byte, line int) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, another yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, nil //nolint:nilnil // there is no document
	}
	if err != nil {
		return nil, yamlError(text, err, line)
	}
	switch err := decoder.Decode(&another); {
	case err == nil:
		return nil, errSeveral
	case errors.Is(err, io.EOF):
		return &document, nil
	default:
		return nil, yamlError(text, err, line)
	}
}

// The problems that the parser does not report.
var (
	errSeveral = errors.New("is not valid YAML or JSON: several documents without --- between them")
	errLoneTag = errors.New("is not valid YAML or JSON: a tag consists of ! alone; remove it")
)

// hasLoneTag reports whether a text has a tag without a name: the library that kubectl uses reads
// another value then.
func hasLoneTag(text []byte, root *Node) bool {
	if bytes.IndexByte(text, '!') < 0 || !loneTag().Match(text) {
		return false
	}
	raw, err := sigsyaml.YAMLToJSON(text)
	return err != nil || !bytes.Equal(raw, root.JSON())
}

// loneTag matches a tag without a name, and some text.
var loneTag = lazyregexp.New(`(?m)(^|[\s\[{,:-])!($|[\s,\]}])`)

// aliased returns the node that an alias names, and every other node itself.
func aliased(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// converter turns nodes of YAML into nodes of JSON. It merges mappings and follows aliases itself:
// the parser's Decode returns no lines, and lets a member win over a merge key after it, which the
// library that kubectl uses does not.
type converter struct {
	firstLine int                 // of the text in its file
	open      map[*yaml.Node]bool // the values of the aliases around the current node
	path      []step              // to the current node
	expanded  int                 // the size of the values of all aliases, in bytes
	problems  []error             // of keys
	err       error               // the first problem of another kind
}

// problem returns the problems that conversion found; nil if there is none.
func (c *converter) problem(text []byte) error {
	switch {
	case c.expanded > MaxSize:
		return fmt.Errorf("is larger than %d MiB once its aliases are replaced by their values; write the values out",
			MaxSize>>20)
	case len(c.problems) > 0 && IsTemplate(text):
		return ErrTemplate
	case len(c.problems) > 0:
		return errors.Join(c.problems...)
	case c.err != nil:
		return yamlError(text, c.err, c.firstLine)
	}
	return nil
}

// nodeSize is roughly the memory of a node without its text.
const nodeSize = 16

func (c *converter) node(from *yaml.Node) Node {
	if len(c.open) > 0 {
		c.expanded += len(from.Value) + nodeSize
	}
	if c.expanded > MaxSize {
		return Node{}
	}
	n := Node{line: from.Line}
	//exhaustive:ignore
	switch from.Kind {
	case yaml.AliasNode:
		return c.alias(from)
	case yaml.MappingNode:
		n.kind = Object
		c.members(&n, from)
	case yaml.SequenceNode:
		n.kind = List
		elements := make([]Node, len(from.Content))
		for i, element := range from.Content {
			elements[i] = c.below(step{element: i + 1}, element)
		}
		n.hold(elements)
	default:
		c.scalar(&n, from)
	}
	return n
}

// alias returns the node that an alias names, with the line of the alias.
func (c *converter) alias(from *yaml.Node) Node {
	if c.open[from.Alias] {
		c.fail(from, "an anchor's value contains itself")
		return Node{}
	}
	c.open[from.Alias] = true
	n := c.node(from.Alias)
	delete(c.open, from.Alias)
	n.line = from.Line
	return n
}

// members adds the members of a mapping in their order. The members of a merge key replace the
// members before it, as in the library that kubectl uses.
func (c *converter) members(object *Node, mapping *yaml.Node) {
	count := len(mapping.Content) / 2
	members := memberList{all: make([]Node, 0, count)}
	keys := names{some: make([]string, 0, min(count, few+1))}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		value := mapping.Content[i+1]
		at := step{name: c.name(key, &keys)}
		if key.ShortTag() != "!!merge" {
			member := c.below(at, value)
			member.line = key.Line
			members.set(at.name, member)
			continue
		}
		members.merges()
		for _, merged := range slices.Backward(c.merged(value)) { // the first mapping counts
			from := c.below(at, merged)
			for name, member := range from.Members() {
				members.set(name, *member)
			}
		}
	}
	object.hold(members.all)
}

// memberList collects the members of an object.
type memberList struct {
	all    []Node
	places map[string]int // the positions by the names once there is a merge key; nil before, where no name repeats
}

// merges says that names repeat from now on.
func (m *memberList) merges() {
	if m.places != nil {
		return
	}
	m.places = make(map[string]int, len(m.all))
	for i := range m.all {
		m.places[m.all[i].name] = i
	}
}

// set adds a member, or replaces the one of its name.
func (m *memberList) set(name string, value Node) {
	value.name = name
	if m.places == nil {
		m.all = append(m.all, value)
		return
	}
	at, isKnown := m.places[name]
	if isKnown {
		m.all[at] = value
		return
	}
	m.places[name] = len(m.all)
	m.all = append(m.all, value)
}

// names are names of which each is in them once. Few are searched one by one, which takes less than a map.
type names struct {
	some []string
	all  map[string]bool // nil while there are few
}

// add reports whether the names did not have a name yet.
func (n *names) add(name string) bool {
	if n.all == nil {
		if slices.Contains(n.some, name) {
			return false
		}
		n.some = append(n.some, name)
		if len(n.some) > few {
			n.all = map[string]bool{}
			for _, one := range n.some {
				n.all[one] = true
			}
		}
		return true
	}
	isNew := !n.all[name]
	n.all[name] = true
	return isNew
}

// name returns the name of a member. It reports repeated keys, and keys that JSON does not have. The YAML parser does
// not find keys that become equal only in JSON, and does not report the path of a key.
func (c *converter) name(key *yaml.Node, keys *names) string {
	name, isName := keyName(key)
	isNew := keys.add(name)
	switch {
	case len(c.open) > 0: // the problem is reported where the anchor is
	case !isName:
		c.reject(c.pathTo(),
			"has a key in line %d that is not text; put it in quotes, or render the template first", key)
	case !isNew:
		c.reject(c.pathTo(step{name: name}),
			"stands twice in its object, again in line %d; remove one of the members", key)
	}
	return name
}

// step leads from a value to a member or an element of it.
type step struct {
	name    string // of a member
	element int    // the position of an element, from 1; 0 for a member
}

// below converts a value that a step leads to.
func (c *converter) below(at step, value *yaml.Node) Node {
	c.path = append(c.path, at)
	n := c.node(value)
	c.path = c.path[:len(c.path)-1]
	return n
}

// pathTo returns the path of the current value, or of what more steps lead to.
func (c *converter) pathTo(more ...step) string {
	path := ""
	for _, at := range slices.Concat(c.path, more) {
		if at.element > 0 {
			path = fieldpath.At(path, at.element-1)
		} else {
			path += "." + at.name
		}
	}
	return strings.TrimPrefix(path, ".")
}

// reject records a problem of a key. The problem has a place for the line of the key.
func (c *converter) reject(path, problem string, key *yaml.Node) {
	text := fmt.Sprintf(problem, c.firstLine+key.Line-1)
	if path != "" {
		text = plaintext.Printable(path) + ": " + text
	}
	c.problems = append(c.problems, errors.New(text))
}

// merged returns the mappings that the value of a merge key names.
func (c *converter) merged(value *yaml.Node) []*yaml.Node {
	all := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		all = value.Content
	}
	for _, one := range all {
		if aliased(one).Kind != yaml.MappingNode {
			c.fail(one, "map merge requires map or sequence of maps as the value")
			return nil
		}
	}
	return all
}

// fail records the first problem, in the words of the parser.
func (c *converter) fail(at *yaml.Node, what string) {
	if c.err == nil {
		c.err = fmt.Errorf("line %d: %s", at.Line, what)
	}
}

// scalar reads a scalar.
func (c *converter) scalar(n *Node, from *yaml.Node) {
	source, isText := sourceOf(from)
	if isText {
		n.kind = Text
		n.text = from.Value
		return
	}
	n.kind, n.text = c.resolved(from, source)
	isPlain := from.Style&^yaml.TaggedStyle == 0
	isWritten := n.kind == Bool || n.kind == Number
	isRespelled := n.text != from.Value && len(from.Value) <= maxShown
	if isPlain && isWritten && isRespelled {
		n.as = from.Value
	}
}

// sourceOf returns the YAML of a scalar, and whether its value is text. The parser says which plain
// scalars are text, apart from booleans of YAML 1.1. The library that kubectl uses reads all others, and
// those with tags.
func sourceOf(from *yaml.Node) (source string, isText bool) {
	text := from.Value
	isTagged := from.Style&yaml.TaggedStyle != 0
	isPlain := from.Style&^yaml.TaggedStyle == 0
	isTaggedWord := isTagged && isPlain && isWord().MatchString(text)
	mayBeOther := from.ShortTag() != textTag || isOldBool(text)
	tag := ""
	if isTagged {
		tag = "!<" + from.LongTag() + "> "
	}
	switch {
	case isTaggedWord, isPlain && !isTagged && mayBeOther:
		return tag + text, false
	case isTagged:
		return tag + strconv.Quote(text), false
	default:
		return text, true
	}
}

// maxShown bounds the words that a problem shows. No word with a meaning in YAML is longer.
const maxShown = 24

// isWord matches plain text that can be written again behind a tag without quotes.
var isWord = lazyregexp.New(`^[^\s#]*$`)

// textTag is the tag of text.
const textTag = "!!str"

// isOldBool reports whether a word is a boolean of YAML 1.1 that the parser takes for text. It
// ignores case; to the library that kubectl uses, mixed case such as yEs is text.
func isOldBool(word string) bool {
	isShort := len(word) <= len("yes") // most words are not, and need no copy in lower case
	return isShort && slices.Contains([]string{"y", "yes", "on", "n", "no", "off"}, strings.ToLower(word))
}

// resolved reads the text of a scalar, as an element of a list: on its own, --- would begin a
// document.
func (c *converter) resolved(from *yaml.Node, text string) (Kind, string) {
	if kind, isPlain := plainly(text); isPlain {
		return kind, text
	}
	raw, err := sigsyaml.YAMLToJSON([]byte("- " + text))
	if err != nil {
		c.fail(from, "a value that JSON does not have")
	}
	for _, n := range Of(raw).Elements() {
		return n.kind, n.text
	}
	return Null, ""
}

// plainly returns the kind of the scalars that most manifests have, which YAML and JSON read and
// write alike. It is false for all others. The library that kubectl uses would start a parser for
// each scalar.
func plainly(text string) (kind Kind, isPlain bool) {
	switch text {
	case "null":
		return Null, true
	case "true", "false":
		return Bool, true
	case "0":
		return Number, true
	}
	isDigit := func(r rune) bool { return '0' <= r && r <= '9' }
	isShort := 0 < len(text) && len(text) <= maxPlainDigits
	isOfDigits := strings.TrimFunc(text, isDigit) == ""
	return Number, isShort && isOfDigits && text[0] != '0'
}

// maxPlainDigits is a number of digits that every number of 64 bits can have.
const maxPlainDigits = 15

// keyName returns the name of a member, as the library that kubectl uses reads its key: a key that is
// not text has several spellings, such as yes and true, or 16 and 0x10. It is false for a key that JSON
// does not have.
func keyName(key *yaml.Node) (name string, ok bool) {
	key = aliased(key)
	if key.Kind != yaml.ScalarNode {
		return key.Value, false
	}
	source, isText := sourceOf(key)
	if isText || key.ShortTag() == "!!merge" {
		return key.Value, true
	}
	raw, err := sigsyaml.YAMLToJSON([]byte("? " + source + "\n: 0\n"))
	if err != nil {
		return key.Value, false
	}
	for name := range Of(raw).Members() {
		return name, true
	}
	return key.Value, false
}
