package tags

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// planner compares one PlanInput with the live infrastructure tags of one resource after the other.
// Keys are looked up by identity.
type planner struct {
	rules              *Rules
	state              *PlanInput
	owned              map[Tag]bool // the recorded tags, with the identities of their keys
	applied            spec
	desired, mandatory spec
	wanted             map[string]Tag // desired and mandatory ones
}

// infrastructureTags is where the errors of a plan are.
const infrastructureTags = "infrastructure tags"

func newPlanner(r *Rules, s *PlanInput) *planner {
	p := &planner{
		rules: r, state: s, owned: map[Tag]bool{}, wanted: map[string]Tag{},
		applied: r.spec(s.Applied), desired: r.spec(s.Desired), mandatory: r.spec(s.Mandatory),
	}
	for _, recorded := range s.Recorded {
		for key, value := range recorded {
			p.owned[Tag{r.identity(key), r.value(value)}] = true
		}
	}
	for _, layer := range []spec{p.desired, p.mandatory} { // mandatory keys hide desired ones
		for id, spellings := range layer {
			p.wanted[id] = spellings[0]
		}
	}
	return p
}

// check returns the errors that do not depend on live: errors in the rules, or if there are none,
// errors in the desired and mandatory keys.
func (p *planner) check() error {
	if err := p.rules.check(); err != nil {
		return err
	}
	var problems fault.List
	for _, err := range p.keyErrors(nil) {
		problems.Add(&fault.Error{
			Kind: fault.Conflict, Code: "unusable-key", Where: infrastructureTags, Path: err.Field, What: err.Detail,
			Hint: "refuse it in admission, by Rules.Validate, or pass it as mandatory if it is",
		})
	}
	return problems.Err()
}

// planAll plans every resource once, sorted by ID.
func (p *planner) planAll(resources []string, live map[string]map[string]string) ([]ResourcePlan, error) {
	plans := make([]ResourcePlan, 0, len(resources))
	var problems []error
	for _, id := range slices.Compact(slices.Sorted(slices.Values(resources))) {
		plan := ResourcePlan{Resource: id}
		problems = append(problems, p.plan(&plan, p.rules.spec(live[id])))
		plans = append(plans, plan)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return plans, nil
}

func (p *planner) plan(plan *ResourcePlan, live spec) error {
	additions := p.planWanted(plan, live)
	foreign := p.planRest(plan, live)
	wanted := len(p.wanted)
	if additions > 0 && foreign+wanted > p.rules.MaxTags {
		const what = "%d desired and mandatory and %d foreign keys exceed the limit of %d"
		return &fault.Error{
			Kind: fault.Invalid, Code: "over-limit", Where: infrastructureTags, Path: plan.Resource,
			What: fmt.Sprintf(what, wanted, foreign, p.rules.MaxTags),
			Hint: "reduce the desired tags, or remove others' tags",
		}
	}
	plan.setFirst = foreign+len(plan.Remove)+wanted <= p.rules.MaxTags
	return nil
}

// planWanted fills in everything but Remove, and returns how many wanted keys are not live.
func (p *planner) planWanted(plan *ResourcePlan, live spec) (additions int) {
	for id, tag := range p.wanted {
		tag.Value = p.rules.value(tag.Value)
		if spellings := live[id]; len(spellings) > 0 {
			p.planLive(plan, id, tag, spellings)
		} else {
			additions++
			plan.Set = append(plan.Set, tag)
		}
	}
	plan.Set = sorted(plan.Set)
	slices.Sort(plan.Takeover)
	slices.Sort(plan.Rewritten)
	slices.Sort(plan.Kept)
	return additions
}

// planLive plans a wanted key that is live. A key keeps its live spelling: the wanted spelling if
// that is also live.
func (p *planner) planLive(plan *ResourcePlan, id string, tag Tag, spellings []Tag) {
	at := slices.IndexFunc(spellings, func(l Tag) bool { return l.Key == tag.Key })
	found := spellings[max(at, 0)]
	tag.Key = found.Key
	if p.rules.value(found.Value) == tag.Value {
		return
	}
	isApplied := slices.ContainsFunc(p.applied[id], func(a Tag) bool { return p.rules.value(a.Value) == tag.Value })
	if p.isLeft(id) {
		if !isApplied {
			plan.Kept = append(plan.Kept, tag.Key)
		}
		return
	}
	if !p.isOwned(id, found.Value) {
		plan.Takeover = append(plan.Takeover, tag.Key)
		if isApplied {
			plan.Rewritten = append(plan.Rewritten, tag.Key)
		}
	}
	plan.Set = append(plan.Set, tag)
}

// isLeft reports whether the value of a desired key is left to others. Mandatory keys never are.
func (p *planner) isLeft(id string) bool {
	isNamed := func(pattern string) bool { return p.rules.names(pattern, id) }
	return p.mandatory[id] == nil && slices.ContainsFunc(p.rules.AnyValue, isNamed)
}

// planRest fills in Remove and returns how many foreign keys count towards the limit.
func (p *planner) planRest(plan *ResourcePlan, live spec) (foreign int) {
	for id, spellings := range live {
		switch _, isWanted := p.wanted[id]; {
		case isWanted:
			foreign += len(spellings) - 1 // the other ones
		case p.isRemovable(id, spellings):
			plan.Remove = append(plan.Remove, spellings...)
		case !slices.ContainsFunc(p.rules.uncounted, func(pattern string) bool { return matches(pattern, fold(id)) }):
			foreign += len(spellings)
		}
	}
	plan.Remove = sorted(plan.Remove)
	return foreign
}

// isRemovable reports whether a key that is not wanted is not reserved, and all of its live
// spellings are owned.
func (p *planner) isRemovable(id string, spellings []Tag) bool {
	for _, tag := range spellings {
		if !p.isOwned(id, tag.Value) {
			return false
		}
	}
	why, _ := p.rules.reserved(id)
	return why == ""
}

// isOwned reports whether last-applied or an attempt has the key with this value.
func (p *planner) isOwned(id, value string) bool { return p.owned[Tag{id, p.rules.value(value)}] }

// sorted sorts in place, by key and then by value.
func sorted(tags []Tag) []Tag {
	slices.SortFunc(tags,
		func(a, b Tag) int { return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value)) })
	return tags
}
