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

	Spec   machineSpec `json:"spec"`
	Status status      `json:"status"`
}

type machineSpec struct {
	ProviderID string `json:"providerID,omitempty"`
	Class      struct {
		Name string `json:"name"`
	} `json:"class"`
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
	m := &machine{
		ObjectMeta: metav1.ObjectMeta{Name: "shoot--project--name-pool-z1-7d9f6-x2k4q", UID: "u", Labels: map[string]string{"node": "n"}},
	}
	m.Spec.Class.Name = "class"
	m.Spec.ProviderID = providerID
	m.Status.CurrentStatus.Phase = phase
	m.Status.LastOperation.Type = "Create"
	m.Status.LastOperation.State = map[string]string{"Pending": "Processing", "Running": "Successful"}[phase]
	m.Status.Addresses = []string{"10.0.0.1"}
	return m
}

type world = machineupdatetest.World[*machine]

// newMember makes a machine of a pool that is updated in place.
func newMember(phase, providerID string) *machine {
	m := newMachine(phase, providerID)
	m.Spec.Class.Name = "former"
	return m
}

// controller is as small as one can be that has MCM's steps. What is broken is named.
type controller struct {
	*world

	classes *machineupdate.Classes // of the process
	broken  string
	m       *machine
	err     error
}

func (c *controller) is(broken string) bool { return c.broken == broken }

func (c *controller) executor() *machineupdate.Executor[*machine] {
	e := &machineupdate.Executor[*machine]{Patch: c.patch, UpdateMachine: c.updateMachine, Event: c.Event, Limiter: c.Limiter(), Now: c.Now}
	switch limiter := c.Limiter(); c.broken {
	case "clock stands still":
		e.Now = func() time.Time { return time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC) }
	case "Limiter of each reconcile":
		e.Limiter = &machineupdate.Limiter{Burst: limiter.Burst, Every: limiter.Every, InFlight: limiter.InFlight}
	case "no Limiter":
		e.Limiter = nil
	}
	return e
}

// wanted is the name of the class that the machine should have: that of its MachineDeployment.
func (c *controller) wanted() string { return "class" }

// lister is that of the classes.
func (c *controller) lister(name string) (machineupdate.MachineClass, error) {
	for _, class := range c.Classes() {
		if class.Object.GetName() == name {
			return class, nil
		}
	}
	return machineupdate.MachineClass{}, errors.New("there is no class " + name)
}

func secretOf(class string) map[string][]byte { return map[string][]byte{"class": []byte(class)} }

func (c *controller) prepare(name string) (*machineupdate.PreparedClass, error) {
	class, err := c.lister(name)
	if err != nil {
		return nil, err
	}
	text, err := c.Describe()
	if err != nil {
		return nil, err
	}
	if c.is("Classes of each reconcile") {
		c.classes = &machineupdate.Classes{}
	}
	return c.classes.PrepareDescribed(class, text)
}

func (c *controller) observation() machineupdate.Observation {
	o := machineupdate.Observation{
		ProviderID: c.m.Spec.ProviderID, Phase: c.m.Status.CurrentStatus.Phase, Secret: secretOf(c.wanted()),
	}
	o.Class, o.ClassError = c.prepare(c.wanted())
	o.Former, _ = c.prepare(c.m.Spec.Class.Name)
	if c.is("the secret of another class") {
		o.Secret = secretOf("former")
	}
	return o
}

func (c *controller) patch(
	ctx context.Context, name string, patchType types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string,
) (*machine, error) {
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

// plain is a request without a type of package machineupdate, as in MCM's style.
type plain struct {
	machine     metav1.Object
	class       metav1.Object
	spec        []byte
	secret      map[string][]byte
	update      []byte
	beforeWrite func(context.Context) error
}

func (c *controller) updateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	update, err := json.Marshal(request)
	if err != nil || c.is("UpdateMachine does nothing") {
		return err
	}
	r := plain{request.Object, request.Class.Object, request.Class.ProviderSpec, request.Secret, update, request.BeforeWrite}
	if c.is("BeforeWrite does nothing") {
		r.beforeWrite = func(context.Context) error { return nil }
	}
	err = c.drive(ctx, &r)
	if err != nil && c.is("errors without their code") {
		return errors.New("the driver failed")
	}
	return err
}

// drive is a driver with that interface.
func (c *controller) drive(ctx context.Context, r *plain) error {
	request := &machineupdate.UpdateMachineRequest{
		Object: r.machine, Class: machineupdate.MachineClass{Object: r.class, ProviderSpec: r.spec}, Secret: r.secret,
		BeforeWrite: r.beforeWrite,
	}
	if err := json.Unmarshal(r.update, request); err != nil {
		return err
	}
	if c.is("request without its lane") {
		request.Lane = ""
	}
	return c.UpdateMachine(ctx, request)
}

func (c *controller) reconcile(ctx context.Context) time.Duration {
	o := c.observation()
	if o.ClassError != nil && c.is("no update without a class") {
		return time.Minute
	}
	var result machineupdate.Result[*machine]
	result.Machine = c.m
	if c.m.Labels["node"] != "" || !c.is("an update only for machines with a node") {
		result = c.executor().Reconcile(ctx, c.m, o)
	}
	before := c.m
	c.err = result.Err
	stale := c.is("the machine from before the update") || c.is("the machine from before the update at the gate") ||
		c.is("the machine from before the update at rare writes")
	if c.m = result.Machine; stale {
		c.m = before
	}
	c.reportFailure(ctx, &result, before)
	if c.m.Spec.ProviderID == "" || c.m.Status.CurrentStatus.Phase == "CrashLoopBackOff" || c.m.Status.CurrentStatus.Phase == "" {
		if o.Class == nil && c.is("class has to be readable") {
			return time.Minute
		}
		delay := c.create(ctx, o)
		if c.is("delay dropped at BeginCreation") {
			return 10 * time.Minute
		}
		return result.RequeueWithin(delay)
	}
	if node, drained := c.Drained(); drained && o.Class != nil {
		delay := c.gate(ctx, o, node)
		if !c.is("delay dropped at the gate") {
			result.RequeueAfter = result.RequeueWithin(delay)
		}
	}
	c.preserve(ctx)
	if !c.is("the machine from before the update at the gate") && !c.is("the machine from before the update at rare writes") {
		c.annotate(ctx)
	}
	switch {
	case c.is("delay dropped"):
		return 10 * time.Hour
	case c.is("delay dropped after a failure"):
		return 10 * time.Minute // MCM's own, which is shorter than ConfirmAfter
	}
	return result.RequeueWithin(10 * time.Minute)
}

// preserve is a step behind the update that writes few machines.
func (c *controller) preserve(ctx context.Context) {
	if c.m.Annotations["node.machine.sapcloud.io/preserve"] == "" {
		return
	}
	preserved := c.m.clone()
	preserved.Status.Addresses = append(preserved.Status.Addresses, "10.0.0.2")
	if written, err := c.UpdateStatus(ctx, preserved, metav1.UpdateOptions{}); err == nil {
		c.m = written
	}
}

// gate is what stands between DrainSuccessful and ReadyForUpdate.
func (c *controller) gate(ctx context.Context, o machineupdate.Observation, node machineupdate.DrainedNode) time.Duration {
	if c.is("no gate") {
		c.Ready()
		return 0
	}
	read := c.Node
	if c.is("the cached node as the live one") {
		read = func(context.Context) (machineupdate.DrainedNode, error) { return node, nil }
	}
	result, ready := c.executor().ApplyInPlace(ctx, c.m, o, read)
	if !c.is("the machine from before the gate") {
		c.m = result.Machine
	}
	if ready && !c.is("never ready") || c.is("ready whatever the result") {
		c.Ready()
	}
	return result.RequeueAfter
}

// reportFailure is what controllers are tempted to do.
func (c *controller) reportFailure(ctx context.Context, result *machineupdate.Result[*machine], before *machine) {
	reported := c.m.clone()
	switch {
	case c.is("failures reported") && result.Err != nil:
		reported.Status.LastOperation.State = "Failed"
		reported.Status.LastOperation.Type = "Update"
	case c.is("driver quoted") && result.Err != nil:
		reported.Status.LastOperation.Description = result.Err.Error()
	case c.is("report as the whole status"):
		reported.Status = status{}
	case c.is("reported before it joined") && before.Status.CurrentStatus.Phase == "Pending":
		reported.Status.LastOperation.State = "Successful"
		reported.Status.LastOperation.Type = "Update"
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

func (c *controller) create(ctx context.Context, o machineupdate.Observation) time.Duration {
	id, err := c.call(ctx, "GetMachineStatus")
	found := id != ""
	isLate := c.is("initialization begun only before it has a provider ID") && c.m.Spec.ProviderID != ""
	if found && (isLate || c.is("initialization not begun")) {
		return c.initialize(ctx, id, nil)
	}
	class, _ := c.lister(c.m.Spec.Class.Name)
	if c.is("a creation with the wanted class") {
		class, _ = c.lister(c.wanted())
	}
	creation, begun := c.executor().BeginCreation(ctx, c.m, o, class)
	if creation == nil {
		return begun.RequeueAfter
	}
	if !c.is("error handler with the machine from before") {
		c.m = begun.Machine
	}
	callCtx := creation.Context(ctx)
	if c.is("creation without its context") {
		callCtx = ctx
	}
	if !found {
		id, err = c.call(callCtx, "CreateMachine")
	}
	if !found && err != nil {
		return c.crash(ctx)
	}
	if found && !c.is("VM recorded that exists") {
		creation = nil
	}
	return c.initialize(callCtx, id, creation)
}

// call calls the driver with the machine's own class.
func (c *controller) call(ctx context.Context, method string) (string, error) {
	class, err := c.lister(c.m.Spec.Class.Name)
	if err != nil {
		return "", err
	}
	name := c.m.Spec.Class.Name
	if c.is("a creation with the secret of another class") {
		name = "former"
	}
	return c.Call(ctx, method, class, secretOf(name))
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
	if _, err := c.call(ctx, "InitializeMachine"); err != nil {
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
		"the machine from before the update at rare writes":     {"stale object"},
		"error handler with the machine from before":            {"stale object"},
		"patch without resourceVersion":                         {"blind write"},
		"written again after a conflict":                        {"blind write"},
		"old machine with a new resourceVersion":                {"blind write"},
		"BeforeWrite does nothing":                              {"blind write"},
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
		"delay dropped at BeginCreation":                        {"delay lost"},
		"clock stands still":                                    {"never settled"},
		"an update only for machines with a node":               {"never settled"},
		"UpdateMachine does nothing":                            {"never settled"},
		"request without its lane":                              {"lane lost"},
		"Classes of each reconcile":                             {"classes lost"},
		"Limiter of each reconcile":                             {"limiter lost"},
		"no Limiter":                                            {"limiter lost"},
		"the secret of another class":                           {"class confused"},
		"a creation with the secret of another class":           {"class confused"},
	} {
		expect(t, broken, promises, func(tb testing.TB, reconcile reconciling) {
			tb.Helper()
			machineupdatetest.Check(tb, newMachine, reconcile)
		})
	}
}

// TestCheckInPlace: likewise for a pool that is updated in place.
func TestCheckInPlace(t *testing.T) {
	for broken, promises := range map[string][]string{
		"":                                 nil,
		"no gate":                          {"ready too early"},
		"ready whatever the result":        {"ready too early"},
		"never ready":                      {"drained in vain"},
		"the cached node as the live one":  {"write to a live node"},
		"the machine from before the gate": {"stale object"},
		"the machine from before the update at the gate": {"stale object"},
		"delay dropped at the gate":                      {"delay lost"},
		"a creation with the wanted class":               {"class confused"},
		"the secret of another class":                    {"class confused"},
		"no update without a class":                      {"class error lost"},
		"machines of the MachineDeployment not found":    {"change missed"},
	} {
		expect(t, broken, promises, func(tb testing.TB, reconcile reconciling) {
			tb.Helper()
			machineupdatetest.CheckInPlace(tb, newMember, reconcile, func(_ *world, m *machine, class string) bool {
				return m.Spec.Class.Name == class || class == "class" && broken != "machines of the MachineDeployment not found"
			})
		})
	}
}

type reconciling = func(context.Context, *world, *machine) (time.Duration, error)

// expect checks a controller, and that it breaks those promises.
func expect(t *testing.T, broken string, promises []string, check func(testing.TB, reconciling)) {
	t.Helper()
	t.Run(broken, func(t *testing.T) {
		r := &recorder{TB: t}
		classes := map[*world]*machineupdate.Classes{}
		check(r, func(ctx context.Context, w *world, m *machine) (time.Duration, error) {
			if classes[w] == nil {
				classes[w] = &machineupdate.Classes{}
			}
			c := &controller{world: w, classes: classes[w], broken: broken, m: m}
			return c.reconcile(ctx), c.err
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

// TestErrorsOfTheController: a failure has the last error of the controller. Without it a check
// only said that nothing had been called.
func TestErrorsOfTheController(t *testing.T) {
	r := &recorder{TB: t}
	machineupdatetest.Check(r, newMachine, func(context.Context, *world, *machine) (time.Duration, error) {
		return time.Minute, errors.New("validation of the machine failed")
	})
	assert.Contains(t, strings.Join(r.failures, "\n"), "never settled")
	for _, failure := range r.failures {
		assert.Contains(t, failure, "validation of the machine failed")
	}
}
