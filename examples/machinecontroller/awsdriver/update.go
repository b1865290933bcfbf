package awsdriver

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	hotdriver "github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// newKit describes EC2 to the kit.
func (d *Driver) newKit() (*hotdriver.Kit[ProviderSpec, *session], error) {
	schema, err := Schema()
	if err != nil {
		return nil, err
	}
	return hotdriver.New(hotdriver.Definition[ProviderSpec, *session]{
		Schema: schema, Connect: d.connect, Resources: resources, Takeover: d.Takeover,
		Tags: []hotdriver.Tagging[ProviderSpec, *session]{{
			Kinds: tags.Kinds(), Rules: d.rules, Set: setTags, Remove: removeTags,
			Project: func(spec *ProviderSpec, kind tags.Kind) map[string]string {
				return d.rules.Effective(spec.Tags, spec.ResourceTags.Of(kind), nil)
			},
			Mandatory: func(class *ProviderSpec, machine string) map[string]string { return class.mandatory(&d.rules, machine) },
		}},
		Groups: groups(),
		Lanes:  []machineupdate.Lane{{Name: volumeLane, Paths: []string{"/blockDevices"}}, {Name: metadataLane, Paths: []string{"/instanceMetadataOptions"}}},
	})
}

// session is one update of one machine.
type session struct {
	client     *ec2.Client
	class      *ProviderSpec
	lane       string
	instanceID string
	cooldown   time.Duration
}

func (d *Driver) connect(_ context.Context, request *machineupdate.UpdateMachineRequest, class *ProviderSpec) (*session, error) {
	id, err := instanceID(request.ProviderID)
	return &session{
		client: d.client(class.Region, request.Secret), class: class, lane: request.Lane, instanceID: id, cooldown: cmp.Or(d.VolumeCooldown, 6*time.Hour),
	}, err
}

// resources returns the resources of the launch with their live tags and attributes. A resource that the cloud does not show is an error: reads lag.
func resources(ctx context.Context, s *session) ([]hotdriver.Resource, error) {
	found, err := instances(ctx, s.client, filter("instance-id", s.instanceID), existing())
	if err != nil || len(found) == 0 {
		return nil, toStatus(err)
	}
	vm := hotdriver.Resource{Kind: tags.VM, ID: s.instanceID, Tags: mapOf(found[0].Tags), Attributes: metadataOptions(&found[0])}
	cards, err := s.interfaces(ctx, &found[0])
	if err != nil {
		return nil, toStatus(err)
	}
	volumes, err := s.volumes(ctx, s.class.volumes(&found[0]))
	return slices.Concat([]hotdriver.Resource{vm}, cards, volumes), toStatus(err)
}

func (s *session) interfaces(ctx context.Context, vm *types.Instance) (all []hotdriver.Resource, err error) {
	own, _ := s.class.interfaces(vm)
	if len(own) == 0 {
		return nil, nil
	}
	input := &ec2.DescribeNetworkInterfacesInput{}
	for _, card := range own {
		input.NetworkInterfaceIds = append(input.NetworkInterfaceIds, aws.ToString(card.NetworkInterfaceId))
	}
	for pages := ec2.NewDescribeNetworkInterfacesPaginator(s.client, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, card := range page.NetworkInterfaces {
			check := hotdriver.Done(strconv.FormatBool(aws.ToBool(card.SourceDestCheck)))
			all = append(all, hotdriver.Resource{
				Kind: tags.Network, ID: aws.ToString(card.NetworkInterfaceId), Tags: mapOf(card.TagSet),
				Attributes: map[string]hotdriver.Reading{sourceDestCheck: check},
			})
		}
	}
	return all, nil
}

// volumes returns volumes, given their names in the spec by ID.
func (s *session) volumes(ctx context.Context, names map[string]string) (all []hotdriver.Resource, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	modifications, err := s.modifications(ctx, names)
	if err != nil {
		return nil, err
	}
	for pages := ec2.NewDescribeVolumesPaginator(s.client, &ec2.DescribeVolumesInput{VolumeIds: slices.Sorted(maps.Keys(names))}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, volume := range page.Volumes {
			id := aws.ToString(volume.VolumeId)
			all = append(all, hotdriver.Resource{
				Kind: tags.Disk, ID: id, Name: names[id], Tags: mapOf(volume.Tags), Attributes: performance(&volume, modifications[id]),
			})
		}
	}
	return all, nil
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
