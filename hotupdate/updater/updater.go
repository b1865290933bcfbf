package updater

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	expiring "k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/wait"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Updater applies hot updates beside a machine-controller-manager. It is a [prometheus.Collector].
type Updater struct {
	options Options
	driver  machineupdate.Driver

	clients     clients
	cache       *caches
	store       store
	executor    *machineupdate.Executor[*object]
	broadcaster record.EventBroadcaster
	recorder    record.EventRecorder
	metrics     *metrics
	fleet       machineupdate.Fleet[*object]
	classes     machineupdate.Classes // of updates
	creating    machineupdate.Classes // of creations: MCM's cache may lag behind, or run ahead

	written  *expiring.Expiring // the version that this process has written last, by machine
	reported sync.Map           // what was reported about the InPlace part, by machine
	secrets  secrets            // of classes
	calls    calls              // of the driver
	memory   machineupdate.Memory

	made      time.Time   // when New returned it
	ran       atomic.Bool // Run was called
	recording sync.Once   // events are sent to the API server
	told      sync.Map    // the last problem that was reported about a class, by its name
	broken    sync.Map    // the last problem that was reported about a machine, by its name

	succession chan struct{} // a MachineDeployment has another class; it has room for one

	leading chan struct{} // has room for one term at a time
	claims  claims        // of machines, by workers of all terms
	// queue is nil while another process leads.
	queue atomic.Pointer[queue]
}

// queue has the names of machines.
type queue = workqueue.TypedRateLimitingInterface[string]

// Leader election, with client-go's recommended times. MCM has another lease.
const (
	leaseName     = "machine-controller-hot-update"
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

// workers is the default of Options.Workers. The Limiter bounds the calls of the driver.
const workers = 20

// Run updates machines until the context ends. It competes for the lease
// machine-controller-hot-update. Losing the lease ends the updates of this process, and never the
// process: Run competes again once the calls of the driver have returned, or after 5 seconds without
// those that do not return. Call it once, in a separate goroutine.
//
// Do not pass a context of signal.NotifyContext: it would keep the signal from ending the process,
// because MCM handles no signals.
func (u *Updater) Run(ctx context.Context) {
	u.ran.Store(true)
	defer u.broadcaster.Shutdown()
	u.record()
	if err := u.watch(); err != nil {
		klog.FromContext(ctx).Error(err, "hot updates cannot watch machines")
		return
	}
	u.cache.factory.Start(ctx.Done())
	if u.cache.sync(ctx) {
		wait.UntilWithContext(ctx, u.compete, retryPeriod)
	}
	u.leading <- struct{}{} // the last term has ended
}

// record has events sent to the API server. A creation may record an event before Run is called,
// and in a namespace other than ours.
func (u *Updater) record() {
	u.recording.Do(func() {
		u.broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: u.clients.core.Events("")})
	})
}

// compete competes for the lease until it was lost and the term has ended.
func (u *Updater) compete(ctx context.Context) {
	host, _ := os.Hostname()                                          // only for people
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{ // it panics only for an invalid configuration
		Lock: &resourcelock.LeaseLock{
			LeaseMeta: metav1.ObjectMeta{Namespace: u.options.Namespace, Name: leaseName}, Client: u.clients.leases,
			LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())},
		},
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: u.lead, OnStoppedLeading: func() {}},
	})
	u.leading <- struct{}{} // the term has ended, or finds that it is over before it begins
	<-u.leading
}

// lead handles machines until the term ends. It returns when all of its goroutines have ended, apart from
// those inside a call of the driver that ignores the end of its context.
func (u *Updater) lead(ctx context.Context) {
	u.leading <- struct{}{}
	defer func() { <-u.leading }()
	if ctx.Err() != nil {
		return
	}
	u.memory.Restart(time.Now())
	machines := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	u.queue.Store(&machines)
	u.metrics.leads.Set(1)
	u.enqueueIf(func(*object) bool { return true })
	working := newTerm()
	ctx = context.WithValue(ctx, termKey{}, working)
	for range cmp.Or(u.options.Workers, workers) {
		u.work(ctx, machines, working)
	}
	working.run(func() { u.tendVersions(ctx) })
	<-ctx.Done()
	u.metrics.leads.Set(0)
	u.queue.Store(nil)
	machines.ShutDown()
	working.end()
}

// work handles machines in a separate goroutine. If the driver ends that goroutine, another goroutine
// takes its place.
func (u *Updater) work(ctx context.Context, machines queue, working *term) {
	working.run(func() {
		isOver := false
		defer func() {
			if !isOver {
				u.work(ctx, machines, working)
			}
		}()
		for !isOver {
			isOver = u.next(ctx, machines)
		}
	})
}

// next handles the next machine, and reports whether the term is over.
func (u *Updater) next(ctx context.Context, machines queue) (isOver bool) {
	name, isOver := machines.Get()
	if isOver {
		return true
	}
	defer machines.Done(name)
	if ctx.Err() != nil {
		return true
	}
	if !u.claims.take(ctx, name) {
		return false // its release enqueues the machine
	}
	delay := brokenRetry
	hasReturned := false
	defer func() {
		value := recover()
		switch {
		case value != nil:
			u.tellBroken(ctx, name, machineupdate.NewPanicError(value))
		case !hasReturned:
			u.tellBroken(ctx, name, errNoReturn)
		}
		if delay > 0 {
			machines.AddAfter(name, delay)
		}
		if u.claims.release(name) {
			u.enqueue(name)
		}
	}()
	delay = u.reconcile(ctx, name)
	hasReturned = true
	return false
}

// errNoReturn is the error of a driver that ends its goroutine.
var errNoReturn = errors.New("the update did not return")

// watch enqueues the machines that a change concerns.
func (u *Updater) watch() error {
	machines := handle(u.cache.machines, func(name string, _, after *object) {
		if after == nil {
			u.written.Delete(name)
			u.reported.Delete(name)
			u.broken.Delete(name)
		}
		u.enqueue(name)
	})
	classes := handle(u.cache.classes, func(name string, before, after *object) {
		if after == nil {
			u.classes.Forget(u.options.Namespace + "/" + name)
			u.told.Delete(name)
		}
		if before == nil || before.GetResourceVersion() != after.GetResourceVersion() {
			u.enqueueIf(func(machine *object) bool { // that has the class, or should have it
				owned, err := u.cache.ownership(machine)
				return err != nil || owned.wanted == name || text(machine, "spec", "class", "name") == name
			})
		}
	})
	deployments := handle(u.cache.deployments, func(_ string, before, after *object) {
		if before == nil || wantedOf(before) != wantedOf(after) || isInPlace(before) != isInPlace(after) {
			u.enqueueIf(func(machine *object) bool { return metav1.GetControllerOf(machine) != nil })
			select {
			case u.succession <- struct{}{}:
			default: // a run of tendVersions is due anyway
			}
		}
	})
	return errors.Join(machines, classes, deployments)
}

func (u *Updater) enqueueIf(concerns func(machine *object) bool) {
	for _, machine := range u.cache.allMachines() {
		if concerns(machine) {
			u.enqueue(machine.GetName())
		}
	}
}

func (u *Updater) enqueue(name string) {
	if machines := u.queue.Load(); machines != nil {
		(*machines).Add(name)
	}
}
