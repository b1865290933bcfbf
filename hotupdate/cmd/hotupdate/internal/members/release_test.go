package members_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/members"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// TestHas: a release that the table has is known, one between two releases only if both agree. systemReserved was last
// in v1.139.1 and is not in v1.145.0; updateStrategy is not in v1.110.0 and first in v1.120.0.
func TestHas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		of           members.Type
		member       string
		release      string
		has, isKnown bool
	}{
		{"KubeletConfig", "systemReserved", "v1.90.0", true, true},
		{"KubeletConfig", "systemReserved", "v1.139.1", true, true},
		{"KubeletConfig", "systemReserved", "v1.139", false, false}, // may be v1.139.2
		{"KubeletConfig", "systemReserved", "v1.138", true, true},
		{"KubeletConfig", "systemReserved", "v1.142.0", false, false},
		{"KubeletConfig", "systemReserved", "v1.145.0", false, true},
		{"KubeletConfig", "systemReserved", "v1.145", false, true},
		{"KubeletConfig", "systemReserved", "v1.200.0", false, true},
		{"KubeletConfig", "systemReserved", "v1.9.0", true, true}, // numbers, not texts
		{"KubeletConfig", "cpuManagerPolicy", "v1.150.0", true, true},
		{"KubeletConfig", "quux", "v1.150.0", false, false},
	} {
		has, isKnown := members.Has(test.of, test.member, test.release)
		assert.Equal(t, test.isKnown, isKnown, "%s in %s", test.member, test.release)
		assert.Equal(t, test.has, has, "%s in %s", test.member, test.release)
	}
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
	read, dropped := members.InRelease(members.Shoot, object, "v1.150.0")
	assert.Equal(t, []string{"spec.kubernetes.kubelet.systemReserved", "spec.provider.workers[0].kubernetes.kubelet.systemReserved"}, dropped)
	assert.Equal(t, `{"kind":"Shoot","spec":{"kubernetes":{"kubelet":{"cpuManagerPolicy":"static"}},"provider":{"workers":[{"kubernetes":{"kubelet":{}},"name":"a","updateStrategy":"AutoInPlaceUpdate"},{"name":"b"}]}}}`, string(read.Compact()))
	assert.Equal(t, 6, read.At("spec", "kubernetes", "kubelet", "cpuManagerPolicy").Line())
	_, dropped = members.InRelease(members.Shoot, object, "v1.100.0")
	assert.Equal(t, []string{"spec.provider.workers[0].updateStrategy"}, dropped)
	same, dropped := members.InRelease(members.Shoot, object, "v1.130.0")
	assert.Empty(t, dropped)
	assert.True(t, tree.Equal(object, same))
}
