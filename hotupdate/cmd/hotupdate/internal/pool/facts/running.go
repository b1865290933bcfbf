package facts

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// Running says whether the machines of a Shoot are those of its spec.
type Running uint8

// What runs.
const (
	// SpecRuns: gardenlet has rolled out the spec, or is doing that now.
	SpecRuns Running = iota
	// SpecAssumed: the manifest has no status. The spec is assumed to run.
	SpecAssumed
	// SpecMayWait: it is not known what runs. Changes of the spec wait for the maintenance window, the last
	// operation has failed, or gardenlet ignores the Shoot.
	SpecMayWait
)

// The state of Shoots, see validation and gardenlet of Gardener.
const (
	ignoreAnnotation    = "shoot.gardener.cloud/ignore"
	operationAnnotation = "gardener.cloud/operation"
	failed              = "Failed"
	retry               = "retry"
)

// Running returns what runs. A hibernated cluster has no machines, so nothing waits there.
func (m *Manifest) Running() Running {
	status := m.Tree.At("status")
	operation := status.At("lastOperation")
	isFailed := operation.At("state").Text() == failed &&
		tree.Equal(status.At("observedGeneration"), m.Tree.At("metadata", "generation"))
	switch {
	case m.Kind != Shoot, m.isHibernated():
		return SpecRuns
	case m.isConfined(), m.isIgnored(), isFailed:
		return SpecMayWait
	case operation == nil:
		return SpecAssumed
	}
	return SpecRuns
}

func (m *Manifest) isHibernated() bool {
	isHibernated := m.Tree.At("status", "hibernated")
	return m.Tree.At("spec", "hibernation", "enabled").IsTrue() && (isHibernated == nil || isHibernated.IsTrue())
}

// isConfined reports whether changes of the spec wait for the maintenance window.
func (m *Manifest) isConfined() bool {
	return m.Tree.At("spec", "maintenance", "confineSpecUpdateRollout").IsTrue()
}

func (m *Manifest) isIgnored() bool {
	return m.Tree.At("metadata", "annotations", ignoreAnnotation).Text() == "true"
}

// Reconciles reports whether gardenlet rolls out the spec of a Shoot because it changes from an old one:
// mustIncreaseGeneration, and the end of the annotation by which gardenlet ignores the Shoot.
func (m *Manifest) Reconciles(old *Manifest) bool {
	if m.isIgnored() {
		return false
	}
	if old.isIgnored() {
		return true // if gardenlet heeds the annotation, which is a fact of the landscape
	}
	enabled := []string{"spec", "hibernation", "enabled"}
	isHibernation := m.Tree.At(enabled...).IsTrue() != old.Tree.At(enabled...).IsTrue()
	isSpec := !m.isConfined() && !tree.Equal(m.Tree.At("spec"), old.Tree.At("spec"))
	operations := operationsOf(m.Tree.At("metadata", "annotations", operationAnnotation).Text())
	isFailed := m.Tree.At("status", "lastOperation", "state").Text() == failed
	isRequested := len(operations) > 0
	if isFailed {
		isRequested = slices.Contains(operations, retry)
	}
	return isRequested || isHibernation || isSpec
}
