package facts

import (
	"encoding/json"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// lastApplied is the annotation in which kubectl apply keeps the manifest.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Completed returns the two sides of a change of a Shoot as they are in the cluster, where one of them
// was read from it and the other one was written by a user. The spec of the user has what kubectl apply
// leaves as it is: what Gardener or another client has set, and the user does not. It returns how many
// values these are.
//
// If the cluster has the manifest that was applied last, what only that one has is removed.
func Completed(old, updated *Manifest) (_, _ *Manifest, filled int, err error) {
	switch {
	case old.Kind != Shoot, updated.Kind != Shoot, old.IsReadBack() == updated.IsReadBack():
		return old, updated, 0, nil
	case updated.IsReadBack():
		old, filled, err = old.completedBy(updated, nil)
	default:
		updated, filled, err = updated.completedBy(old, old.lastApplied())
	}
	return old, updated, filled, err
}

func (m *Manifest) completedBy(cluster *Manifest, last *tree.Node) (*Manifest, int, error) {
	spec, filled := tree.Applied(cluster.Tree.At("spec"), m.Tree.At("spec"), last.At("spec"))
	object := m.Tree.With([]string{"spec"}, spec).With([]string{"status"}, cluster.Tree.At("status"))
	completed, err := Read(object)
	if err != nil {
		return nil, 0, err
	}
	completed.Unknown = m.Unknown
	for i := range completed.Pools {
		completed.Pools[i].Cluster.isReadBack = false // the manifest's list of pools replaces the cluster's
	}
	return completed, filled, nil
}

// lastApplied returns the manifest that was applied last, nil if the cluster does not have it.
func (m *Manifest) lastApplied() *tree.Node {
	text := m.Tree.At("metadata", "annotations", lastApplied).Text()
	if !json.Valid([]byte(text)) {
		return nil
	}
	return tree.Of([]byte(text))
}
