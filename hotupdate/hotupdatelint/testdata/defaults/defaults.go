// Package defaults has pointers whose defaults are known.
package defaults

import (
	"cmp"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Config is the configuration of a worker pool.
type Config struct {
	// Encrypted says whether the volume is encrypted.
	// +default=false
	Encrypted *bool `json:"encrypted"` // want `field defaults.Config.Encrypted is a pointer that the marker .\+default. fills in, so a value that was left out is hashed differently once it is filled in; declare the value that is filled in by the option .default=.`

	// +kubebuilder:default:="gp3,io1"
	Type *string `json:"type" hotupdatable:"inplace,sensitive"` // want `that the marker .\+kubebuilder:default. fills in`

	// +default=ref(DefaultThroughput)
	Throughput *int64 `json:"throughput"` // want `that the marker .\+default. fills in`

	// +kubebuilder:default=50Gi
	Size *resource.Quantity `json:"size"` // want `that the marker .\+kubebuilder:default. fills in`

	IOPS  *int32           `json:"iops"`  // want `is a pointer that SetDefaults_Config fills in`
	Spot  *bool            `json:"spot"`  // want `is a pointer that SetDefaults_Config fills in`
	Grace *metav1.Duration `json:"grace"` // want `is a pointer that setDefaultGrace fills in`
	Below *Below           `json:"below"`

	// +default=true
	Declared *bool `json:"declared" hotupdatable:"false,default=true"`
	// +default=true
	Hot *bool `json:"hot" hotupdatable:"true"`
	// +default=true
	Ignored *bool `json:"ignored" hotupdatable:"ignore"`
	// +default=false
	NoPointer bool `json:"noPointer"`
	// +default={}
	Struct *struct{} `json:"struct"`
	// +kubebuilder:default={}
	Empty *Kept `json:"empty"`
	// +kubebuilder:default={inherited: true}
	Object *Kept `json:"object"` // want `field defaults.Config.Object is a pointer that the marker .\+kubebuilder:default. fills in`
	// +default=["a"]
	List *[]string `json:"list"` // want `field defaults.Config.List is a pointer`
	// +default=["a"]
	Told *[]string `json:"told" hotupdatable:"false,default='[\"a\"]'"`
	// Unknown defaults to what the cloud chooses.
	Unknown *string `json:"unknown"`
	Checked *string `json:"checked"`
	Other   *string `json:"other"`
}

// Below is a part behind a pointer, which defaulting functions guard.
type Below struct {
	Guarded *string `json:"guarded"` // want `is a pointer that SetDefaults_Below fills in`
	Last    *string `json:"last"`    // want `is a pointer that SetDefaults_Below fills in`
	Either  *string `json:"either"`  // want `is a pointer that SetDefaults_Below fills in`
	Deeper  *string `json:"deeper"`  // want `is a pointer that SetDefaults_Below fills in`
	Case    *string `json:"case"`    // want `is a pointer that SetDefaults_Below fills in`
	Or      *string `json:"or"`      // want `is a pointer that SetDefaults_Below fills in`
	First   *string `json:"first"`   // want `is a pointer that SetDefaults_Below fills in`
	Second  *string `json:"second"`  // want `is a pointer that SetDefaults_Below fills in`
	NotNil  *string `json:"notNil"`
	Swapped *string `json:"swapped"`
	Longer  *string `json:"longer"`
}

// Outer has a part that is hashed and one that is not.
type Outer struct {
	Hot    *Inner `json:"hot"    hotupdatable:"true"`
	Hashed *Kept  `json:"hashed"`
}

// Inner is only ever hot, but for what says otherwise.
type Inner struct {
	// +default=false
	Inherited *bool `json:"inherited"`
	// +default=false
	Own *bool `json:"own" hotupdatable:"inplace"` // want `field defaults.Inner.Own is a pointer`
}

// Kept is hashed.
type Kept struct {
	// +default=false
	Inherited *bool  `json:"inherited"` // want `field defaults.Kept.Inherited is a pointer`
	Hot       string `json:"hot" hotupdatable:"true"`
}

// Alone is below nothing, so it is taken for a part that is hashed.
type Alone struct {
	// +default=false
	Inherited *bool  `json:"inherited"` // want `field defaults.Alone.Inherited is a pointer`
	Hot       string `json:"hot" hotupdatable:"true"`
	Next      *Alone `json:"next"`
}

// SetDefaults_Config fills in what was left out.
func SetDefaults_Config(c *Config) {
	if c.IOPS == nil {
		c.IOPS = to[int32](3000)
	}
	if (c).Spot == nil {
		c.Spot = new(bool)
		c.Spot = to(false)
	}
	if c.Unknown != nil {
		c.Unknown = to("a")
	}
	if c.Checked == nil {
		c.Other = to("b")
	}
	setDefaultGrace(c)
}

// SetDefaults_Below fills in parts of a part.
func SetDefaults_Below(c *Config, wanted bool) {
	gp3 := "gp3"
	if c.Below != nil && c.Below.Guarded == nil {
		c.Below.Guarded = &gp3
	}
	if c.Below != nil && wanted && (nil == c.Below.Last) {
		c.Below.Last = &gp3
	}
	if b := c.Below; b != nil && (b.Either == nil || *b.Either == "") {
		b.Either = &gp3
	}
	if c.Below.Deeper == nil {
		if wanted {
			c.Below.Deeper = &gp3
		} else {
			c.Below.Deeper = to("")
		}
	}
	switch {
	case c.Below.Case == nil:
		c.Below.Case = &gp3
	}
	c.Below.Or = cmp.Or(c.Below.Or, &gp3)
	c.Below.Longer = cmp.Or(c.Below.Swapped, &gp3)
	if c.Below.First == nil && c.Below.Second == nil {
		c.Below.First, c.Below.Second = &gp3, &gp3
	}
	if c.Below != nil && c.Below.NotNil != nil {
		c.Below.NotNil = &gp3
	}
}

func setDefaultGrace(c *Config) {
	if c.Grace == nil {
		grace := metav1.Duration{}
		c.Grace = &grace
	}
}

// Validate is no defaulting function.
func Validate(c *Config) {
	if c.Checked == nil {
		c.Checked = to("")
	}
}

// Untagged is no configuration.
type Untagged struct {
	// +default=false
	Flag *bool `json:"flag"`
}

func to[T any](v T) *T { return &v }
