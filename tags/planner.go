package tags

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// planner compares one State with the live infrastructure tags of one resource after the other.
// Keys are looked up by identity. It allocates only the plans and, where a cloud ignores case, the
// index of keys with capitals.
type planner struct {
	rules     *Rules
	recorded  []spec
	desired   spec
	mandatory spec
	wanted    int // number of identities in desired and mandatory
}

// infrastructureTags is where the errors of a plan are.
const infrastructureTags = "infrastructure tags"

// newPlanner appends the recorded specs to buffer.
func newPlanner(r *Rules, s *State, buffer []spec) planner {
	p := planner{rules: r, recorded: buffer, desired: r.spec(s.Desired), mandatory: r.spec(s.Mandatory)}
	for _, recorded := range s.Recorded {
		p.recorded = append(p.recorded, r.spec(recorded))
	}
	for range p.wantedKeys {
		p.wanted++
	}
	return p
}

// check returns the errors that do not depend on live: of the rules, else of desired and mandatory
// keys.
func (p *planner) check() error {
	if err := p.rules.check(); err != nil {
		return err
	}
	errs := p.keyErrors(nil)
	if len(errs) == 0 {
		return nil
	}
	var problems fault.List
	for _, err := range errs {
		problems.Add(&fault.Error{
			Kind: fault.Conflict, Code: "unusable-key", Where: infrastructureTags, Path: err.Field, What: err.Detail,
			Hint: "refuse it in admission, by Rules.Validate, or pass it as mandatory if it is",
		})
	}
	return problems.Err()
}

// wantedKeys yields each desired and mandatory key once. Mandatory keys hide desired ones.
func (p *planner) wantedKeys(yield func(id string, tag Tag) bool) {
	for id, key := range p.mandatory.ids {
		if !yield(id, Tag{Key: key, Value: p.mandatory.tags[key]}) {
			return
		}
	}
	for id, key := range p.desired.ids {
		if !p.mandatory.has(id) && !yield(id, Tag{Key: key, Value: p.desired.tags[key]}) {
			return
		}
	}
}

// wantedKey returns the spelling of a desired or mandatory key.
func (p *planner) wantedKey(id string) (string, bool) {
	if key, ok := p.mandatory.key(id); ok {
		return key, true
	}
	return p.desired.key(id)
}

// liveKey returns the spelling by which a key is planned on a resource: the wanted spelling if it
// is live, else that of [spec.key].
func (p *planner) liveKey(live *spec, id string) (string, bool) {
	if len(live.variants) > 0 {
		key, _ := p.wantedKey(id)
		if _, ok := live.tags[key]; ok {
			return key, true
		}
	}
	return live.key(id)
}

// planAll plans every resource once, sorted by ID.
func (p *planner) planAll(resources []string, live map[string]map[string]string) ([]ResourcePlan, error) {
	plans := make([]ResourcePlan, len(resources))
	for i, id := range resources {
		plans[i].Resource = id
	}
	slices.SortFunc(plans, func(a, b ResourcePlan) int { return strings.Compare(a.Resource, b.Resource) })
	plans = slices.CompactFunc(plans, func(a, b ResourcePlan) bool { return a.Resource == b.Resource })
	var problems []error
	for i := range plans {
		if err := p.plan(&plans[i], p.rules.spec(live[plans[i].Resource])); err != nil {
			problems = append(problems, err)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return plans, nil
}

func (p *planner) plan(plan *ResourcePlan, live spec) error {
	additions := p.planWanted(plan, &live)
	foreign := p.planRest(plan, &live)
	if additions > 0 && foreign+p.wanted > p.rules.MaxTags {
		return &fault.Error{
			Kind: fault.Limit, Code: "over-limit", Where: infrastructureTags, Path: plan.Resource,
			What: fmt.Sprintf("%d desired and mandatory and %d foreign keys exceed the limit of %d", p.wanted,
				foreign, p.rules.MaxTags),
			Hint: "want fewer keys, or remove foreign ones",
		}
	}
	plan.setFirst = foreign+len(plan.Remove)+p.wanted <= p.rules.MaxTags
	return nil
}

// planWanted fills in Set and Takeover, and returns how many wanted keys are not live.
func (p *planner) planWanted(plan *ResourcePlan, live *spec) (additions int) {
	for id, tag := range p.wantedKeys {
		if p.rules.KeysOnly {
			tag.Value = ""
		}
		key, isLive := p.liveKey(live, id)
		if !isLive {
			additions++
		} else {
			tag.Key = key
		}
		if isLive && p.same(live.tags[key], tag.Value) {
			continue
		}
		if isLive && !p.owned(id, live.tags[key]) {
			if plan.Takeover == nil {
				plan.Takeover = make([]string, 0, p.wanted)
			}
			plan.Takeover = append(plan.Takeover, key)
		}
		if plan.Set == nil {
			plan.Set = make([]Tag, 0, p.wanted)
		}
		plan.Set = append(plan.Set, tag)
	}
	plan.Set = sorted(plan.Set)
	slices.Sort(plan.Takeover)
	return additions
}

// planRest fills in Remove and returns how many foreign keys count towards the limit.
func (p *planner) planRest(plan *ResourcePlan, live *spec) (foreign int) {
	var remove []Tag
	for id := range live.ids {
		n := live.count(id)
		switch _, isWanted := p.wantedKey(id); {
		case isWanted:
			foreign += n - 1 // the other spellings
		case p.removable(live, id):
			if remove == nil {
				remove = make([]Tag, 0, len(live.tags))
			}
			remove = slices.AppendSeq(remove, live.spellings(id))
		case !slices.ContainsFunc(p.rules.uncounted, func(pattern string) bool { return matches(pattern, fold(id)) }):
			foreign += n
		}
	}
	plan.Remove = sorted(remove)
	return foreign
}

// removable reports whether a key that is not wanted is not reserved, and all of its live spellings
// are owned.
func (p *planner) removable(live *spec, id string) bool {
	owned := func(value string) bool { return p.owned(id, value) }
	if live.count(id) > 1 { // looking each spelling up among all recorded ones would take too long
		values := map[string]bool{}
		for i := range p.recorded {
			for tag := range p.recorded[i].spellings(id) {
				values[tag.Value] = true
			}
		}
		owned = func(value string) bool { return values[value] || p.rules.KeysOnly && len(values) > 0 }
	}
	for tag := range live.spellings(id) {
		if !owned(tag.Value) {
			return false
		}
	}
	why, _ := p.rules.reserved(id)
	return why == ""
}

// owned reports whether last-applied or an attempt has the key with this value.
func (p *planner) owned(id, value string) bool {
	for i := range p.recorded {
		for tag := range p.recorded[i].spellings(id) {
			if p.same(tag.Value, value) {
				return true
			}
		}
	}
	return false
}

// same compares values. Where keys have no values, it is always true.
func (p *planner) same(a, b string) bool { return p.rules.KeysOnly || a == b }

// sorted sorts in place, by key and then by value, and returns nil for an empty list.
func sorted(tags []Tag) []Tag {
	if len(tags) == 0 {
		return nil
	}
	slices.SortFunc(tags,
		func(a, b Tag) int { return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value)) })
	return tags
}
