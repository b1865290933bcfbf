package pool

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/acceptance"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
)

// Accepted says which verdicts of a command's findings people may accept. Plan has no findings about
// Schemas, and configurations that cannot be read are errors.
func Accepted() acceptance.Command {
	return acceptance.Command{
		Verdicts: verdict.Words(verdict.Failing()), Lacks: []acceptance.Member{acceptance.Kind, acceptance.Code},
	}
}

// Accept notes which findings a list accepts, above the pools and for each pool. A pool is accepted
// if every change that decides its verdict is.
func (p *Plan) Accept(list *acceptance.List) {
	p.Accepted = list.Why(p.findingsAbove())
	if p.IsRefused {
		return
	}
	for i := range p.Pools {
		p.Pools[i].Accepted = list.Why(p.findingsOf(&p.Pools[i]))
	}
}

// findingsAbove returns the findings above the pools that touch machines or refuse the change. If Gardener refuses it,
// only the refusals are findings.
func (p *Plan) findingsAbove() (findings []acceptance.Finding) {
	if len(p.Pools) == 0 && p.State == Removed {
		findings = append(findings, p.finding(verdict.Removed, ""))
	}
	for _, change := range p.Changes {
		happens := !p.IsRefused && change.Verdict > verdict.None
		if happens || change.Verdict == verdict.Forbidden {
			findings = append(findings, p.finding(change.Verdict, change.Path))
		}
	}
	if p.IsRefused {
		return findings
	}
	for _, path := range p.Unjudged {
		findings = append(findings, p.finding(verdict.Indeterminate, path))
	}
	return findings
}

// findingsOf are the changes that decide what happens to a pool.
func (p *Plan) findingsOf(planned *Planned) (findings []acceptance.Finding) {
	for _, effect := range planned.Effects() {
		if effect != verdict.None {
			findings = append(findings, p.findingsOfEffect(planned, effect)...)
		}
	}
	return findings
}

// findingsOfEffect are the changes that decide a verdict on a pool. If none does, such as for a pool that is
// removed, the finding has no path.
func (p *Plan) findingsOfEffect(planned *Planned, effect verdict.Verdict) (findings []acceptance.Finding) {
	add := func(path string) {
		finding := p.finding(effect, path)
		finding[acceptance.Pool] = []string{planned.Name}
		if planned.FormerName != "" {
			finding[acceptance.Pool] = append(finding[acceptance.Pool], planned.FormerName)
		}
		finding[acceptance.Minor] = minorsOf(planned.Versions)
		findings = append(findings, finding)
	}
	for _, change := range planned.Changes {
		if planned.State == Kept && change.Decides && change.Verdict == effect {
			add(change.Path)
		}
	}
	if len(findings) == 0 {
		add("")
	}
	return findings
}

// finding returns a finding about a field, or about no field if the path is empty.
func (p *Plan) finding(v verdict.Verdict, path string) acceptance.Finding {
	return acceptance.Finding{
		acceptance.Verdict: {v.String()}, acceptance.Path: pathsOf(path), acceptance.Name: {p.Name},
		acceptance.Namespace: {p.Namespace}, acceptance.Project: {facts.ProjectOf(p.Namespace)},
	}
}

// pathsOf returns the names of a field in an acceptance: the path, and the path in the provider
// config, each also with [] for the elements of lists and maps.
func pathsOf(path string) []string {
	all := []string{path, fieldpath.PatternOf(path)}
	for _, one := range all {
		if inConfig, ok := strings.CutPrefix(one, fields.Config+"."); ok {
			all = append(all, inConfig)
		}
	}
	return all
}

// PathsInConfig returns the names of a field of a pool's provider config in an acceptance, by the path in the config.
func PathsInConfig(path string) []string { return pathsOf(facts.JoinPaths(fields.Config, path)) }

// Counted returns the effects that are not accepted: see [Plan.Verdicts].
func (p *Plan) Counted() []verdict.Verdict {
	counted := []verdict.Verdict{verdict.None}
	if p.Accepted == "" {
		counted = append(counted, p.ofManifest())
		counted = append(counted, p.AbovePools.Effects()...)
	}
	if p.IsRefused {
		return counted
	}
	for i := range p.Pools {
		if p.Pools[i].Accepted == "" {
			counted = append(counted, p.Pools[i].Effects()...)
		}
	}
	return counted
}

// Open returns, for each effect that is neither accepted nor certain, the verdicts that can come
// true: see [Plan.Counted].
func (p *Plan) Open() (open []verdict.Set) {
	add := func(accepted string, may verdict.Set) {
		if accepted == "" && !may.IsOne() {
			open = append(open, may)
		}
	}
	add(p.Accepted, p.possible())
	if p.IsRefused {
		return open
	}
	for i := range p.Pools {
		add(p.Pools[i].Accepted, p.Pools[i].Possible())
	}
	return open
}

// Gate fails for the verdicts that a person names. The zero value fails for none.
type Gate struct {
	// On has the words of the verdicts.
	On []string
	// PassesUndecided says that the gate passes an undecided plan, although one of the verdicts can
	// come true.
	PassesUndecided bool
}

// Fails reports whether the gate fails for a verdict that is certain.
func (g Gate) Fails(v verdict.Verdict) bool { return slices.Contains(g.On, v.String()) }

// MayFail reports whether a verdict of the gate is among those that can still come true, or something is not bounded.
func (g Gate) MayFail(plan *Plan) bool {
	if len(g.On) == 0 || g.PassesUndecided {
		return false
	}
	return slices.ContainsFunc(plan.Open(), func(may verdict.Set) bool {
		return !may.IsBounded() || slices.ContainsFunc(may.Verdicts(), g.Fails)
	})
}

// Stops reports whether the gate fails for a plan.
func (g Gate) Stops(plan *Plan) bool {
	return slices.ContainsFunc(plan.Counted(), g.Fails) || g.MayFail(plan)
}

// RefusalByGardener returns a rule by which Gardener's own API server refuses the change, or [verdict.NoRule].
func (p *Plan) RefusalByGardener() verdict.Rule {
	rules := slices.Clone(p.Rules)
	add := func(changes []judge.Finding) {
		for i := range changes {
			rules = append(rules, refusalOf(&changes[i]))
		}
	}
	add(p.Changes)
	for i := range p.Pools {
		rules = append(rules, p.Pools[i].Rules...)
		add(p.Pools[i].Changes)
	}
	if i := slices.IndexFunc(rules, verdict.Rule.RefusedByGardener); i >= 0 {
		return rules[i]
	}
	return verdict.NoRule
}

// refusalOf returns the rule of a change. If a row decides without a rule that Gardener lets no pool change the field
// that is updated in place, it is the rule that says so.
func refusalOf(c *judge.Finding) verdict.Rule {
	row, _ := fields.Pool().Row(c.Path)
	isByRow := c.Verdict == verdict.Forbidden && c.Rule == verdict.NoRule
	if isByRow && row.InPlace == fields.Fixed {
		return verdict.FixedInPlace
	}
	return c.Rule
}

// minorsOf returns the Kubernetes minors of versions, as far as they are known.
func minorsOf(versions []string) (minors []string) {
	for _, version := range versions {
		if minor, err := kubeminor.Parse(version); err == nil {
			minors = append(minors, minor.String())
		}
	}
	return minors
}
