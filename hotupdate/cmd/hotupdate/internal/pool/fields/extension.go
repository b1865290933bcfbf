package fields

import (
	"slices"
	"strings"
)

// IsExtensions reports whether an extension decides the effect of a change of a pool's field,
// because it makes MachineClasses and MachineDeployments from the field. If the extension is
// unknown, so is the effect. All other fields reach the nodes without the extension.
//
// Source: the type WorkerPool of Gardener's extension API.
func IsExtensions(path string) bool {
	return IsSpread(path) || slices.ContainsFunc(passedOn, func(name string) bool {
		_, found := cutAbove(path, name)
		return found
	})
}

// IsSpread reports whether an extension spreads the machines of a pool by a field: one has a deployment for
// each zone, another one for each pool, and some count the minimum in each zone.
func IsSpread(path string) bool { return path == Zones || path == Minimum || path == Maximum }

// passedOn are the fields of a pool that Gardener only passes on to the extension, and no name of
// Gardener's covers. A label says whether the pool has system components.
var passedOn = []string{
	"annotations", "labels", "taints", "maxSurge", "maxUnavailable", "priority", "volume.name", "kubeletDataVolumeName",
	Architecture, "clusterAutoscaler", "machineControllerManager", "userData", "userDataSecretRef", "nodeTemplate",
	"systemComponents.allow",
}

// IsForeign reports whether the path is an annotation that an extension may read: its domain
// belongs neither to Kubernetes or Gardener nor to a program that deploys manifests.
func IsForeign(path string) bool {
	key, isAnnotation := strings.CutPrefix(path, annotations)
	domain, _, hasDomain := strings.Cut(key, "/")
	isKnown := func(known string) bool { return domain == known || strings.HasSuffix(domain, "."+known) }
	isOfDeployer := hasDomain && slices.ContainsFunc(domains, isKnown)
	return isAnnotation && !isOfDeployer
}

// domains are the domains of Kubernetes with kubectl and kustomize, of Gardener, and of programs
// that deploy manifests: Argo, Helm, Flux, Carvel, Rancher Fleet, Config Sync, Crossplane, Pulumi
// and Skaffold.
var domains = []string{
	"kubernetes.io", "k8s.io", "gardener.cloud", "argoproj.io", "helm.sh", "fluxcd.io", "k14s.io", "fleet.cattle.io",
	"objectset.rio.cattle.io", "configmanagement.gke.io", "configsync.gke.io", "crossplane.io", "pulumi.com",
	"skaffold.dev",
}
