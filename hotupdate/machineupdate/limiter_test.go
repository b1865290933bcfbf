package machineupdate_test

import (
	"container/heap"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/jitter"
)

// adopting is a fleet that adopts hot updates, in a controller with a queue and workers. Workers take due machines in
// the order of their due times.
type adopting struct {
	workers  int
	step     time.Duration // duration of a reconcile without a call
	call     time.Duration // duration of UpdateMachine
	calls    float64       // passes that the cloud allows in a second; zero is no limit. Drivers wait for them.
	limiter  *machineupdate.Limiter
	now      time.Time
	free     []time.Time // when each worker is free
	queue    due
	order    int
	allowed  time.Time // when the cloud allows the next pass
	inFlight []time.Time
}

// work is a machine in the queue.
type work struct {
	at      time.Time
	order   int
	machine int // a creation is negative
	denials int
}

type due []work

func (d *due) Len() int { return len(*d) }
func (d *due) Less(i, j int) bool {
	a := (*d)[i]
	b := (*d)[j]
	return a.at.Before(b.at) || a.at.Equal(b.at) && a.order < b.order
}
func (d *due) Swap(i, j int) { (*d)[i], (*d)[j] = (*d)[j], (*d)[i] }
func (d *due) Push(x any)    { *d = append(*d, x.(work)) }
func (d *due) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

func (a *adopting) add(at time.Time, machine, denials int) {
	a.order++
	heap.Push(&a.queue, work{at, a.order, machine, denials})
}

// run adopts a fleet, with a creation after a second and then every seven minutes. It returns the longest wait of a
// creation for a worker, and the duration of the adoption.
func (a *adopting) run(machines int) (wait, took time.Duration) {
	a.now = start
	a.allowed = start
	a.free = make([]time.Time, a.workers)
	for machine := range machines {
		a.add(start, machine, 0)
	}
	adopted := 0
	creations := 1
	a.add(start.Add(time.Second), -1, 0)
	for len(a.queue) > 0 {
		next := heap.Pop(&a.queue).(work)
		worker := 0
		for i, free := range a.free {
			if free.Before(a.free[worker]) {
				worker = i
			}
		}
		a.now = later(next.at, a.free[worker])
		for len(a.inFlight) > 0 && !a.inFlight[0].After(a.now) { // calls end in the order in which they began
			a.inFlight = a.inFlight[1:]
			if a.limiter != nil {
				a.limiter.Done()
			}
		}
		held := a.step
		switch {
		case next.machine < 0:
			wait = max(wait, a.now.Sub(next.at))
			if adopted < machines {
				creations++
				a.add(next.at.Add(7*time.Minute), -creations, 0)
			}
		case a.limiter != nil && !a.limiter.Ask("FirstAdoption", a.now):
			delay := time.Minute
			a.add(a.now.Add(delay+jitter.Below(delay, fmt.Sprint(next.machine, next.denials))), next.machine, next.denials+1)
		default:
			adopted++
			held += a.pass()
			took = max(took, a.now.Add(held).Sub(start))
			a.inFlight = append(a.inFlight, a.now.Add(held))
		}
		a.free[worker] = a.now.Add(held)
	}
	return wait, took
}

// pass returns the duration of UpdateMachine, with the wait for the cloud.
func (a *adopting) pass() time.Duration {
	if a.calls == 0 {
		return a.call
	}
	a.allowed = later(a.allowed, a.now).Add(time.Duration(float64(time.Second) / a.calls))
	return a.allowed.Sub(a.now) + a.call
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// TestCreationsWaitBehindAdoption has the numbers of the guide in examples/machinecontroller.
// A quarter of the fleet takes at most a quarter of the time.
func TestCreationsWaitBehindAdoption(t *testing.T) {
	recommended := func() *machineupdate.Limiter {
		return &machineupdate.Limiter{Every: time.Second, Burst: 10, InFlight: 3}
	}
	for _, tc := range []struct {
		name     string
		limiter  *machineupdate.Limiter
		calls    float64
		wait     time.Duration // a creation waits at most so long
		longer   time.Duration // and longer than this
		adoption time.Duration // takes at most so long
	}{
		{"without a limiter", nil, 0, 51 * time.Minute, 48 * time.Minute, 52 * time.Minute},
		{"without a limiter, throttled", nil, 1.7, 100 * time.Minute, 95 * time.Minute, 100 * time.Minute},
		{"with the limiter", recommended(), 0, time.Minute, -1, 5 * time.Hour},
		{"with the limiter, throttled", recommended(), 1.7, time.Minute, -1, 6 * time.Hour},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := &adopting{workers: 10, step: 10 * time.Millisecond, call: 3 * time.Second, calls: tc.calls, limiter: tc.limiter}
			share := 1
			if !effort.All() {
				share = 4
			}
			of := func(whole time.Duration) time.Duration { return whole / time.Duration(share) }
			wait, took := a.run(10_000 / share)
			t.Logf("a creation waits up to %v, adoption takes %v", wait.Round(time.Second/10), took.Round(time.Minute))
			assert.LessOrEqual(t, wait, of(tc.wait))
			assert.Greater(t, wait, of(tc.longer))
			assert.LessOrEqual(t, took, of(tc.adoption))
		})
	}
}

// TestUnusableLimiter: a limiter that would deny updates for ever is told by the first reconcile, with all of its
// problems. Nothing is called or written meanwhile.
func TestUnusableLimiter(t *testing.T) {
	for name, tc := range map[string]struct {
		limiter *machineupdate.Limiter
		want    []string
	}{
		"none":              {nil, nil},
		"zero":              {&machineupdate.Limiter{}, []string{"Every", "Burst"}},
		"no Every":          {&machineupdate.Limiter{Burst: 10}, []string{"Every"}},
		"no Burst":          {&machineupdate.Limiter{Every: time.Second}, []string{"Burst"}},
		"negative":          {&machineupdate.Limiter{Every: -1, Burst: -1, InFlight: -1}, []string{"Every", "Burst", "InFlight"}},
		"negative InFlight": {&machineupdate.Limiter{Every: time.Second, Burst: 1, InFlight: -1}, []string{"InFlight"}},
		"least":             {&machineupdate.Limiter{Every: 1, Burst: 1}, nil},
		"least InFlight":    {&machineupdate.Limiter{Every: 1, Burst: 1, InFlight: 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, settledRecord(classOf(t, `{"image":""}`)))
			b.Limiter = tc.limiter
			result := b.Reconcile(t.Context(), b.o)
			var fields []string
			for _, problem := range fault.All(result.Err) {
				assert.Equal(t, "unusable-limiter", problem.Code)
				fields = append(fields, problem.Field)
			}
			assert.Equal(t, tc.want, fields)
			assert.Equal(t, tc.want == nil, machineupdate.EndingOf(result) == "Updated")
			assert.Equal(t, tc.want == nil, len(b.writes) > 0)
			if tc.want == nil {
				return
			}
			p := newPool(t)
			p.drain()
			p.executor.Limiter = tc.limiter
			p.apply()
			assert.False(t, p.ready)
		})
	}
}
