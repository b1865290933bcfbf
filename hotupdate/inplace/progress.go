package inplace

// MachineState is the state of a machine in a rollout.
type MachineState string

// The states. A machine that fits several has the first of them.
const (
	// StateFailed means that the update of the machine cannot go on without intervention: it has failed,
	// or the driver cannot apply it. The message comes from the node agent, if it has written one.
	StateFailed MachineState = "Failed"
	// StateUpdated means that the machine has the target's state and is available.
	StateUpdated MachineState = "Updated"
	// StateUpdating means that the machine is drained, being updated, or transferred.
	StateUpdating MachineState = "Updating"
	// StateUnavailable means that the machine does not run, has no node or no ready one, or leaves
	// the pool.
	StateUnavailable MachineState = "Unavailable"
	// StateWaitingForUser means that the machine needs the update, and that its user has deselected it,
	// or in a pool with ManualInPlaceUpdate has not selected it.
	StateWaitingForUser MachineState = "WaitingForUser"
	// StateWaiting means that the machine needs the update, and waits for its turn, or for the end of a
	// pause.
	StateWaiting MachineState = "Waiting"
)

// progress returns the machines by their state.
func (r *rollout) progress() map[MachineState]map[string]string {
	progress := map[MachineState]map[string]string{}
	add := func(name string, state MachineState, message string) {
		if progress[state] == nil {
			progress[state] = map[string]string{}
		}
		progress[state][name] = message
	}
	for i := range r.Machines {
		if m := &r.Machines[i]; m.leaves() {
			add(m.Name, StateUnavailable, "the machine leaves the pool")
		}
	}
	for _, m := range r.machines {
		state, message := r.stateOf(m)
		add(m.Name, state, message)
	}
	return progress
}

func (r *rollout) stateOf(m *candidate) (state MachineState, message string) {
	step, _ := Next(*r.MachineDeployment, *m.Machine) // Select has checked the MachineDeployment
	isVoid := r.leavesToUser() || r.Paused            // a promise of another strategy, or from before the pause
	switch {
	case m.Node == nil:
		return StateUnavailable, "no node has joined"
	case step.Do == ActionBlocked && m.hasFailed():
		if message := m.Node.Annotations[failureAnnotation]; message != "" {
			return StateFailed, message
		}
		return StateFailed, step.Why
	case step.Do == ActionBlocked:
		return StateFailed, step.Why
	case m.Phase == phaseFailed:
		return StateUnavailable, step.Why
	case m.stage == updated && m.Available:
		return StateUpdated, step.Why
	case m.isUnderUpdate():
		return StateUpdating, step.Why
	case m.stage == underway && !isVoid:
		return StateUpdating, step.Why
	case !m.Available:
		return StateUnavailable, "the machine is not available"
	case r.holdsBack(m.Node):
		return StateWaiting, step.Why
	case r.leavesToUser() || m.Node.isDeselected(r.Revision):
		return StateWaitingForUser, step.Why
	}
	return StateWaiting, step.Why
}
