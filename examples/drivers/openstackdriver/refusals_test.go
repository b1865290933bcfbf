package openstackdriver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/examples/drivers/openstackdriver"
	"github.com/hotupdate/providerconfig/examples/drivers/openstackdriver/openstacktest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The tests of this file run the update flow for a fleet, with the default times, on an OpenStack
// that refuses calls.

type object = metav1.PartialObjectMetadata

// world has the machines, and the events and requests of their updates. Its clock is the clock of
// the synctest bubble.
type world struct {
	api      *openstacktest.API
	executor *machineupdate.Executor[*object]
	class    *machineupdate.PreparedClass
	began    time.Time

	mutex    sync.Mutex
	machines map[string]*object
	passes   map[string]int // of each machine, until its update has succeeded
	last     time.Duration  // the time until the last update has succeeded
	events   map[string]int // by reason
	requests []time.Duration
}

// newWorld returns n machines whose class has other metadata and other security groups. Refuse
// returns the answer to the request with a number, counted from 1, or nil.
func newWorld(t *testing.T, n int, refuse func(request int) http.Handler) *world {
	t.Helper()
	w := &world{
		api: machines(n), began: time.Now(), machines: map[string]*object{}, passes: map[string]int{}, events: map[string]int{},
	}
	w.api.Answers = func(*http.Request) http.Handler {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.requests = append(w.requests, time.Since(w.began))
		return refuse(len(w.requests))
	}
	kit, err := openstackdriver.New(config(w.api))
	require.NoError(t, err)
	class := machineupdate.MachineClass{
		Object:       &object{ObjectMeta: metav1.ObjectMeta{Name: "class"}},
		ProviderSpec: []byte(spec(t, map[string]string{"team": "b"}, nil, "more")),
	}
	w.class, err = new(machineupdate.Classes).Prepare(class, kit.Driver())
	require.NoError(t, err)
	w.executor = &machineupdate.Executor[*object]{
		Patch: w.patch, UpdateMachine: kit.UpdateMachine, Now: time.Now, Event: w.event,
	}
	for i := range n {
		name := fmt.Sprint("m-", i)
		w.machines[name] = &object{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "1"}}
	}
	return w
}

func (w *world) event(_ runtime.Object, _, reason, _ string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.events[reason]++
}

// patch writes annotations of a machine, as the API server does.
func (w *world) patch(
	_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string,
) (*object, error) {
	var sent struct {
		Metadata struct{ Annotations map[string]string }
	}
	if err := json.Unmarshal(data, &sent); err != nil {
		return nil, err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	written := w.machines[name].DeepCopy()
	for key, value := range sent.Metadata.Annotations {
		metav1.SetMetaDataAnnotation(&written.ObjectMeta, key, value)
	}
	version, err := strconv.Atoi(written.ResourceVersion)
	written.ResourceVersion = strconv.Itoa(version + 1)
	w.machines[name] = written
	return written, err
}

// run updates the machines with 20 workers until each update has succeeded, within the limit.
func (w *world) run(t *testing.T, limit time.Duration) {
	t.Helper()
	workers := make(chan struct{}, 20)
	var all sync.WaitGroup
	for i := range len(w.machines) {
		all.Go(func() {
			isDone := false
			for !isDone && time.Since(w.began) < limit {
				workers <- struct{}{}
				result := w.reconcile(t, i)
				<-workers
				isDone = result.Err == nil
				if !isDone {
					time.Sleep(result.RequeueAfter)
				}
			}
		})
	}
	all.Wait()
	time.Sleep(time.Hour) // the pacers' alarms end
}

func (w *world) reconcile(t *testing.T, i int) machineupdate.Result[*object] {
	t.Helper()
	name := fmt.Sprint("m-", i)
	w.mutex.Lock()
	machine := w.machines[name]
	w.passes[name]++
	w.mutex.Unlock()
	result := w.executor.Reconcile(t.Context(), machine, machineupdate.Observation{
		ProviderID: fmt.Sprint("openstack:///r/s-", i), Phase: "Running", Class: w.class, Secret: secret,
	})
	if result.Err == nil {
		w.mutex.Lock()
		w.last = max(w.last, time.Since(w.began))
		w.mutex.Unlock()
	}
	return result
}

// expectDone checks that each machine was updated, within a number of passes.
func (w *world) expectDone(t *testing.T, passes int) {
	t.Helper()
	assert.Equal(t, len(w.machines), w.events["HotUpdated"])
	for name, n := range w.passes {
		assert.LessOrEqual(t, n, passes, name)
	}
	live, err := w.api.Resources(t.Context())
	require.NoError(t, err)
	for i := range live {
		if live[i].Name == "pvc" {
			continue
		}
		assert.Equal(t, flat(map[string]string{"team": "b"}), live[i].Tags, live[i].ID)
	}
}

// TestRefusedByChance: each request fails with the same probability, independently of the others.
// Every machine is updated within a number of passes that depends on this probability alone. A pass
// fails with a probability of less than 0.001, 0.06 and 0.5.
func TestRefusedByChance(t *testing.T) {
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusConflict, http.StatusTooManyRequests} {
		for percent, passes := range map[int]int{5: 4, 20: 8, 40: 24} {
			synctest.Test(t, func(t *testing.T) {
				dice := rand.New(rand.NewPCG(uint64(status), uint64(percent)))
				refusal := openstacktest.Refusal(status, nil)
				w := newWorld(t, 30, func(int) http.Handler {
					if dice.IntN(100) < percent {
						return refusal
					}
					return nil
				})
				w.run(t, 24*time.Hour)
				w.expectDone(t, passes)
				t.Logf("%d for %d%%: %v, %d requests, %v", status, percent, w.last.Round(time.Second), len(w.requests), w.events)
			})
		}
	}
}

// TestRefusedAtIntervals: no fixed pattern of refusals starves a machine. A single machine needs
// one pass. In one pattern the third and the fifth of five requests fail: these five requests are
// one pass of a driver that repeats nothing, and its update would never end.
func TestRefusedAtIntervals(t *testing.T) {
	refusal := openstacktest.Refusal(http.StatusServiceUnavailable, nil)
	every := func(length int) []bool {
		pattern := make([]bool, length)
		pattern[length-1] = true
		return pattern
	}
	alone := [][]bool{{false, false, true, false, true}}
	for length := 3; length <= 15; length++ {
		alone = append(alone, every(length))
	}
	together := [][]bool{alone[0], every(3), every(5)}
	for n, patterns := range map[int][][]bool{1: alone, 30: together} {
		passes := map[int]int{1: 1, 30: 12}[n]
		for _, pattern := range patterns {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, n, func(request int) http.Handler {
					if pattern[(request-1)%len(pattern)] {
						return refusal
					}
					return nil
				})
				w.run(t, 24*time.Hour)
				w.expectDone(t, passes)
				t.Logf("%d machines, %v: %v, %d requests, %v", n, pattern, w.last.Round(time.Second), len(w.requests), w.events)
			})
		}
	}
}

// TestThrottledForTenMinutes: Nova and Cinder throttle all calls, and Keystone has issued a token
// before. During the outage few requests are sent. Afterwards the fleet is updated at the pace of
// the kit. If a delay is too long for the kit to wait, the flow waits, for growing times, but not
// longer than the outage has lasted.
func TestThrottledForTenMinutes(t *testing.T) {
	for _, tc := range []struct {
		after     string // in seconds
		meanwhile int    // the limit of requests during the outage
		done      time.Duration
	}{
		{"", 60, time.Minute},
		{"5", 60, time.Minute},
		{"30", 60, time.Minute},
		{"60", 60, 90 * time.Second},
		{"90", 300, 15 * time.Minute},
		{"600", 60, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			const outage = 10 * time.Minute
			began := time.Now()
			isOut := func() bool { return time.Since(began) < outage }
			refusal := openstacktest.Refusal(http.StatusTooManyRequests, http.Header{"Retry-After": {tc.after}})
			var meanwhile, inSecond, most int
			var second time.Duration
			w := newWorld(t, 30, nil)
			w.api.Answers = func(r *http.Request) http.Handler {
				w.mutex.Lock()
				defer w.mutex.Unlock()
				if now := time.Since(began).Truncate(time.Second); now != second {
					second = now
					inSecond = 0
				}
				inSecond++
				most = max(most, inSecond)
				if strings.HasPrefix(r.URL.Path, "/identity/") || !isOut() {
					return nil
				}
				meanwhile++
				return refusal
			}
			w.run(t, 24*time.Hour)
			w.expectDone(t, 9)
			assert.LessOrEqual(t, meanwhile, tc.meanwhile)
			assert.LessOrEqual(t, w.last-outage, tc.done)
			t.Logf("Retry-After %s: %d requests meanwhile, done %v after, at most %d requests in a second, %v",
				tc.after, meanwhile, (w.last - outage).Round(time.Second), most, w.events)
		})
	}
}
