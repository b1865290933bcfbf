package openstack_test

import (
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
	s := provider.ProviderSpec(t, provider.Config(
		`"machineLabels":[{"name":"example.com/license","value":"a"}],"tags":{"vm":{"team":"a"},"disk":{"backup":"daily"}}`))
	flat := map[string]string{
		"kubernetes.io-cluster-shoot--p--s": "1", "kubernetes.io-role-node": "1",
		"worker.gardener.cloud-pool": "pool", "example.com-license": "a",
	}
	assert.Equal(t, flat, s.Spec.Tags, "labels, turned into metadata of OpenStack")

	exampletest.CheckTags(t, s.TagsOf, map[tags.Kind]map[string]string{
		tags.VM:   exampletest.With(flat, "team", "a"),
		tags.Disk: exampletest.With(flat, "backup", "daily"),
	})
	_, err := s.TagsOf(tags.Network)
	require.Error(t, err, "ports carry no metadata")
}

func TestValidateTags(t *testing.T) {
	config := &openstack.WorkerConfig{Tags: &tags.Tags{
		VM:      map[string]string{"kubernetes.io-cluster-other": "1", "fine": "1"},
		Network: map[string]string{"lost": "1"},
	}}
	assert.Equal(t, []string{
		"providerConfig.tags.vm[kubernetes.io-cluster-other]: Forbidden", "providerConfig.tags.network: Forbidden",
	}, exampletest.Refused(openstack.ValidateTags(config, infrastructure(), field.NewPath("providerConfig"))))

	worker := exampletest.Pool(exampletest.Canonical, provider.Config(
		`"machineLabels":[{"name":"kubernetes.io/cluster/other","value":"1"}]`))
	_, err := provider.Spec(worker)
	require.ErrorContains(t, err, "worker pool pool: labels[kubernetes.io/cluster/other]",
		"the repair would make it a key of another cluster")
	worker.ProviderConfig = nil
	worker.Labels = nil
	_, err = provider.Spec(worker)
	require.NoError(t, err)
}
