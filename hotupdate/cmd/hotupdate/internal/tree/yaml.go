package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// MaxSize bounds what the aliases of a document may stand for, in bytes.
const MaxSize = 10 << 20

// ParseYAML reads one YAML document as kubectl does. The text begins in a line of its file, which
// problems name. An empty document is null.
func ParseYAML(text []byte, line int) (*Node, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, another yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return &Node{}, nil
	}
	if err == nil {
		err = decoder.Decode(&another)
	}
	switch {
	case err == nil:
		return nil, errors.New("is no valid YAML or JSON: several documents without --- between them")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(text, err, line)
	}
	c := converter{firstLine: line, open: map[*yaml.Node]bool{}}
	root := c.node(document.Content[0], "")
	switch {
	case c.expanded > MaxSize:
		return nil,
			fmt.Errorf("is larger than %d MiB once its aliases are replaced by what they stand for; write it out",
				MaxSize>>20)
	case len(c.problems) > 0 && IsTemplate(text):
		return nil, ErrTemplate
	case len(c.problems) > 0:
		return nil, errors.Join(c.problems...)
	case c.err != nil:
		return nil, yamlError(text, c.err, line)
	}
	if bytes.IndexByte(text, '!') >= 0 && loneTag.Match(text) { // the parser does not tell it
		if raw, err := sigsyaml.YAMLToJSON(text); err != nil || !bytes.Equal(raw, root.JSON()) {
			return nil, errors.New("is no valid YAML or JSON: a tag is a mere !; remove it")
		}
	}
	return &root, nil
}

// loneTag matches a tag without a name, and some text.
var loneTag = regexp.MustCompile(`(?m)(^|[\s\[{,:-])!($|[\s,\]}])`)

// aliased returns the node that an alias stands for, and every other node itself.
func aliased(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// converter turns the nodes of YAML into those of JSON.
type converter struct {
	firstLine int                 // of the text in its file
	open      map[*yaml.Node]bool // what aliases around the current node stand for
	expanded  int                 // the size of what all aliases stand for, in bytes
	problems  []error             // of keys
	err       error               // the first problem of another kind
}

// nodeSize is about what a node needs beside its text.
const nodeSize = 16

func (c *converter) node(from *yaml.Node, path string) Node {
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
		return c.alias(from, path)
	case yaml.MappingNode:
		n.kind = Object
		c.members(&n, from, path)
	case yaml.SequenceNode:
		n.kind = List
		for i, element := range from.Content {
			n.below = append(n.below, c.node(element, fieldpath.At(path, i)))
		}
	default:
		c.scalar(&n, from)
	}
	return n
}

// alias returns the node that an alias stands for, with the line of the alias.
func (c *converter) alias(from *yaml.Node, path string) Node {
	if c.open[from.Alias] {
		c.fail(from, "an anchor's value contains itself")
		return Node{}
	}
	c.open[from.Alias] = true
	n := c.node(from.Alias, path)
	delete(c.open, from.Alias)
	n.line = from.Line
	return n
}

// members adds the members of a mapping in their order. Those of a merge key take the place of
// members before it, as in the library that kubectl uses.
func (c *converter) members(object *Node, mapping *yaml.Node, path string) {
	places := map[string]int{}
	own := map[string]bool{}
	set := func(name string, value Node) {
		at, known := places[name]
		if !known {
			at = len(object.below)
			places[name] = len(object.below)
			object.below = append(object.below, Node{})
		}
		value.name = name
		object.below[at] = value
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		value := mapping.Content[i+1]
		name, below := c.name(key, path, own)
		if key.ShortTag() != "!!merge" {
			member := c.node(value, below)
			member.line = key.Line
			set(name, member)
			continue
		}
		for _, merged := range slices.Backward(c.merged(value)) { // the first one counts
			from := c.node(merged, below)
			for name, member := range from.Members() {
				set(name, *member)
			}
		}
	}
}

// name returns the name of a member, and its path. It reports keys that stand twice in their
// mapping, and keys that are no text. The YAML parser does not find keys that become equal only in
// JSON, and does not report the path of a key.
func (c *converter) name(key *yaml.Node, path string, seen map[string]bool) (name, below string) {
	name, isText := keyName(key)
	below = path + "." + name
	where := below
	problem := "stands twice in its object, again in line %d; remove one of the members"
	if !isText {
		where = path
		problem = "has a key in line %d that is no text; put it in quotes, or render the template first"
	}
	if (!isText || seen[name]) && len(c.open) == 0 { // else it is told where the anchor is
		where = strings.TrimPrefix(plaintext.Printable(strings.TrimPrefix(where, "."))+": ", ": ")
		c.problems = append(c.problems, errors.New(where+fmt.Sprintf(problem, key.Line+c.firstLine-1)))
	}
	seen[name] = true
	return name, below
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

// scalar reads a scalar. The library that kubectl uses says what those are that may be no text.
func (c *converter) scalar(n *Node, from *yaml.Node) {
	text := from.Value
	tag := ""
	if from.Style&yaml.TaggedStyle != 0 {
		tag = "!<" + from.LongTag() + "> "
	}
	isPlain := from.Style&^yaml.TaggedStyle == 0
	switch {
	case isPlain && (tag != "" && isWord.MatchString(text) || mayBeOther.MatchString(text)):
		n.kind, n.text = c.resolved(from, tag+text)
		if (n.kind == Bool || n.kind == Number) && n.text != text && len(text) <= maxShown {
			n.as = text
		}
	case tag != "":
		n.kind, n.text = c.resolved(from, tag+strconv.Quote(text))
	default:
		n.kind = Text
		n.text = text
	}
}

// maxShown bounds the words that a problem shows. No word with a meaning in YAML is longer.
const maxShown = 24

var (
	// mayBeOther matches all plain scalars that are numbers, booleans or null, and some text.
	mayBeOther = regexp.MustCompile(`^([-+.0-9][-+.0-9a-zA-Z_]*|[yYnNtTfFoO][a-zA-Z]{0,4}|~|)$`)
	isWord     = regexp.MustCompile(`^[^\s#]*$`)
)

// resolved reads the text of a scalar, as an element of a list: on its own, --- would begin a
// document.
func (c *converter) resolved(from *yaml.Node, text string) (Kind, string) {
	raw, err := sigsyaml.YAMLToJSON([]byte("- " + text))
	if err != nil {
		c.fail(from, "a value that JSON does not have")
	}
	for _, n := range Of(raw).Elements() {
		return n.kind, n.text
	}
	return Null, ""
}

// keyName returns a key that is text. Other keys have several spellings, of which two may become
// one member: yes and true, 16 and 0x10.
func keyName(key *yaml.Node) (string, bool) {
	key = aliased(key)
	// true and false in YAML 1.1
	isWord := slices.Contains([]string{"y", "yes", "on", "n", "no", "off"}, strings.ToLower(key.Value))
	isText := slices.Contains([]string{"!!str", "!!merge"}, key.ShortTag())
	return key.Value, key.Kind == yaml.ScalarNode && isText && (key.Style != 0 || !isWord)
}

// ErrTemplate is the problem of a text that is the template of a manifest.
var ErrTemplate = errors.New("is a template, since it has {{ and }}, and no manifest: render it first, such " +
	"as with helm template")

// IsTemplate reports whether a text has the marks of Go templates.
func IsTemplate(text []byte) bool {
	return !isBinary(text) && bytes.Contains(text, []byte("{{")) && bytes.Contains(text, []byte("}}"))
}

// isBinary reports whether bytes are no text: they are not UTF-8, or have the byte 0.
func isBinary(text []byte) bool { return !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 }

var errBinary = errors.New("is no text, and so neither YAML nor JSON: it has bytes that are not UTF-8, or the byte 0")

// yamlError writes a parser's error on one line. It keeps lines, keys and types, and removes quoted
// values.
func yamlError(text []byte, err error, line int) error {
	switch {
	case isBinary(text):
		return errBinary
	case IsTemplate(text):
		return ErrTemplate
	}
	what := strings.TrimPrefix(err.Error(), "yaml: ")
	what = strings.Join(strings.Fields(what), " ")
	if before, _, quoted := strings.Cut(what, "`"); quoted {
		what = strings.TrimSpace(before)
	}
	if name, ok := strings.CutPrefix(what, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		before, _, _ := bytes.Cut(text, []byte("*"+name))
		what = fmt.Sprintf("line %d: an alias names no anchor; put a value that begins with * in quotes",
			bytes.Count(before, []byte("\n"))+1)
	}
	what = lineNumber.ReplaceAllStringFunc(what, func(found string) string {
		n, _ := strconv.Atoi(strings.TrimPrefix(found, "line "))
		return fmt.Sprintf("line %d", n+line-1)
	})
	return errors.New("is no valid YAML or JSON: " + what)
}

// lineNumber matches the line number at the beginning of a parser's error.
var lineNumber = regexp.MustCompile(`^line \d+`)
