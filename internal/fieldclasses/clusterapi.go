package fieldclasses

import "slices"

const (
	clusterAPIRelease = "sigs.k8s.io/cluster-api v1.14.2"
	infrastructure    = "infrastructure.cluster.x-k8s.io"
	mdutil            = "core/reconcilers/machinedeployment/mdutil/util.go"
	mdWebhook         = "core/webhooks/admission/machinedeployment.go"
	mdController      = "core/reconcilers/machinedeployment/machinedeployment_controller.go"
	msController      = "core/reconcilers/machineset/machineset_controller.go"
	mdSync            = "core/reconcilers/machinedeployment/machinedeployment_sync.go"
)

// newMachines is the reason of fields that Cluster API reads when it creates a machine.
const newMachines = "only machines that are created later follow the field"

// rotate is the reason of templates that a webhook keeps.
const rotate = "the webhook refuses edits of spec.template.spec: create a template of another name, and refer to it"

func clusterAPI() []Kind {
	return []Kind{
		machineDeployment(), kubeadmConfigTemplate(), awsMachineTemplate(), azureMachineTemplate(),
		openStackMachineTemplate(), metal3MachineTemplate(),
	}
}

// machineDeployment has the fields of v1beta1 and of v1beta2.
func machineDeployment() Kind {
	return Kind{"cluster.x-k8s.io", "MachineDeployment", clusterAPIRelease, slices.Concat(
		mdRollout(), mdInPlace(), mdOperation(), mdRefused())}
}

// mdRollout are the fields by which a MachineDeployment tells whether machines are up to date.
func mdRollout() (rows []Row) {
	const (
		source = mdutil + ": MachineTemplateUpToDate"
		reason = "Cluster API replaces the machines, under the strategy OnDelete as they are deleted; with a runtime " +
			"extension for in-place updates they may be updated instead"
	)
	for _, path := range []string{
		"template.spec.version", "template.spec.failureDomain", "template.spec.bootstrap.dataSecretName",
		"template.spec.bootstrap.configRef.apiGroup", "template.spec.bootstrap.configRef.kind",
		"template.spec.bootstrap.configRef.name", "template.spec.infrastructureRef.apiGroup",
		"template.spec.infrastructureRef.kind", "template.spec.infrastructureRef.name",
	} {
		rows = append(rows, Row{Path: path, Class: Roll, Reason: reason, Source: source})
	}
	for _, ref := range []string{"template.spec.bootstrap.configRef", "template.spec.infrastructureRef"} {
		rows = append(rows, Row{
			Path: ref + ".apiVersion", Class: Undecided,
			Reason: "Cluster API compares the group, and not the version: another group replaces the machines",
			Source: source,
		})
		for _, name := range []string{"namespace", "uid", "resourceVersion", "fieldPath"} {
			rows = append(rows, Row{
				Path: ref + "." + name, Class: NoEffect, Reason: "Cluster API does not store the field",
				Source: "core/webhooks/conversion/machinedeployment.go: references in v1beta2",
			})
		}
	}
	return rows
}

// mdInPlace are the fields of a MachineDeployment that are copied to running machines.
func mdInPlace() (rows []Row) {
	const reason = "Cluster API copies the field to running machines, without a rollout"
	for _, path := range []string{
		"template.metadata.annotations", "minReadySeconds", "template.spec.minReadySeconds",
		"template.spec.readinessGates", "template.spec.taints", "template.spec.deletion",
		"template.spec.nodeDrainTimeout", "template.spec.nodeDeletionTimeout", "template.spec.nodeVolumeDetachTimeout",
	} {
		rows = append(rows, Row{
			Path: path, Class: Hot, Reason: reason, Source: mdutil + ": MachineTemplateDeepCopyRolloutFields",
		})
	}
	return append(rows, Row{
		Path: "template.metadata.labels", Class: Hot,
		Reason: reason + "; the webhook refuses labels that spec.selector does not match",
		Source: mdutil + ": MachineTemplateDeepCopyRolloutFields; " + mdWebhook + ": validate",
	})
}

// mdOperation are the fields of a MachineDeployment that its controller reads.
func mdOperation() []Row {
	return slices.Concat(
		rowsOf(Undecided, "machines are created or deleted until there are this many; the others stay",
			mdSync+": scale", "replicas"),
		rowsOf(Undecided, "a paused MachineDeployment does nothing; when it goes on, it does what was edited meanwhile",
			mdController+": reconcile returns before a rollout", "paused"),
		rowsOf(Undecided, "machines that are older are replaced once this time has passed",
			mdutil+": FindNewAndOldMachineSets", "rollout.after", "rolloutAfter"),
		rowsOf(NoEffect, "the field paces rollouts, and begins none",
			mdutil+": MaxSurge, MaxUnavailable", "rollout.strategy", "strategy"),
		rowsOf(Undecided, "a rollout that waits under OnDelete begins under RollingUpdate",
			mdController+": rolloutOnDelete, rolloutRollingUpdate", "rollout.strategy.type", "strategy.type"),
		rowsOf(Undecided, "the number holds back replacements of unhealthy machines",
			msController+": reconcileUnhealthyMachines", "remediation", "strategy.remediation"),
		rowsOf(Undecided, "MachineSets that the selector no longer matches keep their machines, and others are created",
			mdController+": getAndAdoptMachineSetsForDeployment", "selector"),
		rowsOf(NoEffect, "the field chooses the machines that a smaller number deletes",
			"core/reconcilers/machineset/machineset_deletion_order.go: getDeletePriorityFunc", "deletion"),
		rowsOf(NoEffect, newMachines,
			msController+": MachineNaming.Template", "machineNaming", "machineNamingStrategy"),
		rowsOf(NoEffect, "Cluster API does not read the field",
			"core/webhooks/conversion/machinedeployment.go", "progressDeadlineSeconds", "revisionHistoryLimit"),
		rowsOf(NoEffect, "Cluster API does not compare the field",
			mdutil+": MachineTemplateDeepCopyRolloutFields", "template.spec.providerID"),
	)
}

// mdRefused are the fields of a MachineDeployment that its webhook keeps.
func mdRefused() []Row {
	const source = mdWebhook + ": validate"
	return slices.Concat(
		rowsOf(Refused, "the webhook refuses another cluster", source, "clusterName"),
		rowsOf(Refused, "the webhook refuses a cluster other than spec.clusterName, which cannot change", source,
			"template.spec.clusterName"),
	)
}

func kubeadmConfigTemplate() Kind {
	return Kind{"bootstrap.cluster.x-k8s.io", "KubeadmConfigTemplate", clusterAPIRelease, []Row{{
		Path: "template", Class: NoEffect,
		Reason: newMachines + ": a MachineDeployment compares the name of the template",
		Source: mdutil + ": MachineTemplateUpToDate; bootstrap/kubeadm/webhooks/admission/kubeadmconfigtemplate.go",
	}}}
}

// metadataOfTemplate is the row of labels and annotations that a machine gets when it is created.
func metadataOfTemplate(source string) Row {
	return Row{Path: "template.metadata", Class: NoEffect, Reason: newMachines, Source: source}
}

func awsMachineTemplate() Kind {
	const webhook = "webhooks/awsmachinetemplate_webhook.go: ValidateUpdate"
	return Kind{infrastructure, "AWSMachineTemplate", "sigs.k8s.io/cluster-api-provider-aws/v2 v2.13.0", []Row{
		metadataOfTemplate(webhook + " compares spec.template.spec"),
		{Path: "template.spec", Class: Refused, Reason: rotate, Source: webhook},
		{
			Path: "template.spec.instanceMetadataOptions", Class: Refused, Reason: rotate, Source: webhook,
			OneSided: "the webhook accepts the options if the template had none at all, and only machines that are " +
				"created later follow them",
		},
	}}
}

func azureMachineTemplate() Kind {
	const (
		webhook   = "internal/webhooks/azuremachinetemplate_webhook.go: ValidateUpdate"
		defaulted = "the webhook accepts a value that it would fill in itself"
	)
	rows := []Row{
		metadataOfTemplate(webhook + " compares spec.template.spec"),
		{Path: "template.spec", Class: Refused, Reason: rotate, Source: webhook},
	}
	for _, path := range []string{
		"template.spec.sshPublicKey", "template.spec.dataDisks", "template.spec.networkInterfaces",
	} {
		rows = append(rows, Row{
			Path: path, Class: Refused, Reason: rotate, OneSided: defaulted, Source: webhook + " and Default",
		})
	}
	return Kind{infrastructure, "AzureMachineTemplate", "sigs.k8s.io/cluster-api-provider-azure v1.26.0", rows}
}

func openStackMachineTemplate() Kind {
	const release = "sigs.k8s.io/cluster-api-provider-openstack v0.14.7"
	return Kind{infrastructure, "OpenStackMachineTemplate", release, []Row{{
		Path: "template.spec", Class: Refused, Reason: rotate,
		Source: "pkg/webhooks/openstackmachinetemplate_webhook.go: ValidateUpdate",
	}}}
}

func metal3MachineTemplate() Kind {
	const webhook = "internal/webhooks/v1beta2/metal3machinetemplate_webhook.go: ValidateUpdate accepts the edit"
	const release = "github.com/metal3-io/cluster-api-provider-metal3 v1.13.2"
	return Kind{infrastructure, "Metal3MachineTemplate", release, []Row{
		metadataOfTemplate(webhook),
		{Path: "template.spec", Class: NoEffect, Reason: newMachines, Source: webhook},
		{
			Path: "template.spec.automatedCleaningMode", Class: Hot,
			Reason:   "the controller copies the mode to the running machines of the template",
			OneSided: "the controller copies a mode to running machines, and does not remove one",
			Source:   "baremetal/metal3machinetemplate_manager.go: UpdateAutomatedCleaningMode",
		},
		{
			Path: "nodeReuse", Class: NoEffect, Reason: "the field chooses the hosts of machines that replace others",
			Source: "baremetal/metal3machine_manager.go: NodeReuse",
		},
	}}
}
