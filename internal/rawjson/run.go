package rawjson

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

const (
	maxPooled  = 128 << 10 // the longest document whose memory is kept for reuse
	maxScratch = 16 << 10  // the largest buffer that is kept

	firstUnescaped = 4 << 10 // initial bytes for texts with escapes
)

// run is one run over a document, with its memory. Its functions return a problem if the run cannot
// go on, and report other problems.
type run struct {
	canonjson.Scanner

	table  *table
	use    use
	lends  bool // the caller gives the value back
	faults []located
	done   func()

	whole     string          // a copy of the document, of which lent texts are substrings
	unescaped strings.Builder // the same for texts with escapes
	scratch   []byte

	stores []store
}

func (t *table) run(raw []byte, u use) *run {
	r := t.runs.Get().(*run)
	r.Scanner, r.use, r.lends = canonjson.NewScanner(raw), u, u == borrowed && t.lends
	if r.lends {
		r.whole = string(raw)
	}
	return r
}

// release returns the memory of the run to the pool, without references to the value.
func (r *run) release() {
	if len(r.Raw) > maxPooled {
		return
	}
	for i := range r.stores {
		r.stores[i].clear()
	}
	scratch := r.scratch
	if cap(scratch) > maxScratch {
		scratch = nil
	}
	*r = run{table: r.table, done: r.done, stores: r.stores, scratch: scratch}
	r.table.runs.Put(r)
}

// role is the use of memory. Each role clears its memory in another way, so memory never changes
// its role.
type role uint8

const (
	pointee    role = iota // a variable
	collection             // a slice or map that a variable holds
)

// memory identifies the store for values of one type in one role.
type memory struct {
	typ   reflect.Type
	role  role
	store int // index of the store in the run
}

// store holds pointers to values that are reused by later runs.
type store struct {
	role   role
	values []reflect.Value
	chunks []reflect.Value // slices that hold the values of pointees, so that a chunk is zeroed at once
	used   int
}

const firstChunk = 8 // values

// take returns a pointer to an unused value: a zero value, an empty map, or an empty slice, which
// may have a capacity.
func (r *run) take(m *memory) reflect.Value {
	if !r.lends {
		return reflect.New(m.typ)
	}
	return r.reuse(m)
}

// variable returns a variable for what is copied into the value, such as the key of a map. Values
// that are lent share it.
func (r *run) variable(m *memory) reflect.Value {
	if !r.table.lends {
		return reflect.New(m.typ).Elem()
	}
	return r.reuse(m).Elem()
}

func (r *run) reuse(m *memory) reflect.Value {
	s := &r.stores[m.store]
	if s.used == len(s.values) {
		s.grow(m)
	}
	s.used++
	return s.values[s.used-1]
}

// grow adds new values: one collection, or as many pointees as the store already has.
func (s *store) grow(m *memory) {
	s.role = m.role
	if m.role == collection {
		pointer := reflect.New(m.typ)
		if m.typ.Kind() == reflect.Map {
			pointer.Elem().Set(reflect.MakeMap(m.typ))
		}
		s.values = append(s.values, pointer)
		return
	}
	n := max(firstChunk, len(s.values))
	chunk := reflect.MakeSlice(reflect.SliceOf(m.typ), n, n)
	s.chunks = append(s.chunks, chunk)
	for i := range n {
		s.values = append(s.values, chunk.Index(i).Addr())
	}
}

// clear makes used values zero or empty again.
func (s *store) clear() {
	if s.role == pointee {
		for cleared, i := 0, 0; cleared < s.used; i++ {
			s.chunks[i].Clear()
			cleared += s.chunks[i].Len()
		}
		s.used = 0
		return
	}
	for _, pointer := range s.values[:s.used] {
		v := pointer.Elem()
		v.Clear()
		if v.Kind() == reflect.Slice {
			v.SetLen(0)
		}
	}
	s.used = 0
}

// document reads the whole document.
func (r *run) document(config reflect.Value) *fault.Error {
	problem := r.Begin()
	if problem != nil || r.At == len(r.Raw) {
		return problem
	}
	if problem = r.fill(&r.table.root, config); problem != nil {
		return problem
	}
	return r.End()
}

// fill reads a value into v, which must be zero.
func (r *run) fill(t *target, v reflect.Value) *fault.Error {
	if r.Peek() == 'n' && (len(t.pointers) > 0 || !t.node.kind.readsNull()) {
		return r.Literal("null")
	}
	for i := range t.pointers {
		pointer := r.take(&t.pointers[i])
		v.Set(pointer)
		v = pointer.Elem()
	}
	return r.value(t.node, v)
}

// value reads a value that is not null, or a value of a type that reads null itself.
func (r *run) value(n *node, v reflect.Value) *fault.Error {
	switch n.kind {
	case object:
		return r.object(n, v)
	case list:
		return r.list(n, v)
	case array:
		return r.array(n, v)
	case mapOfAny, mapByKeys:
		return r.entries(n, v)
	case text:
		return r.text(n, v)
	case boolean:
		return r.boolean(n, v)
	case integer, unsigned, float:
		return r.number(n, v)
	case quantity:
		return r.readQuantity(n, v.Addr().Interface().(*resource.Quantity))
	case free, own, foreign, member:
	}
	return r.delegate(n, v, "")
}
