package machineupdatetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/machineupdatetest"
)

// machine has what MCM's Machine has, as far as a controller needs it.
type machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   struct{ ProviderID string } `json:"spec"`
	Status status                      `json:"status"`
}

type status struct {
	LastOperation lastOperation `json:"lastOperation"`
	CurrentStatus struct {
		Phase string `json:"phase,omitempty"`
	} `json:"currentStatus"`
	Addresses []string `json:"addresses,omitempty"`
}

type lastOperation struct {
	Description string `json:"description,omitempty"`
	State       string `json:"state,omitempty"`
	Type        string `json:"type,omitempty"`
}

func (m *machine) DeepCopyObject() runtime.Object {
	raw, _ := json.Marshal(m)
	copied := &machine{}
	_ = json.Unmarshal(raw, copied)
	return copied
}

func (m *machine) clone() *machine { return m.DeepCopyObject().(*machine) }

func newMachine(phase, providerID string) *machine {
	m := &machine{ObjectMeta: metav1.ObjectMeta{Name: "m", UID: "u"}}
	m.Spec.ProviderID, m.Status.CurrentStatus.Phase = providerID, phase
	m.Status.LastOperation.Type, m.Status.LastOperation.State = "Create", map[string]string{"Pending": "Processing", "Running": "Successful"}[phase]
	m.Status.Addresses = []string{"10.0.0.1"}
	return m
}

type world = machineupdatetest.World[*machine]

// controller is as small as one can be that has MCM's steps. What is broken is named.
type controller struct {
	*world

	broken string
	m      *machine
}

func (c *controller) is(broken string) bool { return c.broken == broken }

func (c *controller) executor() *machineupdate.Executor[*machine] {
	e := &machineupdate.Executor[*machine]{Patch: c.patch, UpdateMachine: c.updateMachine, Event: c.Event, Now: c.Now}
	if c.is("clock stands still") {
		e.Now = func() time.Time { return time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC) }
	}
	return e
}

func (c *controller) patch(ctx context.Context, name string, patchType types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (*machine, error) {
	if c.is("patch without resourceVersion") {
		var patch map[string]map[string]any
		_ = json.Unmarshal(data, &patch)
		delete(patch["metadata"], "resourceVersion")
		data, _ = json.Marshal(patch)
	}
	written, err := c.Patch(ctx, name, patchType, data, options, subresources...)
	if apierrors.IsConflict(err) && c.is("written again after a conflict") {
		var patch map[string]map[string]any
		_ = json.Unmarshal(data, &patch)
		for version := range 100 {
			patch["metadata"]["resourceVersion"] = strconv.Itoa(version)
			data, _ = json.Marshal(patch)
			if written, err = c.Patch(ctx, name, patchType, data, options); err == nil {
				break
			}
		}
	}
	return written, err
}

func (c *controller) updateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	if c.is("request without its lane") {
		copied := *request
		copied.Lane = ""
		request = &copied
	}
	err := c.UpdateMachine(ctx, request)
	if err != nil && c.is("errors without their code") {
		return errors.New("the driver failed")
	}
	return err
}

func (c *controller) reconcile(ctx context.Context) time.Duration {
	prepared, err := c.Prepare()
	o := machineupdate.Observation[*machine]{Machine: c.m, ProviderID: c.m.Spec.ProviderID, Phase: c.m.Status.CurrentStatus.Phase, Class: prepared, ClassError: err}
	result := c.executor().Reconcile(ctx, o)
	before := c.m
	if c.m = result.Machine; c.is("the machine from before the update") || c.is("the machine from before the update at the gate") {
		c.m = before
	}
	c.reportFailure(ctx, &result, before)
	if c.m.Spec.ProviderID == "" || c.m.Status.CurrentStatus.Phase == "CrashLoopBackOff" || c.m.Status.CurrentStatus.Phase == "" {
		if err != nil && c.is("class has to be readable") {
			return time.Minute
		}
		o.Machine = c.m
		return c.create(ctx, o)
	}
	if node, drained := c.Drained(); drained && prepared != nil {
		o.Machine = c.m
		o.Former, _ = c.PrepareFormer()
		delay := c.gate(ctx, o, node)
		result.Delay = machineupdate.Earlier(result.Delay, delay)
	}
	if !c.is("the machine from before the update at the gate") {
		c.annotate(ctx)
	}
	switch {
	case c.is("delay dropped"):
		return 10 * time.Hour
	case c.is("delay dropped after a failure"):
		return 10 * time.Minute // MCM's own, which is shorter than ConfirmAfter
	}
	return machineupdate.Earlier(result.Delay, 10*time.Minute)
}

// gate is what stands between DrainSuccessful and ReadyForUpdate.
func (c *controller) gate(ctx context.Context, o machineupdate.Observation[*machine], node machineupdate.DrainedNode) time.Duration {
	if c.is("no gate") {
		c.Ready()
		return 0
	}
	read := c.Node
	if c.is("the cached node as the live one") {
		read = func(context.Context) (machineupdate.DrainedNode, error) { return node, nil }
	}
	result, ready := c.executor().ApplyInPlace(ctx, o, read)
	if !c.is("the machine from before the gate") {
		c.m = result.Machine
	}
	if ready && !c.is("never ready") || c.is("ready whatever the result") {
		c.Ready()
	}
	return result.Delay
}

// reportFailure is what controllers are tempted to do.
func (c *controller) reportFailure(ctx context.Context, result *machineupdate.Result[*machine], before *machine) {
	reported := c.m.clone()
	switch {
	case c.is("failures reported") && result.Err != nil:
		reported.Status.LastOperation.State, reported.Status.LastOperation.Type = "Failed", "Update"
	case c.is("driver quoted") && result.Err != nil:
		reported.Status.LastOperation.Description = result.Err.Error()
	case c.is("report as the whole status"):
		reported.Status = status{}
	case c.is("reported before it joined") && before.Status.CurrentStatus.Phase == "Pending":
		reported.Status.LastOperation.State, reported.Status.LastOperation.Type = "Successful", "Update"
	default:
		return
	}
	if written, err := c.UpdateStatus(ctx, reported, metav1.UpdateOptions{}); err == nil {
		c.m = written
	}
}

// annotate is a step behind the update that writes the machine.
func (c *controller) annotate(ctx context.Context) {
	annotated := c.m.clone()
	if c.is("old machine with a new resourceVersion") {
		annotated.Annotations = nil
	}
	metav1.SetMetaDataAnnotation(&annotated.ObjectMeta, "priority", "3")
	if written, err := c.Update(ctx, annotated, metav1.UpdateOptions{}); err == nil {
		c.m = written
	}
}

func (c *controller) create(ctx context.Context, o machineupdate.Observation[*machine]) time.Duration {
	id, err := c.Call(ctx, "GetMachineStatus")
	found := id != ""
	if found && (c.is("initialization not begun") || c.is("initialization begun only before it has a provider ID") && c.m.Spec.ProviderID != "") {
		return c.initialize(ctx, id, nil)
	}
	creation, begun := c.executor().BeginCreation(ctx, o)
	if creation == nil {
		return begun.Delay
	}
	if !c.is("error handler with the machine from before") {
		c.m = begun.Machine
	}
	callCtx := creation.Context(ctx)
	if c.is("creation without its context") {
		callCtx = ctx
	}
	if !found {
		id, err = c.Call(callCtx, "CreateMachine")
	}
	if !found && err != nil {
		return c.crash(ctx)
	}
	if found && !c.is("VM recorded that exists") {
		creation = nil
	}
	return c.initialize(callCtx, id, creation)
}

func (c *controller) crash(ctx context.Context) time.Duration {
	failed := c.m.clone()
	failed.Status.CurrentStatus.Phase = "CrashLoopBackOff"
	_, _ = c.UpdateStatus(ctx, failed, metav1.UpdateOptions{})
	return time.Minute
}

// initialize initializes the VM, and finishes the creation if there is one.
func (c *controller) initialize(ctx context.Context, id string, creation *machineupdate.Creation) time.Duration {
	c.m.Spec.ProviderID = id
	c.annotate(ctx)
	if _, err := c.Call(ctx, "InitializeMachine"); err != nil {
		return c.crash(ctx)
	}
	if creation != nil && !c.is("creation never finished") {
		c.m = c.executor().FinishCreation(ctx, creation, c.m, id).Machine
	}
	pending := c.m.clone()
	pending.Status.CurrentStatus.Phase = "Pending"
	_, _ = c.UpdateStatus(ctx, pending, metav1.UpdateOptions{})
	return time.Minute
}

// recorder is a test that notes what it is told.
type recorder struct {
	testing.TB

	failures []string
}

func (*recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// TestCheck: the right wiring keeps all promises, and each wrong one breaks those that it should.
func TestCheck(t *testing.T) {
	for broken, promises := range map[string][]string{
		"":                                   nil,
		"the machine from before the update": {"stale object"},
		"error handler with the machine from before":            {"stale object"},
		"patch without resourceVersion":                         {"blind write"},
		"written again after a conflict":                        {"blind write"},
		"old machine with a new resourceVersion":                {"blind write"},
		"report as the whole status":                            {"status wiped"},
		"errors without their code":                             {"error kind lost"},
		"class has to be readable":                              {"creation stopped"},
		"creation without its context":                          {"creation endless"},
		"creation never finished":                               {"creation endless"},
		"initialization not begun":                              {"creation endless"},
		"initialization begun only before it has a provider ID": {"creation endless"},
		"VM recorded that exists":                               {"never settled"},
		"failures reported":                                     {"report that harms"},
		"driver quoted":                                         {"report that harms"},
		"reported before it joined":                             {"report that harms"},
		"delay dropped":                                         {"delay lost"},
		"delay dropped after a failure":                         {"delay lost"},
		"clock stands still":                                    {"never settled"},
		"request without its lane":                              {"lane lost"},
	} {
		expect(t, broken, promises, machineupdatetest.Check[*machine])
	}
}

// TestCheckInPlace: likewise for the gate of in-place updates.
func TestCheckInPlace(t *testing.T) {
	for broken, promises := range map[string][]string{
		"":                                 nil,
		"no gate":                          {"ready too early"},
		"ready whatever the result":        {"ready too early"},
		"never ready":                      {"drained in vain"},
		"the cached node as the live one":  {"write to a live node"},
		"the machine from before the gate": {"stale object"},
		"the machine from before the update at the gate": {"stale object"},
	} {
		expect(t, broken, promises, machineupdatetest.CheckInPlace[*machine])
	}
}

// expect checks a controller, and that it breaks those promises.
func expect(t *testing.T, broken string, promises []string, check func(testing.TB, func(phase, providerID string) *machine, func(context.Context, *world, *machine) time.Duration)) {
	t.Helper()
	t.Run(broken, func(t *testing.T) {
		r := &recorder{TB: t}
		check(r, newMachine, func(ctx context.Context, w *world, m *machine) time.Duration {
			c := &controller{world: w, broken: broken, m: m}
			return c.reconcile(ctx)
		})
		var got []string
		for _, failure := range r.failures {
			promise, _, _ := strings.Cut(failure, ":")
			got = append(got, promise)
		}
		if broken == "" {
			assert.Empty(t, r.failures)
		}
		for _, promise := range promises {
			assert.Contains(t, got, promise, "%q", r.failures)
		}
		t.Logf("%q", r.failures)
	})
}
