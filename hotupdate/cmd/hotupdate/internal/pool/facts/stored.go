package facts

import (
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// defaults are what Gardener stores for fields that a manifest leaves out, in JSON.
type defaults map[string]string

// The defaults of a pool that is updated in place, and of the kubelet configuration of a Shoot:
// SetDefaults_Worker, SetDefaults_Shoot, defaultWorkerArchitectures and ShootResourceReservation.
var (
	poolDefaults = defaults{
		fields.CRI: `"` + Containerd + `"`, fields.Architecture: `"` + amd64 + `"`, "systemComponents.allow": "true",
		"machineControllerManager.disableHealthTimeout": "true", fields.Kubelet + ".failSwapOn": "true",
		"maxSurge": "0", "maxUnavailable": "1",
	}
	kubeletDefaults = defaults{
		"failSwapOn": "true", "imageGCHighThresholdPercent": "50", "imageGCLowThresholdPercent": "40",
		"imageMinimumGCAge": `"2m0s"`, "imageMaximumGCAge": `"0s"`, "serializeImagePulls": "true",
		"kubeReserved.cpu": `"80m"`, "kubeReserved.memory": `"1Gi"`, "kubeReserved.pid": `"20k"`,
	}
)

// SameStored reports whether Gardener stores the same values for a pool that is updated in place,
// including the kubelet configuration of its Shoot. Defaults count as if the manifest had them,
// durations and quantities are compared by meaning, and machine images as [ReadingsOf] fills them
// in.
func SameStored(old, updated *Pool) bool {
	if ImageOf(old.Worker) != ImageOf(updated.Worker) {
		return false
	}
	hasOwn := old.HasOwnKubelet && updated.HasOwnKubelet
	return poolDefaults.same(old.Node, updated.Node) &&
		(hasOwn || kubeletDefaults.same(old.Cluster.Kubelet, updated.Cluster.Kubelet))
}

func (d defaults) same(old, updated *tree.Node) bool {
	for _, found := range tree.Differences(old, updated) {
		path := strings.Join(found.Path, ".")
		// the image is compared as it is filled in
		isImage := path == fields.Image || path == fields.ImageName || path == fields.ImageVersion
		isEmpty := found.Old.IsZero() && found.New.IsZero()
		if !isImage && !isEmpty && !sameValue(path, d.at(path, found.Old), d.at(path, found.New)) {
			return false
		}
	}
	return true
}

// at returns a value, or the default of its field.
func (d defaults) at(path string, value *tree.Node) *tree.Node {
	if text, isKnown := d[path]; value == nil && isKnown {
		return tree.Of([]byte(text))
	}
	return value
}

// sameValue reports whether two values of a field are the same, or one duration or quantity. Labels
// and similar texts are compared literally, even if they look like a duration or quantity.
func sameValue(path string, a, b *tree.Node) bool {
	if tree.Equal(a, b) {
		return true
	}
	isSetting := strings.HasPrefix(path, "machineControllerManager.") || strings.HasPrefix(path, "clusterAutoscaler.")
	if a.Kind() != tree.Text || b.Kind() != tree.Text || !isSetting {
		return false
	}
	x, errX := time.ParseDuration(a.Text())
	y, errY := time.ParseDuration(b.Text())
	if errX == nil && errY == nil {
		return x == y
	}
	p, errP := leaf.ParseQuantity(a.Text())
	q, errQ := leaf.ParseQuantity(b.Text())
	return errP == nil && errQ == nil && p.Cmp(q) == 0
}
