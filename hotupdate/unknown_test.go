package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

func openSchema(t require.TestingT, s *hotupdate.Schema) *hotupdate.Schema {
	open, err := s.AdmitUnknown()
	require.NoError(t, err)
	return open
}

// strewn writes unknown members into some objects of JSON at any place.
func strewn(t *rapid.T, raw []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree any
	require.NoError(t, decoder.Decode(&tree))
	strew(t, tree)
	written, err := json.Marshal(tree)
	require.NoError(t, err)
	return written
}

func strew(t *rapid.T, tree any) {
	switch v := tree.(type) {
	case []any:
		for _, e := range v {
			strew(t, e)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			strew(t, v[name])
		}
		if chance(t, 3) {
			name := among(t, "a0", "unknown", "unknown~", "zz", "", "\u00e9\"")
			if _, known := v[name]; !known {
				v[name] = among[any](t, nil, nil, "x", "y", 1, map[string]any{"b": nil, "a": 1}, []any{})
			}
		}
	}
}

// TestUnknownMembersAreImmutable: also with unknown members, two configurations have one hash exactly if they have one
// document, and exactly if Diff lists no Immutable or InPlace change. Hash and Diff refuse the same configurations.
// Stripped hot members are not hashed.
func TestUnknownMembersAreImmutable(t *testing.T) {
	var transcribed, drawn int
	checkJSON(t, func(t *rapid.T, s subject) {
		exported, err := s.schema.MarshalJSON()
		require.NoError(t, err)
		if unloadable.Match(exported) {
			return
		}
		open := openSchema(t, s.schema)
		a, b := s.drawPair(t)
		old := strewn(t, toJSON(t, a))
		updated := strewn(t, toJSON(t, b))
		if chance(t, 4) {
			updated = strewn(t, old)
		}
		before, errBefore := open.HashRaw(old)
		after, errAfter := open.HashRaw(updated)
		changes, err := open.DiffRaw(old, updated)
		if (errBefore != nil || errAfter != nil) && bytes.Equal(rewrittenJSON(t, old), rewrittenJSON(t, updated)) {
			return // equal bytes are not read
		}
		require.Equal(t, errBefore != nil || errAfter != nil, err != nil, "%v %v %v", errBefore, errAfter, err)
		if err != nil {
			return
		}
		strictest, some := changes.Strictest()
		require.Equal(
			t, before == after, !some || strictest > hotupdate.InPlace, "%s\nold %s\nnew %s\n%v", s.describe(), old, updated, changes,
		)
		requireTypedChanges(t, open, old, updated, changes)
		for _, raw := range [][]byte{old, updated} {
			requireSteady(t, s, open, raw)
			if repetitionsIn(s.root, a)+repetitionsIn(s.root, b) > 0 {
				continue // read into a value, to order elements of one key
			}
			drawn++
			if open.Transcribes(raw) {
				transcribed++
			}
		}
	})
	assert.Greater(t, transcribed, drawn*9/10, "nearly all are written without a value")
}

// requireTypedChanges expects the changes between raw JSON of the values that it means.
func requireTypedChanges(t *rapid.T, open *hotupdate.Schema, old, updated []byte, changes hotupdate.Changes) {
	before, err := open.Decode(old)
	require.NoError(t, err)
	after, err := open.Decode(updated)
	require.NoError(t, err)
	typed, err := open.Diff(before, after)
	require.NoError(t, err)
	require.Equal(t, typed, changes, "old %s\nnew %s", old, updated)
}

// requireSteady checks the changes that do not change the hash of a configuration with unknown members.
func requireSteady(t *rapid.T, s subject, open *hotupdate.Schema, raw []byte) {
	want, err := open.DocumentRaw(raw)
	require.NoError(t, err)
	cut, err := open.StripRaw(raw)
	require.NoError(t, err)
	got, err := open.DocumentRaw(cut)
	require.NoError(t, err, "%s\nraw %s\ncut %s", s.describe(), raw, cut)
	require.Equal(t, string(want), string(got), "%s\nraw %s\ncut %s", s.describe(), raw, cut)

	config, err := open.Decode(raw)
	require.NoError(t, err)
	typed, err := open.Document(config)
	require.NoError(t, err)
	require.Equal(t, string(want), string(typed), "%s\nraw %s", s.describe(), raw)
	immutable, hot, err := open.SplitAny(config)
	require.NoError(t, err)
	got, err = open.Document(immutable)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "%s\nraw %s", s.describe(), raw)
	merged, err := open.MergeAny(immutable, hot)
	require.NoError(t, err, "%s\nraw %s", s.describe(), raw)
	changes, err := open.Diff(config, merged)
	require.NoError(t, err)
	require.Empty(t, changes, "%s\nraw %s", s.describe(), raw)

	reordered := rewrittenJSON(t, raw)
	got, err = open.DocumentRaw(reordered)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "order and spelling do not count")
}

// rewrittenJSON writes JSON anew, with sorted members.
func rewrittenJSON(t require.TestingT, raw []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree any
	require.NoError(t, decoder.Decode(&tree))
	written, err := json.MarshalIndent(tree, "", "\t")
	require.NoError(t, err)
	return written
}

// TestKnownMembersHashTheSame: a Schema that admits unknown members gives configurations without them the hash that they had, and the
// same changes.
func TestKnownMembersHashTheSame(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		exported, err := s.schema.MarshalJSON()
		require.NoError(t, err)
		if unloadable.Match(exported) {
			return
		}
		open := openSchema(t, s.schema)
		old, updated := s.drawPair(t)
		require.Equal(t, s.hashRaw(t, toJSON(t, updated)), subject{s.root, open}.hashRaw(t, toJSON(t, updated)))
		require.Equal(
			t, s.diffRaw(t, toJSON(t, old), toJSON(t, updated)), subject{s.root, open}.diffRaw(t, toJSON(t, old), toJSON(t, updated)),
		)
	})
}

func TestUnknownMembers(t *testing.T) {
	strict := schemaFor[workerConfig](t)
	open := openSchema(t, strict)
	for _, tc := range []struct {
		name, old, updated string
		want               []string
		reason             string
	}{
		{"none", `{}`, `{}  `, nil, "nothing changes"},
		{"at the root", `{}`, `{"aa":1}`, []string{`add aa /aa: immutable, unknown member`}, "in the order of names"},
		{"among others", `{"volume":{"iops":1}}`, `{"zz":1,"volume":{"iops":2,"a":1,"zz":2},"aa":1}`, []string{
			`add aa /aa: immutable, unknown member`, `add volume.a /volume/a: immutable, unknown member`,
			`replace volume.iops /volume/iops: immutable, default`,
			`add volume.zz /volume/zz: immutable, unknown member`, `add zz /zz: immutable, unknown member`,
		}, "they stand among the others"},
		{"null", `{"aa":null}`, `{}`, nil, "null says nothing"},
		{"spelling", `{"aa":{"b":1.0,"c":"d"}}`, `{"aa":{"c":"\u0064","b":1}}`, nil, "equal by meaning"},
		{"a name like no path", `{}`, `{"a.b":1}`, []string{`add ["a.b"] /a.b: immutable, unknown member`}, "quoted"},
		{
			"below hot", `{"tags":{"vm":{"a":"b"}}}`, `{"tags":{"vm":{"a":"c"},"nic":1}}`,
			[]string{`add tags.nic /tags/nic: immutable, unknown member`, `replace tags.vm[(sensitive)] /tags/vm: hot, inherited`},
			"nobody knows whether a running machine can take it",
		},
		{
			"in an element", `{"dataVolumes":[{"name":"a","x":1}]}`, `{"dataVolumes":[{"name":"b"},{"name":"a","x":2}]}`,
			[]string{
				`replace dataVolumes[name=a].x /dataVolumes/1/x: immutable, unknown member`,
				`add dataVolumes[name=b] /dataVolumes/0: immutable, inherited`,
			},
			"paired by key",
		},
		{
			"the name of the field behind", `{"unknown":{"a":1}}`, `{"unknown":{"a":2},"a":1}`,
			[]string{`add a /a: immutable, unknown member`, `replace unknown /unknown: immutable, unknown member`},
			"it is no name of JSON",
		},
		{
			"another case", `{}`, `{"Volume":{"iops":1}}`,
			[]string{`add Volume /Volume: immutable, unknown member`},
			"names are case-sensitive",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			changes, err := open.DiffRaw([]byte(tc.old), []byte(tc.updated))
			require.NoError(t, err)
			var lines []string
			for _, c := range changes {
				lines = append(lines, string(c.Op)+" "+c.Path+" "+c.Pointer+": "+c.Class.String()+", "+c.Origin)
				assert.Equal(
					t, c.Origin == "unknown member" || c.Path == "tags.vm[(sensitive)]", c.Sensitive,
					"values of unknown members are not shown",
				)
			}
			assert.Equal(t, tc.want, lines, tc.reason)
			before, err := open.HashRaw([]byte(tc.old))
			require.NoError(t, err)
			after, err := open.HashRaw([]byte(tc.updated))
			require.NoError(t, err)
			assert.Equal(t, len(lines) == 0, before == after, tc.reason)
		})
	}
	document, err := open.DocumentRaw([]byte(`{"zz":{"b":1,"a":2},"volume":{"iops":2,"a":"x"},"aa":[],"tags":{"nic":1,"vm":{"a":"b"}}}`))
	require.NoError(t, err)
	assert.Equal(
		t, `{"aa":[],"tags":{"nic":1},"volume":{"a":"x","iops":2},"zz":{"a":2,"b":1}}`, string(document),
		"members are sorted, whoever knows them",
	)
	config, err := open.Decode([]byte(`{"zz":1,"tags":{"nic":1,"vm":{"a":"b"}}}`))
	require.NoError(t, err)
	hot, err := (*schemabridge.Schema)(open).HotPart(config)
	require.NoError(t, err)
	assert.Equal(t, `{"tags":{"vm":{"a":"b"}}}`, string(hot), "they are not hot")
	_, err = strict.HashRaw([]byte(`{"aa":1}`))
	assert.Equal(t, "unknown-member", fault.All(err)[0].Code, "the Schema itself is as strict as before")
}

// TestOpenSchemas: a Schema that admits unknown members is another Schema, and stays so in JSON.
func TestOpenSchemas(t *testing.T) {
	strict := schemaFor[workerConfig](t)
	open := openSchema(t, strict)
	fingerprints := [2]string{}
	for i, s := range []*hotupdate.Schema{strict, open} {
		fingerprint, err := s.Fingerprint()
		require.NoError(t, err)
		fingerprints[i] = fingerprint
	}
	require.NotEqual(t, fingerprints[0], fingerprints[1])
	exported, err := open.MarshalJSON()
	require.NoError(t, err)
	require.Contains(t, string(exported), `"unknownMembers":"immutable"`)
	loaded, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err)
	for _, s := range []*hotupdate.Schema{loaded, openSchema(t, open), openSchema(t, loaded)} {
		again, err := s.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, string(exported), string(again), "loading and asking twice change nothing")
	}
	raw := []byte(`{"aa":1}`)
	want, err := open.HashRaw(raw)
	require.NoError(t, err)
	got, err := loaded.HashRaw(raw)
	require.NoError(t, err)
	require.Equal(t, want, got)

	_, err = hotupdate.LoadSchema(bytes.Replace(exported, []byte(`"unknownMembers":"immutable"`), []byte(`"unknownMembers":"hot"`), 1))
	require.Equal(t, "/unknownMembers", fault.All(err)[0].Path)
	_, err = hotupdate.LoadSchema(bytes.Replace(exported, []byte(`"unknownMembers":"immutable",`), nil, 1))
	require.Equal(t, "/fingerprint", fault.All(err)[0].Path, "whether unknown members are admitted belongs to the fingerprint")
	_, err = schemaFor[tree](t).AdmitUnknown()
	require.Equal(t, "invalid-schema", fault.All(err)[0].Code, "a type that contains itself cannot be made at run time")
	_, err = (*hotupdate.Schema)(nil).AdmitUnknown()
	require.Equal(t, "no-schema", fault.All(err)[0].Code)
	_, err = open.Diff(nil, &workerConfig{})
	require.Equal(t, "type-mismatch", fault.All(err)[0].Code, "it is for raw JSON")
}

// TestOpenSchemasAreCompiledOnce: repeated calls of AdmitUnknown compile one Schema, and no memory grows.
func TestOpenSchemasAreCompiledOnce(t *testing.T) {
	type config struct {
		Size resource.Quantity `json:"size"`
	}
	type recursive struct {
		Next *recursive `json:"next"`
	}
	exported, err := schemaFor[config](t).MarshalJSON()
	require.NoError(t, err)
	loaded, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err)
	for name, s := range map[string]*hotupdate.Schema{"Go type": schemaFor[config](t), "loaded": loaded, "open": openSchema(t, loaded)} {
		for _, open := range together(func() *hotupdate.Schema { return openSchema(t, s) }) {
			_, err := open.HashRaw([]byte(`{"aa":1}`))
			require.NoError(t, err, name)
		}
		allocations := testing.AllocsPerRun(100, func() {
			if _, err := s.AdmitUnknown(); err != nil {
				t.Error(err)
			}
		})
		assert.LessOrEqual(t, allocations, 1.0, "%s: the Schema itself", name)
	}
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := schemaFor[config](t).AdmitUnknown(); err != nil {
			t.Error(err)
		}
	})
	assert.Less(t, allocations, 20.0, "SchemaOf returns what it has compiled, and so does this")

	impossible := schemaFor[recursive](t)
	_, want := impossible.AdmitUnknown()
	for _, err := range together(func() error { _, err := impossible.AdmitUnknown(); return err }) {
		require.Equal(t, problemsOf(want), problemsOf(err), "an error is kept as well")
	}
}

// TestUnknownMembersWhereOnlyOneClassMayBe: unknown members would not be Immutable there, so they are an error, in the hash and in Diff.
func TestUnknownMembersWhereOnlyOneClassMayBe(t *testing.T) {
	type item struct {
		A string `json:"a"`
	}
	type mode struct {
		Mode  string `json:"mode"`
		Items []item `json:"items"`
		Kept  []item `json:"kept"  hotupdatable:"false"`
	}
	type config struct {
		Hot     []item          `json:"hot"     hotupdatable:"true"`
		HotSet  []item          `json:"hotSet"  hotupdatable:"true,set"`
		Set     []item          `json:"set"     hotupdatable:"false,set"`
		InPlace []item          `json:"inPlace" hotupdatable:"inplace,set"`
		Places  []item          `json:"places"  hotupdatable:"inplace"`
		Keyed   []item          `json:"keyed"   hotupdatable:"true,key=a"`
		Ignored [1]item         `json:"ignored" hotupdatable:"ignore"`
		Modes   map[string]mode `json:"modes"   hotupdatable:"false,hotwhen=mode:live"`
	}
	open := openSchema(t, schemaFor[config](t))
	for _, tc := range []struct {
		name, raw, path, reason string
	}{
		{"hot list", `{"hot":[{"a":"b","x":1}]}`, "hot[0].x", "an element that came or went would shift it to another"},
		{"hot set", `{"hotSet":[{"x":1}]}`, "hotSet[0].x", "all elements are hot"},
		{"in-place set", `{"inPlace":[{"x":1}]}`, "inPlace[0].x", "all elements are in-place"},
		{"ignored array", `{"ignored":[{"x":1}]}`, "ignored[0].x", "as for lists"},
		{"list that hotwhen makes hot", `{"modes":{"k":{"mode":"live","items":[{"x":1}]}}}`, "modes[k].items[0].x", "as for hot lists"},
		{
			"list that hotwhen may make hot", `{"modes":{"k":{"mode":"dead","items":[{"x":1}]}}}`, "modes[k].items[0].x",
			"what is refused does not depend on a value",
		},
		{"immutable set", `{"set":[{"x":1}]}`, "set[0].x", "an element of a set is shown as a whole"},
		{"in-place list", `{"places":[{"x":1}]}`, "", "elements have their places in the hash"},
		{"hot keyed list", `{"keyed":[{"a":"b","x":1}]}`, "", "it stands under its key"},
		{"hot element", `{"modes":{"k":{"mode":"live","x":1,"kept":[{"x":1}]}}}`, "", "immutable in a hot element"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sum, err := open.HashRaw([]byte(tc.raw))
			changes, diffErr := open.DiffRaw(nil, []byte(tc.raw))
			if tc.path == "" {
				require.NoError(t, err)
				require.NoError(t, diffErr)
				strictest, _ := changes.Strictest()
				assert.Equal(t, hotupdate.Immutable, strictest, tc.reason)
				return
			}
			assert.Zero(t, sum)
			for _, err := range []error{err, diffErr} {
				problems := fault.All(err)
				require.Len(t, problems, 1)
				assert.Equal(t, "unknown-member", problems[0].Code)
				assert.Equal(t, tc.path, problems[0].Path, tc.reason)
			}
		})
	}
}

// FuzzUnknownMembers: for any raw JSON, a Schema that admits unknown members accepts everything that the Schema
// accepts, with the same hash, and so does the Schema that was exported and loaded. The stripped JSON has the same
// hash, too. A loaded Schema may accept more: it does not know the Go types that read a text, such as netip.Addr.
func FuzzUnknownMembers(f *testing.F) {
	schema, err := hotupdate.SchemaOf[everything]()
	if err != nil {
		f.Fatal(err)
	}
	open, err := schema.AdmitUnknown()
	if err != nil {
		f.Fatal(err)
	}
	exported, err := schema.MarshalJSON()
	if err != nil {
		f.Fatal(err)
	}
	loaded, err := hotupdate.LoadSchema(exported)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(everythingJSON))
	for _, seed := range []string{
		`{"unknown":{"a":1},"ints":{"":null,"unknown":2}}`, `{"set":[{}],"keyed":[{"id":1,"x":1}],"map":{"::1":{"x":1}}}`,
		`{"x":1,"\u0078":2}`, `{"map":{"no address":{"id":1}}}`, "null", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		sum, err := open.HashRaw(raw)
		strict, strictErr := schema.HashRaw(raw)
		if strictErr == nil {
			require.NoError(t, err)
			require.Equal(t, strict, sum)
			fromLoaded, err := loaded.HashRaw(raw)
			require.NoError(t, err)
			require.Equal(t, strict, fromLoaded)
		}
		if err != nil {
			require.NotEmpty(t, fault.All(err), "a typed error")
			return
		}
		cut, err := open.StripRaw(raw)
		require.NoError(t, err)
		again, err := open.HashRaw(cut)
		require.NoError(t, err, "%s", cut)
		require.Equal(t, sum, again, "%s", cut)
	})
}

// TestCompatibilityOfOpenSchemas: if unknown members are admitted, an added field may have been one before, and a
// removed field becomes one.
func TestCompatibilityOfOpenSchemas(t *testing.T) {
	type before struct {
		A resource.Quantity `json:"a"`
	}
	type after struct {
		A resource.Quantity `json:"a"`
		B resource.Quantity `json:"b"`
	}
	small := schemaFor[before](t)
	large := schemaFor[after](t)
	for _, tc := range []struct {
		name         string
		old, updated *hotupdate.Schema
		want         []string
		harmless     bool
		reason       string
	}{
		{"the same", openSchema(t, small), openSchema(t, small), nil, true, "no difference"},
		{
			"opened", small, openSchema(t, small),
			[]string{"*: unknown members became immutable, were an error: no hash changes"},
			true,
			"what was read is read alike",
		},
		{
			"closed", openSchema(t, small), small,
			[]string{"*: unknown members became an error, were immutable: the updated Schema refuses every configuration that names it; the hashes of the others stay"},
			false, "who has some is refused",
		},
		{
			"a field comes", openSchema(t, small), openSchema(t, large),
			[]string{"b: is new, quantity, immutable: the updated Schema may refuse a configuration that has it; a pool that has it may roll unless an era of the old Schema stays"},
			false, "1Gi is hashed as a text before, and as a number of bytes after",
		},
		{
			"a field goes", openSchema(t, large), openSchema(t, small),
			[]string{"b: is gone, was quantity, immutable: a pool that has it may roll unless an era of the old Schema stays"},
			false,
			"the other way round",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			findings, err := hotupdate.Compatibility(tc.old, tc.updated)
			require.NoError(t, err)
			var lines []string
			for _, f := range findings {
				lines = append(lines, f.String())
			}
			assert.Equal(t, tc.want, lines, tc.reason)
			assert.Equal(t, tc.harmless, areHarmless(findings), tc.reason)
		})
	}
	old, err := openSchema(t, small).HashRaw([]byte(`{"b":"1Gi"}`))
	require.NoError(t, err)
	updated, err := openSchema(t, large).HashRaw([]byte(`{"b":"1Gi"}`))
	require.NoError(t, err)
	assert.NotEqual(t, old, updated, "that is why")
}
