package schemadiff

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Compare lists the differences between two plans, sorted by path. Plans that differ in Go names, in the order of their fields, and in
// what only people see do not differ.
func Compare(old, updated *fieldplan.Plan) []Finding {
	d := &differ{open: map[pair]bool{}}
	d.typeMeta(old, updated)
	d.unknownMembers(old, updated)
	told := len(d.findings)
	d.object(pair{old.Root, updated.Root}, spot{certain: true})
	d.withoutTold(told)
	return d.sorted()
}

// withoutTold drops what has been told about type meta already: that its members came or went as fields.
func (d *differ) withoutTold(told int) {
	first := slices.Clone(d.findings[:told])
	d.findings = slices.DeleteFunc(d.findings, func(f Finding) bool {
		return f.Kind != TypeMetaChanged && slices.ContainsFunc(first, func(t Finding) bool { return t.Kind == TypeMetaChanged && t.Path == f.Path })
	})
}

// pair is a node of each plan in the same place.
type pair struct{ old, updated *fieldplan.Node }

// spot is where the comparison stands.
type spot struct {
	path     string
	whileHot bool
	certain  bool // what is certain for one element is so for the whole
	// covered is a change of class that has been reported above, if reported.
	reported bool
	covered  [2]structtag.Class
}

type differ struct {
	findings []Finding
	open     map[pair]bool
}

func (s spot) member(name string) spot {
	var b strings.Builder
	b.WriteString(s.path)
	fieldpath.WriteMember(&b, name)
	s.path = b.String()
	return s
}

func (s spot) elements() spot {
	s.path += "[]"
	return s
}

// ofLeaves is the spot of two leaves. Of different kinds they may say the same or not.
func (s spot) ofLeaves(p pair) spot {
	s.certain = s.certain && (kindName(p.old) == kindName(p.updated) || isInteger(p.old) && isInteger(p.updated))
	return s
}

// add records a finding; what is certain about one of several elements that may be hot or be counted once is only possible.
func (d *differ) add(s spot, f Finding) {
	if f.Path == "" {
		f.Path = s.path
	}
	f.WhileHot = s.whileHot
	if !s.certain && f.Hash.Effect == Certain {
		f.Hash.Effect = Possible
	}
	d.findings = append(d.findings, f)
}

// sorted brings the findings into the order of their paths. Of findings that say the same about elements that are hot and about others,
// the graver stays.
func (d *differ) sorted() []Finding {
	slices.SortStableFunc(d.findings, func(a, b Finding) int {
		switch {
		case a.Path != b.Path:
			return strings.Compare(a.Path, b.Path)
		case a.Kind != b.Kind:
			return int(a.Kind) - int(b.Kind)
		}
		return int(b.Hash.Effect) - int(a.Hash.Effect)
	})
	return slices.CompactFunc(d.findings, func(a, b Finding) bool {
		return a.Path == b.Path && a.Kind == b.Kind && a.Old == b.Old && a.New == b.New && a.To == b.To
	})
}

// typeMeta compares what is left out of the root.
func (d *differ) typeMeta(old, updated *fieldplan.Plan) {
	for _, f := range old.Meta {
		now := updated.Root.Lookup(f.Name)
		switch {
		case slices.ContainsFunc(updated.Meta, func(m *fieldplan.Field) bool { return m.Name == f.Name }):
		case now == nil:
			d.add(spot{path: f.Name, certain: true}, Finding{Kind: TypeMetaChanged, Old: "type meta", New: "no field", Reading: Claim{Certain, Spelled}})
		default:
			d.add(spot{path: f.Name}, Finding{
				Kind: TypeMetaChanged, Old: "type meta", New: "a field", NewClass: now.Node.Class, Hash: ifKept(now.Classes(), Claim{Possible, Set}), Reading: Claim{Possible, Spelled},
			})
		}
	}
	for _, f := range updated.Meta {
		if was := old.Root.Lookup(f.Name); was != nil {
			d.add(spot{path: f.Name}, Finding{
				Kind: TypeMetaChanged, Old: "a field", New: "type meta", OldClass: was.Node.Class, Hash: ifKept(was.Classes(), Claim{Possible, Set}), Reading: Claim{Possible, Spelled},
			})
		}
	}
}

// unknownMembers compares what becomes of members that the plans do not know.
func (d *differ) unknownMembers(old, updated *fieldplan.Plan) {
	const refused, admitted = "an error", "immutable"
	switch {
	case old.Open && !updated.Open:
		d.add(spot{path: "*", certain: true}, Finding{Kind: UnknownMembersChanged, Old: admitted, New: refused, Reading: Claim{Certain, Spelled}})
	case !old.Open && updated.Open:
		d.add(spot{path: "*", certain: true}, Finding{Kind: UnknownMembersChanged, Old: refused, New: admitted})
	}
}

// ifKept is the claim if something of these classes is in the hash.
func ifKept(classes fieldplan.ClassSet, c Claim) Claim {
	if classes.Any(fieldplan.Kept) {
		return c
	}
	return Claim{}
}

// object compares the fields of two objects.
func (d *differ) object(p pair, s spot) {
	var removed, added []*fieldplan.Field
	for _, f := range p.old.Fields {
		if now := p.updated.Lookup(f.Name); now != nil {
			d.field(p, f, now, s.member(f.Name))
		} else {
			removed = append(removed, f)
		}
	}
	for _, f := range p.updated.Fields {
		if p.old.Lookup(f.Name) == nil {
			added = append(added, f)
		}
	}
	d.gone(p, removed, added, s)
}

// gone reports fields that came and went. Where unknown members are admitted, a field that came may have been one, and one that went is
// one.
func (d *differ) gone(p pair, removed, added []*fieldplan.Field, s spot) {
	renamed := renames(removed, added)
	for _, f := range removed {
		finding := Finding{Kind: FieldRemoved, Old: describe(f.Node), OldClass: f.Node.Class, Reading: Claim{Certain, Spelled}}
		if p.updated.Rest != nil {
			finding.Hash, finding.Reading = Claim{Possible, Set}, Claim{}
		}
		if to := renamed[f]; to != nil {
			finding.Kind, finding.New, finding.NewClass, finding.To = FieldRenamed, describe(to.Node), to.Node.Class, s.member(to.Name).path
			added = slices.DeleteFunc(added, func(a *fieldplan.Field) bool { return a == to })
		}
		d.add(s.member(f.Name), finding)
	}
	for _, f := range added {
		finding := Finding{Kind: FieldAdded, New: describe(f.Node), NewClass: f.Node.Class}
		if p.old.Rest != nil {
			finding.Hash, finding.Reading = Claim{Possible, Set}, Claim{Possible, Set}
		}
		d.add(s.member(f.Name), finding)
	}
}

// field compares two fields of one name. The elements in which they stand are found or selected by identity fields, which are always
// written.
func (d *differ) field(in pair, old, updated *fieldplan.Field, s spot) {
	p := pair{old.Node, updated.Node}
	if p.old.Kind != p.updated.Kind {
		d.add(s, Finding{
			Kind: ShapeChanged, Old: describe(p.old), New: describe(p.updated), OldClass: p.old.Class, NewClass: p.updated.Class,
			Hash: ifKept(old.Classes()|updated.Classes(), Claim{Possible, Set}), Reading: Claim{Possible, Spelled}, // not every leaf can be null
		})
		return
	}
	s = d.class(p, old.Classes(), updated.Classes(), s)
	identity := in.old.Identity(old) || in.updated.Identity(updated)
	if p.old.Kind == fieldplan.Leaf {
		d.unset(old, updated, identity, s.ofLeaves(p))
	} else {
		d.presence(old, updated, s)
	}
	d.quoted(old, updated, s)
	d.sensitive(p, s)
	d.node(p, s)
}

// class compares the classes of two nodes and returns the spot below them.
func (d *differ) class(p pair, before, now fieldplan.ClassSet, s spot) spot {
	change := [2]structtag.Class{p.old.Class, p.updated.Class}
	switch {
	case change[0] == change[1]:
		s.reported = false
		return s
	case s.reported && s.covered == change:
		return s
	}
	d.add(s, Finding{
		Kind: ClassChanged, Old: change[0].String(), New: change[1].String(), OldClass: change[0], NewClass: change[1], Hash: classClaim(change, before, now),
	})
	s.reported, s.covered = true, change
	return s
}

// classClaim says what a change of class does to the hash of who says something there.
func classClaim(change [2]structtag.Class, before, now fieldplan.ClassSet) Claim {
	switch was, is := fieldplan.IsKept(change[0]), fieldplan.IsKept(change[1]); {
	case was == is:
		return Claim{}
	case was && !before.Any(fieldplan.Dropped) && !now.Any(fieldplan.Kept), is && !before.Any(fieldplan.Kept) && !now.Any(fieldplan.Dropped):
		return Claim{Certain, Said}
	}
	return Claim{Possible, Said}
}

// unset compares which values of a leaf count as unset.
func (d *differ) unset(old, updated *fieldplan.Field, identity bool, s spot) {
	kept := fieldplan.IsKept(old.Node.Class) && fieldplan.IsKept(updated.Node.Class) && !identity
	differs := func(text []byte) bool { return kept && text != nil && old.Unset(text) != updated.Unset(text) }
	claim := func(where Where, texts ...[]byte) Claim {
		if slices.ContainsFunc(texts, differs) {
			return Claim{Certain, where}
		}
		return Claim{}
	}
	if old.Pointer != updated.Pointer || !old.Pointer && !bytes.Equal(old.Zero, updated.Zero) && kindName(old.Node) == kindName(updated.Node) {
		f := Finding{
			Kind: NullabilityChanged, Old: nullability(old), New: nullability(updated), OldClass: old.Node.Class, NewClass: updated.Node.Class,
			Hash: claim(Zero, old.Zero, updated.Zero),
		}
		if old.Pointer && !updated.Pointer && refusesNull(updated.Node) {
			f.Reading = Claim{Possible, Spelled}
		}
		d.add(s, f)
	}
	if !bytes.Equal(old.Default, updated.Default) {
		d.add(s, Finding{
			Kind: DefaultChanged, Old: defaultText(old), New: defaultText(updated), OldClass: old.Node.Class, NewClass: updated.Node.Class,
			Hash: claim(Default, old.Default, updated.Default),
		})
	}
}

// refusesNull reports whether null may be an error for a leaf that is no pointer.
func refusesNull(n *fieldplan.Node) bool {
	return n.Kind == fieldplan.Leaf && (n.Leaf == leaf.Duration || n.Leaf.MarshalsItself() || n.Leaf == leaf.Opaque)
}

func nullability(f *fieldplan.Field) string {
	if f.Pointer {
		return "a pointer"
	}
	return "a value"
}

// defaultText shows a default, which is part of the source code, unless the field is sensitive.
func defaultText(f *fieldplan.Field) string {
	switch {
	case f.Default == nil:
		return "none"
	case f.Node.HidesValues():
		return fieldpath.Hidden
	}
	return string(f.Default)
}

// presence compares whether an empty object says something.
func (d *differ) presence(old, updated *fieldplan.Field, s spot) {
	if old.Pointer != updated.Pointer {
		f := Finding{Kind: NullabilityChanged, Old: nullability(old), New: nullability(updated), OldClass: old.Node.Class, NewClass: updated.Node.Class}
		if old.Node.Kind == fieldplan.Array {
			f.Hash = ifKept(old.Classes()|updated.Classes(), Claim{Possible, Set})
		}
		d.add(s, f)
	}
	was, is := old.KeepsPresence(), updated.KeepsPresence()
	if was == is && old.Presence == updated.Presence {
		return
	}
	f := Finding{Kind: PresenceChanged, Old: "means nothing", New: "means something", OldClass: old.Node.Class, NewClass: updated.Node.Class}
	if was {
		f.Old = "means something"
	}
	if !is {
		f.New = "means nothing"
	}
	if was != is && (fieldplan.IsKept(old.Node.Class) || fieldplan.IsKept(updated.Node.Class)) {
		f.Hash = Claim{Possible, EmptyObject}
		if fieldplan.IsKept(old.Node.Class) && fieldplan.IsKept(updated.Node.Class) {
			f.Hash.Effect = Certain
		}
	}
	d.add(s, f)
}

// quoted compares whether scalars are spelled as strings.
func (d *differ) quoted(old, updated *fieldplan.Field, s spot) {
	if old.Quoted == updated.Quoted {
		return
	}
	f := Finding{
		Kind: SpellingChanged, Old: spelling(old), New: spelling(updated), OldClass: old.Node.Class, NewClass: updated.Node.Class,
		Hash: ifKept(old.Classes()|updated.Classes(), Claim{Possible, Set}), Reading: Claim{Possible, Set},
	}
	d.add(s, f)
}

func spelling(f *fieldplan.Field) string {
	if f.Quoted {
		return "a string of " + describe(f.Node)
	}
	return describe(f.Node)
}

func (d *differ) sensitive(p pair, s spot) {
	if p.old.Sensitive != p.updated.Sensitive {
		d.add(s, Finding{
			Kind: SensitivityChanged, Old: secrecy(p.old), New: secrecy(p.updated), OldClass: p.old.Class, NewClass: p.updated.Class,
		})
	}
}

func secrecy(n *fieldplan.Node) string {
	if n.Sensitive == structtag.Shown {
		return "shown"
	}
	return n.Sensitive.String()
}

// node compares two nodes of one kind.
func (d *differ) node(p pair, s spot) {
	if d.open[p] {
		return
	}
	d.open[p] = true
	defer delete(d.open, p)
	switch p.old.Kind {
	case fieldplan.Leaf:
		d.leaf(p, s)
	case fieldplan.Object:
		d.object(p, s)
	case fieldplan.Array:
		if a, b := p.old.Type.Len(), p.updated.Type.Len(); a != b {
			d.add(s, d.possible(p, LengthChanged, strconv.Itoa(a), strconv.Itoa(b), Set))
		}
		d.element(p, s)
	case fieldplan.Map:
		d.mapKeys(p, s)
		d.collection(p, s)
	case fieldplan.List:
		d.collection(p, s)
	}
}

// possible is a finding whose consequences depend on the values.
func (d *differ) possible(p pair, kind Kind, old, updated string, where Where) Finding {
	return Finding{
		Kind: kind, Old: old, New: updated, OldClass: p.old.Class, NewClass: p.updated.Class,
		Hash: ifKept(p.old.Classes|p.updated.Classes, Claim{Possible, where}), Reading: Claim{Possible, where},
	}
}

// leaf compares what kind of leaf it is. Integers of any width mean the same.
func (d *differ) leaf(p pair, s spot) {
	before, now := kindName(p.old), kindName(p.updated)
	switch {
	case isInteger(p.old) && isInteger(p.updated):
		d.width(s, p, p.old.Type, p.updated.Type, describe(p.old), describe(p.updated))
	case before != now:
		f := d.possible(p, LeafChanged, describe(p.old), describe(p.updated), Set)
		f.Reading.Where = Spelled // not every leaf can be null
		d.add(s, f)
	case p.old.Leaf == leaf.Float && p.old.Type.Bits() != p.updated.Type.Bits():
		d.add(s, d.possible(p, WidthChanged, describe(p.old), describe(p.updated), Set))
	}
}

// width compares the ranges of integers.
func (d *differ) width(s spot, p pair, old, updated reflect.Type, was, is string) {
	if was == is {
		return
	}
	f := Finding{Kind: WidthChanged, Old: was, New: is, OldClass: p.old.Class, NewClass: p.updated.Class}
	if !holds(updated, old) {
		f.Reading = Claim{Possible, Set}
	}
	d.add(s, f)
}

// holds reports whether every integer of type narrow is one of type wide.
func holds(wide, narrow reflect.Type) bool {
	signed := func(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64 }
	switch {
	case signed(wide) == signed(narrow):
		return bitsOf(wide) >= bitsOf(narrow)
	default:
		return signed(wide) && bitsOf(wide) > bitsOf(narrow)
	}
}

// mapKeys compares the keys of maps.
func (d *differ) mapKeys(p pair, s spot) {
	old, updated := p.old.Type.Key(), p.updated.Type.Key()
	was, is := keyName(old), keyName(updated)
	switch {
	case was == is:
	case was != kindString && is != kindString:
		f := Finding{Kind: MapKeyChanged, Old: was, New: is, OldClass: p.old.Class, NewClass: p.updated.Class}
		if !holds(updated, old) {
			f.Reading = Claim{Possible, Elements}
		}
		d.add(s, f)
	default:
		d.add(s, d.possible(p, MapKeyChanged, was, is, Elements))
	}
}

// collection compares how elements are paired and selected, and the elements.
func (d *differ) collection(p pair, s spot) {
	if was, is := pairing(p.old), pairing(p.updated); was != is {
		f := d.possible(p, PairingChanged, was, is, Elements)
		if p.updated.Pairing != fieldplan.ByKey {
			f.Reading = Claim{}
		}
		d.add(s, f)
	}
	if was, is := hotWhen(p.old), hotWhen(p.updated); was != is {
		f := d.possible(p, HotWhenChanged, was, is, Elements)
		f.Reading = Claim{}
		d.add(s, f)
	}
	d.element(p, s)
}

// element compares the elements of two collections.
func (d *differ) element(p pair, s spot) {
	s = s.elements()
	if p.old.Pairing == fieldplan.ByValue || p.updated.Pairing == fieldplan.ByValue || p.old.When != nil || p.updated.When != nil {
		s.certain = false
	}
	d.elements(p, pair{p.old.Elem, p.updated.Elem}, s)
	if p.old.When != nil && p.updated.When != nil {
		s.whileHot = true
		d.elements(p, pair{p.old.When.Hot, p.updated.When.Hot}, s)
	}
}

func (d *differ) elements(in, p pair, s spot) {
	if p.old.Kind != p.updated.Kind {
		d.add(s, d.possible(p, ShapeChanged, describe(p.old), describe(p.updated), Set))
		return
	}
	s = d.class(p, p.old.Classes, p.updated.Classes, s)
	d.elementNull(in, p, s)
	d.sensitive(p, s)
	d.node(p, s)
}

// elementNull compares whether null elements are zero or nil.
func (d *differ) elementNull(in, p pair, s spot) {
	if in.old.ElemPointer == in.updated.ElemPointer {
		return
	}
	f := Finding{
		Kind: ElementNullabilityChanged, Old: elemNullability(in.old), New: elemNullability(in.updated), OldClass: p.old.Class, NewClass: p.updated.Class,
	}
	if in.old.ElemPointer && refusesNull(p.updated) {
		f.Reading = Claim{Possible, NullElement}
	}
	switch zero, _ := leaf.Append(nil, p.old.Leaf, reflect.Zero(p.old.Type)); {
	case p.old.Kind == fieldplan.Leaf && string(zero) == leaf.Null:
	case in.old.Kind == fieldplan.Array:
		f.Hash = ifKept(in.old.Classes|in.updated.Classes, Claim{Possible, Set})
	case p.old.Kind == fieldplan.Leaf && fieldplan.IsKept(p.old.Class) && fieldplan.IsKept(p.updated.Class):
		f.Hash = Claim{Certain, NullElement}
	case p.old.Kind == fieldplan.Object && in.old.Pairing != fieldplan.ByKey && in.old.When == nil && in.old.Kind != fieldplan.Map:
	default:
		f.Hash = ifKept(in.old.Classes|in.updated.Classes, Claim{Possible, NullElement})
	}
	d.add(s, f)
}

func elemNullability(n *fieldplan.Node) string {
	if n.ElemPointer {
		return "pointers"
	}
	return "values"
}
