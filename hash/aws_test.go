package hash_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// awsConfig has the fields of Gardener's WorkerConfig for AWS, with the struct tags of the hot-update proposal.
type awsConfig struct {
	metav1.TypeMeta `json:",inline"`

	NodeTemplate          *awsNodeTemplate        `json:"nodeTemplate,omitempty"`
	Volume                *awsVolume              `json:"volume,omitempty"`
	DataVolumes           []awsDataVolume         `json:"dataVolumes,omitempty"             hotupdatable:"false,key=name"`
	IAMInstanceProfile    *awsProfile             `json:"iamInstanceProfile,omitempty"`
	MetadataOptions       *awsMetadataOptions     `json:"instanceMetadataOptions,omitempty"`
	CPUOptions            *awsCPUOptions          `json:"cpuOptions,omitempty"`
	CapacityReservation   *awsCapacityReservation `json:"capacityReservation,omitempty"`
	NetworkInterfaces     []awsNetworkInterface   `json:"networkInterfaces,omitempty"`
	Placement             *awsPlacement           `json:"placement,omitempty"`
	InstanceMarketOptions *awsMarketOptions       `json:"instanceMarketOptions,omitempty"`
	Tags                  *awsTags                `json:"tags,omitempty"                    hotupdatable:"true"`
}

type awsNodeTemplate struct {
	Capacity        map[string]resource.Quantity `json:"capacity,omitempty"`
	VirtualCapacity map[string]resource.Quantity `json:"virtualCapacity,omitempty" hotupdatable:"true"`
}

type awsVolume struct {
	Iops       *int32 `json:"iops,omitempty"`
	Throughput *int32 `json:"throughput,omitempty"`
}

type awsDataVolume struct {
	Name       string `json:"name"`
	awsVolume  `json:",inline"`
	SnapshotID *string `json:"snapshotID,omitempty"`
}

type awsProfile struct {
	Name *string `json:"name,omitempty"`
	ARN  *string `json:"arn,omitempty"`
}

type awsMetadataOptions struct {
	HTTPTokens              *string `json:"httpTokens,omitempty"`
	HTTPPutResponseHopLimit *int32  `json:"httpPutResponseHopLimit,omitempty"`
}

type awsCPUOptions struct {
	CoreCount      *int32  `json:"coreCount,omitempty"`
	ThreadsPerCore *int32  `json:"threadsPerCore,omitempty"`
	AmdSevSnp      *string `json:"amdSevSnp,omitempty"`
}

type awsCapacityReservation struct {
	Preference       *string `json:"capacityReservationPreference,omitempty"`
	ID               *string `json:"capacityReservationId,omitempty"`
	ResourceGroupARN *string `json:"capacityReservationResourceGroupArn,omitempty"`
}

type awsNetworkInterface struct {
	NetworkCardIndex *int64         `json:"networkCardIndex,omitempty"`
	NetworkCardRange *awsIndexRange `json:"networkCardIndexRange,omitempty"`
	DeviceIndex      int64          `json:"deviceIndex"`
	Type             *string        `json:"type,omitempty"                  hotupdatable:"false,default=interface"`
	Description      *string        `json:"description,omitempty"`
	SubnetID         *string        `json:"subnetID,omitempty"`
}

type awsIndexRange struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

type awsPlacement struct {
	GroupID         *string `json:"groupId,omitempty"`
	Tenancy         *string `json:"tenancy,omitempty"`
	HostID          *string `json:"hostId,omitempty"`
	PartitionNumber *int64  `json:"partitionNumber,omitempty"`
	Affinity        *string `json:"affinity,omitempty"`
}

type awsMarketOptions struct {
	MarketType string `json:"marketType"`
}

type awsTags struct {
	VM      map[string]string `json:"vm,omitempty"`
	Network map[string]string `json:"network,omitempty"`
	Disk    map[string]string `json:"disk,omitempty"`
}

// awsLike builds a configuration with so many data volumes, network interfaces and capacities, and infrastructure tags.
func awsLike(items, tags int) *awsConfig {
	c := &awsConfig{
		TypeMeta:           metav1.TypeMeta{APIVersion: "aws.provider.extensions.gardener.cloud/v1alpha1", Kind: "WorkerConfig"},
		Volume:             &awsVolume{Iops: new(int32(10000))},
		IAMInstanceProfile: &awsProfile{Name: new("my-profile"), ARN: new("my-instance-profile-arn")},
		DataVolumes:        []awsDataVolume{{Name: "kubelet-dir", SnapshotID: new("snap-13234")}},
		NodeTemplate:       &awsNodeTemplate{Capacity: map[string]resource.Quantity{"cpu": resource.MustParse("8")}},
		Tags:               &awsTags{VM: labels("vm", tags), Network: labels("network", tags), Disk: labels("disk", tags)},
	}
	for i := range items {
		c.DataVolumes = append(c.DataVolumes, awsDataVolume{
			Name: fmt.Sprintf("data-volume-%04d", items-i), awsVolume: awsVolume{Iops: new(int32(3000 + i)), Throughput: new(int32(125))},
			SnapshotID: new(fmt.Sprintf("snap-%08d", i)),
		})
		c.NetworkInterfaces = append(
			c.NetworkInterfaces,
			awsNetworkInterface{NetworkCardIndex: new(int64(i)), DeviceIndex: 1, Type: new("efa-only"), Description: new(`rail "x"`)},
		)
		c.NodeTemplate.Capacity[fmt.Sprintf("example.com/resource-%04d", i)] = *resource.NewQuantity(int64(i)<<20, resource.BinarySI)
	}
	return c
}

func labels(kind string, n int) map[string]string {
	m := map[string]string{}
	for i := range n {
		m[fmt.Sprintf("%s.example.com/key-%02d", kind, i)] = fmt.Sprintf("value-%02d", i)
	}
	return m
}

// sizes are a usual configuration, a rich one, and one at the edge of what an API server stores.
var sizes = []struct {
	name        string
	items, tags int
}{{"small", 0, 1}, {"typical", 8, 10}, {"large", 380, 40}}

// clone copies a configuration through JSON, so that nothing is shared.
func clone(tb testing.TB, config *awsConfig) *awsConfig {
	tb.Helper()
	raw, err := json.Marshal(config)
	require.NoError(tb, err)
	cloned := &awsConfig{}
	require.NoError(tb, json.Unmarshal(raw, cloned))
	return cloned
}
