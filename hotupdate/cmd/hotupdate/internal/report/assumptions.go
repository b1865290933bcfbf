package report

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Assumption is an assumption behind verdicts of a report, with the number of the listed manifests
// and pools that it concerns.
type Assumption struct {
	verdict.Assumption

	Manifests int `json:"manifests,omitempty"`
	Pools     int `json:"pools,omitempty"`

	kinds []string // of the manifests
}

// assumptions returns the assumptions behind the listed verdicts, in the order of the table. A
// manifest that is the same on both sides has none.
func (r *Report) assumptions() []Assumption {
	found := map[verdict.Assumption]*Assumption{}
	count := func(a verdict.Assumption) *Assumption {
		if found[a] == nil {
			found[a] = &Assumption{Assumption: a}
		}
		return found[a]
	}
	for i := range r.Manifests {
		m := &r.Manifests[i]
		if m.isUnchanged() {
			continue
		}
		for _, a := range m.Basis.assumptions(m.rests) {
			of := count(a)
			of.Manifests++
			of.kinds = append(of.kinds, m.Kind)
		}
		for j := range m.Pools {
			p := &m.Pools[j]
			for _, a := range p.Basis.assumptions(p.rests) {
				count(a).Pools++
			}
		}
	}
	all := []Assumption{}
	for _, one := range found {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b Assumption) int { return a.Compare(b.Assumption) })
	return all
}

// assumptions returns the assumptions behind a verdict.
func (b *Basis) assumptions(rests func(verdict.Rule) bool) (assumptions []verdict.Assumption) {
	for _, unchanged := range b.Assumed {
		if rule := unchanged.Rule(); rests(rule) {
			assumptions = append(assumptions, verdict.AssumptionOf(rule))
		}
	}
	for _, rule := range b.Rules {
		if rule.Kind == verdict.Assumes && rests(rule) {
			assumptions = append(assumptions, verdict.AssumptionOf(rule))
		}
	}
	return assumptions
}

// rests reports whether the verdict on the pool depends on an assumption that it lists. If all
// machines are replaced or deleted, or the change is refused, the assumption cannot make the
// verdict graver.
func (p *PoolReport) rests(on verdict.Rule) bool {
	isMild := p.Verdict == none || p.Verdict == verdict.HotUpdate.String()
	switch {
	case verdict.IsUnchanged(on):
		return !p.isReplaced()
	case on == verdict.StrategyIsRollingUpdate:
		return !isMild // hot updates are the same under all strategies
	}
	return true
}

// rests reports whether the verdicts on a manifest depend on an assumption.
func (m *ManifestReport) rests(on verdict.Rule) bool {
	return on != verdict.OldSpecRuns || !m.isReplaced()
}

// isReplaced reports whether all machines of the pool are replaced or deleted for sure, or the change is refused.
func (p *PoolReport) isReplaced() bool {
	isOne := func(word string) bool {
		return slices.Contains([]string{
			verdict.Roll.String(), verdict.Removed.String(), verdict.PoolRenamed.String(), verdict.Forbidden.String(),
		}, word)
	}
	return isOne(p.Verdict) || slices.ContainsFunc(p.Also, isOne)
}

// isReplaced reports whether all machines of the manifest are replaced or deleted for sure, or the change is refused.
func (m *ManifestReport) isReplaced() bool {
	isKept := func(p PoolReport) bool { return !p.isReplaced() && p.State != pool.Added.String() }
	return m.quiet == 0 && !slices.ContainsFunc(m.Pools, isKept)
}

// concerned counts what an assumption concerns: 2 Shoots, 3 pools. A provider config and a custom resource are a
// manifest with one pool without a name.
func (r *Report) concerned(a Assumption) string {
	unit := r.unit()
	areBare := slices.ContainsFunc(r.Manifests, func(m ManifestReport) bool { return m.isBare() })
	if areBare && !r.hasObjects {
		unit = "provider config"
	}
	var counts []string
	if a.Manifests > 0 {
		counts = append(counts, plaintext.Counted(a.Manifests, a.kind()))
	}
	if a.Pools > 0 {
		counts = append(counts, plaintext.Counted(a.Pools, unit))
	}
	return strings.Join(counts, ", ")
}

// kind is the kind of the manifests that an assumption concerns, if they have one.
func (a *Assumption) kind() string {
	if kinds := slices.Compact(slices.Sorted(slices.Values(a.kinds))); len(kinds) == 1 && kinds[0] != "" {
		return kinds[0]
	}
	return "manifest"
}

// assumptionRemarks are the remarks about assumptions.
func (r *Report) assumptionRemarks() (remarks []remark) {
	for _, a := range r.Assumptions {
		remarks = append(remarks, remark{string(verdict.Assumes), r.assumptionText(a), a.Source})
	}
	return remarks
}

// assumptionText names in one line the assumption, what it concerns, and the input that would
// decide it.
func (r *Report) assumptionText(a Assumption) string {
	return a.Text + " (" + r.concerned(a) + "); " + a.Answer
}
