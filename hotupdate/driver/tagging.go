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
	var batched []tags.ResourcePlan
	resources := map[string]*Resource{}
	for _, kind := range t.Kinds {
		of := u.of(kind)
		plans, err := u.planKind(t, kind, of)
		problems = append(problems, err)
		for i := range plans { // sorted by ID, as resources are
			if t.Rules.Guard == tags.GuardVersion {
				u.replaceTags(t, &plans[i], of[i])
				continue
			}
			if resources[of[i].ID] != nil {
				problems = append(problems, unusableResource(of[i], "has the ID of another resource of the Tagging"))
			}
			resources[of[i].ID], batched = of[i], append(batched, plans[i])
		}
	}
	u.changeTags(t, batched, resources)
	return errors.Join(problems...)
}

// planKind plans the resources of a kind.
func (u *update[T, C]) planKind(t *Tagging[T, C], kind tags.Kind, of []*Resource) ([]tags.ResourcePlan, error) {
	if len(of) == 0 {
		return nil, nil
	}
	ids, live := make([]string, len(of)), map[string]map[string]string{}
	for i, r := range of {
		ids[i], live[r.ID] = r.ID, r.Tags
	}
	plans, err := t.Rules.Plan(u.state(t, kind), ids, live)
	for i := range plans {
		for _, key := range plans[i].Takeover {
			u.takeovers = append(u.takeovers, takeover{of[i].name(), key})
		}
	}
	return plans, err
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

// replaceTags adds a step if the resource differs.
func (u *update[T, C]) replaceTags(t *Tagging[T, C], plan *tags.ResourcePlan, r *Resource) {
	if !plan.Empty() {
		call := func(ctx context.Context, _ []*Resource) error { return t.Replace(ctx, u.cloud, r, plan.Apply(r.Tags)) }
		u.steps = append(u.steps, step{function: "Replace", resources: []*Resource{r}, call: call})
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
