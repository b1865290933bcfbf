// Package awsdriver updates the VMs of machine-controller-manager-provider-aws on its SDK.
//
// Infrastructure tags of the VM, its volumes and its network interfaces are hot, and so are iops and
// throughput of a volume, and the check of source and destination of an interface. Metadata options
// change on drained nodes: pods that read metadata without a token must be gone before it is
// required. EC2 refuses a second change of a volume for hours, so volumes have a lane. DeleteTags
// sends the value of the plan, so a key that another client took over stays. Pool labels are only on
// the VM, and the flat map is on all resources.
//
// EC2 lists the resources of CSI and CNI among the resources of the launch. The launch's volumes have
// the spec's device names; a single volume, or /root, has the name of the image's root device. Its
// interfaces have the spec's network card and device index. Both have the spec's deleteOnTermination.
package awsdriver

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Driver implements UpdateMachine of the driver for AWS, see [driver.Kit.UpdateMachine].
type Driver = driver.Kit[ProviderSpec, *session]

// Config configures a driver. The zero value is for production.
type Config struct {
	// Endpoint is the URL of the cloud's API; empty for Amazon.
	Endpoint string
	// HTTP sends the requests. Its timeout bounds one attempt. Nil is the default of the SDK.
	HTTP *http.Client
	// VolumeCooldown is the time for which the cloud refuses another change of a volume; zero is
	// Amazon's six hours.
	VolumeCooldown time.Duration
	// Wait and Takeover are passed to [driver.Definition].
	Wait     func(ctx context.Context, d time.Duration) error
	Takeover func(resource machineupdate.ResourceID, key string)
}

// Rules are the rules of infrastructure tags of all kinds of resources of this cloud.
func Rules() (tags.Rules, error) { return tags.AWS.Rules(tags.VM) }

// New returns a driver.
func New(config Config) (*Driver, error) {
	schema, err := Schema()
	if err != nil {
		return nil, err
	}
	rules, err := Rules()
	if err != nil {
		return nil, err
	}
	tagging := driver.FlatTagging[ProviderSpec, *session](rules, tags.Kinds(),
		func(spec *ProviderSpec) (map[string]string, *tags.Tags) { return spec.Tags, spec.ResourceTags })
	tagging.Set = setTags
	tagging.Remove = removeTags
	tagging.Mandatory = func(class *ProviderSpec, machine string) map[string]string {
		return class.Mandatory(&rules, machine)
	}
	return driver.New(driver.Definition[ProviderSpec, *session]{
		Schema: schema, Connect: newAccess(config).connect, Sharing: sharing(),
		Takeover: config.Takeover, Wait: config.Wait,
		Translate: func(_ *session, err error) error { return Translated(err) },
		Tags:      []driver.Tagging[ProviderSpec, *session]{tagging},
		Groups:    groups(),
		Lanes: []machineupdate.Lane{
			{Name: volumeLane, Paths: []string{"/blockDevices"}},
			{Name: metadataLane, Paths: []string{"/instanceMetadataOptions"}},
		},
	})
}

// session is one update of one machine.
type session struct {
	client     *ec2.Client
	class      *ProviderSpec
	lane       string
	providerID string
	instanceID string
	account    []string // calls may be shared within it: credentials and region
	cooldown   time.Duration
}

// The buckets of reads whose lists may have several pages.
const (
	describeInstances     = "DescribeInstances"
	describeInterfaces    = "DescribeNetworkInterfaces"
	describeVolumes       = "DescribeVolumes"
	describeModifications = "DescribeVolumesModifications"
)

// bucket returns the bucket of an action that one function calls. Amazon documents its size and its
// refill (Amazon EC2, Request throttling for the Amazon EC2 API).
func bucket(action, function string, burst, refill float64) driver.Bucket {
	return driver.Bucket{Name: action, Burst: burst, Refill: refill, Requests: map[string]int{function: 1}}
}

// sharing lets machines of one region and one account share calls.
func sharing() driver.Sharing[*session] {
	return driver.Sharing[*session]{
		Key: func(s *session) []string { return s.account },
		Buckets: []driver.Bucket{
			bucket(describeInstances, "Resources", 100, 20), // the limits of reads with a filter
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

// divisible recognises a call that failed because of a resource that does not exist, and returns
// its ID. Reads lag, so the resource may exist.
func divisible(err error) (missing []string, ok bool) {
	refusal, isRefusal := errors.AsType[smithy.APIError](err)
	if !isRefusal || !strings.HasSuffix(refusal.ErrorCode(), ".NotFound") {
		return nil, false
	}
	for _, found := range missingID.FindAllStringSubmatch(refusal.ErrorMessage(), -1) {
		missing = append(missing, found[1])
	}
	return missing, true
}

// readMany reads the resources of launches with their live tags and attributes. It makes three
// calls for all machines, or four in the lane of volumes. Reads lag, so it does not answer for a
// machine whose resources are not all shown.
func readMany(
	ctx context.Context, sessions []*session, answer func(providerID string, live []driver.Resource),
) error {
	var ids []string
	for _, s := range sessions {
		ids = append(ids, s.instanceID)
	}
	var found []types.Instance
	var cards, volumes map[string]driver.Resource
	first := sessions[0]
	to := filter("attachment.instance-id", ids...)
	err := driver.AtOnce(ctx,
		func(ctx context.Context) (err error) {
			found, err = Instances(ctx, first.client, filter("instance-id", ids...))
			return err
		},
		func(ctx context.Context) (err error) {
			cards, err = first.cards(ctx, to)
			return err
		},
		func(ctx context.Context) (err error) {
			volumes, err = first.volumes(ctx, to)
			return err
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

// spendIfMore takes a request from the bucket for the next page of a list, if there is one.
func spendIfMore(ctx context.Context, action string, pages interface{ HasMorePages() bool }) {
	if pages.HasMorePages() {
		driver.Spend(ctx, action, 1)
	}
}

// cards returns the network interfaces that are attached to VMs, by ID.
func (s *session) cards(ctx context.Context, to types.Filter) (map[string]driver.Resource, error) {
	all := map[string]driver.Resource{}
	input := &ec2.DescribeNetworkInterfacesInput{Filters: []types.Filter{to}}
	for pages := ec2.NewDescribeNetworkInterfacesPaginator(s.client, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		spendIfMore(ctx, describeInterfaces, pages)
		if err != nil {
			return nil, err
		}
		for _, card := range page.NetworkInterfaces {
			check := driver.Settled(strconv.FormatBool(aws.ToBool(card.SourceDestCheck)))
			id := aws.ToString(card.NetworkInterfaceId)
			all[id] = driver.Resource{
				Kind: tags.Network, ID: id, Tags: mapOf(card.TagSet),
				Attributes: map[string]driver.Reading{sourceDestCheck: check},
			}
		}
	}
	return all, nil
}

// volumes returns the volumes that are attached to VMs, by ID.
func (s *session) volumes(ctx context.Context, to types.Filter) (map[string]driver.Resource, error) {
	all := map[string]driver.Resource{}
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
		all[id] = driver.Resource{
			Kind: tags.Disk, ID: id, Tags: mapOf(volume.Tags), Attributes: performance(&volume, modifications[id]),
		}
	}
	return all, err
}

// own selects the machine's own resources, and reports whether all of them are shown.
func (s *session) own(
	vm *types.Instance, attached map[string]driver.Resource,
) (resources []driver.Resource, isWhole bool) {
	resources = []driver.Resource{
		{Kind: tags.VM, ID: s.instanceID, Tags: mapOf(vm.Tags), Attributes: metadataOptions(vm)},
	}
	isWhole = true
	add := func(id, name string) {
		r, isShown := attached[id]
		r.Name = name
		resources = append(resources, r)
		isWhole = isWhole && isShown
	}
	cards, _ := s.class.Interfaces(vm)
	for _, card := range cards {
		add(aws.ToString(card.NetworkInterfaceId), "")
	}
	names := s.class.volumes(vm)
	for _, id := range slices.Sorted(maps.Keys(names)) {
		add(id, names[id])
	}
	return resources, isWhole
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
	return err
}

// removeTags removes keys that still have the machine's value.
func removeTags(ctx context.Context, s *session, resources []string, remove []tags.Tag) error {
	_, err := s.client.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: resources, Tags: tagsOf(remove)})
	return err
}

func tagsOf(all []tags.Tag) []types.Tag {
	var listed []types.Tag
	for _, tag := range all {
		listed = append(listed, types.Tag{Key: &tag.Key, Value: &tag.Value})
	}
	return listed
}
