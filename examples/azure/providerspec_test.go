package azure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/tags"
)

// TestTags merges the flat map, the map of each kind and the mandatory keys.
func TestTags(t *testing.T) {
	s := provider.ProviderSpec(t, provider.Config(
		`"tags":{"vm":{"Worker.Gardener.Cloud_Pool":"mine"},"disk":{"backup":"daily"}}`))
	mandatory := map[string]string{
		"Name": "shoot--p--s", "kubernetes.io-cluster-shoot--p--s": "1", "kubernetes.io-role-node": "1",
	}
	assert.Equal(t, mandatory, s.Tags, "the keys by which machine-controller-manager finds the machine")
	worker := exampletest.Pool(exampletest.Canonical, nil)
	worker.Labels = map[string]string{"team/name": "a"}
	other, err := provider.Spec(worker)
	require.NoError(t, err)
	exampletest.CheckTags(t, other.TagsOf, map[tags.Kind]map[string]string{
		tags.VM: exampletest.With(mandatory, "team_name", "a"), // pool labels, turned into tags of Azure
	})
	exampletest.CheckTags(t, s.TagsOf, map[tags.Kind]map[string]string{
		tags.VM:      exampletest.With(mandatory, "Worker.Gardener.Cloud_Pool", "mine"), // one key to Azure
		tags.Network: mandatory,
		tags.Disk:    exampletest.With(mandatory, "backup", "daily"),
	})
}

func TestValidateTags(t *testing.T) {
	config := &azure.WorkerConfig{Tags: &tags.Tags{
		VM:   map[string]string{"NAME": "x", "Kubernetes.io-Cluster-other": "1", "fine": "1"},
		Disk: map[string]string{"a/b": "1"},
	}}
	assert.Equal(t, []string{
		"providerConfig.tags.vm[Kubernetes.io-Cluster-other]: Forbidden", "providerConfig.tags.vm[NAME]: Forbidden",
		"providerConfig.tags.disk[a/b]: Invalid value",
	}, exampletest.Refused(azure.ValidateTags(config, infrastructure(), field.NewPath("providerConfig"))))

	worker := exampletest.Pool(exampletest.Canonical, nil)
	worker.Labels = map[string]string{"Team": "a", "team": "b"}
	_, err := provider.Spec(worker)
	require.ErrorContains(t, err, "worker pool pool: [labels[Team]", "two labels that become one: neither wins")
}

func TestProviderSpec(t *testing.T) {
	worker := exampletest.Pool(exampletest.Canonical, provider.Config(
		`"volume":{"caching":"None"},"dataVolumes":[{"name":"kubelet-dir","imageRef":{"id":"i"}}],`+
			`"capacityReservation":{"capacityReservationGroupID":"g"}`))
	pool, err := azure.NewPool(worker, azure.Zone{Subnet: new("nodes-z1"), AvailabilitySet: new("set")})
	require.NoError(t, err)
	s, err := azure.NewProviderSpec(pool, infrastructure())
	require.NoError(t, err)
	assert.Equal(t, azure.StorageProfile{
		ImageReference: azure.ProviderImage{Image: azure.Image{URN: new("a:b:c:d")}},
		OSDisk:         azure.OSDisk{Caching: new("None"), DiskSizeGB: 20, CreateOption: "FromImage"},
		DataDisks: []azure.DataDisk{
			{Name: "a", LUN: 0, Caching: "None", StorageAccountType: new("fast"), DiskSizeGB: 30},
			{
				Name: "kubelet-dir", LUN: 1, Caching: "None", DiskSizeGB: 40,
				ImageRef: &azure.ProviderImage{Image: azure.Image{ID: new("i")}},
			},
		},
	}, s.Properties.StorageProfile)
	assert.Equal(t, azure.SubnetInfo{VNetName: "net", SubnetName: "nodes-z1"}, s.SubnetInfo)
	assert.Equal(t, &azure.SubResource{ID: "set"}, s.Properties.AvailabilitySet)
	assert.Equal(t, &azure.CapacityReservation{CapacityReservationGroupID: new("g")}, s.Properties.CapacityReservation)
}
