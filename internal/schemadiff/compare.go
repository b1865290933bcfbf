package schemadiff

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/schemajson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Compare lists the differences between two plans, sorted by path. Go names, the order of Go
// fields, and texts that only people read make no difference.
func Compare(old, updated *fieldplan.Plan) []Finding {
	d := &comparer{
		plans: [2]*fieldplan.Plan{old, updated}, open: map[twoNodes]bool{},
		defaults: [2]map[*fieldplan.Field][]byte{engine.Of(old).Defaults(), engine.Of(updated).Defaults()},
	}
	if old.Open != updated.Open {
		f := Finding{Kind: "UnknownMembersChanged", Old: unknownMembers(old.Open), New: unknownMembers(updated.Open)}
		if old.Open {
			f.Forbidden = every(whereNamed)
		}
		d.add(location{path: "*"}, f)
	}
	d.object(twoNodes{rootOf(old), rootOf(updated)}, location{certain: true})
	d.addMoved()
	return d.shown(sorted(d.findings))
}

// shown hides in the paths of findings what one of the plans hides.
func (d *comparer) shown(findings []Finding) []Finding {
	for i := range findings {
		f := &findings[i]
		f.at = f.Path
		f.Path = d.shownPath(f.at)
		if f.Kind == fieldRenamed {
			f.New = d.shownPath(f.New)
		}
	}
	return findings
}

// shownPath is a path through both plans, as it may be shown.
func (d *comparer) shownPath(path string) string {
	shown := ""
	nodes := []*fieldplan.Node{d.plans[0].Root, d.plans[1].Root}
	for _, step := range stepsOf(path) {
		isHidden := false
		isKey := false
		for i, n := range nodes {
			if n != nil && n.Kind == fieldplan.Map && !step.Element {
				isKey = true
				isHidden = isHidden || n.Step(fieldpath.Step{Kind: fieldpath.MapKey}).Hidden
				nodes[i] = entryFor(n, step.Name)
			} else {
				nodes[i] = below(n, step)
			}
		}
		switch {
		case isHidden:
			shown += "[" + fieldpath.Hidden + "]"
		case isKey:
			shown = fieldpath.Key(shown, step.Name)
		default:
			shown = step.After(shown)
		}
	}
	return shown
}

// twoNodes is a node of each plan with the same path.
type twoNodes struct{ old, updated *fieldplan.Node }

// areHashed reports whether both nodes themselves are hashed.
func (p twoNodes) areHashed() bool {
	return fieldplan.IsProjected(p.old.Class) && fieldplan.IsProjected(p.updated.Class)
}

func (p twoNodes) classes() fieldplan.ClassSet { return p.old.Classes | p.updated.Classes }

// ifHashed is the effect on some configurations if one of the classes is hashed.
func ifHashed(classes fieldplan.ClassSet, where string) Effect {
	if classes.Any(fieldplan.Projected) {
		return some(where)
	}
	return none
}

// location is the current part of the comparison.
type location struct {
	path     string
	whileHot bool     // in elements that hotwhen makes hot
	certain  bool     // an effect on one element is certain for the whole
	filled   bool     // an element of an array that is itself an element: written even if JSON lacks it
	in       twoNodes // the collections of which this is an element, or nil
	// beside are the classes of the collections whose elements this field identifies. The field is
	// hashed if one of these classes is.
	beside fieldplan.ClassSet
	// covered is the change of class that a finding about a field above reports; two equal classes if
	// there is none.
	covered [2]structtag.Class
	others  otherKeys
}

func (s location) member(name string) location {
	s.path = fieldpath.Join(s.path, name)
	s.in = twoNodes{}
	s.beside = 0
	s.filled = false
	return s
}

type comparer struct {
	plans    [2]*fieldplan.Plan
	findings []Finding
	open     map[twoNodes]bool
	defaults [2]map[*fieldplan.Field][]byte // what is hashed of the defaults of objects, lists and maps

	removed, added []placed // which are no findings yet
}

// add records a finding. If elements may be hot, or equal elements count once, a certain effect on
// one element becomes a possible one. A missing element of an array is written as zero, so its
// array alone can have the effect.
func (d *comparer) add(s location, f Finding) {
	f.Path = s.path
	if s.filled && f.Roll != none {
		f.Roll = some(whereAround)
	}
	f.Roll.Every = f.Roll.Every && s.certain
	f.in = choose(s.whileHot, " in elements that are hot", "")
	f.plans = d.plans
	f.others = s.others
	d.findings = append(d.findings, f)
}

// rootOf is the root with TypeMeta, which is never hashed.
func rootOf(p *fieldplan.Plan) *fieldplan.Node {
	root := *p.Root
	for _, f := range p.Meta {
		meta := *f
		node := *f.Node
		node.Class = structtag.Ignored
		node.Classes = fieldplan.Of(structtag.Ignored)
		meta.Node = &node
		root.Fields = append(slices.Clip(root.Fields), &meta)
	}
	root.Fields = slices.SortedFunc(slices.Values(root.Fields),
		func(a, b *fieldplan.Field) int { return strings.Compare(a.Name, b.Name) })
	return &root
}

// object compares two objects. If unknown members are admitted, an added field may have been an
// unknown member, and a removed field becomes one.
func (d *comparer) object(p twoNodes, s location) {
	for _, f := range p.old.Fields {
		if now := p.updated.Lookup(f.Name); now != nil {
			d.field(s.in, f, now, s.member(f.Name))
		}
	}
	removed := missing(p.old, p.updated)
	added := missing(p.updated, p.old)
	renamed := renames(removed, added)
	for _, f := range removed {
		finding := Finding{
			Kind: "FieldRemoved", Old: describeField(f) + ", " + f.Node.Class.String(), Forbidden: every(whereNamed),
		}
		if p.updated.Rest != nil {
			finding.Roll = some(whereHeld)
			finding.Forbidden = none
		}
		if to := renamed[f]; to != nil {
			d.add(s.member(f.Name), finding.renamed(s.member(to.Name).path, to))
			continue
		}
		d.removed = remember(d.removed, f, s.member(f.Name), &finding)
	}
	for _, f := range added {
		if renamed[f] != nil {
			continue
		}
		finding := Finding{Kind: "FieldAdded", New: describeField(f) + ", " + f.Node.Class.String()}
		if p.old.Rest != nil {
			finding.Roll = some(whereHeld)
			finding.Forbidden = some(whereHeld)
		}
		d.added = remember(d.added, f, s.member(f.Name), &finding)
	}
}

// missing returns the fields that another object does not have.
func missing(n, other *fieldplan.Node) []*fieldplan.Field {
	return slices.DeleteFunc(slices.Clone(n.Fields),
		func(f *fieldplan.Field) bool { return other.Lookup(f.Name) != nil })
}

// renames guesses new names, in both directions: of a removed and an added field, each the only one
// of its type, class and options on its side.
func renames(removed, added []*fieldplan.Field) map[*fieldplan.Field]*fieldplan.Field {
	all := slices.Concat(removed, added)
	alike := map[string][]int{}
	renamed := map[*fieldplan.Field]*fieldplan.Field{}
	for i, f := range all {
		shape := schemajson.Shape(f)
		alike[shape] = append(alike[shape], i)
	}
	for _, places := range alike {
		if len(places) == 2 && places[0] < len(removed) && places[1] >= len(removed) {
			from := all[places[0]]
			to := all[places[1]]
			renamed[from] = to
			renamed[to] = from
		}
	}
	return renamed
}

// field compares two fields of one name. Fields that identify an element are always written.
func (d *comparer) field(in twoNodes, old, updated *fieldplan.Field, s location) {
	p := twoNodes{old.Node, updated.Node}
	was := describeField(old)
	is := describeField(updated)
	if in.old != nil && (in.old.Identity(old) || in.updated.Identity(updated)) {
		s.beside = in.classes()
	}
	classes := old.Classes() | updated.Classes() | s.beside
	if p.old.Kind != p.updated.Kind {
		d.add(s, jsonTypeChanged(was, is, classes, whereNamed)) // not every leaf can be null
		return
	}
	s = d.class(p, old.Classes(), updated.Classes(), s)
	if p.old.Kind == fieldplan.Leaf {
		d.unset(old, updated, s)
	} else {
		d.presence(old, updated, s)
	}
	if old.Quoted != updated.Quoted {
		d.add(s, jsonTypeChanged(was, is, classes, whereHeld))
	}
	if old.Fills != updated.Fills { // below free JSON, in which everything counts
		f := Finding{
			Kind: "DefaultChanged", Old: innerText(old), New: innerText(updated), Roll: ifHashed(classes, whereHeld),
		}
		if f.Roll != none {
			f.note = "free JSON has no defaults: give the field another class, or compare only objects that one " +
				"release of the CRD has returned"
		}
		d.add(s, f)
	}
	isFilled := p.old.Kind != fieldplan.Leaf && (old.Default != nil || updated.Default != nil)
	s.certain = s.certain && !isFilled // a part of the default has no effect
	d.node(p, s)
}

// jsonTypeChanged is the finding that values have another JSON type. The updated plan may refuse those
// that meet a condition.
func jsonTypeChanged(was, is string, classes fieldplan.ClassSet, refused string) Finding {
	return Finding{
		Kind: "TypeChanged", Old: was, New: is, Roll: ifHashed(classes, whereHeld), Forbidden: some(refused),
	}
}

// class compares the classes of two nodes and returns the location below them. Before and now are the
// classes of all parts of the nodes. The hash of every configuration that sets the field changes if all
// parts were hashed and none is any more, or the other way round.
func (d *comparer) class(p twoNodes, before, now fieldplan.ClassSet, s location) location {
	was := p.old.Class
	is := p.updated.Class
	change := [2]structtag.Class{was, is}
	if was == is || s.covered == change {
		s.covered = change
		return s
	}
	f := Finding{
		Kind: "ClassChanged", Old: was.String(), New: is.String(),
		note: "from now on a change of it " + ofClass[is][0] + ", it " + ofClass[was][1],
	}
	switch wasHashed, isHashed := fieldplan.IsProjected(was), fieldplan.IsProjected(is); {
	case wasHashed == isHashed:
	case wasHashed && !before.Any(fieldplan.Unprojected) && !now.Any(fieldplan.Projected),
		isHashed && !before.Any(fieldplan.Projected) && !now.Any(fieldplan.Unprojected):
		f.Roll = every(whereSet)
	default:
		f.Roll = some(whereSet)
	}
	if mayFail(p, map[twoNodes]bool{}) {
		f.Forbidden = some(whereHeld)
	}
	d.add(s, f)
	s.covered = change
	return s
}

// mayFail reports whether values at or below a pair of nodes may not be read for the old hash, and be
// an error in the updated one: leaves that have no canonical text.
func mayFail(p twoNodes, seen map[twoNodes]bool) bool {
	if seen[p] || p.old.Kind != p.updated.Kind {
		return false
	}
	seen[p] = true
	isNew := p.updated.Classes.Any(fieldplan.Projected) && !p.old.Classes.Any(fieldplan.Projected)
	if p.updated.Kind == fieldplan.Leaf && isNew && p.updated.Leaf.MayFail() {
		return true
	}
	for _, f := range p.old.Fields {
		if now := p.updated.Lookup(f.Name); now != nil && mayFail(twoNodes{f.Node, now.Node}, seen) {
			return true
		}
	}
	return p.old.Elem != nil && mayFail(twoNodes{p.old.Elem, p.updated.Elem}, seen)
}

// reordersTies reports whether elements of one key may have another order in a hash: Immutable ones
// stand before InPlace ones, and a part of them is of the other class now.
func (p twoNodes) reordersTies() bool {
	areKeyed := p.old.Pairing == fieldplan.ByKey && p.updated.Pairing == fieldplan.ByKey
	isMixed := func(n *fieldplan.Node) bool { return n.Classes&fieldplan.Projected == fieldplan.Projected }
	isOneMixed := isMixed(p.old) || isMixed(p.updated)
	return areKeyed && isOneMixed && swapsClasses(p, map[twoNodes]bool{})
}

// swapsClasses reports whether a part at or below a pair of nodes was Immutable and is InPlace, or the
// other way round.
func swapsClasses(p twoNodes, seen map[twoNodes]bool) bool {
	if seen[p] || p.old.Kind != p.updated.Kind {
		return false
	}
	seen[p] = true
	areHashed := fieldplan.IsProjected(p.old.Class) && fieldplan.IsProjected(p.updated.Class)
	if areHashed && p.old.Class != p.updated.Class {
		return true
	}
	below := []twoNodes{}
	for _, f := range p.old.Fields {
		switch now := p.updated.Lookup(f.Name); {
		case now != nil:
			below = append(below, twoNodes{f.Node, now.Node})
		case p.updated.Rest != nil: // it becomes an unknown member
			below = append(below, twoNodes{f.Node, p.updated.Rest.Node})
		}
	}
	if p.old.Elem != nil {
		below = append(below, twoNodes{p.old.Elem, p.updated.Elem})
	}
	if p.old.When != nil && p.updated.When != nil {
		below = append(below, twoNodes{p.old.When.Hot, p.updated.When.Hot})
	}
	for _, pattern := range patternsOf(p) {
		below = append(below, twoNodes{entryFor(p.old, pattern), entryFor(p.updated, pattern)})
	}
	return slices.ContainsFunc(below, func(p twoNodes) bool { return swapsClasses(p, seen) })
}

// unset compares which values of a leaf count as unset. Values of leaves of different kinds may
// mean the same or not.
func (d *comparer) unset(old, updated *fieldplan.Field, s location) {
	p := twoNodes{old.Node, updated.Node}
	was, _ := kindName(p.old)
	is, _ := kindName(p.updated)
	sameInteger := strings.TrimPrefix(was, "u") == strings.TrimPrefix(is, "u") // int or uint
	sameKind := sameInteger || p.old.Leaf.Strict() == p.updated.Leaf.Strict()
	s.certain = s.certain && sameKind
	counts := p.areHashed() && s.beside == 0
	effect := func(where string, texts ...[]byte) Effect {
		for _, text := range texts {
			if counts && text != nil && old.Unset(text) != updated.Unset(text) {
				return every(where)
			}
		}
		return none
	}
	hasOtherZero := sameKind && !old.Pointer && !bytes.Equal(old.Zero, updated.Zero)
	if old.Pointer != updated.Pointer || hasOtherZero {
		f := Finding{
			Kind: "NullabilityChanged", Old: nullability(old.Pointer), New: nullability(updated.Pointer),
			Roll: effect(whereZero, old.Zero, updated.Zero),
		}
		if sameKind {
			f.zeros = [2][]byte{old.Zero, updated.Zero}
		}
		if old.Pointer && !updated.Pointer && refusesNull(p.updated) {
			f.Forbidden = some(whereNamed)
		}
		d.add(s, f)
	}
	if !bytes.Equal(old.Default, updated.Default) {
		d.add(s, Finding{
			Kind: "DefaultChanged", Old: defaultText(old), New: defaultText(updated),
			Roll: effect(whereDefault, old.Default, updated.Default),
		})
	}
	areBytes := p.old.Leaf == leaf.Bytes && p.updated.Leaf == leaf.Bytes
	const noBytes = `""` // are something only where a default stands for nil
	if was, is := !old.Unset([]byte(noBytes)), !updated.Unset([]byte(noBytes)); was != is && areBytes {
		d.add(s, Finding{
			Kind: "PresenceChanged", Old: presence(was), New: presence(is), Roll: effect(whereEmpty, []byte(noBytes)),
		})
	}
}

// refusesNull reports whether null may be an error for a leaf that is not a pointer.
func refusesNull(n *fieldplan.Node) bool {
	if n.Kind != fieldplan.Leaf {
		return false
	}
	return n.Leaf == leaf.Duration || n.Leaf == leaf.Opaque || n.Leaf.MarshalsItself()
}

// presence compares which values of an object, list or map count as unset. No hash changes with a
// default that one plan has, if the fields have all parts of it as their own defaults in the other plan.
func (d *comparer) presence(old, updated *fieldplan.Field, s location) {
	p := twoNodes{old.Node, updated.Node}
	if old.Pointer != updated.Pointer {
		d.add(s, Finding{Kind: "NullabilityChanged", Old: nullability(old.Pointer), New: nullability(updated.Pointer)})
	}
	areAlike := sync.OnceValue(func() bool { return schemajson.AreAlike(p.old, p.updated) })
	if !bytes.Equal(old.Default, updated.Default) {
		f := Finding{Kind: "DefaultChanged", Old: defaultText(old), New: defaultText(updated)}
		switch {
		case bytes.Equal(d.defaults[0][old], d.defaults[1][updated]):
		case updated.Default == nil && engine.Of(d.plans[1]).FillsIn(updated, old.Default):
			f.New = noneButFields
		case old.Default == nil && engine.Of(d.plans[0]).FillsIn(old, updated.Default):
			f.Old = noneButFields
		default:
			f.Roll = ifHashed(old.Classes()|updated.Classes(), whereDefault)
			f.Roll.Every = areAlike() && fieldplan.IsProjected(p.old.Class)
		}
		d.add(s, f)
	}
	was := old.HasPresence()
	is := updated.HasPresence()
	wasHashed := d.presenceIsHashed(0, old)
	isHashed := d.presenceIsHashed(1, updated)
	if was == is && wasHashed == isHashed && old.Presence == updated.Presence {
		return
	}
	f := Finding{Kind: "PresenceChanged", Old: presence(was), New: presence(is)}
	if wasHashed != isHashed {
		isFilled := old.Filled|updated.Filled != 0
		f.Roll = Effect{Every: p.areHashed() && (!isFilled || areAlike()), Where: whereEmpty}
	}
	d.add(s, f)
}

// presenceIsHashed reports whether an empty object, list or map at a field of one of the plans has
// another hash than a missing one.
func (d *comparer) presenceIsHashed(of int, f *fieldplan.Field) bool {
	return f.HasPresenceOf(fieldplan.Projected) && (f.Default == nil || d.defaults[of][f] != nil)
}

func (d *comparer) node(p twoNodes, s location) {
	if p.old.Sensitive != p.updated.Sensitive {
		d.add(s, Finding{Kind: "SensitivityChanged", Old: p.old.Sensitive.String(), New: p.updated.Sensitive.String()})
	}
	if d.open[p] {
		return
	}
	d.open[p] = true
	defer delete(d.open, p)
	if was, is := describe(p.old), describe(p.updated); was != is {
		d.add(s, typeChanged(p, was, is, p.classes()|s.beside))
	}
	switch p.old.Kind {
	case fieldplan.Object:
		d.object(p, s)
	case fieldplan.List, fieldplan.Map, fieldplan.Array:
		d.collection(p, s)
	case fieldplan.Leaf:
	}
}

// typeChanged is the finding that a node of the same kind is another leaf, has another width or
// length, or has other keys.
func typeChanged(p twoNodes, was, is string, classes fieldplan.ClassSet) Finding {
	where := whereHeld
	if p.old.Kind == fieldplan.Map {
		where = whereFilled
	}
	f := Finding{Kind: "TypeChanged", Old: was, New: is, Roll: ifHashed(classes, where), Forbidden: some(where)}
	areIntegers, hold := p.areIntegers()
	switch {
	case areIntegers && hold:
		f.Roll = none
		f.Forbidden = none
	case areIntegers:
		f.Roll = none
	case p.updated.Leaf.IsHint() && p.updated.Leaf.Strict() == p.old.Leaf:
		f.Roll = none
		f.Forbidden = none
	case p.old.Leaf.IsHint() && p.old.Leaf.Strict() == p.updated.Leaf:
		f.Roll = none
		f.Forbidden.Where = whereNamed // texts of another form, and null
	case p.old.Leaf.IsText() && p.updated.Leaf.IsText():
		f.Forbidden = none
	case p.old.Leaf != p.updated.Leaf:
		f.Forbidden.Where = whereNamed // not every leaf can be null
	}
	return f
}

func (d *comparer) collection(p twoNodes, s location) {
	rolls := ifHashed(p.classes(), whereFilled)
	switch was, is := p.pairings(); {
	case was != is:
		d.add(s, Finding{Kind: "PairingChanged", Old: was, New: is, Roll: rolls})
	case p.reordersTies():
		d.add(s, Finding{Kind: "PairingChanged", Old: tiesBefore, New: tiesNow, Roll: some(whereFilled)})
	}
	if was, is := hotWhen(p.old), hotWhen(p.updated); was != is {
		d.add(s, Finding{Kind: "HotWhenChanged", Old: was, New: is, Roll: rolls})
	}
	patterns := patternsOf(p)
	for _, pattern := range patterns { // the entries for whose keys it is the most exact one
		entries := twoNodes{entryFor(p.old, pattern), entryFor(p.updated, pattern)}
		if entries.old.Class == p.old.Elem.Class && entries.updated.Class == p.updated.Elem.Class {
			continue // like all other entries
		}
		at := s
		at.path = fieldpath.Key(s.path, pattern)
		at.others = otherKeys{len(stepsOf(s.path)): patterns}
		maps.Copy(at.others, s.others)
		d.element(p, entries, at)
	}
	s.path = fieldpath.Elements(s.path)
	s.filled = p.old.Kind == fieldplan.Array && s.in.old != nil // a field that is a zero array is unset
	isSet := p.old.Pairing == fieldplan.ByValue || p.updated.Pairing == fieldplan.ByValue
	maybeHot := p.old.When != nil || p.updated.When != nil
	if isSet || maybeHot || len(patterns) > 0 {
		s.certain = false
	}
	d.element(p, twoNodes{p.old.Elem, p.updated.Elem}, s)
	if p.old.When != nil && p.updated.When != nil {
		s.whileHot = true
		d.element(p, twoNodes{p.old.When.Hot, p.updated.When.Hot}, s)
	}
}

// patternsOf are the patterns of keys for which one of two maps has a rule.
func patternsOf(p twoNodes) (patterns []string) {
	for _, n := range []*fieldplan.Node{p.old, p.updated} {
		if n.Keys == nil {
			continue
		}
		for _, rule := range n.Keys.All {
			patterns = append(patterns, rule.Pattern)
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

// entryFor is the node of the keys for which a pattern is the most exact one of two maps.
func entryFor(n *fieldplan.Node, pattern string) *fieldplan.Node {
	prefix, isPrefix := fieldplan.PrefixOf(pattern)
	if !isPrefix {
		return n.Entry(pattern)
	}
	if rule := n.UnderPrefix(prefix); rule != nil {
		return rule.Node
	}
	return n.Elem
}

// element compares the elements of two collections. A null element that is an object, list or map means
// the same as an empty one. Any other null element is zero, or nil behind a pointer.
func (d *comparer) element(in, p twoNodes, s location) {
	if p.old.Kind != p.updated.Kind {
		d.add(s, jsonTypeChanged(describe(p.old), describe(p.updated), p.classes(), whereHeld))
		return
	}
	s = d.class(p, p.old.Classes, p.updated.Classes, s)
	s.in = in
	if in.old.ElemPointer != in.updated.ElemPointer {
		f := Finding{
			Kind: "NullabilityChanged", Old: nullability(in.old.ElemPointer), New: nullability(in.updated.ElemPointer),
		}
		if in.old.ElemPointer && refusesNull(p.updated) {
			f.Forbidden = some(whereNull)
		}
		isLeaf := p.old.Kind == fieldplan.Leaf
		isSame := isLeaf && bytes.Equal(textOfNull(in.old), textOfNull(in.updated))
		switch {
		case isSame, !isLeaf && p.old.Kind != fieldplan.Array:
		case in.old.Kind == fieldplan.Array:
			f.Roll = ifHashed(in.classes(), whereHeld)
		case isLeaf && p.areHashed():
			f.Roll = every(whereNull)
		default:
			f.Roll = ifHashed(in.classes(), whereNull)
		}
		d.add(s, f)
	}
	d.node(p, s)
}

// textOfNull is the text of a null element that is a leaf. It is empty if that is not known.
func textOfNull(in *fieldplan.Node) []byte {
	if in.ElemPointer {
		return []byte(leaf.Null)
	}
	return leaf.Zero(in.Elem.Leaf, in.Elem.Type)
}
