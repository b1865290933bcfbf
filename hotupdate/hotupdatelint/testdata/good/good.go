// Package good has nothing to report.
package good

import (
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// WorkerConfig has everything that a configuration may have.
type WorkerConfig struct {
	metav1.TypeMeta `json:",inline"`
	common          `json:",inline" hotupdatable:"inplace"`

	Volume         *Volume               `json:"volume,omitempty"`
	DataVolumes    []DataVolume          `json:"dataVolumes,omitempty"    hotupdatable:"false,key=name"`
	Profile        *Profile              `json:"profile,omitempty"        hotupdatable:"inplace,presence"`
	Tags           *tags.Tags            `json:"tags,omitempty"           hotupdatable:"true"`
	Labels         []Label               `json:"labels,omitempty"         hotupdatable:"false,key=name,hotwhen=trigger:false"`
	SecurityGroups []string              `json:"securityGroups,omitempty" hotupdatable:"false,set"`
	Spot           *bool                 `json:"spot,omitempty"           hotupdatable:"false,default=false"`
	UserData       []byte                `json:"userData,omitempty"       hotupdatable:"false,sensitive"`
	Extra          *runtime.RawExtension `json:"extra,omitempty"          hotupdatable:"inplace"`
	MaxUnavailable *intstr.IntOrString   `json:"maxUnavailable,omitempty" hotupdatable:"ignore"`
	Any            any                   `json:"any,omitempty"`
	Raw            json.RawMessage       `json:"raw,omitempty"`
	Number         json.Number           `json:"number,omitempty"`
	Expires        metav1.Time           `json:"expires,omitempty"`
	Since          *time.Time            `json:"since,omitempty"`
	Fixed          [2]string             `json:"fixed"`
	Next           *WorkerConfig         `json:"next,omitempty"`
	Unseen         chan int              `json:"-"`
	Nested         struct {
		Size Size `json:"size,omitempty" hotupdatable:"inplace,default=2"`
	} `json:"nested"`
	private func()
}

type common struct {
	Region string `json:"region,omitempty"`
}

// Size is a number with a name.
type Size int8

// Volume is a volume.
type Volume struct {
	Size *resource.Quantity `json:"size,omitempty" hotupdatable:"false,default=50Gi"`
	Type string             `json:"type,omitempty" hotupdatable:"false,default=gp3"`
}

// DataVolume is found by its name.
type DataVolume struct {
	Volume `json:",inline"`
	Name   string `json:"name"`
}

// Profile is a profile.
type Profile struct {
	Name *string `json:"name,omitempty"`
}

// Label may be hot.
type Label struct {
	Name    string `json:"name"`
	Trigger bool   `json:"trigger,omitempty"`
}

// Internal is a type without JSON names and without struct tags, as Gardener's internal types are.
type Internal struct {
	metav1.TypeMeta
	Volume *Volume
	Tags   map[string]string
	Done   chan struct{}
}

// Foreign has struct tags of others.
type Foreign struct {
	A string `json:"a" protobuf:"bytes,1,opt,name=updatable" yaml:"hotupdatable"`
	B func() `validate:"required"`
}

// Controller holds a configuration, which does not make it one.
type Controller struct {
	Config *WorkerConfig
	Queue  chan WorkerConfig
	Other  any
}

func _(options []hotupdate.Option) {
	_, _ = hotupdate.SchemaOf[WorkerConfig](hotupdate.WithTag("nested.size", "true"))
	_, _ = hotupdate.SchemaOf[WorkerConfig](options...)
	_ = Controller{Other: &WorkerConfig{}}
}
