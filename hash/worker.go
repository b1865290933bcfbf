package hash

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Worker holds the parts of a worker pool, besides its provider config, that Gardener's names
// cover. Fill it from the Shoot's worker, and from the Shoot itself where the worker leaves a field
// unset.
type Worker struct {
	// Name is the pool's name.
	Name string
	// UpdateStrategy is the pool's strategy; see [hotupdate.ParseStrategy].
	UpdateStrategy hotupdate.Strategy
	// KubernetesVersion is the version that the pool runs, which may be older than the control
	// plane's. It is read as by [Eras.Explain].
	KubernetesVersion string
	// MachineType is the machine's type.
	MachineType string
	// Image is the machine image; nil if none is set.
	Image *Image
	// Volume is the root volume; nil if none is set.
	Volume *Volume
	// CRI is the name of the container runtime; nil if none is set.
	CRI *string
	// CARotation and ServiceAccountKeyRotation say when credentials were rotated. The zero value
	// means never.
	CARotation, ServiceAccountKeyRotation Rotation
	// NodeLocalDNS says that node-local DNS is enabled.
	NodeLocalDNS bool
	// KubeProxyMode is the Shoot's mode of kube-proxy: IPVS, another one, or empty if kube-proxy is
	// not enabled.
	KubeProxyMode string
	// Kubelet is the pool's effective kubelet configuration; nil if there is none.
	Kubelet *Kubelet
}

// Image is a machine image.
type Image struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Volume is a root volume. Type is nil if it is not set.
type Volume struct {
	Size string
	Type *string
}

// Rotation says when one kind of credentials was rotated. It has those fields of Gardener's
// rotation status that are hashed.
type Rotation struct {
	// LastInitiationTime is when the last rotation of the cluster began.
	LastInitiationTime *metav1.Time `json:"lastInitiationTime"`
	// PendingWorkersRollouts lists the pools that still have the credentials of an earlier
	// rotation.
	PendingWorkersRollouts []PendingWorkersRollout `json:"pendingWorkersRollouts"`
}

// PendingWorkersRollout is the last rotation that one pool has received. It has the fields of
// Gardener's type, which can be converted to it.
type PendingWorkersRollout struct {
	Name               string       `json:"name"`
	LastInitiationTime *metav1.Time `json:"lastInitiationTime"`
}

// of returns the time of the last rotation that the pool has received.
func (r Rotation) of(pool string) *metav1.Time {
	own := slices.IndexFunc(r.PendingWorkersRollouts, func(p PendingWorkersRollout) bool { return p.Name == pool })
	if own < 0 {
		return r.LastInitiationTime
	}
	return r.PendingWorkersRollouts[own].LastInitiationTime
}
