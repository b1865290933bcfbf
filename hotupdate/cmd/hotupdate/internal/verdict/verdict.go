// Package verdict has the verdicts of the command on a change or a release, which say what it does
// to machines, and the rules that decide.
//
// It owns the verdicts, their order, and their words: a verdict has one word in every output of plan and
// audit, in flags, and in the files of users. An effect that follows from the class of a field has the
// word of its [hotupdate.Outcome]. It also owns the texts of the rules. It must not know manifests, pools
// or how a verdict is shown.
//
// The text of a rule is a full clause that names its subject and has no full stop. It begins in
// lower case, or with a name. A reason or consequence follows a colon; another clause, or what to
// do, follows a semicolon.
package verdict

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Verdict says what a change or a release does to machines. The zero value is Indeterminate. A
// greater verdict is graver.
type Verdict int8

// The verdicts. No other type defines verdicts.
const (
	None                    Verdict = -8 // no machine is touched
	BecomesReadable         Verdict = -7 // of a release: only the new one can read the config
	HotUpdate               Verdict = -6 // running machines are updated
	MachinesAdded           Verdict = -5 // the pool gets, or may get, more machines; none is deleted
	Added                   Verdict = -4 // machines are created, with a new pool
	InPlaceUpdate           Verdict = -3 // nodes are drained and updated in place
	MachinesMayBeDeleted    Verdict = -2 // some machines are deleted if the pool has many
	Unreadable              Verdict = -1 // of a release: neither the old nor the new one can read the config
	Indeterminate           Verdict = 0  // the known facts do not decide
	ClassRenamed            Verdict = 1  // of a release: nodes get another MachineClass and are updated in place
	Roll                    Verdict = 2  // machines are replaced
	AllMachinesMayBeDeleted Verdict = 3  // every machine is deleted, if the pool has any
	MachinesDeleted         Verdict = 4  // machines are deleted for sure, and others do not replace them
	Forbidden               Verdict = 5  // the change, or the config under the new release, is refused
	PoolRenamed             Verdict = 6  // machines are deleted, and a pool of another name gets others
	Removed                 Verdict = 7  // machines are deleted for good, with their pool
)

// ofNumber are the verdicts on the number of machines, the gravest first. They are independent of
// what happens to the machines that stay.
var ofNumber = []Verdict{MachinesDeleted, AllMachinesMayBeDeleted, MachinesMayBeDeleted, MachinesAdded}

// IsOfNumber reports whether the verdict is about the number of machines.
func (v Verdict) IsOfNumber() bool { return slices.Contains(ofNumber, v) }

// NeedsMachines reports whether the verdict says that running machines are replaced or updated. Where there are none,
// nothing happens.
func (v Verdict) NeedsMachines() bool { return v == Roll || v == InPlaceUpdate || v == HotUpdate }

// OfChanges returns the verdicts on a change, the gravest first.
func OfChanges() []Verdict {
	all := []Verdict{Removed, Forbidden, Roll, Indeterminate, InPlaceUpdate, HotUpdate, None}
	return gravestFirst(append(all, ofNumber...))
}

// OfPools returns the verdicts under which plan counts pools, the gravest first: the verdicts on
// changes, and what happens to pools that are not on both sides.
func OfPools() []Verdict { return gravestFirst(append(OfChanges(), Added, PoolRenamed)) }

// OfReleases returns the verdicts of audit on pools that nobody changed, the gravest first.
func OfReleases() []Verdict {
	return []Verdict{Forbidden, Roll, ClassRenamed, Indeterminate, Unreadable, BecomesReadable, None}
}

func gravestFirst(all []Verdict) []Verdict {
	slices.SortFunc(all, func(a, b Verdict) int { return int(b) - int(a) })
	return all
}

// outcomes are the verdicts that have an Outcome of classes.
var outcomes = map[Verdict]hotupdate.Outcome{
	None: hotupdate.OutcomeNone, HotUpdate: hotupdate.OutcomeHotUpdate,
	InPlaceUpdate: hotupdate.OutcomeInPlaceUpdate, Indeterminate: hotupdate.OutcomeIndeterminate,
	Roll: hotupdate.OutcomeRoll, Forbidden: hotupdate.OutcomeForbidden,
}

// Consequence says in a clause for people what the verdict means for the machines of a pool with
// this strategy.
func (v Verdict) Consequence(strategy hotupdate.Strategy) string {
	outcome, isOutcome := outcomes[v]
	switch {
	case v == None:
		return "no machine is replaced or updated"
	case v.IsOfNumber():
		return Numbers{}.Consequence(v)
	case v == Added:
		return "the machines are created"
	case v == PoolRenamed:
		return "the machines are deleted, and a pool of another name gets new ones"
	case v == Removed:
		return "the machines are deleted"
	case v == Indeterminate, !isOutcome:
		return "the known facts do not decide what happens"
	}
	return outcome.Consequence(strategy)
}

// OfRelease says in a clause for people what the verdict of a release means for a pool, or a custom resource, that
// nobody changed.
func (v Verdict) OfRelease(strategy hotupdate.Strategy) string {
	switch v {
	case Forbidden:
		return "the new release refuses it"
	case ClassRenamed:
		return "the MachineClass gets another name, and the nodes are updated in place"
	case Unreadable:
		return "neither release can read it"
	case BecomesReadable:
		return "only the new release can read it"
	case None, HotUpdate, MachinesAdded, Added, InPlaceUpdate, MachinesMayBeDeleted, Indeterminate, Roll,
		AllMachinesMayBeDeleted, MachinesDeleted, PoolRenamed, Removed:
	}
	return v.Consequence(strategy)
}

// OfClass returns the verdict on a change of a class under a strategy.
func OfClass(class hotupdate.Class, strategy hotupdate.Strategy) Verdict {
	outcome := (hotupdate.Changes{{Class: class}}).Outcome(strategy)
	for v, o := range outcomes {
		if o == outcome {
			return v
		}
	}
	return Indeterminate
}
