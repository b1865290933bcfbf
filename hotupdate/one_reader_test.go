package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// unhashed has quantities, times and keyed lists that no hash reads, and the same in the hash.
type unhashed struct {
	Size       resource.Quantity            `json:"size,omitempty"       hotupdatable:"true"`
	Limit      *resource.Quantity           `json:"limit,omitempty"      hotupdatable:"ignore"`
	Capacity   map[string]resource.Quantity `json:"capacity,omitempty"   hotupdatable:"true"`
	Sizes      []resource.Quantity          `json:"sizes,omitempty"      hotupdatable:"true,set"`
	Parts      []unhashedPart               `json:"parts,omitempty"      hotupdatable:"true,set"`
	Time       time.Time                    `json:"time,omitzero"        hotupdatable:"true"`
	Expires    metav1.Time                  `json:"expires,omitzero"     hotupdatable:"true"`
	Seen       *metav1.MicroTime            `json:"seen,omitempty"       hotupdatable:"ignore"`
	Disks      []unhashedDisk               `json:"disks,omitempty"      hotupdatable:"true,key=name"`
	Number     json.Number                  `json:"number,omitempty"     hotupdatable:"true"`
	Immutable  *resource.Quantity           `json:"immutable,omitempty"`
	Spelled    map[textValue]string         `json:"spelled,omitempty"    hotupdatable:"true"`
	Immutables map[textValue]string         `json:"immutables,omitempty"`
}

type unhashedPart struct {
	Sizes map[string]resource.Quantity `json:"sizes,omitempty"`
}

type unhashedDisk struct {
	Name string            `json:"name"`
	Size resource.Quantity `json:"size,omitempty"`
}

// TestWhatCanBeHashedCanBeCompared: a Hot or Ignored quantity or time that has no canonical text stands for itself in a
// difference. Admission refuses it, and takes its removal in every pool. Nothing else changes: in the hash, such a
// value is an error.
func TestWhatCanBeHashedCanBeCompared(t *testing.T) {
	schema := schemaFor[unhashed](t)
	nines := strings.Repeat("9", 70)
	for _, tc := range []struct{ without, raw, same, path, text string }{
		{`{ }`, `{"size":"1e99"}`, `{"size":"10e98"}`, "size", `"1e99"`},
		{`{ }`, `{"size":"` + nines + `"}`, `{"size":"` + nines + `000m"}`, "size", `"` + nines + `e0"`},
		{`{ }`, `{"number":"1e1000"}`, `{"number":"1\u00651000"}`, "number", `"1e1000"`},
		{`{ }`, `{"limit":-1e70}`, `{"limit":"-10E69"}`, "limit", `"-1e70"`},
		{`{ }`, `{"capacity":{"cpu":"1e99"}}`, `{"capacity":{"cpu":1e99}}`, "capacity[cpu]", `"1e99"`},
		{`{ }`, `{"sizes":["1e99"]}`, `{"sizes":["10e98","1e99"]}`, "sizes[=1e99]", `"1e99"`},
		{`{ }`, `{"parts":[{"sizes":{"cpu":"1e99"}}]}`, `{"parts":[{"sizes":{"cpu":1e99}}]}`, "parts[0]", `{"sizes":{"cpu":"1e99"}}`},
		{`{ }`, `{"time":"0000-01-01T00:00:00.5+01:00"}`, `{"time":"0000-01-01T01:00:00.50+02:00"}`, "time", `"-0001-12-31T23:00:00.5Z"`},
		{`{ }`, `{"expires":"9999-12-31T23:59:59-01:00"}`, `{"expires":"9999-12-31T22:59:59-02:00"}`, "expires", `"10000-01-01T00:59:59Z"`},
		{
			`{ }`, `{"seen":"9999-12-31T23:59:59.250000-01:00"}`, `{"seen":"9999-12-31T22:59:59.250000-02:00"}`, "seen",
			`"10000-01-01T00:59:59.25Z"`,
		},
		{
			`{"disks":[{"name":"a","size":1},{"name":"a"}]}`, `{"disks":[{"name":"a","size":1},{"name":"a","size":"1e99"}]}`,
			`{"disks":[{"name":"a","size":"1"},{"name":"a","size":1e99}]}`, "disks[name=a]#2.size", `"1e99"`,
		},
	} {
		t.Run(tc.raw, func(t *testing.T) {
			config, err := schema.Decode([]byte(tc.raw))
			require.NoError(t, err)
			before, err := schema.Decode([]byte(tc.without))
			require.NoError(t, err)
			changes, err := schema.Diff(before, config)
			require.NoError(t, err)
			require.Len(t, changes, 1)
			require.Equal(t, []string{tc.path, tc.text}, []string{changes[0].Path, changes[0].New})
			empty, err := schema.HashRaw([]byte(tc.without))
			require.NoError(t, err)
			sum, err := schema.HashRaw([]byte(tc.raw))
			require.NoError(t, err)
			require.Equal(t, empty, sum, "nothing of it is hashed")
			raw, err := schema.DiffRaw([]byte(tc.without), []byte(tc.raw))
			require.NoError(t, err)
			require.Equal(t, changes, raw)
			same, err := schema.DiffRaw([]byte(tc.raw), []byte(tc.same))
			require.NoError(t, err)
			require.Empty(t, same, "one meaning")

			assert.NotEmpty(t, schema.ValidateUpdateRaw([]byte(tc.without), []byte(tc.raw), hotupdate.AutoRollingUpdate, nil))
			for strategy := hotupdate.AutoRollingUpdate; strategy <= hotupdate.ManualInPlaceUpdate; strategy++ {
				assert.Empty(t, schema.ValidateUpdateRaw([]byte(tc.raw), []byte(tc.without), strategy, nil), "it may be mended")
			}
			if changes[0].Class == hotupdate.Hot {
				_, err = (*schemabridge.Schema)(schema).HotPart(config)
				require.Error(t, err, "a driver could not read it back")
			}
		})
	}
	_, err := schema.HashRaw([]byte(`{"immutable":"1e99"}`))
	require.Equal(t, "number-range", problemsOf(err)[0].Code)
	_, err = schema.DiffRaw([]byte("{}"), []byte(`{"immutable":"1e99"}`))
	require.Equal(t, "number-range", problemsOf(err)[0].Code)
	for _, name := range []string{"spelled", "immutables"} {
		for reader, read := range rawReaders(schema, []byte(`{"`+name+`":{"a":"x","A":"y"}}`)) {
			require.Equal(t, []problem{{Code: "duplicate-map-key", Path: name + "[A]"}}, problemsOf(read()), reader)
		}
	}
}

// oddTexts are texts that some kind of leaf refuses to read or to write.
var oddTexts = []any{
	"1e99", "1e99", "0000-01-01T00:00:00+01:00", "", "x", "5%", "1e-99", "1e999999", json.Number("1e99"), json.Number("1.5"),
	json.Number("0"), json.Number("99999999999999999999"), true, nil,
	"1 day", "0", "2024-01-01t00:00:00z", "0000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "9999-12-31T23:59:59.250000-01:00",
	"::1", "10.0.0.1/8",
	map[string]any{},
	[]any{},
	strings.Repeat("9", 70),
}

// spoiled replaces a leaf of JSON by an odd text, and repeats some elements of lists.
func spoiled(t *rapid.T, raw []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree any
	require.NoError(t, decoder.Decode(&tree))
	left := 1
	written, err := json.Marshal(mutate(t, tree, &left))
	require.NoError(t, err)
	return written
}

// mutate replaces a leaf if one is left.
func mutate(t *rapid.T, tree any, left *int) any {
	switch v := tree.(type) {
	case []any:
		for i := range v {
			v[i] = mutate(t, v[i], left)
		}
		if len(v) > 0 && chance(t, 3) {
			v = append(v, v[pick(t, len(v))])
		}
		return v
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = mutate(t, v[name], left)
		}
		return v
	}
	if *left > 0 && chance(t, 3) {
		*left--
		return among(t, oddTexts...)
	}
	return tree
}

// TestOneReader: of a document without unknown members, a Schema and the same that admits unknown members give one hash
// or none, whatever stands in parts that are not hashed. Two documents with a hash can be compared, by both alike, and
// admission can read both.
func TestOneReader(t *testing.T) {
	hashed := 0
	refused := 0
	checkTypes(t, newLoadableTypeGenerator, func(t *rapid.T, s subject) {
		exported, err := s.schema.MarshalJSON()
		require.NoError(t, err)
		if unloadable.Match(exported) {
			return
		}
		a, b := s.drawPair(t)
		one, other := oneReader(t, s.schema, spoiled(t, toJSON(t, a)), spoiled(t, toJSON(t, b)))
		hashed += one
		refused += other
	})
	require.NotZero(t, refused)
	require.NotZero(t, hashed)
}

// TestOneReaderOfOwnTexts: a type that marshals itself is read by its own decoder, also as a key, under a Schema that
// admits unknown members.
func TestOneReaderOfOwnTexts(t *testing.T) {
	type config struct {
		Address netip.Addr                `json:"address,omitzero"`
		Pointer *netip.Addr               `json:"pointer,omitempty"`
		List    []netip.Prefix            `json:"list,omitempty"    hotupdatable:"true"`
		Pair    [2]netip.Addr             `json:"pair,omitzero"`
		Hosts   map[netip.Addr]netip.Addr `json:"hosts,omitempty"`
	}
	schema := schemaFor[config](t)
	open := openSchema(t, schema)
	for raw, isHashed := range map[string]bool{
		`{"address":"::0"}`: true, `{"address":"x"}`: false, `{"address":"x","new":1}`: false, `{"pointer":"10.0.0.1"}`: true,
		`{"pointer":1}`:           false,
		`{"list":["10.0.0.0/8"]}`: true, `{"list":["10.0.0.0"]}`: false, `{"pair":["::0","::1"]}`: true, `{"pair":["::0","y"]}`: false,
		`{"hosts":{"::0":"::1"}}`: true, `{"hosts":{"x":"::1"}}`: false, `{"hosts":{"::1":"x"}}`: false,
	} {
		sum, err := schema.HashRaw([]byte(raw))
		openSum, openErr := open.HashRaw([]byte(raw))
		if !strings.Contains(raw, "new") {
			assert.Equal(t, isHashed, err == nil, "%s: %v", raw, err)
		}
		assert.Equal(t, isHashed, openErr == nil, "%s: %v", raw, openErr)
		assert.Equal(t, sum, openSum, raw)
	}
	for _, raw := range []string{`{"address":"%s"}`, `{"hosts":{"%s":"::1"}}`} {
		changes, err := open.DiffRaw(fmt.Appendf(nil, raw, "::0"), fmt.Appendf(nil, raw, "0:0:0:0:0:0:0:0"))
		require.NoError(t, err)
		assert.Empty(t, changes, "two spellings of one value")
	}
}

// TestOneReaderOfCRDs is TestOneReader for CRDs, whose hints admit other texts.
func TestOneReaderOfCRDs(t *testing.T) {
	hashed := 0
	rapid.Check(t, func(t *rapid.T) {
		g := &describer{T: t}
		spec := g.object(position{})
		schema, err := hotupdate.SchemaOfCRD(crdOf(t, spec.property), "v1", g.options(samePath)...)
		require.NoError(t, err)
		for range valuesPerType {
			both, _ := oneReader(t, schema, spoiled(t, drawn(t, spec, "old")), spoiled(t, drawn(t, spec, "updated")))
			hashed += both
		}
	})
	require.NotZero(t, hashed)
}

// oneReader counts the pairs that can be hashed, and those that cannot.
func oneReader(t *rapid.T, schema *hotupdate.Schema, old, updated []byte) (hashed, refused int) {
	open := openSchema(t, schema)
	var sums [2]hotupdate.Sum
	isHashed := true
	for i, raw := range [][]byte{old, updated} {
		sum, err := schema.HashRaw(raw)
		openSum, openErr := open.HashRaw(raw)
		require.Equal(t, problemsOf(err), problemsOf(openErr), "%s", raw)
		require.Equal(t, sum, openSum, "%s", raw)
		isHashed = isHashed && err == nil
		sums[i] = sum
	}
	if !isHashed {
		return 0, 1
	}
	changes, err := schema.DiffRaw(old, updated)
	require.NoError(t, err, "%s\n%s", old, updated)
	openChanges, err := open.DiffRaw(old, updated)
	require.NoError(t, err, "%s\n%s", old, updated)
	require.Equal(t, unsourced(changes), unsourced(openChanges), "%s\n%s", old, updated)
	replaces := len(changes.Of(hotupdate.Immutable))+len(changes.Of(hotupdate.InPlace)) > 0
	require.Equal(t, sums[0] != sums[1], replaces, "%v\n%s\n%s", changes, old, updated)
	problems := schema.ValidateUpdateRaw(old, updated, hotupdate.AutoInPlaceUpdate, nil)
	require.Equal(t, problems, open.ValidateUpdateRaw(old, updated, hotupdate.AutoInPlaceUpdate, nil))
	for _, problem := range problems {
		require.NotContains(t, problem.Detail, "cannot be read", "%s\n%s", old, updated)
	}
	return 1, 0
}
