package inplace_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// flow decides for one machine: [inplace.Next], or a naive one.
type flow func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step

func ours(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
	step, err := inplace.Next(p, m)
	if err != nil {
		panic(err)
	}
	return step
}

// nodeModel is a machine with its node, its agent, its user and its controllers, in every order of their actions.
type nodeModel struct {
	flow    flow
	manual  bool
	bare    bool     // the driver has no InPlace part
	targets []string // what the MachineDeployment asks for, one after the other; the machine begins updated to the first
	faults  int8     // how often something fails, or the user does something, on the way
}

// nodeWorld is a state of the model. Targets are indices into nodeModel.targets.
type nodeWorld struct {
	spec, owner, driver int8 // the target; what MachineSet owns the machine; whose InPlace part is applied
	unconfirmed, unable bool // of the driver
	phase               string
	reason              string
	candidate, selected bool
	chosen              int64 // the revision for which Select has selected the node, 0 for none
	result              string
	cordoned            bool
	mark                string
	userCordoned        bool // the user has cordoned the node, and wants it so
	isProtected, isOurs bool // from the autoscaler; the annotation is marked as ours
	isIgnored           bool // the annotation has a value that the autoscaler does not heed
	runs, job           int8 // what the node runs; for what the agent is at work, -1 for nothing
	late                int8 // a transfer to this target is still under way, -1 for none
	lateFrom            int8 // the owner when it was decided
	faults              int8
}

func (m nodeModel) start() nodeWorld {
	return nodeWorld{phase: "Running", job: -1, late: -1, faults: m.faults}
}

// cacheView is how a controller sees the MachineDeployment: the target that it takes for the newest, and whether it is paused.
type cacheView struct {
	target   int8
	isPaused bool
}

// observe returns the machine as a controller sees it.
func (m nodeModel) observe(w nodeWorld, g cacheView) (inplace.MachineDeployment, inplace.Machine) {
	k := g.target
	p := inplace.MachineDeployment{Target: m.targets[k], Revision: revision(k), Strategy: hotupdate.AutoInPlaceUpdate, Paused: g.isPaused}
	if m.manual {
		p.Strategy = hotupdate.ManualInPlaceUpdate
	}
	n := &inplace.Node{Labels: map[string]string{}, Annotations: map[string]string{}, Unschedulable: w.cordoned, Reason: w.reason}
	for label, set := range map[string]bool{candidateLabel: w.candidate, inplace.SelectedLabel: w.selected} {
		if set {
			n.Labels[label] = "true"
		}
	}
	if w.chosen != 0 {
		n.Annotations[inplace.SelectionAnnotation] = strconv.FormatInt(w.chosen, 10)
	}
	if w.result != "" {
		n.Labels[resultLabel] = w.result
	}
	if w.mark != "" {
		n.Annotations[inplace.RolloutAnnotation] = w.mark
	}
	if w.isProtected {
		n.Annotations[scaleDownDisabled] = "true"
	}
	if w.isIgnored {
		n.Annotations[scaleDownDisabled] = "false"
	}
	if w.isOurs {
		n.Annotations[scaleDownDisabledByMCM] = "true"
	}
	return p, inplace.Machine{
		Name: "m", Owner: m.targets[w.owner], Phase: w.phase, Available: w.phase == "Running", InPlace: m.inPlace(w, k), Node: n,
	}
}

func revision(k int8) int64 { return int64(k) + 1 }

func (m nodeModel) inPlace(w nodeWorld, k int8) machineupdate.InPlaceState {
	switch {
	case m.bare:
		return machineupdate.InPlaceApplied
	case m.targets[w.driver] == m.targets[k] && w.unconfirmed:
		return machineupdate.InPlaceUnconfirmed
	case m.targets[w.driver] == m.targets[k]:
		return machineupdate.InPlaceApplied
	case w.unable:
		return machineupdate.InPlaceUnable
	}
	return machineupdate.InPlacePending
}

// act is one step of a controller. A write of a node that has changed in between is a conflict, so that only the MachineDeployment can be
// stale, and the write of another object can come late.
func (m nodeModel) act(w nodeWorld, g cacheView) (nodeWorld, inplace.Step, error) {
	k := g.target
	p, machine := m.observe(w, g)
	step := m.flow(p, machine)
	was := w
	switch step.Do {
	case inplace.ActionDone:
		if w.phase != "Terminating" && m.targets[w.runs] != m.targets[k] && k == w.spec {
			return w, step, errors.New("done, and the node runs something else")
		}
	case inplace.ActionWriteNode, inplace.ActionSetCondition:
		w = w.written(step.Node)
	case inplace.ActionDrain:
		if !w.isProtected {
			return w, step, errors.New("a node is drained that the autoscaler may remove")
		}
		w = w.written(step.Node)
		w.phase = "InPlaceUpdating"
	case inplace.ActionApply: // the gate reads the node
		if w.reason == "DrainSuccessful" && w.cordoned {
			w.driver = k
			w.unconfirmed = true
		}
	case inplace.ActionTransfer:
		if w.runs < k || m.inPlace(w, k) != machineupdate.InPlaceApplied {
			return w, step, fmt.Errorf(
				"transferred to %s, and the node runs %s with the InPlace part of %s", m.targets[k], m.targets[w.runs], m.targets[w.driver],
			)
		}
		w.late = k
		w.lateFrom = w.owner
	case inplace.ActionWait, inplace.ActionBlocked:
	}
	if g.isPaused && was.isAtRest() && !w.isAtRest() {
		return w, step, errors.New("the update of a node begins while the MachineDeployment is paused")
	}
	return w, step, m.check(was, w, k)
}

// isAtRest reports whether the update of the node has not begun, or is over.
func (w nodeWorld) isAtRest() bool {
	isIdle := w.reason == "" || w.reason == "CandidateForUpdate" || w.reason == "UpdateSuccessful"
	return isIdle && w.result == "" && !w.isHeld()
}

// isHeld reports whether a controller has cordoned the node for its update, and has not given it back.
func (w nodeWorld) isHeld() bool { return strings.Contains(w.mark, "cordoned") }

// isDeselected reports whether a user has deselected the node.
func (w nodeWorld) isDeselected(k int8) bool { return !w.selected && w.chosen == revision(k) }

// written is the world after a write of the node.
func (w nodeWorld) written(n *inplace.Node) nodeWorld {
	_, w.candidate = n.Labels[candidateLabel]
	_, w.selected = n.Labels[inplace.SelectedLabel]
	w.chosen, _ = strconv.ParseInt(n.Annotations[inplace.SelectionAnnotation], 10, 64) // 0 without it
	w.result = n.Labels[resultLabel]
	w.reason = n.Reason
	w.cordoned = n.Unschedulable
	w.mark = n.Annotations[inplace.RolloutAnnotation]
	value, isAnnotated := n.Annotations[scaleDownDisabled]
	w.isProtected = value == "true"
	w.isIgnored = isAnnotated && value != "true"
	_, w.isOurs = n.Annotations[scaleDownDisabledByMCM]
	return w
}

// check holds a step of a controller against what is promised.
func (m nodeModel) check(was, w nodeWorld, k int8) error {
	wasForeign := was.isProtected && !was.isOurs
	isForeign := w.isProtected && !w.isOurs
	isGivenBack := !w.candidate
	switch {
	case was.isDeselected(k) && !w.isDeselected(k) && !isGivenBack:
		return errors.New("that the user has deselected the node is forgotten")
	case !was.isDeselected(k) && w.isDeselected(k):
		return errors.New("a deselection that is not the user's counts as theirs")
	case was.userCordoned && !w.cordoned:
		return errors.New("a cordon of the user is undone")
	case was.cordoned && !w.cordoned && w.job >= 0:
		return errors.New("a node is given back while its agent is at work")
	case !was.selected && w.selected:
		return errors.New("a node is selected")
	case was.reason != inplace.ReadyForUpdate && w.reason == inplace.ReadyForUpdate && !w.cordoned:
		return errors.New("a node is made ready that takes pods")
	case wasForeign && !isForeign:
		return errors.New("an annotation of somebody else is removed or taken over")
	case was.isProtected && !w.isProtected && w.job >= 0:
		return errors.New("the autoscaler may remove a node while its agent is at work")
	}
	return nil
}

// events are all that can happen in a state, beside the steps of controllers.
func (m nodeModel) events(w nodeWorld) []nodeWorld {
	var all []nodeWorld
	add := func(possible bool, change func(w *nodeWorld)) {
		if possible {
			after := w
			change(&after)
			all = append(all, after)
		}
	}
	fault := func(possible bool, change func(w *nodeWorld)) {
		add(possible && w.faults > 0, func(w *nodeWorld) { w.faults--; change(w) })
	}
	add(int(w.spec) < len(m.targets)-1, func(w *nodeWorld) { w.spec++ })
	add(m.mayBegin(w), func(w *nodeWorld) { w.job = w.spec })
	add(w.job >= 0, func(w *nodeWorld) {
		w.runs = w.job
		w.result = "successful"
		w.job = -1
	})
	fault(w.job >= 0, func(w *nodeWorld) {
		w.result = "failed"
		w.job = -1
	})
	fault(w.job >= 0, func(w *nodeWorld) { w.job = -1 })
	add(m.phaseAfter(w) != w.phase, func(w *nodeWorld) { w.phase = m.phaseAfter(*w) })
	fault(w.phase == "InPlaceUpdating" && w.result == "", func(w *nodeWorld) { w.phase = "InPlaceUpdateFailed" })
	add(w.late >= 0, func(w *nodeWorld) { *w = w.landed() })
	add(w.unconfirmed, func(w *nodeWorld) { w.unconfirmed = false })
	fault(w.unconfirmed, func(w *nodeWorld) {
		w.unconfirmed = false
		w.driver = 0
	})
	fault(w.driver > 0 && !w.unconfirmed, func(w *nodeWorld) { w.driver = 0 }) // a later read finds it to differ
	fault(!w.unable && !m.bare, func(w *nodeWorld) { w.unable = true })
	add(w.unable, func(w *nodeWorld) { w.unable = false })
	add(m.maySelect(w), m.selectNode)
	fault(w.chosen != 0, func(w *nodeWorld) { w.chosen = 0 })
	fault(m.maySelect(w) && !m.manual && w.spec > 0, func(w *nodeWorld) { // by a controller that is late
		w.selected = true
		w.chosen = revision(w.spec - 1)
	})
	fault(w.selected, func(w *nodeWorld) { w.selected = false })
	fault(!w.selected, func(w *nodeWorld) { w.selected = true })
	fault(w.result == "failed", func(w *nodeWorld) { w.result = "" })
	fault(w.result == "", func(w *nodeWorld) { w.result = "unknown" })
	fault(w.result == "unknown", func(w *nodeWorld) { w.result = "" })
	fault(!w.cordoned && !strings.Contains(w.mark, "cordoned"), func(w *nodeWorld) {
		w.cordoned = true
		w.userCordoned = true
	})
	fault(w.cordoned, func(w *nodeWorld) {
		w.cordoned = false
		w.userCordoned = false
	})
	fault(!w.isProtected, func(w *nodeWorld) {
		w.isProtected = true
		w.isIgnored = false
	})
	fault(!w.isIgnored, func(w *nodeWorld) {
		w.isProtected = false
		w.isIgnored = true
	})
	fault(w.isProtected, func(w *nodeWorld) { w.isProtected = false })
	fault(w.phase != "Terminating", func(w *nodeWorld) { w.phase = "Terminating" })
	return all
}

// mayBegin reports whether the agent begins with an update: once the node is ready, and of its own accord after a failure.
func (m nodeModel) mayBegin(w nodeWorld) bool {
	isReady := w.reason == inplace.ReadyForUpdate && w.result == ""
	return w.job < 0 && (isReady || w.result == "failed")
}

// maySelect reports whether the rollout, or the user of a manual pool, selects the node.
func (m nodeModel) maySelect(w nodeWorld) bool {
	isCandidate := w.candidate && w.reason == "CandidateForUpdate"
	isOpen := !w.selected && (m.manual || !w.isDeselected(w.spec))
	return isCandidate && isOpen && m.inPlace(w, w.spec) != machineupdate.InPlaceUnable
}

// selectNode selects the node as the rollout does, or the user of a manual pool.
func (m nodeModel) selectNode(w *nodeWorld) {
	w.selected = true
	if !m.manual {
		w.chosen = revision(w.spec)
	}
}

// phaseAfter is the phase that the health check of the machine controller gives.
func (m nodeModel) phaseAfter(w nodeWorld) string {
	updating := w.phase == "InPlaceUpdating" || w.phase == "InPlaceUpdateFailed"
	switch {
	case updating && w.result == "successful":
		return "InPlaceUpdateSuccessful"
	case updating && w.result == "failed":
		return "InPlaceUpdateFailed"
	case updating && m.isCandidate(w):
		return "Running"
	case w.phase == "InPlaceUpdateSuccessful":
		return "Running"
	}
	return w.phase
}

// isCandidate is what the package says of the node.
func (m nodeModel) isCandidate(w nodeWorld) bool {
	_, machine := m.observe(w, cacheView{target: w.spec})
	return machine.Node.IsCandidate()
}

// landed is the world after a late transfer, which conflicts if the owner has changed.
func (w nodeWorld) landed() nodeWorld {
	if w.owner == w.lateFrom {
		w.owner = w.late
	}
	w.late = -1
	w.lateFrom = 0
	return w
}

// explore visits every state, and returns the first broken promise with the way there.
func (m nodeModel) explore() (states int, err error) {
	from := map[nodeWorld]nodeWorld{m.start(): {}}
	good := [4]map[nodeWorld]bool{{}, {}, {}, {}}
	for queue := []nodeWorld{m.start()}; len(queue) > 0; {
		w := queue[0]
		queue = queue[1:]
		next := m.events(w)
		for k := range 2 * (w.spec + 1) {
			g := cacheView{target: k / 2, isPaused: k%2 == 1}
			after, step, err := m.act(w, g)
			if err != nil {
				return len(from), fmt.Errorf("%w: %s for %s%s", err, step.Do, m.targets[g.target], trail(from, w))
			}
			next = append(next, after)
		}
		for _, after := range next {
			if _, seen := from[after]; !seen {
				from[after] = w
				queue = append(queue, after)
			}
		}
		for i, env := range [4]environment{{}, {silent: true}, {unable: true}, {paused: true}} {
			if err := m.ends(w, env, good[i]); err != nil {
				return len(from), fmt.Errorf("%w%s", err, trail(from, w))
			}
		}
	}
	return len(from), nil
}

// trail is the shortest way to a state.
func trail[W comparable](from map[W]W, w W) string {
	var start W
	if w == start {
		return ""
	}
	return trail(from, from[w]) + fmt.Sprintf("\n\t%+v", w)
}

// environment is who does not do their work, and whether the MachineDeployment is paused for ever.
type environment struct {
	silent, unable bool // the agent, the driver
	paused         bool
}

// ends lets everybody do their work from a state on, without failures and changes: the machine must end updated and given back, or its
// user must be told. Good are states that are known to end well.
func (m nodeModel) ends(w nodeWorld, env environment, good map[nodeWorld]bool) error {
	w.faults = 0
	w.unable = env.unable
	var way []nodeWorld
	for !good[w] {
		if len(way) > 100 {
			return fmt.Errorf("goes on for ever %+v: %+v", env, w)
		}
		way = append(way, w)
		after, err := m.fair(w, env)
		if err == nil && after == w {
			err = m.isEnd(w, env)
			good[w] = true
		}
		if err != nil {
			return fmt.Errorf("%w %+v: %+v", err, env, w)
		}
		w = after
	}
	for _, w := range way {
		good[w] = true
	}
	return nil
}

// fair is one round in which everybody acts who can.
func (m nodeModel) fair(w nodeWorld, env environment) (nodeWorld, error) {
	if w.late >= 0 {
		w = w.landed()
	}
	w.unconfirmed = false
	switch {
	case env.silent:
		w.job = -1
		isOpen := w.result == "" || w.result == "unknown"
		if w.phase == "InPlaceUpdating" && w.reason == inplace.ReadyForUpdate && isOpen {
			w.phase = "InPlaceUpdateFailed"
		}
	case w.job >= 0:
		w.runs = w.job
		w.result = "successful"
		w.job = -1
	case m.mayBegin(w):
		w.job = w.spec
	case w.phase == "InPlaceUpdating" && w.reason == inplace.ReadyForUpdate && w.result == "unknown": // until the time is over
		w.phase = "InPlaceUpdateFailed"
	}
	w.phase = m.phaseAfter(w)
	if m.maySelect(w) && (!env.paused || w.isHeld()) {
		m.selectNode(&w)
	}
	w, _, err := m.act(w, cacheView{target: w.spec, isPaused: env.paused})
	return w, err
}

// isEnd reports what is wrong with a state in which nobody acts any more.
func (m nodeModel) isEnd(w nodeWorld, env environment) error {
	_, step, err := m.act(w, cacheView{target: w.spec, isPaused: env.paused})
	isMarked := w.candidate || w.selected || w.result != ""
	isHeld := w.isOurs || w.cordoned != w.userCordoned
	mayBlock := env.silent || env.unable
	hasFailed := w.result == "failed" || w.reason == "UpdateFailed"
	mayWait := env.paused || !m.manual && w.isDeselected(w.spec)
	switch {
	case err != nil:
		return err
	case mayBlock && step.Do == inplace.ActionBlocked:
		return nil
	case env.paused && step.Do == inplace.ActionBlocked && hasFailed:
		return nil
	case mayWait && step.Do == inplace.ActionWait:
		return m.waits(w, env)
	case step.Do != inplace.ActionDone:
		return fmt.Errorf("waits for ever: %s, %s", step.Do, step.Why)
	case w.phase == "Terminating":
		return nil
	case w.phase != "Running":
		return errors.New("ends in another phase")
	case m.targets[w.runs] != m.targets[w.spec] || m.targets[w.owner] != m.targets[w.spec] ||
		m.inPlace(w, w.spec) != machineupdate.InPlaceApplied:
		return errors.New("ends without the update")
	case isMarked || isHeld:
		return errors.New("ends, and the node is not given back")
	}
	return nil
}

// waits reports what is wrong with a node that waits for its user or for the end of a pause. If its update had failed,
// and its user does not select it, it stays cordoned, as its agent may be at work.
func (m nodeModel) waits(w nodeWorld, env environment) error {
	mayBeAtWork := strings.Contains(w.mark, "unconfirmed") && (m.manual || w.isDeselected(w.spec))
	switch {
	case w.phase != "Running" && w.phase != "Terminating" && !mayBeAtWork:
		return errors.New("waits in the phase " + w.phase)
	case w.isHeld() && !mayBeAtWork:
		return errors.New("waits, and the node is not given back")
	case w.job >= 0:
		return errors.New("waits, and the agent is at work")
	case !m.isCandidate(w) && !env.paused && !mayBeAtWork:
		return errors.New("waits, and is no candidate")
	}
	return nil
}

var sequences = map[string][]string{"a newer target": {"a", "b", "c"}, "a rollback": {"a", "b", "a"}}

// TestModelNode: what the package promises of a node holds in every state.
func TestModelNode(t *testing.T) {
	t.Parallel()
	for name, targets := range sequences {
		for _, kind := range []struct{ manual, bare bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
			t.Run(fmt.Sprintf("%s %+v", name, kind), func(t *testing.T) {
				t.Parallel()
				m := nodeModel{flow: ours, manual: kind.manual, bare: kind.bare, targets: targets, faults: 1}
				if effort.All() {
					m.faults = 2
				}
				if *long {
					m.faults = 4
				}
				states, err := m.explore()
				require.NoError(t, err)
				t.Logf("%d states", states)
				require.Greater(t, states, 1_000)
			})
		}
	}
}

// naive flows, each without one rule, with the promise that the model finds broken.
var naiveNodes = map[string]struct {
	targets, want string
	flow          flow
}{ // the driver has an InPlace part where the name says something of it
	"upstream undoes every cordon": {
		"a newer target", "a cordon of the user is undone",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			step := ours(p, m)
			if step.Do == inplace.ActionWriteNode && m.Node.Reason == "UpdateSuccessful" {
				step.Node.Unschedulable = false
			}
			return step
		},
	},
	"upstream believes every answer": {
		"a newer target", "transferred to c, and the node runs b",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			if m.Node.Labels[resultLabel] == "successful" {
				m = remembering(m, func(mark *mark) { mark.Revision = p.Revision })
			}
			return ours(p, m)
		},
	},
	"the first answer after a failure is believed": {
		"a newer target", "transferred to c, and the node runs b",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			if m.Node.Labels[resultLabel] == "successful" {
				m = remembering(m, func(mark *mark) { mark.Unconfirmed = false })
			}
			return ours(p, m)
		},
	},
	"the driver does not apply the InPlace part": {
		"a newer target", "the InPlace part of a",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			m.InPlace = machineupdate.InPlaceApplied
			return ours(p, m)
		},
	},
	"what the driver has applied is not looked at after the update": {
		"a newer target", "the InPlace part of a",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			if m.Node.Labels[resultLabel] == "successful" {
				m.InPlace = machineupdate.InPlaceApplied
			}
			return ours(p, m)
		},
	},
	"a drained node is ready, whoever has uncordoned it": {
		"a newer target", "takes pods",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			step := ours(p, m)
			if m.Node.Reason == "DrainSuccessful" && !m.Node.Unschedulable && step.Do == inplace.ActionSetCondition {
				step.Node.Reason = inplace.ReadyForUpdate
			}
			return step
		},
	},
	"the owner alone says what a machine is": {
		"a rollback", "runs something else",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			if m.Owner == p.Target && m.Node.Reason == "UpdateSuccessful" {
				m = remembering(m, func(mark *mark) { mark.Done = mark.Revision != 0 })
			}
			return ours(p, m)
		},
	},
	"a stale revision counts": {"a rollback", "runs something else", func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
		return ours(p, remembering(m, func(mark *mark) {
			mark.Revision = min(mark.Revision, p.Revision)
		}))
	}},
	"machine-controller-manager before #1020: transferred before its phase": {
		"a newer target", "phase",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			if m.Phase == "InPlaceUpdating" && m.Node.Labels[resultLabel] == "successful" {
				m.Phase = "Running"
			}
			return ours(p, m)
		},
	},
	"the autoscaler is not told": {
		"a newer target", "that the autoscaler may remove",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			m.Node.Annotations[scaleDownDisabled] = "true"
			step := ours(p, m)
			if step.Node != nil {
				delete(step.Node.Annotations, scaleDownDisabled)
			}
			return step
		},
	},
	"upstream's marker is not read": {
		"a newer target", "an annotation of somebody else",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			step := ours(p, m)
			if step.Do == inplace.ActionWriteNode && m.Owner == p.Target {
				delete(step.Node.Annotations, scaleDownDisabled)
				delete(step.Node.Annotations, scaleDownDisabledByMCM)
			}
			return step
		},
	},
	"our annotation stays": {"a newer target", "not given back", func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
		m.Preserved = true
		return ours(p, m)
	}},
	"a pause holds nothing back": {
		"a newer target", "begins while the MachineDeployment is paused",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			p.Paused = false
			return ours(p, m)
		},
	},
	"upstream gives no node back during a pause": {
		"a newer target", "not given back",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			step := ours(p, m)
			isLast := step.Do == inplace.ActionTransfer || m.Owner == p.Target
			if p.Paused && isLast {
				return inplace.Step{Do: inplace.ActionWait}
			}
			return step
		},
	},
	"a pause holds back nodes that are drained": {
		"a newer target", "waits in the phase InPlaceUpdating",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			if p.Paused && m.Node.Reason == "DrainSuccessful" {
				return inplace.Step{Do: inplace.ActionWait}
			}
			return ours(p, m)
		},
	},
	"every removed label is the user's": {
		"a newer target", "counts as theirs",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			step := ours(p, m)
			if step.Do == inplace.ActionWriteNode && has(m.Node.Annotations, inplace.SelectionAnnotation) {
				step.Node.Annotations[inplace.SelectionAnnotation] = m.Node.Annotations[inplace.SelectionAnnotation]
			}
			return step
		},
	},
	"a deselected node is a candidate like the others": {
		"a newer target", "that the user has deselected the node is forgotten",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			step := ours(p, m)
			if step.Do == inplace.ActionWriteNode && m.Node.Reason == "SelectedForUpdate" {
				delete(step.Node.Annotations, inplace.SelectionAnnotation)
			}
			return step
		},
	},
	"a timeout is not told": {"a newer target", "waits for ever", func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
		if m.Phase == "InPlaceUpdateFailed" {
			m.Phase = "Running"
		}
		return ours(p, m)
	}},
	"a node is drained whatever the driver can do": {
		"a newer target", "waits for ever",
		func(p inplace.MachineDeployment, m inplace.Machine) inplace.Step {
			if m.InPlace == machineupdate.InPlaceUnable {
				m.InPlace = machineupdate.InPlacePending
			}
			return ours(p, m)
		},
	},
}

// TestModelNaiveNode: each rule is needed, for without it the model finds a broken promise.
func TestModelNaiveNode(t *testing.T) {
	t.Parallel()
	for name, naive := range naiveNodes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := nodeModel{
				flow: naive.flow, bare: !strings.Contains(name, "driver"), targets: sequences[naive.targets], faults: 2,
			}.explore()
			require.ErrorContains(t, err, naive.want)
		})
	}
}

func has(values map[string]string, key string) bool {
	_, ok := values[key]
	return ok
}

// mark is what a node's annotation remembers.
type mark struct {
	Revision    int64 `json:"revision,omitempty"`
	Done        bool  `json:"done,omitempty"`
	Cordoned    bool  `json:"cordoned,omitempty"`
	Unconfirmed bool  `json:"unconfirmed,omitempty"`
}

// remembering returns the machine with another mark on its node.
func remembering(m inplace.Machine, change func(*mark)) inplace.Machine {
	var remembered mark
	if text, ok := m.Node.Annotations[inplace.RolloutAnnotation]; ok {
		if err := json.Unmarshal([]byte(text), &remembered); err != nil {
			panic(err)
		}
	}
	change(&remembered)
	text, err := json.Marshal(remembered)
	if err != nil {
		panic(err)
	}
	delete(m.Node.Annotations, inplace.RolloutAnnotation)
	if remembered != (mark{}) {
		m.Node.Annotations[inplace.RolloutAnnotation] = string(text)
	}
	return m
}
