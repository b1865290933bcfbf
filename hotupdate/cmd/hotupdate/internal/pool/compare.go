package pool

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Options say how pools are judged. The zero value knows no Schema, and assumes an extension that
// has adopted the library.
type Options struct {
	// Schema finds the Schema of a provider config. If it is nil or returns nil, every member of
	// the config is Immutable.
	Schema func(TypeMeta) *hotupdate.Schema
	// Strategy overrides the strategies of the pools, unless it is nil.
	Strategy *hotupdate.Strategy
	// Extension is the extension that receives the change, if its provider is one of the examples.
	Extension Extension
	// Naming says how pools are named. If it is nil, the example extension of the pool's provider
	// names them.
	Naming *Naming
	// Providers are the provider extensions that are known.
	Providers []Provider
	// CloudProfile says which machine images can be updated in place; nil if it is not known.
	CloudProfile *CloudProfile
	// Defaulted says that a defaulter may have changed one of the provider configs, see
	// [hotupdate.Change].Omitted.
	Defaulted bool
}

// Comparison says what a change does to the machines of one pool.
type Comparison struct {
	// Verdict is indeterminate if it depends on something unknown.
	Verdict Verdict
	// Strategy is the strategy that decides: the in-place strategy if only one of the pools has
	// one, else that of the new pool.
	Strategy hotupdate.Strategy
	// Changes are the differences: those of triggers and configs in the order of their paths, then
	// those without a class. Paths and pointers in the provider config begin with providerConfig
	// and /providerConfig. Omitted is set if an unknown default may remove the difference.
	Changes []Judged
	// Unknown lists the facts that the pools do not have. The comparison assumes that they are the
	// same in both.
	Unknown []Unknown
	// Rules are the rules that the verdict depends on beside the classes, by kind. They include the
	// rules of the changes that are not None.
	Rules []Rule
	// Unjudged lists the paths in the manifest of differences that this command does not know,
	// sorted.
	Unjudged []string
	// OldEra and NewEra are the eras in which the extension names the pool before and after the
	// change; empty if not known.
	OldEra, NewEra string
	// Either is set if the verdict depends on whether the extension has adopted the library, which
	// is not known.
	Either *Either
}

// Compare says what happens to the machines of a pool that changes from old to updated. The two may
// have different names.
//
//   - A trigger that is unknown in one of the pools counts as unchanged.
//   - A Kubernetes version, machine image or kubeReserved that only one side sets is indeterminate
//     if Gardener fills it in.
//   - If only the node-agent secret name changed, a fact that it covers and that no manifest shows
//     has changed: machines are replaced.
//   - If reservations are added up, only their sum counts.
//   - Another spelling of a volume's size or of an eviction threshold is a change: Gardener hashes
//     the text.
//
// All problems are joined, each a [*fault.Error].
func Compare(old, updated Pool, o Options) (Comparison, error) {
	if o.Extension == Both {
		return compareBoth(old, updated, o)
	}
	c := Comparison{Verdict: None}
	if old.Provider != updated.Provider {
		return c, located(updated.Worker.Name, "", &fault.Error{
			Kind: fault.Conflict, Code: "other-provider", What: "is of another provider than before",
			Hint: "compare pools of one provider",
		})
	}
	c.compareStrategies(&old, &updated, o)
	updated.keepImage(&old)
	updated.inherited = slices.DeleteFunc(slices.Clone(updated.inherited), func(path string) bool {
		return !slices.Contains(old.inherited, path)
	})
	provider := o.provider(&updated)
	c.Unknown = unknownOf(&old, &updated, provider.Name == "" || provider.HashesState)
	c.ruleIf(RuleOf("StrategyIsRollingUpdate"), updated.isBare() && o.Strategy == nil)
	changes, err := c.compareHashed(&old, &updated)
	configs, configErr := compareConfigs(&old, &updated, o)
	if err := updated.located(err, configErr); err != nil {
		return Comparison{}, err
	}
	j := &judgement{
		old: &old, updated: &updated, Options: o, strategy: c.Strategy, hashed: changes,
		keepsName: keepsName(&old, &updated, o),
	}
	judged, err := judgeConfigs(j, configs)
	if err != nil {
		return Comparison{}, err
	}
	c.Rules, c.OldEra, c.NewEra, c.Verdict = append(c.Rules, judged.Rules...), judged.OldEra,
		judged.NewEra, judged.Verdict
	c.Changes = j.judgeHashed()
	c.Changes = append(c.Changes, judged.Changes...)
	slices.SortStableFunc(c.Changes, func(a, b Judged) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.member(), b.member())*(1-a.rank()))
	})
	c.judge(j)
	return c, nil
}

// rank is 0 for a change with a class, and 1 for any other.
func (c *Judged) rank() int {
	if c.isRest {
		return 1
	}
	return 0
}

// member is the first name in the path.
func (c *Judged) member() string { return c.Path[:strings.IndexAny(c.Path+".", ".[")] }

// judge adds what each judgement finds, and finds the gravest verdict. No judgement knows another
// one.
func (c *Comparison) judge(j *judgement) {
	adds := func(k *hash.Kubelet) bool { return k != nil && k.SystemReserved != nil && k.SumReservations }
	c.ruleIf(RuleOf("ReservationsBySum"), adds(j.old.Worker.Kubelet) || adds(j.updated.Worker.Kubelet))
	c.ruleIf(RuleOf("ProxyModeChanged"), j.old.Worker.NodeLocalDNS == j.updated.Worker.NodeLocalDNS &&
		c.touches(nodeLocalDNSPath))
	if !j.updated.isBare() {
		for _, judge := range judgements {
			for _, found := range judge(j) {
				c.merge(found)
			}
		}
		c.compareRest(j)
	}
	c.finish(j.updated)
}

// finish finds the gravest verdict, and what decides it.
func (c *Comparison) finish(updated *Pool) {
	c.Verdict = max(c.Verdict, gravest(c.Changes))
	if len(c.Unjudged) > 0 {
		c.Verdict = max(c.Verdict, Indeterminate)
	}
	c.ruleIf(RuleOf("DriverAppliesInPlace"), slices.ContainsFunc(c.Changes, func(change Judged) bool {
		return change.Verdict == InPlaceUpdate && (updated.isBare() || isBelow(change.Pointer, pointerTo(configField)))
	}))
	for i := range c.Changes {
		change := &c.Changes[i]
		updated.nameOwn(&change.Change)
		c.ruleIf(change.Rule, change.Rule != NoRule && change.Verdict != None)
		change.Decides = c.Verdict != None && change.Verdict == c.Verdict
	}
	c.Rules = sorted(c.Rules)
}

// merge adds a finding. Of two findings about a field, the graver one counts. A finding without a
// path is about the pool.
func (c *Comparison) merge(found Judged) {
	if found.Path == "" {
		c.Rules, c.Verdict = append(c.Rules, found.Rule), max(c.Verdict, found.Verdict)
		return
	}
	i := slices.IndexFunc(c.Changes, func(change Judged) bool { return change.Pointer == found.Pointer })
	switch {
	case i < 0:
		c.Changes = append(c.Changes, found)
	case found.Verdict > c.Changes[i].Verdict:
		c.Changes[i].Verdict, c.Changes[i].Rule = found.Verdict, found.Rule
	}
}

// around returns the indexes of the changes at, above or below a pointer.
func (c *Comparison) around(pointer string) (places []int) {
	for i, change := range c.Changes {
		if isBelow(change.Pointer, pointer) || isBelow(pointer, change.Pointer) {
			places = append(places, i)
		}
	}
	return places
}

func (c *Comparison) touches(path string) bool { return len(c.around(pointerTo(path))) > 0 }

// set gives the changes at or below a path a verdict and its rule.
func (c *Comparison) set(path string, v Verdict, rule Rule) {
	for i := range c.Changes {
		if change := &c.Changes[i]; isBelow(change.Pointer, pointerTo(path)) {
			change.Verdict, change.Rule = v, rule
		}
	}
}

// pointerTo returns the pointer of a path of names without special characters, and of positions.
func pointerTo(path string) string {
	if path == "" {
		return ""
	}
	return "/" + asPointer.Replace(path)
}

var asPointer = strings.NewReplacer(".", "/", "[", "/", "]", "")

// isBelow reports whether a pointer is at or below another one.
func isBelow(pointer, above string) bool {
	return pointer == above || len(pointer) > len(above) && pointer[len(above)] == '/' && pointer[:len(above)] == above
}

func gravest(changes []Judged) Verdict {
	worst := None
	for _, change := range changes {
		worst = max(worst, change.Verdict)
	}
	return worst
}

func (c *Comparison) ruleIf(r Rule, applies bool) { //nolint:revive // the condition of the rule
	if applies {
		c.Rules = append(c.Rules, r)
	}
}

// Consequence says in a clause for people what the verdict means for the machines. It has the rules
// that refuse the change. Without such rules, or if a class decides as well, it has the text of
// [Verdict.Consequence].
func (c *Comparison) Consequence() string {
	if c.Either != nil {
		return c.Either.String()
	}
	var reasons []string
	for _, r := range c.Rules {
		if r.Kind == Refuses && c.Verdict == Forbidden {
			reasons = append(reasons, r.Text)
		}
	}
	byClass := func(change Judged) bool { return change.Decides && change.Rule == NoRule }
	if len(reasons) == 0 || slices.ContainsFunc(c.Changes, byClass) {
		reasons = append(reasons, c.Verdict.Consequence(c.Strategy))
	}
	return strings.Join(reasons, "; ")
}

// compareStrategies finds the strategy that decides. A change between the two in-place strategies
// is not a change of the triggers.
func (c *Comparison) compareStrategies(old, updated *Pool, o Options) {
	before, after := &old.Worker.UpdateStrategy, &updated.Worker.UpdateStrategy
	*before, *after = o.strategyOf(*old), o.strategyOf(*updated)
	c.Strategy = *after
	if inPlace(*before) == inPlace(*after) {
		*before = *after
	} else if inPlace(*before) {
		c.Strategy = *before
	}
}

func (o Options) strategyOf(p Pool) hotupdate.Strategy {
	if o.Strategy != nil {
		return *o.Strategy
	}
	return p.Worker.UpdateStrategy
}

func inPlace(s hotupdate.Strategy) bool {
	return s == hotupdate.AutoInPlaceUpdate || s == hotupdate.ManualInPlaceUpdate
}

// compareHashed compares the known hashed fields. The node-agent secret name is a change only if no
// certain change of another field explains it.
func (c *Comparison) compareHashed(old, updated *Pool) (hotupdate.Changes, error) {
	if updated.isBare() {
		return nil, nil
	}
	before, oldErr := old.hashedFields()
	after, newErr := updated.hashedFields()
	if err := errors.Join(oldErr, newErr); err != nil {
		return nil, err
	}
	namesCount := c.Strategy == hotupdate.AutoRollingUpdate && old.NodeAgentSecretName != nil &&
		updated.NodeAgentSecretName != nil
	if namesCount { // the names cover these unknown facts
		c.Unknown = slices.DeleteFunc(c.Unknown, func(u Unknown) bool {
			return u == UnknownCRI || u == UnknownNodeLocalDNS || u == UnknownCredentials
		})
	}
	changes := changedFields(before, after)
	changes = slices.DeleteFunc(changes,
		func(change hotupdate.Change) bool { return c.leavesOut(change, old, updated) })
	explained := false
	for i := range changes {
		change := &changes[i]
		change.Omitted = old.isDefaulted(change.Path) != updated.isDefaulted(change.Path)
		isApart := slices.Contains([]string{strategyPath, secretNamePath, encryptedPath}, change.Path) ||
			strings.HasPrefix(change.Path, dataVolumesField)
		explained = explained || !change.Omitted && !isApart
	}
	return slices.DeleteFunc(changes,
		func(change hotupdate.Change) bool { return change.Path == secretNamePath && (explained || !namesCount) }), nil
}

// leavesOut reports whether a change of a trigger does not count, because the trigger is unknown on
// one side, or because node-local DNS ceases to count only with the new Kubernetes minor.
func (c *Comparison) leavesOut(change hotupdate.Change, old, updated *Pool) bool {
	if change.Path == nodeLocalDNSPath && old.Worker.NodeLocalDNS == updated.Worker.NodeLocalDNS &&
		old.Worker.KubeProxyMode == updated.Worker.KubeProxyMode {
		return true
	}
	return slices.ContainsFunc(c.Unknown, func(u Unknown) bool {
		trigger := triggers[u]
		return trigger != "" && (change.Path == trigger || strings.HasPrefix(change.Path, trigger+"."))
	})
}

// located joins the problems of the pool and those of its provider config.
func (p *Pool) located(err, configErr error) error {
	if p.isBare() {
		return located("", "", configErr)
	}
	return errors.Join(located(p.Worker.Name, "", err), located(p.Worker.Name, configField, configErr))
}
