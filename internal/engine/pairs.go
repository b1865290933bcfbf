package engine

import (
	"cmp"
	"math"
	"reflect"
	"slices"

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
		if isNilValue(value) {
			p[i] = v
		}
	}
	return p
}

// areUnset reports whether both values are missing, or nil lists or maps.
func (p twoValues) areUnset() bool { return isNilValue(p[0]) && isNilValue(p[1]) }

func isNilValue(v reflect.Value) bool {
	isListOrMap := v.Kind() == reflect.Slice || v.Kind() == reflect.Map
	return !v.IsValid() || isListOrMap && v.IsNil()
}

func (p twoValues) any() reflect.Value {
	if p[0].IsValid() {
		return p[0]
	}
	return p[1]
}

// pairsOf pairs the elements of two keyed lists, which n describes. If a key is repeated, its elements
// are paired in their order among those of one rank.
func (p *Program) pairsOf(t *Trail, n *fieldplan.Node, lists twoValues, rank func(elem reflect.Value) int) pairing {
	pairs := pairing{left: [2][]Element{p.keyed(t, n, lists[0]), p.keyed(t, n, lists[1])}}
	if !isRepeating(pairs.left[0]) && !isRepeating(pairs.left[1]) {
		return pairs
	}
	for groups := pairs; groups.next(); {
		key := *groups.element()
		var tied [2][]Element
		for side, e := range groups.at {
			if e == nil {
				continue
			}
			list := pairs.left[side][len(pairs.left[side])-len(groups.left[side])-1:]
			tied[side] = list[:ties(list, key)]
			groups.left[side] = list[len(tied[side]):]
		}
		number(tied, rank)
	}
	return pairs
}

// isRepeating reports whether two elements of a list, which is in order, have one key.
func isRepeating(list []Element) bool {
	for i := 1; i < len(list); i++ {
		if compareListKeys(list[i-1], list[i]) == 0 {
			return true
		}
	}
	return false
}

// ties counts the first elements of a list that have a key.
func ties(list []Element, key Element) (n int) {
	for n < len(list) && compareListKeys(list[n], key) == 0 {
		n++
	}
	return n
}

// number gives elements of one key in two lists their ordinals. Two with one ordinal are a pair.
func number(tied [2][]Element, rank func(elem reflect.Value) int) {
	if len(tied[0]) <= 1 && len(tied[1]) <= 1 {
		return // they are paired whatever their ranks
	}
	var ranks [2][]int
	for side, elements := range tied {
		ranked := map[int]int{}
		for i := range elements {
			ranked[elements[i].At] = rank(elements[i].Value)
		}
		slices.SortFunc(elements, func(a, b Element) int {
			return cmp.Or(cmp.Compare(ranked[a.At], ranked[b.At]), cmp.Compare(a.At, b.At))
		})
		for i := range elements {
			ranks[side] = append(ranks[side], ranked[elements[i].At])
		}
	}
	at := [2]int{}
	for ordinal := 0; at[0] < len(tied[0]) || at[1] < len(tied[1]); ordinal++ {
		lowest := math.MaxInt
		for side, i := range at {
			if i < len(ranks[side]) {
				lowest = min(lowest, ranks[side][i])
			}
		}
		for side, i := range at {
			if i < len(ranks[side]) && ranks[side][i] == lowest {
				tied[side][i].ordinal = ordinal
				at[side]++
			}
		}
	}
}

// pairing iterates over the elements of two collections in canonical order, and pairs elements with
// the same key and ordinal.
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

// places are the positions of the pair's elements in both lists, counted from 1.
func (p *pairing) places() (places [2]int32) {
	for side, e := range p.at {
		if e != nil {
			places[side] = int32(e.At) + 1 //nolint:gosec // smaller than the list
		}
	}
	return places
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
