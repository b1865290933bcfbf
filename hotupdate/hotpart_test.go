package hotupdate_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

func (s subject) hotPart(t require.TestingT, config reflect.Value) string {
	part, err := (*schemabridge.Schema)(s.schema).HotPart(config.Interface())
	require.NoError(t, err, "%s", s.describe(config))
	return string(part)
}

func (s subject) inPlacePart(t require.TestingT, config reflect.Value) string {
	part, err := (*schemabridge.Schema)(s.schema).InPlacePart(config.Interface())
	require.NoError(t, err, "%s", s.describe(config))
	return string(part)
}

// TestInPlacePart: an InPlace change is in the in-place part, and nothing of another class is. It can be decoded, and
// is its own in-place part.
func TestInPlacePart(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		s.root.by.keys = uniqueKeys
		a, b := s.drawPair(t)
		part := s.inPlacePart(t, a)
		if changes := s.diff(t, a, b); len(changes.Of(hotupdate.InPlace)) > 0 {
			require.NotEqual(t, part, s.inPlacePart(t, b), "%v\n%s", changes, s.describe(a, b))
		}
		decoded, err := s.schema.Decode([]byte(part))
		require.NoError(t, err, "%s\n%s", part, s.describe(a))
		require.Equal(t, part, s.inPlacePart(t, reflect.ValueOf(decoded)), "%s", s.describe(a))
		requireOnly(t, s, reflect.ValueOf(decoded), func(c hotupdate.Class) bool { return c == hotupdate.InPlace })
	})
}

// TestHotPartChangesWithHotFields: among configurations with the same hash the hot part differs exactly if Diff lists a Hot change.
func TestHotPartChangesWithHotFields(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		s.root.by.keys = uniqueKeys
		a := s.draw(t)
		b := respelled(t, hashView, s.root, a)
		if rapid.Bool().Draw(t, "same meaning") {
			b = respelled(t, fullView, s.root, a)
		}
		changes := s.diff(t, a, b)
		same := s.hotPart(t, a) == s.hotPart(t, b)
		require.Equal(t, len(changes.Of(hotupdate.Hot)) == 0, same, "%v\n%s", changes, s.describe(a, b))
	})
}

// TestHotPartSeesEveryHotChange: a Hot change is in the hot part, with any other changes.
func TestHotPartSeesEveryHotChange(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		s.root.by.keys = uniqueKeys
		a, b := s.drawPair(t)
		if changes := s.diff(t, a, b); len(changes.Of(hotupdate.Hot)) > 0 {
			require.NotEqual(t, s.hotPart(t, a), s.hotPart(t, b), "%v\n%s", changes, s.describe(a, b))
		}
	})
}

// TestHotPartIsAConfiguration: the hot part can be decoded, and is its own hot part. It has no leaf of another class
// except the places of elements.
func TestHotPartIsAConfiguration(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		s.root.by.keys = uniqueKeys
		config := s.draw(t)
		part := s.hotPart(t, config)
		decoded, err := s.schema.Decode([]byte(part))
		require.NoError(t, err, "%s\n%s", part, s.describe(config))
		require.Equal(t, part, s.hotPart(t, reflect.ValueOf(decoded)), "%s", s.describe(config))
		requireOnly(t, s, reflect.ValueOf(decoded), func(c hotupdate.Class) bool { return c == hotupdate.Hot })
	})
}

func TestHotPart(t *testing.T) {
	type volume struct {
		Name string `json:"name"`
		Size int    `json:"size"`
		IOPS int    `json:"iops,omitempty,string" hotupdatable:"true"`
	}
	type label struct {
		Rolls bool `json:"rolls,string"`
	}
	type config struct {
		APIVersion string            `json:"apiVersion,omitempty"`
		Zone       string            `json:"zone"`
		Hint       string            `json:"hint"                 hotupdatable:"ignore"`
		Tags       map[string]string `json:"tags,omitempty"       hotupdatable:"true"`
		Volumes    []volume          `json:"volumes,omitempty"    hotupdatable:"false,key=name"`
		Listed     []volume          `json:"listed,omitempty"`
		Limits     map[string]*int   `json:"limits,omitempty"     hotupdatable:"true"`
		Account    string            `json:"account,omitempty"    hotupdatable:"inplace"`
		Labels     map[string]*label `json:"labels,omitempty"     hotupdatable:"false,hotwhen=rolls:false"`
	}
	for _, tc := range []struct{ name, config, want, reason string }{
		{"nothing", ``, `{}`, "nil is the empty configuration"},
		{"nothing hot", `{"zone":"z","hint":"h","account":"a"}`, `{}`, "neither immutable nor ignored fields"},
		{"sorted", `{"tags":{"b":"2","a":"1"},"zone":"z"}`, `{"tags":{"a":"1","b":"2"}}`, "canonical"},
		{"empty", `{"tags":{}}`, `{}`, "an empty map is absent"},
		{"null in a map", `{"limits":{"a":null,"b":1}}`, `{"limits":{"b":1}}`, "an absent key"},
		{
			"a nil element that is hot", `{"labels":{"a":null,"b":{"rolls":"true"}}}`, `{"labels":{"a":{"rolls":"false"}}}`,
			"by its selector, spelled so that it can be decoded",
		},
		{"below a list", `{"listed":[{"size":1},{"iops":"2"},{"size":3}]}`, `{"listed":[{},{"iops":"2"}]}`, "in its place, up to the last"},
		{
			"below a keyed list", `{"volumes":[{"name":"b","size":1,"iops":"3"},{"name":"a","size":2}]}`,
			`{"volumes":[{"iops":"3","name":"b"}]}`, "by key, and spelled so that it can be decoded",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			schema := schemaFor[config](t)
			decoded, err := schema.Decode([]byte(tc.config))
			require.NoError(t, err)
			got, err := (*schemabridge.Schema)(schema).HotPart(decoded)
			require.NoError(t, err)
			assert.Equal(t, tc.want, string(got), tc.reason)
		})
	}
	schema := schemaFor[config](t)
	decoded, err := schema.Decode([]byte(`{"zone":"z","hint":"h","account":"a","tags":{"a":"1"}}`))
	require.NoError(t, err)
	got, err := (*schemabridge.Schema)(schema).InPlacePart(decoded)
	require.NoError(t, err)
	assert.JSONEq(t, `{"account":"a"}`, string(got))
}

// TestHotPartForgetsIgnoredSelectors: in an Ignored collection, a changed selector that selects neither before nor
// after is no Hot change, and does not change the hot part. The decoded element is not selected either.
func TestHotPartForgetsIgnoredSelectors(t *testing.T) {
	type element struct {
		Name  string `json:"name"`
		State string `json:"state"`
		Live  bool   `json:"live"`
		Count int8   `json:"count,string"`
		Size  int    `json:"size"         hotupdatable:"true"`
		Other int    `json:"other"`
	}
	type config struct {
		ByText    map[string]element `json:"byText"    hotupdatable:"ignore,hotwhen=state:a"`
		ByNoText  map[string]element `json:"byNoText"  hotupdatable:"ignore,hotwhen=state:''"`
		ByNoBool  map[string]element `json:"byNoBool"  hotupdatable:"ignore,hotwhen=live:false"`
		ByNoCount []element          `json:"byNoCount" hotupdatable:"ignore,key=name,hotwhen=count:0"`
	}
	schema := schemaFor[config](t)
	configs := func(e element) *config {
		all := map[string]element{"e": e}
		return &config{ByText: all, ByNoText: all, ByNoBool: all, ByNoCount: []element{e}}
	}
	const same = `{"byNoBool":{"e":{"live":true,"size":1}},"byNoCount":[{"count":"1","name":"n","size":1}],` +
		`"byNoText":{"e":{"size":1,"state":"-"}},"byText":{"e":{"size":1}}}`
	for _, e := range []element{
		{Name: "n", State: "b", Live: true, Count: 2, Size: 1},
		{Name: "n", State: "c", Live: true, Count: 3, Size: 1, Other: 5},
	} {
		part, err := (*schemabridge.Schema)(schema).HotPart(configs(e))
		require.NoError(t, err)
		assert.Equal(t, same, string(part))
		decoded, err := schema.Decode(part)
		require.NoError(t, err)
		again, err := (*schemabridge.Schema)(schema).HotPart(decoded)
		require.NoError(t, err)
		assert.Equal(t, same, string(again))
	}
	part, err := (*schemabridge.Schema)(schema).HotPart(configs(element{Name: "n", State: "a", Count: 0, Other: 5}))
	require.NoError(t, err)
	assert.Equal(t, `{"byNoBool":{"e":{"live":false,"name":"n","other":5,"state":"a"}},`+
		`"byNoCount":[{"count":"0","name":"n","other":5,"state":"a"}],"byText":{"e":{"name":"n","other":5,"state":"a"}}}`, string(part))
}

// TestHotPartKeepsWhenIgnoredSelectorIsSet: in an Ignored map the hot part once had a selector that selects nothing. It
// changed from unset to "c" without a Hot change, and machines were updated for nothing.
func TestHotPartKeepsWhenIgnoredSelectorIsSet(t *testing.T) {
	type element struct {
		S    string `json:"s"`
		Size int    `json:"size" hotupdatable:"true"`
	}
	type config struct {
		Elements map[string]element `json:"elements" hotupdatable:"ignore,hotwhen=s:a"`
	}
	schema := schemaFor[config](t)
	for s, want := range map[string]string{
		"": `{"elements":{"e":{"size":1}}}`, "c": `{"elements":{"e":{"size":1}}}`, "a": `{"elements":{"e":{"s":"a","size":1}}}`,
	} {
		part, err := (*schemabridge.Schema)(schema).HotPart(&config{map[string]element{"e": {s, 1}}})
		require.NoError(t, err)
		assert.Equal(t, want, string(part), s)
	}
}

func TestHotPartErrors(t *testing.T) {
	var missing *hotupdate.Schema
	parts := (*schemabridge.Schema)(missing)
	for _, part := range []func(any) ([]byte, error){parts.HotPart, parts.InPlacePart} {
		dst, err := part(nil)
		require.Error(t, err)
		assert.Equal(t, "no-schema", fault.All(err)[0].Code)
		assert.Nil(t, dst)
	}

	type config struct {
		Rate float64 `json:"rate" hotupdatable:"true"`
	}
	dst, err := (*schemabridge.Schema)(schemaFor[config](t)).HotPart(&config{Rate: math.NaN()})
	require.Error(t, err)
	assert.Equal(t, "not-finite", fault.All(err)[0].Code)
	assert.Nil(t, dst)
}
