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

// entries reads an object's members, the value of each by a function that gets its name.
func (r *run) entries(value func(name string) bool) bool {
	empty, ok := r.open('}')
	if empty || !ok {
		return ok
	}
	for {
		name, ok := r.text()
		if !ok || !r.colon() || !value(name) {
			return false
		}
		if last, ok := r.next('}'); last || !ok {
			return ok
		}
	}
}

// mapOfAny reads an object into a map whose keys are strings.
func (r *run) mapOfAny(n *node, v reflect.Value) bool {
	v.Set(reflect.MakeMap(n.typ))
	key, elem, count := reflect.New(n.typ.Key()).Elem(), reflect.New(n.typ.Elem()).Elem(), 0
	return r.entries(func(name string) bool {
		key.SetString(name)
		elem.SetZero()
		if !r.place(&n.elem, elem) {
			return false
		}
		v.SetMapIndex(key, elem)
		count++
		return v.Len() == count // else the key was there
	})
}

// mapOfText reads a map of texts. Entries are collected first, so that the map is made for as many as there are.
func (r *run) mapOfText(v reflect.Value) bool {
	ok := r.entries(func(name string) bool {
		var value string
		var ok bool
		if r.peek() == 'n' {
			ok = r.literal("null")
		} else {
			value, ok = r.text()
		}
		r.keys, r.values = append(r.keys, name), append(r.values, value)
		return ok
	})
	if ok {
		var m map[string]string
		m, ok = made(r.keys, r.values)
		v.Set(reflect.ValueOf(m))
	}
	r.keys, r.values = forget(r.keys), forget(r.values)
	return ok
}

// mapOfQuantity does likewise for quantities.
func (r *run) mapOfQuantity(v reflect.Value) bool {
	ok := r.entries(func(name string) bool {
		r.keys, r.quantities = append(r.keys, name), append(r.quantities, resource.Quantity{})
		return r.quantity(&r.quantities[len(r.quantities)-1])
	})
	if ok {
		var m map[string]resource.Quantity
		m, ok = made(r.keys, r.quantities)
		v.Set(reflect.ValueOf(m))
	}
	r.keys, r.quantities = forget(r.keys), forget(r.quantities)
	return ok
}

// made makes a map. It is false if a key is there twice.
func made[V any](keys []string, values []V) (map[string]V, bool) {
	m := make(map[string]V, len(keys))
	for i, key := range keys {
		m[key] = values[i]
	}
	return m, len(m) == len(keys)
}

// forget empties memory that is used again, of what it held.
func forget[T any](s []T) []T {
	clear(s)
	return s[:0]
}
