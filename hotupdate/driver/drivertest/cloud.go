package drivertest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/tags"
)

// FakeCloud is a fake cloud with the resources of one machine, and with a simulated clock. Its errors
// are [machineupdate.ErrThrottled], [machineupdate.ErrUnavailable] for a lost answer, a
// [*machineupdate.RetryError], or others. A fake client translates them into errors of the cloud's API.
type FakeCloud struct {
	*checker

	mutex     sync.Mutex
	now       time.Time
	resources []*resource
	history   []moment
	events    []event

	onRead  func() error         // can make a read fail
	onWrite func(w *write) error // carries out a write, or does something else
	lag     time.Duration        // of reads
	refusal time.Duration        // after a change that took time
	failing int                  // this many of the next changes that take time fail at their end
	isGone  bool                 // the VM no longer exists
}

// resource is a resource with its live state and its future state.
type resource struct {
	fakecloud.Resource

	name       string
	attributes map[string]driver.Reading
	sets       map[string][]string
	theirs     map[string]string   // the infrastructure tags of others
	strangers  map[string][]string // the members of sets that others have added
	lanes      map[string]string   // the lane of each set, once the driver has changed it
	isChanging bool                // a change is under way
	lane       string              // the lane that last made a change that takes time
	refuses    time.Time           // until then it accepts no further change
}

func (r *resource) String() string { return string(r.Kind) + " " + r.ID }

// write is a request that changes resources.
type write struct {
	function string
	set      string
	member   string // of the set
	of       []*resource
	takes    time.Duration
	land     func() error
	// whether what a read shows of a resource has the change
	isShown func(r *resource, shown driver.Resource) bool
}

// isIn reports whether a read shows the change on all resources.
func (w *write) isIn(shown []driver.Resource) bool {
	for _, r := range w.of {
		at := slices.IndexFunc(shown, func(s driver.Resource) bool { return s.Kind == r.Kind && s.ID == r.ID })
		if at < 0 || !w.isShown(r, shown[at]) {
			return false
		}
	}
	return true
}

// requests identifies what the driver must not repeat after a failure.
func (w *write) requests() (keys []string) {
	called := w.function
	if w.member != "" {
		called += " " + w.member
	}
	for _, r := range w.of {
		keys = append(keys, called+" of "+r.String())
	}
	return keys
}

// moment is the live state since a time.
type moment struct {
	since     time.Time
	resources []driver.Resource
}

// event is something that happens at a point in time: a delayed request reaches the cloud, or a
// change ends.
type event struct {
	at time.Time
	do func()
}

// Resources returns the resources of the [State] with their live state: infrastructure tags with
// their version, readings of attributes, and sets.
func (c *FakeCloud) Resources(ctx context.Context) ([]driver.Resource, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.attempt(c.onRead, "Resources"); err != nil || c.isGone {
		return nil, err
	}
	shown := c.live()
	for i, m := range c.history {
		if c.lag > 0 && (i == 0 || !m.since.Add(c.lag).After(c.now)) {
			shown = m.resources
		}
	}
	c.clear(shown)
	return clone(shown), nil
}

// Change sets infrastructure tags on all of the resources, or removes them: see [driver.Tagging].
// Where the cloud takes the value as the condition of a removal, an empty value means no condition.
func (c *FakeCloud) Change(ctx context.Context, ids []string, set, remove []tags.Tag) error {
	w := &write{function: "Change"}
	w.isShown = func(r *resource, shown driver.Resource) bool { return r.hasChange(shown.Tags, set, remove) }
	return c.write(ctx, w, tags.Kinds(), ids, func(of []*resource) error {
		call := fakecloud.Call{Set: set}
		for _, tag := range remove {
			if tag.Value == "" {
				call.Keys = append(call.Keys, tag.Key)
			} else {
				call.Remove = append(call.Remove, tag)
			}
		}
		named := make([]*fakecloud.Resource, len(of))
		for i, r := range of {
			named[i] = &r.Resource
		}
		return fakecloud.Change(call, named...)
	})
}

// Replace writes all infrastructure tags of a resource: see [driver.Tagging]. Unless the cloud is
// [tags.Unguarded], it does so on condition of the version.
func (c *FakeCloud) Replace(ctx context.Context, kind tags.Kind, id, version string, all map[string]string) error {
	w := &write{function: "Replace"}
	var set, remove []tags.Tag
	w.isShown = func(r *resource, shown driver.Resource) bool { return r.hasChange(shown.Tags, set, remove) }
	c.locked(func() { set, remove = c.changes(kind, id, all) })
	return c.write(ctx, w, []tags.Kind{kind}, []string{id}, func(of []*resource) error {
		read, _ := strconv.Atoi(version) // where the cloud takes no version, it does not matter
		return of[0].Replace(read, all)
	})
}

// ErrOutdated is the error of [FakeCloud.Replace] on condition of a version that is out of date. A client
// translates it into the answer of its cloud.
var ErrOutdated = outdated

// outdated is the error that the fake cloud returns.
var outdated = fakecloud.ErrOutdated

// Modify changes attributes of a resource in one call. If takes is not zero, the change is accepted
// now and done later. Until then the resource accepts no other change that takes time.
func (c *FakeCloud) Modify(
	ctx context.Context, kind tags.Kind, id string, values map[string]string, takes time.Duration,
) error {
	w := &write{function: "Modify", takes: takes}
	w.isShown = func(_ *resource, shown driver.Resource) bool {
		for name, target := range values {
			if shown.Attributes[name].Target() != target {
				return false
			}
		}
		return true
	}
	return c.write(ctx, w, []tags.Kind{kind}, []string{id}, func(of []*resource) error {
		r := of[0]
		switch left := r.refuses.Sub(c.now); {
		case takes > 0 && r.isChanging:
			return errors.New("a change is under way")
		case takes > 0 && left > 0:
			return &machineupdate.RetryError{After: left, Err: errors.New("the last change was not long ago")}
		case takes > 0:
			r.isChanging = true
			c.after(takes, func() { c.finish(r) })
		}
		if r.attributes == nil {
			r.attributes = map[string]driver.Reading{}
		}
		for name, target := range values {
			value := r.attributes[name].Value()
			r.attributes[name] = driver.Settled(target)
			if takes > 0 && value != target {
				r.attributes[name] = driver.Modifying(value, target)
			}
		}
		return nil
	})
}

// The errors of [FakeCloud.AddMember] and [FakeCloud.RemoveMember] that a client translates into the
// answer of its cloud: into an error, or into a success where the cloud refuses nothing.
var (
	ErrMemberExists = errors.New("the member is in the set already")
	ErrNoMember     = errors.New("the member is not in the set")
)

// AddMember adds a member to a set of a resource: see [driver.Set].
func (c *FakeCloud) AddMember(ctx context.Context, kind tags.Kind, id, set, member string) error {
	w := &write{function: "AddMember", set: set, member: member}
	w.isShown = func(_ *resource, shown driver.Resource) bool { return slices.Contains(shown.Sets[set], member) }
	return c.write(ctx, w, []tags.Kind{kind}, []string{id}, func(of []*resource) error {
		return of[0].addMember(set, member)
	})
}

// RemoveMember removes a member from a set of a resource: see [driver.Set].
func (c *FakeCloud) RemoveMember(ctx context.Context, kind tags.Kind, id, set, member string) error {
	w := &write{function: "RemoveMember", set: set, member: member}
	w.isShown = func(_ *resource, shown driver.Resource) bool { return !slices.Contains(shown.Sets[set], member) }
	return c.write(ctx, w, []tags.Kind{kind}, []string{id}, func(of []*resource) error {
		return of[0].removeMember(set, member)
	})
}

// changes returns which keys of the provider spec a resource with these infrastructure tags gets and loses. A
// call that is refused because others have written says nothing about their keys.
func (c *FakeCloud) changes(kind tags.Kind, id string, all map[string]string) (set, remove []tags.Tag) {
	for _, r := range c.resources {
		if r.Kind != kind || r.ID != id {
			continue
		}
		theirs := r.folded(r.theirs)
		isTheirs := func(key string) bool {
			_, is := theirs[fakecloud.Identity(&r.Rules, key)]
			return is
		}
		for key, value := range all {
			if !isTheirs(key) {
				set = append(set, tags.Tag{Key: key, Value: value})
			}
		}
		for key, value := range r.Tags {
			if _, stays := all[key]; !stays && !isTheirs(key) {
				remove = append(remove, tags.Tag{Key: key, Value: value})
			}
		}
	}
	return set, remove
}

// hasChange reports whether infrastructure tags that a read shows have a change. A key that was removed
// may have come back with a value of others.
func (r *resource) hasChange(shown map[string]string, set, remove []tags.Tag) bool {
	live := r.folded(shown)
	for _, tag := range set {
		if live[fakecloud.Identity(&r.Rules, tag.Key)] != presence+tag.Value {
			return false
		}
	}
	for _, tag := range remove {
		value, isThere := live[fakecloud.Identity(&r.Rules, tag.Key)]
		isCondition := tag.Value != "" && value != presence+tag.Value
		if isThere && !isCondition {
			return false
		}
	}
	return true
}

func (r *resource) addMember(set, member string) error {
	if slices.Contains(r.sets[set], member) {
		return ErrMemberExists
	}
	r.sets[set] = ordered(append(slices.Clip(r.sets[set]), member))
	return nil
}

func (r *resource) removeMember(set, member string) error {
	at := slices.Index(r.sets[set], member)
	if at < 0 {
		return ErrNoMember
	}
	r.sets[set] = slices.Delete(slices.Clone(r.sets[set]), at, at+1)
	return nil
}

// Wait advances the cloud's clock, for [driver.Definition.Wait].
func (c *FakeCloud) Wait(ctx context.Context, d time.Duration) error {
	c.locked(func() { c.advance(d) })
	return ctx.Err()
}

// write lets a request reach the cloud, or lets the scenario decide what happens to it.
func (c *FakeCloud) write(
	ctx context.Context, w *write, kinds []tags.Kind, ids []string, change func(of []*resource) error,
) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, r := range c.resources {
		if slices.Contains(kinds, r.Kind) && slices.Contains(ids, r.ID) {
			w.of = append(w.of, r)
		}
	}
	if len(w.of) == 0 {
		return errors.New("the cloud has no such resource")
	}
	w.land = func() error {
		before := c.live()
		if err := change(w.of); err != nil {
			return err
		}
		c.changed(w, before)
		return nil
	}
	c.sent(w)
	send := c.onWrite
	if c.setsOnly && w.member == "" {
		send = c.carryOut
	}
	return c.attempt(func() error { return send(w) }, w.requests()...)
}

// time is the time of the cloud's clock, which a call that outlives its update may advance.
func (c *FakeCloud) time() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.now
}

func (c *FakeCloud) locked(do func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	do()
}

// live returns a copy of the live state.
func (c *FakeCloud) live() []driver.Resource {
	all := make([]driver.Resource, len(c.resources))
	for i, r := range c.resources {
		all[i] = driver.Resource{
			Kind: r.Kind, ID: r.ID, Name: r.name, Tags: r.Tags, Version: strconv.Itoa(r.Version),
			Attributes: r.attributes, Sets: r.sets,
		}
	}
	return clone(all)
}

// advance advances the clock, and does what is due. Reads that lag show what was there before.
func (c *FakeCloud) advance(d time.Duration) {
	c.history = append(c.history, moment{c.now, c.live()})
	c.now = c.now.Add(d)
	isDue := func(e event) bool { return !e.at.After(c.now) }
	for _, e := range c.events {
		if isDue(e) {
			e.do()
		}
	}
	c.events = slices.DeleteFunc(c.events, isDue)
}

func (c *FakeCloud) after(d time.Duration, do func()) {
	c.events = append(c.events, event{c.now.Add(d), do})
}

// finish ends the change under way of a resource.
func (c *FakeCloud) finish(r *resource) {
	r.isChanging = false
	isFailing := c.failing > 0
	if isFailing {
		c.failing--
	} else {
		r.refuses = c.now.Add(c.refusal)
	}
	for name, reading := range r.attributes {
		if value, target := reading.Value(), reading.Target(); value != target && isFailing {
			r.attributes[name] = driver.ModifyFailed(value)
		} else if value != target {
			r.attributes[name] = driver.Settled(target)
		}
	}
}

func clone(resources []driver.Resource) []driver.Resource {
	cloned := slices.Clone(resources)
	for i := range cloned {
		cloned[i].Tags = maps.Clone(cloned[i].Tags)
		cloned[i].Attributes = maps.Clone(cloned[i].Attributes)
		cloned[i].Sets = maps.Clone(cloned[i].Sets)
		for name, members := range cloned[i].Sets {
			cloned[i].Sets[name] = ordered(members)
		}
	}
	return cloned
}
