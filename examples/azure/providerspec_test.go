package azure_test

import (
	"maps"
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
	made, err := spec(exampletest.Pool(exampletest.Canonical, provider.Config(`"tags":{"vm":{"Worker.Gardener.Cloud_Pool":"mine"},"disk":{"backup":"daily"}}`)))
	require.NoError(t, err)
	s := made.(*azure.ProviderSpec)
	mandatory := map[string]string{"Name": "shoot--p--s", "kubernetes.io-cluster-shoot--p--s": "1", "kubernetes.io-role-node": "1"}
	with := func(key, value string) map[string]string {
		all := maps.Clone(mandatory)
		all[key] = value
		return all
	}
	assert.Equal(t, mandatory, s.Tags, "the keys by which machine-controller-manager finds the machine")
	worker := exampletest.Pool(exampletest.Canonical, nil)
	worker.Labels = map[string]string{"team/name": "a"}
	other, err := spec(worker)
	require.NoError(t, err)
	vm, err := other.(*azure.ProviderSpec).TagsOf(tags.VM)
	require.NoError(t, err)
	assert.Equal(t, with("team_name", "a"), vm, "pool labels, turned into tags of Azure")
	for kind, want := range map[tags.Kind]map[string]string{
		tags.VM:      with("Worker.Gardener.Cloud_Pool", "mine"), // one key to Azure
		tags.Network: mandatory,
		tags.Disk:    with("backup", "daily"),
	} {
		got, err := s.TagsOf(kind)
		require.NoError(t, err)
		assert.Equal(t, want, got, kind)
	}
}

func TestValidateTags(t *testing.T) {
	config := &azure.WorkerConfig{Tags: &tags.Tags{
		VM: map[string]string{"NAME": "x", "Kubernetes.io-Cluster-other": "1", "fine": "1"}, Disk: map[string]string{"a/b": "1"},
	}}
	var got []string
	for _, problem := range azure.ValidateTags(config, infrastructure(), field.NewPath("providerConfig")) {
		got = append(got, problem.Field+": "+problem.Type.String())
	}
	assert.Equal(t, []string{
		"providerConfig.tags.vm[Kubernetes.io-Cluster-other]: Forbidden", "providerConfig.tags.vm[NAME]: Forbidden", "providerConfig.tags.disk[a/b]: Invalid value",
	}, got)

	worker := exampletest.Pool(exampletest.Canonical, nil)
	worker.Labels = map[string]string{"Team": "a", "team": "b"}
	_, err := spec(worker)
	require.ErrorContains(t, err, "worker pool pool: [labels[Team]", "two labels that become one: neither wins")
}

func TestProviderSpec(t *testing.T) {
	worker := exampletest.Pool(exampletest.Canonical, provider.Config(`"volume":{"caching":"None"},"dataVolumes":[{"name":"kubelet-dir","imageRef":{"id":"i"}}],`+
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
			{Name: "kubelet-dir", LUN: 1, Caching: "None", DiskSizeGB: 40, ImageRef: &azure.ProviderImage{Image: azure.Image{ID: new("i")}}},
		},
	}, s.Properties.StorageProfile)
	assert.Equal(t, azure.SubnetInfo{VNetName: "net", SubnetName: "nodes-z1"}, s.SubnetInfo)
	assert.Equal(t, &azure.SubResource{ID: "set"}, s.Properties.AvailabilitySet)
	assert.Equal(t, &azure.CapacityReservation{CapacityReservationGroupID: new("g")}, s.Properties.CapacityReservation)
}

func TestMachineClasses(t *testing.T) {
	provider.CheckMachineClasses(t, map[string]any{
		"/tags/team": "red", "/resourceTags/vm/team": "red",
	})
}
