package engine

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/jsonpatch"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Absent stands for a missing JSON value, as opposed to null.
type Absent struct{}

// Overlay returns the JSON tree of updated, in which the parts whose changes are Immutable are
// replaced by those of old, in old's spelling: the part of an update that does not replace
// machines. Everything else keeps its spelling. Each tree is the JSON from which its value was
// decoded.
//
// An added Immutable element is left out with everything in it, and so is an added Immutable object
// or collection with the presence option. A removed value that is Immutable or holds something
// Immutable stays, reduced to its Immutable parts. Sets are replaced as a whole.
func Overlay(p *fieldplan.Plan, old, updated Side) (tree any, err error) {
	changes, err := diffToOverlay(p, old.Value, updated.Value)
	if err != nil || len(changes) == 0 {
		return updated.Tree, err
	}
	return overlay(p.Root, changes, 0, updated.Tree, old.Tree), nil
}

// Side is one of two values, with the tree of its JSON.
type Side struct {
	Value reflect.Value
	Tree  any
}

// overlay replaces the Immutable parts of the tree onto by those of the tree from. It gets the
// changes at or below the current part, and its depth below the root.
func overlay(n *fieldplan.Node, changes []Difference, depth int, onto, from any) any {
	if isReplacedWhole(n) {
		if changes[0].Class != structtag.Immutable {
			return onto
		}
		return from
	}
	if c := changes[0]; c.Path.Len() == depth {
		isNull := from == nil && c.Op == OpReplace
		changes = changes[1:]
		switch {
		case c.Class != structtag.Immutable:
		case c.Op == OpAdd || isNull:
			return from
		case onto == nil, onto == Absent{}:
			onto = shellOf(from)
		}
	}
	switch {
	case len(changes) == 0:
		return onto
	case n.Kind == fieldplan.Object, n.Kind == fieldplan.Map:
		return overlayMembers(n, changes, depth, onto, from)
	default:
		return overlayElements(n, changes, depth, onto, from)
	}
}

// isReplacedWhole reports whether an overlay takes a part from one of the two trees, with everything
// in it.
func isReplacedWhole(n *fieldplan.Node) bool {
	isSet := n.Pairing == fieldplan.ByValue
	isArrayOfOneClass := n.Kind == fieldplan.Array && n.Classes == fieldplan.Of(n.Class)
	return n.Kind == fieldplan.Leaf || isSet || isArrayOfOneClass
}

// shellOf is an empty value of the same JSON type.
func shellOf(tree any) any {
	switch tree.(type) {
	case map[string]any:
		return map[string]any{}
	case []any:
		return []any{}
	default:
		return tree
	}
}

// overlayMembers replaces members of an object, or entries of a map.
func overlayMembers(n *fieldplan.Node, changes []Difference, depth int, onto, from any) any {
	to, isThere := onto.(map[string]any)
	others, _ := from.(map[string]any)
	result := map[string]any{}
	maps.Copy(result, to)
	lookup := membersOf(n, to)
	lookupOther := membersOf(n, others)
	for group := range steps(changes, depth) {
		step := group[0].Path.At(depth)
		f, child := memberNode(n, step.Name)
		source, other := lookupOther(step.Name)
		name, old := lookup(step.Name)
		if old == (Absent{}) {
			name = source
		}
		var member any
		if f != nil && f.Default != nil && child.Kind != fieldplan.Leaf {
			member = overlayFilled(f, group, depth+1, old, other)
		} else {
			member = overlay(child, group, depth+1, old, other)
		}
		if f == nil {
			member = identified(n, member, old, other)
		} else if !f.HasPresence() && becameEmpty(member, old) && isMissing(other) {
			member = Absent{}
		}
		if member == (Absent{}) {
			delete(result, name)
		} else {
			result[name] = member
		}
	}
	if !isThere && len(result) == 0 {
		return onto
	}
	return result
}

// becameEmpty reports whether a member is an empty object or list, and was not one before.
func becameEmpty(member, old any) bool { return sizeOf(member) == 0 && sizeOf(old) != 0 }

// isMissing reports whether a member is neither an object nor a list: it is absent, or null.
func isMissing(member any) bool { return sizeOf(member) < 0 }

// overlayFilled is overlay for a member with a default, which is an object, list or map. Where a side
// leaves it out, the side has the default. The result is left out if that means the same.
func overlayFilled(f *fieldplan.Field, changes []Difference, depth int, onto, from any) any {
	filled, _ := jsonpatch.Parse(f.Default) // was checked when the plan was compiled
	to := onto
	other := from
	if isUnset(to) {
		to = filled
	}
	if isUnset(other) {
		other = filled
	}
	result := overlay(f.Node, changes, depth, to, other)
	for _, side := range []any{onto, from} {
		if isUnset(side) && reflect.DeepEqual(result, filled) {
			return side
		}
	}
	return result
}

func isUnset(tree any) bool { return tree == nil || tree == Absent{} }

// memberNode returns the field and the node of a member. Entries of maps and unknown members have
// no field.
func memberNode(n *fieldplan.Node, name string) (*fieldplan.Field, *fieldplan.Node) {
	if n.Kind == fieldplan.Map {
		return nil, n.Entry(name)
	}
	if f := n.Lookup(name); f != nil {
		return f, f.Node
	}
	return nil, n.Rest.Node.Elem
}

// membersOf returns a function that finds the spelling and the value of a member of an object or
// map. A map key that is not a string may have several spellings.
func membersOf(n *fieldplan.Node, members map[string]any) func(name string) (spelled string, value any) {
	spellings := sync.OnceValue(func() map[string]string {
		all := map[string]string{}
		for spelled := range members {
			all[n.KeyText(spelled)] = spelled
		}
		return all
	})
	return func(name string) (string, any) {
		if _, ok := members[name]; !ok && n.Kind == fieldplan.Map && !leaf.IsPlainMapKey(n.Type.Key()) {
			if spelled, known := spellings()[name]; known {
				name = spelled
			}
		}
		if value, ok := members[name]; ok {
			return name, value
		}
		return name, Absent{}
	}
}

// overlayElements replaces elements of a list or array. Elements that are added to a keyed list are
// appended.
func overlayElements(n *fieldplan.Node, changes []Difference, depth int, onto, from any) any {
	to, isThere := onto.([]any)
	others, _ := from.([]any)
	result := slices.Clone(to)
	for group := range steps(changes, depth) {
		atOther, i := placesOf(group[0].Path.At(depth))
		old := placeAt(n, to, i)
		other := placeAt(n, others, atOther)
		switch elem := identified(n, overlay(n.Elem, group, depth+1, old, other), old, other); {
		case 0 <= i && i < len(result):
			result[i] = elem
		case elem != Absent{} && (elem != nil || n.Kind != fieldplan.Array):
			for len(result) < i { // fill the places before it
				result = append(result, shellOf(placeAt(n, others, len(result))))
			}
			result = append(result, elem)
		}
	}
	result = slices.DeleteFunc(result, func(elem any) bool { return elem == Absent{} })
	if !isThere && len(result) == 0 {
		return onto
	}
	return result
}

// placesOf returns the indices of an element in the old and in the new list. An index is -1 if a keyed
// list has no such element.
func placesOf(step fieldpath.Step) (old, updated int) {
	if step.Kind == fieldpath.ListKey {
		return int(step.Places[0]) - 1, int(step.Places[1]) - 1
	}
	return step.At, step.At
}

// placeAt is the element at an index. A missing element of an array is null, which decodes to zero.
func placeAt(n *fieldplan.Node, list []any, i int) any {
	switch {
	case 0 <= i && i < len(list):
		return list[i]
	case n.Kind == fieldplan.Array:
		return nil
	default:
		return Absent{}
	}
}

// identified returns an element of collection n. If onto does not have the element, its key and
// selector are those of from.
func identified(n *fieldplan.Node, elem, onto, from any) any {
	members, isObject := elem.(map[string]any)
	if !isObject || n.Elem == nil || onto != (Absent{}) {
		return elem
	}
	others, _ := from.(map[string]any)
	for _, f := range n.Elem.Fields {
		if value, ok := others[f.Name]; ok && n.Identity(f) {
			members[f.Name] = value
		}
	}
	return elem
}

// sizeOf counts the members of an object or the elements of a list. It is -1 for anything else.
func sizeOf(tree any) int {
	switch v := tree.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	default:
		return -1
	}
}

// steps groups changes by their step at a depth. Changes with one step are adjacent.
func steps(changes []Difference, depth int) iter.Seq[[]Difference] {
	return func(yield func([]Difference) bool) {
		for from, to := 0, 1; from < len(changes); to++ {
			if to < len(changes) && isSameStep(changes[from].Path.At(depth), changes[to].Path.At(depth)) {
				continue
			}
			if !yield(changes[from:to]) {
				return
			}
			from = to
		}
	}
}

// isSameStep reports whether two steps lead to one part. An element with a key may have different
// indices in both values.
func isSameStep(a, b fieldpath.Step) bool {
	isSameName := a.Kind == b.Kind && a.Name == b.Name
	isSameKey := a.Value == b.Value && a.Ordinal == b.Ordinal
	isSamePlace := a.Kind != fieldpath.Index || a.At == b.At
	return isSameName && isSameKey && isSamePlace
}
