package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// TestRawHalvesAreThoseOfTheValue: splitting JSON gives the JSON of the halves, and merging them gives the original.
func TestRawHalvesAreThoseOfTheValue(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		config := s.draw(t)
		raw := toJSON(t, config)
		immutable, hot, err := s.schema.SplitRaw(raw)
		require.NoError(t, err, "%s", s.describe(config))
		wantImmutable, wantHot := s.split(t, s.decode(t, raw))
		require.Empty(t, s.diffRaw(t, toJSON(t, wantImmutable), immutable), "%s\n%s", s.describe(config), immutable)
		require.Empty(t, s.diffRaw(t, toJSON(t, wantHot), hot), "%s\n%s", s.describe(config), hot)
		requireOnly(t, s, s.decode(t, immutable), hashView.sees)
		requireOnly(t, s, s.decode(t, hot), dropped)
		merged, err := s.schema.MergeRaw(immutable, hot)
		require.NoError(t, err, "%s\n%s\n%s", s.describe(config), immutable, hot)
		require.Empty(t, s.diffRaw(t, raw, merged), "%s\n%s\n%s\n%s", s.describe(config), immutable, hot, merged)
	})
}

func TestSplitRaw(t *testing.T) {
	schema := schemaFor[workerConfig](t)
	for _, tc := range []struct {
		name, raw, immutable, hot, reason string
	}{
		{"nothing", " ", `{}`, `{}`, "the empty configuration"},
		{"both halves", `{"tags":{"vm":{"a":"b"}},"volume":{"iops":3}}`, `{"volume":{"iops":3}}`, `{"tags":{"vm":{"a":"b"}}}`, "each member goes to its half"},
		{"TypeMeta", `{"kind":"WorkerConfig","apiVersion":"v1"}`, `{"apiVersion":"v1","kind":"WorkerConfig"}`, `{"apiVersion":"v1","kind":"WorkerConfig"}`, "TypeMeta stands in both"},
		{"elements", `{"machineLabels":[{"name":"a","value":"b"}]}`, `{"machineLabels":[{"name":"a","triggerRollingOnUpdate":false}]}`, `{"machineLabels":[{"name":"a","triggerRollingOnUpdate":false,"value":"b"}]}`, "name and selector stand in both, so that the halves can be merged"},
		{"spelling", `{"volume":{"size":"1024Mi"}}`, `{"volume":{"size":"1073741824"}}`, `{}`, "a leaf is spelled as in the canonical document"},
		{"null and zero", `{"volume":null,"tags":{"vm":null},"dataVolumes":[]}`, `{}`, `{}`, "they say nothing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			immutable, hot, err := schema.SplitRaw([]byte(tc.raw))
			require.NoError(t, err)
			assert.Equal(t, [2]string{tc.immutable, tc.hot}, [2]string{string(immutable), string(hot)}, tc.reason)
		})
	}
	for _, raw := range []string{`{`, `{"x":1}`, `{"tags":1}`} {
		_, _, err := schema.SplitRaw([]byte(raw))
		require.Error(t, err, raw)
		_, err = schema.MergeRaw([]byte(raw), nil)
		require.Error(t, err, raw)
		_, err = schema.MergeRaw(nil, []byte(raw))
		require.Error(t, err, raw)
	}
	_, err := schema.MergeRaw([]byte(`{"machineLabels":[{"name":"a","triggerRollingOnUpdate":true}]}`), []byte(`{}`))
	require.Equal(t, "halves-differ", fault.All(err)[0].Code, "halves of two configurations")
}

// TestEqualBytesAreNoChange: equal bytes are not decoded, so an unchanged spec costs only a comparison of memory.
func TestEqualBytesAreNoChange(t *testing.T) {
	schema := schemaFor[workerConfig](t)
	for _, raw := range []string{"", `{}`, `{"volume":{"iops":3}}`, `{"unknown":1}`, `{`, "\xff"} {
		changes, err := schema.DiffRaw([]byte(raw), []byte(raw))
		require.NoError(t, err)
		require.Empty(t, changes)
	}
	_, err := (*hotupdate.Schema)(nil).DiffRaw(nil, nil)
	require.Equal(t, "no-schema", fault.All(err)[0].Code, "a missing Schema is an error in any case")
	_, err = schema.DiffRaw([]byte(`{"unknown":1}`), []byte(`{"unknown":2}`))
	require.Error(t, err, "what differs is read")
}

func TestEqualBytesAllocateNothing(t *testing.T) {
	schema, raw := schemaFor[workerConfig](t), []byte(`{"volume":{"iops":3}}`)
	same := append([]byte(nil), raw...)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if changes, err := schema.DiffRaw(raw, same); err != nil || len(changes) > 0 {
			t.Error("not equal")
		}
	}))
}

// TestSplitRawOfNullEntries: below an element that hotwhen selects, maps are hot, so a null entry is an
// absent key. It became an empty object, which is an entry.
func TestSplitRawOfNullEntries(t *testing.T) {
	type entry struct {
		Hot       string `json:"hot,omitempty"`
		Immutable string `json:"immutable,omitempty" hotupdatable:"false"`
	}
	type element struct {
		Name    string            `json:"name"`
		Live    bool              `json:"live"`
		Entries map[string]*entry `json:"entries,omitempty"`
	}
	type config struct {
		List []element           `json:"list,omitempty" hotupdatable:"false,key=name,hotwhen=live:true"`
		Map  map[string]*element `json:"map,omitempty"  hotupdatable:"false,hotwhen=live:true"`
	}
	schema := schemaFor[config](t)
	for _, tc := range []struct{ raw, immutable, hot, merged string }{
		{
			`{"list":[{"name":"a","live":true,"entries":{"x":null}}]}`,
			`{"list":[{"live":true,"name":"a"}]}`, `{"list":[{"live":true,"name":"a"}]}`, `{"list":[{"live":true,"name":"a"}]}`,
		},
		{
			`{"list":[{"name":"a","live":false,"entries":{"x":null}}]}`,
			`{"list":[{"entries":{"x":{}},"live":false,"name":"a"}]}`, `{"list":[{"live":false,"name":"a"}]}`, `{"list":[{"entries":{"x":{}},"live":false,"name":"a"}]}`,
		},
		{
			`{"map":{"a":{"name":"","live":true,"entries":{"x":null,"y":{"hot":"h"}}}}}`,
			`{"map":{"a":{"entries":{"y":{}},"live":true}}}`, `{"map":{"a":{"entries":{"y":{"hot":"h"}},"live":true}}}`, `{"map":{"a":{"entries":{"y":{"hot":"h"}},"live":true}}}`,
		},
	} {
		immutable, hot, err := schema.SplitRaw([]byte(tc.raw))
		require.NoError(t, err)
		merged, err := schema.MergeRaw(immutable, hot)
		require.NoError(t, err)
		assert.Equal(t, []string{tc.immutable, tc.hot, tc.merged}, []string{string(immutable), string(hot), string(merged)}, tc.raw)
		changes, err := schema.DiffRaw([]byte(tc.raw), merged)
		require.NoError(t, err)
		assert.Empty(t, changes, tc.raw)
	}
}
