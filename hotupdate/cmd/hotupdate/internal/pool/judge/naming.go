package judge

import (
	"slices"
	"sync"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/causes"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// Naming says how an extension names pools.
type Naming struct {
	// Additional returns the data that the extension adds to the name of a pool. It fails if the
	// extension cannot read the provider config.
	Additional func(p *facts.Pool) (Additional, error)
	// Versions has a Kubernetes version of each era, at least one. An empty one means a pool
	// without a version. A pool of an unknown version may be in any of the eras.
	Versions []string
	// Assumed says that the eras are not known: the canonical hash of a Schema is assumed for every
	// minor.
	Assumed bool
}

// Provider is a provider extension.
type Provider = provider.Provider

// Additional is the data that an extension adds to the name of a pool.
type Additional = provider.Additional

// names say how a pool is named before and after a change.
type names struct {
	old, updated       *facts.Pool // as the extension sees them
	oldEra, updatedEra string      // in which the extension names them; empty if that is not known
	isUnknown          bool        // the hash function of the new era is not known

	// stay says that all changes together do not change the name of a rolling pool.
	stay func() bool
	// byVolumes says whether settings of volumes change the name, under the extension's own naming.
	byVolumes func() map[string]verdict.Verdict
}

// namesOf returns the names of a pool. It fails if the new provider config cannot be read.
func (r *Receiver) namesOf(old, updated *facts.Pool) (names, error) {
	n := names{
		old: old.Stored(), updated: updated.Stored(),
		stay:      sync.OnceValue(func() bool { return r.keepsName(old, updated) }),
		byVolumes: sync.OnceValue(func() map[string]verdict.Verdict { return r.own.renamesByVolumes(old, updated) }),
	}
	if r.naming == nil || updated.IsBare() {
		return n, nil
	}
	before, oldErr := r.naming.Additional(n.old)
	after, newErr := r.naming.Additional(n.updated)
	n.updatedEra = after.Era
	n.isUnknown = after.Unknown
	if oldErr == nil { // an unreadable config was never named
		n.oldEra = before.Era
	}
	return n, updated.LocatedInConfig(newErr)
}

// keepsName reports whether a rolling pool keeps its name whatever changed: Gardener and the
// extensions hash values without the names of their fields, so changes can cancel out.
func (r *Receiver) keepsName(old, updated *facts.Pool) bool {
	before := old.Worker
	after := updated.Worker
	switch {
	case r.given != nil, r.own == nil, updated.IsBare():
		return false
	case before.UpdateStrategy.InPlace(), after.UpdateStrategy.InPlace():
		return false
	case before.KubernetesVersion == "", after.KubernetesVersion == "":
		return false
	}
	return r.own.hashesAlike(old, updated)
}

// versionsOf returns the Kubernetes versions that a pool may have: its own, or one of each era.
func (n *Naming) versionsOf(p *facts.Pool) []string {
	if p.Worker.KubernetesVersion == "" {
		return n.Versions
	}
	return []string{p.Worker.KubernetesVersion}
}

// renames says whether an extension gives two pools different names, both with the Kubernetes version of
// the updated one: Roll or None, or Indeterminate if the answer depends on an unknown minor or function,
// or if a provider config cannot be read.
func (n *Naming) renames(old, updated *facts.Pool) verdict.Verdict {
	var found []verdict.Verdict
	for _, version := range n.versionsOf(updated) {
		found = append(found, n.renamesInEra(old.WithVersion(version), updated.WithVersion(version)))
	}
	if slices.Min(found) < slices.Max(found) {
		return verdict.Indeterminate
	}
	return found[0]
}

// renamesInEra is renames for two pools with a Kubernetes version.
func (n *Naming) renamesInEra(old, updated *facts.Pool) verdict.Verdict {
	before, oldErr := n.Additional(old)
	after, newErr := n.Additional(updated)
	switch {
	case oldErr != nil, newErr != nil, before.Unknown, after.Unknown:
		return verdict.Indeterminate
	case !slices.Equal(before.Data, after.Data):
		return verdict.Roll
	}
	return verdict.None
}

// renamesByVolumes says for each setting of volumes that differs, by its path, whether it gives the pool another name.
// An extension may look a volume up in the config, so the volumes are compared under the config of either side.
func (n *Naming) renamesByVolumes(old, updated *facts.Pool) map[string]verdict.Verdict {
	volumes := facts.VolumesOf(old, updated)
	renames := map[string]verdict.Verdict{}
	for _, config := range []facts.Config{old.Config, updated.Config} {
		before := volumes.With(nil).WithConfig(config)
		found := causes.Find(len(volumes.Paths), func(applied []int) verdict.Verdict {
			return n.renames(before, volumes.With(applied).WithConfig(config))
		})
		for i, path := range volumes.Paths {
			before, isSecond := renames[path]
			v := found.Effects[i]
			isOpen := v == verdict.Indeterminate || isSecond && before == verdict.Indeterminate
			switch {
			case isOpen:
				renames[path] = verdict.Indeterminate
			case !isSecond || v > before:
				renames[path] = v
			}
		}
	}
	return renames
}

// hashesAlike reports whether the names of two rolling pools have one full digest.
func (n *Naming) hashesAlike(old, updated *facts.Pool) bool {
	was, oldErr := n.digest(old)
	is, newErr := n.digest(updated)
	return oldErr == nil && newErr == nil && was == is
}

// digest returns the full digest of a rolling pool's name. It covers the parts of the node-agent
// secret name, and the name that a Worker holds.
func (n *Naming) digest(p *facts.Pool) (hash.Digest, error) {
	secret, err := hash.NodeAgentSecretName(p.Worker)
	if err != nil {
		return hash.Digest{}, err
	}
	additional, err := n.Additional(p.Stored())
	known := ""
	if p.NodeAgentSecretName != nil {
		known = *p.NodeAgentSecretName
	}
	return hash.Compose(append([]string{secret.Text, known}, additional.Data...)...), err
}
