package engine

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// twoValues is the same part of two values; the zero reflect.Value is a missing part.
type twoValues [2]reflect.Value

func (p twoValues) deref() twoValues {
	p[0], _ = Deref(p[0])
	p[1], _ = Deref(p[1])
	return p
}

// or replaces values that are missing, or are nil lists or maps, by v.
func (p twoValues) or(v reflect.Value) twoValues {
	for i, value := range p {
		isListOrMap := value.Kind() == reflect.Slice || value.Kind() == reflect.Map
		isNil := isListOrMap && value.IsNil()
		if !value.IsValid() || isNil {
			p[i] = v
		}
	}
	return p
}

func (p twoValues) any() reflect.Value {
	if p[0].IsValid() {
		return p[0]
	}
	return p[1]
}

// pairing iterates over the elements of two collections in canonical order, and pairs elements with
// the same key.
type pairing struct {
	left [2][]Element // elements that are left
	at   [2]*Element  // the current pair; nil on a side that has no such element
}

func (p *pairing) next() bool {
	order := 0
	switch {
	case len(p.left[0])+len(p.left[1]) == 0:
		return false
	case len(p.left[0]) == 0:
		order = +1
	case len(p.left[1]) == 0:
		order = -1
	default:
		order = CompareKeys(p.left[0][0], p.left[1][0])
	}
	p.at = [2]*Element{}
	if order <= 0 {
		p.at[0] = &p.left[0][0]
		p.left[0] = p.left[0][1:]
	}
	if order >= 0 {
		p.at[1] = &p.left[1][0]
		p.left[1] = p.left[1][1:]
	}
	return true
}

// first is the key of the next pair, and afterNames if no pair is left.
func (p *pairing) first() string {
	first := afterNames
	for _, left := range p.left {
		if len(left) > 0 {
			first = min(first, left[0].Key)
		}
	}
	return first
}

// element returns the second element of the pair, or the first if there is no second.
func (p *pairing) element() *Element {
	if p.at[1] != nil {
		return p.at[1]
	}
	return p.at[0]
}

func (p *pairing) values() (values twoValues) {
	for side, e := range p.at {
		if e != nil {
			values[side] = e.Value
		}
	}
	return values
}

// arrayOrZero returns an array. A missing array is the zero array.
func arrayOrZero(n *fieldplan.Node, array reflect.Value) reflect.Value {
	if array.IsValid() {
		return array
	}
	return reflect.New(n.Type).Elem()
}

// length is the length of a list, array or map. A missing one has no elements.
func length(v reflect.Value) int {
	if !v.IsValid() {
		return 0
	}
	return v.Len()
}

// index returns element i, and the zero reflect.Value beyond the end.
func index(list reflect.Value, i int) reflect.Value {
	if i >= length(list) {
		return reflect.Value{}
	}
	return list.Index(i)
}
