package side

import (
	"errors"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// located puts the place before every problem of an object: the file and, for a problem with a
// path, the line of the field or of the object that should have the field.
func located(o *manifests.Object, err error) error {
	all := fault.All(err)
	if len(all) == 0 {
		return manifests.InFile(o.String(), err)
	}
	return errors.Join(placed(o, all)...)
}

// placed is located for problems that are not joined.
func placed(o *manifests.Object, all fault.List) []error {
	if len(all) == 0 {
		return nil
	}
	var document yaml.Node
	_ = yaml.Unmarshal(o.Text, &document) // JSON is YAML; invalid text has no lines
	problems := make([]error, len(all))
	for i, problem := range all {
		place := o.String()
		if line := lineOf(&document, problem); line > 0 {
			place = o.At(o.Line - 1 + line)
		}
		problems[i] = manifests.InFile(place, problem)
	}
	return problems
}

// lineOf returns the line of a problem, or 0 if it has none. The path of a pool's problem begins at
// the pool; the path of a class is a name in its file.
func lineOf(document *yaml.Node, problem *fault.Error) (line int) {
	var steps []string
	for _, step := range fieldpath.ParseShown(problem.Path) {
		steps = append(steps, step.Name)
	}
	paths := [][]string{steps, {problem.Path}}
	if name, ofPool := strings.CutPrefix(problem.Where, "pool "); ofPool {
		name, _ = strconv.Unquote(name)
		paths = [][]string{
			append([]string{"spec", "provider", "workers", "name=" + name}, steps...),
			append([]string{"spec", "pools", "name=" + name}, steps...),
		}
	}
	for _, path := range paths {
		for _, node := range document.Content {
			var key *yaml.Node
			for i := 0; i < len(path) && node != nil; i++ {
				if key, node = child(node, path[i]); key != nil {
					line = max(line, key.Line)
				}
			}
		}
	}
	return line
}

// child returns the key and the value of a member or, twice, the element at a position or with a
// key, as in name=a.
func child(node *yaml.Node, step string) (key, value *yaml.Node) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	member, text, byKey := strings.Cut(step, "=")
	for i, part := range node.Content {
		switch {
		case node.Kind == yaml.MappingNode && i%2 == 0 && part.Value == step:
			return part, node.Content[i+1]
		case node.Kind != yaml.SequenceNode:
		case strconv.Itoa(i) == step:
			return part, part
		case byKey:
			if _, is := child(part, member); is != nil && is.Value == text {
				return part, part
			}
		}
	}
	return nil, nil
}
