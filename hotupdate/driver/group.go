package driver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Validate returns, for admission, why attributes cannot change from old to new, the values that
// two provider specs set. The path of an error is the attribute's name below path.
func (a *Attributes) Validate(old, new map[string]string, path *field.Path) field.ErrorList {
	whole := a.whole(new, old)
	if before := a.whole(old, a.Defaults); before != nil {
		old = before
	}
	return append(a.incomplete(new, whole, path), a.check(old, whole, path)...)
}

// whole returns the desired values of all attributes of the group, or nil if none is to be changed.
// A group is changed as a whole or not at all, so that an update never writes back a value that it
// only read. Defaults are restored only if one of the recorded specs has set an attribute.
func (a *Attributes) whole(desired map[string]string, recorded ...map[string]string) map[string]string {
	isOurs := a.anyOf(a.Defaults) && slices.ContainsFunc(recorded, a.anyOf)
	if !isOurs && !a.anyOf(desired) {
		return nil
	}
	whole := map[string]string{}
	for name, value := range a.Defaults {
		whole[name] = value
		if desired[name] != "" {
			whole[name] = desired[name]
		}
	}
	return whole
}

func (a *Attributes) anyOf(values map[string]string) bool {
	for name := range a.Defaults {
		if values[name] != "" {
			return true
		}
	}
	return false
}

// incomplete returns the errors of desired values that do not depend on the live state.
func (a *Attributes) incomplete(desired, whole map[string]string, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	names := slices.AppendSeq(slices.Collect(maps.Keys(whole)), maps.Keys(desired))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if _, ok := a.Defaults[name]; !ok {
			problems = append(problems, field.Forbidden(path.Child(name), "is not an attribute of the group"))
		} else if whole != nil && whole[name] == "" {
			problems = append(problems, field.Required(path.Child(name),
				"must be set: it has no default, and changes in one call with another attribute that is set"))
		}
	}
	return problems
}

// check applies the driver's own rules.
func (a *Attributes) check(old, whole map[string]string, path *field.Path) field.ErrorList {
	if a.Check == nil || whole == nil {
		return nil
	}
	return a.Check(old, whole, path)
}

// planGroup plans the calls for the attributes of a group.
func (u *update[T, C]) planGroup(g *AttributeGroup[T, C]) error {
	var problems []error
	for _, r := range u.of(g.Kind) {
		var projected []map[string]string
		for _, spec := range u.parts[string(g.Kind)] {
			projected = append(projected, g.Project(spec, r))
		}
		whole := g.whole(projected[0], projected[1:]...)
		u.hide(maps.Values(whole))
		read := r.readGroup(whole)
		if whole == nil {
			u.tellKept(g, r, projected[0], projected[1], projected[2:])
		}
		refused := g.incomplete(projected[0], whole, nil)
		isDifferent := read.isKnown && !maps.Equal(read.targets, whole)
		if isDifferent {
			refused = append(refused, g.check(read.targets, whole, nil)...)
		}
		switch {
		case len(refused) > 0:
			problems = append(problems, u.impossible(r, refused))
		case isDifferent:
			s := u.add("Modify", r.text())
			s.send = func(ctx context.Context, _ []*member[C]) error { return g.Modify(ctx, u.cloud, r, whole) }
			if g.Asynchronous {
				s.pending = pendingOn(r)
			}
			if read.isFailed {
				s.failed = errFailedBefore
			}
		case !read.isKnown || read.isBusy:
			u.pending = append(u.pending, pendingOn(r))
		}
	}
	return errors.Join(problems...)
}

// groupReading is what a read shows of the attributes of a group.
type groupReading struct {
	targets  map[string]string
	isKnown  bool // all targets are known
	isBusy   bool // a value is on its way to its target
	isFailed bool // the cloud has not made an accepted change
}

func (r *Resource) readGroup(whole map[string]string) groupReading {
	read := groupReading{targets: map[string]string{}, isKnown: true}
	for name := range whole {
		reading := r.Attributes[name]
		read.targets[name] = reading.target
		if !reading.isKnown {
			read.isKnown = false
		}
		if reading.value != reading.target {
			read.isBusy = true
		}
		if reading.isFailed {
			read.isFailed = true
		}
	}
	return read
}

func pendingOn(r *Resource) error { return fmt.Errorf("%s: %w", r.text(), machineupdate.ErrPending) }

// impossible returns the error of a change that the cloud cannot make.
func (u *update[T, C]) impossible(r *Resource, refused field.ErrorList) error {
	var problems fault.List
	for _, problem := range refused {
		problems.Add(&fault.Error{
			Kind: fault.Unsupported, Code: "impossible-change", Where: r.text(), Path: problem.Field,
			What: problem.Type.String() + ": " + u.redacted(problem.Detail),
			Hint: "refuse it in admission, by Attributes.Validate",
		})
	}
	return problems.Err()
}
