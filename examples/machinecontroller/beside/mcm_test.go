package beside_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/beside"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// mcm stands in for machine-controller-manager, with its order of calls and writes: full updates of
// the cached Machine, the status as a write of its own, the provider ID after CreateMachine, and
// InitializeMachine whatever became of that write. It knows nothing of hot updates.
type mcm struct {
	*beside.Provider

	namespace string
	client    *api.Client
	classes   cache.SharedIndexInformer
	found     cache.SharedIndexInformer // machines
	queue     workqueue.TypedRateLimitingInterface[string]
	conflicts atomic.Int32 // of its writes
	late      atomic.Int32 // those with machines that it has finished creating
	pending   atomic.Bool  // machines do not join
	beat      time.Duration
}

// The times of MCM, shortened.
const (
	conflictRetry = 20 * time.Millisecond
	shortRetry    = 100 * time.Millisecond
)

// runMCM runs the stand-in until the test ends.
func runMCM(t *testing.T, namespace string, client *api.Client, p *beside.Provider, beat time.Duration) *mcm {
	t.Helper()
	m := &mcm{Provider: p, namespace: namespace, client: client, beat: beat}
	m.found = informer(client.Machines, &api.Machine{})
	m.classes = informer(client.MachineClasses, &api.MachineClass{})
	m.queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	_, err := m.found.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { m.queue.Add(obj.(*api.Machine).Name) },
		UpdateFunc: func(_, obj any) { m.queue.Add(obj.(*api.Machine).Name) },
	})
	require.NoError(t, err)
	for _, of := range []cache.SharedIndexInformer{m.found, m.classes} {
		go of.RunWithContext(t.Context())
		require.True(t, cache.WaitForCacheSync(t.Context().Done(), of.HasSynced))
	}
	ended := make(chan struct{}, 10)
	for range cap(ended) {
		go func() {
			for m.next(t.Context()) {
			}
			ended <- struct{}{}
		}()
	}
	t.Cleanup(func() {
		m.queue.ShutDown()
		for range cap(ended) {
			<-ended
		}
	})
	return m
}

// informer watches the objects of a client.
func informer[T machineupdate.MachineObject, L runtime.Object](
	client *gentype.ClientWithList[T, L], object T,
) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return client.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.Watch(ctx, options)
		},
	}, object, 0, cache.Indexers{})
}

func (m *mcm) next(ctx context.Context) bool {
	name, over := m.queue.Get()
	if over {
		return false
	}
	defer m.queue.Done(name)
	found, exists, _ := m.found.GetStore().GetByKey(m.namespace + "/" + name)
	if !exists || ctx.Err() != nil {
		return true
	}
	machine := found.(*api.Machine)
	retry, err := m.reconcile(ctx, machine.DeepCopy())
	if apierrors.IsConflict(err) {
		retry = conflictRetry
		if m.conflicts.Add(1); machine.Status.CurrentStatus.Phase == api.MachineRunning {
			m.late.Add(1)
		}
	}
	if retry > 0 {
		m.queue.AddAfter(name, retry)
	}
	return true
}

func (m *mcm) reconcile(ctx context.Context, machine *api.Machine) (time.Duration, error) {
	machines := m.client.Machines
	switch phase := machine.Status.CurrentStatus.Phase; {
	case machine.DeletionTimestamp != nil:
		m.DeleteMachine(machine.Name)
		machine.Finalizers = nil
		_, err := machines.Update(ctx, machine, metav1.UpdateOptions{})
		return 0, err
	case !slices.Contains(machine.Finalizers, api.Finalizer):
		machine.Finalizers = append(machine.Finalizers, api.Finalizer)
		_, err := machines.Update(ctx, machine, metav1.UpdateOptions{})
		return shortRetry, err
	case machine.Spec.ProviderID == "" || phase == "" || phase == api.MachineCrashLoopBackOff:
		return shortRetry, m.create(ctx, machine)
	case phase == api.MachinePending && m.pending.Load():
		return shortRetry, nil
	case phase == api.MachinePending:
		return shortRetry, m.status(ctx, machine, api.MachineRunning)
	case phase == api.MachineRunning && m.isDue(machine):
		return m.beat, m.status(ctx, machine, api.MachineRunning)
	}
	return m.beat, nil
}

// isDue reports whether the status is to be written again.
func (m *mcm) isDue(machine *api.Machine) bool {
	return m.beat > 0 && time.Since(machine.Status.LastOperation.LastUpdateTime.Time) > m.beat
}

// create is the creation flow.
func (m *mcm) create(ctx context.Context, machine *api.Machine) error {
	found, exists, _ := m.classes.GetStore().GetByKey(m.namespace + "/" + machine.Spec.Class.Name)
	if !exists {
		return nil
	}
	class := found.(*api.MachineClass)
	id, err := m.GetMachineStatus(machine.Name)
	isNew := errors.Is(err, beside.ErrUninitialized)
	switch {
	case (errors.Is(err, beside.ErrNotFound) || errors.Is(err, beside.ErrUnimplemented)) && machine.Spec.ProviderID == "":
		if id, err = m.CreateMachine(ctx, machine, class, class.ProviderSpec.Raw); err != nil {
			return err
		}
		isNew = true
	case errors.Is(err, beside.ErrUnimplemented):
		id = machine.Spec.ProviderID
	}
	written, err := m.label(ctx, machine, id)
	if isNew {
		m.InitializeMachine(ctx, written, class, class.ProviderSpec.Raw)
		return err
	}
	if err != nil || written.ResourceVersion != machine.ResourceVersion {
		return err
	}
	return m.status(ctx, written, api.MachinePending)
}

// label writes the provider ID and the node's label.
func (m *mcm) label(ctx context.Context, machine *api.Machine, id string) (*api.Machine, error) {
	if machine.Spec.ProviderID != "" {
		return machine, nil
	}
	clone := machine.DeepCopy()
	clone.Spec.ProviderID = id
	metav1.SetMetaDataLabel(&clone.ObjectMeta, api.NodeLabelKey, machine.Name)
	metav1.SetMetaDataAnnotation(&clone.ObjectMeta, "machinepriority.machine.sapcloud.io", "3")
	written, err := m.client.Machines.Update(ctx, clone, metav1.UpdateOptions{})
	if err != nil {
		return machine, err
	}
	return written, nil
}

// status writes a status.
func (m *mcm) status(ctx context.Context, machine *api.Machine, phase api.MachinePhase) error {
	now := metav1.Now()
	machine.Status.CurrentStatus = api.CurrentStatus{Phase: phase, LastUpdateTime: now}
	machine.Status.LastOperation = api.LastOperation{
		Type: api.MachineOperationHealthCheck, State: api.MachineStateSuccessful, LastUpdateTime: now,
	}
	_, err := m.client.Machines.UpdateStatus(ctx, machine, metav1.UpdateOptions{})
	return err
}
