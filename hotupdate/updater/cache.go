package updater

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// resync is how often every machine is reconciled without an event, as in MCM: the end of a pause
// of all machines causes none.
const resync = 10 * time.Minute

// caches are the informers of a namespace.
type caches struct {
	namespace string
	factory   dynamicinformer.DynamicSharedInformerFactory

	machines, classes, sets, deployments informers.GenericInformer
}

func newCache(client dynamic.Interface, namespace string) *caches {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, resync, namespace, nil)
	of := func(resource string, unread ...[]string) informers.GenericInformer {
		informer := factory.ForResource(machineAPI.WithResource(resource))
		// The informer has not started, so this cannot fail.
		_ = informer.Informer().SetTransform(without(append(unread, []string{"metadata", "managedFields"})))
		return informer
	}
	c := &caches{
		namespace: namespace, factory: factory, machines: of("machines", unreadOfMachines...),
		classes: of("machineclasses"), sets: of("machinesets"), deployments: of("machinedeployments"),
	}
	_ = c.sets.Informer().AddIndexers(cache.Indexers{byController: controllerOf}) // it has not started either
	return c
}

// unreadOfMachines are the largest members of a Machine that neither an Updater nor the flow reads.
// Drivers do not get them, see [Options.Driver].
var unreadOfMachines = [][]string{{"spec", "nodeTemplate"}, {"status", "conditions"}, {"status", "lastOperation"}}

// without returns a transformation that removes members to save memory.
func without(members [][]string) cache.TransformFunc {
	return func(obj any) (any, error) {
		if found, isObject := obj.(*object); isObject { // otherwise it is a tombstone
			for _, path := range members {
				unstructured.RemoveNestedField(found.Object, path...)
			}
		}
		return obj, nil
	}
}

// byController is the index of objects by the UID of their controller.
const byController = "controller"

func controllerOf(obj any) ([]string, error) {
	owner := metav1.GetControllerOf(obj.(*object)) //nolint:forcetypeassert // the informer is a dynamic one
	if owner == nil {
		return nil, nil
	}
	return []string{string(owner.UID)}, nil
}

// sync reports whether all informers have listed their objects before the context ended.
func (c *caches) sync(ctx context.Context) bool {
	return cache.WaitForCacheSync(ctx.Done(), c.machines.Informer().HasSynced, c.classes.Informer().HasSynced,
		c.sets.Informer().HasSynced, c.deployments.Informer().HasSynced)
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
func (c *caches) allMachines() (machines []*object) {
	found, _ := c.machines.Lister().ByNamespace(c.namespace).List(labels.Everything()) // a cache has no errors
	for _, machine := range found {
		machines = append(machines, machine.(*object)) //nolint:forcetypeassert // as above
	}
	return machines
}

// ownership holds what the owners of a machine determine about it.
type ownership struct {
	former  string // the class of its set
	wanted  string // the class that the machine should have
	inPlace bool   // it is updated in place
}

// ownership finds the class that a machine should have. In a pool that is updated in place this is the
// class in the template of its MachineDeployment. The machine itself keeps the name of its first
// class with MCM up to v0.62.1. Newer releases write the name of the new one when they transfer the
// machine to its MachineSet, after the update.
func (c *caches) ownership(machine *object) (ownership, error) {
	own := ownership{wanted: text(machine, "spec", "class", "name")}
	set, err := c.owner(machine, "MachineSet", c.sets)
	if set == nil || err != nil {
		return own, err
	}
	deployment, err := c.owner(set, "MachineDeployment", c.deployments)
	if deployment == nil || err != nil || !isInPlace(deployment) {
		return own, err
	}
	former := text(set, "spec", "template", "spec", "class", "name")
	return ownership{former: former, wanted: wantedOf(deployment), inPlace: true}, nil
}

// origins returns the names of the classes with which a machine may have been created: the class
// that it names and, in a pool that is updated in place, the class that it should have and the
// classes of all MachineSets of its deployment, because a newer MCM may have overwritten the name.
func (c *caches) origins(machine *object) ([]string, error) {
	names := []string{text(machine, "spec", "class", "name")}
	set, err := c.owner(machine, "MachineSet", c.sets)
	if set == nil || err != nil {
		return names, err
	}
	deployment, err := c.owner(set, "MachineDeployment", c.deployments)
	if deployment == nil || err != nil || !isInPlace(deployment) {
		return names, err
	}
	names = append(names, wantedOf(deployment))
	siblings, _ := c.sets.Informer().GetIndexer().ByIndex(byController, string(deployment.GetUID())) // it is there
	for _, one := range siblings {
		sibling := one.(*object) //nolint:forcetypeassert // the informer's client is a dynamic one
		names = append(names, text(sibling, "spec", "template", "spec", "class", "name"))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// hasInPlace reports whether a pool is updated in place.
func (c *caches) hasInPlace() bool {
	found, _ := c.deployments.Lister().ByNamespace(c.namespace).List(labels.Everything()) // a cache has no errors
	return slices.ContainsFunc(found, func(one runtime.Object) bool {
		return isInPlace(one.(*object)) //nolint:forcetypeassert // the informer's client is a dynamic one
	})
}

// wantedOf returns the class that the machines of a deployment should have.
func wantedOf(deployment *object) string {
	return text(deployment, "spec", "template", "spec", "class", "name")
}

// isInPlace reports whether the machines of a deployment are updated in place.
func isInPlace(deployment *object) bool {
	return text(deployment, "spec", "strategy", "type") == "InPlaceUpdate"
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

// handle calls a function for each object that was added, changed or deleted. Before is nil for an
// added object, and both are nil for a deleted one.
func handle(of informers.GenericInformer, do func(name string, before, after *object)) error {
	asObject := func(obj any) *object { return obj.(*object) } //nolint:forcetypeassert // as above
	_, err := of.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { do(asObject(obj).GetName(), nil, asObject(obj)) },
		UpdateFunc: func(before, obj any) { do(asObject(obj).GetName(), asObject(before), asObject(obj)) },
		DeleteFunc: func(obj any) {
			gone, _ := cache.DeletionHandlingObjectToName(obj) // an informer hands out objects
			do(gone.Name, nil, nil)
		},
	})
	return err
}

// text returns a member of an object; empty if there is none.
func text(of *object, path ...string) string {
	found, _, _ := unstructured.NestedString(of.Object, path...)
	return found
}
