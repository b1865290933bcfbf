package facts

import "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"

// Applied is the Shoot that results from one way of applying a manifest to a Shoot of a cluster,
// before Gardener fills in anything: see [apply.Applied].
type Applied struct {
	apply.Applied

	// Manifest is nil if the object is not known.
	Manifest *Manifest
}

// IsAppliedTo reports whether the manifest of a user is applied to a Shoot that was read from a
// cluster. An old manifest was itself applied last, and owns all of its fields: every way of
// applying removes the fields that the new manifest leaves out.
func (m *Manifest) IsAppliedTo(old *Manifest) bool {
	areShoots := m.Kind == Shoot && old.Kind == Shoot
	return areShoots && old.IsReadBack() && !m.IsReadBack()
}

// AppliedTo returns, for each of some ways, the Shoot that results from applying the manifest to a
// Shoot of a cluster.
func (m *Manifest) AppliedTo(cluster *Manifest, ways []apply.Way) (results []Applied, err error) {
	for _, made := range apply.All(cluster.Tree, m.Tree, ways...) {
		one := Applied{Applied: made}
		if made.Object != nil {
			if one.Manifest, err = Read(made.Object); err != nil {
				return nil, err
			}
			one.Manifest.Findings = m.Findings
			one.Manifest.Dropped = m.Dropped
			for i := range one.Manifest.Pools {
				one.Manifest.Pools[i].Cluster.isReadBack = false // Gardener has not filled in anything yet
			}
		}
		results = append(results, one)
	}
	return results, nil
}
