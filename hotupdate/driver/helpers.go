package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/tags"
)

// FlatTagging returns a Tagging with the usual projection. Flat returns the two shapes of
// infrastructure tags in a provider spec: one map for all kinds of resources, and one map for each
// kind, either of them may be nil. The map of the kind overrides the flat one. The keys by which MCM
// finds the machine are in the flat map, and nothing overrides them.
//
// The caller sets Set and Remove, or Replace. A driver that sets further keys itself replaces
// Mandatory.
func FlatTagging[T, C any](
	rules tags.Rules, kinds []tags.Kind, flat func(spec *T) (all map[string]string, perKind *tags.Tags),
) Tagging[T, C] {
	return Tagging[T, C]{
		Kinds: kinds, Rules: rules,
		Project: func(spec *T, kind tags.Kind) map[string]string {
			all, perKind := flat(spec)
			return rules.Effective(all, perKind.Of(kind), rules.MandatoryIn(all))
		},
		Mandatory: func(class *T, _ string) map[string]string {
			all, _ := flat(class)
			return rules.MandatoryIn(all)
		},
	}
}

// OneByOne returns a function for [Tagging].Set or Remove on a cloud that changes one infrastructure
// tag of one resource in a call. It makes the calls one after the other, and stops at the first
// error. The next update makes the rest.
func OneByOne[C any](
	call func(ctx context.Context, cloud C, resource string, tag tags.Tag) error,
) func(ctx context.Context, cloud C, resources []string, all []tags.Tag) error {
	return func(ctx context.Context, cloud C, resources []string, all []tags.Tag) error {
		for _, resource := range resources {
			for _, tag := range all {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := call(ctx, cloud, resource, tag); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// SetValue returns the value of an attribute that is a set, such as the security groups of a VM:
// a JSON list of its members, sorted and without repetition. The empty set is [], which differs from
// an attribute that is unset.
func SetValue(members []string) string {
	ordered := slices.Compact(slices.Sorted(slices.Values(members)))
	text, _ := json.Marshal(append([]string{}, ordered...)) // strings are always valid
	return string(text)
}

// ChangeSet makes the live members of a set equal to a value of [SetValue], for Modify of an
// [AttributeGroup]. It calls add for each member that is missing, in their order, and then remove for
// each that has to go, so that the set is never empty meanwhile. It stops at the first error. Live is
// read right before, since an earlier attempt may have made a part of the change. A member for which
// isOwn returns false belongs to others, and stays.
//
// The error comes from a call, or is a [*fault.Error] with the code malformed-set.
func ChangeSet(
	value string, live []string, isOwn func(member string) bool, add, remove func(member string) error,
) error {
	var wanted []string
	if err := json.Unmarshal([]byte(value), &wanted); err != nil {
		return &fault.Error{
			Kind: fault.Malformed, Code: "malformed-set", Where: "driver.ChangeSet",
			What: fmt.Sprintf("a value of %d bytes is not a list of texts", len(value)),
			Hint: "use SetValue in Project",
		}
	}
	for _, member := range wanted {
		if !slices.Contains(live, member) {
			if err := add(member); err != nil {
				return err
			}
		}
	}
	for _, member := range live {
		if isOwn(member) && !slices.Contains(wanted, member) {
			if err := remove(member); err != nil {
				return err
			}
		}
	}
	return nil
}
