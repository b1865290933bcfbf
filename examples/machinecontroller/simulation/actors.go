package simulation

import (
	"encoding/json"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/store"
)

// The names of the class and its secret.
const (
	Class  = "shoot--demo--pool-z1-159ea"
	Secret = "cloudprovider"
)

// CreateClass makes the class with this spec, and its secret.
func (s *Simulation) CreateClass(spec *awsdriver.ProviderSpec) error {
	secret := &api.Secret{ObjectMeta: metav1.ObjectMeta{Name: Secret}, Data: map[string][]byte{awsdriver.SecretAccessKey: []byte(ControllersKey)}}
	if _, err := store.Create(s.ctx, s.Store, secret); err != nil {
		return err
	}
	raw, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	class := &api.MachineClass{
		ObjectMeta: metav1.ObjectMeta{Name: Class}, Provider: "AWS",
		ProviderSpec: runtime.RawExtension{Raw: raw}, SecretRef: &api.SecretReference{Name: Secret},
	}
	_, err = store.Create(s.ctx, s.Store, class)
	return err
}

// ChangeClass gives the class another spec under the same name, as an extension does if only hot fields change.
func (s *Simulation) ChangeClass(spec *awsdriver.ProviderSpec) error {
	class, err := store.Get[api.MachineClass](s.ctx, s.Store, Class)
	if err != nil {
		return err
	}
	if class.ProviderSpec.Raw, err = json.Marshal(spec); err != nil {
		return err
	}
	_, err = store.Update(s.ctx, s.Store, class)
	return err
}

// CreateMachine makes a machine of the class.
func (s *Simulation) CreateMachine(name string) error {
	machine := &api.Machine{ObjectMeta: metav1.ObjectMeta{Name: name}}
	machine.Spec.Class = api.ClassSpec{Kind: api.KindMachineClass, Name: Class}
	_, err := store.Create(s.ctx, s.Store, machine)
	return err
}

// DeleteMachine asks for the machine's end.
func (s *Simulation) DeleteMachine(name string) error {
	return store.Delete[api.Machine](s.ctx, s.Store, name)
}

// Machine returns a machine as the API server has it.
func (s *Simulation) Machine(name string) (*api.Machine, error) {
	return store.Get[api.Machine](s.ctx, s.Store, name)
}

// Tag is somebody else who gives a resource an infrastructure tag.
func (s *Simulation) Tag(resource, key, value string) error {
	_, err := others[cloudapi.Empty](s, cloudapi.CreateTags,
		cloudapi.TagsRequest{Resources: []string{resource}, Tags: []cloudapi.Tag{{Key: key, Value: &value}}})
	return err
}

// Untag is somebody else who removes an infrastructure tag, whatever its value is.
func (s *Simulation) Untag(resource, key string) error {
	_, err := others[cloudapi.Empty](s, cloudapi.DeleteTags,
		cloudapi.TagsRequest{Resources: []string{resource}, Tags: []cloudapi.Tag{{Key: key}}})
	return err
}

// Terminate is somebody else who ends a VM.
func (s *Simulation) Terminate(instance string) error {
	_, err := others[cloudapi.Empty](s, cloudapi.TerminateInstances, cloudapi.TerminateInstancesRequest{InstanceIDs: []string{instance}})
	return err
}

// CheckSourceAndDestination is somebody else who turns the check of an instance's traffic on again.
func (s *Simulation) CheckSourceAndDestination(instance string) error {
	_, err := others[cloudapi.Empty](s, cloudapi.ModifyInstanceAttribute,
		cloudapi.ModifyInstanceAttributeRequest{InstanceID: instance, SourceDestCheck: true})
	return err
}

// AttachVolume is a CSI driver that makes a volume with infrastructure tags of its own and attaches it to a VM. It returns the ID.
func (s *Simulation) AttachVolume(instance, device string, tags map[string]string) (string, error) {
	volume, err := others[cloudapi.CreateResourceResponse](s, cloudapi.CreateVolume, cloudapi.CreateResourceRequest{Tags: listOf(tags)})
	if err != nil {
		return "", err
	}
	_, err = others[cloudapi.Empty](s, cloudapi.AttachVolume, cloudapi.AttachVolumeRequest{VolumeID: volume.ID, InstanceID: instance, Device: device})
	return volume.ID, err
}

// AttachInterface is a CNI plugin that makes a network interface with infrastructure tags of its own and attaches it to a VM. It returns
// the ID.
func (s *Simulation) AttachInterface(instance string, index int, tags map[string]string) (string, error) {
	card, err := others[cloudapi.CreateResourceResponse](s, cloudapi.CreateNetworkInterface, cloudapi.CreateResourceRequest{Tags: listOf(tags)})
	if err != nil {
		return "", err
	}
	_, err = others[cloudapi.Empty](s, cloudapi.AttachNetworkInterface,
		cloudapi.AttachNetworkInterfaceRequest{NetworkInterfaceID: card.ID, InstanceID: instance, DeviceIndex: index})
	return card.ID, err
}

// others makes a call for somebody else.
func others[Response any](s *Simulation, action cloudapi.Action, request any) (*Response, error) {
	client := &cloudapi.Client{
		Endpoint: s.endpoint, AccessKey: OthersKey, HTTP: s.client,
		Timeout: Timeout, WithTimeout: s.Clock.WithTimeout, Wait: s.Clock.Wait,
	}
	response, err := cloudapi.Call[Response](s.ctx, client, action, request)
	s.tellRequests()
	return response, err
}

// listOf returns infrastructure tags as the API takes them, sorted by key.
func listOf(tags map[string]string) []cloudapi.Tag {
	var all []cloudapi.Tag
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		all = append(all, cloudapi.Tag{Key: key, Value: new(tags[key])})
	}
	return all
}
