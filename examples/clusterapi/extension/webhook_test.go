package extension_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	"sigs.k8s.io/cluster-api-provider-aws/v2/webhooks"
	hooksv1 "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"

	"github.com/hotupdate/providerconfig/examples/clusterapi/world"
)

// TestProviderAdmitsWhatIsCovered: Cluster API writes covered changes into the AWSMachine, so the
// provider's own webhook must admit them. Every field of the spec changes from each of its values
// to the next, and to and from an absent and an empty value.
func TestProviderAdmitsWhatIsCovered(t *testing.T) {
	w := start(t, nil, nil)
	covered := map[string]int{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[infrav1.AWSMachineSpec]()) {
		all := values(field.Type)
		for i := range all {
			// behind a pointer, 1 is the empty object
			for _, pair := range [][2]int{{i, (i + 1) % len(all)}, {i, 0}, {0, i}, {i, 1}, {1, i}} {
				before := machineWith(field, all[pair[0]])
				after := machineWith(field, all[pair[1]])
				if left := judge(t, w, before, after); left != "" {
					continue
				}
				covered[field.Name]++
				if _, err := new(webhooks.AWSMachine).ValidateUpdate(t.Context(), defaulted(before), defaulted(after)); err != nil {
					assert.NotContainsf(
						t, err.Error(), "cannot be modified", "%s goes from %s to %s", field.Name, text(t, before), text(t, after),
					)
				}
			}
		}
	}
	assert.Greater(t, covered["AdditionalTags"], 5)
	assert.Greater(t, covered["AdditionalSecurityGroups"], 5)
}

// values returns values of a type, the zero value first: each member alone, each list in both orders.
func values(of reflect.Type) (variants []reflect.Value) {
	variants = []reflect.Value{reflect.Zero(of)}
	switch of.Kind() {
	case reflect.Pointer:
		for _, value := range values(of.Elem()) {
			pointer := reflect.New(of.Elem())
			pointer.Elem().Set(value)
			variants = append(variants, pointer)
		}
	case reflect.Struct:
		for i := range of.NumField() {
			for _, value := range values(of.Field(i).Type)[1:] {
				whole := reflect.New(of).Elem()
				whole.Field(i).Set(value)
				variants = append(variants, whole)
			}
		}
	case reflect.Slice:
		elements := values(of.Elem())
		one := elements[0]
		two := elements[len(elements)-1]
		for _, list := range [][]reflect.Value{{}, {one}, {two}, {one, two}, {two, one}} {
			variants = append(variants, reflect.Append(reflect.MakeSlice(of, 0, 2), list...))
		}
	case reflect.Map:
		for _, value := range values(of.Elem()) {
			whole := reflect.MakeMap(of)
			whole.SetMapIndex(reflect.ValueOf("key").Convert(of.Key()), value)
			variants = append(variants, whole)
		}
	case reflect.String: // with the values of the CRD's defaults
		for _, text := range []string{"a", "default", "enabled", "disabled", "optional", "ClusterObjectStore"} {
			variants = append(variants, reflect.ValueOf(text).Convert(of))
		}
	case reflect.Bool:
		variants = append(variants, reflect.ValueOf(true).Convert(of))
	default:
		variants = append(variants, reflect.ValueOf(1).Convert(of), reflect.ValueOf(2).Convert(of))
	}
	return variants
}

func machineWith(field reflect.StructField, value reflect.Value) *infrav1.AWSMachine {
	machine := &infrav1.AWSMachine{Spec: infrav1.AWSMachineSpec{InstanceType: "m5.large"}}
	machine.APIVersion = infra
	machine.Kind = "AWSMachine"
	reflect.ValueOf(&machine.Spec).Elem().FieldByIndex(field.Index).Set(value)
	return machine
}

// defaulted returns an AWSMachine with the defaults of the API server.
func defaulted(machine *infrav1.AWSMachine) *infrav1.AWSMachine {
	machine = machine.DeepCopy()
	if machine.Spec.HostAffinity == nil {
		machine.Spec.HostAffinity = new("default")
	}
	if ignition := machine.Spec.Ignition; ignition != nil && ignition.StorageType == "" {
		ignition.StorageType = infrav1.DefaultIgnitionStorageType
	}
	if options := machine.Spec.InstanceMetadataOptions; options != nil {
		options.SetDefaults()
	}
	return machine
}

// judge returns the extension's reasons to replace a machine.
func judge(t *testing.T, w *world.World, before, after *infrav1.AWSMachine) string {
	t.Helper()
	request := &hooksv1.CanUpdateMachineRequest{}
	response := &hooksv1.CanUpdateMachineResponse{}
	request.Current.InfrastructureMachine = runtime.RawExtension{Raw: []byte(text(t, before))}
	request.Desired.InfrastructureMachine = runtime.RawExtension{Raw: []byte(text(t, after))}
	w.Extension.CanUpdateMachine(t.Context(), request, response)
	return response.Message
}

func text(t *testing.T, machine *infrav1.AWSMachine) string {
	t.Helper()
	data, err := json.Marshal(machine)
	require.NoError(t, err)
	return string(data)
}
