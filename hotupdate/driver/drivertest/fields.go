package drivertest

import (
	"encoding/json"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// element stands in a path for any index of a list and any key of a map.
const element = "*"

// node is a part of an exported Schema.
type node struct {
	Fields []field `json:"fields"`
	Elem   *node   `json:"elem"`
}

type field struct {
	Name  string `json:"name"`
	Class string `json:"class"`
	Key   string `json:"key"` // the field by which elements of the list are paired
	Type  node   `json:"type"`
}

// updatable returns the paths of the leaves that are Hot or InPlace.
func updatable(schema *hotupdate.Schema) (paths [][]string, err error) {
	exported, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var document struct {
		Root node `json:"root"`
	}
	if err := json.Unmarshal(exported, &document); err != nil {
		return nil, err
	}
	document.Root.walk(nil, field{}, func(path []string) { paths = append(paths, path) })
	return paths, nil
}

// walk visits the leaves below a path, which leads to a value of a field, that are Hot or InPlace. A map
// or list of scalars is a leaf. The key of an element is none, because another key is another element.
func (n *node) walk(path []string, of field, visit func(path []string)) {
	switch {
	case len(n.Fields) > 0:
		for _, f := range n.Fields {
			if f.Name != of.Key {
				f.Type.walk(append(slices.Clip(path), f.Name), f, visit)
			}
		}
	case n.Elem != nil && n.Elem.hasFields():
		n.Elem.walk(append(slices.Clip(path), element), of, visit)
	case of.Class == hotupdate.Hot.String() || of.Class == hotupdate.InPlace.String():
		visit(path)
	}
}

// hasFields reports whether there are fields at or below a node.
func (n *node) hasFields() bool { return len(n.Fields) > 0 || n.Elem != nil && n.Elem.hasFields() }

// text is the path as an RFC 6901 pointer.
func text(path []string) (pointer string) {
	for _, name := range path {
		pointer = fieldpath.Below(pointer, name)
	}
	return pointer
}

// isAt reports whether a pointer is at, above or below a path.
func isAt(pointer string, path []string) bool {
	for i, name := range fieldpath.Names(pointer) {
		if i == len(path) {
			return true
		}
		if path[i] != element && path[i] != name {
			return false
		}
	}
	return true
}

// unchanged returns what is wrong with the states: fields that none of them changes, so that nothing
// shows whether the driver applies them, or names of such fields that the Schema does not have.
func unchanged(schema *hotupdate.Schema, exempted []string, states []State) (problems []string) {
	paths, err := updatable(schema)
	if err != nil {
		return []string{err.Error()}
	}
	var changed []string
	for i := range states {
		for j := range states[:i] {
			changes, err := schema.DiffRaw([]byte(states[j].Spec), []byte(states[i].Spec))
			if err != nil {
				return nil // the flow reports it
			}
			for _, change := range changes {
				changed = append(changed, change.Pointer)
			}
		}
	}
	exempt := slices.Clone(exempted)
	for _, path := range paths {
		isChanged := slices.ContainsFunc(changed, func(pointer string) bool { return isAt(pointer, path) })
		isExempt := slices.Contains(exempt, text(path))
		exempt = slices.DeleteFunc(exempt, func(pointer string) bool { return pointer == text(path) })
		if !isChanged && !isExempt {
			problems = append(problems, "no state changes "+text(path)+", so nothing shows that the driver "+
				"applies it: let two states differ in it, or name it in Setup.Unchanged")
		}
	}
	for _, pointer := range exempt {
		problems = append(problems, "Setup.Unchanged names "+pointer+", which is not a Hot or InPlace leaf")
	}
	return problems
}
