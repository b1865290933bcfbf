package driver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// planTags plans the calls for the infrastructure tags of some kinds of resources.
func (u *update[T, C]) planTags(t *Tagging[T, C]) error {
	var problems fault.List
	var plans []tags.ResourcePlan
	for _, kind := range t.Kinds {
		live := map[string]map[string]string{}
		for _, r := range u.of(kind) {
			live[r.text()] = r.Tags
		}
		if len(live) > 0 {
			planned, err := t.Rules.Plan(u.state(t, kind), slices.Collect(maps.Keys(live)), live)
			plans = append(plans, planned...)
			for _, problem := range fault.All(err) {
				if !contains(problems, problem) { // a key is unusable for every kind
					problems = append(problems, problem)
				}
			}
		}
	}
	u.tellLeftAlone(t)
	for i := range plans {
		u.report(&plans[i])
	}
	if t.Replace != nil {
		u.replaceTags(t, plans)
	} else {
		u.changeTags(t, t.Rules.Batches(plans))
	}
	return problems.Err()
}

// report reports what a plan takes from others or leaves to them. What it takes is reported with the
// first call.
func (u *update[T, C]) report(plan *tags.ResourcePlan) {
	r := u.named[plan.Resource]
	for _, key := range plan.Takeover {
		u.takeovers = append(u.takeovers, func() { u.definition.Takeover(r.name(), key) })
	}
	if u.request.OtherWriter != nil {
		for _, key := range plan.Rewritten {
			u.takeovers = append(u.takeovers, func() { u.request.OtherWriter(r.text(), key, r.Tags[key]) })
		}
	}
	if len(plan.Kept) > 0 {
		u.tell(fmt.Sprintf("%s keeps its values of %q: AnyValue of the driver's Rules leaves them to others",
			r.text(), plan.Kept))
	}
}

// contains reports whether a problem is told already.
func contains(problems fault.List, problem *fault.Error) bool {
	return slices.ContainsFunc(problems, func(other *fault.Error) bool { return other.Error() == problem.Error() })
}

// state projects desired, applied and attempted parts by the same function, so that they can be
// compared.
func (u *update[T, C]) state(t *Tagging[T, C], kind tags.Kind) tags.PlanInput {
	projected := make([]map[string]string, 0, 4)
	for _, spec := range u.parts[string(kind)] {
		projected = append(projected, t.Project(spec, kind))
		u.hide(maps.Values(projected[len(projected)-1]))
	}
	s := tags.PlanInput{Desired: projected[0], Applied: projected[1], Recorded: projected[1:]}
	if t.Mandatory != nil {
		s.Mandatory = t.Mandatory(u.class, u.request.Machine)
	}
	if t.shapes != nil {
		_, perKind := t.shapes(u.parts[string(kind)][0])
		s.PerKind = perKind.Of(kind)
	}
	return s
}

// tellLeftAlone reports the keys of the class's flat map that no plan sets or removes.
func (u *update[T, C]) tellLeftAlone(t *Tagging[T, C]) {
	if t.shapes == nil || u.request.TellClass == nil {
		return
	}
	all, _ := t.shapes(u.class)
	if keys := t.Rules.LeftAlone(all); len(keys) > 0 {
		const text = "the infrastructure tags %q of the class are neither set nor removed: the cloud, the driver " +
			"or MCM relies on these keys; rename the pool labels that they come from"
		u.request.TellClass(fmt.Sprintf(text, keys))
	}
}

func (u *update[T, C]) replaceTags(t *Tagging[T, C], plans []tags.ResourcePlan) {
	for i := range plans {
		if len(plans[i].Set)+len(plans[i].Remove) > 0 {
			r := u.named[plans[i].Resource]
			s := u.add("Replace", plans[i].Resource)
			s.rereads = t.Rules.Guard == tags.Unguarded
			s.send = func(ctx context.Context, _ []*member[C]) error {
				if s.rereads {
					return u.replaceAfresh(ctx, t, r, &plans[i])
				}
				err := u.definition.translated(u.cloud, t.Replace(ctx, u.cloud, r, plans[i].Apply(r.Tags)))
				_, s.rereads = errors.AsType[*outdatedError](err)
				return err
			}
		}
	}
}

// Outdated marks err, the error of [Tagging].Replace, as the refusal of a write whose condition does not
// hold: others have changed the resource since it was read, or an attempt whose answer was lost has. Before the
// next attempt the kit reads the resource again. If it shows the change, nothing more is written; otherwise
// the change is merged with what it shows. The result has the text of err, wraps it, and is a
// [machineupdate.ErrUnavailable]. Outdated returns nil for nil.
func Outdated(err error) error {
	if err == nil {
		return nil
	}
	return &outdatedError{err}
}

type outdatedError struct{ err error }

func (e *outdatedError) Error() string { return e.err.Error() }
func (e *outdatedError) Unwrap() error { return e.err }
func (e *outdatedError) Is(target error) bool {
	return target == error(machineupdate.ErrUnavailable)
}

// replaceAfresh reads the infrastructure tags of a resource again, and writes all of them if the change is
// not made yet. A write without a condition loses what others have changed since the read. A paced call
// may go on when its update has ended, so nothing of the update is changed.
func (u *update[T, C]) replaceAfresh(
	ctx context.Context, t *Tagging[T, C], r *Resource, plan *tags.ResourcePlan,
) error {
	var live []Resource
	err := u.once(ctx, u.cloud, u.request.ProviderID, "Resources", func(ctx context.Context) (err error) {
		live, err = u.resources(ctx)
		return err
	})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(live, func(l Resource) bool { return l.text() == r.text() && !l.IsMissing })
	if at < 0 {
		return errGone
	}
	merged := plan.Apply(live[at].Tags)
	if maps.Equal(merged, live[at].Tags) {
		return nil
	}
	err = t.Replace(ctx, u.cloud, &live[at], merged)
	if err == nil {
		return nil
	}
	var read update[T, C]
	read.hide(maps.Values(live[at].Tags))
	return &redactedError{read.redacted(err.Error()), err}
}

// redactedError is an error whose text hides values that were read after the plan.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.err }

func (u *update[T, C]) changeTags(t *Tagging[T, C], batches []tags.Batch) {
	for _, batch := range batches {
		function := "Set"
		change := t.Set
		changed := batch.Set
		if len(batch.Remove) > 0 {
			function = "Remove"
			change = t.Remove
			changed = batch.Remove
		}
		bound := u.definition.Sharing.bound(t.Kinds[0], function, &t.Rules, len(batch.Resources))
		for names := range slices.Chunk(batch.Resources, bound) {
			s := u.add(function, names...)
			s.kind = t.Kinds[0]
			s.bound = bound
			s.equal = equalText(t.Kinds[0], &t.Rules, &batch)
			s.send = func(ctx context.Context, members []*member[C]) error {
				var ids []string
				for _, m := range members {
					ids = append(ids, m.ids...)
				}
				return change(ctx, members[0].cloud, ids, changed)
			}
		}
	}
}
