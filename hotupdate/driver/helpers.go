package driver

import (
	"context"

	"github.com/hotupdate/providerconfig/hotupdate/driver/internal/share"
	"github.com/hotupdate/providerconfig/tags"
)

// FlatTagging returns a Tagging with the usual projection. Flat returns the two shapes of
// infrastructure tags in a provider spec: one map for all kinds of resources, and one map for each
// kind, either of them may be nil. The map of the kind overrides the flat one.
//
// The extension writes the flat map, with pool labels in it. Its keys that [tags.Rules.MandatoryIn]
// returns are mandatory. Its keys that [tags.Rules.LeftAlone] returns are neither set nor removed, and
// the event HotUpdateNotApplied says so once for each version of a class. A user writes the map of the
// kind: a key of it that is reserved or mandatory is an error, and nothing is called.
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
		shapes: flat,
	}
}

// OneByOne returns a function for [Tagging].Set or Remove on a cloud that changes one infrastructure
// tag of one resource in a call. It makes the calls one after the other, and stops at the first
// error. The next update makes the rest. Each call draws from the buckets of [Sharing].
func OneByOne[C any](
	call func(ctx context.Context, cloud C, resource string, tag tags.Tag) error,
) func(ctx context.Context, cloud C, resources []string, all []tags.Tag) error {
	return func(ctx context.Context, cloud C, resources []string, all []tags.Tag) error {
		isFirst := true
		for _, resource := range resources {
			for _, tag := range all {
				if err := ctx.Err(); err != nil {
					return err
				}
				if !isFirst {
					share.SpendAgain(ctx)
				}
				isFirst = false
				if err := call(ctx, cloud, resource, tag); err != nil {
					return err
				}
			}
		}
		return nil
	}
}
