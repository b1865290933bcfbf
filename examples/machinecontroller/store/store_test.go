package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/clock"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/store"
)

func newStore(t *testing.T) (*store.Store, *clock.Clock, *api.Machine) {
	t.Helper()
	c := clock.New(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
	s := store.New(c)
	machine := &api.Machine{ObjectMeta: metav1.ObjectMeta{Name: "m", Finalizers: []string{api.Finalizer}}}
	machine.Spec.Class.Name = "class"
	machine.Status.CurrentStatus.Phase = api.MachineRunning
	created, err := store.Create(t.Context(), s, machine)
	require.NoError(t, err)
	return s, c, created
}

func TestCreateIsAsAnAPIServerDoesIt(t *testing.T) {
	s, c, created := newStore(t)
	assert.NotEmpty(t, created.UID)
	assert.NotEmpty(t, created.ResourceVersion)
	assert.True(t, created.CreationTimestamp.Time.Equal(c.Now()))
	assert.Equal(t, int64(1), created.Generation)
	assert.Empty(t, created.Status.CurrentStatus.Phase, "status is a subresource")

	_, err := store.Create(t.Context(), s, created)
	assert.True(t, apierrors.IsAlreadyExists(err))
}

func TestStatusIsASubresource(t *testing.T) {
	s, _, machine := newStore(t)
	machine.Status.CurrentStatus.Phase = api.MachinePending
	machine.Annotations = map[string]string{"a": "b"}
	machine, err := store.UpdateStatus(t.Context(), s, machine)
	require.NoError(t, err)
	assert.Equal(t, api.MachinePending, machine.Status.CurrentStatus.Phase)
	assert.Empty(t, machine.Annotations, "a write of the status writes nothing else")
	assert.Equal(t, int64(1), machine.Generation)

	machine.Spec.ProviderID = "id"
	machine.Status.CurrentStatus.Phase = api.MachineFailed
	machine, err = store.Update(t.Context(), s, machine)
	require.NoError(t, err)
	assert.Equal(t, "id", machine.Spec.ProviderID)
	assert.Equal(t, api.MachinePending, machine.Status.CurrentStatus.Phase, "any other write leaves the status as it is")
	assert.Equal(t, int64(2), machine.Generation, "the spec has changed")
}

func TestEveryWriteOfSomethingStaleIsAConflict(t *testing.T) {
	s, _, stale := newStore(t)
	annotate := []byte(`{"metadata":{"annotations":{"a":"b"}}}`)
	fresh, err := store.Patch[api.Machine](t.Context(), s, "m", annotate)
	require.NoError(t, err)
	assert.NotEqual(t, stale.ResourceVersion, fresh.ResourceVersion)
	assert.Equal(t, "b", fresh.Annotations["a"])
	assert.Equal(t, int64(1), fresh.Generation, "annotations do not count")

	_, err = store.Update(t.Context(), s, stale)
	assert.True(t, apierrors.IsConflict(err))
	_, err = store.UpdateStatus(t.Context(), s, stale)
	assert.True(t, apierrors.IsConflict(err))
	_, err = store.Patch[api.Machine](t.Context(), s, "m", []byte(`{"metadata":{"resourceVersion":"`+stale.ResourceVersion+`"}}`))
	assert.True(t, apierrors.IsConflict(err))

	fresh, err = store.Patch[api.Machine](t.Context(), s, "m",
		[]byte(`{"metadata":{"resourceVersion":"`+fresh.ResourceVersion+`","annotations":{"a":null,"c":"d"}},"status":{"lastOperation":{"type":"x"}}}`))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"c": "d"}, fresh.Annotations)
	assert.Empty(t, fresh.Status.LastOperation.Type)

	_, err = store.Patch[api.Machine](t.Context(), s, "m", []byte(`[]`))
	assert.True(t, apierrors.IsBadRequest(err))
	_, err = store.Patch[api.Machine](t.Context(), s, "m", []byte(`{"metadata":1}`))
	assert.True(t, apierrors.IsBadRequest(err))
	_, err = store.Patch[api.Machine](t.Context(), s, "nobody", annotate)
	assert.True(t, apierrors.IsNotFound(err))
}

func TestFinalizersKeepWhatIsDeleted(t *testing.T) {
	s, c, _ := newStore(t)
	c.AdvanceTo(c.Now().Add(time.Minute))
	require.NoError(t, store.Delete[api.Machine](t.Context(), s, "m"))
	machine, err := store.Get[api.Machine](t.Context(), s, "m")
	require.NoError(t, err)
	require.NotNil(t, machine.DeletionTimestamp)
	assert.Equal(t, int64(2), machine.Generation)

	c.AdvanceTo(c.Now().Add(time.Minute))
	require.NoError(t, store.Delete[api.Machine](t.Context(), s, "m"))
	again, err := store.Get[api.Machine](t.Context(), s, "m")
	require.NoError(t, err)
	assert.Equal(t, machine.DeletionTimestamp, again.DeletionTimestamp, "deleting again changes nothing")

	again.Finalizers = nil
	_, err = store.Update(t.Context(), s, again)
	require.NoError(t, err)
	_, err = store.Get[api.Machine](t.Context(), s, "m")
	assert.True(t, apierrors.IsNotFound(err))
	assert.True(t, apierrors.IsNotFound(store.Delete[api.Machine](t.Context(), s, "m")))
	assert.Empty(t, s.Names(api.KindMachine))
}

func TestProcessThatEndedWritesNothing(t *testing.T) {
	s, _, machine := newStore(t)
	killed := errors.New("killed")
	ctx, kill := context.WithCancelCause(t.Context())
	kill(killed)
	_, err := store.Update(ctx, s, machine)
	require.ErrorIs(t, err, killed)
	_, err = store.Patch[api.Machine](ctx, s, "m", []byte(`{}`))
	require.ErrorIs(t, err, killed)
	_, err = store.Get[api.Machine](ctx, s, "m")
	require.ErrorIs(t, err, killed)
	require.ErrorIs(t, store.Delete[api.Machine](ctx, s, "m"), killed)
}

func TestCacheLagsBehind(t *testing.T) {
	s, c, machine := newStore(t)
	cache := store.NewCache(s, time.Second)
	_, err := store.Cached[api.Machine](t.Context(), cache, "m")
	require.NoError(t, err, "a process starts in sync")
	_, ok := cache.Next()
	assert.False(t, ok)

	machine.Spec.ProviderID = "id"
	_, err = store.Update(t.Context(), s, machine)
	require.NoError(t, err)
	at, ok := cache.Next()
	require.True(t, ok)
	assert.Equal(t, c.Now().Add(time.Second), at)
	assert.Empty(t, cache.Sync())
	old, err := store.Cached[api.Machine](t.Context(), cache, "m")
	require.NoError(t, err)
	assert.Empty(t, old.Spec.ProviderID)

	c.AdvanceTo(at)
	events := cache.Sync()
	require.Len(t, events, 1)
	assert.Equal(t, store.Key{Kind: api.KindMachine, Name: "m"}, events[0].Key)
	assert.Equal(t, int64(2), events[0].Generation)
	updated, err := store.Cached[api.Machine](t.Context(), cache, "m")
	require.NoError(t, err)
	assert.Equal(t, "id", updated.Spec.ProviderID)

	updated.Finalizers = nil
	_, err = store.Update(t.Context(), s, updated)
	require.NoError(t, err)
	require.NoError(t, store.Delete[api.Machine](t.Context(), s, "m"))
	assert.Equal(t, []string{"m"}, cache.Names(api.KindMachine))
	c.AdvanceTo(c.Now().Add(time.Second))
	events = cache.Sync()
	require.Len(t, events, 2)
	assert.True(t, events[1].Removed)
	assert.Empty(t, cache.Names(api.KindMachine))
	_, err = store.Cached[api.Machine](t.Context(), cache, "m")
	assert.True(t, apierrors.IsNotFound(err))
}
