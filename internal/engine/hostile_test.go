package engine_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// byValue and byPointer are marshalers that may panic. Their zero values write a text.
type byValue struct{ text string }

func (m byValue) MarshalJSON() ([]byte, error) {
	if m.text == "panic" {
		panic(m.text)
	}
	return json.Marshal("v" + m.text)
}

type byPointer struct{ text string }

func (m *byPointer) MarshalText() ([]byte, error) {
	if m.text == "panic" {
		panic(m.text)
	}
	return []byte(m.text), nil
}

// Identity is embedded by pointer: elements may lack their key.
type Identity struct {
	Key  string `json:"key"`
	Live bool   `json:"live"`
}

type identified struct {
	*Identity `json:",inline"`

	Text  string    `json:"text"`
	Value byValue   `json:"value"`
	Empty *struct{} `json:"empty"`
}

type hostile struct {
	Array  [2]byValue                `json:"array"`
	Places [2]*byValue               `json:"places"`
	Set    []byPointer               `json:"set"    hotupdatable:"false,set"`
	Holes  []*struct{}               `json:"holes"  hotupdatable:"false,set"`
	Map    map[string]byPointer      `json:"map"`
	Nulls  map[string]*byValue       `json:"nulls"`
	Keyed  []identified              `json:"keyed"  hotupdatable:"false,key=key,hotwhen=live:true"`
	Unlive map[string]*identified    `json:"unlive" hotupdatable:"false,hotwhen=live:false"`
	Zero   []struct{}                `json:"zero"`
	Zeros  map[string][0]int         `json:"zeros"`
	Deep   [][]map[string][]**string `json:"deep"`
	Lists  *[]*[]string              `json:"lists"`
	Any    any                       `json:"any"`
}

func hostiles() []hostile {
	text := new("text")
	return []hostile{
		{},
		{Array: [2]byValue{{"a"}}},
		{Array: [2]byValue{{"panic"}}},
		{Places: [2]*byValue{nil, {}}},
		{Places: [2]*byValue{{}, nil}},
		{Set: []byPointer{{"b"}, {"a"}, {"b"}}},
		{Set: []byPointer{{"panic"}}},
		{Holes: []*struct{}{nil, {}, nil}},
		{Holes: []*struct{}{}},
		{Map: map[string]byPointer{"a": {}, "b": {"x"}}},
		{Map: map[string]byPointer{"a": {"\xff"}}},
		{Nulls: map[string]*byValue{"a": nil, "b": {}}},
		{Keyed: []identified{{}}},
		{Keyed: []identified{{Identity: &Identity{"b", true}, Text: "hot"}, {Identity: &Identity{"a", false}}}},
		{Keyed: []identified{{Identity: &Identity{"a", false}, Empty: &struct{}{}}}},
		{Keyed: []identified{{Identity: &Identity{"a", true}, Value: byValue{"panic"}}}},
		{Unlive: map[string]*identified{"a": nil, "b": {}, "c": {Text: "x"}}},
		{Unlive: map[string]*identified{"a": {Identity: &Identity{"", true}}, "b": nil}},
		{Zero: make([]struct{}, 3)},
		{Zeros: map[string][0]int{"a": {}}},
		{Deep: [][]map[string][]**string{nil, {}, {nil, {"a": nil, "b": {}, "c": {nil, new(*string), &text}}}}},
		{Lists: new([]*[]string)},
		{Lists: &[]*[]string{nil, new([]string), {"a"}}},
		{Any: byValue{}},
		{Any: (*byPointer)(nil)},
		{Any: byValue{"panic"}},
		{Any: []any{1.0, 1}},
	}
}

// TestHostileTypesFollowTheRules: two unusual values are the same only if their documents are.
func TestHostileTypesFollowTheRules(t *testing.T) {
	p, err := fieldplan.Compile(reflect.TypeFor[hostile](), nil)
	require.NoError(t, err)
	values, written := hostiles(), 0
	for i := range values {
		document, problem := documentOf(p, values[i])
		if problem == nil {
			written++
		}
		for j := range values {
			if isSame(p, &values[i], &values[j]) {
				other, otherProblem := documentOf(p, &values[j])
				require.NoError(t, problem, i)
				require.NoError(t, otherProblem, j)
				assert.Equal(t, string(document), string(other), "%d and %d", i, j)
			}
		}
	}
	assert.Greater(t, written, len(values)/2)
}

// fickle is a leaf whose marshaler fails every other time.
type fickle struct{ calls *int }

func (f fickle) MarshalText() ([]byte, error) {
	if f.calls == nil {
		return nil, nil
	}
	if *f.calls++; *f.calls%2 == 1 {
		return nil, errors.New("not now")
	}
	return []byte("text"), nil
}

// TestFickleMarshaler: a fault counts even if it does not occur again in the second run, which finds its path.
func TestFickleMarshaler(t *testing.T) {
	p, err := fieldplan.Compile(reflect.TypeFor[struct {
		Leaf fickle `json:"leaf"`
	}](), nil)
	require.NoError(t, err)
	for _, write := range []func(v reflect.Value) error{
		func(v reflect.Value) error { _, err := engine.Of(p).Append(nil, v); return err },
		func(v reflect.Value) error { _, err := engine.Of(p).Sum(v); return err },
	} {
		v := reflect.New(p.Type)
		v.Elem().Field(0).Set(reflect.ValueOf(fickle{new(int)}))
		require.Error(t, write(v))
		require.Error(t, write(v))
	}
}
