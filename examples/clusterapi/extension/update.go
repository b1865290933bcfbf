package extension

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	hooksv1 "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// UpdateMachine answers Cluster API's hook. The request has only the desired state. The
// last-applied state, which is needed to remove tags, is in the record, an annotation of the
// AWSMachine. The update is done when a later read has confirmed it.
func (e *Extension) UpdateMachine(
	ctx context.Context, request *hooksv1.UpdateMachineRequest, response *hooksv1.UpdateMachineResponse,
) {
	var desired, live infrav1.AWSMachine
	var result result
	err := json.Unmarshal(request.Desired.InfrastructureMachine.Raw, &desired)
	if err == nil {
		err = e.Client.Get(ctx, client.ObjectKeyFromObject(&desired), &live)
	}
	if err == nil {
		result, err = e.update(ctx, &live, desired.Spec)
	}
	response.SetStatus(hooksv1.ResponseStatusSuccess)
	switch {
	case err != nil && !isTemporary(err):
		response.SetStatus(hooksv1.ResponseStatusFailure)
		response.SetMessage(err.Error()) // Cluster API calls again, with growing delays
	case err != nil || result.Reason != "UpToDate":
		response.SetRetryAfterSeconds(int32(max(result.RequeueAfter, minDelay) / time.Second))
		response.SetMessage("infrastructure tags: " + string(result.Reason))
	}
}

// minDelay is the shortest time between two calls of UpdateMachine.
const minDelay = 5 * time.Second

// isTemporary reports whether a repeated call may succeed although nobody changes anything.
func isTemporary(err error) bool {
	kind, _ := machineupdate.DriverErrorOf(err)
	passing := []machineupdate.DriverError{
		machineupdate.ErrThrottled, machineupdate.ErrUnavailable, machineupdate.ErrPending,
	}
	return slices.Contains(passing, kind) || apierrors.IsConflict(err)
}

// Reconcile adopts an AWSMachine: it records the tags that the instance was launched with. If a tag
// is removed from the spec before the adoption, it stays on the instance for ever. Register
// Reconcile with a manager, for AWSMachines. While Cluster API updates the machine in place,
// Reconcile does nothing.
func (e *Extension) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var machine infrav1.AWSMachine
	if err := e.Client.Get(ctx, request.NamespacedName, &machine); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if _, isUpdated := machine.Annotations[clusterv1.UpdateInProgressAnnotation]; isUpdated {
		return ctrl.Result{}, nil
	}
	result, err := e.update(ctx, &machine, machine.Spec)
	if err != nil && result.RequeueAfter == 0 {
		return ctrl.Result{}, err
	}
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "tags of the machine are not as desired")
	}
	return ctrl.Result{RequeueAfter: result.RequeueAfter}, nil
}

type result = machineupdate.Result[*infrav1.AWSMachine]

// update sets the desired tags of a machine, and writes the record. The machine may come from a
// cache: a decision from an outdated record ends in a conflict before any call.
func (e *Extension) update(
	ctx context.Context, machine *infrav1.AWSMachine, desired infrav1.AWSMachineSpec,
) (result, error) {
	inherited, err := e.clusterTags(ctx, machine)
	if err != nil {
		return result{}, err
	}
	spec, err := json.Marshal(MachineSpec{desired, inherited})
	if err != nil {
		return result{}, err
	}
	class := machineupdate.MachineClass{
		Object: &metav1.ObjectMeta{Namespace: machine.Namespace, Name: machine.Name}, ProviderSpec: spec,
	}
	prepared, err := e.classes.Prepare(class, e.kit.Driver())
	observed := machineupdate.Observation{
		Phase: "Running", Class: prepared, ClassError: err,
		// A rollout waits for the hook. A call ends after 20 seconds, before Cluster API stops
		// waiting. Forty seconds later, its requests have taken effect, and reads show them.
		Settings: machineupdate.Settings{CallTimeout: 20 * time.Second, ConfirmAfter: time.Minute},
	}
	if id := machine.Spec.ProviderID; id != nil {
		observed.ProviderID = *id
	}
	executor := machineupdate.Executor[*infrav1.AWSMachine]{
		Patch: e.patch(machine.Namespace), UpdateMachine: e.kit.UpdateMachine, Limiter: e.Limiter, Now: e.Now,
	}
	done := executor.Reconcile(ctx, machine, observed)
	return done, done.Err
}

// patch returns client-go's Patch function for the AWSMachines of a namespace.
func (e *Extension) patch(
	namespace string,
) func(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*infrav1.AWSMachine, error) {
	return func(
		ctx context.Context, name string, patchType types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string,
	) (*infrav1.AWSMachine, error) {
		machine := &infrav1.AWSMachine{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
		return machine, e.Client.Patch(ctx, machine, client.RawPatch(patchType, data))
	}
}

// clusterTags returns the tags of the AWSCluster, or none if the cluster has another kind of
// infrastructure.
func (e *Extension) clusterTags(ctx context.Context, machine *infrav1.AWSMachine) (map[string]string, error) {
	var cluster clusterv1.Cluster
	key := client.ObjectKey{Namespace: machine.Namespace, Name: machine.Labels[clusterv1.ClusterNameLabel]}
	if err := e.Client.Get(ctx, key, &cluster); err != nil {
		return nil, err
	}
	var infra infrav1.AWSCluster
	if ref := cluster.Spec.InfrastructureRef; ref.Kind == "AWSCluster" {
		if err := e.Client.Get(ctx, client.ObjectKey{Namespace: machine.Namespace, Name: ref.Name}, &infra); err !=
			nil {
			return nil, err
		}
	}
	return infra.Spec.AdditionalTags, nil
}
