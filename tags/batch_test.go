package tags_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/tags"
)

// list reads "a=1 b=2" as infrastructure tags, in order.
func list(text string) []tags.Tag {
	var all []tags.Tag
	for pair := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(pair, "=")
		all = append(all, tags.Tag{Key: key, Value: value})
	}
	return all
}

func showBatches(batches []tags.Batch) []string {
	var texts []string
	for _, b := range batches {
		if len(b.Set) > 0 {
			texts = append(texts, "Set "+strings.Join(b.Resources, ",")+pairs(b.Set))
		}
		if len(b.Remove) > 0 {
			texts = append(texts, "Remove "+strings.Join(b.Resources, ",")+pairs(b.Remove))
		}
	}
	return texts
}

var batchTests = []struct {
	name        string
	set, remove tags.Call
	plans       []tags.ResourcePlan
	want        []string
	reason      string
}{
	{"nothing", tags.Call{Resources: 9, Tags: 9}, tags.Call{}, []tags.ResourcePlan{{Resource: "r"}}, nil, "nothing to call"},
	{
		"shared calls",
		tags.Call{Resources: 9, Tags: 9},
		tags.Call{Resources: 9, Tags: 9},
		[]tags.ResourcePlan{{Resource: "r1", Set: list("a=1")}, {Resource: "r2", Set: list("a=2")}, {Resource: "r3", Set: list("a=1")}},
		[]string{"Set r1,r3 a=1", "Set r2 a=2"},
		"one call for all resources with the same infrastructure tags",
	},
	{
		"resources of a call",
		tags.Call{Resources: 2, Tags: 9},
		tags.Call{},
		[]tags.ResourcePlan{{Resource: "r1", Set: list("a=1")}, {Resource: "r2", Set: list("a=1")}, {Resource: "r3", Set: list("a=1")}},
		[]string{"Set r1,r2 a=1", "Set r3 a=1"},
		"no more resources than the cloud takes",
	},
	{
		"keys of a call",
		tags.Call{Resources: 9, Tags: 2},
		tags.Call{Resources: 1, Tags: 1},
		[]tags.ResourcePlan{tags.InOrder(tags.ResourcePlan{Resource: "r1", Set: list("a=1 b=1 c=1"), Remove: list("x=1 y=1")}, true)},
		[]string{"Set r1 a=1 b=1", "Set r1 c=1", "Remove r1 x=1", "Remove r1 y=1"},
		"no more keys than the cloud takes",
	},
	{
		"order",
		tags.Call{Resources: 9, Tags: 9},
		tags.Call{Resources: 9, Tags: 9},
		[]tags.ResourcePlan{
			tags.InOrder(tags.ResourcePlan{Resource: "r1", Set: list("a=1"), Remove: list("x=1")}, true),
			{Resource: "r2", Set: list("a=1"), Remove: list("x=1")},
		},
		[]string{"Remove r2 x=1", "Set r1,r2 a=1", "Remove r1 x=1"},
		"where the limit binds, removals come first",
	},
	{
		"one key twice",
		tags.Call{},
		tags.Call{Resources: 9, Tags: 9},
		[]tags.ResourcePlan{{Resource: "r", Remove: list("a=1 a=2 a=3 b=1")}},
		[]string{"Remove r a=1", "Remove r a=2", "Remove r a=3 b=1"},
		"a call with one key twice is refused",
	},
	{
		"zero limits",
		tags.Call{},
		tags.Call{},
		[]tags.ResourcePlan{{Resource: "r", Set: list("a=1 b=1")}},
		[]string{"Set r a=1", "Set r b=1"},
		"zero counts as one",
	},
}

func TestBatches(t *testing.T) {
	for _, test := range batchTests {
		t.Run(test.name, func(t *testing.T) {
			var rules tags.Rules
			rules.Limit(max(test.set.Resources, test.remove.Resources), test.set.Tags, max(test.remove.Tags, 1))
			got := showBatches(rules.Batches(test.plans))
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q: %s", got, test.want, test.reason)
			}
		})
	}
}

// steps are what a plan says for its resource, in order.
func steps(p tags.ResourcePlan) []string {
	var set, remove []string
	for _, tag := range p.Set {
		set = append(set, fmt.Sprintf("Set %s=%s", tag.Key, tag.Value))
	}
	for _, tag := range p.Remove {
		remove = append(remove, fmt.Sprintf("Remove %s=%s", tag.Key, tag.Value))
	}
	if !p.SetsFirst() {
		return append(remove, set...)
	}
	return append(set, remove...)
}

// drawPlans draws plans whose lists are sorted, as those of Plan are.
func drawPlans(t *rapid.T) []tags.ResourcePlan {
	draw := func(label string) []tags.Tag {
		all := rapid.SliceOfN(rapid.SampledFrom(list("a=1 a=2 b=1 c=1 d=1 e=1")), 0, 6).Draw(t, label)
		slices.SortFunc(all, func(a, b tags.Tag) int { return strings.Compare(a.Key+a.Value, b.Key+b.Value) })
		return slices.Compact(all)
	}
	var plans []tags.ResourcePlan
	for i := range rapid.IntRange(0, 6).Draw(t, "resources") {
		set := slices.CompactFunc(draw("set"), func(a, b tags.Tag) bool { return a.Key == b.Key })
		setFirst := rapid.Bool().Draw(t, "set first")
		plans = append(plans, tags.InOrder(tags.ResourcePlan{Resource: fmt.Sprintf("r%d", i), Set: set, Remove: draw("remove")}, setFirst))
	}
	return plans
}

// checkSize returns what the call does, after a check that it is one call and small enough.
func checkSize(t *rapid.T, rules *tags.Rules, b tags.Batch) (verb string, changes []tags.Tag) {
	limit, removal := rules.Calls()
	verb = "Set"
	changes = b.Set
	if len(b.Remove) > 0 {
		verb = "Remove"
		changes = b.Remove
		limit = removal
	}
	hasOneVerb := (len(b.Set) > 0) != (len(b.Remove) > 0)
	isTooLarge := len(changes) > max(limit.Tags, 1) || len(b.Resources) > max(limit.Resources, 1)
	if !hasOneVerb || isTooLarge || len(b.Resources) == 0 {
		t.Fatalf("a call of the wrong size: %v", b)
	}
	seen := map[string]bool{}
	for _, tag := range changes {
		if seen[tag.Key] {
			t.Fatalf("a call names %s twice: %v", tag.Key, b)
		}
		seen[tag.Key] = true
	}
	return verb, changes
}

// Batches keep the order of every resource and lose nothing.
func TestBatchesKeepOrderAndLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rules tags.Rules
		rules.Limit(rapid.IntRange(0, 3).Draw(t, "resources"), rapid.IntRange(0, 4).Draw(t, "set"), rapid.IntRange(0, 4).Draw(t, "remove"))
		plans := drawPlans(t)

		got := map[string][]string{}
		for _, b := range rules.Batches(plans) {
			verb, all := checkSize(t, &rules, b)
			for _, id := range b.Resources {
				for _, tag := range all {
					got[id] = append(got[id], fmt.Sprintf("%s %s=%s", verb, tag.Key, tag.Value))
				}
			}
		}
		for _, plan := range plans {
			if want := steps(plan); !slices.Equal(got[plan.Resource], want) {
				t.Fatalf("%s: calls do\n%q, the plan says\n%q", plan.Resource, got[plan.Resource], want)
			}
		}
	})
}
