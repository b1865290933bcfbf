package controller

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// update is what a machine controller adds for hot updates to its reconcile, between the sync of the node template and the in-place update. It
// stands outside of the block that needs a node, returns its own delay, and ends nothing. The steps behind it work on the machine that it
// hands on.
func (r *reconciliation) update(ctx context.Context) time.Duration {
	result := r.executor().Reconcile(ctx, r.observation())
	r.machine = result.Machine
	return result.Delay
}

// observation is what package machineupdate needs to know.
func (r *reconciliation) observation() machineupdate.Observation[*api.Machine] {
	prepared, err := r.wantedClass()
	return machineupdate.Observation[*api.Machine]{
		Machine: r.machine, ProviderID: r.machine.Spec.ProviderID, Phase: string(r.machine.Status.CurrentStatus.Phase),
		Class: prepared, ClassError: err, Secret: r.secret.Data, Settings: r.Settings,
	}
}

// wantedClass prepares the class whose hot part the machine should have: in a pool that is updated in place, that of the pool's template.
func (r *reconciliation) wantedClass() (*machineupdate.Prepared, error) {
	class := r.class
	if wanted := machineupdate.WantedClass(class.Name, r.templateClass(r.machine)); wanted != class.Name {
		var err error
		if class, err = lookup[api.MachineClass](r.Cache.MachineClasses, r.Namespace, wanted); err != nil {
			return nil, fmt.Errorf("class of the template: %w", err)
		}
	}
	return r.prepareClass(class)
}

// prepare reads the class side of updates, once for each resourceVersion of the class.
func (c *Controller) prepare(class *api.MachineClass) (*machineupdate.Prepared, error) {
	prepared, beyond, err := c.classes.Prepare(machineupdate.ClassOf(class, class.ProviderSpec.Raw), c.Schema, c.Updates)
	if beyond {
		c.Recorder.Event(class, corev1.EventTypeNormal, "NotHotUpdatable", "the class changed in fields that no update applies: running machines keep what they were made with")
	}
	return prepared, err
}

// executor carries decisions out with what this controller has.
func (r *reconciliation) executor() *machineupdate.Executor[*api.Machine] {
	return &machineupdate.Executor[*api.Machine]{
		Patch: r.Machines.Patch, Report: r.reportOperation, UpdateMachine: r.Driver.UpdateMachine, Event: r.Recorder.Event, Limiter: r.Limiter,
		Now: r.Now, Counters: &r.Counters,
	}
}

// reportOperation tells people in the status that the machine is being updated.
func (r *reconciliation) reportOperation(ctx context.Context, machine *api.Machine, state, description string) (*api.Machine, error) {
	machine = machine.DeepCopy()
	machine.Status.LastOperation = api.LastOperation{
		Description: description, State: api.MachineState(state), Type: api.MachineOperationUpdate, LastUpdateTime: metav1.NewTime(r.Now()),
	}
	return r.Machines.UpdateStatus(ctx, machine, metav1.UpdateOptions{})
}
