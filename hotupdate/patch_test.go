package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// mergePatch applies a JSON merge patch by the letter of RFC 7386, section 2.
func mergePatch(t require.TestingT, target, patch []byte) []byte {
	read := func(raw []byte) any {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		var value any
		require.NoError(t, decoder.Decode(&value), "%s", raw)
		return value
	}
	patched, err := json.Marshal(applyPatch(read(target), read(patch)))
	require.NoError(t, err)
	return patched
}

func applyPatch(target, patch any) any {
	members, isObject := patch.(map[string]any)
	if !isObject {
		return patch
	}
	object, isObject := target.(map[string]any)
	if !isObject {
		object = map[string]any{}
	}
	for name, value := range members {
		if value == nil {
			delete(object, name)
		} else {
			object[name] = applyPatch(object[name], value)
		}
	}
	return object
}

// patched draws the JSON of two configurations and the hot patch between them, and applies it to the first.
func (s subject) patched(t *rapid.T, old, updated []byte) (result []byte, ok bool) {
	patch, err := s.schema.HotPatchRaw(old, updated)
	if err != nil {
		for _, problem := range fault.All(err) {
			require.Equal(t, "not-patchable", problem.Code, "%v: %s\nold %s\nnew %s", err, s.describe(), old, updated)
		}
		return nil, false
	}
	return mergePatch(t, old, patch), true
}

func (s subject) diffRaw(t require.TestingT, old, updated []byte) hotupdate.Changes {
	changes, err := s.schema.DiffRaw(old, updated)
	require.NoError(t, err, "%s\nold %s\nnew %s", s.describe(), old, updated)
	return changes
}

// TestHotPatchChangesOnlyWhatIsHot: a hot patch changes no hash, and a second one is empty.
func TestHotPatchChangesOnlyWhatIsHot(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		a, b := s.drawPair(t)
		old, updated := toJSON(t, a), toJSON(t, b)
		patched, ok := s.patched(t, old, updated)
		if !ok {
			return
		}
		for _, c := range s.diffRaw(t, old, patched) {
			require.Contains(t, []hotupdate.Class{hotupdate.Hot, hotupdate.Ignored}, c.Class, "%s at %s: %s\nold %s\nnew %s\npatched %s", c.Op, c.Path, s.describe(), old, updated, patched)
		}
		again, err := s.schema.HotPatchRaw(patched, updated)
		require.NoError(t, err)
		require.Equal(t, "{}", string(again), "%s\nold %s\nnew %s\npatched %s", s.describe(), old, updated, patched)
	})
}

// TestHotPatchAppliesAllThatIsHot: if the hash does not change, a hot patch applies all hot changes.
func TestHotPatchAppliesAllThatIsHot(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		a := s.draw(t)
		b := respelled(t, hashView, s.root, a)
		old, updated := toJSON(t, a), toJSON(t, b)
		patched, ok := s.patched(t, old, updated)
		if !ok {
			return
		}
		left := s.diffRaw(t, patched, updated)
		require.False(t, slices.ContainsFunc(left, func(c hotupdate.Change) bool { return c.Class != hotupdate.Ignored }),
			"%v: %s\nold %s\nnew %s\npatched %s", left, s.describe(), old, updated, patched)
	})
}

func TestHotPatch(t *testing.T) {
	overrides := []hotupdate.Option{hotupdate.WithTag("volume.labels", "true"), hotupdate.WithTag("extra", "true")}
	schema := schemaFor[workerConfig](t, overrides...)
	for _, tc := range []struct {
		name, old, updated, want, reason string
	}{
		{"nothing", `{}`, `{"volume":{"iops":3}}`, `{}`, "an immutable change is no business of the patch"},
		{"add", `{}`, `{"tags":{"vm":{"a":"b"}}}`, `{"tags":{"vm":{"a":"b"}}}`, "objects are made on the way"},
		{"replace and remove", `{"tags":{"vm":{"a":"b","c":"d","e":"f"}}}`, `{"tags":{"vm":{"a":"x","e":"f"}}}`, `{"tags":{"vm":{"a":"x","c":null}}}`, "null removes, what stays is not named"},
		{"remove all", `{"tags":{"vm":{"a":"b"}}}`, `{}`, `{"tags":null}`, "one null for all of them"},
		{"below an immutable parent", `{"volume":{"iops":3}}`, `{"volume":{"iops":4,"labels":{"a":"b"}}}`, `{"volume":{"labels":{"a":"b"}}}`, "iops stays as it is"},
		{"the parent is new", `{}`, `{"volume":{"iops":4,"labels":{"a":"b"}}}`, `{"volume":{"labels":{"a":"b"}}}`, "an object with nothing but hot parts equals none in the hash"},
		{"the parent goes", `{"volume":{"iops":4,"labels":{"a":"b"}}}`, `{}`, `{"volume":{"labels":null}}`, "what is immutable in it stays"},
		{
			"elements", `{"dataVolumes":[{"name":"a","iops":1,"labels":{"k":"v"}},{"name":"b"}]}`, `{"dataVolumes":[{"name":"b","iops":2,"labels":{"k":"v"}},{"name":"c","labels":{"k":"v"}},{"name":"a","iops":1}]}`,
			`{"dataVolumes":[{"iops":1,"name":"a"},{"labels":{"k":"v"},"name":"b"}]}`, "labels go and come; order, size and number of elements are the old ones",
		},
		{
			"elements that become hot", `{"machineLabels":[{"name":"a","value":"b","triggerRollingOnUpdate":true},{"name":"c","value":"d"}]}`,
			`{"machineLabels":[{"name":"e","value":"f"},{"name":"c","value":"x"},{"name":"a","value":"y","triggerRollingOnUpdate":true}]}`,
			`{"machineLabels":[{"name":"a","triggerRollingOnUpdate":true,"value":"b"},{"name":"c","triggerRollingOnUpdate":false,"value":"x"},{"name":"e","triggerRollingOnUpdate":false,"value":"f"}]}`, "hot elements change and come; the other carries its old value",
		},
		{"hot elements go", `{"machineLabels":[{"name":"a","value":"b","owner":"o"},{"name":"c","value":"d"}]}`, `{}`, `{"machineLabels":[{"name":"a","owner":"o","triggerRollingOnUpdate":false}]}`, "one holds something that is hashed, and stays with that"},
		{"an element goes", `{"dataVolumes":[{"name":"a","labels":{"k":"v"}}]}`, `{}`, `{}`, "its labels go with it, when the machine is replaced"},
		{"a flip", `{"machineLabels":[{"name":"a","value":"b"}]}`, `{"machineLabels":[{"name":"a","value":"c","triggerRollingOnUpdate":true}]}`, `{}`, "to cease to be hot is an immutable change"},
		{"free JSON", `{"extra":{"a":{"b":1,"c":2},"d":[1]}}`, `{"extra":{"a":{"b":1.0,"c":3,"e":{}},"f":[0]}}`, `{"extra":{"a":{"c":3,"e":{}},"d":null,"f":[0]}}`, "member by member, lists as a whole"},
		{"spelling", `{"tags":{"vm":{}},"extra":{"a":1}}`, `{"extra":{"a":1e0}}`, `{}`, "equal by meaning"},
		{"ignored", `{"maxUnavailable":1}`, `{"maxUnavailable":2}`, `{}`, "nobody applies it"},
		{"TypeMeta", `{"kind":"a"}`, `{"kind":"b"}`, `{}`, "it is no field"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			patch, err := schema.HotPatchRaw([]byte(tc.old), []byte(tc.updated))
			require.NoError(t, err)
			require.Equal(t, tc.want, string(patch), tc.reason)
		})
	}
}

// TestHotPatchRefuses changes that a merge patch cannot express, and configurations that cannot be compared.
func TestHotPatchRefuses(t *testing.T) {
	schema := schemaFor[workerConfig](t, hotupdate.WithTag("extra", "true"))
	for _, tc := range []struct {
		name, old, updated string
		want               string
		path               string
	}{
		{"null in free JSON", `{}`, `{"extra":{"a":null}}`, "not-patchable", "extra"},
		{"null deeper in free JSON", `{"extra":{"a":{"b":1}}}`, `{"extra":{"a":{"b":null}}}`, "not-patchable", "extra"},
		{"null in an object instead of a text", `{"extra":{"a":"x"}}`, `{"extra":{"a":{"b":null}}}`, "not-patchable", "extra"},
		{"null in a list in free JSON", `{}`, `{"extra":{"a":[null]}}`, "not-patchable", "extra"},
		{"null in an object in a list in free JSON", `{"extra":[]}`, `{"extra":[{"a":null}]}`, "not-patchable", "extra"},
		{"no JSON", `{`, `{}`, "invalid-json", ""},
		{"an element without its key", `{}`, `{"dataVolumes":[{},{"name":"a"}]}`, "missing-list-key", "dataVolumes[0]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := schema.HotPatchRaw([]byte(tc.old), []byte(tc.updated))
			problems := fault.All(err)
			require.Len(t, problems, 1)
			require.Equal(t, tc.want, problems[0].Code)
			require.Equal(t, tc.path, problems[0].Path)
		})
	}
	patch, err := schema.HotPatchRaw([]byte(`{"extra":{"a":null,"b":1}}`), []byte(`{"extra":{"b":2,"a":null}}`))
	require.NoError(t, err)
	require.Equal(t, `{"extra":{"b":2}}`, string(patch), "a null that stays needs no patch")
}

// TestHotPatchRefusesListThatHoldsNull: a list in a patch also has the Immutable fields of its elements. Common implementations of merge patches
// remove null from lists as well, although RFC 7386 does not. That would roll machines.
func TestHotPatchRefusesListThatHoldsNull(t *testing.T) {
	type element struct {
		Name  string               `json:"name"`
		Free  runtime.RawExtension `json:"free"`
		Limit map[string]*int      `json:"limit"`
		Tag   string               `json:"tag"   hotupdatable:"true"`
	}
	type config struct {
		Elements []element `json:"elements" hotupdatable:"false,key=name"`
	}
	schema := schemaFor[config](t)
	for _, kept := range []string{`"free":{"a":null}`, `"free":[null]`, `"limit":{"a":null}`} {
		old, updated := `{"elements":[{"name":"b",`+kept+`}]}`, `{"elements":[{"name":"b","tag":"c",`+kept+`}]}`
		_, err := schema.HotPatchRaw([]byte(old), []byte(updated))
		require.Len(t, fault.All(err), 1, kept)
		require.Equal(t, "not-patchable", fault.All(err)[0].Code)
		require.Equal(t, "elements", fault.All(err)[0].Path)
	}
}

// TestHotPatchKeepsSpelling: the decoder of the configuration also reads the patch. So a number that is spelled as a text stays one, and a zero key
// is written.
func TestHotPatchKeepsSpelling(t *testing.T) {
	type Key struct {
		ID int `json:"id"`
	}
	type element struct {
		*Key

		Tag string `json:"tag,omitempty"`
	}
	type config struct {
		Size     int                    `json:"size,string"`
		Elements []element              `json:"elements"    hotupdatable:"true,key=id"`
		Bytes    map[string][]byte      `json:"bytes"`
		Nested   map[string]map[int]int `json:"nested"`
	}
	schema := schemaFor[config](t, hotupdate.WithTag("size", "true"), hotupdate.WithTag("bytes", "true"), hotupdate.WithTag("nested", "true"))
	for _, tc := range []struct{ name, old, updated, want, reason string }{
		{"quoted number", `{"size":"1"}`, `{"size":"2"}`, `{"size":"2"}`, "spelled as a text"},
		{"quoted number goes", `{"size":"1"}`, `{}`, `{"size":null}`, "null is no text"},
		{"key that is zero", `{"elements":[{"id":1}]}`, `{"elements":[{"id":0,"tag":"a"}]}`, `{"elements":[{"id":0,"tag":"a"}]}`, "without its key an element is lost"},
		{"empty and null", `{"bytes":{"a":"AA==","b":"AA=="}}`, `{"bytes":{"a":"","c":"AQ=="}}`, `{"bytes":{"a":"","b":null,"c":"AQ=="}}`, "an element that is empty is there"},
		{"maps in maps", `{"nested":{"a":{"1":1,"2":2},"b":{}}}`, `{"nested":{"a":{"2":3},"c":{}}}`, `{"nested":{"a":{"1":null,"2":3},"b":null,"c":{}}}`, "as deep as the difference"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			patch, err := schema.HotPatchRaw([]byte(tc.old), []byte(tc.updated))
			require.NoError(t, err)
			require.Equal(t, tc.want, string(patch), tc.reason)
			left, err := schema.DiffRaw(mergePatch(t, []byte(tc.old), patch), []byte(tc.updated))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// hotPatchRaw returns the patch between two configurations in JSON.
func hotPatchRaw[T any](t *testing.T, old, updated string) string {
	t.Helper()
	patch, err := schemaFor[T](t).HotPatchRaw([]byte(old), []byte(updated))
	require.NoError(t, err)
	return string(patch)
}

// TestHotPatchKeepsArrayThatIsNotZero: an element that a hot update removes stays if it has an Immutable array that is not zero. An array with an
// empty list is not zero: zero is null.
func TestHotPatchKeepsArrayThatIsNotZero(t *testing.T) {
	type element struct {
		Name  string   `json:"name"`
		Lists [1][]int `json:"lists" hotupdatable:"false"`
		Tag   string   `json:"tag"`
	}
	type config struct {
		Elements []element `json:"elements" hotupdatable:"true,key=name"`
	}
	require.Equal(t, `{"elements":[{"lists":[[]],"name":"a"}]}`, hotPatchRaw[config](t, `{"elements":[{"name":"a","lists":[[]],"tag":"b"}]}`, `{}`))
	require.Equal(t, `{"elements":null}`, hotPatchRaw[config](t, `{"elements":[{"name":"a","lists":[null],"tag":"b"}]}`, `{}`))
}

// TestHotPatchRemovesElementWithZeroArray: an array of zeros in any spelling has no meaning, and keeps no element.
func TestHotPatchRemovesElementWithZeroArray(t *testing.T) {
	type element struct {
		Name  string               `json:"name"`
		Sizes [1]resource.Quantity `json:"sizes" hotupdatable:"false"`
	}
	type config struct {
		Elements []element `json:"elements" hotupdatable:"true,key=name"`
	}
	require.Equal(t, `{"elements":null}`, hotPatchRaw[config](t, `{"elements":[{"name":"a","sizes":["0"]}]}`, `{}`))
	require.Equal(t, `{}`, hotPatchRaw[config](t, `{"elements":[{"name":"a","sizes":["1"]}]}`, `{}`))
}

// TestHotPatchTakesNullInHotMapForAbsent: a null in a hot map adds no Ignored element.
func TestHotPatchTakesNullInHotMapForAbsent(t *testing.T) {
	type element struct {
		Name   string             `json:"name"`
		Labels map[string]*string `json:"labels" hotupdatable:"true"`
	}
	type config struct {
		Elements []element `json:"elements" hotupdatable:"ignore,key=name"`
	}
	require.Equal(t, `{}`, hotPatchRaw[config](t, `{}`, `{"elements":[{"name":"a","labels":{"b":null}}]}`))
	require.Equal(t, `{"elements":[{"labels":{"b":"c"},"name":"a"}]}`, hotPatchRaw[config](t, `{}`, `{"elements":[{"name":"a","labels":{"b":"c"}}]}`))
}

// TestHotPatchKnowsClassOfSelectedElement: in an element that hotwhen makes hot, maps are hot, and a null in them is absent.
func TestHotPatchKnowsClassOfSelectedElement(t *testing.T) {
	type element struct {
		Cold bool                         `json:"cold"`
		Tags map[string]map[string]string `json:"tags"`
	}
	type config struct {
		Elements map[string]*element `json:"elements" hotupdatable:"false,hotwhen=cold:false"`
	}
	require.Equal(t, `{"elements":{"a":{"cold":false}}}`, hotPatchRaw[config](t, `{}`, `{"elements":{"a":{"tags":{"b":null}}}}`))
}

// TestHotPatchKeepsSelectorOfNullElement: a null element means the same as a zero element, so its selector is zero and stays zero.
func TestHotPatchKeepsSelectorOfNullElement(t *testing.T) {
	type element struct {
		Selector string `json:"selector"`
		Tag      string `json:"tag"      hotupdatable:"true"`
	}
	type config struct {
		Elements map[string]*element `json:"elements" hotupdatable:"false,hotwhen=selector:hot"`
	}
	require.Equal(t, `{"elements":{"a":{"tag":"b"}}}`, hotPatchRaw[config](t, `{"elements":{"a":null}}`, `{"elements":{"a":{"selector":"c","tag":"b"}}}`))
}

// TestHotPatchRemovesElementWithUnknownNull: null in an unknown member has no meaning, and keeps no element. A value does, because it is hashed.
func TestHotPatchRemovesElementWithUnknownNull(t *testing.T) {
	type element struct {
		Name string `json:"name"`
	}
	type config struct {
		Elements []element `json:"elements" hotupdatable:"true,key=name"`
	}
	open := openSchema(t, schemaFor[config](t))
	for unknown, want := range map[string]string{`null`: `{"elements":null}`, `1`: `{}`} {
		patch, err := open.HotPatchRaw([]byte(`{"elements":[{"name":"a","unknown":`+unknown+`}]}`), []byte(`{}`))
		require.NoError(t, err)
		require.Equal(t, want, string(patch), unknown)
	}
}

// TestHotPatchKeepsSelectorOfElementThatStays: a removed hot element with an Immutable field stays, with the selector that makes it hot. Without the
// selector the element would be Immutable.
func TestHotPatchKeepsSelectorOfElementThatStays(t *testing.T) {
	type element struct {
		Name string `json:"name"`
		Hot  bool   `json:"hot"`
		Size int    `json:"size" hotupdatable:"false"`
		Tag  string `json:"tag"`
	}
	type config struct {
		Elements []element `json:"elements" hotupdatable:"false,key=name,hotwhen=hot:true"`
	}
	require.Equal(t, `{"elements":[{"hot":true,"name":"a","size":1}]}`, hotPatchRaw[config](t, `{"elements":[{"name":"a","hot":true,"size":1,"tag":"b"}]}`, `{}`))
}

// TestDiffTakesTheStricterList: an element that is removed with a flip is only in one list, but the stricter of both lists decides its class.
func TestDiffTakesTheStricterList(t *testing.T) {
	type element struct {
		Name string   `json:"name"`
		Cold bool     `json:"cold"`
		List []string `json:"list"`
	}
	type config struct {
		Elements []element `json:"elements" hotupdatable:"ignore,key=name,hotwhen=cold:false"`
	}
	old, updated := `{"elements":[{"name":"a","cold":true,"list":["b"]}]}`, `{"elements":[{"name":"a"}]}`
	changes, err := schemaFor[config](t).DiffRaw([]byte(old), []byte(updated))
	require.NoError(t, err)
	require.Equal(t, []string{"elements[name=a].cold", "elements[name=a].list[0]"}, []string{changes[0].Path, changes[1].Path})
	require.Len(t, changes.Of(hotupdate.Hot), 2, "cold elements are ignored, and this one is hot now")
	require.JSONEq(t, `{"elements":[{"name":"a","cold":false}]}`, hotPatchRaw[config](t, old, updated))
}

// TestHotPatchOfMapsByNumbersIsLinear: a key that is on one side only was sought among all spellings of the other side, each of which the decoder read
// anew. 1 MB of keys took hours.
func TestHotPatchOfMapsByNumbersIsLinear(t *testing.T) {
	type config struct {
		ByNumber map[int32]string `json:"byNumber" hotupdatable:"true"`
	}
	schema := schemaFor[config](t)
	patching := func(n int32) float64 {
		var old, updated config
		old.ByNumber, updated.ByNumber = map[int32]string{}, map[int32]string{}
		for i := range n {
			old.ByNumber[i], updated.ByNumber[i+n] = "old", "updated"
		}
		before, err := json.Marshal(old)
		require.NoError(t, err)
		after, err := json.Marshal(updated)
		require.NoError(t, err)
		return testing.AllocsPerRun(1, func() {
			_, err := schema.HotPatchRaw(before, after)
			require.NoError(t, err)
		})
	}
	require.Less(t, patching(400), 3*patching(200))
}
