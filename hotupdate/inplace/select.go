package inplace

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Selection is what a rollout does next. It says the same again until it is done.
//
// If Record differs from the pool's, write it to the MachineDeployment first, with the resourceVersion that the pool was read with, and
// begin with the rest once that has succeeded. On a conflict, observe again.
type Selection struct {
	Record  string            // the annotation [RolloutAnnotation] of the MachineDeployment; empty: remove it
	Select  []string          // machines whose nodes get [SelectedLabel]
	Create  []string          // machines to create for the target, by names that are free
	Delete  []string          // machines to delete
	Blocked map[string]string // machines that the rollout waits for, with the reason
}

// Select says which machines of a pool to select for the update, which to create in addition, and which surplus to delete.
//
//   - An available machine is selected only if replicas less maxUnavailable remain available. A machine that is not available goes first
//     and costs nothing. One that is selected, cordoned by us or being deleted counts as unavailable, once.
//   - Surge machines are created up to replicas and maxSurge. Machines that the pool lacks are created in any case.
//   - No more machines are selected than the pool needs: those that will be surplus are not updated.
//   - Surplus is deleted once as many updated machines as replicas are available without it. Machines beyond replicas and maxSurge, after
//     the pool has become smaller, are deleted if they are unavailable, or if replicas remain available. A machine under update is not
//     deleted until it has succeeded or failed.
//   - In a pool with ManualInPlaceUpdate nothing is selected, and there is no surge.
//   - Whatever the rollout waits for is named in Blocked.
func Select(p Pool) (Selection, error) {
	if err := p.check(); err != nil {
		return Selection{}, err
	}
	r, err := newRollout(&p)
	if err != nil {
		return Selection{}, err
	}
	r.deleteSurplus()
	r.selectCandidates()
	r.create()
	s := Selection{Record: r.promised.String(), Select: r.promised.Select, Create: r.promised.Create, Delete: r.promised.Delete, Blocked: r.blocked()}
	if p.Strategy == hotupdate.ManualInPlaceUpdate {
		s.Select = nil // what was promised before the strategy changed
	}
	return s, nil
}

// rollout decides for a pool. Its machines and counts include what has been decided.
type rollout struct {
	*Pool

	unavailable, surge int
	promised           record
	machines           []*Machine // those that stay
}

func newRollout(p *Pool) (*rollout, error) {
	unavailable, surge, err := p.limits()
	if err != nil {
		return nil, err
	}
	promised, err := parseRecord(p.Record)
	if err != nil {
		return nil, err
	}
	r := &rollout{Pool: p, unavailable: unavailable, surge: surge, promised: promised.open(p)}
	for i := range p.Machines {
		if m := &p.Machines[i]; !m.leaves() && !slices.Contains(r.promised.Delete, m.Name) {
			r.machines = append(r.machines, m)
		}
	}
	return r, nil
}

// isAvailable reports whether the machine is available, and nothing is going to change that.
func (r *rollout) isAvailable(m *Machine) bool {
	return m.Available && !m.isUnderUpdate() && !r.isSelected(m)
}

// isUpdated reports whether the machine is what the target wants, and has been given back.
func (r *rollout) isUpdated(m *Machine) bool { return m.isUpdated(r.Pool) && !m.isUnderUpdate() }

func (r *rollout) isSelected(m *Machine) bool {
	return m.Node != nil && m.Node.isSelected() || slices.Contains(r.promised.Select, m.Name)
}

// isOnItsWay reports whether the machine is going to be updated without another decision.
func (r *rollout) isOnItsWay(m *Machine) bool {
	return !r.isUpdated(m) && !m.hasFailed() && (r.isSelected(m) || m.isUpdated(r.Pool))
}

// isIdle reports whether the machine is not updated and nobody is going to do it.
func (r *rollout) isIdle(m *Machine) bool {
	return !r.isUpdated(m) && !r.isOnItsWay(m) && !m.hasFailed()
}

// count counts machines that meet all conditions.
func (r *rollout) count(conditions ...func(*Machine) bool) int {
	n := 0
	for _, m := range r.machines {
		if !slices.ContainsFunc(conditions, func(meets func(*Machine) bool) bool { return !meets(m) }) {
			n++
		}
	}
	return n
}

// missing returns how many machines have still to be updated. One that was created for the target counts once it has a node.
func (r *rollout) missing() int {
	return r.Replicas - r.count(func(m *Machine) bool { return r.isUpdated(m) && m.Node != nil || r.isOnItsWay(m) })
}

// deleteSurplus promises to delete machines.
func (r *rollout) deleteSurplus() {
	for _, m := range r.byWorth() {
		if len(r.machines)+len(r.promised.Create) <= r.Replicas || r.isOnItsWay(m) || !r.isSurplus(m) {
			continue
		}
		r.promised.Delete = append(r.promised.Delete, m.Name)
		r.machines = slices.DeleteFunc(r.machines, func(other *Machine) bool { return other == m })
	}
}

// isSurplus reports whether the pool can do without a machine.
func (r *rollout) isSurplus(m *Machine) bool {
	without := func(other *Machine) bool { return other != m }
	if r.count(without, r.isAvailable, r.isUpdated) >= r.Replicas {
		return true
	}
	return len(r.machines)+len(r.promised.Create) > r.Replicas+r.surge && (!r.isAvailable(m) || r.count(without, r.isAvailable) >= r.Replicas)
}

// byWorth returns the machines in the order in which they are deleted: failed ones, others that are not updated, then updated ones; of each
// kind unavailable ones first.
func (r *rollout) byWorth() []*Machine {
	worth := func(m *Machine) (w int) {
		if !m.hasFailed() {
			w = 1
		}
		if r.isUpdated(m) {
			w = 2
		}
		w *= 2
		if r.isAvailable(m) {
			w++
		}
		return w
	}
	return slices.SortedStableFunc(slices.Values(r.machines), func(a, b *Machine) int { return worth(a) - worth(b) })
}

// selectCandidates promises to select nodes.
func (r *rollout) selectCandidates() {
	if r.Strategy == hotupdate.ManualInPlaceUpdate {
		return
	}
	for _, m := range r.byWorth() {
		isCandidate := r.isIdle(m) && m.Node != nil && m.InPlace != machineupdate.InPlaceUnable && has(m.Node.Labels, CandidateLabel)
		affordable := !r.isAvailable(m) || r.count(r.isAvailable) > r.Replicas-r.unavailable
		if isCandidate && affordable && r.missing() > 0 {
			r.promised.Select = append(r.promised.Select, m.Name)
		}
	}
}

// create promises to create machines: what the pool lacks, and surge machines as long as nodes are to be updated.
func (r *rollout) create() {
	wanted := r.Replicas
	if idle := r.count(r.isIdle); r.missing() > 0 {
		wanted += min(r.surge, idle)
	}
	for len(r.machines)+len(r.promised.Create) < wanted {
		r.promised.Create = append(r.promised.Create, r.name(&r.promised))
	}
}

// blocked returns what the rollout waits for.
func (r *rollout) blocked() map[string]string {
	blocked := map[string]string{}
	if r.count(r.isUpdated, r.isAvailable) == len(r.machines) && len(r.promised.Create) == 0 {
		return blocked
	}
	for _, name := range r.promised.Create {
		blocked[name] = "the machine has still to be created"
	}
	for _, m := range r.machines {
		if why := r.why(m); why != "" {
			blocked[m.Name] = why
		}
	}
	return blocked
}

// why returns why the rollout waits for a machine, empty if it does not.
func (r *rollout) why(m *Machine) string {
	if r.isOnItsWay(m) {
		return ""
	}
	switch step, _ := Next(*r.Pool, *m); { // the pool is checked
	case step.Do == Blocked:
		return step.Why
	case m.Node == nil:
		return "no node has joined"
	case !m.Available:
		return "the machine is not available"
	}
	return ""
}
