package drivertest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/fakecloud"
)

// checker lets the real flow update one machine in one cloud.
type checker struct {
	setup     Setup
	states    []State
	from, to  *State
	promise   string          // the scenario's promise
	isCalm    bool            // nothing disturbs the driver
	setsOnly  bool            // what happens to writes happens only to changes of sets
	needs     map[string]bool // what promises need of the states, and whether these have it
	newDriver func(cloud *FakeCloud) (updates, error)
	broken    func(promise, format string, args ...any)
	require   func(holds bool, promise, format string, args ...any) // else the promise is broken

	cloud    *FakeCloud
	driver   updates
	classes  machineupdate.Classes
	former   *machineupdate.PreparedClass // the previous class
	class    *machineupdate.PreparedClass
	wanted   *State // the state of the class
	machine  *metav1.PartialObjectMetadata
	own      []*resource
	calls    int // number of calls of UpdateMachine
	pass     pass
	patchErr error           // returned by writes of the record
	onMark   func()          // called between the driver's reads and writes
	onReturn func(err error) // called when UpdateMachine returns
}

// pass is one call of UpdateMachine.
type pass struct {
	lane     string
	ctx      context.Context
	cancel   context.CancelFunc
	isMarked bool     // BeforeWrite has returned nil, or the flow does not leave the marker to the driver
	writes   int      // number of requests sent
	failed   error    // of a request that fails each time
	unclear  []*write // failed, and no read has shown their changes since
	// when requests failed without being throttled: reads, and writes by function and resource
	failures map[string]time.Time
}

const callTimeout = 5 * time.Minute

const needsChange = "desired state, which needs a changed %s in the lane %q"

// secret is the text that no error may show. Errors of the cloud quote it.
const secret = "secret-of-drivertest"

// start creates everything, lets the flow adopt the machine, and gives it the next class.
func (c *checker) start() bool {
	if !c.create() {
		return false
	}
	c.cover(c.driver.Driver())
	defer func(promise string) { c.promise = promise }(c.promise)
	c.promise = "desired state"
	isAdopted := c.prepare(c.from) && c.settle()
	return isAdopted && c.prepare(c.to)
}

// create creates the cloud, the machine and the driver.
func (c *checker) create() bool {
	c.require = func(holds bool, promise, format string, args ...any) {
		if !holds {
			c.broken(promise, format, args...)
		}
	}
	c.cloud = &FakeCloud{checker: c, now: time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)}
	c.class = nil
	c.own = nil
	c.classes = machineupdate.Classes{}
	c.pass = pass{ctx: context.Background(), cancel: func() {}, failures: map[string]time.Time{}}
	for _, r := range clone(c.from.Resources) {
		c.add(&resource{
			Resource: fakecloud.Resource{Kind: r.Kind, ID: r.ID, Tags: r.Tags}, name: r.Name, attributes: r.Attributes,
			sets: map[string][]string{}, theirs: map[string]string{}, strangers: map[string][]string{},
			lanes: map[string]string{},
		})
	}
	c.require(len(c.own) > 0, "desired state", "the states have all resources alike")
	c.undisturbed()
	c.machine = &metav1.PartialObjectMetadata{
		ObjectMeta: metav1.ObjectMeta{Name: c.setup.Request.Machine, UID: "u", ResourceVersion: "1"},
	}
	var err error
	c.driver, err = c.newDriver(c.cloud)
	if err != nil {
		c.broken("desired state", "the driver cannot be made: %v", err)
	}
	return err == nil
}

// add adds a resource to the cloud, with the sets that it has in any state. A resource of the machine
// also gets a foreign key, and a foreign member in each set.
func (c *checker) add(r *resource) {
	c.cloud.resources = append(c.cloud.resources, r)
	for i := range c.states {
		for set := range c.states[i].of(r).Sets {
			r.sets[set] = ordered(c.from.of(r).Sets[set])
		}
	}
	rules, err := c.setup.Rules(r.Kind)
	c.need("foreign resources, which need a resource that all states have alike", !c.isOwn(r))
	r.Rules = rules
	if !c.isOwn(r) {
		return
	}
	c.own = append(c.own, r)
	c.require(err == nil, "desired state", "%v", err)
	c.plant(r, "drivertest")
	for set := range r.sets {
		c.plantMember(r, set, "drivertest")
	}
}

// need notes a state that the Setup must contain for a promise to be checked.
func (c *checker) need(what string, isMet bool) {
	wasMet := c.needs[what]
	c.needs[what] = wasMet || isMet
}

func (c *checker) cover(all machineupdate.Driver) {
	for _, lane := range append(slices.Clip(all.Lanes), machineupdate.Lane{Kinds: all.Kinds}) {
		for _, kind := range lane.Kinds {
			c.need(fmt.Sprintf(needsChange, kind, lane.Name), false)
		}
	}
}

// undisturbed ends all disturbances but the lag of reads and the behaviour of attributes.
func (c *checker) undisturbed() {
	c.cloud.onRead = func() error { return nil }
	c.cloud.onWrite = c.carryOut
	c.patchErr = nil
	c.cloud.isGone = false
	c.onMark = func() {}
	c.onReturn = func(error) {}
}

// prepare gives the machine the class of a state.
func (c *checker) prepare(s *State) bool {
	class := machineupdate.MachineClass{
		Object:       cmp.Or[metav1.Object](c.setup.Request.Class.Object, &metav1.ObjectMeta{Name: "class"}),
		ProviderSpec: []byte(s.Spec),
	}
	prepared, err := c.classes.Prepare(class, c.driver.Driver())
	c.require(err == nil, "desired state", "the provider spec cannot be prepared: %v", err)
	c.former = c.class
	if c.former == nil {
		c.former = prepared
	}
	c.class = prepared
	c.wanted = s
	return err == nil
}

// reconcile lets the flow reconcile the machine once, in every lane, and returns the delay until
// the next time.
func (c *checker) reconcile() time.Duration {
	ctx := context.Background()
	secrets := map[string][]byte{"drivertest": []byte(secret)}
	maps.Copy(secrets, c.setup.Request.Secret)
	executor := machineupdate.Executor[*metav1.PartialObjectMetadata]{
		Patch: c.patch, UpdateMachine: c.update, Now: c.cloud.time,
	}
	observed := machineupdate.Observation{
		ProviderID: c.setup.Request.ProviderID, Phase: "Running", Class: c.class, Former: c.former, Secret: secrets,
		Settings: machineupdate.Settings{CallTimeout: callTimeout},
	}
	updated := executor.Reconcile(ctx, c.machine, observed)
	switch observed.InPlace(c.machine) {
	case machineupdate.InPlaceApplied, machineupdate.InPlaceUnable:
		return updated.RequeueAfter
	case machineupdate.InPlaceUnknown, machineupdate.InPlacePending, machineupdate.InPlaceUnconfirmed:
	}
	node := machineupdate.DrainedNode{UID: "n", Drained: c.cloud.time(), Unschedulable: true}
	applied, _ := executor.ApplyInPlace(ctx, c.machine, observed,
		func(context.Context) (machineupdate.DrainedNode, error) { return node, nil })
	return applied.RequeueWithin(updated.RequeueAfter)
}

// try advances the clock until the flow has called the driver, or has no reason to.
func (c *checker) try() {
	calls := c.calls
	for range 5 {
		delay := c.reconcile()
		if delay == 0 || c.calls > calls {
			return
		}
		c.later(delay)
	}
}

// settle ends all disturbances and advances the clock until the flow has nothing left to do.
func (c *checker) settle() bool {
	c.undisturbed()
	for range 300 {
		calls := c.calls
		delay := c.reconcile()
		if delay == 0 && c.calls == calls {
			c.rested()
			return true
		}
		c.later(max(delay, time.Second))
	}
	c.broken(c.promise, "the machine is never settled; the record is %v", c.machine.Annotations)
	return false
}

func (c *checker) later(d time.Duration) {
	c.cloud.locked(func() { c.cloud.advance(d) })
}

// patch is the API server's patch.
func (c *checker) patch(
	_ context.Context, _ string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string,
) (*metav1.PartialObjectMetadata, error) {
	written := c.machine.DeepCopy()
	if err := errors.Join(c.patchErr, json.Unmarshal(data, written)); err != nil {
		return nil, err
	}
	maps.DeleteFunc(written.Annotations, func(_, value string) bool { return value == "" }) // null in the patch
	version, _ := strconv.Atoi(c.machine.ResourceVersion)
	written.ResourceVersion = strconv.Itoa(version + 1)
	c.machine = written
	return c.machine, nil
}

// update calls the driver.
func (c *checker) update(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.calls++
	isMarked := !c.driver.Driver().ReadsFirst
	c.cloud.locked(func() {
		c.pass = pass{
			lane: request.Lane, ctx: ctx, cancel: cancel, isMarked: isMarked, failures: map[string]time.Time{},
		}
		c.cloud.after(callTimeout, cancel)
	})
	if c.setup.Request.Object != nil {
		request.Object = c.setup.Request.Object
	}
	mark := request.BeforeWrite
	request.BeforeWrite = func(ctx context.Context) error {
		err := mark(ctx)
		c.cloud.locked(func() {
			c.pass.isMarked = err == nil
			c.onMark()
		})
		return err
	}
	err := c.driver.UpdateMachine(ctx, request)
	c.cloud.locked(func() { c.returned(err) }) // a call that machines share may outlive the context
	return err
}
