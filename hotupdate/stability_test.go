package hotupdate_test

import (
	"maps"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestHashSurvivesRenaming: Go names, the order of struct fields and the width of integers do not change the hash.
func TestHashSurvivesRenaming(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newJSONTypeGenerator(t)
		b := a.config()
		before := subjectOf(t, b.build(plainWording), a.overrides)
		after := subjectOf(t, b.build(wording{prefix: "Renamed", reverse: true, widen: true}), a.overrides)
		config := before.draw(t)
		raw := toJSON(t, config)
		require.Equal(t, before.document(t, config), after.document(t, after.decode(t, raw)), "%s", before.describe(config))
		require.Equal(t, before.hash(t, config), after.hashRaw(t, raw))
	})
}

// TestHashSurvivesNewFields: unset new fields of any kind and class do not change the hash.
func TestHashSurvivesNewFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newJSONTypeGenerator(t)
		b := a.config()
		before := subjectOf(t, b.build(plainWording), maps.Clone(a.overrides))
		after := subjectOf(t, a.extended(b, a.field).build(plainWording), a.overrides)
		config := before.draw(t)
		raw := toJSON(t, config)
		require.Equal(
			t, before.document(t, config), after.document(t, after.decode(t, raw)), "%s\n%s", before.describe(config), after.describe(),
		)
		require.Equal(t, before.hash(t, config), after.hashRaw(t, raw))
	})
}

// TestHashSurvivesFirstHotFields: a type may gain hot fields, and configurations may set them at once.
func TestHashSurvivesFirstHotFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newJSONTypeGenerator(t)
		b := a.config()
		before := subjectOf(t, b.build(plainWording), maps.Clone(a.overrides))
		after := subjectOf(t, a.extended(b, a.hotField).build(plainWording), a.overrides)
		config := before.draw(t)
		set := respelled(t, hashView, after.root, after.decode(t, toJSON(t, config)))
		require.Equal(t, before.document(t, config), after.document(t, set), "%s\n%s", before.describe(config), after.describe(set))
		require.Equal(t, before.hash(t, config), after.hash(t, set))
	})
}

// TestHashSurvivesReencoding: another encoder may order members, break lines and escape text in any way.
func TestHashSurvivesReencoding(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		raw := toJSON(t, s.draw(t))
		require.Equal(t, s.hashRaw(t, raw), s.hashRaw(t, reencode(t, raw)), "%s\nraw %s", s.describe(), raw)
	})
}

// TestHashSurvivesDefaulting: a defaulter that fills in declared defaults, and makes their objects, does not change the hash.
func TestHashSurvivesDefaulting(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		config := s.draw(t)
		defaulted := respelled(t, fullView, s.root, config)
		fillDefaults(s.root, defaulted.Elem())
		require.Equal(t, s.document(t, config), s.document(t, defaulted), "%s", s.describe(config, defaulted))
		require.Equal(t, s.hash(t, config), s.hash(t, defaulted))
		require.Empty(t, s.diff(t, config, defaulted), "%s", s.describe(config, defaulted))
	})
}

// fillDefaults sets every unset leaf with a declared default below an addressable value.
func fillDefaults(p modelNode, v reflect.Value) {
	isUnset := v.Kind() == reflect.Pointer && v.IsNil() && p.name != ""
	isPlainObject := p.shape() == objectShape && !p.marksPresence() && !p.fieldless()
	if isUnset && isPlainObject && p.depth < usualDepth {
		v.Set(pointerTo(v.Type(), reflect.Zero(base(v.Type()))))
	}
	if v = behind(v); !v.IsValid() {
		return
	}
	switch p.shape() {
	case objectShape:
		for _, m := range p.members() {
			fillDefault(m, v)
		}
	case listShape, arrayShape:
		for i := range v.Len() {
			if !p.set {
				fillDefaults(p.elemOf(v.Index(i)), v.Index(i))
			}
		}
	case leafShape, mapShape:
	}
}

func fillDefault(m modelNode, object reflect.Value) {
	field := m.of(object)
	if !field.IsValid() {
		field = reflect.Zero(m.typ)
	}
	if _, there := fullView.member(m, field); m.fallback != nil && !there {
		m.put(object, pointerTo(m.typ, parsed(base(m.typ), *m.fallback)))
		return
	}
	if m.of(object).IsValid() {
		fillDefaults(m, m.of(object))
	}
}

// pointerTo puts the pointers of type t in front of a value.
func pointerTo(t reflect.Type, v reflect.Value) reflect.Value {
	if t.Kind() != reflect.Pointer {
		return v
	}
	pointer := reflect.New(t.Elem())
	pointer.Elem().Set(pointerTo(t.Elem(), v))
	return pointer
}
