package updater

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	runtimeapi "k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/internal/ratio"
)

// machineOfMCM is a Machine as MCM leaves it: with the node template of a worker pool, the conditions of its
// node, and the record of its last update.
const machineOfMCM = `{
  "apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "Machine",
  "metadata": {
    "name": "shoot--garden--prod-general-z1-6b7f9-%05[1]d", "namespace": "shoot--garden--prod", "generation": 3,
    "uid": "0d5c7c3e-2f0b-4b0e-9c55-0000000%05[1]d", "resourceVersion": "1840%05[1]d", "creationTimestamp": "2026-11-02T08:11:09Z",
    "labels": {"machine-template-hash": "2478152635", "name": "shoot--garden--prod-general-z1", "node": "ip-10-250-7-%[1]d.eu-west-1.compute.internal"},
    "annotations": {
      "hotupdate.machine.sapcloud.io/applied": "{\"providerID\":\"aws:///eu-west-1/i-0d5c7c3e2f0b4%05[1]d\",\"applied\":{\"tags\":{\"cost-center\":\"4711\",\"team\":\"orders\"}},\"at\":\"2026-11-02T08:14:09Z\"}",
      "machinepriority.machine.sapcloud.io": "3"
    },
    "finalizers": ["machine.sapcloud.io/machine-controller-manager"],
    "ownerReferences": [{"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineSet", "name": "shoot--garden--prod-general-z1-6b7f9",
      "uid": "5c1b4b1e-66d5-4c0c-9a5b-000000000001", "controller": true, "blockOwnerDeletion": true}],
    "managedFields": [{"manager": "machine-controller", "operation": "Update", "apiVersion": "machine.sapcloud.io/v1alpha1",
      "time": "2026-11-02T08:14:09Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {"f:conditions": {}, "f:currentStatus": {"f:phase": {}}}}}]
  },
  "spec": {
    "class": {"kind": "MachineClass", "name": "shoot--garden--prod-general-z1-0a1b2"},
    "providerID": "aws:///eu-west-1/i-0d5c7c3e2f0b4%05[1]d",
    "nodeTemplate": {
      "metadata": {"annotations": {"node.machine.sapcloud.io/last-applied-anno-labels-taints": "{}", "worker.gardener.cloud/critical-components-ready-timeout": "10m"},
        "labels": {"kubernetes.io/arch": "amd64", "networking.gardener.cloud/node-local-dns-enabled": "true", "node.kubernetes.io/role": "node",
          "topology.ebs.csi.aws.com/zone": "eu-west-1a", "worker.garden.sapcloud.io/group": "general", "worker.gardener.cloud/cri-name": "containerd",
          "worker.gardener.cloud/image-name": "gardenlinux", "worker.gardener.cloud/image-version": "1592.1.0", "worker.gardener.cloud/kubernetes-version": "1.33.4",
          "worker.gardener.cloud/pool": "general", "worker.gardener.cloud/system-components": "true"}},
      "spec": {"taints": [{"effect": "NoSchedule", "key": "node.gardener.cloud/critical-components-not-ready"}]}
    }
  },
  "status": {
    "node": "ip-10-250-7-%[1]d.eu-west-1.compute.internal",
    "addresses": [{"type": "InternalIP", "address": "10.250.7.9"}, {"type": "Hostname", "address": "ip-10-250-7-%[1]d.eu-west-1.compute.internal"}],
    "currentStatus": {"phase": "Running", "lastUpdateTime": "2026-11-02T08:14:09Z"},
    "lastOperation": {"type": "Create", "state": "Successful", "description": "Machine joined the cluster", "lastUpdateTime": "2026-11-02T08:14:09Z"},
    "conditions": [%[2]s]
  }
}`

// conditionOfMCM is a condition that MCM copies from a node.
const conditionOfMCM = `{"type": %q, "status": "False", "reason": "KubeletHasSufficientMemory", "message": "kubelet has sufficient memory available",
  "lastHeartbeatTime": "2026-11-28T08:14:09Z", "lastTransitionTime": "2026-11-02T08:13:09Z"}`

// conditionsOfMCM are those of a node of Gardener, with its node-problem-detector.
var conditionsOfMCM = []string{
	"MemoryPressure", "DiskPressure", "PIDPressure", "Ready", "NetworkUnavailable", "ClusterNetworkProblem", "CorruptDockerOverlay2",
	"FrequentContainerdRestart", "FrequentDockerRestart", "FrequentKubeletRestart", "FrequentUnregisterNetDevice", "HostNetworkProblem",
	"KernelDeadlock", "ReadonlyFilesystem", "NodeAgentHealthy",
}

// machineNumber reads a Machine as an informer does.
func machineNumber(tb testing.TB, i int) *object {
	tb.Helper()
	conditions := ""
	for _, name := range conditionsOfMCM {
		if conditions != "" {
			conditions += ", "
		}
		conditions += fmt.Sprintf(conditionOfMCM, name)
	}
	found := &object{}
	require.NoError(tb, json.Unmarshal(fmt.Appendf(nil, machineOfMCM, i, conditions), found))
	return found
}

// bytesOfMachines returns how much memory each of many Machines takes, as they are kept.
func bytesOfMachines(tb testing.TB, keep func(machine *object) any) float64 {
	tb.Helper()
	const machines = 1000
	kept := make([]any, machines)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range kept {
		kept[i] = keep(machineNumber(tb, i))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return float64(after.HeapAlloc-before.HeapAlloc) / machines
}

func transformed(machine *object) any {
	kept, _ := without(unreadOfMachines)(machine)
	kept, _ = without([][]string{{"metadata", "managedFields"}})(kept)
	return kept
}

// TestMachinesAreSmall: what an Updater keeps of a Machine is less than half of it.
func TestMachinesAreSmall(t *testing.T) {
	whole := bytesOfMachines(t, func(machine *object) any { return machine })
	kept := bytesOfMachines(t, transformed)
	t.Logf("whole %.0f bytes, kept %.0f", whole, kept)
	assert.Less(t, kept, whole/2)
}

// pools returns a cache with MachineDeployments that are updated in place, each with two MachineSets and a Machine.
func pools(tb testing.TB, n int) *caches {
	tb.Helper()
	var objects []runtimeapi.Object
	for i := range n {
		name := strconv.Itoa(i)
		deployment := made("MachineDeployment", name, "", "", "new-"+name)
		deployment.Object["spec"].(map[string]any)["strategy"] = map[string]any{"type": "InPlaceUpdate"}
		objects = append(objects, deployment,
			made("MachineSet", "old-"+name, "MachineDeployment", name, "old-"+name),
			made("MachineSet", "new-"+name, "MachineDeployment", name, "new-"+name),
			made("Machine", name, "MachineSet", "new-"+name, "new-"+name))
	}
	return known(tb, objects...)
}

// TestOriginsOfManyPools: to find the classes of a machine, no set of another pool is read.
func TestOriginsOfManyPools(t *testing.T) {
	allocated := func(n int) float64 {
		c := pools(t, n)
		machine, err := c.get(c.machines, "0")
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 100 {
			origins, err := c.origins(machine)
			require.NoError(t, err)
			require.Equal(t, []string{"new-0", "old-0"}, origins)
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / 100
	}
	few := allocated(4)
	many := allocated(400)
	t.Logf("bytes: %.0f with 4 pools, %.0f with 400", few, many)
	assert.Less(t, many, 2*few)
}

// BenchmarkOrigins finds the classes of a machine beside 800 MachineSets, and sets it beside 8. The cost must not rise
// with the sets of other pools.
func BenchmarkOrigins(b *testing.B) {
	find := func(pools *caches) func() {
		machine, err := pools.get(pools.machines, "0")
		require.NoError(b, err)
		return func() {
			for range 1000 { // a turn takes milliseconds
				_, _ = pools.origins(machine)
			}
		}
	}
	ratio.Report(b, 2, find(pools(b, 400)), find(pools(b, 4)))
}

// BenchmarkMachine reports how much memory a Machine takes as it is kept and as a whole, and the ratio with its limit,
// see TestMachinesAreSmall.
func BenchmarkMachine(b *testing.B) {
	for b.Loop() {
		kept := bytesOfMachines(b, transformed)
		whole := bytesOfMachines(b, func(machine *object) any { return machine })
		b.ReportMetric(kept, "B/machine")
		b.ReportMetric(whole, "B/whole")
		b.ReportMetric(kept/whole, "×whole")
		b.ReportMetric(0.5, "limit-×whole")
	}
}
