package hotupdatetest

import (
	"encoding/json"
	"math/bits"
	"reflect"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

type author struct {
	t *rapid.T
	s *subject
}

// maxDepth bounds values of recursive types.
const maxDepth = 6

// pick draws a number below n, each about as often; rapid's own integers are mostly small. Failures shrink to 0.
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

// config draws a configuration; now and then it is nil.
func (a author) config() config {
	c := config{plan: a.s.plan, meta: make([]string, len(a.s.plan.Meta))}
	if a.chance(20) {
		return c
	}
	for i := range c.meta {
		c.meta[i] = among(a, "", "x", "y")
	}
	c.root = a.object(blankRoot(a.s.plan), 0)
	return c
}

func among[V any](a author, all ...V) V { return all[a.pick(len(all))] }

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
	return a.value(p, depth)
}

// value draws into a blank part: a value that is there, or a nil pointer.
func (a author) value(p *part, depth int) *part {
	if p.typ.Kind() == reflect.Pointer && a.chance(6) || depth > maxDepth && p.node.Recursive && p.typ.Kind() != reflect.Struct {
		p.null = true
		return p
	}
	switch p.node.Kind {
	case fieldplan.Leaf:
		p.make = a.leaf(p)
	case fieldplan.Object:
		return a.object(p, depth)
	case fieldplan.List, fieldplan.Map:
		a.elements(p, depth)
	case fieldplan.Array:
		for range p.node.Type.Len() {
			p.elems = append(p.elems, a.value(p.blankElement(), depth+1))
		}
	}
	return p
}

func (a author) object(p *part, depth int) *part {
	p.emptied()
	for i, f := range p.node.Fields {
		p.members[i] = a.member(p, f, depth+1)
	}
	return p
}

func (a author) elements(p *part, depth int) {
	if p.null = a.chance(6); p.null {
		return
	}
	for range a.pick(4) {
		a.add(p, a.value(p.blankElement(), depth+1), author.selectElement)
	}
}

// add adds an element, after a choice of its class, if an identity is found that no other element has.
func (a author) add(p, e *part, choose func(a author, n *fieldplan.Node, e *part)) bool {
	isKeyed := p.node.Pairing == fieldplan.ByKey
	if isKeyed && e.null {
		*e = *a.object(p.blankElement(), maxDepth)
	}
	for range 4 {
		switch {
		case p.node.Kind == fieldplan.Map:
			key := a.mapKey(p.node.Type.Key(), p.pattern)
			if p.has(mapKeyText(p.node, key)) {
				continue
			}
			p.keys = append(p.keys, key)
		case isKeyed:
			f := p.node.Key
			key := e.blankMember(f)
			key.make = a.leaf(key)
			*e.member(f) = key
			if text := key.text(); text == nil || string(text) == `""` || p.has(string(text)) {
				continue
			}
		}
		choose(a, p.node, e)
		p.elems = append(p.elems, e)
		return true
	}
	return false
}

func (p *part) has(text string) bool {
	return slices.ContainsFunc(p.keys, func(key maker) bool { return mapKeyText(p.node, key) == text }) ||
		p.node.Key != nil && slices.ContainsFunc(p.elems, func(e *part) bool { return string((*e.member(p.node.Key)).text()) == text })
}

// selectElement makes an element hot now and then, where hotwhen says how, and gives it the classes that it has.
func (a author) selectElement(n *fieldplan.Node, e *part) {
	if n.When == nil || e.null {
		return
	}
	if a.chance(2) {
		a.makeHot(n, e)
	}
	e.retarget(elementNode(n, e))
}

// makeHot sets the field by which an element is selected.
func (a author) makeHot(n *fieldplan.Node, e *part) {
	selector := e.blankMember(n.When.Field)
	selector.make = fromJSON(selector.node.Type, []byte(n.When.Value))
	*e.member(n.When.Field) = selector
	e.retarget(elementNode(n, e))
}

func (a author) mapKey(t reflect.Type, pattern string) maker {
	switch given := a.s.keys[pattern]; {
	case len(given) > 0:
		key, _ := readKey(t, among(a, given...)) // was read before
		return fixed(key)
	case t.Kind() == reflect.String:
		return fixed(reflect.ValueOf(among(a, "a", "b", "cost-center", "kubernetes.io/a", "\u00e9")).Convert(t))
	case leaf.MapKeyKind(t) == leaf.TextMarshaler:
		return among(a, a.s.foreign(t)...)
	}
	return fixed(reflect.ValueOf(among(a, 1, 2, 10, 0)).Convert(t))
}

func readKey(t reflect.Type, text string) (reflect.Value, bool) {
	read := reflect.New(reflect.MapOf(t, reflect.TypeFor[bool]()))
	if err := json.Unmarshal([]byte("{"+strconv.Quote(text)+":true}"), read.Interface()); err != nil || read.Elem().Len() != 1 {
		return reflect.Value{}, false
	}
	return read.Elem().MapKeys()[0], true
}

// fixed makes a value that has no memory to share.
func fixed(v reflect.Value) maker { return func() reflect.Value { return v } }

func mapKeyText(n *fieldplan.Node, key maker) string { return engine.KeyStep(n, key()).Name }
