package tags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// planner compares one State with the live infrastructure tags of one resource after the other. Keys are looked up by identity. Nothing is
// allocated but the plans, and the index of keys with capitals where a cloud ignores case.
type planner struct {
	rules     *Rules
	applied   spec
	attempted []map[string]string
	variants  [][]variant // of attempted; nil if none has any
	desired   spec
	mandatory spec
	wanted    int // identities in desired and mandatory
}

func newPlanner(r *Rules, s *State) planner {
	p := planner{
		rules: r, attempted: s.Attempted,
		applied: r.spec(s.Applied), desired: r.spec(s.Desired), mandatory: r.spec(s.Mandatory),
	}
	for i, attempt := range s.Attempted {
		if variants := r.spec(attempt).variants; variants != nil {
			if p.variants == nil {
				p.variants = make([][]variant, len(s.Attempted))
			}
			p.variants[i] = variants
		}
	}
	for range p.wantedKeys {
		p.wanted++
	}
	return p
}

// records returns how many recorded specs there are: last-applied and the attempts.
func (p *planner) records() int { return 1 + len(p.attempted) }

// record returns a recorded spec; the first one is last-applied.
func (p *planner) record(i int) spec {
	if i == 0 {
		return p.applied
	}
	s := spec{tags: p.attempted[i-1]}
	if p.variants != nil {
		s.variants = p.variants[i-1]
	}
	return s
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

// liveKey returns the spelling that stands for a key on a resource: the wanted one if it is live, else that of [spec.key].
func (p *planner) liveKey(live *spec, id string) (string, bool) {
	if len(live.variants) > 0 {
		if key, ok := p.wantedKey(id); ok {
			if _, ok := live.tags[key]; ok {
				return key, true
			}
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
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return plans, nil
}

// plan plans one resource.
func (p *planner) plan(plan *ResourcePlan, live spec) error {
	additions := p.planWanted(plan, &live)
	foreign := p.planRest(plan, &live)
	if additions > 0 && foreign+p.wanted > p.rules.MaxTags {
		return &fault.Error{
			Kind: fault.Limit, Code: "over-limit", Where: p.rules.Name, Path: plan.Resource,
			What: fmt.Sprintf("%d desired and mandatory and %d foreign keys exceed the limit of %d", p.wanted, foreign, p.rules.MaxTags),
			Hint: "want fewer keys, or remove foreign ones",
		}
	}
	// Removals of keys that live does not show count too: these may have landed since the read.
	if foreign+len(plan.Remove)+len(plan.Keep)+len(plan.Set) <= p.rules.MaxTags {
		plan.SetFirst = true
	}
	return nil
}

// planWanted fills in Set, Keep and Takeover, and returns how many wanted keys are not live. Set and Keep share one array: Set grows from its
// left, Keep from its right.
func (p *planner) planWanted(plan *ResourcePlan, live *spec) (additions int) {
	if p.wanted == 0 {
		return 0
	}
	tags := make([]Tag, p.wanted)
	set, keep, takeovers := 0, p.wanted, 0
	for id, tag := range p.wantedKeys {
		if p.rules.keysOnly {
			tag.Value = ""
		}
		key, isLive := p.liveKey(live, id)
		if !isLive {
			additions++
		} else {
			tag.Key = key
		}
		if isLive && p.same(live.tags[key], tag.Value) && !p.contested(id) {
			keep--
			tags[keep] = tag
			continue
		}
		if p.takesOver(live, id, tag) {
			takeovers++
		}
		tags[set] = tag
		set++
	}
	plan.Set, plan.Keep = sorted(tags[:set:set]), sorted(tags[keep:])
	plan.Takeover = p.takeovers(plan.Set, live, takeovers)
	return additions
}

func (p *planner) takeovers(set []Tag, live *spec, n int) []string {
	if n == 0 {
		return nil
	}
	keys := make([]string, 0, n)
	for _, tag := range set {
		if p.takesOver(live, p.rules.identity(tag.Key), tag) {
			keys = append(keys, tag.Key)
		}
	}
	return keys
}

// takesOver reports whether setting tag, spelled as it is live, loses the value of somebody else.
func (p *planner) takesOver(live *spec, id string, tag Tag) bool {
	value, isLive := live.tags[tag.Key]
	return isLive && !p.same(value, tag.Value) && !p.owned(id, value)
}

// planRest fills in Remove and returns how many foreign keys count towards the limit.
func (p *planner) planRest(plan *ResourcePlan, live *spec) (foreign int) {
	removals := p.unseen(live, nil)
	for id := range live.ids {
		n := live.count(id)
		switch _, isWanted := p.wantedKey(id); {
		case isWanted:
			foreign += n - 1 // spellings that do not stand for the key
		case p.removable(live, id):
			removals += n
		case !p.uncounted(id):
			foreign += n
		}
	}
	if removals == 0 {
		return foreign
	}
	remove := make([]Tag, 0, removals)
	for id := range live.ids {
		if _, isWanted := p.wantedKey(id); !isWanted && p.removable(live, id) {
			for tag := range live.spellings(id) {
				remove = append(remove, tag)
			}
		}
	}
	p.unseen(live, &remove)
	plan.Remove = slices.Compact(sorted(remove))
	return foreign
}

// removable reports whether a key that is not wanted is not reserved, and all of its live spellings are owned.
func (p *planner) removable(live *spec, id string) bool {
	for tag := range live.spellings(id) {
		if !p.owned(id, tag.Value) {
			return false
		}
	}
	return p.rules.reserved(id) == nil
}

// unseen appends to remove, if it is not nil, the owned values of contested keys that are not wanted, and returns their number.
//
// Live need not show them: an attempt may have landed after the read. But where live shows a foreign value the key is left alone, in case
// the driver forgets the condition.
func (p *planner) unseen(live *spec, remove *[]Tag) (n int) {
	if p.rules.Guard != GuardValue || len(p.attempted) == 0 {
		return 0
	}
	for i := range p.records() {
		recorded := p.record(i)
		for id, key := range recorded.all {
			if _, isWanted := p.wantedKey(id); isWanted || !p.contested(id) || !p.removable(live, id) {
				continue
			}
			n++
			if remove != nil {
				spelling, isLive := live.key(id)
				if !isLive {
					spelling = id
				}
				*remove = append(*remove, Tag{Key: spelling, Value: recorded.tags[key]})
			}
		}
	}
	return n
}

// owned reports whether last-applied or an attempt has the key with this value.
func (p *planner) owned(id, value string) bool {
	for i := range p.records() {
		recorded := p.record(i)
		for tag := range recorded.spellings(id) {
			if p.same(tag.Value, value) {
				return true
			}
		}
	}
	return false
}

// contested reports whether last-applied and any attempt differ on the key. A record with several spellings of it differs from all others.
func (p *planner) contested(id string) bool {
	if len(p.attempted) == 0 && len(p.applied.variants) == 0 {
		return false
	}
	value, isApplied := p.applied.get(id)
	for i := range p.records() {
		recorded := p.record(i)
		v, ok := recorded.get(id)
		if ok != isApplied || ok && !p.same(v, value) || recorded.count(id) > 1 {
			return true
		}
	}
	return false
}

// same compares values. Where keys have none, all are the same.
func (p *planner) same(a, b string) bool { return p.rules.keysOnly || a == b }

// uncounted reports whether a live key does not count towards the limit.
func (p *planner) uncounted(id string) bool {
	for _, prefix := range p.rules.uncounted {
		if hasPrefixFold(id, prefix) {
			return true
		}
	}
	return false
}

// sorted sorts in place, by key and then by value, and returns nil for nothing.
func sorted(tags []Tag) []Tag {
	if len(tags) == 0 {
		return nil
	}
	slices.SortFunc(tags, func(a, b Tag) int {
		if c := strings.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		return strings.Compare(a.Value, b.Value)
	})
	return tags
}
