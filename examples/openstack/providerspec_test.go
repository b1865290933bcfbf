package openstack_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/tags"
)

// TestTags merges pool labels, machine labels, the metadata of the server and the mandatory keys.
func TestTags(t *testing.T) {
	made, err := spec(exampletest.Pool(exampletest.Canonical, provider.Config(
		`"machineLabels":[{"name":"example.com/license","value":"a"}],"tags":{"vm":{"team":"a"},"disk":{"backup":"daily"}}`)))
	require.NoError(t, err)
	s := made.(*openstack.ProviderSpec)
	flat := map[string]string{
		"kubernetes.io-cluster-shoot--p--s": "1", "kubernetes.io-role-node": "1",
		"worker.gardener.cloud-pool": "pool", "example.com-license": "a",
	}
	assert.Equal(t, flat, s.Spec.Tags, "labels, turned into metadata of OpenStack")

	got, err := s.TagsOf(tags.VM)
	require.NoError(t, err)
	with := func(key, value string) map[string]string {
		all := maps.Clone(flat)
		all[key] = value
		return all
	}
	assert.Equal(t, with("team", "a"), got)
	got, err = s.TagsOf(tags.Disk)
	require.NoError(t, err)
	assert.Equal(t, with("backup", "daily"), got)
	_, err = s.TagsOf(tags.Network)
	require.Error(t, err, "ports carry no metadata")
}

func TestValidateTags(t *testing.T) {
	config := &openstack.WorkerConfig{Tags: &tags.Tags{
		VM: map[string]string{"kubernetes.io-cluster-other": "1", "fine": "1"}, Network: map[string]string{"lost": "1"},
	}}
	var got []string
	for _, problem := range openstack.ValidateTags(config, infrastructure(), field.NewPath("providerConfig")) {
		got = append(got, problem.Field+": "+problem.Type.String())
	}
	assert.Equal(t, []string{
		"providerConfig.tags.vm[kubernetes.io-cluster-other]: Forbidden", "providerConfig.tags.network: Forbidden",
	}, got)

	worker := exampletest.Pool(exampletest.Canonical, provider.Config(`"machineLabels":[{"name":"kubernetes.io/cluster/other","value":"1"}]`))
	_, err := spec(worker)
	require.ErrorContains(t, err, "worker pool pool: labels[kubernetes.io/cluster/other]", "the repair would make it a key of another cluster")
	worker.ProviderConfig, worker.Labels = nil, nil
	_, err = spec(worker)
	require.NoError(t, err)
}

func TestMachineClasses(t *testing.T) {
	provider.CheckMachineClasses(t, map[string]any{
		"/spec/tags/team": "red", "/spec/resourceTags/vm/team": "red",
	})
}
