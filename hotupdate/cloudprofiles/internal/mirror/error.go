package mirror

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Error is a problem with one resource or with the file.
type Error struct {
	// Where is the resource or the file.
	Where string
	// Err says what happens.
	Err error
	// Hint says how to mend it.
	Hint string
}

// Error returns the place, the problem and the hint.
func (e *Error) Error() string { return fmt.Sprintf("%s: %v; %s", e.Where, e.Err, e.Hint) }

// Unwrap returns the problem without its place.
func (e *Error) Unwrap() error { return e.Err }

// ofResource is the problem that a resource cannot be listed or watched.
func ofResource(resource schema.GroupVersionResource, err error) *Error {
	hint := "the API server must answer; this is tried again"
	switch {
	case apierrors.IsForbidden(err):
		hint = "grant get, list and watch of the resource to the user"
	case apierrors.IsUnauthorized(err):
		hint = "renew the credentials of --kubeconfig, or mount a token of the ServiceAccount"
	case apierrors.IsNotFound(err):
		hint = "name the cluster with Shoots by --kubeconfig, the virtual garden if there is one"
	}
	return &Error{resource.GroupResource().String(), err, hint}
}
