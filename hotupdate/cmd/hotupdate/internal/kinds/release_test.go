package kinds_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// TestHas: a release that the table has is known, one between two releases only if both agree. systemReserved was last
// in v1.140.1 and is not in v1.141.0; updateStrategy is not in v1.112.0 and first in v1.113.0.
func TestHas(t *testing.T) {
	t.Parallel()
	kubelet := []string{"spec", "kubernetes", "kubelet"}
	system := append(slices.Clip(kubelet), "systemReserved")
	strategy := []string{"spec", "provider", "workers", "any", "updateStrategy"}
	for _, test := range []struct {
		path       []string
		release    string
		has, lacks bool
	}{
		{system, "v1.90.0", true, false},
		{system, "v1.140.1", true, false},
		{system, "v1.140", false, false}, // may be v1.140.2
		{system, "v1.139", true, false},
		{system, "v1.140.2", false, false},
		{system, "v1.141.0", false, true},
		{system, "v1.142.0", false, true},
		{system, "v1.145.0", false, true},
		{system, "v1.145", false, true},
		{system, "v1.200.0", false, true},
		{system, "v1.9.0", true, false}, // numbers, not texts
		{append(slices.Clip(system), "cpu"), "v1.145.0", false, true},
		{append(slices.Clip(system), "cpu"), "v1.130.0", true, false},
		{append(slices.Clip(kubelet), "cpuManagerPolicy"), "v1.150.0", true, false},
		{append(slices.Clip(kubelet), "quux"), "v1.150.0", false, false},
		{strategy, "v1.110.0", false, true},
		{strategy, "v1.112.0", false, true},
		{strategy, "v1.112.5", false, false},
		{strategy, "v1.113.0", true, false},
		{strategy, "v1.115.0", true, false},
		{strategy, "v1.120.0", true, false},
	} {
		assert.Equal(t, test.lacks, kinds.Shoot.Lacks(test.path, test.release), "%s in %s", test.path, test.release)
		assert.Equal(t, test.has, kinds.Shoot.Has(test.path, test.release), "%s in %s", test.path, test.release)
	}
	assert.False(t, kinds.Kind("Pod").Has(kubelet, "v1.150.0"))
	assert.False(t, kinds.Kind("Pod").Lacks(kubelet, "v1.150.0"))
}

// TestInRelease: a release reads a manifest without the members that it does not have, at every level, and keeps the
// lines of the others.
func TestInRelease(t *testing.T) {
	t.Parallel()
	object, err := tree.ParseYAML([]byte(`kind: Shoot
spec:
  kubernetes:
    kubelet:
      systemReserved: {cpu: 20m}
      cpuManagerPolicy: static
  provider:
    workers:
    - name: a
      updateStrategy: AutoInPlaceUpdate
      kubernetes: {kubelet: {systemReserved: {cpu: 30m}}}
    - name: b
`), 1)
	assert.NoError(t, err)
	read, dropped := kinds.Shoot.InRelease(object, "v1.150.0")
	assert.Equal(
		t, []string{"spec.kubernetes.kubelet.systemReserved", "spec.provider.workers[0].kubernetes.kubelet.systemReserved"}, dropped,
	)
	assert.Equal(
		t,
		`{"kind":"Shoot","spec":{"kubernetes":{"kubelet":{"cpuManagerPolicy":"static"}},"provider":{"workers":[{"kubernetes":{"kubelet":{}},"name":"a","updateStrategy":"AutoInPlaceUpdate"},{"name":"b"}]}}}`,
		string(read.Compact()),
	)
	assert.Equal(t, 6, read.At("spec", "kubernetes", "kubelet", "cpuManagerPolicy").Line())
	_, dropped = kinds.Shoot.InRelease(object, "v1.100.0")
	assert.Equal(t, []string{"spec.provider.workers[0].updateStrategy"}, dropped)
	same, dropped := kinds.Shoot.InRelease(object, "v1.130.0")
	assert.Empty(t, dropped)
	assert.True(t, tree.Equal(object, same))
}
