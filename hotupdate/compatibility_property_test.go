package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// evolution is a type before and after a release.
type evolution struct {
	old, updated subject
}

// checkEvolutions checks a property with pairs of types that differ by one mutation, and with configurations of both.
func checkEvolutions(t *testing.T, mutate func(a *typeGenerator, all []*field) bool, property func(t *rapid.T, e evolution, raw []byte)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		for range evolutionsPerCheck {
			if e, ok := evolve(t, mutate); ok {
				for range 4 {
					from := among(t, e.old, e.old, e.updated)
					property(t, e, withGaps(t, toJSON(t, from.draw(t))))
				}
			}
		}
	})
}

// withGaps leaves out parts of half of all configurations, or makes them null. encoding/json writes every element of an
// array and every member without omitempty, and a person does not.
func withGaps(t *rapid.T, raw []byte) []byte {
	if chance(t, 2) {
		return raw
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree any
	require.NoError(t, decoder.Decode(&tree))
	written, err := json.Marshal(gapsIn(t, tree))
	require.NoError(t, err)
	return written
}

func gapsIn(t *rapid.T, tree any) any {
	isMissing := func() bool { return pick(t, 6) == 5 }
	switch value := tree.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			switch {
			case !isMissing():
				value[name] = gapsIn(t, value[name])
			case chance(t, 2):
				value[name] = nil
			default:
				delete(value, name)
			}
		}
	case []any:
		for i := range value {
			if value[i] = gapsIn(t, value[i]); isMissing() {
				value[i] = nil
			}
		}
		return value[:len(value)-min(len(value), max(0, pick(t, 8)-6))]
	}
	return tree
}

// evolutionsPerCheck is the number of pairs of types in one check of rapid: most mutations concern no hash.
const evolutionsPerCheck = 5

// evolve draws a type and mutates it. A mutation may break the rules of struct tags; then there is no pair.
func evolve(t *rapid.T, mutate func(a *typeGenerator, all []*field) bool) (evolution, bool) {
	a := newJSONTypeGenerator(t)
	b := a.config()
	before := subjectOf(t, b.build(plainWording), a.overrides)
	fields := b.allFields()
	if len(fields) == 0 || !mutate(a, fields) {
		return evolution{}, false
	}
	typ := b.build(plainWording)
	schema, err := hotupdate.SchemaOfType(typ, overriding(a.overrides)...)
	return evolution{before, subject{rootOf(typ, a.overrides), schema}}, err == nil
}

func overriding(overrides map[string]string) (options []hotupdate.Option) {
	for path, tag := range overrides {
		options = append(options, hotupdate.WithTag(path, tag))
	}
	return options
}

// allFields lists the fields of a typeDescriptor that stand in JSON under a name of their own.
func (b *typeDescriptor) allFields() (fields []*field) {
	if b == nil {
		return nil
	}
	fields = b.elem.allFields()
	for _, f := range b.fields {
		if !f.embedded {
			fields = append(fields, f)
		}
		fields = append(fields, f.value.allFields()...)
	}
	return fields
}

// mutateAnything changes the class, the options, the type or the name of one field.
func mutateAnything(a *typeGenerator, all []*field) bool {
	f := among(a.t, all...)
	switch pick(a.t, 11) {
	case 9, 10:
		if !mutateKeys(a, f) {
			return false
		}
	case 0:
		f.tag = among(a.t, "", "false", "true", "inplace", "ignore") + strings.TrimLeft(f.tag, "abcdefghijklmnopqrstuvwxyz")
	case 1:
		f.tag = withoutOption(f.tag, "default") + ",default=" + among(a.t, "0", "1", "5", "a", "gp2", "true", "1Gi", "30m")
	case 2:
		f.tag = withoutOption(f.tag, among(a.t, "default", "set", "key", "hotwhen", "presence", "sensitive"))
	case 3:
		f.tag += among(a.t, ",presence", ",set", ",sensitive", ",sensitive=keys")
	case 4:
		f.value.pointers = pick(a.t, 3)
	case 5:
		if f.value.elem == nil {
			return false
		}
		f.value.elem.pointers = pick(a.t, 2)
	case 6:
		was := f.value
		f.value = a.pointed(a.any(scope{may: everyClass, depth: 1}))
		if was.marshalsItself() && f.value.marshalsItself() {
			return false // a Schema does not know the JSON of a type that marshals itself
		}
	case 7:
		name, rest, _ := strings.Cut(f.json, ",")
		f.json = strings.TrimSuffix(among(a.t, "x"+name, name+"x", "other")+","+rest, ",")
	case 8:
		if f.value.shape != leafShape || !quotable(f.value.leaf) || f.value.leaf == reflect.TypeFor[json.Number]() {
			return false
		}
		if _, quoted := strings.CutSuffix(f.json, ",string"); !quoted {
			f.json += ",string"
		} else {
			f.json = strings.TrimSuffix(f.json, ",string")
		}
	}
	if strings.HasPrefix(f.tag, ",") {
		f.tag = "false" + f.tag
	}
	return true
}

// mutateKeys gives a single key of a map another class, or takes its class away.
func mutateKeys(a *typeGenerator, f *field) bool {
	if f.value.shape != mapShape || patternsFor(f.value.key) == nil {
		return false
	}
	var words []string
	pattern := among(a.t, keyPatterns...)
	option := ":'" + strings.ReplaceAll(pattern, "'", "''") + "'"
	for _, word := range splitOptions(f.tag) {
		if !strings.HasSuffix(word, option) {
			words = append(words, word)
		}
	}
	f.tag = strings.Join(words, ",")
	if chance(a.t, 3) {
		return true
	}
	if f.tag == "" {
		f.tag = among(a.t, "false", "true", "ignore")
	}
	f.tag += ",keyclass=" + among(a.t, "false", "true", "inplace", "ignore") + option
	return true
}

// marshalsItself reports whether a leaf at or below a value marshals itself.
func (b *typeDescriptor) marshalsItself() bool {
	if b == nil {
		return false
	}
	isMarshaler := b.leaf != nil && marshals(b.leaf)
	isAbove := func(f *field) bool { return f.value.marshalsItself() }
	return isMarshaler || b.elem.marshalsItself() || slices.ContainsFunc(b.fields, isAbove)
}

func withoutOption(tag, name string) string {
	words := slices.DeleteFunc(splitOptions(tag), func(word string) bool {
		return word == name || strings.HasPrefix(word, name+"=")
	})
	if len(words) == 0 || words[0] == "" {
		words = append([]string{"false"}, words...)
	}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), ",")
}

// claim is the claim of a finding about its configurations.
type claim uint8

const (
	never claim = iota
	possibly
	certainly
)

func claimOf(e hotupdate.Effect) claim {
	switch {
	case e.Every:
		return certainly
	case e.Where != "":
		return possibly
	}
	return never
}

// verdict is the effect of a release on one configuration.
type verdict struct{ read, refused, renamed bool }

func (e evolution) verdict(raw []byte) verdict {
	before, err := e.old.schema.HashRaw(raw)
	if err != nil {
		return verdict{}
	}
	now, err := e.updated.schema.HashRaw(raw)
	return verdict{read: true, refused: err != nil, renamed: err == nil && now != before}
}

// TestFindingsClaimWhatHashesDo: for any mutation of any type, a configuration gets another hash only if a finding says
// that it may, and always if a finding says that it must. The same holds for being refused.
func TestFindingsClaimWhatHashesDo(t *testing.T) {
	checkEvolutions(t, mutateAnything, func(t *rapid.T, e evolution, raw []byte) {
		findings, err := hotupdate.Compatibility(e.old.schema, e.updated.schema)
		require.NoError(t, err)
		e.holdsTo(t, findings, raw, fmt.Sprintf("old %v\nnew %v", e.old.describe(), e.updated.describe()))
	})
}

// holdsTo checks the claims of findings with a configuration.
func (e evolution) holdsTo(t require.TestingT, findings []hotupdate.Finding, raw []byte, types string) {
	v := e.verdict(raw)
	if !v.read {
		return
	}
	rolls := never
	refuses := never
	for _, f := range findings {
		mayRoll := f.MayRoll(raw)
		mayRefuse := f.MayRefuse(raw)
		if !strings.Contains(f.Path, fieldpath.Hidden) { // a key that must not be shown is known to the finding alone
			require.Equal(t, e.concerns(f.Path, f.Roll.Where, raw), mayRoll, "finding %v\nraw %s\n%s", f, raw, types)
			require.Equal(t, e.concerns(f.Path, f.Forbidden.Where, raw), mayRefuse, "finding %v\nraw %s\n%s", f, raw, types)
		}
		if mayRoll {
			rolls = max(rolls, claimOf(f.Roll))
		}
		if mayRefuse {
			refuses = max(refuses, claimOf(f.Forbidden))
		}
	}
	about := fmt.Sprintf("findings %v\nraw %s\n%s", findings, raw, types)
	switch {
	case v.refused:
		require.NotEqual(t, never, refuses, about)
	case v.renamed:
		require.NotEqual(t, never, rolls, about)
		require.NotEqual(t, certainly, refuses, about)
	default:
		require.NotEqual(t, certainly, rolls, about)
		require.NotEqual(t, certainly, refuses, about)
	}
	if areHarmless(findings) {
		require.Equal(t, verdict{read: true}, v, about)
	}
}

// concerns reports whether the condition of a claim holds for a configuration.
func (e evolution) concerns(path string, where string, raw []byte) bool {
	for _, s := range []subject{e.old, e.updated} {
		config, err := s.schema.Decode(raw)
		if err != nil {
			continue
		}
		var tree any
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		if decoder.Decode(&tree) != nil {
			return false
		}
		steps := stepsOf(path)
		if where == "has an array around it" {
			if (keySight{e.patternsAt(steps), 0}).arrayAround(s.root, tree, steps) {
				return true
			}
			continue
		}
		sight := keySight{e.patternsAt(steps), 0}
		if sight.spelledAt(s.root, tree, steps, where) || sight.meantAt(s.root, reflect.ValueOf(config).Elem(), steps, where) {
			return true
		}
	}
	return false
}

// keySight tells for which keys of a map a finding is. It has the patterns of both types for the maps on the way of a path.
type keySight struct {
	patterns map[int][]string // by the number of steps before the map
	at       int              // steps so far
}

func (k keySight) next() keySight { k.at++; return k }

// sees reports whether a step with a pattern is for a key: no other rule of one of the types is more exact.
func (k keySight) sees(step fieldpath.PatternStep, key string) bool {
	if step.Element {
		return true
	}
	rankOf := func(pattern string) int {
		prefix, isPrefix := strings.CutSuffix(pattern, "*")
		switch {
		case isPrefix && strings.HasPrefix(key, prefix):
			return len(prefix)
		case !isPrefix && pattern == key:
			return len(key) + 1
		}
		return -1
	}
	own := rankOf(step.Name)
	return own >= 0 && !slices.ContainsFunc(k.patterns[k.at], func(other string) bool { return rankOf(other) > own })
}

// patternsAt lists the patterns of both types at each map on the way of a path.
func (e evolution) patternsAt(steps []fieldpath.PatternStep) map[int][]string {
	all := map[int][]string{}
	for _, s := range []subject{e.old, e.updated} {
		p := s.root
		for i, step := range steps {
			for _, rule := range p.keyRules() {
				all[i] = append(all[i], rule.pattern)
			}
			switch {
			case p.shape() == mapShape && !step.Element:
				p = p.underKey(reflect.ValueOf(strings.TrimSuffix(step.Name, "*")))
			case p.shape() == objectShape && slices.ContainsFunc(p.members(), func(m modelNode) bool { return m.name == step.Name }):
				p = p.member(step.Name)
			case step.Element && p.shape() != objectShape && p.shape() != leafShape:
				p = p.elem()
			default:
				p = modelNode{typ: reflect.TypeFor[bool](), by: p.by}
			}
		}
	}
	return all
}

// elementsOfMap are the values of a map in JSON under the keys that a step is for.
func (k keySight) elementsAt(p modelNode, tree any, step fieldpath.PatternStep) []any {
	object, isObject := tree.(map[string]any)
	if step.Element || p.shape() != mapShape || !isObject {
		return elementsOf(tree)
	}
	ignoresCase := base(p.typ).Key() == reflect.TypeFor[textValue]()
	var all []any
	for name, value := range object {
		key := name
		if ignoresCase {
			key = strings.ToLower(name)
		}
		if k.sees(step, key) {
			all = append(all, value)
		}
	}
	return all
}

func stepsOf(path string) []fieldpath.PatternStep {
	elements := 0
	for ; strings.HasSuffix(path, "[]"); elements++ {
		path = strings.TrimSuffix(path, "[]")
	}
	steps, _ := fieldpath.ParsePattern(path)
	return append(steps, slices.Repeat([]fieldpath.PatternStep{{Element: true}}, elements)...)
}

// spelledAt checks a condition about the spelling of JSON.
func (k keySight) spelledAt(p modelNode, tree any, steps []fieldpath.PatternStep, where string) bool {
	if len(steps) == 0 {
		list, _ := tree.([]any)
		object, _ := tree.(map[string]any)
		return where == "has elements there" && len(list)+len(object) > 0
	}
	below := modelNode{typ: reflect.TypeFor[bool](), by: p.by}
	switch {
	case p.shape() == objectShape && slices.ContainsFunc(p.members(), func(m modelNode) bool { return m.name == steps[0].Name }):
		below = p.member(steps[0].Name)
	case p.shape() != objectShape && p.shape() != leafShape:
		below = p.elem()
	}
	if !steps[0].Element && p.shape() != mapShape {
		object, _ := tree.(map[string]any)
		member, ok := object[steps[0].Name]
		isThere := where == "names it" || where == "has it" && member != nil
		if len(steps) == 1 && ok && isThere {
			return true
		}
		return ok && k.next().spelledAt(below, member, steps[1:], where)
	}
	for _, elem := range k.elementsAt(p, tree, steps[0]) {
		isNull := where == "has a null element there" && elem == nil
		isThere := where == "has it" || where == "names it" || isNull
		if len(steps) == 1 && isThere || k.next().spelledAt(below, elem, steps[1:], where) {
			return true
		}
	}
	return false
}

// arrayAround reports whether an array of fixed length, or arrays in one another, hold the place of an element. The
// outermost array is itself an element.
func (k keySight) arrayAround(p modelNode, tree any, steps []fieldpath.PatternStep) bool {
	if len(steps) == 0 {
		return false
	}
	if !steps[0].Element && p.shape() != mapShape {
		object, _ := tree.(map[string]any)
		known := p.shape() == objectShape && slices.ContainsFunc(p.members(), func(m modelNode) bool { return m.name == steps[0].Name })
		return known && k.next().arrayAround(p.member(steps[0].Name), object[steps[0].Name], steps[1:])
	}
	if p.shape() == leafShape || p.shape() == objectShape {
		return false
	}
	within := p.elem()
	for left := steps[1:]; len(left) > 0 && left[0].Element && within.shape() == arrayShape; left, within = left[1:], within.elem() {
		if len(left) == 1 {
			return len(k.elementsAt(p, tree, steps[0])) > 0
		}
	}
	return slices.ContainsFunc(
		k.elementsAt(p, tree, steps[0]), func(elem any) bool { return k.next().arrayAround(p.elem(), elem, steps[1:]) },
	)
}

func elementsOf(tree any) []any {
	if list, ok := tree.([]any); ok {
		return list
	}
	object, _ := tree.(map[string]any)
	return slices.Collect(maps.Values(object))
}

// meantAt checks a condition about the meaning of a value.
func (k keySight) meantAt(p modelNode, v reflect.Value, steps []fieldpath.PatternStep, where string) bool {
	inner := behind(v)
	if !inner.IsValid() || p.shape() == leafShape {
		return false
	}
	if !steps[0].Element && p.shape() != mapShape {
		if p.shape() != objectShape || !slices.ContainsFunc(p.members(), func(m modelNode) bool { return m.name == steps[0].Name }) {
			return false
		}
		m := p.member(steps[0].Name)
		field := m.of(inner)
		if !field.IsValid() {
			return false
		}
		if len(steps) == 1 {
			return means(m, field, where)
		}
		return k.next().meantAt(m, field, steps[1:], where)
	}
	if p.shape() == objectShape {
		return false
	}
	for at, elem := range inner.Seq2() {
		e := p.elemOf(elem)
		if p.shape() == mapShape {
			if !k.sees(steps[0], keyText(at)) {
				continue
			}
			e = p.entryOf(at, elem)
		}
		isSet := len(steps) == 1 && where == "sets it"
		if isSet || len(steps) > 1 && k.next().meantAt(e, elem, steps[1:], where) {
			return true
		}
	}
	return false
}

func means(m modelNode, field reflect.Value, where string) bool {
	v := behind(field)
	if !v.IsValid() {
		return false
	}
	switch where {
	case "sets it":
		_, said := hashView.member(m, field)
		return said
	case "spells out its zero value":
		return m.shape() == leafShape && m.typ.Kind() == reflect.Pointer &&
			reflect.DeepEqual(m.leafTree(v), m.leafTree(reflect.Zero(v.Type())))
	case "spells out the old or the new default":
		if m.fallback != nil && m.shape() != leafShape {
			plain := m
			plain.fallback = nil
			tree, isThere := hashView.member(plain, v)
			fallback, isFilled := hashView.member(plain, parsed(v.Type(), *m.fallback))
			return isThere == isFilled && reflect.DeepEqual(tree, fallback)
		}
		return m.fallback != nil && reflect.DeepEqual(m.leafTree(v), m.leafTree(parsed(v.Type(), *m.fallback)))
	case "has it empty":
		if m.shape() == leafShape {
			return v.Kind() == reflect.Slice && !v.IsNil() && v.Len() == 0
		}
		if m.typ.Kind() != reflect.Pointer {
			return false
		}
		switch m.shape() {
		case objectShape:
			return len(hashView.object(m, v)) == 0
		case listShape:
			return !v.IsNil() && len(hashView.list(m, v)) == 0
		case mapShape:
			return !v.IsNil() && len(hashView.mapping(m, v)) == 0
		case leafShape, arrayShape:
		}
		return false
	case "", "names it", "has it", "has elements there", "has a null element there":
		return false
	}
	panic(where + " is no condition")
}
