// Package schemas compiles types with and without overrides.
package schemas

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatelint/testdata/foreign"
	twin "github.com/hotupdate/providerconfig/hotupdate/hotupdatelint/testdata/foreign/schemas"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
)

// NoTags has no struct tag at all: only the call of SchemaOf makes it a configuration.
type NoTags struct {
	Name    string           // want `field schemas.NoTags.Name has no JSON name`
	Channel chan<- int       `json:"channel"` // want `field schemas.NoTags.Channel has the unsupported type chan<- int`
	Foreign foreign.Template `json:"foreign"` // want `field foreign.Template.Updates has the unsupported type chan int`
}

// Server is no configuration, so it may have what it likes.
type Server struct {
	Config NoTags
	Done   chan struct{}
}

// Meta has a struct tag that only the root of a configuration ignores.
type Meta struct {
	metav1.TypeMeta `json:",inline" hotupdatable:"true"` // want `field schemas.Meta.TypeMeta has a hotupdatable struct tag without effect`
	Name            string                               `json:"name"`
}

// Part has the same, and is always below something.
type Part struct {
	metav1.TypeMeta `json:",inline" hotupdatable:"true"`
	Name            string `json:"name"`
}

// Overridden needs its overrides to be right.
type Overridden struct {
	Part  Part           `json:"part"`
	Hot   []foreign.Port `json:"hot" hotupdatable:"false"`
	Names []string       `json:"names"`
}

const names = "names"

func _() {
	_, _ = hotupdate.SchemaOf[NoTags]()
	_, _ = hotupdate.SchemaOf[*Meta]()
	_, _ = hotupdate.SchemaOf[int]()                     // want `hotupdate: int: is not a struct of fields`
	_, _ = hotupdate.SchemaOf[struct{ done chan int }]() // want `has type struct\{done chan int\} with only unexported fields`
	_, _ = hotupdate.SchemaOf[Overridden](
		hotupdate.WithTag(names, "true"),
		hotupdate.WithTag("nmaes", "true"),      // want `hotupdate: nmaes: matches no field of the type`
		hotupdate.WithTag("part..name", "true"), // want `hotupdate: part..name: is not a path of a field`
	)
	_, _ = hotupdate.SchemaOf[foreign.Ports](hotupdate.WithTag("list", "true")) // want `field foreign.Port.Number is immutable below a list`
	_, _ = hotupdate.SchemaOf[foreign.Ports](hotupdate.WithTag("list", "true"), hotupdate.WithTag("list[].number", "true"))
}

// schemaOf has no type of its own: SchemaOf reports what is wrong with that of a caller.
func schemaOf[T any](override func() (path, tag string)) {
	_, _ = hotupdate.SchemaOf[T](hotupdate.WithTag(override()))
}

// What is not constant may mend a conflict of classes, so those are left to SchemaOf.
func _(path string) {
	_, _ = hotupdate.SchemaOf[foreign.Ports](hotupdate.WithTag("list", "true"), hotupdate.WithTag(path, "true"))
}

// Tested is compiled by the test kit.
type Tested struct {
	Name string // want `field schemas.Tested.Name has no JSON name`
}

func _(t *testing.T, schema *hotupdate.Schema) {
	hotupdatetest.Check[Tested](t)
	hotupdatetest.Golden[foreign.Ports](t, "ports.json", hotupdatetest.WithSchema(schema))
}

// Twins has two types that messages call by one name.
type Twins struct {
	Own   Twin      `json:"own"`
	Other twin.Twin `json:"other"`
}

// Twin has the mistake.
type Twin struct {
	Name string // want `field schemas.Twin.Name has no JSON name`
}

func _() {
	_, _ = hotupdate.SchemaOf[Twins]()
}
