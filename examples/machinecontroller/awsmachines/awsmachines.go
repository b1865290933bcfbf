// Package awsmachines makes, finds, updates and deletes the VMs of machines on Amazon EC2, like a provider of
// machine-controller-manager. Package awsdriver has the meaning of a provider spec, the launch and the updates.
package awsmachines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Driver is a [driver.Driver]. Make it with [New]. It is safe for concurrent use.
type Driver struct {
	Config

	Kit   *awsdriver.Driver // implements updates
	rules tags.Rules        // of all kinds of resources of this cloud
}

// Config configures the calls of a driver to the cloud.
type Config struct {
	awsdriver.Config

	// MaxBackoff is the longest delay between two attempts of a call that creates or deletes a machine.
	// Poll is the delay between two reads that wait for a change.
	MaxBackoff, Poll time.Duration
}

var (
	_ driver.Driver  = (*Driver)(nil)
	_ driver.Updater = (*Driver)(nil)
)

// New returns a driver.
func New(config Config) (*Driver, error) {
	rules, err := awsdriver.Rules()
	if err != nil {
		return nil, err
	}
	d := &Driver{Config: config, rules: rules}
	d.Kit, err = awsdriver.New(config.Config)
	return d, err
}

// DescribeUpdates says what UpdateMachine applies.
func (d *Driver) DescribeUpdates() []byte { return d.Kit.Describe() }

// UpdateMachine passes the request to the kit.
func (d *Driver) UpdateMachine(
	ctx context.Context, request *driver.UpdateMachineRequest,
) (*driver.UpdateMachineResponse, error) {
	class := request.MachineClass
	update := &machineupdate.UpdateMachineRequest{
		Object: request.Machine, Class: machineupdate.MachineClass{Object: class, ProviderSpec: class.ProviderSpec.Raw},
		Secret: request.Secret.Data, BeforeWrite: request.BeforeWrite,
		Tell: request.Tell, TellClass: request.TellClass, OtherWriter: request.OtherWriter,
	}
	if err := json.Unmarshal(request.Update, update); err != nil {
		return nil, err
	}
	return &driver.UpdateMachineResponse{}, d.Kit.UpdateMachine(ctx, update)
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
func (d *Driver) CreateMachine(ctx context.Context, request *driver.Request) (*driver.Response, error) {
	call, err := d.prepare(request)
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
		return nil, &driver.Status{
			Code: driver.Internal, Cause: errors.New("a launch returned more or fewer than one instance"),
		}
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
	return call.response(&launched.Instances[0]), nil
}

// InitializeMachine turns off the check of source and destination if the spec does, and assigns
// IPv6 prefixes. It returns when the cloud shows both.
func (d *Driver) InitializeMachine(ctx context.Context, request *driver.Request) (*driver.Response, error) {
	call, err := d.prepare(request)
	if err != nil {
		return nil, err
	}
	vm, err := call.find(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range call.missing(vm) {
		if err := call.supply(ctx, m); err != nil {
			return nil, &driver.Status{Code: driver.Uninitialized, Cause: err}
		}
	}
	for len(call.missing(vm)) > 0 {
		select {
		case <-ctx.Done():
			return nil, &driver.Status{Code: driver.Uninitialized, Cause: ctx.Err()}
		case <-time.After(d.Poll):
		}
		vm, err = call.find(ctx)
		if err != nil {
			return nil, err
		}
	}
	return call.response(vm), nil
}

// GetMachineStatus finds the VM by its ID, or by its infrastructure tags if the ID is not known.
func (d *Driver) GetMachineStatus(ctx context.Context, request *driver.Request) (*driver.Response, error) {
	call, err := d.prepare(request)
	if err != nil {
		return nil, err
	}
	vm, err := call.find(ctx)
	if err != nil {
		return nil, err
	}
	if len(call.missing(vm)) > 0 {
		err = &driver.Status{
			Code: driver.Uninitialized, Cause: errors.New("the network interfaces are not as the class says"),
		}
	}
	return call.response(vm), err
}

// DeleteMachine terminates the VM, and with it all resources of the launch.
func (d *Driver) DeleteMachine(ctx context.Context, request *driver.Request) error {
	call, err := d.prepare(request)
	if err != nil {
		return err
	}
	id, err := awsdriver.InstanceID(request.Machine.Spec.ProviderID)
	if err != nil {
		vm, err := call.find(ctx)
		if driver.CodeOf(err) == driver.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		id = aws.ToString(vm.InstanceId)
	}
	_, err = call.client.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{id}})
	err = toStatus(err)
	if driver.CodeOf(err) == driver.NotFound {
		return nil
	}
	return err
}

// specOf reads the spec of a class like MCM's drivers: it ignores unknown members.
func specOf(class *api.MachineClass) (*awsdriver.ProviderSpec, error) {
	spec := &awsdriver.ProviderSpec{}
	if err := json.Unmarshal(class.ProviderSpec.Raw, spec); err != nil {
		return nil, fmt.Errorf("provider spec: %w", err)
	}
	return spec, nil
}

// call is one call of the driver.
type call struct {
	*driver.Request

	rules  *tags.Rules
	spec   *awsdriver.ProviderSpec
	client *ec2.Client
}

func (d *Driver) prepare(request *driver.Request) (*call, error) {
	spec, err := specOf(request.MachineClass)
	if err != nil {
		return nil, &driver.Status{Code: driver.InvalidArgument, Cause: err}
	}
	return &call{
		Request: request, rules: &d.rules, spec: spec, client: d.Client(spec.Region, request.Secret.Data, d.retryer()),
	}, nil
}

// launch returns the request that launches the VM.
func (c *call) launch(ctx context.Context) (*ec2.RunInstancesInput, error) {
	images, err := c.client.DescribeImages(ctx, &ec2.DescribeImagesInput{ImageIds: []string{c.spec.AMI}})
	if err != nil {
		return nil, toStatus(err)
	}
	if len(images.Images) == 0 {
		return nil, &driver.Status{Code: driver.NotFound, Cause: errors.New("no image " + c.spec.AMI)}
	}
	root := aws.ToString(images.Images[0].RootDeviceName)
	return c.spec.Launch(c.rules, c.Machine.Name, string(c.Machine.UID), root), nil
}

func filter(name, value string) types.Filter {
	return types.Filter{Name: &name, Values: []string{value}}
}

// find returns the only VM of the machine that is not terminated.
func (c *call) find(ctx context.Context) (*types.Instance, error) {
	var filters []types.Filter
	if id, err := awsdriver.InstanceID(c.Machine.Spec.ProviderID); err == nil {
		filters = append(filters, filter("instance-id", id))
	} else {
		for key, value := range c.spec.Mandatory(c.rules, c.Machine.Name) {
			filters = append(filters, filter("tag:"+key, value))
		}
	}
	found, err := awsdriver.Instances(ctx, c.client, filters...)
	switch {
	case err != nil:
		return nil, toStatus(err)
	case len(found) == 0:
		return nil, &driver.Status{Code: driver.NotFound, Cause: errors.New("the cloud shows no such VM")}
	case len(found) > 1:
		return nil, &driver.Status{
			Code: driver.OutOfRange, Cause: errors.New("the cloud shows several VMs of one machine"),
		}
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

func (c *call) response(vm *types.Instance) *driver.Response {
	return &driver.Response{
		ProviderID: awsdriver.ProviderIDScheme + c.spec.Region + "/" + aws.ToString(vm.InstanceId),
		NodeName:   aws.ToString(vm.PrivateDnsName),
	}
}
