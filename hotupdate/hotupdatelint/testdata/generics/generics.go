// Package generics has struct tags in generic types.
package generics

import "github.com/hotupdate/providerconfig/hotupdate"

// Box is compiled below a configuration.
type Box[T any] struct {
	Value T       `json:"value" hotupdatable:"true,set"` // want `field generics.Box\[int\].Value has the option .set., which is for slices`
	Wrong *T      `json:"wrong" hotupdatable:"ture"`     // want `field generics.Box\[.*\].Wrong has unknown class`
	Next  *Box[T] `json:"next"`
}

// Never is in no configuration of this package.
type Never[T any] struct {
	Value T `json:"value" hotupdatable:"true,set"`
	Wrong T `json:"wrong" hotupdatable:true`
}

// Config has instances.
type Config struct {
	Ints    Box[int]      `json:"ints"`
	Strings Box[[]string] `json:"strings"`
}

func inside[T any]() {
	type config struct {
		Value T      `json:"value"`
		Wrong string `json:"wrong" hotUpdatable:"true"` // want `field generics.config.Wrong has misspelled struct tag`
	}
	_, _ = hotupdate.SchemaOf[config]()
	_, _ = hotupdate.SchemaOf[[]T]() // want `\[\]T: is not a struct of fields`
	_, _ = hotupdate.SchemaOf[Config]()
}

type (
	// Pair is generic.
	Pair[K comparable, V any] struct {
		Of map[K]V `json:"of" hotupdatable:"yes"`
	}
	// Plain is not, and so has a type that can be wrong.
	Plain struct {
		Text string `json:"text" hotupdatable:"true,set"` // want `field generics.Plain.Text has the option .set.`
	}
)
