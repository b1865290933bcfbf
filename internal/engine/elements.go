package engine

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Element is one element of a collection, with its identity.
type Element struct {
	Key     string        // text of the map key or list key
	order   uint64        // of integer list keys
	At      int           // position in a list
	ordinal int           // number of elements of the same list key before this one, in either of two lists
	mapKey  reflect.Value // Go key of a map
	Value   reflect.Value
}

// Step returns the step from collection n to the element.
func (e *Element) Step(n *fieldplan.Node) fieldpath.Step {
	switch {
	case n.Kind == fieldplan.Map:
		return n.Step(fieldpath.Step{Kind: fieldpath.MapKey, Name: e.Key})
	case n.Pairing == fieldplan.ByKey:
		return n.Step(fieldpath.Step{
			Kind: fieldpath.ListKey, Name: n.Key.Name, Value: e.Key, At: e.At,
			Ordinal: int32(e.ordinal), //nolint:gosec // smaller than the list
		})
	default:
		return fieldpath.Step{Kind: fieldpath.Index, At: e.At}
	}
}

// entries returns the entries of a map in the byte order of their keys, without absent entries.
// Keys that have no text, and all but the first of several keys with one text, are reported and
// left out. An invalid v has no entries.
func (n *routine) entries(t *Trail, v reflect.Value) []Element {
	return slices.DeleteFunc(Entries(t, n.plan, v), func(e Element) bool { return n.isAbsent(e.Key, valueOf(e.Value)) })
}

// Entries is [routine.entries] including absent entries.
func Entries(t *Trail, n *fieldplan.Node, v reflect.Value) []Element {
	if length(v) == 0 {
		return nil
	}
	entries := readEntries(t, v)
	slices.SortFunc(entries, CompareKeys)
	distinct := entries[:0]
	for i, e := range entries {
		if i > 0 && entries[i-1].Key == e.Key {
			t.Enter(e.Step(n))
			t.Report(&fault.Error{
				Kind: fault.Invalid, Code: fault.DuplicateMapKey, What: "stands for two keys with the same text",
				Hint: "remove one of the keys",
			})
			t.Leave()
			continue
		}
		distinct = append(distinct, e)
	}
	return distinct
}

// CompareKeys is the order in which [routine.entries] and [Program.keyed] return elements, and in which
// elements are paired.
func CompareKeys(a, b Element) int {
	return cmp.Or(compareListKeys(a, b), cmp.Compare(a.ordinal, b.ordinal))
}

// compareListKeys is the order of keys alone.
func compareListKeys(a, b Element) int {
	return cmp.Or(cmp.Compare(a.order, b.order), strings.Compare(a.Key, b.Key))
}

// readEntries copies the keys and values of a map, so that they have addresses.
func readEntries(t *Trail, v reflect.Value) []Element {
	size := v.Len()
	typ := v.Type()
	entries := make([]Element, 0, size)
	keys := reflect.MakeSlice(reflect.SliceOf(typ.Key()), size, size)
	values := reflect.MakeSlice(reflect.SliceOf(typ.Elem()), size, size)
	for it := v.MapRange(); it.Next() && len(entries) < size; {
		e := Element{mapKey: keys.Index(len(entries)), Value: values.Index(len(entries))}
		e.mapKey.SetIterKey(it)
		text, problem := leaf.KeyText(e.mapKey)
		if problem != nil {
			t.Report(problem)
			continue
		}
		e.Key = text
		e.Value.SetIterValue(it)
		entries = append(entries, e)
	}
	return entries
}

// KeyStep returns the step from map n to the value under key.
func KeyStep(n *fieldplan.Node, key reflect.Value) fieldpath.Step {
	text, _ := leaf.KeyText(key)
	return (&Element{Key: text}).Step(n)
}

// keyed returns the elements of keyed list v, which n describes, as [run.index] orders them. An
// invalid v has no elements.
func (p *Program) keyed(t *Trail, n *fieldplan.Node, v reflect.Value) []Element {
	if length(v) == 0 {
		return nil
	}
	r := start()
	defer r.end()
	t.Path = slices.Grow(t.Path, 1) // the step is written behind it, so that no level copies those above
	r.trail.Path = t.Path[:len(t.Path)+1]
	r.goTo(fieldpath.Step{})
	r.traced = true
	v = leaf.Addressable(v)
	list := p.whole.of(n)
	m := memoryOf(v)
	elements := make([]Element, r.index(list, m))
	for i := range elements {
		elements[i] = list.keyAt(m, r.entries[i].at)
		elements[i].Value = v.Index(elements[i].At)
	}
	r.trail.MoveTo(t)
	return elements
}
