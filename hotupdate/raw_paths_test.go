package hotupdate_test

import (
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// keep leaves every value as it is.
func keep(*rapid.T, any) any { return nil }

// TestRawDocumentSaysWhatTheDesignSays: raw JSON of any spelling has the canonical document that the oracle projects
// from its value, and nearly all raw JSON is written without one.
func TestRawDocumentSaysWhatTheDesignSays(t *testing.T) {
	var transcribed, drawn int
	checkJSON(t, func(t *rapid.T, s subject) {
		raw := respelledJSON(t, toJSON(t, s.draw(t)), keep)
		config, err := s.schema.Decode(raw)
		if err != nil {
			return // free JSON with a number that an interface would round
		}
		got, err := s.schema.DocumentRaw(raw)
		require.NoError(t, err, "%s\nraw %s", s.describe(), raw)
		value := s.decode(t, raw)
		require.Equal(t, canonical(hashView.document(s.root, value)), string(got), "%s\nraw %s", s.describe(), raw)
		sum, err := s.schema.HashRaw(raw)
		require.NoError(t, err)
		require.Equal(t, sha256.Sum256(got), [sha256.Size]byte(sum))
		want, err := s.schema.Document(config)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		if repetitionsIn(s.root, value) > 0 {
			return // read into a value, to order elements of one key
		}
		drawn++
		if s.schema.Transcribes(raw) {
			transcribed++
		}
	})
	t.Log(transcribed, drawn)
	assert.Greater(t, transcribed, drawn*9/10)
}

// TestRawDiffSaysWhatTheValuesSay: the changes between raw JSON are those between the values that it means.
func TestRawDiffSaysWhatTheValuesSay(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		a, b := s.drawPair(t)
		old := respelledJSON(t, toJSON(t, a), keep)
		updated := respelledJSON(t, toJSON(t, b), keep)
		before, err := s.schema.Decode(old)
		after, otherErr := s.schema.Decode(updated)
		if err != nil || otherErr != nil {
			return
		}
		want, err := s.schema.Diff(before, after)
		require.NoError(t, err)
		got, err := s.schema.DiffRaw(old, updated)
		require.NoError(t, err)
		require.Equal(t, want, got, "%s\nraw %s\nraw %s", s.describe(), old, updated)
	})
}

// TestDamagedJSONIsReadAlike: JSON with a few mistakes has the problems of its value, all of them, or the document of its value.
func TestDamagedJSONIsReadAlike(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) {
		raw := respelledJSON(t, toJSON(t, s.draw(t)), damage)
		got, err := s.schema.DocumentRaw(raw)
		config, readErr := s.schema.Decode(raw)
		if readErr != nil {
			if fault.All(readErr)[0].Code != "number-range" {
				require.Equal(t, problemsOf(readErr), problemsOf(err), "%s\nraw %s", s.describe(), raw)
			}
			return
		}
		want, writeErr := s.schema.Document(config)
		require.Equal(t, problemsOf(writeErr), problemsOf(err), "%s\nraw %s", s.describe(), raw)
		require.Equal(t, string(want), string(got), "%s\nraw %s", s.describe(), raw)
	})
}
