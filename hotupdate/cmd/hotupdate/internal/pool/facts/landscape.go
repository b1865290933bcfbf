package facts

import (
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// Landscape has the facts that are the same for all Shoots of a landscape and that decide about
// machines. In the zero value no fact is known.
type Landscape struct {
	// GKEFormula says how Gardener's admission plugin ShootResourceReservation is configured.
	GKEFormula verdict.Fact[GKEFormula]
	// Gardener is the release of Gardener, such as v1.150.0.
	Gardener verdict.Fact[string]
	// RespectsSyncPeriod is respectSyncPeriodOverwrite in the configuration of gardenlet: whether it heeds the
	// annotation shoot.gardener.cloud/ignore in all namespaces.
	RespectsSyncPeriod verdict.Fact[bool]
	// FeatureGates are the feature gates of gardener-apiserver that are stated.
	FeatureGates map[string]verdict.Fact[bool]
	// Extensions are the extensions by the types of their providers, such as aws.
	Extensions map[string]Extension
}

// Gates returns the feature gates whose values are known.
func (l *Landscape) Gates() map[string]bool {
	gates := map[string]bool{}
	for name, fact := range l.FeatureGates {
		if isOn, isKnown := fact.Value(); isKnown {
			gates[name] = isOn
		}
	}
	return gates
}

// GKEFormula is the configuration of Gardener's admission plugin ShootResourceReservation. The zero value is
// the default: Gardener fills in the same reservations in every Shoot.
type GKEFormula struct {
	// Selector selects, by labels, the Shoots in whose pools Gardener computes reservations from
	// the machine type. It is nil if useGKEFormula is false. Without a selector in the
	// configuration, it is [labels.Everything].
	Selector labels.Selector
}

// appliesTo reports whether Gardener reserves by the machine type in the pools of a pool's Shoot.
func (f GKEFormula) appliesTo(p *Pool) bool {
	return f.Selector != nil && f.Selector.Matches(labelsOf(p))
}

// labelsOf returns the labels of the Shoot of a pool.
func labelsOf(p *Pool) labels.Set {
	set := labels.Set{}
	for key, value := range p.Cluster.Labels.Members() {
		set[key] = value.Text()
	}
	return set
}

// Extension has the known facts about the extension of a provider.
type Extension struct {
	// Release is the release that the landscape runs, such as v1.73.0.
	Release verdict.Fact[string]
	// Adopted says whether the extension has adopted this library.
	Adopted verdict.Fact[bool]
}

// Dropped says which members of a manifest the release of Gardener does not have, see [ReadIn].
func (l *Landscape) Dropped(m *Manifest) []verdict.Rule {
	if len(m.Dropped) == 0 {
		return nil
	}
	release, _ := l.Gardener.Value()
	return []verdict.Rule{verdict.NotInRelease(release, m.Dropped)}
}

// Rules returns the assumption about the release of Gardener, unless it is known to have the rules of this command.
func (l *Landscape) Rules() []verdict.Rule {
	release, isKnown := l.Gardener.Value()
	switch {
	case !isKnown:
		return []verdict.Rule{verdict.GardenerIsKnown}
	case !verdict.IsGardenerRelease(release):
		return []verdict.Rule{verdict.OtherGardener}
	}
	return nil
}
