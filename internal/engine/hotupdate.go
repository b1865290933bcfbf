package engine

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Patched returns a pointer to a copy of old that has the Hot parts of updated: what a hot update leads to. Both values have been compared,
// so neither contains itself. TypeMeta is that of old.
//
// An element, or an object whose presence counts, comes and goes with its own class: where that is not Hot, it stays as it is in old. One
// that is Hot goes, unless it holds what is hashed, and comes with its Hot parts only. An element that is hot on one side only (hotwhen)
// stays as it is in old.
func Patched(p *fieldplan.Plan, old, updated reflect.Value) (reflect.Value, error) {
	g := &grafter{splitter: splitter{want: fieldplan.All}, takes: fieldplan.Of(structtag.Hot)}
	grafted := reflect.New(p.Type)
	from := halves{old, updated}.deref()
	if from[0].IsValid() {
		for _, f := range p.Meta {
			g.copyMember(grafted.Elem(), from[0], f)
		}
	}
	g.fields(p.Root, grafted.Elem(), from, nil, reflect.Value{})
	return grafted, g.trail.Err()
}

// grafter copies with the splitter's means. Its halves are the old and the updated value.
type grafter struct {
	splitter

	takes fieldplan.ClassSet // the classes of which the updated value decides
}

func (g *grafter) isTaken(c structtag.Class) bool { return g.takes.Any(fieldplan.Of(c)) }

// fields fills to with the members of an object. Those that identify an element of collection in are copied from identity.
func (g *grafter) fields(n *fieldplan.Node, to reflect.Value, from halves, in *fieldplan.Node, identity reflect.Value) {
	for _, f := range n.Parts() {
		members := halves{Member(from[0], f), Member(from[1], f)}
		g.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		switch classes := f.Classes(); {
		case in != nil && in.Identity(f):
			g.copyIfSet(f, to, Member(identity, f))
		case !classes.Any(g.takes):
			g.copyIfSet(f, to, members[0])
		case !classes.Any(^g.takes):
			g.copyIfSet(f, to, members[1])
		case f.Node.Kind == fieldplan.Object:
			g.objectMember(f, to, members.deref())
		default:
			g.collection(f.Node, func() reflect.Value { return settable(to, f) }, members.deref())
		}
		g.trail.Leave()
	}
}

func (g *grafter) copyIfSet(f *fieldplan.Field, to, from reflect.Value) {
	if from.IsValid() && (from.Kind() != reflect.Pointer || !from.IsNil()) {
		g.clone(f.Node, settable(to, f), from)
	}
}

func (g *grafter) objectMember(f *fieldplan.Field, to reflect.Value, from halves) {
	n, stays := f.Node, from[0].IsValid()
	switch {
	case !f.KeepsPresence(), !fieldplan.IsKept(n.Class) && !g.isTaken(n.Class):
		stays = stays || holds(n, from[1], g.takes, nil)
	case g.isTaken(n.Class):
		stays = from[1].IsValid() || holds(n, from[0], fieldplan.Kept, nil)
	}
	if stays {
		g.fields(n, allocate(settable(to, f)), from, nil, reflect.Value{})
	}
}

// collection fills the place that to returns, which is asked for only if there is something to put there.
func (g *grafter) collection(n *fieldplan.Node, to func() reflect.Value, from halves) {
	switch {
	case n.Kind == fieldplan.Array:
		if from[0].IsValid() || holds(n, from[1], g.takes, nil) {
			g.places(n, allocate(to()), from)
		}
	case n.Kind == fieldplan.Map:
		g.entries(n, to, from)
	case n.Pairing == fieldplan.ByKey:
		g.keyed(n, to, from)
	case from[0].IsValid() && !from[0].IsNil():
		place := allocate(to())
		place.Set(reflect.MakeSlice(n.Type, from[0].Len(), from[0].Len()))
		g.places(n, place, from)
	}
}

// places fills a list or array place by place. In a list old elements without a partner go with a replacement, not with a hot update.
func (g *grafter) places(n *fieldplan.Node, to reflect.Value, from halves) {
	from = from.withArrays(n)
	for i := range to.Len() {
		pair := halves{from[0].Index(i)}
		if from[1].IsValid() && i < from[1].Len() {
			pair[1] = from[1].Index(i)
		}
		g.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		g.element(n, to.Index(i), pair)
		g.trail.Leave()
	}
}

// keyed fills a keyed list in the order of the old one.
func (g *grafter) keyed(n *fieldplan.Node, to func() reflect.Value, from halves) {
	old, updated := g.inOrder(n, from[0]), g.inOrder(n, from[1])
	list := reflect.MakeSlice(n.Type, 0, len(old))
	add := func(step fieldpath.Step, pair halves) {
		elem := reflect.New(n.Type.Elem()).Elem()
		g.trail.Enter(step)
		if g.element(n, elem, pair) {
			list = reflect.Append(list, elem)
		}
		g.trail.Leave()
	}
	partners := map[string]reflect.Value{}
	for _, e := range updated {
		partners[e.Key] = e.Value
	}
	for _, e := range old {
		add(e.Step(n), halves{e.Value, partners[e.Key]})
		delete(partners, e.Key)
	}
	for _, e := range updated {
		if partner, alone := partners[e.Key]; alone {
			add(e.Step(n), halves{{}, partner})
		}
	}
	if list.Len() > 0 || from[0].IsValid() && !from[0].IsNil() {
		allocate(to()).Set(list)
	}
}

func (g *grafter) inOrder(n *fieldplan.Node, v reflect.Value) []Element {
	elements := Elements(&g.trail, n, v)
	slices.SortFunc(elements, func(a, b Element) int { return cmp.Compare(a.At, b.At) })
	return elements
}

// entries fills a map. Its keys are paired by their texts, as pointers may differ.
func (g *grafter) entries(n *fieldplan.Node, to func() reflect.Value, from halves) {
	pairs, keys := map[string]halves{}, map[string]reflect.Value{}
	for i, half := range from {
		if !half.IsValid() {
			continue
		}
		for it := half.MapRange(); it.Next(); {
			if !fieldplan.IsKept(n.Class) && IsNull(n.Elem, it.Value()) {
				continue
			}
			text := KeyStep(n, it.Key()).Name
			pair := pairs[text]
			pair[i] = it.Value()
			pairs[text], keys[text] = pair, it.Key()
		}
	}
	grafted := reflect.MakeMap(n.Type)
	for text, pair := range pairs {
		elem := reflect.New(n.Type.Elem()).Elem()
		g.trail.Enter(KeyStep(n, keys[text]))
		if g.element(n, elem, pair) {
			grafted.SetMapIndex(keys[text], elem)
		}
		g.trail.Leave()
	}
	if grafted.Len() > 0 || from[0].IsValid() && !from[0].IsNil() {
		allocate(to()).Set(grafted)
	}
}

// element fills to and reports whether the element stays or comes. The zero reflect.Value is an element that is not there.
func (g *grafter) element(n *fieldplan.Node, to reflect.Value, from halves) bool {
	node := ElementNode(n, from.any())
	isOld, isNew := from[0].IsValid(), from[1].IsValid()
	switch {
	case isOld && isNew && ElementNode(n, from[1]) != node:
		g.flipped(n, to, from)
		return true
	case isOld && !isNew && fieldplan.IsKept(node.Class):
		g.clone(node, to, from[0])
		return true
	case !isOld && (fieldplan.IsKept(node.Class) || !g.isTaken(node.Class) && !holds(node, from[1], g.takes, n)):
		return false
	case !isNew && g.isTaken(node.Class) && !holds(node, from[0], fieldplan.Kept, n):
		return false
	}
	g.elementParts(node, to, from, n)
	return true
}

// flipped fills an element that is hot on one side only. Where its collection is Ignored the flip is hot, and takes what is Ignored along.
func (g *grafter) flipped(n *fieldplan.Node, to reflect.Value, from halves) {
	if fieldplan.IsKept(n.Class) {
		g.clone(ElementNode(n, from[0]), to, from[0])
		return
	}
	defer func(takes fieldplan.ClassSet) { g.takes = takes }(g.takes)
	g.takes = fieldplan.Dropped
	from = from.deref()
	g.fields(n.When.Hot, allocate(to), from, n, from[1])
}

func (g *grafter) elementParts(n *fieldplan.Node, to reflect.Value, from halves, in *fieldplan.Node) {
	switch {
	case n.Kind == fieldplan.Object:
		g.objectElement(n, to, from, in)
	case !n.Classes.Any(g.takes), n.Kind == fieldplan.List && from[0].IsValid() && IsNull(n, from[0]): // null stays null, even if elements could come
		g.cloneValid(n, to, from[0])
	case !n.Classes.Any(^g.takes):
		g.cloneValid(n, to, from[1])
	default:
		isNew := !from[0].IsValid() && !IsNull(n, from[1])
		g.collection(n, func() reflect.Value { return to }, from.deref())
		if isNew && IsNull(n, to) {
			allocate(to).Set(emptyOf(n.Type))
		}
	}
}

func (g *grafter) objectElement(n *fieldplan.Node, to reflect.Value, from halves, in *fieldplan.Node) {
	isOld := from[0].IsValid()
	switch from = from.deref(); {
	case !from[0].IsValid() && !from[1].IsValid():
		return
	case isOld && !from[0].IsValid():
		from[0] = reflect.Zero(n.Type) // null says what the zero object says; its identity is not that of the other half
	}
	g.fields(n, allocate(to), from, in, from.any())
}

// emptyOf is an empty list or map that is not nil.
func emptyOf(t reflect.Type) reflect.Value {
	if t.Kind() == reflect.Map {
		return reflect.MakeMap(t)
	}
	return reflect.MakeSlice(t, 0, 0)
}

func (g *grafter) cloneValid(n *fieldplan.Node, to, from reflect.Value) {
	if from.IsValid() {
		g.clone(n, to, from)
	}
}

// holds reports whether something of the classes is set in v. What identifies an element of collection in does not count.
func holds(n *fieldplan.Node, v reflect.Value, classes fieldplan.ClassSet, in *fieldplan.Node) bool {
	v, ok := Deref(v)
	if !ok || !n.Classes.Any(classes) {
		return false
	}
	switch n.Kind {
	case fieldplan.Object:
		return slices.ContainsFunc(n.Parts(), func(f *fieldplan.Field) bool {
			return (in == nil || !in.Identity(f)) && memberHolds(f, Member(v, f), classes)
		})
	case fieldplan.List:
		for i := range v.Len() {
			if elementHolds(n, v.Index(i), classes) {
				return true
			}
		}
	case fieldplan.Array:
		for i := range v.Len() {
			if placeHolds(n.Elem, v.Index(i), classes) {
				return true
			}
		}
	case fieldplan.Map:
		return slices.ContainsFunc(Elements(&Trail{}, n, v), func(e Element) bool { return elementHolds(n, e.Value, classes) })
	case fieldplan.Leaf:
		return true
	}
	return false
}

func memberHolds(f *fieldplan.Field, v reflect.Value, classes fieldplan.ClassSet) bool {
	if f.Node.Kind == fieldplan.Leaf {
		_, set := MemberText(&Trail{}, nil, f, v)
		return set && f.Node.Classes.Any(classes)
	}
	_, present := Deref(v)
	return present && f.KeepsPresence() && fieldplan.Of(f.Node.Class).Any(classes) || holds(f.Node, v, classes, nil)
}

// elementHolds counts the presence of an element as well.
func elementHolds(in *fieldplan.Node, v reflect.Value, classes fieldplan.ClassSet) bool {
	node := ElementNode(in, v)
	return fieldplan.Of(node.Class).Any(classes) || holds(node, v, classes, in)
}

// placeHolds reports whether an element of an array, which is always there, says something else than zero.
func placeHolds(n *fieldplan.Node, v reflect.Value, classes fieldplan.ClassSet) bool {
	switch n.Kind {
	case fieldplan.Leaf:
		zero := reflect.Zero(v.Type())
		return n.Classes.Any(classes) && !bytes.Equal(ElementText(&Trail{}, nil, n, v), ElementText(&Trail{}, nil, n, zero))
	case fieldplan.List:
		return fieldplan.Of(n.Class).Any(classes) && !IsNull(n, v) || holds(n, v, classes, nil)
	case fieldplan.Object, fieldplan.Array, fieldplan.Map:
	}
	return holds(n, v, classes, nil)
}

// any returns a half that is there.
func (h halves) any() reflect.Value {
	if h[0].IsValid() {
		return h[0]
	}
	return h[1]
}
