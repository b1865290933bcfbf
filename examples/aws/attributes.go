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

// Groups are the attributes that the driver changes on running machines, for [driver.Definition]. The name of a disk is its device name. EC2's
// calls are ModifyVolume, ModifyNetworkInterfaceAttribute and ModifyInstanceMetadataOptions. Only the first is asynchronous: it is accepted, and
// DescribeVolumesModifications shows the rest.
func Groups[C any](volume, networkInterface, metadataOptions Modify[C]) []driver.Group[ProviderSpec, C] {
	leave := func(name string) driver.Attributes { return driver.Attributes{Defaults: map[string]string{name: ""}} }
	return []driver.Group[ProviderSpec, C]{
		{Kind: tags.Disk, Lane: "volume", Attributes: GP3(), Asynchronous: true, Project: (*ProviderSpec).performance, Modify: volume},
		{
			Kind: tags.Network, Attributes: driver.Attributes{Defaults: map[string]string{"srcAndDstChecksEnabled": "true"}}, Modify: networkInterface,
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

// Lanes are those of [Groups]: EC2 refuses a second change of a volume for six hours, which infrastructure tags must not wait for.
func Lanes() []machineupdate.Lane {
	return []machineupdate.Lane{{Name: "volume", Paths: []string{"/blockDevices"}}}
}

// GP3 are the rules for volumes of type gp3. Source: Amazon EBS User Guide, "General Purpose SSD volumes": a baseline of 3,000 IOPS and 125 MiB/s,
// and at most 0.25 MiB/s for each IOPS. The upper bounds differ by instance and have changed; EC2 knows them.
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
				problems = append(problems, field.Invalid(path.Child("throughput"), updated["throughput"], "is less than 125, or more than a quarter of iops"))
			}
			return problems
		},
	}
}

// ValidateVolume returns why the performance of a volume cannot change from old to updated, for admission: of gp3 what the driver would refuse. That
// of another type the driver leaves alone: it changes with the machines, which pools that are updated in place keep.
func ValidateVolume(volumeType *string, strategy hotupdate.Strategy, old, updated *Volume, path *field.Path) field.ErrorList {
	rules := GP3()
	switch {
	case isGP3(volumeType):
		return rules.Validate(old.performance(), updated.performance(), path)
	case strategy == hotupdate.AutoRollingUpdate || maps.Equal(old.performance(), updated.performance()):
		return nil
	}
	return field.ErrorList{field.Forbidden(path, "cannot change on running machines unless the volume has the type gp3")}
}

// isGP3 reports whether the driver changes volumes of the type. One that is not named is the landscape's default, gp3.
func isGP3(volumeType *string) bool { return volumeType == nil || *volumeType == "gp3" }

func (v *Volume) performance() map[string]string {
	if v == nil {
		return nil
	}
	values := attribute("iops", v.IOPS, number)
	maps.Copy(values, attribute("throughput", v.Throughput, number))
	return values
}

// performance is that of the volume at a device name. Hot parts do not tell the type: the driver gives gp3 volumes a name only.
func (s *ProviderSpec) performance(disk *driver.Resource) map[string]string {
	at := slices.IndexFunc(s.BlockDevices, func(b BlockDevice) bool { return b.DeviceName == disk.Name })
	if at < 0 {
		return nil
	}
	return (&Volume{IOPS: s.BlockDevices[at].EBS.IOPS, Throughput: s.BlockDevices[at].EBS.Throughput}).performance()
}

func (s *ProviderSpec) metadataOptions() InstanceMetadataOptions {
	if s.InstanceMetadataOptions == nil {
		return InstanceMetadataOptions{}
	}
	return *s.InstanceMetadataOptions
}

// attribute is an attribute by its name, or none if it is not set.
func attribute[V any](name string, value *V, text func(V) string) map[string]string {
	if value == nil {
		return map[string]string{}
	}
	return map[string]string{name: text(*value)}
}

func number(n int32) string { return strconv.Itoa(int(n)) }
