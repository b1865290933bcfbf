package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// checkStrip checks what holds of any bytes. What exactly goes is held by the table, and by documents that are drawn
// with hot members inserted.
func checkStrip(t require.TestingT, s *hotupdate.Schema, raw []byte, nulls nullMembers) {
	before := bytes.Clone(raw)
	got, err := nulls.strip(s, raw)
	require.Equal(t, before, bytes.Clone(raw), "raw is not written to")
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		require.NoError(t, err)
		require.Equal(t, raw, got)
		return
	case !json.Valid(raw) || cutDepth(raw) > 1000:
		require.Nil(t, got)
		requireStripError(t, err)
		return
	}
	require.NoError(t, err, "%q", raw)
	require.True(t, json.Valid(got), "%q", got)

	require.True(t, len(got) < len(raw) || bytes.Equal(raw, got), "%q: nothing is added", raw)
	again, err := nulls.strip(s, got)
	require.NoError(t, err)
	require.Equal(t, string(got), string(again), "idempotent")
	requireSameMeaning(t, s, raw, got)
}

func requireStripError(t require.TestingT, err error) {
	problems := fault.All(err)
	require.Len(t, problems, 1)
	require.Contains(t, []string{"invalid-json", "too-deep"}, problems[0].Code)
	require.Contains(t, err.Error(), "byte offset ")
}

// requireSameMeaning checks that StripRaw removed nothing of the canonical document: the hash of a valid configuration must not change.
func requireSameMeaning(t require.TestingT, s *hotupdate.Schema, raw, cut []byte) {
	want, err := s.DocumentRaw(raw)
	if err != nil {
		return
	}
	got, err := s.DocumentRaw(cut)
	require.NoError(t, err, "%q", cut)
	require.Equal(t, string(want), string(got), "%q", raw)
}

// cutDepth counts brackets, outside of strings.
func cutDepth(raw []byte) int {
	deepest := 0
	now := 0
	inside := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case !inside && (c == '{' || c == '['):
			now++
			deepest = max(deepest, now)
		case !inside && (c == '}' || c == ']'):
			now--
		}
	}
	return deepest
}

func FuzzStripRaw(f *testing.F) {
	for _, tc := range stripCases {
		f.Add([]byte(tc.raw), uint8(tc.nulls))
	}
	for _, seed := range []string{
		"", " ", "null", "[]", "1", `"`, "{", `{"tags"`, `{"tags":}`, "\ufeff{}", `{"\ud800":1,"ta\ud800gs":1}`, "{\"\xff\":\"\xff\"}",
		`{"a":01}`,
		`{"policy":{"rules":{"a":{"soft":true,"list":[{"id":"x","note":1}],"rules":{"b":{"soft":true}}}}}}`,
		`{"machineLabels":[{"name":"a","extra":{"text":"x"},"triggerRollingOnUpdate":null},{"triggerRollingOnUpdate":"false"}]}`,
		`{"taints":{"a":{"effect":"so\"ft","effect":"hard"},"b":{"effect":"so\u0022ft","zone":"z","value":1},"c":null,"d":[]}}`,
		strings.Repeat(`{"policy":`, 1001), strings.Repeat("[", 1001) + strings.Repeat("]", 1001),
	} {
		f.Add([]byte(seed), uint8(stripNulls))
		f.Add([]byte(seed), uint8(keepNulls))
	}
	s := cutSchema(f)
	f.Fuzz(func(t *testing.T, raw []byte, nulls uint8) {
		checkStrip(t, s, raw, nullMembers(nulls%2))
	})
}
