package hotupdatetest

import (
	"math/bits"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// author draws configurations at random.
type author struct {
	t *rapid.T
	s *subject
}

// maxDepth bounds values of recursive types.
const maxDepth = 6

// pick draws a number below n, each about as often; rapid's own integers are mostly small. Failures
// shrink to 0.
func (a author) pick(n int) int {
	number := 0
	for range bits.Len(uint(n-1)) + 2 { //nolint:gosec // n is at least 1
		number <<= 1
		if rapid.Bool().Draw(a.t, "bit") {
			number++
		}
	}
	return number % n
}

// chance is true once in n draws.
func (a author) chance(n int) bool { return a.pick(n) == n-1 }

func among[V any](a author, all ...V) V { return all[a.pick(len(all))] }

// config draws a configuration; now and then it is nil.
func (a author) config() *part { return a.value(blankRoot(a.s.plan), nil, 0) }

// member draws a member, which is often absent.
func (a author) member(in *part, f *fieldplan.Field, depth int) *part {
	if a.pick(3) == 0 || f.Node.Recursive && depth > 2 && a.pick(3) > 0 { // failures shrink to absent members
		return nil
	}
	p := in.blankMember(f)
	if f.Default != nil && a.chance(4) {
		p.make = fromJSON(f.Node.Type, f.Default)
		return p
	}
	return a.value(p, nil, depth)
}

// value fills a blank part: with a value, or with a nil pointer. An element is already in its
// collection.
func (a author) value(p *part, in *fieldplan.Node, depth int) *part {
	isPlaced := in != nil && (in.Key != nil || in.When != nil)
	isTooDeep := depth > maxDepth && p.node.Recursive && p.typ.Kind() != reflect.Struct
	if p.null = p.typ.Kind() == reflect.Pointer && !isPlaced && a.chance(6) || isTooDeep; p.null {
		return p
	}
	switch p.node.Kind {
	case fieldplan.Leaf:
		p.make = a.leaf(p)
	case fieldplan.Object:
		for i, f := range p.node.Fields {
			if in == nil || !in.Identity(f) {
				p.members[i] = a.member(p, f, depth+1)
			}
		}
	case fieldplan.List, fieldplan.Map:
		if p.null = a.chance(6); !p.null {
			for range a.pick(4) {
				if e := a.add(p, fieldplan.All); e != nil {
					a.value(e, p.node, depth+1)
				}
			}
		}
	case fieldplan.Array:
		for range p.node.Type.Len() {
			p.elems = append(p.elems, a.value(p.blankElement(), nil, depth+1))
		}
	}
	return p
}

// add adds a blank element and returns it, if an unused key and a wanted class are found.
func (a author) add(p *part, wanted fieldplan.ClassSet) *part {
	for range 4 {
		e, f := p.blankElement(), p.node.Key
		if f != nil {
			e.put(f, a.leaf(e.blankMember(f)))
		}
		if p.node.Kind == fieldplan.Map {
			e.key = among(a, a.s.values(p.pattern, p.node.Type.Key())...)
		}
		text := p.keyText(e)
		isTaken := slices.ContainsFunc(p.elems, func(other *part) bool { return p.keyText(other) == text })
		if isTaken && (f != nil || e.key != nil) || f != nil && (text == "" || text == `""`) {
			continue
		}
		if a.selects(p.node, e); wanted.Any(fieldplan.Of(e.node.Class)) {
			p.elems = append(p.elems, e)
			return e
		}
	}
	return nil
}

// selects draws the selector of an element, if there is one, and gives the element its classes.
func (a author) selects(n *fieldplan.Node, e *part) {
	if n.When == nil {
		return
	}
	f := n.When.Field
	if *e.member(f) = a.member(e, f, 0); a.chance(2) {
		e.put(f, fromJSON(f.Node.Type, []byte(n.When.Value)))
	}
	e.node = engine.Of(a.s.plan).ElementNode(n, e.value())
}

// leaf draws a leaf.
func (a author) leaf(p *part) maker { return among(a, a.s.values(p.pattern, p.node.Type)...) }
