package record_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// fact is a leaf with its value. An element of a list of scalars is a leaf of its own.
type fact struct{ leaf, value string }

// factsOf flattens a hot part without the code under test. Names in the tests have no characters that a pointer escapes.
func factsOf(hot string) map[fact]bool {
	all := map[fact]bool{}
	if hot == "" {
		return all
	}
	var value any
	if err := json.Unmarshal([]byte(hot), &value); err != nil {
		panic(err)
	}
	flatten("", value, all)
	return all
}

func flatten(pointer string, value any, all map[fact]bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			flatten(pointer+"/"+name, member, all)
		}
		if len(v) > 0 || pointer == "" {
			return
		}
	case []any:
		isScalar := func(e any) bool { return !strings.HasPrefix(fmt.Sprintf("%T", e), "map") }
		if len(v) > 0 && !slices.ContainsFunc(v, func(e any) bool { return !isScalar(e) }) {
			for _, e := range v {
				all[fact{pointer + "[" + text(e) + "]", text(e)}] = true
			}
			return
		}
	}
	all[fact{pointer, text(value)}] = true
}

func text(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// valueOf returns the value of a leaf, empty if it is absent.
func valueOf(facts map[fact]bool, leaf string) string {
	for f := range facts {
		if f.leaf == leaf {
			return f.value
		}
	}
	return ""
}

// schema has the Hot fields: the shapes of the JSON at pointers, and below them if the shape is an object.
type schema map[string]byte

func (s schema) isHot(pointer, text string) bool {
	for at, want := range s {
		if pointer == at {
			return text == "" || shapeOf(text[0]) == want
		}
		if strings.HasPrefix(pointer, at+"/") {
			return want == '{'
		}
	}
	return false
}

// hasHot reports whether a fact is Hot.
func (s schema) hasHot(f fact) bool {
	pointer := f.leaf
	element := false
	if i := strings.IndexByte(pointer, '['); i >= 0 {
		pointer = pointer[:i]
		element = true
	}
	if element {
		return s.isHot(pointer, "[]")
	}
	return s.isHot(pointer, f.value)
}

func shapeOf(first byte) byte {
	if first == '{' || first == '[' {
		return first
	}
	return '"'
}

// oracle has, for each kind, all values that may be live because of us. Only a confirmation removes some.
type oracle map[string]map[fact]bool

// kindsOfOracle are the kinds of the tests; no driver covers "never" until the end.
var kindsOfOracle = []string{"vm", "disk", "never"}

func newOracle() oracle {
	o := oracle{}
	for _, kind := range kindsOfOracle {
		o[kind] = map[fact]bool{}
	}
	return o
}

func (o oracle) own(kind string, facts map[fact]bool) { maps.Copy(o[kind], facts) }

// confirm removes the Hot facts of a kind except the applied ones.
func (o oracle) confirm(kind string, s schema, applied map[fact]bool) {
	maps.DeleteFunc(o[kind], func(f fact, _ bool) bool { return s.hasHot(f) && !applied[f] })
}

// check compares a request to a driver with the owned facts.
func (o oracle) check(t require.TestingT, part record.Part, s schema) {
	told := factsOf(part.Applied)
	for _, hot := range part.Attempted {
		maps.Copy(told, factsOf(hot))
	}
	want := map[fact]bool{}
	for f := range o[part.Kind] {
		if s.hasHot(f) {
			want[f] = true
		}
	}
	maps.Copy(told, factsOf(part.Desired)) // what is sent now is recorded before
	maps.Copy(want, factsOf(part.Desired))
	require.Equal(t, sortedFacts(want), sortedFacts(told), "kind %s", part.Kind)
}

func sortedFacts(facts map[fact]bool) []string {
	var all []string
	for f := range facts {
		all = append(all, f.leaf+"="+f.value)
	}
	slices.Sort(all)
	return all
}

func TestOracleKnowsLeaves(t *testing.T) {
	got := sortedFacts(factsOf(`{"a":{"k":"1","e":{}},"l":["x",1],"m":[{"n":1}],"z":[]}`))
	require.Equal(t, []string{`/a/e={}`, `/a/k="1"`, `/l["x"]="x"`, `/l[1]=1`, `/m=[{"n":1}]`, `/z=[]`}, got)
	require.Empty(t, factsOf(`{}`))
}
