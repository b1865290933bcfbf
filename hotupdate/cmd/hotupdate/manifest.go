package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// stdin is the file argument that stands for standard input.
const stdin = "-"

// maxFileSize bounds a manifest. A Worker resource cannot exceed 1.5 MiB in a cluster.
const maxFileSize = 10 << 20

// manifest is a provider config read from a file, of a kind that is known.
type manifest struct {
	file   string
	kind   kind
	config any // a pointer to a value of the Schema's type
}

// readManifest reads and decodes one file. Every error names the file.
func readManifest(file string, in io.Reader) (*manifest, error) {
	name := file
	if file == stdin {
		name = "standard input"
	}
	data, err := readFile(file, in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, withoutPath(err))
	}
	raw, err := toJSON(data)
	if err != nil {
		return nil, inFile(name, err)
	}
	k, err := kindOf(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	config, err := k.schema.Decode(raw)
	if err != nil {
		return nil, inFile(name, err)
	}
	return &manifest{file: name, kind: k, config: config}, nil
}

// readFile reads a file whole, or up to a little more than the limit.
func readFile(file string, in io.Reader) ([]byte, error) {
	if file != stdin {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close() //nolint:errcheck // it was only read
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFileSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFileSize {
		return nil, fmt.Errorf("is larger than %d MiB; a manifest holds one provider config", maxFileSize>>20)
	}
	return data, nil
}

// withoutPath drops the path that the os package puts into its errors; the caller names the file.
func withoutPath(err error) error {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		return pathError.Err
	}
	return err
}

// toJSON turns one YAML or JSON document into JSON. JSON is left as it is, so that its numbers stay exact.
func toJSON(data []byte) ([]byte, error) {
	if json.Valid(data) && string(bytes.TrimSpace(data)) != "null" {
		return data, nil
	}
	if err := oneDocument(data); err != nil {
		return nil, err
	}
	raw, err := sigsyaml.YAMLToJSONStrict(data)
	if err != nil {
		return nil, yamlError(err)
	}
	return raw, nil
}

// oneDocument refuses streams of several documents, of which the YAML decoder would silently take the first, empty ones, and
// duplicate keys.
func oneDocument(data []byte) error {
	found, duplicates := 0, []error(nil)
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return yamlError(err)
		}
		if !isEmpty(&node) {
			found++
			duplicates = append(duplicates, duplicateKeys(node.Content[0], "")...)
		}
	}
	switch found {
	case 0:
		return errors.New("is empty; write a provider config with apiVersion and kind")
	case 1:
		return errors.Join(duplicates...)
	default:
		return fmt.Errorf("has %d documents; split it into files of one document each", found)
	}
}

func isEmpty(document *yaml.Node) bool {
	return len(document.Content) == 0 || document.Content[0].Tag == "!!null"
}

// duplicateKeys finds the keys that stand twice in their mapping. The YAML decoder finds them too, but does not say under which path.
func duplicateKeys(node *yaml.Node, path string) []error {
	var found []error
	switch node.Kind {
	case yaml.MappingNode:
		seen := map[string]bool{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			member := strings.TrimPrefix(path+"."+key.Value, ".")
			if seen[key.Value] && key.Kind == yaml.ScalarNode {
				found = append(found, fmt.Errorf("%s: stands twice in its object, again in line %d; remove one of the members", printable(member), key.Line))
			}
			seen[key.Value] = true
			found = append(found, duplicateKeys(node.Content[i+1], member)...)
		}
	case yaml.SequenceNode:
		for i, element := range node.Content {
			found = append(found, duplicateKeys(element, fmt.Sprintf("%s[%d]", path, i))...)
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

// inFile puts the file in front of every problem, a line each.
func inFile(file string, err error) error {
	var lines []error
	for line := range strings.SplitSeq(err.Error(), "\n") {
		lines = append(lines, fmt.Errorf("%s: %s", file, strings.TrimPrefix(line, "hotupdate: ")))
	}
	return errors.Join(lines...)
}
