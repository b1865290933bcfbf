package controller_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/rest"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// server is the API server of all tests; each has a namespace of its own.
var server *apiserver.Server

func TestMain(m *testing.M) {
	var err error
	if server, err = apiserver.Start(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	server.Stop()
	os.Exit(code)
}

// fixture is a machine on the API server, and a class with another hot part.
type fixture struct {
	t       *testing.T
	client  *api.Client
	machine *api.Machine
	class   *machineupdate.PreparedClass
	calls   atomic.Int32 // of the driver
	events  []string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t}
	var err error
	f.client, err = api.NewClient(
		server.Config, strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name())), api.GroupVersion,
	)
	require.NoError(t, err)
	machine := &api.Machine{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Spec: api.MachineSpec{ProviderID: "aws:///r/i-1"}}
	f.machine, err = f.client.Machines.Create(t.Context(), machine, metav1.CreateOptions{})
	require.NoError(t, err)
	f.machine.Status.CurrentStatus.Phase = api.MachineRunning
	f.machine, err = f.client.Machines.UpdateStatus(t.Context(), f.machine, metav1.UpdateOptions{})
	require.NoError(t, err)
	specs, err := hotupdate.SchemaOf[struct {
		Tags map[string]string `json:"tags" hotupdatable:"true"`
	}]()
	require.NoError(t, err)
	class := machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: []byte(`{"tags":{"a":"1"}}`)}
	f.class, err = new(machineupdate.Classes).Prepare(class, machineupdate.Driver{Schema: specs, Kinds: []string{"vm"}})
	require.NoError(t, err)
	return f
}

// patch is client-go's function.
type patch = func(
	ctx context.Context, name string, patchType types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string,
) (*api.Machine, error)

// executor returns an executor with client-go's own functions, except a patch that tests replace.
func (f *fixture) executor(patch patch) *machineupdate.Executor[*api.Machine] {
	if patch == nil {
		patch = f.client.Machines.Patch
	}
	return &machineupdate.Executor[*api.Machine]{
		Patch: patch, Now: time.Now, Event: func(_ runtime.Object, _, reason, _ string) { f.events = append(f.events, reason) },
		UpdateMachine: func(context.Context, *machineupdate.UpdateMachineRequest) error { f.calls.Add(1); return nil },
	}
}

// reconcile reconciles a machine as it was read.
func (f *fixture) reconcile(executor *machineupdate.Executor[*api.Machine], machine *api.Machine) machineupdate.Result[*api.Machine] {
	f.t.Helper()
	return executor.Reconcile(f.t.Context(), machine.DeepCopy(), f.observe(machine))
}

func (f *fixture) observe(machine *api.Machine) machineupdate.Observation {
	return machineupdate.Observation{
		ProviderID: machine.Spec.ProviderID, Phase: string(machine.Status.CurrentStatus.Phase), Class: f.class,
	}
}

// live returns the machine of the API server.
func (f *fixture) live() *api.Machine {
	f.t.Helper()
	machine, err := f.client.Machines.Get(f.t.Context(), "m", metav1.GetOptions{})
	require.NoError(f.t, err)
	return machine
}

func (f *fixture) annotate(data string) error {
	_, err := f.client.Machines.Patch(f.t.Context(), "m", types.MergePatchType, []byte(data), metav1.PatchOptions{})
	return err
}

// TestMergePatch: a merge patch with an old resourceVersion is a conflict; without one it overwrites later changes. It
// does not change fields that it does not name, and never the status.
func TestMergePatch(t *testing.T) {
	f := newFixture(t)
	old := f.machine.ResourceVersion
	require.NoError(t, f.annotate(`{"metadata":{"annotations":{"a":"1"}}}`))
	err := f.annotate(fmt.Sprintf(`{"metadata":{"resourceVersion":%q,"annotations":{"a":"2"}}}`, old))
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	require.NoError(t, f.annotate(`{"metadata":{"annotations":{"b":"2"}},"status":{"currentStatus":{"phase":"Failed"}}}`))
	live := f.live()
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, live.Annotations)
	assert.Equal(t, api.MachineRunning, live.Status.CurrentStatus.Phase)
}

// TestUpdateWipesAnnotations: a full update of an older object, with the newer resourceVersion, is no conflict and
// loses the record. So the steps after the update use the machine of its result.
func TestUpdateWipesAnnotations(t *testing.T) {
	f := newFixture(t)
	result := f.reconcile(f.executor(nil), f.machine)
	require.NoError(t, result.Err)
	require.Contains(t, f.live().Annotations, machineupdate.AnnotationRecord)
	_, err := f.client.Machines.Update(t.Context(), f.machine.DeepCopy(), metav1.UpdateOptions{})
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	older := f.machine.DeepCopy()
	older.ResourceVersion = result.Machine.ResourceVersion
	_, err = f.client.Machines.Update(t.Context(), older, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.NotContains(t, f.live().Annotations, machineupdate.AnnotationRecord)
}

// TestTwoExecutors: if processes decide by the same object, one calls the driver. The others get a conflict, and send nothing.
func TestTwoExecutors(t *testing.T) {
	const processes = 8
	f := newFixture(t)
	var conflicts atomic.Int32
	var racing sync.WaitGroup
	for range processes {
		racing.Go(func() {
			executor := f.executor(nil)
			executor.Event = nil
			if result := f.reconcile(executor, f.machine); apierrors.IsConflict(result.Err) {
				conflicts.Add(1)
			}
		})
	}
	racing.Wait()
	assert.EqualValues(t, 1, f.calls.Load(), "calls of the driver")
	assert.EqualValues(t, processes-1, conflicts.Load())
	assert.Contains(t, f.live().Annotations[machineupdate.AnnotationRecord], `"state":"Unconfirmed"`)
}

// TestWatchLag: an object from a cache without the last write leads to a conflict before anything is sent, and the cache catches up.
func TestWatchLag(t *testing.T) {
	f := newFixture(t)
	cached := controller.NewCache(f.client, 0)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	require.NoError(t, cached.Start(ctx))
	stale, ok := cached.Machines.GetStore().List()[0].(*api.Machine)
	require.True(t, ok)
	require.NoError(t, f.annotate(`{"metadata":{"annotations":{"others":"1"}}}`))
	result := f.reconcile(f.executor(nil), stale)
	assert.True(t, apierrors.IsConflict(result.Err), "%v", result.Err)
	assert.Zero(t, f.calls.Load())
	require.Eventually(t, func() bool {
		fresh, ok := cached.Machines.GetStore().List()[0].(*api.Machine)
		return ok && fresh.Annotations["others"] == "1"
	}, 10*time.Second, 10*time.Millisecond)
}

var errLost = errors.New("the answer was lost")

// losing returns a patch whose nth call takes effect without an answer.
func (f *fixture) losing(nth int) patch {
	return func(
		ctx context.Context, name string, patchType types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string,
	) (*api.Machine, error) {
		written, err := f.client.Machines.Patch(ctx, name, patchType, data, options, subresources...)
		if nth--; nth == 0 {
			return nil, errors.Join(errLost, err)
		}
		return written, err
	}
}

// TestLostAnswer: a write is applied and its answer lost. After a lost marker nothing was called, and the next pass
// makes the update. After a lost success the record is complete, and the update waits for its confirmation.
func TestLostAnswer(t *testing.T) {
	t.Run("of the marker", func(t *testing.T) {
		f := newFixture(t)
		result := f.reconcile(f.executor(f.losing(1)), f.machine)
		require.ErrorIs(t, result.Err, errLost)
		assert.Zero(t, f.calls.Load())
		machine := f.live()
		again := f.observe(machine)
		again.Settings.RetryAfter = time.Nanosecond
		require.Eventually(t, func() bool {
			return f.executor(nil).Reconcile(t.Context(), machine, again).Reason == "Unfinished" && f.calls.Load() == 1
		},
			10*time.Second, 100*time.Millisecond)
	})
	t.Run("of the success", func(t *testing.T) {
		f := newFixture(t)
		result := f.reconcile(f.executor(f.losing(2)), f.machine)
		require.ErrorIs(t, result.Err, errLost)
		assert.EqualValues(t, 1, f.calls.Load())
		stale := f.reconcile(f.executor(nil), f.machine)
		assert.True(t, apierrors.IsConflict(stale.Err), "%v", stale.Err)
		fresh := f.reconcile(f.executor(nil), f.live())
		require.NoError(t, fresh.Err)
		assert.Equal(t, "ConfirmationDue", string(fresh.Reason))
		assert.EqualValues(t, 1, f.calls.Load())
	})
}

// TestLongAnnotations: all annotations of an object have at most 256 KiB. If others leave no room for a record, nothing
// is called, and the error says why.
func TestLongAnnotations(t *testing.T) {
	const limit = 256 << 10
	f := newFixture(t)
	fill := func(n int) error {
		return f.annotate(fmt.Sprintf(`{"metadata":{"annotations":{"others":%q}}}`, strings.Repeat("x", n)))
	}
	err := fill(limit)
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	require.NoError(t, fill(limit-len("others")))
	result := f.reconcile(f.executor(nil), f.live())
	require.True(t, apierrors.IsInvalid(result.Err), "%v", result.Err)
	assert.Zero(t, f.calls.Load())
	assert.Positive(t, result.RequeueAfter, "it is tried again")
	require.NoError(t, fill(limit/2))
	result = f.reconcile(f.executor(nil), f.live())
	require.NoError(t, result.Err)
	assert.EqualValues(t, 1, f.calls.Load())
}

// TestWithoutStatus: if the status is no subresource, UpdateStatus is not found, and an update of the machine replaces
// the status as well. A hot update does not change the status.
func TestWithoutStatus(t *testing.T) {
	group := schema.GroupVersion{Group: "plain.example", Version: "v1"}
	definitions, err := apiextensions.NewForConfig(server.Config)
	require.NoError(t, err)
	require.NoError(
		t,
		apiserver.Define(
			t.Context(), definitions.ApiextensionsV1().CustomResourceDefinitions(), apiserver.Definition(group, "Machine", "machines"),
		),
	)
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(group, &api.Machine{})
	metav1.AddToGroupVersion(scheme, group)
	config := rest.CopyConfig(server.Config)
	config.GroupVersion = &group
	config.APIPath = "/apis"
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	require.NoError(t, err)
	machines := gentype.NewClient(
		"machines", client, runtime.NewParameterCodec(scheme), "plain", func() *api.Machine { return &api.Machine{} },
	)

	f := newFixture(t)
	plain := f.machine.DeepCopy()
	plain.ResourceVersion = ""
	plain.UID = ""
	plain.Namespace = "plain"
	plain, err = machines.Create(t.Context(), plain, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = machines.UpdateStatus(t.Context(), plain, metav1.UpdateOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	require.NoError(t, f.reconcile(f.executor(machines.Patch), plain).Err)
	assert.EqualValues(t, 1, f.calls.Load())
	live, err := machines.Get(t.Context(), "m", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Contains(t, live.Annotations[machineupdate.AnnotationRecord], `"state":"Unconfirmed"`)
	assert.Equal(t, api.MachineRunning, live.Status.CurrentStatus.Phase)
	live.Status.CurrentStatus.Phase = api.MachineFailed
	live, err = machines.Update(t.Context(), live, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, api.MachineFailed, live.Status.CurrentStatus.Phase, "without the subresource every writer writes the status")
}
