package apiserver

import (
	"errors"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
)

// Of returns the version of the kind of an object. It returns nil if no definition has it.
func (d definitions) of(object *unstructured.Unstructured) *version {
	return d[runtimeschema.FromAPIVersionAndKind(object.GetAPIVersion(), object.GetKind())]
}

// read reads an object in JSON as the API server reads the body of a request.
func (d definitions) read(raw []byte) (*unstructured.Unstructured, *version, error) {
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(raw, &object.Object); err != nil || object.Object == nil {
		return nil, nil, errors.Join(errors.New("is not a JSON object"), err)
	}
	v := d.of(object)
	if v == nil {
		return nil, nil, fmt.Errorf("%s %s: no definition has this version", object.GetAPIVersion(), object.GetKind())
	}
	v.name(object)
	return object, v, v.coerce(object)
}

// The identity of an object of which the manifest has none.
const (
	defaultNamespace = "default"
	assumedName      = "generated"
)

// name completes the identity of an object, as kubectl and the API server do.
func (v *version) name(object *unstructured.Unstructured) {
	switch {
	case !v.isNamespaced:
		object.SetNamespace("")
	case object.GetNamespace() == "":
		object.SetNamespace(defaultNamespace)
	}
	if object.GetName() == "" {
		object.SetName(object.GetGenerateName() + assumedName)
	}
}

// coerce prunes an object and fills in its defaults. Source: the schema coercing decoder and the defaulter of
// pkg/apiserver/customresource_handler.go.
func (v *version) coerce(object *unstructured.Unstructured) error {
	kind := object.GetKind()
	apiVersion := object.GetAPIVersion()
	meta, hasMeta, err := objectmeta.GetObjectMeta(object.Object, false)
	if err != nil {
		return fmt.Errorf("metadata cannot be read: %w", err)
	}
	if v.schema != nil && !v.keepsUnknown {
		pruning.Prune(object.Object, v.schema, true)
		defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, v.schema)
	}
	if v.schema != nil {
		if err := objectmeta.Coerce(nil, object.Object, v.schema, false, false); err != nil {
			return err
		}
	}
	object.SetKind(kind)
	object.SetAPIVersion(apiVersion)
	if hasMeta {
		if err := objectmeta.SetObjectMeta(object.Object, meta); err != nil {
			return err
		}
	}
	if v.schema != nil {
		defaulting.Default(object.Object, v.schema)
	}
	return nil
}
