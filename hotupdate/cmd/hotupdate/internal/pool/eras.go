package pool

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// Extension is the extension that receives a change. The zero value means Adopted.
type Extension string

// The extensions.
const (
	Adopted  Extension = "adopted"  // has adopted this library according to the guide in examples
	Released Extension = "released" // today's release
	Both     Extension = "both"     // not known: where the two differ, both are told, and the graver verdict counts
)

// String returns the value of the flag.
func (x Extension) String() string { return string(x) }

// Naming says how an extension names pools.
type Naming struct {
	// Additional returns the data that the extension adds to the name of a pool. It fails if the
	// extension cannot read the provider config.
	Additional func(p *Pool) (Additional, error)
	// Versions has a Kubernetes version of each era, at least one. An empty one stands for a pool
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

// provider returns the extension for a pool, found by its provider or, for a provider config on its
// own, by the config's kind. It is zero if the extension is not known.
func (o Options) provider(p *Pool) Provider {
	var meta TypeMeta
	if p.isBare() {
		meta = TypeMetaOf(tree.Of(p.ProviderConfig))
	}
	for _, one := range o.Providers {
		if one.Name == p.Provider || p.isBare() && one.APIVersion == meta.APIVersion && one.Kind == meta.Kind {
			return one
		}
	}
	return Provider{}
}

// naming returns the given naming, or else that of the extension for the pool's provider; nil if
// there is none.
func (o Options) naming(p *Pool) *Naming {
	if o.Naming != nil {
		return o.Naming
	}
	provider := o.provider(p)
	if provider.Name == "" {
		return nil
	}
	names := provider.Adopted
	if o.Extension == Released {
		names = provider.Released
	}
	return &Naming{Versions: provider.Versions, Additional: func(p *Pool) (Additional, error) {
		if meta := TypeMetaOf(tree.Of(p.ProviderConfig)); !IsNull(p.ProviderConfig) &&
			meta != (TypeMeta{provider.APIVersion, provider.Kind}) {
			return Additional{Unknown: true}, nil // a fork's config
		}
		return names(p.InWorker())
	}}
}

// InWorker is the pool as the extensions see it.
func (p *Pool) InWorker() *provider.WorkerPool {
	w := &provider.WorkerPool{
		Name: p.Worker.Name, UpdateStrategy: p.Worker.UpdateStrategy, MachineType: p.Worker.MachineType,
		MachineImage: imageOf(p.Worker),
		DataVolumes:  p.DataVolumes,
	}
	if p.Worker.KubernetesVersion != "" {
		w.KubernetesVersion = &p.Worker.KubernetesVersion
	}
	if v := p.Worker.Volume; v != nil {
		w.Volume = &DataVolume{Size: v.Size, Type: v.Type, Encrypted: p.Encrypted}
	}
	if !IsNull(p.ProviderConfig) {
		w.ProviderConfig = p.ProviderConfig
	}
	return w
}

// Either has the verdicts on a pool for both extensions, where they differ.
type Either struct {
	Adopted, Released Verdict
	// Fields are the deciding fields under the extension with the graver verdict.
	Fields []string
}

// does says what today's release does to a change, or because of the fields that follow.
var does = map[Verdict]string{
	None: "touches no machine", HotUpdate: "updates running machines", ComeOrGo: "creates or deletes machines",
	InPlaceUpdate: "drains nodes",
	Indeterminate: "is not known to do the same", Roll: "replaces the machines", Forbidden: "refuses it",
}

// String says both in a clause for people.
func (e *Either) String() string {
	text := e.Adopted.String() + " once your extension has adopted this library; today's release " + does[e.Released]
	if shown := e.Fields[:min(3, len(e.Fields))]; len(shown) > 0 && e.Released >= e.Adopted {
		text += ": " + strings.Join(shown, ", ")
	}
	return text
}

// compareBoth compares two pools under both extensions. It takes the graver comparison, and tells
// where they differ.
func compareBoth(old, updated Pool, o Options) (Comparison, error) {
	o.Extension = Adopted
	adopted, err := Compare(old, updated, o)
	if err != nil || o.Naming != nil || !o.extensionsMayDiffer(&old, &updated) {
		return adopted, err
	}
	o.Extension = Released
	released, err := Compare(old, updated, o)
	if err != nil || adopted.Verdict == released.Verdict {
		return adopted, err
	}
	graver := &adopted
	if released.Verdict > adopted.Verdict {
		graver = &released
	}
	graver.Either = &Either{Adopted: adopted.Verdict, Released: released.Verdict}
	for _, change := range graver.Changes {
		name := strings.TrimPrefix(change.Path, configField+".")
		if change.Rule == RuleOf("NotReleased") {
			name = name[:strings.IndexAny(name+".", ".[")]
		}
		if change.Decides && !slices.Contains(graver.Either.Fields, name) {
			graver.Either.Fields = append(graver.Either.Fields, name)
		}
	}
	return *graver, nil
}

// extensionsMayDiffer reports whether a verdict may depend on whether the extension has adopted the
// library.
func (o Options) extensionsMayDiffer(old, updated *Pool) bool {
	sameVolumes := reflect.DeepEqual(old.DataVolumes, updated.DataVolumes) &&
		reflect.DeepEqual(old.Encrypted, updated.Encrypted)
	sameSecret := (old.NodeAgentSecretName == nil) == (updated.NodeAgentSecretName == nil)
	known := !updated.isBare() && o.provider(updated).Name != ""
	return known && (!sameVolumes || !sameSecret || !bytes.Equal(old.ProviderConfig, updated.ProviderConfig))
}

// newFields returns the fields of the provider config that today's release of an extension does not
// know.
func (p *Pool) newFields(of Provider) []string {
	config, _ := decoded(p.ProviderConfig, null).(map[string]any)
	return slices.DeleteFunc(slices.Clone(of.New), func(name string) bool { return config[name] == nil })
}

// AsStored writes a provider config as the extension sees it in a Worker: compact, with sorted
// members, as the API server stores objects of unknown types. The order of members and the white
// space of the Shoot do not reach the extension; the order of lists and empty objects do.
func AsStored(raw []byte) []byte {
	var value any
	if !IsNull(raw) && utiljson.Unmarshal(raw, &value) == nil {
		if stored, err := json.Marshal(value); err == nil {
			return stored
		}
	}
	return raw
}

// renames reports whether two pools of one Kubernetes minor have different names: Roll or None, or
// Indeterminate if that depends on an unknown minor or function, or if a provider config cannot be
// read.
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

// renamesVolumes reports whether the pool has another name with the old data volumes, or with the
// old encryption of the root volume. An extension may look a volume up in the config, so it
// compares the volumes under the config of either side.
func (n *Naming) renamesVolumes(isData bool, old, updated *Pool) Verdict { //nolint:revive // which volumes
	found := None
	for _, config := range [][]byte{old.ProviderConfig, updated.ProviderConfig} {
		before, after := *updated, *updated
		before.ProviderConfig, after.ProviderConfig = config, config
		if isData {
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

// keepsName reports whether a rolling pool keeps its name whatever changed: Gardener and the
// extensions hash values without the names of their fields, so changes can cancel out.
func keepsName(old, updated *Pool, o Options) bool {
	naming := o.naming(updated)
	isKnown := o.Naming == nil && naming != nil && old.Worker.KubernetesVersion != "" &&
		updated.Worker.KubernetesVersion != ""
	if updated.isBare() || !isKnown || inPlace(old.Worker.UpdateStrategy) || inPlace(updated.Worker.UpdateStrategy) {
		return false
	}
	before, oldErr := naming.digest(old)
	after, newErr := naming.digest(updated)
	return oldErr == nil && newErr == nil && before == after
}

// digest returns the full digest of a rolling pool's name. It covers the parts of the node-agent
// secret name, and the name that a Worker holds.
func (n *Naming) digest(p *Pool) (hash.Digest, error) {
	secret, err := hash.NodeAgentSecretName(p.Worker)
	if err != nil {
		return hash.Digest{}, err
	}
	stored := *p
	stored.ProviderConfig = AsStored(p.ProviderConfig)
	additional, err := n.Additional(&stored)
	return hash.Compose(append([]string{secret.Text, *orDefault(p.NodeAgentSecretName, "")},
		additional.Data...)...), err
}
