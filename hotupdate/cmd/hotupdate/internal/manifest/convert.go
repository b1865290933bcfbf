package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// toJSON converts the text of one YAML document to JSON, like kubectl. The text begins in a line of
// its file. An empty document is null. The decoder bounds the number of nodes of expanded aliases;
// toJSON bounds their size.
func toJSON(text []byte, line int) ([]byte, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, another yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return []byte("null"), nil
	}
	if err == nil {
		err = decoder.Decode(&another)
	}
	weights := weigher{sizes: map[*yaml.Node]int{}}
	switch {
	case err == nil:
		return nil, errors.New("is no valid YAML or JSON: several documents without --- between them")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(text, err, line)
	case weights.size(&document) > MaxSize:
		return nil,
			fmt.Errorf("is larger than %d MiB once its aliases are replaced by what they stand for; write it out",
				MaxSize>>20)
	}
	if problems := badKeys(document.Content[0], "", line); len(problems) > 0 {
		if isTemplate(text) {
			return nil, errTemplate
		}
		return nil, errors.Join(problems...)
	}
	raw, err := sigsyaml.YAMLToJSON(text) // the strict function refuses members that override those of a merge key
	if err != nil {
		return nil, yamlError(text, err, line)
	}
	return raw, nil
}

// weigher sums up the sizes of nodes with all aliases expanded. Sums are capped just above the
// limit.
type weigher struct{ sizes map[*yaml.Node]int }

func (w weigher) size(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if size, known := w.sizes[n]; known {
		return size
	}
	w.sizes[n] = 0 // for an alias to a node around it, which the decoder refuses
	size := len(n.Value) + 1
	for _, child := range n.Content {
		size = min(size+w.size(child), MaxSize+1)
	}
	w.sizes[n] = size
	return size
}

// badKeys finds keys that occur twice in their mapping, and keys that are not text. The YAML
// decoder does not find keys that become equal only in JSON, and does not report the path of a key.
func badKeys(node *yaml.Node, path string, line int) (problems []error) {
	fail := func(path, format string, key *yaml.Node) {
		where := strings.TrimPrefix(plaintext.Printable(strings.TrimPrefix(path, "."))+": ", ": ")
		problems = append(problems, errors.New(where+fmt.Sprintf(format, key.Line+line-1)))
	}
	seen := map[string]bool{}
	for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		name, ok := keyName(key)
		below := path + "." + name
		switch {
		case !ok:
			fail(path, "has a key in line %d that is no text; put it in quotes, or render the template first", key)
		case seen[name]:
			fail(below, "stands twice in its object, again in line %d; remove one of the members", key)
		}
		seen[name] = true
		problems = append(problems, badKeys(node.Content[i+1], below, line)...)
	}
	for i := 0; node.Kind == yaml.SequenceNode && i < len(node.Content); i++ {
		problems = append(problems, badKeys(node.Content[i], fieldpath.At(path, i), line)...)
	}
	return problems
}

// keyName returns a key that is text. Other keys have several spellings, of which two may become
// one member: yes and true, 16 and 0x10.
func keyName(key *yaml.Node) (string, bool) {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	// true and false in YAML 1.1
	isWord := slices.Contains([]string{"y", "yes", "on", "n", "no", "off"}, strings.ToLower(key.Value))
	isText := slices.Contains([]string{"!!str", "!!merge"}, key.ShortTag())
	return key.Value, key.Kind == yaml.ScalarNode && isText && (key.Style != 0 || !isWord)
}

var errTemplate = errors.New("is a template, since it has {{ and }}, and no manifest: render it first, such " +
	"as with helm template")

// isTemplate reports whether a text has the marks of Go templates.
func isTemplate(text []byte) bool {
	return bytes.Contains(text, []byte("{{")) && bytes.Contains(text, []byte("}}"))
}

// yamlError writes a parser's error on one line. It keeps lines, keys and types, and removes quoted
// values.
func yamlError(text []byte, err error, line int) error {
	if isTemplate(text) {
		return errTemplate
	}
	what := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
	what = strings.TrimPrefix(what, "yaml: ")
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
