package pool

import (
	"encoding/json"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/hotupdate/providerconfig/examples/providers"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Extension is a value of the flag --extension: the extension that receives a change. The zero value means Adopted.
type Extension string

// The extensions.
const (
	Adopted  Extension = "adopted"  // has adopted this library according to the guide in examples
	Released Extension = "released" // today's release
)

// String returns the value of the flag.
func (x Extension) String() string { return string(x) }

// Naming says how an extension names pools.
type Naming struct {
	// Additional returns the data that the extension adds to the name of a pool. It fails if the extension cannot read the provider config.
	Additional func(p *Pool) (Additional, error)
	// Versions has a Kubernetes version of each era, at least one. An empty one stands for a pool without a version. A pool of an unknown version may
	// be in any of the eras.
	Versions []string
	// Assumed says that the eras are not known: the canonical hash of a Schema is assumed for every minor.
	Assumed bool
}

// Additional is the data that an extension adds to the name of a pool.
type Additional = providers.Additional

// examples are the example extensions.
var examples = sync.OnceValue(providers.All)

// providerOf returns the example extension for a pool, found by its provider or, for a provider config on its own, by the config's kind.
func providerOf(p *Pool) (providers.Provider, bool) {
	all := examples()
	var meta TypeMeta
	if p.isBare() {
		meta = TypeMetaOf(p.ProviderConfig)
	}
	i := slices.IndexFunc(all, func(one providers.Provider) bool {
		return one.Name == p.Provider || p.isBare() && one.APIVersion == meta.APIVersion && one.Kind == meta.Kind
	})
	if i < 0 {
		return providers.Provider{}, false
	}
	return all[i], true
}

// naming returns the given naming, or else that of the example for the pool's provider; nil if there is none.
func (o Options) naming(p *Pool) *Naming {
	if o.Naming != nil {
		return o.Naming
	}
	provider, known := providerOf(p)
	if !known {
		return nil
	}
	names := provider.Adopted
	if o.Extension == Released {
		names = provider.Released
	}
	return &Naming{Versions: provider.Versions, Additional: func(p *Pool) (Additional, error) {
		if meta := TypeMetaOf(p.ProviderConfig); !IsNull(p.ProviderConfig) && meta != (TypeMeta{provider.APIVersion, provider.Kind}) {
			return Additional{Unknown: true}, nil // a fork's config
		}
		return names(p.workerPool())
	}}
}

// workerPool is the pool as the example extensions see it.
func (p *Pool) workerPool() *providers.WorkerPool {
	w := &providers.WorkerPool{
		Name: p.Worker.Name, UpdateStrategy: p.Worker.UpdateStrategy, MachineType: p.Worker.MachineType, MachineImage: imageOf(p.Worker), DataVolumes: p.DataVolumes,
	}
	if p.Worker.KubernetesVersion != "" {
		w.KubernetesVersion = &p.Worker.KubernetesVersion
	}
	if v := p.Worker.Volume; v != nil {
		w.Volume = &providers.Volume{Size: v.Size, Type: v.Type, Encrypted: p.Encrypted}
	}
	if !IsNull(p.ProviderConfig) {
		w.ProviderConfig = &runtime.RawExtension{Raw: p.ProviderConfig}
	}
	return w
}

// AsStored writes a provider config as the extension sees it in a Worker: compact, with sorted members, as the API server stores objects of unknown
// types. The order of members and the white space of the Shoot do not reach the extension; the order of lists and empty objects do.
func AsStored(raw []byte) []byte {
	var value any
	if !IsNull(raw) && utiljson.Unmarshal(raw, &value) == nil {
		if stored, err := json.Marshal(value); err == nil {
			return stored
		}
	}
	return raw
}

// renames reports whether two pools of one Kubernetes minor have different names: Roll or None, or Indeterminate if that depends on an unknown minor
// or function, or if a provider config cannot be read.
func (n *Naming) renames(old, updated *Pool) Verdict {
	versions := []string{updated.Worker.KubernetesVersion}
	if versions[0] == "" {
		versions = n.Versions
	}
	var found []Verdict
	for _, version := range versions {
		old.Worker.KubernetesVersion, updated.Worker.KubernetesVersion = version, version
		before, oldErr := n.Additional(old)
		after, newErr := n.Additional(updated)
		v := None
		switch {
		case before.Unknown || after.Unknown || oldErr != nil || newErr != nil:
			v = Indeterminate
		case !slices.Equal(before.Data, after.Data):
			v = Roll
		}
		found = append(found, v)
	}
	if slices.Min(found) < slices.Max(found) {
		return Indeterminate
	}
	return found[0]
}

// renamesVolumes reports whether the pool has another name with the old volumes at a path. An extension may look a volume up in the config, so it
// compares the volumes under the config of either side.
func (n *Naming) renamesVolumes(path string, old, updated *Pool) Verdict {
	found := None
	for _, config := range [][]byte{old.ProviderConfig, updated.ProviderConfig} {
		before, after := *updated, *updated
		before.ProviderConfig, after.ProviderConfig = config, config
		if path == "dataVolumes" {
			before.DataVolumes = old.DataVolumes
		} else {
			before.Encrypted = old.Encrypted
		}
		v := n.renames(&before, &after)
		if v == Indeterminate {
			return v
		}
		found = max(found, v)
	}
	return found
}

// compareNames withdraws the verdict Roll if the pool keeps its name: Gardener and the extensions hash values without the names of their fields, so
// changes can cancel out.
func (c *Comparison) compareNames(old, updated *Pool, o Options) {
	naming := o.naming(updated)
	if c.Strategy != hotupdate.AutoRollingUpdate || o.Naming != nil || naming == nil || old.Worker.KubernetesVersion == "" || updated.Worker.KubernetesVersion == "" {
		return
	}
	before, oldErr := naming.digest(old)
	after, newErr := naming.digest(updated)
	if oldErr != nil || newErr != nil || before != after {
		return
	}
	for i := range c.Changes {
		if change := &c.Changes[i]; change.Verdict == Roll && change.Rule != ServerGroup {
			change.Verdict, change.Rule = None, NameStays
			if change.Class == hotupdate.Hot && o.Extension != Released {
				change.Verdict, change.Rule = HotUpdate, NoRule
			}
		}
	}
}

// digest returns the full digest of a rolling pool's name. It covers the parts of the node-agent secret name, and the name that a Worker holds.
func (n *Naming) digest(p *Pool) (hash.Digest, error) {
	secret, err := hash.NodeAgentSecretName(p.Worker)
	if err != nil {
		return hash.Digest{}, err
	}
	stored := *p
	stored.ProviderConfig = AsStored(p.ProviderConfig)
	additional, err := n.Additional(&stored)
	return hash.Compose(append([]string{secret.Text, *orDefault(p.NodeAgentSecretName, "")}, additional.Data...)...), err
}
