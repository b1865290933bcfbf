package engine

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// member is an element of a set, identified by its canonical text.
type member struct {
	text string
	at   int
}

// sets compares sets by merging their sorted elements. All elements are of the set's own class, so each is a change as a whole.
func (d *differ) sets(old, updated side) {
	before, after := d.members(old), d.members(updated)
	for len(before) > 0 || len(after) > 0 {
		switch order := compareMembers(before, after); {
		case order < 0:
			d.setElement(old, updated, before[0], before[0].text, "")
			before = before[1:]
		case order > 0:
			d.setElement(old, updated, after[0], "", after[0].text)
			after = after[1:]
		default:
			before, after = before[1:], after[1:]
		}
	}
}

func compareMembers(a, b []member) int {
	switch {
	case len(b) == 0:
		return -1
	case len(a) == 0:
		return +1
	default:
		return strings.Compare(a[0].text, b[0].text)
	}
}

// members returns the distinct elements of a set in canonical order, each with the place where it stands first.
func (d *differ) members(s side) []member {
	members := make([]member, 0, length(s.value))
	for i := range length(s.value) {
		d.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		text := d.program.AppendElement(nil, &d.trail, s.node.Elem, s.value.Index(i))
		d.trail.Leave()
		members = append(members, member{string(text), i})
	}
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.at, b.at))
	})
	return slices.CompactFunc(members, func(a, b member) bool { return a.text == b.text })
}

func (d *differ) setElement(old, updated side, m member, oldText, newText string) {
	d.trail.Enter(stepTo(old.node, m))
	elem := old.node.Elem
	d.emit(side{elem, reflect.Value{}, old.from}, side{elem, reflect.Value{}, updated.from}, oldText, newText)
	d.trail.Leave()
}

// stepTo names scalars by their text, and other elements by where they stand.
func stepTo(set *fieldplan.Node, m member) fieldpath.Step {
	if set.Elem.Kind != fieldplan.Leaf {
		return fieldpath.Step{Kind: fieldpath.Index, At: m.at}
	}
	value := m.text
	if strings.HasPrefix(value, `"`) {
		_ = json.Unmarshal([]byte(m.text), &value) // canonical text is valid JSON
	}
	return fieldpath.Step{Kind: fieldpath.SetElem, Value: value, At: m.at, Hidden: set.Elem.HidesValues()}
}
