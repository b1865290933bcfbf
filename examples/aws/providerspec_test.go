package aws_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/tags"
)

func providerSpec(t *testing.T, raw []byte) *aws.ProviderSpec {
	t.Helper()
	s, err := spec(exampletest.Pool(exampletest.Canonical, raw))
	require.NoError(t, err)
	return s.(*aws.ProviderSpec)
}

// TestTags merges the flat map, the map of each kind and the mandatory keys.
func TestTags(t *testing.T) {
	s := providerSpec(t, provider.Config(`"tags":{"vm":{"team":"a","worker.gardener.cloud/pool":"mine","kubernetes.io/role/node":"0"},"disk":{"backup":""}}`))
	flat := map[string]string{"kubernetes.io/cluster/shoot--p--s": "1", "kubernetes.io/role/node": "1"}
	assert.Equal(t, flat, s.Tags, "the keys by which machine-controller-manager finds the machine")
	for kind, want := range map[tags.Kind]map[string]string{
		tags.VM:      {"team": "a", "worker.gardener.cloud/pool": "mine"},
		tags.Network: {},
		tags.Disk:    {"backup": ""},
	} {
		want["kubernetes.io/cluster/shoot--p--s"], want["kubernetes.io/role/node"] = "1", "1"
		got, err := s.TagsOf(kind)
		require.NoError(t, err)
		assert.Equal(t, want, got, kind)
	}
}

// TestMandatoryKeysWin: a pool label cannot assign the machine to another cluster.
func TestMandatoryKeysWin(t *testing.T) {
	worker := exampletest.Pool(exampletest.Canonical, nil)
	worker.Labels = map[string]string{"kubernetes.io/cluster/other": "1"}
	_, err := spec(worker)
	require.ErrorContains(t, err, "worker pool pool: labels[kubernetes.io/cluster/other]")

	config := &aws.WorkerConfig{Tags: &tags.Tags{
		VM: map[string]string{"kubernetes.io/cluster/other": "1", "aws:x": "1", "fine": "1"}, Disk: map[string]string{"Name": "x"},
	}}
	var paths []string
	for _, problem := range aws.ValidateTags(config, infrastructure(), field.NewPath("providerConfig")) {
		assert.Equal(t, field.ErrorTypeForbidden, problem.Type)
		paths = append(paths, problem.Field)
	}
	assert.Equal(t, []string{
		"providerConfig.tags.vm[aws:x]", "providerConfig.tags.vm[kubernetes.io/cluster/other]", "providerConfig.tags.disk[Name]",
	}, paths)
}

func TestProviderSpec(t *testing.T) {
	s := providerSpec(t, provider.Config(`"volume":{"iops":3000},"dataVolumes":[{"name":"kubelet-dir","snapshotID":"s"},{"name":"unknown"}],`+
		`"networkInterfaces":[{"deviceIndex":0,"subnetID":"subnet-2"},{"deviceIndex":1,"networkCardIndexRange":{"from":1,"to":2}}]`))
	assert.Equal(t, []aws.BlockDevice{
		{DeviceName: "/root", EBS: aws.EBS{DeleteOnTermination: new(true), VolumeSize: 20, IOPS: new(int32(3000))}},
		{DeviceName: "/dev/sdf", EBS: aws.EBS{DeleteOnTermination: new(true), VolumeSize: 30, VolumeType: new("fast")}},
		{DeviceName: "/dev/sdg", EBS: aws.EBS{DeleteOnTermination: new(true), VolumeSize: 40, SnapshotID: new("s")}},
	}, s.BlockDevices)
	worker := exampletest.Pool(exampletest.Canonical, nil)
	worker.DataVolumes = nil
	single, err := spec(worker)
	require.NoError(t, err)
	assert.Equal(t, []aws.BlockDevice{{EBS: aws.EBS{DeleteOnTermination: new(true), VolumeSize: 20}}}, single.(*aws.ProviderSpec).BlockDevices, "the root volume")
	groups := []string{"sg-1"}
	assert.Equal(t, []aws.ProviderNetworkInterface{
		{DeviceIndex: 0, SubnetID: "subnet-2", SecurityGroupIDs: groups},
		{NetworkCardIndex: 1, DeviceIndex: 1, SubnetID: "subnet-1", SecurityGroupIDs: groups},
		{NetworkCardIndex: 2, DeviceIndex: 1, SubnetID: "subnet-1", SecurityGroupIDs: groups},
	}, s.NetworkInterfaces)

	_, err = spec(exampletest.Pool(exampletest.Canonical, provider.Config(`"networkInterfaces":[{"deviceIndex":0,"networkCardIndexRange":{"from":0,"to":9223372036854775807}}]`)))
	require.ErrorContains(t, err, "networkInterfaces[0]")
	worker.Volume.Size = "20G"
	_, err = spec(worker)
	require.ErrorContains(t, err, `volume size "20G"`)
}

// TestMachineClasses: the block device of a pool without data volumes has no device name.
func TestMachineClasses(t *testing.T) {
	provider.CheckMachineClasses(t, map[string]any{
		"/tags/team": "red", "/resourceTags/disk/team": "red", "/blockDevices/0/ebs/iops": 5000, "/blockDevices/0/ebs/throughput": 300,
		"/instanceMetadataOptions/httpPutResponseHopLimit": 1, "/srcAndDstChecksEnabled": true,
	})
}
