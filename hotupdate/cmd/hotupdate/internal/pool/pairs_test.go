package pool_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// change is a pair of manifests: a file of testdata/pairs with edits on both sides, and with more
// edits on the new one. Released and adopted are the verdicts for today's extension and for one
// that has adopted this library. Why names the deciding part of Gardener or of the extension.
type change struct {
	file              string
	both, updated     []edit
	released, adopted verdict.Verdict
	why               string
}

const (
	none    = verdict.None
	hot     = verdict.HotUpdate
	grows   = verdict.MachinesAdded
	mayLose = verdict.MachinesMayBeDeleted
	deletes = verdict.MachinesDeleted
	drains  = verdict.InPlaceUpdate
	rolls   = verdict.Roll
	refused = verdict.Forbidden
	unknown = verdict.Indeterminate

	onAWS       = "aws.yaml"
	onAzure     = "azure.yaml"
	onGCP       = "gcp.yaml"
	onOpenStack = "openstack.yaml"
	onAliCloud  = "alicloud.yaml"
	onSeed      = "worker.yaml"
)

type (
	edits  = []edit
	object = map[string]any
	list   = []any
)

// at edits the only worker of a Shoot, config its provider config.
func at(path string, value any) edit { return edit{shootsPool + path, value} }

func config(path string, value any) edit { return edit{shootsPool + "providerConfig." + path, value} }
func minor(m string) edit                { return edit{"spec.kubernetes.version", m + ".4"} }
func strategy(name string) edit          { return at("updateStrategy", name) }
func annotation(name, value string) edit { return edit{"metadata.annotations", object{name: value}} }

var (
	inPlaceAuto   = strategy("AutoInPlaceUpdate")
	inPlaceManual = strategy("ManualInPlaceUpdate")
	pending       = edit{"status.inPlaceUpdates.pendingWorkerUpdates.autoInPlaceUpdate", list{"general"}}
	reserved      = edit{"spec.kubernetes.kubelet.kubeReserved", object{"cpu": "80m", "memory": "1Gi", "pid": "20k"}}
	tagged        = config("tags.vm.cost-center", "4711")
	reordered     = config(
		"dataVolumes", list{object{"name": "cache", "snapshotID": "snap-13234"}, object{"name": "kubelet-dir", "iops": 3000}},
	)
)

// changesOfConfigs are judged by the extension's hash at the pool's minor.
func changesOfConfigs() []change {
	return []change{
		{onAWS, edits{minor("1.33")}, edits{tagged}, refused, hot, "the strict decoder of today's release does not know the field"},
		{onAWS, edits{minor("1.34")}, edits{tagged}, refused, hot, "the same, above the first era"},
		{onAWS, edits{minor("1.37")}, edits{tagged}, refused, hot, "the same, in the canonical era"},
		{onAWS, edits{minor("1.33")}, edits{reordered}, rolls, rolls, "raw bytes: the order of lists counts"},
		{onAWS, edits{minor("1.34")}, edits{reordered}, rolls, rolls, "hand-written list: data volumes in their order"},
		{
			onAWS,
			edits{minor("1.37")},
			edits{reordered},
			rolls, none,
			"the list goes on in today's release; canonically they are found by name",
		},
		{onAWS, edits{minor("1.33")}, edits{config("instanceMetadataOptions", object{})}, rolls, rolls, "raw bytes: empty objects count"},
		{
			onAWS,
			edits{minor("1.34")},
			edits{config("instanceMetadataOptions", object{})},
			none, hot,
			"the list has nothing of it; new machines lose the defaults",
		},
		{onAWS, edits{minor("1.37")}, edits{config("instanceMetadataOptions", object{})}, none, hot, "the field says presence, and is hot"},
		{onAWS, edits{minor("1.33")}, edits{config("cpuOptions", object{})}, rolls, rolls, "raw bytes"},
		{onAWS, edits{minor("1.34")}, edits{config("cpuOptions", object{})}, none, none, "the list has nothing of it"},
		{onAWS, edits{minor("1.37")}, edits{config("cpuOptions", object{})}, none, none, "an empty object is none"},
		{onAWS, edits{minor("1.33")}, edits{config("cpuOptions.amdSevSnp", "enabled")}, rolls, rolls, "raw bytes"},
		{onAWS, edits{minor("1.34")}, edits{config("cpuOptions.amdSevSnp", "enabled")}, none, none, "the list forgets the field"},
		{onAWS, edits{minor("1.37")}, edits{config("cpuOptions.amdSevSnp", "enabled")}, none, rolls, "canonically no field is forgotten"},
		{
			onAWS,
			edits{minor("1.33")},
			edits{config("volume.iops", 4000)},
			rolls, rolls,
			"it became hot later: the names of living pools hold it",
		},
		{onAWS, edits{minor("1.36")}, edits{config("volume.iops", 4000)}, rolls, rolls, "the same"},
		{
			onAWS,
			edits{minor("1.37")},
			edits{config("volume.iops", 4000)},
			rolls, hot,
			"the list goes on in today's release; canonically it is hot",
		},
		{onAWS, edits{minor("1.36")}, edits{tagged, config("volume.iops", 4000)}, refused, rolls, "together with a tag"},
		{onAWS, edits{minor("1.34")}, edits{config("placement.tenancy", "host")}, rolls, rolls, "a value that is hashed in every era"},
		{onAWS, edits{minor("1.37")}, edits{config("placement.tenancy", "host")}, rolls, rolls, "the same"},
		{onAWS, edits{minor("1.33")}, edits{config("volume", object{"throughput": 3000})}, rolls, rolls, "raw bytes have names"},
		{
			onAWS,
			edits{minor("1.34")},
			edits{config("volume", object{"throughput": 3000})},
			none, hot,
			"the list has no names: iops and throughput of 3000 hash alike",
		},
		{onAWS, edits{minor("1.37")}, edits{config("volume", object{"throughput": 3000})}, none, hot, "canonically they are hot"},
		{
			onAWS,
			edits{minor("1.33")},
			edits{config("nodeTemplate.virtualCapacity", object{"cpu": "4"})},
			unknown, hot,
			"cut before hashing from v1.67 on, and machine-controller-manager puts it on nodes; an older release hashes it",
		},
		{onAWS, edits{minor("1.33")}, edits{config("nodeTemplate.capacity.cpu", "4")}, rolls, rolls, "raw bytes"},
		{onAWS, edits{minor("1.34")}, edits{config("nodeTemplate.capacity.cpu", "1500m")}, none, none, "the list rounds up: 1500m is 2"},
		{
			onAWS,
			edits{minor("1.33"), at("providerConfig", nil)},
			edits{config("apiVersion", configVersion), config("kind", configKind)},
			rolls, rolls, "a pool without config contributes no string",
		},
		{
			onAWS,
			edits{minor("1.34"), at("providerConfig", nil)},
			edits{config("apiVersion", configVersion), config("kind", configKind)},
			none, none, "the list of an empty config is empty",
		},

		{onGCP, edits{minor("1.34")}, edits{config("dataVolumes.0.storagePool", "pool-2")}, rolls, rolls, "raw bytes"},
		{onGCP, edits{minor("1.35")}, edits{config("dataVolumes.0.storagePool", "pool-2")}, none, none, "the list forgets the field"},
		{
			onGCP,
			edits{minor("1.37")},
			edits{config("dataVolumes.0.storagePool", "pool-2")},
			none, rolls,
			"canonically no field is forgotten",
		},
		{
			onGCP,
			edits{minor("1.35")},
			edits{config("serviceAccount.scopes", list{"b", "a"})},
			rolls, rolls,
			"hand-written list: scopes in their order",
		},
		{onGCP, edits{minor("1.37")}, edits{config("serviceAccount.scopes", list{"b", "a"})}, rolls, none, "canonically they are a set"},
		{onGCP, edits{minor("1.34")}, edits{config("volume", object{})}, rolls, rolls, "raw bytes"},
		{onGCP, edits{minor("1.35")}, edits{config("volume", object{})}, rolls, rolls, "hand-written list: an empty interface is a value"},
		{onGCP, edits{minor("1.35")}, edits{config("bootVolume", object{})}, rolls, rolls, "the same for the storage pool"},
		{onGCP, edits{minor("1.37")}, edits{config("volume", object{})}, rolls, none, "canonically an empty object is none"},
		{
			onGCP,
			edits{minor("1.35")},
			edits{config("serviceAccount.email", "other@shop.iam.gserviceaccount.com")},
			rolls, rolls,
			"an in-place field of a pool that rolls",
		},
		{onGCP, nil, edits{config("tags.vm.team", "x")}, refused, hot, "unknown to today's release"},

		{onAzure, edits{minor("1.34")}, edits{config("volume", object{})}, rolls, rolls, "raw bytes"},
		{onAzure, edits{minor("1.35")}, edits{config("volume.caching", "None")}, rolls, rolls, "a value that is hashed in every era"},
		{onAzure, edits{minor("1.35")}, edits{config("capacityReservation", object{})}, none, none, "the list has nothing of it"},
		{
			onAzure,
			edits{minor("1.35")},
			edits{config(
				"dataVolumes",
				list{object{"name": "b"}, object{"name": "a", "imageRef": object{"urn": "sap:gardenlinux:greatest:1592.1.0"}}},
			)},
			rolls, rolls, "hand-written list: data volumes in their order",
		},
		{onAzure, nil, edits{config("tags.vm.team", "x")}, refused, hot, "unknown to today's release"},
		{onSeed, nil, edits{{workersPool + "providerConfig.volume.caching", "None"}}, rolls, rolls, "raw bytes, as the seed holds them"},

		{
			onOpenStack, nil,
			edits{config("serverGroup.policy", "soft-affinity")},
			rolls, rolls,
			"another group with another ID, which is hashed",
		},
		{
			onOpenStack, nil,
			edits{config("machineLabels.1.value", "other")},
			none, hot,
			"a label without triggerRollingOnUpdate does nothing today",
		},
		{onOpenStack, nil, edits{config("machineLabels.0.value", "b")}, rolls, rolls, "a label with triggerRollingOnUpdate"},
		{onOpenStack, nil, edits{config("additionalSecurityGroups", list{"sg-2", "sg-1"})}, none, none, "security groups are sorted"},
		{onOpenStack, nil, edits{config("additionalSecurityGroups", list{"sg-1"})}, rolls, rolls, "a group less"},
		{onOpenStack, nil, edits{config("nodeTemplate.capacity", object{"cpu": "8"})}, none, none, "its nodeTemplate is not hashed at all"},

		{
			onAliCloud, nil,
			edits{
				config("apiVersion", "alicloud.provider.extensions.gardener.cloud/v1alpha1"), config("kind", configKind),
				config("tags.vm.team", "x"),
			},
			none, hot, "today's release looks at no provider config",
		},
		{
			onAliCloud, aliCloud("1.36", "1"), aliCloud("1.36", "2"), none, refused,
			"ignored below the canonical era, so admission refuses it",
		},
		{onAliCloud, edits{minor("1.36")}, aliCloud("1.36", "2"), none, refused, "the same"},
		{onAliCloud, aliCloud("1.36", "1"), edits{config("tags.vm.team", "x")}, none, hot, "beside ignored fields tags are hot"},
		{onAliCloud, aliCloud("1.37", "1"), aliCloud("1.37", "2"), none, rolls, "canonically no field is forgotten"},
		{onAliCloud, aliCloud("1.36", "1"), aliCloud("1.37", "2"), rolls, rolls, "the next minor"},
	}
}

// aliCloud sets a minor and a provider config of Alibaba Cloud.
func aliCloud(version, cpu string) edits {
	return edits{
		minor(version), config("apiVersion", "alicloud.provider.extensions.gardener.cloud/v1alpha1"), config("kind", configKind),
		config("nodeTemplate.capacity.cpu", cpu),
	}
}

// changesOfPools are judged by Gardener's hash and by the extension's hash of other fields than the
// config.
func changesOfPools() []change {
	kubelet := edit{"spec.kubernetes.kubelet", object{"cpuManagerPolicy": "static"}}
	dns := func(on bool) edit { return edit{"spec.systemComponents.nodeLocalDNS.enabled", on} }
	ipvs := edit{"spec.kubernetes.kubeProxy.mode", "IPVS"}
	noProxy := edit{"spec.kubernetes.kubeProxy.enabled", false}
	return []change{
		{onAWS, nil, edits{at("machine.type", "m5.xlarge")}, rolls, rolls, "node-agent secret name: machine type"},
		{onAWS, nil, edits{at("machine.image.version", "1443.0.0")}, rolls, rolls, "the image of a rolling pool may be lowered"},
		{onAWS, nil, edits{at("machine.image", nil)}, none, none, "admission keeps the image of the pool"},
		{onAWS, nil, edits{at("volume.encrypted", true)}, rolls, rolls, "AWS hashes the encryption of the root volume"},
		{onAWS, nil, edits{at("dataVolumes.0.name", "a")}, none, none, "AWS hashes data volumes without their names"},
		{
			onAWS, nil,
			edits{at(
				"dataVolumes",
				list{
					object{"name": "cache", "type": "gp3", "size": "30Gi"},
					object{"name": "kubelet-dir", "type": "gp3", "size": "25Gi", "encrypted": true},
				},
			)},
			rolls, rolls, "and in their order",
		},
		{
			onAzure, nil,
			edits{at(
				"dataVolumes",
				list{
					object{"name": "b", "type": "Standard_LRS", "size": "50Gi"},
					object{"name": "a", "type": "Premium_LRS", "size": "100Gi"},
				},
			)},
			none, none, "Azure hashes them in the order of their names",
		},
		{
			onAzure,
			edits{minor("1.33")},
			edits{at(
				"dataVolumes",
				list{
					object{"name": "a", "type": "Standard_LRS", "size": "50Gi"},
					object{"name": "b", "type": "Premium_LRS", "size": "100Gi"},
				},
			)},
			rolls, rolls, "size and type exchanged: the disks of both names differ",
		},
		{onAzure, edits{minor("1.33")}, edits{at("dataVolumes.0.name", "z")}, rolls, rolls, "a rename that changes the order of the names"},
		{onAzure, edits{minor("1.33")}, edits{at("dataVolumes.0.name", "a2")}, none, none, "a rename that keeps it: Azure hashes no names"},
		{
			onAzure,
			edits{minor("1.35")},
			edits{at(
				"dataVolumes",
				list{
					object{"name": "a", "type": "Standard_LRS", "size": "50Gi"},
					object{"name": "b", "type": "Premium_LRS", "size": "100Gi"},
				},
			)},
			rolls, rolls, "size and type exchanged: the disks of both names differ",
		},
		{onAzure, edits{minor("1.35")}, edits{at("dataVolumes.0.name", "z")}, rolls, rolls, "a rename that changes the order of the names"},
		{onAzure, edits{minor("1.35")}, edits{at("dataVolumes.0.name", "a2")}, none, none, "a rename that keeps it: Azure hashes no names"},
		{
			onAzure,
			edits{minor("1.37")},
			edits{at(
				"dataVolumes",
				list{
					object{"name": "a", "type": "Standard_LRS", "size": "50Gi"},
					object{"name": "b", "type": "Premium_LRS", "size": "100Gi"},
				},
			)},
			rolls, rolls, "size and type exchanged: the disks of both names differ",
		},
		{onAzure, edits{minor("1.37")}, edits{at("dataVolumes.0.name", "z")}, rolls, rolls, "a rename that changes the order of the names"},
		{onAzure, edits{minor("1.37")}, edits{at("dataVolumes.0.name", "a2")}, none, none, "a rename that keeps it: Azure hashes no names"},
		{onAzure, nil, edits{at("dataVolumes.0.encrypted", true)}, none, none, "Azure does not hash encryption: only new machines have it"},
		{onGCP, nil, edits{at("dataVolumes.0.name", "c")}, rolls, rolls, "GCP hashes the names of data volumes"},
		{onGCP, nil, edits{at("volume.encrypted", false)}, none, none, "GCP does not hash encryption"},
		{onOpenStack, nil, edits{at("dataVolumes.0.size", "20Gi")}, none, none, "OpenStack hashes no data volumes"},
		{onAliCloud, nil, edits{at("dataVolumes.0.size", "40Gi")}, rolls, rolls, "AliCloud hashes data volumes"},
		{onAWS, nil, edits{{"spec.kubernetes.version", "1.33.7"}}, none, none, "patch versions are not hashed"},
		{
			onAWS, nil,
			edits{{"spec.kubernetes.version", "1.33.1"}},
			none, none,
			"a patch is not hashed; whether Gardener admits a downgrade is its answer",
		},
		{onAWS, nil, edits{minor("1.34")}, rolls, rolls, "the next minor"},
		{onAWS, nil, edits{minor("1.35")}, rolls, rolls, "whether the Shoot may skip a minor is Gardener's answer"},
		{
			onAWS,
			edits{at("kubernetes.version", "1.31.1")},
			edits{at("kubernetes.version", "1.33.4")},
			rolls, rolls,
			"the pool's own version",
		},
		{
			onAWS, nil,
			edits{at("labels", object{"team": "shop"}), at("taints", list{object{"key": "a", "effect": "NoSchedule"}})},
			none,
			none, "labels and taints are not hashed",
		},
		{onAWS, nil, edits{{"spec.provider.workersSettings.sshAccess.enabled", false}}, none, none, "SSH access is not hashed"},
		{onAWS, nil, edits{at("minimum", 5)}, grows, grows, "more machines"},
		{onAWS, nil, edits{at("maximum", 3)}, mayLose, mayLose, "machines are deleted"},
		{onAWS, nil, edits{at("zones", list{"eu-west-1a", "eu-west-1b"})}, mayLose, mayLose, "minimum and maximum are spread anew"},
		{
			onAWS,
			edits{at("zones", list{"eu-west-1a", "eu-west-1b"})},
			edits{at("zones", list{"eu-west-1b"})},
			refused, refused,
			"ValidateWorkersUpdate refuses all but appended zones",
		},
		{onAWS, nil, edits{{"spec.hibernation.enabled", true}}, deletes, deletes, "every machine is deleted"},
		{
			onAWS, nil,
			edits{at("kubernetes.kubelet.maxPods", 200)},
			unknown, unknown,
			"the pool's kubelet replaces the Shoot's, with the kubeReserved that Gardener has set there, unless it sets it per pool",
		},
		{
			onGCP, nil,
			edits{at("kubernetes.kubelet.maxPods", 200)},
			rolls, rolls,
			"the Shoot has kubeReserved, so Gardener sets none per pool: the pool loses it",
		},
		{onGCP, nil, edits{{"spec.kubernetes.kubelet.maxPods", 200}}, none, none, "maxPods is not hashed"},
		{
			onAWS, nil,
			edits{kubelet},
			unknown, unknown,
			"if Gardener sets kubeReserved per pool, each pool has its own kubelet configuration",
		},
		{
			onAWS,
			edits{reserved},
			edits{{"spec.kubernetes.kubelet.cpuManagerPolicy", "static"}},
			rolls, rolls,
			"node-agent secret name: CPU manager policy, which all pools have from the Shoot",
		},
		{onAWS, edits{dns(false)}, edits{dns(true)}, rolls, rolls, "below 1.34"},
		{onAWS, nil, edits{dns(true)}, unknown, unknown, "admission enables it for new Shoots: whether it was is not known"},
		{onAzure, nil, edits{dns(false)}, none, none, "from 1.34 on only in IPVS mode"},
		{onAzure, nil, edits{ipvs}, rolls, rolls, "IPVS with node-local DNS"},
		{onOpenStack, edits{dns(false)}, edits{ipvs}, none, none, "IPVS without it"},
		{onAzure, edits{ipvs}, edits{noProxy}, rolls, rolls, "the mode of a kube-proxy that is switched off ceases to count"},
		{onAzure, edits{noProxy}, edits{ipvs}, none, none, "and does not begin to"},
		{
			onAzure, nil,
			edits{{"spec.provider.infrastructureConfig.identity", object{"name": "x", "acrAccess": true}}},
			unknown, unknown,
			"the identity is hashed, and follows from the infrastructure's state",
		},
		{
			onAzure, nil,
			edits{{"spec.provider.infrastructureConfig.zoned", false}},
			refused, refused,
			"the set of virtual machines would be hashed; admission refuses it",
		},
		{
			onAzure,
			edits{{"spec.provider.infrastructureConfig.zoned", false}},
			edits{{"spec.provider.infrastructureConfig.zoned", nil}},
			none, none, "a flag that is left out is false",
		},
		{onAWS, nil, edits{annotation("gardener.cloud/operation", "rotate-ca-start")}, rolls, rolls, "a rotation rolls every pool"},
		{
			onAWS, nil,
			edits{annotation("gardener.cloud/operation", "reconcile;rotate-credentials-start")},
			rolls, rolls,
			"one of several operations",
		},
		{
			onAWS, nil,
			edits{annotation("maintenance.gardener.cloud/operation", "rotate-serviceaccount-key-start")},
			rolls, rolls,
			"in the next maintenance window",
		},
		{
			onAWS, nil,
			edits{annotation("gardener.cloud/operation", "rotate-ca-start-without-workers-rollout")},
			none, none,
			"the pools follow later",
		},
		{
			onAWS, nil,
			edits{annotation("gardener.cloud/operation", "reconcile; rotate-credentials-start")},
			rolls, rolls,
			"GetShootGardenerOperations ignores blanks around an operation",
		},
		{onAWS, nil, edits{annotation("gardener.cloud/operation", "rotate-rollout-workers=general")}, rolls, rolls, "now they follow"},
		{onAWS, nil, edits{annotation("gardener.cloud/operation", "rotate-rollout-workers=other")}, none, none, "other pools"},
		{onAWS, nil, edits{annotation("gardener.cloud/operation", "rotate-rollout-workers=*")}, none, none, "only rollout-workers takes *"},
		{
			onAWS, nil,
			edits{annotation("gardener.cloud/operation", "rollout-workers=*")},
			rolls, rolls,
			"by a template annotation, without another name",
		},
		{onAWS, nil, edits{annotation("gardener.cloud/operation", "reconcile")}, none, none, "an operation that touches no pool"},
		{onAWS, nil, edits{inPlaceAuto}, refused, refused, "validation: from rolling to in-place"},
		{onAWS, nil, edits{strategy("AutoRollingUpdate")}, none, none, "the default, written out"},
		{onGCP, nil, edits{at("maxSurge", 0)}, none, none, "whether Gardener admits both 0 is its answer"},
		{
			onGCP, nil,
			edits{{"status.credentials.rotation.certificateAuthorities.lastInitiationTime", "2026-04-01T00:00:00Z"}},
			rolls,
			rolls, "node-agent secret name: the rotation's time",
		},
		{
			onSeed, nil,
			edits{{workersPool + "nodeAgentSecretName", "gardener-node-agent-general-fedcba9876543210"}},
			rolls, rolls,
			"something that it covers has changed",
		},
		{
			onSeed, nil,
			edits{{workersPool + "nodeAgentSecretName", nil}},
			rolls, refused,
			"built with Gardener up to 1.145 it falls back to the hash of version 1; otherwise an error of the extension",
		},
		{
			onSeed,
			edits{{workersPool + "nodeAgentSecretName", nil}},
			edits{{workersPool + "nodeAgentSecretName", "gardener-node-agent-general-0123456789abcdef"}},
			rolls, unknown, "and back again",
		},
		{onSeed, nil, edits{{workersPool + "kubernetesVersion", "1.35.0"}}, rolls, rolls, "the next minor"},
		{onSeed, nil, edits{{workersPool + "machineType", "Standard_D8s_v5"}}, rolls, rolls, "machine type"},
		{onSeed, nil, edits{{workersPool + "minimum", 2}}, grows, grows, "more machines"},
	}
}

// changesInPlace are changes of pools that are updated in place.
func changesInPlace() []change {
	auto := edits{inPlaceAuto}
	manual := edits{inPlaceManual}
	image := at("machine.image.version", "1592.2.0")
	dns := edit{"spec.systemComponents.nodeLocalDNS.enabled", true}
	return []change{
		{onAWS, auto, edits{minor("1.34")}, drains, drains, "the in-place key has the minor"},
		{onAWS, manual, edits{minor("1.34")}, drains, drains, "once nodes are selected"},
		{onAWS, auto, edits{minor("1.35")}, drains, drains, "whether a minor may be skipped is Gardener's answer"},
		{
			onAWS,
			edits{inPlaceAuto, at("kubernetes.version", "1.31.1")},
			edits{at("kubernetes.version", "1.33.4")},
			drains, drains,
			"the pool's own version",
		},
		{onAWS, auto, edits{{"spec.kubernetes.version", "1.33.7"}}, none, none, "a patch drains no node"},
		{onAWS, auto, edits{at("machine.type", "m5.xlarge")}, refused, refused, "validation: machine type"},
		{onAWS, edits{}, edits{}, none, none, "nothing"},
		{onAWS, auto, edits{at("machine.image.name", "ubuntu")}, refused, refused, "validation: image name"},
		{onAWS, auto, edits{at("cri.name", "crun")}, refused, refused, "validation: container runtime"},
		{onAWS, auto, edits{at("volume.size", "60Gi")}, refused, refused, "validation: volume"},
		{onAWS, auto, edits{image}, drains, drains, "CloudProfile: supported, from a lower version on"},
		{onAWS, auto, edits{at("machine.image.version", "1592.3.0")}, refused, refused, "CloudProfile: minVersionForUpdate is absent"},
		{onAWS, auto, edits{at("machine.image.version", "1500.0.0")}, refused, refused, "validation: an image cannot be lowered in place"},
		{
			onGCP, auto,
			edits{at("machine.architecture", "arm64")},
			none, none,
			"no name depends on it; whether Gardener admits it is its answer",
		},
		{onAWS, auto, edits{at("dataVolumes.0.size", "26Gi")}, refused, refused, "admission of the extension: data volumes"},
		{onOpenStack, auto, edits{at("dataVolumes.0.size", "26Gi")}, refused, refused, "the same, although no name depends on them"},
		{onAWS, auto, edits{config("placement.tenancy", "host")}, refused, refused, "admission: an immutable field"},
		{onAWS, auto, edits{config("volume.iops", 4000)}, refused, hot, "no name of a pool that is updated in place ever held it"},
		{onAWS, auto, edits{tagged}, refused, hot, "today's admission refuses every change of the config"},
		{
			onGCP,
			edits{inPlaceAuto, at("maxSurge", nil), at("maxUnavailable", nil)},
			edits{config("tags.vm.team", "x")},
			refused, hot,
			"the same",
		},
		{
			onOpenStack, auto,
			edits{config("additionalSecurityGroups", list{"sg-2", "sg-1"})},
			refused, none,
			"it compares bytes; the library compares by meaning",
		},
		{onOpenStack, auto, edits{config("machineLabels.1.value", "other")}, refused, hot, "a hot label"},
		{
			onGCP,
			edits{inPlaceAuto, minor("1.35")},
			edits{config("serviceAccount.email", "other@shop.iam.gserviceaccount.com")},
			refused,
			none, "an in-place field, of which no name depends in an era that hashes nothing",
		},
		{
			onGCP,
			edits{inPlaceAuto, minor("1.37")},
			edits{config("serviceAccount.email", "other@shop.iam.gserviceaccount.com")},
			refused,
			drains, "the canonical era hashes it",
		},
		{onAWS, auto, edits{inPlaceManual}, none, none, "validation: between the two is allowed"},
		{
			onAWS, auto,
			edits{inPlaceManual, at("machine.type", "m5.xlarge")},
			none, none,
			"validation looks at the type only if the strategy stays: new machines have it",
		},
		{onAWS, manual, edits{inPlaceAuto, minor("1.34")}, drains, drains, "with a change that drains"},
		{onAWS, auto, edits{strategy("AutoRollingUpdate")}, refused, refused, "validation: from in-place to rolling"},
		{onAWS, auto, edits{strategy("")}, refused, refused, "the default is rolling"},
		{onAWS, manual, edits{at("maxSurge", 1)}, none, none, "whether Gardener admits maxSurge is its answer"},
		{onAWS, auto, edits{at("maxSurge", 1), minor("1.34")}, drains, drains, "as many old machines are deleted at the end"},
		{
			onAWS,
			edits{inPlaceAuto, pending},
			edits{at("labels", object{"team": "shop"})},
			refused, refused,
			"validation: every change of a pool that is being updated",
		},
		{
			onAWS,
			edits{inPlaceAuto, pending},
			edits{{"spec.kubernetes.version", "1.33.7"}},
			refused, refused,
			"the effective version too, with its patch",
		},
		{
			onAWS,
			edits{inPlaceAuto, pending},
			edits{
				at("cri.name", "containerd"), at("machine.architecture", "amd64"), at("systemComponents.allow", true), at("taints", list{}),
			},
			none, none, "a default that is written out is no change",
		},
		{onAWS, edits{inPlaceAuto, pending}, edits{at("machine.image", nil)}, none, none, "an image that is left out is kept"},
		{onAWS, edits{inPlaceAuto, pending}, edits{at("machine.image.version", "")}, none, none, "also an image without a version"},
		{
			onAWS,
			edits{inPlaceAuto, pending, at("machineControllerManager.machineDrainTimeout", "1h")},
			edits{at("machineControllerManager.machineDrainTimeout", "60m")},
			none, none, "the same duration",
		},
		{
			onAWS,
			edits{inPlaceAuto, pending, at("labels", object{"version": "1"})},
			edits{at("labels", object{"version": "1.0"})},
			refused, refused, "a label is a text",
		},
		{
			onAWS,
			edits{inPlaceAuto, pending},
			edits{{"spec.kubernetes.kubelet", object{"maxPods": 200}}},
			refused, refused,
			"and the effective kubelet",
		},
		{
			onAWS,
			edits{inPlaceAuto, pending},
			edits{{"spec.hibernation.enabled", true}},
			deletes, deletes,
			"but not what stands above the pools",
		},
		{
			onAWS,
			edits{inPlaceAuto, pending},
			edits{at("labels", object{"team": "shop"}), annotation("gardener.cloud/operation", "force-in-place-update")},
			none, none,
			"the annotation lifts it",
		},
		{
			onAWS,
			edits{inPlaceAuto, pending},
			edits{at("machine.type", "m5.xlarge"), annotation("gardener.cloud/operation", "force-in-place-update")},
			refused, refused,
			"and only that",
		},
		{
			onAWS,
			edits{inPlaceAuto, {"status.inPlaceUpdates.pendingWorkerUpdates.manualInPlaceUpdate", list{"other"}}},
			edits{at("labels", object{"team": "shop"})},
			none, none, "another pool is pending",
		},
		{
			onAWS,
			edits{{"status.inPlaceUpdates.pendingWorkerUpdates.manualInPlaceUpdate", list{"other"}}},
			edits{annotation("gardener.cloud/operation", "rotate-ca-start")},
			refused, refused,
			"any pending pool blocks the start of a rotation",
		},
		{onAWS, auto, edits{annotation("gardener.cloud/operation", "rotate-ca-start")}, drains, drains, "a rotation"},
		{
			onAWS, auto,
			edits{annotation("gardener.cloud/operation", "rollout-workers=general")},
			refused, refused,
			"refused for pools that are updated in place",
		},
		{
			onAWS,
			edits{inPlaceAuto, reserved},
			edits{{"spec.kubernetes.kubelet.cpuManagerPolicy", "static"}},
			drains, drains,
			"the in-place key has the CPU manager policy",
		},
		{onAWS, auto, edits{dns}, unknown, unknown, "whether it was enabled before is not known"},
		{
			onAWS,
			edits{inPlaceAuto, {"spec.systemComponents.nodeLocalDNS.enabled", false}},
			edits{dns},
			refused, refused,
			"validation: below 1.34",
		},
		{
			onAWS,
			edits{inPlaceAuto, {"spec.systemComponents.nodeLocalDNS.enabled", false}},
			edits{dns, minor("1.34")},
			refused, refused,
			"validation judges by the old version",
		},
		{
			onOpenStack,
			edits{inPlaceAuto, {"spec.systemComponents.nodeLocalDNS.enabled", false}},
			edits{dns, {"spec.kubernetes.kubeProxy.mode", "IPVS"}},
			none, none, "and by the old proxy mode",
		},
	}
}

const profileOfPairs = `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"CloudProfile","spec":{"machineImages":[{"name":"gardenlinux","versions":[
	{"version":"1443.0.0"},
	{"version":"1592.1.0","inPlaceUpdates":{"supported":false}},
	{"version":"1592.2.0","inPlaceUpdates":{"supported":true,"minVersionForUpdate":"1592.0.0"}},
	{"version":"1592.3.0","inPlaceUpdates":{"supported":true}}]}]}}`

// TestPairs: the verdict on a change is the effect in Gardener and the extension, for both
// extensions.
func TestPairs(t *testing.T) {
	t.Parallel()
	profile, err := facts.ReadCloudProfile(tree.Of([]byte(profileOfPairs)), today)
	require.NoError(t, err)
	all := append(append(changesOfConfigs(), changesOfPools()...), changesInPlace()...)
	require.Greater(t, len(all), 60)
	for i, c := range all {
		for extension, want := range map[judge.Extension]verdict.Verdict{judge.Released: c.released, judge.Adopted: c.adopted} {
			old := manifest(t, "pairs/"+c.file, c.both...)
			updated := manifest(t, "pairs/"+c.file, append(append(edits{}, c.both...), c.updated...)...)
			plan, err := pool.NewPlan(
				read(t, old), read(t, updated),
				judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: extension, CloudProfile: profile},
			)
			require.NoError(t, err, "%d: %s", i, c.why)
			assert.Equal(t, want.String(), plan.Verdict().String(), "%d, %s: %s %v: %s", i, extension, c.file, c.updated, c.why)
		}
	}
}

// TestWhatStandsAboveThePools: changes above the pools are in the plan, for all pools.
func TestWhatStandsAboveThePools(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		updated edits
		o       judge.Options
		want    verdict.Rule
	}{
		{nil, judge.Options{Providers: extensions.All()}, verdict.ExtensionAdopted},
		{nil, judge.Options{Providers: extensions.All(), Extension: judge.Released}, verdict.ExtensionReleased},
		{
			edits{{"spec.maintenance.confineSpecUpdateRollout", true}},
			judge.Options{Providers: extensions.All()},
			verdict.WaitsForMaintenance,
		},
		{
			edits{annotation("maintenance.gardener.cloud/operation", "reconcile")},
			judge.Options{Providers: extensions.All()},
			verdict.WaitsForMaintenance,
		},
		{edits{{"spec.provider.workers", list{}}}, judge.Options{Providers: extensions.All()}, verdict.AdmissionUnjudged},
	} {
		plan, err := pool.NewPlan(
			read(t, manifest(t, "pairs/azure.yaml", at("providerConfig", nil))),
			read(t, manifest(t, "pairs/azure.yaml", append(edits{at("providerConfig", nil)}, test.updated...)...)), test.o,
		)
		require.NoError(t, err)
		assert.Contains(t, plan.Rules, test.want)
	}
	plan, err := pool.NewPlan(
		read(t, manifest(t, "pairs/azure.yaml")), read(t, manifest(t, "pairs/azure.yaml")),
		judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)},
	)
	require.NoError(t, err)
	assert.NotContains(t, plan.Rules, verdict.WaitsForMaintenance)
}

func schemaOfExamples(tb testing.TB) func(facts.TypeMeta) *hotupdate.Schema {
	tb.Helper()
	all := map[facts.TypeMeta]*hotupdate.Schema{}
	for _, p := range extensions.All() {
		schema, err := p.Schema()
		require.NoError(tb, err)
		all[facts.TypeMeta{APIVersion: p.APIVersion, Kind: p.Kind}] = schema
	}
	return func(meta facts.TypeMeta) *hotupdate.Schema { return all[meta] }
}

// TestEraIsCrossedByMinors: a pool is also named by another function when its strategy changes.
// Then no Kubernetes minor is the cause.
func TestEraIsCrossedByMinors(t *testing.T) {
	old := edits{minor("1.33")}
	for name, tc := range map[string]struct {
		change  edit
		crossed bool
	}{
		"another minor":    {minor("1.34"), true},
		"another strategy": {strategy("AutoInPlaceUpdate"), false},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := pool.NewPlan(
				read(t, manifest(t, "pairs/"+onAWS, old...)), read(t, manifest(t, "pairs/"+onAWS, append(old, tc.change)...)),
				judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)})
			require.NoError(t, err)
			compared := plan.Pools[0].Comparison
			require.NotEqual(t, compared.OldEra, compared.NewEra)
			require.Equal(t, tc.crossed, slices.Contains(compared.Rules, verdict.EraCrossed))
		})
	}
}
