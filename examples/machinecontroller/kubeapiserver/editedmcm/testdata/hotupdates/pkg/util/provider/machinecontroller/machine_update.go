package controller

import (
	"context"
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/nodeops"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machineutils"
)

// executor returns the executor of package machineupdate with this controller's clients.
func (c *controller) executor() *machineupdate.Executor[*v1alpha1.Machine] {
	return &machineupdate.Executor[*v1alpha1.Machine]{
		Patch: c.controlMachineClient.Machines(c.namespace).Patch, UpdateMachine: c.updateRunningMachine,
		Event: c.recorder.Event, Limiter: c.updateLimiter, Memory: &c.updateMemory, Now: c.now,
	}
}

// hotUpdate is the step of hot updates. It never ends the reconcile.
func (c *controller) hotUpdate(ctx context.Context, machine *v1alpha1.Machine) machineupdate.Result[*v1alpha1.Machine] {
	updated := c.executor().Reconcile(ctx, machine, c.observation(machine))
	logUpdate(updated.Machine, updated.Err)
	return updated
}

// logUpdate logs the error of a hot update, which has no value of a secret and of a provider spec.
func logUpdate(machine *v1alpha1.Machine, err error) {
	if err != nil {
		klog.Errorf("Hot update of machine %q: %s", machine.Name, err)
	}
}

// updateRunningMachine passes a request to the driver. Only a driver with updates gets one.
func (c *controller) updateRunningMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	update, err := json.Marshal(request)
	if err != nil {
		return err
	}
	_, err = c.driver.(driver.Updater).UpdateMachine(ctx, &driver.UpdateMachineRequest{
		Machine: request.Object.(*v1alpha1.Machine), MachineClass: request.Class.Object.(*v1alpha1.MachineClass),
		Secret: &corev1.Secret{Data: request.Secret}, Update: update, BeforeWrite: request.BeforeWrite,
		Tell: request.Tell, TellClass: request.TellClass, OtherWriter: request.OtherWriter,
	})
	return err
}

// observation observes the machine for package machineupdate. The secret belongs to the class that the machine should
// have: an extension need not update the secret of a class that it has deleted.
func (c *controller) observation(machine *v1alpha1.Machine) machineupdate.Observation {
	observed := machineupdate.Observation{
		ProviderID: machine.Spec.ProviderID, Phase: string(machine.Status.CurrentStatus.Phase),
		Settings: c.updateSettings,
	}
	updater, ok := c.driver.(driver.Updater)
	if !ok {
		named := &metav1.ObjectMeta{Name: machine.Spec.Class.Name}
		observed.Class = c.classes.PrepareUnsupported(machineupdate.MachineClass{Object: named})
		return observed
	}
	class, err := c.wantedClass(machine)
	if err == nil {
		observed.Secret, err = c.getSecretData(class.Name, class.SecretRef, class.CredentialsSecretRef)
	}
	if err == nil {
		observed.Class, err = c.classes.PrepareDescribed(classOf(class), updater.DescribeUpdates())
	}
	observed.ClassError = err
	return observed
}

func classOf(class *v1alpha1.MachineClass) machineupdate.MachineClass {
	return machineupdate.MachineClass{Object: class, ProviderSpec: class.ProviderSpec.Raw}
}

// reportNonHotChange reports a change of a class that no update applies.
func (c *controller) reportNonHotChange(class metav1.Object) {
	c.recorder.Event(class.(*v1alpha1.MachineClass), corev1.EventTypeNormal, "NotHotUpdatable",
		"the class changed in fields that no update applies: running machines keep what they were made with")
}

// wantedClass finds the class that a machine should have.
func (c *controller) wantedClass(machine *v1alpha1.Machine) (*v1alpha1.MachineClass, error) {
	deployment, err := c.machineDeploymentLister.MachineDeployments(c.namespace).Get(getMachineDeploymentName(machine))
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	return c.machineClassLister.MachineClasses(c.namespace).Get(wantedClassName(machine, deployment))
}

// wantedClassName names the class that a machine should have: in a pool that is updated in place, the class in the
// template of the MachineDeployment, whichever class the machine names. Deployment is nil if there is none.
func wantedClassName(machine *v1alpha1.Machine, deployment *v1alpha1.MachineDeployment) string {
	if deployment == nil || deployment.Spec.Strategy.Type != v1alpha1.InPlaceUpdateMachineDeploymentStrategyType {
		return machine.Spec.Class.Name
	}
	return deployment.Spec.Template.Spec.Class.Name
}

// wants reports whether a machine should have a class that it does not name.
func (c *controller) wants(machine *v1alpha1.Machine, class string) bool {
	if _, ok := c.driver.(driver.Updater); !ok {
		return false
	}
	found, err := c.wantedClass(machine)
	return err == nil && found.Name == class
}

// beginCreation writes the marker before the driver writes to the cloud. Without a creation, the driver must not be
// called. The request gets the machine that was written.
func (c *controller) beginCreation(
	ctx context.Context, request *driver.CreateMachineRequest,
) (*machineupdate.Creation, machineutils.RetryPeriod, error) {
	creation, begun := c.executor().BeginCreation(
		ctx, request.Machine, c.observation(request.Machine), classOf(request.MachineClass),
	)
	request.Machine = begun.Machine
	logUpdate(request.Machine, begun.Err)
	return creation, machineutils.RetryPeriod(begun.RequeueWithin(time.Duration(machineutils.LongRetry))), begun.Err
}

// applyInPlace lets the driver apply what needs a drained node. It reports whether the node is ready for its agent, and
// otherwise when to look again.
func (c *controller) applyInPlace(ctx context.Context, machine *v1alpha1.Machine) (machineutils.RetryPeriod, bool) {
	result, isReady := c.executor().ApplyInPlace(ctx, machine, c.observation(machine),
		func(ctx context.Context) (machineupdate.DrainedNode, error) {
			node, err := c.targetCoreClient.CoreV1().Nodes().Get(ctx, getNodeName(machine), metav1.GetOptions{})
			if err != nil {
				return machineupdate.DrainedNode{}, err
			}
			live := machineupdate.DrainedNode{UID: node.UID, Unschedulable: node.Spec.Unschedulable}
			if condition := nodeops.GetCondition(node, v1alpha1.NodeInPlaceUpdate); condition != nil {
				live.Drained = condition.LastTransitionTime.Time
			}
			return live, nil
		})
	logUpdate(result.Machine, result.Err)
	return machineutils.RetryPeriod(result.RequeueWithin(time.Duration(machineutils.LongRetry))), isReady
}

// updatingSince returns when the agent of a node was allowed to update it. The time until the driver is done with a
// drained node does not count. Node is nil if there is none.
func updatingSince(machine *v1alpha1.Machine, node *corev1.Node) metav1.Time {
	since := machine.Status.CurrentStatus.LastUpdateTime
	if node == nil {
		return since
	}
	switch condition := nodeops.GetCondition(node, v1alpha1.NodeInPlaceUpdate); {
	case condition == nil:
		return since
	case condition.Reason == v1alpha1.DrainSuccessful:
		return metav1.Now()
	case condition.Reason == v1alpha1.ReadyForUpdate:
		return condition.LastTransitionTime
	}
	return since
}
