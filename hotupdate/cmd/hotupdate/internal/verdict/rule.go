package verdict

import (
	"cmp"
	"slices"
)

// Rule is a rule of Gardener, of an extension or of this command that a verdict depends on, beside
// the classes of the changes. Rules are compared with ==.
type Rule struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	// Source is the source of the rule; empty for a rule of this command.
	Source string `json:"source,omitempty"`
}

// Kind is the effect of a rule on a verdict.
type Kind string

// The kinds of rules.
const (
	Refuses Kind = "refusal"    // refuses the change, regardless of classes
	Decides Kind = "reason"     // decides the verdict on a change
	Assumes Kind = "assumption" // is assumed, because no manifest says it
	Notes   Kind = "note"       // explains the verdict, and does not change it
)

// kinds are the kinds in the order in which a comparison lists them.
var kinds = []Kind{Refuses, Decides, Assumes, Notes}

// NoRule means that only the class of a field decides.
var NoRule = Rule{}

// RefusedByGardener reports whether Gardener's own API server refuses a change by the rule. It does so before it calls
// webhooks, such as those of extensions.
func (r Rule) RefusedByGardener() bool {
	return r.Kind == Refuses && slices.Contains([]string{Validation, Admission, operations}, r.Source)
}

// Sorted returns the rules without duplicates, by kind and text.
func Sorted(rules []Rule) []Rule {
	slices.SortFunc(rules, func(a, b Rule) int {
		if order := slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind); order != 0 {
			return order
		}
		return cmp.Compare(a.Text, b.Text)
	})
	return slices.Compact(rules)
}
