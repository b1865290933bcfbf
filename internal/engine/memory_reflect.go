//go:build hotupdate_reflect

package engine

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// memory is a value that has an address; the zero reflect.Value is no value.
type memory = reflect.Value

// none is no value.
var none memory

// location is where a member stands in its struct.
type location struct {
	index    []int
	pointers int // that lead from there to the value
}

// locationOf finds the location of a field in struct t.
func locationOf(_ reflect.Type, index []int, pointers int) location { return location{index, pointers} }

// in returns the member's value in the struct at m, and none if a pointer on the way is nil.
func (p *location) in(m memory) memory {
	for i, index := range p.index {
		if i > 0 && m.Kind() == reflect.Pointer {
			if m.IsNil() {
				return none
			}
			m = m.Elem()
		}
		m = m.Field(index)
	}
	return follow(m, p.pointers)
}

// offset is where a member stands that is reached without following an embedded pointer.
type offset = int

// direct returns the offset of a member. It is false for one behind an embedded pointer or several pointers.
func (p *location) direct() (at offset, pointer, ok bool) {
	return p.index[0], p.pointers > 0, len(p.index) == 1 && p.pointers <= 1
}

// memberAt returns the member of the struct m.
func memberAt(m memory, n offset) memory { return m.Field(n) }

// pointedAt returns the value of the pointer m, none if it is nil.
func pointedAt(m memory) memory { return m.Elem() }

// sameFour and sameEight compare numbers of so many bytes.
func sameFour(a, b memory) bool  { return a.Equal(b) }
func sameEight(a, b memory) bool { return a.Equal(b) }

// follow follows so many pointers. None leads to none.
func follow(m memory, pointers int) memory {
	for ; pointers > 0 && m.IsValid(); pointers-- {
		m = m.Elem()
	}
	return m
}

// exists reports whether m is a value.
func exists(m memory) bool { return m.IsValid() }

// pointedBy returns the value of the pointer that v holds, none if it is nil. It is false if v holds something of another type than a
// pointer that is given for comparison.
func pointedBy(v, pointer any) (memory, bool) {
	if reflect.TypeOf(v) != reflect.TypeOf(pointer) {
		return none, false
	}
	return pointee(reflect.ValueOf(v)), true
}

// pointee returns the value of a pointer, none if it is nil.
func pointee(pointer reflect.Value) memory { return pointer.Elem() }

// memoryOf returns v, which has to have an address.
func memoryOf(v reflect.Value) memory { return v }

// valueAt returns the value of type t at m.
func valueAt(m memory, _ reflect.Type) reflect.Value { return m }

// at returns a pointer to the value at m, which is of type T.
func at[T any](m memory) *T { return m.Addr().Interface().(*T) }

func boolAt(m memory) bool              { return m.Bool() }
func textAt(m memory) string            { return m.String() }
func bytesAt(m memory) []byte           { return m.Bytes() }
func isNilSlice(m memory) bool          { return m.IsNil() }
func isNilMap(m memory) bool            { return m.IsNil() }
func intAt(m memory, _ uint8) int64     { return m.Int() }
func uintAt(m memory, _ uint8) uint64   { return m.Uint() }
func floatAt(m memory, _ uint8) float64 { return m.Float() }

// elements are the elements of a list or array at m.
type elements struct {
	list memory
	len  int
}

func elementsAt(m memory, _ *node) elements { return elements{m, m.Len()} }

// at returns the element's value, behind so many pointers.
func (e *elements) at(i, pointers int) memory { return follow(e.list.Index(i), pointers) }

// kindOfMap is the shape of maps that can be read as a Go map of a known type.
func kindOfMap(t reflect.Type, _ *fieldplan.Node) kind {
	switch t {
	case reflect.TypeFor[map[string]string]():
		return textMapKind
	case reflect.TypeFor[map[string]resource.Quantity]():
		return quantityMapKind
	default:
		return mapKind
	}
}

// bothEmpty is not worth reflection.
func bothEmpty(kind, memory, memory) bool { return false }

func textsAt(m memory) map[string]string { return m.Interface().(map[string]string) }

func quantitiesAt(m memory) map[string]resource.Quantity {
	return m.Interface().(map[string]resource.Quantity)
}
