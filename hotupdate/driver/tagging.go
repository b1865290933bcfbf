package driver

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// planTags plans the calls for the infrastructure tags of some kinds of resources.
func (u *update[T, C]) planTags(t *Tagging[T, C]) error {
	var problems []error
	var plans []tags.ResourcePlan
	for _, kind := range t.Kinds {
		live := map[string]map[string]string{}
		for _, r := range u.of(kind) {
			live[r.text()] = r.Tags
		}
		if len(live) > 0 {
			planned, err := t.Rules.Plan(u.state(t, kind), slices.Collect(maps.Keys(live)), live)
			problems, plans = append(problems, err), append(plans, planned...)
		}
	}
	for i := range plans {
		for _, key := range plans[i].Takeover {
			u.takeovers = append(u.takeovers, func(tell func(machineupdate.Resource, string)) { tell(u.named[plans[i].Resource].name(), key) })
		}
	}
	if t.Rules.Guard == tags.GuardVersion {
		u.replaceTags(t, plans)
	} else {
		u.changeTags(t, t.Rules.Batches(plans))
	}
	return errors.Join(problems...)
}

// state projects desired, applied and attempted parts by the same function, so that they can be compared.
func (u *update[T, C]) state(t *Tagging[T, C], kind tags.Kind) tags.State {
	projected := make([]map[string]string, 0, 4)
	for _, spec := range u.parts[string(kind)] {
		projected = append(projected, t.Project(spec, kind))
		u.hide(maps.Values(projected[len(projected)-1]))
	}
	s := tags.State{Desired: projected[0], Applied: projected[1], Attempted: projected[2:]}
	if t.Mandatory != nil {
		s.Mandatory = t.Mandatory(u.class, u.request.Machine)
	}
	return s
}

func (u *update[T, C]) replaceTags(t *Tagging[T, C], plans []tags.ResourcePlan) {
	for i := range plans {
		if len(plans[i].Set)+len(plans[i].Remove) > 0 {
			u.add("Replace", []string{plans[i].Resource}, func(ctx context.Context, of []*Resource) error {
				return t.Replace(ctx, u.cloud, of[0], plans[i].Apply(of[0].Tags))
			})
		}
	}
}

func (u *update[T, C]) changeTags(t *Tagging[T, C], batches []tags.Batch) {
	for _, batch := range batches {
		function, change, changed := "Set", t.Set, batch.Set
		if len(batch.Remove) > 0 {
			function, change, changed = "Remove", t.Remove, batch.Remove
		}
		u.add(function, batch.Resources, func(ctx context.Context, of []*Resource) error {
			ids := make([]string, len(of))
			for i, r := range of {
				ids[i] = r.ID
			}
			return change(ctx, u.cloud, ids, changed)
		})
	}
}
