package hotupdate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// schemaFor compiles T, which has no mistakes.
func schemaFor[T any](tb testing.TB, options ...hotupdate.Option) *hotupdate.Schema {
	tb.Helper()
	s, err := hotupdate.SchemaOf[T](options...)
	require.NoError(tb, err)
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

// Types that contain themselves, by pointer and in a list. The others of their kind are written types of the properties.
type (
	chain struct {
		Name string            `json:"name"`
		Tags map[string]string `json:"tags" hotupdatable:"true"`
		Next *chain            `json:"next"`
	}
	family struct {
		Name string   `json:"name"`
		Size int      `json:"size" hotupdatable:"true"`
		Kids []family `json:"kids" hotupdatable:"false,key=name"`
	}
	heating struct {
		Name string   `json:"name"`
		Then *heating `json:"then" hotupdatable:"true"`
	}
)

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
		return &family{
			Kids: []family{{Name: "a", Size: size, Kids: []family{{Name: "b", Size: size, Kids: []family{{Name: "c", Size: size}}}}}},
		}
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
