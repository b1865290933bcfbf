// Package fields has struct tags without effect, options in the wrong place, and types that no Schema can describe.
package fields

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// WorkerConfig is the configuration of a worker pool.
type WorkerConfig struct {
	metav1.TypeMeta `json:",inline"`

	tags    string            `hotupdatable:"true"`          // want `field fields.WorkerConfig.tags has a hotupdatable struct tag without effect`
	Omitted string            `json:"-" hotupdatable:"true"` // want `Omitted has a hotupdatable struct tag without effect`
	NoName  string            // want `NoName has no JSON name`
	Named   Volume            `json:",inline" hotupdatable:"true"`                                  // want `Named is a named field with .json:",inline".`
	Channel chan int          `json:"channel"`                                                      // want `Channel has the unsupported type chan int`
	Keys    map[bool]string   `json:"keys"`                                                         // want `Keys has map keys of type bool`
	Set     string            `json:"set" hotupdatable:"true,set"`                                  // want `Set has the option .set., which is for slices`
	Present Volume            `json:"present" hotupdatable:"true,presence"`                         // want `Present has the option .presence.`
	Zero    int               `json:"zero" hotupdatable:"false,default=0"`                          // want `Zero has the zero value as its default`
	Expires *time.Time        `json:"expires" hotupdatable:"false,default=1"`                       // want `Expires has a default that is not a time.Time`
	Speed   *int8             `json:"speed" hotupdatable:"false,default=300"`                       // want `Speed has a default that is not an int8`
	Missing []Volume          `json:"missing" hotupdatable:"false,key=nowhere"`                     // want `Missing has the option .key=nowhere., which names no JSON field of fields.Volume`
	GoName  []Volume          `json:"goName" hotupdatable:"false,key=Name"`                         // want `GoName has the option .key=Name., which names no JSON field`
	Maybe   []Volume          `json:"maybe" hotupdatable:"false,key=label"`                         // want `Maybe has the option .key=label., which names an optional integer`
	Behind  []Mount           `json:"behind" hotupdatable:"false,key=label"`                        // want `Behind has the option .key=label., which names an integer of a struct that is embedded by pointer`
	Pointer []Volume          `json:"pointer" hotupdatable:"false,key=iops"`                        // every element must have it
	Hotter  []Volume          `json:"hotter" hotupdatable:"false,key=hot"`                          // want `Hotter has the option .key=hot., which names a field that is hot while the list is immutable`
	When    map[string]Volume `json:"when" hotupdatable:"true,hotwhen=name:a"`                      // want `When has the option .hotwhen=name:a., which can never take effect`
	Single  Port              `json:"single" hotupdatable:"true,keyclass=false:a"`                  // want `Single has the option .keyclass`
	Twice   map[string]string `json:"twice" hotupdatable:"true,keyclass=false:a,keyclass=ignore:a"` // want `Twice has .*keyclass`
	SameA   string            `json:"same"`                                                         // want `SameA has the JSON name .same. of fields.WorkerConfig.SameB, so that neither of them is in JSON`
	SameB   string            `json:"same"`                                                         // want `SameB has the JSON name .same. of fields.WorkerConfig.SameA`
	Owners  map[string]string `json:"owners" hotupdatable:"false,keyclass=true:team,keyclass=true:'billing.example.com/*'"`
	Ports   []Port            `json:"ports" hotupdatable:"true"`
	Mixed   []Port            `json:"mixed" hotupdatable:"true,set"`
	Alone   struct {
		Deep string `json:"deep" hotupdatable:"ture"` // want `field fields.WorkerConfig.Alone.Deep has unknown class|field config.Deep has unknown class`
	} `json:"alone"`
}

// Port has another class than the lists that it is in.
type Port struct {
	Number int `json:"number" hotupdatable:"false"` // want `field fields.Port.Number is immutable below a list whose elements are paired by position that is hot` `field fields.Port.Number is immutable below a set that is hot`
}

// Volume is a volume.
type Volume struct {
	Name  string `json:"name"`
	Label int    `json:"label,omitempty"`
	IOPS  *int64 `json:"iops"`
	Hot   string `json:"hot" hotupdatable:"true"`
}

// Mount has its label only if its place is set.
type Mount struct {
	*Place
}

// Place is embedded by pointer.
type Place struct {
	Label int `json:"label"`
}

// Size marshals itself.
type Size struct {
	Value int    `json:"value" hotupdatable:"true"` // want `field fields.Size.Value has a hotupdatable struct tag below fields.Size, which marshals itself; put the struct tag on the fields of type fields.Size or remove it`
	Unit  string `json:"unit"`
}

// MarshalText has a pointer receiver, which counts.
func (s *Size) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d%s", s.Value, s.Unit), nil }

// Stamped has the marshaler of the time that it embeds.
type Stamped struct {
	metav1.Time
	Name string `json:"name" hotupdatable:"true"` // want `field fields.Stamped.Name has a hotupdatable struct tag below fields.Stamped, which marshals itself`
}

// Outer drops a field of the struct that it embeds.
type Outer struct {
	Inner `hotupdatable:"true"` // want `field fields.Outer.Inner has a hotupdatable struct tag without effect`
	Name  string                `json:"name"`
}

// Inner is embedded.
type Inner struct {
	Name string `json:"name" hotupdatable:"true"` // want `field fields.Inner.Name has a hotupdatable struct tag without effect`
}

// Hidden has nothing that JSON shows.
type Hidden struct { // want `field fields.Hidden has type fields.Hidden with only unexported fields and no marshaler`
	text string `hotupdatable:"true"` // want `field fields.Hidden.text has a hotupdatable struct tag without effect`
}

func local() {
	type config struct {
		Name string `json:"name" hotupdatable:"yes"` // want `field fields.config.Name has unknown class`
	}
	_ = config{}
	var _ struct {
		Zone string `json:"zone" hotupdatable:"no"` // want `field config.Zone has unknown class`
	}
}
