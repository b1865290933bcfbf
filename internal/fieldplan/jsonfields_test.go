package fieldplan_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/fieldplan/testdata/shapes"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// TestFieldsAreThoseOfEncodingJSON compares the plan of each hand-written shape with what encoding/json writes.
func TestFieldsAreThoseOfEncodingJSON(t *testing.T) {
	for _, shape := range shapes.All() {
		t.Run(reflect.TypeOf(shape).Elem().Name(), func(t *testing.T) { checkFields(t, reflect.ValueOf(shape).Elem()) })
	}
}

// TestFieldsOfGeneratedTypesAreThoseOfEncodingJSON does the same for types with random embeddings and conflicts.
func TestFieldsOfGeneratedTypesAreThoseOfEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pool []reflect.Type
		for range rapid.IntRange(1, 6).Draw(t, "types") {
			pool = append(pool, drawStruct(t, pool))
		}
		checkFields(t, reflect.New(pool[len(pool)-1]).Elem())
	})
}

// drawStruct draws a struct of texts with a few names, which embeds structs from the pool, each as often as it likes.
func drawStruct(t *rapid.T, pool []reflect.Type) reflect.Type {
	var fields []reflect.StructField
	for i := range rapid.IntRange(1, 4).Draw(t, "fields") {
		f := reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[string]()}
		name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "name")
		f.Tag = reflect.StructTag(fmt.Sprintf(`json:"%s"`, name))
		if len(pool) > 0 && rapid.Bool().Draw(t, "embeds") {
			f.Type = rapid.SampledFrom(pool).Draw(t, "embedded")
			f.Anonymous = true
			if rapid.Bool().Draw(t, "by pointer") {
				f.Type = reflect.PointerTo(f.Type)
			}
			f.Tag = rapid.SampledFrom([]reflect.StructTag{"", "", `json:",inline"`, f.Tag}).Draw(t, "tag")
		}
		fields = append(fields, f)
	}
	return reflect.StructOf(fields)
}

type failer interface {
	require.TestingT
	Helper()
}

// checkFields fills v, writes it as JSON, and checks that its plan has the members of that JSON and finds their values.
// A type is refused exactly if two fields of one struct have a JSON name, and JSON has neither of them.
func checkFields(t failer, v reflect.Value) {
	t.Helper()
	plan, err := fieldplan.Compile(v.Type(), nil, rawjson.ReadPart)
	populate(v, new(int), 8)
	written := members(t, v)
	refused := map[string]bool{}
	for _, problem := range fault.All(err) {
		require.Equal(t, "duplicate-json-name", problem.Code)
		refused[problem.Field[strings.LastIndex(problem.Field, ".")+1:]] = true
	}
	lost := map[string]bool{}
	findLost(v.Type(), written, map[reflect.Type]bool{}, lost)
	require.Equal(t, lost, refused, "%v", v.Type())
	if err != nil {
		return
	}
	found := map[string]string{}
	for _, f := range slices.Concat(plan.Root.Fields, plan.Meta) {
		found[f.Name] = memberText(t, v, f)
	}
	assert.Equal(t, written, found)
	assert.Len(t, slices.Concat(plan.Root.Fields, plan.Meta), len(written), "each name once")
	assert.True(t, slices.IsSortedFunc(plan.Root.Fields, func(a, b *fieldplan.Field) int {
		return slices.Compare([]byte(a.Name), []byte(b.Name))
	}), "in the order of the names' bytes")
}

// findLost adds the Go names of fields that share a JSON name within their struct, if that name is not written.
func findLost(t reflect.Type, written map[string]string, seen map[reflect.Type]bool, lost map[string]bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	byName := map[string][]string{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			findLost(f.Type, written, seen, lost)
			continue
		case name == "-":
			continue
		}
		byName[name] = append(byName[name], f.Name)
		var below map[string]json.RawMessage
		if text, isWritten := written[name]; isWritten && json.Unmarshal([]byte(text), &below) == nil && below != nil {
			findLost(f.Type, textsOf(below), map[reflect.Type]bool{}, lost)
		}
	}
	for name, fields := range byName {
		if _, isWritten := written[name]; isWritten || len(fields) == 1 {
			continue
		}
		for _, field := range fields {
			lost[field] = true
		}
	}
}

func members(t failer, v reflect.Value) map[string]string {
	t.Helper()
	written, err := json.Marshal(v.Interface())
	require.NoError(t, err)
	var raw map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(written, &raw))
	return textsOf(raw)
}

func textsOf(raw map[string]json.RawMessage) map[string]string {
	texts := map[string]string{}
	for name := range maps.Keys(raw) {
		texts[name] = string(raw[name])
	}
	return texts
}

// memberText is what encoding/json writes for the value at the field's index path.
func memberText(t failer, v reflect.Value, f *fieldplan.Field) string {
	t.Helper()
	at := v.FieldByIndex(f.Index)
	if !at.CanInterface() { // an unexported embedded struct, whose fields are exported
		return nestedText(t, at)
	}
	text, err := json.Marshal(at.Interface())
	require.NoError(t, err)
	if f.Quoted && quotes(at) {
		text, err = json.Marshal(string(text))
		require.NoError(t, err)
	}
	return string(text)
}

// quotes reports whether encoding/json obeys the option string for a value.
func quotes(v reflect.Value) bool {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v.Kind() <= reflect.Float64 || v.Kind() == reflect.String
}

func nestedText(t failer, v reflect.Value) string {
	t.Helper()
	exported := reflect.New(reflect.TypeFor[shapes.Common]()).Elem()
	for i := range exported.NumField() {
		exported.Field(i).Set(v.FieldByName(exported.Type().Field(i).Name))
	}
	text, err := json.Marshal(exported.Interface())
	require.NoError(t, err)
	return string(text)
}

// populate sets everything in v that can be set, each leaf to another value.
func populate(v reflect.Value, count *int, depth int) {
	*count++
	switch v.Kind() {
	case reflect.Pointer:
		if depth > 0 && v.CanSet() {
			v.Set(reflect.New(v.Type().Elem()))
			populate(v.Elem(), count, depth-1)
		}
	case reflect.Struct:
		populateStruct(v, count, depth)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("1")) // also valid as raw JSON
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		populate(v.Index(0), count, depth)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *count))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(*count) + 0.5)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*count))
	case reflect.Uint8:
		v.SetUint(uint64(*count))
	default:
	}
}

func populateStruct(v reflect.Value, count *int, depth int) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(int64(*count), 0).UTC()))
		return
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
			populate(v.Field(i), count, depth)
		}
	}
}
