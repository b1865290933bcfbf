package poollabels_test

import (
	"maps"
	"os"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/examples/poollabels"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

func TestMain(m *testing.M) { os.Exit(fixedseed.Run(m)) }

func pool(labels map[string]string) *gardener.WorkerPool {
	return &gardener.WorkerPool{Name: "pool", NodeAgentSecretName: new("gardener-node-agent-pool-1"), Labels: labels}
}

// TestHotPrefix: a label with the hot prefix keeps the name of the MachineClass, and every other label changes it.
func TestHotPrefix(t *testing.T) {
	labels := map[string]string{"zone": "a", "billing/centre": "7", "billing/plan": "dedicated"}
	for _, tc := range []struct {
		name, label string
		want        hotupdate.Outcome
		hot         map[string]string
	}{
		{"a cost centre is renamed", "billing/centre", hotupdate.OutcomeHotUpdate, map[string]string{"billing/centre": "new"}},
		{
			"a label of billing is added", "billing/team", hotupdate.OutcomeHotUpdate,
			map[string]string{"billing/centre": "7", "billing/team": "new"},
		},
		{"the plan decides about hosts", "billing/plan", hotupdate.OutcomeRoll, map[string]string{"billing/centre": "7"}},
		{"a label for the placement", "zone", hotupdate.OutcomeRoll, map[string]string{"billing/centre": "7"}},
	} {
		changed := maps.Clone(labels)
		changed[tc.label] = "new"
		before, err := poollabels.PoolHash(pool(labels))
		require.NoError(t, err)
		after, err := poollabels.PoolHash(pool(changed))
		require.NoError(t, err)
		assert.Equal(t, tc.want == hotupdate.OutcomeRoll, before.Text != after.Text, tc.name)
		causes, err := poollabels.Causes(pool(labels), pool(changed))
		require.NoError(t, err)
		assert.Equal(t, tc.want, causes.Outcome(hotupdate.AutoRollingUpdate), tc.name)
		assert.Equal(t, "labels["+tc.label+"]", causes[0].Path, tc.name)
		hot, err := poollabels.HotLabels(pool(changed))
		require.NoError(t, err)
		assert.Equal(t, tc.hot, hot, tc.name)
	}
}

// TestPoolsWithHotLabelsOnly: a pool with labels of billing only is named like a pool without labels.
func TestPoolsWithHotLabelsOnly(t *testing.T) {
	none, err := poollabels.PoolHash(pool(nil))
	require.NoError(t, err)
	hot, err := poollabels.PoolHash(pool(map[string]string{"billing/centre": "7"}))
	require.NoError(t, err)
	assert.Equal(t, none, hot)
}

// TestGardenerHashesNoLabels: what Gardener itself hashes of a pool has neither labels nor annotations, so only additional data can.
func TestGardenerHashesNoLabels(t *testing.T) {
	for _, name := range []string{"Labels", "Annotations"} {
		_, found := reflect.TypeFor[hash.Worker]().FieldByName(name)
		assert.False(t, found, name)
	}
}

func TestStructTags(t *testing.T) { hotupdatetest.Check[poollabels.Placement](t) }
