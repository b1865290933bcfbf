package hotupdate_test

import (
	"cmp"
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// modelNode has the facts in the Go source about a value in a configuration: its type, its class, and the struct tag of
// its field. It reads the struct tags in the simplest way, independently of the engine's field plan.
type modelNode struct {
	typ   reflect.Type
	class hotupdate.Class
	path  string // for WithTag
	by    *reading
	depth int
	options

	selector string // of elements that are selected: the member that is hot like the rest, whatever its struct tag says
	name     string // JSON name, of members
	index    []int  // of members, through embedded structs
	secret   bool
	optional bool
	as       string // the option as, also of elements
}

// reading is the state of reading a type: its overrides, and a cache of its members.
type reading struct {
	overrides map[string]string
	keys      keysDrawn
	members   map[memberKey][]modelNode
}

// keysDrawn says how often a key of a list may be drawn.
type keysDrawn int

const (
	anyKeys       keysDrawn = iota
	uniqueKeys              // once
	uniqueIfMixed           // once in lists whose elements may have different classes
)

// memberKey has the inputs of an object's members.
type memberKey struct {
	typ            reflect.Type
	class          hotupdate.Class
	path, selector string
	secret         bool
}

// options are the options in a struct tag.
type options struct {
	set, presence bool
	key           string
	when, value   string // hotwhen=when:value
	keys          string // the texts of all keyclass=, each with a line feed behind it
	fallback      *string
}

// shape is the form of a value in JSON.
type shape int

const (
	leafShape shape = iota
	objectShape
	listShape
	arrayShape
	mapShape
)

// rootOf is the node of a whole configuration.
func rootOf(t reflect.Type, overrides map[string]string) modelNode {
	return modelNode{typ: t, by: &reading{overrides: overrides, members: map[memberKey][]modelNode{}}}
}

// base is a type without pointers.
func base(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

func shapeOf(t reflect.Type) shape {
	t = base(t)
	switch {
	case marshals(t), t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return leafShape
	case t.Kind() == reflect.Struct:
		return objectShape
	case t.Kind() == reflect.Slice:
		return listShape
	case t.Kind() == reflect.Array:
		return arrayShape
	case t.Kind() == reflect.Map:
		return mapShape
	}
	return leafShape
}

func (p modelNode) shape() shape { return shapeOf(p.typ) }

// marshals reports whether t, or a pointer to it, writes its own JSON.
func marshals(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// pointed is the same node behind one pointer.
func (p modelNode) pointed() modelNode {
	p.typ = p.typ.Elem()
	return p
}

// elem is the node of the elements of a list, array or map.
func (p modelNode) elem() modelNode {
	return modelNode{typ: base(p.typ).Elem(), class: p.class, path: p.path + "[]", by: p.by, depth: p.depth + 1, secret: p.secret, as: p.as}
}

// hotElem is the node of the elements that hotwhen selects.
func (p modelNode) hotElem() modelNode {
	e := p.elem()
	e.class = hotupdate.Hot
	e.selector = p.when
	return e
}

// elemOf is the node of one element of a list.
func (p modelNode) elemOf(elem reflect.Value) modelNode {
	if p.selects(elem) {
		return p.hotElem()
	}
	return p.elem()
}

// entryOf is the node of one entry of a map.
func (p modelNode) entryOf(key, elem reflect.Value) modelNode {
	e := p.elemOf(elem)
	if class, ruled := p.classOfKey(keyText(key)); ruled {
		e.class = class
	}
	return e
}

// classOfKey is the class that a rule gives to one key: the rule with the exact key, or else that with the longest
// prefix. A rule of an override replaces an equal one of the struct tag.
func (p modelNode) classOfKey(key string) (class hotupdate.Class, ruled bool) {
	best := -1
	for _, rule := range p.keyRules() {
		rank := len(key) + 1
		if prefix, isPrefix := strings.CutSuffix(rule.pattern, "*"); isPrefix {
			if !strings.HasPrefix(key, prefix) {
				continue
			}
			rank = len(prefix)
		} else if rule.pattern != key {
			continue
		}
		if rank >= best {
			best = rank
			class = rule.class
		}
	}
	return class, best >= 0
}

// keyRule gives a class to a key, or to all keys with a prefix before "*".
type keyRule struct {
	pattern string
	class   hotupdate.Class
}

// keyRules lists the rules of a map, those of overrides last.
func (p modelNode) keyRules() (rules []keyRule) {
	if p.shape() != mapShape {
		return nil
	}
	for written := range strings.SplitSeq(strings.TrimSuffix(p.keys, "\n"), "\n") {
		if word, pattern, found := strings.Cut(written, ":"); found {
			class, _, _ := readTag(word, p.class)
			rules = append(rules, keyRule{unquoted(pattern), class})
		}
	}
	for path, tag := range p.by.overrides {
		for _, pattern := range keyPatterns {
			if path == keyStep(p.path, pattern) {
				class, _, _ := readTag(tag, p.class)
				rules = append(rules, keyRule{pattern, class})
			}
		}
	}
	return rules
}

// keyPatterns are the keys and prefixes that generated rules are about.
var keyPatterns = []string{"a", "b", "\u00e9", "", "a.b/c~[0]", "c,'d", "a*", "a.*", "a.b/*", "\u00e9*", "b*", "x", "y*"}

// fieldless reports whether the type has no members at all, so that only its presence can have a meaning.
func (p modelNode) fieldless() bool { return p.shape() == objectShape && len(p.members()) == 0 }

// marksPresence reports whether an empty object, list or map may say something else than a missing one.
func (p modelNode) marksPresence() bool {
	return p.presence || p.fillsIn()
}

// fillsIn reports whether an object, list or map has a default that says something which its parts do not say themselves.
func (p modelNode) fillsIn() bool {
	if p.fallback == nil || p.shape() == leafShape {
		return false
	}
	plain := p
	plain.fallback = nil
	_, says := fullView.member(plain, parsed(base(p.typ), *p.fallback))
	return says
}

// outer is a struct whose fields are members of an object: the object's own, or one embedded in it.
type outer struct {
	typ    reflect.Type
	index  []int
	class  hotupdate.Class
	secret bool
}

// members lists the fields of a struct that are in JSON, sorted by name.
func (p modelNode) members() []modelNode {
	key := memberKey{base(p.typ), p.class, p.path, p.selector, p.secret}
	members, known := p.by.members[key]
	if !known {
		members = p.read()
		p.by.members[key] = members
	}
	return members
}

// read reads the members of a struct. Of members with one name it takes the shallowest, and none if there are two of them.
func (p modelNode) read() []modelNode {
	found := map[string][]modelNode{}
	for level := []outer{{typ: base(p.typ), class: p.class, secret: p.secret}}; len(level) > 0; {
		here := map[string][]modelNode{}
		level = p.scan(level, here)
		for name, members := range here {
			if _, shadowed := found[name]; !shadowed {
				found[name] = members
			}
		}
	}
	var members []modelNode
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if len(found[name]) == 1 {
			members = append(members, found[name][0])
		}
	}
	return members
}

// scan sorts the fields of one level of embedding into members and the next level.
func (p modelNode) scan(level []outer, members map[string][]modelNode) (next []outer) {
	for _, o := range level {
		for i := range o.typ.NumField() {
			f := o.typ.Field(i)
			name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
			isHidden := name == "-" || !f.IsExported() && !f.Anonymous
			isTypeMeta := p.depth == 0 && f.Type == reflect.TypeFor[metav1.TypeMeta]()
			if isHidden || isTypeMeta {
				continue
			}
			index := append(slices.Clone(o.index), i)
			tag := f.Tag.Get("hotupdatable")
			class, opts, secret := readTag(tag, o.class)
			as := readAs(tag)
			if f.Anonymous && name == "" {
				next = append(next, outer{typ: base(f.Type), index: index, class: class, secret: o.secret || secret})
				continue
			}
			m := modelNode{
				typ: f.Type, class: class, path: step(p.path, name), by: p.by, depth: p.depth + 1, options: opts, name: name, index: index,
				secret: o.secret || secret, optional: strings.Contains(rest, "omit"), as: as,
			}
			if override, ok := p.by.overrides[m.path]; ok {
				m = m.overridden(override)
			}
			if name == p.selector {
				m.class = hotupdate.Hot
			}
			members[name] = append(members[name], m)
		}
	}
	return next
}

// overridden applies a struct tag to a member that may have one. Without options of its own it leaves those of the member.
func (p modelNode) overridden(tag string) modelNode {
	class, opts, secret := readTag(tag, p.class)
	p.class = class
	p.secret = p.secret || secret
	p.as = cmp.Or(readAs(tag), p.as)
	if opts != (options{}) {
		p.options = opts
	}
	return p
}

// step adds a JSON name to a path for WithTag.
func step(path, name string) string {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return path + "[" + strconv.Quote(name) + "]"
	}
	return strings.TrimPrefix(path+"."+name, ".")
}

// keyStep adds a key of a map, or a prefix of keys and "*", to a path for WithTag.
func keyStep(path, pattern string) string { return path + "[" + strconv.Quote(pattern) + "]" }

// member finds a member by name.
func (p modelNode) member(name string) modelNode {
	members := p.members()
	i, _ := slices.BinarySearchFunc(members, name, func(m modelNode, name string) int { return cmp.Compare(m.name, name) })
	return members[i]
}

// readTag reads a well-formed struct tag.
func readTag(tag string, inherited hotupdate.Class) (class hotupdate.Class, o options, secret bool) {
	words := splitOptions(tag)
	switch words[0] {
	case "":
		return inherited, o, false
	case "true":
		class = hotupdate.Hot
	case "inplace":
		class = hotupdate.InPlace
	case "ignore":
		class = hotupdate.Ignored
	}
	for _, word := range words[1:] {
		name, text, _ := strings.Cut(word, "=")
		switch name {
		case "set":
			o.set = true
		case "presence":
			o.presence = true
		case "key":
			o.key = text
		case "hotwhen":
			o.when, o.value, _ = strings.Cut(text, ":")
			o.value = unquoted(o.value)
		case "default":
			text = unquoted(text)
			o.fallback = &text
		case "keyclass":
			o.keys += text + "\n"
		case "sensitive":
			secret = true
		}
	}
	return class, o, secret
}

// readAs is the option as of a struct tag.
func readAs(tag string) string {
	for _, word := range splitOptions(tag) {
		if as, ok := strings.CutPrefix(word, "as="); ok {
			return as
		}
	}
	return ""
}

// splitOptions splits at the commas that do not stand between single quotes.
func splitOptions(tag string) []string {
	words := []string{""}
	quoted := false
	for _, r := range tag {
		if r == '\'' {
			quoted = !quoted
		}
		if r == ',' && !quoted {
			words = append(words, "")
			continue
		}
		words[len(words)-1] += string(r)
	}
	return words
}

func unquoted(text string) string {
	if !strings.HasPrefix(text, "'") {
		return text
	}
	return strings.ReplaceAll(text[1:len(text)-1], "''", "'")
}

// of returns the member's value in a struct; it is invalid behind a nil embedded pointer.
func (p modelNode) of(object reflect.Value) reflect.Value {
	for i, at := range p.index {
		if i > 0 && object.Kind() == reflect.Pointer {
			if object.IsNil() {
				return reflect.Value{}
			}
			object = object.Elem()
		}
		object = object.Field(at)
	}
	return object
}

// put sets the member in an addressable struct, and makes the embedded structs above it.
func (p modelNode) put(object, v reflect.Value) {
	for i, at := range p.index {
		if i > 0 && object.Kind() == reflect.Pointer {
			if object.IsNil() {
				object.Set(reflect.New(object.Type().Elem()))
			}
			object = object.Elem()
		}
		object = object.Field(at)
	}
	object.Set(v)
}

// behind follows pointers; it is invalid if one is nil.
func behind(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}
