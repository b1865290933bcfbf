package alicloud_test

import (
	"maps"
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
	worker := exampletest.Pool(exampletest.Canonical, provider.Config(`"tags":{"vm":{"team":"a"},"disk":{"backup":"daily"}}`))
	worker.Labels["empty"] = ""
	made, err := spec(worker)
	require.NoError(t, err)
	s := made.(*alicloud.ProviderSpec)
	flat := map[string]string{
		"kubernetes.io/cluster/shoot--p--s": "1", "kubernetes.io/role/worker/shoot--p--s": "1", "worker.gardener.cloud/pool": "pool",
	}
	assert.Equal(t, flat, s.Tags, "labels without a value are dropped, as today")
	with := func(key, value string) map[string]string {
		all := maps.Clone(flat)
		all[key] = value
		return all
	}
	for kind, want := range map[tags.Kind]map[string]string{
		tags.VM: with("team", "a"), tags.Network: flat, tags.Disk: with("backup", "daily"),
	} {
		got, err := s.TagsOf(kind)
		require.NoError(t, err)
		assert.Equal(t, want, got, kind)
	}
}

// TestLimit: the mandatory keys count among the 20 tags of an instance.
func TestLimit(t *testing.T) {
	validate := func(n int) field.ErrorList {
		wanted := map[string]string{}
		for i := range n {
			wanted["key"+strconv.Itoa(i)] = "x"
		}
		return alicloud.ValidateTags(&alicloud.WorkerConfig{Tags: &tags.Tags{VM: wanted}}, infrastructure(), field.NewPath("providerConfig"))
	}
	assert.Empty(t, validate(18))
	problems := validate(19)
	require.Len(t, problems, 1)
	assert.Equal(t, field.ErrorTypeTooMany, problems[0].Type)
	assert.Equal(t, "providerConfig.tags.vm", problems[0].Field)
}

func TestProviderSpec(t *testing.T) {
	worker := exampletest.Pool(exampletest.Canonical, nil)
	worker.DataVolumes[0].Encrypted = new(true)
	made, err := spec(worker)
	require.NoError(t, err)
	s := made.(*alicloud.ProviderSpec)
	assert.Equal(t, &alicloud.SystemDisk{Size: 20}, s.SystemDisk)
	assert.Equal(t, []alicloud.DataDisk{
		{Name: "a", Category: new("fast"), Description: "shoot--p--s-datavol-a", Encrypted: new(true), DeleteWithInstance: new(true), Size: 30},
		{Name: "kubelet-dir", Description: "shoot--p--s-datavol-kubelet-dir", DeleteWithInstance: new(true), Size: 40},
	}, s.DataDisks)
}

func TestMachineClasses(t *testing.T) {
	provider.CheckMachineClasses(t, map[string]any{
		"/tags/team": "red", "/resourceTags/vm/team": "red",
	})
}
