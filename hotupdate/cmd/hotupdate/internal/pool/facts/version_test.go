package facts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// TestCheckVersion: an apiVersion that no API server reads is a problem, and what another tool writes is none.
func TestCheckVersion(t *testing.T) {
	versionsOf := func(kind string) []string {
		return map[string][]string{"One": {"a.example/v1"}, "Two": {"a.example/v1", "b.example/v2"}}[kind]
	}
	for _, tc := range []struct{ object, want, reason string }{
		{`{"apiVersion":"a.example/v1","kind":"One"}`, "", "is read"},
		{`{"apiVersion":"b.example/v9","kind":"One"}`, "", "somebody else's kind"},
		{`{"apiVersion":1}`, "", "a file of Grafana"},
		{`{"apiVersion":1,"kind":"Other"}`, "", "not a kind that is read"},
		{`{"apiVersion":"v1.0 beta","kind":"Other"}`, "", ""},
		{`{"kind":"Other"}`, "", ""},
		{`{}`, "", ""},
		{`[]`, "", ""},
		{`{"apiVersion":"a/b/c"}`, "is malformed; write GROUP/VERSION, or only a VERSION", "of every kind"},
		{`{"apiVersion":"/v1","kind":"Other"}`, "is malformed; write GROUP/VERSION, or only a VERSION", ""},
		{`{"apiVersion":"a.example/","kind":"Other"}`, "is malformed; write GROUP/VERSION, or only a VERSION", ""},
		{`{"kind":"One"}`, "is missing; write a.example/v1", ""},
		{`{"apiVersion":null,"kind":"Two"}`, "is missing; write one of a.example/v1, b.example/v2", ""},
		{`{"apiVersion":1,"kind":"One"}`, "must be a text; write a.example/v1", ""},
		{`{"apiVersion":["a.example/v1"],"kind":"One"}`, "must be a text; write a.example/v1", ""},
		{`{"apiVersion":"","kind":"One"}`, "is malformed; write a.example/v1", ""},
		{`{"apiVersion":"v1","kind":"One"}`, "is malformed; write a.example/v1", "only the kinds of Kubernetes itself have no group"},
		{`{"apiVersion":"a.example/v1/x","kind":"One"}`, "is malformed; write a.example/v1", ""},
		{`{"apiVersion":"a.example:v1","kind":"One"}`, "is malformed; write a.example/v1", ""},
		{`{"apiVersion":"A.example/v1","kind":"One"}`, "is malformed; write a.example/v1", ""},
		{`{"apiVersion":"a.example/V1","kind":"One"}`, "is malformed; write a.example/v1", ""},
		{`{"apiVersion":" a.example/v1","kind":"One"}`, "is malformed; write a.example/v1", ""},
	} {
		err := facts.CheckVersion(tree.Of([]byte(tc.object)), versionsOf)
		if tc.want == "" {
			assert.NoError(t, err, "%s: %s", tc.object, tc.reason)
			continue
		}
		all := fault.All(err)
		require.Len(t, all, 1, tc.object)
		assert.Equal(t, "malformed-version", all[0].Code, tc.object)
		assert.Equal(t, "apiVersion", all[0].Path, tc.object)
		assert.Equal(t, tc.want, all[0].What+"; "+all[0].Hint, "%s: %s", tc.object, tc.reason)
	}
}
