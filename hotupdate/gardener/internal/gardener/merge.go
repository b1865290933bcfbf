package gardener

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/gardener/gardener/pkg/api"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/gardener/gardener/pkg/apiserver/openapi"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// head has the members that identify the writer of a manifest, and what Gardener draws for it.
type head struct {
	metav1.PartialObjectMetadata
	Spec struct {
		Maintenance struct {
			TimeWindow *json.RawMessage `json:"timeWindow"`
		} `json:"maintenance"`
	} `json:"spec"`
}

func headOf(manifest json.RawMessage) (h head, err error) {
	if err := json.Unmarshal(manifest, &h); err != nil {
		return h, err
	}
	return h, nil
}

// hasWindow reports whether the manifest has a maintenance window.
func (h head) hasWindow() bool { return h.Spec.Maintenance.TimeWindow != nil }

// isLive reports whether the manifest was read from a cluster.
func (h head) isLive() bool { return h.UID != "" || h.ResourceVersion != "" }

// lastApplied returns what kubectl apply sent last. Two Shoots read from a cluster are compared as they
// are: it is all of the old one. A Shoot that was only read has it in an annotation, if at all.
func (b *before) lastApplied(updated head) json.RawMessage {
	if b.head.isLive() && !updated.isLive() {
		return json.RawMessage(b.head.Annotations[corev1.LastAppliedConfigAnnotation])
	}
	return b.manifest
}

// methods are the ways in which a manifest is applied, as [gardenerplugin.Question] names them, without the manager.
var methods = []string{byClient, byServer, byReplacement}

const (
	byClient      = "client"
	byServer      = "server"
	byReplacement = "replace"
	// asTheyAre makes one Shoot of a cluster of another one.
	asTheyAre = "as it is"
)

// methodsOf returns the ways that a question allows. Two Shoots of a cluster are compared as they are.
func (b *before) methodsOf(q gardenerplugin.Question, updated head) ([]string, error) {
	method, _, _ := strings.Cut(q.Apply, "=")
	switch {
	case b.head.isLive() && updated.isLive():
		return []string{asTheyAre}, nil
	case q.Apply == "":
		return methods, nil
	case slices.Contains(methods, method):
		return []string{method}, nil
	}
	return nil, fmt.Errorf("apply is %q; it must be client, server, server=MANAGER or replace", q.Apply)
}

// apply returns what a manifest makes of a live Shoot, of which a manifest was applied last in the same way.
func apply(method string, lastApplied, manifest, live json.RawMessage) (json.RawMessage, error) {
	var applied json.RawMessage
	var err error
	switch method {
	case byClient:
		applied, err = applyByClient(lastApplied, manifest, live)
	case byServer:
		applied, err = applyByServer(lastApplied, manifest, live)
	case asTheyAre:
		applied, err = mergeJSON(lastApplied, manifest, live)
	default:
		applied, err = replace(manifest, live)
	}
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", method, err)
	}
	return applied, nil
}

// applyByClient does what kubectl apply does: a strategic merge by the patch keys of Gardener's types or, if an object
// or list in a provider config differs, a JSON merge, which replaces lists.
func applyByClient(lastApplied, manifest, live json.RawMessage) (json.RawMessage, error) {
	meta, err := strategicpatch.NewPatchMetaFromStruct(&gardencorev1beta1.Shoot{})
	if err != nil {
		return nil, err
	}
	if patch, err := strategicpatch.CreateThreeWayMergePatch(lastApplied, manifest, live, meta, true); err == nil {
		return strategicpatch.StrategicMergePatchUsingLookupPatchMeta(live, patch, meta)
	}
	return mergeJSON(lastApplied, manifest, live)
}

// mergeJSON replaces lists as a whole.
func mergeJSON(lastApplied, manifest, live json.RawMessage) (json.RawMessage, error) {
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(lastApplied, manifest, live)
	if err != nil {
		return nil, err
	}
	return jsonpatch.MergePatch(live, patch)
}

// replace does what kubectl replace does: the status and the metadata that no client sets stay.
func replace(manifest, live json.RawMessage) (json.RawMessage, error) {
	var sent, stored unstructured.Unstructured
	if err := errors.Join(sent.UnmarshalJSON(manifest), stored.UnmarshalJSON(live)); err != nil {
		return nil, err
	}
	if status, is := stored.Object["status"]; is {
		sent.Object["status"] = status
	}
	sent.SetUID(stored.GetUID())
	sent.SetCreationTimestamp(stored.GetCreationTimestamp())
	sent.SetGeneration(stored.GetGeneration())
	return sent.MarshalJSON()
}

// applier is the field manager that applied the last manifest, and applies the new one.
const applier = "applier"

// applyByServer does what the API server does with a server-side apply of the manager that owns all of the last
// manifest.
func applyByServer(lastApplied, manifest, live json.RawMessage) (json.RawMessage, error) {
	fields, err := fieldManager()
	if err != nil {
		return nil, err
	}
	stored := &gardencorev1beta1.Shoot{}
	if err := json.Unmarshal(live, stored); err != nil {
		return nil, err
	}
	var last, sent unstructured.Unstructured
	if len(lastApplied) > 0 {
		if err := last.UnmarshalJSON(lastApplied); err != nil {
			return nil, err
		}
		declared(last.Object, reflect.TypeFor[gardencorev1beta1.Shoot]())
		entry, err := ownedBy(&last)
		if err != nil {
			return nil, err
		}
		stored.ManagedFields = []metav1.ManagedFieldsEntry{entry}
	}
	if err := sent.UnmarshalJSON(manifest); err != nil {
		return nil, err
	}
	delete(sent.Object, "status")
	sent.SetManagedFields(nil)
	applied, err := fields.Apply(stored, &sent, applier, true)
	if err != nil {
		return nil, err
	}
	if applied == nil { // nothing changes
		return live, nil
	}
	return json.Marshal(applied)
}

// declared removes the members that a type does not have: the API server drops them when the manifest is stored, and no
// manager owns them.
func declared(value any, t reflect.Type) {
	t = indirect(t)
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		fields := map[string]reflect.StructField{}
		if t.Kind() == reflect.Struct {
			fields = jsonFields(t)
		}
		for name, member := range v {
			field, isDeclared := fields[name]
			switch {
			case t.Kind() == reflect.Map:
				declared(member, t.Elem())
			case isDeclared:
				declared(member, field.Type)
			default:
				delete(v, name)
			}
		}
	case []any:
		for _, element := range v {
			if t.Kind() == reflect.Slice {
				declared(element, t.Elem())
			}
		}
	}
}

// ownedBy returns the managedFields of the applier of a manifest.
func ownedBy(manifest *unstructured.Unstructured) (entry metav1.ManagedFieldsEntry, err error) {
	types, err := typesOfGardener()
	if err != nil {
		return entry, err
	}
	typed, err := types.ObjectToTyped(manifest)
	if err != nil {
		return entry, err
	}
	set, err := typed.ToFieldSet()
	if err != nil {
		return entry, err
	}
	raw, err := set.Difference(identityFields).ToJSON()
	fields := &metav1.FieldsV1{}
	fields.SetRawBytes(raw)
	return metav1.ManagedFieldsEntry{
		Manager: applier, Operation: metav1.ManagedFieldsOperationApply, FieldsType: "FieldsV1",
		APIVersion: gardencorev1beta1.SchemeGroupVersion.String(), FieldsV1: fields,
	}, err
}

// identityFields are the fields that no manager owns.
var identityFields = fieldpath.NewSet(
	fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"), fieldpath.MakePathOrDie("metadata"),
	fieldpath.MakePathOrDie("metadata", "name"), fieldpath.MakePathOrDie("metadata", "namespace"),
)

// typesOfGardener are the types in the OpenAPI of gardener-apiserver.
var typesOfGardener = sync.OnceValues(func() (managedfields.TypeConverter, error) {
	const references = "#/components/schemas/"
	schemas := map[string]*spec.Schema{}
	refTo := func(name string) spec.Ref { return spec.MustCreateRef(references + name) }
	for name, definition := range openapi.GetOpenAPIDefinitions(refTo) {
		schemas[name] = &definition.Schema
	}
	shoot := schemas[gardencorev1beta1.Shoot{}.OpenAPIModelName()]
	shoot.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{
		"group": gardencorev1beta1.GroupName, "version": gardencorev1beta1.SchemeGroupVersion.Version, "kind": "Shoot",
	}})
	return managedfields.NewTypeConverter(schemas, false)
})

// fieldManager is that of the API server for Shoots.
var fieldManager = sync.OnceValues(func() (*managedfields.FieldManager, error) {
	types, err := typesOfGardener()
	if err != nil {
		return nil, err
	}
	version := gardencorev1beta1.SchemeGroupVersion
	return managedfields.NewDefaultFieldManager(
		types, api.Scheme, api.Scheme, api.Scheme, version.WithKind("Shoot"), version, "", nil)
})
