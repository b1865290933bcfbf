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
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Listed is a field of a kind: one without fields below it, or one that has a class or a Schema of its own.
type Listed struct {
	Path string `json:"path"`
	// Class is empty if nothing is known about the field. Of is the path of the field that declares
	// the class: the field itself, or a field above it. Options are those of the class, such as set.
	Class   fieldclasses.Class `json:"class,omitempty"`
	Options string             `json:"options,omitempty"`
	Of      string             `json:"of,omitempty"`
	Reason  string             `json:"reason,omitempty"`
	Source  string             `json:"source,omitempty"`
	// OneSided says why an edit is undecided if only one side has the field; empty if the class holds
	// for it too.
	OneSided string `json:"oneSided,omitempty"`
	// File names the file with the Schema of a member with free JSON, and Version the version of a CRD
	// in it, as the file with the classes does.
	File    string `json:"schema,omitempty"`
	Version string `json:"version,omitempty"`

	// IsImplied says that the class follows from the class or the Schema of a field above, and that it
	// would not hold alike if the field declared it.
	IsImplied bool `json:"-"`
	// IsLeaf says that there are no fields below the field. It is false for a single key of a map.
	IsLeaf bool `json:"-"`
}

// List lists the fields of a type that have none below them, and all fields with a class of their own. Elements of
// lists and maps that are not objects belong to their list or map. It is empty if the set does not have the type.
func (s *Set) List(t facts.TypeMeta) (fields []Listed, err error) {
	schema, err := s.Schema(t)
	if schema == nil || err != nil {
		return nil, err
	}
	made := s.resources[t].compiled
	own := made.ownRows()
	for _, l := range leavesOf(schema) {
		one := l.listed(made.meaning)
		i := slices.IndexFunc(own, func(f field) bool { return slices.Equal(f.steps, l.steps) })
		if i >= 0 {
			one.Options = own[i].Options
			one.IsImplied = false
			own = slices.Delete(own, i, i+1)
		}
		fields = append(fields, one)
	}
	for _, f := range own {
		fields = append(fields, f.listed())
	}
	slices.SortStableFunc(fields, func(a, b Listed) int { return strings.Compare(a.Path, b.Path) })
	return fields, nil
}

// ownRows are the rows whose field the resource has.
func (c *compiled) ownRows() []field {
	return slices.DeleteFunc(slices.Clone(c.meaning.fields), func(f field) bool { return c.missing[f.Path] })
}

// listed is the row of a field as it stands.
func (f field) listed() Listed {
	one := Listed{
		Path: f.Path, Class: f.Class, Options: f.Options, Of: f.Path, Reason: f.Reason, Source: f.Source,
		OneSided: f.OneSided,
	}
	if f.Class == "" {
		one.Of = ""
	}
	if f.given != nil {
		one.File = f.given.schema
		one.Version = f.given.version
	}
	return one
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

// hasOwnClasses reports whether a field is below a member with free JSON whose Schema has classes: an exported one.
func (m *Meaning) hasOwnClasses(path string) bool {
	steps, _ := fieldpath.ParsePattern(path)
	return slices.ContainsFunc(m.fields, func(f field) bool {
		hasSchema := f.given != nil && f.given.plan != nil && !f.given.plan.OfResource
		return hasSchema && isAbove(f.steps, steps)
	})
}

// leaf is a field without fields below it.
type leaf struct {
	path  string
	steps []fieldpath.PatternStep
	class structtag.Class
	of    string // the field that declares the class; empty if none does
	// isSelected says that a collection between that field and this one gives some elements another class.
	isSelected bool
}

// classBy is the class by which specs are compared, or that of the nearest row which only custom resources have.
func (l leaf) classBy(m *Meaning) fieldclasses.Class {
	row, isKnown := m.ofPattern(l.path)
	switch {
	case isKnown && !row.Class.IsTag():
		return row.Class
	case isKnown || l.of != "" || m.hasOwnClasses(l.path):
		return fieldclasses.Class(l.class.Word())
	}
	return ""
}

// listed is a leaf with its class.
func (l leaf) listed(m *Meaning) Listed {
	one := Listed{Path: l.path, IsLeaf: true, Class: l.classBy(m)}
	if row, isKnown := m.ofPattern(l.path); isKnown {
		one.Of = row.Path
		one.Reason = row.Reason
		one.Source = row.Source
		one.OneSided = row.OneSided
	}
	if one.Class.IsTag() && depthOf(l.of) > depthOf(one.Of) { // a rule of the CRD, or the Schema of a member
		one.Of = l.of
		one.Reason = ""
		one.Source = ""
		one.OneSided = ""
	}
	one.IsImplied = one.Class != "" && (l.isSelected || m.hasOwnClasses(l.path))
	return one
}

// depthOf is the number of steps to a field.
func depthOf(path string) int {
	steps, _ := fieldpath.ParsePattern(path)
	return len(steps)
}

// leavesOf returns the fields of a Schema that have none below them, in order.
func leavesOf(schema *hotupdate.Schema) []leaf {
	all := leavesBelow((*schemabridge.Schema)(schema).Plan().Root, leaf{})
	for i := range all {
		all[i].steps, _ = fieldpath.ParsePattern(all[i].path)
	}
	slices.SortFunc(all, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	return all
}

func leavesBelow(n *fieldplan.Node, at leaf) (leaves []leaf) {
	if n.Elem != nil {
		at.path = fieldpath.Elements(at.path)
		at.isSelected = at.isSelected || n.When != nil || n.Keys != nil
		return leavesBelow(n.Elem, at)
	}
	if len(n.Fields) == 0 {
		for strings.HasSuffix(at.path, "[]") {
			at.path = strings.TrimSuffix(at.path, "[]")
		}
		at.class = n.Class
		return []leaf{at}
	}
	for _, f := range n.Fields {
		leaves = append(leaves, leavesBelow(f.Node, at.to(f))...)
	}
	return leaves
}

// to is the place of a member.
func (l leaf) to(f *fieldplan.Field) leaf {
	l.path = fieldpath.Join(l.path, f.Name)
	if f.Declared != fieldplan.Inherited {
		l.of = l.path
		l.isSelected = false
	}
	return l
}
