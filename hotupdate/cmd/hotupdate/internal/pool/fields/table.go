package fields

import "slices"

// The paths of fields of pools that judgements name.
const (
	Strategy       = "updateStrategy"
	SecretName     = "nodeAgentSecretName"
	Version        = "kubernetes.version"
	Kubelet        = "kubernetes.kubelet"
	KubeReserved   = "kubernetes.kubelet.kubeReserved"
	SystemReserved = "kubernetes.kubelet.systemReserved"
	MachineType    = "machine.type"
	Image          = "machine.image"
	ImageName      = "machine.image.name"
	ImageVersion   = "machine.image.version"
	Architecture   = "machine.architecture"
	CRI            = "cri.name"
	Volume         = "volume"
	Encrypted      = "volume.encrypted"
	DataVolumes    = "dataVolumes"
	Config         = "providerConfig"
	Zones          = "zones"
	Minimum        = "minimum"
	Maximum        = "maximum"

	Hibernated = "spec.hibernation.enabled" // of the Shoot
	Schedules  = "spec.hibernation.schedules"

	NodeLocalDNS = "systemComponents.nodeLocalDNS.enabled" // which pools have from their Shoot
	Credentials  = "credentials.rotation"                  // the same
)

// The functions of Gardener v1.150 that are the source of most rows.
const (
	key     = "calculateKeyForValues" // fields that it does not read roll no pool
	kubelet = "CalculateDataStringForKubeletConfiguration"
	update  = "ValidateProviderUpdate" // refuses changes of pools that are updated in place
	hashFn  = "hash function of the extension"
)

// rows returns a row for each path.
func rows(rolling, inPlace Effect, source string, paths ...string) (fields []Field) {
	for _, path := range paths {
		fields = append(fields, Field{path, rolling, inPlace, source})
	}
	return fields
}

// below returns a row for each name below a path, with one effect for all pools.
func below(path string, effect Effect, source string, names ...string) (fields []Field) {
	for _, name := range names {
		fields = append(fields, Field{path + "." + name, effect, effect, source})
	}
	return fields
}

// metadataRows are the fields that every object has.
func metadataRows() []Field {
	const identity = "identity and state, not desired by anybody"
	return slices.Concat(
		rows(Meta, Meta, identity, "apiVersion", "kind", "status", "status.*"),
		below("metadata", Meta, identity, "name", "namespace", "generateName", "uid", "resourceVersion", "generation",
			"creationTimestamp", "managedFields", "managedFields.*", "finalizers", "finalizers.*", "ownerReferences",
			"ownerReferences.*", "selfLink", "deletionGracePeriodSeconds"),
		below("metadata", Removal, "gardenlet, runDeleteShootFlow", "deletionTimestamp"),
		below("metadata", None, key, "labels.*", "annotations.*"),
		rows(Meta, Meta, "kubectl apply", annotations+"kubectl.kubernetes.io/last-applied-configuration"),
		rows(Pools, Pools, "validateShootOperation", annotations+"gardener.cloud/operation",
			annotations+"maintenance.gardener.cloud/operation"),
		annotationRows(),
	)
}

// annotationRows are the annotations of Gardener that have no effect on machines. An annotation
// without a row is not judged.
func annotationRows() (fields []Field) {
	for _, name := range []string{
		"gardener.cloud/created-by", "gardener.cloud/description", "gardener.cloud/timestamp",
		"confirmation.gardener.cloud/deletion", "confirmation.gardener.cloud/force-deletion",
		"shoot.gardener.cloud/cleanup-extended-apis-finalize-grace-period-seconds",
		"shoot.gardener.cloud/cleanup-infrastructure-resources-grace-period-seconds",
		"shoot.gardener.cloud/cleanup-kubernetes-resources-finalize-grace-period-seconds",
		"shoot.gardener.cloud/cleanup-webhooks-finalize-grace-period-seconds",
		"shoot.gardener.cloud/cloud-config-execution-max-delay-seconds",
		"shoot.gardener.cloud/disable-istio-tls-termination", "shoot.gardener.cloud/ignore",
		"shoot.gardener.cloud/ignore-alerts", "shoot.gardener.cloud/no-cleanup", "shoot.gardener.cloud/skip-cleanup",
		"shoot.gardener.cloud/skip-readiness", "shoot.gardener.cloud/sync-period", "shoot.gardener.cloud/tasks",
		"alpha.control-plane.scaling.shoot.gardener.cloud/scale-down-disabled",
		"alpha.control-plane.shoot.gardener.cloud/high-availability-vpn",
		"alpha.control-plane.shoot.gardener.cloud/vpn-auto-mtu",
		"alpha.control-plane.shoot.gardener.cloud/vpn-vpa-update-disabled",
		"authentication.gardener.cloud/issuer",
	} {
		fields = append(fields, rows(None, None, "gardenlet, no part of "+key, annotations+name)...)
	}
	return fields
}

// shootRows are the fields of a Shoot above its pools that do something to them, or that only earlier releases have.
func shootRows() []Field {
	return slices.Concat(
		metadataRows(),
		below("spec.hibernation", Pools, "GenerateMachineDeployments", "enabled"),
		below("spec.hibernation", Scale, "hibernation controller", "schedules"),
		below("spec.kubernetes", Pools, "CalculateEffectiveKubernetesVersion", "version"),
		below("spec.kubernetes", Pools, "CalculateEffectiveKubeletConfiguration", "kubelet"),
		below("spec.kubernetes", Pools, key, "kubeProxy.enabled", "kubeProxy.mode"),
		below("spec.provider", Judged, hashFn, "infrastructureConfig", "infrastructureConfig.*"),
		below("spec.systemComponents", Pools, key, "nodeLocalDNS.enabled"),
		earlierRows(),
	)
}

// earlier is the source of fields that the newest release of Gardener lacks, so that they cannot be measured, and that
// no release hashes for a pool. The files of package kinds name the releases that have them.
const earlier = "earlier releases of Gardener: no part of calculateKeyForValues and WorkerPoolHash"

func earlierRows() []Field {
	return slices.Concat(
		below("spec.kubernetes", None, earlier, "allowPrivilegedContainers", "enableStaticTokenKubeconfig"),
		below("spec.kubernetes.kubeAPIServer", None, earlier, "enableBasicAuthentication", "oidcConfig.*",
			"serviceAccountConfig.signingKeySecretName.name"),
		below("spec.kubernetes.kubeControllerManager.horizontalPodAutoscaler", None, earlier, "downscaleDelay",
			"upscaleDelay"),
	)
}

// workerRows are the fields of a Worker above its pools.
func workerRows() []Field {
	return slices.Concat(
		below("spec", None, "WorkerPoolHash", "type", "region", "class", "sshPublicKey", "secretRef.*"),
		below("spec", Judged, hashFn, "infrastructureProviderStatus", "infrastructureProviderStatus.*"),
		below("spec", Unknown, "Worker controller of the extension", "providerConfig", "providerConfig.*"),
	)
}

// poolRows are the fields of a pool, and those that pools have from their Shoot, that do something to the pool, and
// those that only a Worker has.
func poolRows() []Field {
	return slices.Concat(
		rows(Meta, Meta, "pairs the pools", "name"),
		rows(Scale, Scale, "GenerateMachineDeployments", Minimum, Maximum),
		rows(Judged, Judged, "zones of the extension's admission", Zones),
		rows(Judged, Judged, update, Strategy),
		rows(Judged, Judged, hashFn, Config, Config+".*"),
		rows(Roll, Fixed, key+", "+update, MachineType, ImageName, "volume.size", "volume.type", CRI),
		rows(Roll, Drain, key+", CalculateWorkerPoolHashForInPlaceUpdate", ImageVersion, Version),
		rows(Roll, Fixed, hashFn+", "+update, Encrypted),
		rows(Roll, Kept, "hash function and admission of the extension", DataVolumes),
		rows(None, Fixed, key+", "+update, "volume.name"),
		kubeletRows(),
		rows(Roll, Fixed, key+", validateNodeLocalDNSUpdate", NodeLocalDNS),
		rows(Roll, Drain, "LastInitiationTimeForWorkerPool", Credentials+".certificateAuthorities.lastInitiationTime",
			Credentials+".serviceAccountKey.lastInitiationTime"),
		rows(Roll, None, "WorkerPoolHash", SecretName),
		rows(None, None, "WorkerPoolHash", "userData", "userDataSecretRef.*", "nodeTemplate.capacity.*",
			"nodeTemplate.virtualCapacity.*"),
		rows(None, None, earlier, Kubelet+".imagePullProgressDeadline", "controlPlane.backup.secretRef.*",
			"controlPlane.exposure.dns"),
	)
}

// kubeletRows are the fields of a kubelet's configuration on which names depend.
func kubeletRows() []Field {
	const (
		evictionHard = Kubelet + ".evictionHard"
		bySum        = kubelet + ", before systemReserved was dropped their sum"
	)
	all := slices.Concat(
		rows(Judged, Judged, "CalculateEffectiveKubeletConfiguration", Kubelet),
		rows(Roll, Drain, kubelet, KubeReserved, SystemReserved, evictionHard, Kubelet+".cpuManagerPolicy"),
	)
	for _, resource := range []string{"cpu", "memory", "ephemeralStorage", "pid"} {
		all = append(all, rows(Roll, Drain, bySum, KubeReserved+"."+resource, SystemReserved+"."+resource)...)
	}
	for _, threshold := range []string{
		"memoryAvailable", "imageFSAvailable", "imageFSInodesFree", "nodeFSAvailable", "nodeFSInodesFree",
	} {
		all = append(all, rows(Roll, Drain, kubelet, evictionHard+"."+threshold)...)
	}
	return all
}
