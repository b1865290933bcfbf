package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// treeOfJSON reads JSON without rounding numbers.
func treeOfJSON(t require.TestingT, raw []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree any
	require.NoError(t, decoder.Decode(&tree), "%s", raw)
	return tree
}

// covered is a result of Cover, with the patched configuration.
type covered struct {
	hotupdate.Coverage

	result []byte
}

func (s subject) diffRaw(t require.TestingT, old, updated []byte) hotupdate.Changes {
	changes, err := s.schema.DiffRaw(old, updated)
	require.NoError(t, err, "%s\nold %s\nnew %s", s.describe(), old, updated)
	return changes
}

// cover applies the patch with a library that every adopter has by apimachinery. The module examples/clusterapi applies
// patches with that of Cluster API.
func (s subject) cover(t require.TestingT, current, desired []byte, pointer string) covered {
	within := func(config []byte) []byte {
		switch pointer {
		case "/spec":
			return slices.Concat([]byte(`{"spec":`), config, []byte(`,"status":{"n":1.0}}`))
		case "/a~1b/c":
			return slices.Concat([]byte(`{"a/b":{"c":`), config, []byte(`}}`))
		}
		return config
	}
	c, err := s.schema.Cover(within(current), within(desired), pointer)
	require.NoError(t, err, "%s\ncurrent %s\ndesired %s", s.describe(), current, desired)
	patch, err := jsonpatch.DecodePatch(c.Patch)
	require.NoError(t, err, "%s", c.Patch)
	whole, err := patch.Apply(within(current))
	require.NoError(t, err, "%s\ncurrent %s\ndesired %s\npatch %s", s.describe(), current, desired, c.Patch)
	result := treeOfJSON(t, whole)
	switch pointer {
	case "/spec":
		require.Equal(t, treeOfJSON(t, []byte(`{"n":1.0}`)), result.(map[string]any)["status"], "nothing else is patched")
		result = result.(map[string]any)["spec"]
	case "/a~1b/c":
		result = result.(map[string]any)["a/b"].(map[string]any)["c"]
	}
	raw, err := json.Marshal(result)
	require.NoError(t, err)
	return covered{c, raw}
}

// TestCoverTellsWhatDiffFinds: Cover returns the changes of the patch, none of which replaces a machine, and the
// remaining ones. A second patch is empty.
func TestCoverTellsWhatDiffFinds(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		a, b := s.drawPair(t)
		if rapid.Bool().Draw(t, "other way") {
			a, b = b, a
		}
		current := toJSON(t, a)
		desired := respelledRaw(t, toJSON(t, b))
		pointer := among(t, "", "/spec", "/a~1b/c")
		c := s.cover(t, current, desired, pointer)
		about := func() string {
			return s.describe().String() + "\ncurrent " + string(
				current,
			) + "\ndesired " + string(desired) + "\nresult  " + string(c.result) + "\npatch " + string(c.Patch)
		}
		require.Equal(t, s.diffRaw(t, current, c.result), c.Covered, "%s", about())
		require.Empty(t, c.Covered.Of(hotupdate.Immutable), "%s", about())
		require.Equal(t, s.hashRaw(t, current) == s.hashRaw(t, c.result), len(c.Covered.Of(hotupdate.InPlace)) == 0, "%s", about())
		require.Equal(t, s.diffRaw(t, c.result, desired), c.Left, "%s", about())
		all := s.diffRaw(t, current, desired)
		require.Equal(t, len(all.Of(hotupdate.Immutable)) == 0, len(c.Left) == 0, "%v\n%s", c.Left, about())
		again := s.cover(t, c.result, desired, pointer)
		require.Equal(t, "[]", string(again.Patch), "%s\nagain %s", about(), again.result)
		require.Equal(t, c.Left, again.Left)
	})
}

type coverConfig struct {
	Size    *resource.Quantity `json:"size,omitempty"`
	Mode    *string            `json:"mode,omitempty"    hotupdatable:"false,default=a"`
	Zones   []string           `json:"zones,omitempty"   hotupdatable:"false,set"`
	Args    []coverArg         `json:"args,omitempty"`
	Volumes []coverVolume      `json:"volumes,omitempty" hotupdatable:"false,key=name"`
	Disks   []coverVolume      `json:"disks,omitempty"   hotupdatable:"true,key=name"`
	Kernel  string             `json:"kernel,omitempty"  hotupdatable:"inplace"`
	Labels  map[string]*string `json:"labels,omitempty"  hotupdatable:"true"`
	Numbers map[int]coverArg   `json:"numbers,omitempty"`
	Machine map[string]coverIf `json:"machine,omitempty" hotupdatable:"false,hotwhen=roll:false"`
	Free    any                `json:"free,omitempty"    hotupdatable:"true"`
	Marked  *coverArg          `json:"marked,omitempty"  hotupdatable:"false,presence"`
	Hot     *coverVolume       `json:"hot,omitempty"     hotupdatable:"true,presence"`
	Pair    [2]coverArg        `json:"pair,omitempty"`
	Lists   [][]coverArg       `json:"lists,omitempty"`
	Hint    int                `json:"hint,omitempty"    hotupdatable:"ignore"`
}

type coverArg struct {
	Text string `json:"text,omitempty"`
	Note string `json:"note,omitempty" hotupdatable:"true"`
}

type coverVolume struct {
	Name  string `json:"name"`
	Size  int    `json:"size,omitempty"  hotupdatable:"false"`
	Label string `json:"label,omitempty" hotupdatable:"true"`
}

type coverIf struct {
	Roll  bool               `json:"roll,omitempty"`
	Value string             `json:"value,omitempty"`
	Tags  map[string]*string `json:"tags,omitempty"`
}

// TestCover lists patched configurations, and the paths of the remaining changes.
func TestCover(t *testing.T) {
	s := subject{rootOf(reflect.TypeFor[coverConfig](), nil), schemaFor[coverConfig](t)}
	for _, tc := range []struct{ name, current, desired, result, left, reason string }{
		{"nothing", `{"size":"1Gi"}`, `{"size":"1Gi"}`, `{"size":"1Gi"}`, "", ""},
		{"spelling", `{"size":"1Gi"}`, `{"size":"1024Mi"}`, `{"size":"1024Mi"}`, "", "the quantity is spelled as desired"},
		{"number", `{"free":{"a":1}}`, `{"free":{"a":1.0}}`, `{"free":{"a":1.0}}`, "", "1 and 1.0 differ to those who compare texts"},
		{"default", `{}`, `{"mode":"a"}`, `{"mode":"a"}`, "", "a declared default is filled in"},
		{"default goes", `{"mode":"a"}`, `{}`, `{}`, "", "and out"},
		{"default stays", `{"mode":"a"}`, `{"mode":"b"}`, `{"mode":"a"}`, "mode", "as it is spelled"},
		{"null", `{"labels":null,"marked":null}`, `{"size":null}`, `{"size":null}`, "", "null and none"},
		{"empty", `{"labels":{},"args":[]}`, `{"zones":[],"machine":{}}`, `{"zones":[],"machine":{}}`, "", "empty and none"},
		{"order of a set", `{"zones":["a","b"]}`, `{"zones":["b","a","b"]}`, `{"zones":["b","a","b"]}`, "", "and what stands in it twice"},
		{"set", `{"zones":["a","b"]}`, `{"zones":["b","c"]}`, `{"zones":["a","b"]}`, "zones[=a] zones[=c]", "as a whole"},
		{"set goes", `{"zones":["a"]}`, `{}`, `{"zones":["a"]}`, "zones[=a]", ""},
		{"set comes", `{}`, `{"zones":["a"]}`, `{}`, "zones[=a]", "no empty list is left"},
		{
			"order of a keyed list", `{"volumes":[{"name":"a","size":1},{"name":"b"}]}`, `{"volumes":[{"name":"b"},{"name":"a","size":1}]}`,
			`{"volumes":[{"name":"b"},{"name":"a","size":1}]}`, "", "",
		},
		{
			"immutable element changes", `{"volumes":[{"name":"a","size":1},{"name":"b"}]}`,
			`{"volumes":[{"name":"b"},{"name":"a","size":2,"label":"x"}]}`, `{"volumes":[{"name":"b"},{"name":"a","size":1,"label":"x"}]}`,
			"volumes[name=a].size", "in its new place, with its new label",
		},
		{
			"immutable element comes", `{"volumes":[{"name":"a"}]}`, `{"volumes":[{"name":"b","size":1,"label":"x"},{"name":"a"}]}`,
			`{"volumes":[{"name":"a"}]}`, "volumes[name=b].label volumes[name=b].size",
			"its hot label comes with it, when the machine is replaced",
		},
		{
			"immutable element goes", `{"volumes":[{"name":"a","size":1,"label":"x"}]}`, `{}`, `{"volumes":[{"name":"a","size":1}]}`,
			"volumes[name=a].size", "its hot label goes at once",
		},
		{
			"immutable element with nothing but a name goes", `{"volumes":[{"name":"a"}]}`, `{"volumes":[{"name":"b"}]}`,
			`{"volumes":[{"name":"a"}]}`, "volumes[name=a] volumes[name=b]", "the element itself is the change",
		},
		{
			"hot element comes", `{}`, `{"disks":[{"name":"a","size":1,"label":"x"}]}`, `{"disks":[{"name":"a","label":"x"}]}`,
			"disks[name=a].size", "without what is immutable in it",
		},
		{
			"hot element goes", `{"disks":[{"name":"a","size":1,"label":"x"},{"name":"b","label":"y"}]}`, `{}`,
			`{"disks":[{"name":"a","size":1}]}`, "disks[name=a].size", "it stays with its name if something in it does",
		},
		{"in place", `{"kernel":"1"}`, `{"kernel":"2"}`, `{"kernel":"2"}`, "", "drained, and not replaced"},
		{
			"list grows", `{"args":[{"text":"a"}]}`, `{"args":[{"text":"a","note":"x"},{"note":"y"}]}`,
			`{"args":[{"text":"a","note":"x"}]}`, "args[1] args[1].note", "the places of an immutable list are its own",
		},
		{
			"list shrinks", `{"args":[{"text":"a"},{"note":"y"},{"text":"c"}]}`, `{"args":[{"note":"x"}]}`,
			`{"args":[{"text":"a","note":"x"},{},{"text":"c"}]}`, "args[0].text args[1] args[2].text", "",
		},
		{"array", `{"pair":[{},{"text":"b"}]}`, `{}`, `{"pair":[{},{"text":"b"}]}`, "pair[1].text", "what stands before keeps its place"},
		{
			"list in a list", `{"lists":[null,[]]}`, `{"lists":[[{"text":"a"}],null]}`, `{"lists":[null,[]]}`, "lists[0][0].text lists[1]",
			"null is no empty list",
		},
		{"hot presence", `{}`, `{"hot":{"size":1}}`, `{"hot":{}}`, "hot.size", "an object comes though nothing in it does"},
		{"null where something comes", `{"size":null}`, `{"size":"1"}`, `{"size":null}`, "size", "as it is spelled"},
		{
			"null in a hot map", `{"labels":{"a":null,"b":"x"}}`, `{"labels":{"b":null,"c":"y"}}`, `{"labels":{"b":null,"c":"y"}}`, "",
			"means that there is none",
		},
		{
			"keys of a map", `{"numbers":{"01":{"text":"a"},"2":{"text":"b","note":"x"}}}`,
			`{"numbers":{"1":{"text":"a"},"02":{"text":"c"}}}`, `{"numbers":{"1":{"text":"a"},"02":{"text":"b"}}}`, "numbers[2].text",
			"several spellings are one key",
		},
		{
			"entry of a map goes", `{"numbers":{"01":{"text":"a","note":"x"}}}`, `{"numbers":{}}`, `{"numbers":{"01":{"text":"a"}}}`,
			"numbers[1].text", "as it was spelled",
		},
		{
			"hotwhen", `{"machine":{"a":{"value":"x"},"b":{"roll":true,"value":"x"}}}`,
			`{"machine":{"a":{"value":"y"},"b":{"roll":true,"value":"y"},"c":{}}}`,
			`{"machine":{"a":{"value":"y"},"b":{"roll":true,"value":"x"},"c":{}}}`, "machine[b].value", "selected elements are hot",
		},
		{
			"a flip", `{"machine":{"a":{"value":"x"}}}`, `{"machine":{"a":{"roll":true,"value":"y"}}}`, `{"machine":{"a":{"value":"x"}}}`,
			"machine[a].roll machine[a].value", "the stricter side counts",
		},
		{
			"null at a flip", `{"machine":{"a":{"roll":true}}}`, `{"machine":{"a":{"tags":{"b":null}}}}`, `{"machine":{"a":{"roll":true}}}`,
			"machine[a].roll", "an entry of the map, which stays immutable, though it says absent in the hot one",
		},
		{"presence comes", `{}`, `{"marked":{"note":"x"}}`, `{}`, "marked marked.note", ""},
		{"presence goes", `{"marked":{"note":"x"}}`, `{}`, `{"marked":{}}`, "marked", "what is hot in it goes"},
		{"object comes", `{}`, `{"numbers":{"1":{"text":"a"}},"hint":1}`, `{"hint":1}`, "numbers[1].text", "no empty map is left"},
		{"none", `null`, `{"hint":1}`, `{"hint":1}`, "", "a configuration that is not there is empty"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := s.cover(t, []byte(tc.current), []byte(tc.desired), "/spec")
			require.Empty(t, s.astray(t, []byte(tc.current), []byte(tc.desired), []byte(tc.result)), "the row itself")
			require.Equal(t, treeOfJSON(t, []byte(tc.result)), treeOfJSON(t, c.result), tc.reason)
			var left []string
			for _, change := range c.Left {
				left = append(left, change.Path)
			}
			require.Equal(t, tc.left, strings.Join(left, " "), tc.reason)
		})
	}
}

// TestCoverOfAnEmptyObject: what Decode reads as the empty configuration is an empty object for Cover, too.
func TestCoverOfAnEmptyObject(t *testing.T) {
	schema := schemaFor[coverConfig](t)
	for _, empty := range []string{"", " \n\t", "null", " null "} {
		for _, tc := range []struct{ current, desired, pointer, patch, left, reason string }{
			{empty, empty, "", `[]`, "", "both are empty"},
			{empty, empty, "/spec", `[]`, "", "both have no configuration"},
			{`{}`, empty, "/a/b", `[]`, "", "neither has a configuration"},
			{`{"a":null}`, `{"a":null}`, "/a/b", `[]`, "", "null above both configurations"},
			{empty, `{"hint":1}`, "", `[{"op":"replace","path":"","value":{"hint":1}}]`, "", "the object is null until now"},
			{
				empty, `{"spec":{"hint":1,"size":"1"}}`, "/spec", `[{"op":"replace","path":"","value":{"spec":{"hint":1}}}]`, "size",
				"so is the object around it",
			},
			{`{"hint":1}`, empty, "", `[{"op":"replace","path":"","value":null}]`, "", "nothing immutable is left"},
			{`{"hint":1,"size":"1"}`, empty, "", `[{"op":"remove","path":"/hint"}]`, "size", "the immutable field stays"},
			{`{"spec":{"hint":1}}`, empty, "/spec", `[{"op":"remove","path":"/spec"}]`, "", "the configuration alone is patched"},
		} {
			c, err := schema.Cover([]byte(tc.current), []byte(tc.desired), tc.pointer)
			require.NoError(t, err, "%q to %q at %q", tc.current, tc.desired, tc.pointer)
			require.JSONEq(t, tc.patch, string(c.Patch), "%q to %q at %q: %s", tc.current, tc.desired, tc.pointer, tc.reason)
			var left []string
			for _, change := range c.Left {
				left = append(left, change.Path)
			}
			require.Equal(t, tc.left, strings.Join(left, " "), "%q to %q at %q: %s", tc.current, tc.desired, tc.pointer, tc.reason)
		}
	}
}

// TestCoverTellsWhatItDoes: the changes say whether nodes are drained, and why machines must be replaced.
func TestCoverTellsWhatItDoes(t *testing.T) {
	schema := schemaFor[coverConfig](t)
	for desired, want := range map[string]hotupdate.Outcome{
		`{"spec":{"zones":[]}}`: hotupdate.OutcomeNone, `{"spec":{"free":1,"hint":2}}`: hotupdate.OutcomeHotUpdate,
		`{"spec":{"free":1,"kernel":"2"}}`: hotupdate.OutcomeInPlaceUpdate, `{"spec":{"size":"1"}}`: hotupdate.OutcomeNone,
	} {
		c, err := schema.Cover([]byte(`{}`), []byte(desired), "/spec")
		require.NoError(t, err)
		require.Equal(t, want, c.Covered.Outcome(hotupdate.AutoInPlaceUpdate), desired)
	}
	c, err := schema.Cover([]byte(`{"metadata":{}}`), []byte(`{"spec":{"disks":[{"name":"a","size":1}]}}`), "/spec")
	require.NoError(t, err)
	require.Equal(t, `[{"op":"add","path":"/spec","value":{"disks":[{"name":"a"}]}}]`, string(c.Patch))
	require.Equal(t, hotupdate.Changes{{
		Path: "disks[name=a].size", Pointer: "/disks/0/size", Op: hotupdate.OpAdd, Class: hotupdate.Immutable, Origin: "struct tag",
		Source: "hotupdate_test.coverVolume.Size", New: "1", Omitted: true,
	}}, c.Left)
}

// TestCoverWhereTheConfigurationStands: the patch makes the objects above the configuration, and changes nothing else.
func TestCoverWhereTheConfigurationStands(t *testing.T) {
	schema := schemaFor[coverConfig](t)
	for _, tc := range []struct{ current, desired, pointer, want, reason string }{
		{`{"hint":1}`, `{"hint":2}`, "", `[{"op":"replace","path":"/hint","value":2}]`, "the object is the configuration"},
		{
			`{}`, `{"spec":{"template":{"spec":{"hint":1}}}}`, "/spec/template/spec",
			`[{"op":"add","path":"/spec","value":{"template":{"spec":{"hint":1}}}}]`, "all of them",
		},
		{
			`{"spec":null}`, `{"spec":{"template":{"hint":1}}}`, "/spec/template",
			`[{"op":"replace","path":"/spec","value":{"template":{"hint":1}}}]`, "null holds nothing",
		},
		{
			`{"spec":{"template":null}}`, `{"spec":{"template":{"hint":1}}}`, "/spec/template",
			`[{"op":"replace","path":"/spec/template","value":{"hint":1}}]`, "",
		},
		{`{"spec":{"hint":1}}`, `{}`, "/spec", `[{"op":"remove","path":"/spec"}]`, "it goes"},
		{`{"spec":{"size":"1","hint":1}}`, `{}`, "/spec", `[{"op":"remove","path":"/spec/hint"}]`, "unless something in it stays"},
		{`{}`, `{"status":{}}`, "/spec/template", `[]`, "neither has one"},
		{`{"kind":"a","spec":{}}`, `{"kind":"b","spec":{}}`, "/spec", `[]`, "outside of it"},
	} {
		c, err := schema.Cover([]byte(tc.current), []byte(tc.desired), tc.pointer)
		require.NoError(t, err)
		require.Equal(t, tc.want, string(c.Patch), tc.reason)
	}
}

func TestCoverRefuses(t *testing.T) {
	schema := schemaFor[coverConfig](t)
	for _, tc := range []struct{ name, current, desired, pointer, code, path string }{
		{"no pointer", `{}`, `{}`, "spec", "malformed-pointer", ""},
		{"no JSON", `{`, `{}`, "/spec", "invalid-json", ""},
		{"a byte-order mark", "\ufeff", `{}`, "/spec", "invalid-json", ""},
		{"no object", `[]`, `{}`, "/spec", "wrong-json-type", ""},
		{"no desired object", `{}`, `[]`, "", "wrong-json-type", ""},
		{"no object on the way", `{}`, `{"spec":{"a":[]}}`, "/spec/a/b", "wrong-json-type", "spec.a"},
		{"member twice", `{"a":1,"a":2}`, `{}`, "/spec", "duplicate-member", ""},
		{"unknown member", `{}`, `{"spec":{"x":1}}`, "/spec", "unknown-member", "x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := schema.Cover([]byte(tc.current), []byte(tc.desired), tc.pointer)
			require.Len(t, fault.All(err), 1, "%v", err)
			require.Equal(t, tc.code, fault.All(err)[0].Code)
			require.Equal(t, tc.path, fault.All(err)[0].Path)
		})
	}
	_, err := (*hotupdate.Schema)(nil).Cover([]byte(`{}`), []byte(`{}`), "")
	require.Equal(t, "no-schema", fault.All(err)[0].Code)
}

// TestCoverLeavesUnknownMembers: under a Schema that admits unknown members they are Immutable in every place.
func TestCoverLeavesUnknownMembers(t *testing.T) {
	s := subject{schema: openSchema(t, schemaFor[coverConfig](t))}
	c := s.cover(
		t, []byte(`{"old":{"a":1},"same":1.0,"disks":[{"name":"a","old":1}]}`),
		[]byte(`{"new":[2],"same":1,"none":null,"disks":[{"name":"b","new":1,"label":"x"}]}`), "/spec",
	)
	require.JSONEq(t, `{"old":{"a":1},"same":1,"none":null,"disks":[{"name":"b","label":"x"},{"name":"a","old":1}]}`, string(c.result))
	require.Len(t, c.Left, 4)
}
