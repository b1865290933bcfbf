package engine

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Diff lists the differences between two values of the plan's type in the order of their paths. The zero reflect.Value and nil
// pointers are the empty configuration.
func Diff(p *fieldplan.Plan, old, updated reflect.Value) ([]Change, error) {
	compiled := Of(p)
	if compiled.SameWhole(old, updated) {
		return nil, nil
	}
	d := differs.Get().(*differ)
	defer d.release()
	d.program, d.partner = compiled, true
	oldRoot, _ := Deref(old)
	newRoot, _ := Deref(updated)
	d.composite(side{node: p.Root, value: oldRoot}, side{node: p.Root, value: newRoot}, nil)
	if err := d.trail.Err(); err != nil {
		return nil, err
	}
	return d.changes, nil
}

// differ walks two values side by side, and leaves out what the program finds to be the same.
type differ struct {
	program *Program
	entries []textEntry // scratch for the map at hand

	trail   Trail
	above   [2]Ancestors // of the old and of the new value
	moved   []position   // of elements that were paired by key
	changes []Change
	texts   [2][]byte // scratch for the leaf at hand
	partner bool      // false inside an element that has none on the other side
}

// position is where an element of a keyed list stands in the old list; the trail says where it stands in the new one.
type position struct{ depth, at int }

// side is the old or the new half of a pair. Its node says which class the value has on that side; the zero value is not there.
type side struct {
	node  *fieldplan.Node
	value reflect.Value
	from  origin
}

// origin is the nearest declaration of a class, and how deep it stands.
type origin struct {
	kind   Origin
	source string
	depth  int
}

// at turns the nearest declaration into what a change at this depth reports.
func (o origin) at(depth int) (Origin, string) {
	if o.depth != depth && (o.kind == OriginStructTag || o.kind == OriginOverride) {
		return OriginInherited, o.source
	}
	return o.kind, o.source
}

// enterField returns the side of a field of s.
func (d *differ) enterField(s side, f *fieldplan.Field) side {
	child := side{node: f.Node, value: Member(s.value, f), from: s.from}
	switch f.Declared {
	case fieldplan.StructTag:
		child.from = origin{OriginStructTag, f.Source, len(d.trail.Path)}
	case fieldplan.Overridden:
		child.from = origin{OriginOverride, f.Source, len(d.trail.Path)}
	case fieldplan.Inherited:
	}
	return child
}

// enterElement returns the side of an element of collection s, whose node depends on the element where hotwhen is declared.
func (d *differ) enterElement(s side, elem reflect.Value) side {
	child := side{node: ElementNode(s.node, elem), value: elem, from: s.from}
	if child.node != s.node.Elem {
		child.from = origin{OriginHotWhen, s.node.When.Source, len(d.trail.Path)}
	}
	return child
}

// fields compares two objects member by member. Both nodes describe one Go type, so their fields correspond. The collection that
// the objects are elements of names the key, by which they were paired.
func (d *differ) fields(old, updated side, in *fieldplan.Node) {
	unknown := d.unknownMembers(old, updated)
	for i, f := range old.node.Fields {
		unknown.before(f.Name)
		if in != nil && in.Key != nil && in.Key.Name == f.Name {
			continue
		}
		d.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		before, after := d.enterField(old, f), d.enterField(updated, updated.node.Fields[i])
		if in != nil && in.Identity(f) {
			before, after = selectorOf(in, old, before), selectorOf(in, updated, after)
		}
		d.member(f, before, after)
		d.trail.Leave()
	}
	unknown.left()
}

// selectorOf returns the side of an element's selector. In an element that it makes hot, the selector is as hot as the rest, whatever its
// own struct tag says: it comes and goes with the element.
func selectorOf(in *fieldplan.Node, elem, child side) side {
	if elem.node == in.When.Hot {
		hot := *child.node
		hot.Class = elem.node.Class
		child.node, child.from = &hot, elem.from
	}
	return child
}

func (d *differ) member(f *fieldplan.Field, old, updated side) {
	if f.Node.Kind == fieldplan.Leaf {
		d.leafMember(f, old, updated)
		return
	}
	if d.same(old, updated) {
		return
	}
	var oldSet, newSet bool
	old.value, oldSet = Deref(old.value)
	updated.value, newSet = Deref(updated.value)
	if f.KeepsPresence() && oldSet != newSet {
		d.emit(old, updated, presence[oldSet], presence[newSet])
	}
	d.composite(old, updated, nil)
}

// same reports whether two values are there and equal, certainly. Where the sides disagree on the class, null can mean two things.
func (d *differ) same(old, updated side) bool {
	return old.node == updated.node && d.program.SameBelow(old.node, len(d.trail.Path), old.value, updated.value)
}

// presence is the text of an object of which only the presence matters.
var presence = map[bool]string{true: "{}"}

func (d *differ) leafMember(f *fieldplan.Field, old, updated side) {
	oldText, oldSet := MemberText(&d.trail, d.texts[0][:0], f, old.value)
	newText, newSet := MemberText(&d.trail, d.texts[1][:0], f, updated.value)
	d.texts = [2][]byte{oldText, newText}
	if oldSet != newSet || !bytes.Equal(oldText, newText) {
		d.emit(old, updated, string(oldText), string(newText))
		d.changes[len(d.changes)-1].Omitted = d.partner && oldSet != newSet && f.Default == nil
	}
}

// composite compares two values that are no leaves, either of which may be missing.
func (d *differ) composite(old, updated side, in *fieldplan.Node) {
	if !old.value.IsValid() && !updated.value.IsValid() {
		return
	}
	defer d.leave(len(d.above[0]), len(d.above[1]))
	for i, s := range [2]side{old, updated} {
		if s.value.IsValid() && !d.trail.Visit(&d.above[i], s.node, s.value) {
			return
		}
	}
	switch n := old.node; {
	case n.Kind == fieldplan.Object:
		d.fields(old, updated, in)
	case n.Kind == fieldplan.Map, n.Pairing == fieldplan.ByKey:
		d.keyed(old, updated)
	case n.Kind == fieldplan.Array:
		d.array(old, updated)
	case n.Pairing == fieldplan.ByValue:
		d.sets(old, updated)
	default:
		d.positions(old, updated)
	}
}

func (d *differ) leave(old, updated int) {
	d.above[0], d.above[1] = d.above[0][:old], d.above[1][:updated]
}

// keyed compares maps and keyed lists by merging their sorted keys.
func (d *differ) keyed(old, updated side) {
	n := old.node
	if d.textMaps(old, updated) {
		return
	}
	before, after := Elements(&d.trail, n, old.value), Elements(&d.trail, updated.node, updated.value)
	for len(before) > 0 || len(after) > 0 {
		switch order := compareHeads(before, after); {
		case order < 0:
			d.element(old, updated, before[0].Step(n), before[0].Value, reflect.Value{}, n)
			before = before[1:]
		case order > 0:
			d.element(old, updated, after[0].Step(n), reflect.Value{}, after[0].Value, n)
			after = after[1:]
		default:
			d.moved = append(d.moved, position{len(d.trail.Path), before[0].At})
			d.element(old, updated, after[0].Step(n), before[0].Value, after[0].Value, n)
			d.moved = d.moved[:len(d.moved)-1]
			before, after = before[1:], after[1:]
		}
	}
}

func compareHeads(a, b []Element) int {
	switch {
	case len(b) == 0:
		return -1
	case len(a) == 0:
		return +1
	default:
		return CompareKeys(a[0], b[0])
	}
}

// positions compares lists place by place.
func (d *differ) positions(old, updated side) {
	for i := range max(length(old.value), length(updated.value)) {
		d.element(old, updated, fieldpath.Step{Kind: fieldpath.Index, At: i}, index(old.value, i), index(updated.value, i), nil)
	}
}

func length(list reflect.Value) int {
	if !list.IsValid() {
		return 0
	}
	return list.Len()
}

// index returns the element at i, or nothing beyond the end.
func index(list reflect.Value, i int) reflect.Value {
	if i >= length(list) {
		return reflect.Value{}
	}
	return list.Index(i)
}

// array compares arrays. A missing one says what the zero array says.
func (d *differ) array(old, updated side) {
	for _, s := range []*side{&old, &updated} {
		if !s.value.IsValid() {
			s.value = reflect.New(s.node.Type).Elem()
		}
	}
	d.positions(old, updated)
}

// element compares one element, which may be missing on one side, of two collections.
func (d *differ) element(old, updated side, step fieldpath.Step, before, after reflect.Value, in *fieldplan.Node) {
	d.trail.Enter(step)
	defer d.trail.Leave()
	oldElem, newElem := d.enterElement(old, before), d.enterElement(updated, after)
	// A missing element has no class of its own.
	if !before.IsValid() {
		oldElem.node, oldElem.from = newElem.node, newElem.from
	}
	if !after.IsValid() {
		newElem.node, newElem.from = oldElem.node, oldElem.from
	}
	if oldElem.node.Kind == fieldplan.Leaf {
		d.leafElement(oldElem, newElem)
		return
	}
	if d.same(oldElem, newElem) {
		return
	}
	defer func(outer bool) { d.partner = outer }(d.partner)
	d.partner = d.partner && before.IsValid() && after.IsValid()
	d.compositeElement(oldElem, newElem, in)
}

func (d *differ) leafElement(old, updated side) {
	d.texts = [2][]byte{d.elementText(d.texts[0], old), d.elementText(d.texts[1], updated)}
	if !bytes.Equal(d.texts[0], d.texts[1]) {
		d.emit(old, updated, string(d.texts[0]), string(d.texts[1]))
	}
}

// elementText writes the text of a leaf over scratch; a missing one has none.
func (d *differ) elementText(scratch []byte, s side) []byte {
	if !s.value.IsValid() {
		return scratch[:0]
	}
	return ElementText(&d.trail, scratch[:0], s.node, s.value)
}

// compositeElement compares what two elements hold. Where the presence of an element, or null against empty, shows in no change
// below that is strict enough, the element itself is the change.
func (d *differ) compositeElement(old, updated side, in *fieldplan.Node) {
	oldText, newText := d.shell(old), d.shell(updated)
	start := len(d.changes)
	inside := [2]side{old, updated}
	inside[0].value, _ = Deref(old.value)
	inside[1].value, _ = Deref(updated.value)
	d.composite(inside[0], inside[1], in)
	class := old.node.Class.Stricter(updated.node.Class)
	strictEnough := func(c Change) bool { return c.Class.Stricter(class) == c.Class }
	if oldText != newText && !slices.ContainsFunc(d.changes[start:], strictEnough) {
		below := slices.Clone(d.changes[start:])
		d.changes = d.changes[:start]
		d.emit(old, updated, oldText, newText)
		d.changes = append(d.changes, below...)
	}
}

// shell is the text of an element without its content: empty if it is missing.
func (d *differ) shell(s side) string {
	switch {
	case !s.value.IsValid():
		return ""
	case s.node.Kind == fieldplan.Object || s.node.Kind == fieldplan.Map:
		return "{}"
	case IsNull(s.node, s.value):
		return "null"
	default:
		return "[]"
	}
}

// emit records a change at the current path. Where the sides disagree on the class, the stricter one counts.
func (d *differ) emit(old, updated side, oldText, newText string) {
	strict := updated
	if old.node.Class != updated.node.Class && old.node.Class.Stricter(updated.node.Class) == old.node.Class {
		strict = old
	}
	c := Change{
		Path: d.path(opOf(oldText, newText)), Op: opOf(oldText, newText), Class: strict.node.Class,
		Old: oldText, New: newText, Sensitive: strict.node.HidesBelow,
	}
	c.Origin, c.Source = strict.from.at(len(d.trail.Path))
	if c.Sensitive {
		c.Old, c.New = "", ""
	}
	d.changes = append(d.changes, c)
}

// path returns the current path: in the old value for removals, otherwise in the new one.
func (d *differ) path(op Op) fieldpath.Path {
	path := slices.Clone(d.trail.Path)
	if op == OpRemove {
		for _, m := range d.moved {
			path[m.depth].At = m.at
		}
	}
	return path
}

func opOf(oldText, newText string) Op {
	switch {
	case oldText == "":
		return OpAdd
	case newText == "":
		return OpRemove
	default:
		return OpReplace
	}
}
