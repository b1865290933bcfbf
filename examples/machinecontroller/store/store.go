// Package store is an API server in memory, as far as a controller can tell: objects with resource versions, conflicts, a status
// subresource, merge patches, generations and finalizers; and a cache of it that lags behind.
//
// It knows the metadata of objects, and nothing of what they mean.
package store

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/clock"
)

// Group is the API group of all objects.
const Group = "machine.sapcloud.io"

// Store holds the objects of one namespace. It is safe for concurrent use. Every call of a process that has ended, whose context is
// done, fails and changes nothing.
type Store struct {
	clock *clock.Clock

	mu      sync.Mutex
	version int
	objects map[Key]document
	log     []Event
}

// Key identifies an object.
type Key struct {
	Kind string
	Name string
}

// document is an object as JSON; nil where there is none.
type document []byte

// Object is a pointer to a type that can be stored.
type Object[T any] interface {
	*T
	metav1.Object
	ResourceKind() string
}

// New returns an empty store.
func New(c *clock.Clock) *Store {
	return &Store{clock: c, objects: map[Key]document{}}
}

// Get reads an object. The error is a NotFound of apimachinery if there is none.
func Get[T any, P Object[T]](ctx context.Context, s *Store, name string) (P, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return decode[T, P](s.objects, keyOf[T, P](name))
}

// Create stores a new object, with a resource version and a UID of its own and generation 1. Status is kept out, as in every write but
// [UpdateStatus].
func Create[T any, P Object[T]](ctx context.Context, s *Store, object P) (P, error) {
	key := keyOf[T, P](object.GetName())
	return write[T, P](ctx, s, key, func(old document) (document, error) {
		if old != nil {
			return nil, errors.NewAlreadyExists(resource(key.Kind), key.Name)
		}
		fields, err := toFields(object)
		if err != nil {
			return nil, err
		}
		delete(fields, "status")
		return fields.encode()
	})
}

// Update replaces everything but the status.
func Update[T any, P Object[T]](ctx context.Context, s *Store, object P) (P, error) {
	return replace[T, P](ctx, s, object, func(old, updated fields) fields {
		delete(updated, "status")
		if status, ok := old["status"]; ok {
			updated["status"] = status
		}
		return updated
	})
}

// UpdateStatus replaces the status and nothing else.
func UpdateStatus[T any, P Object[T]](ctx context.Context, s *Store, object P) (P, error) {
	return replace[T, P](ctx, s, object, func(old, updated fields) fields {
		old["status"] = updated["status"]
		return old
	})
}

// replace writes an object over the one that the caller has read: if somebody else wrote since, it is a Conflict of apimachinery.
func replace[T any, P Object[T]](ctx context.Context, s *Store, object P, merge func(old, updated fields) fields) (P, error) {
	key := keyOf[T, P](object.GetName())
	return write[T, P](ctx, s, key, func(old document) (document, error) {
		oldFields, err := s.unchanged(key, old, object.GetResourceVersion())
		if err != nil {
			return nil, err
		}
		updated, err := toFields(object)
		if err != nil {
			return nil, err
		}
		return merge(oldFields, updated).encode()
	})
}

// Patch applies a JSON merge patch (RFC 7386). A resource version in its metadata is a condition: if it is not that of the object, the
// error is a Conflict of apimachinery. The status stays as it is.
func Patch[T any, P Object[T]](ctx context.Context, s *Store, name string, patch []byte) (P, error) {
	key := keyOf[T, P](name)
	return write[T, P](ctx, s, key, func(old document) (document, error) {
		changes, err := parse(patch)
		if err != nil {
			return nil, errors.NewBadRequest("the patch is no JSON object")
		}
		delete(changes, "status")
		var condition metav1.PartialObjectMetadata
		if err := json.Unmarshal(patch, &condition); err != nil {
			return nil, errors.NewBadRequest("the metadata of the patch cannot be read")
		}
		oldFields, err := s.unchanged(key, old, condition.ResourceVersion)
		if err != nil {
			return nil, err
		}
		return mergePatch(oldFields, changes).encode()
	})
}

// Delete removes an object, or marks it as deleted while it has finalizers.
func Delete[T any, P Object[T]](ctx context.Context, s *Store, name string) error {
	key := keyOf[T, P](name)
	_, err := write[T, P](ctx, s, key, func(old document) (document, error) {
		oldFields, err := s.unchanged(key, old, "")
		if err != nil {
			return nil, err
		}
		if deletedAt(oldFields) != nil {
			return old, nil
		}
		now := metav1.NewTime(s.clock.Now())
		return mergePatch(oldFields, fields{"metadata": map[string]any{"deletionTimestamp": now}}).encode()
	})
	return err
}

// Client has the signatures of client-go's typed clients.
type Client[T any, P Object[T]] struct{ Store *Store }

// Update replaces everything but the status.
func (c Client[T, P]) Update(ctx context.Context, object P, _ metav1.UpdateOptions) (P, error) {
	return Update[T, P](ctx, c.Store, object)
}

// UpdateStatus replaces the status and nothing else.
func (c Client[T, P]) UpdateStatus(ctx context.Context, object P, _ metav1.UpdateOptions) (P, error) {
	return UpdateStatus[T, P](ctx, c.Store, object)
}

// Patch applies a JSON merge patch, whatever the other arguments say.
func (c Client[T, P]) Patch(ctx context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (P, error) {
	return Patch[T, P](ctx, c.Store, name, data)
}

// write replaces an object by what change makes of it, and does the housekeeping of an API server.
func write[T any, P Object[T]](ctx context.Context, s *Store, key Key, change func(document) (document, error)) (P, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	old := s.objects[key]
	changed, err := change(old)
	if err != nil {
		return nil, err
	}
	if err := s.keep(key, old, changed); err != nil {
		return nil, err
	}
	object := P(new(T))
	return object, json.Unmarshal(s.log[len(s.log)-1].changed, object)
}

// keep stores what a write made of an object, under the next resource version.
func (s *Store) keep(key Key, old, changed document) error {
	before, err := metadataOf(old)
	if err != nil {
		return err
	}
	after, err := metadataOf(changed)
	if err != nil {
		return err
	}
	s.version++
	event := Event{At: s.clock.Now(), Key: key, Generation: max(1, before.Generation)}
	if differs(old, changed) {
		event.Generation = before.Generation + 1
	}
	uid := before.UID
	if old == nil {
		uid = types.UID(key.Name + "-" + strconv.Itoa(s.version))
		after.CreationTimestamp = metav1.NewTime(event.At)
	}
	changed, err = restamp(changed, map[string]any{
		"resourceVersion": strconv.Itoa(s.version), "generation": event.Generation, "uid": uid, "creationTimestamp": after.CreationTimestamp,
	})
	if err != nil {
		return err
	}
	event.changed = changed
	s.objects[key] = changed
	if after.DeletionTimestamp != nil && len(after.Finalizers) == 0 {
		delete(s.objects, key)
		event.Removed = true
	}
	s.log = append(s.log, event)
	return nil
}

// unchanged returns the fields of an object, if it has the resource version that the caller has read, or the caller has none.
func (s *Store) unchanged(key Key, old document, version string) (fields, error) {
	if old == nil {
		return nil, errors.NewNotFound(resource(key.Kind), key.Name)
	}
	metadata, err := metadataOf(old)
	if err != nil {
		return nil, err
	}
	if version != "" && version != metadata.ResourceVersion {
		return nil, errors.NewConflict(resource(key.Kind), key.Name, errStale)
	}
	return parse(old)
}

// Names lists the objects of a kind, sorted.
func (s *Store) Names(kind string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return namesIn(s.objects, kind)
}

func namesIn(objects map[Key]document, kind string) []string {
	var names []string
	for key := range objects {
		if key.Kind == kind {
			names = append(names, key.Name)
		}
	}
	slices.Sort(names)
	return names
}

func keyOf[T any, P Object[T]](name string) Key {
	return Key{Kind: P(new(T)).ResourceKind(), Name: name}
}

func decode[T any, P Object[T]](objects map[Key]document, key Key) (P, error) {
	found, ok := objects[key]
	if !ok {
		return nil, errors.NewNotFound(resource(key.Kind), key.Name)
	}
	object := P(new(T))
	return object, json.Unmarshal(found, object)
}

func resource(kind string) schema.GroupResource {
	return schema.GroupResource{Group: Group, Resource: kind}
}
