package hotupdate_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// wrapper puts a type around another one, and JSON around the JSON of its values.
type wrapper struct {
	name   string
	typ    func(inner reflect.Type) reflect.Type
	values func(inner []string) []string
}

// objectAround is a struct with one field, whose name is also the key in maps.
func objectAround(inner reflect.Type, tag string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "B", Type: inner, Tag: reflect.StructTag(`json:"b"` + tag)}})
}

func listsOf(inner []string) []string {
	all := []string{"null", "[]"}
	for _, value := range inner {
		all = append(all, "["+value+"]")
	}
	return all
}

func objectsOf(inner []string) []string {
	all := []string{"null", "{}"}
	for _, value := range inner {
		all = append(all, `{"b":`+value+`}`)
	}
	return all
}

// wrappers have every shape that can hold a value which JSON leaves out or has as null.
var wrappers = []wrapper{
	{"array of 1", func(inner reflect.Type) reflect.Type { return reflect.ArrayOf(1, inner) }, listsOf},
	{"array of 2", func(inner reflect.Type) reflect.Type { return reflect.ArrayOf(2, inner) }, listsOf},
	{"list", reflect.SliceOf, listsOf},
	{"map", func(inner reflect.Type) reflect.Type { return reflect.MapOf(reflect.TypeFor[string](), inner) }, objectsOf},
	{"pointer", reflect.PointerTo, slices.Clone[[]string]},
	{"object", func(inner reflect.Type) reflect.Type { return objectAround(inner, "") }, objectsOf},
	{
		"object with presence", func(inner reflect.Type) reflect.Type { return objectAround(inner, ` hotupdatable:"false,presence"`) },
		objectsOf,
	},
	{"object with a hot field", func(inner reflect.Type) reflect.Type { return objectAround(inner, ` hotupdatable:"true"`) }, objectsOf},
}

// missable are leaves with their zero value and another one. The texts of zero values are of all kinds.
var missable = []struct {
	typ    reflect.Type
	values []string
}{
	{reflect.TypeFor[uint64](), []string{"null", "0", "1"}},
	{reflect.TypeFor[bool](), []string{"null", "false", "true"}},
	{reflect.TypeFor[string](), []string{"null", `""`, `"1"`}},
	{reflect.TypeFor[[]byte](), []string{"null", `""`, `"YQ=="`}},
	{reflect.TypeFor[resource.Quantity](), []string{"null", `"0"`, `"1"`}},
	{reflect.TypeFor[metav1.Duration](), []string{`"0s"`, `"1s"`}},
	{reflect.TypeFor[time.Time](), []string{"null", `"0001-01-01T00:00:00Z"`, `"2026-01-01T00:00:00Z"`}},
	{reflect.TypeFor[json.RawMessage](), []string{"null", "0"}},
	{reflect.TypeFor[big.Int](), []string{"0", "1"}},
}

// shaped is a type with one field a of some shape, and configurations of it.
func shaped(leaf int, shape ...int) (reflect.Type, []string) {
	typ := missable[leaf].typ
	values := missable[leaf].values
	for _, at := range shape {
		typ = wrappers[at].typ(typ)
		values = wrappers[at].values(values)
	}
	raws := []string{"{}"}
	for _, value := range values {
		raws = append(raws, `{"a":`+value+`}`)
	}
	return reflect.StructOf([]reflect.StructField{{Name: "A", Type: typ, Tag: `json:"a"`}}), raws
}

// shapesOf lists the shapes of up to a number of wrappers, from the innermost.
func shapesOf(most int) [][]int {
	all := [][]int{nil}
	for from := 0; most > 0; most-- {
		next := len(all)
		for _, shape := range all[from:next] {
			for at := range wrappers {
				all = append(all, append(slices.Clone(shape), at))
			}
		}
		from = next
	}
	return all
}

// TestFindingsAboutMissingParts: where a part of a configuration is null or missing, a finding claims of it what the hashes do. The
// elements of arrays are written where they are missing, and the zero value of one type differs from that of another. All shapes of
// two levels get every other leaf and become each other, and all shapes of three levels get another leaf.
func TestFindingsAboutMissingParts(t *testing.T) {
	schemas := map[reflect.Type]subject{}
	of := func(typ reflect.Type) (s subject, ok bool) {
		s, ok = schemas[typ]
		if !ok {
			schema, err := hotupdate.SchemaOnce(typ)
			s = subject{rootOf(typ, nil), schema}
			schemas[typ] = s
			ok = err == nil // presence needs a pointer
		}
		return s, ok && s.schema != nil
	}
	pairs := 0
	check := func(leaf, other int, shape, otherShape []int) {
		pairs++
		if !effort.Takes(pairs) {
			return
		}
		typ, raws := shaped(leaf, shape...)
		updated, _ := shaped(other, otherShape...)
		before, ok := of(typ)
		after, okToo := of(updated)
		if !ok || !okToo || typ == updated {
			return
		}
		e := evolution{before, after}
		findings, err := hotupdate.Compatibility(e.old.schema, e.updated.schema)
		require.NoError(t, err)
		for _, raw := range raws {
			e.holdsTo(t, findings, []byte(raw), fmt.Sprintf("%v becomes %v", typ, updated))
		}
	}
	few := shapesOf(2)
	for _, shape := range shapesOf(3)[len(few):] {
		check(0, 1, shape, shape)
	}
	for leaf := range missable {
		for other := range missable {
			for _, shape := range few {
				check(leaf, other, shape, shape)
			}
		}
	}
	for _, shape := range few {
		for _, other := range few {
			check(0, 0, shape, other)
			check(0, 1, shape, other)
			check(6, 3, shape, other)
		}
	}
}
