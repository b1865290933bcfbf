package alicloud_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/tags"
)

// TestTags merges the flat map, the map of each kind and the mandatory keys.
func TestTags(t *testing.T) {
	config := provider.Config(`"tags":{"vm":{"team":"a"},"disk":{"backup":"daily"}}`)
	worker := exampletest.Pool(exampletest.Canonical, config)
	worker.Labels["empty"] = ""
	s, err := provider.Spec(worker)
	require.NoError(t, err)
	flat := map[string]string{
		"kubernetes.io/cluster/shoot--p--s": "1", "kubernetes.io/role/worker/shoot--p--s": "1",
		"worker.gardener.cloud/pool": "pool",
	}
	assert.Equal(t, flat, s.Tags, "labels without a value are dropped, as today")
	exampletest.CheckTags(t, s.TagsOf, map[tags.Kind]map[string]string{
		tags.VM:      exampletest.With(flat, "team", "a"),
		tags.Network: flat,
		tags.Disk:    exampletest.With(flat, "backup", "daily"),
	})
}

// TestLimit: the mandatory keys count among the 20 tags of an instance.
func TestLimit(t *testing.T) {
	validate := func(n int) field.ErrorList {
		wanted := map[string]string{}
		for i := range n {
			wanted["key"+strconv.Itoa(i)] = "x"
		}
		config := &alicloud.WorkerConfig{Tags: &tags.Tags{VM: wanted}}
		return alicloud.ValidateTags(config, infrastructure(), field.NewPath("providerConfig"))
	}
	assert.Empty(t, validate(18))
	assert.Equal(t, []string{"providerConfig.tags.vm: Too many"}, exampletest.Refused(validate(19)))
}

func TestProviderSpec(t *testing.T) {
	worker := exampletest.Pool(exampletest.Canonical, nil)
	worker.DataVolumes[0].Encrypted = new(true)
	s, err := provider.Spec(worker)
	require.NoError(t, err)
	assert.Equal(t, &alicloud.SystemDisk{Size: 20}, s.SystemDisk)
	assert.Equal(t, []alicloud.DataDisk{
		{
			Name: "a", Category: new("fast"), Description: "shoot--p--s-datavol-a", Encrypted: new(true),
			DeleteWithInstance: new(true), Size: 30,
		},
		{Name: "kubelet-dir", Description: "shoot--p--s-datavol-kubelet-dir", DeleteWithInstance: new(true), Size: 40},
	}, s.DataDisks)
}
