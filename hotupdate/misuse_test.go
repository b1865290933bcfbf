package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// failures calls everything that takes a Schema and returns the problems of each.
func failures[T any](s *hotupdate.Schema, config *T) map[string][]problem {
	found := map[string][]problem{}
	note := func(name string, err error) { found[name] = problemsOf(err) }
	_, err := s.Hash(config)
	note("Hash", err)
	_, err = s.Document(config)
	note("Document", err)
	_, err = s.Diff(config, nil)
	note("Diff from", err)
	_, err = s.Diff(nil, config)
	note("Diff to", err)
	_, _, err = hotupdate.Split(s, config)
	note("Split", err)
	_, err = hotupdate.Merge(s, config, nil)
	note("Merge immutable", err)
	_, err = hotupdate.Merge(s, nil, config)
	note("Merge hot", err)
	return found
}

func TestWithoutASchema(t *testing.T) {
	want := []problem{{Code: "no-schema"}}
	for name, s := range map[string]*hotupdate.Schema{"nil": nil, "zero": {}} {
		for call, got := range failures(s, &endless{Text: secretValue}) {
			assert.Equal(t, want, got, "%s Schema, %s", name, call)
		}
		_, err := s.Decode([]byte("{}"))
		assert.Equal(t, want, problemsOf(err), name)
		_, err = s.HashRaw(nil)
		assert.Equal(t, want, problemsOf(err), name)
		_, err = s.DocumentRaw(nil)
		assert.Equal(t, want, problemsOf(err), name)
		_, err = s.DiffRaw(nil, nil)
		assert.Equal(t, want, problemsOf(err), name)
	}
}

func TestWrongType(t *testing.T) {
	s := schemaFor[endless](t)
	want := []problem{{Code: "type-mismatch"}}
	for call, got := range failures(s, &optionItem{Name: secretValue}) {
		assert.Equal(t, want, got, call)
	}
	for call, got := range failures(s, &map[string]string{secretValue: secretValue}) {
		assert.Equal(t, want, got, call)
	}
	var self selfPointer
	var turn turnPointer
	for _, config := range []any{
		5, secretValue, []endless{}, func() {}, struct{}{}, self, &self, turn, (*optionItem)(nil), make(chan endless),
	} {
		_, err := s.Hash(config)
		checkProblems(t, want, err, "another type")
	}
}

// turnPointer and returnPointer are pointers to each other.
type (
	turnPointer   *returnPointer
	returnPointer *turnPointer
)

func TestNil(t *testing.T) {
	s := schemaFor[endless](t)
	empty, err := s.Hash(endless{})
	require.NoError(t, err)
	nilPointer := (*endless)(nil)
	for _, config := range []any{nil, nilPointer, &nilPointer, (**endless)(nil), &endless{}} {
		sum, err := s.Hash(config)
		require.NoError(t, err)
		assert.Equal(t, empty, sum)
	}
	for call, got := range failures(s, nilPointer) {
		assert.Empty(t, got, call)
	}
	for call, got := range failures(s, &nilPointer) {
		assert.Empty(t, got, call)
	}
	immutable, hot, err := hotupdate.Split(s, nilPointer)
	require.NoError(t, err)
	assert.Equal(t, &endless{}, immutable)
	assert.Equal(t, &endless{}, hot)
	changes, err := s.Diff(nilPointer, &endless{})
	require.NoError(t, err)
	assert.Empty(t, changes)
}

func TestHalvesThatDoNotBelongTogether(t *testing.T) {
	type element struct {
		Name string `json:"name"`
		Hot  string `json:"hot"  hotupdatable:"true"`
	}
	type config struct {
		Keyed  []element             `json:"keyed"  hotupdatable:"false,key=name"`
		Map    map[string]*element   `json:"map"`
		Hot    map[string]*immutable `json:"hot"    hotupdatable:"true"`
		Places []element             `json:"places"`
		Array  *[1]element           `json:"array"`
		Secret map[string]element    `json:"secret" hotupdatable:"false,sensitive=keys"`
	}
	s := schemaFor[config](t)
	differ := func(paths ...string) []problem {
		var all []problem
		for _, path := range paths {
			all = append(all, valueProblem("halves-differ", path))
		}
		return all
	}
	for _, tc := range []struct {
		immutable, hot *config
		want           []problem
		reason         string
	}{
		{
			&config{Keyed: []element{{Name: "a"}}}, &config{Keyed: []element{{Name: "b"}}}, differ("keyed[name=a]", "keyed[name=b]"),
			"another key",
		},
		{&config{Keyed: []element{{Name: "a"}}}, nil, differ("keyed[name=a]"), "no keys"},
		{&config{Keyed: []element{{Name: "a"}}}, &config{}, differ("keyed[name=a]"), "no keys"},
		{
			&config{Keyed: []element{{Name: "a"}, {Name: "b"}}}, &config{Keyed: []element{{Name: "b", Hot: "x"}, {Name: "a"}}}, nil,
			"the order carries no meaning",
		},
		{&config{Keyed: []element{{}, {Name: "b"}}}, &config{Keyed: []element{{Name: "b"}, {Hot: "x"}}}, nil, "a missing key is a key"},
		{&config{Keyed: []element{{}, {}}}, &config{Keyed: []element{{Hot: "x"}, {Hot: "y"}}}, nil, "elements of one key have an order"},
		{&config{Keyed: []element{{}, {}}}, &config{Keyed: []element{{Hot: "x"}}}, differ(`keyed[name=""]#2`), "one element less"},
		{&config{Keyed: []element{{}}}, &config{Keyed: []element{{Name: "a"}}}, differ(`keyed[name=""]`, "keyed[name=a]"), "another key"},
		{
			&config{Map: map[string]*element{"a": nil}}, &config{Map: map[string]*element{"b": nil}}, differ("map[a]", "map[b]"),
			"another key",
		},
		{&config{Map: map[string]*element{"a": nil}}, &config{}, differ("map[a]"), "no keys"},
		{
			&config{Hot: map[string]*immutable{"a": nil}}, &config{Hot: map[string]*immutable{"b": nil}}, differ("hot[a]", "hot[b]"),
			"another key",
		},
		{&config{Places: make([]element, 2)}, &config{Places: make([]element, 3)}, differ("places"), "another length"},
		{&config{}, &config{Places: make([]element, 1)}, differ("places"), "another length"},
		{&config{Array: &[1]element{}}, &config{}, nil, "a missing array says what the zero array says"},
		{
			&config{Secret: map[string]element{secretKey: {}}}, &config{Secret: map[string]element{"b": {}}},
			differ("secret[(sensitive)]", "secret[(sensitive)]"), "the key is not shown",
		},
		{
			&config{Places: make([]element, 1), Map: map[string]*element{"a": nil}}, &config{}, differ("map[a]", "places"),
			"all errors at once",
		},
	} {
		_, err := hotupdate.Merge(s, tc.immutable, tc.hot)
		checkProblems(t, tc.want, err, tc.reason)
	}
}

type immutable struct {
	Text string `json:"text" hotupdatable:"false"`
}
