package fields

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
)

// IsExtensions reports whether an extension decides the effect of a change of a pool's field,
// because it makes MachineClasses and MachineDeployments from the field: Gardener passes it on in the Worker, and no
// name of Gardener's covers it. If the extension is unknown, so is the effect. All other fields reach the nodes without
// the extension.
func IsExtensions(path string) bool {
	_, isOfKubelet := cutAbove(path, Kubelet)
	inWorker := append([]string{"spec", "pools", "element"}, strings.Split(InWorker(path), ".")...)
	row, isKnown := Pool().Row(path)
	switch {
	case IsSpread(path), path == systemComponents:
		return true
	case isOfKubelet, !kinds.Worker.Describes(inWorker):
		return false
	case isKnown:
		return row.Rolling == None
	}
	return !Pool().hasBelow(path, func(f Field) bool { return f.Rolling != None })
}

// systemComponents says whether a pool has system components, which a label of its nodes tells the extension.
const systemComponents = "systemComponents.allow"

// IsSpread reports whether an extension spreads the machines of a pool by a field: one has a deployment for
// each zone, another one for each pool, and some count the minimum in each zone.
func IsSpread(path string) bool { return path == Zones || path == Minimum || path == Maximum }

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
