package inplace

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Selection is the next step of a rollout, and its progress. Until the step has been carried out,
// Select returns the same Selection.
//
// If Record differs from the pool's, write it to the MachineDeployment first, with the
// resourceVersion of the observed pool. Begin with the rest once that write has succeeded. On a
// conflict, observe again.
type Selection struct {
	Record string // the annotation [RolloutAnnotation] of the MachineDeployment; empty: remove it
	// Select has the nodes to write, by machine, as with [ActionWriteNode]: each gets [SelectedLabel]
	// and [SelectionAnnotation], in one write.
	Select map[string]*Node
	Create []string // names of machines to create for the target, which are unused
	Delete []string // machines to delete
	// Progress has the machines of the pool by their state, each with a message for people.
	// Machines that are to be created or deleted are not listed.
	Progress map[MachineState]map[string]string
	// Finished says that the pool has as many machines as replicas, that all are [StateUpdated],
	// and that nothing is left to do. It is false while the MachineDeployment is paused, because a
	// change of the template may wait.
	Finished bool
}

// Select says which machines of a pool to select for the update, which to create in addition, and
// which surplus to delete.
//
//   - An available machine is selected only if replicas minus maxUnavailable remain available.
//     Unavailable machines go first, regardless of the limit. A machine that is selected, cordoned
//     by us or being deleted counts as unavailable, once.
//   - Surge machines are created up to replicas plus maxSurge. Machines that the pool lacks are
//     always created.
//   - No more machines are selected than the pool needs: machines that will be surplus are not
//     updated. A preserved machine that has failed does not count as selected or updated: another
//     one is selected instead.
//   - Surplus is deleted once as many updated machines as replicas are available without it. After
//     the pool has become smaller, machines beyond replicas plus maxSurge are deleted if they are
//     unavailable, or if replicas remain available. A machine under update is not deleted until it
//     has succeeded or failed.
//   - Of the surplus, machines with the lowest priority are deleted first, then machines that have
//     failed, machines that need the update, and unavailable machines. Preserved machines are last.
//   - In a pool with ManualInPlaceUpdate nothing is selected, and no surge machine is created.
//   - A node that a user has deselected is not selected for this revision, and no surge machine is
//     created for it, until the user selects it, or removes [SelectionAnnotation]. It is
//     [StateWaitingForUser]. If its pool has a surplus, it may be deleted.
//   - While the MachineDeployment is paused, nothing is selected, and no surge machine is created.
//     Open promises to select wait. Machines that the pool lacks are created, and surplus is
//     deleted. A node that is still cordoned for an update is selected, so that its update can end
//     and uncordon it.
func Select(d MachineDeployment) (Selection, error) {
	if err := d.check(); err != nil {
		return Selection{}, err
	}
	d.Machines = slices.Clone(d.Machines)
	for i := range d.Machines {
		if m := &d.Machines[i]; !m.hasJoined() {
			m.Node = nil
		}
	}
	r, err := newRollout(&d)
	if err != nil {
		return Selection{}, err
	}
	r.deleteSurplus()
	r.selectCandidates()
	r.create()
	s := Selection{
		Record: r.promised.String(), Select: r.selected(), Create: r.promised.Create, Delete: r.promised.Delete,
		Progress: r.progress(),
	}
	isUpdated := s.Record == "" && len(s.Progress[StateUpdated]) == len(d.Machines)
	s.Finished = isUpdated && !d.Paused
	return s, nil
}

// selected returns the nodes to write for recorded promises to select. A promise that was made
// before a pause, or before the strategy changed, stays recorded and is not carried out.
func (r *rollout) selected() map[string]*Node {
	nodes := map[string]*Node{}
	for _, m := range r.machines {
		if m.isPromised && !r.leavesToUser() && r.mayBegin(m.Machine) {
			nodes[m.Name] = m.Node.selectedFor(r.Revision)
		}
	}
	return nodes
}

// mayBegin reports whether the update of a machine with a node may begin.
func (d *MachineDeployment) mayBegin(m *Machine) bool {
	return m.Phase != phaseFailed && !d.holdsBack(m.Node)
}

// leavesToUser reports whether the user selects the nodes.
func (d *MachineDeployment) leavesToUser() bool { return d.Strategy == hotupdate.ManualInPlaceUpdate }

// rollout decides for a pool. Its machines and counts include the decisions so far.
type rollout struct {
	*MachineDeployment

	unavailable, surge int
	promised           record
	machines           []*candidate // without the machines to delete
}

// candidate is a machine with its standing after the decisions so far.
type candidate struct {
	*Machine

	stage      stage
	priority   int
	available  bool // after the decisions so far
	isPromised bool // to be selected
}

func newRollout(d *MachineDeployment) (*rollout, error) {
	unavailable, surge, err := d.limits()
	if err != nil {
		return nil, err
	}
	recorded, err := parseRecord(d.Record)
	if err != nil {
		return nil, err
	}
	r := &rollout{MachineDeployment: d, unavailable: unavailable, surge: surge, promised: recorded.open(d)}
	for i := range d.Machines {
		if m := &d.Machines[i]; !m.leaves() && !slices.Contains(r.promised.Delete, m.Name) {
			c := m.candidate(d, slices.Contains(r.promised.Select, m.Name))
			c.available = c.available && !r.isWithdrawn(m, recorded)
			r.machines = append(r.machines, c)
		}
	}
	return r, nil
}

// isWithdrawn reports whether a recorded promise to select a machine is dropped because a user has
// deselected its node or the machine has failed. Until the record without the promise is written,
// the machine counts as unavailable: if the annotation is removed or the machine recovers before
// that, another controller may still carry out the promise.
func (d *MachineDeployment) isWithdrawn(m *Machine, recorded record) bool {
	isDeselected := m.Node != nil && m.Node.isDeselected(d.Revision)
	isDropped := isDeselected || m.Phase == phaseFailed
	return isDropped && slices.Contains(recorded.Select, m.Name)
}

// stage is the progress of a machine, in the order in which surplus is deleted.
type stage int

const (
	failed   stage = iota // the update has failed and needs intervention
	idle                  // the machine needs the update, or has failed before the end of its update
	underway              // it will be updated without another decision
	updated               // it has the target's state, and its update is finished
)

func (m *Machine) candidate(d *MachineDeployment, isPromised bool) *candidate {
	isTargets := m.isUpdated(d)
	isUnderUpdate := m.isUnderUpdate()
	isSelected := isPromised || m.Node != nil && m.Node.isSelected()
	c := &candidate{
		Machine: m, stage: idle, priority: m.priority(), available: m.Available && !isUnderUpdate && !isSelected,
		isPromised: isPromised,
	}
	switch {
	case isTargets && !isUnderUpdate:
		c.stage = updated
	case m.hasFailed():
		c.stage = failed
	case m.Phase == phaseFailed: // preserved: its update does not go on
	case isTargets || isSelected:
		c.stage = underway
	}
	return c
}

func (r *rollout) count(meets func(*candidate) bool) (n int) {
	for _, m := range r.machines {
		if meets(m) {
			n++
		}
	}
	return n
}

// total counts machines, including those still to be created.
func (r *rollout) total() int { return len(r.machines) + len(r.promised.Create) }

// missing returns how many machines have yet to be updated. A machine created for the target counts
// as updated once it has a node. A preserved machine that has failed does not count: it may never
// recover.
func (r *rollout) missing() int {
	return r.Replicas - r.count(func(m *candidate) bool {
		hasNode := m.Node != nil && m.Phase != phaseFailed
		return m.stage == underway || m.stage == updated && hasNode
	})
}

// deleteSurplus promises to delete machines.
func (r *rollout) deleteSurplus() {
	for _, m := range r.byWorth() {
		hasTooMany := r.total() > r.Replicas
		if hasTooMany && m.stage != underway && r.isSurplus(m) {
			r.promised.Delete = append(r.promised.Delete, m.Name)
			r.machines = slices.DeleteFunc(r.machines, func(other *candidate) bool { return other == m })
		}
	}
}

// isSurplus reports whether a machine may be deleted.
func (r *rollout) isSurplus(m *candidate) bool {
	available := r.count(func(other *candidate) bool { return other != m && other.available })
	upToDate := r.count(func(other *candidate) bool { return other != m && other.available && other.stage == updated })
	switch {
	case upToDate >= r.Replicas:
		return true // the pool is updated without it
	case r.total() <= r.Replicas+r.surge:
		return false // the rollout still needs it
	case !m.available:
		return true // its deletion makes nothing unavailable
	}
	return available >= r.Replicas
}

// byWorth returns the machines in the order of their deletion.
func (r *rollout) byWorth() []*candidate {
	return slices.SortedStableFunc(slices.Values(r.machines), func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(a.preserved(), b.preserved()), cmp.Compare(a.priority, b.priority),
			cmp.Compare(a.stage, b.stage), cmp.Compare(a.rank(), b.rank()))
	})
}

// preserved puts machines that are preserved last.
func (c *candidate) preserved() int {
	if c.Preserved {
		return 1
	}
	return 0
}

// rank puts machines that are not available first.
func (c *candidate) rank() int {
	if c.available {
		return 1
	}
	return 0
}

// selectCandidates promises to select nodes; machines with a low priority are last.
func (r *rollout) selectCandidates() {
	if r.leavesToUser() {
		return
	}
	inOrder := slices.SortedStableFunc(slices.Values(r.machines), func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.priority, a.priority))
	})
	for _, m := range inOrder {
		if r.maySelect(m) && r.canAfford(m) && r.missing() > 0 {
			r.promised.Select = append(r.promised.Select, m.Name)
			m.isPromised = true
			m.stage = underway
			m.available = false
		}
	}
}

// maySelect reports whether the update of a machine may begin.
func (r *rollout) maySelect(m *candidate) bool {
	switch {
	case m.stage != idle:
		return false
	case m.Node == nil:
		return false
	case m.InPlace == machineupdate.InPlaceUnable:
		return false
	case !r.mayBegin(m.Machine):
		return false
	case m.Node.isDeselected(r.Revision):
		return false
	}
	return has(m.Node.Labels, candidateLabel)
}

// takesTurn reports whether Select may choose the machine by itself.
func (r *rollout) takesTurn(m *candidate) bool {
	isDeselected := m.Node != nil && m.Node.isDeselected(r.Revision)
	return m.stage == idle && m.Phase != phaseFailed && !isDeselected
}

// canAfford reports whether enough machines remain available during the update of a machine.
func (r *rollout) canAfford(m *candidate) bool {
	if !m.available {
		return true
	}
	return r.count(func(m *candidate) bool { return m.available }) > r.Replicas-r.unavailable
}

// create promises to create machines: the machines that the pool lacks, and surge machines as long
// as nodes need the update.
func (r *rollout) create() {
	wanted := r.Replicas
	if r.missing() > 0 && !r.Paused {
		wanted += min(r.surge, r.count(r.takesTurn))
	}
	for i := 0; r.total() < wanted; i++ { // names depend only on the pool, so that a second creation fails
		name := fmt.Sprintf("%s-%d", r.Target, i)
		isTaken := func(m Machine) bool { return m.Name == name }
		if !slices.ContainsFunc(r.Machines, isTaken) && !slices.Contains(r.promised.Create, name) {
			r.promised.Create = append(r.promised.Create, name)
		}
	}
}
