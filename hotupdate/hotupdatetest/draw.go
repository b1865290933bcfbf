package hotupdatetest

import (
	"math/bits"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// generator makes configurations from choices, which it draws at random and remembers. So it can make
// a configuration any number of times, each time in separate memory.
//
// The configurations of a trial share the choices about their meaning. Choices about spelling, and
// about parts of the redrawn classes, are separate for each.
type generator struct {
	s       *subject
	t       *rapid.T       // nil if everything is chosen
	choices map[string]int // by owner, place and question
	owner   string         // whose choices are made: empty if they are shared
	self    string         // the owner of the configuration's own choices
	redrawn fieldplan.ClassSet
	leaves  *[]chosen // of the configuration that is drawn

	path, pattern string // the place; the pattern has [] for elements
	field         *fieldplan.Field
	depth         int
	isFixed       bool // identifies or selects an element, or is in a set
	isBlank       bool // nothing is set below, apart from redrawn parts
}

// chosen is a leaf of a configuration.
type chosen struct {
	generator

	node *fieldplan.Node
	make maker
}

// maxDepth bounds values of recursive types.
const maxDepth = 6

// maxLength bounds the number of elements that the configurations of a trial share.
const maxLength = 3

func newGenerator(t *rapid.T, s *subject) generator {
	return generator{s: s, t: t, choices: map[string]int{}, leaves: new([]chosen), self: "first "}
}

// other is the generator of the second configuration of a trial.
func (a generator) other(redrawn fieldplan.ClassSet) generator {
	a.self = "second "
	a.redrawn = redrawn
	return a
}

// own makes choices that the configurations of a trial do not share.
func (a generator) own() generator {
	a.owner = a.self
	return a
}

// redrawing makes own choices for a part that has redrawn classes only.
func (a generator) redrawing(classes fieldplan.ClassSet) generator {
	if classes&^a.redrawn == 0 {
		a.isBlank = false
		return a.own()
	}
	return a
}

func (a generator) member(f *fieldplan.Field) generator {
	a.path = fieldpath.Join(a.path, f.Name)
	a.pattern = fieldpath.Join(a.pattern, f.Name)
	a.field = f
	a.depth++
	return a
}

// identity is the member that identifies or selects an element.
func (a generator) identity(f *fieldplan.Field) generator {
	a.isFixed = true
	return a.member(f)
}

func (a generator) element(at int) generator {
	a.path = fieldpath.At(a.path, at)
	a.pattern = fieldpath.Elements(a.pattern)
	a.field = nil
	a.depth++
	return a
}

// pick chooses a number below n, each about as often; rapid's own integers are mostly small.
// Failures shrink to 0.
func (a generator) pick(question string, n int) int {
	number, isChosen := a.choices[a.at(question)]
	if !isChosen && a.t != nil {
		width := bits.Len(uint(n - 1)) //nolint:gosec // n is at least 1
		if n&(n-1) != 0 {              // no power of two
			width += 2
		}
		for range width {
			number <<= 1
			if rapid.Bool().Draw(a.t, "bit") {
				number++
			}
		}
		a.choices[a.at(question)] = number
	}
	return number % n
}

func (a generator) at(question string) string { return a.owner + a.path + " " + question }

// chance is true with a probability of 1/n.
func (a generator) chance(question string, n int) bool { return a.pick(question, n) == n-1 }

func among[V any](a generator, question string, all ...V) V { return all[a.pick(question, len(all))] }

// whichValue is the question about a leaf.
const whichValue = "value"

// leaf chooses a value of a leaf.
func (a generator) leaf(n *fieldplan.Node) maker {
	value := among(a, whichValue, a.s.values(a.pattern, n.Type)...)
	if a.t != nil {
		*a.leaves = append(*a.leaves, chosen{a, n, value})
	}
	return value
}

// config chooses a configuration; now and then it is nil.
func (a generator) config() maker {
	*a.leaves = nil
	a.root()
	a.t = nil
	return a.root
}

func (a generator) root() reflect.Value {
	v := reflect.New(reflect.PointerTo(a.s.plan.Type)).Elem()
	a.isBlank = a.chance("unset", 8)
	if !a.isBlank || a.own().chance("spelled", 2) {
		a.value(v, a.s.plan.Root, nil)
	}
	return v
}

// value fills a zero value. An element may be left nil.
func (a generator) value(v reflect.Value, n, in *fieldplan.Node) {
	isPlaced := in == nil || in.Key != nil || in.When != nil
	isNilable := slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, v.Kind())
	isTooDeep := n.Recursive && a.depth > maxDepth
	switch {
	case !isNilable:
	case isTooDeep, !isPlaced && a.chance("nil", 8):
		return
	}
	a = a.redrawing(n.Classes)
	to := engine.Allocate(v)
	switch n.Kind {
	case fieldplan.Leaf:
		if !a.isBlank {
			set(to, a.leaf(n))
		}
	case fieldplan.Object:
		for _, f := range n.Fields {
			if in == nil || !in.Identity(f) {
				a.member(f).fill(to, f)
			}
		}
	case fieldplan.Array:
		for i := range to.Len() {
			a.element(i).value(to.Index(i), n.Elem, n)
		}
	case fieldplan.List, fieldplan.Map:
		a.collection(to, n)
	}
}

// fill fills a member of an object. It is often unset, in one of the spellings of that.
func (a generator) fill(object reflect.Value, f *fieldplan.Field) {
	a = a.redrawing(f.Classes())
	isDeep := f.Node.Recursive && a.depth > 2
	switch {
	case a.isBlank:
	case a.pick("unset", 2) == 0: // failures shrink to unset members
		a.isBlank = true
	case isDeep:
		a.isBlank = a.pick("unset below", 4) > 0
	}
	switch {
	case a.isBlank && (!hasSpellings(f) || !a.own().chance("spelled", 2)):
	case a.isBlank && f.Default != nil:
		set(engine.Settable(object, f), fromJSON(f.Node.Type, f.Default))
	default:
		a.value(engine.Settable(object, f), f.Node, nil)
	}
}

// hasSpellings reports whether a member that is not set may have a value in Go: its default, its
// zero value, or an object or collection without content.
func hasSpellings(f *fieldplan.Field) bool {
	switch f.Node.Kind {
	case fieldplan.Leaf:
		return !f.Pointer || f.Default != nil
	case fieldplan.Array:
		return false
	case fieldplan.Object, fieldplan.List, fieldplan.Map:
	}
	return !f.HasPresence() && !f.Node.Recursive
}

// entry is an element of a collection.
type entry struct {
	node       *fieldplan.Node
	key, value reflect.Value // only the elements of a map have a key
}

// collection fills a list or map: with shared elements, with elements of which nothing is hashed,
// and in one of several spellings.
func (a generator) collection(to reflect.Value, n *fieldplan.Node) {
	var all []entry
	a.isFixed = a.isFixed || n.Pairing == fieldplan.ByValue
	for i := range a.pick("length", maxLength+1) {
		if !a.isBlank {
			all = a.add(all, n, i, fieldplan.All)
		}
	}
	own := a.own()
	if own.isBlank = true; a.redrawn != 0 && (n.Kind == fieldplan.Map || n.Pairing == fieldplan.ByKey) {
		all = slices.DeleteFunc(all, func(e entry) bool {
			isHashed := (e.node.Classes | fieldplan.Of(e.node.Class)).Any(^a.redrawn)
			return !isHashed && own.chance("removed "+keyText(n, e), 2)
		})
		for i := range own.pick("added", 2) {
			all = own.add(all, n, maxLength+i, a.redrawn)
		}
	}
	if n.Pairing == fieldplan.ByValue && len(all) > 0 && own.chance("doubled", 2) {
		all = append(all, among(own, "double", all...))
	}
	if n.Pairing != fieldplan.ByPosition && own.chance("reversed", 2) {
		reverse(n, all)
	}
	if n.Kind == fieldplan.List {
		to.Set(reflect.MakeSlice(to.Type(), 0, len(all)))
		for _, e := range all {
			to.Set(reflect.Append(to, e.value))
		}
		return
	}
	to.Set(reflect.MakeMap(to.Type()))
	for _, e := range all {
		to.SetMapIndex(e.key, e.value)
	}
}

// reverse reverses the order of elements. Elements with the same key keep their order, which has a
// meaning.
func reverse(n *fieldplan.Node, all []entry) {
	inOrder := map[string][]entry{}
	for _, e := range all {
		text := keyText(n, e)
		inOrder[text] = append(inOrder[text], e)
	}
	slices.Reverse(all)
	for i, e := range all {
		if text := keyText(n, e); n.Key != nil {
			all[i] = inOrder[text][0]
			inOrder[text] = inOrder[text][1:]
		}
	}
}

// add adds an element, if its class is wanted. Each key of a map is used once. A key of a list may
// be repeated, since such lists can be hashed.
func (a generator) add(all []entry, n *fieldplan.Node, at int, wanted fieldplan.ClassSet) []entry {
	e := entry{value: reflect.New(n.Type.Elem()).Elem()}
	below := a.element(at)
	isRepeated := n.Key != nil && len(all) > 0 && below.chance("repeated", 4)
	switch {
	case isRepeated:
		other := among(below, "key of", all...)
		set(engine.Settable(e.value, n.Key), func() reflect.Value {
			key, _ := engine.Deref(engine.Member(engine.Allocate(other.value), n.Key))
			return key
		})
	case n.Key != nil:
		set(engine.Settable(e.value, n.Key), below.identity(n.Key).leaf(n.Key.Node))
	}
	if n.Kind == fieldplan.Map {
		e.key = among(below, "key", a.s.keys(n, a.pattern)...)()
	}
	text := keyText(n, e)
	isKeyed := n.Key != nil || n.Kind == fieldplan.Map
	isTaken := slices.ContainsFunc(all, func(other entry) bool { return keyText(n, other) == text })
	if isKeyed && isTaken && !isRepeated {
		return all
	}
	below.selects(n, e.value)
	if e.node = engine.Of(a.s.plan).ElementNode(n, text, e.value); !wanted.Any(fieldplan.Of(e.node.Class)) {
		return all
	}
	below.value(e.value, e.node, n)
	return append(all, e)
}

// selects fills the selector of an element, if there is one, alike in all configurations of a
// trial.
func (a generator) selects(n *fieldplan.Node, element reflect.Value) {
	if n.When == nil {
		return
	}
	f := n.When.Field
	a.self = a.owner
	a.redrawn = 0
	a.isBlank = false
	if a = a.identity(f); a.chance("selected", 2) {
		set(engine.Settable(element, f), fromJSON(f.Node.Type, []byte(n.When.Value)))
	} else {
		a.fill(engine.Allocate(element), f)
	}
}

// keyText is the text of the key of an element in a map or keyed list; other elements have none.
func keyText(n *fieldplan.Node, e entry) string {
	switch {
	case n.Kind == fieldplan.Map:
		return engine.KeyStep(n, e.key).Name
	case n.Key != nil:
		key, _ := engine.Deref(engine.Member(engine.Allocate(e.value), n.Key))
		return string(textOf(n.Key.Node.Leaf, key))
	}
	return ""
}

// textOf is the canonical text of a leaf, nil if it has none.
func textOf(k leaf.Kind, v reflect.Value) []byte {
	text, problem := leaf.Append(nil, k, v)
	if problem != nil {
		return nil
	}
	return text
}

// set sets a place to a value, if there is one.
func set(to reflect.Value, value maker) {
	to = engine.Allocate(to)
	if v := value(); v.IsValid() {
		to.Set(v)
	}
}
