// Package awsdriver is a driver for Amazon EC2 on the real SDK, written like a provider of
// machine-controller-manager: it launches, initializes, updates and deletes VMs.
//
// It knows the meaning of a provider spec and the resources of a machine. It keeps no state: the
// request has the last-applied spec. Without an Endpoint it calls Amazon.
package awsdriver

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	hotdriver "github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Driver is a [driver.Driver]. Make it with [New]. It is safe for concurrent use.
type Driver struct {
	Config

	Kit     *hotdriver.Kit[ProviderSpec, *session] // implements updates
	rules   tags.Rules                             // of all kinds of resources of this cloud
	clients *login.Cache[ec2.Client]               // of updates, by credentials and region
}

// Config configures the calls of a driver to the cloud.
type Config struct {
	// Endpoint is the URL of the cloud's API; empty for Amazon.
	Endpoint string
	// HTTP sends the requests. Its timeout bounds one attempt.
	HTTP *http.Client
	// MaxBackoff is the longest delay between two attempts of a call that creates or deletes a machine.
	// Poll is the delay between two reads that wait for a change.
	MaxBackoff, Poll time.Duration
	// Wait waits before the kit's next attempt. Nil waits in real time.
	Wait func(ctx context.Context, d time.Duration) error
	// VolumeCooldown is the time for which the cloud refuses another change of a volume; zero is
	// Amazon's six hours.
	VolumeCooldown time.Duration
	// Takeover is called for a key that had a foreign value and now belongs to the machine. It may
	// be nil.
	Takeover func(resource machineupdate.ResourceID, key string)
}

var (
	_ driver.Driver  = (*Driver)(nil)
	_ driver.Updater = (*Driver)(nil)
)

// New returns a driver.
func New(config Config) (*Driver, error) {
	rules, err := tags.AWS.Rules(tags.VM)
	if err != nil {
		return nil, err
	}
	d := &Driver{Config: config, rules: rules}
	d.clients = login.New(func(_ context.Context, secret map[string][]byte, region string) (*ec2.Client, error) {
		return d.client(region, secret, aws.NopRetryer{}), nil
	})
	d.Kit, err = d.newKit()
	return d, err
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
	id, err := instanceID(request.Machine.Spec.ProviderID)
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

// call is one call of the driver.
type call struct {
	*driver.Request

	rules  *tags.Rules
	spec   *ProviderSpec
	client *ec2.Client
}

func (d *Driver) prepare(request *driver.Request) (*call, error) {
	spec, err := specOf(request.MachineClass)
	if err != nil {
		return nil, &driver.Status{Code: driver.InvalidArgument, Cause: err}
	}
	return &call{
		Request: request, rules: &d.rules, spec: spec, client: d.client(spec.Region, request.Secret.Data, d.retryer()),
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
	token := string(c.Machine.UID)
	launch := &ec2.RunInstancesInput{
		ClientToken: &token, ImageId: &c.spec.AMI, InstanceType: types.InstanceType(c.spec.MachineType),
		MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
	}
	if options := c.spec.InstanceMetadataOptions; options != nil {
		launch.MetadataOptions = &types.InstanceMetadataOptionsRequest{
			HttpTokens: types.HttpTokensState(options.HTTPTokens),
		}
	}
	for i, device := range c.spec.BlockDevices {
		name := c.spec.deviceName(i, aws.ToString(images.Images[0].RootDeviceName))
		launch.BlockDeviceMappings = append(launch.BlockDeviceMappings,
			types.BlockDeviceMapping{DeviceName: &name, Ebs: &types.EbsBlockDevice{
				VolumeSize: &device.Ebs.VolumeSize, VolumeType: types.VolumeType(device.Ebs.VolumeType),
				DeleteOnTermination: aws.Bool(isTrue(device.Ebs.DeleteOnTermination)),
				Iops:                device.Ebs.Iops, Throughput: device.Ebs.Throughput,
			}})
	}
	for i, spec := range c.spec.NetworkInterfaces {
		card, index := c.spec.card(i)
		launch.NetworkInterfaces = append(launch.NetworkInterfaces, types.InstanceNetworkInterfaceSpecification{
			SubnetId: &spec.SubnetID, Groups: spec.SecurityGroupIDs, DeviceIndex: &index, NetworkCardIndex: &card,
			InterfaceType:       spec.InterfaceType,
			DeleteOnTermination: aws.Bool(isTrue(spec.DeleteOnTermination)),
		})
	}
	for _, kind := range tags.Kinds() {
		all := c.rules.Effective(c.spec.Tags, c.spec.ResourceTags.Of(kind), c.spec.mandatory(c.rules, c.Machine.Name))
		launch.TagSpecifications = append(launch.TagSpecifications,
			types.TagSpecification{ResourceType: resourceTypes[kind], Tags: listOf(all)})
	}
	return launch, nil
}

// resourceTypes are the cloud's names of the kinds of resources.
var resourceTypes = map[tags.Kind]types.ResourceType{
	tags.VM: types.ResourceTypeInstance, tags.Network: types.ResourceTypeNetworkInterface,
	tags.Disk: types.ResourceTypeVolume,
}

// listOf returns infrastructure tags for the API, sorted by key.
func listOf(all map[string]string) []types.Tag {
	listed := make([]types.Tag, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		listed = append(listed, types.Tag{Key: &key, Value: aws.String(all[key])})
	}
	return listed
}

// find returns the only VM of the machine that is not terminated.
func (c *call) find(ctx context.Context) (*types.Instance, error) {
	filters := []types.Filter{existing()}
	if id, err := instanceID(c.Machine.Spec.ProviderID); err == nil {
		filters = append(filters, filter("instance-id", id))
	} else {
		for key, value := range c.spec.mandatory(c.rules, c.Machine.Name) {
			filters = append(filters, filter("tag:"+key, value))
		}
	}
	found, err := instances(ctx, c.client, filters...)
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

// existing selects VMs that are not terminated.
func existing() types.Filter {
	return filter("instance-state-name", "pending", "running", "stopping", "stopped")
}

func filter(name string, values ...string) types.Filter {
	return types.Filter{Name: &name, Values: values}
}

var errNoList = errors.New("the answer has no list of instances, not even an empty one")

// instances returns the instances that match, page by page.
func instances(ctx context.Context, client *ec2.Client, filters ...types.Filter) ([]types.Instance, error) {
	var all []types.Instance
	for pages := ec2.NewDescribeInstancesPaginator(client,
		&ec2.DescribeInstancesInput{Filters: filters}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		spendIfMore(ctx, describeInstances, pages)
		if err != nil {
			return nil, err
		}
		if page.Reservations == nil { // the page of a proxy, which the SDK takes for a success
			return nil, errNoList
		}
		for _, reservation := range page.Reservations {
			all = append(all, reservation.Instances...)
		}
	}
	return all, nil
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
	own, specs := c.spec.interfaces(vm)
	for i, card := range own {
		m := missing{
			id: card.NetworkInterfaceId, checkOff: !isTrue(c.spec.SrcAndDstChecksEnabled) &&
				aws.ToBool(card.SourceDestCheck),
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

// providerIDScheme is the prefix of provider IDs; region and instance follow.
const providerIDScheme = "aws:///"

func (c *call) response(vm *types.Instance) *driver.Response {
	return &driver.Response{
		ProviderID: providerIDScheme + c.spec.Region + "/" + aws.ToString(vm.InstanceId),
		NodeName:   aws.ToString(vm.PrivateDnsName),
	}
}

func instanceID(providerID string) (string, error) {
	rest, ok := strings.CutPrefix(providerID, providerIDScheme)
	_, id, both := strings.Cut(rest, "/")
	if !ok || !both || id == "" {
		return "", errors.New("the provider ID is not one of this driver")
	}
	return id, nil
}
