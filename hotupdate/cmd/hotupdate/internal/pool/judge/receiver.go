package judge

import (
	"cmp"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
)

// Receiver is the extension that receives the changes of a manifest, with the options by which its pools are judged. It
// is found once for all pools: what depends on the provider, the release or the naming stands here.
type Receiver struct {
	Options

	provider Provider // in its release; zero if the extension is not known
	release  string   // of the extension; empty if it is not known
	own      *Naming  // how the extension names pools; nil if it is not known
	given    *Naming  // how the user says that pools are named; nil if the user does not
	naming   *Naming  // the given naming, or else that of the extension

	// adopted and released are the receivers of [Both]: the extension once it has adopted the library, and in today's
	// release.
	adopted, released *Receiver
	// earlier is the extension in its earliest known release, if none is stated and releases name pools in different
	// ways.
	earlier *Receiver
}

// ReceiverOf finds the extension of a manifest, by its provider or, for a provider config on its own, by the config's
// kind.
func (o Options) ReceiverOf(m *facts.Manifest) *Receiver {
	if len(m.Pools) > 0 {
		return o.receiverOf(&m.Pools[0]) // all pools have the provider of the manifest
	}
	return o.receiverOf(&facts.Pool{Provider: m.Provider})
}

// receiverOf finds the extension of a pool. The landscape may know whether it has adopted the library.
func (o Options) receiverOf(p *facts.Pool) *Receiver {
	known := o.knownFor(p)
	o.Extension = o.ExtensionOf(cmp.Or(known.Name, p.Provider))
	return o.receivedBy(known)
}

// ExtensionOf returns the extension that receives the changes of a provider's pools: the landscape may know
// whether it has adopted the library.
func (o Options) ExtensionOf(provider string) Extension {
	adopted, isKnown := o.Landscape.Extensions[provider].Adopted.Value()
	switch {
	case o.Extension != Both || !isKnown:
		return o.Extension
	case adopted:
		return Adopted
	}
	return Released
}

// receivedBy returns the receiver with an extension, in the release that the landscape states.
func (o Options) receivedBy(known Provider) *Receiver {
	release, isStated := o.Landscape.Extensions[known.Name].Release.Value()
	r := o.receivedIn(known, release)
	switch {
	case o.Extension == Both:
		o.Extension = Adopted
		r.adopted = o.receivedBy(known)
		o.Extension = Released
		r.released = o.receivedBy(known)
	case o.Extension == Released && !isStated && known.Since != "":
		r.earlier = o.receivedIn(known, known.Recorded[0])
	}
	return r
}

// receivedIn returns the receiver with a release of an extension, which is empty if it is not known.
func (o Options) receivedIn(known Provider, release string) *Receiver {
	r := &Receiver{Options: o, provider: inRelease(known, release), release: release, given: o.givenNaming()}
	r.own = o.namingOf(r.provider)
	r.naming = cmp.Or(r.given, r.own)
	return r
}

// ProviderOf returns the extension for a pool, zero if it is not known. The landscape may state its release.
func (o Options) ProviderOf(p *facts.Pool) Provider { return o.receiverOf(p).provider }

// knownFor finds the extension for a pool.
func (o Options) knownFor(p *facts.Pool) Provider {
	var meta facts.TypeMeta
	if p.IsBare() {
		meta = p.Config.Type()
	}
	for _, one := range o.Providers {
		isOfConfig := p.IsBare() && one.APIVersion == meta.APIVersion && one.Kind == meta.Kind
		if isOfConfig || !p.IsBare() && one.Name == p.Provider {
			return one
		}
	}
	return Provider{}
}

// Stated returns a pool with the update strategy that the user states, if there is one. The manifest then has this
// strategy for every judgement.
func (o Options) Stated(p facts.Pool) facts.Pool {
	if o.Strategy != nil {
		p.Worker.UpdateStrategy = *o.Strategy
		p.Declared = *o.Strategy
	}
	return p
}

// inRelease returns an extension in one of its releases; unchanged if the release is not known.
func inRelease(p Provider, release string) Provider {
	if release == "" || p.At == nil {
		return p
	}
	return p.At(release)
}

// givenNaming returns the naming that the user gives; nil if there is none. A Schema says how a field may
// be applied. Only an extension that has adopted the library names pools by it.
func (o Options) givenNaming() *Naming {
	if o.Naming != nil && o.Naming.Assumed && o.Extension != Adopted {
		return nil
	}
	return o.Naming
}

// namingOf returns the naming of an extension; nil if it is not known.
func (o Options) namingOf(extension Provider) *Naming {
	if extension.Name == "" {
		return nil
	}
	names := extension.Adopted
	if o.Extension == Released {
		names = extension.Released
	}
	return &Naming{Versions: extension.Versions, Additional: func(p *facts.Pool) (Additional, error) {
		isOwn := p.Config.Type() == facts.TypeMeta{APIVersion: extension.APIVersion, Kind: extension.Kind}
		if !p.Config.IsAbsent() && !isOwn {
			return Additional{Unknown: true}, nil // a fork's config
		}
		return names(p.InWorker())
	}}
}

// Today returns the data that today's release of the extension adds to the name of a pool. It is false if
// the data is not known: the extension is not known, its release does not read the provider config, or the
// pool has no Kubernetes version and eras differ.
func (o Options) Today(p *facts.Pool) (today Additional, isKnown bool) {
	o.Extension = Released
	naming := o.receiverOf(p).own
	if naming == nil {
		return Additional{}, false
	}
	stored := p.Stored()
	for _, version := range naming.versionsOf(p) {
		additional, err := naming.Additional(stored.WithVersion(version))
		if err != nil || additional.Unknown {
			return Additional{}, false
		}
		isSame := additional.Era == today.Era && slices.Equal(additional.Data, today.Data)
		if isKnown && !isSame {
			return Additional{}, false
		}
		today = additional
		isKnown = true
	}
	return today, isKnown
}

// hasAdopted reports whether the extension has adopted the library.
func (r *Receiver) hasAdopted() bool { return r.Extension != Released }

// mayDiffer reports whether a verdict may depend on the release of the extension, or on whether it has adopted the
// library.
func (r *Receiver) mayDiffer(old, updated *facts.Pool) bool {
	sameVolumes := slices.EqualFunc(old.DataVolumes, updated.DataVolumes, equalVolumes) &&
		equalPointers(old.Encrypted, updated.Encrypted)
	sameSecret := (old.NodeAgentSecretName == nil) == (updated.NodeAgentSecretName == nil)
	isSame := sameVolumes && sameSecret && old.Config.Same(updated.Config)
	return r.provider.Name != "" && r.Custom == nil && !isSame
}

func equalVolumes(a, b facts.DataVolume) bool {
	sameName := a.Name == b.Name
	sameDisk := a.Size == b.Size && equalPointers(a.Type, b.Type)
	return sameName && sameDisk && equalPointers(a.Encrypted, b.Encrypted)
}

func equalPointers[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
