package awsdriver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	hotdriver "github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// newKit describes EC2 to the kit.
func (d *Driver) newKit() (*hotdriver.Kit[ProviderSpec, *session], error) {
	schema, err := Schema()
	if err != nil {
		return nil, err
	}
	tagging := hotdriver.FlatTagging[ProviderSpec, *session](d.rules, tags.Kinds(),
		func(spec *ProviderSpec) (map[string]string, *tags.Tags) { return spec.Tags, spec.ResourceTags })
	tagging.Set = setTags
	tagging.Remove = removeTags
	tagging.Mandatory = func(class *ProviderSpec, machine string) map[string]string {
		return class.mandatory(&d.rules, machine)
	}
	return hotdriver.New(hotdriver.Definition[ProviderSpec, *session]{
		Schema: schema, Connect: d.connect, Sharing: sharing(),
		Takeover: d.Takeover, Wait: d.Wait,
		Tags:   []hotdriver.Tagging[ProviderSpec, *session]{tagging},
		Groups: groups(),
		Lanes: []machineupdate.Lane{
			{Name: volumeLane, Paths: []string{"/blockDevices"}},
			{Name: metadataLane, Paths: []string{"/instanceMetadataOptions"}},
		},
	})
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

// session is one update of one machine.
type session struct {
	client     *ec2.Client
	class      *ProviderSpec
	lane       string
	providerID string
	instanceID string
	account    []string // of whom calls may be shared: credentials and region
	cooldown   time.Duration
}

func (d *Driver) connect(
	ctx context.Context, request *machineupdate.UpdateMachineRequest, class *ProviderSpec,
) (*session, error) {
	id, err := instanceID(request.ProviderID)
	if err != nil {
		return nil, err
	}
	client, err := d.clients.Client(ctx, request.Secret, class.Region)
	return &session{
		client: client, class: class, lane: request.Lane,
		providerID: request.ProviderID, instanceID: id,
		account:  []string{login.Key(request.Secret, class.Region)},
		cooldown: cmp.Or(d.VolumeCooldown, 6*time.Hour),
	}, err
}

// The buckets of reads that may have further pages.
const (
	describeInstances     = "DescribeInstances"
	describeInterfaces    = "DescribeNetworkInterfaces"
	describeVolumes       = "DescribeVolumes"
	describeModifications = "DescribeVolumesModifications"
)

// bucket is the bucket of an action, from which one function draws. Amazon documents its size and its
// refill (Amazon EC2, Request throttling for the Amazon EC2 API).
func bucket(action, function string, burst, refill float64) hotdriver.Bucket {
	return hotdriver.Bucket{Name: action, Burst: burst, Refill: refill, Requests: map[string]int{function: 1}}
}

// sharing lets machines of one region and one account share calls.
func sharing() hotdriver.Sharing[*session] {
	return hotdriver.Sharing[*session]{
		Key: func(s *session) []string { return s.account },
		Buckets: []hotdriver.Bucket{
			bucket(describeInstances, "Resources", 100, 20), // reads have a filter
			bucket(describeInterfaces, "Resources", 100, 20),
			bucket(describeVolumes, "Resources", 100, 20),
			bucket(describeModifications, "Resources", 100, 20),
			bucket("CreateTags", "Set", 100, 10),
			bucket("DeleteTags", "Remove", 100, 10),
			bucket("ModifyInstanceMetadataOptions", "Modify vm", 100, 5),
			bucket("ModifyNetworkInterfaceAttribute", "Modify network", 100, 5),
			bucket("ModifyVolume", "Modify disk", 50, 5),
		},
		Resources: readMany, MaxMachines: 195, // a filter takes 200 values
		Divisible: divisible,
	}
}

// missingID finds the ID in EC2's message about a resource that does not exist.
var missingID = regexp.MustCompile(`'((?:i|eni|vol)-[0-9a-z]+)'`)

// divisible recognises a call that one missing resource has failed. Reads lag: it may exist.
func divisible(err error) (guilty []string, ok bool) {
	refusal, isRefusal := errors.AsType[smithy.APIError](err)
	if !isRefusal || !strings.HasSuffix(refusal.ErrorCode(), ".NotFound") {
		return nil, false
	}
	for _, found := range missingID.FindAllStringSubmatch(refusal.ErrorMessage(), -1) {
		guilty = append(guilty, found[1])
	}
	return guilty, true
}

// readMany reads the resources of launches with their live tags and attributes, in three calls for
// all machines, or four in the lane of volumes. A machine of which the cloud does not show all
// resources is not answered: reads lag.
func readMany(
	ctx context.Context, sessions []*session, answer func(providerID string, live []hotdriver.Resource),
) error {
	var ids []string
	for _, s := range sessions {
		ids = append(ids, s.instanceID)
	}
	var found []types.Instance
	var cards, volumes map[string]hotdriver.Resource
	first := sessions[0]
	to := filter("attachment.instance-id", ids...)
	err := hotdriver.AtOnce(ctx,
		func(ctx context.Context) (err error) {
			found, err = instances(ctx, first.client, filter("instance-id", ids...), existing())
			return toStatus(err)
		},
		func(ctx context.Context) (err error) {
			cards, err = first.cards(ctx, to)
			return toStatus(err)
		},
		func(ctx context.Context) (err error) {
			volumes, err = first.volumes(ctx, to)
			return toStatus(err)
		},
	)
	if err != nil {
		return err
	}
	maps.Copy(volumes, cards)
	vms := map[string]*types.Instance{}
	for _, vm := range found {
		vms[aws.ToString(vm.InstanceId)] = &vm
	}
	for _, s := range sessions {
		if vm := vms[s.instanceID]; vm == nil {
			answer(s.providerID, nil)
		} else if own, isWhole := s.own(vm, volumes); isWhole {
			answer(s.providerID, own)
		}
	}
	return nil
}

// spendIfMore pays for the next page of a list, if there is one.
func spendIfMore(ctx context.Context, action string, pages interface{ HasMorePages() bool }) {
	if pages.HasMorePages() {
		hotdriver.Spend(ctx, action, 1)
	}
}

// cards returns the network interfaces that are attached to VMs, by ID.
func (s *session) cards(ctx context.Context, to types.Filter) (map[string]hotdriver.Resource, error) {
	all := map[string]hotdriver.Resource{}
	input := &ec2.DescribeNetworkInterfacesInput{Filters: []types.Filter{to}}
	for pages := ec2.NewDescribeNetworkInterfacesPaginator(s.client, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		spendIfMore(ctx, describeInterfaces, pages)
		if err != nil {
			return nil, err
		}
		for _, card := range page.NetworkInterfaces {
			check := hotdriver.Settled(strconv.FormatBool(aws.ToBool(card.SourceDestCheck)))
			id := aws.ToString(card.NetworkInterfaceId)
			all[id] = hotdriver.Resource{
				Kind: tags.Network, ID: id, Tags: mapOf(card.TagSet),
				Attributes: map[string]hotdriver.Reading{sourceDestCheck: check},
			}
		}
	}
	return all, nil
}

// volumes returns the volumes that are attached to VMs, by ID.
func (s *session) volumes(ctx context.Context, to types.Filter) (map[string]hotdriver.Resource, error) {
	all := map[string]hotdriver.Resource{}
	var found []types.Volume
	input := &ec2.DescribeVolumesInput{Filters: []types.Filter{to}}
	for pages := ec2.NewDescribeVolumesPaginator(s.client, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		spendIfMore(ctx, describeVolumes, pages)
		if err != nil {
			return nil, err
		}
		found = append(found, page.Volumes...)
	}
	modifications, err := s.modifications(ctx, found)
	for _, volume := range found {
		id := aws.ToString(volume.VolumeId)
		all[id] = hotdriver.Resource{
			Kind: tags.Disk, ID: id, Tags: mapOf(volume.Tags), Attributes: performance(&volume, modifications[id]),
		}
	}
	return all, err
}

// own selects the machine's own resources, and reports whether all of them are shown.
func (s *session) own(
	vm *types.Instance, attached map[string]hotdriver.Resource,
) (all []hotdriver.Resource, isWhole bool) {
	all = []hotdriver.Resource{{Kind: tags.VM, ID: s.instanceID, Tags: mapOf(vm.Tags), Attributes: metadataOptions(vm)}}
	isWhole = true
	add := func(id, name string) {
		r, isShown := attached[id]
		r.Name = name
		all = append(all, r)
		isWhole = isWhole && isShown
	}
	cards, _ := s.class.interfaces(vm)
	for _, card := range cards {
		add(aws.ToString(card.NetworkInterfaceId), "")
	}
	names := s.class.volumes(vm)
	for _, id := range slices.Sorted(maps.Keys(names)) {
		add(id, names[id])
	}
	return all, isWhole
}

func mapOf(all []types.Tag) map[string]string {
	live := map[string]string{}
	for _, tag := range all {
		live[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	return live
}

func setTags(ctx context.Context, s *session, resources []string, set []tags.Tag) error {
	_, err := s.client.CreateTags(ctx, &ec2.CreateTagsInput{Resources: resources, Tags: tagsOf(set)})
	return toStatus(err)
}

// removeTags removes keys that still have the machine's value.
func removeTags(ctx context.Context, s *session, resources []string, remove []tags.Tag) error {
	_, err := s.client.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: resources, Tags: tagsOf(remove)})
	return toStatus(err)
}

func tagsOf(all []tags.Tag) []types.Tag {
	var listed []types.Tag
	for _, tag := range all {
		listed = append(listed, types.Tag{Key: &tag.Key, Value: &tag.Value})
	}
	return listed
}
