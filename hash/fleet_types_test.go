package hash_test

import (
	"maps"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// simShape is one of the adopter's Go types: its generations of fields, and whether tier has a default.
// Generation 2 has new hot fields, 3 has new immutable ones.
type simShape struct {
	generation int
	tier       bool
}

const simNewest = 3

type simV1 struct {
	metav1.TypeMeta `json:",inline"`
	simCommon       `json:",inline"`
	simTier         `json:",inline"`

	Volume *simVolumeV1 `json:"volume,omitempty"`
}

type simV2 struct {
	metav1.TypeMeta `json:",inline"`
	simCommon       `json:",inline"`
	simTier         `json:",inline"`

	Volume *simVolumeV2      `json:"volume,omitempty"`
	Labels map[string]string `json:"labels,omitempty" hotupdatable:"true"`
}

type simV3 struct {
	metav1.TypeMeta `json:",inline"`
	simCommon       `json:",inline"`
	simTier         `json:",inline"`

	Volume    *simVolumeV2      `json:"volume,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"    hotupdatable:"true"`
	Placement *simPlacement     `json:"placement,omitempty"`
}

type simV1WithDefault struct {
	metav1.TypeMeta    `json:",inline"`
	simCommon          `json:",inline"`
	simTierWithDefault `json:",inline"`

	Volume *simVolumeV1 `json:"volume,omitempty"`
}

type simV2WithDefault struct {
	metav1.TypeMeta    `json:",inline"`
	simCommon          `json:",inline"`
	simTierWithDefault `json:",inline"`

	Volume *simVolumeV2      `json:"volume,omitempty"`
	Labels map[string]string `json:"labels,omitempty" hotupdatable:"true"`
}

type simV3WithDefault struct {
	metav1.TypeMeta    `json:",inline"`
	simCommon          `json:",inline"`
	simTierWithDefault `json:",inline"`

	Volume    *simVolumeV2      `json:"volume,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"    hotupdatable:"true"`
	Placement *simPlacement     `json:"placement,omitempty"`
}

type simCommon struct {
	NodeTemplate  *simNodeTemplate  `json:"nodeTemplate,omitempty"`
	DataVolumes   []simDataVolume   `json:"dataVolumes,omitempty"   hotupdatable:"false,key=name"`
	MachineLabels []simMachineLabel `json:"machineLabels,omitempty" hotupdatable:"false,key=name,hotwhen=triggerRollingOnUpdate:false"`
	Profile       *simProfile       `json:"profile,omitempty"`
	Zones         []string          `json:"zones,omitempty"         hotupdatable:"false,set"`
	Tags          *simTags          `json:"tags,omitempty"          hotupdatable:"true"`
	Timeout       *metav1.Duration  `json:"timeout,omitempty"       hotupdatable:"inplace"`
	Hint          *string           `json:"hint,omitempty"          hotupdatable:"ignore"`
}

type simTier struct {
	Tier *string `json:"tier,omitempty"`
}

type simTierWithDefault struct {
	Tier *string `json:"tier,omitempty" hotupdatable:"false,default=standard"`
}

// simNodeTemplate stands in for a type that the adopter cannot edit.
type simNodeTemplate struct {
	Capacity        map[string]resource.Quantity `json:"capacity,omitempty"`
	VirtualCapacity map[string]resource.Quantity `json:"virtualCapacity,omitempty"`
}

type simVolumeV1 struct {
	IOPS *int32             `json:"iops,omitempty"`
	Size *resource.Quantity `json:"size,omitempty"`
}

type simVolumeV2 struct {
	IOPS       *int32             `json:"iops,omitempty"`
	Size       *resource.Quantity `json:"size,omitempty"`
	Throughput *int32             `json:"throughput,omitempty" hotupdatable:"true"`
}

type simDataVolume struct {
	Name       string `json:"name"`
	IOPS       *int32 `json:"iops,omitempty"`
	Throughput *int32 `json:"throughput,omitempty" hotupdatable:"true"`
}

type simMachineLabel struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Trigger bool   `json:"triggerRollingOnUpdate,omitempty"`
}

type simProfile struct {
	Name *string `json:"name,omitempty"`
	ARN  *string `json:"arn,omitempty"  hotupdatable:"inplace"`
}

type simTags struct {
	VM   map[string]string `json:"vm,omitempty"`
	Disk map[string]string `json:"disk,omitempty"`
}

type simPlacement struct {
	Group   *string `json:"group,omitempty"`
	Tenancy *string `json:"tenancy,omitempty" hotupdatable:"false,default=default"`
}

// schema compiles the shape, with classes that differ from the struct tags.
func (s simShape) schema(t require.TestingT, classes map[string]hotupdate.Class) *hotupdate.Schema {
	all := map[string]hotupdate.Class{"nodeTemplate.virtualCapacity": hotupdate.Hot}
	maps.Copy(all, classes)
	var options []hotupdate.Option
	for path, class := range all {
		options = append(options, hotupdate.WithTag(path, structtag.Class(class).Word()))
	}
	compile := map[simShape]func(...hotupdate.Option) (*hotupdate.Schema, error){
		{1, false}: hotupdate.SchemaOf[simV1], {1, true}: hotupdate.SchemaOf[simV1WithDefault],
		{2, false}: hotupdate.SchemaOf[simV2], {2, true}: hotupdate.SchemaOf[simV2WithDefault],
		{3, false}: hotupdate.SchemaOf[simV3], {3, true}: hotupdate.SchemaOf[simV3WithDefault],
	}
	schema, err := compile[s](options...)
	require.NoError(t, err)
	return schema
}
