package program

import (
	stdbytes "bytes"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Same reports whether two values of the plan's type have the same canonical document. True is certain, and then nothing is wrong with
// either; false may mean that the run gave up.
func (p *Program) Same(a, b reflect.Value) bool { return p.same(p.kept, a, b) }

// SameWhole reports whether two values of the plan's type are equal in meaning, with what the canonical document leaves out. True is
// certain, and then nothing is wrong with either.
func (p *Program) SameWhole(a, b reflect.Value) bool { return p.same(p.root, a, b) }

func (p *Program) same(n *node, a, b reflect.Value) bool {
	if p.odd {
		return false
	}
	r := start()
	defer r.end()
	return r.sameElement(n, rootOf(a), rootOf(b))
}

// SameBelow is SameWhole for parts of values, which n describes and which have addresses. It does not see what is not there.
func (p *Program) SameBelow(n *fieldplan.Node, a, b reflect.Value) bool {
	return a.IsValid() && b.IsValid() && a.CanAddr() && b.CanAddr() && p.same(p.whole[n], a, b)
}

// Texts returns the map of strings that n describes, nil for a value that is not there. It is false for other maps.
func (p *Program) Texts(n *fieldplan.Node, v reflect.Value) (map[string]string, bool) {
	switch {
	case p.odd || p.whole[n].kind != mapOfText:
		return nil, false
	case !v.IsValid():
		return nil, true
	case !v.CanAddr():
		return nil, false
	default:
		return textsAt(memoryOf(v)), true
	}
}

// same compares two values whose presence is out of question.
func (r *run) same(n *node, a, b memory) bool {
	switch n.kind {
	case text:
		s := textAt(a)
		return s == textAt(b) && utf8.ValidString(s)
	case integer:
		return intAt(a, n.bits) == intAt(b, n.bits)
	case boolean:
		return boolAt(a) == boolAt(b)
	case unsigned:
		return uintAt(a, n.bits) == uintAt(b, n.bits)
	case float:
		f := floatAt(a, n.bits)
		return f == floatAt(b, n.bits) && !math.IsInf(f, 0)
	case bytes:
		return isNilSlice(a) == isNilSlice(b) && stdbytes.Equal(bytesAt(a), bytesAt(b))
	case quantity:
		return r.sameQuantity(at[resource.Quantity](a), at[resource.Quantity](b))
	case intOrString, otherLeaf:
		return r.sameText(n.plan.Leaf, valueAt(a, n.plan.Type), valueAt(b, n.plan.Type))
	case object, list, array, set, keyedByText, keyedByInt, mapOfText, mapOfQuantity, mapOfAny:
	}
	if !r.enter() {
		return false
	}
	defer r.leave()
	return r.sameComposite(n, a, b)
}

func (r *run) sameComposite(n *node, a, b memory) bool {
	switch n.kind {
	case object:
		return r.sameObject(n, a, b)
	case list, array, set: // elements of a set in another order are left to others
		return r.samePlaces(n, a, b)
	case keyedByText, keyedByInt:
		return r.sameKeyed(n, a, b)
	case mapOfText:
		return sameTexts(textsAt(a), textsAt(b))
	case mapOfQuantity:
		return r.sameQuantities(quantitiesAt(a), quantitiesAt(b))
	case mapOfAny:
		return r.sameMaps(n, a, b)
	case boolean, integer, unsigned, float, text, bytes, quantity, intOrString, otherLeaf:
	}
	return false
}

func (r *run) sameQuantity(a, b *resource.Quantity) bool {
	x, xFits := a.AsInt64()
	y, yFits := b.AsInt64()
	if xFits && yFits {
		return x == y
	}
	return r.sameText(leaf.Quantity, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

// sameText compares leaves by their canonical text.
func (r *run) sameText(k leaf.Kind, a, b reflect.Value) bool {
	text, problem := leaf.Append(r.buf[:0], k, a)
	if problem != nil {
		return false
	}
	r.buf = text
	other, problem := leaf.Append(r.scratch[:0], k, b)
	if problem != nil {
		return false
	}
	r.scratch = other
	return stdbytes.Equal(text, other)
}

func (r *run) sameObject(n *node, a, b memory) bool {
	for i := range n.ops {
		o := &n.ops[i]
		x, y := o.place.in(a), o.place.in(b)
		switch {
		case !there(x) || !there(y):
			if there(x) != there(y) {
				return false
			}
		case o.node.kind == otherLeaf && o.skipsZero && o.isZero(x) && o.isZero(y): // what it says is not asked
		case !r.same(o.node, x, y):
			return false
		}
	}
	return true
}

func (o *op) isZero(m memory) bool { return valueAt(m, o.node.plan.Type).IsZero() }

// sameElement compares two elements, either of which may be missing. Lists and maps have to agree on whether they are nil, too.
func (r *run) sameElement(n *node, a, b memory) bool {
	if !there(a) || !there(b) {
		return there(a) == there(b)
	}
	switch n.kind {
	case list, set, keyedByText, keyedByInt:
		if isNilSlice(a) != isNilSlice(b) {
			return false
		}
	case object, array, mapOfText, mapOfQuantity, mapOfAny, boolean, integer, unsigned, float, text, bytes, quantity, intOrString, otherLeaf:
	}
	return r.same(n, a, b)
}

func (r *run) samePlaces(n *node, a, b memory) bool {
	x, y := elementsAt(a, n), elementsAt(b, n)
	if x.len != y.len {
		return false
	}
	for i := range x.len {
		if !r.sameElement(n.elem, x.at(i, n.elemPointers), y.at(i, n.elemPointers)) {
			return false
		}
	}
	return true
}

// sameSelected compares two elements of a collection, which may be hot.
func (r *run) sameSelected(n *node, a, b memory) bool {
	if n.when == nil {
		return r.sameElement(n.elem, a, b)
	}
	hot := r.selects(n.when, a)
	if hot != r.selects(n.when, b) || r.gaveUp {
		return false
	}
	if hot {
		return r.sameElement(n.when.hot, a, b)
	}
	return r.sameElement(n.elem, a, b)
}

// sameKeyed compares keyed lists. Those that are in order need no index; they are not mixed, so no key stands there twice.
func (r *run) sameKeyed(n *node, a, b memory) bool {
	x, y := elementsAt(a, n), elementsAt(b, n)
	if x.len != y.len || x.len == 0 {
		return x.len == y.len
	}
	orderX, okX := directionOf(n, &x)
	orderY, okY := directionOf(n, &y)
	switch {
	case !okX || !okY:
		return false
	case orderX == orderY && orderX != mixed:
		return r.sameInPlace(n, &x, &y)
	}
	first := len(r.entries)
	same := r.index(n, &x)
	second := len(r.entries)
	same = same && r.index(n, &y)
	for i := 0; same && i < x.len; i++ {
		e, f := r.entries[first+i], r.entries[second+i]
		same = r.sameSelected(n, x.at(e.at, n.elemPointers), y.at(f.at, n.elemPointers))
	}
	r.drop(first)
	return same
}

func (r *run) sameInPlace(n *node, x, y *elements) bool {
	for i := range x.len {
		if !r.sameSelected(n, x.at(i, n.elemPointers), y.at(i, n.elemPointers)) {
			return false
		}
	}
	return true
}

func sameTexts(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		other, ok := b[key]
		if !ok || value != other || !utf8.ValidString(key) || !utf8.ValidString(value) {
			return false
		}
	}
	return true
}

func (r *run) sameQuantities(a, b map[string]resource.Quantity) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		other, ok := b[key]
		r.pair = [2]resource.Quantity{value, other}
		if !ok || !utf8.ValidString(key) || !r.sameQuantity(&r.pair[0], &r.pair[1]) {
			return false
		}
	}
	return true
}

func (r *run) sameMaps(n *node, a, b memory) bool {
	x, y := n.values.Get().(*values), n.values.Get().(*values)
	defer x.done(n)
	defer y.done(n)
	first := len(r.entries)
	defer r.drop(first)
	r.read(x, valueAt(a, n.plan.Type))
	second := len(r.entries)
	r.read(y, valueAt(b, n.plan.Type))
	before, after := r.entries[first:second], r.entries[second:]
	if len(before) != len(after) {
		return false
	}
	slices.SortFunc(before, compareEntries)
	slices.SortFunc(after, compareEntries)
	for i, e := range before {
		f := after[i]
		if e.key != f.key || !utf8.ValidString(e.key) || !r.sameSelected(n, x.at(e.at, n.elemPointers), y.at(f.at, n.elemPointers)) {
			return false
		}
	}
	return true
}
