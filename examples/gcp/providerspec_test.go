package gcp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/tags"
)

// TestTags merges labels, and separately network tags, which have only keys.
func TestTags(t *testing.T) {
	s := provider.ProviderSpec(t, provider.Config(
		`"tags":{"vm":{"team":"a"},"network":{"bastion":""},"disk":{"backup":"daily"}}`))
	flat := map[string]string{"k8s-cluster-name": "shoot--p--s", "worker_gardener_cloud_pool": "pool"}
	assert.Equal(t, flat, s.Labels, "pool labels, turned into labels of GCP")

	exampletest.CheckTags(t, s.TagsOf, map[tags.Kind]map[string]string{
		tags.VM:   {"team": "a", "k8s-cluster-name": "shoot--p--s", "worker_gardener_cloud_pool": "pool"},
		tags.Disk: {"backup": "daily", "k8s-cluster-name": "shoot--p--s", "worker_gardener_cloud_pool": "pool"},
		tags.Network: {
			"bastion": "", "shoot--p--s": "", "kubernetes-io-cluster-shoot--p--s": "", "kubernetes-io-role-node": "",
		},
	})
}

func TestValidateTags(t *testing.T) {
	config := &gcp.WorkerConfig{Tags: &tags.Tags{
		VM:      map[string]string{"te.am": "a"},
		Network: map[string]string{"bastion": "yes", "kubernetes-io-cluster-other": "", "fine": ""},
		Disk:    map[string]string{"fine": "x"},
	}}
	assert.Equal(t, []string{
		"providerConfig.tags.vm[te.am]: Invalid value", "providerConfig.tags.network[bastion]: Forbidden",
		"providerConfig.tags.network[kubernetes-io-cluster-other]: Forbidden",
	}, exampletest.Refused(gcp.ValidateTags(config, infrastructure(), field.NewPath("providerConfig"))))

	worker := exampletest.Pool(exampletest.Canonical, nil)
	worker.Labels = map[string]string{"k8s-cluster-name": "other"}
	made, err := provider.Spec(worker)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"k8s-cluster-name": "shoot--p--s"}, made.Labels, "what the extension adds wins")
	worker.Labels = map[string]string{"team.name": "a", "team/name": "b"}
	_, err = provider.Spec(worker)
	require.ErrorContains(t, err, "worker pool pool: [labels[team.name]", "two labels that become one: neither wins")
}

func TestProviderSpec(t *testing.T) {
	s := provider.ProviderSpec(t, provider.Config(
		`"volume":{"encryption":{"kmsKeyName":"key"}},"bootVolume":{"provisionedIops":3000},`+
			`"dataVolumes":[{"name":"kubelet-dir","storagePool":"s"}],"serviceAccount":{"email":"a@b","scopes":["z"]}`))
	key := &gcp.DiskEncryption{KMSKeyName: new("key")}
	assert.Equal(t, []gcp.Disk{
		{
			DiskSettings: gcp.DiskSettings{ProvisionedIOPS: new(int64(3000))},
			Boot:         true, SizeGB: 20, Image: new("image-1"), Encryption: key,
		},
		{SizeGB: 30, Type: new("fast"), Encryption: key},
		{DiskSettings: gcp.DiskSettings{StoragePool: new("s")}, SizeGB: 40, Encryption: key},
	}, s.Disks)
	assert.Equal(t, []gcp.ServiceAccount{{Email: "a@b", Scopes: []string{"z"}}}, s.ServiceAccounts)
	assert.Equal(t, "default@x", provider.ProviderSpec(t, nil).ServiceAccounts[0].Email)
}

// TestLabelsOfDisks: the extension for GCP writes the labels of a pool to the VM and to each of its
// disks. A changed label changes both fields of the class, and is still a hot update.
func TestLabelsOfDisks(t *testing.T) {
	schema, err := gcp.ProviderSpecSchema()
	require.NoError(t, err)
	class := func(tier string) *gcp.ProviderSpec {
		labels := map[string]string{"tier": tier}
		return &gcp.ProviderSpec{Labels: labels, Disks: []gcp.Disk{{Boot: true, Labels: labels}, {Labels: labels}}}
	}
	before := class("gold")
	after := class("silver")
	sum, err := schema.Hash(before)
	require.NoError(t, err)
	updated, err := schema.Hash(after)
	require.NoError(t, err)
	assert.Equal(t, sum, updated)
	wanted, err := after.TagsOf(tags.Disk)
	require.NoError(t, err)
	assert.Equal(t, after.Disks[0].Labels, wanted)
}
