package limit

import (
	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
)

// Equal reports whether two configurations have one canonical document. Like most code that is
// written by hand it takes for granted that texts are UTF-8 and that names are there and unique.
func Equal(a, b *fixture.WorkerConfig) bool {
	return equalBehind(a.CapacityReservation, b.CapacityReservation, equalReservation) &&
		equalBehind(a.CPUOptions, b.CPUOptions, equalCPU) &&
		equalDataVolumes(a.DataVolumes, b.DataVolumes) &&
		equalBehind(a.IAMInstanceProfile, b.IAMInstanceProfile, equalProfile) &&
		equalBehind(a.InstanceMarketOptions, b.InstanceMarketOptions,
			func(a, b *fixture.MarketOptions) bool { return *a == *b }) &&
		equalBehind(a.MetadataOptions, b.MetadataOptions, equalMetadata) &&
		equalNetworkInterfaces(a.NetworkInterfaces, b.NetworkInterfaces) &&
		equalBehind(a.NodeTemplate, b.NodeTemplate, equalCapacity) &&
		equalBehind(a.Placement, b.Placement, equalPlacement) &&
		equalBehind(a.Volume, b.Volume, equalVolume)
}

// equalBehind compares objects, of which a missing one equals an empty one.
func equalBehind[T any](a, b *T, equal func(a, b *T) bool) bool {
	if a == b {
		return true
	}
	if a == nil {
		a = new(T)
	}
	if b == nil {
		b = new(T)
	}
	return equal(a, b)
}

func same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func equalReservation(a, b *fixture.CapacityReservation) bool {
	return same(a.ID, b.ID) && same(a.Preference, b.Preference) && same(a.ResourceGroupARN, b.ResourceGroupARN)
}

func equalCPU(a, b *fixture.CPUOptions) bool {
	return same(a.AmdSevSnp, b.AmdSevSnp) && same(a.CoreCount, b.CoreCount) && same(a.ThreadsPerCore, b.ThreadsPerCore)
}

func equalProfile(a, b *fixture.Profile) bool { return same(a.ARN, b.ARN) && same(a.Name, b.Name) }

func equalMetadata(a, b *fixture.MetadataOptions) bool {
	return same(a.HTTPPutResponseHopLimit, b.HTTPPutResponseHopLimit) && same(a.HTTPTokens, b.HTTPTokens)
}

func equalPlacement(a, b *fixture.Placement) bool {
	return same(a.Affinity, b.Affinity) && same(a.GroupID, b.GroupID) && same(a.HostID, b.HostID) &&
		same(a.PartitionNumber, b.PartitionNumber) && same(a.Tenancy, b.Tenancy)
}

func equalVolume(a, b *fixture.Volume) bool {
	return same(a.Iops, b.Iops) && same(a.Throughput, b.Throughput)
}

// equalDataVolumes takes the volumes as they stand, and looks for a name only where it is not in
// its place.
func equalDataVolumes(a, b []fixture.DataVolume) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		other := &b[i]
		if a[i].Name != other.Name {
			if other = find(b, a[i].Name); other == nil {
				return false
			}
		}
		if !equalVolume(&a[i].Volume, &other.Volume) || !same(a[i].SnapshotID, other.SnapshotID) {
			return false
		}
	}
	return true
}

func find(volumes []fixture.DataVolume, name string) *fixture.DataVolume {
	for i := range volumes {
		if volumes[i].Name == name {
			return &volumes[i]
		}
	}
	return nil
}

func equalNetworkInterfaces(a, b []fixture.NetworkInterface) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equalNetworkInterface(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

func equalNetworkInterface(a, b *fixture.NetworkInterface) bool {
	return same(a.Description, b.Description) && a.DeviceIndex == b.DeviceIndex &&
		same(a.NetworkCardIndex, b.NetworkCardIndex) &&
		equalBehind(a.NetworkCardRange, b.NetworkCardRange, func(a, b *fixture.IndexRange) bool { return *a == *b }) &&
		same(a.SubnetID, b.SubnetID) && same(declared(a.Type), declared(b.Type))
}

// declared is a type that differs from the default, or nil.
func declared(t *string) *string {
	if t != nil && *t == "interface" {
		return nil
	}
	return t
}

func equalCapacity(a, b *fixture.NodeTemplate) bool {
	if len(a.Capacity) != len(b.Capacity) {
		return false
	}
	for key, value := range a.Capacity {
		if other, ok := b.Capacity[key]; !ok || value.Cmp(other) != 0 {
			return false
		}
	}
	return true
}
