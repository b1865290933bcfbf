// Package fakecloud is the cloud of tests and examples: resources with infrastructure tags, and the
// calls that change them. The semantics of a provider are data, the [tags.Rules] of each resource.
//
// What happens to a request on its way is up to each test: some enumerate it, some script it.
package fakecloud

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/tags"
)

// Resource is a resource with its infrastructure tags.
type Resource struct {
	Kind    tags.Kind
	ID      string
	Rules   tags.Rules
	Tags    map[string]string
	Version int // the number of changes
}

// Write replaces the infrastructure tags, as a change by any client does.
func (r *Resource) Write(all map[string]string) {
	r.Tags = all
	r.Version++
}

// ErrOutdated is the error of Replace with a version that is not the resource's.
var ErrOutdated = errors.New("the resource has another version")

// Replace writes all infrastructure tags at once. Clouds that take a version do so only if nothing
// has changed since that version was read.
func (r *Resource) Replace(version int, all map[string]string) error {
	if r.Rules.Guard != tags.Unguarded && version != r.Version {
		return ErrOutdated
	}
	if err := admit(&r.Rules, all); err != nil {
		return err
	}
	r.Write(maps.Clone(all))
	return nil
}

// Call is a call that sets or removes the same infrastructure tags on all resources that it names.
type Call struct {
	Set    []tags.Tag
	Remove []tags.Tag // the value is the condition, where the cloud takes one
	Keys   []string   // to remove without a condition
}

// Change carries out a call on all of the resources, or on none. All have the limits of the first.
func Change(call Call, of ...*Resource) error {
	if err := call.fit(of); err != nil {
		return err
	}
	after := make([]map[string]string, len(of))
	for i, r := range of {
		after[i] = call.on(r)
		if err := admit(&r.Rules, after[i]); err != nil {
			return err
		}
	}
	for i, r := range of {
		r.Write(after[i])
	}
	return nil
}

// ChangeIn carries out a call on resources with these rules. Live has infrastructure tags by the ID
// of the resource.
func ChangeIn(live map[string]map[string]string, rules tags.Rules, call Call, ids ...string) error {
	of := make([]*Resource, len(ids))
	for i, id := range ids {
		own, ok := live[id]
		if !ok {
			return fmt.Errorf("there is no %s", id)
		}
		of[i] = &Resource{ID: id, Rules: rules, Tags: own}
	}
	err := Change(call, of...)
	for _, r := range of {
		live[r.ID] = r.Tags
	}
	return err
}

// fit returns an error if the cloud does not take all of the call at once. Only Batches knows the
// limit of removals.
func (c *Call) fit(of []*Resource) error {
	plan := tags.ResourcePlan{Set: slices.Clone(c.Set), Remove: slices.Clone(c.Remove)}
	for _, key := range c.Keys {
		plan.Remove = append(plan.Remove, tags.Tag{Key: key})
	}
	for _, all := range [][]tags.Tag{plan.Set, plan.Remove} {
		slices.SortFunc(all, func(a, b tags.Tag) int { return strings.Compare(a.Key, b.Key) })
	}
	if len(of) > 0 {
		rules := &of[0].Rules
		isSmall := len(of) <= max(rules.ResourcesPerCall, 1) &&
			len(plan.Set)+len(plan.Remove) <= max(rules.TagsPerCall, 1)
		if isSmall && len(rules.Batches(slices.Repeat([]tags.ResourcePlan{plan}, len(of)))) == 1 {
			return nil
		}
	}
	return errors.New("one call takes some resources and keys, or fewer of them, and no key twice")
}

// on returns the infrastructure tags of a resource after the call. Keys keep their live spelling.
func (c *Call) on(r *Resource) map[string]string {
	all := map[string]string{}
	maps.Copy(all, r.Tags)
	for _, tag := range c.Set {
		key, _ := Find(&r.Rules, all, tag.Key)
		all[key] = tag.Value
	}
	for _, tag := range c.Remove {
		maps.DeleteFunc(all, func(key, value string) bool {
			return isOne(&r.Rules, key, tag.Key) && (r.Rules.Guard != tags.GuardValue || value == tag.Value)
		})
	}
	for _, removed := range c.Keys {
		maps.DeleteFunc(all, func(key, _ string) bool { return isOne(&r.Rules, key, removed) })
	}
	return all
}

// admit returns an error if the cloud does not take the infrastructure tags. It takes those that are
// forbidden to users.
func admit(rules *tags.Rules, all map[string]string) error {
	for _, problem := range rules.Validate(all, nil, field.NewPath("tags")) {
		if problem.Type != field.ErrorTypeForbidden {
			return fmt.Errorf("the cloud refuses infrastructure tags: %w", problem)
		}
	}
	return nil
}

// Identity returns the text that is equal for the spellings of one key.
func Identity(rules *tags.Rules, key string) string {
	if rules.IgnoresCase {
		return strings.ToLower(key)
	}
	return key
}

func isOne(rules *tags.Rules, key, other string) bool {
	return Identity(rules, key) == Identity(rules, other)
}

// Find returns the spelling of a key among infrastructure tags, or the key itself if it is not
// there.
func Find(rules *tags.Rules, all map[string]string, key string) (spelling string, ok bool) {
	if _, ok := all[key]; ok {
		return key, true
	}
	for spelling = range all {
		if isOne(rules, spelling, key) {
			return spelling, true
		}
	}
	return key, false
}
