package updater_test

import (
	"context"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// deaf has the calls for a machine ignore their context until they are told to return.
func (w *world) deaf(machine string) (proceed chan struct{}) {
	proceed = make(chan struct{})
	w.doesInstead(func(_ context.Context, r *machineupdate.UpdateMachineRequest) (error, bool) {
		if r.Machine == machine {
			<-proceed
		}
		return nil, false
	})
	return proceed
}

// callsOf returns how often the driver was called for a machine.
func (w *world) callsOf(machine string) int {
	w.cloud.Lock()
	defer w.cloud.Unlock()
	return w.calls[machine]
}

// nextTerm has the lease stolen, and waits for the next term.
func (w *world) nextTerm(u *updater.Updater) (took time.Duration) {
	w.Helper()
	w.stealLease()
	w.until("the term ends", time.Minute, func() bool { return metric(w.T, u, "hot_update_leads") == 0 })
	return w.until("the next term begins", time.Minute, func() bool { return metric(w.T, u, "hot_update_leads") == 1 })
}

// requestsOfLease returns how often the lease was read or written. Who competes reads it first, and writes it once it has run out.
func (w *world) requestsOfLease() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.counts["GET leases"] + w.counts["PUT leases"]
}

// TestDeafCallAndLostLease: a call of the driver does not return, and the lease of the only replica is lost, again and
// again. The replica competes again, and updates all other machines. The call keeps its machine whatever the term, is
// not joined by a second one, and once it returns, the machine is updated to the class of that moment. Until then it
// costs one goroutine.
func TestDeafCallAndLostLease(t *testing.T) {
	inWorld(t, func(w *world) {
		w.putClass("class", red)
		all := w.fleet(10, red)
		u := w.start(fast, func(o *updater.Options) { o.Workers = 2 })
		w.until("the fleet is adopted", time.Hour, func() bool { return w.settled(all) })
		proceed := w.deaf(all[0])
		w.putClass("class", blue)
		w.until("the others are updated", time.Minute, func() bool { return w.tagged(all[1:], blue) })
		calls := w.callsOf(all[0])
		t.Log("the next term begins after", w.nextTerm(u))
		time.Sleep(time.Minute)
		goroutines := runtime.NumGoroutine()
		for i := range 10 {
			w.nextTerm(u)
			green := map[string]string{"team": strconv.Itoa(i)}
			w.putClass("class", green)
			w.until("the others are updated", time.Minute, func() bool { return w.tagged(all[1:], green) })
			time.Sleep(time.Minute)
		}
		assert.Equal(t, calls, w.callsOf(all[0]), "it is called once")
		assert.True(t, w.tagged(all[:1], red))
		assert.InDelta(t, 1, metric(t, u, "hot_update_overdue_calls"), 0)
		assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines+2)
		close(proceed)
		last := map[string]string{"team": "9"}
		took := w.until("the last machine is updated", 20*time.Second, func() bool { return w.tagged(all, last) })
		t.Log("updated after", took)
		w.until("all settle", time.Hour, func() bool { return w.settled(all) })
	})
}

// TestLateCallIsAwaited: a call that returns soon after the end of its term is over before the next term begins.
func TestLateCallIsAwaited(t *testing.T) {
	inWorld(t, func(w *world) {
		w.putClass("class", red)
		all := w.fleet(2, red)
		u := w.start(fast)
		w.until("the fleet is adopted", time.Hour, func() bool { return w.settled(all) })
		var returned atomic.Bool
		w.doesInstead(func(ctx context.Context, _ *machineupdate.UpdateMachineRequest) (error, bool) {
			if !returned.Load() {
				<-ctx.Done()
				time.Sleep(4 * time.Second)
				returned.Store(true)
				return ctx.Err(), true
			}
			return nil, false
		})
		w.putClass("class", blue)
		time.Sleep(time.Second)
		w.stealLease()
		w.until("the term ends", time.Minute, func() bool { return metric(t, u, "hot_update_leads") == 0 })
		before := w.requestsOfLease()
		w.until("the call returns", time.Minute, returned.Load)
		assert.Equal(t, before, w.requestsOfLease(), "it does not compete before")
		w.until("all are updated", time.Minute, func() bool { return w.tagged(all, blue) })
	})
}

// TestDeafCallGivesItsPlaceBack: a call that goes on when its time is over no longer counts as an update that is under way.
func TestDeafCallGivesItsPlaceBack(t *testing.T) {
	inWorld(t, func(w *world) {
		w.putClass("class", red)
		all := w.fleet(4, red)
		w.start(fast, func(o *updater.Options) {
			o.Limiter = &machineupdate.Limiter{Every: time.Millisecond, Burst: 100, InFlight: 1}
		})
		w.until("the fleet is adopted", time.Hour, func() bool { return w.settled(all) })
		proceed := w.deaf(all[0])
		w.change(pathOf("machines", all[0]), func(machine values) { machine["spec"].(values)["class"] = values{"name": "other"} })
		w.putClass("other", blue)
		time.Sleep(time.Second)
		w.putClass("class", blue)
		time.Sleep(4 * time.Minute)
		assert.False(t, w.tagged(all[1:2], blue), "its place is taken")
		w.until("the others are updated", 4*time.Minute, func() bool { return w.tagged(all[1:], blue) })
		close(proceed)
		w.until("all are updated", 5*time.Minute, func() bool { return w.tagged(all, blue) })
	})
}
