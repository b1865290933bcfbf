//go:build !purego

package program

import (
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// memory is the address of a value; nil is no value. It is always that of a live Go value of the type that the plan names at this
// place: addresses stem from reflect, from Go pointers and slices in the value itself, and from offsets that reflect reports.
type memory = unsafe.Pointer

// none is no value.
var none memory

// place is where a member stands in its struct.
type place struct {
	offset   uintptr
	pointers int       // that lead from there to the value
	embedded []uintptr // offsets of the embedded pointers on the way
}

// placeOf finds the place of a field in struct t.
func placeOf(t reflect.Type, index []int, pointers int) place {
	p := place{pointers: pointers}
	for i, at := range index {
		if i > 0 && t.Kind() == reflect.Pointer {
			p.embedded = append(p.embedded, p.offset)
			p.offset, t = 0, t.Elem()
		}
		sf := t.Field(at)
		p.offset, t = p.offset+sf.Offset, sf.Type
	}
	return p
}

// in returns where the member's value stands in the struct at m, and none if a pointer on the way is nil.
func (p *place) in(m memory) memory {
	if p.embedded != nil {
		return p.behind(m)
	}
	m = unsafe.Add(m, p.offset)
	if p.pointers == 0 {
		return m
	}
	if m = *(*memory)(m); p.pointers == 1 {
		return m
	}
	return follow(m, p.pointers-1)
}

func (p *place) behind(m memory) memory {
	for _, offset := range p.embedded {
		if m = *(*memory)(unsafe.Add(m, offset)); m == nil {
			return nil
		}
	}
	return follow(unsafe.Add(m, p.offset), p.pointers)
}

// follow follows so many pointers. None leads to none.
func follow(m memory, pointers int) memory {
	for ; pointers > 0 && m != nil; pointers-- {
		m = *(*memory)(m)
	}
	return m
}

// there reports whether m is a value.
func there(m memory) bool { return m != nil }

// memoryOf returns where v stands, which has to have an address.
func memoryOf(v reflect.Value) memory { return v.Addr().UnsafePointer() }

// valueAt returns the value of type t at m.
func valueAt(m memory, t reflect.Type) reflect.Value { return reflect.NewAt(t, m).Elem() }

// at returns a pointer to the value at m, which is of type T.
func at[T any](m memory) *T { return (*T)(m) }

func boolAt(m memory) bool     { return *(*bool)(m) }
func textAt(m memory) string   { return *(*string)(m) }
func bytesAt(m memory) []byte  { return *(*[]byte)(m) }
func isNilSlice(m memory) bool { return (*slice)(m).data == nil }
func isNilMap(m memory) bool   { return *(*memory)(m) == nil }

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

func floatAt(m memory, bits uint8) float64 {
	if bits == 32 {
		return float64(*(*float32)(m))
	}
	return *(*float64)(m)
}

// slice is how Go lays out every slice.
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

func elementsAt(m memory, n *node) elements {
	if n.kind == array {
		return elements{m, n.elemSize, n.len}
	}
	s := (*slice)(m)
	return elements{s.data, n.elemSize, s.len}
}

// at returns where the element's value stands, behind so many pointers.
func (e *elements) at(i, pointers int) memory {
	return follow(unsafe.Add(e.data, uintptr(i)*e.size), pointers) //nolint:gosec // i is below the length
}

// mapOf is the shape of maps that can be read as a Go map of a known type. Types of one kind are laid out and hashed alike, whatever
// their names.
func mapOf(t reflect.Type, elem *fieldplan.Node) kind {
	switch {
	case t.Key().Kind() != reflect.String:
		return mapOfAny
	case t.Elem().Kind() == reflect.String && elem.Leaf == leaf.String:
		return mapOfText
	case t.Elem() == reflect.TypeFor[resource.Quantity]():
		return mapOfQuantity
	default:
		return mapOfAny
	}
}

func textsAt(m memory) map[string]string { return *(*map[string]string)(m) }

func quantitiesAt(m memory) map[string]resource.Quantity {
	return *(*map[string]resource.Quantity)(m)
}
