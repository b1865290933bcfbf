package fleet_test

import (
	"context"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Scenario says how a fleet is updated.
type Scenario struct {
	Machines int
	Classes  int // of different tags; a change of all of them queues the machines class by class
	Workers  int
	Writes   float64 // a second
	// Own says that the updates have separate workers and a separate client. Creations then have MCM's,
	// of 50 workers and 100 writes a second.
	Own   bool
	Alone bool // without sharing and pacing
	// DescribeRefill is 20 a second, or 10 for reads without a filter.
	DescribeRefill float64
	InFlight       int // of a Limiter; zero is without one
	Latency        Latency
}

// Cost is what EC2 was asked.
type Cost struct{ Calls, Refused int }

// Result is what a scenario took.
type Result struct {
	Cost
	Updated   time.Duration // until all machines are updated
	Confirmed time.Duration // until all are confirmed
	Failed    int           // passes that failed
	Waited    time.Duration // of the creation that waited longest, beside what it takes
	Creations int
	Wrong     int // machines without the tag of their class
}

// spec is the provider spec.
type spec struct {
	Tags *tags.Tags `json:"tags,omitempty" hotupdatable:"true"`
}

type machine = metav1.PartialObjectMetadata

// run is a run of a scenario.
type run struct {
	Scenario
	cloud    *cloud
	kit      *driver.Kit[spec, *session]
	executor machineupdate.Executor[*machine]
	classes  []*machineupdate.PreparedClass
	updates  *pool
	others   *pool // the same, or MCM's
	began    time.Time
	settled  chan struct{} // closed when all machines are confirmed

	mutex    sync.Mutex
	result   Result
	endings  map[string]int
	machines []*machine
}

// creations is more than a run queues at once.
const creations = 10_000

// pool is a controller's queue with its client of the API server.
type pool struct {
	queue chan func()
	every time.Duration // between writes

	mutex sync.Mutex
	next  time.Time // when the next write may be sent
}

func newPool(writes float64, room int) *pool {
	return &pool{every: time.Duration(float64(time.Second) / writes), queue: make(chan func(), room)}
}

// write waits for the client's turn.
func (p *pool) write(ctx context.Context, takes time.Duration) error {
	p.mutex.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	turn := p.next.Sub(now)
	p.next = p.next.Add(p.every)
	p.mutex.Unlock()
	return sleep(ctx, turn+takes)
}

// Simulate runs a scenario in the bubble of the caller.
func (s Scenario) Simulate() (Result, error) {
	r := &run{
		Scenario: s, cloud: newCloud(s.Latency, s.DescribeRefill), endings: map[string]int{}, began: time.Now(),
		settled: make(chan struct{}), updates: newPool(s.Writes, s.Machines+creations),
	}
	r.others = r.updates
	if s.Own {
		r.others = newPool(100, creations)
	}
	if err := r.prepare(); err != nil {
		return Result{}, err
	}
	r.work()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.result.Cost = r.cloud.cost
	r.result.Failed = r.endings["CallFailed"] + r.endings["Partial"] + r.endings["Throttled"] + r.endings["WriteFailed"]
	for i, m := range r.machines {
		isWrong := func(live driver.Resource) bool { return live.Tags[key] != value(i%s.Classes, true) }
		if slices.ContainsFunc(r.cloud.read(m.Name), isWrong) {
			r.result.Wrong++
		}
	}
	return r.result, nil
}

// work has workers handle all machines, and creations.
func (r *run) work() {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	workers := func(p *pool, n int) {
		for range n {
			all.Go(func() {
				for {
					select {
					case do := <-p.queue:
						do()
					case <-ctx.Done():
						return
					}
				}
			})
		}
	}
	for class := range r.Classes {
		for i := class; i < r.Machines; i += r.Classes {
			r.updates.queue <- func() { r.reconcile(ctx, i) }
		}
	}
	workers(r.updates, r.Workers)
	if r.Own {
		workers(r.others, 50)
	}
	all.Go(func() { r.create(ctx) })
	<-r.settled
	cancel()
	all.Wait()
}

// reconcile looks at a machine, and again when its time has come.
func (r *run) reconcile(ctx context.Context, i int) {
	r.mutex.Lock()
	machine, observed := r.observe(i, r.classes[r.Classes+i%r.Classes])
	r.mutex.Unlock()
	result := r.executor.Reconcile(ctx, machine, observed)
	if result.RequeueAfter > 0 {
		time.AfterFunc(result.RequeueAfter, func() { r.updates.queue <- func() { r.reconcile(ctx, i) } })
	}
}

func (r *run) observe(i int, class *machineupdate.PreparedClass) (*machine, machineupdate.Observation) {
	m := r.machines[i]
	return m, machineupdate.Observation{ProviderID: providerID(m.Name), Phase: "Running", Class: class}
}

// create queues a creation every five seconds until all machines are updated.
func (r *run) create(ctx context.Context) {
	for sleep(ctx, 5*time.Second) == nil && !r.isUpdated() {
		queued := time.Now()
		r.others.queue <- func() {
			takes := r.launch(ctx)
			r.mutex.Lock()
			defer r.mutex.Unlock()
			r.result.Creations++
			r.result.Waited = max(r.result.Waited, time.Since(queued)-takes)
		}
	}
}

// launch makes a VM, and returns how long that takes if nothing else is asked of EC2 and the API
// server.
func (r *run) launch(ctx context.Context) time.Duration {
	call := func(action string, takes time.Duration) {
		for r.cloud.call(ctx, &Cost{}, action, takes) != nil && sleep(ctx, time.Second) == nil {
			continue
		}
	}
	call(runInstances, r.Latency.Run)
	call(describeInstances, r.Latency.Describe)
	for range 2 {
		_ = r.others.write(ctx, r.Latency.Write) // it ends with the run only
	}
	return r.Latency.Run + r.Latency.Describe + 2*r.Latency.Write
}

func (r *run) isUpdated() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.result.Updated > 0
}
