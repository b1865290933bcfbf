package facts

import (
	"slices"
	"strconv"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// Running says whether the machines of a Shoot have the state of its spec.
type Running uint8

// The states.
const (
	// SpecRuns: gardenlet has rolled out the spec, or is doing that now.
	SpecRuns Running = iota
	// SpecAssumed: the manifest has no status. The spec is assumed to run.
	SpecAssumed
	// SpecMayWait: the machines may have an earlier state, because changes of the spec wait for the
	// maintenance window, the last operation has failed, or gardenlet ignores the Shoot.
	SpecMayWait
)

// The state of Shoots, see validation and gardenlet of Gardener.
const (
	ignoreAnnotation = "shoot.gardener.cloud/ignore"
	failed           = "Failed"
	retry            = "retry"
	forceInPlace     = "force-in-place-update"
	// RotateSSHKeys is the operation that rotates the SSH key pair of a Shoot.
	RotateSSHKeys   = "rotate-ssh-keypair"
	gardenNamespace = "garden" // gardenlet always heeds the annotation of its Shoots
)

// RollOut says whether a change makes gardenlet roll out earlier changes of the Shoot that may wait.
type RollOut uint8

// Whether earlier changes are rolled out.
const (
	NoRollOut    RollOut = iota // nothing waits, or it waits on
	MayRollOut                  // what may wait is rolled out
	IfHeeded                    // only if gardenlet heeds the annotation by which it ignores a Shoot
	UnlessHeeded                // only if gardenlet does not heed the annotation
)

// Transition says how a manifest follows an old one.
type Transition struct {
	// RollsOut says whether earlier changes of the Shoot, which may wait, are rolled out with this one.
	RollsOut RollOut
	// WaitsForMaintenance says that the change of the Shoot waits for the maintenance window: its rollout is confined
	// to it, or it requests an operation for it, and gardenlet does not roll out the spec at once.
	WaitsForMaintenance bool
	// IsOldAssumed says that the old spec is assumed to run, see [SpecAssumed].
	IsOldAssumed bool
	// ReplacesLists reports whether kubectl apply replaces all lists, such as the list of pools, see
	// [apply.ReplacesLists]. It compares the manifests on its first call.
	ReplacesLists func() bool
}

// Following says how the manifest follows an old one in a landscape.
func (m *Manifest) Following(old *Manifest, l *Landscape) Transition {
	return Transition{
		RollsOut:            m.rollsOut(old, l),
		WaitsForMaintenance: m.Kind == Shoot && m.waitsForMaintenance(old, l),
		IsOldAssumed:        old.runs(l) == SpecAssumed,
		ReplacesLists:       sync.OnceValue(func() bool { return apply.ReplacesLists(old.Tree, m.Tree) }),
	}
}

// runs returns the state of the machines. A hibernated cluster has no machines, so nothing waits
// there. If the state depends on whether gardenlet heeds the annotation, the spec may wait.
func (m *Manifest) runs(l *Landscape) Running {
	most := SpecRuns
	for _, heeds := range m.heeds(l) {
		most = max(most, m.running(heeds))
	}
	return most
}

// heeds returns whether gardenlet heeds the annotation by which it ignores a Shoot, in both ways if that is not
// known: RespectShootSyncPeriodOverwrite.
func (m *Manifest) heeds(l *Landscape) []bool {
	if m.Namespace == gardenNamespace {
		return []bool{true}
	}
	return l.RespectsSyncPeriod.Values(false, true)
}

func (m *Manifest) running(heeds bool) Running {
	status := m.Tree.At("status")
	operation := status.At("lastOperation")
	isFailed := operation.At("state").Text() == failed &&
		tree.Equal(status.At("observedGeneration"), m.Tree.At("metadata", "generation"))
	switch {
	case m.Kind == Shoot && m.isHibernated() && operation == nil:
		return SpecAssumed
	case m.Kind != Shoot, m.isHibernated():
		return SpecRuns
	case m.isConfined(), heeds && m.isIgnored(), isFailed:
		return SpecMayWait
	case operation == nil:
		return SpecAssumed
	}
	return SpecRuns
}

// isHibernated reports whether hibernation is finished. Without a status, hibernation is assumed to
// be finished. An API server always writes the member hibernated, so a status without it is
// incomplete, and the state is not known.
func (m *Manifest) isHibernated() bool {
	status := m.Tree.At("status")
	isFinished := status.At("hibernated").IsTrue()
	isSilent := status.At("hibernated") == nil && status.At("lastOperation") == nil
	return m.IsToHibernate() && (isFinished || isSilent)
}

// hasSSHAccess reports whether SSH access to the machines is on, as it is by default: ShootEnablesSSHAccess.
func (m *Manifest) hasSSHAccess() bool {
	enabled := m.Tree.At("spec", "provider", "workersSettings", "sshAccess", "enabled")
	access := m.Tree.At("spec", "provider", "workersSettings", "sshAccess")
	return access.Kind() == tree.Null || enabled.IsTrue()
}

// IsToHibernate reports whether the spec asks for hibernation.
func (m *Manifest) IsToHibernate() bool { return m.Tree.At("spec", "hibernation", "enabled").IsTrue() }

// isConfined reports whether changes of the spec wait for the maintenance window.
func (m *Manifest) isConfined() bool {
	return m.Tree.At("spec", "maintenance", "confineSpecUpdateRollout").IsTrue()
}

// isIgnored reports whether a Shoot has the annotation by which gardenlet ignores it: ShouldIgnoreShoot.
func (m *Manifest) isIgnored() bool {
	isIgnored, err := strconv.ParseBool(m.Tree.At("metadata", "annotations", ignoreAnnotation).Text())
	return err == nil && isIgnored
}

// rollsOut says whether a change from an old manifest makes gardenlet roll out earlier changes.
func (m *Manifest) rollsOut(old *Manifest, l *Landscape) RollOut {
	known := m.heeds(l)
	rollsOut := func(heeds bool) bool { return old.running(heeds) == SpecMayWait && m.reconciles(old, heeds) }
	first := rollsOut(known[0])
	last := rollsOut(known[len(known)-1])
	switch {
	case first && last:
		return MayRollOut
	case first:
		return UnlessHeeded
	case last:
		return IfHeeded
	}
	return NoRollOut
}

// reconciles reports whether gardenlet rolls out the spec of a Shoot at once because the Shoot changes from an old
// one: mustIncreaseGeneration, and the end of the annotation by which gardenlet ignores the Shoot, if it heeds it.
func (m *Manifest) reconciles(old *Manifest, heeds bool) bool {
	switch {
	case heeds && m.isIgnored():
		return false
	case heeds && old.isIgnored():
		return true
	}
	isHibernation := m.IsToHibernate() != old.IsToHibernate()
	isSpec := !m.isConfined() && !tree.Equal(m.Tree.At("spec"), old.Tree.At("spec"))
	isTold := m.isRequested() || m.isLaterThan(old)
	return isTold || isHibernation || isSpec
}

// isLaterThan reports whether the API server has given the Shoot a later generation than the old one, by which
// gardenlet rolls out the spec. It removes the annotation of an operation that needs nothing else, such as reconcile,
// before admission sees the Shoot: PrepareForUpdate.
func (m *Manifest) isLaterThan(old *Manifest) bool {
	before, isOldKnown := old.Tree.At("metadata", "generation").Number()
	after, isNewKnown := m.Tree.At("metadata", "generation").Number()
	if !isOldKnown || !isNewKnown {
		return false
	}
	from, oldErr := before.Int64()
	to, newErr := after.Int64()
	return oldErr == nil && newErr == nil && to > from
}

// isRequested reports whether an annotation requests an operation for now, which also rolls out the spec. After a
// failed operation only retry does, and force-in-place-update requests nothing by itself.
func (m *Manifest) isRequested() bool {
	isFailed := m.Tree.At("status", "lastOperation", "state").Text() == failed
	operations := operationsIn(m.Tree.At("metadata", "annotations"), operationNow)
	return slices.ContainsFunc(operations, func(o Operation) bool {
		if isFailed {
			return o.Name == retry
		}
		isSSH := o.Name == RotateSSHKeys
		return o.Name != forceInPlace && (!isSSH || m.hasSSHAccess())
	})
}

// waitsForMaintenance reports whether a change from an old manifest waits, see [Transition].
func (m *Manifest) waitsForMaintenance(old *Manifest, l *Landscape) bool {
	if m.isIgnored() {
		return false
	}
	later := m.Tree.At("metadata", "annotations", operationLater).Text()
	isLater := m.isConfined() || later != ""
	atOnce := slices.ContainsFunc(m.heeds(l), func(heeds bool) bool { return m.reconciles(old, heeds) })
	return isLater && !atOnce
}
