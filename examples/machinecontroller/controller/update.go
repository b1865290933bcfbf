package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// update is the step for hot updates in a machine controller's reconcile, between the sync of the
// node template and the in-place update. It is outside of the block that needs a node, and never ends
// the reconcile. The steps after it use the machine of its result.
func (r *reconciliation) update(ctx context.Context) machineupdate.Result[*api.Machine] {
	result := r.executor().Reconcile(ctx, r.machine, r.observation())
	r.machine = result.Machine
	return result
}

// observation returns the observation for package machineupdate. The secret belongs to the class,
// which need not be the class that the machine names: extensions need not update the secret of a class that they
// have deleted.
func (r *reconciliation) observation() machineupdate.Observation {
	observed := r.observe(r.machine)
	if observed.Class == nil {
		return observed
	}
	_, secret, err := r.classAndSecret(r.wantedClass(r.machine))
	if err != nil {
		observed.Class = nil
		observed.ClassError = err
		return observed
	}
	observed.Secret = secret.Data
	return observed
}

// observe finds the class whose hot part the machine should have: in a pool that is updated in
// place, the class of the pool's template. The former class is the class of the machine set.
func (c *Controller) observe(machine *api.Machine) machineupdate.Observation {
	observed := machineupdate.Observation{
		ProviderID: machine.Spec.ProviderID, Phase: string(machine.Status.CurrentStatus.Phase), Settings: c.Settings,
	}
	observed.Class, observed.ClassError = c.preparedClass(c.wantedClass(machine))
	if set, err := lookup[api.MachineSet](c.Cache.MachineSets, c.Namespace,
		ownerOf(machine)); c.templateClass(machine) != "" && err == nil {
		// without it no node is drained, and an event says so
		observed.Former, _ = c.preparedClass(set.Spec.Template.Spec.Class.Name)
	}
	return observed
}

// wantedClass returns the name of the class that a machine should have.
func (c *Controller) wantedClass(machine *api.Machine) string {
	return cmp.Or(c.templateClass(machine), machine.Spec.Class.Name)
}

func (c *Controller) preparedClass(name string) (*machineupdate.PreparedClass, error) {
	class, err := lookup[api.MachineClass](c.Cache.MachineClasses, c.Namespace, name)
	if err != nil {
		return nil, fmt.Errorf("class: %w", err)
	}
	updater, ok := c.Driver.(driver.Updater)
	if !ok {
		return c.classes.PrepareUnsupported(classOf(class)), nil
	}
	return c.classes.PrepareDescribed(classOf(class), updater.DescribeUpdates())
}

// reportNonHotChange reports a change of a class that no update applies.
func (c *Controller) reportNonHotChange(class metav1.Object) {
	c.Recorder.Event(class.(*api.MachineClass), corev1.EventTypeNormal, "NotHotUpdatable",
		"the class changed in fields that no update applies: running machines keep what they were made with")
}

func classOf(class *api.MachineClass) machineupdate.MachineClass {
	return machineupdate.MachineClass{Object: class, ProviderSpec: class.ProviderSpec.Raw}
}

// updateMachine passes a request to the driver. Only a driver with updates gets one.
func (r *reconciliation) updateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	update, err := json.Marshal(request)
	if err != nil {
		return err
	}
	_, err = r.Driver.(driver.Updater).UpdateMachine(ctx, &driver.UpdateMachineRequest{
		Machine: request.Object.(*api.Machine), MachineClass: request.Class.Object.(*api.MachineClass),
		Secret: &corev1.Secret{Data: request.Secret}, Update: update, BeforeWrite: request.BeforeWrite,
		Tell: request.Tell, TellClass: request.TellClass, OtherWriter: request.OtherWriter,
	})
	return err
}

// executor returns the executor of package machineupdate with this controller's clients.
func (r *reconciliation) executor() *machineupdate.Executor[*api.Machine] {
	return &machineupdate.Executor[*api.Machine]{
		Patch: r.Machines.Patch, UpdateMachine: r.updateMachine, Event: r.Recorder.Event,
		Limiter: r.Limiter, Memory: &r.memory, Now: r.Now, Count: r.count,
	}
}
