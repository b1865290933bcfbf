package pool

import (
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Verdict says what a change does to machines. The zero value is Indeterminate. A greater verdict
// is graver.
type Verdict int8

// The verdicts.
const (
	None          Verdict = iota - 4 // no machine is touched
	HotUpdate                        // running machines are updated
	ComeOrGo                         // machines are created or deleted, because their number or place changes
	InPlaceUpdate                    // nodes are drained and updated in place
	Indeterminate                    // the known facts do not decide
	Roll                             // machines are replaced
	Forbidden                        // the change is refused
)

// outcomes are the verdicts that have an Outcome of classes.
var outcomes = map[Verdict]hotupdate.Outcome{
	None: hotupdate.NoUpdate, HotUpdate: hotupdate.HotUpdate, InPlaceUpdate: hotupdate.InPlaceUpdate,
	Roll: hotupdate.Roll, Forbidden: hotupdate.UpdateForbidden,
}

// String returns the verdict in words.
func (v Verdict) String() string {
	if v == ComeOrGo {
		return "machines come or go"
	}
	return outcomes[v].String()
}

// Consequence says in a clause for people what the verdict means for the machines of a pool with
// this strategy.
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

// verdictOf returns the verdict on a class under a strategy.
func verdictOf(class hotupdate.Class, strategy hotupdate.Strategy) Verdict {
	outcome := (hotupdate.Changes{{Class: class}}).Outcome(strategy)
	for v, o := range outcomes {
		if o == outcome {
			return v
		}
	}
	return Indeterminate
}

// Judged is a difference between two pools, or above them, with its effect on the machines of the
// pool.
type Judged struct {
	hotupdate.Change

	// Verdict is the effect of the change alone.
	Verdict Verdict
	// Rule is the reason for the verdict; [NoRule] if only the class of the field decides.
	Rule Rule
	// Decides says that the change alone leads to the verdict of the pool. It is false if that
	// verdict is None.
	Decides bool

	isRest bool // not of a hashed field or a provider config
}

// Machines is the number of machines of a pool, over all of its zones.
type Machines struct {
	Minimum int `json:"minimum"`
	Maximum int `json:"maximum"`
	// Known is false if the manifest has no number, such as a provider config on its own.
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
