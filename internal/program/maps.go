package program

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
)

// mapOfText writes a map of strings.
func (r *run) mapOfText(m memory) bool {
	texts := textsAt(m)
	if len(texts) == 0 {
		return false
	}
	if len(texts) == 1 {
		for key, value := range texts {
			r.onlyKey(key)
			r.elementText(value)
		}
		r.buf = append(r.buf, '}')
		r.commit()
		return true
	}
	first := len(r.entries)
	r.entries, r.texts = room(r.entries, len(texts)), room(r.texts, len(texts))
	for key, value := range texts {
		r.entries = append(r.entries, entry{key: key, at: len(r.texts)})
		r.texts = append(r.texts, value)
	}
	if !r.sortTexts(first) {
		return false
	}
	r.buf = append(r.buf, '{')
	for i := first; i < len(r.entries) && !r.gaveUp; i++ {
		r.leafKey(first, i)
		r.elementText(r.texts[r.entries[i].at])
		r.commit()
	}
	r.buf = append(r.buf, '}')
	r.drop(first)
	clear(r.texts)
	r.texts = r.texts[:0]
	return true
}

// mapOfQuantity writes a map of quantities.
func (r *run) mapOfQuantity(m memory) bool {
	quantities := quantitiesAt(m)
	if len(quantities) == 0 {
		return false
	}
	if len(quantities) == 1 {
		for key, value := range quantities {
			r.onlyKey(key)
			r.pair[0] = value
			r.quantity(&r.pair[0])
		}
		r.pair[0] = resource.Quantity{}
		r.buf = append(r.buf, '}')
		r.commit()
		return true
	}
	first := len(r.entries)
	r.entries, r.quantities = room(r.entries, len(quantities)), room(r.quantities, len(quantities))
	for key, value := range quantities {
		r.entries = append(r.entries, entry{key: key, at: len(r.quantities)})
		r.quantities = append(r.quantities, value)
	}
	if !r.sortTexts(first) {
		return false
	}
	r.buf = append(r.buf, '{')
	for i := first; i < len(r.entries) && !r.gaveUp; i++ {
		r.leafKey(first, i)
		r.quantity(&r.quantities[r.entries[i].at])
		r.commit()
	}
	r.buf = append(r.buf, '}')
	r.drop(first)
	clear(r.quantities)
	r.quantities = r.quantities[:0]
	return true
}

// onlyKey writes what stands before the value of a map that has one.
func (r *run) onlyKey(key string) {
	r.buf = append(r.buf, '{')
	r.text(key)
	r.buf = append(r.buf, ':')
}

// leafKey writes the key of entry i of a map whose entries begin at first.
func (r *run) leafKey(first, i int) {
	if i > first {
		r.buf = append(r.buf, ',')
	}
	r.text(r.entries[i].key)
	r.buf = append(r.buf, ':')
}

// values are those of a map whose type is known to reflect only.
type values struct {
	iter reflect.MapIter
	key  reflect.Value
	list reflect.Value // a slice, in which values have addresses
}

// valuesOf returns a pool of values for maps of type t.
func valuesOf(t reflect.Type) *sync.Pool {
	return &sync.Pool{New: func() any {
		return &values{key: reflect.New(t.Key()).Elem(), list: reflect.Zero(reflect.SliceOf(t.Elem()))}
	}}
}

// read reads a map into v and adds its keys to the entries.
func (r *run) read(v *values, m reflect.Value) {
	if size := m.Len(); v.list.Len() < size {
		v.list = reflect.MakeSlice(v.list.Type(), size, size)
	}
	r.entries = room(r.entries, m.Len())
	v.iter.Reset(m)
	for i := 0; v.iter.Next() && i < v.list.Len(); i++ {
		v.key.SetIterKey(&v.iter)
		v.list.Index(i).SetIterValue(&v.iter)
		r.entries = append(r.entries, entry{key: v.key.String(), at: i})
	}
	v.iter.Reset(reflect.Value{})
	v.key.SetZero()
}

// done hands the memory of v on, without what was read.
func (v *values) done(n *node) {
	if size := v.list.Len(); size > maxKept || size*int(n.elemSize) > keepCap { //nolint:gosec // sizes are small
		v.list = reflect.Zero(v.list.Type())
	} else {
		v.list.Clear()
	}
	n.values.Put(v)
}

// at returns where value i stands, behind so many pointers.
func (v *values) at(i, pointers int) memory { return follow(memoryOf(v.list.Index(i)), pointers) }

// mapOfAny writes a map of any other type.
func (r *run) mapOfAny(n *node, m memory) bool {
	if isNilMap(m) {
		return false
	}
	v := n.values.Get().(*values)
	defer v.done(n)
	first := len(r.entries)
	r.read(v, valueAt(m, n.plan.Type))
	if len(r.entries) == first || !r.sortTexts(first) {
		return false
	}
	start, some, separator := r.position(), false, ""
	r.buf = append(r.buf, '{')
	for i, last := first, len(r.entries); i < last && !r.gaveUp; i++ {
		e := r.entries[i]
		if r.keyedElement(n, v.at(e.at, n.elemPointers), e.key, separator) {
			some, separator = true, ","
		}
	}
	r.drop(first)
	if !some {
		r.cut(start)
		return false
	}
	r.buf = append(r.buf, '}')
	return true
}
