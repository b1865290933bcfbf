package machineupdate_test

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// spec is the provider spec of a driver with one flat map of infrastructure tags, like that of AWS.
type spec struct {
	Image  string            `json:"image,omitempty"`
	Tags   map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
	Labels map[string]string `json:"labels,omitempty" hotupdatable:"ignore"`
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func schemaOf[T any](tb testing.TB) *hotupdate.Schema {
	tb.Helper()
	schema, err := hotupdate.SchemaOf[T]()
	require.NoError(tb, err)
	return schema
}

var able = machineupdate.Driver{Kinds: []string{machineupdate.Kind}}

// classOf prepares a class with the provider spec.
func classOf(tb testing.TB, providerSpec string) *machineupdate.PreparedClass {
	tb.Helper()
	class := machineupdate.MachineClass{
		Object: &metav1.ObjectMeta{Name: "class", UID: "uid", ResourceVersion: "1"}, ProviderSpec: []byte(providerSpec),
	}
	prepared, err := machineupdate.Prepare(class, schemaOf[spec](tb), able)
	require.NoError(tb, err)
	return prepared
}

// machine returns a running machine.
func machine(annotation string) machineupdate.Seen {
	m := machineupdate.Seen{Name: "m-1", ResourceVersion: "7", ProviderID: "aws:///i-1", Phase: "Running"}
	if annotation != "" {
		m.Annotations = map[string]string{machineupdate.AnnotationRecord: annotation}
	}
	return m
}

// object is a Machine of an API.
type object = metav1.PartialObjectMetadata

// What an API server answers.
var (
	errConflict = apierrors.NewConflict(schema.GroupResource{Resource: "machines"}, "m-1", nil)
	errMissing  = apierrors.NewNotFound(schema.GroupResource{Resource: "machines"}, "m-1")
)

// executor is an Executor whose writes are read back, for tests that are about the flow.
type executor struct {
	WriteMetadata func(ctx context.Context, patch machineupdate.Patch) (resourceVersion string, err error)
	UpdateMachine func(ctx context.Context, request *machineupdate.UpdateMachineRequest) error
	Limiter       *machineupdate.Limiter
	Now           func() time.Time
	Counters      counters
}

// counters count what an Executor tells, unless they are nil.
type counters map[[3]string]int

func (c counters) count(action string, reason machineupdate.Reason, ending string) {
	if c != nil {
		c[[3]string{action, string(reason), ending}]++
	}
}

// ended returns how often a reconcile ended so.
func (c counters) ended(how string) (n int) {
	for labels, count := range c {
		if labels[2] == how {
			n += count
		}
	}
	return n
}

// result is a Result with its events.
type result struct {
	machineupdate.Result[*object]

	Events []published
}

type published struct{ Type, Reason, Message string }

func (e *executor) on(
	o *machineupdate.Observed, events *[]published,
) (*machineupdate.Executor[*object], *object, machineupdate.Observation) {
	machine, observed := o.Observation()
	real := &machineupdate.Executor[*object]{
		Patch: e.patch(machine.Annotations), UpdateMachine: e.UpdateMachine, Limiter: e.Limiter, Now: e.Now, Count: e.Counters.count,
		Event: func(_ runtime.Object, eventType, reason, message string) {
			*events = append(*events, published{eventType, reason, message})
		},
	}
	return real, machine, observed
}

// patch reads merge patches as an API server does.
func (e *executor) patch(
	annotations map[string]string,
) func(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*object, error) {
	return func(ctx context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*object, error) {
		patch, err := readPatch(name, data)
		if err != nil {
			return nil, err
		}
		version, err := e.WriteMetadata(ctx, patch)
		annotations = patch.Apply(annotations)
		return &object{ObjectMeta: metav1.ObjectMeta{Name: name, UID: patch.UID, ResourceVersion: version, Annotations: annotations}}, err
	}
}

func readPatch(name string, data []byte) (machineupdate.Patch, error) {
	var body struct{ Metadata machineupdate.Patch }
	err := json.Unmarshal(data, &body)
	patch := body.Metadata
	patch.Machine = name
	return patch, err
}

func (e *executor) Reconcile(ctx context.Context, o machineupdate.Observed) result {
	var events []published
	real, machine, observed := e.on(&o, &events)
	return result{real.Reconcile(ctx, machine, observed), events}
}

func (e *executor) BeginCreation(
	ctx context.Context, o machineupdate.Observed,
) (creation *machineupdate.Creation, resourceVersion string, _ result) {
	var events []published
	real, machine, observed := e.on(&o, &events)
	var class machineupdate.MachineClass
	if o.Class != nil {
		class = o.Class.Class()
	}
	creation, begun := real.BeginCreation(ctx, machine, observed, class)
	return creation, begun.Machine.ResourceVersion, result{begun, events}
}

func (e *executor) FinishCreation(ctx context.Context, creation *machineupdate.Creation, providerID, resourceVersion string) result {
	o := machineupdate.Observed{Machine: machineupdate.Seen{Name: "m-1", ResourceVersion: resourceVersion}}
	real, machine, _ := e.on(&o, nil)
	return result{Result: real.FinishCreation(ctx, creation, machine, providerID)}
}

// writer returns a function that writes to one machine as an API server does.
func writer(t *testing.T, m *machineupdate.Seen) func(context.Context, machineupdate.Patch) (string, error) {
	t.Helper()
	return func(_ context.Context, patch machineupdate.Patch) (string, error) {
		if patch.Machine != m.Name {
			return "", errMissing
		}
		if patch.ResourceVersion != m.ResourceVersion {
			return "", errConflict
		}
		m.Annotations = patch.Apply(m.Annotations)
		version, err := strconv.Atoi(m.ResourceVersion)
		require.NoError(t, err)
		m.ResourceVersion = strconv.Itoa(version + 1)
		return m.ResourceVersion, nil
	}
}
