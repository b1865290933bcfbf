package aws_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestClasses changes one field at a time, and checks what happens to machines. TestProvider/Pairs, TestYesterday and
// TestBecameHot have other fields.
func TestClasses(t *testing.T) {
	schema, err := aws.Schema()
	require.NoError(t, err)
	for _, tc := range []struct {
		name, old, updated string
		want               hotupdate.Outcome
		reason             string
	}{
		{
			"first tag", `"volume":{"iops":1}`, `"volume":{"iops":1},"tags":{"disk":{"a":""}}`, hotupdate.OutcomeHotUpdate,
			"also with an empty value",
		},
		{"empty tags", `"volume":{"iops":1}`, `"volume":{"iops":1},"tags":{"vm":{}}`, hotupdate.OutcomeNone, "nothing to set"},
		{
			"virtual capacity", `"volume":{}`, `"nodeTemplate":{"capacity":{},"virtualCapacity":{"x":"1"}}`, hotupdate.OutcomeHotUpdate,
			"applied to nodes that exist",
		},
		{
			"capacity", `"nodeTemplate":{"capacity":{"cpu":"1"}}`, `"nodeTemplate":{"capacity":{"cpu":"2"}}`, hotupdate.OutcomeRoll,
			"as today",
		},
		{"data volume renamed", `"dataVolumes":[{"name":"a"}]`, `"dataVolumes":[{"name":"b"}]`, hotupdate.OutcomeRoll, "another volume"},
		{
			"interface type written out", `"networkInterfaces":[{"deviceIndex":0}]`,
			`"networkInterfaces":[{"deviceIndex":0,"type":"interface"}]`, hotupdate.OutcomeNone, "the default",
		},
		{
			"interface type", `"networkInterfaces":[{"deviceIndex":0}]`, `"networkInterfaces":[{"deviceIndex":0,"type":"efa"}]`,
			hotupdate.OutcomeRoll, "another device",
		},
		{
			"interfaces reordered", `"networkInterfaces":[{"deviceIndex":0},{"deviceIndex":1}]`,
			`"networkInterfaces":[{"deviceIndex":1},{"deviceIndex":0}]`, hotupdate.OutcomeRoll, "attached in order",
		},
		{
			"empty metadata options", ``, `"instanceMetadataOptions":{}`, hotupdate.OutcomeHotUpdate,
			"new machines do not enforce IMDSv2; the driver leaves those that exist as they are",
		},
		{"empty CPU options", ``, `"cpuOptions":{}`, hotupdate.OutcomeNone, "say nothing"},
		{"first performance", ``, `"volume":{"iops":4000,"throughput":500}`, hotupdate.OutcomeHotUpdate, "ModifyVolume"},
		{
			"snapshot of a data volume", `"dataVolumes":[{"name":"a","iops":3000}]`,
			`"dataVolumes":[{"name":"a","iops":4000,"snapshotID":"s"}]`, hotupdate.OutcomeRoll, "the snapshot needs a new volume",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			changes, err := schema.DiffRaw(provider.Config(tc.old), provider.Config(tc.updated))
			require.NoError(t, err)
			assert.Equal(t, tc.want, changes.Outcome(hotupdate.AutoRollingUpdate), tc.reason)
			before, err := aws.GenerateWorkerPoolHash(exampletest.Pool(exampletest.Canonical, provider.Config(tc.old)))
			require.NoError(t, err)
			after, err := aws.GenerateWorkerPoolHash(exampletest.Pool(exampletest.Canonical, provider.Config(tc.updated)))
			require.NoError(t, err)
			assert.Equal(
				t, tc.want == hotupdate.OutcomeRoll, before.Digest != after.Digest, "the hash changes exactly if machines roll: "+tc.reason,
			)
		})
	}
}
