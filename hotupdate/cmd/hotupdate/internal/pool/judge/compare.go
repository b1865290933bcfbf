package judge

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// Comparison says what a change does to the machines of one pool.
type Comparison struct {
	// Verdict is the gravest verdict. It is indeterminate if it depends on something unknown.
	Verdict verdict.Verdict
	// May has the verdicts that can come true for the machines that stay. If a deciding fact is
	// unknown, it may have graver verdicts than Verdict. If it is empty, only Verdict can come
	// true.
	May verdict.Set
	// Questions are the unknown facts on which the verdict depends.
	Questions []verdict.Question
	// Also has a second verdict, because a change can both change the number of machines and touch
	// the machines that stay. It has at most one verdict, never None, and none for a refused
	// change.
	Also []verdict.Verdict
	// Numbers count the machines that are added and deleted, if their number changes.
	Numbers verdict.Numbers
	// Strategy is the strategy that decides: the in-place strategy if only one of the pools has
	// one, else the strategy of the new pool.
	Strategy hotupdate.Strategy
	// Changes are the differences: those of hashed fields and configs in the order of their paths,
	// then those without a class. Paths and pointers in the provider config begin with providerConfig
	// and /providerConfig. Omitted is set if an unknown default may remove the difference.
	Changes []Finding
	// Unknown lists the facts that the pools do not have. The comparison assumes that they are the
	// same in both.
	Unknown []facts.Unknown
	// Rules are the rules that the verdict depends on beside the classes, by kind. They include the
	// rules of the changes that are not None.
	Rules []verdict.Rule
	// Unjudged lists the paths in the manifest of differences that this command does not know,
	// sorted.
	Unjudged []string
	// OldEra and NewEra are the eras in which the extension names the pool before and after the
	// change; empty if not known.
	OldEra, NewEra string
	// Adopted is the verdict once the extension has adopted the library, if that is not known and the
	// verdict is another one.
	Adopted *verdict.Verdict
	// Key says whether Gardener's own part of the pool's name stays the same.
	Key Key
	// HasNone says that the pool has no machines that a change could replace or update, and
	// MayHaveNone that this is not known.
	HasNone, MayHaveNone bool
}

// Compare says what happens to the machines of a pool that changes from old to updated. The two may
// have different names.
//
//   - A hashed field that is unknown in one of the pools counts as unchanged.
//   - Values that Gardener fills in count as if the manifest had them. If they depend on an unknown
//     fact, and the fact decides, the verdict is indeterminate and names the fact.
//   - If only the node-agent secret name changed, a fact that it covers and that no manifest shows
//     has changed: machines are replaced.
//   - If reservations are added up, only their sum counts.
//   - Another spelling of a volume's size or of an eviction threshold is a change: Gardener hashes
//     the text.
//
// All problems are joined, each a [*fault.Error].
func (r *Receiver) Compare(old, updated facts.Pool) (Comparison, error) {
	old = r.Stated(old)
	updated = r.Stated(updated)
	c := change{&old, &updated, facts.ReadingsOf(old, updated, r.knownFacts())}
	return r.underBoth(r.mayDiffer(&old, &updated), c.under)
}

// knownFacts returns the facts that are known in addition to the manifests.
func (o Options) knownFacts() facts.Given {
	given := facts.Given{CloudProfile: o.CloudProfile, Landscape: o.Landscape}
	if len(o.Ways) == 1 {
		given.Way = verdict.Known(o.Ways[0].By, "--apply")
	}
	return given
}

// compareReading compares a pool as Gardener stores it.
func compareReading(reading facts.Reading, r *Receiver) (Comparison, error) {
	if err := r.CheckInterrupted(); err != nil {
		return Comparison{}, err
	}
	p, err := newPair(reading, r)
	if err != nil {
		return Comparison{}, err
	}
	key, err := p.key()
	if err != nil {
		return Comparison{}, err
	}
	findings, err := p.findings()
	if err != nil {
		return Comparison{}, err
	}
	concluded := p.conclude(findings)
	concluded.Key = key
	concluded.HasNone = p.hasNone()
	concluded.MayHaveNone = p.old.MayStillRun()
	return concluded, r.CheckInterrupted()
}

// findings returns the findings of all judgements.
func (p *pair) findings() ([]Finding, error) {
	if err := p.CheckInterrupted(); err != nil {
		return nil, err
	}
	findings := slices.Concat(p.judgeTriggers(), p.judgeConfigs())
	slices.SortStableFunc(findings, byMember)
	findings = append(findings, p.refused()...)
	if !p.updated.IsBare() {
		for _, judge := range judgements {
			findings = append(findings, judge(p)...)
		}
	}
	return findings, p.CheckInterrupted()
}

// byMember orders findings with a class by the first name in their paths, and puts all others behind
// them.
func byMember(a, b Finding) int {
	switch {
	case a.hasClass && b.hasClass:
		return cmp.Compare(Member(a.Change), Member(b.Change))
	case a.hasClass:
		return -1
	case b.hasClass:
		return 1
	}
	return 0
}

// pair has the facts about a pool on both sides that judgements share, and no verdict.
type pair struct {
	*Receiver

	old, updated *facts.Pool
	strategy     hotupdate.Strategy
	unknown      []facts.Unknown
	triggers     hotupdate.Changes // of hashed fields
	configs      configs
	names        names
}

func newPair(reading facts.Reading, r *Receiver) (*pair, error) {
	p := &pair{Receiver: r, old: &reading.Old, updated: &reading.Updated}
	p.strategy = setStrategies(p.old, p.updated)
	p.unknown = p.unknownFacts()
	var err, configErr error
	if !p.updated.IsBare() {
		p.triggers, err = p.compareTriggers()
	}
	p.configs, configErr = r.compareConfigs(p.old, p.updated)
	if err := errors.Join(err, configErr); err != nil {
		return nil, err
	}
	p.showAsWritten()
	p.names, err = r.namesOf(p.old, p.updated)
	return p, err
}

// setStrategies sets the strategies by which both pools are judged, and returns the deciding strategy.
// A change between the two in-place strategies is not a change of the triggers.
func setStrategies(old, updated *facts.Pool) hotupdate.Strategy {
	before := old.Worker.UpdateStrategy
	after := updated.Worker.UpdateStrategy
	decides := after
	switch {
	case before.InPlace() == after.InPlace():
		before = after
	case before.InPlace():
		decides = before
	}
	old.Worker.UpdateStrategy = before
	updated.Worker.UpdateStrategy = after
	return decides
}

// unknownFacts returns the facts that are unknown in the comparison, each once, sorted.
func (p *pair) unknownFacts() []facts.Unknown {
	if p.old.IsBare() {
		return p.old.Unknown
	}
	all := slices.Concat(p.old.Unknown, p.updated.Unknown)
	if p.old.Worker.KubernetesVersion == "" && p.updated.Worker.KubernetesVersion == "" {
		all = append(all, facts.KubernetesVersion)
	}
	if facts.ImageOf(p.old.Worker).Version == "" && facts.ImageOf(p.updated.Worker).Version == "" {
		all = append(all, facts.MachineImageVersion)
	}
	if p.provider.Name == "" || p.lacksState() {
		all = append(all, facts.ProviderState)
	}
	if p.secretNamesCount() { // they cover these unknown facts
		all = slices.DeleteFunc(all, func(u facts.Unknown) bool {
			return u == facts.ContainerRuntime || u == facts.NodeLocalDNS || u == facts.Credentials
		})
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// secretNamesCount reports whether both pools have a node-agent secret name that is hashed.
func (p *pair) secretNamesCount() bool {
	return p.strategy == hotupdate.AutoRollingUpdate && p.old.NodeAgentSecretName != nil &&
		p.updated.NodeAgentSecretName != nil
}

// ofClass returns the verdict on a change by its class. It is indeterminate if an unknown default
// may remove the change.
func (p *pair) ofClass(change hotupdate.Change) verdict.Verdict {
	v := verdict.OfClass(change.Class, p.strategy)
	if change.Omitted && v != verdict.None {
		return verdict.Indeterminate
	}
	return v
}

// conclude merges the findings with the findings about fields that no name depends on, and
// determines the gravest verdict and its causes.
func (p *pair) conclude(findings []Finding) Comparison {
	c := conclusion{places: map[string][]int{}, Comparison: Comparison{
		Verdict: verdict.None, Strategy: p.strategy, Unknown: p.unknown,
		OldEra: p.names.oldEra, NewEra: p.names.updatedEra,
		Rules: p.remarks(),
	}}
	c.Numbers, _ = p.numbers()
	for _, found := range findings {
		c.merge(p.onMachines(p.asked(p.doubted(p.withoutMachines(p.withdrawn(found))))))
	}
	if !p.updated.IsBare() {
		c.mergeRest(p)
	}
	c.finish(p)
	return c.Comparison
}

// conclusion is a comparison while findings are merged into it.
type conclusion struct {
	Comparison

	places map[string][]int // of the changes, by their pointers
}

// withdrawn takes the verdict Roll back if the pool keeps its name: Gardener and the extensions hash
// values without the names of their fields, so changes can cancel out.
func (p *pair) withdrawn(found Finding) Finding {
	switch {
	case found.Verdict != verdict.Roll || !found.isNamed || !p.names.stay():
	case found.Class == hotupdate.Hot && p.Extension != Released:
		found.Verdict = verdict.HotUpdate
		found.Rule = verdict.NoRule
	default:
		found.Verdict = verdict.None
		found.Rule = verdict.NameStays
	}
	return found
}

// doubted makes a finding indeterminate if it depends on a member that is probably misspelled.
func (p *pair) doubted(found Finding) Finding {
	if found.Path == "" {
		return found
	}
	return doubtedBy(found, p.updated.NameOwn(found.Path), slices.Concat(p.old.Doubted, p.updated.Doubted))
}

// merge adds a finding. Of two findings about a field, the graver one counts. A finding without a
// path is about the pool.
func (c *conclusion) merge(found Finding) {
	c.add(&found)
	if found.Question.Asks() && found.Verdict == verdict.Indeterminate {
		c.Questions = append(c.Questions, found.Question)
	}
	if found.Path == "" {
		c.Rules = append(c.Rules, found.Rule)
		return
	}
	known := c.places[found.Pointer]
	i := slices.IndexFunc(known, func(i int) bool { return !c.Changes[i].isBeside(&found) })
	switch {
	case i < 0:
		c.places[found.Pointer] = append(known, len(c.Changes))
		c.Changes = append(c.Changes, found)
	case found.Verdict > c.Changes[known[i]].Verdict:
		c.Changes[known[i]].Verdict = found.Verdict
		c.Changes[known[i]].Rule = found.Rule
	}
}

// isBeside reports whether two findings with one pointer are about two changes under a Schema: an element is removed
// from a set or a keyed list, where its pointer leads into the old list, and another is added, or the pointers stop
// before sensitive keys.
func (f *Finding) isBeside(other *Finding) bool {
	return f.hasClass && other.hasClass && f.Change != other.Change
}

// mergeRest adds the findings about the rest of the fields. If a field is left to judgements and
// none of them has a finding about it, its value is the same.
func (c *conclusion) mergeRest(p *pair) {
	r := p.judgeRest()
	told := placesOf(c.Changes)
	for _, d := range r.elsewhere {
		if !told.touches(pointerInShoot(d)) {
			c.merge(about(d, verdict.None, sameValue(d)))
		}
	}
	for _, found := range r.findings {
		c.merge(p.asked(p.doubted(found)))
	}
	c.Unjudged = append(c.Unjudged, r.unjudged...)
}

// sameValue is the reason why a difference of a field that Gardener reads has no effect.
func sameValue(d tree.Difference) verdict.Rule {
	path := joined(d.Path)
	switch {
	case strings.HasPrefix(path, fields.KubeReserved), strings.HasPrefix(path, fields.SystemReserved):
		return verdict.ReservationsStay
	case d.Old == nil || d.New == nil:
		return verdict.AsLeftOut
	}
	return verdict.SameMeaning
}

// finish determines the gravest verdict and its causes.
func (c *Comparison) finish(p *pair) {
	if len(c.Unjudged) > 0 {
		c.Raise(verdict.Indeterminate)
		c.May = c.May.And(verdict.Any())
	}
	c.decide()
	for i := range c.Changes {
		change := &c.Changes[i]
		if name := p.updated.NameOwn(change.Path); name != change.Path {
			change.Path = name
			change.Pointer = facts.PointerTo(name)
		}
		if change.Rule != verdict.NoRule && change.Verdict != verdict.None {
			c.Rules = append(c.Rules, change.Rule)
		}
		change.Decides = c.has(change.Verdict)
		if change.Verdict == verdict.InPlaceUpdate && p.isOfConfig(change) {
			c.Rules = append(c.Rules, verdict.DriverAppliesInPlace)
		}
	}
	if c.Verdict == verdict.Forbidden { // no node is updated
		c.Rules = slices.DeleteFunc(c.Rules, func(r verdict.Rule) bool { return r == verdict.SurgeReplaces })
	}
	c.Rules = verdict.Sorted(c.Rules)
}

// isOfConfig reports whether a change is a change of the provider config.
func (p *pair) isOfConfig(change *Finding) bool {
	return isBelow(change.Pointer, p.updated.ConfigPointer())
}

// Consequence says in a clause for people what the verdict, and the second verdict in Also, mean
// for the machines. It has the rules that refuse the change. Without such rules, or if a class also
// decides, it has the text of [verdict.Verdict.Consequence], with the numbers of machines if they
// change. An indeterminate verdict lists what it can become.
func (c *Comparison) Consequence() string {
	var reasons []string
	for _, r := range c.Rules {
		if r.Kind == verdict.Refuses && c.Verdict == verdict.Forbidden {
			reasons = append(reasons, r.Text)
		}
	}
	byClass := func(change Finding) bool { return change.Decides && change.Rule == verdict.NoRule }
	if len(reasons) == 0 || slices.ContainsFunc(c.Changes, byClass) {
		reasons = append(reasons, c.consequenceOf(c.Verdict))
		for _, v := range c.Also {
			reasons = append(reasons, "also "+c.consequenceOf(v))
		}
	}
	return strings.Join(reasons, "; ")
}

func (c *Comparison) consequenceOf(v verdict.Verdict) string {
	isListed := c.May.IsBounded() && !c.May.IsEmpty()
	switch {
	case v == verdict.Indeterminate && isListed:
		return "the known facts do not decide: " + c.May.String()
	case v == verdict.Removed && c.HasNone:
		return "the pool is removed, and has no machines"
	case v.IsOfNumber() && len(c.Also) > 0:
		return c.Numbers.Beside(v)
	case v.IsOfNumber():
		return c.Numbers.Consequence(v)
	}
	return v.Consequence(c.Strategy)
}
