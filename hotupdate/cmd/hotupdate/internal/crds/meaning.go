package crds

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldclasses"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Meaning says what edits of the fields of a kind do to machines, by the classes of the user and
// the built-in classes. A nil Meaning has no classes.
type Meaning struct {
	// Source is the release from whose code the built-in classes were read; empty if there are
	// none.
	Source string

	fields []field // a field before those above it
}

// field is the class of a field, for all below it without a class.
type field struct {
	fieldclasses.Row

	steps []fieldpath.PatternStep
	given *class // by the user; nil if the class is built in
}

// Of returns the row of a change: the row of the field itself, or of the nearest field above it.
func (m *Meaning) Of(c hotupdate.Change) (row fieldclasses.Row, isKnown bool) {
	if m == nil {
		return row, false
	}
	names := fieldpath.Names(c.Pointer)
	if m.isHidden(c, names) {
		reason := "the class depends on the key, which is not shown"
		return fieldclasses.Row{Path: c.Path, Class: fieldclasses.Undecided, Reason: reason}, true
	}
	i := slices.IndexFunc(m.fields, func(f field) bool { return f.Class != "" && f.leadsTo(names) })
	if i < 0 {
		return row, false
	}
	return m.fields[i].Row, true
}

// isHidden reports whether the row of a change depends on a key of a map that the change does not name. The class of
// the change tells the classes of a struct tag apart; those that only custom resources have are compared like an
// immutable field, see [fieldclasses.Row.Tag].
func (m *Meaning) isHidden(c hotupdate.Change, names []string) bool {
	isKeyHidden := strings.Contains(c.Path, "["+fieldpath.Hidden+"]")
	return isKeyHidden && c.Class == hotupdate.Immutable && slices.ContainsFunc(m.fields, func(f field) bool {
		return f.Class != "" && !f.Class.IsTag() && f.isKeyOf(names)
	})
}

// isKeyOf reports whether the field is a single key of the map that the names lead to, or all keys with a prefix.
func (f field) isKeyOf(names []string) bool {
	last := len(f.steps) - 1
	return last == len(names) && f.steps[last].Quoted && leadsTo(f.steps[:last], names)
}

// leadsTo reports whether the names are at or below the field, which may be a single key of a map or all keys with a
// prefix.
func (f field) leadsTo(names []string) bool {
	last := len(f.steps) - 1
	prefix, isPrefix := f.keyPrefix()
	if !isPrefix {
		return leadsTo(f.steps, names)
	}
	return len(names) > last && strings.HasPrefix(names[last], prefix) && leadsTo(f.steps[:last], names)
}

// keyPrefix returns the prefix of the keys of a map that the field stands for, as in labels["team/*"].
func (f field) keyPrefix() (prefix string, isPrefix bool) {
	last := len(f.steps) - 1
	if last < 0 || !f.steps[last].Quoted { // a malformed path is reported with the Schema
		return "", false
	}
	return fieldplan.PrefixOf(f.steps[last].Name)
}

// closer orders the fields that may lead to a value as their classes hold: the field itself, and then those above it.
// Of the keys of a map, the exact key comes first, and then the longest prefix.
func closer(a, b field) int {
	one, isOne := a.keyPrefix()
	other, isOther := b.keyPrefix()
	byDepth := cmp.Compare(len(b.steps), len(a.steps))
	switch {
	case byDepth != 0:
		return byDepth
	case isOne != isOther && isOne:
		return 1
	case isOne != isOther:
		return -1
	}
	return cmp.Compare(len(other), len(one))
}

// withoutClass is the reason for a field without a class in a kind with built-in classes.
const withoutClass = "the field has no class"

// WithoutEdit returns the class of a change that the API server makes without an edit, because the
// CRD has changed. The class is empty if only the Schema declares it. The reason says why it is
// undecided.
func (m *Meaning) WithoutEdit(c hotupdate.Change) (class fieldclasses.Class, reason string) {
	row, isKnown := m.Of(c)
	return m.withoutEdit(row, isKnown, c.Op)
}

// withoutEdit is [Meaning.WithoutEdit] for the row of the field. A webhook that refuses edits is
// not asked about such a change. Machines that were made from the template before stay unchanged.
func (m *Meaning) withoutEdit(row fieldclasses.Row, isKnown bool, op hotupdate.Op) (fieldclasses.Class, string) {
	isOneSided := op == hotupdate.OpAdd || op == hotupdate.OpRemove
	switch {
	case !isKnown && m.IsBuiltIn():
		return fieldclasses.Undecided, withoutClass
	case row.Class == fieldclasses.Refused:
		return fieldclasses.NoEffect, ""
	case row.OneSided != "" && isOneSided:
		return fieldclasses.Undecided, row.OneSided
	}
	return row.Class, row.Reason
}

// IsBuiltIn reports whether the kind has classes that are built in.
func (m *Meaning) IsBuiltIn() bool { return m != nil && m.Source != "" }

// meaningOf joins the classes of the user with those that are built in for a kind. A class of the
// user is for the field and for all below it. A class for the kind wins over a class for all kinds.
func meaningOf(r *resource, given []class) *Meaning {
	m := &Meaning{}
	for i := range given {
		if one := &given[i]; one.of != "" && one.of == r.kind+"."+r.group {
			m.add(r, one)
		}
	}
	for i := range given {
		if one := &given[i]; one.of == "" && m.given(r.pathOf(one)) == nil {
			m.add(r, one)
		}
	}
	builtIn, isBuiltIn := fieldclasses.Of(r.group, r.kind)
	if isBuiltIn {
		m.Source = builtIn.Source
	}
	for _, row := range builtIn.Rows {
		steps, _ := fieldpath.ParsePattern(row.Path)
		isGiven := func(f field) bool { return f.given != nil && isAbove(f.steps, steps) }
		if !slices.ContainsFunc(m.fields, isGiven) {
			m.fields = append(m.fields, field{row, steps, nil})
		}
	}
	slices.SortStableFunc(m.fields, closer)
	return m
}

// add adds a class of the user.
func (m *Meaning) add(r *resource, one *class) {
	row := one.row()
	row.Path = r.pathOf(one)
	steps, _ := fieldpath.ParsePattern(row.Path) // a mistake in the path is reported with the Schema
	m.fields = append(m.fields, field{row, steps, one})
}

// pathOf returns the path of a class in the spec. People also write it with the spec in front:
// spec.tags.
func (r *resource) pathOf(one *class) string {
	if inSpec, isBelow := strings.CutPrefix(one.path, "spec."); isBelow && !r.hasSpecInSpec {
		return inSpec
	}
	return one.path
}

// given returns the class of the user at a path; nil if there is none.
func (m *Meaning) given(path string) *class {
	for _, f := range m.fields {
		if f.given != nil && f.Path == path {
			return f.given
		}
	}
	return nil
}

// isAbove reports whether a pattern leads to a field or to a field above it.
func isAbove(pattern, of []fieldpath.PatternStep) bool {
	return len(pattern) > 0 && len(pattern) <= len(of) && slices.Equal(pattern, of[:len(pattern)])
}

// row is the class as a row, with the options of its text.
func (c *class) row() fieldclasses.Row {
	name, options, _ := strings.Cut(c.tag, ",")
	return fieldclasses.Row{Path: c.path, Class: fieldclasses.Class(name), Options: options, Reason: c.reason}
}

// hasClasses reports whether the field has a class, or an exported Schema with classes.
func (f field) hasClasses() bool {
	hasSchema := f.given != nil && f.given.plan != nil
	return f.Class != "" || hasSchema && !f.given.plan.OfResource
}

// tag is the struct tag of a field. An unknown class of the user is kept for the message.
func (f field) tag() string {
	isKnown := f.Class.IsTag() || f.Class == fieldclasses.Undecided || f.Class == fieldclasses.Refused
	if isKnown || f.given == nil {
		return f.Tag()
	}
	return strings.TrimSuffix(string(f.Class)+","+f.Options, ",")
}

// isBuiltInAt reports whether a path has a built-in class.
func (m *Meaning) isBuiltInAt(path string) bool {
	return slices.ContainsFunc(m.fields, func(f field) bool { return f.Path == path && f.given == nil })
}
