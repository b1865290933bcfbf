package hotupdate

import (
	"math"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Strategy is the update strategy of a worker pool (GEP-31). The zero value is Gardener's default.
type Strategy uint8

// The update strategies.
const (
	AutoRollingUpdate Strategy = iota
	AutoInPlaceUpdate
	ManualInPlaceUpdate
)

var strategyNames = []string{"AutoRollingUpdate", "AutoInPlaceUpdate", "ManualInPlaceUpdate"}

// String returns the name that the Shoot API uses.
func (s Strategy) String() string { return word(s, strategyNames) }

// InPlace reports whether the strategy updates nodes in place: AutoInPlaceUpdate and
// ManualInPlaceUpdate. It is false for an unknown strategy.
func (s Strategy) InPlace() bool { return s == AutoInPlaceUpdate || s == ManualInPlaceUpdate }

func (s Strategy) isKnown() bool { return int(s) < len(strategyNames) }

// ParseStrategy reads a strategy by its name in the Shoot API. The empty name is the default. The
// error has the code unknown-strategy.
func ParseStrategy(name string) (Strategy, error) {
	at := slices.Index(strategyNames, name)
	if at < 0 && name != "" {
		return 0, &fault.Error{
			Kind: fault.Invalid, Code: fault.UnknownStrategy, What: "the update strategy is unknown",
			Hint: "write " + strings.Join(strategyNames[:2], ", ") + " or " + strategyNames[2],
		}
	}
	return Strategy(max(at, 0)), nil //nolint:gosec // a small index
}

// StrategyOf reads a strategy from a field of Gardener's API types, such as UpdateStrategy of a
// worker pool: a pointer to a string type. Nil is the default, and so is the empty name.
//
// An unknown name gives a Strategy that is none of the constants: [Schema.ValidateUpdateRaw] and the
// functions of package hash return an error for it, and [Changes.Outcome] is indeterminate.
// [ParseStrategy] returns the error at once.
func StrategyOf[S ~string](name *S) Strategy {
	if name == nil {
		return AutoRollingUpdate
	}
	strategy, err := ParseStrategy(string(*name))
	if err != nil {
		return math.MaxUint8 // none of the constants
	}
	return strategy
}

// Outcome is what changes do to the machines of a worker pool. The zero value is
// OutcomeIndeterminate, so a forgotten outcome is not mistaken for a harmless one.
type Outcome uint8

// The outcomes: OutcomeIndeterminate, then from harmless to severe.
const (
	OutcomeIndeterminate Outcome = iota // the known facts do not decide it
	OutcomeNone                         // nothing happens to machines
	OutcomeHotUpdate                    // running machines are updated
	OutcomeInPlaceUpdate                // nodes are drained and updated in place
	OutcomeRoll                         // machines are replaced
	OutcomeForbidden                    // the change is refused: the pool's strategy does not allow it
)

// String returns the outcome in words: none, hot update, in-place update, roll, forbidden or
// indeterminate.
func (o Outcome) String() string {
	return word(o, []string{
		OutcomeIndeterminate: "indeterminate", OutcomeNone: "none", OutcomeHotUpdate: "hot-update",
		OutcomeInPlaceUpdate: "in-place-update", OutcomeRoll: "roll", OutcomeForbidden: "forbidden",
	})
}

// Consequence returns a clause for people: what the outcome means for the machines of a pool with
// this strategy.
func (o Outcome) Consequence(strategy Strategy) string {
	if o == OutcomeInPlaceUpdate && strategy == ManualInPlaceUpdate {
		return "every node is drained and updated in place once it is selected, no machine is replaced"
	}
	return word(o, []string{
		OutcomeIndeterminate: "it depends on defaults that are not known",
		OutcomeNone:          "nothing happens to machines",
		OutcomeHotUpdate:     "running machines are updated, none is replaced",
		OutcomeInPlaceUpdate: "every node is drained and updated in place, no machine is replaced",
		OutcomeRoll:          "every machine is replaced",
		OutcomeForbidden:     strategy.String() + " does not replace machines, which this change needs",
	})
}

// Outcome says what the changes do to a pool with this strategy. The strictest class decides:
//
//	                                          none, Ignored   Hot          InPlace           Immutable
//	AutoRollingUpdate                         none            hot update   roll              roll
//	AutoInPlaceUpdate, ManualInPlaceUpdate    none            hot update   in-place update   forbidden
//
// An unknown strategy is indeterminate. The changes must come from the Schema of the pool's era,
// see [Schema.ValidateUpdateRaw].
func (c Changes) Outcome(strategy Strategy) Outcome {
	class, _ := c.Strictest()
	switch {
	case strategy == AutoRollingUpdate:
		return outcomes[class].rolling
	case strategy.InPlace():
		return outcomes[class].inPlace
	}
	return OutcomeIndeterminate
}

// outcomes maps the strictest class to the outcome.
var outcomes = map[Class]struct{ rolling, inPlace Outcome }{
	Ignored:   {OutcomeNone, OutcomeNone},
	Hot:       {OutcomeHotUpdate, OutcomeHotUpdate},
	InPlace:   {OutcomeRoll, OutcomeInPlaceUpdate},
	Immutable: {OutcomeRoll, OutcomeForbidden},
}

// Causes returns the changes that decide [Changes.Outcome]: each of them alone leads to that
// outcome, and without them it is milder. The result is empty if nothing happens to machines, and
// for an unknown strategy.
func (c Changes) Causes(strategy Strategy) Changes {
	outcome := c.Outcome(strategy)
	if outcome == OutcomeNone || outcome == OutcomeIndeterminate {
		return nil
	}
	return c.only(func(change Change) bool { return Changes{change}.Outcome(strategy) == outcome })
}

// word returns the word for a value.
func word[E ~uint8](e E, words []string) string {
	if int(e) < len(words) {
		return words[e]
	}
	return "unknown"
}
