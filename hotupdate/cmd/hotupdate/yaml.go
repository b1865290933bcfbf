package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// toJSON turns the text of YAML or JSON documents into JSON. JSON is left as it is, so that its numbers stay exact. Empty documents and
// null are none.
func toJSON(text []byte) ([][]byte, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if documents, ok := jsonDocuments(text); ok {
		return documents, nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var found []*yaml.Node
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, yamlError(err)
		}
		if !isEmpty(&node) {
			found = append(found, &node)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return convert(text, found[0])
	default:
		return nil, errors.New("is no valid YAML or JSON: several documents without --- between them")
	}
}

// jsonDocuments returns JSON documents that follow one another.
func jsonDocuments(text []byte) ([][]byte, bool) {
	var documents [][]byte
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return documents, true
		}
		if err != nil {
			return nil, false
		}
		if string(raw) != "null" {
			documents = append(documents, raw)
		}
	}
}

// convert turns one YAML document into JSON. The decoder bounds the number of nodes that aliases stand for; here their size is bounded.
func convert(text []byte, document *yaml.Node) ([][]byte, error) {
	w := weigher{sizes: map[*yaml.Node]int{}}
	if w.size(document) > maxDocumentSize {
		return nil, fmt.Errorf("is larger than %d MiB once its aliases are replaced by what they stand for; write it out", maxDocumentSize>>20)
	}
	if err := errors.Join(duplicateKeys(document.Content[0], nil)...); err != nil {
		return nil, err
	}
	raw, err := sigsyaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, yamlError(err)
	}
	return [][]byte{raw}, nil
}

func isEmpty(document *yaml.Node) bool {
	return len(document.Content) == 0 || document.Content[0].Tag == "!!null"
}

// weigher adds up the texts of nodes, those behind aliases as often as they are used. Above the limit sums stay where they are.
type weigher struct{ sizes map[*yaml.Node]int }

func (w weigher) size(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if size, known := w.sizes[n]; known {
		return size
	}
	w.sizes[n] = 0 // an alias to what it stands in; the decoder refuses it
	size := len(n.Value) + 1
	for _, child := range n.Content {
		size = min(size+w.size(child), maxDocumentSize+1)
	}
	w.sizes[n] = size
	return size
}

// step is a member or an element on the way to a node. Its text is put together only where there is something to report.
type step struct {
	above *step
	name  string
}

func (s *step) String() string {
	if s == nil {
		return ""
	}
	return strings.TrimPrefix(s.above.String()+s.name, ".")
}

// duplicateKeys finds the keys that stand twice in their mapping. The YAML decoder finds them too, but does not say under which path.
func duplicateKeys(node *yaml.Node, at *step) []error {
	var found []error
	switch node.Kind {
	case yaml.MappingNode:
		seen := map[string]bool{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			member := &step{at, "." + key.Value}
			if seen[key.Value] && key.Kind == yaml.ScalarNode {
				found = append(found, fmt.Errorf("%s: stands twice in its object, again in line %d; remove one of the members", printable(member.String()), key.Line))
			}
			seen[key.Value] = true
			found = append(found, duplicateKeys(node.Content[i+1], member)...)
		}
	case yaml.SequenceNode:
		for i, element := range node.Content {
			found = append(found, duplicateKeys(element, &step{at, fmt.Sprintf("[%d]", i)})...)
		}
	case yaml.DocumentNode, yaml.ScalarNode, yaml.AliasNode:
	}
	return found
}

// yamlError words a parser's error on one line. The parsers name lines, keys and types; values they quote are cut off.
func yamlError(err error) error {
	text := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
	text = strings.TrimPrefix(text, "yaml: ")
	text = strings.Join(strings.Fields(text), " ")
	if before, _, quoted := strings.Cut(text, "`"); quoted {
		text = strings.TrimSpace(before)
	}
	return errors.New("is no valid YAML or JSON: " + text)
}
