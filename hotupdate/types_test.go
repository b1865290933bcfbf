package hotupdate_test

import (
	"encoding/json"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Types that cannot be made at run time: recursive, generic and named ones, and ones with methods or unexported parts.

// workerConfig is like the configuration of a provider extension.
type workerConfig struct {
	metav1.TypeMeta `json:",inline"`

	Volume             *volume               `json:"volume,omitempty"`
	DataVolumes        []dataVolume          `json:"dataVolumes,omitempty"        hotupdatable:"false,key=name"`
	IAMInstanceProfile *iamInstanceProfile   `json:"iamInstanceProfile,omitempty" hotupdatable:"inplace,presence"`
	NodeTemplate       *nodeTemplate         `json:"nodeTemplate,omitempty"`
	Tags               *tagSet               `json:"tags,omitempty"               hotupdatable:"true"`
	MachineLabels      []machineLabel        `json:"machineLabels,omitempty"      hotupdatable:"false,key=name,hotwhen=triggerRollingOnUpdate:false"`
	SecurityGroups     []string              `json:"securityGroups,omitempty"     hotupdatable:"false,set"`
	Spot               *bool                 `json:"spot,omitempty"               hotupdatable:"false,default=false"`
	UserData           []byte                `json:"userData,omitempty"           hotupdatable:"false,sensitive"`
	Extra              *runtime.RawExtension `json:"extra,omitempty"              hotupdatable:"inplace"`
	MaxUnavailable     *intstr.IntOrString   `json:"maxUnavailable,omitempty"     hotupdatable:"ignore"`
	Expires            *metav1.Time          `json:"expires,omitempty"`
}

type volume struct {
	IOPS       *int64             `json:"iops,omitempty"`
	Throughput *int64             `json:"throughput,omitempty" hotupdatable:"inplace,default=125"`
	Size       *resource.Quantity `json:"size,omitempty"       hotupdatable:"false,default=50Gi"`
	Type       string             `json:"type,omitempty"       hotupdatable:"false,default=gp3"`
	Encrypted  *bool              `json:"encrypted,omitempty"`
	Labels     map[string]string  `json:"labels,omitempty"     hotupdatable:"true"`
}

type dataVolume struct {
	volume `json:",inline"`

	Name       string  `json:"name"`
	SnapshotID *string `json:"snapshotID,omitempty"`
	Hints      *hints  `json:"hints,omitempty"      hotupdatable:"ignore"`
}

type hints struct {
	Note  string  `json:"note,omitempty"`
	Zones []int32 `json:"zones,omitempty" hotupdatable:"ignore,set"`
	Pool  string  `json:"pool,omitempty"  hotupdatable:"false"`
}

type iamInstanceProfile struct {
	Name *string `json:"name,omitempty"`
	ARN  *string `json:"arn,omitempty"`
}

type nodeTemplate struct {
	Capacity        map[string]resource.Quantity `json:"capacity"`
	VirtualCapacity map[string]resource.Quantity `json:"virtualCapacity,omitempty"`
}

type tagSet struct {
	VM      map[string]string  `json:"vm,omitempty"      hotupdatable:"true,sensitive=keys"`
	Network map[string]string  `json:"network,omitempty"`
	Disks   map[string]diskTag `json:"disks,omitempty"`
}

type diskTag struct {
	Value   string `json:"value"`
	Encrypt bool   `json:"encrypt,omitempty" hotupdatable:"false"`
}

type machineLabel struct {
	Name                   string `json:"name"`
	Value                  string `json:"value"`
	TriggerRollingOnUpdate bool   `json:"triggerRollingOnUpdate,omitempty"`
	Owner                  string `json:"owner,omitempty"                  hotupdatable:"inplace"`
}

// tree contains itself in every way.
type tree struct {
	Name     string            `json:"name"`
	Next     *tree             `json:"next,omitempty"`
	Children []*tree           `json:"children,omitempty" hotupdatable:"inplace,key=name"`
	Others   map[string]tree   `json:"others,omitempty"`
	Hot      *tree             `json:"hot,omitempty"      hotupdatable:"true"`
	Listed   []tree            `json:"listed,omitempty"   hotupdatable:"false"`
	Size     resource.Quantity `json:"size,omitempty"`
}

// ping and pong contain each other.
type ping struct {
	Name string `json:"name"`
	Pong *pong  `json:"pong" hotupdatable:"true"`
}

type pong struct {
	Name string `json:"name"`
	Ping *ping  `json:"ping" hotupdatable:"inplace"`
}

// lists and recursiveMaps have nothing but themselves.
type (
	lists         []lists
	recursiveMaps map[string]recursiveMaps
	matter        struct {
		Lists lists         `json:"lists"`
		Maps  recursiveMaps `json:"maps"  hotupdatable:"true"`
	}
)

// box is generic.
type box[T any] struct {
	Value  T             `json:"value,omitempty"`
	Hot    *T            `json:"hot,omitempty"    hotupdatable:"true"`
	Listed []T           `json:"listed,omitempty"`
	Named  map[string]*T `json:"named"            hotupdatable:"inplace"`
	Fixed  [2]T          `json:"fixed"`
}

// layers embeds structs that shadow and cancel each other.
type layers struct {
	Lower         `hotupdatable:"true"`
	*Upper        `json:",inline"`
	hiddenLayer   `json:",inline"          hotupdatable:"inplace"`
	Own           string `json:"own,omitempty"`
	Shadow        int    `json:"shadow,omitempty" hotupdatable:"false"`
	Left          string `json:"-"`
	private       string
	NestedLower   Lower     `json:"nestedLower"`
	EmptyPointer  *struct{} `json:"emptyPointer,omitempty"`
	HiddenPointer *struct{} `json:"hiddenPointer,omitempty" hotupdatable:"ignore"`
}

// Lower is embedded by value.
type Lower struct {
	Shadow  string            `json:"shadow,omitempty"`
	Both    string            `json:"both,omitempty"`
	Strict  *time.Time        `json:"strict,omitempty"  hotupdatable:"false"`
	Raw     json.RawMessage   `json:"raw,omitempty"`
	ByIndex map[int]Innermost `json:"byIndex,omitempty"`
}

// Upper is embedded by pointer.
type Upper struct {
	Both      string `json:"both,omitempty"`
	Twin      string `json:"twin,omitempty"`
	Upper     bool   `json:"upper,omitempty"`
	Innermost `json:",inline"`
}

type hiddenLayer struct {
	Twin  string      `json:"twin,omitempty"`
	Seen  json.Number `json:"seen,omitempty"`
	Bytes [3]byte     `json:"bytes,omitempty"`
	Extra []any       `json:"extra,omitempty"`
}

// Innermost is embedded in an embedded struct.
type Innermost struct {
	Depth  uint16 `json:"depth,omitempty"  hotupdatable:"inplace"`
	Shadow bool   `json:"shadow,omitempty"`
}

// corners has combinations that are rare by chance.
type corners struct {
	Marked    *onlyHot            `json:"marked,omitempty"    hotupdatable:"false,presence"`
	HotMarked *onlyKept           `json:"hotMarked,omitempty" hotupdatable:"true,presence"`
	Places    []onlyHot           `json:"places,omitempty"    hotupdatable:"inplace"`
	Fixed     *[2]onlyHot         `json:"fixed,omitempty"`
	Named     map[string]*onlyHot `json:"named,omitempty"`
	Hot       []keyed             `json:"hot,omitempty"       hotupdatable:"true,key=id"`
	Modes     map[int8]*mode      `json:"modes,omitempty"     hotupdatable:"false,hotwhen=mode:live"`
	Quiet     []*mode             `json:"quiet,omitempty"     hotupdatable:"inplace,key=name,hotwhen=mode:''"`
	Ignored   map[string]mode     `json:"ignored,omitempty"   hotupdatable:"ignore,hotwhen=mode:live"`
	Sets      [][]string          `json:"sets,omitempty"      hotupdatable:"false,set"`
	Groups    []group             `json:"groups,omitempty"    hotupdatable:"inplace,set"`
}

type onlyHot struct {
	Tag  string            `json:"tag,omitempty"  hotupdatable:"true"`
	Hint map[string]string `json:"hint,omitempty" hotupdatable:"ignore"`
}

type onlyKept struct {
	Size *int   `json:"size,omitempty" hotupdatable:"false"`
	Type string `json:"type,omitempty" hotupdatable:"inplace,default=plain"`
}

type keyed struct {
	ID   uint64   `json:"id"`
	Kept onlyKept `json:"kept"`
	Tag  string   `json:"tag,omitempty"`
}

type mode struct {
	*Switch

	Name  string   `json:"name"`
	Value *float64 `json:"value,omitempty"`
	Size  string   `json:"size,omitempty"  hotupdatable:"inplace"`
}

// Switch is embedded by pointer, so that a selector may be missing.
type Switch struct {
	Mode string `json:"mode,omitempty"`
	Note string `json:"note,omitempty" hotupdatable:"true"`
}

type group struct {
	Items  []string         `json:"items,omitempty"`
	Labels map[string]*bool `json:"labels,omitempty"`
}

// written is a type from a source file, with overrides.
type written struct {
	typ       reflect.Type
	overrides map[string]string
	generic   generic
}

// generic calls the functions that take the type as a parameter.
type generic struct {
	diff  func(s *hotupdate.Schema, a, b any) (hotupdate.Changes, error)
	split func(s *hotupdate.Schema, config any) (immutable, hot any, err error)
	merge func(s *hotupdate.Schema, immutable, hot any) (any, error)
}

func writtenAs[T any](overrides map[string]string) written {
	return written{typ: reflect.TypeFor[T](), overrides: overrides, generic: generic{
		diff: func(s *hotupdate.Schema, a, b any) (hotupdate.Changes, error) {
			return s.Diff(a.(*T), b.(*T))
		},
		split: func(s *hotupdate.Schema, config any) (any, any, error) { return hotupdate.Split(s, config.(*T)) },
		merge: func(s *hotupdate.Schema, immutable, hot any) (any, error) {
			return hotupdate.Merge(s, immutable.(*T), hot.(*T))
		},
	}}
}

var writtenTypes = []written{
	writtenAs[aws.WorkerConfig](map[string]string{"nodeTemplate.virtualCapacity": "true"}),
	writtenAs[workerConfig](map[string]string{"nodeTemplate.virtualCapacity": "true", "volume.labels": "ignore"}),
	writtenAs[corners](nil),
	writtenAs[corners](map[string]string{"modes[].value": "ignore", "fixed[].tag": "inplace"}),
	writtenAs[tree](nil),
	writtenAs[tree](map[string]string{"next.next": "inplace", "others[].others[].size": "true"}),
	writtenAs[ping](nil),
	writtenAs[matter](nil),
	writtenAs[layers](nil),
	writtenAs[layers](map[string]string{"upper": "true", "depth": "ignore", "byIndex[].shadow": "inplace"}),
	writtenAs[box[box[metav1.Duration]]](nil),
	writtenAs[box[nodeTemplate]](map[string]string{"named[].capacity": "true"}),
	writtenAs[box[any]](nil),
}
