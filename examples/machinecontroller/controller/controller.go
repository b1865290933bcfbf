// Package controller is a machine controller with the flows of machine-controller-manager:
// creation, initialization, health check, update, in-place update and deletion of machines through
// a driver, and their pools.
//
// Package machineupdate decides what to update and what to record, and package inplace the next
// step of an in-place update. This package shows where their calls belong. It knows no cloud, and
// no infrastructure tags.
package controller

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Machines has the controller's writes of client-go's client for machines.
type Machines interface {
	Update(ctx context.Context, machine *api.Machine, options metav1.UpdateOptions) (*api.Machine, error)
	UpdateStatus(ctx context.Context, machine *api.Machine, options metav1.UpdateOptions) (*api.Machine, error)
	Patch(
		ctx context.Context, name string, patchType types.PatchType, data []byte, options metav1.PatchOptions,
		subresources ...string,
	) (*api.Machine, error)
}

// Nodes has the calls of client-go's client for nodes in the reconcile of a machine.
type Nodes interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (*corev1.Node, error)
	Update(ctx context.Context, node *corev1.Node, options metav1.UpdateOptions) (*corev1.Node, error)
	UpdateStatus(ctx context.Context, node *corev1.Node, options metav1.UpdateOptions) (*corev1.Node, error)
}

// Retry has the periods after which a controller reconciles a machine again.
type Retry struct{ Conflict, Short, Medium, Long time.Duration }

// Config configures a controller.
type Config struct {
	Namespace string
	Client    *api.Client // for pools
	Machines  Machines
	Nodes     Nodes
	Cache     *Cache
	Driver    driver.Driver
	// Settings are the times of updates. Limiter limits updates; nil is no limit.
	Settings machineupdate.Settings
	Limiter  *machineupdate.Limiter
	// CreationTimeout is the time for a machine to join, HealthTimeout the time that it may be
	// unhealthy. After that it has failed.
	CreationTimeout, HealthTimeout time.Duration
	Retry                          Retry
	// Transfer says which class a machine names after it has been updated in place.
	Transfer Transfer
	// DeleteBootstrapToken is called after a machine has joined for the first time. It may be nil.
	DeleteBootstrapToken func(machine string)
	Recorder             record.EventRecorder
	Now                  func() time.Time
}

// Controller is one process of the machine controller.
type Controller struct {
	Config

	// Reconciles and Fleet have the numbers for metrics.
	Reconciles *prometheus.CounterVec
	Fleet      machineupdate.Fleet[*api.Machine]

	queue   workqueue.TypedRateLimitingInterface[string]
	classes machineupdate.Classes
	memory  machineupdate.Memory
}

// New returns a controller.
func New(config Config) *Controller {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	c := &Controller{Config: config, Reconciles: newReconciles(), queue: queue}
	c.classes.OnNonHotChange = c.reportNonHotChange
	return c
}

// Run works until the context is done, with a number of workers. The cache must have synced.
func (c *Controller) Run(ctx context.Context, workers int) error {
	handles, err := c.watch()
	if err != nil {
		return err
	}
	defer func() {
		for _, remove := range handles {
			remove()
		}
	}()
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for c.work(ctx) {
			}
		})
	}
	<-ctx.Done()
	c.queue.ShutDown()
	working.Wait()
	return nil
}

// work takes a machine from the queue and reconciles it. It returns false when the queue is shut
// down.
func (c *Controller) work(ctx context.Context) bool {
	key, shutDown := c.queue.Get()
	if shutDown {
		return false
	}
	defer c.queue.Done(key)
	if ctx.Err() != nil {
		return true
	}
	if delay := c.reconcile(ctx, key); delay > 0 {
		c.queue.AddAfter(key, delay)
	}
	return true
}

// watch enqueues machines like machine-controller-manager: new machines, machines whose generation
// has changed, and machines of a changed class or node. A change of a machine's
// annotations or status enqueues nothing.
func (c *Controller) watch() (remove []func(), err error) {
	handlers := map[cache.SharedIndexInformer]cache.ResourceEventHandlerFuncs{
		c.Cache.Machines: {
			AddFunc: func(object any) { c.enqueue(object) },
			UpdateFunc: func(before, object any) {
				if generationOf(before) != generationOf(object) {
					c.enqueue(object)
				}
			},
		},
		c.Cache.MachineClasses: {
			UpdateFunc: func(_, object any) {
				c.enqueueWhere(func(m *api.Machine) bool { return c.concerns(m, nameOf(object)) })
			},
			DeleteFunc: func(object any) {
				if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
					c.classes.Forget(key)
				}
			},
		},
		c.Cache.MachineDeployments: {
			UpdateFunc: func(_, _ any) { c.enqueueWhere(func(*api.Machine) bool { return true }) },
		},
		c.Cache.Nodes: {
			AddFunc:    func(object any) { c.enqueueNode(nameOf(object)) },
			UpdateFunc: func(_, object any) { c.enqueueNode(nameOf(object)) },
		},
	}
	for informer, handler := range handlers {
		registration, err := informer.AddEventHandler(handler)
		if err != nil {
			return remove, err
		}
		// fails only if the informer has ended
		remove = append(remove, func() { _ = informer.RemoveEventHandler(registration) })
	}
	return remove, nil
}

func (c *Controller) enqueue(object any) {
	if key, err := cache.MetaNamespaceKeyFunc(object); err == nil {
		c.queue.Add(key)
	}
}

func (c *Controller) enqueueNode(node string) {
	c.enqueueWhere(func(m *api.Machine) bool { return m.Labels[api.NodeLabelKey] == node })
}

func (c *Controller) enqueueWhere(concerned func(*api.Machine) bool) {
	for _, machine := range list[api.Machine](c.Cache.Machines) {
		if concerned(machine) {
			c.enqueue(machine)
		}
	}
}

// concerns reports whether the machine was made from the class, or should have its hot part.
func (c *Controller) concerns(machine *api.Machine, class string) bool {
	return machine.Spec.Class.Name == class || c.templateClass(machine) == class
}

// inPlaceDeployment returns the machine's deployment if its machines are updated in place, or nil.
func (c *Controller) inPlaceDeployment(machine *api.Machine) *api.MachineDeployment {
	set, err := lookup[api.MachineSet](c.Cache.MachineSets, c.Namespace, ownerOf(machine))
	if err != nil {
		return nil
	}
	deployment, err := lookup[api.MachineDeployment](c.Cache.MachineDeployments, c.Namespace, ownerOf(set))
	if err != nil || deployment.Spec.Strategy.Type != api.InPlaceUpdateStrategyType {
		return nil
	}
	return deployment
}

// templateClass returns the name of the class in the template of the machine's deployment if that
// is updated in place, or nothing. A template that changes during a pause counts after it.
func (c *Controller) templateClass(machine *api.Machine) string {
	if deployment := c.inPlaceDeployment(machine); deployment != nil {
		return targetOf(deployment).Set
	}
	return ""
}

// Cache has client-go's informers of one process.
type Cache struct {
	Machines, MachineClasses, MachineSets, MachineDeployments, Nodes, Secrets cache.SharedIndexInformer
}

// NewCache returns informers for Start.
func NewCache(client *api.Client, resync time.Duration) *Cache {
	return &Cache{
		Machines:           informer(client.Machines, &api.Machine{}, resync),
		MachineClasses:     informer(client.MachineClasses, &api.MachineClass{}, 0),
		MachineSets:        informer(client.MachineSets, &api.MachineSet{}, 0),
		MachineDeployments: informer(client.MachineDeployments, &api.MachineDeployment{}, 0),
		Nodes:              informer(client.Nodes, &corev1.Node{}, 0),
		Secrets:            informer(client.Secrets, &corev1.Secret{}, 0),
	}
}

func informer[T machineupdate.MachineObject, L runtime.Object](
	client *gentype.ClientWithList[T, L], object T, resync time.Duration,
) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return client.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.Watch(ctx, options)
		},
	}, object, resync, cache.Indexers{})
}

// Start starts the informers, and returns when they have synced. They end with the context.
func (c *Cache) Start(ctx context.Context) error {
	var synced []cache.InformerSynced
	for _, informer := range []cache.SharedIndexInformer{
		c.Machines, c.MachineClasses, c.MachineSets, c.MachineDeployments, c.Nodes, c.Secrets,
	} {
		go informer.RunWithContext(ctx)
		synced = append(synced, informer.HasSynced)
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return context.Cause(ctx)
	}
	return nil
}

// lookup returns the cached object, which must not be changed.
func lookup[T any](informer cache.SharedIndexInformer, namespace, name string) (*T, error) {
	object, exists, err := informer.GetStore().GetByKey(cache.NewObjectName(namespace, name).String())
	if err != nil {
		return nil, err
	}
	found, ok := object.(*T)
	if !exists || !ok {
		return nil, apierrors.NewNotFound(api.GroupVersion.WithResource(reflect.TypeFor[T]().Name()).GroupResource(),
			name)
	}
	return found, nil
}

// list returns all cached objects, which must not be changed.
func list[T any](informer cache.SharedIndexInformer) []*T {
	var all []*T
	for _, object := range informer.GetStore().List() {
		if found, ok := object.(*T); ok {
			all = append(all, found)
		}
	}
	return all
}

func generationOf(object any) int64 { return object.(metav1.Object).GetGeneration() }

func nameOf(object any) string { return object.(metav1.Object).GetName() }
