package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestRawJSONHashesLikeItsValue: a configuration and its JSON have the same hash.
func TestRawJSONHashesLikeItsValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawJSONSubject(t)
		config := s.draw(t)
		raw := toJSON(t, config)
		require.Equal(t, s.document(t, config), s.document(t, s.decode(t, raw)), "%s", s.describe(config))
		require.Equal(t, s.hash(t, config), s.hashRaw(t, raw))
	})
}

// TestRawJSONDiffsLikeItsValue: two configurations differ as their JSON does.
func TestRawJSONDiffsLikeItsValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawJSONSubject(t)
		old, updated := s.drawPair(t)
		changes, err := hotupdate.DiffRaw(s.schema, toJSON(t, old), toJSON(t, updated))
		require.NoError(t, err)
		require.Equal(t, s.diff(t, old, updated), changes, "%s", s.describe(old, updated))
	})
}

// TestDocumentIsCanonical: a document is valid JSON, and writing it again with sorted members and without spaces gives the same bytes.
func TestDocumentIsCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSubject(t)
		document := s.document(t, s.draw(t))
		require.True(t, json.Valid([]byte(document)), "%s", document)
		require.Equal(t, document, rewritten(t, document))
	})
}

// rewritten reads JSON and writes it as encoding/json does, but for the escapes that it is overcautious with.
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
