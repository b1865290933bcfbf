package pool

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// Rule is a rule of Gardener, of an extension or of this command that a verdict depends on, beside
// the classes of the changes. Rules are compared with ==.
type Rule struct {
	Kind RuleKind `json:"kind"`
	Text string   `json:"text"`
	// Source is the source of the rule; empty for a rule of this command.
	Source string `json:"source,omitempty"`
}

// RuleKind is the effect of a rule on a verdict.
type RuleKind string

// The kinds of rules.
const (
	Refuses RuleKind = "refusal"    // refuses the change, regardless of classes
	Decides RuleKind = "reason"     // decides the verdict on a change
	Assumes RuleKind = "assumption" // is assumed, because no manifest says it
	Notes   RuleKind = "note"       // explains the verdict, and does not change it
)

// ruleKinds are the kinds in the order in which a comparison lists them. A section of fields.txt has
// the plural of each.
var ruleKinds = []RuleKind{Refuses, Decides, Assumes, Notes}

// sorted returns the rules without duplicates, by kind and text.
func sorted(rules []Rule) []Rule {
	slices.SortFunc(rules, func(a, b Rule) int {
		order := slices.Index(ruleKinds, a.Kind) - slices.Index(ruleKinds, b.Kind)
		return cmp.Or(order, cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(rules)
}

// Sources of rules with the texts of package inplace. All rules have been read in Gardener v1.150
// and in the provider extensions of its time.
const (
	release    = "Gardener v1.150"
	validation = "Gardener v1.150, validation of Shoots; GEP-31"
	admission  = "Gardener v1.150, admission of Shoots; GEP-31"
	operations = "Gardener v1.150, operations by annotation"
)

// NoRule means that only the class of a field decides.
var NoRule = Rule{}

// RuleOf returns the rule of a name in fields.txt. A test finds names without a row.
func RuleOf(name string) Rule { return rules()[name] }

var rules = sync.OnceValue(func() map[string]Rule {
	all := map[string]Rule{}
	for _, kind := range ruleKinds {
		for _, row := range sections()[string(kind)+"s"] {
			all[row[0]] = Rule{kind, row[2], strings.TrimPrefix(row[1], "-")}
		}
	}
	return all
})

// refusal returns a rule with the text of the first Forbidden error, or [NoRule] if there is none.
func refusal(errs field.ErrorList, source string) Rule {
	for _, err := range errs {
		if err.Type == field.ErrorTypeForbidden {
			return Rule{Refuses, err.Detail, source}
		}
	}
	return NoRule
}

// Refusals with the texts of package inplace.
var (
	StrategySwitched = refusal(inplace.ValidateStrategy(hotupdate.AutoRollingUpdate,
		hotupdate.AutoInPlaceUpdate, nil), validation)
	PendingUpdate = refusal(inplace.PendingUpdates{AutoInPlaceUpdate: []string{"a"}}.ValidateChange("a",
		nil, nil), validation)
	RotationBlocked = refusal(inplace.PendingUpdates{AutoInPlaceUpdate: []string{"a"}}.ValidateRotation(nil),
		operations)
)
