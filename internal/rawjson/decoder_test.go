package rawjson_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	sigsjson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// decoded reads as Kubernetes does what canonjson finds nothing wrong with.
func decoded(p *fieldplan.Plan, raw []byte) (config reflect.Value, ok bool) {
	defer func() { ok = recover() == nil && ok }()
	if _, problem := canonjson.AppendValue(nil, raw); problem != nil {
		return config, false
	}
	config = reflect.New(p.Type)
	strict, err := sigsjson.UnmarshalStrict(raw, config.Interface())
	return config, err == nil && len(strict) == 0
}

// check reads raw in all ways. It tells whether it was read, and whether Kubernetes' decoder reads it, which loses something in what is not
// read for that reason alone.
func check(t require.TestingT, p *fieldplan.Plan, text string) (took, good bool) {
	want, good := decoded(p, []byte(text))
	raw := []byte(text)
	got, err := rawjson.Decode(p, raw)
	require.Equal(t, text, string(raw), "raw is left as it is")
	for i := range raw {
		raw[i] = 'x'
	}
	for _, problem := range fault.All(err) {
		lossy := problem.Code == "number-range" || problem.Code == "duplicate-map-key"
		require.True(t, !good || lossy || text == "", "%q of %s: %v", text, p.Type, err)
	}
	empty := strings.Trim(text, " \t\r\n") == ""
	if err == nil && !empty {
		require.True(t, good, "%q of %s", text, p.Type)
		requireDeepEqual(t, want, got, text)
	}
	checkExact(t, p, text, got, err)
	checkTranscript(t, p, text)
	return err == nil, good
}

func requireDeepEqual(t require.TestingT, want, got reflect.Value, text string) {
	if !reflect.DeepEqual(want.Interface(), got.Interface()) {
		require.Equal(t, want.Interface(), got.Interface(), "%q", text)
		require.Fail(t, "not deeply equal", "%q of %s: %#v", text, want.Type(), got.Elem())
	}
}

// checkExact reads raw as what stands for it, and expects what was decoded, with free JSON as it stands.
func checkExact(t require.TestingT, p *fieldplan.Plan, text string, want reflect.Value, wantErr error) {
	got, err := rawjson.Read(p, []byte(text))
	if wantErr == nil {
		require.NoError(t, err, "%q", text)
		decodeFree(t, got)
		requireDeepEqual(t, want, got, text)
	}
}

// checkTranscript writes raw JSON without a value, and expects what is written of its value.
func checkTranscript(t require.TestingT, p *fieldplan.Plan, text string) {
	program := engine.Of(p)
	got, ok := program.AppendRaw(nil, []byte(text))
	value, err := rawjson.Read(p, []byte(text))
	if err != nil {
		require.False(t, ok, "%q of %s: %v", text, p.Type, err)
		return
	}
	want, err := program.Append(nil, value)
	if ok {
		require.NoError(t, err, "%q of %s", text, p.Type)
		require.Equal(t, string(want), string(got), "%q of %s", text, p.Type)
	}
	changes, ok := engine.DiffRaw(p, []byte(text), []byte("{}"))
	wantChanges, err := engine.Diff(p, value, reflect.New(p.Type))
	if ok {
		require.NoError(t, err, "%q of %s", text, p.Type)
		require.Equal(t, wantChanges, changes, "%q of %s", text, p.Type)
	}
}

// decodeFree decodes the raw JSON that interfaces hold.
func decodeFree(t require.TestingT, v reflect.Value) {
	//exhaustive:ignore
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			decodeFree(t, v.Elem())
		}
	case reflect.Interface:
		if raw, ok := reflect.TypeAssert[json.RawMessage](v); ok {
			require.NoError(t, sigsjson.UnmarshalCaseSensitivePreserveInts(raw, v.Addr().Interface()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() || v.Type().Field(i).Anonymous {
				decodeFree(t, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			decodeFree(t, v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(it.Value())
			decodeFree(t, value)
			v.SetMapIndex(it.Key(), value)
		}
	}
}

func build(t require.TestingT, typ reflect.Type) *fieldplan.Plan {
	p, err := fieldplan.Build(typ, nil, rawjson.ReadPart)
	require.NoError(t, err)
	return p
}

// TestReadsWhatTheDecoderReads: what is read is what the decoder reads, and what the decoder refuses is never read.
func TestReadsWhatTheDecoderReads(t *testing.T) {
	p := build(t, reflect.TypeFor[wide]())
	var took, good, bad int
	rapid.Check(t, func(t *rapid.T) {
		s := speller{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), rapid.SampledFrom([]int{0, 30, 200}).Draw(t, "mistakes")}
		for range 20 {
			text := s.space() + s.value(p.Type, 0) + s.space()
			if s.slip() {
				text = s.damage(text)
			}
			read, could := check(t, p, text)
			took += count(read)
			good += count(could)
			bad += count(!could)
		}
	})
	t.Log(took, good, bad)
	assert.NotZero(t, took)
	assert.NotZero(t, bad)
}

// TestStrangeValues puts every strange value into every field, alone and in what may hold it.
func TestStrangeValues(t *testing.T) {
	p := build(t, reflect.TypeFor[wide]())
	var took, bad int
	for i, f := range fieldsOf(p.Type) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		for j, text := range strange {
			holders := []string{"%", " %\n", "[%]", "[%,%]", `{"k":%}`, `{"k":[%]}`}
			if !effort.All() { // every value in every field, in one of them
				at := (i + j) % len(holders)
				holders = holders[at : at+1]
			}
			for _, around := range holders {
				read, could := check(t, p, `{"`+name+`":`+strings.ReplaceAll(around, "%", text)+`}`)
				took += count(read)
				bad += count(!could)
			}
		}
	}
	t.Log(took, bad)
	assert.NotZero(t, took)
	assert.NotZero(t, bad)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// typeGenerator generates types.
type typeGenerator struct{ speller }

func (a typeGenerator) typ(level int) reflect.Type {
	if level > 2 || a.chance(2) {
		fields := fieldsOf(reflect.TypeFor[wide]())
		return fields[a.IntN(len(fields))].Type
	}
	switch a.IntN(5) {
	case 0:
		return reflect.PointerTo(a.typ(level))
	case 1:
		return reflect.SliceOf(a.typ(level + 1))
	case 2:
		return reflect.ArrayOf(a.IntN(3), a.typ(level+1))
	case 3:
		return reflect.MapOf(pick(a.speller, reflect.TypeFor[string](), reflect.TypeFor[word]()), a.typ(level+1))
	default:
		return a.object(level)
	}
}

func (a typeGenerator) object(level int) reflect.Type {
	var fields []reflect.StructField
	for i := range 1 + a.IntN(pick(a.speller, 5, 5, 5, 80)) {
		name := "F" + strings.Repeat("x", i)
		fields = append(
			fields, reflect.StructField{Name: name, Type: a.typ(level + 1), Tag: reflect.StructTag(`json:"` + strings.ToLower(name) + `"`)},
		)
	}
	a.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return reflect.StructOf(fields)
}

// TestReadsTypesOfAllKinds does the same with types that are drawn.
func TestReadsTypesOfAllKinds(t *testing.T) {
	var took, good int
	rapid.Check(t, func(t *rapid.T) {
		s := speller{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), rapid.SampledFrom([]int{0, 30, 200}).Draw(t, "mistakes")}
		p := build(t, typeGenerator{s}.object(0))
		for range 10 {
			read, could := check(t, p, s.value(p.Type, 0))
			took += count(read)
			good += count(could)
		}
	})
	t.Log(took, good)
	assert.Greater(t, took, good/2)
}

// TestBounds: levels count from the root, and what does not fit into an array is looked at all the same.
func TestBounds(t *testing.T) {
	p := build(t, reflect.TypeFor[wide]())
	deep := func(levels int) string {
		return strings.Repeat(`{"next":`, levels) + "{}" + strings.Repeat("}", levels)
	}
	for _, tc := range []struct {
		name, raw string
		took      bool
	}{
		{"deep", deep(999), true},
		{"too deep", deep(1000), false},
		{"deep free JSON", `{"raw":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}`, true},
		{"too deep free JSON", `{"raw":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`, false},
		{"array too long with a duplicate", `{"nested":[[1,2],{"a":1,"a":1}]}`, false},
	} {
		took, _ := check(t, p, tc.raw)
		assert.Equal(t, tc.took, took, tc.name)
	}
}

// TestManyFields: a field that stands there twice is found in structs of any size.
func TestManyFields(t *testing.T) {
	for _, size := range []int{1, 63, 64, 65, 129, 256, 257} {
		var fields []reflect.StructField
		var members []string
		for i := range size {
			name := "F" + strings.Repeat("x", i)
			fields = append(
				fields, reflect.StructField{Name: name, Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`json:"` + name + `"`)},
			)
			members = append(members, `"`+name+`":1`)
		}
		p := build(t, reflect.StructOf(fields))
		took, good := check(t, p, "{"+strings.Join(members, ",")+"}")
		assert.True(t, good)
		assert.True(t, took)
		took, good = check(t, p, "{"+members[size-1]+"}")
		assert.True(t, good)
		assert.True(t, took)
		for _, twice := range members {
			took, good = check(t, p, "{"+strings.Join(members, ",")+","+twice+"}")
			assert.False(t, took || good)
		}
	}
}

// TestReadsItself: a configuration with an unmarshaler of its own is left to it.
func TestReadsItself(t *testing.T) {
	p := build(t, reflect.TypeFor[itself]())
	for _, text := range []string{`{"a":"b"}`, "{}", "null"} {
		took, _ := check(t, p, text)
		assert.True(t, took)
	}
}

// TestUnknownMembersAreKept: where a plan has a field for them, unknown members are its entries, as they stand.
func TestUnknownMembersAreKept(t *testing.T) {
	type holder struct {
		A    string            `json:"a"`
		Rest fieldplan.Unknown `json:"rest"`
	}
	p := build(t, reflect.TypeFor[holder]())
	got, err := rawjson.Decode(p, []byte(`{"b": [ 1.0,"\u0061"] ,"a":"x","rest":null}`))
	require.NoError(t, err)
	assert.Equal(
		t, &holder{A: "x", Rest: fieldplan.Unknown{"b": json.RawMessage(`[ 1.0,"\u0061"]`), "rest": json.RawMessage("null")}},
		got.Interface(),
	)
	_, err = rawjson.Decode(p, []byte(`{"b":1,"a":1,"\u0062":{"c":1,"c":2}}`))
	assert.Equal(t, []string{"wrong-json-type a", "duplicate-member b", "duplicate-member b"}, problems(err))
}

type itself struct {
	A string `json:"a"`
}

func (i *itself) UnmarshalJSON(raw []byte) error {
	i.A = string(bytes.ToUpper(raw))
	return nil
}

func FuzzRead(f *testing.F) {
	plans := []*fieldplan.Plan{
		build(f, reflect.TypeFor[wide]()), build(f, reflect.TypeFor[aws.WorkerConfig]()),
		build(f, reflect.TypeFor[openstack.ProviderSpec]()),
	}
	s := speller{rand.New(rand.NewPCG(1, 1)), 100}
	for i := range 60 {
		f.Add([]byte(s.damage(s.value(plans[i%3].Type, 0))), i%3)
	}
	for _, text := range strange {
		f.Add([]byte(`{"any":`+text+`,"raw":`+text+`,"text":`+text+`}`), 0)
	}
	f.Fuzz(func(t *testing.T, raw []byte, which int) {
		check(t, plans[uint(which)%3], string(raw)) //nolint:gosec // any of the three
	})
}
