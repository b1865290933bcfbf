package engine

import (
	"bytes"
	"math"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Same reports whether two values of the plan's type have the same canonical document. If walking
// both values together does not decide it, their digests are compared.
func (p *Program) Same(a, b reflect.Value) (bool, error) {
	if p.same(p.canonical.root, 0, p.rootOf(a), p.rootOf(b)) {
		return true, nil
	}
	first, err := p.Sum(a)
	if err != nil {
		return false, err
	}
	second, err := p.Sum(b)
	return err == nil && first == second, err
}

// SamePointers reports whether a and b, pointers to the plan's type, certainly have the same
// canonical document and no faults. It is fast; after false, call [Program.Same].
func (p *Program) SamePointers(a, b any) bool {
	x, ok := pointedBy(a, p.example)
	y, okToo := pointedBy(b, p.example)
	return ok && okToo && p.same(p.canonical.root, 0, x, y)
}

// SameWhole reports whether two values of the plan's type certainly mean the same, including fields
// that are not in the canonical document, and have no faults.
func (p *Program) SameWhole(a, b reflect.Value) bool {
	return p.same(p.whole.root, 0, p.rootOf(a), p.rootOf(b))
}

// SameBelow is [Program.SameWhole] for parts of values at a depth below the root, which n
// describes. It is false for missing values and for values without an address.
func (p *Program) SameBelow(n *fieldplan.Node, depth int, a, b reflect.Value) bool {
	return a.IsValid() && b.IsValid() && a.CanAddr() && b.CanAddr() &&
		p.same(p.whole.nodes[n], depth, valueOf(a), valueOf(b))
}

func (p *Program) same(n *node, depth int, x, y memory) bool {
	if depth > maxCompared {
		return false
	}
	c := comparison{depth: depth}
	same := c.element(n, x, y)
	if c.scratch != nil {
		c.scratch.pair = [2]resource.Quantity{}
		c.scratch.end()
	}
	return same
}

// Texts returns the map of strings that n describes, and nil for a missing value. It is false for
// other maps.
func (p *Program) Texts(n *fieldplan.Node, v reflect.Value) (map[string]string, bool) {
	switch {
	case p.whole.nodes[n].kind != textMapKind:
		return nil, false
	case !v.IsValid():
		return nil, true
	case !v.CanAddr():
		return nil, false
	default:
		return textsAt(memoryOf(v)), true
	}
}

// maxCompared is the depth to which a comparison descends. Everything above it is not too deep for
// a document.
const maxCompared = MaxDepth - 1

// comparison walks two values side by side.
type comparison struct {
	depth   int  // below the root
	scratch *run // nil until it is needed
}

func (c *comparison) run() *run {
	if c.scratch == nil {
		c.scratch = start()
	}
	return c.scratch
}

// value compares two values that are both present.
func (c *comparison) value(n *node, a, b memory) bool {
	switch n.kind {
	case textKind:
		return sameText(textAt(a), textAt(b))
	case intKind:
		return intAt(a, n.bits) == intAt(b, n.bits)
	case objectKind:
		return c.object(n, a, b)
	case boolKind:
		return boolAt(a) == boolAt(b)
	case uintKind:
		return uintAt(a, n.bits) == uintAt(b, n.bits)
	case floatKind:
		f := floatAt(a, n.bits)
		return f == floatAt(b, n.bits) && !math.IsInf(f, 0)
	case bytesKind:
		x, y := bytesAt(a), bytesAt(b)
		return (x == nil) == (y == nil) && bytes.Equal(x, y)
	case quantityKind:
		return c.quantity(at[resource.Quantity](a), at[resource.Quantity](b))
	case intOrStringKind, leafKind:
		return c.leaf(n.plan.Leaf, valueAt(a, n.plan.Type), valueAt(b, n.plan.Type))
	case listKind, arrayKind, setKind, textKeyedKind, intKeyedKind, textMapKind, quantityMapKind, mapKind:
	}
	return c.collection(n, a, b)
}

func (c *comparison) collection(n *node, a, b memory) bool {
	switch n.kind {
	case listKind, arrayKind, setKind: // a set in another order is not certainly the same
		return c.places(n, a, b)
	case textKeyedKind, intKeyedKind:
		return c.keyed(n, a, b)
	case textMapKind:
		return sameTexts(textsAt(a), textsAt(b))
	case quantityMapKind:
		return c.quantities(quantitiesAt(a), quantitiesAt(b))
	case mapKind:
		return c.maps(n, a, b)
	case objectKind, boolKind, intKind, uintKind, floatKind, textKind, bytesKind, quantityKind,
		intOrStringKind, leafKind:
	}
	return false
}

func (c *comparison) quantity(a, b *resource.Quantity) bool {
	x, xFits := a.AsInt64()
	y, yFits := b.AsInt64()
	if xFits && yFits {
		return x == y
	}
	r := c.run()
	r.pair = [2]resource.Quantity{*a, *b}
	return c.leaf(leaf.Quantity, reflect.ValueOf(&r.pair[0]).Elem(), reflect.ValueOf(&r.pair[1]).Elem())
}

func (c *comparison) leaf(k leaf.Kind, a, b reflect.Value) bool {
	r := c.run()
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
	return bytes.Equal(text, other)
}

func (c *comparison) object(
	n *node, a, b memory,
) bool { //nolint:gocognit // a flat loop, which every comparison spends its time in
	if c.depth++; c.depth > maxCompared {
		return false
	}
	steps := n.steps
	for i := range steps {
		s := &steps[i]
		x, y := memberAt(a, s.offset), memberAt(b, s.offset)
		if s.pointer {
			x, y = pointedAt(x), pointedAt(y)
			if !exists(x) || !exists(y) {
				if exists(x) || exists(y) {
					return false
				}
				continue
			}
		}
		switch s.move {
		case textMember:
			p, q := textAt(x), textAt(y) // most texts are short and ASCII: compared without a call
			if l := len(p); l == len(q) && 8 <= l && l <= 16 {
				head, tail := canonjson.Load(p, 0), canonjson.Load(p, l-8)
				if head == canonjson.Load(q, 0) && tail == canonjson.Load(q, l-8) && (head|tail)&tops == 0 {
					continue
				}
			}
			if !sameText(p, q) {
				return false
			}
		case fourMember:
			if !sameFour(x, y) {
				return false
			}
		case eightMember:
			if !sameEight(x, y) {
				return false
			}
		case objectMember:
			if !c.object(s.node, x, y) {
				return false
			}
		case collectionMember:
			if isNone(s.node.kind, x) && isNone(s.node.kind, y) {
				continue
			}
			if !c.collection(s.node, x, y) {
				return false
			}
		case otherMember:
			if !c.member(s.op, a, b) {
				return false
			}
		}
	}
	c.depth--
	return true
}

// member compares members of rare kinds, and members behind more than one pointer.
func (c *comparison) member(o *op, a, b memory) bool {
	x, y := o.location.in(a), o.location.in(b)
	if !exists(x) || !exists(y) {
		return exists(x) == exists(y)
	}
	if o.presence && o.node.isNil(x) != o.node.isNil(y) {
		return false
	}
	return c.value(o.node, x, y) || o.bothZero(x, y)
}

// bothZero reports whether two leaves are zero and thus absent, whatever their text.
func (o *op) bothZero(a, b memory) bool {
	return o.kind == leafKind && !o.zero && valueAt(a, o.node.plan.Type).IsZero() &&
		valueAt(b, o.node.plan.Type).IsZero()
}

// element compares two elements, either of which may be missing. A nil list or map differs from an
// empty one: null is not an empty list, and in a hot map null means that the key is absent.
func (c *comparison) element(n *node, a, b memory) bool {
	if !exists(a) || !exists(b) {
		return exists(a) == exists(b)
	}
	if n.kind == objectKind {
		return c.object(n, a, b)
	}
	return n.isNil(a) == n.isNil(b) && c.value(n, a, b)
}

func (c *comparison) places(n *node, a, b memory) bool {
	if c.depth++; c.depth > maxCompared {
		return false
	}
	x, y := elementsAt(a, n), elementsAt(b, n)
	if x.len != y.len || c.prefix(n, &x, &y) < x.len {
		return false
	}
	c.depth--
	return true
}

// prefix returns the number of leading elements that two lists of one length have in common.
func (c *comparison) prefix(n *node, x, y *elements) int {
	areObjects := n.when == nil && n.elem.kind == objectKind
	for i := range x.len {
		e, f := x.at(i, n.elemPointers), y.at(i, n.elemPointers)
		if areObjects && exists(e) && exists(f) {
			if !c.object(n.elem, e, f) {
				return i
			}
			continue
		}
		if !c.selected(n, e, f) {
			return i
		}
	}
	return x.len
}

// selected compares two elements of a collection, either of which may be hot.
func (c *comparison) selected(n *node, a, b memory) bool {
	if n.when == nil {
		return c.element(n.elem, a, b)
	}
	r := c.run()
	hot := r.selects(n.when, a)
	if hot != r.selects(n.when, b) {
		return false
	}
	if hot {
		return c.element(n.when.hot, a, b)
	}
	return c.element(n.elem, a, b)
}

// keyed compares keyed lists: first element by element while they are the same, which is enough if
// both have one order, and then the rest through an index. The key of an element is compared first,
// so nothing below is compared twice.
func (c *comparison) keyed(n *node, a, b memory) bool {
	if c.depth++; c.depth > maxCompared {
		return false
	}
	x, y, depth := elementsAt(a, n), elementsAt(b, n), c.depth
	if x.len != y.len {
		return false
	}
	done := c.prefix(n, &x, &y)
	if done < x.len || n.directionOf(&x) == mixed {
		c.depth = depth
		if done < x.len && n.haveOneKey(x.at(done, n.elemPointers), y.at(done, n.elemPointers)) ||
			!c.indexed(n, a, b, done) {
			return false
		}
	}
	c.depth--
	return true
}

// haveOneKey reports whether two elements have the same key, or one element has none.
func (n *node) haveOneKey(a, b memory) bool {
	key, ok := n.keyOf(a)
	other, okToo := n.keyOf(b)
	return !ok || !okToo || key == other
}

// indexed compares the elements from index done on, by key. The elements before are equal.
func (c *comparison) indexed(n *node, a, b memory, done int) bool {
	r, x, y := c.run(), elementsAt(a, n), elementsAt(b, n)
	first := len(r.entries)
	defer func() { r.entries = r.entries[:first] }()
	if r.index(n, a) < x.len || r.index(n, b) < y.len {
		return false
	}
	second := first + x.len
	for i := range x.len {
		e, f := &r.entries[first+i], &r.entries[second+i]
		if e.at < done && e.at == f.at {
			continue
		}
		if !c.selected(n, x.at(e.at, n.elemPointers), y.at(f.at, n.elemPointers)) {
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
		if other, ok := b[key]; !ok || !sameText(value, other) || !isText(key) {
			return false
		}
	}
	return true
}

func (c *comparison) quantities(a, b map[string]resource.Quantity) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		other, ok := b[key]
		if !ok || !isText(key) {
			return false
		}
		x, fits := value.AsInt64()
		if y, fitsToo := other.AsInt64(); fits && fitsToo {
			if x != y {
				return false
			}
		} else if !c.quantity(&value, &other) {
			return false
		}
	}
	return true
}

// maps compares maps of other kinds by their sorted keys.
func (c *comparison) maps(n *node, a, b memory) bool {
	if c.depth++; c.depth > maxCompared || !n.plainKeys {
		return false
	}
	r, x, y := c.run(), n.values.Get().(*values), n.values.Get().(*values)
	defer x.done(n)
	defer y.done(n)
	before := r.read(x, valueAt(a, n.plan.Type))
	defer r.drop(before)
	after := r.read(y, valueAt(b, n.plan.Type))
	length := after.entries - before.entries
	if length != len(r.entries)-after.entries {
		return false
	}
	for i := range length {
		// comparing the values may reallocate the stacks
		e, f := r.entries[before.entries+i].at, r.entries[after.entries+i].at
		key := r.keys[before.keys+e]
		if key != r.keys[after.keys+f] || !isText(key) ||
			!c.selected(n, x.at(e, n.elemPointers), y.at(f, n.elemPointers)) {
			return false
		}
	}
	c.depth--
	return true
}
