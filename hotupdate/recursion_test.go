package hotupdate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// schemaFor compiles T, which has no mistakes.
func schemaFor[T any](t *testing.T, options ...hotupdate.Option) *hotupdate.Schema {
	t.Helper()
	s, err := hotupdate.SchemaOf[T](options...)
	require.NoError(t, err)
	return s
}

// changeLines compares two configurations and writes each change as a line: operation, path, class and where the class comes from.
func changeLines[T any](t *testing.T, s *hotupdate.Schema, old, updated *T) []string {
	t.Helper()
	changes, err := s.Diff(old, updated)
	require.NoError(t, err)
	lines := make([]string, len(changes))
	for i, c := range changes {
		lines[i] = fmt.Sprintf("%s %s: %s, %s", c.Op, c.Path, c.Class, c.Origin)
		if c.Source != "" {
			lines[i] += " " + c.Source
		}
	}
	return lines
}

// Types that contain themselves: by pointer, slice, map, keyed list and by turns.
type (
	chain struct {
		Name string            `json:"name"`
		Tags map[string]string `json:"tags" hotupdatable:"true"`
		Next *chain            `json:"next"`
	}
	recursiveTree struct {
		Name string          `json:"name"`
		Kids []recursiveTree `json:"kids"`
	}
	forest struct {
		Name  string            `json:"name"`
		Trees map[string]forest `json:"trees" hotupdatable:"inplace"`
	}
	family struct {
		Name string   `json:"name"`
		Size int      `json:"size" hotupdatable:"true"`
		Kids []family `json:"kids" hotupdatable:"false,key=name"`
	}
	ping struct {
		Name string `json:"name"`
		Pong *pong  `json:"pong" hotupdatable:"true"`
	}
	pong struct {
		Name string `json:"name"`
		Ping *ping  `json:"ping" hotupdatable:"inplace"`
	}
	heating struct {
		Name string   `json:"name"`
		Then *heating `json:"then" hotupdatable:"true"`
	}
	turning struct {
		Name string   `json:"name"`
		Cold *turning `json:"cold" hotupdatable:"false"`
		Hot  *turning `json:"hot"  hotupdatable:"true"`
	}
	lists         []lists
	recursiveMaps map[string]recursiveMaps
	matter        struct {
		Lists lists         `json:"lists"`
		Maps  recursiveMaps `json:"maps"  hotupdatable:"true"`
	}
)

func TestRecursiveTypesThroughPointers(t *testing.T) {
	s := schemaFor[chain](t)
	old := &chain{Next: &chain{Next: &chain{Name: "a"}}}
	updated := &chain{Tags: map[string]string{"k": "v"}, Next: &chain{Next: &chain{Name: "b", Tags: map[string]string{"k": "v"}, Next: &chain{Name: "c"}}}}
	assert.Equal(t, []string{
		"replace next.next.name: immutable, default",
		"add next.next.next.name: immutable, default",
		"add next.next.tags[k]: hot, inherited hotupdate_test.chain.Tags",
		"add tags[k]: hot, inherited hotupdate_test.chain.Tags",
	}, changeLines(t, s, old, updated))
}

func TestRecursiveTypesThroughCollections(t *testing.T) {
	assert.Equal(t, []string{
		"replace kids[0].kids[1].name: immutable, default",
		"add kids[1]: immutable, default",
	}, changeLines(t, schemaFor[recursiveTree](t),
		&recursiveTree{Kids: []recursiveTree{{Kids: []recursiveTree{{}, {Name: "a"}}}}}, &recursiveTree{Kids: []recursiveTree{{Kids: []recursiveTree{{}, {Name: "b"}}}, {}}}))
	assert.Equal(t, []string{
		"replace trees[a].trees[b].name: in-place, inherited hotupdate_test.forest.Trees",
	}, changeLines(t, schemaFor[forest](t),
		&forest{Trees: map[string]forest{"a": {Trees: map[string]forest{"b": {Name: "a"}}}}},
		&forest{Trees: map[string]forest{"a": {Trees: map[string]forest{"b": {Name: "b"}}}}}))
	assert.Equal(t, []string{
		"replace kids[name=a].kids[name=b].size: hot, struct tag hotupdate_test.family.Size",
		"add kids[name=a].kids[name=c]: immutable, inherited hotupdate_test.family.Kids",
	}, changeLines(t, schemaFor[family](t),
		&family{Kids: []family{{Name: "a", Kids: []family{{Name: "b", Size: 1}}}}},
		&family{Kids: []family{{Name: "a", Kids: []family{{Name: "c"}, {Name: "b", Size: 2}}}}}))
}

func TestMutuallyRecursiveTypes(t *testing.T) {
	old := &ping{Pong: &pong{Ping: &ping{Pong: &pong{}}}}
	updated := &ping{Name: "a", Pong: &pong{Name: "b", Ping: &ping{Name: "c", Pong: &pong{Name: "d"}}}}
	assert.Equal(t, []string{
		"add name: immutable, default",
		"add pong.name: hot, inherited hotupdate_test.ping.Pong",
		"add pong.ping.name: in-place, inherited hotupdate_test.pong.Ping",
		"add pong.ping.pong.name: hot, inherited hotupdate_test.ping.Pong",
	}, changeLines(t, schemaFor[ping](t), old, updated))
}

func TestRecursionThatChangesTheClass(t *testing.T) {
	assert.Equal(t, []string{
		"add name: immutable, default",
		"add then.name: hot, inherited hotupdate_test.heating.Then",
		"add then.then.name: hot, inherited hotupdate_test.heating.Then",
	}, changeLines(t, schemaFor[heating](t), nil, &heating{Name: "a", Then: &heating{Name: "b", Then: &heating{Name: "c"}}}))
	assert.Equal(t, []string{
		"add cold.hot.name: hot, inherited hotupdate_test.turning.Hot",
		"add cold.name: immutable, inherited hotupdate_test.turning.Cold",
		"add hot.cold.cold.name: immutable, inherited hotupdate_test.turning.Cold",
		"add hot.cold.hot.name: hot, inherited hotupdate_test.turning.Hot",
	}, changeLines(t, schemaFor[turning](t), nil, &turning{
		Cold: &turning{Name: "a", Hot: &turning{Name: "b"}},
		Hot:  &turning{Cold: &turning{Cold: &turning{Name: "c"}, Hot: &turning{Name: "d"}}},
	}))
}

func TestTypesOfNothingButThemselves(t *testing.T) {
	s := schemaFor[matter](t)
	assert.Equal(t, []string{
		"add lists[0][0]: immutable, default",
		"add maps[a][b]: hot, inherited hotupdate_test.matter.Maps",
	}, changeLines(t, s, &matter{Lists: lists{{}}, Maps: recursiveMaps{"a": {}}}, &matter{Lists: lists{{{}}}, Maps: recursiveMaps{"a": {"b": {}}}}))
}

func TestOverridesInsideRecursiveTypes(t *testing.T) {
	deep := func(name string) *chain {
		return &chain{Name: name, Next: &chain{Name: name, Next: &chain{Name: name, Next: &chain{Name: name, Next: &chain{Name: name}}}}}
	}
	s := schemaFor[chain](t, hotupdate.WithTag("next.next.next.name", "true"), hotupdate.WithTag("next", "inplace"))
	assert.Equal(t, []string{
		"replace name: immutable, default",
		"replace next.name: in-place, inherited next",
		"replace next.next.name: in-place, inherited next",
		"replace next.next.next.name: hot, override next.next.next.name",
		"replace next.next.next.next.name: in-place, inherited next",
	}, changeLines(t, s, deep("a"), deep("b")), "an override holds at its own depth, and below it by inheritance")

	nested := func(size int) *family {
		return &family{Kids: []family{{Name: "a", Size: size, Kids: []family{{Name: "b", Size: size, Kids: []family{{Name: "c", Size: size}}}}}}}
	}
	s = schemaFor[family](t, hotupdate.WithTag("kids[].kids[].size", "false"))
	assert.Equal(t, []string{
		"replace kids[name=a].kids[name=b].kids[name=c].size: hot, struct tag hotupdate_test.family.Size",
		"replace kids[name=a].kids[name=b].size: immutable, override kids[].kids[].size",
		"replace kids[name=a].size: hot, struct tag hotupdate_test.family.Size",
	}, changeLines(t, s, nested(1), nested(2)))
}

// Box and Crate are generic; crate embeds one and holds the other.
type (
	Box[T any] struct {
		Value T `json:"value"`
		Hot   T `json:"hot"   hotupdatable:"true"`
	}
	Crate[K comparable, V any] struct {
		Box[V] `hotupdatable:"inplace"`
		Boxes  map[K]*Box[Box[V]] `json:"boxes"`
	}
)

func TestGenericTypes(t *testing.T) {
	assert.Equal(t, []string{
		"add boxes[7].hot.hot: hot, struct tag hotupdate_test.Box[int].Hot",
		"add boxes[7].hot.value: hot, inherited hotupdate_test.Box[github.com/hotupdate/providerconfig/hotupdate_test.Box[int]].Hot",
		"add boxes[7].value.hot: hot, struct tag hotupdate_test.Box[int].Hot",
		"add boxes[7].value.value: immutable, default",
		"add hot: hot, struct tag hotupdate_test.Box[int].Hot",
		"add value: in-place, struct tag hotupdate_test.Crate[uint8,int].Box",
	}, changeLines(t, schemaFor[Crate[uint8, int]](t), nil, &Crate[uint8, int]{
		Box: Box[int]{1, 2}, Boxes: map[uint8]*Box[Box[int]]{7: {Box[int]{3, 4}, Box[int]{5, 6}}},
	}))
	assert.Equal(t, []string{"replace value[a]: immutable, default"}, changeLines(t, schemaFor[Box[map[string]bool]](t),
		&Box[map[string]bool]{Value: map[string]bool{"a": true}}, &Box[map[string]bool]{Value: map[string]bool{"a": false}}))
}

func TestAnonymousStructs(t *testing.T) {
	type config = struct {
		Inner struct {
			A string `json:"a" hotupdatable:"true"`
			B []struct {
				C string `json:"c" hotupdatable:"inplace"`
			} `json:"b"`
		} `json:"inner"`
	}
	var updated config
	updated.Inner.A = "a"
	updated.Inner.B = append(updated.Inner.B, struct {
		C string `json:"c" hotupdatable:"inplace"`
	}{"c"})
	assert.Equal(t, []string{
		"add inner.a: hot, struct tag config.Inner.A",
		"add inner.b[0]: immutable, default",
		"add inner.b[0].c: in-place, struct tag config.Inner.B.C",
	}, changeLines(t, schemaFor[config](t), nil, &updated), "fields of types without a name are called by the field that has them")
}

func TestPointersToTheConfiguration(t *testing.T) {
	inner := &heating{Name: "a"}
	s := schemaFor[*heating](t)
	decoded, err := s.Decode(nil)
	require.NoError(t, err)
	assert.Equal(t, &heating{}, decoded)
	assert.Equal(t, []string{"add name: immutable, default"}, changeLines(t, s, nil, &inner))
	assert.Equal(t, []string{"remove name: immutable, default"}, changeLines(t, s, inner, nil))
}
