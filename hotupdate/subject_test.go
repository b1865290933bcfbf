package hotupdate_test

import (
	"crypto/sha256"
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
)

// subject is a type with its Schema.
type subject struct {
	root   modelNode
	schema *hotupdate.Schema
}

// valuesPerType is the number of times that a property is checked with one type.
const valuesPerType = 5

// check tries a property with types of all kinds, and with keyed lists of every class. Keys are often repeated in
// these, and selectors of elements of one key change: see TestRepeatedKeysAreDrawn.
func check(t *testing.T, property func(t *rapid.T, s subject)) {
	t.Helper()
	checkTypes(t, newTypeGenerator, property)
}

// checkJSON tries a property with types that encoding/json writes and reads back.
func checkJSON(t *testing.T, property func(t *rapid.T, s subject)) {
	t.Helper()
	checkTypes(t, newJSONTypeGenerator, property)
}

func checkTypes(t *testing.T, newGenerator func(t *rapid.T) *typeGenerator, property func(t *rapid.T, s subject)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		s := newGenerator(t).subject()
		for range valuesPerType {
			property(t, s)
		}
		property(t, subjectOf(t, reflect.TypeFor[repeated](), nil))
	})
}

// subject draws a type: one from a source file, one with many leaves or lists, or most often any other.
func (a *typeGenerator) subject() subject {
	switch pick(a.t, 9) {
	case 5, 6:
		w := among(a.t, writtenTypes...)
		return subjectOf(a.t, w.typ, w.overrides)
	case 7:
		return subjectOf(a.t, a.manyLeaves().build(plainWording), a.overrides)
	case 8:
		return subjectOf(a.t, a.manyLists().build(plainWording), a.overrides)
	}
	b := a.config()
	a.overrideTags(b)
	return subjectOf(a.t, b.build(plainWording), a.overrides)
}

func subjectOf(t *rapid.T, typ reflect.Type, overrides map[string]string) subject {
	var options []hotupdate.Option
	for _, path := range slices.Sorted(maps.Keys(overrides)) {
		options = append(options, hotupdate.WithTag(path, overrides[path]))
	}
	schema, err := hotupdate.SchemaOfType(typ, options...)
	require.NoError(t, err, "%v with overrides %v", typ, overrides)
	return subject{rootOf(typ, overrides), schema}
}

func (s subject) draw(t *rapid.T) reflect.Value { return valueGenerator{t, blind}.config(s.root) }

// hash returns the Sum, which is the digest of the document.
func (s subject) hash(t require.TestingT, config reflect.Value) hotupdate.Sum {
	sum, err := s.schema.Hash(config.Interface())
	require.NoError(t, err, "%s", s.describe(config))
	require.Equal(t, sha256.Sum256([]byte(s.document(t, config))), [sha256.Size]byte(sum), "%s", s.describe(config))
	return sum
}

func (s subject) document(t require.TestingT, config reflect.Value) string {
	document, err := s.schema.Document(config.Interface())
	require.NoError(t, err, "%s", s.describe(config))
	return string(document)
}

// hashRaw hashes raw JSON.
func (s subject) hashRaw(t require.TestingT, raw []byte) hotupdate.Sum {
	sum, err := s.schema.HashRaw(raw)
	require.NoError(t, err, "%s\nraw %s", s.describe(), raw)
	return sum
}

// decode reads raw JSON.
func (s subject) decode(t require.TestingT, raw []byte) reflect.Value {
	config, err := s.schema.Decode(raw)
	require.NoError(t, err, "%s\nraw %s", s.describe(), raw)
	return reflect.ValueOf(config)
}

func toJSON(t require.TestingT, config reflect.Value) []byte {
	raw, err := json.Marshal(config.Interface())
	require.NoError(t, err)
	return raw
}

func (s subject) diff(t require.TestingT, old, updated reflect.Value) hotupdate.Changes {
	changes, err := s.schema.Diff(old.Interface(), updated.Interface())
	require.NoError(t, err, "%s", s.describe(old, updated))
	return changes
}

// about describes a type and configurations when a property fails.
type about struct {
	subject

	configs []reflect.Value
}

func (s subject) describe(configs ...reflect.Value) about { return about{s, configs} }

// String returns Go type, overrides, and the configurations in JSON.
func (a about) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "type %v\noverrides %v", a.root.typ, a.root.by.overrides)
	for _, config := range a.configs {
		written, _ := json.Marshal(config.Interface())
		fmt.Fprintf(&text, "\nconfig %s", written)
	}
	return text.String()
}

// drawPair draws two configurations that have much in common, or nothing.
func (s subject) drawPair(t *rapid.T) (a, b reflect.Value) {
	a = s.draw(t)
	switch pick(t, 5) {
	case 0:
		return a, respelled(t, fullView, s.root, a)
	case 1:
		return a, respelled(t, hashView, s.root, a)
	case 2:
		return a, s.draw(t)
	}
	return a, edited(t, s.root, a)
}
