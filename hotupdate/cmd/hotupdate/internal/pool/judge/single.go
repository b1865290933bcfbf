package judge

import (
	"errors"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// Added judges a new pool: its machines are created, unless the proposals or the extension refuse
// it. For a new bare provider config, the effect on its pools is unknown. The errors are those of [Options.Check].
func (r *Receiver) Added(p *facts.Pool) (Comparison, error) {
	stated := r.Stated(*p)
	mayDiffer := r.mayDiffer(&facts.Pool{}, &stated)
	return r.underBoth(mayDiffer, func(r *Receiver) (Comparison, error) { return r.added(&stated) })
}

// added judges a new pool by a release of the extension.
func (r *Receiver) added(p *facts.Pool) (Comparison, error) {
	strategy := p.Worker.UpdateStrategy
	configs, err := r.check(p)
	if r.Custom != nil {
		return r.Custom.added(strategy, r.Refused), err
	}
	added := Comparison{
		Strategy: strategy, Verdict: verdict.Added,
		Numbers: verdict.Numbers{AddedAtMost: p.Wanted().Maximum},
	}
	if p.IsReversed() {
		added.judge(verdict.Forbidden, verdict.MinimumAboveMaximum)
	}
	if p.Declared.InPlace() {
		added.judgeInPlace(p, r)
	}
	if p.IsBare() {
		added.ask(poolsQuestion)
	}
	added.judgeFields(p, r, configs)
	if added.Verdict == verdict.Forbidden { // regardless of the answers
		added.Questions = nil
		added.May = verdict.Set{}
	}
	added.Rules = verdict.Sorted(added.Rules)
	return added, err
}

// judgeInPlace judges whether a new pool may be updated in place.
func (c *Comparison) judgeInPlace(p *facts.Pool, r *Receiver) {
	isOn, isKnown := r.Landscape.FeatureGates["InPlaceNodeUpdates"].Value()
	switch {
	case !isKnown:
		c.judge(verdict.None, verdict.GateIsOn)
	case !isOn:
		c.judge(verdict.Forbidden, verdict.GateIsOff)
	}
	if v, rule := r.imageInPlace(hash.Image{}, r.CloudProfile.ImageOf(p)); v == verdict.Indeterminate {
		c.ask(imageQuestion(verdict.Added))
	} else if v != verdict.None {
		c.judge(v, rule)
	}
}

// Renamed judges a pool that gets another name: the machines of the old pool are deleted, and a new pool gets others,
// unless it is refused as a new pool.
func (r *Receiver) Renamed(old, updated facts.Pool) (Comparison, error) {
	renamed, err := r.Compare(old, updated)
	if err != nil {
		return Comparison{}, err
	}
	added, err := r.Added(&updated)
	renamed.withoutStaying()
	renamed.Verdict = ofRenamed(added.Verdict)
	renamed.May = added.May.As(ofRenamed)
	renamed.Adopted = nil
	if added.Adopted != nil {
		adopted := ofRenamed(*added.Adopted)
		renamed.Adopted = &adopted
	}
	for _, question := range added.Questions {
		renamed.Questions = append(renamed.Questions, question.As(ofRenamed))
		renamed.Rules = append(renamed.Rules, question.Rule)
	}
	for _, rule := range added.Rules {
		if rule.Kind == verdict.Refuses {
			renamed.Rules = append(renamed.Rules, rule)
		}
	}
	renamed.Rules = verdict.Sorted(renamed.Rules)
	return renamed, err
}

// withoutStaying removes from a comparison what its changes do to machines that stay, since none stays.
func (c *Comparison) withoutStaying() {
	c.Also = nil
	c.May = verdict.Set{}
	c.Questions = nil
	for i := range c.Changes {
		change := &c.Changes[i]
		if change.Verdict != verdict.None {
			change.Verdict = verdict.None
			change.Rule = verdict.NoRule
		}
		change.Question = verdict.Question{}
		change.Decides = false
	}
	c.Rules = slices.DeleteFunc(c.Rules, func(r verdict.Rule) bool {
		return r.Kind == verdict.Refuses || r.Kind == verdict.Decides
	})
}

// ofRenamed returns the verdict on a pool that gets another name, by the verdict on it as a new pool.
func ofRenamed(added verdict.Verdict) verdict.Verdict {
	if added == verdict.Added {
		return verdict.PoolRenamed
	}
	return added // it is refused, or not known to be admitted
}

// Gone judges a pool that only the old side has: its machines are deleted. For a removed bare
// provider config, the effect on its pools is unknown.
func (r *Receiver) Gone(p *facts.Pool) Comparison {
	strategy := r.Stated(*p).Worker.UpdateStrategy
	if r.Custom != nil {
		return r.Custom.removed(strategy)
	}
	gone := Comparison{Strategy: strategy, Verdict: verdict.Removed, HasNone: !p.IsBare() && p.IsEmpty()}
	if p.IsBare() {
		gone.Verdict = verdict.Indeterminate
		gone.Rules = []verdict.Rule{verdict.PoolsUnknown}
		gone.Questions = []verdict.Question{poolsQuestion}
	}
	return gone
}

// removed judges the removal of an object.
func (c *Custom) removed(strategy hotupdate.Strategy) Comparison {
	gone := Comparison{Strategy: strategy, Verdict: verdict.None}
	switch c.Removed {
	case RemovesMachines:
		gone.Verdict = verdict.Removed
	case RemovalBlocked:
		gone.judge(verdict.None, verdict.RemovalWaits)
	case RemovesNothing:
		gone.judge(verdict.None, verdict.RemovalIsFree)
	case RemovalUnknown:
		gone.ask(c.question(verdict.NoRemovalClass, verdict.Removed))
	}
	return gone
}

// added judges a new object, which the API server may refuse.
func (c *Custom) added(strategy hotupdate.Strategy, refused []verdict.Rule) Comparison {
	created := Comparison{Strategy: strategy, Verdict: verdict.None}
	for _, rule := range refused {
		created.judge(verdict.Forbidden, rule)
	}
	if len(refused) > 0 {
		return created
	}
	switch c.Removed {
	case RemovesMachines:
		created.Verdict = verdict.Added
	case RemovalBlocked, RemovesNothing:
	case RemovalUnknown:
		created.ask(c.question(verdict.NoAdditionClass, verdict.Added))
	}
	return created
}

// judge adds a verdict on a new pool.
func (c *Comparison) judge(v verdict.Verdict, rule verdict.Rule) {
	c.Verdict = max(c.Verdict, v)
	c.Rules = append(c.Rules, rule)
}

// ask adds a question about a new pool, which is added or refused.
func (c *Comparison) ask(question verdict.Question) {
	c.judge(verdict.Indeterminate, question.Rule)
	c.Questions = append(c.Questions, question)
	c.May = question.Becomes()
}

// judgeFields judges the fields in the config of a new pool that the extension refuses: those that today's release does
// not know, and those that a release which has adopted the library does not read yet.
func (c *Comparison) judgeFields(p *facts.Pool, r *Receiver, ofPool configs) {
	reads, isKnown := r.readsAll(p)
	isRead := reads || !slices.ContainsFunc(ofPool.changes, isUnread)
	switch {
	case len(r.newFields(p)) > 0:
		c.judge(verdict.Forbidden, verdict.NotReleased)
	case !r.hasAdopted(), p.IsBare(), isRead:
	case isKnown:
		c.judge(verdict.Forbidden, verdict.NotYetRead)
	default:
		c.ask(readQuestion(r.provider.ReadsFrom))
	}
}

// Check reports the errors of a pool, such as a provider config that its Schema cannot read.
func (o Options) Check(p *facts.Pool) error {
	_, err := o.receiverOf(p).check(p)
	return err
}

// check compares the config of a pool with none, and reports the errors of the pool.
func (r *Receiver) check(p *facts.Pool) (configs, error) {
	var err error
	if !p.IsBare() {
		err = p.CheckName()
	}
	compared, configErr := r.compareConfigs(&facts.Pool{}, p)
	return compared, errors.Join(err, configErr)
}

// RepeatedKeys returns a problem for each list element in the provider config of a pool that
// repeats the key of an earlier element.
func (o Options) RepeatedKeys(p *facts.Pool) fault.List {
	if !hasSeveral(p.Config.Tree()) { // saves reading most configs again
		return nil
	}
	schema, _ := o.schemaOf(p.Config)
	repeated := (*schemabridge.Schema)(schema).RepeatedKeys(p.Config.Raw())
	return fault.All(p.LocatedInConfig(repeated.Err()))
}

// hasSeveral reports whether a list in a value has several elements.
func hasSeveral(n *tree.Node) bool {
	for _, element := range n.Elements() {
		if n.Len() > 1 || hasSeveral(element) {
			return true
		}
	}
	for _, member := range n.Members() {
		if hasSeveral(member) {
			return true
		}
	}
	return false
}

// SetFields lists the fields of a pool that are set and decide about its machines: the changes from
// an empty pool.
func (o Options) SetFields(p *facts.Pool) (hotupdate.Changes, error) {
	none := facts.Pool{HasOwnKubelet: p.HasOwnKubelet}
	all := hotupdate.Changes{}
	var err error
	if p.IsBare() {
		none.Unknown = p.Unknown
	} else {
		var set facts.Changed
		set, err = facts.ChangedFields(nil, p, func(string) bool { return false })
		all = set.All()
	}
	for i := range all {
		if name := p.NameOwn(all[i].Path); name != all[i].Path {
			all[i].Path = name
			all[i].Pointer = facts.PointerTo(name)
		}
	}
	configs, configErr := o.receiverOf(p).compareConfigs(&none, p)
	for _, found := range configs.changes {
		all = append(all, found.Change)
	}
	return all, errors.Join(err, configErr)
}

// Describer returns a function that says what the values of fields of a pool mean, by the Schema of its
// provider config. The values of other fields have no further meaning.
func (o Options) Describer(p *facts.Pool) func(hotupdate.Change) schemabridge.Description {
	known, _ := o.schemaOf(p.Config)
	schema := (*schemabridge.Schema)(known)
	return func(c hotupdate.Change) schemabridge.Description {
		if p.IsBare() {
			return schema.Describe(c.Pointer)
		}
		pointer, isOfConfig := strings.CutPrefix(c.Pointer, "/"+fields.Config+"/")
		if !isOfConfig {
			return schemabridge.Description{}
		}
		return schema.Describe("/" + pointer)
	}
}
