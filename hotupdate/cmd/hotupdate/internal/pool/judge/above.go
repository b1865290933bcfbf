package judge

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// AbovePools are the differences of two manifests above their pools.
type AbovePools struct {
	// Changes are the differences. Unjudged are the paths of the differences that this command does
	// not know.
	Changes  []Finding
	Unjudged []string
	// Rules are the rules that the verdict on all pools depends on.
	Rules []verdict.Rule
}

// Verdict returns the gravest verdict above the pools.
func (a *AbovePools) Verdict() verdict.Verdict { return slices.Max(a.Effects()) }

// Effects returns the verdict on the number of machines, and on the machines that stay: schedules of
// hibernation hide nothing else.
func (a *AbovePools) Effects() []verdict.Verdict {
	all := a.comparison()
	return all.Effects()
}

// Possible returns the verdicts above the pools that can come true once all facts are known.
func (a *AbovePools) Possible() verdict.Set {
	all := a.comparison()
	return all.Possible()
}

// comparison has the verdicts above the pools together.
func (a *AbovePools) comparison() Comparison {
	all := Comparison{Verdict: verdict.None, May: verdict.Only(verdict.None)}
	for i := range a.Changes {
		all.add(&a.Changes[i])
	}
	if len(a.Unjudged) > 0 {
		all.Raise(verdict.Indeterminate)
		all.May = all.May.And(verdict.Any())
	}
	return all
}

// Questions returns the facts that the verdict above the pools lacks.
func (a *AbovePools) Questions() []verdict.Question {
	var all []verdict.Question
	for i := range a.Changes {
		change := &a.Changes[i]
		if change.Verdict == verdict.Indeterminate && change.Question.Asks() {
			all = append(all, change.Question)
		}
	}
	return verdict.Merged(all)
}

// AbovePools judges the fields of a Shoot or Worker above its pools. Both manifests are of one kind and
// provider.
func (r *Receiver) AbovePools(old, updated *facts.Manifest, transition facts.Transition) AbovePools {
	table := fields.Worker
	if updated.Kind == facts.Shoot {
		table = fields.Shoot
	}
	isOpen := func(path string) bool { return r.provider.Name == "" && fields.IsForeign(path) }
	found := restOf(table, hotupdate.AutoRollingUpdate, old.Above(), updated.Above(), isOpen)
	above := AbovePools{Changes: found.findings, Unjudged: found.unjudged, Rules: r.assumptions(updated, transition)}
	for _, d := range found.elsewhere {
		above.Changes = append(above.Changes, judgeAbove(old, updated, r.provider, d))
	}
	for i := range above.Changes {
		change := &above.Changes[i]
		*change = doubtedBy(*change, change.Path, slices.Concat(old.Doubted, updated.Doubted))
		if change.Verdict == verdict.Indeterminate && !change.Question.Asks() {
			change.Question = verdict.Question{Fact: change.Rule.Text, Rule: change.Rule}
		}
		change.Decides = change.Verdict.IsOfNumber() || slices.Contains(
			[]verdict.Verdict{verdict.Indeterminate, verdict.Removed, verdict.Forbidden}, change.Verdict)
		if change.Rule != verdict.NoRule && change.Verdict != verdict.None {
			above.Rules = append(above.Rules, change.Rule)
		}
	}
	above.Rules = verdict.Sorted(above.Rules)
	return above
}

// assumptions returns the assumptions about all pools of a manifest, and what its release of Gardener does not have.
func (o Options) assumptions(updated *facts.Manifest, transition facts.Transition) (rules []verdict.Rule) {
	switch {
	case o.Extension == Released:
		rules = append(rules, verdict.ExtensionReleased)
	case o.Extension != Both && o.Naming == nil:
		rules = append(rules, verdict.ExtensionAdopted)
	}
	if transition.WaitsForMaintenance {
		rules = append(rules, verdict.WaitsForMaintenance)
	}
	return slices.Concat(rules, o.Landscape.Rules(), o.Landscape.Dropped(updated))
}

// judgeAbove judges schedules of hibernation, and the configuration or state of the infrastructure,
// from which an extension may derive hashed values.
func judgeAbove(old, updated *facts.Manifest, provider Provider, d tree.Difference) Finding {
	isKnown := provider.Name != ""
	pointer := pathOf(d.Path).Pointer()
	isScale := joined(d.Path) == fields.Schedules
	isHashed := slices.ContainsFunc(provider.HashedInfrastructure, func(path string) bool {
		return isBelow(pointer, "/spec/provider/infrastructureConfig"+facts.PointerTo(path))
	})
	isHashedStatus := slices.ContainsFunc(provider.HashedStatus, func(path string) bool {
		hashed := "/spec/infrastructureProviderStatus" + facts.PointerTo(path)
		return updated.Kind == facts.Worker && isBelow(pointer, hashed)
	})
	isFixed := slices.ContainsFunc(provider.FixedInfrastructure, func(path string) bool {
		return pointer == "/spec/provider/infrastructureConfig"+facts.PointerTo(path)
	})
	switch {
	case isFixed && d.Old.IsTrue() == d.New.IsTrue():
		return about(d, verdict.None, verdict.SameMeaning)
	case isFixed:
		return about(d, verdict.Forbidden, verdict.InfrastructureFixed)
	case isScale && d.Old.IsZero() && d.New.IsZero():
		return about(d, verdict.None, verdict.SameMeaning)
	case isScale:
		return judgeSchedules(old, updated, d)
	case !isKnown:
		return about(d, verdict.Indeterminate, verdict.BeyondManifests)
	case isHashed, isHashedStatus:
		return about(d, verdict.None, verdict.ToldAtPools)
	}
	return about(d, verdict.None, verdict.NotHashed)
}

// judgeSchedules judges the schedules of hibernation. A new one with a start deletes every machine at that
// time, a new one with an end creates them again. A cluster that stays hibernated has no machines that a start could
// delete, unless an end wakes it up in between.
func judgeSchedules(old, updated *facts.Manifest, d tree.Difference) Finding {
	v := verdict.None
	rule := verdict.ScheduleRemoved
	for _, schedule := range d.New.Elements() {
		switch {
		case hasElement(d.Old, schedule):
		case !schedule.At("start").IsZero():
			return hibernatesBy(old, updated, d)
		default:
			v = verdict.MachinesAdded
			rule = verdict.WakeUpScheduled
		}
	}
	return about(d, v, rule)
}

// hibernatesBy judges a new schedule with a start.
func hibernatesBy(old, updated *facts.Manifest, d tree.Difference) Finding {
	staysHibernated := old.IsToHibernate() && updated.IsToHibernate()
	wakesUp := false
	for _, schedule := range d.New.Elements() {
		wakesUp = wakesUp || !schedule.At("end").IsZero()
	}
	switch {
	case staysHibernated && !wakesUp:
		return about(d, verdict.None, verdict.StaysHibernated)
	case staysHibernated:
		return about(d, verdict.AllMachinesMayBeDeleted, verdict.HibernatedAgain)
	}
	return about(d, verdict.AllMachinesMayBeDeleted, verdict.HibernationScheduled)
}

// hasElement reports whether a list has an element.
func hasElement(list, wanted *tree.Node) bool {
	for _, element := range list.Elements() {
		if tree.Equal(element, wanted) {
			return true
		}
	}
	return false
}
