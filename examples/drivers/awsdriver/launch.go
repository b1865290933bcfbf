package awsdriver

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hotupdate/providerconfig/tags"
)

// Launch returns the request that launches the VM of a machine. Each kind of resource gets the
// infrastructure tags that an update would give it, so the resources of a new machine agree with
// its record. The token makes the launch repeatable. RootDevice is the name of the image's root
// device.
func (s *ProviderSpec) Launch(rules *tags.Rules, machine, token, rootDevice string) *ec2.RunInstancesInput {
	launch := &ec2.RunInstancesInput{
		ClientToken: &token, ImageId: &s.AMI, InstanceType: types.InstanceType(s.MachineType),
		MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
	}
	if options := s.InstanceMetadataOptions; options != nil {
		launch.MetadataOptions = &types.InstanceMetadataOptionsRequest{
			HttpTokens: types.HttpTokensState(options.HTTPTokens),
		}
	}
	for i, device := range s.BlockDevices {
		name := s.deviceName(i, rootDevice)
		launch.BlockDeviceMappings = append(launch.BlockDeviceMappings,
			types.BlockDeviceMapping{DeviceName: &name, Ebs: &types.EbsBlockDevice{
				VolumeSize: &device.Ebs.VolumeSize, VolumeType: types.VolumeType(device.Ebs.VolumeType),
				DeleteOnTermination: aws.Bool(isTrue(device.Ebs.DeleteOnTermination)),
				Iops:                device.Ebs.Iops, Throughput: device.Ebs.Throughput,
			}})
	}
	for i, spec := range s.NetworkInterfaces {
		card, index := s.card(i)
		launch.NetworkInterfaces = append(launch.NetworkInterfaces, types.InstanceNetworkInterfaceSpecification{
			SubnetId: &spec.SubnetID, Groups: spec.SecurityGroupIDs, DeviceIndex: &index, NetworkCardIndex: &card,
			InterfaceType:       spec.InterfaceType,
			DeleteOnTermination: aws.Bool(isTrue(spec.DeleteOnTermination)),
		})
	}
	for _, kind := range tags.Kinds() {
		all := rules.Effective(s.Tags, s.ResourceTags.Of(kind), s.Mandatory(rules, machine))
		launch.TagSpecifications = append(launch.TagSpecifications,
			types.TagSpecification{ResourceType: resourceTypes[kind], Tags: listOf(all)})
	}
	return launch
}

// resourceTypes are the names that the cloud has for the kinds of resources.
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

var errNoList = errors.New("the answer has no list of instances, not even an empty one")

// Instances returns the instances that match and are not terminated, page by page.
func Instances(ctx context.Context, client *ec2.Client, filters ...types.Filter) ([]types.Instance, error) {
	existing := filter("instance-state-name", "pending", "running", "stopping", "stopped")
	input := &ec2.DescribeInstancesInput{Filters: append(filters, existing)}
	var found []types.Instance
	for pages := ec2.NewDescribeInstancesPaginator(client, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		spendIfMore(ctx, describeInstances, pages)
		if err != nil {
			return nil, err
		}
		if page.Reservations == nil { // the SDK takes the page of a proxy for a success
			return nil, errNoList
		}
		for _, reservation := range page.Reservations {
			found = append(found, reservation.Instances...)
		}
	}
	return found, nil
}

func filter(name string, values ...string) types.Filter {
	return types.Filter{Name: &name, Values: values}
}
