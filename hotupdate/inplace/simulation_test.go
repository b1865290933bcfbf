package inplace_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// simulation is a pool in full detail, with two controllers that use both functions. Each has a view, which may be old.
type simulation struct {
	pool     inplace.MachineDeployment // without the machines
	version  int                       // of the MachineDeployment
	machines map[string]*simulated
	views    [2]view
	orders   []order // what controllers have decided and not yet done; what is never done is a crash
}

// simulated is a machine with its node, and what really runs.
type simulated struct {
	inplace.Machine

	machineVersion, nodeVersion int
	runs, driver, job           int64 // revisions
}

type view struct {
	pool    inplace.MachineDeployment
	version int
	seen    map[string]simulated
}

type order struct {
	do, name    string
	nodeVersion int
}

func newSimulation(t *rapid.T) *simulation {
	s := &simulation{machines: map[string]*simulated{}}
	s.pool = inplace.MachineDeployment{
		Target: "t1", Revision: 1, Strategy: hotupdate.AutoInPlaceUpdate, Replicas: rapid.IntRange(1, 4).Draw(t, "replicas"),
		MaxUnavailable: intstr.FromInt(rapid.IntRange(0, 2).Draw(t, "unavailable")), MaxSurge: intstr.FromInt(rapid.IntRange(0, 2).Draw(t, "surge")),
	}
	if s.pool.MaxSurge.IntVal == 0 {
		s.pool.MaxUnavailable.IntVal = max(1, s.pool.MaxUnavailable.IntVal)
	}
	for i := range s.pool.Replicas {
		s.create(fmt.Sprintf("m-%d", i))
	}
	for range 3 {
		s.settle()
	}
	return s
}

func (s *simulation) create(name string) {
	if s.machines[name] == nil {
		s.machines[name] = &simulated{Machine: inplace.Machine{Name: name, Owner: s.pool.Target, Phase: "Pending"}, runs: s.pool.Revision, driver: s.pool.Revision}
	}
}

func copyOf(m *simulated) simulated {
	c := *m
	if m.Node != nil {
		node := *m.Node
		node.Labels, node.Annotations = maps.Clone(m.Node.Labels), maps.Clone(m.Node.Annotations)
		c.Node = &node
	}
	return c
}

// observe lets a controller read the MachineDeployment, then the machines.
func (s *simulation) observe(k int) {
	v := view{pool: s.pool, version: s.version, seen: map[string]simulated{}}
	for _, name := range slices.Sorted(maps.Keys(s.machines)) {
		m := copyOf(s.machines[name])
		m.InPlace = machineupdate.InPlacePending
		if m.driver == s.pool.Revision {
			m.InPlace = machineupdate.InPlaceApplied
		}
		v.seen[name] = m
		v.pool.Machines = append(v.pool.Machines, m.Machine)
	}
	s.views[k] = v
}

// selects lets a controller decide about the pool by its view.
func (s *simulation) selects(t require.TestingT, k int) {
	v := &s.views[k]
	if v.seen == nil {
		return
	}
	selection, err := inplace.Select(v.pool)
	require.NoError(t, err)
	if selection.Record != v.pool.Record {
		if v.version != s.version {
			*v = view{} // a conflict
			return
		}
		s.checkMinimum(t, v, selection.Record)
		s.pool.Record, v.pool.Record = selection.Record, selection.Record
		s.version++
		v.version = s.version
	}
	for do, names := range map[string][]string{"select": selection.Select, "create": selection.Create, "delete": selection.Delete} {
		for _, name := range names {
			s.orders = append(s.orders, order{do, name, v.seen[name].nodeVersion})
		}
	}
	slices.SortFunc(s.orders, func(a, b order) int { return slices.Compare([]string{a.do, a.name}, []string{b.do, b.name}) })
}

// checkMinimum: a decision leaves the minimum, but for machines that have failed by themselves since they were seen.
func (s *simulation) checkMinimum(t require.TestingT, v *view, record string) {
	before, after := takenBy(s.pool.Record), takenBy(record)
	available, lost, took := 0, 0, false
	for name, m := range s.machines {
		free := m.Available && !m.isUnderUpdate() && !before[name]
		seen, isSeen := v.seen[name]
		switch {
		case free && after[name]:
			took = took || isSeen && seen.Available && !seen.isUnderUpdate()
		case free:
			available++
		case isSeen && seen.Available && !seen.isUnderUpdate() && !m.isUnderUpdate() && !before[name]:
			lost++
		}
	}
	for name, seen := range v.seen {
		if _, exists := s.machines[name]; !exists && seen.Available && !seen.isUnderUpdate() && !before[name] {
			lost++ // deleted by its user
		}
	}
	if took && available+lost < s.pool.Replicas-s.pool.MaxUnavailable.IntValue() {
		t.Errorf("%d of %d remain available after %s", available, s.pool.Replicas, record)
		t.FailNow()
	}
}

func takenBy(record string) map[string]bool {
	taken := map[string]bool{}
	r := promisesNamed(record)
	for _, name := range slices.Concat(r.Select, r.Delete) {
		taken[name] = true
	}
	return taken
}

func (m *simulated) isUnderUpdate() bool {
	return m.Node != nil && (m.Node.Labels[inplace.SelectedLabel] != "" || m.Node.Unschedulable)
}

// carryOut does the i-th order. A write of a node that has changed conflicts.
func (s *simulation) carryOut(i int) {
	o := s.orders[i]
	s.orders = slices.Delete(s.orders, i, i+1)
	m := s.machines[o.name]
	switch {
	case o.do == "create":
		s.create(o.name)
	case m == nil:
	case o.do == "delete":
		m.Phase = "Terminating"
		m.machineVersion++
	case m.Node != nil && m.nodeVersion == o.nodeVersion:
		m.Node.Labels[inplace.SelectedLabel] = "true"
		m.nodeVersion++
	}
}

// next lets a controller do the next step for a machine by its view.
func (s *simulation) next(t require.TestingT, k int, name string) {
	v := &s.views[k]
	seen, m := v.seen[name], s.machines[name]
	if m == nil || seen.Name == "" {
		return
	}
	step, err := inplace.Next(v.pool, seen.Machine)
	require.NoError(t, err)
	sameNode, sameMachine := m.nodeVersion == seen.nodeVersion, m.machineVersion == seen.machineVersion
	switch step.Do {
	case inplace.WriteNode, inplace.SetCondition, inplace.Drain:
		if !sameNode || m.Node == nil {
			return
		}
		m.Node = step.Node
		m.nodeVersion++
		if step.Do == inplace.Drain && m.Phase != "Terminating" {
			m.Phase = "InPlaceUpdating"
			m.machineVersion++
		}
	case inplace.Apply:
		if m.Node != nil && m.Node.Reason == "DrainSuccessful" && m.Node.Unschedulable && v.pool.Revision >= m.driver {
			m.driver = v.pool.Revision
		}
	case inplace.Transfer:
		if sameMachine {
			require.GreaterOrEqual(t, m.runs, v.pool.Revision)
			m.Owner = v.pool.Target
			m.machineVersion++
		}
	case inplace.Done, inplace.Wait, inplace.Blocked:
	}
}

// settle lets machines join, agents work and health checks follow.
func (s *simulation) settle() {
	for name := range s.machines {
		s.agent(name, "successful")
		s.health(name)
	}
}

// agent begins with an update, or ends it.
func (s *simulation) agent(name, result string) {
	m := s.machines[name]
	if m == nil || m.Node == nil {
		return
	}
	switch before := m.Node.Labels[resultLabel]; {
	case m.job > 0 && result == "failed":
		m.Node.Labels[resultLabel], m.job = result, 0
	case m.job > 0:
		m.Node.Labels[resultLabel], m.runs, m.job = result, m.job, 0
	case m.Node.Reason == inplace.ReadyForUpdate && before == "" || before == "failed":
		m.job = s.pool.Revision
		return
	default:
		return
	}
	m.nodeVersion++
}

// health is what the machine controller and the kubelet do.
func (s *simulation) health(name string) {
	m := s.machines[name]
	if m == nil {
		return
	}
	was := m.Phase
	switch {
	case m.Phase == "Terminating":
		delete(s.machines, name)
		return
	case m.Node == nil:
		m.Node = &inplace.Node{Labels: map[string]string{}, Annotations: map[string]string{}}
	case m.Phase == "InPlaceUpdating" || m.Phase == "InPlaceUpdateFailed":
		m.Phase = nodeWorld{phase: m.Phase, result: m.Node.Labels[resultLabel]}.phaseAfter()
	default:
		m.Phase = "Running"
	}
	if was != m.Phase {
		m.machineVersion++
	}
	m.Available = m.Phase == "Running" && !m.Node.Unschedulable
}

func (s *simulation) anyMachine(t *rapid.T) string {
	names := slices.Sorted(maps.Keys(s.machines))
	if len(names) == 0 {
		t.SkipNow() // rapid draws another action
	}
	return rapid.SampledFrom(names).Draw(t, "machine")
}

// TestSimulation: both functions together, in full detail, under whatever two controllers, agents, clouds and users do. In the end every
// machine is updated.
func TestSimulation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newSimulation(t)
		controller := func(t *rapid.T) int { return rapid.IntRange(0, 1).Draw(t, "controller") }
		reconcile := func(t *rapid.T) {
			k := controller(t)
			s.observe(k)
			s.selects(t, k)
			for len(s.orders) > 0 {
				s.carryOut(0)
			}
			s.observe(k)
			for _, name := range slices.Sorted(maps.Keys(s.machines)) {
				s.next(t, k, name)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"observe":   func(t *rapid.T) { s.observe(controller(t)) },
			"select":    func(t *rapid.T) { s.selects(t, controller(t)) },
			"next":      func(t *rapid.T) { s.next(t, controller(t), s.anyMachine(t)) },
			"reconcile": reconcile, "reconcile 2": reconcile, "reconcile 3": reconcile, "reconcile 4": reconcile,
			"order": func(t *rapid.T) {
				if len(s.orders) > 0 {
					s.carryOut(rapid.IntRange(0, len(s.orders)-1).Draw(t, "order"))
				}
			},
			"agent":  func(t *rapid.T) { s.agent(s.anyMachine(t), "successful") },
			"fails":  func(t *rapid.T) { s.agent(s.anyMachine(t), "failed") },
			"health": func(t *rapid.T) { s.health(s.anyMachine(t)) },
			"settle": func(*rapid.T) { s.settle() }, "settle 2": func(*rapid.T) { s.settle() },
			"down": func(t *rapid.T) { s.machines[s.anyMachine(t)].Available = false },
			"gone": func(t *rapid.T) { s.machines[s.anyMachine(t)].Phase = "Terminating" },
			"target": func(*rapid.T) {
				s.pool.Revision++
				s.pool.Target = fmt.Sprintf("t%d", s.pool.Revision)
				s.version++
			},
			"replicas": func(t *rapid.T) {
				s.pool.Replicas = rapid.IntRange(0, 4).Draw(t, "replicas")
				s.version++
			},
		})
		s.finish(t)
	})
}

// finish lets everybody do their work until nothing is left to do.
func (s *simulation) finish(t *rapid.T) {
	for range 400 {
		s.observe(0)
		s.selects(t, 0)
		for len(s.orders) > 0 {
			s.carryOut(0)
		}
		s.observe(0)
		for name := range s.machines {
			s.next(t, 0, name)
		}
		s.settle()
	}
	s.observe(0)
	selection, err := inplace.Select(s.views[0].pool)
	require.NoError(t, err)
	require.True(t, selection.Finished)
	require.Len(t, s.machines, s.pool.Replicas)
	require.Empty(t, s.pool.Record)
	for _, m := range s.machines {
		require.Equal(t, s.pool.Target, m.Owner)
		require.Equal(t, s.pool.Revision, m.runs)
		require.Equal(t, s.pool.Revision, m.driver)
		require.True(t, m.Available)
		require.Empty(t, m.Node.Labels)
		require.NotContains(t, m.Node.Annotations, scaleDownDisabled)
	}
}
