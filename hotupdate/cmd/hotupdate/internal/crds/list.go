package crds

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/internal/fieldclasses"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// Listed is a field of a kind that has no fields below it.
type Listed struct {
	Path string `json:"path"`
	// Class is empty if nothing is known about the field. Of is the path of the field that declares
	// the class: the field itself, or a field above it.
	Class  fieldclasses.Class `json:"class,omitempty"`
	Of     string             `json:"of,omitempty"`
	Reason string             `json:"reason,omitempty"`
	Source string             `json:"source,omitempty"`
}

// List lists the fields of a type that have none below them, with their classes. Elements of lists and maps that
// are not objects belong to their list or map. It is empty if the set does not have the type.
func (s *Set) List(t facts.TypeMeta) (fields []Listed, err error) {
	schema, err := s.Schema(t)
	if schema == nil || err != nil {
		return nil, err
	}
	m := s.Meaning(t)
	for _, path := range leavesOf(schema) {
		one := Listed{Path: path}
		if row, isKnown := m.ofPattern(path); isKnown {
			one.Class = row.Class
			one.Of = row.Path
			one.Reason = row.Reason
			one.Source = row.Source
		}
		fields = append(fields, one)
	}
	return fields, nil
}

// ofPattern returns the row of a field by its path.
func (m *Meaning) ofPattern(path string) (row fieldclasses.Row, isKnown bool) {
	if m == nil {
		return row, false
	}
	steps, _ := fieldpath.ParsePattern(path)
	i := slices.IndexFunc(m.fields, func(f field) bool { return f.Class != "" && isAbove(f.steps, steps) })
	if i < 0 {
		return row, false
	}
	return m.fields[i].Row, true
}

// leavesOf returns the paths of the fields of a Schema that have none below them, in order.
func leavesOf(schema *hotupdate.Schema) []string {
	all := leavesBelow((*schemabridge.Schema)(schema).Plan().Root, "")
	slices.Sort(all)
	return all
}

func leavesBelow(n *fieldplan.Node, path string) (paths []string) {
	if n.Elem != nil {
		return leavesBelow(n.Elem, fieldpath.Elements(path))
	}
	if len(n.Fields) == 0 {
		for strings.HasSuffix(path, "[]") {
			path = strings.TrimSuffix(path, "[]")
		}
		return []string{path}
	}
	for _, f := range n.Fields {
		paths = append(paths, leavesBelow(f.Node, fieldpath.Join(path, f.Name))...)
	}
	return paths
}
