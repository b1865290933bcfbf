package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// typesPerCheck is the number of types that one check of rapid draws: 2,000 in all.
const typesPerCheck = 20

// oneDraw is a type in every form that a Schema has, with configurations of it.
type oneDraw struct {
	*describer

	spec    described
	byType  *hotupdate.Schema
	schemas map[string]*hotupdate.Schema // the same in other forms
	raw     [2][]byte
	values  [2]any // of the Go type
}

func drawOnce(t *rapid.T) *oneDraw {
	d := &oneDraw{describer: &describer{T: t}, schemas: map[string]*hotupdate.Schema{}}
	d.spec = d.object(position{})
	var err error
	d.byType, err = hotupdate.SchemaOfType(d.spec.typ)
	require.NoError(t, err, "%s", d.spec.typ)
	d.schemas["CRD"], err = hotupdate.SchemaOfCRD(crdOf(t, d.spec.property), "v1", d.options(samePath)...)
	require.NoError(t, err, "%s", d.spec.typ)
	for name, s := range map[string]*hotupdate.Schema{"loaded": d.byType, "loaded CRD": d.schemas["CRD"]} {
		exported, err := s.MarshalJSON()
		require.NoError(t, err)
		d.schemas[name], err = hotupdate.LoadSchema(exported)
		require.NoError(t, err)
	}
	d.schemas["open"] = openSchema(t, d.byType)
	for i, label := range []string{"old", "updated"} {
		d.raw[i] = drawn(t, d.spec, label)
		d.values[i], err = d.byType.Decode(d.raw[i])
		require.NoError(t, err, "%s\n%s", d.spec.typ, d.raw[i])
	}
	return d
}

func checkOneDraw(t *testing.T, property func(d *oneDraw)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		for range typesPerCheck {
			property(drawOnce(t))
		}
	})
}

// TestOneDraw: a value, its raw JSON, the exported Schema and the CRD of one type have the same digests and changes.
// Values that go-cmp finds to be equal, by the methods Equal of their types, have one digest and no changes.
func TestOneDraw(t *testing.T) {
	equal := 0
	checkOneDraw(t, func(d *oneDraw) {
		var sums [2]hotupdate.Sum
		for i, value := range d.values {
			var err error
			sums[i], err = d.byType.Hash(value)
			require.NoError(d, err, "%s\n%s", d.spec.typ, d.raw[i])
			for name, s := range d.schemas {
				sum, err := s.HashRaw(d.raw[i])
				require.NoError(d, err, "%s: %s\n%s", name, d.spec.typ, d.raw[i])
				require.Equal(d, sums[i], sum, "%s: %s\n%s", name, d.spec.typ, d.raw[i])
			}
		}
		changes, err := d.byType.Diff(d.values[0], d.values[1])
		require.NoError(d, err)
		changes = unsourced(changes)
		for name, s := range d.schemas {
			raw, err := s.DiffRaw(d.raw[0], d.raw[1])
			require.NoError(d, err)
			require.Equal(d, changes, unsourced(raw), "%s: %s\n%s\n%s", name, d.spec.typ, d.raw[0], d.raw[1])
		}
		isSame := len(changes.Of(hotupdate.Immutable))+len(changes.Of(hotupdate.InPlace)) == 0
		require.Equal(d, sums[0] == sums[1], isSame, "%s\n%s\n%s", d.spec.typ, d.raw[0], d.raw[1])
		if gocmp.Equal(d.values[0], d.values[1]) {
			equal++
			require.Empty(d, changes, "%s\n%s\n%s", d.spec.typ, d.raw[0], d.raw[1])
		}
	})
	require.NotZero(t, equal)
}

// TestOneDrawInPools: in every era, a pool gets one list, by its strategy: today's list before the canonical era, and
// the digest of the typed value from it on, whatever form the Schema of the era has.
func TestOneDrawInPools(t *testing.T) {
	checkOneDraw(t, func(d *oneDraw) {
		type pool struct{ zone string }
		today := func(p pool) []string { return []string{"today", p.zone} }
		own := func(p pool) []string { return []string{p.zone} }
		first := rapid.SampledFrom([]func(pool) []string{nil, today}).Draw(d.T, "today")
		from := rapid.IntRange(30, 40).Draw(d.T, "from")
		minor := rapid.IntRange(28, 42).Draw(d.T, "minor")
		strategy := rapid.SampledFrom(
			[]hotupdate.Strategy{hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate},
		).Draw(d.T, "strategy")
		p := pool{rapid.SampledFrom([]string{"a", "b"}).Draw(d.T, "zone")}
		sum, err := d.byType.Hash(d.values[0])
		require.NoError(d, err)
		want := hash.AdditionalData{}
		isRolled := strategy == hotupdate.AutoRollingUpdate
		switch isCanonical := minor >= from; {
		case isCanonical && isRolled:
			want.Rolling = []string{sum.String(), p.zone}
		case isRolled:
			want.Rolling = []string{string(d.raw[0])}
		case isCanonical:
			want.InPlace = []string{sum.String(), p.zone}
		case first != nil:
			want.InPlace = []string{"today", p.zone}
		}
		for name, schema := range d.schemas {
			since := fmt.Sprintf("1.%d", from)
			eras, err := hash.NewEras([]hash.Era[pool]{
				{Name: "raw", Data: func(raw []byte, _ pool) ([]string, error) { return []string{string(raw)}, nil }},
				{Name: "canonical", From: since, Data: hash.CanonicalData(schema, own)},
			}, hash.InPlaceEras(first, since, schema, own))
			require.NoError(d, err)
			version := fmt.Sprintf("1.%d.3", minor)
			lists, err := eras.AdditionalData(strategy, &version, d.raw[0], p)
			require.NoError(d, err)
			require.Equal(d, want, lists, "%s: %s\n%s", name, d.spec.typ, d.raw[0])
		}
	})
}

// TestOneDrawWithMovedFields: a field of a CRD moves into a new object. The document of a configuration that moves with
// it is the document of before with the member moved. A finding names the field, and of each configuration that stays,
// the findings say what the hashes do.
func TestOneDrawWithMovedFields(t *testing.T) {
	moved := 0
	checkOneDraw(t, func(d *oneDraw) {
		properties := d.spec.property["properties"].(openAPI)
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(properties))).Draw(d.T, "moved")
		updated, err := hotupdate.SchemaOfCRD(crdOf(d, movedIn(d.spec.property, name)), "v1", d.options(func(path string) string {
			if rest, isBelow := strings.CutPrefix(path, name); isBelow && (rest == "" || strings.ContainsAny(rest[:1], ".[")) {
				return "moved." + path
			}
			return path
		})...)
		require.NoError(d, err)
		old := d.schemas["CRD"]
		findings, err := hotupdate.Compatibility(old, updated)
		require.NoError(d, err)
		require.True(d, slices.ContainsFunc(findings, func(f hotupdate.Finding) bool { return f.Path == name }), "%v", findings)
		for _, raw := range d.raw {
			before, err := old.DocumentRaw(raw)
			require.NoError(d, err)
			with := movedMember(d, raw, name)
			after, err := updated.DocumentRaw(with)
			require.NoError(d, err, "%s", with)
			require.Equal(d, string(movedMember(d, before, name)), string(after), "%s", raw)
			if !bytes.Equal(raw, with) {
				moved++
			}

			sum, err := old.HashRaw(raw)
			require.NoError(d, err)
			again, err := updated.HashRaw(raw)
			mayRefuse := slices.ContainsFunc(findings, func(f hotupdate.Finding) bool { return f.MayRefuse(raw) })
			mayRoll := slices.ContainsFunc(findings, func(f hotupdate.Finding) bool { return f.MayRoll(raw) })
			require.Equal(d, err != nil, mayRefuse, "%v\n%s", findings, raw)
			if err == nil && sum != again {
				require.True(d, mayRoll, "%v\n%s", findings, raw)
			}
		}
	})
	require.NotZero(t, moved)
}

// movedIn is the schema of an object in which a property stands in a new object.
func movedIn(object openAPI, name string) openAPI {
	properties := maps.Clone(object["properties"].(openAPI))
	required := slices.Clone(object["required"].([]string))
	inner := openAPI{"type": "object", "properties": openAPI{name: properties[name]}}
	if at := slices.Index(required, name); at >= 0 {
		required = slices.Delete(required, at, at+1)
		inner["required"] = []string{name}
	}
	delete(properties, name)
	properties["moved"] = inner
	return openAPI{"type": "object", "properties": properties, "required": required}
}

// movedMember moves a member of JSON into a new object. What it writes is canonical if what it reads is.
func movedMember(t require.TestingT, raw []byte, name string) []byte {
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &members))
	value, isThere := members[name]
	if !isThere {
		return raw
	}
	delete(members, name)
	members["moved"] = slices.Concat([]byte(`{"`+name+`":`), value, []byte("}"))
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(members))
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
