package awsdriver

import (
	"context"
	"fmt"
	"slices"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Updates says what UpdateMachine does. The Revision changes when it applies more than infrastructure tags, so that every machine is updated
// once.
func Updates() machineupdate.Driver {
	updates := machineupdate.Driver{Revision: "tags", ReadsFirst: true}
	for _, kind := range tags.Kinds() {
		updates.Kinds = append(updates.Kinds, kind.String())
	}
	return updates
}

// UpdateMachine makes the VM, and the volumes and network interfaces that were launched with it, carry the infrastructure tags that are
// desired.
//
//   - It reads what is live, plans everything, and only then makes the calls. If the plan is refused, nothing was called.
//   - What others attached to the VM is listed with it, and is never touched.
//   - It may be repeated at any time, also while an earlier call is still under way.
//
// If a call fails, the error wraps a [machineupdate.PartialError].
func (d *Driver) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	u, err := newUpdate(request)
	if err != nil {
		return &driver.Error{Code: driver.InvalidArgument, Cause: err}
	}
	u.client = d.client(request.Secret)
	if err := u.readLive(ctx); err != nil {
		return err
	}
	plans, err := u.plan()
	if err != nil {
		return &driver.Error{Code: driver.InvalidArgument, Cause: err}
	}
	d.reportTakeovers(plans)
	return u.call(ctx, plans)
}

// update is one UpdateMachine.
type update struct {
	request    *machineupdate.UpdateMachineRequest
	client     *cloudapi.Client
	rules      tags.Rules // one row for every kind of resource of this cloud
	instanceID string

	class *ProviderSpec    // what is immutable, and the mandatory keys
	parts map[string]*part // by kind

	resources map[tags.Kind][]string // those that the launch created
	live      map[string]map[string]string
}

// part is what is known and wanted of the resources of one kind.
type part struct {
	applied, desired *ProviderSpec
	attempted        []*ProviderSpec
}

// newUpdate reads the request.
func newUpdate(request *machineupdate.UpdateMachineRequest) (*update, error) {
	u := &update{request: request, parts: map[string]*part{}, resources: map[tags.Kind][]string{}, live: map[string]map[string]string{}}
	var err error
	if u.instanceID, err = instanceID(request.ProviderID); err != nil {
		return nil, err
	}
	if u.rules, err = tags.AWS.Rules(tags.VM); err != nil {
		return nil, err
	}
	if u.class, err = parseSpec(request.Class.ProviderSpec); err != nil {
		return nil, err
	}
	for _, asked := range request.Parts {
		if u.parts[asked.Kind], err = newPart(&asked); err != nil {
			return nil, err
		}
	}
	return u, nil
}

func newPart(asked *machineupdate.Part) (*part, error) {
	p := &part{}
	var err error
	if p.desired, err = parseSpec([]byte(asked.Desired)); err != nil {
		return nil, err
	}
	if p.applied, err = parseSpec([]byte(asked.Applied)); err != nil {
		return nil, err
	}
	for _, hot := range asked.Attempted {
		attempt, err := parseSpec([]byte(hot))
		if err != nil {
			return nil, err
		}
		p.attempted = append(p.attempted, attempt)
	}
	return p, nil
}

// readLive finds the machine's own resources and their infrastructure tags.
func (u *update) readLive(ctx context.Context) error {
	vm, err := describe(ctx, u.client, []cloudapi.Filter{{Name: "instance-id", Values: []string{u.instanceID}}, existing()})
	if err != nil {
		return err
	}
	u.resources[tags.VM] = []string{vm.ID}
	for _, card := range vm.NetworkInterfaces {
		if u.class.createsInterface(card.DeviceIndex) {
			u.resources[tags.Network] = append(u.resources[tags.Network], card.NetworkInterfaceID)
		}
	}
	for _, device := range vm.BlockDevices {
		if u.class.createsVolume(device.DeviceName) {
			u.resources[tags.Disk] = append(u.resources[tags.Disk], device.VolumeID)
		}
	}
	var ids []string
	for _, kind := range tags.Kinds() {
		ids = append(ids, u.resources[kind]...)
	}
	described, err := cloudapi.Call[cloudapi.TagsResponse](ctx, u.client, cloudapi.DescribeTags,
		cloudapi.DescribeRequest{Filters: []cloudapi.Filter{{Name: "resource-id", Values: ids}}})
	if err != nil {
		return toError(err)
	}
	for _, tag := range described.Tags {
		if u.live[tag.ResourceID] == nil {
			u.live[tag.ResourceID] = map[string]string{}
		}
		u.live[tag.ResourceID][tag.Key] = tag.Value
	}
	return nil
}

// plan says what to do about every resource of which the request has a part.
func (u *update) plan() ([]tags.ResourcePlan, error) {
	var plans []tags.ResourcePlan
	for _, kind := range tags.Kinds() {
		asked, ok := u.parts[kind.String()]
		if !ok {
			continue
		}
		planned, err := u.rules.Plan(u.state(kind, asked), u.resources[kind], u.live)
		if err != nil {
			return nil, err
		}
		plans = append(plans, planned...)
	}
	return plans, nil
}

// state lays the old, the new and every attempted shape of the spec out alike, so that they can be compared.
func (u *update) state(kind tags.Kind, asked *part) tags.State {
	mandatory := u.class.mandatory(&u.rules, u.request.Machine)
	state := tags.State{
		Applied:   asked.applied.effective(&u.rules, kind, nil),
		Desired:   asked.desired.effective(&u.rules, kind, mandatory),
		Mandatory: mandatory,
	}
	for _, attempt := range asked.attempted {
		state.Attempted = append(state.Attempted, attempt.effective(&u.rules, kind, nil))
	}
	return state
}

// call makes the calls of the plans, until one fails.
func (u *update) call(ctx context.Context, plans []tags.ResourcePlan) error {
	batches := u.rules.Batches(plans)
	if len(batches) > 0 {
		if err := u.request.BeforeWrite(ctx); err != nil {
			return err
		}
	}
	for i, batch := range batches {
		action, changed := cloudapi.CreateTags, batch.Set
		if len(batch.Remove) > 0 {
			action, changed = cloudapi.DeleteTags, batch.Remove
		}
		request := cloudapi.TagsRequest{Resources: batch.Resources}
		for _, tag := range changed {
			request.Tags = append(request.Tags, cloudapi.Tag{Key: tag.Key, Value: &tag.Value})
		}
		if _, err := cloudapi.Call[cloudapi.Empty](ctx, u.client, action, request); err != nil {
			return u.partial(batches[i:], toError(err))
		}
	}
	return nil
}

// partial says which resources are as they should be, and which are not.
func (u *update) partial(open []tags.Batch, err error) error {
	problem := &machineupdate.PartialError{Err: err}
	for _, kind := range tags.Kinds() {
		for _, id := range u.resources[kind] {
			resource := machineupdate.Resource{Kind: kind.String(), ID: id}
			if slices.ContainsFunc(open, func(b tags.Batch) bool { return slices.Contains(b.Resources, id) }) {
				problem.NotDone = append(problem.NotDone, resource)
			} else {
				problem.Done = append(problem.Done, resource)
			}
		}
	}
	return fmt.Errorf("UpdateMachine: %w", problem)
}

// reportTakeovers tells of keys that others had used and that are the machine's from now on.
func (d *Driver) reportTakeovers(plans []tags.ResourcePlan) {
	if d.Takeover == nil {
		return
	}
	for _, plan := range plans {
		for _, key := range plan.Takeover {
			d.Takeover(plan.Resource, key)
		}
	}
}
