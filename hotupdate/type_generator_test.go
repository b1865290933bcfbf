package hotupdate_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// typeDescriptor describes a generated type. One descriptor makes several types with the same JSON, see [wording].
type typeDescriptor struct {
	shape    shape
	pointers int
	leaf     reflect.Type
	key      reflect.Type // of a map
	length   int          // of an array
	elem     *typeDescriptor
	fields   []*field
	scope    scope // of the fields
}

// field is a field of a generated struct.
type field struct {
	id       int    // distinguishes the fields of a type
	json     string // struct tag; empty for an embedded struct
	tag      string // hotupdatable struct tag; empty if there is none
	value    *typeDescriptor
	embedded bool

	staysInJSON bool // JSON must not leave out the member, as it would behind a nil embedded pointer
}

// wording has choices of a type's developer without effect: names in Go, the order of fields, the width of integers.
type wording struct {
	prefix  string
	reverse bool
	widen   bool
}

var plainWording = wording{prefix: "F"}

func (b *typeDescriptor) build(w wording) reflect.Type {
	t := b.bare(w)
	for range b.pointers {
		t = reflect.PointerTo(t)
	}
	return t
}

func (b *typeDescriptor) bare(w wording) reflect.Type {
	switch b.shape {
	case leafShape:
		if wide, ok := wider[b.leaf]; ok && w.widen {
			return wide
		}
		return b.leaf
	case listShape:
		return reflect.SliceOf(b.elem.build(w))
	case arrayShape:
		return reflect.ArrayOf(b.length, b.elem.build(w))
	case mapShape:
		return reflect.MapOf(b.key, b.elem.build(w))
	case objectShape:
	}
	fields := make([]reflect.StructField, len(b.fields))
	for i, f := range b.fields {
		fields[i] = f.build(w)
	}
	if w.reverse {
		slices.Reverse(fields)
	}
	return reflect.StructOf(fields)
}

func (f *field) build(w wording) reflect.StructField {
	var tags []string
	if f.json != "" {
		tags = append(tags, "json:"+strconv.Quote(f.jsonTag()))
	}
	if f.tag != "" {
		tags = append(tags, "hotupdatable:"+strconv.Quote(f.tag))
	}
	return reflect.StructField{
		Name: w.prefix + strconv.Itoa(f.id), Type: f.value.build(w), Anonymous: f.embedded, Tag: reflect.StructTag(strings.Join(tags, " ")),
	}
}

// jsonTag leaves out omitzero if encoding/json would leave out pointers to zero quantities, which have a meaning.
func (f *field) jsonTag() string {
	if f.value.shape == leafShape && f.value.pointers > 0 {
		return strings.Replace(f.json, ",omitzero", "", 1)
	}
	return f.json
}

// wider maps integer types to wider ones. Bytes are not widened: a slice of bytes is no list of numbers.
var wider = map[reflect.Type]reflect.Type{
	reflect.TypeFor[int8]():   reflect.TypeFor[int32](),
	reflect.TypeFor[int16]():  reflect.TypeFor[int](),
	reflect.TypeFor[int32]():  reflect.TypeFor[int64](),
	reflect.TypeFor[int]():    reflect.TypeFor[int64](),
	reflect.TypeFor[uint16](): reflect.TypeFor[uint64](),
	reflect.TypeFor[uint32](): reflect.TypeFor[int64](),
	reflect.TypeFor[uint]():   reflect.TypeFor[uint64](),
}

// classes is a set of classes.
type classes uint8

func setOf(all ...hotupdate.Class) (s classes) {
	for _, c := range all {
		s |= 1 << c
	}
	return s
}

func (s classes) list() (list []hotupdate.Class) {
	for c := hotupdate.Immutable; c <= hotupdate.Ignored; c++ {
		if s&setOf(c) != 0 {
			list = append(list, c)
		}
	}
	return list
}

var (
	everyClass = setOf(hotupdate.Immutable, hotupdate.InPlace, hotupdate.Hot, hotupdate.Ignored)
	hotClasses = setOf(hotupdate.Hot, hotupdate.Ignored)
)

func dropped(c hotupdate.Class) bool { return hotClasses&setOf(c) != 0 }

// scope has the class that the fields of a struct inherit, and the classes that they may declare.
type scope struct {
	class    hotupdate.Class
	selected hotupdate.Class // the class in elements that hotwhen selects; equal to class outside of them
	ruled    classes         // the classes under single keys of the maps around
	may      classes         // classes that a field may declare
	depth    int             // remaining levels of nesting
	path     string          // for overrides
	inMap    bool            // values may not be addressable
}

// declare returns the scope of a field that declares a class.
func (s scope) declare(c hotupdate.Class) scope {
	s.class = c
	s.selected = c
	s.ruled = 0
	return s
}

// elements returns the scope below a list that is paired by position, or an array: below a hot one, everything has its class.
func (s scope) elements() scope {
	s.path += "[]"
	s.depth--
	for _, c := range append(s.ruled.list(), s.class, s.selected) {
		if dropped(c) {
			s.may &= setOf(c)
		}
	}
	return s
}

// ofSet returns the scope below a set: everything has its class.
func (s scope) ofSet() scope {
	s.path += "[]"
	s.depth--
	s.may &= setOf(s.class) & setOf(s.selected)
	for _, c := range s.ruled.list() {
		s.may &= setOf(c)
	}
	return s
}

// ofKeys returns the scope below a map or keyed list.
func (s scope) ofKeys() scope {
	s.inMap = true
	s.path += "[]"
	s.depth--
	return s
}

// takesHotWhen reports whether a collection may select elements to be hot.
func (s scope) takesHotWhen() bool {
	isHot := s.class == hotupdate.Hot || s.selected == hotupdate.Hot
	hasHotKeys := s.ruled&setOf(hotupdate.Hot) != 0
	return s.may == everyClass && !isHot && !hasHotKeys
}

// typeGenerator draws type descriptors and their overrides.
type typeGenerator struct {
	t         *rapid.T
	fields    int // so far
	overrides map[string]string
	forJSON   bool // only types that encoding/json writes and reads back
	textKeys  bool // only maps whose keys are texts
	loadable  bool // only leaves that do not marshal themselves, or that every Schema knows
}

func newTypeGenerator(t *rapid.T) *typeGenerator {
	return &typeGenerator{t: t, overrides: map[string]string{}}
}

func newJSONTypeGenerator(t *rapid.T) *typeGenerator {
	a := newTypeGenerator(t)
	a.forJSON = true
	return a
}

// leaf draws the type of a leaf. encoding/json does not find marshalers with pointer receivers in maps.
func (a *typeGenerator) leaf(s scope) leafType {
	l := among(a.t, leafTypes...)
	isMarshaler := l.typ.Implements(reflect.TypeFor[json.Marshaler]()) || l.typ.Implements(reflect.TypeFor[encoding.TextMarshaler]())
	onlyPointerMarshals := marshals(l.typ) && !isMarshaler
	isNotFound := a.forJSON && s.inMap && onlyPointerMarshals
	isNotLoaded := a.loadable && isOpaque(l.typ)
	if isNotFound || isNotLoaded {
		return leafTypes[0]
	}
	return l
}

// isOpaque reports whether a type of these tests marshals itself, so that only its own decoder knows what to refuse.
func isOpaque(t reflect.Type) bool {
	return marshals(t) && t.PkgPath() == reflect.TypeFor[textValue]().PkgPath()
}

// newLoadableTypeGenerator draws types that a loaded Schema reads as their Go type does.
func newLoadableTypeGenerator(t *rapid.T) *typeGenerator {
	a := newJSONTypeGenerator(t)
	a.textKeys = true
	a.loadable = true
	return a
}

// config draws the descriptor of a configuration's type.
func (a *typeGenerator) config() *typeDescriptor {
	return a.object(scope{may: everyClass, depth: 4}, 1+pick(a.t, 5))
}

// manyLeaves draws the descriptor of a type with a field for every other leaf, all of one shape: plain, behind a
// pointer, in an array, a map or a set of lists.
func (a *typeGenerator) manyLeaves() *typeDescriptor {
	s := scope{may: everyClass, depth: 1}
	b := &typeDescriptor{shape: objectShape, scope: s}
	form := pick(a.t, 5)
	for _, l := range leafTypes {
		isLeftOut := a.loadable && isOpaque(l.typ)
		if isLeftOut || !chance(a.t, 2) {
			continue
		}
		f := a.named()
		f.tag = among(a.t, "", "false", "inplace", "true")
		leaf := &typeDescriptor{shape: leafShape, leaf: l.typ}
		switch form {
		case 0:
			f.value = leaf
		case 1:
			f.value = leaf
			leaf.pointers = 1
		case 2:
			f.value = &typeDescriptor{shape: arrayShape, length: 2, elem: leaf}
		case 3:
			leaf.pointers = 1
			f.value = &typeDescriptor{shape: mapShape, key: a.mapKey(), elem: leaf}
		default:
			f.tag = among(a.t, "false", "true") + ",set"
			leaf.pointers = 1
			f.value = &typeDescriptor{shape: listShape, elem: &typeDescriptor{shape: listShape, elem: leaf}}
		}
		b.fields = append(b.fields, f)
	}
	return b
}

// manyLists draws the descriptor of a type with a list of every kind without an order, and maps.
func (a *typeGenerator) manyLists() *typeDescriptor {
	s := scope{may: everyClass, depth: 1}
	b := &typeDescriptor{shape: objectShape, scope: s}
	for range 3 {
		keyed := a.named()
		set := a.named()
		mapped := a.named()
		keyed.value = &typeDescriptor{shape: listShape}
		set.value = &typeDescriptor{shape: listShape}
		a.keyedField(keyed, s)
		set.value.elem = a.element(a.tagged(set, s, "set").ofSet())
		a.mapField(mapped, s)
		b.fields = append(b.fields, keyed, set, mapped)
	}
	return b
}

// extended returns a copy of a typeDescriptor with further fields in structs, made by draw, which may return nil.
// Structs without fields get none: their presence would lose its meaning.
func (a *typeGenerator) extended(b *typeDescriptor, draw func(s scope) *field) *typeDescriptor {
	if b == nil {
		return nil
	}
	larger := *b
	larger.elem = a.extended(b.elem, draw)
	larger.fields = nil
	for _, f := range b.fields {
		another := *f
		another.value = a.extended(f.value, draw)
		larger.fields = append(larger.fields, &another)
	}
	if b.members() > 0 {
		if f := draw(b.scope); f != nil {
			larger.fields = append(larger.fields, f)
		}
	}
	return &larger
}

// members counts the fields in JSON.
func (b *typeDescriptor) members() (n int) {
	for _, f := range b.fields {
		if f.embedded {
			n += f.value.members()
		} else {
			n++
		}
	}
	return n
}

// hotField draws a field in which everything is Hot or Ignored, or nil if there cannot be one.
func (a *typeGenerator) hotField(s scope) *field {
	if s.may &= hotClasses; s.may == 0 {
		return nil
	}
	f := a.named()
	f.value = a.pointed(a.any(a.tagged(f, s)))
	return f
}

func (a *typeGenerator) object(s scope, fields int) *typeDescriptor {
	b := &typeDescriptor{shape: objectShape, scope: s}
	for range fields {
		b.fields = append(b.fields, a.field(s))
	}
	return b
}

// field draws any field.
func (a *typeGenerator) field(s scope) *field {
	if s.depth > 1 && chance(a.t, 10) {
		return a.embed(s)
	}
	f := a.named()
	switch n := pick(a.t, 12); {
	case n < 5 || s.depth <= 0:
		a.leafField(f, s)
	case n < 7:
		a.objectField(f, s)
	case n < 8:
		f.value = a.pointed(a.any(a.declared(f, s)))
	case n < 10:
		a.listField(f, s)
	default:
		a.mapField(f, s)
	}
	if f.tag != "" && f.value.holdsTexts() && chance(a.t, 3) {
		f.tag += ",as=" + among(a.t, slices.Sorted(maps.Keys(textsAs))...)
	}
	a.filled(f)
	return f
}

// filled may give a pointer to an object, list or map a default.
func (a *typeGenerator) filled(f *field) {
	isTaken := f.tag == "" || strings.Contains(f.tag, "presence") || strings.Contains(f.tag, "default=")
	isPointed := f.value.pointers > 0 && f.value.shape != leafShape && f.value.shape != arrayShape
	mayBeFilled := isPointed && !isTaken && !f.embedded
	if !mayBeFilled || !chance(a.t, 2) {
		return
	}
	class, options, _ := readTag(f.tag, hotupdate.Immutable)
	m := modelNode{
		typ: f.value.bare(plainWording), class: class, options: options, as: readAs(f.tag),
		by: &reading{keys: uniqueKeys, members: map[memberKey][]modelNode{}}, depth: usualDepth,
	}
	drawn := valueGenerator{a.t, blind}.value(m)
	if raw, err := json.Marshal(drawn.Interface()); err == nil && rereads(drawn, raw) {
		f.tag += ",default='" + strings.ReplaceAll(string(raw), "'", "''") + "'"
	}
}

// rereads reports whether JSON that was written is read back and written again. Some types do not do that in a map.
func rereads(v reflect.Value, raw []byte) bool {
	again := reflect.New(v.Type())
	if slices.Contains([]string{"null", "{}", "[]"}, string(raw)) || json.Unmarshal(raw, again.Interface()) != nil {
		return false
	}
	written, err := json.Marshal(again.Elem().Interface())
	return err == nil && string(written) == string(raw)
}

// holdsTexts reports whether a value is a string, or lists and maps of strings.
func (b *typeDescriptor) holdsTexts() bool {
	for b.elem != nil {
		b = b.elem
	}
	isString := b.leaf != nil && b.leaf.Kind() == reflect.String
	return isString && !marshals(b.leaf) && b.leaf != reflect.TypeFor[json.Number]()
}

// named draws a field with a JSON name that no other field of the type has.
func (a *typeGenerator) named() *field {
	a.fields++
	name := among(a.t, "a", "b", "Name", "z", "\u00e9", "x-y", "a.b", "$", "a b", "m[0]", "t~/") + strconv.Itoa(a.fields)
	return &field{id: a.fields, json: name + among(a.t, "", ",omitempty", ",omitzero")}
}

func (f *field) name() string {
	name, _, _ := strings.Cut(f.json, ",")
	return name
}

// embed draws an embedded struct, by value or by pointer.
func (a *typeGenerator) embed(s scope) *field {
	a.fields++
	f := &field{id: a.fields, embedded: true}
	if chance(a.t, 2) {
		c := among(a.t, s.may.list()...)
		f.tag = word(c)
		s = s.declare(c)
	}
	s.depth--
	f.value = a.object(s, 1+pick(a.t, 3))
	f.value.pointers = pick(a.t, 2)
	return f
}

func word(c hotupdate.Class) string {
	return [...]string{hotupdate.Immutable: "false", hotupdate.InPlace: "inplace", hotupdate.Hot: "true", hotupdate.Ignored: "ignore"}[c]
}

// declared may give the field a class, by struct tag or by override, and returns the scope of its value.
func (a *typeGenerator) declared(f *field, s scope) scope {
	if s.may == 0 || chance(a.t, 2) {
		s.path = step(s.path, f.name())
		return s
	}
	return a.tagged(f, s)
}

// tagged gives the field a class and options.
func (a *typeGenerator) tagged(f *field, s scope, options ...string) scope {
	c := among(a.t, s.may.list()...)
	f.tag = strings.Join(append([]string{word(c)}, options...), ",")
	s = s.declare(c)
	s.path = step(s.path, f.name())
	return a.overridden(s)
}

// overridden may override the class of a field whose path the scope has.
func (a *typeGenerator) overridden(s scope) scope {
	if !chance(a.t, 5) {
		return s
	}
	c := among(a.t, s.may.list()...)
	a.overrides[s.path] = word(c)
	return s.declare(c)
}

// overrideTags moves struct tags of some fields, with their options, to overrides.
func (a *typeGenerator) overrideTags(b *typeDescriptor) {
	if b == nil {
		return
	}
	a.overrideTags(b.elem)
	for _, f := range b.fields {
		a.overrideTags(f.value)
		path := step(b.scope.path, f.name())
		_, overridden := a.overrides[path]
		isTagged := !f.embedded && f.tag != ""
		mayBeOverridden := isTagged && !overridden && b.scope.may != 0
		if mayBeOverridden && chance(a.t, 4) {
			a.overrides[path] = f.tag
			f.tag = among(a.t, "", "true", "false,sensitive")
		}
	}
}

// leafField draws a leaf with or without a default, sometimes behind pointers.
func (a *typeGenerator) leafField(f *field, s scope) {
	l := a.leaf(s)
	f.value = a.pointed(&typeDescriptor{shape: leafShape, leaf: l.typ})
	options := []string{"sensitive"}
	if len(l.fallbacks) > 0 {
		options = append(options, "default="+among(a.t, l.fallbacks...))
	}
	if quotable(l.typ) && chance(a.t, 6) {
		f.json += ",string"
	}
	if f.value.pointers == 0 && slices.Contains(options, "default=0") {
		options = options[:1]
	}
	a.optional(f, s, options...)
}

// quotable reports whether encoding/json spells values of t as strings if asked to.
func quotable(t reflect.Type) bool {
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64 && !marshals(t)
}

// optional declares the field's class, and sometimes one of the options with it.
func (a *typeGenerator) optional(f *field, s scope, options ...string) scope {
	if s.may == 0 || chance(a.t, 2) {
		return a.declared(f, s)
	}
	return a.tagged(f, s, among(a.t, options...))
}

func (a *typeGenerator) objectField(f *field, s scope) {
	pointers := min(pick(a.t, 4), 2)
	options := []string{"sensitive=keys"}
	if pointers > 0 {
		options = []string{"presence", "presence,sensitive"}
	}
	inner := a.optional(f, s, options...)
	inner.depth--
	f.value = a.object(inner, pick(a.t, 5))
	f.value.pointers = pointers
}

// listField draws a list by position, an array, a set, or a keyed list.
func (a *typeGenerator) listField(f *field, s scope) {
	f.value = &typeDescriptor{shape: listShape}
	kind := pick(a.t, 4)
	if s.may == 0 {
		kind = 0
	}
	switch kind {
	case 0:
		f.value.elem = a.element(a.declared(f, s).elements())
		if chance(a.t, 3) {
			f.value.shape = arrayShape
			f.value.length = 1 + pick(a.t, 2)
		}
	case 1:
		f.value.elem = a.element(a.tagged(f, s, "set").ofSet())
	default:
		a.keyedField(f, s)
	}
	a.pointedCollection(f)
}

// pointedCollection sometimes puts a pointer in front of a list or map, whose presence may then have a meaning.
func (a *typeGenerator) pointedCollection(f *field) {
	f.value.pointers = max(0, pick(a.t, 6)-4)
	isPointed := f.value.pointers > 0 && f.value.shape != arrayShape
	if isPointed && f.tag != "" && chance(a.t, 2) {
		f.tag += ",presence"
	}
}

// keyedField draws a list with key=, sometimes with hotwhen=.
func (a *typeGenerator) keyedField(f *field, s scope) {
	key := a.identity("key", reflect.TypeFor[string](), reflect.TypeFor[namedString](), reflect.TypeFor[int32](), reflect.TypeFor[uint64]())
	key.value.pointers = max(0, pick(a.t, 5)-3)
	key.staysInJSON = key.value.pointers == 0 && key.value.leaf.Kind() != reflect.String
	inner := a.tagged(f, s, "key="+key.name())
	if key.value.pointers == 0 && inner.takesHotWhen() && chance(a.t, 4) { // the key is the selector as well
		f.tag += fmt.Sprintf(",hotwhen=%s:%s", key.name(), selectorValue(a.t, key.value.leaf))
		inner.selected = hotupdate.Hot
		f.value.elem = a.elements(inner, key)
		return
	}
	f.value.elem = a.identified(f, inner, key)
}

// identity draws a required field.
func (a *typeGenerator) identity(name string, types ...reflect.Type) *field {
	a.fields++
	return &field{id: a.fields, json: name + strconv.Itoa(a.fields), value: &typeDescriptor{shape: leafShape, leaf: among(a.t, types...)}}
}

// identified draws the struct elements of a collection. They have the given fields, and sometimes a selector.
func (a *typeGenerator) identified(f *field, s scope, fields ...*field) *typeDescriptor {
	if s.takesHotWhen() && !chance(a.t, 3) {
		selector := a.identity("when", reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[int]())
		f.tag += fmt.Sprintf(",hotwhen=%s:%s", selector.name(), selectorValue(a.t, selector.value.leaf))
		if chance(a.t, 4) {
			selector.tag = word(s.class)
		}
		fields = append(fields, selector)
		s.selected = hotupdate.Hot
	}
	return a.elements(s, fields...)
}

// elements draws structs with the given fields.
func (a *typeGenerator) elements(s scope, fields ...*field) *typeDescriptor {
	elem := a.object(s.ofKeys(), pick(a.t, 4))
	for _, f := range fields {
		elem.fields = append(elem.fields, a.sometimesEmbedded(f))
	}
	elem.pointers = pick(a.t, 2)
	return elem
}

func (a *typeGenerator) sometimesEmbedded(f *field) *field {
	if !chance(a.t, 6) {
		return f
	}
	a.fields++
	outer := &typeDescriptor{shape: objectShape, fields: []*field{f}, pointers: pick(a.t, 2)}
	if f.staysInJSON {
		outer.pointers = 0
	}
	return &field{id: a.fields, embedded: true, value: outer}
}

func selectorValue(t *rapid.T, typ reflect.Type) string {
	switch typ.Kind() {
	case reflect.Bool:
		return among(t, "false", "true")
	case reflect.String:
		return among(t, "a", "b", "''", "'a, b'")
	}
	return among(t, "0", "1", "2")
}

func (a *typeGenerator) mapField(f *field, s scope) {
	f.value = &typeDescriptor{shape: mapShape, key: a.mapKey()}
	defer a.pointedCollection(f)
	if s.may == everyClass && chance(a.t, 3) {
		f.value.elem = a.element(a.keyed(f, a.tagged(f, s)).ofKeys())
		return
	}
	if s.may != everyClass || chance(a.t, 3) {
		f.value.elem = a.element(a.ruled(f.value.key, a.optional(f, s, "sensitive", "sensitive=keys")).ofKeys())
		return
	}
	f.value.elem = a.identified(f, a.tagged(f, s), nil...)
}

// keyed gives single keys of a map classes, by options of its field and by overrides.
func (a *typeGenerator) keyed(f *field, s scope) scope {
	patterns := patternsFor(f.value.key)
	for n := pick(a.t, 4); n > 0 && len(patterns) > n; n-- {
		i := pick(a.t, len(patterns))
		c := among(a.t, s.may.list()...)
		f.tag += ",keyclass=" + word(c) + ":'" + strings.ReplaceAll(patterns[i], "'", "''") + "'"
		s.ruled |= setOf(c)
		patterns = slices.Delete(patterns, i, i+1)
	}
	return a.ruledAmong(patterns, s)
}

// ruled may give single keys of a map classes by overrides. The scope has the path of the map.
func (a *typeGenerator) ruled(key reflect.Type, s scope) scope {
	return a.ruledAmong(patternsFor(key), s)
}

func (a *typeGenerator) ruledAmong(patterns []string, s scope) scope {
	if s.may == 0 || !chance(a.t, 4) {
		return s
	}
	for n := 1 + pick(a.t, 3); n > 0 && len(patterns) > n; n-- {
		i := pick(a.t, len(patterns))
		c := among(a.t, s.may.list()...)
		a.overrides[keyStep(s.path, patterns[i])] = word(c)
		s.ruled |= setOf(c)
		patterns = slices.Delete(patterns, i, i+1)
	}
	return s
}

// patternsFor are the patterns that may match a key of a type.
func patternsFor(key reflect.Type) []string {
	if key.Kind() == reflect.String || key == reflect.TypeFor[textValue]() {
		return slices.Clone(keyPatterns)
	}
	return nil
}

func (a *typeGenerator) mapKey() reflect.Type {
	if a.textKeys {
		return among(a.t, reflect.TypeFor[string](), reflect.TypeFor[namedString]())
	}
	return among(
		a.t, reflect.TypeFor[string](), reflect.TypeFor[namedString](), reflect.TypeFor[int16](), reflect.TypeFor[uint8](),
		reflect.TypeFor[textValue](),
	)
}

// element draws the element of a list, array or map.
func (a *typeGenerator) element(s scope) *typeDescriptor {
	b := a.pointed(a.any(s))
	if b.pointers == 0 && b.leaf == reflect.TypeFor[uint8]() {
		b.leaf = reflect.TypeFor[uint16]() // a slice of bytes is a leaf
	}
	return b
}

// any draws a value without options of its own.
func (a *typeGenerator) any(s scope) *typeDescriptor {
	switch n := pick(a.t, 10); {
	case n < 4 || s.depth <= 0:
		return &typeDescriptor{shape: leafShape, leaf: a.leaf(s).typ}
	case n < 7:
		s.depth--
		return a.object(s, pick(a.t, 4))
	case n < 8:
		return &typeDescriptor{shape: listShape, elem: a.element(s.elements())}
	case n < 9:
		return &typeDescriptor{shape: arrayShape, length: pick(a.t, 4), elem: a.element(s.elements())}
	}
	key := a.mapKey()
	return &typeDescriptor{shape: mapShape, key: key, elem: a.element(a.ruled(key, s).ofKeys())}
}

// pointed puts pointers in front of a value: most often none, sometimes two.
func (a *typeGenerator) pointed(b *typeDescriptor) *typeDescriptor {
	b.pointers = max(0, pick(a.t, 6)-3)
	return b
}
