package engine

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// mapOf writes a map of leaves. It copies them to values while the keys are sorted. It reports
// whether there are entries to write.
func mapOf[V any](r *run, n *routine, entries map[string]V, values *[]V, write func(r *run, value *V)) bool {
	if len(entries) == 0 {
		return false
	}
	before := byte('{')
	stored := withRoom(r, *values, len(entries))
	if len(entries) == 1 { // needs no order
		for key, value := range entries {
			if n.ruled != nil && n.leavesOut(key) {
				return false
			}
			stored = append(stored, value)
			if r.key(n, before, key) {
				before = ','
				write(r, &stored[0])
			}
			stored[0] = *new(V)
		}
	} else {
		k := r.keysOf(len(entries))
		for key, value := range entries {
			if n.ruled != nil && n.leavesOut(key) {
				continue
			}
			r.add(k, key)
			stored = append(stored, value)
		}
		if len(stored) == 0 {
			r.drop(k)
			return false
		}
		for _, e := range r.sorted(k) {
			if r.key(n, before, r.keys[k.keys+e.at]) {
				before = ','
				write(r, &stored[e.at])
				r.commit()
			}
		}
		r.drop(k)
		clear(stored)
	}
	*values = stored[:0]
	if before == '{' {
		r.buf = append(r.buf, before)
	}
	r.buf = append(r.buf, '}')
	return true
}

func (r *run) quantity(q *resource.Quantity) {
	text, problem := leaf.AppendQuantity(r.buf, q)
	stands := false
	if problem != nil && r.stands {
		text, stands = leaf.AppendStandingQuantity(r.buf, q)
	}
	if problem != nil && !stands {
		r.report(problem)
	}
	r.buf = text
}

// key writes the key of a map's entry after the byte before. It reports a key that is not valid
// UTF-8 and returns false: the entry is left out.
func (r *run) key(n *routine, before byte, key string) bool {
	r.atKey(n, key)
	text, problem := canonjson.AppendString(append(r.buf, before), key)
	if problem != nil {
		r.whole(func(t *Trail) { t.Report(leaf.InvalidUTF8Key()) })
		return false
	}
	r.buf = text
	r.buf = append(r.buf, ':')
	return true
}

type keys struct{ entries, keys int }

// keysOf begins the index of a map of n entries.
func (r *run) keysOf(n int) keys {
	k := keys{len(r.entries), len(r.keys)}
	r.entries = withRoom(r, r.entries, n)
	r.keys = withRoom(r, r.keys, n)
	return k
}

// add adds a key to the last index.
func (r *run) add(k keys, key string) {
	r.entries = append(r.entries, entry{at: len(r.keys) - k.keys})
	r.keys = append(r.keys, key)
}

// sorted sorts the last index and returns its entries.
func (r *run) sorted(k keys) []entry {
	own := r.entries[k.entries:]
	keys := r.keys[k.keys:]
	r.sortByText(own, 0, maxDeals, func(at int) string { return keys[at] })
	return own
}

// drop removes the last index from the stacks, with the references to its keys.
func (r *run) drop(k keys) {
	clear(r.keys[k.keys:])
	r.entries = r.entries[:k.entries]
	r.keys = r.keys[:k.keys]
}

// values holds the values of a map that is read by reflection.
type values struct {
	iter reflect.MapIter
	key  reflect.Value
	list reflect.Value // a slice, whose elements have addresses
}

func valuesOf(t reflect.Type) *sync.Pool {
	return &sync.Pool{New: func() any {
		return &values{key: reflect.New(t.Key()).Elem(), list: reflect.Zero(reflect.SliceOf(t.Elem()))}
	}}
}

// read copies the values of a map with string keys to v, and returns the sorted index.
func (r *run) read(v *values, m reflect.Value) keys {
	v.grow(m.Len())
	k := r.keysOf(m.Len())
	v.iter.Reset(m)
	for i := 0; v.iter.Next() && i < v.list.Len(); i++ {
		v.key.SetIterKey(&v.iter)
		v.list.Index(i).SetIterValue(&v.iter)
		r.add(k, v.key.String())
	}
	v.iter.Reset(reflect.Value{})
	v.key.SetZero()
	r.sorted(k)
	return k
}

// readOther is read for other keys. Entries with invalid keys are reported and left out.
func (r *run) readOther(n *routine, v *values, m reflect.Value) keys {
	var elements []Element
	r.whole(func(t *Trail) { elements = n.entries(t, m) })
	v.grow(len(elements))
	k := r.keysOf(len(elements))
	for i := range elements {
		v.list.Index(i).Set(elements[i].Value)
		r.add(k, elements[i].Key)
	}
	return k
}

func (v *values) grow(size int) {
	if v.list.Len() < size {
		v.list = reflect.MakeSlice(v.list.Type(), size, size)
	}
}

// done returns the memory of v to the pool, without references to users' values.
func (v *values) done(n *routine) {
	if size := v.list.Len(); size > maxPooled ||
		size*int(n.elemSize) > maxPooledBytes { //nolint:gosec // sizes are small
		v.list = reflect.Zero(v.list.Type())
	} else {
		v.list.Clear()
	}
	n.values.Put(v)
}

func (r *run) mapOfAny(n *routine, m memory) bool {
	if isNone(n.kind, m) {
		return false
	}
	v := n.values.Get().(*values)
	defer v.done(n)
	var k keys
	if n.plainKeys {
		k = r.read(v, valueAt(m, n.plan.Type))
	} else {
		k = r.readOther(n, v, valueAt(m, n.plan.Type))
	}
	before := byte('{')
	for i, last := k.entries, len(r.entries); i < last; i++ {
		at := r.entries[i].at // writing the value may reallocate the stacks
		elem := follow(memoryOf(v.list.Index(at)), n.elemPointers)
		if !n.isAbsent(r.keys[k.keys+at], elem) && r.keyedElement(n, elem, r.keys[k.keys+at], before) {
			before = ','
		}
	}
	r.drop(k)
	if before == '{' {
		return false
	}
	r.buf = append(r.buf, '}')
	return true
}
