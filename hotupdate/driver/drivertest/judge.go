package drivertest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// sent judges a request.
func (c *checker) sent(w *write) {
	c.pass.writes++
	switch {
	case !c.pass.isMarked:
		c.broken("marker first", "%s is sent before BeforeWrite has returned nil", w.function)
	case c.pass.ctx.Err() != nil:
		c.broken("end of context", "%s is sent after the context is done", w.function)
	}
	for _, r := range w.of {
		if w.takes > 0 {
			c.changing[r] = c.pass.lane
		}
		if !c.isOwn(r) {
			c.broken("foreign resources", "%s names %s, which all states have alike", w.function, name(r))
		}
	}
}

// carryOut lets the cloud do what it is asked.
func (c *checker) carryOut(w *write) error {
	err := w.land()
	if c.isCalm && err != nil {
		c.broken("desired state", "the cloud refuses %s: %v", w.function, err)
	}
	return c.fails(err)
}

// fails notes that a request fails.
func (c *checker) fails(err error) error {
	c.pass.failed = cmp.Or(c.pass.failed, err)
	return err
}

// changed judges what a request has done.
func (c *checker) changed(w *write, before []driver.Resource) {
	for i := range c.cloud.resources {
		r, was := &c.cloud.resources[i], &before[i]
		if c.isCalm && slices.Contains(w.of, r) && maps.Equal(r.Tags, was.Tags) && maps.Equal(r.Attributes, was.Attributes) {
			c.broken("idle", "%s changes nothing on %s", w.function, name(r))
		}
		live, theirs, from, to := c.folded(r, r.Tags), c.folded(r, c.planted[name(r)]), c.folded(r, c.from.of(r).Tags), c.folded(r, c.to.of(r).Tags)
		for _, key := range tags.Keys(theirs) {
			if live[key] != theirs[key] {
				c.broken("foreign keys", "%s takes the key %s, which is somebody else's, from %s", w.function, key, name(r))
			}
		}
		for _, key := range tags.Keys(from) {
			if to[key] == from[key] && live[key] != from[key] {
				c.broken("mandatory keys", "%s takes the key %s, which both states have, from %s", w.function, key, name(r))
			}
		}
	}
}

// returned judges what UpdateMachine returns.
func (c *checker) returned(err error) {
	if err != nil && strings.Contains(err.Error(), secret) {
		c.broken("secrets", "an error quotes the secret")
	}
	if c.pass.failed != nil && err == nil {
		c.broken(c.promise, "a call failed, and UpdateMachine returns nil")
	}
	for r := range c.cloud.ends {
		if err == nil && c.changing[r] == c.pass.lane && c.cloud.lag == 0 {
			c.broken("acceptance", "a change of %s is under way, and UpdateMachine returns nil", name(r))
		}
	}
	partial, ok := errors.AsType[*machineupdate.PartialError](err)
	for _, r := range c.own() {
		isDone := ok && c.pass.lane == "" && slices.Contains(partial.Done, machineupdate.Resource{Kind: r.Kind.String(), ID: r.ID})
		if problem := c.unlike(r); isDone && problem != "" {
			c.broken("partial failure", "the error says that %s is done, and %s", name(r), problem)
		}
	}
	c.onReturn(err)
}

// rested judges a machine that the flow leaves alone.
func (c *checker) rested() {
	for i := range c.cloud.resources {
		r := &c.cloud.resources[i]
		if problem := c.unlike(r); problem != "" {
			c.broken(c.promise, "in the end %s", problem)
		}
		for _, attribute := range slices.Sorted(maps.Keys(r.Attributes)) {
			want, _, _ := c.wanted.of(r).Attributes[attribute].Parts()
			if got, target, _ := r.Attributes[attribute].Parts(); got != want || target != want {
				c.broken(c.promise, "in the end %s has the %s %s, on its way to %s, instead of %s", name(r), attribute, got, target, want)
			}
		}
	}
}

// unlike says how the infrastructure tags of a resource differ from what they should be. It is empty if they do not.
func (c *checker) unlike(r *driver.Resource) string {
	want := map[string]string{}
	maps.Copy(want, c.folded(r, c.wanted.of(r).Tags))
	maps.Copy(want, c.folded(r, c.planted[name(r)]))
	if live := c.folded(r, r.Tags); !maps.Equal(live, want) {
		return fmt.Sprintf("%s has the infrastructure tags %v instead of %v", name(r), live, want)
	}
	return ""
}

// folded returns infrastructure tags by what the cloud takes their keys for. Those without a value get one, to tell them from none.
func (c *checker) folded(r *driver.Resource, all map[string]string) map[string]string {
	isFolded := c.rules(r).IgnoresCase
	same := map[string]string{}
	for key, value := range all {
		if isFolded {
			key = strings.ToLower(key)
		}
		same[key] = "=" + value
	}
	return same
}

// own are the resources that the states do not have alike.
func (c *checker) own() []*driver.Resource {
	var all []*driver.Resource
	for i := range c.cloud.resources {
		if r := &c.cloud.resources[i]; c.isOwn(r) {
			all = append(all, r)
		}
	}
	return all
}

func (c *checker) isOwn(r *driver.Resource) bool {
	first := c.states[0].of(r)
	return slices.ContainsFunc(c.states, func(s State) bool {
		other := s.of(r)
		return !maps.Equal(first.Tags, other.Tags) || !maps.Equal(first.Attributes, other.Attributes)
	})
}

// of returns a resource as it is to be.
func (s *State) of(r *driver.Resource) driver.Resource {
	for _, other := range s.Resources {
		if other.Kind == r.Kind && other.ID == r.ID {
			return other
		}
	}
	return driver.Resource{}
}

// rules are those of the resource's kind.
func (c *checker) rules(r *driver.Resource) *tags.Rules {
	if c.known[r.Kind] == nil {
		rules, err := c.setup.Rules(r.Kind)
		if c.known[r.Kind] = &rules; err != nil {
			c.broken("desired state", "%v", err)
		}
	}
	return c.known[r.Kind]
}

func name(r *driver.Resource) string { return r.Kind.String() + " " + r.ID }

// plant lets somebody else set a key on a resource.
func (c *checker) plant(r *driver.Resource, key string) {
	rules, value := c.rules(r), "theirs"
	if rules.KeysOnly {
		value = ""
	}
	if c.planted[name(r)] == nil {
		c.planted[name(r)] = map[string]string{}
	}
	c.planted[name(r)][key] = value
	if err := c.cloud.store(r, changed(rules, r.Tags, []tags.Tag{{Key: key, Value: value}}, nil)); err != nil {
		c.broken("desired state", "%v", err)
	}
}
