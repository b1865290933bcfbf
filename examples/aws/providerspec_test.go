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

// TestTags merges the flat map, the map of each kind and the mandatory keys.
func TestTags(t *testing.T) {
	s := provider.ProviderSpec(t, provider.Config(
		`"tags":{"vm":{"team":"a","worker.gardener.cloud/pool":"mine","kubernetes.io/role/node":"0"},"disk":{"backup":""}}`))
	flat := map[string]string{"kubernetes.io/cluster/shoot--p--s": "1", "kubernetes.io/role/node": "1"}
	assert.Equal(t, flat, s.Tags, "the keys by which machine-controller-manager finds the machine")
	exampletest.CheckTags(t, s.TagsOf, map[tags.Kind]map[string]string{
		tags.VM: {
			"team": "a", "worker.gardener.cloud/pool": "mine",
			"kubernetes.io/cluster/shoot--p--s": "1", "kubernetes.io/role/node": "1",
		},
		tags.Network: flat,
		tags.Disk:    exampletest.With(flat, "backup", ""),
	})
}

// TestMandatoryKeysWin: a pool label cannot assign the machine to another cluster.
func TestMandatoryKeysWin(t *testing.T) {
	worker := exampletest.Pool(exampletest.Canonical, nil)
	worker.Labels = map[string]string{"kubernetes.io/cluster/other": "1"}
	_, err := provider.Spec(worker)
	require.ErrorContains(t, err, "worker pool pool: labels[kubernetes.io/cluster/other]")

	config := &aws.WorkerConfig{Tags: &tags.Tags{
		VM:   map[string]string{"kubernetes.io/cluster/other": "1", "aws:x": "1", "fine": "1"},
		Disk: map[string]string{"Name": "x"},
	}}
	assert.Equal(t, []string{
		"providerConfig.tags.vm[aws:x]: Forbidden", "providerConfig.tags.vm[kubernetes.io/cluster/other]: Forbidden",
		"providerConfig.tags.disk[Name]: Forbidden",
	}, exampletest.Refused(aws.ValidateTags(config, infrastructure(), field.NewPath("providerConfig"))))
}

func TestProviderSpec(t *testing.T) {
	s := provider.ProviderSpec(t, provider.Config(
		`"volume":{"iops":3000},"dataVolumes":[{"name":"kubelet-dir","snapshotID":"s"},{"name":"unknown"}],`+
			`"networkInterfaces":[{"deviceIndex":0,"subnetID":"subnet-2"},`+
			`{"deviceIndex":1,"networkCardIndexRange":{"from":1,"to":2}}]`))
	assert.Equal(t, []aws.BlockDevice{
		{DeviceName: "/root", EBS: aws.EBS{DeleteOnTermination: new(true), VolumeSize: 20, IOPS: new(int32(3000))}},
		{DeviceName: "/dev/sdf", EBS: aws.EBS{DeleteOnTermination: new(true), VolumeSize: 30, VolumeType: new("fast")}},
		{DeviceName: "/dev/sdg", EBS: aws.EBS{DeleteOnTermination: new(true), VolumeSize: 40, SnapshotID: new("s")}},
	}, s.BlockDevices)
	worker := exampletest.Pool(exampletest.Canonical, nil)
	worker.DataVolumes = nil
	single, err := provider.Spec(worker)
	require.NoError(t, err)
	root := []aws.BlockDevice{{EBS: aws.EBS{DeleteOnTermination: new(true), VolumeSize: 20}}}
	assert.Equal(t, root, single.BlockDevices)
	groups := []string{"sg-1"}
	assert.Equal(t, []aws.ProviderNetworkInterface{
		{DeviceIndex: 0, SubnetID: "subnet-2", SecurityGroupIDs: groups},
		{NetworkCardIndex: 1, DeviceIndex: 1, SubnetID: "subnet-1", SecurityGroupIDs: groups},
		{NetworkCardIndex: 2, DeviceIndex: 1, SubnetID: "subnet-1", SecurityGroupIDs: groups},
	}, s.NetworkInterfaces)

	tooMany := provider.Config(
		`"networkInterfaces":[{"deviceIndex":0,"networkCardIndexRange":{"from":0,"to":9223372036854775807}}]`)
	_, err = provider.Spec(exampletest.Pool(exampletest.Canonical, tooMany))
	require.ErrorContains(t, err, "networkInterfaces[0]")
	worker.Volume.Size = "20G"
	_, err = provider.Spec(worker)
	require.ErrorContains(t, err, `volume size "20G"`)
}
