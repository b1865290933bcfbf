package tags

import (
	"errors"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// check returns what is wrong with desired and mandatory keys, whatever is live.
func (p *planner) check() error {
	if p.rules.MaxTags <= 0 {
		return &fault.Error{Kind: fault.Misuse, Code: "empty-rules", Where: p.rules.Name, What: "the rules allow no infrastructure tags", Hint: "take them from Cloud.Rules"}
	}
	problems := p.clashes(&p.mandatory, &spec{}, nil)
	problems = p.clashes(&p.desired, &p.mandatory, problems)
	clusters := 0
	for range p.rules.clusterKeys(&p.mandatory) {
		clusters++
	}
	if clusters > 1 {
		problems = append(problems, &fault.Error{
			Kind: fault.Conflict, Code: "second-cluster-key", Where: p.rules.Name,
			What: "mandatory keys name more than one cluster: " + quoteAll(slices.Sorted(p.rules.clusterKeys(&p.mandatory))),
			Hint: "pass the keys of the machine's own cluster only",
		})
	}
	return errors.Join(p.reservedKeys(problems)...)
}

// clashes reports keys that are one key to the cloud, unless a mandatory key hides them.
func (p *planner) clashes(s, hidden *spec, problems []error) []error {
	for _, v := range s.variants {
		other, _ := s.key(v.id)
		if other == v.key || hidden.has(v.id) { // the error is that of the other spellings
			continue
		}
		problems = append(problems, &fault.Error{
			Kind: fault.Conflict, Code: "key-clash", Where: p.rules.Name, Path: strconv.Quote(v.key),
			What: "is one key with " + strconv.Quote(other) + " to the cloud, as it ignores case",
			Hint: "keep one of them",
		})
	}
	return problems
}

// reservedKeys reports desired keys that are reserved and not mandatory, sorted.
func (p *planner) reservedKeys(problems []error) []error {
	var keys []string
	for id, key := range p.desired.all {
		if !p.mandatory.has(id) && p.rules.reserved(id) != nil {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		problems = append(problems, &fault.Error{
			Kind: fault.Conflict, Code: "reserved-key", Where: p.rules.Name, Path: strconv.Quote(key),
			What: p.rules.reserved(key).consequence(),
			Hint: anotherKey + ", or pass it as mandatory if it is",
		})
	}
	return problems
}
