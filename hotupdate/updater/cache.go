package updater

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// resync is how often every machine is looked at, as MCM does: a pause of all machines ends without
// an event.
const resync = 10 * time.Minute

// caches are the informers of a namespace.
type caches struct {
	namespace string
	factory   dynamicinformer.DynamicSharedInformerFactory

	machines, classes, sets, deployments informers.GenericInformer

	mutex sync.Mutex
	specs map[string]spec // by class
}

// spec is the provider spec of a class.
type spec struct {
	version string
	raw     []byte
}

func newCache(client dynamic.Interface, namespace string) *caches {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, resync, namespace, nil)
	of := func(resource string) informers.GenericInformer {
		informer := factory.ForResource(machineAPI.WithResource(resource))
		// The informer has not started, so there is no error.
		_ = informer.Informer().SetTransform(withoutManagedFields)
		return informer
	}
	return &caches{
		namespace: namespace, factory: factory, machines: of("machines"), classes: of("machineclasses"),
		sets: of("machinesets"), deployments: of("machinedeployments"), specs: map[string]spec{},
	}
}

// withoutManagedFields saves the memory of what nobody reads.
func withoutManagedFields(obj any) (any, error) {
	if accessor, err := meta.Accessor(obj); err == nil {
		accessor.SetManagedFields(nil)
	}
	return obj, nil
}

// sync starts the informers, and reports whether they were filled before the context ended.
func (c *caches) sync(ctx context.Context) bool {
	c.factory.Start(ctx.Done())
	for _, filled := range c.factory.WaitForCacheSync(ctx.Done()) {
		if !filled {
			return false
		}
	}
	return true
}

// isFilled reports whether all informers have listed their objects.
func (c *caches) isFilled() bool {
	for _, of := range []informers.GenericInformer{c.machines, c.classes, c.sets, c.deployments} {
		if !of.Informer().HasSynced() {
			return false
		}
	}
	return true
}

// get returns an object of the cache, which must not be changed.
func (c *caches) get(of informers.GenericInformer, name string) (*object, error) {
	found, err := of.Lister().ByNamespace(c.namespace).Get(name)
	if err != nil {
		return nil, err
	}
	return found.(*object), nil //nolint:forcetypeassert // the informer is a dynamic one
}

// allMachines returns the machines of the cache.
func (c *caches) allMachines() (all []*object) {
	found, _ := c.machines.Lister().ByNamespace(c.namespace).List(labels.Everything()) // a cache has no errors
	for _, machine := range found {
		all = append(all, machine.(*object)) //nolint:forcetypeassert // as above
	}
	return all
}

// pool is what the owners of a machine say about it.
type pool struct {
	former  string // the class of its set
	wanted  string // the class that the machine should have
	inPlace bool   // it is updated in place
}

// pool finds the class that a machine should have. In a pool that is updated in place this is the
// class in the template of its MachineDeployment: the machine keeps the name of its first class for
// ever.
func (c *caches) pool(machine *object) (pool, error) {
	own := pool{wanted: text(machine, "spec", "class", "name")}
	set, err := c.owner(machine, "MachineSet", c.sets)
	if set == nil || err != nil {
		return own, err
	}
	deployment, err := c.owner(set, "MachineDeployment", c.deployments)
	if deployment == nil || err != nil || text(deployment, "spec", "strategy", "type") != "InPlaceUpdate" {
		return own, err
	}
	former := text(set, "spec", "template", "spec", "class", "name")
	return pool{former: former, wanted: wantedOf(deployment), inPlace: true}, nil
}

// wantedOf returns the class that the machines of a deployment should have.
func wantedOf(deployment *object) string {
	return text(deployment, "spec", "template", "spec", "class", "name")
}

// owner returns the owner of a kind; nil if there is none.
func (c *caches) owner(of *object, kind string, in informers.GenericInformer) (*object, error) {
	owner := metav1.GetControllerOf(of)
	if owner == nil || owner.Kind != kind {
		return nil, nil //nolint:nilnil // as documented
	}
	found, err := c.get(in, owner.Name)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("the %s %s of %s is not known: %w", kind, owner.Name, of.GetName(), err)
	}
	return found, err
}

// providerSpec returns the provider spec of a class. It is written once for each version.
func (c *caches) providerSpec(class *object) ([]byte, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	key := string(class.GetUID()) + "/" + class.GetResourceVersion()
	if known, ok := c.specs[class.GetName()]; ok && known.version == key {
		return known.raw, nil
	}
	raw, err := json.Marshal(class.Object["providerSpec"])
	if err == nil {
		c.specs[class.GetName()] = spec{key, raw}
	}
	return raw, err
}

// forget drops a deleted class.
func (c *caches) forget(class string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.specs, class)
}

// handle calls a function for each object that is new, changed or gone.
func (c *caches) handle(of informers.GenericInformer, do func(name string, before, after *object)) error {
	asObject := func(obj any) *object {
		if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = gone.Obj
		}
		found, _ := obj.(*object)
		return found
	}
	_, err := of.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { do(asObject(obj).GetName(), nil, asObject(obj)) },
		UpdateFunc: func(before, obj any) { do(asObject(obj).GetName(), asObject(before), asObject(obj)) },
		DeleteFunc: func(obj any) {
			if gone := asObject(obj); gone != nil {
				do(gone.GetName(), gone, nil)
			}
		},
	})
	return err
}

// text returns a member of an object; empty if there is none.
func text(of *object, path ...string) string {
	found, _, _ := unstructured.NestedString(of.Object, path...)
	return found
}
