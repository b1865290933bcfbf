package awsdriver

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"

	examplesaws "github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// volumeLane is the lane of volumes: EC2 refuses a second change of a volume for hours, and
// infrastructure tags must not wait for it.
const volumeLane = "volume"

// metadataLane is the lane of metadata options, which change only on drained nodes.
const metadataLane = "metadata"

// The attributes.
const (
	iops            = "iops"
	throughput      = "throughput"
	sourceDestCheck = "sourceDestCheck"
	httpTokens      = "httpTokens"
)

// groups returns the attributes that change on running machines, by the calls that change them.
func groups() []driver.AttributeGroup[ProviderSpec, *session] {
	return []driver.AttributeGroup[ProviderSpec, *session]{
		{
			Kind: tags.Disk, Lane: volumeLane, Attributes: examplesaws.GP3(), Asynchronous: true,
			Project: (*ProviderSpec).performance, Modify: modifyVolume,
		},
		{
			Kind: tags.Network, Attributes: driver.Attributes{Defaults: map[string]string{sourceDestCheck: "true"}},
			Modify: modifyInterface,
			Project: func(spec *ProviderSpec, _ *driver.Resource) map[string]string {
				if spec.SrcAndDstChecksEnabled == nil {
					return nil
				}
				return map[string]string{sourceDestCheck: strconv.FormatBool(*spec.SrcAndDstChecksEnabled)}
			},
		},
		{
			Kind: tags.VM, Lane: metadataLane, Attributes: driver.Attributes{
				Defaults: map[string]string{httpTokens: ""},
			}, Modify: modifyMetadataOptions,
			Project: func(spec *ProviderSpec, _ *driver.Resource) map[string]string {
				if spec.InstanceMetadataOptions == nil {
					return nil
				}
				return map[string]string{httpTokens: spec.InstanceMetadataOptions.HTTPTokens}
			},
		},
	}
}

// performance returns the performance that the spec has for the volume with the disk's name. Only
// gp3 volumes are changed: other types have other rules, and get their performance when they are
// created. The type is not a hot field, so performance recognises other types by their throughput,
// which EC2 does not show.
func (s *ProviderSpec) performance(disk *driver.Resource) map[string]string {
	values := map[string]string{}
	at := slices.IndexFunc(s.BlockDevices, func(b BlockDevice) bool { return b.DeviceName == disk.Name })
	if at < 0 || disk.Attributes[throughput].Value() == number(0) {
		return values
	}
	for name, value := range map[string]*int32{
		iops: s.BlockDevices[at].Ebs.Iops, throughput: s.BlockDevices[at].Ebs.Throughput,
	} {
		if value != nil {
			values[name] = number(*value)
		}
	}
	return values
}

func number(n int32) string { return strconv.Itoa(int(n)) }

// modifications returns the last modification of each volume that has had one.
func (s *session) modifications(
	ctx context.Context, volumes []types.Volume,
) (map[string]*types.VolumeModification, error) {
	found := map[string]*types.VolumeModification{}
	if s.lane != volumeLane {
		return found, nil
	}
	var ids []string
	for _, volume := range volumes {
		ids = append(ids, aws.ToString(volume.VolumeId))
	}
	for i, some := range slices.Collect(slices.Chunk(ids, 200)) { // a filter takes up to 200 values
		if i > 0 {
			driver.Spend(ctx, describeModifications, 1)
		}
		input := &ec2.DescribeVolumesModificationsInput{Filters: []types.Filter{filter("volume-id", some...)}}
		for pages := ec2.NewDescribeVolumesModificationsPaginator(s.client, input); pages.HasMorePages(); {
			page, err := pages.NextPage(ctx)
			spendIfMore(ctx, describeModifications, pages)
			if err != nil {
				return nil, err
			}
			for _, m := range page.VolumesModifications {
				found[aws.ToString(m.VolumeId)] = &m
			}
		}
	}
	return found, nil
}

// performance reads the performance of a volume, and the performance of a pending modification.
func performance(volume *types.Volume, m *types.VolumeModification) map[string]driver.Reading {
	readings := map[string]driver.Reading{}
	read := func(name string, live, target int32) {
		switch {
		case m == nil || m.ModificationState == types.VolumeModificationStateCompleted && live == target:
			readings[name] = driver.Settled(number(live))
		case m.ModificationState == types.VolumeModificationStateFailed:
			readings[name] = driver.ModifyFailed(number(live))
		case m.ModificationState != types.VolumeModificationStateCompleted:
			readings[name] = driver.Modifying(number(live), number(target))
		} // otherwise one of the reads lags, and the value is unknown
	}
	var target types.VolumeModification
	if m != nil {
		target = *m
	}
	read(iops, aws.ToInt32(volume.Iops), aws.ToInt32(target.TargetIops))
	read(throughput, aws.ToInt32(volume.Throughput), aws.ToInt32(target.TargetThroughput))
	return readings
}

// modifyVolume changes IOPS and throughput in one call. EC2 refuses it soon after another change of
// the volume.
func modifyVolume(ctx context.Context, s *session, disk *driver.Resource, values map[string]string) error {
	input := &ec2.ModifyVolumeInput{VolumeId: &disk.ID}
	for name, field := range map[string]**int32{iops: &input.Iops, throughput: &input.Throughput} {
		n, err := strconv.ParseInt(values[name], 10, 32)
		if err != nil {
			return err
		}
		*field = aws.Int32(int32(n))
	}
	_, err := s.client.ModifyVolume(ctx, input)
	if refusal, ok := errors.AsType[smithy.APIError](err); ok &&
		refusal.ErrorCode() == "VolumeModificationRateExceeded" {
		return &machineupdate.RetryError{After: s.cooldown, Err: err}
	}
	return err
}

func modifyInterface(ctx context.Context, s *session, card *driver.Resource, values map[string]string) error {
	check := &types.AttributeBooleanValue{Value: aws.Bool(values[sourceDestCheck] == "true")}
	_, err := s.client.ModifyNetworkInterfaceAttribute(ctx,
		&ec2.ModifyNetworkInterfaceAttributeInput{NetworkInterfaceId: &card.ID, SourceDestCheck: check})
	return err
}

func metadataOptions(vm *types.Instance) map[string]driver.Reading {
	options := vm.MetadataOptions
	if options == nil {
		return nil
	}
	if options.State == types.InstanceMetadataOptionsStatePending {
		return map[string]driver.Reading{httpTokens: driver.Modifying(string(options.HttpTokens), "")}
	}
	return map[string]driver.Reading{httpTokens: driver.Settled(string(options.HttpTokens))}
}

func modifyMetadataOptions(ctx context.Context, s *session, vm *driver.Resource, values map[string]string) error {
	input := &ec2.ModifyInstanceMetadataOptionsInput{
		InstanceId: &vm.ID, HttpTokens: types.HttpTokensState(values[httpTokens]),
	}
	_, err := s.client.ModifyInstanceMetadataOptions(ctx, input)
	return err
}
