package world

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	hooksv1 "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	"sigs.k8s.io/cluster-api/exp/runtime/catalog"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Discover returns the handlers of the extension, sorted by name.
func (w *World) Discover(ctx context.Context) ([]hooksv1.ExtensionHandler, error) {
	var response hooksv1.DiscoveryResponse
	err := w.call(ctx, hooksv1.Discovery, "", &hooksv1.DiscoveryRequest{}, &response)
	slices.SortFunc(response.Handlers,
		func(a, b hooksv1.ExtensionHandler) int { return strings.Compare(a.Name, b.Name) })
	return response.Handlers, err
}

// Verdict is the decision of Cluster API after an answer.
type Verdict struct {
	// Left is the difference that remains after the patches. If it is empty, the machines are
	// updated in place, otherwise replaced.
	Left    string
	Message string // the message of the extension
}

// CanUpdateMachine asks about a machine of a control plane.
func (w *World) CanUpdateMachine(
	ctx context.Context, current, desired hooksv1.CanUpdateMachineRequestObjects,
) (Verdict, error) {
	var response hooksv1.CanUpdateMachineResponse
	request := &hooksv1.CanUpdateMachineRequest{Current: current, Desired: desired}
	err := w.call(ctx, hooksv1.CanUpdateMachine, "can-update-machine", request, &response)
	return verdict(response.Message, err, "spec",
		pair{raw(&current.Machine), raw(&desired.Machine), response.MachinePatch},
		pair{current.InfrastructureMachine, desired.InfrastructureMachine, response.InfrastructureMachinePatch},
		pair{current.BootstrapConfig, desired.BootstrapConfig, response.BootstrapConfigPatch},
	)
}

// CanUpdateMachineSet asks about the machines of a MachineSet.
func (w *World) CanUpdateMachineSet(
	ctx context.Context, current, desired hooksv1.CanUpdateMachineSetRequestObjects,
) (Verdict, error) {
	var response hooksv1.CanUpdateMachineSetResponse
	request := &hooksv1.CanUpdateMachineSetRequest{Current: current, Desired: desired}
	err := w.call(ctx, hooksv1.CanUpdateMachineSet, "can-update-machine-set", request, &response)
	return verdict(response.Message, err, "spec.template.spec",
		pair{raw(&current.MachineSet), raw(&desired.MachineSet), response.MachineSetPatch},
		pair{
			current.InfrastructureMachineTemplate, desired.InfrastructureMachineTemplate,
			response.InfrastructureMachineTemplatePatch,
		},
		pair{current.BootstrapConfigTemplate, desired.BootstrapConfigTemplate, response.BootstrapConfigTemplatePatch},
	)
}

// Desire writes tags into the AWSMachine, as Cluster API does before it calls UpdateMachine.
func (w *World) Desire(ctx context.Context, tags map[string]string) error {
	return w.edit(ctx, func(machine *infrav1.AWSMachine) {
		machine.Spec.AdditionalTags = tags
		metav1.SetMetaDataAnnotation(&machine.ObjectMeta, clusterv1.UpdateInProgressAnnotation, "")
	})
}

// UpdateMachine calls the hook once, with the AWSMachine as desired.
func (w *World) UpdateMachine(ctx context.Context) (*hooksv1.UpdateMachineResponse, error) {
	machine, err := w.machine(ctx)
	if err != nil {
		return nil, err
	}
	machine.SetGroupVersionKind(infrav1.GroupVersion.WithKind("AWSMachine"))
	request := &hooksv1.UpdateMachineRequest{}
	request.Desired.Machine.Name = machine.Name
	request.Desired.Machine.Namespace = machine.Namespace
	request.Desired.InfrastructureMachine = raw(machine)
	response := &hooksv1.UpdateMachineResponse{}
	return response, w.call(ctx, hooksv1.UpdateMachine, "update-machine", request, response)
}

// Finish calls UpdateMachine until the update is done, after the delays of the answers. It returns
// the time that the update took. A failure is an error.
func (w *World) Finish(ctx context.Context) (took time.Duration, err error) {
	for took < time.Hour {
		response, err := w.UpdateMachine(ctx)
		if err != nil {
			return took, err
		}
		if response.RetryAfterSeconds == 0 {
			return took, w.edit(ctx,
				func(machine *infrav1.AWSMachine) { delete(machine.Annotations, clusterv1.UpdateInProgressAnnotation) })
		}
		delay := time.Duration(response.RetryAfterSeconds) * time.Second
		took += delay
		w.Pass(delay)
	}
	return took, errors.New("UpdateMachine was not done within an hour")
}

// Adopt reconciles the AWSMachine until nothing is left to do, as the extension's manager does for
// a new machine.
func (w *World) Adopt(ctx context.Context) error {
	for {
		result, err := w.Extension.Reconcile(ctx, ctrl.Request{NamespacedName: machineKey})
		if err != nil || result.RequeueAfter == 0 {
			return err
		}
		w.Pass(result.RequeueAfter)
	}
}

var machineKey = client.ObjectKey{Namespace: "ns", Name: "m"}

func (w *World) machine(ctx context.Context) (*infrav1.AWSMachine, error) {
	machine := &infrav1.AWSMachine{}
	return machine, w.Client.Get(ctx, machineKey, machine)
}

func (w *World) edit(ctx context.Context, change func(machine *infrav1.AWSMachine)) error {
	machine, err := w.machine(ctx)
	if err != nil {
		return err
	}
	change(machine)
	return w.Client.Update(ctx, machine)
}

// pair is an object and the extension's patch for it.
type pair struct {
	current, desired runtime.RawExtension
	patch            hooksv1.Patch
}

// verdict applies the patches of a successful answer to the objects, and compares only their specs,
// as JSON.
func verdict(message string, err error, spec string, pairs ...pair) (Verdict, error) {
	v := Verdict{Message: message}
	for _, p := range pairs {
		if err != nil {
			return v, err
		}
		if p.current.Raw == nil && p.desired.Raw == nil {
			continue
		}
		current := map[string]any{}
		desired := map[string]any{}
		var patched []byte
		patched, err = p.patched()
		err = errors.Join(err, json.Unmarshal(patched, &current), json.Unmarshal(p.desired.Raw, &desired))
		v.Left += cmp.Diff(compared(current, spec), compared(desired, spec))
	}
	return v, err
}

// patched returns the current object after the patch.
func (p pair) patched() ([]byte, error) {
	switch p.patch.PatchType {
	case hooksv1.JSONPatchType:
		patch, err := jsonpatch.DecodePatch(p.patch.Patch)
		if err != nil {
			return nil, err
		}
		return patch.Apply(p.current.Raw)
	case hooksv1.JSONMergePatchType:
		return jsonpatch.MergePatch(p.current.Raw, p.patch.Patch)
	default:
		return p.current.Raw, nil
	}
}

// compared returns the part of an object that Cluster API compares: its spec. Of a Machine it
// leaves out fields that never change, and fields that Cluster API itself writes into running
// machines (cluster-api v1.12.8, internal/util/inplace).
func compared(object map[string]any, spec string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(object, strings.Split(spec, ".")...)
	if kind := object["kind"]; kind == "Machine" || kind == "MachineSet" {
		for _, name := range []string{
			"clusterName", "bootstrap", "infrastructureRef", "providerID", "minReadySeconds",
			"readinessGates", "deletion", "taints",
		} {
			delete(value.(map[string]any), name)
		}
	}
	return value
}

func raw(object any) runtime.RawExtension {
	data, _ := json.Marshal(object) // API types always encode
	return runtime.RawExtension{Raw: data}
}

// call posts a request to a handler, like Cluster API. An answer without success is an error.
func (w *World) call(
	ctx context.Context, hook catalog.Hook, handler string, request runtime.Object, response hooksv1.ResponseObject,
) error {
	hooks := catalog.New()
	addErr := hooksv1.AddToCatalog(hooks)
	of, hookErr := hooks.GroupVersionHook(hook)
	kind, kindErr := hooks.Request(of)
	if err := errors.Join(addErr, hookErr, kindErr); err != nil {
		return err
	}
	request.GetObjectKind().SetGroupVersionKind(kind)
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url+catalog.GVHToPath(of, handler),
		bytes.NewReader(raw(request).Raw))
	if err != nil {
		return err
	}
	answer, err := w.http.Do(post)
	if err != nil {
		return err
	}
	if err := errors.Join(json.NewDecoder(answer.Body).Decode(response), answer.Body.Close()); err != nil {
		return fmt.Errorf("%s answers %s: %w", of.Hook, answer.Status, err)
	}
	if response.GetStatus() != hooksv1.ResponseStatusSuccess {
		return fmt.Errorf("%s: %s", of.Hook, response.GetMessage())
	}
	return nil
}
