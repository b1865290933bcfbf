package tags_test

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/tags"
)

// This file implements the rules of the package's documentation a second time, literally and without regard to cost.

func TestPlanAgreesWithNaivePlan(t *testing.T) {
	for _, n := range naives() {
		rules := rulesOf(t, n.cloud, n.kind)
		t.Run(n.name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { drawAndComparePlans(t, rules) })
		})
	}
}

// FuzzPlan is the same for any ASCII keys and values, driven by coverage.
func FuzzPlan(f *testing.F) {
	f.Add(uint8(0), uint8(50), "a=1 b=2", "a=2", "", "a=1", "Name=m", "a=1 b=x f=x aws:1=", "")
	f.Add(uint8(0), uint8(50), "a=1 b=2", "b=3", "", "a=1 b=3 cc=1", "Name=m", "a=x b=2 cc=2 Name=x", "b c* *me")
	f.Add(uint8(1), uint8(5), "A=1 a=2 Name=m", "", "B=1 a=3", "b=1", "Name=m kubernetes.io-cluster-x=", "AB=1 aB=2 NAME=m a=3 B=2", "B")
	f.Add(uint8(2), uint8(2), "a=1", "b=1", "c=1", "d=1 e=1", "", "a=1 b=1 c=x", "")
	f.Add(uint8(3), uint8(9), "a=", "b=", "", "c=v", "kubernetes-io-cluster-x=", "a= b= f=", "")
	f.Add(uint8(4), uint8(9), "foo=1 Foo=2", "", "FOO=3", "bar=1 Bar=2", "", "foo=1 Foo=2 FOO=x", "")
	f.Add(
		uint8(5), uint8(20), "acs:x=1", "kubernetes.io/role/x=1", "a=1", "a=1", "kubernetes.io/cluster/x= kubernetes.io/cluster/y=", "a=1",
		"",
	)
	all := naives()
	f.Fuzz(func(t *testing.T, which, limit uint8, applied, first, second, desired, mandatory, live, anyValue string) {
		for _, r := range applied + first + second + desired + mandatory + live + anyValue {
			if r >= utf8.RuneSelf {
				return // the naive plan folds ASCII only
			}
		}
		n := all[int(which)%len(all)]
		rules := rulesOf(t, n.cloud, n.kind)
		rules.MaxTags = int(limit) + 1
		rules.AnyValue = usable(rules, strings.Fields(anyValue))
		comparePlans(t, rules, tags.PlanInput{
			Recorded:  []map[string]string{parse(applied), parse(first), parse(second)},
			Applied:   parse(applied),
			Desired:   parse(desired),
			Mandatory: parse(mandatory),
		}, parse(live))
	})
}

// usable returns the patterns that AnyValue of these rules may have.
func usable(rules *tags.Rules, patterns []string) []string {
	isUnusable := func(pattern string) bool {
		one := *rules
		one.AnyValue = []string{pattern}
		_, err := one.Plan(tags.PlanInput{}, nil, nil)
		return err != nil
	}
	return slices.DeleteFunc(slices.Clone(patterns), isUnusable)
}

// drawSpec draws a spec over few keys and values, in several spellings.
func drawSpec(t *rapid.T, label string, values ...string) map[string]string {
	keys := rapid.SampledFrom(
		[]string{"a", "A", "b", "B", "c", "d", "Name", "name", "kubernetes.io/cluster/x", "kubernetes.io-cluster-x", "aws:s"},
	)
	return rapid.MapOfN(keys, rapid.SampledFrom(values), 0, 5).Draw(t, label)
}

func drawAndComparePlans(t *rapid.T, rules *tags.Rules) {
	rules.MaxTags = rapid.SampledFrom([]int{5, 50}).Draw(t, "limit")
	rules.AnyValue = usable(
		rules, rapid.SliceOfN(rapid.SampledFrom([]string{"a", "B", "c", "na*", "Name", "*d", "kubernetes*"}), 0, 3).Draw(t, "any value"),
	)
	mandatory := []map[string]string{nil, parse("Name=m"), parse("kubernetes.io/cluster/x=1"), parse("d=1 kubernetes.io-cluster-x=1")}
	state := tags.PlanInput{
		Recorded:  []map[string]string{drawSpec(t, "applied", "1", "2")},
		Desired:   drawSpec(t, "desired", "1", "2"),
		Mandatory: rapid.SampledFrom(mandatory).Draw(t, "mandatory"),
	}
	if rapid.Bool().Draw(t, "a user's tags are known") {
		state.PerKind = state.Desired
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "attempts") {
		state.Recorded = append(state.Recorded, drawSpec(t, fmt.Sprintf("attempt %d", i), "1", "2", "3"))
	}
	if rapid.Bool().Draw(t, "applied is known") {
		state.Applied = state.Recorded[0]
	}
	comparePlans(t, rules, state, drawSpec(t, "live", "1", "2", "3", "x"))
}

func comparePlans(t rapid.TB, rules *tags.Rules, state tags.PlanInput, live map[string]string) {
	plans, err := rules.Plan(state, []string{"r"}, map[string]map[string]string{"r": live})
	naive := naivePlanner{rules: rules, state: state, live: live}
	switch want, ok := naive.plan(); {
	case ok != (err == nil):
		t.Fatalf("error %v, want a plan: %v", err, ok)
	case ok && show(plans[0]) != show(want):
		t.Fatalf("got  %q\nwant %q", show(plans[0]), show(want))
	case ok:
		checkLeft(t, &naive, &plans[0])
	}
}

// checkLeft checks rules 10 and 11 on their own: a key whose value is left to others keeps it, and the plan after a success without
// attempts does nothing and reports nothing.
func checkLeft(t rapid.TB, n *naivePlanner, plan *tags.ResourcePlan) {
	after := plan.Apply(n.live)
	for key, value := range n.live {
		isDesired := len(n.valuesIn(n.state.Desired, key)) > 0
		now, ok := after[key]
		isKept := ok && now == value
		if isDesired && n.isLeft(key) && !isKept {
			t.Fatalf("the key %q had the value %q, and has %q", key, value, now)
		}
	}
	settled := n.state
	settled.Recorded = []map[string]string{n.state.Desired}
	settled.Applied = n.state.Desired
	next, err := n.rules.Plan(settled, []string{"r"}, map[string]map[string]string{"r": after})
	if err != nil || len(next[0].Set)+len(next[0].Remove)+len(next[0].Takeover)+len(next[0].Rewritten) > 0 {
		t.Fatalf("the next plan is %q, %v", show(next[0]), err)
	}
	for _, key := range next[0].Kept {
		t.Fatalf("the key %q is reported as kept after a success", key)
	}
}

type naivePlanner struct {
	rules *tags.Rules
	state tags.PlanInput
	live  map[string]string
}

// same reports whether two keys are one key to the cloud.
func (n *naivePlanner) same(a, b string) bool {
	return a == b || n.rules.IgnoresCase && strings.EqualFold(a, b)
}

func (n *naivePlanner) sameValue(a, b string) bool { return a == b || n.rules.KeysOnly }

// valuesIn returns the values of a key in a spec, whatever its spelling.
func (n *naivePlanner) valuesIn(spec map[string]string, key string) (values []string) {
	for _, k := range slices.Sorted(maps.Keys(spec)) {
		if n.same(k, key) {
			values = append(values, spec[k])
		}
	}
	return values
}

func (n *naivePlanner) ownedValues(key string) (values []string) {
	for _, spec := range n.state.Recorded {
		values = append(values, n.valuesIn(spec, key)...)
	}
	return values
}

func (n *naivePlanner) owns(key, value string) bool {
	return slices.ContainsFunc(n.ownedValues(key), func(v string) bool { return n.sameValue(v, value) })
}

func (n *naivePlanner) reserved(key string) bool {
	hasUpper := func(pattern string) bool { return pattern != strings.ToLower(pattern) }
	lowerCase := slices.DeleteFunc(slices.Clone(n.rules.ReservedKeys), hasUpper)
	isReserved := n.matchesAny(key, n.rules.ReservedKeys) || n.matchesAny(strings.ToLower(key), lowerCase)
	return isReserved || n.namesCluster(key) || n.matchesAny(key, n.rules.RoleKeys)
}

func (n *naivePlanner) namesCluster(key string) bool { return n.matchesAny(key, n.rules.ClusterKeys) }

// matchesAny reads patterns as regular expressions.
func (n *naivePlanner) matchesAny(key string, patterns []string) bool {
	flags := "(?s)"
	if n.rules.IgnoresCase {
		flags = "(?is)"
	}
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		expression := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
		return regexp.MustCompile(flags + "^" + expression + "$").MatchString(key)
	})
}

// wanted is desired below mandatory; it is not ok if either clashes, if desired is reserved, if mandatory names several
// clusters, or if a user wrote a mandatory key.
func (n *naivePlanner) wanted() (wanted map[string]string, ok bool) {
	wanted = map[string]string{}
	ok = true
	clusters := 0
	for key, value := range n.state.Mandatory {
		wanted[key] = value
		if len(n.valuesIn(n.state.Mandatory, key)) > 1 {
			ok = false
		}
		if n.namesCluster(key) {
			clusters++
		}
	}
	if clusters > 1 {
		ok = false
	}
	for key, value := range n.state.Desired {
		if len(n.valuesIn(n.state.Mandatory, key)) > 0 {
			continue
		}
		if len(n.valuesIn(n.state.Desired, key)) > 1 || n.reserved(key) {
			ok = false
		}
		wanted[key] = value
	}
	for key := range n.state.PerKind {
		if len(n.valuesIn(n.state.Mandatory, key)) > 0 {
			ok = false
		}
	}
	return wanted, ok
}

// spellings returns the spellings of a key that are live, the one that stands for it first.
func (n *naivePlanner) spellings(key string, wanted map[string]string) (found []string) {
	for _, k := range slices.Sorted(maps.Keys(n.live)) {
		if n.same(k, key) {
			found = append(found, k)
		}
	}
	toFront := func(first string) {
		if i := slices.Index(found, first); i > 0 {
			found = slices.Insert(slices.Delete(found, i, i+1), 0, first)
		}
	}
	toFront(strings.ToLower(key))
	for first := range wanted {
		toFront(first)
	}
	return found
}

func (n *naivePlanner) removable(key string, wanted map[string]string) bool {
	if len(n.valuesIn(wanted, key)) > 0 || n.reserved(key) {
		return false
	}
	for _, spelled := range n.spellings(key, wanted) {
		if !n.owns(key, n.live[spelled]) {
			return false
		}
	}
	return true
}

func (n *naivePlanner) plan() (plan tags.ResourcePlan, ok bool) {
	wanted, ok := n.wanted()
	if !ok {
		return plan, false
	}
	additions := 0
	for key, value := range wanted {
		spelled := n.spellings(key, wanted)
		if len(spelled) == 0 {
			additions++
			spelled = []string{key}
		}
		n.planWanted(&plan, tags.Tag{Key: spelled[0], Value: value})
	}
	foreign := n.planLive(&plan, wanted)

	byKey := func(a, b tags.Tag) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value)) }
	slices.SortFunc(plan.Set, byKey)
	slices.SortFunc(plan.Remove, byKey)
	slices.Sort(plan.Takeover)
	slices.Sort(plan.Rewritten)
	slices.Sort(plan.Kept)
	plan.Remove = slices.Compact(plan.Remove)
	if foreign+len(wanted)+len(plan.Remove) <= n.rules.MaxTags {
		plan = tags.InOrder(plan, true)
	}
	return plan, additions == 0 || foreign+len(wanted) <= n.rules.MaxTags
}

func (n *naivePlanner) planWanted(plan *tags.ResourcePlan, tag tags.Tag) {
	if n.rules.KeysOnly {
		tag.Value = ""
	}
	liveValue, isLive := n.live[tag.Key]
	if isLive && n.sameValue(liveValue, tag.Value) {
		return
	}
	wasApplied := slices.Contains(n.valuesIn(n.state.Applied, tag.Key), tag.Value)
	if isLive && n.isLeft(tag.Key) {
		if !wasApplied {
			plan.Kept = append(plan.Kept, tag.Key)
		}
		return
	}
	plan.Set = append(plan.Set, tag)
	if isLive && !n.sameValue(liveValue, tag.Value) && !n.owns(tag.Key, liveValue) {
		plan.Takeover = append(plan.Takeover, tag.Key)
		if wasApplied {
			plan.Rewritten = append(plan.Rewritten, tag.Key)
		}
	}
}

// isLeft reports whether the value of a key is left to others.
func (n *naivePlanner) isLeft(key string) bool {
	return len(n.valuesIn(n.state.Mandatory, key)) == 0 && n.matchesAny(key, n.rules.AnyValue)
}

func (n *naivePlanner) planLive(plan *tags.ResourcePlan, wanted map[string]string) (foreign int) {
	for key, value := range n.live {
		switch {
		case n.removable(key, wanted):
			plan.Remove = append(plan.Remove, tags.Tag{Key: key, Value: value})
		case len(n.valuesIn(wanted, key)) > 0 && n.spellings(key, wanted)[0] == key:
		case slices.ContainsFunc(
			n.rules.Uncounted(), func(p string) bool { return strings.HasPrefix(strings.ToLower(key), strings.TrimSuffix(p, "*")) },
		):
		default:
			foreign++
		}
	}
	return foreign
}
