//go:build !hotupdate_reflect

package engine

import (
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// memory is the address of a value; nil is no value. The address is always that of a live Go value
// of the plan's type: it comes from reflect, from Go pointers and slices in the value itself, or
// from an offset that reflect reports.
type memory = unsafe.Pointer

// none is no value.
var none memory

// location is the location of a member in its struct.
type location struct {
	offset   uintptr
	pointer  bool // at the offset is a pointer to the value
	indirect bool // the way to the value is via
	via      *indirection
}

// indirection is the way to a member behind embedded pointers, or behind several pointers.
type indirection struct {
	embedded []uintptr // offsets of the embedded pointers on the way
	pointers int       // from the last offset to the value
}

// locationOf finds the location of a field in struct t.
func locationOf(t reflect.Type, index []int, pointers int) location {
	p := location{pointer: pointers > 0}
	w := &indirection{pointers: pointers}
	for i, at := range index {
		if i > 0 && t.Kind() == reflect.Pointer {
			w.embedded = append(w.embedded, p.offset)
			p.offset = 0
			t = t.Elem()
		}
		sf := t.Field(at)
		p.offset += sf.Offset
		t = sf.Type
	}
	if w.embedded != nil || pointers > 1 {
		p.indirect = true
		p.via = w
	}
	return p
}

// in returns the address of the member's value in the struct at m, and none if a pointer on the way
// is nil. It is small enough to be inlined.
func (p *location) in(m memory) memory {
	if p.indirect {
		return p.follow(m)
	}
	m = unsafe.Add(m, p.offset)
	if p.pointer {
		m = *(*memory)(m)
	}
	return m
}

func (p *location) follow(m memory) memory {
	for _, offset := range p.via.embedded {
		if m = *(*memory)(unsafe.Add(m, offset)); m == nil {
			return nil
		}
	}
	return follow(unsafe.Add(m, p.offset), p.via.pointers)
}

// follow follows a number of pointers. None leads to none.
func follow(m memory, pointers int) memory {
	for ; pointers > 0 && m != nil; pointers-- {
		m = *(*memory)(m)
	}
	return m
}

func exists(m memory) bool { return m != nil }

func pointee(pointer reflect.Value) memory { return pointer.UnsafePointer() }

// memoryOf returns the address of v, which must be addressable.
func memoryOf(v reflect.Value) memory { return v.Addr().UnsafePointer() }

func valueAt(m memory, t reflect.Type) reflect.Value { return reflect.NewAt(t, m).Elem() }

func at[T any](m memory) *T { return (*T)(m) }

func boolAt(m memory) bool    { return *(*bool)(m) }
func textAt(m memory) string  { return *(*string)(m) }
func bytesAt(m memory) []byte { return *(*[]byte)(m) }

func intAt(m memory, bits uint8) int64 {
	switch bits {
	case 8:
		return int64(*(*int8)(m))
	case 16:
		return int64(*(*int16)(m))
	case 32:
		return int64(*(*int32)(m))
	default:
		return *(*int64)(m)
	}
}

func uintAt(m memory, bits uint8) uint64 {
	switch bits {
	case 8:
		return uint64(*(*uint8)(m))
	case 16:
		return uint64(*(*uint16)(m))
	case 32:
		return uint64(*(*uint32)(m))
	default:
		return *(*uint64)(m)
	}
}

// slice is the memory layout of a slice.
type slice struct {
	data     memory
	len, cap int
}

// elements are the elements of a list or array at m.
type elements struct {
	data memory
	size uintptr
	len  int
}

func elementsAt(m memory, n *routine) elements {
	if n.kind == arrayKind {
		return elements{m, n.elemSize, n.len}
	}
	s := (*slice)(m)
	return elements{s.data, n.elemSize, s.len}
}

// at returns the address of the value of element i, behind a number of pointers.
func (e *elements) at(i, pointers int) memory {
	m := unsafe.Add(e.data, uintptr(i)*e.size)
	if pointers > 0 {
		m = follow(m, pointers)
	}
	return m
}

// isNone reports whether an object or collection is a nil list or map. It is small enough to be
// inlined.
func isNone(k kind, m memory) bool {
	return k > arrayKind && *(*memory)(m) == nil
}

// kindOfMap returns the kind of maps that can be read as a Go map of a known type. Named types have
// the same layout, and the same hash function, as the types that they are defined by.
func kindOfMap(t reflect.Type, elem *fieldplan.Node) kind {
	switch {
	case t.Key().Kind() != reflect.String:
		return mapKind
	case t.Elem().Kind() == reflect.String && elem.Leaf == leaf.String:
		return textMapKind
	case t.Elem() == reflect.TypeFor[resource.Quantity]():
		return quantityMapKind
	default:
		return mapKind
	}
}

func textsAt(m memory) map[string]string { return *(*map[string]string)(m) }

func quantitiesAt(m memory) map[string]resource.Quantity {
	return *(*map[string]resource.Quantity)(m)
}
