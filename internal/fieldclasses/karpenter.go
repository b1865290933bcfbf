package fieldclasses

import "slices"

// The files of Karpenter and of its providers.
const (
	nodePoolTypes = "pkg/apis/v1/nodepool.go"
	nodePoolHash  = nodePoolTypes + ": NodePool.Hash has the field"
	nodePoolDrift = "pkg/controllers/nodeclaim/disruption/drift.go"
	ec2Types      = "pkg/apis/v1/ec2nodeclass.go"
	ec2Hash       = ec2Types + ": EC2NodeClass.Hash has the field"
	ec2Drift      = "pkg/cloudprovider/drift.go"
	aksTypes      = "pkg/apis/v1beta1/aksnodeclass.go"
	aksHash       = aksTypes + ": AKSNodeClass.Hash has the field"
	gceTypes      = "pkg/apis/v1alpha1/gcenodeclass.go"
	gceHash       = gceTypes + ": GCENodeClass.Hash has the field"
)

// drifts is the reason of all fields that a hash of Karpenter has.
const drifts = "Karpenter hashes the field: nodes launched with another value drift and are replaced"

// onlyLaunches is the reason of fields that Karpenter reads when it launches a node.
const onlyLaunches = "only nodes that are launched later follow the field"

func karpenter() []Kind { return []Kind{nodePool(), ec2NodeClass(), aksNodeClass(), gceNodeClass()} }

// hashed are the rows of fields that a hash of Karpenter has. The hash takes lists as sets, which is the
// option set of those in sets.
func hashed(source string, paths, sets []string) (rows []Row) {
	for _, path := range paths {
		rows = append(rows, Row{Path: path, Class: Roll, Reason: drifts, Source: source})
	}
	for _, path := range sets {
		rows = append(rows, Row{Path: path, Class: Roll, Options: "set", Reason: drifts, Source: source})
	}
	return rows
}

func nodePool() Kind {
	const (
		disruption = "pkg/controllers/disruption/controller.go: methods by which nodes are disrupted"
		scheduling = "pkg/controllers/provisioning/provisioner.go: pools are sorted by weight for pods that wait"
	)
	rows := hashed(nodePoolHash,
		[]string{
			"template.metadata.labels", "template.metadata.annotations", "template.spec.expireAfter",
			"template.spec.terminationGracePeriod", "template.spec.nodeClassRef.name",
		},
		[]string{"template.spec.taints", "template.spec.startupTaints"})
	return Kind{"karpenter.sh", "NodePool", "sigs.k8s.io/karpenter v1.14.1", append(rows,
		Row{
			Path: "template.spec.nodeClassRef.group", Class: Refused, Reason: "a rule of the CRD refuses another group",
			Source: nodePoolTypes + ": rule self.group == oldSelf.group",
		},
		Row{
			Path: "template.spec.nodeClassRef.kind", Class: Refused, Reason: "a rule of the CRD refuses another kind",
			Source: nodePoolTypes + ": rule self.kind == oldSelf.kind",
		},
		requirements("template.spec.requirements", "key=key"),
		requirements("template.spec.requirements[].values", "set"),
		Row{
			Path: "disruption.budgets", Class: Undecided,
			Reason: "budgets hold back replacements that are due: other budgets may let them begin",
			Source: "pkg/controllers/disruption/helpers.go: BuildDisruptionBudgetMapping",
		},
		Row{
			Path: "disruption.consolidateAfter", Class: Undecided,
			Reason: "no node drifts, but consolidation removes empty or underutilized nodes sooner or later than " +
				"before",
			Source: disruption,
		},
		Row{
			Path: "disruption.consolidationPolicy", Class: Undecided,
			Reason: "no node drifts, but consolidation may remove other nodes than before", Source: disruption,
		},
		Row{
			Path: "limits", Class: NoEffect, Reason: "limits hold back only nodes that are not launched yet",
			Source: nodePoolTypes + ": Limits.ExceededBy, which only provisioning asks",
		},
		Row{Path: "weight", Class: NoEffect, Reason: onlyLaunches, Source: scheduling},
		Row{
			Path: "replicas", Class: Undecided,
			Reason: "a static pool gets or loses nodes until it has this number; the others stay",
			Source: "pkg/controllers/static/provisioning and deprovisioning",
		},
	)}
}

// requirements is the row of a part of a NodePool's requirements, all of which a node's labels have to satisfy.
func requirements(path, options string) Row {
	return Row{
		Path: path, Class: Undecided, Options: options,
		Reason: "Karpenter replaces the nodes whose labels no longer satisfy the requirements, and only these",
		Source: nodePoolDrift + ": areRequirementsDrifted",
	}
}

// selected are the rows of EC2NodeClass' selectors: the hash ignores them, and Karpenter compares what one of their
// terms selects with the instance.
func selected() []Row {
	return []Row{
		{
			Path: "amiSelectorTerms", Class: Undecided, Options: "set",
			Reason: "Karpenter replaces the nodes whose image is not among the selected ones, and all nodes if the " +
				"alias is of another family",
			Source: ec2Drift + ": isAMIDrifted; " + ec2Types + ": AMIFamily",
		},
		{
			Path: "subnetSelectorTerms", Class: Undecided, Options: "set",
			Reason: "Karpenter replaces the nodes whose subnet is not among the selected ones",
			Source: ec2Drift + ": isSubnetDrifted",
		},
		{
			Path: "securityGroupSelectorTerms", Class: Undecided, Options: "set",
			Reason: "Karpenter replaces the nodes whose security groups are not exactly the selected ones",
			Source: ec2Drift + ": areSecurityGroupsDrifted",
		},
		{
			Path: "capacityReservationSelectorTerms", Class: Undecided, Options: "set",
			Reason: "Karpenter replaces the nodes in a capacity reservation that is not among the selected ones",
			Source: ec2Drift + ": isCapacityReservationDrifted",
		},
	}
}

func ec2NodeClass() Kind {
	rows := hashed(ec2Hash,
		[]string{
			"associatePublicIPAddress", "connectionTracking", "context", "cpuOptions", "detailedMonitoring",
			"instanceProfile", "instanceStorePolicy", "kubelet", "metadataOptions", "placementGroupSelector", "role",
			"tags", "userData",
		},
		[]string{"blockDeviceMappings", "networkInterfaces", "kubelet.clusterDNS"})
	rows = slices.Concat(rows, selected(), []Row{
		{
			Path: "amiFamily", Class: Roll, Reason: drifts, Source: ec2Types + ": EC2NodeClass.Hash has AMIFamily()",
			OneSided: "Karpenter hashes the effective family: one that the alias has already replaces no node",
		},
		{
			Path: "ipPrefixCount", Class: NoEffect, Reason: onlyLaunches,
			Source: ec2Types + `: hash:"ignore"; ` + ec2Drift + " does not read it",
		},
	})
	return Kind{"karpenter.k8s.aws", "EC2NodeClass", "github.com/aws/karpenter-provider-aws v1.14.1", rows}
}

func aksNodeClass() Kind {
	rows := hashed(aksHash,
		[]string{
			"artifactStreaming", "fipsMode", "gpu", "imageFamily", "kubelet", "linuxOSConfig", "localDNS", "maxPods",
			"osDiskSizeGB", "security", "vnetSubnetID",
		},
		[]string{"kubelet.allowedUnsafeSysctls", "localDNS.vnetDNSOverrides", "localDNS.kubeDNSOverrides"})
	return Kind{"karpenter.azure.com", "AKSNodeClass", "github.com/Azure/karpenter-provider-azure v1.14.2", append(rows,
		Row{
			Path: "tags", Class: Hot, Reason: "Karpenter sets the tags on the resources of running nodes",
			Source: aksTypes + `: hash:"ignore"; pkg/controllers/nodeclaim/inplaceupdate/controller.go: applyVMPatch`,
		},
	)}
}

func gceNodeClass() Kind {
	rows := hashed(gceHash,
		[]string{
			"autoGPUTaint", "confidentialInstanceType", "gpuDriverVersion", "imageFamily", "kubeletConfiguration",
			"labels", "metadata", "networkConfig", "serviceAccount", "shieldedInstanceConfig", "subnetRangeName",
		},
		[]string{
			"disks", "kubeletConfiguration.clusterDNS", "networkTags", "networkConfig.additionalNetworkInterfaces",
		})
	const release = "github.com/cloudpilot-ai/karpenter-provider-gcp v0.5.0"
	return Kind{"karpenter.k8s.gcp", "GCENodeClass", release, append(rows,
		Row{
			Path: "imageSelectorTerms", Class: Undecided,
			Reason: "Karpenter replaces the nodes whose image is not among the selected ones, and all nodes if the " +
				"terms are of another image family",
			Source: "pkg/cloudprovider/drift.go: isImageDrifted; " + gceTypes + ": ImageFamily",
		},
	)}
}
