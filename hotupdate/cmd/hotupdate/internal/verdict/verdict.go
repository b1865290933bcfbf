// Package verdict has the words in which the command judges a change or a release: what it does to
// machines, and the rules that decide.
//
// It owns the verdicts, their order, and their words: a verdict has one word in every output of plan and
// audit, in flags, and in the files of users. An effect that follows from the class of a field has the
// word of its [hotupdate.Outcome]. It also owns the texts of the rules. It must not know manifests, pools
// or how a verdict is shown.
//
// The text of a rule is a full clause that names its subject and has no full stop. It begins in lower
// case, or with a name. After a colon stands the reason or the consequence, after a semicolon another
// clause or a command that says what to do.
package verdict

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Verdict says what a change or a release does to machines. The zero value is Indeterminate. A
// greater verdict is graver.
type Verdict int8

// The verdicts. No other type has verdicts of its own.
const (
	None                    Verdict = iota - 8 // no machine is touched
	BecomesReadable                            // of a release: only the new one can read the config
	HotUpdate                                  // running machines are updated
	MachinesAdded                              // the pool gets, or may get, more machines; none is deleted
	Added                                      // machines are created, with a new pool
	InPlaceUpdate                              // nodes are drained and updated in place
	MachinesMayBeDeleted                       // some machines are deleted if the pool has many
	Unreadable                                 // of a release: neither the old nor the new one can read the config
	Indeterminate                              // the known facts do not decide
	ClassRenamed                               // of a release: nodes get another MachineClass and are updated in place
	Roll                                       // machines are replaced
	AllMachinesMayBeDeleted                    // every machine is deleted, if the pool has any
	MachinesDeleted                            // machines are deleted for sure, and others do not replace them
	Forbidden                                  // the change, or the config under the new release, is refused
	PoolRenamed                                // machines are deleted, and a pool of another name gets others
	Removed                                    // machines are deleted for good, with their pool
)

// ofNumber are the verdicts on the number of machines, the gravest first. Whatever happens to the machines
// that stay, one of them can happen too.
var ofNumber = []Verdict{MachinesDeleted, AllMachinesMayBeDeleted, MachinesMayBeDeleted, MachinesAdded}

// IsOfNumber reports whether the verdict is one on the number of machines.
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
