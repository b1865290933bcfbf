package extension

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	hooksv1 "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// CanUpdateMachine answers Cluster API's hook for machines of a control plane.
//
// The Machine itself gets no patch. Of the Machine's spec, Cluster API compares version and
// failureDomain, and a change of these needs another machine. It writes some of the other fields
// into the running Machine itself, and never changes the rest.
func (e *Extension) CanUpdateMachine(
	ctx context.Context, request *hooksv1.CanUpdateMachineRequest, response *hooksv1.CanUpdateMachineResponse,
) {
	var v verdict
	current := &request.Current
	desired := &request.Desired
	response.InfrastructureMachinePatch = e.cover(&v, current.InfrastructureMachine, desired.InfrastructureMachine)
	response.BootstrapConfigPatch = e.cover(&v, current.BootstrapConfig, desired.BootstrapConfig)
	v.report(ctx, desired.Machine.Name, response)
}

// CanUpdateMachineSet answers Cluster API's hook for the machines of a MachineDeployment. The
// request has templates, which lack the defaults that webhooks set only in machines.
func (e *Extension) CanUpdateMachineSet(
	ctx context.Context, request *hooksv1.CanUpdateMachineSetRequest, response *hooksv1.CanUpdateMachineSetResponse,
) {
	var v verdict
	current := &request.Current
	desired := &request.Desired
	response.InfrastructureMachineTemplatePatch = e.cover(&v, current.InfrastructureMachineTemplate,
		desired.InfrastructureMachineTemplate)
	response.BootstrapConfigTemplatePatch = e.cover(&v, current.BootstrapConfigTemplate,
		desired.BootstrapConfigTemplate)
	if !desired.MachineSet.Spec.Template.Spec.Bootstrap.ConfigRef.IsDefined() {
		v.left = append(v.left, "MachineSet: "+withoutConfigRef)
		response.MachineSetPatch = hooksv1.Patch{PatchType: hooksv1.JSONMergePatchType, Patch: []byte(declining)}
	}
	v.report(ctx, desired.MachineSet.Name, response)
}

// Cluster API calls UpdateMachine only for a machine whose bootstrap data comes from a bootstrap
// config. With dataSecretName instead, the update of a machine would never end (cluster-api
// v1.12.8, internal/controllers/machine, reconcileInPlaceUpdate).
//
// Without patches, Cluster API would update in place if nothing that it compares has changed, and
// it does not compare dataSecretName. So the patch adds a difference to failureDomain, which
// Cluster API compares and logs. Cluster API writes the patched object nowhere.
const (
	withoutConfigRef = "bootstrap.configRef is not set"
	declining        = `{"spec":{"template":{"spec":{"failureDomain":"` + withoutConfigRef + `"}}}}`
)

// verdict explains an answer. Cluster API decides by the patches alone.
type verdict struct {
	left                []string // reasons to replace the machines, without values
	affectsAvailability bool     // the hooks have no field for it yet
}

// report logs the verdict, and writes it into the answer, for people who call the hook.
func (v *verdict) report(ctx context.Context, name string, response hooksv1.ResponseObject) {
	response.SetStatus(hooksv1.ResponseStatusSuccess)
	if len(v.left) > 0 {
		response.SetMessage("replaces machines: " + strings.Join(v.left, "; "))
	}
	ctrl.LoggerFrom(ctx).Info("judged an update", "object", name, "replaces", v.left, "affectsAvailability",
		v.affectsAvailability)
}

// subject is a kind of object with a Schema, and the JSON pointer to its configuration.
type subject struct {
	schema  *hotupdate.Schema
	pointer string
}

// subjects returns the objects with a Schema. A change of any other object replaces the machine. So
// does a change of a field that the Schema does not know, such as a field of a newer version.
func subjects(machine, bootstrap *hotupdate.Schema) (map[metav1.TypeMeta]subject, error) {
	machine, machineErr := machine.AdmitUnknown()
	bootstrap, bootstrapErr := bootstrap.AdmitUnknown()
	infra := infrav1.GroupVersion.String()
	kubeadm := bootstrapv1.GroupVersion.String()
	return map[metav1.TypeMeta]subject{
		{APIVersion: infra, Kind: "AWSMachine"}:              {machine, "/spec"},
		{APIVersion: infra, Kind: "AWSMachineTemplate"}:      {machine, "/spec/template/spec"},
		{APIVersion: kubeadm, Kind: "KubeadmConfig"}:         {bootstrap, "/spec"},
		{APIVersion: kubeadm, Kind: "KubeadmConfigTemplate"}: {bootstrap, "/spec/template/spec"},
	}, errors.Join(machineErr, bootstrapErr)
}

// cover returns the patch with all changes from the current to the desired object that running
// machines can take. An unreadable object gets no patch, so its machines are replaced, as without
// an extension. An error instead would block the whole cluster.
func (e *Extension) cover(v *verdict, current, desired runtime.RawExtension) (patch hooksv1.Patch) {
	var kind, former metav1.TypeMeta
	if json.Unmarshal(current.Raw, &former) != nil || json.Unmarshal(desired.Raw, &kind) != nil {
		return patch // there is no such object
	}
	of, known := e.subjects[kind]
	if !known || former != kind {
		v.left = append(v.left, kind.Kind+": "+kind.APIVersion+" is not judged")
		return patch
	}
	coverage, err := of.schema.Cover(current.Raw, desired.Raw, of.pointer)
	if err == nil {
		err = e.settable(desired.Raw, of.pointer)
	}
	if err != nil {
		v.left = append(v.left, kind.Kind+": "+err.Error())
		return patch
	}
	for _, change := range coverage.Left {
		v.left = append(v.left, kind.Kind+": "+change.Path+" is "+change.Class.String())
	}
	v.affectsAvailability = v.affectsAvailability || len(coverage.Covered.Of(hotupdate.InPlace)) > 0
	return hooksv1.Patch{PatchType: hooksv1.JSONPatchType, Patch: coverage.Patch}
}

// settable returns the reason why UpdateMachine cannot set the tags of a configuration, or nil.
func (e *Extension) settable(object []byte, pointer string) error {
	var desired map[string]any
	if err := json.Unmarshal(object, &desired); err != nil {
		return err
	}
	all, _, err := unstructured.NestedStringMap(desired, strings.Split(pointer[1:]+"/additionalTags", "/")...)
	if err != nil {
		return err
	}
	path := field.NewPath("additionalTags")
	problems := e.rules.Validate(all, nil, path)
	for key := range all {
		if strings.HasPrefix(key, infrav1.NameAWSProviderPrefix) {
			problems = append(problems, field.Forbidden(path.Key(key), "the provider finds its instances by such keys"))
		}
	}
	return problems.ToAggregate()
}
