// Package awsdriver is a driver for a cloud that is like Amazon EC2, as a provider of machine-controller-manager would be written: it
// launches, initializes, updates and deletes VMs through the cloud's API.
//
// It knows what a provider spec means and which resources are the machine's own. It keeps no state: what was applied before comes with
// the request.
package awsdriver

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/tags"
)

// SecretAccessKey is the key under which a secret holds the access key.
const SecretAccessKey = "accessKeyID"

// nameKey is the infrastructure tag that holds the machine's name.
const nameKey = "Name"

// Driver is a [driver.Driver]. It is safe for concurrent use.
type Driver struct {
	// Endpoint is the URL of the cloud's API.
	Endpoint string
	// HTTP sends the requests.
	HTTP *http.Client
	// Timeout is how long a request waits for its answer.
	Timeout time.Duration
	// WithTimeout ends a context after a while; [context.WithTimeout] is what real time needs.
	WithTimeout func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// Wait returns after a while, or with an error when the context is done.
	Wait func(ctx context.Context, d time.Duration) error
	// Takeover, if it is set, is told of a key that carried somebody else's value and is the machine's from now on.
	Takeover func(resource, key string)
}

var _ driver.Driver = (*Driver)(nil)

// CreateMachine launches the VM with its volumes and network interfaces, all with their infrastructure tags. The machine's UID makes
// the launch repeatable: a VM that was launched without anybody hearing of it is found, not doubled.
func (d *Driver) CreateMachine(ctx context.Context, request *driver.Request) (*driver.Response, error) {
	spec, err := specOf(request.MachineClass)
	if err != nil {
		return nil, &driver.Error{Code: driver.InvalidArgument, Cause: err}
	}
	launch := &cloudapi.RunInstancesRequest{ClientToken: string(request.Machine.UID), ImageID: spec.AMI, InstanceType: spec.MachineType}
	for _, device := range spec.BlockDevices {
		launch.BlockDevices = append(launch.BlockDevices, device.DeviceName)
	}
	for i := range spec.NetworkInterfaces {
		launch.NetworkInterfaces = append(launch.NetworkInterfaces, i)
	}
	rules, err := tags.AWS.Rules(tags.VM) // one row for every kind of resource of this cloud
	if err != nil {
		return nil, &driver.Error{Code: driver.Internal, Cause: err}
	}
	for _, kind := range tags.Kinds() {
		all := spec.effective(&rules, kind, spec.mandatory(&rules, request.Machine.Name))
		launch.TagSpecifications = append(launch.TagSpecifications, cloudapi.TagSpecification{ResourceType: typeOf(kind), Tags: listOf(all)})
	}
	launched, err := cloudapi.Call[cloudapi.InstancesResponse](ctx, d.client(request.Secret.Data), cloudapi.RunInstances, launch)
	if err != nil {
		return nil, toError(err)
	}
	if len(launched.Instances) != 1 {
		return nil, &driver.Error{Code: driver.Internal, Cause: errors.New("a launch returned more or fewer than one instance")}
	}
	return response(spec, &launched.Instances[0], request.Machine), nil
}

// InitializeMachine turns off the check of source and destination if the spec says so.
func (d *Driver) InitializeMachine(ctx context.Context, request *driver.Request) (*driver.Response, error) {
	spec, err := specOf(request.MachineClass)
	if err != nil {
		return nil, &driver.Error{Code: driver.InvalidArgument, Cause: err}
	}
	id, err := instanceID(request.Machine.Spec.ProviderID)
	if err != nil {
		return nil, &driver.Error{Code: driver.Initialization, Cause: err}
	}
	found := &cloudapi.InstanceDescription{ID: id}
	if spec.checksSourceAndDestination() {
		return response(spec, found, request.Machine), nil
	}
	modify := cloudapi.ModifyInstanceAttributeRequest{InstanceID: id, SourceDestCheck: false}
	_, err = cloudapi.Call[cloudapi.Empty](ctx, d.client(request.Secret.Data), cloudapi.ModifyInstanceAttribute, modify)
	if err != nil {
		return nil, &driver.Error{Code: driver.Initialization, Cause: err}
	}
	return response(spec, found, request.Machine), nil
}

// MachineStatus finds the VM by its ID, or by the infrastructure tags of the launch if the ID is not known.
func (d *Driver) MachineStatus(ctx context.Context, request *driver.Request) (*driver.Response, error) {
	spec, err := specOf(request.MachineClass)
	if err != nil {
		return nil, &driver.Error{Code: driver.InvalidArgument, Cause: err}
	}
	found, err := d.find(ctx, request, spec)
	if err != nil {
		return nil, err
	}
	if found.SourceDestCheck != spec.checksSourceAndDestination() {
		return nil, &driver.Error{Code: driver.Initialization, Cause: errors.New("the check of source and destination is not as the class says")}
	}
	return response(spec, found, request.Machine), nil
}

// DeleteMachine terminates the VM; what the launch created goes with it.
func (d *Driver) DeleteMachine(ctx context.Context, request *driver.Request) error {
	id, err := instanceID(request.Machine.Spec.ProviderID)
	if err != nil {
		spec, err := specOf(request.MachineClass)
		if err != nil {
			return &driver.Error{Code: driver.InvalidArgument, Cause: err}
		}
		found, err := d.find(ctx, request, spec)
		if driver.CodeOf(err) == driver.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		id = found.ID
	}
	_, err = cloudapi.Call[cloudapi.Empty](ctx, d.client(request.Secret.Data), cloudapi.TerminateInstances,
		cloudapi.TerminateInstancesRequest{InstanceIDs: []string{id}})
	if err != nil && cloudapi.CodeOf(err) != cloudapi.InvalidInstanceNotFound {
		return toError(err)
	}
	return nil
}

// find returns the VM of a machine.
func (d *Driver) find(ctx context.Context, request *driver.Request, spec *ProviderSpec) (*cloudapi.InstanceDescription, error) {
	filters := []cloudapi.Filter{existing()}
	if id, err := instanceID(request.Machine.Spec.ProviderID); err == nil {
		filters = append(filters, cloudapi.Filter{Name: "instance-id", Values: []string{id}})
	} else {
		rules, err := tags.AWS.Rules(tags.VM)
		if err != nil {
			return nil, &driver.Error{Code: driver.Internal, Cause: err}
		}
		for _, tag := range listOf(spec.mandatory(&rules, request.Machine.Name)) {
			filters = append(filters, cloudapi.Filter{Name: "tag:" + tag.Key, Values: []string{*tag.Value}})
		}
	}
	return describe(ctx, d.client(request.Secret.Data), filters)
}

// existing selects instances that are not terminated.
func existing() cloudapi.Filter {
	return cloudapi.Filter{Name: "instance-state-name", Values: []string{string(cloudapi.Pending), string(cloudapi.Running)}}
}

// describe returns the only instance that matches.
func describe(ctx context.Context, client *cloudapi.Client, filters []cloudapi.Filter) (*cloudapi.InstanceDescription, error) {
	described, err := cloudapi.Call[cloudapi.InstancesResponse](ctx, client, cloudapi.DescribeInstances, cloudapi.DescribeRequest{Filters: filters})
	switch {
	case err != nil:
		return nil, toError(err)
	case len(described.Instances) == 0:
		return nil, &driver.Error{Code: driver.NotFound, Cause: errors.New("the cloud shows no such VM")}
	case len(described.Instances) > 1:
		return nil, &driver.Error{Code: driver.Internal, Cause: errors.New("the cloud shows several VMs of one machine")}
	}
	return &described.Instances[0], nil
}

func (d *Driver) client(secret map[string][]byte) *cloudapi.Client {
	return &cloudapi.Client{
		Endpoint: d.Endpoint, AccessKey: string(secret[SecretAccessKey]), HTTP: d.HTTP,
		Timeout: d.Timeout, WithTimeout: d.WithTimeout, Wait: d.Wait,
	}
}

// providerIDScheme begins every provider ID; region and instance follow.
const providerIDScheme = "aws:///"

func response(spec *ProviderSpec, vm *cloudapi.InstanceDescription, machine *api.Machine) *driver.Response {
	return &driver.Response{ProviderID: providerIDScheme + spec.Region + "/" + vm.ID, NodeName: NodeName(machine.Name)}
}

// NodeName returns the name of a machine's node.
func NodeName(machine string) string { return "node-of-" + machine }

func instanceID(providerID string) (string, error) {
	rest, ok := strings.CutPrefix(providerID, providerIDScheme)
	_, id, both := strings.Cut(rest, "/")
	if !ok || !both || id == "" {
		return "", errors.New("the provider ID is not one of this driver")
	}
	return id, nil
}

// toError gives an error of the API its code.
func toError(err error) error {
	code := driver.Internal
	switch cloudapi.CodeOf(err) {
	case cloudapi.InvalidInstanceNotFound:
		code = driver.NotFound
	case cloudapi.RequestLimitExceeded:
		code = driver.ResourceExhausted
	case cloudapi.AuthFailure:
		code = driver.Unauthenticated
	case cloudapi.InvalidParameterValue, cloudapi.TagLimitExceeded:
		code = driver.InvalidArgument
	case cloudapi.IdempotentTerminated, cloudapi.IncorrectInstanceState, cloudapi.InternalError, cloudapi.InvalidAction, cloudapi.InvalidID:
	}
	if errors.Is(err, context.DeadlineExceeded) {
		code = driver.DeadlineExceeded
	}
	return &driver.Error{Code: code, Cause: err}
}
