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
	inputs := map[tags.Kind]tags.PlanInput{}
	for _, kind := range t.Kinds {
		live := map[string]map[string]string{}
		for _, r := range u.of(kind) {
			live[r.text()] = r.Tags
		}
		if len(live) > 0 {
			inputs[kind] = u.state(t, kind)
			planned, err := t.Rules.Plan(inputs[kind], slices.Collect(maps.Keys(live)), live)
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
		u.tellKeptTags(&plans[i])
		u.takeovers = append(u.takeovers, func() { u.tellTaken(&plans[i], u.named[plans[i].Resource].Tags) })
	}
	if t.Replace != nil {
		u.replaceTags(t, plans, inputs)
	} else {
		u.changeTags(t, t.Rules.Batches(plans))
	}
	return problems.Err()
}

// tellTaken reports the keys with live values of others that a plan overwrites.
func (u *update[T, C]) tellTaken(plan *tags.ResourcePlan, live map[string]string) {
	r := u.named[plan.Resource]
	for _, key := range plan.Takeover {
		u.definition.Takeover(r.name(), key)
	}
	if u.request.OtherWriter == nil {
		return
	}
	for _, key := range plan.Rewritten {
		u.request.OtherWriter(r.text(), key, live[key])
	}
}

// tellKeptTags reports the desired keys with values that a plan leaves to others.
func (u *update[T, C]) tellKeptTags(plan *tags.ResourcePlan) {
	if len(plan.Kept) > 0 {
		u.tell(fmt.Sprintf("%s keeps its values of %q: AnyValue of the driver's Rules leaves them to others",
			plan.Resource, plan.Kept))
	}
}

// contains reports whether a problem was reported before.
func contains(problems fault.List, problem *fault.Error) bool {
	return slices.ContainsFunc(problems, func(other *fault.Error) bool { return other.Error() == problem.Error() })
}

// state projects the desired and the recorded parts by the same function, so that they can be
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

func (u *update[T, C]) replaceTags(
	t *Tagging[T, C], plans []tags.ResourcePlan, inputs map[tags.Kind]tags.PlanInput,
) {
	for i := range plans {
		if isEmpty(&plans[i]) {
			continue
		}
		r := u.named[plans[i].Resource]
		input := inputs[r.Kind]
		s := u.add("Replace", plans[i].Resource)
		s.plan = &plans[i]
		s.rereads = t.Rules.Guard == tags.Unguarded
		s.send = func(ctx context.Context, _ []*member[C]) error {
			if s.rereads {
				return u.replaceAfresh(ctx, t, s, &input)
			}
			err := u.definition.translated(u.cloud, t.Replace(ctx, u.cloud, r, plans[i].Apply(r.Tags)))
			s.rereads = isOutdated(err)
			return err
		}
	}
}

// isEmpty reports whether a plan changes nothing.
func isEmpty(plan *tags.ResourcePlan) bool { return len(plan.Set)+len(plan.Remove) == 0 }

// Outdated marks err, the error of [Tagging].Replace, as the refusal of a conditional write: the
// resource has changed since it was read, by another writer or by an earlier attempt whose answer
// was lost. Before the next attempt the kit reads the resource again, and plans again: if nothing
// is left to change, nothing more is written. [Again] does not repeat such a write. The result has
// the text of err, wraps it, and is a [machineupdate.ErrUnavailable]. Outdated returns nil for nil.
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

func isOutdated(err error) bool {
	_, ok := errors.AsType[*outdatedError](err)
	return ok
}

// replaceAfresh reads the infrastructure tags of the step's resource again, plans again, and writes
// all of them unless the plan is empty. A write without a condition loses what others have changed
// since the read. A paced call may outlive its update, so the only field that it changes is
// replanned of the step.
func (u *update[T, C]) replaceAfresh(
	ctx context.Context, t *Tagging[T, C], s *step[C], input *tags.PlanInput,
) error {
	live, err := u.readAgain(ctx, s.resources[0])
	if err != nil {
		return err
	}
	name := live.text()
	plans, err := t.Rules.Plan(*input, []string{name}, map[string]map[string]string{name: live.Tags})
	if err != nil {
		return err
	}
	again := &replanned{plan: &plans[0], live: live.Tags, earlier: s.replanned.Load()}
	s.replanned.Store(again)
	if isEmpty(again.plan) {
		return nil
	}
	err = u.definition.translated(u.cloud, t.Replace(ctx, u.cloud, live, again.plan.Apply(live.Tags)))
	if err == nil {
		return nil
	}
	kind, _ := machineupdate.DriverErrorOf(err)
	if isOutdated(err) || kind == machineupdate.ErrThrottled { // nothing is overwritten
		s.replanned.Store(again.earlier)
	}
	var read update[T, C]
	read.hide(maps.Values(live.Tags))
	return &redactedError{read.redacted(err.Error()), err}
}

// readAgain reads one resource of the machine again.
func (u *update[T, C]) readAgain(ctx context.Context, r *Resource) (*Resource, error) {
	var live []Resource
	err := u.once(ctx, u.cloud, u.request.ProviderID, "Resources", func(ctx context.Context) (err error) {
		live, err = u.resources(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(live, func(l Resource) bool { return l.text() == r.text() && !l.IsMissing })
	if at < 0 {
		return nil, errGone
	}
	return &live[at], nil
}

// replanned is a plan that a step made after it had read its resource again.
type replanned struct {
	plan    *tags.ResourcePlan
	live    map[string]string // what was read
	earlier *replanned
}

// tellReplanned reports the keys that later plans of a step overwrite or leave to others, unless
// they were reported before.
func (u *update[T, C]) tellReplanned(s *step[C]) {
	if s.plan == nil {
		return
	}
	told := *s.plan
	for later := s.replanned.Load(); later != nil; later = later.earlier {
		untold := tags.ResourcePlan{
			Resource:  told.Resource,
			Takeover:  without(later.plan.Takeover, told.Takeover),
			Rewritten: without(later.plan.Rewritten, told.Rewritten),
			Kept:      without(later.plan.Kept, told.Kept),
		}
		u.tellTaken(&untold, later.live)
		u.tellKeptTags(&untold)
		told.Takeover = slices.Concat(told.Takeover, untold.Takeover)
		told.Rewritten = slices.Concat(told.Rewritten, untold.Rewritten)
		told.Kept = slices.Concat(told.Kept, untold.Kept)
	}
}

// without returns the keys that are not among others.
func without(keys, others []string) []string {
	isOther := func(key string) bool { return slices.Contains(others, key) }
	return slices.DeleteFunc(slices.Clone(keys), isOther)
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
