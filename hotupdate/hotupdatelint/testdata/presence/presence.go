// Package presence has pointers to structs whose nil is tested.
package presence

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Config is the configuration of a worker pool.
type Config struct {
	Metadata *Options  `json:"metadata"`                                 // want `field presence.Config.Metadata is a pointer that NewSpec compares with nil, but an empty value is hashed like an absent one; add the option .presence. if they differ`
	Profile  *Options  `json:"profile" hotupdatable:"inplace,sensitive"` // want `is a pointer that NewSpec compares with nil`
	Aliased  *Options  `json:"aliased"`                                  // what is compared by way of a variable is not followed
	Filler   *Options  `json:"filler"`                                   // want `is a pointer that fill compares with nil`
	Declared *Options  `json:"declared" hotupdatable:"false,presence"`
	Hot      *Options  `json:"hot"      hotupdatable:"true"`
	Volume   *Options  `json:"volume"` // want `is a pointer that NewSpec compares with nil`
	Marker   *struct{} `json:"marker"`
	Text     *string   `json:"text"`
	Guarded  *Options  `json:"guarded"`
	Deep     *Options  `json:"deep"`
	Filled   *Options  `json:"filled"`
	Valid    *Options  `json:"valid"`
	Copied   *Options  `json:"copied"`
	Never    *Options  `json:"never"`
	Taints   *[]string `json:"taints"` // want `is a pointer that NewSpec compares with nil`
	Value    Options   `json:"value"`
}

// Options are a part of it.
type Options struct {
	Token *string `json:"token"`
	Limit int     `json:"limit" hotupdatable:"false"`
}

// Spec is what a driver reads.
type Spec struct{ Options }

// NewSpec tells an empty object from none.
func NewSpec(c *Config) *Spec {
	if (c.Metadata) == nil || nil != c.Profile {
		return &Spec{}
	}
	if v := c.Aliased; v != nil {
		return &Spec{*v}
	}
	if c.Taints == nil {
		return &Spec{}
	}
	if c.Hot == nil || c.Volume == nil || c.Marker == nil || c.Declared == nil || c.Text == nil || c.Value.Token == nil {
		return nil
	}
	if c.Guarded != nil && c.Guarded.Limit > 0 || c.Deep == nil || c.Deep.Token == nil {
		return &Spec{*c.Never}
	}
	return nil
}

func (s *Spec) fill(c *Config) {
	if c.Filler != nil {
		s.Options = *c.Filler
	}
}

// SetDefaults_Config gives an empty object what it gives to none.
func SetDefaults_Config(c *Config) {
	if c.Filled == nil {
		c.Filled = &Options{}
	}
}

// ValidateConfig concerns no machine.
func ValidateConfig(c *Config) bool { return c.Valid == nil || c.Valid.Limit > 0 }

// DeepCopyInto concerns no machine.
func (c *Config) DeepCopyInto(out *Config) {
	if c.Copied != nil {
		out.Copied = &Options{}
	}
}

// Machine is a whole object.
type Machine struct {
	metav1.ObjectMeta `json:"metadata"` // want `field presence.Machine.ObjectMeta makes the configuration a whole object`

	Spec Config `json:"spec"`
}

func schemas(options ...hotupdate.Option) {
	_, _ = hotupdate.SchemaOf[Machine]()
	_, _ = hotupdate.SchemaOf[Machine](hotupdate.WithTag("metadata", "ignore"))
}
