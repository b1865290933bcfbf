package inplace

import (
	"github.com/hotupdate/providerconfig/hotupdate"
)

// State is the state of a machine in a rollout.
type State string

// The states. A machine that fits several has the first of them.
const (
	// Failed means that the update of the machine cannot go on without intervention: it has failed,
	// or the driver cannot apply it. The message comes from the node agent, if it has written one.
	Failed State = "Failed"
	// Updated machines have the target's state and are available.
	Updated State = "Updated"
	// Updating machines are drained, being updated, or transferred.
	Updating State = "Updating"
	// Unavailable machines do not run, have no node or no ready one, or leave the pool.
	Unavailable State = "Unavailable"
	// WaitingForUser means that the machine needs the update, and that the user of a pool with
	// ManualInPlaceUpdate has not selected it.
	WaitingForUser State = "WaitingForUser"
	// Waiting machines need the update, and wait for their turn.
	Waiting State = "Waiting"
)

// progress returns the machines by their state.
func (r *rollout) progress() map[State]map[string]string {
	progress := map[State]map[string]string{}
	add := func(name string, state State, message string) {
		if progress[state] == nil {
			progress[state] = map[string]string{}
		}
		progress[state][name] = message
	}
	for i := range r.Machines {
		if m := &r.Machines[i]; m.leaves() {
			add(m.Name, Unavailable, "the machine leaves the pool")
		}
	}
	for _, m := range r.machines {
		state, message := r.stateOf(m)
		add(m.Name, state, message)
	}
	return progress
}

func (r *rollout) stateOf(m *candidate) (state State, message string) {
	step, _ := Next(*r.MachineDeployment, *m.Machine) // Select has checked the MachineDeployment
	isManual := r.Strategy == hotupdate.ManualInPlaceUpdate
	switch {
	case m.Node == nil:
		return Unavailable, "no node has joined"
	case step.Do == Blocked && m.hasFailed():
		if message := m.Node.Annotations[failureAnnotation]; message != "" {
			return Failed, message
		}
		return Failed, step.Why
	case step.Do == Blocked:
		return Failed, step.Why
	case m.stage == updated && m.Available:
		return Updated, step.Why
	case m.isUnderUpdate():
		return Updating, step.Why
	case m.stage == underway && !isManual: // in a manual pool, a promise of another strategy is void
		return Updating, step.Why
	case !m.Available:
		return Unavailable, "the machine is not available"
	case isManual:
		return WaitingForUser, step.Why
	}
	return Waiting, step.Why
}
