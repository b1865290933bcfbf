// Package verdict has the words in which a change is judged: what it does to machines, and the rules
// that decide.
//
// It owns the order of the verdicts and the texts of the rules. It must not know manifests, pools or
// how a verdict is shown.
//
// The text of a rule is a full clause that names its subject and has no full stop. It begins in lower
// case, or with a name. After a colon stands the reason or the consequence, after a semicolon another
// clause or a command that says what to do.
package verdict

import (
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Verdict says what a change does to machines. The zero value is Indeterminate. A greater verdict
// is graver.
type Verdict int8

// The verdicts.
const (
	None          Verdict = iota - 4 // no machine is touched
	HotUpdate                        // running machines are updated
	ComeOrGo                         // machines are created or deleted: their number or their zone changes
	InPlaceUpdate                    // nodes are drained and updated in place
	Indeterminate                    // the known facts do not decide
	Roll                             // machines are replaced
	Forbidden                        // the change is refused
	Removed                          // machines are deleted for good, with their pool
)

// outcomes are the verdicts that have an Outcome of classes.
var outcomes = map[Verdict]hotupdate.Outcome{
	None: hotupdate.OutcomeNone, HotUpdate: hotupdate.OutcomeHotUpdate, InPlaceUpdate: hotupdate.OutcomeInPlaceUpdate,
	Roll: hotupdate.OutcomeRoll, Forbidden: hotupdate.OutcomeForbidden,
}

// String returns the verdict in words.
func (v Verdict) String() string {
	switch v {
	case ComeOrGo:
		return "machines come or go"
	case Removed:
		return "removed"
	case None, HotUpdate, InPlaceUpdate, Indeterminate, Roll, Forbidden:
	}
	return outcomes[v].String()
}

// Word is the name of the verdict in flags and files: hot-update, come-or-go.
func (v Verdict) Word() string {
	return strings.ReplaceAll(strings.TrimPrefix(v.String(), "machines "), " ", "-")
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
	case v == Removed:
		return "its machines are deleted"
	case !isOutcome:
		return "the known facts do not decide what happens"
	}
	return outcome.Consequence(strategy)
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
