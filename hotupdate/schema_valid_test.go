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

// TestValidTypes has valid variants of the types in TestSchemaErrors.
func TestValidTypes(t *testing.T) {
	for name, err := range map[string]error{
		"no fields":                          errorOf(hotupdate.SchemaOf[bare]()),
		"nothing but an embedded empty type": errorOf(hotupdate.SchemaOf[struct{ bare }]()),
		"nothing but TypeMeta":               errorOf(hotupdate.SchemaOf[onlyMeta]()),
		"struct tag on TypeMeta below the root": errorOf(hotupdate.SchemaOf[struct {
			Object metaBelow `json:"object"`
		}]()),
		"named field of TypeMeta's type": errorOf(hotupdate.SchemaOf[struct {
			Meta metav1.TypeMeta `json:"meta" hotupdatable:"true"`
		}]()),
		"struct tags of others": errorOf(hotupdate.SchemaOf[struct {
			A string `json:"a" protobuf:"bytes,1,opt,name=updatable" yaml:"hotupdatable"`
		}]()),
		"no struct tag on fields outside JSON": errorOf(hotupdate.SchemaOf[struct {
			A string   `json:"a"`
			B chan int `json:"-"`
		}]()),
		"whole object whose metadata concerns no machine": errorOf(hotupdate.SchemaOf[struct {
			metav1.ObjectMeta `json:"metadata" hotupdatable:"ignore"`
		}]()),
		"whole object whose metadata gets a class by override": errorOf(hotupdate.SchemaOf[struct {
			metav1.ObjectMeta `json:"metadata"`
		}](hotupdate.WithTag("metadata", "false"))),
		"all options": errorOf(hotupdate.SchemaOf[validOptions]()),
		"other classes below keyed and immutable collections": errorOf(hotupdate.SchemaOf[struct {
			HotKeyed  []keyedCold         `json:"hotKeyed"  hotupdatable:"true,key=name"`
			HotMap    map[string]coldLeaf `json:"hotMap"    hotupdatable:"true"`
			Immutable []hotLeaf           `json:"immutable" hotupdatable:"false"`
			InPlace   []coldLeaf          `json:"inPlace"   hotupdatable:"inplace"`
		}]()),
		"the list's own class below positional lists and sets": errorOf(hotupdate.SchemaOf[struct {
			Hot     [2]hotLeaf    `json:"hot"     hotupdatable:"true"`
			Ignored []ignoredLeaf `json:"ignored" hotupdatable:"ignore"`
			Set     []inPlaceLeaf `json:"set"     hotupdatable:"inplace,set"`
		}]()),
		"map keys": errorOf(hotupdate.SchemaOf[struct {
			A map[int8]string       `json:"a"`
			B map[messyKey]string   `json:"b"`
			C map[hotupdate.Op]bool `json:"c"`
		}]()),
		"overrides": errorOf(hotupdate.SchemaOf[overridable](
			hotupdate.WithTag("any", "true"), hotupdate.WithTag("lists[][].name", "true"), hotupdate.WithTag("map[].on", "inplace"),
			hotupdate.WithTag(`["odd.name"]`, "ignore"), hotupdate.WithTag("given", "true"), hotupdate.WithTag("structs[].name", "false"),
			hotupdate.WithTag("object.annotations", "ignore"),
		)),
	} {
		require.NoError(t, err, name)
	}
}
