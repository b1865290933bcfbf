package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
)

// tally counts judged pools for a report. Its size does not grow with their number.
type tally struct {
	*report.Report

	verdicts report.Counts
	assumed  map[verdict.Assumption]int // the number of pools
	causes   map[causeKey]*report.Cause
	spans    map[report.Span]*report.Span // by minor and eras
	seen     []string                     // some providers and kinds of provider configs that are not judged

	// the providers of judged pools; true if a config of the provider is of the releases' kind
	providers map[string]bool
}

// The words of verdicts that are compared here.
var (
	unchanged = verdict.None.String()
	rolled    = verdict.Roll.String()
	renamed   = verdict.ClassRenamed.String()
)

// causeKey identifies a cause.
type causeKey struct {
	verdict, accepted     string
	reason                Reason
	oldEra, newEra, minor string
}

// Limits that make the size of a tally independent of the size of the fleet.
const (
	// groups bounds the causes, the groups of each dimension, the objects that cannot be read, and the warnings.
	// Further ones are only counted.
	groups = 10_000
	others = "(others)"
)

// ofObjects is the unit of reports about custom resources.
const ofObjects = "object"

// newTally returns an empty tally. The unit is empty for pools.
func newTally(unit, old, updated string) *tally {
	t := &tally{
		Report: report.NewFleet(unit), verdicts: report.Counts{}, assumed: map[verdict.Assumption]int{},
		causes: map[causeKey]*report.Cause{}, spans: map[report.Span]*report.Span{}, providers: map[string]bool{},
	}
	t.Compared = report.Compared{Old: old, New: updated}
	return t
}

// add counts a pool.
func (t *tally) add(p *JudgedPool) {
	minor := minorOf(p.KubernetesVersion)
	t.Machines += p.After.Maximum
	t.addCount(p, p.count())
	isNamedAnew := p.Verdict == rolled || p.Verdict == renamed
	t.addSpan(report.Span{
		Minor: minor, OldEra: p.OldEra, NewEra: p.NewEra, Differ: p.OldEra != p.NewEra || isNamedAnew, Pools: 1,
	})
	for _, rule := range p.Rules {
		t.assumed[verdict.AssumptionOf(rule)]++
	}
	t.addCauses(p)
}

// addCount adds to the numbers of the verdict on a pool, in all and in the groups of the pool.
func (t *tally) addCount(p *JudgedPool, count report.Count) {
	t.verdicts.Add(p.Verdict, count)
	for d, value := range map[report.Dimension]string{
		report.ByProject: p.Of.Project, report.ByMinor: minorOf(p.KubernetesVersion), report.ByStrategy: p.Strategy,
		report.ByProvider: p.Of.Provider,
	} {
		group(t.Groups[d], value).Add(p.Verdict, count)
	}
}

func (p *JudgedPool) count() report.Count {
	count := report.Count{Pools: 1, Machines: p.Touched}
	if p.Accepted != "" {
		count.Accepted = 1
	}
	return count
}

// group returns the counts of a group. If there are very many groups, the further ones share counts.
func group(all map[string]report.Counts, value string) report.Counts {
	value = cmp.Or(value, report.Unknown)
	if all[value] == nil && len(all) >= groups {
		value = others
	}
	if all[value] == nil {
		all[value] = report.Counts{}
	}
	return all[value]
}

func (t *tally) addSpan(s report.Span) {
	key := report.Span{Minor: s.Minor, OldEra: s.OldEra, NewEra: s.NewEra}
	switch known := t.spans[key]; {
	case s.OldEra+s.NewEra == "": // the pool could not be hashed
	case known != nil:
		known.Pools += s.Pools
		known.Differ = known.Differ || s.Differ
	case len(t.spans) < groups:
		t.spans[key] = &s
	}
}

// addCauses counts a pool in each of its causes.
func (t *tally) addCauses(p *JudgedPool) {
	for _, key := range p.causes() {
		t.addCause(&report.Cause{
			Verdict: key.verdict, Reason: key.reason, Accepted: key.accepted, Pools: 1, Machines: p.Touched,
			OldEra: key.oldEra, NewEra: key.newEra, Minor: key.minor,
			Samples: []report.Sample{{Place: p.Of.PlaceOf(), Pool: p.Title()}},
		})
	}
}

func (t *tally) addCause(c *report.Cause) {
	key := causeKey{c.Verdict, c.Accepted, c.Reason, c.OldEra, c.NewEra, c.Minor}
	known := t.causes[key]
	if known == nil && len(t.causes) >= groups {
		key = causeKey{verdict: c.Verdict, reason: Reason{Text: "other causes"}, minor: others}
		c.Reason = key.reason
		c.Minor = key.minor
		c.Accepted = ""
		c.OldEra = ""
		c.NewEra = ""
		known = t.causes[key]
	}
	if known == nil {
		t.causes[key] = c
		return
	}
	known.Pools += c.Pools
	known.Machines += c.Machines
	known.AddSample(c.Samples...)
}

// minorOf returns the minor of a Kubernetes version.
func minorOf(version string) string {
	minor, err := kubeminor.Parse(version)
	if err != nil {
		return report.Unknown
	}
	return minor.String()
}

// causes are the causes of a verdict.
func (p *JudgedPool) causes() (keys []causeKey) {
	for _, because := range p.Reasons {
		keys = append(keys, causeKey{
			p.Verdict, p.Accepted, because, p.OldEra, p.NewEra, minorOf(p.KubernetesVersion),
		})
	}
	return keys
}

// addEras adds the minors at which an era begins.
func (t *tally) addEras(old, updated *release.Release) {
	for _, e := range slices.Concat(old.Eras, updated.Eras) {
		if e.From != "" {
			before, _ := old.Era(e.From) // which is a minor
			after, _ := updated.Era(e.From)
			t.addSpan(report.Span{
				Minor: e.From, OldEra: before.Name, NewEra: after.Name, Differ: before.Name != after.Name,
			})
		}
	}
}

// addNotJudged adds an object that cannot be read, unless there are very many.
func (t *tally) addNotJudged(at manifest.Place, text string) {
	if len(t.NotJudged) < groups {
		t.NotJudged = append(t.NotJudged, report.NotJudged{
			Place: pool.Place{File: at.File, Line: at.Line},
			Text:  manifest.InFile(at.At(at.Line), errors.New(text)).Error(),
		})
	}
}

// finish returns the report, without listed pools.
func (t *tally) finish(known *Known) *report.Report {
	r := t.Report
	r.Warnings = append(r.Warnings, known.accepted.Remarks(!r.Partial)...)
	r.Assumptions = []report.Assumption{}
	for assumption, pools := range t.assumed {
		r.Assumptions = append(r.Assumptions, report.Assumption{Assumption: assumption, Pools: pools})
	}
	slices.SortFunc(r.Assumptions, func(a, b report.Assumption) int { return a.Compare(b.Assumption) })
	r.Sum = t.verdicts.Summands()
	if len(r.Sum) > 0 {
		r.Verdict = r.Sum[0].Verdict
	}
	r.Causes = []report.Cause{}
	for _, c := range t.causes {
		r.Causes = append(r.Causes, *c)
	}
	slices.SortFunc(r.Causes, func(a, b report.Cause) int { return a.Compare(&b) })
	r.Eras = []report.Span{}
	for _, span := range t.spans {
		r.Eras = append(r.Eras, *span)
	}
	slices.SortFunc(r.Eras, func(a, b report.Span) int {
		return cmp.Or(report.CompareMinors(a.Minor, b.Minor), cmp.Compare(a.OldEra, b.OldEra),
			cmp.Compare(a.NewEra, b.NewEra))
	})
	r.Omitted = r.Objects.Judged
	return r
}

// List sets the listed pools.
func List(r *report.Report, pools []*JudgedPool) {
	r.Manifests = []report.ManifestReport{}
	var last *report.ManifestReport
	for _, p := range pools {
		if last == nil || last != p.Of {
			last = p.Of
			r.Manifests = append(r.Manifests, p.alone())
			continue
		}
		m := &r.Manifests[len(r.Manifests)-1]
		m.Pools = append(m.Pools, p.PoolReport)
		if verdict.CompareWords(p.Verdict, m.Verdict) < 0 {
			m.Verdict = p.Verdict
		}
	}
	r.Omitted = max(0, r.Objects.Judged-len(r.Manifests))
}

// checkJudged returns an error if no pool was judged, since then the call was probably wrong.
func (t *tally) checkJudged() error {
	if t.Objects.Judged > 0 || t.Partial {
		return nil
	}
	problems := []error{fmt.Errorf("no %s was judged: %s", cmp.Or(t.Unit, "pool"), t.Objects.String())}
	if len(t.seen) > 0 {
		problems = append(problems, fmt.Errorf("there are %s", strings.Join(t.seen, ", ")))
	}
	for _, one := range t.NotJudged {
		problems = append(problems, errors.New(one.Text))
	}
	return errors.Join(problems...)
}
