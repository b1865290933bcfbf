package hotupdate_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// defaulted has a default of every shape.
type defaulted struct {
	Size     *int32             `json:"size,omitempty"     hotupdatable:"false,default=3"`
	Expires  *string            `json:"expires,omitempty"  hotupdatable:"false,as=duration,default=720h"`
	Features *[]string          `json:"features,omitempty" hotupdatable:"false,default='[\"a\"]'"`
	Groups   *[]string          `json:"groups,omitempty"   hotupdatable:"false,set,default='[\"a\",\"b\"]'"`
	Labels   *map[string]string `json:"labels,omitempty"   hotupdatable:"true,default='{\"k\":\"v\"}'"`
	Options  *defaultedOptions  `json:"options,omitempty"  hotupdatable:"false,default='{\"mode\":\"on\",\"note\":\"n\"}'"`
	Disks    *[]defaultedDisk   `json:"disks,omitempty"    hotupdatable:"false,key=name,default='[{\"name\":\"root\",\"note\":\"n\"}]'"`
}

type defaultedOptions struct {
	Mode  *string         `json:"mode,omitempty"`
	Note  *string         `json:"note,omitempty"  hotupdatable:"true"`
	Inner *defaultedInner `json:"inner,omitempty" hotupdatable:"false,default='{\"level\":1}'"`
}

type defaultedInner struct {
	Level *int32 `json:"level,omitempty"`
}

type defaultedDisk struct {
	Name string `json:"name"`
	Size int32  `json:"size,omitempty"`
	Note string `json:"note,omitempty" hotupdatable:"true"`
}

// TestDefaultsAreShown: a change shows what the configurations have, also a default that is spelled out. What neither
// spells out is the default.
func TestDefaultsAreShown(t *testing.T) {
	schema := schemaFor[defaulted](t)
	for _, tc := range []struct {
		name, old, updated string
		want               []string // OP PATH CLASS: OLD -> NEW
	}{
		{
			"absent and the default", `{}`,
			`{"size":3,"expires":"43200m","features":["a"],"groups":["b","a","b"],"labels":{"k":"v"},"options":{"mode":"on","note":"n","inner":{"level":1}},"disks":[{"name":"root","note":"n"}]}`,
			nil,
		},
		{"null and the default", `{"features":null,"options":null}`, `{"features":["a"],"options":{"mode":"on","note":"n"}}`, nil},
		{"another scalar", `{"size":3}`, `{"size":4}`, []string{"replace size immutable: 3 -> 4"}},
		{"from an absent scalar", `{}`, `{"size":4}`, []string{"add size immutable:  -> 4"}},
		{
			"to a default by its spelling", `{"expires":"1h"}`, `{"expires":"43200m"}`,
			[]string{`replace expires immutable: "1h0m0s" -> "720h0m0s"`},
		},
		{"another list", `{"features":["a"]}`, `{"features":["b"]}`, []string{`replace features[0] immutable: "a" -> "b"`}},
		{"from an absent list", `{}`, `{"features":["a","b"]}`, []string{`add features[1] immutable:  -> "b"`}},
		{"an empty list", `{}`, `{"features":[]}`, []string{`remove features[0] immutable: "a" -> `}},
		{"an empty set", `{"groups":[]}`, `{}`, []string{`add groups[=a] immutable:  -> "a"`, `add groups[=b] immutable:  -> "b"`}},
		{"an empty map", `{"labels":{}}`, `{}`, []string{`add labels[k] hot:  -> "v"`}},
		{"a hot part of an object", `{}`, `{"options":{"mode":"on","note":"m"}}`, []string{`replace options.note hot: "n" -> "m"`}},
		{
			"an object below that is empty", `{}`, `{"options":{"mode":"on","note":"n","inner":{}}}`,
			[]string{`remove options.inner.level immutable: 1 -> `},
		},
		{"an empty object", `{"options":{}}`, `{}`, []string{`add options.mode immutable:  -> "on"`, `add options.note hot:  -> "n"`}},
		{
			"a hot part of an element", `{"disks":[{"name":"root","note":"m"}]}`, `{}`,
			[]string{`replace disks[name=root].note hot: "m" -> "n"`},
		},
		{"an element", `{}`, `{"disks":[{"name":"root","note":"n"},{"name":"data"}]}`, []string{`add disks[name=data] immutable:  -> {}`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			changes, err := schema.DiffRaw([]byte(tc.old), []byte(tc.updated))
			require.NoError(t, err)
			var got []string
			for _, c := range changes {
				got = append(got, fmt.Sprintf("%s %s %s: %s -> %s", c.Op, c.Path, c.Class, c.Old, c.New))
			}
			assert.Equal(t, tc.want, got)
			before, err := schema.HashRaw([]byte(tc.old))
			require.NoError(t, err)
			after, err := schema.HashRaw([]byte(tc.updated))
			require.NoError(t, err)
			strictest, isChanged := changes.Strictest()
			assert.Equal(t, isChanged && strictest <= hotupdate.InPlace, before != after)
		})
	}
}

// TestDefaultsInHalves: of two halves, one that leaves an object out has its default.
func TestDefaultsInHalves(t *testing.T) {
	schema := schemaFor[defaulted](t)
	note := "m"
	mode := "off"
	for _, tc := range []struct {
		name           string
		immutable, hot defaulted
		want           string
	}{
		{
			"the immutable half leaves it out",
			defaulted{},
			defaulted{Options: &defaultedOptions{Note: &note}},
			`{"options":{"mode":"on","note":"m"}}`,
		},
		{
			"the hot half leaves it out",
			defaulted{Options: &defaultedOptions{Mode: &mode}},
			defaulted{},
			`{"options":{"mode":"off","note":"n"}}`,
		},
		{"both leave it out", defaulted{}, defaulted{}, `{}`},
		{
			"a keyed list",
			defaulted{},
			defaulted{Disks: &[]defaultedDisk{{Name: "root", Note: "m"}}},
			`{"disks":[{"name":"root","note":"m"}]}`,
		},
	} {
		merged, err := hotupdate.Merge(schema, &tc.immutable, &tc.hot)
		require.NoError(t, err, tc.name)
		written, err := json.Marshal(merged)
		require.NoError(t, err)
		assert.JSONEq(t, tc.want, string(written), tc.name)
	}
	for raw, want := range map[string]string{
		`{}`: `{}`, `{"options":{"mode":"off"}}`: `{"options":{}}`, `{"options":{"mode":"off","note":"n"}}`: `{}`,
		`{"labels":{}}`: `{"labels":{}}`, `{"labels":{"k":"v"}}`: `{}`,
	} {
		config, err := schema.Decode([]byte(raw))
		require.NoError(t, err)
		hot, err := (*schemabridge.Schema)(schema).HotPart(config)
		require.NoError(t, err)
		assert.Equal(t, want, string(hot), raw)
	}
}

// TestDefaultsInSpelling: a part that can be decoded spells times in full, and a default is none of it in either spelling.
func TestDefaultsInSpelling(t *testing.T) {
	type config struct {
		Since *metav1.MicroTime `json:"since" hotupdatable:"true,default=2026-01-01T00:00:00.500000Z"`
	}
	schema := schemaFor[config](t)
	for raw, want := range map[string]string{
		`"2026-01-01T00:00:00.500000Z"`: `{}`, `"2026-01-01T00:00:00.600000Z"`: `{"since":"2026-01-01T00:00:00.600000Z"}`,
	} {
		value, err := schema.Decode([]byte(`{"since":` + raw + `}`))
		require.NoError(t, err)
		hot, err := (*schemabridge.Schema)(schema).HotPart(value)
		require.NoError(t, err)
		assert.Equal(t, want, string(hot))
	}
}

// TestDefaultsInPatches: a patch gives an object that is left out the default of what it must not change.
func TestDefaultsInPatches(t *testing.T) {
	schema := schemaFor[defaulted](t)
	for _, tc := range []struct{ name, current, desired, want string }{
		{"a hot part beside an immutable one", `{}`, `{"options":{"mode":"off","note":"m"}}`, `{"options":{"mode":"on","note":"m"}}`},
		{"an immutable part alone", `{}`, `{"options":{"mode":"off","note":"n"}}`, `{}`},
		{"an object that goes", `{"options":{"mode":"off","note":"m"}}`, `{}`, `{"options":{"mode":"off","note":"n"}}`},
		{"a hot part that goes", `{"options":{"mode":"on","note":"m"}}`, `{}`, `{}`},
		{"an immutable list", `{}`, `{"features":["b"]}`, `{}`},
		{"an immutable list that goes", `{"features":["b"]}`, `{}`, `{"features":["b"]}`},
		{"an immutable set", `{"groups":[]}`, `{}`, `{"groups":[]}`},
		{"the default", `{}`, `{"features":["a"]}`, `{"features":["a"]}`},
		{"a keyed list", `{}`, `{"disks":[{"name":"root","size":1,"note":"m"},{"name":"data"}]}`, `{"disks":[{"name":"root","note":"m"}]}`},
	} {
		covered := subject{rootOf(reflect.TypeFor[defaulted](), nil), schema}.cover(t, []byte(tc.current), []byte(tc.desired), "")
		assert.JSONEq(t, tc.want, string(covered.result), tc.name)
	}
}

// TestDefaultsAreReadLikeConfigs: a default that no configuration can have is an error, and one that a configuration
// can have counts as unset. Both keep their spelling.
func TestDefaultsAreReadLikeConfigs(t *testing.T) {
	type twice struct {
		Hosts *map[netip.Addr]string `json:"hosts,omitempty" hotupdatable:"false,default='{\"::1\":\"a\",\"0::1\":\"b\"}'"`
	}
	_, err := hotupdate.SchemaOf[twice]()
	require.ErrorContains(t, err, "has a default whose part [::1] means the same key as another name")
	require.Equal(t, "invalid-default", fault.All(err)[0].Code)

	type once struct {
		Hosts *map[netip.Addr]string `json:"hosts,omitempty" hotupdatable:"false,default='{\"0::1\":\"a\"}'"`
		Free  *freePart              `json:"free,omitempty"  hotupdatable:"false,default='{\"any\":12345678901234567891}'"`
	}
	schema := schemaFor[once](t)
	empty, err := schema.HashRaw(nil)
	require.NoError(t, err)
	for raw, isDefault := range map[string]bool{
		`{"hosts":{"::1":"a"}}`: true, `{"hosts":{"::2":"a"}}`: false,
		`{"free":{"any":12345678901234567891}}`: true, `{"free":{"any":12345678901234567890}}`: false,
	} {
		got, err := schema.HashRaw([]byte(raw))
		require.NoError(t, err)
		require.Equal(t, isDefault, got == empty, raw)
	}
	exported, err := json.Marshal(schema)
	require.NoError(t, err)
	require.Contains(t, string(exported), `"default":"{\"0::1\":\"a\"}"`)
	c := subject{rootOf(reflect.TypeFor[once](), nil), schema}.cover(t, []byte(`{}`), []byte(`{"hosts":{"0::1":"b"},"free":{"any":1}}`), "")
	require.Equal(t, `{}`, string(c.result))
}

type freePart struct {
	Any any `json:"any"`
}

// TestDefaultsOfARelease is the report of a fleet that a release of a CRD rolled: the API server filled a default of a
// list and one of an object in, whenever it returned an object that nobody touched.
func TestDefaultsOfARelease(t *testing.T) {
	schemaOf := func(version string) *hotupdate.Schema {
		text, err := os.ReadFile("testdata/crd/default-added-" + version + ".yaml")
		require.NoError(t, err)
		raw, err := yaml.YAMLToJSON(text)
		require.NoError(t, err)
		schema, err := hotupdate.SchemaOfCRD(raw, "v1")
		require.NoError(t, err)
		return schema
	}
	old := schemaOf("old")
	updated := schemaOf("new")
	const stored = `{"size":"s","pools":[{"name":"a"}]}`
	read := `{"size":"s","components":["a"],"options":{"a":"x","b":"y"},"since":"2026-01-01T00:00:00Z","zones":["a","b"],"labels":{"k":"v"},"pools":[{"name":"a","taints":["t"],"kubelet":{"pods":110}}]}`
	before, err := old.HashRaw([]byte(stored))
	require.NoError(t, err)
	for _, raw := range []string{stored, read} {
		after, err := updated.HashRaw([]byte(raw))
		require.NoError(t, err)
		assert.Equal(t, before, after, raw)
	}
	changes, err := updated.DiffRaw([]byte(stored), []byte(read))
	require.NoError(t, err)
	assert.Empty(t, changes)

	findings, err := hotupdate.Compatibility(old, updated)
	require.NoError(t, err)
	var got []string
	for _, f := range findings {
		if !f.Harmless() {
			got = append(got, f.String())
		}
	}
	assert.Equal(t, []string{
		`components: has the default ["a"], had none: every object that spells out the old or the new default rolls`,
		`components: an empty value means something, it used to mean nothing: every object that has it empty rolls`,
		`options: has the default {"a":"x"}, had none: an object that spells out the old or the new default may roll`,
		`options: an empty value means something, it used to mean nothing: an object that has it empty may roll`,
	}, got, "of those that had set it themselves; fields that are new roll nobody")
}
