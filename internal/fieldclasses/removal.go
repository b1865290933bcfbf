package fieldclasses

import "strings"

// Removal is what the removal of an object of a kind does to machines. The text is that of a classes file.
type Removal string

// The removals.
const (
	WithMachines Removal = "machines" // the machines of the object are deleted
	WhileUnused  Removal = "blocked"  // the object stays while others use it
	NoMachines   Removal = "none"     // no machine belongs to the object
)

// removals say what the removal of each kind does, and where that was read.
//
//   - NodeClaims have their NodePool as owner: sigs.k8s.io/karpenter v1.14.1,
//     pkg/controllers/provisioning/scheduling/nodeclaimtemplate.go.
//   - The finalizer of a node class waits for its NodeClaims: github.com/aws/karpenter-provider-aws v1.14.1,
//     pkg/controllers/nodeclass/controller.go; github.com/Azure/karpenter-provider-azure v1.14.2 and
//     github.com/cloudpilot-ai/karpenter-provider-gcp v0.5.0, pkg/controllers/nodeclass/termination/controller.go.
//   - MachineSets have their MachineDeployment as owner, and Machines their MachineSet; templates are copied for
//     each machine: Cluster API v1.14.2, core/reconcilers, and the contracts of its providers.
var removals = map[string]Removal{
	"karpenter.sh/NodePool":                            WithMachines,
	"karpenter.k8s.aws/EC2NodeClass":                   WhileUnused,
	"karpenter.azure.com/AKSNodeClass":                 WhileUnused,
	"karpenter.k8s.gcp/GCENodeClass":                   WhileUnused,
	"cluster.x-k8s.io/MachineDeployment":               WithMachines,
	"bootstrap.cluster.x-k8s.io/KubeadmConfigTemplate": NoMachines,
}

// RemovalOf returns what the removal of an object of a kind does; empty if that was not read.
func RemovalOf(group, kind string) Removal {
	if group == infrastructure && strings.HasSuffix(kind, "MachineTemplate") { // by the contract of the providers
		return NoMachines
	}
	return removals[group+"/"+kind]
}
