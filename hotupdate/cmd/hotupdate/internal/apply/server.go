package apply

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// kind is the only kind that is merged.
var kind = schema.GroupVersionKind{Group: "core.gardener.cloud", Version: "v1beta1", Kind: "Shoot"}

// byServer applies like the API server with server-side apply: for one manager or, without a name,
// for each manager that may apply.
func byServer(cluster, manifest *tree.Node, manager string) (results []Applied) {
	live, err := objectOf(cluster)
	sent, sentErr := objectOf(manifest)
	types, typesErr := converterFor(cluster, manifest)
	s := server{types}
	if err := errors.Join(err, sentErr, typesErr); err != nil {
		return []Applied{{Way: Way{Server, manager}, Problem: err}}
	}
	sent.SetManagedFields(nil)
	entries := live.GetManagedFields()
	if len(entries) == 0 { // kubectl get -o yaml hides them
		manager = cmp.Or(manager, kubectlManager)
		none := s.apply(live, sent, manager)
		owned, err := s.ownedBy(live, manager)
		whole := result{err: err}
		if err == nil {
			whole = s.apply(owned, sent, manager)
		}
		return []Applied{
			none.with(Way{By: Server}, OwnsNothing, cluster, manifest),
			whole.with(Way{By: Server}, OwnsAll, cluster, manifest),
		}
	}
	managers := []string{manager}
	if manager == "" {
		managers = appliersIn(cluster)
	}
	if len(managers) == 0 {
		managers = []string{kubectlManager}
	}
	for _, name := range managers {
		results = append(results, s.applyAs(name, live, sent, cluster, manifest)...)
	}
	return results
}

// applyAs applies an object for a manager. If kubectl apply owns fields of a client-side apply,
// kubectl apply --server-side takes them over under any name of its manager. Other clients do not.
func (s server) applyAs(
	name string, live, sent *unstructured.Unstructured, cluster, manifest *tree.Node,
) (results []Applied) {
	way := Way{Server, name}
	migrated, err := withMigrated(live, name)
	if err != nil {
		return []Applied{{Way: way, Problem: err}}
	}
	plain := s.apply(live, sent, name)
	if name != kubectlManager || migrated == nil {
		results = append(results, plain.with(way, OwnershipKnown, cluster, manifest))
	}
	if migrated == nil {
		return results
	}
	owner := OwnershipKnown
	if name != kubectlManager {
		owner = OwnsClients
	}
	taken := s.apply(migrated, sent, name)
	taken.conflicts = plain.conflicts // kubectl takes over after a first apply
	return append(results, taken.with(way, owner, cluster, manifest))
}

// objectOf returns an object as the API server reads it, without what Gardener sets.
func objectOf(n *tree.Node) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(n.With([]string{"status"}, nil).JSON()); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	return object, nil
}

// result is an object that the API server makes, with the conflicts that had to be forced.
type result struct {
	object    *unstructured.Unstructured
	conflicts []Conflict
	err       error
}

func (r result) with(way Way, owner Ownership, cluster, manifest *tree.Node) Applied {
	var raw []byte
	if r.err == nil {
		raw, r.err = json.Marshal(r.object.Object)
	}
	made := merged(way, raw, r.err, cluster, manifest)
	made.Owner = owner
	made.Conflicts = r.conflicts
	return made
}

// server is an API server that knows the types of some Shoots.
type server struct{ types managedfields.TypeConverter }

// apply applies an object, by force if there are conflicts.
func (s server) apply(live, sent *unstructured.Unstructured, manager string) (r result) {
	fields, err := managedfields.NewDefaultFieldManager(
		s.types, sameVersion{}, sameVersion{}, sameVersion{}, kind, kind.GroupVersion(), "", nil)
	if err != nil {
		return result{err: err}
	}
	made, err := fields.Apply(live.DeepCopy(), sent.DeepCopy(), manager, false)
	if apierrors.IsConflict(err) {
		r.conflicts = conflictsIn(err)
		made, err = fields.Apply(live.DeepCopy(), sent.DeepCopy(), manager, true)
	}
	if err != nil {
		return result{err: err}
	}
	r.object, _ = made.(*unstructured.Unstructured)
	if r.object == nil { // nothing changes
		r.object = live
	}
	return r
}

// conflictsIn lists the conflicts in an error of the API server.
func conflictsIn(err error) (conflicts []Conflict) {
	status, is := errors.AsType[*apierrors.StatusError](err)
	if !is || status.ErrStatus.Details == nil {
		return nil
	}
	for _, cause := range status.ErrStatus.Details.Causes {
		path := strings.TrimPrefix(cause.Field, ".")
		conflicts = append(conflicts, Conflict{path, strings.TrimPrefix(cause.Message, "conflict with ")})
	}
	return conflicts
}

// ownedBy returns an object all of whose fields a manager has applied.
func (s server) ownedBy(live *unstructured.Unstructured, manager string) (*unstructured.Unstructured, error) {
	typed, err := s.types.ObjectToTyped(live)
	if err != nil {
		return nil, err
	}
	set, err := typed.ToFieldSet()
	if err != nil {
		return nil, err
	}
	entry, err := entryOf(set.Difference(identity()), manager)
	if err != nil {
		return nil, err
	}
	owned := live.DeepCopy()
	owned.SetManagedFields([]metav1.ManagedFieldsEntry{entry})
	return owned, nil
}

// identity are the fields of an object that no manager owns.
func identity() *fieldpath.Set {
	set := fieldpath.NewSet(
		fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"), fieldpath.MakePathOrDie("metadata"),
		fieldpath.MakePathOrDie("metadata", "name"), fieldpath.MakePathOrDie("metadata", "namespace"),
	)
	for _, name := range serverOwned {
		set.Insert(fieldpath.MakePathOrDie("metadata", name))
	}
	return set
}

func entryOf(set *fieldpath.Set, manager string) (metav1.ManagedFieldsEntry, error) {
	raw, err := set.ToJSON()
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: kind.GroupVersion().String(),
		FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: raw},
	}, err
}

// withMigrated returns an object in which a manager owns the fields of an earlier client-side
// apply, which kubectl apply --server-side takes over, see csaupgrade in client-go. It is nil if
// there is nothing to take over.
func withMigrated(live *unstructured.Unstructured, manager string) (*unstructured.Unstructured, error) {
	annotation := fieldpath.MakePathOrDie("metadata", "annotations", lastApplied)
	owned := fieldpath.NewSet()
	isMigrated := false
	var others []metav1.ManagedFieldsEntry
	for _, entry := range live.GetManagedFields() {
		set, err := setOf(entry)
		if err != nil {
			return nil, fmt.Errorf("server: managedFields of %s: %w", entry.Manager, err)
		}
		isOwn := entry.Operation == metav1.ManagedFieldsOperationApply && entry.Manager == manager
		isClient := entry.Operation == metav1.ManagedFieldsOperationUpdate && set.Has(annotation)
		if entry.Subresource == "" && (isOwn || isClient) {
			owned = owned.Union(set)
			isMigrated = isMigrated || isClient
			continue
		}
		others = append(others, entry)
	}
	if !isMigrated {
		return nil, nil //nolint:nilnil // nothing is taken over
	}
	entry, err := entryOf(owned, manager)
	if err != nil {
		return nil, err
	}
	migrated := live.DeepCopy()
	migrated.SetManagedFields(append(others, entry))
	return migrated, nil
}

// setOf returns the fields of an entry.
func setOf(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := fieldpath.NewSet()
	if entry.FieldsV1 == nil {
		return set, nil
	}
	return set, set.FromJSON(strings.NewReader(string(entry.FieldsV1.Raw)))
}

// sameVersion converts nothing: a Shoot has one version. It does not set defaults either, see package
// facts.
type sameVersion struct{}

// Convert, ConvertToVersion and ConvertFieldLabel implement [runtime.ObjectConvertor].
func (sameVersion) Convert(_, _, _ any) error {
	return errors.New("server: there is one version only")
}

// ConvertToVersion returns the object.
func (sameVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

// ConvertFieldLabel returns the label.
func (sameVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// Default sets no default.
func (sameVersion) Default(runtime.Object) {}

// New returns an empty object.
func (sameVersion) New(schema.GroupVersionKind) (runtime.Object, error) {
	return &unstructured.Unstructured{Object: map[string]any{}}, nil
}
