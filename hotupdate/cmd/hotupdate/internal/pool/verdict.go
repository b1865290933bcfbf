package pool

import (
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Verdict is what a change does to machines. The zero value is Indeterminate. Verdicts are ordered: a greater one is graver, so the gravest
// of several never hides more than it says itself.
type Verdict int8

// The verdicts.
const (
	None          Verdict = iota - 4 // no machine is touched
	HotUpdate                        // running machines are updated
	ComeOrGo                         // machines are created or deleted, because their number or place changes
	InPlaceUpdate                    // nodes are drained and updated in place
	Indeterminate                    // the known facts do not decide it
	Roll                             // machines are replaced
	Forbidden                        // the change is refused
)

// outcomes are the verdicts that classes lead to.
var outcomes = map[Verdict]hotupdate.Outcome{
	None: hotupdate.NoUpdate, HotUpdate: hotupdate.HotUpdate, InPlaceUpdate: hotupdate.InPlaceUpdate, Roll: hotupdate.Roll, Forbidden: hotupdate.UpdateForbidden,
}

// String returns the verdict in words.
func (v Verdict) String() string {
	if v == ComeOrGo {
		return "machines come or go"
	}
	return outcomes[v].String()
}

// Consequence says what the verdict means for the machines of a pool with this strategy, as a clause for people.
func (v Verdict) Consequence(strategy hotupdate.Strategy) string {
	outcome, isOutcome := outcomes[v]
	switch {
	case v == None:
		return "no machine is replaced or updated"
	case v == ComeOrGo:
		return "machines are created or deleted, none is replaced or updated"
	case !isOutcome:
		return "it depends on what is not known"
	}
	return outcome.Consequence(strategy)
}

// verdictOf is the verdict on a class under a strategy, where nothing but the class decides.
func verdictOf(class hotupdate.Class, strategy hotupdate.Strategy) Verdict {
	outcome := (hotupdate.Changes{{Class: class}}).Outcome(strategy)
	for v, o := range outcomes {
		if o == outcome {
			return v
		}
	}
	return Indeterminate
}

// Change is a difference between two pools, or above them, with what it does to the machines of the pool.
type Change struct {
	hotupdate.Change

	// Verdict is what the change does by itself.
	Verdict Verdict
	// Rule says why, where the class of the field does not: [NoRule] if the class alone decides.
	Rule Rule
	// Decides says that the change alone leads to the verdict of the pool. No change decides where that is None.
	Decides bool
}

// Machines is how many machines a pool may have, over all of its zones.
type Machines struct {
	Minimum int `json:"minimum"`
	Maximum int `json:"maximum"`
	// Known is false if the manifest does not say it, as a provider config on its own.
	Known bool `json:"known"`
}

// String returns the numbers in words: 3 to 10 machines.
func (m Machines) String() string {
	switch {
	case !m.Known:
		return "an unknown number of machines"
	case m.Minimum != m.Maximum:
		return fmt.Sprintf("%d to %d machines", m.Minimum, m.Maximum)
	case m.Maximum == 1:
		return "1 machine"
	}
	return fmt.Sprintf("%d machines", m.Maximum)
}
