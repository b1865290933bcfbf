package tree_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// TestDifferencesBySchema holds why manifests are compared by [tree.Differences], and not by the Schema of their kind: a Schema compares
// what configurations mean, and Gardener also decides by how a manifest is written.
func TestDifferencesBySchema(t *testing.T) {
	t.Parallel()
	schema := (*hotupdate.Schema)(kinds.Shoot.Schema())
	for name, test := range map[string]struct {
		around, old, updated string
		differs, bySchema    []string
		reason               string
	}{
		"an empty kubelet": {
			`{"spec":{"provider":{"workers":[{"name":"w","kubernetes":HERE}]}}}`, `{"kubelet":{}}`, `{}`,
			[]string{"spec.provider.workers"},
			nil,
			"a pool's own kubelet, also an empty one, replaces that of the Shoot",
		},
		"a respelled quantity": {
			`{"spec":{"kubernetes":{"kubelet":{"kubeReserved":{"cpu":HERE}}}}}`, `"1"`, `"1000m"`,
			[]string{"spec.kubernetes.kubelet.kubeReserved.cpu"},
			nil, "controllers hash the text",
		},
		"an empty time window": {
			`{"spec":{"maintenance":HERE}}`, `{"timeWindow":{}}`, `{}`,
			[]string{"spec.maintenance.timeWindow"},
			nil,
			"Gardener fills in a missing one only",
		},
		"a list without a key": {
			`{"spec":{"tolerations":HERE}}`, `[{"key":"a"}]`, `[{"key":"b","value":"c"}]`,
			[]string{"spec.tolerations"},
			[]string{"spec.tolerations[0].key", "spec.tolerations[0].value"},
			"another list is one change to who reads it",
		},
		"a meaning": {
			`{"spec":{"purpose":HERE}}`, `"testing"`, `"production"`,
			[]string{"spec.purpose"},
			[]string{"spec.purpose"},
			"both agree on most",
		},
	} {
		old := []byte(strings.Replace(test.around, "HERE", test.old, 1))
		updated := []byte(strings.Replace(test.around, "HERE", test.updated, 1))
		var differs, bySchema []string
		for _, d := range tree.Differences(tree.Of(old), tree.Of(updated)) {
			differs = append(differs, strings.Join(d.Path, "."))
		}
		changes, err := schema.DiffRaw(old, updated)
		require.NoError(t, err, name)
		for _, c := range changes {
			bySchema = append(bySchema, c.Path)
		}
		assert.Equal(t, test.differs, differs, "%s: %s", name, test.reason)
		assert.Equal(t, test.bySchema, bySchema, "%s: %s", name, test.reason)
	}
}
