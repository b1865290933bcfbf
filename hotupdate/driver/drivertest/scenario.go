package drivertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// scenario is what happens to a machine whose class has changed, before and while the driver is
// called. Afterwards the machine has to settle.
type scenario struct {
	promise, name string
	disturb       func(c *checker)
}

// scenarios returns all scenarios. In the first one nothing disturbs the driver.
func scenarios() []scenario {
	return []scenario{
		{"desired state", "nothing disturbs", func(*checker) {}},
		{"partial failure", "calls for one resource fail", partialFailure},
		{"partial failure", "calls for sets of one resource fail", ofSets(partialFailure)},
		{"lost answer", "the cloud does what it is asked, and gives no answer", lostAnswer},
		{"lost answer", "the cloud changes sets as it is asked, and gives no answer", ofSets(lostAnswer)},
		{"lost answer", "the first answers are lost, and others write before the next call", lostOnce((*write).landed)},
		{"lost answer", "the first requests are lost, and others write before the next call", lostOnce((*write).lost)},
		{"late landing", "requests land late", lateLanding},
		{"late landing", "requests for sets land late", ofSets(lateLanding)},
		{"late landing", "requests land late, and the class is what it was", func(c *checker) {
			lateLanding(c)
			c.prepare(c.from)
		}},
		{"late landing", "requests for sets land late, and the class is what it was", ofSets(func(c *checker) {
			lateLanding(c)
			c.prepare(c.from)
		})},
		{"lagging reads", "reads lag by a minute, and the class is what it was", reversal(time.Minute)},
		{"reversal", "the class is what it was", reversal(0)},
		{"throttling", "the cloud throttles the first calls", throttling},
		{"not found", "the VM is gone, or cannot be read", notFound},
		{"marker first", "the marker cannot be written", func(c *checker) { c.patchErr = context.DeadlineExceeded }},
		{"end of context", "the context ends", endOfContext},
		{"foreign keys", "others write between read and write", interference},
		{"added twice", "others make the same change of a set between read and write", sameChange},
		{"limits", "there is just enough room", func(c *checker) { limits(c, 0) }},
		{"limits", "the resources have no room", func(c *checker) { limits(c, 1) }},
		{"case folding", "keys are spelled in capitals", caseFolding},
		{"failed change", "the cloud does not make what it accepted", func(c *checker) { c.cloud.failing = 1 }},
		{"refusal", "the cloud refuses changes for six hours after one", refusal},
	}
}

// The errors of the cloud.
var (
	errNoAnswer = answer.Unavailable(errors.New("the cloud does not answer what " + secret + " sent"))
	errRefused  = errors.New("the cloud does not like what " + secret + " sent")
)

// partialFailure lets each resource fail in turn.
func partialFailure(c *checker) {
	for _, failing := range c.own {
		if !c.start() {
			return
		}
		c.cloud.onWrite = func(w *write) error {
			if slices.ContainsFunc(w.of, func(r *resource) bool { return r.String() == failing.String() }) {
				return c.fails(w, errRefused)
			}
			return c.carryOut(w)
		}
		c.try()
		c.settle()
	}
}

// ofSets disturbs only calls that change sets. They come after the other calls for a resource, which get
// none after one that fails.
func ofSets(disturb func(c *checker)) func(c *checker) {
	return func(c *checker) {
		c.setsOnly = true
		if slices.ContainsFunc(c.own, func(r *resource) bool { return len(r.sets) > 0 }) {
			disturb(c)
		}
	}
}

func lostAnswer(c *checker) {
	c.cloud.onWrite = func(w *write) error {
		_ = w.land()
		return c.fails(w, errNoAnswer)
	}
}

// lostOnce loses the first request to each resource, or its answer. Others set a key before the next call.
func lostOnce(lose func(w *write)) func(c *checker) {
	return func(c *checker) {
		isLost := map[string]bool{}
		c.cloud.onWrite = func(w *write) error {
			isFirst := false
			for _, r := range w.of {
				isFirst = isFirst || !isLost[r.String()]
				isLost[r.String()] = true
			}
			if !isFirst {
				return c.carryOut(w)
			}
			lose(w)
			for _, r := range w.of {
				c.plant(r, "drivertest-meanwhile")
			}
			return c.fails(w, errNoAnswer)
		}
	}
}

func (w *write) landed() { _ = w.land() }
func (*write) lost()     {}

// lateLanding lets the requests of the first call take effect after others may have been sent.
func lateLanding(c *checker) {
	c.cloud.onWrite = func(w *write) error {
		c.cloud.after(3*time.Minute, func() { _ = w.land() }) // the result is lost
		return c.fails(w, errNoAnswer)
	}
	c.try()
	c.undisturbed()
}

// reversal restores the previous class while a change may be under way, or does not show yet.
func reversal(lag time.Duration) func(c *checker) {
	return func(c *checker) {
		c.cloud.lag = lag
		c.try()
		c.prepare(c.from)
	}
}

// throttling throttles two calls of each function.
func throttling(c *checker) {
	throttled := map[string][]time.Time{}
	throttle := func(function string) error {
		before := throttled[function]
		c.require(!slices.Contains(before, c.cloud.now), c.promise, "%s is called again without Cloud.Wait", function)
		if len(before) == 2 {
			return nil
		}
		throttled[function] = append(before, c.cloud.now)
		return fmt.Errorf("%s: %w", function, machineupdate.ErrThrottled)
	}
	c.cloud.onRead = func() error { return throttle("Resources") }
	c.cloud.onWrite = func(w *write) error {
		if err := throttle(w.function); err != nil {
			return err
		}
		return c.carryOut(w)
	}
	c.expect("each call was throttled twice", func(kind machineupdate.DriverError, err error) bool {
		return err == nil || kind == machineupdate.ErrPending
	})
}

// expect says which errors UpdateMachine may return.
func (c *checker) expect(when string, is func(kind machineupdate.DriverError, err error) bool) {
	c.onReturn = func(err error) {
		kind, _ := machineupdate.DriverErrorOf(err)
		c.require(is(kind, err), c.promise, "%s, and the error is %v", when, err)
	}
}

func notFound(c *checker) {
	c.cloud.isGone = true
	c.expect("the VM is gone",
		func(kind machineupdate.DriverError, _ error) bool { return kind == machineupdate.ErrNotFound })
	c.try()
	c.cloud.isGone = false
	c.cloud.onRead = func() error { return errRefused }
	c.expect("a read failed", func(kind machineupdate.DriverError, err error) bool {
		return err != nil && kind != machineupdate.ErrNotFound
	})
}

func endOfContext(c *checker) {
	c.cloud.onWrite = func(w *write) error {
		c.pass.cancel()
		return c.fails(w, context.Canceled)
	}
}

// interference lets others set a key, add a member to each set and, where the cloud supports
// conditions, give new values to keys that are to be removed.
func interference(c *checker) {
	c.onMark = func() {
		c.onMark = func() {}
		for _, r := range c.own {
			c.plant(r, "drivertest-between")
			for set := range r.sets {
				c.plantMember(r, set, "drivertest-between")
			}
			to := r.folded(c.to.of(r).Tags)
			for key := range r.folded(c.from.of(r).Tags) {
				if _, stays := to[key]; !stays && r.Rules.Guard != tags.Unguarded && !r.Rules.KeysOnly {
					c.plant(r, key)
				}
			}
		}
	}
}

// sameChange lets others add each member, or remove it, right before the driver does.
func sameChange(c *checker) {
	c.cloud.onWrite = func(w *write) error {
		if w.member != "" {
			_ = w.land()
		}
		return c.carryOut(w)
	}
	c.expect("others have changed the set as the class wants", func(kind machineupdate.DriverError, err error) bool {
		return err == nil || kind == machineupdate.ErrPending
	})
}

// limits lets others fill the resources until this many keys do not fit. The foreign keys
// are removed once the driver has answered.
func limits(c *checker, lacking int) {
	isFull := false
	for _, r := range c.own {
		before := len(c.from.of(r).Tags)
		after := len(c.to.of(r).Tags)
		if lacking > 0 && before >= after {
			continue
		}
		isFull = lacking > 0
		for i := range r.Rules.MaxTags - max(before, after) - len(r.theirs) + lacking {
			c.plant(r, fmt.Sprint("drivertest-", i))
		}
	}
	c.need("limits, which need a resource with more infrastructure tags than in another state", isFull)
	if !isFull {
		return
	}
	c.expect("a resource has no room, so that nothing is to be called",
		func(_ machineupdate.DriverError, err error) bool {
			return c.pass.lane != "" || err != nil && c.pass.writes == 0
		})
	c.try()
	c.undisturbed()
	isFilling := func(key, _ string) bool { return strings.HasPrefix(key, "drivertest-") }
	for _, r := range c.own {
		maps.DeleteFunc(r.Tags, isFilling)
		maps.DeleteFunc(r.theirs, isFilling)
	}
}

// caseFolding lets others spell all keys in capitals, where the cloud ignores case.
func caseFolding(c *checker) {
	for _, r := range c.own {
		if r.Rules.IgnoresCase {
			capitals := map[string]string{}
			for key, value := range r.Tags {
				capitals[strings.ToUpper(key)] = value
			}
			r.Tags = capitals
		}
	}
}

// refusal restores the previous class as soon as the machine has settled.
func refusal(c *checker) {
	c.cloud.refusal = 6 * time.Hour
	c.settle()
	c.prepare(c.from)
	c.expect("the cloud says when it takes the change", func(_ machineupdate.DriverError, err error) bool {
		_, after := machineupdate.DriverErrorOf(c.pass.failed)
		_, told := machineupdate.DriverErrorOf(err)
		return after == 0 || told > 0
	})
	for end := c.cloud.time().Add(time.Hour); c.cloud.time().Before(end); {
		c.later(min(max(c.reconcile(), time.Second), 15*time.Minute))
	}
	record := c.machine.Annotations[machineupdate.AnnotationRecord]
	c.require(!strings.Contains(record, `"state":`), c.promise,
		"infrastructure tags are not settled after an hour, as attributes are not: they need a lane")
}
