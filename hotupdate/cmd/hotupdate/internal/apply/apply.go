// Package apply computes the Shoot that results when a manifest is applied to a cluster, by the
// code of kubectl and of the API server, see [Way]. It must not know the effect on machines, or
// what Gardener fills in afterwards.
//
// openapi.json has Gardener's types, as gardener-apiserver serves them in OpenAPI. The module
// hotupdate/gardener writes it from Gardener's own code: go test ./internal/openapi -update.
//
// Source: kubectl v1.34, apply and replace; apimachinery v0.34, strategicpatch and managedfields;
// Gardener v1.150, openapi.
package apply

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// Way is a way of applying a manifest to the object in a cluster.
type Way struct {
	By Method
	// Manager is the field manager of a server-side apply; empty if it is not known.
	Manager string
}

// Method is a way without its manager.
type Method string

// The methods.
const (
	// Client is kubectl apply. Fields that are in the annotation last-applied and not in the
	// manifest are removed.
	Client Method = "client"
	// Server is server-side apply. Fields that only this manager owns and that it no longer sends
	// are removed.
	Server Method = "server"
	// Replace is kubectl replace, and every other update of the whole object. Fields that are not
	// in the manifest are removed.
	Replace Method = "replace"
)

// Methods are all methods.
func Methods() []Method { return []Method{Client, Server, Replace} }

// kubectlManager is the field manager of kubectl apply --server-side, unless the user names another one.
const kubectlManager = "kubectl"

// Parse reads a way as [Way.String] writes it.
func Parse(text string) (Way, error) {
	name, manager, hasManager := strings.Cut(text, "=")
	w := Way{By: Method(name), Manager: manager}
	isKnown := slices.Contains(Methods(), w.By)
	isWrong := hasManager && (w.By != Server || manager == "")
	if !isKnown || isWrong {
		return Way{}, errors.New("must be client, server, server=MANAGER or replace")
	}
	return w, nil
}

// String writes a way: client, server, server=flux or replace.
func (w Way) String() string {
	if w.Manager == "" {
		return string(w.By)
	}
	return string(w.By) + "=" + w.Manager
}

// Applied is the result of one way of applying.
type Applied struct {
	Way Way
	// Object is the object before Gardener fills in anything; nil if Problem says why it is not known.
	Object *tree.Node
	// Conflicts are the fields that another manager owns, with its name. Server-side apply changes
	// them only if it is forced, which Object assumes.
	Conflicts []Conflict
	// Owner is set if it is not known which fields the manager owns.
	Owner Ownership
	// Problem is an error of the code that applies.
	Problem error
}

// Conflict is a field that another manager owns, and that the manifest sets to another value.
type Conflict struct{ Path, With string }

// Ownership is an assumption about the fields of a manager that are not known.
type Ownership uint8

// The assumptions. The effect of any real ownership lies between OwnsNothing and OwnsAll.
const (
	OwnershipKnown Ownership = iota
	OwnsNothing
	OwnsAll
	// OwnsClients takes over what kubectl apply owned, as kubectl does, and other clients do not.
	OwnsClients
)

// lastApplied is the annotation in which kubectl apply keeps the manifest.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// All computes the object for each way that the cluster and the manifest allow. Given are the ways that
// are known to be possible: one if the user says how the manifest is applied, else all. Without a
// manager, server-side apply is computed for each manager of the cluster's object that applies, or for
// that of kubectl.
func All(cluster, manifest *tree.Node, given ...Way) (results []Applied) {
	for _, way := range given {
		switch way.By {
		case Client:
			results = append(results, byClient(cluster, manifest))
		case Server:
			results = append(results, byServer(cluster, manifest, way.Manager)...)
		case Replace:
			results = append(results, Applied{Way: way, Object: withServerOwned(manifest, cluster)})
		}
	}
	return results
}

// serverOwned are the members of metadata that no client sets.
var serverOwned = []string{
	"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
	"managedFields", "selfLink",
}

// withServerOwned returns an object with what only the API server and Gardener set: the status, and some
// metadata.
func withServerOwned(object, cluster *tree.Node) *tree.Node {
	object = object.With([]string{"status"}, cluster.At("status"))
	for _, name := range serverOwned {
		object = object.With([]string{"metadata", name}, cluster.At("metadata", name))
	}
	return object
}

// desired returns an object without what only the API server and Gardener set.
func desired(object *tree.Node) *tree.Node { return withServerOwned(object, nil) }

// merged returns the result of a way from the JSON that its code writes.
func merged(way Way, result []byte, err error, cluster, manifest *tree.Node) Applied {
	if err != nil {
		return Applied{Way: way, Problem: fmt.Errorf("%s: %w", way, err)}
	}
	object, err := tree.ParseJSON(result)
	if err != nil {
		return Applied{Way: way, Problem: fmt.Errorf("%s: %w", way, err)}
	}
	return Applied{Way: way, Object: withServerOwned(tree.Grafted(object, manifest, cluster), cluster)}
}

// Last returns the way in which the object of a cluster was applied last, by its annotations and
// managedFields. It is false if they show no way or several.
func Last(cluster *tree.Node) (Way, bool) {
	const nothing = "{}"
	annotation := cluster.At("metadata", "annotations", lastApplied).Text()
	isByClient := annotation != "" && annotation != nothing
	managers := appliersIn(cluster)
	switch {
	case isByClient && len(managers) == 0:
		return Way{By: Client}, true
	case !isByClient && len(managers) == 1:
		return Way{Server, managers[0]}, true
	}
	return Way{}, false
}

// appliersIn returns the managers that apply the object.
func appliersIn(cluster *tree.Node) (names []string) {
	for _, entry := range cluster.At("metadata", "managedFields").Elements() {
		isApplied := entry.At("operation").Text() == string(metav1.ManagedFieldsOperationApply)
		if isApplied && entry.At("subresource") == nil {
			names = append(names, entry.At("manager").Text())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
