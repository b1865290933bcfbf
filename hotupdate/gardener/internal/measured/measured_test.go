package measured_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/measured"
)

// node is a node of an exported Schema.
type node struct {
	Kind   string
	Elem   *node
	Fields []struct {
		Name, Class string
		Inherited   bool
		Type        *node
	}
}

// ignored returns the paths of the members whose own class is ignored.
func (n *node) ignored(path string) (paths []string) {
	for _, f := range n.Fields {
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		if f.Class == "ignored" && !f.Inherited {
			paths = append(paths, at)
		}
		paths = append(paths, f.Type.ignored(at)...)
	}
	if n.Elem != nil {
		paths = append(paths, n.Elem.ignored(path+map[string]string{"list": "[]", "map": "{}"}[n.Kind])...)
	}
	return paths
}

// TestUnhashed: the ignored members in the Schema of a Shoot are those that Gardener does not hash. Of some, Gardener's
// documentation says whether they replace machines.
func TestUnhashed(t *testing.T) {
	t.Parallel()
	unhashed, err := measured.Unhashed()
	require.NoError(t, err)
	text, err := os.ReadFile("../../../cmd/hotupdate/internal/kinds/shoot.schema.json")
	require.NoError(t, err)
	var schema struct{ Root *node }
	require.NoError(t, json.Unmarshal(text, &schema))
	assert.ElementsMatch(t, unhashed, schema.Root.ignored(""), "write the files again, by go generate ./internal/shapes")
	assert.Subset(t, unhashed, []string{
		"spec.purpose", "spec.dns.providers", "spec.kubernetes.kubeAPIServer.featureGates", "spec.kubernetes.kubelet.maxPods",
		"spec.provider.workers[].labels", "spec.provider.workers[].kubernetes.kubelet.maxPods", "spec.provider.workers[].zones",
	})
	for _, hashed := range []string{
		"spec.kubernetes.version", "spec.kubernetes.kubeProxy.mode", "spec.kubernetes.kubeProxy.enabled",
		"spec.kubernetes.kubelet.kubeReserved.cpu", "spec.kubernetes.kubelet.cpuManagerPolicy",
		"spec.systemComponents.nodeLocalDNS.enabled", "spec.provider.workers[].machine.type",
		"spec.provider.workers[].machine.image.version", "spec.provider.workers[].volume.size",
		"spec.provider.workers[].cri.name", "spec.provider.workers[].kubernetes.kubelet.evictionHard.memoryAvailable",
		"spec.provider.workers[].name", "spec.provider.workers[].updateStrategy",
	} {
		assert.NotContains(t, unhashed, hashed, hashed)
	}
}
