package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// sets compares sets. All elements have the class of the set, so each changes as a whole.
func (d *differ) sets(s sides) {
	elem := s[0].node.Elem
	pairs := pairing{left: [2][]Element{d.distinct(s[0]), d.distinct(s[1])}}
	for pairs.next() {
		var texts [2]string
		for i, e := range pairs.at {
			if e != nil {
				texts[i] = e.Key
			}
		}
		if texts[0] != texts[1] {
			d.trail.Enter(stepInSet(s[0].node, pairs.element()))
			d.emit(sides{{node: elem, from: s[0].from}, {node: elem, from: s[1].from}}, texts)
			d.trail.Leave()
		}
		if d.seeks && pairs.at[0] == nil {
			d.seekInSet(s, pairs.at[1])
		}
	}
}

// distinct returns the elements of a set in canonical order, without duplicates. Their keys are
// their texts, and At is the first index.
func (d *differ) distinct(s side) []Element {
	elements := make([]Element, 0, length(s.value))
	for i := range length(s.value) {
		d.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		text := d.program.AppendElement(nil, &d.trail, s.node.Elem, s.value.Index(i))
		d.trail.Leave()
		elements = append(elements, Element{Key: string(text), At: i})
	}
	slices.SortStableFunc(elements, CompareKeys)
	return slices.CompactFunc(elements, func(a, b Element) bool { return a.Key == b.Key })
}

// stepInSet names scalars by their text, and other elements by their index.
func stepInSet(set *fieldplan.Node, e *Element) fieldpath.Step {
	if set.Elem.Kind != fieldplan.Leaf {
		return fieldpath.Step{Kind: fieldpath.Index, At: e.At}
	}
	value := e.Key
	if strings.HasPrefix(value, `"`) {
		_ = json.Unmarshal([]byte(e.Key), &value) // canonical text is valid JSON
	}
	return set.Step(fieldpath.Step{Kind: fieldpath.SetElem, Value: value, At: e.At})
}
