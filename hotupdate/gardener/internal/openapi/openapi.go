// Package openapi writes down how Gardener's types are merged: by kubectl apply, and by server-side
// apply. The command hotupdate plan embeds the text that [Document] returns, since it does not link
// Gardener.
//
// Source: the OpenAPI definitions of gardener-apiserver, of the version in the go.mod of this module.
package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/gardener/gardener/pkg/apiserver/openapi"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// references is where OpenAPI has the schemas that a reference names.
const references = "#/components/schemas/"

// schema is what merging needs of a schema: the shape of values, and the extensions.
type schema struct {
	Ref        string             `json:"$ref,omitempty"`
	Type       spec.StringOrArray `json:"type,omitempty"`
	Properties map[string]*schema `json:"properties,omitempty"`
	Items      *schema            `json:"items,omitempty"`
	Values     *schema            `json:"additionalProperties,omitempty"`
	OneOf      []*schema          `json:"oneOf,omitempty"`

	ListType string           `json:"x-kubernetes-list-type,omitempty"`
	ListKeys any              `json:"x-kubernetes-list-map-keys,omitempty"`
	MapType  string           `json:"x-kubernetes-map-type,omitempty"`
	MergeKey string           `json:"x-kubernetes-patch-merge-key,omitempty"`
	Strategy string           `json:"x-kubernetes-patch-strategy,omitempty"`
	Kinds    []map[string]any `json:"x-kubernetes-group-version-kind,omitempty"`
}

// Document returns the schemas of a Shoot and of all types in it, by name, as OpenAPI v3 writes them.
// The text is the same each time, with a line for each type.
func Document() ([]byte, error) {
	definitions := openapi.GetOpenAPIDefinitions(func(name string) spec.Ref {
		return spec.MustCreateRef(references + short(name))
	})
	byShort := map[string]common.OpenAPIDefinition{}
	for name, definition := range definitions {
		byShort[short(name)] = definition // of two types with one name, one is refused in add
	}
	shoot := short(gardencorev1beta1.Shoot{}.OpenAPIModelName())
	all := map[string]*schema{}
	if err := add(all, byShort, shoot); err != nil {
		return nil, err
	}
	all[shoot].Kinds = []map[string]any{{
		"group": gardencorev1beta1.GroupName, "version": gardencorev1beta1.SchemeGroupVersion.Version, "kind": "Shoot",
	}}
	return written(all)
}

// byName are the types that Kubernetes merges by their names, see schemaconv in kube-openapi: as a whole.
var byName = []string{runtime.RawExtension{}.OpenAPIModelName(), resource.Quantity{}.OpenAPIModelName()}

// short returns the name of a type without the name of its module: v1beta1.Shoot. A name by which a type is merged
// stays.
func short(name string) string {
	if slices.Contains(byName, name) {
		return name
	}
	parts := strings.Split(name, ".")
	return strings.Join(parts[max(0, len(parts)-3):], ".")
}

// add adds the schema of a type, and of all types in it.
func add(all map[string]*schema, definitions map[string]common.OpenAPIDefinition, name string) error {
	if all[name] != nil {
		return nil
	}
	definition, is := definitions[name]
	if !is {
		return fmt.Errorf("gardener-apiserver has no OpenAPI definition of %s", name)
	}
	var refs []string
	all[name] = reduced(&definition.Schema, &refs)
	for _, ref := range refs {
		if err := add(all, definitions, strings.TrimPrefix(ref, references)); err != nil {
			return err
		}
	}
	return nil
}

// reduced returns what merging needs of a schema, and collects its references.
func reduced(s *spec.Schema, refs *[]string) *schema {
	if ref := s.Ref.String(); ref != "" {
		*refs = append(*refs, ref)
		r := extended(s)
		r.Ref = ref
		return r
	}
	r := extended(s)
	r.Type = s.Type
	for name := range s.Properties {
		if r.Properties == nil {
			r.Properties = map[string]*schema{}
		}
		property := s.Properties[name]
		r.Properties[name] = reduced(&property, refs)
	}
	if s.Items != nil {
		r.Items = reduced(s.Items.Schema, refs)
	}
	if s.AdditionalProperties != nil {
		r.Values = reduced(s.AdditionalProperties.Schema, refs)
	}
	for i := range s.OneOf {
		r.OneOf = append(r.OneOf, reduced(&s.OneOf[i], refs))
	}
	return r
}

// extended returns a schema with the extensions of another one.
func extended(s *spec.Schema) *schema {
	r := &schema{ListKeys: s.Extensions["x-kubernetes-list-map-keys"]}
	r.ListType, _ = s.Extensions.GetString("x-kubernetes-list-type")
	r.MapType, _ = s.Extensions.GetString("x-kubernetes-map-type")
	r.MergeKey, _ = s.Extensions.GetString("x-kubernetes-patch-merge-key")
	r.Strategy, _ = s.Extensions.GetString("x-kubernetes-patch-strategy")
	return r
}

// written writes the schemas, one a line, in the order of their names.
func written(all map[string]*schema) ([]byte, error) {
	var text bytes.Buffer
	text.WriteString("{")
	separator := "\n"
	for _, name := range slices.Sorted(maps.Keys(all)) {
		line, err := json.Marshal(all[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&text, "%s%q: %s", separator, name, line)
		separator = ",\n"
	}
	text.WriteString("\n}\n")
	return text.Bytes(), nil
}
