package judge

import (
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// Custom has the known facts about a custom resource in addition to the Schema of its spec. No name
// depends on a custom resource: the classes of its fields and of its kind decide.
type Custom struct {
	// Type is the type of the object.
	Type facts.TypeMeta
	// HasClasses says that the classes of the fields are given. Without them, the effect of a
	// change is unknown.
	HasClasses bool
	// Removed says what the removal of the object does.
	Removed Removal
}

// Removal says what the removal of an object does to machines. It is the class of a kind.
type Removal uint8

// The classes of kinds.
const (
	RemovalUnknown  Removal = iota // not stated
	RemovesMachines                // the machines of the object are deleted
	RemovalBlocked                 // the object stays while others use it, and no machine is touched
	RemovesNothing                 // no machine is touched
)

// removals are the classes of kinds in the file of --classes.
var removals = []string{RemovesMachines: "machines", RemovalBlocked: "blocked", RemovesNothing: "none"}

// ParseRemoval returns the class of a kind that a text names.
func ParseRemoval(text string) (Removal, bool) {
	for class, name := range removals {
		if name == text && name != "" {
			return Removal(class), true
		}
	}
	return RemovalUnknown, false
}

// String returns the class as [ParseRemoval] reads it; empty if it is not stated.
func (r Removal) String() string { return removals[r] }

// Selector names the kind in the file of --classes, as in NodePool.karpenter.sh.
func (c *Custom) Selector() string { return c.Type.Kind + "." + facts.GroupOf(c.Type.APIVersion) }

// question asks for the class of the kind.
func (c *Custom) question(rule verdict.Rule, machines verdict.Verdict) verdict.Question {
	example := "kinds: {" + c.Selector() + ": {removed: " + removals[RemovesMachines] + "}}"
	return verdict.Question{
		Rule: rule, Fact: "what the class of the kind " + c.Type.Kind + " is", Owner: "the controller of the kind",
		Answer: "give the class of the kind by --classes, as in " + example,
		Values: []verdict.Value{
			verdict.Gives(removals[RemovesMachines], machines),
			verdict.Gives(removals[RemovalBlocked]+" or "+removals[RemovesNothing], verdict.None),
		},
	}
}

// judgeFields makes the findings about fields indeterminate whose classes are not known.
func (c *Custom) judgeFields(judged []Finding) []Finding {
	if c == nil || c.HasClasses {
		return judged
	}
	for i := range judged {
		if judged[i].Verdict != verdict.None {
			judged[i].Verdict = verdict.Indeterminate
			judged[i].Rule = verdict.NoClasses
		}
	}
	return judged
}
