package hotupdate_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestCoverLeavesExactlyWhatIsImmutable: applied with a common JSON-patch library, the patch keeps the meaning of
// everything Immutable, and makes everything else exactly as desired. The test uses neither Diff nor the engine: it
// reads classes from the struct tags, and the meaning with the oracle.
func TestCoverLeavesExactlyWhatIsImmutable(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		s.root.by.keys = uniqueKeys
		a, b := s.drawPair(t)
		if chance(t, 3) {
			b = respelled(t, immutableView, s.root, a)
		}
		if rapid.Bool().Draw(t, "other way") {
			a, b = b, a
		}
		current := toJSON(t, a)
		desired := toJSON(t, b)
		result := s.cover(t, current, desired, among(t, "", "/spec", "/a~1b/c")).result
		require.Empty(
			t, s.astray(t, current, desired, result), "%s\ncurrent %s\ndesired %s\nresult  %s", s.describe(), current, desired, result,
		)
	})
}

// TestExactnessIsSeen lists wrong results of Cover, each with the path at which the property finds the error.
func TestExactnessIsSeen(t *testing.T) {
	s := subject{root: rootOf(reflect.TypeFor[coverConfig](), nil)}
	for _, tc := range []struct{ name, current, desired, result, want string }{
		{"immutable change", `{"size":"1"}`, `{"size":"2"}`, `{"size":"2"}`, "size"},
		{"immutable field goes", `{"size":"1"}`, `{"hint":1}`, `{"hint":1}`, "size"},
		{"spelling of an immutable field", `{"size":"1Gi"}`, `{"size":"1024Mi"}`, `{"size":"1Gi"}`, "size"},
		{"hot change is left", `{"free":1}`, `{"free":2}`, `{"free":1}`, "free"},
		{"in-place change is left", `{"kernel":"1"}`, `{"kernel":"2"}`, `{"kernel":"1"}`, "kernel"},
		{"ignored change is left", `{"hint":1}`, `{"hint":2}`, `{"hint":1}`, "hint"},
		{"spelling of a hot number", `{"free":1}`, `{"free":1.0}`, `{"free":1}`, "free"},
		{"declared default", `{}`, `{"mode":"a"}`, `{}`, "mode"},
		{"null", `{}`, `{"mode":null}`, `{}`, "mode"},
		{"empty object", `{}`, `{"machine":{}}`, `{}`, "machine"},
		{"order of a set", `{"zones":["a","b"]}`, `{"zones":["b","a"]}`, `{"zones":["a","b"]}`, "zones"},
		{"half a set", `{"zones":["a"]}`, `{"zones":["b"]}`, `{"zones":["a","b"]}`, "zones"},
		{
			"order of a keyed list", `{"disks":[{"name":"a"},{"name":"b"}]}`, `{"disks":[{"name":"b"},{"name":"a"}]}`,
			`{"disks":[{"name":"a"},{"name":"b"}]}`, "disks in order",
		},
		{
			"label in an immutable element that stays", `{"volumes":[{"name":"a"}]}`, `{"volumes":[{"name":"a","label":"x"}]}`,
			`{"volumes":[{"name":"a"}]}`, "volumes[].label",
		},
		{
			"label in an immutable element that goes", `{"volumes":[{"name":"a","label":"x"}]}`, `{}`,
			`{"volumes":[{"name":"a","label":"x"}]}`, "volumes[].label",
		},
		{"immutable element comes", `{}`, `{"volumes":[{"name":"a"}]}`, `{"volumes":[{"name":"a"}]}`, "volumes"},
		{"hot element stays", `{"disks":[{"name":"a"}]}`, `{}`, `{"disks":[{"name":"a"}]}`, "disks"},
		{"hot element does not come", `{}`, `{"disks":[{"name":"a","size":1}]}`, `{}`, "disks[]"},
		{"spelling of a key", `{"numbers":{"01":{}}}`, `{"numbers":{"1":{}}}`, `{"numbers":{"01":{}}}`, "numbers[1]"},
		{"selector", `{"machine":{"a":{}}}`, `{"machine":{"a":{"roll":true}}}`, `{"machine":{"a":{"roll":true}}}`, "machine"},
		{"place of an immutable list", `{"args":[{}]}`, `{"args":[{},{"note":"x"}]}`, `{"args":[{},{"note":"x"}]}`, "args"},
		{"TypeMeta", `{"kind":"a"}`, `{"kind":"b"}`, `{"kind":"a"}`, "kind"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, []string{tc.want}, s.astray(t, []byte(tc.current), []byte(tc.desired), []byte(tc.result)))
		})
	}
}

// astray lists the errors of a patched configuration: the members of the root in which something Immutable has changed
// its meaning, or else the paths at which the JSON is not as desired.
func (s subject) astray(t require.TestingT, current, desired, result []byte) []string {
	before := s.standing(t, current)
	left := s.standing(t, result)
	want := s.standing(t, desired)
	kept := immutableView.document(s.root, before.value)
	is := immutableView.document(s.root, left.value)
	var w letters
	for _, m := range s.root.members() {
		if !reflect.DeepEqual(kept[m.name], is[m.name]) {
			w.add(m.path)
		}
	}
	if len(w.stray) == 0 {
		w.inside(s.root, left, want)
	}
	return w.stray
}

// standing is the value at a place of a configuration: its JSON, and the same as a Go value.
type standing struct {
	tree  any // nothing{} if there is no value
	value reflect.Value
}

type nothing struct{}

func (s subject) standing(t require.TestingT, raw []byte) standing {
	config := reflect.New(s.root.typ)
	require.NoError(t, json.Unmarshal(raw, config.Interface()), "%s", raw)
	tree := treeOfJSON(t, raw)
	if tree == nil { // the empty configuration
		tree = map[string]any{}
	}
	return standing{tree, config.Elem()}
}

// holds reports whether it may have members or elements.
func (s standing) holds() bool {
	switch s.tree.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func (s standing) isEmpty() bool { v := reflect.ValueOf(s.tree); return s.holds() && v.Len() == 0 }

// letters compares the JSON after a patch with the desired JSON exactly, and lists the paths of differences that are not Immutable.
type letters struct{ stray []string }

func (w *letters) add(path string) { w.stray = append(w.stray, path) }

// compare compares the values at one place: a member, or an element of collection in. The node has the stricter class of both sides.
func (w *letters) compare(p modelNode, in *modelNode, left, want standing) {
	if in == nil && p.fillsIn() && p.isNil(left) != p.isNil(want) {
		left = p.filled(left)
		want = p.filled(want)
	}
	counts := p.presence || p.fieldless() && p.typ.Kind() == reflect.Pointer // its presence has a meaning
	if in != nil {
		isAlone := left.tree == nothing{} || want.tree == nothing{}
		isList := p.shape() == listShape || p.shape() == arrayShape
		isNullOnce := isList && p.isNil(left) != p.isNil(want)
		counts = in.shape() != arrayShape && isAlone || isNullOnce
	}
	switch {
	case reflect.DeepEqual(left.tree, want.tree):
	case p.isWhole():
		if p.class != hotupdate.Immutable || reflect.DeepEqual(p.meaning(in, left), p.meaning(in, want)) && !counts {
			w.add(p.path)
		}
	case left.holds() && want.holds():
		w.inside(p, left, want)
	case left.holds(): // it, or something in it, must be Immutable
		if !p.holdsImmutable(left) && (!counts || p.class != hotupdate.Immutable) {
			w.add(p.path)
			return
		}
		w.inside(p, left, p.shell(in, left, want))
	case counts: // it comes with its class, and with all that is in it
		if p.class != hotupdate.Immutable {
			w.add(p.path)
		}
	case !want.holds(), want.isEmpty():
		w.add(p.path)
	default:
		w.inside(p, p.shell(in, want, left), want)
	}
}

// filled returns the default in place of a member that is left out.
func (p modelNode) filled(s standing) standing {
	if !p.isNil(s) {
		return s
	}
	var tree any
	decoder := json.NewDecoder(strings.NewReader(*p.fallback))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		panic(err)
	}
	return standing{tree, pointedTo(p.typ, parsed(base(p.typ), *p.fallback))}
}

// isWhole reports whether a value is one field: a leaf, a set, or an array in which everything has one class.
func (p modelNode) isWhole() bool {
	isOneClass := p.shape() == arrayShape && p.elem().hasOnly(p.class)
	return p.shape() == leafShape || p.set || isOneClass
}

func (p modelNode) hasOnly(c hotupdate.Class) bool {
	switch p.shape() {
	case leafShape:
		return p.class == c
	case objectShape:
		return !slices.ContainsFunc(p.members(), func(m modelNode) bool { return !m.hasOnly(c) })
	case listShape, arrayShape, mapShape:
	}
	isOther := func(rule keyRule) bool { return rule.class != c }
	isUniform := p.when == "" && !slices.ContainsFunc(p.keyRules(), isOther)
	return p.class == c && isUniform && p.elem().hasOnly(c)
}

func (p modelNode) isNil(s standing) bool { return s.tree == nil || s.tree == nothing{} }

// meaning returns the Immutable part of the meaning of a leaf or a set.
func (p modelNode) meaning(in *modelNode, s standing) any {
	if in == nil {
		tree, present := immutableView.member(p, s.value)
		return []any{tree, present}
	}
	tree, _, _ := immutableView.elementAs(*in, p, s.value)
	return tree
}

// holdsImmutable reports whether a value has something Immutable.
func (p modelNode) holdsImmutable(s standing) bool {
	_, something := immutableView.member(p, s.value)
	return something
}

// shell returns an empty value. As the partner of an element, it has the element's key and selector.
func (p modelNode) shell(in *modelNode, of, other standing) standing {
	members, isObject := of.tree.(map[string]any)
	if !isObject {
		return standing{[]any{}, reflect.Zero(p.typ)}
	}
	identity := map[string]any{}
	if in != nil && other.tree == (nothing{}) {
		for _, name := range []string{in.key, in.when} {
			if value, ok := members[name]; ok {
				identity[name] = value
			}
		}
	}
	return standing{identity, reflect.Zero(p.typ)}
}

// inside compares the contents of two values.
func (w *letters) inside(p modelNode, left, want standing) {
	switch p.shape() {
	case objectShape:
		w.members(p, left, want)
	case mapShape:
		w.entries(p, left, want)
	case listShape, arrayShape:
		if p.key != "" {
			w.keyed(p, left, want)
		} else {
			w.places(p, left, want)
		}
	case leafShape:
		panic("a leaf holds nothing")
	}
}

func (w *letters) members(p modelNode, left, want standing) {
	known := map[string]bool{}
	for _, m := range p.members() {
		known[m.name] = true
		w.compare(m, nil, left.member(m), want.member(m))
	}
	for _, s := range []standing{left, want} { // TypeMeta of the root
		for name := range s.tree.(map[string]any) {
			if !known[name] && left.tree.(map[string]any)[name] != want.tree.(map[string]any)[name] && !slices.Contains(w.stray, name) {
				w.add(name)
			}
		}
	}
}

func (s standing) member(m modelNode) standing {
	below := standing{nothing{}, reflect.Zero(m.typ)}
	if tree, ok := s.tree.(map[string]any)[m.name]; ok {
		below.tree = tree
	}
	if object := behind(s.value); object.IsValid() && m.of(object).IsValid() {
		below.value = m.of(object)
	}
	return below
}

// element compares two elements, of which one may be absent.
func (w *letters) element(p modelNode, left, want standing) {
	var sides []modelNode
	for _, s := range []standing{left, want} {
		if s.tree != (nothing{}) || p.shape() == arrayShape {
			sides = append(sides, p.elemOf(s.value))
		}
	}
	e := slices.MinFunc(sides, func(a, b modelNode) int { return int(a.class) - int(b.class) })
	w.compare(e, &p, left, want)
}

// entry compares two entries of a map, of which one may be absent.
func (w *letters) entry(p modelNode, key string, left, want standing) {
	if class, ruled := p.classOfKey(key); ruled {
		e := p.elem()
		e.class = class
		w.compare(e, &p, left, want)
		return
	}
	w.element(p, left, want)
}

func (w *letters) entries(p modelNode, left, want standing) {
	here := left.entries(p)
	there := want.entries(p)
	for _, key := range slices.Sorted(maps.Keys(here)) {
		other, ok := there[key]
		if !ok {
			other = entry{standing: standing{nothing{}, reflect.Zero(p.elem().typ)}}
		} else if other.spelled != here[key].spelled {
			w.add(p.path + "[" + key + "]")
		}
		w.entry(p, key, here[key].standing, other.standing)
	}
	for _, key := range slices.Sorted(maps.Keys(there)) {
		if _, ok := here[key]; !ok {
			w.entry(p, key, standing{nothing{}, reflect.Zero(p.elem().typ)}, there[key].standing)
		}
	}
}

type entry struct {
	standing

	spelled string
}

// entries returns the entries of a map by the texts of their keys.
func (s standing) entries(p modelNode) map[string]entry {
	entries := map[string]entry{}
	for name, tree := range s.tree.(map[string]any) {
		raw, _ := json.Marshal(map[string]any{name: nil})
		keys := reflect.New(reflect.MapOf(base(p.typ).Key(), reflect.TypeFor[any]()))
		if err := json.Unmarshal(raw, keys.Interface()); err != nil {
			panic(err)
		}
		key := keys.Elem().MapKeys()[0]
		value := reflect.Zero(p.elem().typ)
		if m := behind(s.value); m.IsValid() && m.MapIndex(key).IsValid() {
			value = m.MapIndex(key)
		}
		entries[keyText(key)] = entry{standing{tree, value}, name}
	}
	return entries
}

// keyed compares lists with key=. Their order has no meaning, so it is as desired.
func (w *letters) keyed(p modelNode, left, want standing) {
	here := left.elements(p)
	there := want.elements(p)
	keyIn := func(s standing) any { return keyOf(p, s.value) }
	find := func(in []standing, key any) (int, bool) {
		i := slices.IndexFunc(in, func(s standing) bool { return keyIn(s) == key })
		return i, i >= 0
	}
	none := standing{nothing{}, reflect.Zero(p.elem().typ)}
	last := -1
	for _, s := range here {
		if i, ok := find(there, keyIn(s)); ok {
			if i < last {
				w.add(p.path + " in order")
			}
			last = i
			w.element(p, s, there[i])
		} else {
			w.element(p, s, none)
		}
	}
	for _, s := range there {
		if _, ok := find(here, keyIn(s)); !ok {
			w.element(p, none, s)
		}
	}
}

// places compares lists by position, and arrays. Elements before something Immutable keep their places.
func (w *letters) places(p modelNode, left, want standing) {
	here := left.elements(p)
	there := want.elements(p)
	for i := range max(len(here), len(there)) {
		sides := [2]standing{{nothing{}, reflect.Zero(p.elem().typ)}, {nothing{}, reflect.Zero(p.elem().typ)}}
		if i < len(here) {
			sides[0] = here[i]
		}
		if i < len(there) {
			sides[1] = there[i]
		}
		isHeld := func(s standing) bool {
			isCounted := p.shape() == listShape || p.elem().shape() == listShape && !p.isNil(s)
			return p.elem().holdsImmutable(s) || p.class == hotupdate.Immutable && isCounted
		}
		if i >= len(there) && slices.ContainsFunc(here[i+1:], isHeld) && !isHeld(here[i]) {
			if here[i].holds() && !here[i].isEmpty() {
				w.add(p.path + "[" + strconv.Itoa(i) + "]")
			}
			continue
		}
		w.element(p, sides[0], sides[1])
	}
}

// elements returns the elements of a list or array.
func (s standing) elements(p modelNode) (elements []standing) {
	list := behind(s.value)
	for i, tree := range s.tree.([]any) {
		value := reflect.Zero(p.elem().typ)
		if list.IsValid() && i < list.Len() {
			value = list.Index(i)
		}
		elements = append(elements, standing{tree, value})
	}
	return elements
}
