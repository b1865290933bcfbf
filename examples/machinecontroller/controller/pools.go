package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// RunPools does the work of machine-controller-manager's controllers of machine deployments and
// machine sets: it creates and deletes machines, selects nodes for in-place updates, and reports
// failed machines. It works until the context is done.
func (c *Controller) RunPools(ctx context.Context) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		all, err := c.Client.MachineDeployments.List(ctx, metav1.ListOptions{})
		if err != nil {
			return // the next pass tries again
		}
		for i := range all.Items {
			if err := c.keepPool(ctx, &all.Items[i]); err != nil && !apierrors.IsConflict(err) && ctx.Err() == nil {
				c.Recorder.Event(&all.Items[i], corev1.EventTypeWarning, "PoolFailed", err.Error())
			}
		}
	}, c.Retry.Short)
}

// members are the machine sets of a deployment, by name, and their machines. They are read after
// the deployment, and not from a cache.
type members struct {
	sets     map[string]*api.MachineSet
	machines []*api.Machine
	nodes    map[string]*corev1.Node
}

func (c *Controller) membersOf(ctx context.Context, d *api.MachineDeployment) (*members, error) {
	m := &members{sets: map[string]*api.MachineSet{}, nodes: map[string]*corev1.Node{}}
	sets, err := c.Client.MachineSets.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range sets.Items {
		if metav1.IsControlledBy(&sets.Items[i], d) {
			m.sets[sets.Items[i].Name] = &sets.Items[i]
		}
	}
	machines, err := c.Client.Machines.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range machines.Items {
		if m.sets[ownerOf(&machines.Items[i])] != nil {
			m.machines = append(m.machines, &machines.Items[i])
		}
	}
	nodes, err := c.Client.Nodes.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range nodes.Items {
		m.nodes[nodes.Items[i].Name] = &nodes.Items[i]
	}
	return m, nil
}

// keepPool gives a deployment the machines that it should have.
func (c *Controller) keepPool(ctx context.Context, d *api.MachineDeployment) error {
	m, err := c.membersOf(ctx, d)
	if err != nil {
		return err
	}
	if changed, err := c.followTemplate(ctx, d, m); changed || err != nil {
		return err
	}
	set := m.sets[targetOf(d).Set]
	if set == nil {
		return nil // paused from the beginning
	}
	plan, err := c.plan(ctx, d, m)
	if err != nil {
		return err
	}
	for _, machine := range m.machines {
		if machine.Status.CurrentStatus.Phase == api.MachineFailed {
			plan.Delete = append(plan.Delete, machine.Name)
		}
	}
	for _, machine := range m.machines {
		if selected := plan.Select[machine.Name]; selected != nil {
			if err := c.writeNode(ctx, m.nodes[machine.Labels[api.NodeLabelKey]], selected); err != nil {
				return err
			}
		}
		if slices.Contains(plan.Delete, machine.Name) && machine.DeletionTimestamp == nil {
			if err := c.Client.Machines.Delete(ctx, machine.Name, metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
	}
	for _, name := range plan.Create {
		if err := c.createMachine(ctx, set, name); err != nil {
			return err
		}
	}
	return c.reportFailed(ctx, m)
}

// plan returns the next actions for a pool. In a pool that is not updated in place, machines are
// named by numbers.
func (c *Controller) plan(
	ctx context.Context, d *api.MachineDeployment, m *members,
) (plan inplace.Selection, err error) {
	if d.Spec.Strategy.Type != api.InPlaceUpdateStrategyType {
		for i := range d.Spec.Replicas {
			name := fmt.Sprintf("%s-%d", targetOf(d).Set, i)
			if !slices.ContainsFunc(m.machines, func(m *api.Machine) bool { return m.Name == name }) {
				plan.Create = append(plan.Create, name)
			}
		}
		return plan, nil
	}
	pool := poolOf(d)
	for _, machine := range m.machines {
		pool.Machines = append(pool.Machines, c.inPlaceMachine(machine, m.nodes[machine.Labels[api.NodeLabelKey]]))
	}
	plan, err = inplace.Select(pool)
	if err != nil || plan.Record == pool.Record {
		return plan, err
	}
	metav1.SetMetaDataAnnotation(&d.ObjectMeta, inplace.RolloutAnnotation, plan.Record) // before any action
	_, err = c.Client.MachineDeployments.Update(ctx, d, metav1.UpdateOptions{})
	return plan, err
}

// targetAnnotation of a MachineDeployment is its target. machine-controller-manager has the revision in
// an annotation of the machine set, and finds the set by its template.
const targetAnnotation = "machine.sapcloud.io/example-target"

// target is the newest machine set of a deployment. It exists. The revision grows whenever the target
// changes, also by a rollback, and not with replicas or a pause.
type target struct {
	Set      string `json:"set"` // has the name of its class
	Revision int64  `json:"revision"`
}

// targetOf returns the target of a deployment. Without the annotation, the deployment has no set, or
// was made before the annotation: its set is that of its template, and its revision is 0.
func targetOf(d *api.MachineDeployment) target {
	found := target{}
	text := d.Annotations[targetAnnotation]
	if json.Unmarshal([]byte(text), &found) != nil || found.Revision <= 0 {
		return target{Set: d.Spec.Template.Spec.Class.Name}
	}
	return found
}

// wantedSet returns the name of the machine set that should be the target of a deployment: the one for
// its template, or during a pause the last target. A deployment that was paused before the annotation
// has no last target: it gets the set for its template, or if that is not made yet, the newest one.
// The name is empty if there is none.
func (m *members) wantedSet(d *api.MachineDeployment) string {
	last := targetOf(d)
	template := d.Spec.Template.Spec.Class.Name
	switch {
	case !d.Spec.Paused:
		return template
	case last.Revision > 0:
		return last.Set
	case m.sets[template] != nil:
		return template
	}
	return m.newestSet()
}

// newestSet returns the name of the set that was created last, or nothing.
func (m *members) newestSet() string {
	newest := ""
	for _, name := range slices.Sorted(maps.Keys(m.sets)) {
		created := m.sets[name].CreationTimestamp
		if newest == "" || m.sets[newest].CreationTimestamp.Before(&created) {
			newest = name
		}
	}
	return newest
}

// followTemplate makes the wanted machine set the target, and creates it if it is new. It reports
// whether the target has changed.
func (c *Controller) followTemplate(ctx context.Context, d *api.MachineDeployment, m *members) (bool, error) {
	last := targetOf(d)
	wanted := target{Set: m.wantedSet(d), Revision: max(last.Revision+1, d.Generation)}
	isFollowed := last.Revision > 0 && last.Set == wanted.Set
	if wanted.Set == "" || isFollowed {
		return false, nil
	}
	if m.sets[wanted.Set] == nil {
		if err := c.createSet(ctx, d); err != nil {
			return false, err
		}
	}
	text, err := json.Marshal(wanted)
	if err != nil {
		return false, err
	}
	metav1.SetMetaDataAnnotation(&d.ObjectMeta, targetAnnotation, string(text))
	_, err = c.Client.MachineDeployments.Update(ctx, d, metav1.UpdateOptions{})
	return true, err
}

// poolOf returns the pool without its machines. Its strategy updates in place.
func poolOf(d *api.MachineDeployment) inplace.MachineDeployment {
	target := targetOf(d)
	pool := inplace.MachineDeployment{
		Target: target.Set, Revision: target.Revision, Replicas: int(d.Spec.Replicas), Paused: d.Spec.Paused,
		Record: d.Annotations[inplace.RolloutAnnotation], Strategy: hotupdate.AutoInPlaceUpdate,
	}
	if in := d.Spec.Strategy.InPlaceUpdate; in != nil {
		pool.MaxUnavailable = in.MaxUnavailable
		pool.MaxSurge = in.MaxSurge
		if in.OrchestrationType == "Manual" {
			pool.Strategy = hotupdate.ManualInPlaceUpdate
		}
	}
	return pool
}

func (c *Controller) createSet(ctx context.Context, d *api.MachineDeployment) error {
	set := &api.MachineSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: d.Spec.Template.Spec.Class.Name, OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(d, api.GroupVersion.WithKind("MachineDeployment")),
			},
		},
		Spec: api.MachineSetSpec{Template: d.Spec.Template},
	}
	_, err := c.Client.MachineSets.Create(ctx, set, metav1.CreateOptions{})
	return err
}

// createMachine creates a machine of the set, unless it exists.
func (c *Controller) createMachine(ctx context.Context, set *api.MachineSet, name string) error {
	machine := &api.Machine{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: set.Spec.Template.Spec}
	belongTo(machine, set)
	_, err := c.Client.Machines.Create(ctx, machine, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// belongTo sets the owner and the labels of a machine of the set.
func belongTo(machine *api.Machine, set *api.MachineSet) {
	machine.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(set, api.GroupVersion.WithKind("MachineSet")),
	}
	for label, value := range set.Spec.Template.Labels {
		metav1.SetMetaDataLabel(&machine.ObjectMeta, label, value)
	}
}

// ownerOf returns the name of an object's controller, or nothing.
func ownerOf(object metav1.Object) string {
	if owner := metav1.GetControllerOf(object); owner != nil {
		return owner.Name
	}
	return ""
}

func (c *Controller) reportFailed(ctx context.Context, m *members) error {
	for _, set := range m.sets {
		failed := FailedMachines(slices.DeleteFunc(slices.Clone(m.machines),
			func(m *api.Machine) bool { return ownerOf(m) != set.Name }))
		if !slices.Equal(set.Status.FailedMachines, failed) {
			set.Status.FailedMachines = failed
			if _, err := c.Client.MachineSets.UpdateStatus(ctx, set, metav1.UpdateOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// FailedMachines lists the machines that machine-controller-manager writes into the status of their
// machine set. They become an error of the worker, and a red condition of the cluster. Last
// operations of all types count.
func FailedMachines(machines []*api.Machine) []api.MachineSummary {
	var failed []api.MachineSummary
	for _, machine := range machines {
		if machine.Status.LastOperation.State == api.MachineStateFailed {
			failed = append(failed, api.MachineSummary{Name: machine.Name, LastOperation: machine.Status.LastOperation})
		}
	}
	slices.SortFunc(failed, func(a, b api.MachineSummary) int { return strings.Compare(a.Name, b.Name) })
	return failed
}
