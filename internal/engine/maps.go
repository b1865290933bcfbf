package engine

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
	k := r.keysOf(len(texts))
	r.texts = withRoom(r.texts, len(texts))
	for key, value := range texts {
		r.add(k, key)
		r.texts = append(r.texts, value)
	}
	before := byte('{')
	for _, e := range r.sorted(k) {
		r.leafKey(before, r.keys[k.keys+e.at])
		before = ','
		r.elementText(r.texts[e.at])
		r.commit()
		if r.gaveUp {
			break
		}
	}
	r.buf = append(r.buf, '}')
	r.drop(k)
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
	k := r.keysOf(len(quantities))
	r.quantities = withRoom(r.quantities, len(quantities))
	for key, value := range quantities {
		r.add(k, key)
		r.quantities = append(r.quantities, value)
	}
	before := byte('{')
	for _, e := range r.sorted(k) {
		r.leafKey(before, r.keys[k.keys+e.at])
		before = ','
		r.quantity(&r.quantities[e.at])
		r.commit()
		if r.gaveUp {
			break
		}
	}
	r.buf = append(r.buf, '}')
	r.drop(k)
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

// leafKey writes the key of a map's entry, and what stands before it.
func (r *run) leafKey(before byte, key string) {
	r.buf = append(r.buf, before)
	r.text(key)
	r.buf = append(r.buf, ':')
}

// keys say where the index of a map begins on the stacks.
type keys struct{ entries, keys int }

// keysOf begins the index of a map of so many entries.
func (r *run) keysOf(n int) keys {
	k := keys{len(r.entries), len(r.keys)}
	r.entries, r.keys = withRoom(r.entries, n), withRoom(r.keys, n)
	return k
}

// add adds a key to the index that was begun last.
func (r *run) add(k keys, key string) {
	r.entries = append(r.entries, entry{at: len(r.keys) - k.keys})
	r.keys = append(r.keys, key)
}

// sorted sorts the index of a map, which is the last one, and returns its entries.
func (r *run) sorted(k keys) []entry {
	own, keys := r.entries[k.entries:], r.keys[k.keys:]
	sortByText(r, own, func(at int) string { return keys[at] }, 0)
	return own
}

// drop takes the index of a map off the stacks, and the texts out of them.
func (r *run) drop(k keys) {
	clear(r.keys[k.keys:])
	r.entries, r.keys = r.entries[:k.entries], r.keys[:k.keys]
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

// read reads a map into v and returns its index.
func (r *run) read(v *values, m reflect.Value) keys {
	if size := m.Len(); v.list.Len() < size {
		v.list = reflect.MakeSlice(v.list.Type(), size, size)
	}
	k := r.keysOf(m.Len())
	v.iter.Reset(m)
	for i := 0; v.iter.Next() && i < v.list.Len(); i++ {
		v.key.SetIterKey(&v.iter)
		v.list.Index(i).SetIterValue(&v.iter)
		r.add(k, v.key.String())
	}
	v.iter.Reset(reflect.Value{})
	v.key.SetZero()
	return k
}

// done hands the memory of v on, without what was read.
func (v *values) done(n *node) {
	if size := v.list.Len(); size > maxPooled || size*int(n.elemSize) > maxPooledBytes { //nolint:gosec // sizes are small
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
	k := r.read(v, valueAt(m, n.plan.Type))
	r.sorted(k)
	start, some, separator := r.position(), false, ""
	r.buf = append(r.buf, '{')
	for i, last := k.entries, len(r.entries); i < last && !r.gaveUp; i++ {
		at := r.entries[i].at // what is below may move the stacks
		if r.keyedElement(n, v.at(at, n.elemPointers), r.keys[k.keys+at], separator) {
			some, separator = true, ","
		}
	}
	r.drop(k)
	if !some {
		r.cut(start)
		return false
	}
	r.buf = append(r.buf, '}')
	return true
}
