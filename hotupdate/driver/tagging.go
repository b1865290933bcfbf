package driver

import (
	"context"
	"errors"
	"maps"

	"github.com/hotupdate/providerconfig/tags"
)

// planTags says what to call for the infrastructure tags of some kinds of resources.
func (u *update[T, C]) planTags(t *Tagging[T, C]) error {
	var problems []error
	var plans []tags.ResourcePlan
	resources, live := map[string]*Resource{}, map[string]map[string]string{}
	for _, kind := range t.Kinds {
		var ids []string
		for _, r := range u.of(kind) {
			resources[r.ID], live[r.ID] = r, r.Tags
			ids = append(ids, r.ID)
		}
		if len(ids) > 0 {
			planned, err := t.Rules.Plan(u.state(t, kind), ids, live)
			problems, plans = append(problems, err), append(plans, planned...)
		}
	}
	if takeover := u.definition.Takeover; takeover != nil {
		for i := range plans {
			for _, key := range plans[i].Takeover {
				u.takeovers = append(u.takeovers, func() { takeover(resources[plans[i].Resource].name(), key) })
			}
		}
	}
	if t.Rules.Guard == tags.GuardVersion {
		u.replaceTags(t, plans, resources)
	} else {
		u.changeTags(t, plans, resources)
	}
	return errors.Join(problems...)
}

// state projects everything alike, so that it can be compared.
func (u *update[T, C]) state(t *Tagging[T, C], kind tags.Kind) tags.State {
	project := func(spec *T) map[string]string {
		projected := t.Project(spec, kind)
		u.hide(maps.Values(projected))
		return projected
	}
	p := u.parts[kind.String()]
	s := tags.State{Applied: project(p.recorded[0]), Desired: project(p.desired)}
	for _, attempt := range p.recorded[1:] {
		s.Attempted = append(s.Attempted, project(attempt))
	}
	if t.Mandatory != nil {
		s.Mandatory = t.Mandatory(u.class, u.request.Machine)
	}
	return s
}

// replaceTags adds a step for each resource that differs.
func (u *update[T, C]) replaceTags(t *Tagging[T, C], plans []tags.ResourcePlan, resources map[string]*Resource) {
	for i := range plans {
		if plan := &plans[i]; !plan.Empty() {
			call := func(ctx context.Context, of []*Resource) error {
				return t.Replace(ctx, u.cloud, of[0], plan.Apply(of[0].Tags))
			}
			u.steps = append(u.steps, step{function: "Replace", resources: []*Resource{resources[plan.Resource]}, call: call})
		}
	}
}

// changeTags adds a step for each batch.
func (u *update[T, C]) changeTags(t *Tagging[T, C], plans []tags.ResourcePlan, resources map[string]*Resource) {
	for _, batch := range t.Rules.Batches(plans) {
		s := step{function: "Set"}
		change, changed := t.Set, batch.Set
		if len(batch.Remove) > 0 {
			s.function, change, changed = "Remove", t.Remove, batch.Remove
		}
		for _, id := range batch.Resources {
			s.resources = append(s.resources, resources[id])
		}
		s.call = func(ctx context.Context, of []*Resource) error {
			ids := make([]string, len(of))
			for i, r := range of {
				ids[i] = r.ID
			}
			return change(ctx, u.cloud, ids, changed)
		}
		u.steps = append(u.steps, s)
	}
}
