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

// Diff lists the differences between two values of the plan's type in the order of their paths. The
// zero reflect.Value and nil pointers are the empty configuration. Two values that can be hashed can be
// compared: a Hot or Ignored quantity or time without a canonical text stands for itself.
func Diff(p *fieldplan.Plan, old, updated reflect.Value) ([]Difference, error) {
	return DiffOf(p, fieldplan.All, old, updated)
}

// DiffOf lists those of the differences that [Diff] lists that have one of the classes. It needs no
// memory for others.
func DiffOf(p *fieldplan.Plan, only fieldplan.ClassSet, old, updated reflect.Value) ([]Difference, error) {
	d := differs.Get().(*differ)
	defer d.release()
	d.only = only
	return d.diff(p, old, updated)
}

// diffFrom is [Diff] of two values whose first fields are the same.
func diffFrom(p *fieldplan.Plan, same int, old, updated reflect.Value) ([]Difference, error) {
	d := differs.Get().(*differ)
	defer d.release()
	d.only = fieldplan.All
	d.same = same
	return d.diff(p, old, updated)
}

// diffToOverlay is [Diff] with what an overlay needs.
func diffToOverlay(p *fieldplan.Plan, old, updated reflect.Value) ([]Difference, error) {
	d := differs.Get().(*differ)
	defer d.release()
	d.overlays = true
	d.only = fieldplan.All
	return d.diff(p, old, updated)
}

func (d *differ) diff(p *fieldplan.Plan, old, updated reflect.Value) ([]Difference, error) {
	d.program = Of(p)
	d.partner = true
	d.trail.stands = !d.checks
	roots := twoValues{old, updated}.deref()
	d.composite(sides{{node: p.Root, value: roots[0]}, {node: p.Root, value: roots[1]}}, nil)
	if err := d.trail.Err(); err != nil {
		return nil, err
	}
	return d.changes, nil
}

// differ walks two values side by side. It skips objects and collections with the same text.
type differ struct {
	walk

	program *Program
	entries []textEntry // scratch for the current map
	moved   []position  // of the paired elements on the way
	changes []Difference
	above   fieldpath.Path // the longest of the paths that the last changes share, see shared
	texts   [2][]byte      // scratch for the current leaf
	same    int            // the number of first fields that are known to be the same in the next objects
	partner bool           // false inside an element without a counterpart on the other side
	seeks   bool           // repetitions are recorded
	only    fieldplan.ClassSet
	isSet   [2]bool // a member that is a leaf is known to be set, in the list, array or map around
	checks  bool    // all leaves must have a canonical text
	// overlays says that every added or removed element is a change, and that the class of the stricter side
	// says what null means
	overlays bool

	repetitions []fieldpath.Path // see [Repetitions]
}

// position is the index of an element in the old keyed list. The trail has its index in the new
// list.
type position struct{ depth, at int }

// sides are the old and the new value of one part.
type sides [2]side

// side is one of the two. The zero reflect.Value is a missing part. The node says which class the
// part has on that side.
type side struct {
	node  *fieldplan.Node
	value reflect.Value
	from  origin
}

func (s sides) values() twoValues { return twoValues{s[0].value, s[1].value} }

func (s sides) with(values twoValues) sides {
	s[0].value = values[0]
	s[1].value = values[1]
	return s
}

// stricter is the side with the stricter class, and the new side if both have one class.
func (s sides) stricter() side {
	if s[0].node.Class < s[1].node.Class {
		return s[0]
	}
	return s[1]
}

// origin is the nearest declaration of a class, with its depth in the path. Its zero value is the
// default.
type origin struct {
	kind   Origin
	source string
	depth  int
}

// at returns the origin and source that a change at this depth reports.
func (o origin) at(depth int) (Origin, string) {
	if o.depth != depth && (o.kind == OriginStructTag || o.kind == OriginOverride) {
		return OriginInherited, o.source
	}
	return cmp.Or(o.kind, OriginDefault), o.source
}

// enterField returns the side of a member whose value is v.
func (d *differ) enterField(s side, f *fieldplan.Field, v reflect.Value) side {
	return side{node: f.Node, value: v, from: d.declared(s.from, f.Declared, f.Source)}
}

// declared returns the origin of the current part, which may have a declaration. Outer is the origin
// of the part around it.
func (d *differ) declared(outer origin, by fieldplan.Declaration, source string) origin {
	switch by {
	case fieldplan.StructTag:
		return origin{OriginStructTag, source, len(d.trail.Path)}
	case fieldplan.Overridden:
		return origin{OriginOverride, source, len(d.trail.Path)}
	case fieldplan.Inherited:
	}
	return outer
}

// enterElements returns the sides of a pair of elements of collections s. With hotwhen, each
// element's selector decides its node, and a missing element has the class of its counterpart.
func (d *differ) enterElements(s sides, step fieldpath.Step, values twoValues) (elems sides) {
	for i, value := range values {
		elems[i] = side{node: d.program.ElementNode(s[i].node, step.Name, value), value: value, from: s[i].from}
		if rule := s[i].node.RuleOf(step.Name); rule != nil {
			elems[i].from = d.declared(s[i].from, rule.Declared, s[i].node.SourceOf(rule))
		} else if elems[i].node != s[i].node.Elem {
			elems[i].from = origin{OriginHotWhen, s[i].node.When.Source, len(d.trail.Path)}
		}
	}
	for i, value := range values {
		if other := elems[1-i]; !value.IsValid() && s[i].node.When != nil {
			elems[i].node = other.node
			elems[i].from = other.from
		}
	}
	return elems
}

// fields compares two objects member by member. Both nodes describe one Go type, so their fields
// correspond. If the objects are elements of collection in, its key is skipped: the objects were
// paired by it.
func (d *differ) fields(s sides, in *fieldplan.Node) {
	compiled := d.program.whole.of(s[0].node)
	unknown := d.unknownMembers(s)
	same := d.same
	d.same = 0
	for i, f := range s[0].node.Fields {
		d.unknown(compiled, unknown, f.Name)
		isKey := in != nil && in.Key != nil && in.Key.Name == f.Name
		if isKey || i < same {
			continue
		}
		other := s[1].node.Fields[i]
		values := twoValues{Member(s[0].value, f), Member(s[1].value, other)}
		o := &compiled.ops[i]
		if f.Node == other.Node && d.sameMember(o, values) {
			continue
		}
		d.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		members := sides{d.enterField(s[0], f, values[0]), d.enterField(s[1], other, values[1])}
		if in != nil && in.Identity(f) {
			members = sides{selectorOf(in, s[0], members[0]), selectorOf(in, s[1], members[1])}
		}
		d.member(o, members)
		d.trail.Leave()
	}
	d.unknown(compiled, unknown, afterNames)
}

// selectorOf returns the side of an element's selector. In a hot element the selector is Hot,
// whatever its own struct tag says, since it is added and removed with the element.
func selectorOf(in *fieldplan.Node, elem, selector side) side {
	if elem.node == in.When.Hot {
		hot := *selector.node
		hot.Class = elem.node.Class
		selector.node = &hot
		selector.from = elem.from
	}
	return selector
}

func (d *differ) member(o *op, s sides) {
	if o.routine.kind.isLeaf() {
		d.leafMember(o, s)
		return
	}
	values := s.values().deref()
	switch {
	case o.fallback != nil:
		values = values.or(o.fallback().value)
	case o.presence:
		d.presence(o, s)
	}
	start := len(d.changes)
	outer := d.isSet
	d.isSet = [2]bool{}
	d.composite(s.with(values), nil)
	isChanged := d.partner && len(d.changes) > start
	if isChanged && o.isOmitted(values, &d.isSet) {
		for i := start; i < len(d.changes); i++ {
			d.changes[i].Omitted = true
		}
	}
	for i := range outer {
		isSet := d.isSet[i] && o.fallback == nil // what equals a default is not set
		d.isSet[i] = isSet || outer[i]
	}
}

// isOmitted reports whether only one of two values of a list, array or map sets it. What is known to be
// set tells of an array that it is, and isOmitted adds what it finds. So of arrays in one another, only
// the innermost one is written.
func (o *op) isOmitted(values twoValues, known *[2]bool) bool {
	if o.routine.kind == objectKind || o.fallback != nil {
		return false
	}
	var isSet [2]bool
	for i, v := range values {
		switch {
		case !v.IsValid():
		case o.routine.kind == arrayKind:
			isSet[i] = known[i] || o.isWritten(v)
			known[i] = isSet[i]
		default:
			isSet[i] = v.Len() > 0 || o.presence && !v.IsNil()
		}
	}
	return isSet[0] != isSet[1]
}

// unknownMembers pairs the unknown members of two objects. It is nil if the plan admits none.
func (d *differ) unknownMembers(s sides) *pairing {
	if s[0].node.Rest == nil {
		return nil
	}
	pairs := &pairing{}
	for i := range s {
		pairs.left[i] = d.program.whole.of(s[i].node).unknownMembers(&d.trail, s[i].value)
	}
	return pairs
}

// unknown compares those of the remaining unknown members whose names sort before name.
func (d *differ) unknown(n *routine, members *pairing, name string) {
	for members != nil && members.first() < name && members.next() {
		o := n.rest.unknown(*members.element())
		d.trail.Enter(o.step())
		from := origin{kind: OriginUnknown, depth: len(d.trail.Path)}
		d.leafMember(&o,
			sides{{node: o.field.Node, from: from}, {node: o.field.Node, from: from}}.with(members.values()))
		d.trail.Leave()
	}
}

// presence compares whether a member with the presence option is set.
func (d *differ) presence(o *op, s sides) {
	if old, updated := o.isPresent(s[0].value), o.isPresent(s[1].value); old != updated {
		var texts [2]string
		for i, isPresent := range [2]bool{old, updated} {
			if isPresent {
				texts[i] = emptyText(o.routine.plan.Kind, false)
			}
		}
		d.emit(s, texts)
	}
}

// sameMember reports whether two objects or collections, members of nodes with the same class, are
// found to be the same without a look into them, and have no faults. It is false for nil.
func (d *differ) sameMember(o *op, values twoValues) bool {
	before := valueOf(values[0])
	after := valueOf(values[1])
	areThere := exists(before) && exists(after)
	return areThere && !o.routine.kind.isLeaf() && d.isSame(o.routine, len(d.trail.Path)+1, before, after)
}

// sameElement is sameMember for elements.
func (d *differ) sameElement(n *fieldplan.Node, values twoValues) bool {
	before := valueOf(values[0])
	after := valueOf(values[1])
	return exists(before) && exists(after) && d.isSame(d.program.whole.of(n), len(d.trail.Path), before, after)
}

// isSame is [routine.isSame] for the part that is compared next, at a depth below the root. Of
// objects that differ it notes where, so that their first fields are not compared again. It leaves
// maps of strings to textMaps, which finds out in the same way.
func (d *differ) isSame(n *routine, depth int, before, after memory) bool {
	d.same = 0
	mayBeTooDeep := n.recursive || depth+n.height > MaxDepth
	switch {
	case mayBeTooDeep || n.kind == textMapKind:
		return false
	case n.kind != objectKind:
		return n.isSame(before, after)
	}
	same := n.sameMembers(before, after)
	if same == len(n.ops) {
		return true
	}
	d.same = same
	return false
}

// isWritten reports whether the document has a member, v behind any pointers.
func (o *op) isWritten(v reflect.Value) bool {
	r := start()
	defer r.end()
	r.hides = o.routine.plan.HidesBelow
	return r.member(o, valueOf(v), ',')
}

func (d *differ) leafMember(o *op, s sides) {
	var set [2]bool
	for i := range s {
		d.texts[i], set[i] = o.appendText(d.texts[i][:0], &d.trail, s[i].value)
		d.isSet[i] = d.isSet[i] || set[i]
	}
	if set[0] == set[1] && bytes.Equal(d.texts[0], d.texts[1]) {
		return
	}
	for i := range s {
		if !set[i] && o.isDefault(s[i].value) {
			d.texts[i] = append(d.texts[i], o.field.Default...)
		}
	}
	if d.emit(s, [2]string{string(d.texts[0]), string(d.texts[1])}) {
		d.changes[len(d.changes)-1].Omitted = d.partner && set[0] != set[1] && !o.hasDefault
	}
}

// isDefault reports whether a member that counts as unset, v behind any pointers, spells out its
// default.
func (o *op) isDefault(v reflect.Value) bool {
	m := valueOf(v)
	if !o.hasDefault || !exists(m) {
		return false
	}
	text, problem := appendLeaf(nil, o.routine, m)
	return problem == nil && bytes.Equal(text, o.field.Default)
}

// composite compares two objects or collections, either of which may be missing.
func (d *differ) composite(s sides, in *fieldplan.Node) {
	n := s[0].node
	d.within(n, s.values(), func() {
		switch {
		case !s.values().any().IsValid():
		case n.Kind == fieldplan.Object:
			d.fields(s, in)
		case n.Kind == fieldplan.Map, n.Pairing == fieldplan.ByKey:
			d.keyed(s)
		case n.Pairing == fieldplan.ByValue:
			d.sets(s)
		default:
			d.positions(s)
		}
	})
}

func (d *differ) keyed(s sides) {
	if d.textMaps(s) {
		return
	}
	old := s[0].node
	updated := s[1].node
	if d.overlays { // the result has the stricter class
		old = s.stricter().node
		updated = s.stricter().node
	}
	pairs := pairing{}
	isMap := old.Kind == fieldplan.Map
	if isMap {
		pairs.left[0] = d.program.whole.of(old).entries(&d.trail, s[0].value)
		pairs.left[1] = d.program.whole.of(updated).entries(&d.trail, s[1].value)
	} else {
		// Elements of one key are paired in their order among those of one class as projected, see [levels]:
		// the class by the stricter of both lists.
		strict := s.stricter().node
		pairs = d.program.pairsOf(&d.trail, strict, s.values(), func(elem reflect.Value) int {
			return int(d.program.levels.of(strict, valueOf(elem)))
		})
		if d.seeks {
			d.seek(strict, pairs.left[0], pairs.left[1])
		}
	}
	for moved := len(d.moved); pairs.next(); d.moved = d.moved[:moved] {
		if old := pairs.at[0]; old != nil && pairs.at[1] != nil {
			d.moved = append(d.moved, position{len(d.trail.Path), old.At})
		}
		step := pairs.element().Step(s[0].node)
		if !isMap {
			step.Places = pairs.places()
		}
		d.element(s, step, pairs.values(), s[0].node)
	}
}

func (d *differ) positions(s sides) {
	if n := s[0].node; n.Kind == fieldplan.Array {
		s[0].value = arrayOrZero(n, s[0].value)
		s[1].value = arrayOrZero(n, s[1].value)
	}
	for i := range max(length(s[0].value), length(s[1].value)) {
		d.element(s, fieldpath.Step{Kind: fieldpath.Index, At: i},
			twoValues{index(s[0].value, i), index(s[1].value, i)}, nil)
	}
}

// element compares a pair of elements of two collections. The collection in, if any, identifies its
// elements. If one element is missing, or one is null and the other empty, and no change below has the
// element's class or a stricter one, the element itself is reported as a change.
func (d *differ) element(collections sides, step fieldpath.Step, values twoValues, in *fieldplan.Node) {
	d.trail.Enter(step)
	defer d.trail.Leave()
	s := d.enterElements(collections, step, values)
	if s[0].node.Kind == fieldplan.Leaf {
		for i := range s {
			d.texts[i] = d.texts[i][:0]
			if s[i].value.IsValid() {
				d.texts[i] = d.program.AppendElement(d.texts[i], &d.trail, s[i].node, s[i].value)
			}
		}
		if !bytes.Equal(d.texts[0], d.texts[1]) {
			d.emit(s, [2]string{string(d.texts[0]), string(d.texts[1])})
		}
		return
	}
	if s[0].node == s[1].node && d.sameElement(s[0].node, values) {
		return
	}
	defer func(outer bool) { d.partner = outer }(d.partner)
	d.partner = d.partner && values[0].IsValid() && values[1].IsValid()
	shells := [2]string{d.shell(s[0]), d.shell(s[1])}
	start := len(d.changes)
	d.composite(s.with(s.values().deref()), in)
	class := s[0].node.Class.Stricter(s[1].node.Class)
	strictEnough := func(c Difference) bool { return c.Class.Stricter(class) == c.Class }
	isOwn := shells[0] != shells[1] && d.wants(s)
	if isOwn && (d.overlays || !slices.ContainsFunc(d.changes[start:], strictEnough)) {
		d.changes = slices.Insert(d.changes, start, d.change(s, shells))
	}
}

// shell is the text of an element without its content. It is empty for a missing element.
func (d *differ) shell(s side) string {
	if !s.value.IsValid() {
		return ""
	}
	return emptyText(s.node.Kind, d.program.whole.of(s.node).isNull(valueOf(s.value)))
}

// emit records a change, unless it is of a class that nobody asks for, and reports whether it did.
func (d *differ) emit(s sides, texts [2]string) bool {
	isWanted := d.wants(s)
	if isWanted {
		d.changes = append(d.changes, d.change(s, texts))
	}
	return isWanted
}

// wants reports whether a change of the current part is recorded.
func (d *differ) wants(s sides) bool { return d.only.Any(fieldplan.Of(s.stricter().node.Class)) }

// change is a change at the current path. If the sides have different classes, the stricter one
// counts.
func (d *differ) change(s sides, texts [2]string) Difference {
	strict := s.stricter()
	op := opOf(texts)
	c := Difference{
		Path: d.place(op), Op: op, Class: strict.node.Class, Old: texts[0], New: texts[1],
		Sensitive: strict.node.HidesBelow,
	}
	c.Origin, c.Source = strict.from.at(len(d.trail.Path))
	if c.Sensitive {
		c.Old = ""
		c.New = ""
	}
	return c
}

// place returns the current path: in the old value for removals, otherwise in the new value.
func (d *differ) place(op Op) fieldpath.Place {
	last := len(d.trail.Path) - 1
	if op == OpRemove && len(d.moved) > 0 {
		path := slices.Clone(d.trail.Path)
		for _, m := range d.moved {
			path[m.depth].At = m.at
		}
		return fieldpath.Place{Above: path[:last], Last: path[last]}
	}
	return fieldpath.Place{Above: d.shared(d.trail.Path[:last]), Last: d.trail.Path[last]}
}

// shared returns a copy of a path that shares memory with those of former places: with one that begins
// with it, or that it begins with. So places on every level of a value need memory for one path.
func (d *differ) shared(path fieldpath.Path) fieldpath.Path {
	common := min(len(path), len(d.above))
	switch {
	case !slices.Equal(d.above[:common], path[:common]):
		d.above = slices.Clone(path)
	case len(path) > common:
		d.above = append(d.above, path[common:]...) // behind all that is shared
	}
	return d.above[:len(path):len(path)]
}

func opOf(texts [2]string) Op {
	switch {
	case texts[0] == "":
		return OpAdd
	case texts[1] == "":
		return OpRemove
	default:
		return OpReplace
	}
}

// Op is what happened to a leaf.
type Op string

// The operations.
const (
	OpReplace Op = "replace"
	OpAdd     Op = "add"
	OpRemove  Op = "remove"
)

// Origin says where the class of a change comes from.
type Origin string

// The origins.
const (
	OriginDefault   Origin = "default"        // no struct tag anywhere above
	OriginStructTag Origin = "struct tag"     // the field's own
	OriginInherited Origin = "inherited"      // the struct tag or override of a field above
	OriginOverride  Origin = "override"       // an override of this field
	OriginHotWhen   Origin = "hotwhen"        // the element's selector
	OriginUnknown   Origin = "unknown member" // the plan does not know the member
)

// Difference is a leaf that differs.
type Difference struct {
	Path      fieldpath.Place
	Op        Op
	Class     structtag.Class
	Origin    Origin
	Source    string // Go field or override that declares the class; empty for Default
	Old, New  string // canonical text; empty where absent or hidden
	Sensitive bool
	Omitted   bool // one side leaves the field, or the list or map around it, to a default that is not declared
}
