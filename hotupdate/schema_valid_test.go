package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
)

type (
	bare     struct{}
	onlyMeta struct {
		metav1.TypeMeta `json:",inline"`
	}
	metaBelow struct {
		metav1.TypeMeta `json:",inline" hotupdatable:"true"`
	}
	validOptions struct {
		Bool     *bool               `json:"bool"     hotupdatable:"false,default=false"`
		Duration metav1.Duration     `json:"duration" hotupdatable:"false,default=5m"`
		Float    float32             `json:"float"    hotupdatable:"false,default=-1.5"`
		Int      *int                `json:"int"      hotupdatable:"false,default=0"`
		Mixed    *intstr.IntOrString `json:"mixed"    hotupdatable:"false,default=50%"`
		Keyed    *[]optionItem       `json:"keyed"    hotupdatable:"false,key=name,presence"`
		Map      *map[string]string  `json:"map"      hotupdatable:"true,presence"`
		Presence *optionItem         `json:"presence" hotupdatable:"inplace,presence,sensitive"`
		Quantity *resource.Quantity  `json:"quantity" hotupdatable:"false,default=1Gi"`
		Set      *[]*optionItem      `json:"set"      hotupdatable:"ignore,set,sensitive=keys"`
		Text     string              `json:"text"     hotupdatable:"true,default='a,''b'"`
	}
)

// TestValidTypes are the right neighbours of the types in TestSchemaErrors.
func TestValidTypes(t *testing.T) {
	for name, compile := range map[string]func() error{
		"no fields":                          compiling[bare](),
		"nothing but an embedded empty type": compiling[struct{ bare }](),
		"nothing but TypeMeta":               compiling[onlyMeta](),
		"struct tag on TypeMeta below the root": compiling[struct {
			Object metaBelow `json:"object"`
		}](),
		"named field of TypeMeta's type": compiling[struct {
			Meta metav1.TypeMeta `json:"meta" hotupdatable:"true"`
		}](),
		"struct tags of others": compiling[struct {
			A string `json:"a" protobuf:"bytes,1,opt,name=updatable" yaml:"hotupdatable"`
		}](),
		"no struct tag on fields outside JSON": compiling[struct {
			A string   `json:"a"`
			B chan int `json:"-"`
		}](),
		"whole object whose metadata concerns no machine": compiling[struct {
			metav1.ObjectMeta `json:"metadata" hotupdatable:"ignore"`
		}](),
		"whole object whose metadata gets a class by override": compiling[struct {
			metav1.ObjectMeta `json:"metadata"`
		}](hotupdate.WithTag("metadata", "false")),
		"all options": compiling[validOptions](),
		"other classes below keyed and immutable collections": compiling[struct {
			HotKeyed  []keyedCold         `json:"hotKeyed"  hotupdatable:"true,key=name"`
			HotMap    map[string]coldLeaf `json:"hotMap"    hotupdatable:"true"`
			Immutable []hotLeaf           `json:"immutable" hotupdatable:"false"`
			InPlace   []coldLeaf          `json:"inPlace"   hotupdatable:"inplace"`
		}](),
		"the list's own class below positional lists and sets": compiling[struct {
			Hot     [2]hotLeaf    `json:"hot"     hotupdatable:"true"`
			Ignored []ignoredLeaf `json:"ignored" hotupdatable:"ignore"`
			Set     []inPlaceLeaf `json:"set"     hotupdatable:"inplace,set"`
		}](),
		"map keys": compiling[struct {
			A map[int8]string       `json:"a"`
			B map[messyKey]string   `json:"b"`
			C map[hotupdate.Op]bool `json:"c"`
		}](),
		"overrides": compiling[overridable](
			hotupdate.WithTag("any", "true"), hotupdate.WithTag("lists[][].name", "true"), hotupdate.WithTag("map[].on", "inplace"),
			hotupdate.WithTag(`["odd.name"]`, "ignore"), hotupdate.WithTag("given", "true"), hotupdate.WithTag("structs[].name", "false"),
			hotupdate.WithTag("object.annotations", "ignore"),
		),
	} {
		require.NoError(t, compile(), name)
	}
}
