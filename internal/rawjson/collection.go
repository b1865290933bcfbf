package rawjson

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// firstCapacity is for how many elements a list has memory at first.
const firstCapacity = 4

// list reads an array into a slice. An empty one is not nil.
func (r *run) list(n *node, v reflect.Value) *fault.Error {
	if r.Peek() != '[' {
		return r.wrong(n, "a list")
	}
	last, problem := r.Open(']')
	if last {
		v.Set(reflect.MakeSlice(n.typ, 0, 0))
	}
	elements := v
	if r.lends {
		elements = r.take(&n.memory).Elem()
	}
	for i := 0; !last && problem == nil; i++ {
		if i == elements.Cap() {
			elements.Grow(firstCapacity)
		}
		elements.SetLen(i + 1)
		if problem = r.element(n, i, elements.Index(i)); problem == nil {
			last, problem = r.Next(']')
		}
	}
	if r.lends && elements.Len() > 0 {
		v.Set(elements)
	}
	return problem
}

// array reads an array. Elements that there is no place for are dropped, as Kubernetes does.
func (r *run) array(n *node, v reflect.Value) *fault.Error {
	if r.Peek() != '[' {
		return r.wrong(n, "a list")
	}
	last, problem := r.Open(']')
	for i := 0; !last && problem == nil; i++ {
		if i < v.Len() {
			problem = r.element(n, i, v.Index(i))
		} else {
			_, problem = r.extent()
		}
		if problem == nil {
			last, problem = r.Next(']')
		}
	}
	return problem
}

func (r *run) element(n *node, i int, v reflect.Value) *fault.Error {
	first := len(r.faults)
	problem := r.fill(&n.elem, v)
	if len(r.faults) > first {
		r.below(first, fieldpath.Step{Kind: fieldpath.Index, At: i})
	}
	return problem
}

// mapping is a map that is being read.
type mapping struct {
	value      reflect.Value
	texts      map[string]string
	quantities map[string]resource.Quantity
	key, elem  reflect.Value   // of other maps
	names      map[string]bool // that were read, where a name is not the key itself
}

// entries reads an object into a map.
func (r *run) entries(n *node, v reflect.Value) *fault.Error {
	if r.Peek() != '{' {
		return r.wrong(n, "an object")
	}
	m := r.mapping(n)
	v.Set(m.value)
	last, problem := r.Open('}')
	for !last && problem == nil {
		if problem = r.entry(n, &m); problem == nil {
			last, problem = r.Next('}')
		}
	}
	return problem
}

// mapping takes an empty map.
func (r *run) mapping(n *node) (m mapping) {
	if r.lends {
		m.value = r.take(&n.memory).Elem()
	} else {
		m.value = reflect.MakeMap(n.typ)
	}
	//exhaustive:ignore
	switch n.kind {
	case mapOfText:
		m.texts = m.value.Interface().(map[string]string)
	case mapOfQuantity:
		m.quantities = m.value.Interface().(map[string]resource.Quantity)
	default:
		m.key, m.elem = r.take(&n.key).Elem(), r.take(&n.entry).Elem()
	}
	if n.kind == mapByKeys {
		m.names = map[string]bool{}
	}
	return m
}

// entry reads a member into a map.
func (r *run) entry(n *node, m *mapping) *fault.Error {
	first, before := len(r.faults), m.value.Len()
	name, problem := r.str()
	if problem == nil {
		problem = r.Colon()
	}
	if problem != nil {
		return problem
	}
	//exhaustive:ignore
	switch n.kind {
	case mapOfText:
		m.texts[name], problem = r.optionalText(n.elem.node)
	case mapOfQuantity:
		problem = r.readQuantity(n.elem.node, &r.quantity)
		m.quantities[name] = r.quantity
	case mapOfAny:
		problem = r.fill(&n.elem, m.elem)
		m.key.SetString(name)
		m.value.SetMapIndex(m.key, m.elem)
		m.elem.SetZero()
	case mapByKeys:
		problem = r.entryByKey(n, m, name)
	}
	if n.kind != mapByKeys && m.value.Len() == before {
		r.report(duplicateMember())
	}
	if len(r.faults) > first {
		r.below(first, fieldpath.Step{Kind: fieldpath.MapKey, Name: name, Hidden: n.plan.HidesKeys()})
	}
	return problem
}

// entryByKey lets the decoder read the key. Several names may mean one key.
func (r *run) entryByKey(n *node, m *mapping, name string) *fault.Error {
	spelled, _ := canonjson.AppendString([]byte{'{'}, name) // a name that was read is well-formed
	keys, before := reflect.New(n.keys), m.value.Len()
	readable := kubernetes(append(spelled, ":true}"...), keys.Interface())
	problem := r.fill(&n.elem, m.elem)
	for it := keys.Elem().MapRange(); it.Next(); {
		m.key.SetIterKey(it)
		m.value.SetMapIndex(m.key, m.elem)
	}
	m.elem.SetZero()
	switch {
	case !readable:
		r.report(&fault.Error{Kind: fault.WrongType, Code: "wrong-json-type", Type: n.plan.TypeName(), What: "has a key that is no " + n.typ.Key().String(), Hint: "correct the key"})
	case m.names[name]:
		r.report(duplicateMember())
	case m.value.Len() == before:
		r.report(&fault.Error{Kind: fault.Duplicate, Code: "duplicate-map-key", Type: n.plan.TypeName(), What: "means the same key as another name", Hint: "remove one of them"})
	}
	m.names[name] = true
	return problem
}
