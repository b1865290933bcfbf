package aws

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Modify is a call of EC2 that changes attributes of a resource.
type Modify[C any] func(ctx context.Context, cloud C, resource *driver.Resource, values map[string]string) error

// Groups returns the attributes that the driver changes on running machines, for
// [driver.Definition]. The name of a disk is its device name. EC2's calls are ModifyVolume,
// ModifyNetworkInterfaceAttribute and ModifyInstanceMetadataOptions. Only ModifyVolume is
// asynchronous: DescribeVolumesModifications shows its progress.
func Groups[C any](volume, networkInterface, metadataOptions Modify[C]) []driver.AttributeGroup[ProviderSpec, C] {
	leave := func(name string) driver.Attributes { return driver.Attributes{Defaults: map[string]string{name: ""}} }
	return []driver.AttributeGroup[ProviderSpec, C]{
		{
			Kind: tags.Disk, Lane: "volume", Attributes: GP3(), Asynchronous: true,
			Project: (*ProviderSpec).performance, Modify: volume,
		},
		{
			Kind: tags.Network, Attributes: driver.Attributes{
				Defaults: map[string]string{"srcAndDstChecksEnabled": "true"},
			}, Modify: networkInterface,
			Project: func(s *ProviderSpec, _ *driver.Resource) map[string]string {
				return attribute("srcAndDstChecksEnabled", s.SrcAndDstChecksEnabled, strconv.FormatBool)
			},
		},
		{
			Kind: tags.VM, Attributes: leave("httpTokens"), Modify: metadataOptions,
			Project: func(s *ProviderSpec, _ *driver.Resource) map[string]string {
				return attribute("httpTokens", s.metadataOptions().HTTPTokens, func(v string) string { return v })
			},
		},
		{
			Kind: tags.VM, Attributes: leave("httpPutResponseHopLimit"), Modify: metadataOptions,
			Project: func(s *ProviderSpec, _ *driver.Resource) map[string]string {
				return attribute("httpPutResponseHopLimit", s.metadataOptions().HTTPPutResponseHopLimit, number)
			},
		},
	}
}

// Lanes returns the lanes of [Groups]. EC2 refuses a second change of a volume for six hours, and
// infrastructure tags must not wait for it.
func Lanes() []machineupdate.Lane {
	return []machineupdate.Lane{{Name: "volume", Paths: []string{"/blockDevices"}}}
}

// GP3 returns the rules for volumes of type gp3: a baseline of 3,000 IOPS and 125 MiB/s, and at
// most 0.25 MiB/s for each IOPS. It does not check upper bounds, which differ by instance and have
// changed. Source: Amazon EBS User Guide, "General Purpose SSD volumes".
func GP3() driver.Attributes {
	return driver.Attributes{
		Defaults: map[string]string{"iops": "3000", "throughput": "125"},
		Check: func(_, updated map[string]string, path *field.Path) field.ErrorList {
			iops, iopsErr := strconv.Atoi(updated["iops"])
			throughput, throughputErr := strconv.Atoi(updated["throughput"])
			var problems field.ErrorList
			if iopsErr != nil || iops < 3000 {
				problems = append(problems, field.Invalid(path.Child("iops"), updated["iops"], "is less than 3000"))
			}
			if throughputErr != nil || throughput < 125 || 4*throughput > iops {
				problems = append(problems, field.Invalid(path.Child("throughput"), updated["throughput"],
					"is less than 125, or more than a quarter of iops"))
			}
			return problems
		},
	}
}

// ValidateVolume returns why the performance of a volume cannot change from old to updated, for
// admission. For gp3 these are the driver's own rules. The driver does not change other types:
// their performance changes with new machines, which pools that are updated in place do not get.
func ValidateVolume(
	volumeType *string, strategy hotupdate.Strategy, old, updated *Volume, path *field.Path,
) field.ErrorList {
	rules := GP3()
	switch {
	case isGP3(volumeType):
		return rules.Validate(old.performance(), updated.performance(), path)
	case strategy == hotupdate.AutoRollingUpdate || maps.Equal(old.performance(), updated.performance()):
		return nil
	}
	return field.ErrorList{
		field.Forbidden(path, "cannot change on running machines unless the volume has the type gp3"),
	}
}

// isGP3 reports whether the driver changes volumes of the type. The landscape's default is gp3.
func isGP3(volumeType *string) bool { return volumeType == nil || *volumeType == "gp3" }

func (v *Volume) performance() map[string]string {
	if v == nil {
		return nil
	}
	values := attribute("iops", v.IOPS, number)
	maps.Copy(values, attribute("throughput", v.Throughput, number))
	return values
}

// performance returns the performance of the volume with the disk's device name. The driver names
// only gp3 volumes, because hot parts lack the type.
func (s *ProviderSpec) performance(disk *driver.Resource) map[string]string {
	at := slices.IndexFunc(s.BlockDevices, func(b BlockDevice) bool { return b.DeviceName == disk.Name })
	if at < 0 {
		return nil
	}
	return (&Volume{IOPS: s.BlockDevices[at].EBS.IOPS, Throughput: s.BlockDevices[at].EBS.Throughput}).performance()
}

func (s *ProviderSpec) metadataOptions() MetadataOptions {
	if s.InstanceMetadataOptions == nil {
		return MetadataOptions{}
	}
	return s.InstanceMetadataOptions.MetadataOptions
}

// attribute returns an attribute by its name, or none if it is not set.
func attribute[V any](name string, value *V, text func(V) string) map[string]string {
	if value == nil {
		return map[string]string{}
	}
	return map[string]string{name: text(*value)}
}

func number(n int32) string { return strconv.Itoa(int(n)) }
