package hotupdate_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// repeated has keyed lists of every class, in which keys may be repeated.
type repeated struct {
	Volumes []repeatedVolume `json:"volumes,omitempty" hotupdatable:"false,key=name"`
	Ranked  []repeatedRank   `json:"ranked,omitempty"  hotupdatable:"false,key=rank"`
	Places  []repeatedPlace  `json:"places,omitempty"  hotupdatable:"false,key=slot"`
	InPlace []repeatedVolume `json:"inPlace,omitempty" hotupdatable:"inplace,key=name"`
	Hot     []repeatedVolume `json:"hot,omitempty"     hotupdatable:"true,key=name"`
	Ignored []repeatedVolume `json:"ignored,omitempty" hotupdatable:"ignore,key=name"`
	Labels  []repeatedLabel  `json:"labels,omitempty"  hotupdatable:"false,key=name,hotwhen=rolls:false"`
}

type repeatedVolume struct {
	Name  string `json:"name,omitempty"`
	Size  int    `json:"size,omitempty"`
	IOPS  int    `json:"iops,omitempty"  hotupdatable:"true"`
	Fixed string `json:"fixed,omitempty" hotupdatable:"false"`
}

type repeatedRank struct {
	Rank *int64 `json:"rank,omitempty"`
	Size int    `json:"size,omitempty"`
}

type repeatedPlace struct {
	Slot uint16 `json:"slot"`
	Size int    `json:"size,omitempty"`
}

type repeatedLabel struct {
	Name  string `json:"name"`
	Rolls bool   `json:"rolls,omitempty"`
	Value string `json:"value,omitempty"`
}

// TestDocumentsOfRepeatedKeys: elements of one key stand as they are given among those of one class as projected.
func TestDocumentsOfRepeatedKeys(t *testing.T) {
	for _, tc := range []struct{ name, raw, document string }{
		{
			"as given", `{"volumes":[{"name":"b","size":3},{"name":"a","size":2},{"name":"b","size":1}]}`,
			`{"volumes":[{"name":"a","size":2},{"name":"b","size":3},{"name":"b","size":1}]}`,
		},
		{
			"absent and empty", `{"volumes":[{"size":3},{"name":"a"},{"name":"","size":1}]}`,
			`{"volumes":[{"name":"","size":3},{"name":"","size":1},{"name":"a"}]}`,
		},
		{"null", `{"volumes":[{"name":"a"},null,{"size":1}]}`, `{"volumes":[{"name":""},{"name":"","size":1},{"name":"a"}]}`},
		{
			"absent integers before the smallest",
			`{"ranked":[{"rank":-9223372036854775808,"size":1},{"size":2},{"rank":-9223372036854775808,"size":3},{"size":4},{"rank":0}]}`,
			`{"ranked":[{"rank":null,"size":2},{"rank":null,"size":4},{"rank":-9223372036854775808,"size":1},{"rank":-9223372036854775808,"size":3},{"rank":0}]}`,
		},
		{
			"an integer without a pointer", `{"places":[{"slot":1,"size":1},{"size":2},{"slot":0,"size":3}]}`,
			`{"places":[{"size":2,"slot":0},{"size":3,"slot":0},{"size":1,"slot":1}]}`,
		},
		{
			"hot elements", `{"hot":[{"name":"a","iops":1},{"name":"a","fixed":"y"},{"name":"a"},{"name":"a","fixed":"x"}]}`,
			`{"hot":[{"fixed":"y","name":"a"},{"fixed":"x","name":"a"}]}`,
		},
		{
			"ignored elements", `{"ignored":[{"name":"a","size":1},{"name":"a","fixed":"y"},{"name":"a","fixed":"x"}]}`,
			`{"ignored":[{"fixed":"y","name":"a"},{"fixed":"x","name":"a"}]}`,
		},
		{
			"immutable parts of in-place elements", `{"inPlace":[{"name":"a","size":2},{"name":"a","fixed":"x"},{"name":"a","size":1}]}`,
			`{"inPlace":[{"fixed":"x","name":"a"},{"name":"a","size":2},{"name":"a","size":1}]}`,
		},
		{
			"selected elements",
			`{"labels":[{"name":"a","rolls":true,"value":"y"},{"name":"a","value":"z"},{"name":"a","rolls":true,"value":"x"}]}`,
			`{"labels":[{"name":"a","rolls":true,"value":"y"},{"name":"a","rolls":true,"value":"x"}]}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			schema := schemaFor[repeated](t)
			for about, s := range alike(t, schema) {
				document, err := s.DocumentRaw([]byte(tc.raw))
				require.NoError(t, err)
				assert.Equal(t, tc.document, string(document), about)
			}
			config, err := schema.Decode([]byte(tc.raw))
			require.NoError(t, err)
			document, err := schema.Document(config)
			require.NoError(t, err)
			assert.Equal(t, tc.document, string(document), "typed")
		})
	}
}

// alike are a Schema, the same loaded, and both admitting unknown members.
func alike(t *testing.T, schema *hotupdate.Schema) map[string]*hotupdate.Schema {
	t.Helper()
	exported, err := schema.MarshalJSON()
	require.NoError(t, err)
	loaded, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err)
	open, err := schema.AdmitUnknown()
	require.NoError(t, err)
	return map[string]*hotupdate.Schema{"raw": schema, "loaded": loaded, "open": open}
}

// TestDiffOfRepeatedKeys: elements of one key are paired in their order among those of one class, and the second has a number in its path.
func TestDiffOfRepeatedKeys(t *testing.T) {
	schema := schemaFor[repeated](t)
	for _, tc := range []struct {
		name, old, updated string
		want               []string
	}{
		{
			"other keys move", `{"volumes":[{"name":"a","size":1},{"name":"b"},{"name":"a","size":2}]}`,
			`{"volumes":[{"name":"b"},{"name":"a","size":1},{"name":"a","size":2}]}`, nil,
		},
		{
			"two of one key are exchanged", `{"volumes":[{"name":"a","size":1},{"name":"b"},{"name":"a","size":2}]}`,
			`{"volumes":[{"name":"a","size":2},{"name":"a","size":1},{"name":"b"}]}`,
			[]string{
				"replace volumes[name=a].size /volumes/0/size immutable", "replace volumes[name=a]#2.size /volumes/1/size immutable",
			},
		},
		{
			"a hot field of the second", `{"volumes":[{"name":"a","iops":1},{"name":"a","iops":1}]}`,
			`{"volumes":[{"name":"a","iops":1},{"name":"b"},{"name":"a","iops":2}]}`,
			[]string{
				"replace volumes[name=a]#2.iops /volumes/2/iops hot", "add volumes[name=b] /volumes/1 immutable",
			},
		},
		{
			"the first is removed", `{"volumes":[{"name":"a","size":1},{"name":"a","size":2}]}`, `{"volumes":[{"name":"a","size":2}]}`,
			[]string{
				"replace volumes[name=a].size /volumes/0/size immutable", "remove volumes[name=a]#2.size /volumes/1/size immutable",
			},
		},
		{"mended", `{"volumes":[{"name":"a"},{"size":1},{"name":"a"}]}`, `{"volumes":[{"name":"a"},{"size":1},{"name":"c"}]}`, []string{
			"remove volumes[name=a]#2 /volumes/2 immutable", "add volumes[name=c] /volumes/2 immutable",
		}},
		{
			"a hot element before", `{"labels":[{"name":"a","rolls":true}]}`, `{"labels":[{"name":"a"},{"name":"a","rolls":true}]}`,
			[]string{"add labels[name=a]#2 /labels/0 hot"},
		},
		{
			"hot and immutable elements are exchanged", `{"labels":[{"name":"a","value":"x"},{"name":"a","rolls":true}]}`,
			`{"labels":[{"name":"a","rolls":true},{"name":"a","value":"x"}]}`, nil,
		},
		{
			"one of two ceases to be hot", `{"labels":[{"name":"a"},{"name":"a","rolls":true,"value":"x"}]}`,
			`{"labels":[{"name":"a","rolls":true},{"name":"a","rolls":true,"value":"x"}]}`,
			[]string{
				"remove labels[name=a].value /labels/1/value immutable", "add labels[name=a]#2.rolls /labels/1/rolls immutable",
				"add labels[name=a]#2.value /labels/1/value immutable", "remove labels[name=a]#3 /labels/0 hot",
			},
		},
		{
			"the only one ceases to be hot", `{"labels":[{"name":"a"}]}`, `{"labels":[{"name":"a","rolls":true}]}`,
			[]string{"add labels[name=a].rolls /labels/0/rolls immutable"},
		},
		{
			"a hot element goes before one with an immutable part", `{"hot":[{"name":"a","iops":1},{"name":"a","fixed":"x"}]}`,
			`{"hot":[{"name":"a","fixed":"x"}]}`,
			[]string{"remove hot[name=a]#2.iops /hot/0/iops hot"},
		},
		{"an absent integer is not 0", `{"ranked":[{"size":1}]}`, `{"ranked":[{"rank":0,"size":1}]}`, []string{
			`remove ranked[rank=""].size /ranked/0/size immutable`, "add ranked[rank=0].size /ranked/0/size immutable",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for about, s := range alike(t, schema) {
				changes, err := s.DiffRaw([]byte(tc.old), []byte(tc.updated))
				require.NoError(t, err)
				var got []string
				for _, c := range changes {
					got = append(got, fmt.Sprintf("%s %s %s %s", c.Op, c.Path, c.Pointer, c.Class))
				}
				assert.Equal(t, tc.want, got, about)
			}
		})
	}
}

// TestLongListsOfRepeatedKeys: from 2 to 5,000 elements, by whatever way they are sorted, elements of one key stand as
// they are given, in a Go value and in raw JSON, and permuting elements of different keys changes nothing.
func TestLongListsOfRepeatedKeys(t *testing.T) {
	schema := schemaFor[repeated](t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{2, 3, 31, 32, 33, 34, 100, 513, 5000} {
		for _, keys := range []int{1, 2, 3, size/2 + 1} {
			for _, prefix := range []string{"", "disk-", strings.Repeat("x", 40)} {
				config := &repeated{}
				for i := range size {
					key := random.IntN(keys)
					rank := int64(key) - 2
					config.Volumes = append(
						config.Volumes, repeatedVolume{Name: prefix + strings.Repeat("k", key%50) + strconv.Itoa(key), Size: i + 1},
					)
					config.Ranked = append(config.Ranked, repeatedRank{Rank: &rank, Size: i + 1})
				}
				about := fmt.Sprintf("%d elements, %d keys %q", size, keys, prefix)
				want := &repeated{Volumes: slices.Clone(config.Volumes), Ranked: slices.Clone(config.Ranked)}
				slices.SortStableFunc(want.Volumes, func(a, b repeatedVolume) int { return strings.Compare(a.Name, b.Name) })
				slices.SortStableFunc(want.Ranked, func(a, b repeatedRank) int { return int(*a.Rank - *b.Rank) })
				document, err := schema.Document(config)
				require.NoError(t, err)
				var got repeated
				require.NoError(t, json.Unmarshal(document, &got))
				require.Equal(t, want, &got, about)

				raw, err := json.Marshal(config)
				require.NoError(t, err)
				sum, err := schema.HashRaw(raw)
				require.NoError(t, err)
				sorted, err := schema.Hash(want)
				require.NoError(t, err)
				require.Equal(t, sorted, sum, about)
				changes, err := schema.Diff(config, want)
				require.NoError(t, err)
				require.Empty(t, changes, about)

				last := len(want.Volumes) - 1
				want.Volumes[0].Size, want.Volumes[last].Size = want.Volumes[last].Size, want.Volumes[0].Size
				exchanged, err := schema.Hash(want)
				require.NoError(t, err)
				require.NotEqual(t, sum, exchanged, about)
			}
		}
	}
}

// TestPartsOfRepeatedKeys: what a driver would apply to elements of one key is an error, and what it has nothing to apply to is none.
func TestPartsOfRepeatedKeys(t *testing.T) {
	schema := schemaFor[repeated](t)
	for _, tc := range []struct {
		name, raw        string
		hot, inPlace     string
		hotAt, inPlaceAt []string
	}{
		{"nothing to apply", `{"volumes":[{"name":"a"},{"name":"a"}],"ignored":[{},{}]}`, `{}`, `{}`, nil, nil},
		{"a hot field", `{"volumes":[{"name":"a"},{"name":"a","iops":1}]}`, "", `{}`, []string{"volumes[name=a]#2"}, nil},
		{"hot elements", `{"hot":[{"name":"a"},{"name":"b"},{"name":"a"}]}`, "", `{}`, []string{"hot[name=a]", "hot[name=a]#2"}, nil},
		{"in-place elements", `{"inPlace":[{},{"name":""}]}`, `{}`, "", nil, []string{`inPlace[name=""]`, `inPlace[name=""]#2`}},
		{"a selected element", `{"labels":[{"name":"a"},{"name":"a","rolls":true}]}`, "", `{}`, []string{"labels[name=a]#2"}, nil},
		{
			"another key", `{"hot":[{"name":"a","fixed":"x"}],"labels":[{"name":"a","rolls":true},{"name":"a","rolls":true},{"name":"b"}]}`,
			`{"hot":[{"name":"a"}],"labels":[{"name":"b","rolls":false}]}`, `{}`, nil, nil,
		},
		{"a missing key", `{"hot":[{"name":"a"},{"size":1}]}`, `{"hot":[{"name":"","size":1},{"name":"a"}]}`, `{}`, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config, err := schema.Decode([]byte(tc.raw))
			require.NoError(t, err)
			bridge := (*schemabridge.Schema)(schema)
			for _, part := range []struct {
				of   func(any) ([]byte, error)
				want string
				at   []string
			}{{bridge.HotPart, tc.hot, tc.hotAt}, {bridge.InPlacePart, tc.inPlace, tc.inPlaceAt}} {
				got, err := part.of(config)
				var paths []string
				for _, problem := range fault.All(err) {
					assert.Equal(t, "duplicate-list-key", problem.Code)
					paths = append(paths, problem.Path)
				}
				assert.Equal(t, part.at, paths)
				assert.Equal(t, part.want, string(got))
			}
			_, err = schema.HashRaw([]byte(tc.raw))
			require.NoError(t, err, "a hash is total")
		})
	}
}

// TestPartsWithRepeatedKeysSeeEveryChange: a part is refused for a repeated key only. If neither is, a Hot or InPlace
// change is in the part of its class.
func TestPartsWithRepeatedKeysSeeEveryChange(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		a, b := s.drawPair(t)
		bridge := (*schemabridge.Schema)(s.schema)
		changes := s.diff(t, a, b)
		for class, part := range map[hotupdate.Class]func(
			any,
		) ([]byte, error){hotupdate.Hot: bridge.HotPart, hotupdate.InPlace: bridge.InPlacePart} {
			before, err := part(a.Interface())
			for _, problem := range fault.All(err) {
				require.Equal(t, "duplicate-list-key", problem.Code)
				require.NotZero(t, repetitionsIn(s.root, a), "%v\n%s", err, s.describe(a))
			}
			after, otherErr := part(b.Interface())
			if err == nil && otherErr == nil && len(changes.Of(class)) > 0 {
				require.NotEqual(t, string(before), string(after), "%v\n%s", changes, s.describe(a, b))
			}
		}
	})
}

// TestRepeatedKeysAreDrawn: the configurations that put the laws to the test repeat keys, and in some pairs the
// selector of one of the elements of a key changes.
func TestRepeatedKeysAreDrawn(t *testing.T) {
	const pairs = 400
	var repeating, changed, flipped int
	trials := rapid.Custom(drawTrialOfKeys)
	for seed := range pairs {
		trial := trials.Example(seed)
		if trial.repeats {
			repeating++
		}
		if trial.repeats && len(trial.changes) > 0 {
			changed++
		}
		if trial.flips() {
			flipped++
		}
	}
	t.Logf("of %d pairs %d repeat keys, %d of them differ, %d change a selector", pairs, repeating, changed, flipped)
	require.Greater(t, repeating, pairs/5)
	require.Greater(t, changed, pairs/10)
	require.Greater(t, flipped, pairs/50)
}

// trialOfKeys is a pair of configurations.
type trialOfKeys struct {
	repeats bool
	changes hotupdate.Changes
}

func drawTrialOfKeys(t *rapid.T) trialOfKeys {
	s := subjectOf(t, reflect.TypeFor[repeated](), nil)
	a, b := s.drawPair(t)
	count := repetitionsIn(s.root, a)
	return trialOfKeys{repeats: count > 0, changes: s.diff(t, a, b)}
}

// flips reports whether elements of one key change, and one of them is hot by its selector on one side only.
func (t trialOfKeys) flips() bool {
	strict := map[string]bool{}
	hot := map[string]bool{}
	isNumbered := map[string]bool{}
	for _, c := range t.changes {
		list, rest, isKeyed := strings.Cut(c.Path, "]")
		isNumbered[list] = isNumbered[list] || isKeyed && strings.HasPrefix(rest, "#")
		isSelected := c.Origin == "hotwhen"
		hot[list] = hot[list] || isSelected && c.Class == hotupdate.Hot
		strict[list] = strict[list] || c.Class == hotupdate.Immutable
	}
	for list := range isNumbered {
		if isNumbered[list] && strict[list] && hot[list] {
			return true
		}
	}
	return false
}

// TestCoverOfRepeatedKeys: the patch keeps what is Immutable of each element.
func TestCoverOfRepeatedKeys(t *testing.T) {
	s := schemaFor[repeated](t)
	for _, tc := range []struct{ name, current, desired, patched string }{
		{
			"hot fields", `{"volumes":[{"name":"a","size":1},{"name":"a","size":2}]}`,
			`{"volumes":[{"name":"a","size":3,"iops":1},{"name":"b"},{"name":"a","size":2,"iops":2}]}`,
			`{"volumes":[{"name":"a","size":1,"iops":1},{"name":"a","size":2,"iops":2}]}`,
		},
		{
			"one is removed", `{"volumes":[{"name":"a","size":1,"iops":1},{"name":"a","size":2,"iops":2}]}`,
			`{"volumes":[{"name":"a","size":2,"iops":2}]}`, `{"volumes":[{"name":"a","size":1,"iops":2},{"name":"a","size":2}]}`,
		},
		{
			"hot ones", `{"hot":[{"name":"a","size":1}]}`, `{"hot":[{"name":"a","size":2,"fixed":"x"},{"name":"a","size":3}]}`,
			`{"hot":[{"name":"a","size":2},{"name":"a","size":3}]}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			coverage, err := s.Cover([]byte(tc.current), []byte(tc.desired), "")
			require.NoError(t, err)
			assert.JSONEq(t, tc.patched, patched(t, tc.current, coverage.Patch))
			assert.Empty(t, coverage.Covered.Of(hotupdate.Immutable))
		})
	}
}

func patched(t *testing.T, current string, by []byte) string {
	t.Helper()
	patch, err := jsonpatch.DecodePatch(by)
	require.NoError(t, err)
	result, err := patch.Apply([]byte(current))
	require.NoError(t, err)
	return string(result)
}
