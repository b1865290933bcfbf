// Package awsmachines makes, finds and deletes the VMs of machines on Amazon EC2, as a provider of
// machine-controller-manager (MCM). Package awsdriver has the meaning of a provider spec, the launch and the updates.
//
// With the build tag hotupdates, which needs MCM with the change of package editedmcm, it also updates them.
package awsmachines

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"
	corev1 "k8s.io/api/core/v1"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/tags"
)

// Driver is a [driver.Driver]. Make it with [New]. It is safe for concurrent use.
type Driver struct {
	Config

	kit   *awsdriver.Driver // implements updates
	rules tags.Rules        // of all kinds of resources of this cloud
}

// Config configures the calls of a driver to the cloud.
type Config struct {
	awsdriver.Config

	// MaxBackoff is the longest delay between two attempts of a call that creates or deletes a machine.
	// Poll is the delay between two reads that wait for a change.
	MaxBackoff, Poll time.Duration
}

var _ driver.Driver = (*Driver)(nil)

// New returns a driver.
func New(config Config) (*Driver, error) {
	rules, err := awsdriver.Rules()
	if err != nil {
		return nil, err
	}
	d := &Driver{Config: config, rules: rules}
	d.kit, err = awsdriver.New(config.Config)
	return d, err
}

// retryer repeats throttled and unanswered calls of a creation or deletion until the context ends.
// The SDK's own retryer gives up after three attempts. With unlimited attempts, it still gives up
// when its rate limiter has no tokens left: then the first call of a throttled creation would use
// all tokens, and its later calls would never be made.
func (d *Driver) retryer() aws.Retryer {
	standard := retry.NewStandard(func(o *retry.StandardOptions) {
		o.RateLimiter = ratelimit.None
		o.MaxBackoff = d.MaxBackoff
	})
	return retry.AddWithMaxAttempts(standard, 0) // 0 is unlimited
}

// CreateMachine launches the VM with its volumes and network interfaces, all with their
// infrastructure tags, and waits until the cloud shows it. The machine's UID makes the launch
// repeatable: after a lost answer the VM is found instead of launched twice.
func (d *Driver) CreateMachine(
	ctx context.Context, request *driver.CreateMachineRequest,
) (*driver.CreateMachineResponse, error) {
	call, err := d.prepare(request.Machine, request.MachineClass, request.Secret)
	if err != nil {
		return nil, err
	}
	launch, err := call.launch(ctx)
	if err != nil {
		return nil, err
	}
	launched, err := call.client.RunInstances(ctx, launch)
	if err != nil {
		return nil, toStatus(err)
	}
	if len(launched.Instances) != 1 {
		return nil, status.Error(codes.Internal, "a launch returned more or fewer than one instance")
	}
	waiter := ec2.NewInstanceExistsWaiter(call.client,
		func(o *ec2.InstanceExistsWaiterOptions) {
			o.MinDelay = d.Poll
			o.MaxDelay = 10 * d.Poll
		})
	id := aws.ToString(launched.Instances[0].InstanceId)
	if err := waiter.Wait(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{id}}, time.Hour); err != nil {
		return nil, toStatus(err)
	}
	return &driver.CreateMachineResponse{
		ProviderID: call.providerID(&launched.Instances[0]), NodeName: nodeName(&launched.Instances[0]),
	}, nil
}

// InitializeMachine turns off the check of source and destination if the spec does, and assigns
// IPv6 prefixes. It returns when the cloud shows both.
func (d *Driver) InitializeMachine(
	ctx context.Context, request *driver.InitializeMachineRequest,
) (*driver.InitializeMachineResponse, error) {
	call, err := d.prepare(request.Machine, request.MachineClass, request.Secret)
	if err != nil {
		return nil, err
	}
	vm, err := call.find(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range call.missing(vm) {
		if err := call.supply(ctx, m); err != nil {
			return nil, status.Error(codes.Uninitialized, err.Error())
		}
	}
	for len(call.missing(vm)) > 0 {
		select {
		case <-ctx.Done():
			return nil, status.Error(codes.Uninitialized, ctx.Err().Error())
		case <-time.After(d.Poll):
		}
		vm, err = call.find(ctx)
		if err != nil {
			return nil, err
		}
	}
	return &driver.InitializeMachineResponse{ProviderID: call.providerID(vm), NodeName: nodeName(vm)}, nil
}

// GetMachineStatus finds the VM by its ID, or by its infrastructure tags if the ID is not known.
func (d *Driver) GetMachineStatus(
	ctx context.Context, request *driver.GetMachineStatusRequest,
) (*driver.GetMachineStatusResponse, error) {
	call, err := d.prepare(request.Machine, request.MachineClass, request.Secret)
	if err != nil {
		return nil, err
	}
	vm, err := call.find(ctx)
	if err != nil {
		return nil, err
	}
	if len(call.missing(vm)) > 0 {
		err = status.Error(codes.Uninitialized, "the network interfaces are not as the class says")
	}
	return &driver.GetMachineStatusResponse{ProviderID: call.providerID(vm), NodeName: nodeName(vm)}, err
}

// DeleteMachine terminates the VM, and with it all resources of the launch.
func (d *Driver) DeleteMachine(
	ctx context.Context, request *driver.DeleteMachineRequest,
) (*driver.DeleteMachineResponse, error) {
	call, err := d.prepare(request.Machine, request.MachineClass, request.Secret)
	if err != nil {
		return nil, err
	}
	id, err := awsdriver.InstanceID(request.Machine.Spec.ProviderID)
	if err != nil {
		vm, err := call.find(ctx)
		if isNotFound(err) {
			return &driver.DeleteMachineResponse{}, nil
		}
		if err != nil {
			return nil, err
		}
		id = aws.ToString(vm.InstanceId)
	}
	_, err = call.client.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{id}})
	if err := toStatus(err); err != nil && !isNotFound(err) {
		return nil, err
	}
	return &driver.DeleteMachineResponse{}, nil
}

// ListMachines lists no machines. The collection of orphaned VMs then collects nothing.
func (*Driver) ListMachines(context.Context, *driver.ListMachinesRequest) (*driver.ListMachinesResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the tests have no orphaned VMs")
}

// GetVolumeIDs finds no volumes. MCM then does not wait for them when it drains a node.
func (*Driver) GetVolumeIDs(context.Context, *driver.GetVolumeIDsRequest) (*driver.GetVolumeIDsResponse, error) {
	return nil, status.Error(codes.Unimplemented, "the tests have no pods with volumes")
}

// specOf reads the spec of a class like MCM's drivers: it ignores unknown members.
func specOf(class *v1alpha1.MachineClass) (*awsdriver.ProviderSpec, error) {
	spec := &awsdriver.ProviderSpec{}
	if err := json.Unmarshal(class.ProviderSpec.Raw, spec); err != nil {
		return nil, fmt.Errorf("provider spec: %w", err)
	}
	return spec, nil
}

// call is one call of the driver.
type call struct {
	machine *v1alpha1.Machine
	rules   *tags.Rules
	spec    *awsdriver.ProviderSpec
	client  *ec2.Client
}

func (d *Driver) prepare(
	machine *v1alpha1.Machine, class *v1alpha1.MachineClass, secret *corev1.Secret,
) (*call, error) {
	spec, err := specOf(class)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	return &call{
		machine: machine, rules: &d.rules, spec: spec, client: d.Client(spec.Region, secret.Data, d.retryer()),
	}, nil
}

// launch returns the request that launches the VM.
func (c *call) launch(ctx context.Context) (*ec2.RunInstancesInput, error) {
	images, err := c.client.DescribeImages(ctx, &ec2.DescribeImagesInput{ImageIds: []string{c.spec.AMI}})
	if err != nil {
		return nil, toStatus(err)
	}
	if len(images.Images) == 0 {
		return nil, status.Error(codes.NotFound, "no image "+c.spec.AMI)
	}
	root := aws.ToString(images.Images[0].RootDeviceName)
	return c.spec.Launch(c.rules, c.machine.Name, string(c.machine.UID), root), nil
}

func filter(name, value string) types.Filter {
	return types.Filter{Name: &name, Values: []string{value}}
}

// find returns the only VM of the machine that is not terminated.
func (c *call) find(ctx context.Context) (*types.Instance, error) {
	var filters []types.Filter
	if id, err := awsdriver.InstanceID(c.machine.Spec.ProviderID); err == nil {
		filters = append(filters, filter("instance-id", id))
	} else {
		for key, value := range c.spec.Mandatory(c.rules, c.machine.Name) {
			filters = append(filters, filter("tag:"+key, value))
		}
	}
	found, err := awsdriver.Instances(ctx, c.client, filters...)
	switch {
	case err != nil:
		return nil, toStatus(err)
	case len(found) == 0:
		return nil, status.Error(codes.NotFound, "the cloud shows no such VM")
	case len(found) > 1:
		return nil, status.Error(codes.OutOfRange, "the cloud shows several VMs of one machine")
	}
	return &found[0], nil
}

// missing is the difference between a network interface and the spec.
type missing struct {
	id       *string
	checkOff bool  // source and destination are checked, and should not be
	prefixes int32 // number of missing IPv6 prefixes
}

// missing returns the differences of the machine's own network interfaces.
func (c *call) missing(vm *types.Instance) []missing {
	var all []missing
	own, specs := c.spec.Interfaces(vm)
	isUnchecked := c.spec.SrcAndDstChecksEnabled != nil && !*c.spec.SrcAndDstChecksEnabled
	for i, card := range own {
		m := missing{
			id: card.NetworkInterfaceId, checkOff: isUnchecked && aws.ToBool(card.SourceDestCheck),
		}
		m.prefixes = max(0, aws.ToInt32(specs[i].Ipv6PrefixCount)-
			int32(len(card.Ipv6Prefixes))) //nolint:gosec // a handful
		if m.checkOff || m.prefixes > 0 {
			all = append(all, m)
		}
	}
	return all
}

// supply corrects one network interface. The check is also an attribute of the VM, but only while
// the VM has a single interface.
func (c *call) supply(ctx context.Context, m missing) error {
	if m.checkOff {
		off := &types.AttributeBooleanValue{Value: aws.Bool(false)}
		input := &ec2.ModifyNetworkInterfaceAttributeInput{NetworkInterfaceId: m.id, SourceDestCheck: off}
		if _, err := c.client.ModifyNetworkInterfaceAttribute(ctx, input); err != nil {
			return err
		}
	}
	if m.prefixes > 0 {
		input := &ec2.AssignIpv6AddressesInput{NetworkInterfaceId: m.id, Ipv6PrefixCount: &m.prefixes}
		if _, err := c.client.AssignIpv6Addresses(ctx, input); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) providerID(vm *types.Instance) string {
	return awsdriver.ProviderIDScheme + c.spec.Region + "/" + aws.ToString(vm.InstanceId)
}

func nodeName(vm *types.Instance) string { return aws.ToString(vm.PrivateDnsName) }
