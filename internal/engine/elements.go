package engine

import (
	"cmp"
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Element is one element of a collection with what identifies it there.
type Element struct {
	Key   string // text of the map key or list key
	order int64  // of integer list keys
	At    int    // position in a list
	Value reflect.Value
}

// Step returns the step from collection n to the element.
func (e *Element) Step(n *fieldplan.Node) fieldpath.Step {
	switch {
	case n.Kind == fieldplan.Map:
		return fieldpath.Step{Kind: fieldpath.MapKey, Name: e.Key, Hidden: n.HidesKeys()}
	case n.Pairing == fieldplan.ByKey:
		return fieldpath.Step{Kind: fieldpath.ListKey, Name: n.Key.Name, Value: e.Key, At: e.At, Hidden: n.Key.Node.HidesValues()}
	default:
		return fieldpath.Step{Kind: fieldpath.Index, At: e.At}
	}
}

// Elements returns the elements of a map or keyed list in canonical order: map keys by their bytes, list keys by their bytes or as
// integers. Elements without a key, and further ones of the same key, are reported and left out. An invalid v has no elements.
func Elements(t *Trail, n *fieldplan.Node, v reflect.Value) []Element {
	if !v.IsValid() || v.Len() == 0 {
		return nil
	}
	var elements []Element
	if n.Kind == fieldplan.Map {
		elements = entries(t, n, v)
	} else {
		elements = keyed(t, n, v)
	}
	slices.SortStableFunc(elements, CompareKeys)
	return withoutDuplicates(t, n, elements)
}

// CompareKeys is the canonical order of elements with keys.
func CompareKeys(a, b Element) int {
	return cmp.Or(cmp.Compare(a.order, b.order), strings.Compare(a.Key, b.Key))
}

func withoutDuplicates(t *Trail, n *fieldplan.Node, sorted []Element) []Element {
	distinct := sorted[:0]
	for i, e := range sorted {
		if i > 0 && CompareKeys(sorted[i-1], e) == 0 {
			t.Enter(e.Step(n))
			if n.Kind == fieldplan.Map {
				t.Report(&fault.Error{Kind: fault.Duplicate, Code: "duplicate-map-key", What: "stands for two keys with the same text", Hint: "remove one of the keys"})
			} else {
				t.Report(&fault.Error{Kind: fault.Duplicate, Code: "duplicate-list-key", What: "is the key of two elements", Hint: "give each element a key of its own"})
			}
			t.Leave()
			continue
		}
		distinct = append(distinct, e)
	}
	return distinct
}

// isAbsent reports whether a value of map n means that its key is absent: null in a Hot or Ignored map, as in a JSON merge patch.
func isAbsent(n *fieldplan.Node, value reflect.Value) bool {
	return !fieldplan.IsKept(n.Class) && IsNull(n.Elem, value)
}

func entries(t *Trail, n *fieldplan.Node, v reflect.Value) []Element {
	elements := make([]Element, 0, v.Len())
	key := reflect.New(v.Type().Key()).Elem()
	values := reflect.MakeSlice(reflect.SliceOf(v.Type().Elem()), v.Len(), v.Len()) // one piece of memory, with addresses
	for it := v.MapRange(); it.Next() && len(elements) < v.Len(); {
		key.SetIterKey(it)
		text, problem := keyText(key)
		if problem != nil {
			t.Report(problem)
			continue
		}
		value := values.Index(len(elements))
		value.SetIterValue(it)
		if isAbsent(n, value) {
			value.SetZero()
			continue
		}
		elements = append(elements, Element{Key: text, Value: value})
	}
	return elements
}

// keyText is the text of a map key, as encoding/json writes it.
func keyText(key reflect.Value) (string, *fault.Error) {
	var text string
	switch marshaler, ok := reflect.TypeAssert[encoding.TextMarshaler](key); {
	case key.Kind() == reflect.String:
		text = key.String()
	case ok && key.Kind() == reflect.Pointer && key.IsNil():
	case ok:
		out, problem := leaf.Call(marshaler.MarshalText)
		if problem != nil {
			return "", problem
		}
		text = string(out)
	case key.Kind() == reflect.Interface:
		return "", &fault.Error{Kind: fault.Failed, Code: "marshal-failed", What: "has a nil key, which has no text", Hint: "remove the key"}
	case key.CanInt():
		text = strconv.FormatInt(key.Int(), 10)
	default:
		text = strconv.FormatUint(key.Uint(), 10)
	}
	if !utf8.ValidString(text) {
		return "", invalidUTF8Key()
	}
	return text, nil
}

// KeyStep returns the step from map n to the value under key.
func KeyStep(n *fieldplan.Node, key reflect.Value) fieldpath.Step {
	text, _ := keyText(key)
	return (&Element{Key: text}).Step(n)
}

// keyed reads a list whose elements are found by key.
func keyed(t *Trail, n *fieldplan.Node, v reflect.Value) []Element {
	elements := make([]Element, 0, v.Len())
	for i := range v.Len() {
		e := Element{At: i, Value: v.Index(i)}
		if problem := e.readKey(n); problem != nil {
			t.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
			t.Report(problem)
			t.Leave()
			continue
		}
		elements = append(elements, e)
	}
	return elements
}

func (e *Element) readKey(n *fieldplan.Node) *fault.Error {
	object, ok := Deref(e.Value)
	key := reflect.Value{}
	if ok {
		key, ok = Deref(Member(object, n.Key))
	}
	switch {
	case !ok || key.Kind() == reflect.String && key.Len() == 0:
		return &fault.Error{Kind: fault.Missing, Code: "missing-list-key", What: "has no " + n.Key.Name + ", by which the element is found", Hint: "set it"}
	case key.Kind() == reflect.String && !utf8.ValidString(key.String()):
		return invalidUTF8Key()
	case key.Kind() == reflect.String:
		e.Key = key.String()
	case key.CanInt():
		e.order, e.Key = key.Int(), strconv.FormatInt(key.Int(), 10)
	default:
		e.order, e.Key = int64(key.Uint()^1<<63), strconv.FormatUint(key.Uint(), 10) //nolint:gosec // keeps the order
	}
	return nil
}
