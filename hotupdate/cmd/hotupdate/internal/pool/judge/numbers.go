package judge

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/causes"
)

// size has the values that bound the number of machines of a pool in each zone. A pool of a
// hibernated cluster has none.
type size struct {
	machines facts.Machines
	zones    int
	// mayBeNone says that the pool may also have no machines, since its hibernation is not finished.
	mayBeNone bool
}

// sizeOf returns the desired size of a pool.
func sizeOf(p *facts.Pool) size { return size{machines: p.Wanted(), zones: max(1, len(p.Zones))} }

// before returns the number of machines from which the change begins. Machines that an unfinished hibernation deletes
// anyway do not count.
func (p *pair) before() size {
	s := p.sizeBefore()
	switch {
	case p.old.MayStillRun() && !p.updated.Cluster.Hibernated:
		s.mayBeNone = true
	case p.old.Cluster.Hibernated:
		s.machines = facts.Machines{Known: true}
	}
	return s
}

// sizeBefore returns the size of the old pool by its own fields, whether the cluster is hibernated or not.
func (p *pair) sizeBefore() size {
	machines := p.old.Machines
	machines.Minimum = min(machines.Minimum, machines.Maximum) // Gardener has refused another one
	return size{machines: machines, zones: max(1, len(p.old.Zones))}
}

// inZone returns the numbers of a zone; none for a zone that the pool does not have.
func (s size) inZone(zone int) facts.Machines {
	if zone >= s.zones {
		return facts.Machines{}
	}
	return s.machines.InZone(zone, s.zones)
}

// numbersOf counts the machines that are added and deleted between two sizes, zone by zone. A zone
// has any number of machines from its minimum to its maximum. Gardener deletes machines above the
// new maximum and adds machines up to the new minimum. The cluster autoscaler adds others up to the
// new maximum. A smaller minimum deletes none.
//
// Source: Gardener v1.150, deployMachineDeployments.
func numbersOf(old, updated size) (n verdict.Numbers) {
	if old.mayBeNone {
		none := size{zones: old.zones}
		all := size{machines: old.machines, zones: old.zones}
		n = numbersOf(none, updated).Or(numbersOf(all, updated))
		n.AreOthersDeleted = true
		return n
	}
	for zone := range max(old.zones, updated.zones) {
		before := old.inZone(zone)
		after := updated.inZone(zone)
		n.DeletedAtLeast += max(0, before.Minimum-after.Maximum)
		n.DeletedAtMost += max(0, before.Maximum-after.Maximum)
		n.AddedAtMost += max(0, after.Minimum-before.Minimum, after.Maximum-before.Maximum)
	}
	return n
}

// verdictOf returns the verdict on a change of the size. If the pool keeps no machine, all are
// deleted.
func verdictOf(n verdict.Numbers, updated size) verdict.Verdict {
	switch {
	case n.DeletedAtLeast > 0:
		return verdict.MachinesDeleted
	case n.DeletedAtMost > 0 && updated.machines.Maximum == 0:
		return verdict.AllMachinesMayBeDeleted
	case n.DeletedAtMost > 0:
		return verdict.MachinesMayBeDeleted
	case n.AddedAtMost > 0:
		return verdict.MachinesAdded
	}
	return verdict.None
}

// numbers returns the effect of the change on the number of machines, with the verdict. Other
// changes of zones than appended ones are judged elsewhere; here they move no machines.
func (p *pair) numbers() (verdict.Numbers, verdict.Verdict) {
	if p.updated.IsReversed() {
		return verdict.Numbers{}, verdict.None // see [pair.reversed]
	}
	before := p.before()
	after := sizeOf(p.updated)
	if !p.appendsZones() {
		after.zones = before.zones
	}
	n := numbersOf(before, after)
	return n, verdictOf(n, after)
}

// appendsZones reports whether the new pool has the old zones, and others behind them.
func (p *pair) appendsZones() bool {
	before := p.old.Zones
	after := p.updated.Zones
	return len(before) < len(after) && slices.Equal(before, after[:len(before)])
}

// scaling judges minimum, maximum and appended zones.
func (p *pair) scaling() (findings []Finding) {
	if p.updated.IsReversed() {
		return p.reversed()
	}
	changes := p.sizeChanges()
	found := causes.Find(len(changes), func(applied []int) verdict.Verdict {
		if len(applied) == len(changes) && p.old.MayStillRun() {
			_, together := p.numbers()
			return together
		}
		before := p.sizeBefore()
		after := before
		for _, i := range applied {
			changes[i].apply(&after)
		}
		return verdictOf(p.ofSizes(numbersOf(before, after)), after)
	})
	for i, change := range changes {
		if p.isOpen(change.path) { // see judgeRest
			continue
		}
		v := found.Effects[i]
		findings = append(findings, aboutField(p.old, p.updated, change.path, v, p.ruleOfSize(change.path, v))...)
	}
	return findings
}

// ofSizes returns the machines that changes of the pool's own fields add and delete. If the cluster is hibernated, none
// is added; if it was, there was none to delete.
func (p *pair) ofSizes(n verdict.Numbers) verdict.Numbers {
	if p.updated.Cluster.Hibernated {
		n.AddedAtMost = 0
	}
	if p.old.Cluster.Hibernated && !p.old.MayStillRun() {
		n.DeletedAtLeast = 0
		n.DeletedAtMost = 0
	}
	return n
}

// reversed refuses a minimum above the maximum: ValidateWorker. Gardener has refused such a pool
// before the change.
func (p *pair) reversed() (findings []Finding) {
	for _, path := range []string{fields.Minimum, fields.Maximum} {
		if !tree.Equal(p.old.Node.At(path), p.updated.Node.At(path)) {
			found := aboutField(p.old, p.updated, path, verdict.Forbidden, verdict.MinimumAboveMaximum)
			findings = append(findings, found...)
		}
	}
	return findings
}

// sizeChange is the change of a field that decides about the size of the pool.
type sizeChange struct {
	path  string
	apply func(*size)
}

func (p *pair) sizeChanges() (changes []sizeChange) {
	add := func(path string, isChanged bool, apply func(*size)) {
		if isChanged {
			changes = append(changes, sizeChange{path, apply})
		}
	}
	old := p.old.Machines
	updated := p.updated.Machines
	add(fields.Minimum, old.Minimum != updated.Minimum, func(s *size) { s.machines.Minimum = updated.Minimum })
	add(fields.Maximum, old.Maximum != updated.Maximum, func(s *size) { s.machines.Maximum = updated.Maximum })
	add(fields.Zones, p.appendsZones(), func(s *size) { s.zones = len(p.updated.Zones) })
	return changes
}

// ruleOfSize is the reason for the verdict on a field that decides about the number of machines.
func (p *pair) ruleOfSize(path string, v verdict.Verdict) verdict.Rule {
	isHibernated := p.old.Cluster.Hibernated || p.updated.Cluster.Hibernated
	isLess := p.updated.Machines.Minimum < p.old.Machines.Minimum
	wakesUp := p.old.Cluster.Hibernated && !p.updated.Cluster.Hibernated
	switch {
	case v == verdict.None && wakesUp:
		return p.ruleOfWakingUp()
	case v == verdict.None && isHibernated:
		return p.ruleOfHibernated()
	case v == verdict.None && path == fields.Minimum && isLess:
		return verdict.MinimumLess
	case v == verdict.None:
		return verdict.NumbersStay
	case path == fields.Zones && v == verdict.MachinesAdded:
		return verdict.ZoneAdded
	case path == fields.Zones:
		return verdict.ZoneAppended
	case v == verdict.MachinesAdded && path == fields.Minimum:
		return verdict.MinimumMore
	case v == verdict.MachinesAdded:
		return verdict.Grown
	case p.updated.Machines.Maximum == 0:
		return verdict.ScaledToZero
	}
	return verdict.Shrunk
}

// hibernation judges the beginning and the end of hibernation. Both stand in the Shoot.
func (p *pair) hibernation() []Finding {
	before := p.old.Cluster.Hibernated
	after := p.updated.Cluster.Hibernated
	rule := verdict.Hibernated
	switch {
	case before && after:
		return ofPool(verdict.None, p.ruleOfHibernated())
	case before == after:
		return nil
	case before:
		rule = p.ruleOfWakingUp()
	}
	_, v := p.numbers()
	if v == verdict.None {
		rule = verdict.NumbersStay
	}
	d := tree.Difference{
		Path: strings.Split(fields.Hibernated, "."), Old: tree.BoolOf(before), New: tree.BoolOf(after),
	}
	return []Finding{about(d, v, rule)}
}

// withoutMachines removes the effects on the machines of a pool that has, or keeps, no machines. It
// does not change a verdict that a change is, or may be, refused.
func (p *pair) withoutMachines(found Finding) Finding {
	if !p.hasNone() {
		return found
	}
	if found.Verdict.NeedsMachines() || found.mayHappen() {
		found.Verdict = verdict.None
		found.Rule = p.ruleOfEmpty()
	}
	return found
}

// hasNone reports whether the pool has, or keeps, no machine that the change could replace or
// update.
func (p *pair) hasNone() bool { return p.old.IsEmpty() || p.updated.EndsEmpty() }

// ruleOfEmpty says why no machine is replaced or updated.
func (p *pair) ruleOfEmpty() verdict.Rule {
	switch {
	case p.old.Cluster.Hibernated && p.updated.Cluster.Hibernated:
		return p.ruleOfHibernated()
	case p.old.IsEmpty():
		return verdict.NoMachines
	}
	return verdict.KeepsNoMachines
}

// ruleOfHibernated says what happens to the machines of a cluster that stays hibernated.
func (p *pair) ruleOfHibernated() verdict.Rule {
	if p.old.MayStillRun() {
		return verdict.StillHibernates
	}
	return verdict.StaysHibernated
}

// ruleOfWakingUp says what happens to the machines of a cluster that is no longer hibernated.
func (p *pair) ruleOfWakingUp() verdict.Rule {
	if p.old.MayStillRun() {
		return verdict.HibernationEnds
	}
	return verdict.WokenUp
}

// onMachines adapts a finding about a pool that has, or may have, no machines. It gives an
// indeterminate finding the verdicts that hold without machines. If hibernation is not finished, so
// that machines may still run, a verdict that needs machines becomes a question.
func (p *pair) onMachines(found Finding) Finding {
	isOpen := !p.hasNone() && p.old.MayStillRun()
	switch {
	case found.Verdict == verdict.Indeterminate && p.hasNone():
		found.Question.Values = onValues(found.Question.Values, verdict.Set.WithoutMachines)
	case found.Verdict == verdict.Indeterminate && isOpen:
		found.Question.Values = onValues(found.Question.Values, func(s verdict.Set) verdict.Set {
			return s.Or(s.WithoutMachines())
		})
	case isOpen && found.Verdict.NeedsMachines():
		found.Question = RunningQuestion(found.Verdict)
		found.Verdict = verdict.Indeterminate
		found.Rule = verdict.MayStillRun
	}
	return found
}

// onValues applies a function to the verdicts of a question's values.
func onValues(values []verdict.Value, gives func(verdict.Set) verdict.Set) (mapped []verdict.Value) {
	for _, v := range values {
		mapped = append(mapped, verdict.Value{Text: v.Text, Gives: gives(v.Gives)})
	}
	return mapped
}

// mayHappen reports whether it is unknown if the change replaces or updates machines, and the
// change cannot be refused.
func (f *Finding) mayHappen() bool {
	mayBeRefused := f.Rule == verdict.ConfigRespelled || f.Rule == verdict.NoCloudProfile
	isOfState := f.Rule == verdict.InfrastructureMayRoll || f.Rule == verdict.StateUnknown
	isOfName := f.hasClass || isOfState
	return f.Verdict == verdict.Indeterminate && isOfName && !mayBeRefused
}
