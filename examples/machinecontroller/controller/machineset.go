package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

// MachineSets keeps the machines of all machine sets: it creates those that are missing, deletes those that have failed, and reports the latter.
// It polls, as everything that it looks at is in the cache.
type MachineSets struct {
	Client *api.Client
	Cache  *Cache
	Retry  Retry
}

// Run works until the context is done.
func (s *MachineSets) Run(ctx context.Context) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		for _, set := range list[api.MachineSet](s.Cache.MachineSets) {
			// What failed is tried again at the next look.
			_ = s.reconcile(ctx, set.DeepCopyObject().(*api.MachineSet))
		}
	}, s.Retry.Short)
}

func (s *MachineSets) reconcile(ctx context.Context, set *api.MachineSet) error {
	var own []*api.Machine
	for _, machine := range list[api.Machine](s.Cache.Machines) {
		if owner := metav1.GetControllerOf(machine); owner != nil && owner.UID == set.UID {
			own = append(own, machine)
		}
	}
	for _, machine := range own {
		if machine.Status.CurrentStatus.Phase == api.MachineFailed && machine.DeletionTimestamp == nil {
			if err := s.Client.Machines.Delete(ctx, machine.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		}
	}
	if len(own) < int(set.Spec.Replicas) { // one at each look
		if err := s.create(ctx, set, own); err != nil {
			return err
		}
	}
	status := api.MachineSetStatus{Replicas: int32(len(own)), FailedMachines: FailedMachines(own)} //nolint:gosec // a handful
	if set.Status.Replicas == status.Replicas && slices.Equal(set.Status.FailedMachines, status.FailedMachines) {
		return nil
	}
	set.Status = status
	_, err := s.Client.MachineSets.UpdateStatus(ctx, set, metav1.UpdateOptions{})
	return err
}

// create creates the machine with the first free number. If there is one already the cache lags: a later look counts it.
func (s *MachineSets) create(ctx context.Context, set *api.MachineSet, own []*api.Machine) error {
	name := ""
	for i := 0; name == "" || slices.ContainsFunc(own, func(m *api.Machine) bool { return m.Name == name }); i++ {
		name = fmt.Sprintf("%s-%d", set.Name, i)
	}
	machine := &api.Machine{Spec: set.Spec.Template.Spec, ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: set.Spec.Template.Labels,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, api.GroupVersion.WithKind("MachineSet"))},
	}}
	_, err := s.Client.Machines.Create(ctx, machine, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// FailedMachines lists the machines that machine-controller-manager writes into the status of their machine set, from where they become an error
// of the worker and a red condition of the cluster. It goes by the last operation, of whatever type.
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
