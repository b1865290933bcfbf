package world

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsmachines"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// Replica is a process of the machine controller. It works while it has the lease, and ends when it
// loses it.
type Replica struct {
	Name       string
	Controller *controller.Controller
	Updater    *updater.Updater // nil unless the process was started by StartBeside

	driver  *awsmachines.Driver
	network *network
	elector *leaderelection.LeaderElector
	cancel  context.CancelCauseFunc
	done    chan struct{}
}

// The lease: its validity without renewal, the time in which the leader tries to renew it, and the
// period of its tries.
const (
	leaseDuration = 2 * time.Second
	renewDeadline = 1500 * time.Millisecond
	retryPeriod   = 300 * time.Millisecond
)

// StartReplica starts a process. It ends with the context of the world.
func (w *World) StartReplica(name string) (*Replica, error) {
	return w.start(name, func(context.Context, *Replica) error { return nil })
}

// start starts a process, after a last change of it.
func (w *World) start(name string, change func(ctx context.Context, r *Replica) error) (*Replica, error) {
	r := &Replica{Name: name, network: &network{}, done: make(chan struct{})}
	ctx, cancel := context.WithCancelCause(w.ctx)
	r.cancel = cancel
	config := rest.CopyConfig(w.Controllers)
	config.Wrap(r.network.wrap)
	client, err := api.NewClient(config, w.Namespace, w.Core)
	if err != nil {
		return nil, err
	}
	if err := w.assemble(ctx, r, client); err != nil {
		return nil, err
	}
	if err := change(ctx, r); err != nil {
		return nil, err
	}
	r.elector, err = w.election(r, config)
	if err != nil {
		return nil, err
	}
	w.running.Go(func() {
		defer close(r.done)
		r.elector.Run(ctx)
		cancel(context.Canceled)
	})
	return r, r.Controller.Cache.Start(ctx)
}

// wait waits no longer than a request takes: the time of a world is short, and its cloud names no delays.
func (w *World) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(min(d, w.Attempt)):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// assemble makes the cache, driver, recorder and controller of the process.
func (w *World) assemble(ctx context.Context, r *Replica, client *api.Client) error {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.Events})
	broadcaster.StartEventWatcher(func(event *corev1.Event) {
		if w.Observe != nil {
			w.Observe(r.Name, event)
		}
	})
	recorder := broadcaster.NewRecorder(api.NewScheme(w.Core), corev1.EventSource{Component: r.Name})
	var err error
	updates := awsdriver.Config{
		Endpoint: w.endpoint, HTTP: &http.Client{Transport: r.network.wrap(w.transport), Timeout: w.Attempt},
		Wait: w.wait, VolumeCooldown: w.VolumeCooldown,
		Takeover: func(resource machineupdate.ResourceID, key string) {
			if w.Takeover != nil {
				w.Takeover(r.Name, resource, key)
			}
		},
	}
	r.driver, err = awsmachines.New(awsmachines.Config{Config: updates, MaxBackoff: w.Attempt, Poll: w.Attempt / 5})
	if err != nil {
		return err
	}
	r.Controller = controller.New(controller.Config{
		Namespace: w.Namespace, Client: client, Machines: client.Machines, Nodes: client.Nodes,
		Cache:  controller.NewCache(client, 0),
		Driver: r.driver, Settings: w.Settings, Transfer: w.Transfer,
		CreationTimeout: time.Minute, HealthTimeout: time.Minute, Retry: w.Retry, Recorder: recorder, Now: time.Now,
	})
	return nil
}

// election returns the leader election of the process.
func (w *World) election(r *Replica, config *rest.Config) (*leaderelection.LeaderElector, error) {
	leases, err := coordinationv1.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "machine-controller"}, Client: leases,
			LockConfig: resourcelock.ResourceLockConfig{Identity: r.Name},
		},
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				go r.Controller.RunPools(ctx)
				if err := r.Controller.Run(ctx, w.Workers); err != nil {
					r.cancel(err)
				}
			},
			OnStoppedLeading: func() {},
		},
	})
}

// Leads reports whether the process assumes that it has the lease.
func (r *Replica) Leads() bool { return r.elector.IsLeader() }

// Ended reports whether the process has ended.
func (r *Replica) Ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Kill ends the process at once: it sends no further request.
func (r *Replica) Kill() {
	r.network.mu.Lock()
	r.network.killed = true
	r.network.mu.Unlock()
	r.Thaw()
	r.cancel(ErrKilled)
}

// Freeze stops the process like a machine that sleeps. After Thaw it continues as if no time had
// passed.
func (r *Replica) Freeze() {
	r.network.mu.Lock()
	defer r.network.mu.Unlock()
	if r.network.frozen == nil {
		r.network.frozen = make(chan struct{})
	}
}

// Thaw ends [Replica.Freeze].
func (r *Replica) Thaw() {
	r.network.mu.Lock()
	defer r.network.mu.Unlock()
	if r.network.frozen != nil {
		close(r.network.frozen)
		r.network.frozen = nil
	}
}

// After calls a function after the answer to the next request with the text in "METHOD path body"
// has arrived, and before the process gets it.
func (r *Replica) After(text string, do func()) { r.network.hook(hook{text: text, do: do}) }

// Lose loses the answer to the next request with the text. The request takes effect.
func (r *Replica) Lose(text string) { r.network.hook(hook{text: text, lose: true}) }
