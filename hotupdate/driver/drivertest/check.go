package drivertest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Setup tells a check what it needs to know about a driver.
type Setup struct {
	// Rules returns the cloud's rules, such as tags.AWS.Rules.
	Rules func(kind tags.Kind) (tags.Rules, error)
	// Request holds the fields of a request that the driver reads besides class, lane and parts:
	// Machine, ProviderID, Secret, Object and Class.Object.
	Request machineupdate.UpdateMachineRequest
	// Unchanged names the leaves of the Schema that are Hot or InPlace and in which no two states
	// differ: leaves that another test checks, and leaves that the driver does not apply, such as
	// infrastructure tags of interfaces that carry none. Admission has to refuse the latter, because
	// an update of nothing else is reported as done. They are RFC 6901 pointers in which * stands
	// for an element, such as /disks/*/iops.
	Unchanged []string
}

// State is a provider spec with the resources that result from it: the machine's own, and others
// around it. All states have the same resources. A resource that is equal in all states belongs to
// others, such as the volume of a CSI driver. Version is not read. A set that this state lacks and
// another state has is empty. Each set of the machine also gets a member of others.
type State struct {
	Spec      string // JSON
	Resources []driver.Resource
}

// Check takes the machine from each state to each other one, in many ways, and reports each broken
// promise once. NewDriver makes a driver, many times, whose client calls the cloud and which waits by
// [FakeCloud.Wait]: a [*driver.Kit], or the adopter's type around one.
func Check[D updates](tb testing.TB, setup Setup, newDriver func(cloud *FakeCloud) (D, error), states ...State) {
	tb.Helper()
	if len(states) < 2 || setup.Rules == nil {
		tb.Errorf("a check needs Rules and two states")
		return
	}
	create := func(cloud *FakeCloud) (updates, error) { return newDriver(cloud) }
	if !checkStates(tb, setup, create, states) {
		return
	}
	told := report{}
	needs := map[string]bool{}
	for i, s := range scenarios() {
		for from := range states {
			for to := range states {
				if from == to {
					continue
				}
				c := &checker{
					setup: setup, states: states, from: &states[from], to: &states[to], promise: s.promise,
					isCalm: i == 0, needs: needs, newDriver: create,
				}
				c.broken = func(promise, format string, args ...any) {
					told.add(promise, fmt.Sprintf("%s (%s, from state %d to %d)",
						fmt.Sprintf(format, args...), s.name, from, to))
				}
				c.run(s)
				told.tell(tb)
			}
		}
		if i == 0 && len(told.promises) > 0 {
			return
		}
	}
	maps.DeleteFunc(needs, func(_ string, isMet bool) bool { return isMet })
	tb.Logf("not checked: %q", slices.Sorted(maps.Keys(needs)))
}

// checkStates checks whether the states differ in all fields that the driver updates. It reports
// whether a driver can be made.
func checkStates(
	tb testing.TB, setup Setup, create func(cloud *FakeCloud) (updates, error), states []State,
) bool {
	tb.Helper()
	told := report{}
	c := checker{
		setup: setup, states: states, from: &states[0], to: &states[1], needs: map[string]bool{}, newDriver: create,
		broken: func(promise, format string, args ...any) { told.add(promise, fmt.Sprintf(format, args...)) },
	}
	isMade := c.create()
	told.tell(tb)
	if !isMade {
		return false
	}
	for _, problem := range unchanged(c.driver.Driver().Schema, setup.Unchanged, states) {
		tb.Errorf("desired state: %s", problem)
	}
	return true
}

// run takes the machine from one state to another one while the scenario disturbs it.
func (c *checker) run(s scenario) {
	if c.start() {
		s.disturb(c)
		c.try()
		c.settle()
	}
}

// report collects broken promises, each once. They are found deep in calls and by other goroutines.
// Check reports them itself, so that the failure names the line that calls Check.
type report struct {
	mutex    sync.Mutex
	promises []string
	untold   []string
}

func (r *report) add(promise, problem string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !slices.Contains(r.promises, promise) {
		r.promises = append(r.promises, promise)
		r.untold = append(r.untold, promise+": "+problem)
	}
}

// tell reports what has been added since the last time.
func (r *report) tell(tb testing.TB) {
	tb.Helper()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, problem := range r.untold {
		tb.Errorf("%s", problem)
	}
	r.untold = nil
}

// updates is the part of a driver that updates machines.
type updates interface {
	Driver() machineupdate.Driver
	UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error
}
