package drivertest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/tags"
)

// sent checks a request.
func (c *checker) sent(w *write) {
	c.pass.writes++
	c.need("acceptance, failed change and refusal, which need a change that takes time", w.takes > 0)
	c.need("foreign members and added twice, which need a set that differs", w.member != "")
	c.require(c.pass.isMarked, "marker first", "%s is sent before BeforeWrite has returned nil", w.function)
	c.require(c.pass.ctx.Err() == nil, "end of context", "%s is sent after the context is done", w.function)
	for _, r := range w.of {
		c.need(fmt.Sprintf(needsChange, r.Kind, c.pass.lane), true)
		if w.takes > 0 {
			r.lane = c.pass.lane
		}
		if w.set != "" {
			r.lanes[w.set] = c.pass.lane
		}
		c.require(slices.Contains(c.own, r), "foreign resources",
			"%s names %s, which all states have alike", w.function, r)
	}
}

// attempt makes requests. If they have failed before in the same pass, the kit has waited since: the
// pass of a client that would repeat them for ever is ended.
func (c *checker) attempt(do func() error, requests ...string) error {
	for _, request := range requests {
		failed, hasFailed := c.pass.failures[request]
		if hasFailed && !c.cloud.now.After(failed) {
			c.broken("one attempt", "%s is repeated after an error, without Cloud.Wait", request)
			c.pass.cancel()
		}
	}
	err := do()
	kind, _ := machineupdate.DriverErrorOf(err)
	isFailure := err != nil && kind != machineupdate.ErrThrottled && !isMadeAlready(err)
	if isFailure {
		for _, request := range requests {
			c.pass.failures[request] = c.cloud.now
		}
	}
	return err
}

// isMadeAlready reports whether a request has failed only because its change was made already.
func isMadeAlready(err error) bool {
	return errors.Is(err, ErrMemberExists) || errors.Is(err, ErrNoMember)
}

// carryOut lets the cloud carry out a request.
func (c *checker) carryOut(w *write) error {
	err := w.land()
	if isMadeAlready(err) {
		c.require(!c.isCalm, "idle", "%s of %s changes nothing: %v", w.function, w.member, err)
		return err
	}
	c.require(!c.isCalm || err == nil, "desired state", "the cloud refuses %s: %v", w.function, err)
	if err != nil {
		return c.fails(w, err)
	}
	isSame := func(failed *write) bool { return slices.Equal(failed.requests(), w.requests()) }
	live := c.cloud.live()
	c.pass.unclear = slices.DeleteFunc(c.pass.unclear, func(w *write) bool { return isSame(w) && w.isIn(live) })
	return nil
}

// fails records that a request fails. Only a read tells whether it was carried out.
func (c *checker) fails(w *write, err error) error {
	if c.pass.failed == nil {
		c.pass.failed = err
	}
	c.pass.unclear = append(c.pass.unclear, w)
	return err
}

// clear notes that a read has shown the change of failed requests.
func (c *checker) clear(shown []driver.Resource) {
	c.pass.unclear = slices.DeleteFunc(c.pass.unclear, func(w *write) bool { return w.isIn(shown) })
}

// changed checks the effect of a request.
func (c *checker) changed(w *write, before []driver.Resource) {
	for i, r := range c.cloud.resources {
		was := &before[i]
		isNamed := slices.Contains(w.of, r)
		hasSameTags := maps.Equal(r.Tags, was.Tags)
		hasSameValues := maps.Equal(r.attributes, was.Attributes) && sameSets(r.sets, was.Sets)
		isIdle := isNamed && hasSameTags && hasSameValues
		c.require(!c.isCalm || !isIdle, "idle", "%s changes nothing on %s", w.function, r)
		c.changedSets(w, r)
		live := r.folded(r.Tags)
		theirs := r.folded(r.theirs)
		from := r.folded(c.from.of(r).Tags)
		to := r.folded(c.to.of(r).Tags)
		for _, key := range slices.Sorted(maps.Keys(theirs)) {
			c.require(live[key] == theirs[key], "foreign keys",
				"%s removes or changes the foreign key %s on %s", w.function, key, r)
		}
		for _, key := range slices.Sorted(maps.Keys(from)) {
			stays := to[key] == from[key]
			c.need("mandatory keys, which need a key that both states have, on a resource that a call changes",
				stays && isNamed)
			c.require(!stays || live[key] == from[key], "mandatory keys",
				"%s removes or changes the key %s, which both states have, on %s", w.function, key, r)
		}
	}
}

// sameSets reports whether two resources have the same members. A set that is missing is empty.
func sameSets(a, b map[string][]string) bool {
	isSame := func(set string) bool { return slices.Equal(ordered(a[set]), ordered(b[set])) }
	for set := range a {
		if !isSame(set) {
			return false
		}
	}
	for set := range b {
		if !isSame(set) {
			return false
		}
	}
	return true
}

func ordered(members []string) []string { return slices.Compact(slices.Sorted(slices.Values(members))) }

// changedSets checks the effect of a request on the sets of a resource.
func (c *checker) changedSets(w *write, r *resource) {
	from := c.from.of(r).Sets
	to := c.to.of(r).Sets
	for _, set := range slices.Sorted(maps.Keys(r.sets)) {
		has := func(member string) bool { return slices.Contains(r.sets[set], member) }
		for _, member := range r.strangers[set] {
			c.require(has(member), "foreign members",
				"%s removes the foreign member %s from %s of %s", w.function, member, set, r)
		}
		for _, member := range from[set] {
			stays := slices.Contains(to[set], member)
			c.require(!stays || has(member), "mandatory keys",
				"%s removes %s, which both states have, from %s of %s", w.function, member, set, r)
		}
	}
}

// returned checks the result of UpdateMachine.
func (c *checker) returned(err error) {
	c.require(!strings.Contains(fmt.Sprint(err), secret), "secrets", "an error quotes the secret")
	for _, w := range c.pass.unclear {
		c.require(err != nil, c.promise,
			"%s failed, no later read shows its change, and UpdateMachine returns nil", w.function)
	}
	for _, r := range c.cloud.resources {
		isUnderWay := r.isChanging && r.lane == c.pass.lane && c.cloud.lag == 0
		c.require(err != nil || !isUnderWay, "acceptance",
			"a change of %s is under way, and UpdateMachine returns nil", r)
	}
	partial, ok := errors.AsType[*machineupdate.PartialError](err)
	for _, r := range c.own {
		isDone := ok && slices.Contains(partial.Done, machineupdate.ResourceID{Kind: string(r.Kind), ID: r.ID})
		problem := c.unlike(r)
		isTagged := c.pass.lane != "" || problem == ""
		c.require(!isDone || isTagged, "partial failure", "the error says that %s is done, and %s", r, problem)
		for _, set := range slices.Sorted(maps.Keys(r.lanes)) {
			isRight := r.lanes[set] != c.pass.lane || slices.Equal(r.sets[set], c.members(r, set))
			c.require(!isDone || isRight, "partial failure",
				"the error says that %s is done, and its %s are not", r, set)
		}
	}
	c.need("end of context and partial failure, which need an update of two calls", c.isCalm && c.pass.writes > 1)
	c.onReturn(err)
}

// rested checks a machine for which the flow has nothing left to do.
func (c *checker) rested() {
	for _, r := range c.cloud.resources {
		problem := c.unlike(r)
		c.require(problem == "", c.promise, "in the end %s", problem)
		for _, attribute := range slices.Sorted(maps.Keys(r.attributes)) {
			want := c.wanted.of(r).Attributes[attribute].Value()
			got := r.attributes[attribute].Value()
			target := r.attributes[attribute].Target()
			c.require(got == want && target == want, c.promise,
				"in the end %s has the %s %s, on its way to %s, instead of %s", r, attribute, got, target, want)
		}
		c.restedSets(r)
	}
}

// restedSets checks the sets of a resource for which the flow has nothing left to do.
func (c *checker) restedSets(r *resource) {
	for _, set := range slices.Sorted(maps.Keys(r.sets)) {
		want := c.members(r, set)
		c.require(slices.Equal(r.sets[set], want), c.promise,
			"in the end %s has the %s %q instead of %q", r, set, r.sets[set], want)
	}
}

// members returns the wanted members of a set, and those of others.
func (c *checker) members(r *resource, set string) []string {
	return ordered(slices.Concat(c.wanted.of(r).Sets[set], r.strangers[set]))
}

// unlike describes how the infrastructure tags of a resource differ from the wanted ones. It is
// empty if they do not.
func (c *checker) unlike(r *resource) string {
	want := r.folded(c.wanted.of(r).Tags)
	maps.Copy(want, r.folded(r.theirs))
	if live := r.folded(r.Tags); !maps.Equal(live, want) {
		return fmt.Sprintf("%s has the infrastructure tags %v instead of %v", r, live, want)
	}
	return ""
}

// presence distinguishes a tag without a value from an absent one.
const presence = "="

// folded returns infrastructure tags by the identity of their keys.
func (r *resource) folded(all map[string]string) map[string]string {
	same := map[string]string{}
	for key, value := range all {
		same[fakecloud.Identity(&r.Rules, key)] = presence + value
	}
	return same
}

// isOwn reports whether a resource differs between the states.
func (c *checker) isOwn(r *resource) bool {
	first := c.states[0].of(r)
	return slices.ContainsFunc(c.states, func(s State) bool {
		other := s.of(r)
		hasSameTags := maps.Equal(first.Tags, other.Tags)
		hasSameValues := maps.Equal(first.Attributes, other.Attributes) && sameSets(first.Sets, other.Sets)
		return !hasSameTags || !hasSameValues
	})
}

// of returns a resource in this state.
func (s *State) of(r *resource) driver.Resource {
	for _, other := range s.Resources {
		if other.Kind == r.Kind && other.ID == r.ID {
			return other
		}
	}
	return driver.Resource{}
}

// plant sets a foreign key on a resource.
func (c *checker) plant(r *resource, key string) {
	value := "theirs"
	if r.Rules.KeysOnly {
		value = ""
	}
	r.theirs[key] = value
	err := fakecloud.Change(fakecloud.Call{Set: []tags.Tag{{Key: key, Value: value}}}, &r.Resource)
	c.require(err == nil, "desired state", "%v", err)
}

// plantMember adds a foreign member to a set of a resource.
func (c *checker) plantMember(r *resource, set, member string) {
	r.strangers[set] = append(r.strangers[set], member)
	err := r.addMember(set, member)
	c.require(err == nil, "desired state", "%v", err)
}
