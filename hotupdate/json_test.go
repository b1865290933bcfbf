package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestRawJSONHashesLikeItsValue: a configuration and its JSON have the same hash.
func TestRawJSONHashesLikeItsValue(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		config := s.draw(t)
		raw := toJSON(t, config)
		require.Equal(t, s.document(t, config), s.document(t, s.decode(t, raw)), "%s", s.describe(config))
		require.Equal(t, s.hash(t, config), s.hashRaw(t, raw))
	})
}

// TestRawJSONDiffsLikeItsValue: two configurations differ as their JSON does.
func TestRawJSONDiffsLikeItsValue(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		old, updated := s.drawPair(t)
		changes, err := s.schema.DiffRaw(toJSON(t, old), toJSON(t, updated))
		require.NoError(t, err)
		require.Equal(t, s.diff(t, old, updated), changes, "%s", s.describe(old, updated))
	})
}

// TestRawJSONIsReadStrictly: an unknown member, and one that occurs twice, is an error.
func TestRawJSONIsReadStrictly(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		raw := bytes.TrimSuffix(toJSON(t, s.draw(t)), []byte("}"))
		if len(raw) == 1 {
			return
		}
		name, _, _ := strings.Cut(string(raw[1:]), ":")
		for _, member := range []string{`"unknown":null`, strings.ToUpper(name) + ":null", name + ":null"} {
			sum, err := s.schema.HashRaw(append(append(bytes.Clone(raw), ","+member...), '}'))
			require.Error(t, err, "%s, then %s", raw, member)
			require.Zero(t, sum)
		}
	})
}

// unloadable finds types that contain themselves, and arrays of types that marshal themselves.
var unloadable = regexp.MustCompile(`"kind":"ref"|"kind":"array"(,"length":[0-9]+)?,"elem":\{"kind":"opaque"\}\}`)

// TestLoadedSchemaAgreesWithItsType: a Schema that was exported and loaded gives raw JSON the document and the changes that the Schema of
// the Go type gives it.
func TestLoadedSchemaAgreesWithItsType(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		exported, err := s.schema.MarshalJSON()
		require.NoError(t, err)
		loaded, err := hotupdate.LoadSchema(exported)
		if unloadable.Match(exported) {
			require.Error(t, err, "the value of what is not there is not known")
			return
		}
		require.NoError(t, err, "%s", s.describe())
		again, err := loaded.MarshalJSON()
		require.NoError(t, err)
		require.JSONEq(t, string(exported), string(again))

		old, updated := s.drawPair(t)
		want, err := s.schema.DocumentRaw(toJSON(t, updated))
		require.NoError(t, err)
		got, err := loaded.DocumentRaw(toJSON(t, updated))
		require.NoError(t, err, "%s", s.describe(updated))
		require.Equal(t, string(want), string(got), "%s", s.describe(updated))

		wantChanges, err := s.schema.DiffRaw(toJSON(t, old), toJSON(t, updated))
		require.NoError(t, err)
		changes, err := loaded.DiffRaw(toJSON(t, old), toJSON(t, updated))
		require.NoError(t, err)
		require.Equal(t, wantChanges, changes, "%s", s.describe(old, updated))
	})
}

// TestDocumentIsCanonical: a document is valid JSON, and writing it again with sorted members and without spaces gives the same bytes.
func TestDocumentIsCanonical(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		document := s.document(t, s.draw(t))
		require.True(t, json.Valid([]byte(document)), "%s", document)
		require.Equal(t, document, rewritten(t, document))
	})
}

// TestDocumentOrdersElements: elements of a set stand in the order of their bytes, each once; those of a keyed list in the order of their
// keys, strings by their bytes and integers by value.
func TestDocumentOrdersElements(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		requireOrder(t, s.root, []byte(s.document(t, s.draw(t))))
	})
}

// requireOrder checks the lists of a value in a document, which has no white space.
func requireOrder(t require.TestingT, p modelNode, raw json.RawMessage) {
	switch p.shape() {
	case objectShape, mapShape:
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &members))
		for name, member := range members {
			at := p.elem
			if p.shape() == objectShape {
				at = func() modelNode { return p.member(name) }
			}
			requireOrder(t, at(), member)
		}
	case listShape, arrayShape:
		var elements []json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &elements))
		for i, element := range elements {
			requireOrder(t, p.elem(), element)
			switch {
			case i == 0:
			case p.set:
				require.Negative(t, bytes.Compare(elements[i-1], element), "%s", raw)
			case p.key != "":
				require.LessOrEqual(t, compareListKeys(t, p.key, elements[i-1], element), 0, "%s", raw)
			}
		}
	case leafShape:
	}
}

func compareListKeys(t require.TestingT, name string, a, b json.RawMessage) int {
	keys := [2]any{}
	for i, element := range []json.RawMessage{a, b} {
		decoder := json.NewDecoder(bytes.NewReader(element))
		decoder.UseNumber()
		var members map[string]any
		require.NoError(t, decoder.Decode(&members))
		keys[i] = members[name]
	}
	if keys[0] == nil || keys[1] == nil {
		return boolToInt(keys[0] != nil) - boolToInt(keys[1] != nil)
	}
	if text, ok := keys[0].(string); ok {
		return strings.Compare(text, keys[1].(string))
	}
	var values [2]big.Int
	for i, key := range keys {
		require.NoError(t, values[i].UnmarshalText([]byte(key.(json.Number))))
	}
	return values[0].Cmp(&values[1])
}

// rewritten reads JSON and writes it like encoding/json, but without its needless escapes.
func rewritten(t require.TestingT, document string) string {
	decoder := json.NewDecoder(strings.NewReader(document))
	decoder.UseNumber()
	var decoded any
	require.NoError(t, decoder.Decode(&decoded))
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(decoded))
	return strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSuffix(out.String(), "\n"))
}
