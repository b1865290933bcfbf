package hotupdate_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// valueGenerator draws values. It leaves everything in the view unset.
type valueGenerator struct {
	t     *rapid.T
	unset view
}

// Values of recursive types are bounded by maxDepth, and seldom get deeper than usualDepth.
const (
	maxDepth   = 8
	usualDepth = 3
)

// config draws a configuration and returns a pointer to it.
func (a valueGenerator) config(root modelNode) reflect.Value {
	config := reflect.New(root.typ)
	config.Elem().Set(a.value(root))
	return config
}

// value draws a value, pointers included.
func (a valueGenerator) value(p modelNode) reflect.Value {
	v := reflect.New(p.typ).Elem()
	if p.depth > maxDepth {
		return v
	}
	if p.typ.Kind() == reflect.Pointer {
		if !chance(a.t, 3) {
			v.Set(reflect.New(p.typ.Elem()))
			v.Elem().Set(a.value(p.pointed()))
		}
		return v
	}
	switch p.shape() {
	case leafShape:
		v.Set(a.leaf(p))
	case objectShape:
		for _, m := range p.members() {
			if x := a.member(m); !x.IsZero() || chance(a.t, 4) {
				m.put(v, x)
			}
		}
		stamp(a.t, p, v)
	case listShape:
		a.list(p, v)
	case arrayShape:
		for i := range v.Len() {
			v.Index(i).Set(a.value(p.elem()))
		}
	case mapShape:
		a.mapping(p, v)
	}
	return v
}

// member draws a member, which is often absent.
func (a valueGenerator) member(m modelNode) reflect.Value {
	if m.fallback != nil && m.shape() != leafShape && chance(a.t, 3) {
		return pointedTo(m.typ, parsed(base(m.typ), *m.fallback))
	}
	if chance(a.t, 4) || m.depth > usualDepth && !chance(a.t, 3) {
		return reflect.Zero(m.typ)
	}
	return a.value(m)
}

// pointedTo puts pointers in front of a value.
func pointedTo(t reflect.Type, v reflect.Value) reflect.Value {
	if t == v.Type() {
		return v
	}
	pointer := reflect.New(t.Elem())
	pointer.Elem().Set(pointedTo(t.Elem(), v))
	return pointer
}

func (a valueGenerator) leaf(p modelNode) reflect.Value {
	if p.fallback != nil && chance(a.t, 4) {
		return parsed(p.typ, *p.fallback)
	}
	if a.unset.sees(p.class) {
		return reflect.Zero(p.typ)
	}
	return p.drawLeaf(a.t)
}

func (a valueGenerator) list(p modelNode, v reflect.Value) {
	n := pick(a.t, 5) - 1
	if p.depth <= 1 {
		n = pick(a.t, 8) - 1
	}
	if n < 0 {
		return
	}
	v.Set(reflect.MakeSlice(p.typ, 0, n))
	for range n {
		elem := a.value(p.elem())
		if p.key == "" || a.takesKey(p, v, elem) {
			v.Set(reflect.Append(v, elem))
		}
	}
}

// takesKey decides whether an element with this key is added to a keyed list. It may give the element a key that the list has.
func (a valueGenerator) takesKey(p modelNode, list, elem reflect.Value) bool {
	if p.hasUniqueKeys() {
		return isNewKey(p, list, elem)
	}
	if object := behind(elem); object.IsValid() && list.Len() > 0 && chance(a.t, 4) {
		if other := behind(list.Index(pick(a.t, list.Len()))); other.IsValid() {
			copyField(p.elem().member(p.key), other, object)
		}
	}
	return isNewKey(p, list, elem) || chance(a.t, 2)
}

// hasUniqueKeys reports whether keys of a list are drawn once.
func (p modelNode) hasUniqueKeys() bool {
	isMixed := p.when != "" || p.class != hotupdate.Immutable
	return p.by.keys == uniqueKeys || p.by.keys == uniqueIfMixed && isMixed
}

// isNewKey reports whether an element of a keyed list has a key that the list does not have yet.
func isNewKey(p modelNode, list, elem reflect.Value) bool {
	for i := range list.Len() {
		if keyOf(p, list.Index(i)) == keyOf(p, elem) {
			return false
		}
	}
	return true
}

// keyOf is the key of an element of a keyed list. An absent text is empty, and an absent integer behind a pointer nil.
func keyOf(p modelNode, elem reflect.Value) any {
	m := p.elem().member(p.key)
	key := reflect.Value{}
	if object := behind(elem); object.IsValid() {
		key = behind(m.of(object))
	}
	switch {
	case key.IsValid():
		return fmt.Sprint(key.Interface())
	case base(m.typ).Kind() == reflect.String:
		return ""
	case m.typ.Kind() == reflect.Pointer:
		return nil
	}
	return "0"
}

// copyField copies a field by which an element is found or selected. Behind a nil embedded pointer it is zero.
func copyField(field modelNode, from, to reflect.Value) {
	if original := field.of(from); original.IsValid() {
		field.put(to, original)
	} else if field.of(to).IsValid() {
		field.put(to, reflect.Zero(field.typ))
	}
}

func (a valueGenerator) mapping(p modelNode, v reflect.Value) {
	n := pick(a.t, 4) - 1
	if n < 0 {
		return
	}
	v.Set(reflect.MakeMap(p.typ))
	for range n {
		key := a.mapKey(p)
		v.SetMapIndex(key, a.value(p.underKey(key)))
	}
}

// underKey is the node of an entry that hotwhen does not select.
func (p modelNode) underKey(key reflect.Value) modelNode {
	e := p.elem()
	if class, ruled := p.classOfKey(keyText(key)); ruled {
		e.class = class
	}
	return e
}

// mapKey draws one of few keys. They are in lower case, so that no two have the same text.
func (a valueGenerator) mapKey(p modelNode) reflect.Value {
	key := reflect.New(p.typ.Key()).Elem()
	switch {
	case key.Kind() == reflect.String:
		keys := []string{"a", "b", "\u00e9", "", "a.b/c~[0]"}
		if p.keyRules() != nil {
			keys = append(keys, "a.b/c", "aa", "c,'d", "\u00e9\u00e9", "y")
		}
		key.SetString(among(a.t, keys...))
	case key.CanInt():
		key.SetInt(int64(among(a.t, 10, 9, 0, -1)))
	case key.CanUint():
		key.SetUint(uint64(among[uint](a.t, 10, 9, 0)))
	default:
		keys := []string{"a", "b", ""}
		if p.keyRules() != nil {
			keys = append(keys, "aa", "a.b/c", "x")
		}
		key.Set(reflect.ValueOf(textValue{among(a.t, keys...)}))
	}
	return key
}

// stamp sets texts that are not in the configuration's JSON, or not part of the configuration, to anything: TypeMeta of the root, and
// fields that are left out or shadowed.
func stamp(t *rapid.T, p modelNode, v reflect.Value) {
	members := map[string]bool{}
	for _, m := range p.members() {
		members[fmt.Sprint(m.index)] = true
	}
	stampFields(t, v, nil, members)
}

func stampFields(t *rapid.T, v reflect.Value, index []int, members map[string]bool) {
	if v = behind(v); !v.IsValid() {
		return
	}
	for i := range v.NumField() {
		at := append(slices.Clone(index), i)
		switch f := v.Type().Field(i); {
		case f.Anonymous && f.Tag.Get("json") != "-" && base(f.Type).Kind() == reflect.Struct:
			stampFields(t, v.Field(i), at, members)
		case f.IsExported() && f.Type.Kind() == reflect.String && !members[fmt.Sprint(at)]:
			v.Field(i).SetString(among(t, "", "x", "y"))
		}
	}
}

// editor rewrites values. The part in the view keeps its meaning and may be spelled in another way; everything else may
// change. An editor that meddles also changes some of the part in the view.
type editor struct {
	valueGenerator
	keep    view
	meddles bool
}

// respelled returns a copy that means the same to the view, and may mean anything to others.
func respelled(t *rapid.T, keep view, root modelNode, config reflect.Value) reflect.Value {
	return editor{valueGenerator: valueGenerator{t, keep}, keep: keep}.config(root, config)
}

// edited returns a copy that differs in a few places.
func edited(t *rapid.T, root modelNode, config reflect.Value) reflect.Value {
	return editor{valueGenerator: valueGenerator{t, blind}, keep: fullView, meddles: true}.config(root, config)
}

func (e editor) config(root modelNode, config reflect.Value) reflect.Value {
	rewritten := reflect.New(root.typ)
	rewritten.Elem().Set(e.value(root, config.Elem()))
	return rewritten
}

// member rewrites a member. One that is not there may come to stand there in a way that does not count, and the other way round.
func (e editor) member(m modelNode, v reflect.Value) reflect.Value {
	if e.meddle() {
		return e.valueGenerator.member(m)
	}
	_, there := e.keep.member(m, v)
	if !there && m.depth < maxDepth {
		switch pick(e.t, 3) {
		case 1:
			return reflect.Zero(m.typ)
		case 2:
			if another := e.valueGenerator.member(m); !e.sees(m, another) {
				return another
			}
		}
	}
	return e.value(m, v)
}

func (e editor) sees(m modelNode, v reflect.Value) bool {
	_, there := e.keep.member(m, v)
	return there
}

func (e editor) meddle() bool { return e.meddles && chance(e.t, 12) }

// value rewrites a value that stands there, or an element.
func (e editor) value(p modelNode, v reflect.Value) reflect.Value {
	rewritten := reflect.New(p.typ).Elem()
	if p.typ.Kind() == reflect.Pointer {
		if !v.IsNil() {
			rewritten.Set(reflect.New(p.typ.Elem()))
			rewritten.Elem().Set(e.value(p.pointed(), v.Elem()))
		}
		return rewritten
	}
	switch p.shape() {
	case leafShape:
		rewritten.Set(e.leaf(p, v))
	case objectShape:
		e.object(p, v, rewritten)
	case listShape:
		e.list(p, v, rewritten)
	case arrayShape:
		for i := range v.Len() {
			rewritten.Index(i).Set(e.element(p, v.Index(i)))
		}
	case mapShape:
		e.mapping(p, v, rewritten)
	}
	return rewritten
}

func (e editor) leaf(p modelNode, v reflect.Value) reflect.Value {
	if !e.keep.sees(p.class) || e.meddle() {
		return p.drawLeaf(e.t)
	}
	if p.as != "" && p.typ.Kind() == reflect.String {
		return respellText(e.t, p.as, v)
	}
	return leafByType[p.typ].respell(e.t, v)
}

func (e editor) object(p modelNode, v, rewritten reflect.Value) {
	for _, m := range p.members() {
		field := m.of(v)
		if !field.IsValid() {
			field = reflect.Zero(m.typ)
		}
		if another := e.member(m, field); m.of(v).IsValid() || !another.IsZero() {
			m.put(rewritten, another)
		}
	}
	stamp(e.t, p, rewritten)
}

// element rewrites an element of a collection: it keeps its key, and its selector where hotwhen must go on to hold or not.
func (e editor) element(p modelNode, v reflect.Value) reflect.Value {
	return e.elementAs(p, p.elemOf(v), v)
}

// elementAs is element for an element whose node is known.
func (e editor) elementAs(p, at modelNode, v reflect.Value) reflect.Value {
	isObject := at.shape() == objectShape && at.typ.Kind() == reflect.Pointer && !v.IsNil()
	mayBeNull := p.key == "" && !e.tellsNull(p)
	if isObject && mayBeNull {
		if zero := reflect.Zero(at.typ); chance(e.t, 2) && e.sameElement(p, at, v, zero) {
			return zero
		}
	}
	rewritten := e.value(at, v)
	if object := behind(rewritten); object.IsValid() && at.shape() == objectShape {
		if p.key != "" {
			copyField(at.member(p.key), behind(v), object)
		}
		if p.when != "" && e.keep.sees(p.class) {
			copyField(at.member(p.when), behind(v), object)
			e.flip(p, object)
		}
	}
	return rewritten
}

// flip may give an element another selector, most often one that makes it hot or ceases to.
func (e editor) flip(p modelNode, object reflect.Value) {
	if e.meddles && p.when != p.key && chance(e.t, 2) {
		selector := p.elem().member(p.when)
		selector.put(object, among(e.t, parsed(selector.typ, p.value), reflect.Zero(selector.typ), e.valueGenerator.value(selector)))
	}
}

// tellsNull reports whether null elements say something else than empty ones: that a key of a hot map is absent.
func (e editor) tellsNull(p modelNode) bool {
	return p.shape() == mapShape && (dropped(p.class) || p.keyRules() != nil)
}

// sameElement reports whether two elements of a collection mean the same.
func (e editor) sameElement(p, at modelNode, a, b reflect.Value) bool {
	one, whole, something := e.keep.elementAs(p, at, a)
	at = p.elemOf(b)
	other, whole2, something2 := e.keep.elementAs(p, at, b)
	return reflect.DeepEqual(one, other) && whole == whole2 && something == something2
}

// list rewrites a list. What nobody sees is drawn anew; otherwise the order changes where it means nothing.
func (e editor) list(p modelNode, v, rewritten reflect.Value) {
	if !e.keep.sees(p.class) && p.key == "" {
		e.valueGenerator.list(p, rewritten)
		return
	}
	if v.Len() > 0 || e.allocates(p, v) {
		rewritten.Set(reflect.MakeSlice(p.typ, 0, v.Len()))
	}
	for i := range v.Len() {
		if e.removes(p, p.elemOf(v.Index(i)), v.Index(i)) || e.meddle() {
			continue
		}
		elem := e.element(p, v.Index(i))
		rewritten.Set(reflect.Append(rewritten, elem))
		if p.set && chance(e.t, 4) {
			rewritten.Set(reflect.Append(rewritten, e.element(p, elem)))
		}
	}
	e.appendElement(p, v, rewritten)
	mayBeReversed := p.set || p.key != "" || e.meddle()
	if mayBeReversed && chance(e.t, 2) {
		kept := e.tied(p, rewritten)
		reverse(rewritten)
		if p.key != "" && !e.meddle() {
			e.restore(p, rewritten, kept)
		}
	}
}

// tie is what elements of a keyed list have in common that keep their order.
type tie struct {
	key   any
	level view
}

// tied lists the elements of each tie, in order.
func (e editor) tied(p modelNode, list reflect.Value) map[tie][]reflect.Value {
	tied := map[tie][]reflect.Value{}
	for i := range list.Len() {
		if p.key != "" {
			elem := reflect.New(list.Type().Elem()).Elem()
			elem.Set(list.Index(i))
			at := tieOf(p, elem)
			tied[at] = append(tied[at], elem)
		}
	}
	return tied
}

func tieOf(p modelNode, elem reflect.Value) tie { return tie{keyOf(p, elem), p.levelOf(elem)} }

// restore brings the elements of each tie back into their order, at the places that they have now.
func (e editor) restore(p modelNode, list reflect.Value, tied map[tie][]reflect.Value) {
	for i := range list.Len() {
		at := tieOf(p, list.Index(i))
		list.Index(i).Set(tied[at][0])
		tied[at] = tied[at][1:]
	}
}

// appendElement may add a new element to a list. If keys are unique, it has a new key.
func (e editor) appendElement(p modelNode, v, rewritten reflect.Value) {
	elem := e.valueGenerator.value(p.newElem())
	isTaken := p.key != "" && p.hasUniqueKeys() && !isNewKey(p, rewritten, elem)
	wasTaken := p.key != "" && p.hasUniqueKeys() && !isNewKey(p, v, elem)
	switch {
	case p.marksPresence() && rewritten.IsNil(): // which would be present from now on
	case isTaken, wasTaken:
	case e.meddle(), p.key != "" && e.adds(p, p.elemOf, elem) && chance(e.t, 2):
		rewritten.Set(reflect.Append(rewritten, elem))
	}
}

func reverse(list reflect.Value) {
	swap := reflect.Swapper(list.Interface())
	for i := range list.Len() / 2 {
		swap(i, list.Len()-1-i)
	}
}

// allocates decides whether an empty list or map is nil. In a field without presence that makes no difference; in an element it may.
func (e editor) allocates(p modelNode, v reflect.Value) bool {
	if (p.name == "" || p.marksPresence()) && !e.meddle() {
		return !v.IsNil()
	}
	return chance(e.t, 2)
}

// removes decides to remove an element that nobody sees.
func (e editor) removes(p, at modelNode, elem reflect.Value) bool {
	_, whole, something := e.keep.elementAs(p, at, elem)
	return !whole && !something && chance(e.t, 2)
}

// newElem is the node of an element that comes to a collection: a selected one if there can be.
func (p modelNode) newElem() modelNode {
	if p.when != "" {
		return p.hotElem()
	}
	return p.elem()
}

// adds reports whether an element can be added without anybody seeing it.
func (e editor) adds(p modelNode, nodeOf func(elem reflect.Value) modelNode, elem reflect.Value) bool {
	if p.when != "" && p.when != p.key && behind(elem).IsValid() {
		selector := p.hotElem().member(p.when)
		selector.put(behind(elem), parsed(selector.typ, p.value))
	}
	_, whole, something := e.keep.elementAs(p, nodeOf(elem), elem)
	return !whole && !something
}

func (e editor) mapping(p modelNode, v, rewritten reflect.Value) {
	if v.Len() > 0 || e.allocates(p, v) {
		rewritten.Set(reflect.MakeMap(p.typ))
	}
	for _, key := range sortedKeys(v) {
		if elem := v.MapIndex(key); !e.removes(p, p.entryOf(key, elem), elem) && !e.meddle() {
			rewritten.SetMapIndex(key, e.elementAs(p, p.entryOf(key, elem), elem))
		}
	}
	key := e.mapKey(p)
	added := p.newElem()
	if p.when == "" {
		added = p.underKey(key)
	}
	elem := e.valueGenerator.value(added)
	nodeOf := func(elem reflect.Value) modelNode { return p.entryOf(key, elem) }
	if p.marksPresence() && rewritten.IsNil() {
		return
	}
	isAdded := e.meddle()
	if !isAdded && !v.MapIndex(key).IsValid() {
		isAdded = e.adds(p, nodeOf, elem) && chance(e.t, 2)
	}
	if isAdded {
		if rewritten.IsNil() {
			rewritten.Set(reflect.MakeMap(p.typ))
		}
		rewritten.SetMapIndex(key, elem)
	}
}

func sortedKeys(m reflect.Value) []reflect.Value {
	return slices.SortedFunc(slices.Values(m.MapKeys()), func(a, b reflect.Value) int {
		return strings.Compare(fmt.Sprint(a.Interface()), fmt.Sprint(b.Interface()))
	})
}
