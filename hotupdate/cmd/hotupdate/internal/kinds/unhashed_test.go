package kinds_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
)

// TestIsUnhashed has members of a Shoot and of its pools. Only the newest release was measured, and objects and
// elements of lists were not.
func TestIsUnhashed(t *testing.T) {
	t.Parallel()
	pool := []string{"spec", "provider", "workers", "any"}
	for path, of := range map[string]struct{ inShoot, inPool bool }{
		"spec.purpose":                                       {true, false},
		"spec.kubernetes.kubelet.maxPods":                    {true, false},
		"spec.kubernetes.kubelet.featureGates.A":             {true, false},
		"spec.networking.providerConfig.a.b":                 {true, false},
		"spec.kubernetes.kubelet.cpuManagerPolicy":           {false, false},
		"spec.kubernetes.kubeAPIServer":                      {false, false},
		"spec.kubernetes.allowPrivilegedContainers":          {false, false},
		"spec.tolerations.0.key":                             {false, false},
		"spec.provider.workers.0.labels.a":                   {false, false},
		"spec.purpse":                                        {false, false},
		"labels.a":                                           {false, true},
		"labels.example.org/a":                               {false, true},
		"taints":                                             {false, true},
		"kubernetes.kubelet.maxPods":                         {false, true},
		"machine.type":                                       {false, false},
		"volume.size":                                        {false, false},
		"metadata.name":                                      {false, false},
		"status.hibernated":                                  {false, false},
		"spec.kubernetes.kubeAPIServer.encryptionConfig.key": {false, false},
	} {
		names := strings.Split(path, ".")
		assert.Equal(t, of.inShoot, kinds.Shoot.IsUnhashed(nil, names), path)
		assert.Equal(t, of.inPool, kinds.Shoot.IsUnhashed(pool, names), path)
		assert.False(t, kinds.Worker.IsUnhashed(nil, names), path)
	}
}

// TestUnhashed: each path of the list is one for which IsUnhashed holds, and no other member is.
func TestUnhashed(t *testing.T) {
	t.Parallel()
	for _, object := range [][]string{{}, {"spec", "provider", "workers", "any"}} {
		paths := kinds.Shoot.Unhashed(object)
		require.Greater(t, len(paths), 70)
		for _, path := range paths {
			assert.True(t, kinds.Shoot.IsUnhashed(object, strings.Split(path, ".")), path)
		}
		assert.Equal(t, len(paths), len(slices.Compact(slices.Sorted(slices.Values(paths)))))
	}
	assert.Empty(t, kinds.Shoot.Unhashed([]string{"gone"}))
	assert.Empty(t, kinds.Worker.Unhashed(nil))
	all := kinds.Shoot.Unhashed(nil)
	assert.Subset(t, all, []string{"spec.networking.providerConfig", "spec.networking.providerConfig.*", "spec.tolerations"})
	assert.NotContains(t, all, "spec.kubernetes.kubeProxy.mode")
}

// TestDescribes has members that a kind has, and others.
func TestDescribes(t *testing.T) {
	t.Parallel()
	assert.True(t, kinds.Worker.Describes([]string{"spec", "pools", "any", "userDataSecretRef", "key"}))
	assert.False(t, kinds.Worker.Describes([]string{"spec", "pools", "any", "systemComponents"}))
	assert.True(t, kinds.Shoot.IsObject([]string{"spec", "kubernetes", "kubeAPIServer"}))
	assert.False(t, kinds.Shoot.IsObject([]string{"spec", "purpose"}))
	assert.False(t, kinds.Shoot.IsObject([]string{"spec", "gone"}))
}
