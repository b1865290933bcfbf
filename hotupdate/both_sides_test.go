package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// badInput is raw JSON for the type everything that nothing accepts.
type badInput struct {
	name, raw string
	want      []problem
	reason    string
}

func badInputs() []badInput {
	const (
		wrong     = "wrong-json-type"
		unknown   = "unknown-member"
		duplicate = "duplicate-member"
		invalid   = "invalid-json"
		text      = "invalid-utf8"
	)
	at := func(code string, paths ...string) []problem {
		var all []problem
		for _, path := range paths {
			all = append(all, valueProblem(code, path))
		}
		return all
	}
	return []badInput{
		{"unknown member", `{"x":1}`, at(unknown, "x"), "strict"},
		{
			"unknown member below", `{"ints":{"x":1},"keyed":[{"id":1,"x":1}],"intMap":{"1":{"x":1}}}`,
			at(unknown, "ints.x", "keyed[0].x", "intMap[1].x"), "at every level",
		},
		{"unknown null", `{"x":null}`, at(unknown, "x"), "null is a member, too"},
		{"another case", `{"Bool":true,"INTS":{}}`, at(unknown, "Bool", "INTS"), "names are case-sensitive"},
		{"embedded by its name", `{"embeddedPart":{}}`, at(unknown, "embeddedPart"), "its fields are promoted"},
		{"name of a Go field", `{"MetaTime":"2024-01-01T12:30:00Z"}`, at(unknown, "MetaTime"), "JSON names count"},
		{"duplicate member", `{"bool":true,"bool":true}`, at(duplicate, "bool"), "also with one value"},
		{"duplicate in another spelling", `{"bool":true,"b\u006fol":false}`, at(duplicate, "bool"), "escapes make no difference"},
		{"duplicate TypeMeta", `{"kind":"a","kind":"a"}`, at(duplicate, "kind"), "also what is not hashed"},
		{"duplicate map key", `{"intMap":{"1":{},"1":{}}}`, at(duplicate, "intMap[1]"), "a map has it once"},
		{"map keys of one meaning", `{"intMap":{"1":{},"01":{}}}`, at("duplicate-map-key", "intMap[01]"), "the decoder would drop one"},
		{"duplicate in free JSON", `{"raw":{"a":1,"a":1}}`, at(duplicate, "raw"), "also where no field is"},
		{"bool as text", `{"bool":"true"}`, at(wrong, "bool"), "no conversion"},
		{"bool as number", `{"bool":1}`, at(wrong, "bool"), "no conversion"},
		{"number as text", `{"ints":{"a":"1"}}`, at(wrong, "ints.a"), "no conversion"},
		{"quoted number as number", `{"ints":{"d":4}}`, at(wrong, "ints.d"), "it is spelled as a text"},
		{"quoted number with something else", `{"ints":{"d":"x"}}`, at(wrong, "ints.d"), "the text holds a number"},
		{
			"too large", `{"ints":{"a":128,"b":32768,"c":2147483648,"e":256,"f":65536,"g":4294967296,"h":18446744073709551616}}`,
			at(wrong, "ints.a", "ints.b", "ints.c", "ints.e", "ints.f", "ints.g", "ints.h"), "each width has its bounds",
		},
		{
			"too small", `{"ints":{"a":-129,"b":-32769,"c":-2147483649,"e":-1,"f":-1,"g":-1,"h":-1}}`,
			at(wrong, "ints.a", "ints.b", "ints.c", "ints.e", "ints.f", "ints.g", "ints.h"), "each width has its bounds",
		},
		{"fraction", `{"ints":{"a":1.5,"b":1.0,"c":1e2}}`, at(wrong, "ints.a", "ints.b", "ints.c"), "integers are spelled as such"},
		{"float out of range", `{"float":1e39}`, at(wrong, "float"), "32 bits wide"},
		{"list key out of range", `{"keyed":[{"id":65536}]}`, at(wrong, "keyed[0].id"), "16 bits wide"},
		{"map key out of range", `{"intMap":{"32768":{}}}`, at(wrong, "intMap[32768]"), "16 bits wide"},
		{"map key that is no integer", `{"intMap":{"a":{}}}`, at(wrong, "intMap[a]"), "keys are integers"},
		{"object as list", `{"ints":[]}`, at(wrong, "ints"), "shape"},
		{"list as object", `{"set":{},"positional":{},"array":{}}`, at(wrong, "set", "positional", "array"), "shape"},
		{"map as list", `{"intMap":[]}`, at(wrong, "intMap"), "shape"},
		{
			"elements of another type", `{"set":[1],"positional":[1],"array":["a"],"intMap":{"1":1}}`,
			at(wrong, "set[0]", "positional[0]", "array[0]", "intMap[1]"), "at the element",
		},
		{"no base64", `{"bytes":"?"}`, at(wrong, "bytes"), "bytes are base64"},
		{"no quantity", `{"quantity":"1Zi"}`, at(wrong, "quantity"), "an unknown suffix"},
		{"no time", `{"time":"noon","metaTime":"2024-01-01","microTime":1}`, at(wrong, "time", "metaTime", "microTime"), "RFC 3339"},
		{"no duration", `{"duration":"1"}`, at(wrong, "duration"), "a unit is missing"},
		{"neither integer nor text", `{"port":1.5}`, at(wrong, "port"), "an IntOrString"},
		{"no number", `{"number":"x"}`, at(wrong, "number"), "json.Number"},
		{"root of another type", `[]`, at(wrong, ""), "a configuration is an object"},
		{"root is a text", `"hunter2"`, at(wrong, ""), "a configuration is an object"},
		{"cut short", `{"bool":true`, at(invalid, ""), "no JSON"},
		{"trailing data", `{}{}`, at(invalid, ""), "one value"},
		{"trailing comma", `{"bool":true,}`, at(invalid, ""), "no JSON"},
		{"comment", `{} // hunter2`, at(invalid, ""), "no JSON"},
		{"YAML", `bool: true`, at(invalid, ""), "no JSON"},
		{"NaN", `{"float":NaN}`, at(invalid, ""), "no JSON"},
		{"leading zero", `{"ints":{"a":01}}`, at(invalid, ""), "no JSON"},
		{"byte-order mark", "\ufeff{}", at(invalid, ""), "no JSON"},
		{"invalid UTF-8", "{\"-\":\"\xff\"}", at(text, "-"), "would be repaired silently"},
		{"lone surrogate", `{"-":"\ud800"}`, at(text, "-"), "would be repaired silently"},
		{"huge exponent", `{"raw":1e1000}`, at("number-range", "raw"), "beyond the bound"},
		{"too deep", `{"raw":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`, at("too-deep", ""), "beyond the bound"},
	}
}

// TestBadInputFailsOnBothSides: the Schema of a Go type and its export refuse the same input with the same codes and
// paths, in every function that reads raw JSON. Only a Schema that admits unknown members accepts those.
func TestBadInputFailsOnBothSides(t *testing.T) {
	typed := everythingSchema(t)
	loaded, err := hotupdate.LoadSchema(export(t, typed))
	require.NoError(t, err)
	for _, tc := range badInputs() {
		t.Run(tc.name, func(t *testing.T) {
			for side, s := range map[string]*hotupdate.Schema{"Go type": typed, "loaded": loaded, "open": openSchema(t, typed)} {
				if side == "open" && tc.want[0].Code == "unknown-member" {
					continue
				}
				for reader, read := range rawReaders(s, []byte(tc.raw)) {
					checkProblems(t, tc.want, read(), side+", "+reader+": "+tc.reason)
				}
			}
		})
	}
}

// rawReaders are the functions that decode raw JSON.
func rawReaders(s *hotupdate.Schema, raw []byte) map[string]func() error {
	return map[string]func() error{
		"HashRaw":     func() error { _, err := s.HashRaw(raw); return err },
		"DocumentRaw": func() error { _, err := s.DocumentRaw(raw); return err },
		"DiffRaw, old": func() error {
			_, err := s.DiffRaw(raw, []byte(`{}`))
			return err
		},
		"DiffRaw, new": func() error {
			_, err := s.DiffRaw(nil, raw)
			return err
		},
	}
}

// marshaler finds types that marshal themselves: only their own decoder knows what to refuse.
var marshaler = regexp.MustCompile(`"kind":"opaque"`)

// TestDamagedJSONFailsOnBothSides: both sides refuse JSON with a few mistakes, or read it alike.
func TestDamagedJSONFailsOnBothSides(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		exported, err := s.schema.MarshalJSON()
		require.NoError(t, err)
		if unloadable.Match(exported) || marshaler.Match(exported) {
			return
		}
		loaded, err := hotupdate.LoadSchema(exported)
		require.NoError(t, err)
		raw := respelledJSON(t, toJSON(t, s.draw(t)), damage)
		want, errTyped := s.schema.DocumentRaw(raw)
		got, errLoaded := loaded.DocumentRaw(raw)
		require.Equal(t, problemsOf(errTyped), problemsOf(errLoaded), "%s\nraw %s\n%v\n%v", s.describe(), raw, errTyped, errLoaded)
		require.Equal(t, string(want), string(got), "%s\nraw %s", s.describe(), raw)
	})
}

// TestSpellingDoesNotCount: order, white space and escapes of raw JSON change neither hash nor changes, with the Go type and without it.
func TestSpellingDoesNotCount(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		exported, err := s.schema.MarshalJSON()
		require.NoError(t, err)
		schemas := []*hotupdate.Schema{s.schema}
		if marshaler.Match(exported) {
			return // a type's own decoder may depend on the spelling
		}
		if loaded, err := hotupdate.LoadSchema(exported); err == nil {
			schemas = append(schemas, loaded)
		}
		raw := toJSON(t, s.draw(t))
		again := respelledJSON(t, raw, func(*rapid.T, any) any { return nil })
		for _, schema := range schemas {
			one := subject{s.root, schema}.hashRaw(t, raw)
			other := subject{s.root, schema}.hashRaw(t, again)
			require.Equal(t, one, other, "%s\nraw %s\nraw %s", s.describe(), raw, again)
			require.Empty(t, subject{s.root, schema}.diffRaw(t, raw, again), "%s\nraw %s\nraw %s", s.describe(), raw, again)
		}
	})
}

// damage draws a wrong value for a value, or nil to leave it.
func damage(t *rapid.T, value any) any {
	if !chance(t, 10) {
		return nil
	}
	if object, ok := value.(map[string]any); ok && len(object) > 0 && chance(t, 2) {
		return without(object, among(t, slices.Sorted(maps.Keys(object))...))
	}
	return among[any](
		t, "x", "", true, json.Number("1"), json.Number("-1"), json.Number("1.5"), json.Number("1e30"), json.RawMessage("null"),
		map[string]any{}, map[string]any{"x": nil}, []any{}, []any{nil, nil, nil}, []any{value},
	)
}

// without returns a copy of an object that lacks a member.
func without(object map[string]any, name string) map[string]any {
	left := maps.Clone(object)
	delete(left, name)
	return left
}

// respelledJSON writes JSON with its members in another order, with white space and escapes, and with some values replaced.
func respelledJSON(t *rapid.T, raw []byte, replace func(t *rapid.T, value any) any) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree any
	require.NoError(t, decoder.Decode(&tree))
	return spell(t, nil, tree, replace)
}

func spell(t *rapid.T, out []byte, value any, replace func(t *rapid.T, value any) any) []byte {
	if other := replace(t, value); other != nil {
		value = other
	}
	out = append(out, among(t, "", "", " ", "\n\t")...)
	switch v := value.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		if chance(t, 2) {
			slices.Reverse(names)
		}
		out = append(out, '{')
		for i, name := range names {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(out, spellText(t, name)...), among(t, ":", " : ")...)
			out = spell(t, out, v[name], replace)
		}
		out = append(out, '}')
	case []any:
		out = append(out, '[')
		for i, e := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = spell(t, out, e, replace)
		}
		out = append(out, ']')
	case string:
		out = append(out, spellText(t, v)...)
	default:
		written, err := json.Marshal(v)
		require.NoError(t, err)
		out = append(out, written...)
	}
	return append(out, among(t, "", "\r\n")...)
}

// spellText writes a text with or without a needless escape. The decoders of quantities and times do not read escapes,
// so texts of these forms are not changed.
func spellText(t *rapid.T, text string) []byte {
	written, err := json.Marshal(text)
	require.NoError(t, err)
	startsWithLetter := text != "" && text[0] >= 'a' && text[0] <= 'z'
	if !startsWithLetter || !chance(t, 3) {
		return written
	}
	return append(fmt.Appendf(nil, `"\u%04x`, text[0]), written[2:]...)
}

// TestSchemaNamesEveryLeaf: the JSON of a Schema has the kind and width of each leaf, and whether zero is present;
// types with marshalers of their own are opaque.
func TestSchemaNamesEveryLeaf(t *testing.T) {
	type config struct {
		Everything everything              `json:"everything"`
		Pointer    *uint64                 `json:"pointer"`
		Twice      **float64               `json:"twice"`
		List       []*bool                 `json:"list"`
		Bigs       map[int8]*big.Int       `json:"bigs"`
		Addresses  map[netip.Addr][]string `json:"addresses"`
		Free       map[string]any          `json:"free"`
	}
	type node struct {
		Kind, Keys                     string
		Bits, KeyBits                  int
		ElemNullable                   bool
		Elem                           *node
		Fields                         []json.RawMessage
		Name                           string
		Nullable                       bool
		Type                           *node
		Length                         int
		FormatVersion                  int
		Fingerprint                    string
		Root                           *node
		Class, Zero, Sensitive, Source string
	}
	var document node
	require.NoError(t, json.Unmarshal(export(t, schemaFor[config](t)), &document))
	got := map[string]string{}
	var describe func(n *node) string
	describe = func(n *node) string {
		text := n.Kind
		if n.Bits > 0 {
			text += fmt.Sprint(" ", n.Bits)
		}
		if n.Keys != "" {
			text += fmt.Sprintf(" by %s %d", n.Keys, n.KeyBits)
		}
		if n.Elem != nil {
			text += " of " + describe(n.Elem)
		}
		if n.ElemNullable {
			text += "?"
		}
		return text
	}
	var visit func(prefix string, n *node)
	visit = func(prefix string, n *node) {
		for _, raw := range n.Fields {
			var f node
			require.NoError(t, json.Unmarshal(raw, &f))
			text := describe(f.Type)
			if f.Nullable {
				text += "?"
			}
			if f.Zero != "" {
				text += " zero " + f.Zero
			}
			got[prefix+f.Name] = text
			visit(prefix+f.Name+".", f.Type)
		}
	}
	visit("", document.Root)
	for path, want := range map[string]string{
		"pointer": "uint 64?", "twice": "float 64?", "list": "list of bool?", "bigs": "map by int 8 of opaque?",
		"addresses": "map by string 0 of list of string", "free": "map by string 0 of json",
		"everything": "object", "everything.bool": "bool", "everything.ints.a": "int 8", "everything.ints.b": "int 16",
		"everything.ints.c": "int 32?", "everything.ints.d": "int 64",
		"everything.ints.e": "uint 8", "everything.ints.f": "uint 16", "everything.ints.g": "uint 32", "everything.ints.h": "uint 64",
		"everything.float":  "float 32",
		"everything.number": "number", "everything.bytes": "bytes", "everything.quantity": "quantity?", "everything.port": "intOrString",
		"everything.time": "time", "everything.metaTime": "metaTime?",
		"everything.microTime": "microTime", "everything.duration": "duration", "everything.extension": "json", "everything.raw": "json",
		"everything.any": "json",
		"everything.big": "opaque zero 0", "everything.addr": "opaque?", "everything.-": "string", "everything.presence": "object?",
		"everything.set":   "list of string",
		"everything.array": "array of int 64?", "everything.intMap": "map by int 16 of object",
	} {
		assert.Equal(t, want, got[path], path)
	}
}
