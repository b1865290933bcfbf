package rawjson

import (
	"encoding"
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// firstCapacity is the number of elements for which a list has memory at first.
const firstCapacity = 4

// list reads an array into a slice. An empty one is not nil.
func (r *decoding) list(n *Node, v reflect.Value) *fault.Error {
	problem := r.Each(func(i int) *fault.Error {
		if i == v.Cap() {
			v.Grow(firstCapacity)
		}
		v.SetLen(i + 1)
		return r.element(n, i, v.Index(i))
	})
	if v.IsNil() {
		v.Set(reflect.MakeSlice(n.typ, 0, 0))
	}
	if r.examines && n.plan.Pairing == fieldplan.ByKey {
		r.findRepeatedKeys(n, v)
	}
	return problem
}

// array reads an array of fixed length. Further elements are dropped, as Kubernetes does.
func (r *decoding) array(n *Node, v reflect.Value) *fault.Error {
	return r.Each(func(i int) *fault.Error {
		if i < v.Len() {
			return r.element(n, i, v.Index(i))
		}
		_, problem := r.extent()
		return problem
	})
}

func (r *decoding) element(n *Node, i int, v reflect.Value) *fault.Error {
	first := len(r.faults)
	problem := r.fill(&n.elem, v)
	if len(r.faults) > first {
		r.below(first, fieldpath.Step{Kind: fieldpath.Index, At: i})
	}
	return problem
}

// mapping is the map that is currently read.
type mapping struct {
	value     reflect.Value
	texts     map[string]string // value, if it is one of texts
	key, elem reflect.Value     // variables for one key and one element
	names     map[string]bool   // names that were read, if a name is not the key itself
	written   map[string]bool   // texts of the keys, if their type writes them itself
}

// entries reads an object into a map.
func (r *decoding) entries(n *Node, v reflect.Value) *fault.Error {
	m := mapping{value: reflect.MakeMap(n.typ)}
	m.texts, _ = reflect.TypeAssert[map[string]string](m.value)
	if n.kind == mapByKeys {
		m.names = map[string]bool{}
	}
	v.Set(m.value)
	return r.Each(func(int) *fault.Error { return r.entry(n, &m) })
}

// entry reads a member into a map.
func (r *decoding) entry(n *Node, m *mapping) *fault.Error {
	name, problem := r.str()
	if problem == nil {
		problem = r.Colon()
	}
	if problem != nil {
		return problem
	}
	first := len(r.faults)
	before := m.value.Len()
	if m.texts != nil && r.Peek() == '"' {
		m.texts[name], problem = r.str()
		problem = r.skip(problem)
	} else {
		if !m.elem.IsValid() {
			m.key = reflect.New(n.typ.Key()).Elem()
			m.elem = reflect.New(n.typ.Elem()).Elem()
		}
		problem = r.fill(&n.elem, m.elem)
		if n.kind == mapByKeys {
			r.setByKey(n, m, name)
		} else {
			m.key.SetString(name)
			m.value.SetMapIndex(m.key, m.elem)
		}
		m.elem.SetZero()
	}
	if n.kind != mapByKeys && m.value.Len() == before {
		r.report(duplicateMember())
	}
	if len(r.faults) > first {
		r.below(first, n.plan.Step(fieldpath.Step{Kind: fieldpath.MapKey, Name: name}))
	}
	return problem
}

// setByDecoder lets the decoder read the key, and reports whether it could.
func setByDecoder(n *Node, m *mapping, name string) (readable bool) {
	spelled, _ := canonjson.AppendString([]byte{'{'}, name) // a name that was read is well-formed
	keys := reflect.New(n.keys)
	readable = kubernetes(append(spelled, ":true}"...), keys.Interface())
	for it := keys.Elem().MapRange(); it.Next(); {
		m.key.SetIterKey(it)
		m.value.SetMapIndex(m.key, m.elem)
	}
	return readable
}

// setByKey reads the key, and stores the element under it. Several names may mean
// one key.
func (r *decoding) setByKey(n *Node, m *mapping, name string) {
	before := m.value.Len()
	readable := false
	if n.readsKeys {
		if readable = leaf.ReadKey(m.key, name); readable {
			m.value.SetMapIndex(m.key, m.elem)
		}
	} else {
		readable = setByDecoder(n, m, name)
	}
	switch {
	case !readable:
		r.report(&fault.Error{
			Kind: fault.Invalid, Code: fault.WrongJSONType, Type: n.plan.TypeName(),
			What: "has a key that is not " + plaintext.WithArticle(n.typ.Key().String()), Hint: "correct the key",
		})
	case m.names[name]:
		r.report(duplicateMember())
	case m.value.Len() == before, r.isWritten(n, m):
		r.report(&fault.Error{
			Kind: fault.Invalid, Code: fault.DuplicateMapKey, Type: n.plan.TypeName(),
			What: "means the same key as another name", Hint: "remove one of them",
		})
	}
	m.names[name] = true
}

// isWritten reports whether the key that was just read has the text of another key.
func (r *decoding) isWritten(n *Node, m *mapping) bool {
	key, marshals := reflect.TypeAssert[encoding.TextMarshaler](m.key)
	if !n.marshalsKeys || !marshals {
		return false
	}
	text, problem := leaf.Call(key.MarshalText)
	if problem != nil {
		return false // is reported where the key is written
	}
	if m.written == nil {
		m.written = map[string]bool{}
	}
	isKnown := m.written[string(text)]
	m.written[string(text)] = true
	return isKnown
}
