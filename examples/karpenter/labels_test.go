package karpenter_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/karpenter"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// TestIssue3207 is the story of Karpenter's issue 3207: the operator renames a tenant, which is one label of the
// template. Karpenter hashes the labels as a whole, so every node of the pool drifts and is replaced. With the label
// named as hot, the nodes stay, and the cause is this label. A label that a scheduler reads still replaces them.
func TestIssue3207(t *testing.T) {
	hotLabels := []string{"example.com/tenant", "billing.example.com/*"}
	for _, tc := range []struct {
		name              string
		change            func(labels map[string]string)
		karpenter, schema bool
		cause             string
	}{
		{
			"the tenant is renamed", func(l map[string]string) { l["example.com/tenant"] = "blue" }, drifts, stays,
			"metadata.labels[example.com/tenant]",
		},
		{
			"the tenant is removed", func(l map[string]string) { delete(l, "example.com/tenant") }, drifts, stays,
			"metadata.labels[example.com/tenant]",
		},
		{
			"a label for billing is added", func(l map[string]string) { l["billing.example.com/centre"] = "7" }, drifts, stays,
			"metadata.labels[billing.example.com/centre]",
		},
		{
			"a label for the scheduler changes", func(l map[string]string) { l["example.com/gpu"] = "false" }, drifts, drifts,
			"metadata.labels[example.com/gpu]",
		},
		{"nothing changes", func(map[string]string) {}, stays, stays, ""},
	} {
		launch := func(f *fleet) (karpenter.Launch, hash.Digest) {
			l, err := karpenter.FromNodePool(f.pool, hotLabels...)
			require.NoError(t, err)
			digest, err := l.Hash()
			require.NoError(t, err)
			return l, digest
		}
		before := newFleet()
		after := newFleet()
		for _, f := range []*fleet{before, after} {
			f.template.Labels = map[string]string{"example.com/tenant": "red", "example.com/gpu": "true"}
		}
		tc.change(after.template.Labels)
		assert.Equal(t, tc.karpenter, before.pool.Hash() != after.pool.Hash(), "%s: Karpenter", tc.name)

		old, oldDigest := launch(before)
		updated, digest := launch(after)
		recorded, err := old.Record()
		require.NoError(t, err)
		drifted, causes, err := updated.Drift(recorded)
		require.NoError(t, err)
		assert.Equal(t, tc.schema, drifted, tc.name)
		assert.Equal(t, tc.schema, oldDigest != digest, "%s: digest", tc.name)
		paths := []string{}
		for _, cause := range causes {
			paths = append(paths, cause.Path)
		}
		assert.Equal(t, tc.cause, strings.Join(paths, " "), tc.name)
	}
}

// TestHotLabelOfOperator: naming a label as hot changes the digests of pools that set it, and of no others.
func TestHotLabelOfOperator(t *testing.T) {
	old, err := karpenter.NodePoolSchema()
	require.NoError(t, err)
	updated, err := karpenter.NodePoolSchema("example.com/tenant")
	require.NoError(t, err)
	findings, err := hotupdate.Compatibility(old, updated)
	require.NoError(t, err)
	require.Len(t, findings, 1)
	assert.Equal(t, `metadata.labels["example.com/tenant"]`, findings[0].Path)
	assert.True(t, findings[0].MayRoll([]byte(`{"metadata":{"labels":{"example.com/tenant":"red"}}}`)))
	assert.False(t, findings[0].MayRoll([]byte(`{"metadata":{"labels":{"example.com/gpu":"true"}}}`)))

	_, err = karpenter.NodePoolSchema("*")
	require.NotEmpty(t, fault.All(err))
	assert.Equal(t, "invalid-key-class", fault.All(err)[0].Code, "all labels are not single labels")
}
