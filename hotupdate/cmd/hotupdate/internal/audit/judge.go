package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// JudgedPool is a judged pool, in the model of reports. A custom resource has one pool without a
// name.
type JudgedPool struct {
	report.PoolReport

	// Of is the object that has the pool, without its pools.
	Of *report.ManifestReport
}

// Title names the pool.
func (p *JudgedPool) Title() string { return p.Of.Subject(p.Name) }

// alone returns the object with the pool alone.
func (p *JudgedPool) alone() report.ManifestReport {
	one := *p.Of
	one.Verdict = p.Verdict
	one.Pools = []report.PoolReport{p.PoolReport}
	return one
}

// Reason is a reason for a pool's verdict.
type Reason = report.Reason

// objectAt returns an object without pools.
func objectAt(at manifest.Place) *report.ManifestReport {
	return &report.ManifestReport{
		NewPlace: &pool.Place{File: at.File, Line: at.Line}, State: pool.Kept.String(), Verdict: unchanged,
		Changes: []report.ChangeReport{}, Pools: []report.PoolReport{}, Basis: report.NoBasis(),
	}
}

// judgedPool returns a pool with a verdict.
func judgedPool(
	name string, effect verdict.Verdict, strategy hotupdate.Strategy, machines facts.Machines, reasons []Reason,
) report.PoolReport {
	p := report.PoolReport{
		Name: name, State: pool.Kept.String(), Strategy: strategy.String(), Verdict: effect.String(),
		Message: effect.OfRelease(strategy), Before: machines, After: machines,
		Changes: []report.ChangeReport{}, Reasons: reasons, Basis: report.NoBasis(),
	}
	if touches(effect) {
		p.Touched = machines.Maximum
	}
	return p
}

// touches reports whether a verdict on a release concerns machines. A config that the new release
// cannot read has no effect on them.
func touches(v verdict.Verdict) bool {
	return v != verdict.None && v != verdict.Forbidden && v != verdict.Unreadable
}

// Releases are the two releases under which pools are judged. They are safe for concurrent use.
type Releases struct {
	old, updated *release.Release
	kind         facts.TypeMeta // of the provider configs; empty if neither release names it
	owner        owner

	comparisons
}

// NewReleases checks that both are releases of one extension, which may be one of those that are built
// in.
func NewReleases(old, updated *release.Release, builtIn []provider.Provider) (*Releases, error) {
	if none := (facts.TypeMeta{}); old.Kind != none && updated.Kind != none && old.Kind != updated.Kind {
		return nil, fmt.Errorf("%s: is of another kind than %s; compare releases of one extension",
			updated.From, old.From)
	}
	both := &Releases{old: old, updated: updated, kind: cmp.Or(old.Kind, updated.Kind)}
	both.owner = ownerOf(both, builtIn)
	return both, nil
}

// concern reports whether a provider config is of the releases' kind. An empty config is of every
// kind.
func (r *Releases) concern(config facts.Config) bool {
	return r.kind == facts.TypeMeta{} || config.IsAbsent() || config.Type() == r.kind
}

// verdict returns the verdict on a pool that was hashed under both releases, with the reasons.
func (s *comparisons) verdict(p *facts.Pool, old, updated release.Hashed) (verdict.Verdict, []Reason) {
	sameEra := old.Era.Name == updated.Era.Name && old.Era.Hash == updated.Era.Hash
	switch {
	case old.Refused != nil && updated.Refused != nil:
		return verdict.Unreadable, reasonsOfError(old.Refused)
	case updated.Refused != nil:
		return verdict.Forbidden, reasonsOfError(updated.Refused)
	case old.Refused != nil:
		return verdict.BecomesReadable, reasonsOfError(old.Refused)
	case (old.IsUnknown() || updated.IsUnknown()) && !sameEra:
		return verdict.Indeterminate, []Reason{{
			Text: fmt.Sprintf("era %q is in force, it was %q, and one of them hashes by a function that is not "+
				"known here", updated.Era.Name, old.Era.Name),
		}}
	case slices.Equal(old.Data, updated.Data): // for unknown functions of one era, see assumptions
		return verdict.None, nil
	}
	reasons := s.differences(old, updated, p.Config.Raw())
	if !sameEra {
		reasons = slices.Insert(reasons, 0, Reason{
			Text: fmt.Sprintf("era %q (%s) is in force; it was %q (%s)", updated.Era.Name, updated.Era.Hash,
				old.Era.Name, old.Era.Hash),
		})
	}
	if len(reasons) == 0 {
		// the addition itself may be confidential
		reasons = []Reason{{Text: "what the extension adds to the name is another"}}
	}
	if p.Worker.UpdateStrategy.InPlace() {
		return verdict.ClassRenamed, reasons
	}
	return verdict.Roll, reasons
}

// assumptions returns the assumptions behind the verdict that a pool keeps its name. Programs of
// the releases need none, because they hash everything that the releases hash.
func assumptions(v verdict.Verdict, old, updated release.Hashed) (rules []verdict.Rule) {
	if v != verdict.None {
		return nil
	}
	if !old.IsOfProgram() || !updated.IsOfProgram() {
		rules = append(rules, verdict.RestOfNameAlike)
	}
	if old.IsUnknown() || updated.IsUnknown() {
		rules = append(rules, verdict.SameFunction)
	}
	return rules
}

// reasonsOfError returns a reason for each problem of a provider config.
func reasonsOfError(err error) (reasons []Reason) {
	problems := fault.All(err)
	if len(problems) == 0 {
		return []Reason{{Text: err.Error()}}
	}
	for _, problem := range problems {
		path := fieldpath.PatternOf(problem.Path)
		text := strings.Replace(manifest.Reason(problem), problem.Path, path, 1)
		if because := (Reason{Path: path, Code: problem.Code, Text: text}); !slices.Contains(reasons, because) {
			reasons = append(reasons, because)
		}
	}
	return reasons
}

// within reports whether a path is equal to or below another one.
func within(path, above string) bool {
	rest, hasPrefix := strings.CutPrefix(path, above)
	switch {
	case !hasPrefix:
		return false
	case rest == "", above == "":
		return true
	}
	return rest[0] == '.' || rest[0] == '['
}

// overlap reports whether one of two paths is equal to or below the other one.
func overlap(a, b string) bool { return within(a, b) || within(b, a) }

// comparisons are the comparisons of all pairs of Schemas. They are safe for concurrent use.
type comparisons struct {
	bySchemas sync.Map
}

// comparison is a comparison of two Schemas.
type comparison struct {
	findings []hotupdate.Finding
	open     []*hotupdate.Schema // both, with unknown members admitted
}

// compare compares two Schemas, once.
func (s *comparisons) compare(old, updated *hotupdate.Schema) *comparison {
	key := [2]*hotupdate.Schema{old, updated}
	known, ok := s.bySchemas.Load(key)
	if !ok {
		c := &comparison{}
		c.findings, _ = hotupdate.Compatibility(old, updated) // fails only for nil
		for _, schema := range key {
			open, _ := schema.AdmitUnknown() // which has been compiled
			c.open = append(c.open, open)
		}
		known, _ = s.bySchemas.LoadOrStore(key, c)
	}
	return known.(*comparison)
}

// differences says why two releases hash a provider config differently: the findings between the
// Schemas of their eras at the paths where the hashed documents differ. A path without a finding is
// a reason itself.
func (s *comparisons) differences(old, updated release.Hashed, raw []byte) (reasons []Reason) {
	before := hashedJSON(old, raw)
	after := hashedJSON(updated, raw)
	if before == nil || after == nil ||
		(old.Era.Hash == release.Canonical) != (updated.Era.Hash == release.Canonical) {
		return nil
	}
	c := s.compare(old.Era.Schema, updated.Era.Schema)
	paths := c.paths(before, after)
	findings := c.rolling(paths)
	if old.Era.Hash == release.Canonical { // bytes may differ where the hash does not
		findings = slices.DeleteFunc(findings, func(f hotupdate.Finding) bool { return !f.MayRoll(raw) })
	}
	unexplained := slices.Clone(paths)
	for _, f := range findings {
		reasons = append(reasons, Reason{Path: f.Path, Finding: f.Kind, Text: f.String()})
		unexplained = slices.DeleteFunc(unexplained, func(path string) bool { return overlap(path, f.Path) })
	}
	for _, path := range unexplained {
		reasons = append(reasons, Reason{Path: path, Text: path + ": is hashed in another way"})
	}
	return reasons
}

// rolling returns the findings at some paths by which hashes may differ.
func (c *comparison) rolling(paths []string) (findings []hotupdate.Finding) {
	for _, f := range c.findings {
		isAt := slices.ContainsFunc(paths, func(path string) bool { return overlap(path, f.Path) })
		if f.Roll.Where != "" && isAt {
			findings = append(findings, f)
		}
	}
	return findings
}

// hashedJSON returns the hashed bytes of a provider config: its canonical document, or its JSON. It
// is nil if they are not known.
func hashedJSON(h release.Hashed, raw []byte) []byte {
	switch {
	case h.Era.Hash == release.Canonical:
		document, _ := h.Era.Schema.DocumentRaw(raw) // cannot fail, since raw was hashed
		return document
	case len(h.Data) == 1 && (h.Era.Hash == release.RawBytes || h.Era.Hash == release.CutBytes):
		return []byte(h.Data[0])
	}
	return nil
}

// paths lists the paths, without duplicates and in the form of WithTag, at which two hashed
// documents differ under one of the Schemas. They also differ where the Schema of one document
// cannot read the other.
func (c *comparison) paths(before, after []byte) []string {
	found := map[string]bool{}
	for _, s := range c.open {
		changes, err := s.DiffRaw(before, after)
		for _, change := range changes {
			found[fieldpath.PatternOf(change.Path)] = true
		}
		for _, problem := range fault.All(err) {
			found[fieldpath.PatternOf(problem.Path)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
