package hotupdate_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// elementAround is a struct that a list finds by its field id, with a field b of the inner type.
func elementAround(inner reflect.Type) reflect.Type {
	return reflect.StructOf([]reflect.StructField{
		{Name: "ID", Type: reflect.TypeFor[string](), Tag: `json:"id"`}, {Name: "B", Type: inner, Tag: `json:"b"`},
	})
}

func elementsAround(inner []string) []string {
	all := []string{"null", "{}", `{"id":"1"}`}
	for _, value := range inner {
		all = append(all, `{"b":`+value+`}`, `{"id":"1","b":`+value+`}`)
	}
	return all
}

// taggable are the shapes of a field whose struct tag says what its absence means.
var taggable = []wrapper{
	{"value", func(inner reflect.Type) reflect.Type { return inner }, slices.Clone[[]string]},
	{"pointer", reflect.PointerTo, slices.Clone[[]string]},
	wrappers[0], // an array
	{"list", reflect.SliceOf, listsOf},
	{"pointer to a list", func(inner reflect.Type) reflect.Type { return reflect.PointerTo(reflect.SliceOf(inner)) }, listsOf},
	{"pointer to a map", func(inner reflect.Type) reflect.Type {
		return reflect.PointerTo(reflect.MapOf(reflect.TypeFor[string](), inner))
	}, objectsOf},
	{"object", func(inner reflect.Type) reflect.Type { return objectAround(inner, "") }, objectsOf},
	{"pointer to an object", func(inner reflect.Type) reflect.Type { return reflect.PointerTo(objectAround(inner, "")) }, objectsOf},
	{
		"object with an in-place field", func(inner reflect.Type) reflect.Type { return objectAround(inner, ` hotupdatable:"inplace"`) },
		objectsOf,
	},
	{"pointer to an object with a hot field", func(inner reflect.Type) reflect.Type {
		return reflect.PointerTo(objectAround(inner, ` hotupdatable:"true"`))
	}, objectsOf},
	{"map of arrays", func(inner reflect.Type) reflect.Type {
		return reflect.MapOf(reflect.TypeFor[string](), reflect.ArrayOf(1, inner))
	}, func(inner []string) []string { return objectsOf(listsOf(inner)) }},
	{"map of pointers to arrays", func(inner reflect.Type) reflect.Type {
		return reflect.MapOf(reflect.TypeFor[string](), reflect.PointerTo(reflect.ArrayOf(1, inner)))
	}, func(inner []string) []string { return objectsOf(listsOf(inner)) }},
	{
		"list of elements with an ID", func(inner reflect.Type) reflect.Type { return reflect.SliceOf(elementAround(inner)) },
		func(inner []string) []string {
			return listsOf(elementsAround(inner))
		},
	},
	{"list of pointers to elements with an ID", func(inner reflect.Type) reflect.Type {
		return reflect.SliceOf(reflect.PointerTo(elementAround(inner)))
	}, func(inner []string) []string { return listsOf(elementsAround(inner)) }},
	{"map of elements with an ID", func(inner reflect.Type) reflect.Type {
		return reflect.MapOf(reflect.TypeFor[string](), elementAround(inner))
	}, func(inner []string) []string { return objectsOf(elementsAround(inner)) }},
	{
		"array of arrays", func(inner reflect.Type) reflect.Type { return reflect.ArrayOf(1, reflect.ArrayOf(1, inner)) },
		func(inner []string) []string {
			return listsOf(listsOf(inner))
		},
	},
}

// absences are struct tags that decide what a missing value means, or whether it counts.
var absences = []string{
	"false", "true", "inplace", "ignore", "false,presence", "true,presence", "false,set", "false,key=id", "inplace,key=id",
	"false,key=id,hotwhen=id:1",
	"false,hotwhen=id:1", "false,default=1", "false,default=true", "false,default=0", "false,default='[]'", "false,default='{}'",
	"false,default='[1]'",
	"false,default='{\"b\":1}'", "false,presence,default='{}'",
}

// TestFindingsAboutAbsence: a field of every shape, with every struct tag that decides what its absence means, becomes
// one with every other tag, with another leaf, or of every other shape. Where a part of a configuration is null, empty
// or missing, a finding claims of it what the hashes do.
func TestFindingsAboutAbsence(t *testing.T) {
	schemas := subjects{}
	pairs := 0
	check := func(before, after tagged) {
		old, ok := schemas.of(before)
		updated, okToo := schemas.of(after)
		if before == after || !ok || !okToo {
			return
		}
		pairs++
		if !effort.Takes(pairs) {
			return
		}
		e := evolution{old, updated}
		findings, err := hotupdate.Compatibility(old.schema, updated.schema)
		require.NoError(t, err)
		for _, raw := range before.configs() {
			e.holdsTo(t, findings, []byte(raw), fmt.Sprintf("%v becomes %v", before.typ(), after.typ()))
		}
	}
	for shape := range taggable {
		for leaf := range missable[:4] {
			for was := range absences {
				for is := range absences {
					check(tagged{shape, leaf, was}, tagged{shape, leaf, is})
					check(tagged{shape, leaf, was}, tagged{shape, (leaf + 1) % 4, is})
				}
			}
		}
		for other := range taggable {
			for was := range absences {
				check(tagged{shape, 0, was}, tagged{other, 0, was})
				check(tagged{shape, 0, was}, tagged{other, 1, was})
				check(tagged{shape, 0, was}, tagged{other, 0, 0})
				check(tagged{shape, 0, 0}, tagged{other, 1, was})
			}
			for leaf := range missable {
				check(tagged{shape, 0, 0}, tagged{other, leaf, 0}) // null is an error for some of them
			}
		}
	}
	require.Greater(t, pairs, 5000, "most combinations are types")
}

// tagged is a field with a shape, a leaf and a struct tag, by their indices.
type tagged struct{ shape, leaf, tag int }

func (f tagged) typ() reflect.Type {
	tag := fmt.Sprintf(`json:"a" hotupdatable:%q`, absences[f.tag])
	return reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: taggable[f.shape].typ(missable[f.leaf].typ), Tag: reflect.StructTag(tag)},
	})
}

func (f tagged) configs() []string {
	raws := []string{"{}"}
	for _, value := range taggable[f.shape].values(missable[f.leaf].values) {
		raws = append(raws, `{"a":`+value+`}`)
	}
	return raws
}

// subjects are the types that have been compiled. One without a Schema breaks a rule of struct tags.
type subjects map[tagged]subject

func (all subjects) of(f tagged) (subject, bool) {
	s, isKnown := all[f]
	if !isKnown {
		typ := f.typ()
		s = subject{root: rootOf(typ, nil)}
		if schema, err := hotupdate.SchemaOnce(typ); err == nil {
			s.schema = schema
		}
		all[f] = s
	}
	return s, s.schema != nil
}
