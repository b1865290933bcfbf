package hotupdate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	validation "k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// keyConfig has maps in which single keys have classes of their own.
type keyConfig struct {
	Labels map[string]string     `json:"labels,omitempty" hotupdatable:"false,keyclass=true:tenant,keyclass=true:billing/*,keyclass=false:billing/plan,keyclass=false:billing/fixed/*,keyclass=ignore:note,keyclass=inplace:kernel"`
	Policy map[string]*string    `json:"policy,omitempty" hotupdatable:"true,keyclass=false:stage"`
	Parts  map[string]keyPart    `json:"parts,omitempty"  hotupdatable:"false,keyclass=true:'it''s, spare'"`
	Marked *map[string]string    `json:"marked,omitempty" hotupdatable:"false,presence,keyclass=true:a"`
	Filled *map[string]string    `json:"filled,omitempty" hotupdatable:"false,keyclass=true:a,default='{\"a\":\"1\",\"b\":\"2\"}'"`
	Deep   map[string]keyStrings `json:"deep,omitempty"`
	Names  map[textValue]int     `json:"names,omitempty"  hotupdatable:"false,keyclass=true:a"`
	Quotas map[namedString]int   `json:"quotas,omitempty" hotupdatable:"false,keyclass=true:a*"`
}

type keyStrings map[string]string

type keyPart struct {
	Size int    `json:"size,omitempty"`
	Type string `json:"type,omitempty" hotupdatable:"false"`
}

func keySchema(t *testing.T) *hotupdate.Schema {
	t.Helper()
	return schemaFor[keyConfig](t, hotupdate.WithTag(`deep[]["b*"]`, "true"), hotupdate.WithTag(`deep["x"]`, "ignore"))
}

// TestKeyClassChanges: the most exact rule decides about a key, in the document, the diff and the stripped JSON.
func TestKeyClassChanges(t *testing.T) {
	s := keySchema(t)
	exported, err := s.MarshalJSON()
	require.NoError(t, err)
	loaded, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err)
	for _, tc := range []struct{ name, config, document, changes, reason string }{
		{"another key", `{"labels":{"zone":"a"}}`, `{"labels":{"zone":"a"}}`, "immutable inherited labels[zone]", "the class of the map"},
		{"exact key", `{"labels":{"tenant":"a"}}`, `{}`, "hot struct tag labels[tenant]", "a map with hot entries only is an absent map"},
		{"longer key", `{"labels":{"tenants":"a"}}`, `{"labels":{"tenants":"a"}}`, "immutable inherited labels[tenants]", "no prefix"},
		{
			"prefix", `{"labels":{"billing/":"a","billing/x":"b"}}`, `{}`,
			"hot struct tag labels[billing/] hot struct tag labels[billing/x]", "the prefix itself is a key, too",
		},
		{
			"exact key below a prefix", `{"labels":{"billing/plan":"a"}}`, `{"labels":{"billing/plan":"a"}}`,
			"immutable struct tag labels[billing/plan]", "the exact key wins",
		},
		{
			"longest prefix", `{"labels":{"billing/fixed/x":"a","billing/fixe":"b"}}`, `{"labels":{"billing/fixed/x":"a"}}`,
			"hot struct tag labels[billing/fixe] immutable struct tag labels[billing/fixed/x]", "the longest prefix wins",
		},
		{
			"in place and ignored", `{"labels":{"kernel":"a","note":"b"}}`, `{"labels":{"kernel":"a"}}`,
			"in-place struct tag labels[kernel] ignored struct tag labels[note]", "",
		},
		{
			"immutable key of a hot map", `{"policy":{"stage":"a","x":"b"}}`, `{"policy":{"stage":"a"}}`,
			"immutable struct tag policy[stage] hot inherited policy[x]", "",
		},
		{
			"null", `{"policy":{"stage":null,"x":null}}`, `{"policy":{"stage":null}}`, "immutable struct tag policy[stage]",
			"null means an absent key only where the key is hot",
		},
		{"empty map", `{"labels":{},"policy":{}}`, `{}`, "", ""},
		{
			"objects", `{"parts":{"it's, spare":{"size":1},"x":{"size":1}}}`, `{"parts":{"x":{"size":1}}}`,
			"hot inherited parts[it's, spare].size immutable inherited parts[x].size", "",
		},
		{
			"immutable field in a hot entry", `{"parts":{"it's, spare":{"size":1,"type":"a"}}}`, `{"parts":{"it's, spare":{"type":"a"}}}`,
			"hot inherited parts[it's, spare].size immutable struct tag parts[it's, spare].type", "",
		},
		{
			"presence", `{"marked":{"a":"x"}}`, `{"marked":{}}`, "immutable struct tag marked hot struct tag marked[a]",
			"presence means the empty map",
		},
		{"default spelled out", `{"filled":{"a":"1","b":"2"}}`, `{}`, "", ""},
		{
			"default with another hot entry", `{"filled":{"b":"2","a":"9"}}`, `{}`, "hot struct tag filled[a]",
			"the hot entry of the default is a hot part",
		},
		{
			"hot entries only, where the default has another", `{"filled":{"a":"1"}}`, `{"filled":{}}`, "immutable inherited filled[b]",
			"an empty map is not the default",
		},
		{
			"a map in a map", `{"deep":{"y":{"a":"1","bc":"2"}}}`, `{"deep":{"y":{"a":"1"}}}`,
			"immutable default deep[y][a] hot override deep[y][bc]", "",
		},
		{
			"hot entries only in an entry", `{"deep":{"y":{"b":"2"}}}`, `{"deep":{"y":{}}}`,
			"immutable default deep[y] hot override deep[y][b]", "the entry belongs to the map around it",
		},
		{"both maps", `{"deep":{"x":{"a":"1","b":"2"}}}`, `{}`, "ignored inherited deep[x][a] hot override deep[x][b]", ""},
		{"text marshaler", `{"names":{"a":1,"b":2}}`, `{"names":{"b":2}}`, "hot struct tag names[a] immutable inherited names[b]", ""},
		{"named string", `{"quotas":{"a1":1,"b":2}}`, `{"quotas":{"b":2}}`, "hot struct tag quotas[a1] immutable inherited quotas[b]", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, schema := range []*hotupdate.Schema{s, loaded} {
				document, err := schema.DocumentRaw([]byte(tc.config))
				require.NoError(t, err)
				assert.Equal(t, tc.document, string(document), tc.reason)
				changes, err := schema.DiffRaw(nil, []byte(tc.config))
				require.NoError(t, err)
				var lines []string
				for _, c := range changes {
					lines = append(lines, fmt.Sprint(c.Class, " ", c.Origin, " ", c.Path))
				}
				assert.Equal(t, tc.changes, strings.Join(lines, " "), tc.reason)
				stripped, err := schema.StripRaw([]byte(tc.config))
				require.NoError(t, err)
				again, err := schema.DocumentRaw(stripped)
				require.NoError(t, err)
				assert.Equal(t, tc.document, string(again), "stripped: %s", stripped)
			}
			config, err := s.Decode([]byte(tc.config))
			require.NoError(t, err)
			document, err := s.Document(config)
			require.NoError(t, err)
			assert.Equal(t, tc.document, string(document), tc.reason)
		})
	}
}

// TestKeyClassConsumers: every other function sees the class of a key.
func TestKeyClassConsumers(t *testing.T) {
	s := keySchema(t)
	old := `{"labels":{"tenant":"a","zone":"b","billing/x":"1","billing/plan":"p"}}`
	updated := `{"labels":{"tenant":"c","zone":"d","billing/y":"1","billing/plan":"q"}}`

	decoded, err := s.Decode([]byte(old))
	require.NoError(t, err)
	hot, err := (*schemabridge.Schema)(s).HotPart(decoded)
	require.NoError(t, err)
	assert.JSONEq(t, `{"labels":{"billing/x":"1","tenant":"a"}}`, string(hot))

	covered, err := s.Cover([]byte(old), []byte(updated), "")
	require.NoError(t, err)
	left := []string{}
	for _, c := range covered.Left {
		left = append(left, c.Path)
	}
	assert.Equal(t, []string{"labels[billing/plan]", "labels[zone]"}, left)

	errs := s.ValidateUpdateRaw([]byte(old), []byte(updated), hotupdate.AutoInPlaceUpdate, validation.NewPath("spec"))
	fields := []string{}
	for _, e := range errs {
		fields = append(fields, e.Field)
	}
	assert.Equal(t, []string{"spec.labels[billing/plan]", "spec.labels[zone]"}, fields)

	stripped, err := s.StripRaw([]byte(`{"labels": {"tenant": "a", "\u007aone": "b", "b\u0069lling/x": "1"}, "policy": {"x": "1"}}`))
	require.NoError(t, err)
	assert.Equal(t, `{"labels": {"\u007aone": "b"}}`, string(stripped))

	config := keyConfig{Labels: map[string]string{"tenant": "a", "zone": "b"}, Policy: map[string]*string{"stage": new("s"), "x": new("y")}}
	immutable, hotHalf, err := hotupdate.Split(s, &config)
	require.NoError(t, err)
	assert.Equal(t, keyConfig{Labels: map[string]string{"zone": "b"}, Policy: map[string]*string{"stage": new("s")}}, *immutable)
	assert.Equal(t, keyConfig{Labels: map[string]string{"tenant": "a"}, Policy: map[string]*string{"x": new("y")}}, *hotHalf)
	merged, err := hotupdate.Merge(s, immutable, hotHalf)
	require.NoError(t, err)
	assert.Equal(t, config, *merged)
	merged, err = hotupdate.Merge(s, &keyConfig{}, hotHalf)
	require.NoError(t, err)
	assert.Equal(t, *hotHalf, *merged, "an immutable half without the map keeps the hot entries")
	_, err = hotupdate.Merge(s, immutable, &config)
	assert.Equal(t, "halves-differ", fault.All(err)[0].Code, "an immutable key in the hot half")

	for pointer, want := range map[string]bool{
		"/labels/tenant": true, "/labels/zone": false, "/labels/billing~1x": true, "/labels/billing~1plan": false, "/policy/stage": false,
		"/policy/x": true,
	} {
		assert.Equal(t, want, (*schemabridge.Schema)(s).HoldsShape(structtag.Hot, pointer, fieldplan.ScalarShape), pointer)
	}
}

// TestKeyClassCompatibility: a key that becomes hot renames the pools that set it, and no others.
func TestKeyClassCompatibility(t *testing.T) {
	type config struct {
		Labels map[string]string `json:"labels,omitempty" hotupdatable:"false,keyclass=false:billing/plan"`
	}
	old := schemaFor[config](t)
	updated := schemaFor[config](t, hotupdate.WithTag(`labels["tenant"]`, "true"), hotupdate.WithTag(`labels["billing/*"]`, "true"))
	findings, err := hotupdate.Compatibility(old, updated)
	require.NoError(t, err)
	var lines []string
	for _, f := range findings {
		lines = append(lines, f.String())
	}
	assert.Equal(t, []string{
		`labels["billing/*"]: became hot, was immutable: every pool that sets it rolls unless an era of the old Schema stays; from now on a change of it is applied to running machines, it replaced machines`,
		`labels["tenant"]: became hot, was immutable: every pool that sets it rolls unless an era of the old Schema stays; from now on a change of it is applied to running machines, it replaced machines`,
	}, lines)
	for raw, want := range map[string][2]bool{
		`{"labels":{"tenant":"a"}}`: {false, true}, `{"labels":{"billing/x":"a"}}`: {true, false},
		`{"labels":{"billing/plan":"a","zone":"b"}}`: {}, `{"labels":{}}`: {}, `{}`: {},
	} {
		assert.Equal(t, want, [2]bool{findings[0].MayRoll([]byte(raw)), findings[1].MayRoll([]byte(raw))}, raw)
		before, err := old.HashRaw([]byte(raw))
		require.NoError(t, err)
		after, err := updated.HashRaw([]byte(raw))
		require.NoError(t, err)
		assert.Equal(t, want != [2]bool{}, before != after, raw)
	}
}

// TestKeyClassSchema: a Schema with such rules has a version of its own, which older releases refuse, and all others stay as they were.
func TestKeyClassSchema(t *testing.T) {
	s := keySchema(t)
	exported, err := s.MarshalJSON()
	require.NoError(t, err)
	var document struct{ FormatVersion int }
	require.NoError(t, json.Unmarshal(exported, &document))
	assert.Equal(t, 3, document.FormatVersion)
	loaded, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err)
	again, err := loaded.MarshalJSON()
	require.NoError(t, err)
	assert.NotContains(t, string(exported), "contradicts")
	one, err := s.Fingerprint()
	require.NoError(t, err)
	other, err := loaded.Fingerprint()
	require.NoError(t, err)
	assert.Equal(t, one, other)
	assert.Equal(t, strings.Count(string(exported), `"keyClasses"`), strings.Count(string(again), `"keyClasses"`))

	plain := schemaFor[struct {
		Labels map[string]string `json:"labels" hotupdatable:"false"`
	}](t)
	ruled := schemaFor[struct {
		Labels map[string]string `json:"labels" hotupdatable:"false,keyclass=true:a"`
	}](t)
	overridden := schemaFor[struct {
		Labels map[string]string `json:"labels" hotupdatable:"false"`
	}](t, hotupdate.WithTag(`labels["a"]`, "true"))
	fingerprints := map[string]bool{}
	for _, schema := range []*hotupdate.Schema{plain, ruled, overridden} {
		fingerprint, err := schema.Fingerprint()
		require.NoError(t, err)
		fingerprints[fingerprint] = true
	}
	assert.Len(t, fingerprints, 2, "a struct tag and an override with one meaning have one fingerprint")
	findings, err := hotupdate.Compatibility(ruled, overridden)
	require.NoError(t, err)
	assert.Empty(t, findings)
}

// TestKeyClassOfCRD: classes of keys of a custom resource.
func TestKeyClassOfCRD(t *testing.T) {
	crd, err := os.ReadFile(filepath.Join("testdata", "keyclass.crd.json"))
	require.NoError(t, err)
	s, err := hotupdate.SchemaOfCRD(crd, "v1", hotupdate.WithTag(`labels["a/*"]`, "true"))
	require.NoError(t, err)
	document, err := s.DocumentRaw([]byte(`{"labels":{"a/b":"1","c":"2"}}`))
	require.NoError(t, err)
	assert.Equal(t, `{"labels":{"c":"2"}}`, string(document))
	_, err = hotupdate.SchemaOfCRD(crd, "v1", hotupdate.WithTag(`size["a"]`, "true"))
	assert.Equal(t, []problem{{Code: "unknown-path", Path: `size["a"]`}}, problemsOf(err))
}

// TestKeyClassReplacesStructTag: an override of a key wins over the option of the struct tag, and over the tag's
// options as a whole if it has some.
func TestKeyClassReplacesStructTag(t *testing.T) {
	type config struct {
		Labels *map[string]string `json:"labels" hotupdatable:"false,keyclass=true:a"`
	}
	for _, tc := range []struct {
		options []hotupdate.Option
		want    string
	}{
		{nil, `{"labels":{"b":"2"}}`},
		{[]hotupdate.Option{hotupdate.WithTag(`labels["a"]`, "inplace")}, `{"labels":{"a":"1","b":"2"}}`},
		{[]hotupdate.Option{hotupdate.WithTag("labels", "true")}, `{}`},
		{[]hotupdate.Option{hotupdate.WithTag("labels", "false,presence")}, `{"labels":{"a":"1","b":"2"}}`},
		{[]hotupdate.Option{hotupdate.WithTag("labels", "true,keyclass=false:b")}, `{"labels":{"b":"2"}}`},
	} {
		document, err := schemaFor[config](t, tc.options...).DocumentRaw([]byte(`{"labels":{"a":"1","b":"2"}}`))
		require.NoError(t, err)
		assert.Equal(t, tc.want, string(document), "%v", tc.options)
	}
}

// TestKeyClassErrors: a rule that can take no effect is an error at its place.
func TestKeyClassErrors(t *testing.T) {
	type target struct {
		metav1.TypeMeta `json:",inline"`

		Labels map[string]string    `json:"labels"`
		Slots  map[int]string       `json:"slots"`
		Names  map[textValue]string `json:"names"`
		Pools  map[string]struct {
			Size int `json:"size"`
		} `json:"pools"`
		List   []string            `json:"list"`
		Hot    []map[string]string `json:"hot"   hotupdatable:"true"`
		Set    []map[string]string `json:"set"   hotupdatable:"false,set"`
		Any    any                 `json:"any"`
		Object struct {
			A string `json:"a"`
		} `json:"object"`
	}
	compile := func(path, tag string) error { return errorOf(hotupdate.SchemaOf[target](hotupdate.WithTag(path, tag))) }
	for _, tc := range []struct{ path, tag, code, hint string }{
		{`labels["*"]`, "true", "invalid-key-class", "give the class to the map itself"},
		{`labels["\xff"]`, "true", "invalid-key-class", "correct the key"},
		{`names["A"]`, "true", "invalid-key-class", "write the key as its type does"},
		{`slots["1"]`, "true", "misplaced-option", "keys are strings or text marshalers"},
		{`list["1"]`, "true", "unknown-path", "override `list`"},
		{`any["a"]`, "true", "unknown-path", "free JSON"},
		{`object["b"]`, "true", "unknown-path", "did you mean"},
		{`pools["a"].size`, "true", "unknown-path", "override `pools`"},
		{`pools.size`, "true", "unknown-path", "write `pools[\"size\"]`"},
		{`labels["a"]`, "true,sensitive", "misplaced-option", "write the class alone"},
		{`labels["a"]`, "false,presence", "misplaced-option", "write the class alone"},
		{`labels["a"]`, "hot", "unknown-class", ""},
		{`hot[]["a"]`, "false", "non-hot-below-list", "remove the class of the key"},
		{`set[]["a"]`, "true", "mixed-set", "remove the class of the key"},
		{"list", "false,keyclass=true:a", "misplaced-option", "remove the option"},
		{"labels", "false,keyclass=true:*", "invalid-key-class", "give the class to the map itself"},
	} {
		problem, isTyped := errors.AsType[*fault.Error](compile(tc.path, tc.tag))
		if !assert.True(t, isTyped, tc.path) {
			continue
		}
		assert.Equal(t, []string{tc.code, tc.path}, []string{problem.Code, problem.Path}, "%v", problem)
		assert.Contains(t, problem.Hint, tc.hint, tc.path)
	}
	_, err := hotupdate.SchemaOf[target](hotupdate.WithTag("labels", "false,keyclass=true:a"), hotupdate.WithTag(`labels["a"]`, "false"))
	assert.Equal(t, []problem{{Code: "duplicate-path", Path: `labels["a"]`}}, problemsOf(err))
	_, err = hotupdate.SchemaOf[target](hotupdate.WithTag("pools", "false,hotwhen=size:1"), hotupdate.WithTag(`pools["a"]`, "true"))
	assert.Equal(t, "conflicting-options", fault.All(err)[0].Code)
	type tagged struct {
		Slots map[int]string `json:"slots" hotupdatable:"false,keyclass=true:1"`
		Two   map[string]int `json:"two"   hotupdatable:"false,keyclass=true:a,keyclass=false:a"`
	}
	_, err = hotupdate.SchemaOf[tagged]()
	assert.Equal(
		t,
		[]problem{
			{Code: "misplaced-option", Field: "hotupdate_test.tagged.Slots"},
			{Code: "duplicate-option", Field: "hotupdate_test.tagged.Two"},
		},
		problemsOf(err),
	)
}

// TestKeyClassLaws draws types of which each has maps with rules, and checks the laws of the format.
// -rapid.checks=10000 makes it a long run.
func TestKeyClassLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newJSONTypeGenerator(t)
		b := a.manyRules()
		s := subjectOf(t, b.build(plainWording), a.overrides)
		loaded := s.schema
		if !b.marshalsItself() { // a loaded Schema does not know the JSON of a type that marshals itself
			exported, err := s.schema.MarshalJSON()
			require.NoError(t, err)
			loaded, err = hotupdate.LoadSchema(exported)
			require.NoError(t, err, "%s", exported)
		}
		for range 2 {
			old, updated := s.drawPair(t)
			s.requireLaws(t, loaded, old, updated)
		}
	})
}

// manyRules draws the descriptor of a type with maps in which single keys have classes.
func (a *typeGenerator) manyRules() *typeDescriptor {
	s := scope{may: everyClass, depth: 2}
	b := &typeDescriptor{shape: objectShape, scope: s}
	for range 1 + pick(a.t, 3) {
		f := a.named()
		f.value = &typeDescriptor{shape: mapShape, key: among(a.t, reflect.TypeFor[string](), reflect.TypeFor[namedString]())}
		inner := a.tagged(f, s)
		pattern := among(a.t, keyPatterns...)
		class := among(a.t, inner.may.list()...)
		f.tag += ",keyclass=" + word(class) + ":'" + strings.ReplaceAll(pattern, "'", "''") + "'"
		inner.ruled |= setOf(class)
		others := slices.DeleteFunc(slices.Clone(keyPatterns), func(p string) bool { return p == pattern })
		f.value.elem = a.element(a.ruledAmong(others, inner).ofKeys())
		a.pointedCollection(f)
		b.fields = append(b.fields, f)
	}
	return b
}

func (s subject) requireLaws(t *rapid.T, loaded *hotupdate.Schema, old, updated reflect.Value) {
	about := s.describe(old, updated)
	raws := [2][]byte{toJSON(t, old), toJSON(t, updated)}
	require.Equal(t, canonical(hashView.document(s.root, old)), s.document(t, old), "%s", about)
	areEqual := s.hash(t, old) == s.hash(t, updated)
	changes := s.diff(t, old, updated)
	for _, w := range []view{immutableView, hashView, hotView, fullView} {
		want := !reflect.DeepEqual(w.document(s.root, old), w.document(s.root, updated))
		got := slices.ContainsFunc(changes, func(c hotupdate.Change) bool { return w.sees(c.Class) })
		require.Equal(t, want, got, "view %v: %v\n%s", hotupdate.Class(w), changes, about)
		require.True(t, w != hashView || want == !areEqual, "%s", about)
	}
	for _, schema := range []*hotupdate.Schema{s.schema, loaded} {
		document, err := schema.DocumentRaw(raws[0])
		require.NoError(t, err, "%s", about)
		require.Equal(t, s.document(t, old), string(document), "%s", about)
		rawChanges, err := schema.DiffRaw(raws[0], raws[1])
		require.NoError(t, err)
		require.Equal(t, len(changes), len(rawChanges), "%s", about)
		stripped, err := schema.StripRaw(raws[0])
		require.NoError(t, err)
		again, err := schema.DocumentRaw(stripped)
		require.NoError(t, err)
		require.Equal(t, string(document), string(again), "%s\nstripped %s", about, stripped)
	}
	immutable, hot := s.split(t, old)
	require.Empty(t, s.diff(t, old, s.merge(t, immutable, hot)), "%s", about)
	require.Equal(t, s.document(t, old), s.document(t, immutable), "%s", about)
}
