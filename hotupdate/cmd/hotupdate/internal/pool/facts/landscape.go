package facts

import (
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// Landscape has the facts that a landscape has once, and that decide about machines of all its Shoots. The
// zero value knows nothing.
type Landscape struct {
	// GKEFormula says how Gardener's admission plugin ShootResourceReservation is configured.
	GKEFormula verdict.Fact[GKEFormula]
}

// GKEFormula is the configuration of Gardener's admission plugin ShootResourceReservation. The zero value is
// the default: Gardener fills in the same reservations in every Shoot.
type GKEFormula struct {
	// Selector selects the Shoots by their labels in whose pools Gardener reserves by CPU and memory of the
	// machine type. It is nil if useGKEFormula is false. Without a selector in the configuration, it is
	// [labels.Everything].
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
