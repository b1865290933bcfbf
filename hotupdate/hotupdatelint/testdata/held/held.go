// Package held puts tagged values behind interfaces.
package held

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Config is the configuration of a worker pool.
type Config struct {
	Any    any                   `json:"any"`
	Raw    *runtime.RawExtension `json:"raw"`
	Many   map[string]any        `json:"many"`
	Lists  []any                 `json:"lists"`
	Typed  Tagged                `json:"typed"`
	Unseen any                   `json:"-"`
	Nested struct {
		Any any `json:"any"`
	} `json:"nested"`
}

// Tagged has a struct tag that has no effect behind an interface.
type Tagged struct {
	Type string `json:"type" hotupdatable:"true"`
}

func (*Tagged) GetObjectKind() schema.ObjectKind { return nil }
func (t *Tagged) DeepCopyObject() runtime.Object { return t }

// Other is a part of some configuration, as its struct tag says.
type Other struct {
	Extra any `json:"extra" hotupdatable:"true"`
}

// Controller is no configuration.
type Controller struct{ Any any }

// Plain has none.
type Plain struct {
	Type string `json:"type"`
}

func _(c *Config, unknown any) {
	_, _ = hotupdate.SchemaOf[Config]()
	_ = Config{Any: Tagged{}}                                       // want `field held.Tagged.Type has a hotupdatable struct tag but is only reached through an interface`
	_ = &Config{Any: []*Tagged{}}                                   // want `only reached through an interface`
	_ = &Config{Any: []any{1, nil, map[string]any{"a": &Tagged{}}}} // want `only reached through an interface`
	c.Any = &Tagged{}                                               // want `only reached through an interface`
	c.Nested.Any = Tagged{}                                         // want `only reached through an interface`
	_ = Other{Extra: c.Typed}                                       // want `only reached through an interface`
	c.Nested.Any, unknown = *c, *c                                  // want `only reached through an interface`

	_ = Config{Any: Plain{}, Typed: Tagged{}, Unseen: Tagged{}}
	_ = Config{Raw: &runtime.RawExtension{Object: &Tagged{}}} // told when it is hashed
	_ = Controller{Any: Tagged{}}                             // no part of a configuration
	_ = Config{Any: unknown, Raw: &runtime.RawExtension{Raw: nil}}
	_ = []any{Tagged{}} // no part of a configuration
	_ = runtime.RawExtension{Object: &Tagged{}}
	c.Any, c.Raw = Plain{}, nil
	unknown = Tagged{}
	_ = unknown
}
