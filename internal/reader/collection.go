package reader

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
)

// firstRoom is for how many elements a list has room at first.
const firstRoom = 4

// list reads an array into a slice. An empty one is not nil.
func (r *run) list(n *node, v reflect.Value) bool {
	empty, ok := r.open(']')
	if empty {
		v.Set(reflect.MakeSlice(n.typ, 0, 0))
	}
	if empty || !ok {
		return ok
	}
	for i := 0; ; i++ {
		if i == v.Cap() {
			v.Grow(firstRoom)
		}
		v.SetLen(i + 1)
		if !r.place(&n.elem, v.Index(i)) {
			return false
		}
		if last, ok := r.next(']'); last || !ok {
			return ok
		}
	}
}

// array reads an array of at most the places that there are.
func (r *run) array(n *node, v reflect.Value) bool {
	empty, ok := r.open(']')
	if empty || !ok {
		return ok
	}
	for i := range v.Len() {
		if !r.place(&n.elem, v.Index(i)) {
			return false
		}
		if last, ok := r.next(']'); last || !ok {
			return ok
		}
	}
	return false
}

// mapOfAny reads an object into a map whose keys are strings.
func (r *run) mapOfAny(n *node, v reflect.Value) bool {
	v.Set(reflect.MakeMap(n.typ))
	empty, ok := r.open('}')
	if empty || !ok {
		return ok
	}
	key, elem := reflect.New(n.typ.Key()).Elem(), reflect.New(n.typ.Elem()).Elem()
	for count := 1; ; count++ {
		name, ok := r.key()
		if !ok {
			return false
		}
		key.SetString(name)
		elem.SetZero()
		if !r.place(&n.elem, elem) {
			return false
		}
		v.SetMapIndex(key, elem)
		if v.Len() < count {
			return false
		}
		if last, ok := r.next('}'); last || !ok {
			return ok
		}
	}
}

// key reads the name of a map's entry and the colon.
func (r *run) key() (string, bool) {
	name, ok := r.text()
	return name, ok && r.colon()
}

// mapOfText reads a map of texts. Entries are collected first, so that the map is made for as many as there are.
func (r *run) mapOfText(v reflect.Value) bool {
	ok := r.entries(func() bool {
		if r.peek() == 'n' {
			r.texts = append(r.texts, "")
			return r.literal("null")
		}
		value, ok := r.text()
		r.texts = append(r.texts, value)
		return ok
	})
	if ok {
		ok = fill(v.Addr().Interface().(*map[string]string), r.names, r.texts)
	}
	clear(r.names)
	clear(r.texts)
	r.names, r.texts = r.names[:0], r.texts[:0]
	return ok
}

// mapOfQuantity does likewise for quantities.
func (r *run) mapOfQuantity(v reflect.Value) bool {
	ok := r.entries(func() bool {
		r.quantities = append(r.quantities, resource.Quantity{})
		return r.quantity(&r.quantities[len(r.quantities)-1])
	})
	if ok {
		ok = fill(v.Addr().Interface().(*map[string]resource.Quantity), r.names, r.quantities)
	}
	clear(r.names)
	clear(r.quantities)
	r.names, r.quantities = r.names[:0], r.quantities[:0]
	return ok
}

// entries reads an object and notes the names.
func (r *run) entries(value func() bool) bool {
	empty, ok := r.open('}')
	if empty || !ok {
		return ok
	}
	for {
		name, ok := r.key()
		r.names = append(r.names, name)
		if !ok || !value() {
			return false
		}
		if last, ok := r.next('}'); last || !ok {
			return ok
		}
	}
}

// fill makes a map. It is false if a name is there twice.
func fill[V any](m *map[string]V, names []string, values []V) bool {
	made := make(map[string]V, len(names))
	for i, name := range names {
		made[name] = values[i]
	}
	*m = made
	return len(made) == len(names)
}
