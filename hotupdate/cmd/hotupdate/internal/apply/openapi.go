package apply

import (
	_ "embed"
	"encoding/json"
	"maps"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

//go:embed openapi.json
var openAPI []byte

// schemas are schemas of types by name.
type schemas map[string]*spec.Schema

// ofGardener are the schemas of openapi.json. They are parsed once, for the first Shoot that is merged.
var ofGardener = sync.OnceValue(func() (all schemas) {
	_ = json.Unmarshal(openAPI, &all) // a test reads it
	return all
})

const shoot = "core.v1beta1.Shoot"

// patchSchema tells strategicpatch how the lists of a Shoot are merged.
func patchSchema() strategicpatch.LookupPatchMeta {
	return strategicpatch.PatchMetaFromOpenAPIV3{SchemaList: ofGardener(), Schema: ofGardener()[shoot]}
}

// converterOfGardener makes typed values of Shoots, which structured-merge-diff merges.
var converterOfGardener = sync.OnceValues(func() (managedfields.TypeConverter, error) {
	return managedfields.NewTypeConverter(ofGardener(), false)
})

// converterFor returns the converter for some Shoots. They may be of another release of Gardener: a member
// that its schemas do not have is merged as a whole.
func converterFor(shoots ...*tree.Node) (managedfields.TypeConverter, error) {
	extended := maps.Clone(ofGardener())
	for _, one := range shoots {
		extended.admit(shoot, extended[shoot], one)
	}
	if maps.Equal(extended, ofGardener()) {
		return converterOfGardener()
	}
	return managedfields.NewTypeConverter(extended, false)
}

// admit adds the members of a value that its schema lacks. Name is the type that holds the schema.
func (all schemas) admit(name string, s *spec.Schema, value *tree.Node) {
	if ref, isRef := strings.CutPrefix(s.Ref.String(), "#/components/schemas/"); isRef {
		name = ref
		s = all[name]
	}
	isObject := value.Kind() == tree.Object && len(s.Properties) > 0
	for member, below := range value.Members() {
		if !isObject {
			break
		}
		if _, is := s.Properties[member]; !is {
			s = all.withMember(name, member)
		}
		property := s.Properties[member]
		all.admit(name, &property, below)
	}
	if s.Items == nil {
		return
	}
	for _, element := range value.Elements() {
		all.admit(name, s.Items.Schema, element)
	}
}

// withMember gives a type a member of any value.
func (all schemas) withMember(name, member string) *spec.Schema {
	changed := *all[name]
	changed.Properties = maps.Clone(changed.Properties)
	changed.Properties[member] = spec.Schema{}
	all[name] = &changed
	return &changed
}
