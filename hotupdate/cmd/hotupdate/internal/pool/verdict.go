package pool

import (
	"fmt"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Verdict is what a change does to machines. The zero value is Indeterminate.
type Verdict uint8

// The verdicts. See [Severity] for their order.
const (
	Indeterminate Verdict = iota // the known facts do not decide it
	None                         // no machine is touched
	HotUpdate                    // running machines are updated
	ComeOrGo                     // machines are created or deleted, because their number or place changes
	InPlaceUpdate                // nodes are drained and updated in place
	Roll                         // machines are replaced
	Forbidden                    // the change is refused
)

var verdictWords = [...]string{
	Indeterminate: "indeterminate", None: "none", HotUpdate: "hot update", ComeOrGo: "machines come or go",
	InPlaceUpdate: "in-place update", Roll: "roll", Forbidden: "forbidden",
}

// String returns the verdict in words.
func (v Verdict) String() string {
	if int(v) < len(verdictWords) {
		return verdictWords[v]
	}
	return verdictWords[Indeterminate]
}

var bySeverity = []Verdict{None, HotUpdate, ComeOrGo, InPlaceUpdate, Indeterminate, Roll, Forbidden}

// Severity orders verdicts: none, hot update, machines come or go, in-place update, indeterminate, roll, forbidden. So a verdict that hides
// a milder one in the gravest of several never hides more than it says itself. An unknown verdict may be anything.
func Severity(v Verdict) int {
	if i := slices.Index(bySeverity, v); i >= 0 {
		return i
	}
	return Severity(Indeterminate)
}

// gravest returns the gravest verdict, [None] of none.
func gravest(verdicts ...Verdict) Verdict {
	worst := None
	for _, v := range verdicts {
		if Severity(v) > Severity(worst) {
			worst = v
		}
	}
	return worst
}

// outcomes are the verdicts that classes lead to.
var outcomes = map[hotupdate.Outcome]Verdict{
	hotupdate.NoUpdate: None, hotupdate.HotUpdate: HotUpdate, hotupdate.InPlaceUpdate: InPlaceUpdate, hotupdate.Roll: Roll, hotupdate.UpdateForbidden: Forbidden,
}

// verdictOf is the verdict on a class under a strategy, where nothing but the class decides.
func verdictOf(class hotupdate.Class, strategy hotupdate.Strategy) Verdict {
	return outcomes[(hotupdate.Changes{{Class: class}}).Outcome(strategy)]
}

// Consequence says what the verdict means for the machines of a pool with this strategy, as a clause for people.
func (v Verdict) Consequence(strategy hotupdate.Strategy) string {
	if v == None {
		return "no machine is replaced or updated"
	}
	if v == ComeOrGo {
		return "machines are created or deleted, none is replaced or updated"
	}
	for outcome, verdict := range outcomes {
		if verdict == v {
			return outcome.Consequence(strategy)
		}
	}
	return "it depends on what is not known"
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
