//go:build hotupdate_reflect

package engine

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// This file has the functions of memory_unsafe.go, which documents them.

// memory is an addressable value; the zero reflect.Value is no value.
type memory = reflect.Value

var none memory

type location struct {
	index    []int
	pointers int // from the field to the value
}

func locationOf(_ reflect.Type, index []int, pointers int) location { return location{index, pointers} }

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

func follow(m memory, pointers int) memory {
	for ; pointers > 0 && m.IsValid(); pointers-- {
		m = m.Elem()
	}
	return m
}

func exists(m memory) bool { return m.IsValid() }

func pointee(pointer reflect.Value) memory { return pointer.Elem() }

func memoryOf(v reflect.Value) memory { return v }

func valueAt(m memory, _ reflect.Type) reflect.Value { return m }

func at[T any](m memory) *T { return m.Addr().Interface().(*T) }

func boolAt(m memory) bool            { return m.Bool() }
func textAt(m memory) string          { return m.String() }
func bytesAt(m memory) []byte         { return m.Bytes() }
func intAt(m memory, _ uint8) int64   { return m.Int() }
func uintAt(m memory, _ uint8) uint64 { return m.Uint() }

type elements struct {
	list memory
	len  int
}

func elementsAt(m memory, _ *routine) elements { return elements{m, m.Len()} }

func (e *elements) at(i, pointers int) memory { return follow(e.list.Index(i), pointers) }

func kindOfMap(t reflect.Type, elem *fieldplan.Node) kind {
	switch {
	case t == reflect.TypeFor[map[string]string]() && elem.Leaf == leaf.String:
		return textMapKind
	case t == reflect.TypeFor[map[string]resource.Quantity]():
		return quantityMapKind
	default:
		return mapKind
	}
}

func isNone(k kind, m memory) bool { return k > arrayKind && m.IsNil() }

func textsAt(m memory) map[string]string { return m.Interface().(map[string]string) }

func quantitiesAt(m memory) map[string]resource.Quantity {
	return m.Interface().(map[string]resource.Quantity)
}
