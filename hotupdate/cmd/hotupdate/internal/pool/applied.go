package pool

import (
	"errors"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/gardenerplugin"
)

// branch is the result of one way of applying a manifest. The plan is nil if the result is not
// known.
type branch struct {
	facts.Applied

	plan *Plan
}

// branches are all possible results of applying a manifest.
type branches struct {
	all  []branch
	last int // the position of the way in which the Shoot was applied last, -1 if it is not known
	// isStated says that the user has stated the way. The branches then differ in the fields that
	// the manager owns.
	isStated bool
}

// Ask asks Gardener's own code, of a version, about a Shoot that is sent to the API server.
type Ask func(sent *tree.Node) (answer gardenerplugin.Answer, version string, err error)

// NewAppliedPlan is [NewPlan] for a manifest that is applied to a Shoot of a cluster, see
// [facts.Manifest.IsAppliedTo]. The resulting Shoot is computed for each way of applying, see
// package apply. If the ways have different verdicts and the way is unknown, the verdict is
// indeterminate. Gardener's own code is asked about each way; if it is nil, no code is asked.
func NewAppliedPlan(old, updated *facts.Manifest, o judge.Options, ask Ask) (*Plan, error) {
	ways := o.Ways
	if len(ways) == 0 {
		for _, by := range apply.Methods() {
			ways = append(ways, apply.Way{By: by})
		}
	}
	applied, err := updated.AppliedTo(old, ways)
	if err != nil {
		return nil, err
	}
	b := branches{last: -1}
	last, isKnown := apply.Last(old.Tree)
	var problems []error
	for i, one := range applied {
		plan, err := b.planOf(old, updated, one, o, ask)
		if err != nil {
			return nil, err
		}
		if isKnown && one.Way == last {
			b.last = i
		}
		b.all = append(b.all, branch{one, plan})
		problems = append(problems, one.Problem)
	}
	b.isStated = len(o.Ways) == 1
	plan := b.combined()
	if plan == nil {
		return nil, errors.Join(problems...)
	}
	if ask == nil {
		plan.remark()
	}
	return plan, nil
}

// planOf plans one way. Ways with the same object have the same plan.
func (b *branches) planOf(
	old, updated *facts.Manifest, one facts.Applied, o judge.Options, ask Ask,
) (*Plan, error) {
	if one.Manifest == nil {
		return nil, nil //nolint:nilnil // the result is not known
	}
	for _, other := range b.all {
		if other.plan != nil && tree.Equal(other.Object, one.Object) {
			return other.plan, nil
		}
	}
	plan, err := compare(old, one.Manifest, o)
	if err != nil {
		return nil, err
	}
	plan.hide(hotupdate.OpRemove, keptBy(one, updated))
	if ask == nil || tree.Equal(old.Tree, one.Object) {
		return plan, nil
	}
	plan.remark()
	answer, version, err := ask(one.Object)
	if err != nil {
		return nil, err
	}
	plan.Merge(answer, version, old, one.Manifest)
	return plan, nil
}

// keptBy lists what the Shoot of the cluster keeps although the manifest does not have it.
func keptBy(one facts.Applied, manifest *facts.Manifest) (fields []LeftOut) {
	why := map[apply.Method]string{
		apply.Client: "kept: neither the manifest nor the annotation last-applied-configuration has it",
		apply.Server: "kept: the manifest does not have it, and its manager does not own it alone",
	}[one.Way.By]
	if why == "" {
		return nil
	}
	for _, above := range [][]string{{"metadata", "labels"}, {"metadata", "annotations"}, {"spec"}} {
		for _, path := range one.Object.At(above...).Beyond(manifest.Tree.At(above...)) {
			fields = append(fields, LeftOut{strings.Join(append(slices.Clone(above), path...), "."), why})
		}
	}
	return fields
}

// combined returns the plan that holds in all ways. Where they have different verdicts, the verdict
// is indeterminate, unless the way in which the Shoot was applied last has the gravest one: how the
// Shoot was applied last may make a verdict graver, but not milder. It is nil if nothing is known.
func (b *branches) combined() *Plan {
	base := b.base()
	if base < 0 {
		return nil
	}
	combined := *b.all[base].plan
	combined.IsRefused = b.areRefused()
	combined.Pools = slices.Clone(combined.Pools)
	for i := range combined.Pools {
		combined.Pools[i] = b.pool(combined.Pools[i].Name, base)
	}
	for _, name := range b.otherNames(&combined) {
		combined.Pools = append(combined.Pools, b.pool(name, base))
	}
	above := b.question((*Plan).possible)
	if !above.Becomes().IsOne() && !b.isGravest(above.Becomes(), (*Plan).ofManifest) {
		combined.Changes = append(slices.Clone(combined.Changes), judge.Undecided(above))
		combined.Rules = verdict.Sorted(append(slices.Clone(combined.Rules), above.Rule))
	}
	isOpen := slices.ContainsFunc(combined.Pools, func(planned Planned) bool {
		return slices.Contains(planned.Rules, verdict.HowApplied)
	})
	combined.addNotes(b.all[base])
	milder := b.milderThan(base)
	isFromLast := b.last == base && !b.isStated && len(milder) > 0
	if isFromLast && !isOpen {
		rule := verdict.AppliedAsLast(b.all[base].Way.String(), milder)
		combined.Rules = verdict.Sorted(append(combined.Rules, rule))
	}
	return &combined
}

// base returns the position of the plan that is shown: the plan of the way in which the Shoot was
// applied last, or else the plan with the gravest verdict; -1 if there is none. A plan that
// Gardener refuses is shown only if it refuses all.
func (b *branches) base() int {
	areRefused := b.areRefused()
	isShown := func(p *Plan) bool { return p != nil && p.IsRefused == areRefused }
	if b.last >= 0 && isShown(b.all[b.last].plan) {
		return b.last
	}
	base := -1
	for i, one := range b.all {
		if isShown(one.plan) && (base < 0 || one.plan.Verdict() > b.all[base].plan.Verdict()) {
			base = i
		}
	}
	return base
}

// areRefused reports whether Gardener refuses the change in every known way.
func (b *branches) areRefused() bool {
	return !slices.ContainsFunc(b.all, func(one branch) bool { return one.plan != nil && !one.plan.IsRefused })
}

// milderThan returns the other ways with a known plan that does less than a plan to the Shoot as a whole or to a pool.
func (b *branches) milderThan(base int) (ways []string) {
	shown := b.all[base]
	for _, one := range b.all {
		way := one.Way.String()
		isOther := one.plan != nil && way != shown.Way.String()
		if isOther && one.plan.isMilder(shown.plan) && !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
	}
	return ways
}

// isMilder reports whether the plan does less than another one to the Shoot as a whole or to a pool.
func (p *Plan) isMilder(other *Plan) bool {
	return p.ofManifest() < other.ofManifest() || slices.ContainsFunc(other.Pools, func(planned Planned) bool {
		return slices.Compare(p.effectsOn(planned.Name), planned.Effects()) < 0
	})
}

// otherNames returns the pools that a plan lacks and other ways have.
func (b *branches) otherNames(shown *Plan) (names []string) {
	has := func(name string) bool { return shown.pool(name) != nil || slices.Contains(names, name) }
	for _, one := range b.all {
		if one.plan == nil {
			continue
		}
		for _, planned := range one.plan.Pools {
			if !has(planned.Name) {
				names = append(names, planned.Name)
			}
		}
	}
	return names
}

// pool returns the pool of a name, or nil.
func (p *Plan) pool(name string) *Planned {
	i := slices.IndexFunc(p.Pools, func(planned Planned) bool { return planned.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Pools[i]
}

// effectsOn returns what happens to the machines of a pool that a way may not have any more: a renamed pool
// has another name. If Gardener refuses the change, nothing happens.
func (p *Plan) effectsOn(name string) []verdict.Verdict {
	planned := p.pool(name)
	switch {
	case p.IsRefused:
		return []verdict.Verdict{verdict.None}
	case planned == nil:
		return []verdict.Verdict{verdict.Removed}
	}
	return planned.Effects()
}

// possibleOn returns the verdicts on the pool of a name that can come true.
func (p *Plan) possibleOn(name string) verdict.Set {
	planned := p.pool(name)
	switch {
	case p.IsRefused:
		return verdict.Only(verdict.None)
	case planned == nil:
		return verdict.Only(verdict.Removed)
	}
	return planned.Possible()
}

// pool returns what happens to the pool of a name in all ways.
func (b *branches) pool(name string, base int) Planned {
	question := b.question(func(p *Plan) verdict.Set { return p.possibleOn(name) })
	gravest := func(p *Plan) verdict.Verdict { return slices.Max(p.effectsOn(name)) }
	shown := b.all[base].plan.pool(name)
	isSame := !slices.ContainsFunc(b.all, func(one branch) bool {
		return one.plan == nil || !slices.Equal(one.plan.effectsOn(name), b.all[base].plan.effectsOn(name))
	})
	if shown != nil && (isSame || b.isGravest(question.Becomes(), gravest)) {
		return *shown
	}
	return b.undecided(name, question)
}

// isGravest reports whether the way in which the Shoot was applied last has the gravest verdict.
func (b *branches) isGravest(may verdict.Set, effect func(*Plan) verdict.Verdict) bool {
	if b.last < 0 || b.last != b.base() || !may.IsBounded() {
		return false
	}
	return effect(b.all[b.last].plan) == slices.Max(may.Verdicts())
}

// undecided returns a pool on whose verdict the ways disagree.
func (b *branches) undecided(name string, question verdict.Question) Planned {
	var all []judge.Comparison
	var gravest *Planned
	for _, one := range b.all {
		if one.plan == nil {
			all = append(all, judge.Comparison{Verdict: verdict.Indeterminate})
			continue
		}
		planned := one.plan.pool(name)
		if planned == nil {
			all = append(all, judge.Comparison{Verdict: slices.Max(one.plan.effectsOn(name))})
			continue
		}
		if gravest == nil || planned.Effect() > gravest.Effect() {
			gravest = planned
		}
		comparison := planned.Comparison
		comparison.Verdict = slices.Max(one.plan.effectsOn(name))
		comparison.May = one.plan.possibleOn(name)
		all = append(all, comparison)
	}
	open := *gravest
	open.State = Kept
	open.FormerName = ""
	open.Comparison = judge.Alternatives(all, question)
	return open
}

// question asks how the manifest is applied, with the verdicts of each way. If the user has stated
// the way, it asks for the fields of the manager.
func (b *branches) question(gives func(*Plan) verdict.Set) verdict.Question {
	question := verdict.Question{
		Rule: verdict.HowApplied, Fact: "how is the manifest applied?",
		Answer: "answer by --apply client, server[=MANAGER] or replace, or state apply in " + judge.ConfigFile +
			", or compare what the API server makes of it: " +
			`KUBECTL_EXTERNAL_DIFF="hotupdate plan" kubectl diff -f FILE`,
	}
	if b.isStated {
		question.Fact = "which fields does the manager own?"
		question.Owner = "metadata.managedFields of the Shoot"
		question.Answer = "read the Shoot with kubectl get --show-managed-fields -o yaml, and name the manager with " +
			"--apply server=MANAGER"
	}
	at := map[string]int{}
	for _, one := range b.all {
		set := verdict.Any()
		if one.plan != nil {
			set = gives(one.plan)
		}
		text := b.text(&one)
		if i, isKnown := at[text]; isKnown {
			question.Values[i].Gives = question.Values[i].Gives.Or(set)
			continue
		}
		at[text] = len(question.Values)
		question.Values = append(question.Values, verdict.Value{Text: text, Gives: set})
	}
	return question
}

// text names a branch in a question: its way or, if the user has stated the way, what the manager owns.
func (b *branches) text(one *branch) string {
	switch {
	case !b.isStated:
		return one.Way.String()
	case one.Owner == apply.OwnsNothing:
		return "none that the manifest leaves out"
	case one.Owner == apply.OwnsAll:
		return "all"
	case one.Owner == apply.OwnsClients:
		return "those of " + one.Way.Manager + " and, as kubectl takes them over, those of kubectl apply"
	}
	return "those of " + one.Way.Manager
}

// addNotes adds remarks about the way that is shown.
func (p *Plan) addNotes(shown branch) {
	p.Rules = slices.Clone(p.Rules)
	byManager := map[string][]string{}
	for _, conflict := range shown.Conflicts {
		byManager[conflict.With] = append(byManager[conflict.With], conflict.Path)
	}
	for manager, paths := range byManager {
		p.Rules = append(p.Rules, verdict.ApplyConflict(manager, paths))
	}
	p.Rules = verdict.Sorted(p.Rules)
}
