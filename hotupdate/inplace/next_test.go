package inplace_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Names that this package shares with machine-controller-manager and others.
const (
	candidateLabel         = "node.machine.sapcloud.io/candidate-for-update"
	resultLabel            = "node.machine.sapcloud.io/update-result"
	failureAnnotation      = "node.machine.sapcloud.io/update-failed-reason"
	scaleDownDisabled      = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
	scaleDownDisabledByMCM = "cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm"
	machinePriority        = "machinepriority.machine.sapcloud.io"
)

// node writes a node in words: its reason, then cordoned, labels without their prefix, and the mark
// in braces. A candidate has our annotations for the cluster-autoscaler, unless it is unprotected,
// or theirs, which means that somebody else wrote the annotation.
func node(words string) *inplace.Node {
	n := &inplace.Node{Labels: map[string]string{}, Annotations: map[string]string{}}
	for word := range strings.FieldsSeq(words) {
		switch {
		case word == "cordoned":
			n.Unschedulable = true
		case word[0] == '{':
			n.Annotations[inplace.RolloutAnnotation] = word
		case strings.HasPrefix(word, "for:"): // selected by Select for a revision, now or before
			n.Annotations[inplace.SelectionAnnotation] = strings.TrimPrefix(word, "for:")
		case word == "candidate":
			n.Labels[candidateLabel] = "true"
			n.Annotations[scaleDownDisabled] = "true"
			n.Annotations[scaleDownDisabledByMCM] = "true"
		case word == "protected":
			n.Annotations[scaleDownDisabled] = "true"
			n.Annotations[scaleDownDisabledByMCM] = "true"
		case word == "unprotected":
			delete(n.Annotations, scaleDownDisabled)
			delete(n.Annotations, scaleDownDisabledByMCM)
		case word == "theirs":
			n.Annotations[scaleDownDisabled] = "true"
			delete(n.Annotations, scaleDownDisabledByMCM)
		case word == "marker":
			delete(n.Annotations, scaleDownDisabled)
			n.Annotations[scaleDownDisabledByMCM] = "true"
		case word == "changed":
			n.Annotations[scaleDownDisabled] = "false"
		case word == "selected":
			n.Labels[inplace.SelectedLabel] = "true"
		case word == "successful" || word == "failed" || word == "unclear":
			n.Labels[resultLabel] = word
		case word == "because":
			n.Annotations[failureAnnotation] = "the disk is full"
		default:
			n.Reason = word
		}
	}
	return n
}

// words is the inverse of node, with sorted words.
func words(n *inplace.Node) string {
	if n == nil {
		return ""
	}
	all := []string{}
	for label, value := range n.Labels {
		word, _, _ := strings.Cut(strings.TrimPrefix(label, "node.machine.sapcloud.io/"), "-for-update")
		if label == resultLabel {
			word = value
		}
		all = append(all, word)
	}
	if text, ok := n.Annotations[inplace.RolloutAnnotation]; ok {
		all = append(all, text)
	}
	if revision, ok := n.Annotations[inplace.SelectionAnnotation]; ok {
		all = append(all, "for:"+revision)
	}
	if _, ok := n.Annotations[failureAnnotation]; ok {
		all = append(all, "because")
	}
	_, isCandidate := n.Labels[candidateLabel]
	ours := n.Annotations[scaleDownDisabledByMCM]
	switch theirs := n.Annotations[scaleDownDisabled]; {
	case theirs == "false":
		all = append(all, "changed")
	case theirs == "true" && ours == "":
		all = append(all, "theirs")
	case theirs == "" && ours == "true":
		all = append(all, "marker")
	case theirs == "true" && !isCandidate:
		all = append(all, "protected")
	case theirs == "" && isCandidate:
		all = append(all, "unprotected")
	}
	if n.Unschedulable {
		all = append(all, "cordoned")
	}
	slices.Sort(all)
	return strings.TrimSpace(n.Reason + " " + strings.Join(all, " "))
}

func TestNext(t *testing.T) {
	t.Parallel()
	const (
		rev2  = `{"revision":2}`
		ours2 = `{"revision":2,"cordoned":true}`
		ours1 = `{"revision":1,"cordoned":true}`
	)
	const unsure2 = `{"revision":2,"cordoned":true,"unconfirmed":true}`
	for _, tc := range []struct {
		name, node string
		change     func(p *inplace.MachineDeployment, m *inplace.Machine)
		do         inplace.Action
		want       string // the node to write
	}{
		{"a new update", "", nil, inplace.ActionSetCondition, "CandidateForUpdate"},
		{
			"the update before is over", `UpdateSuccessful {"revision":1,"done":true}`, nil, inplace.ActionSetCondition,
			`CandidateForUpdate {"revision":1,"done":true}`,
		},
		{"a candidate is labelled", "CandidateForUpdate", nil, inplace.ActionWriteNode, "CandidateForUpdate candidate"},
		{"a candidate waits for Select", "CandidateForUpdate candidate", nil, inplace.ActionWait, ""},
		{"a candidate waits for its user", "CandidateForUpdate candidate", manual, inplace.ActionWait, ""},
		{"a candidate that its driver cannot update", "CandidateForUpdate candidate", unable, inplace.ActionBlocked, ""},
		{
			"selected by the user, and its driver cannot", "CandidateForUpdate candidate selected", unable, inplace.ActionWriteNode,
			"CandidateForUpdate candidate",
		},
		{
			"a candidate is selected", "CandidateForUpdate candidate selected", nil, inplace.ActionSetCondition,
			"SelectedForUpdate candidate selected",
		},
		{
			"a selected node is cordoned", "SelectedForUpdate candidate selected", nil, inplace.ActionWriteNode,
			"SelectedForUpdate candidate cordoned selected " + ours2,
		},
		{
			"somebody else has cordoned it", "SelectedForUpdate candidate selected cordoned", nil, inplace.ActionWriteNode,
			"SelectedForUpdate candidate cordoned selected " + rev2,
		},
		{
			"a cordoned node is drained", "SelectedForUpdate candidate selected cordoned " + ours2, nil, inplace.ActionDrain,
			"DrainSuccessful candidate cordoned selected " + ours2,
		},
		{
			"it is not selected any more", "SelectedForUpdate candidate cordoned " + ours2, nil, inplace.ActionWriteNode,
			"SelectedForUpdate candidate " + rev2,
		},
		{
			"and is a candidate again", "SelectedForUpdate candidate " + rev2, nil, inplace.ActionSetCondition,
			"CandidateForUpdate candidate " + rev2,
		},
		{
			"its driver has become unable", "DrainSuccessful candidate selected cordoned " + ours2, unable, inplace.ActionWriteNode,
			"DrainSuccessful candidate " + rev2,
		},
		{"the InPlace part comes first", "DrainSuccessful candidate selected cordoned " + ours2, pending, inplace.ActionApply, ""},
		{"unknown is not applied", "DrainSuccessful candidate selected cordoned " + ours2, unknown, inplace.ActionApply, ""},
		{
			"then the agent", "DrainSuccessful candidate selected cordoned " + ours2, nil, inplace.ActionSetCondition,
			"ReadyForUpdate candidate cordoned selected " + ours2,
		},
		{
			"then the agent, and the InPlace part is confirmed meanwhile", "DrainSuccessful candidate selected cordoned " + ours2,
			unconfirmed, inplace.ActionSetCondition, "ReadyForUpdate candidate cordoned selected " + ours2,
		},
		{
			"the time was over before", "DrainSuccessful candidate selected cordoned " + ours2, timedOut, inplace.ActionSetCondition,
			"SelectedForUpdate candidate cordoned selected " + ours2,
		},
		{
			"uncordoned by somebody", "DrainSuccessful candidate selected " + ours2, nil, inplace.ActionSetCondition,
			"SelectedForUpdate candidate selected " + ours2,
		},
		{
			"a newer target before the agent", "DrainSuccessful candidate selected cordoned " + ours1, nil, inplace.ActionWriteNode,
			"DrainSuccessful candidate cordoned selected " + ours2,
		},
		{"the agent is at work", "ReadyForUpdate candidate selected cordoned " + ours2, nil, inplace.ActionWait, ""},
		{"the agent is at work for another target", "ReadyForUpdate candidate selected cordoned " + ours1, nil, inplace.ActionWait, ""},
		{
			"the agent is silent", "ReadyForUpdate candidate selected cordoned " + ours2, timedOut, inplace.ActionWriteNode,
			"ReadyForUpdate because candidate cordoned failed selected " + ours2,
		},
		{
			"the agent has updated the node", "ReadyForUpdate candidate selected cordoned successful " + ours2, nil,
			inplace.ActionSetCondition, "UpdateSuccessful candidate cordoned selected successful " + ours2,
		},
		{"the phase comes first", "UpdateSuccessful candidate selected cordoned successful " + ours2, updating, inplace.ActionWait, ""},
		{"the owner changes", "UpdateSuccessful candidate selected cordoned successful " + ours2, nil, inplace.ActionTransfer, ""},
		{
			"the InPlace part is to be confirmed first", "UpdateSuccessful candidate selected cordoned successful " + ours2, unconfirmed,
			inplace.ActionWait, "",
		},
		{
			"the InPlace part was not applied", "UpdateSuccessful candidate selected cordoned successful " + ours2, pending,
			inplace.ActionSetCondition, "SelectedForUpdate candidate cordoned selected successful " + ours2,
		},
		{
			"the InPlace part was not applied, manual", "ReadyForUpdate candidate selected cordoned successful " + ours2,
			both(manual, pending), inplace.ActionSetCondition, "CandidateForUpdate candidate cordoned selected successful " + ours2,
		},
		{
			"an answer for another target", "ReadyForUpdate candidate selected cordoned successful " + ours1, nil,
			inplace.ActionSetCondition, "SelectedForUpdate candidate cordoned selected successful " + ours1,
		},
		{
			"it goes after the condition", "SelectedForUpdate candidate selected cordoned successful " + ours1, nil,
			inplace.ActionWriteNode, "SelectedForUpdate candidate cordoned selected " + ours1,
		},
		{
			"an answer for another target, manual", "ReadyForUpdate candidate selected cordoned successful " + ours1, manual,
			inplace.ActionSetCondition, "CandidateForUpdate candidate cordoned selected successful " + ours1,
		},
		{
			"its user selects again", "CandidateForUpdate candidate selected cordoned successful " + ours1, manual, inplace.ActionWriteNode,
			`CandidateForUpdate candidate {"revision":1}`,
		},
		{
			"the update has failed", "ReadyForUpdate candidate selected cordoned failed because " + ours2, nil, inplace.ActionSetCondition,
			"UpdateFailed because candidate cordoned failed selected " + ours2,
		},
		{
			"a failure waits for somebody", "UpdateFailed candidate selected cordoned failed because " + ours2, nil, inplace.ActionBlocked,
			"",
		},
		{
			"the agent succeeds after all", "UpdateFailed candidate selected cordoned successful " + ours2, nil, inplace.ActionSetCondition,
			"UpdateSuccessful candidate cordoned selected successful " + ours2,
		},
		{
			"the user clears the failure", "UpdateFailed candidate selected cordoned " + ours2, nil, inplace.ActionWriteNode,
			"UpdateFailed candidate cordoned selected " + unsure2,
		},
		{
			"and it is selected again", "UpdateFailed candidate selected cordoned " + unsure2, nil, inplace.ActionSetCondition,
			"SelectedForUpdate candidate cordoned selected " + unsure2,
		},
		{
			"a newer target clears the failure", "UpdateFailed candidate selected cordoned failed " + ours1, nil, inplace.ActionWriteNode,
			`UpdateFailed candidate cordoned failed selected {"revision":1,"cordoned":true,"unconfirmed":true}`,
		},
		{
			"the next answer is not believed", "ReadyForUpdate candidate selected cordoned successful " + unsure2, nil,
			inplace.ActionSetCondition, "SelectedForUpdate candidate cordoned selected successful " + unsure2,
		},
		{
			"not in a manual pool either", "ReadyForUpdate candidate selected cordoned successful " + unsure2, manual,
			inplace.ActionSetCondition, "SelectedForUpdate candidate cordoned selected successful " + unsure2,
		},
		{
			"the agent is asked once more", "SelectedForUpdate candidate selected cordoned successful " + unsure2, nil,
			inplace.ActionWriteNode, "SelectedForUpdate candidate cordoned selected " + ours2,
		},
		{
			"a node that failed stays cordoned as a candidate", "SelectedForUpdate candidate cordoned " + unsure2, nil,
			inplace.ActionSetCondition, "CandidateForUpdate candidate cordoned " + unsure2,
		},
		{
			"the node is given back", "UpdateSuccessful candidate selected cordoned successful " + ours2, transferred,
			inplace.ActionWriteNode, `UpdateSuccessful {"revision":2,"done":true}`,
		},
		{
			"a cordon of the user stays", "UpdateSuccessful candidate selected cordoned successful " + rev2, transferred,
			inplace.ActionWriteNode, `UpdateSuccessful cordoned {"revision":2,"done":true}`,
		},
		{"it is updated", `UpdateSuccessful {"revision":2,"done":true}`, transferred, inplace.ActionDone, ""},
		{
			"its InPlace part was found to differ", `UpdateSuccessful {"revision":2,"done":true}`, both(transferred, pending),
			inplace.ActionSetCondition, `CandidateForUpdate {"revision":2,"done":true}`,
		},
		{
			"and it is cordoned anew", `SelectedForUpdate candidate selected cordoned {"revision":2,"done":true}`,
			both(transferred, pending), inplace.ActionWriteNode, "SelectedForUpdate candidate cordoned selected " + rev2,
		},
		{"created for the target", "", transferred, inplace.ActionDone, ""},
		{"rolled back before it was selected", "CandidateForUpdate candidate", transferred, inplace.ActionWriteNode, "CandidateForUpdate"},
		{"rolled back under update", "ReadyForUpdate candidate selected cordoned " + ours1, transferred, inplace.ActionWait, ""},
		{
			"rolled back after the agent's answer", "ReadyForUpdate candidate selected cordoned successful " + ours1, transferred,
			inplace.ActionSetCondition, "SelectedForUpdate candidate cordoned selected successful " + ours1,
		},
		{
			"a stale MachineDeployment", `ReadyForUpdate candidate selected cordoned successful {"revision":3,"cordoned":true}`, nil,
			inplace.ActionWait, "",
		},
		{
			"an unreadable mark is none", "SelectedForUpdate candidate selected cordoned {", nil, inplace.ActionWriteNode,
			"SelectedForUpdate candidate cordoned selected " + rev2,
		},
		{"a reason of a later release", "Rebooting candidate", nil, inplace.ActionBlocked, ""},
		{
			"the autoscaler has to wait for a node that a release before selected", "SelectedForUpdate candidate selected unprotected", nil,
			inplace.ActionWriteNode, "SelectedForUpdate candidate selected",
		},
		{
			"it has to wait for an agent that is at work, whoever removed the annotation",
			"ReadyForUpdate candidate selected cordoned unprotected " + ours2, nil, inplace.ActionWriteNode,
			"ReadyForUpdate candidate cordoned selected " + ours2,
		},
		{
			"it has to wait for a node that nobody selects any more and that we have cordoned",
			"ReadyForUpdate candidate cordoned unprotected " + ours2, nil, inplace.ActionWriteNode,
			"ReadyForUpdate candidate cordoned " + ours2,
		},
		{
			"it waits already for somebody else", "CandidateForUpdate theirs", nil, inplace.ActionWriteNode,
			"CandidateForUpdate candidate theirs",
		},
		{
			"a value that the autoscaler does not heed is replaced", "SelectedForUpdate candidate changed selected", nil,
			inplace.ActionWriteNode, "SelectedForUpdate candidate selected",
		},
		{
			"a marker alone protects nothing", "ReadyForUpdate candidate marker selected cordoned " + ours2, nil, inplace.ActionWriteNode,
			"ReadyForUpdate candidate cordoned selected " + ours2,
		},
		{
			"the annotation of somebody else stays", "UpdateSuccessful candidate theirs selected cordoned successful " + ours2, transferred,
			inplace.ActionWriteNode, `UpdateSuccessful theirs {"revision":2,"done":true}`,
		},
		{
			"a value of somebody else stays", "UpdateSuccessful candidate selected cordoned changed successful " + ours2, transferred,
			inplace.ActionWriteNode, `UpdateSuccessful changed {"revision":2,"done":true}`,
		},
		{
			"a preserved machine keeps the annotation", "UpdateSuccessful candidate selected cordoned successful " + ours2,
			both(transferred, preserved), inplace.ActionWriteNode, `UpdateSuccessful protected {"revision":2,"done":true}`,
		},
		{
			"rolled back, and the label was removed by hand", "CandidateForUpdate protected", transferred, inplace.ActionWriteNode,
			"CandidateForUpdate",
		},
		{"an unclear answer is none", "ReadyForUpdate candidate selected cordoned unclear " + ours2, nil, inplace.ActionWait, ""},
		{
			"an unclear answer ends with the time", "ReadyForUpdate candidate selected cordoned unclear " + ours2, timedOut,
			inplace.ActionWriteNode, "ReadyForUpdate because candidate cordoned failed selected " + ours2,
		},
		{
			"deselected by its user", "SelectedForUpdate candidate for:2 cordoned " + ours2, nil, inplace.ActionWriteNode,
			"SelectedForUpdate candidate for:2 " + rev2,
		},
		{"it waits for its user", "CandidateForUpdate candidate for:2 " + rev2, nil, inplace.ActionWait, ""},
		{
			"deselected by us", "DrainSuccessful candidate selected for:2 cordoned " + ours2, unable, inplace.ActionWriteNode,
			"DrainSuccessful candidate " + rev2,
		},
		{
			"deselected by us, for a former revision", "CandidateForUpdate candidate selected for:1", unable, inplace.ActionWriteNode,
			"CandidateForUpdate candidate",
		},
		{
			"selected for the former revision, and for this one", "SelectedForUpdate candidate selected for:1", nil,
			inplace.ActionWriteNode, "SelectedForUpdate candidate cordoned for:2 selected " + ours2,
		},
		{
			"the selection is over", "UpdateSuccessful candidate selected for:2 cordoned successful " + ours2, transferred,
			inplace.ActionWriteNode, `UpdateSuccessful {"revision":2,"done":true}`,
		},
		{"deselected, and rolled back", "CandidateForUpdate candidate for:2", transferred, inplace.ActionWriteNode, "CandidateForUpdate"},
		{"a pause before the update", "", duringPause, inplace.ActionWait, ""},
		{"a pause before the label", "CandidateForUpdate", duringPause, inplace.ActionWait, ""},
		{"a pause before the drain", "CandidateForUpdate candidate selected", duringPause, inplace.ActionWait, ""},
		{"a pause, and selected by the user", "CandidateForUpdate candidate selected", both(manual, duringPause), inplace.ActionWait, ""},
		{
			"a pause during the drain", "SelectedForUpdate candidate selected", duringPause, inplace.ActionWriteNode,
			"SelectedForUpdate candidate cordoned selected " + ours2,
		},
		{
			"a pause, and its user deselects it", "DrainSuccessful candidate cordoned " + ours2, duringPause, inplace.ActionWriteNode,
			"DrainSuccessful candidate " + rev2,
		},
		{
			"a pause after the drain", "DrainSuccessful candidate selected cordoned " + ours2, both(duringPause, pending),
			inplace.ActionApply, "",
		},
		{
			"a pause before the agent", "DrainSuccessful candidate selected cordoned " + ours2, duringPause, inplace.ActionSetCondition,
			"ReadyForUpdate candidate cordoned selected " + ours2,
		},
		{
			"a pause after the agent", "UpdateSuccessful candidate selected cordoned successful " + ours2, duringPause,
			inplace.ActionTransfer, "",
		},
		{
			"a pause before the node is given back", "UpdateSuccessful candidate selected cordoned successful " + ours2,
			both(transferred, duringPause), inplace.ActionWriteNode, `UpdateSuccessful {"revision":2,"done":true}`,
		},
		{
			"a pause, and the answer is gone", "UpdateSuccessful candidate selected cordoned " + ours2, duringPause,
			inplace.ActionSetCondition, "CandidateForUpdate candidate cordoned selected " + ours2,
		},
		{
			"it goes on, as it is cordoned", "CandidateForUpdate candidate selected cordoned " + ours2, duringPause,
			inplace.ActionSetCondition, "SelectedForUpdate candidate cordoned selected " + ours2,
		},
		{
			"a pause of an updated machine", `UpdateSuccessful {"revision":2,"done":true}`, both(transferred, duringPause),
			inplace.ActionDone, "",
		},
		{"no node", "", func(_ *inplace.MachineDeployment, m *inplace.Machine) { m.Node = nil }, inplace.ActionBlocked, ""},
		{
			"no node yet", "", both(transferred, func(_ *inplace.MachineDeployment, m *inplace.Machine) { m.Node = nil }),
			inplace.ActionDone, "",
		},
		{"not created yet", "", inPhase(""), inplace.ActionDone, ""},
		{"its creation fails", "", inPhase("CrashLoopBackOff"), inplace.ActionDone, ""},
		{"not joined", "SelectedForUpdate candidate selected", inPhase("Pending"), inplace.ActionDone, ""},
		{
			"not joined, and given back later", "UpdateSuccessful candidate selected cordoned successful " + ours2,
			both(transferred, inPhase("Pending")), inplace.ActionDone, "",
		},
		{"terminating", "ReadyForUpdate candidate selected", inPhase("Terminating"), inplace.ActionDone, ""},
		{
			"failed, and preserved", "SelectedForUpdate candidate selected cordoned " + ours2, both(inPhase("Failed"), preserved),
			inplace.ActionWait, "",
		},
		{
			"failed, which machine-controller-manager replaces", "ReadyForUpdate candidate selected", inPhase("Failed"), inplace.ActionDone,
			"",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := inplace.MachineDeployment{Target: "new", Revision: 2, Strategy: hotupdate.AutoInPlaceUpdate}
			m := inplace.Machine{
				Name: "m", Owner: "old", Phase: "Running", Available: true, InPlace: machineupdate.InPlaceApplied, Node: node(tc.node),
			}
			if tc.change != nil {
				tc.change(&p, &m)
			}
			before := words(m.Node)
			step, err := inplace.Next(p, m)
			require.NoError(t, err)
			assert.Equal(t, tc.do, step.Do, step.Why)
			assert.Equal(t, tc.want, words(step.Node))
			assert.NotEmpty(t, step.Why)
			assert.Equal(t, before, words(m.Node), "the observed node is not changed")
		})
	}
}

func duringPause(p *inplace.MachineDeployment, _ *inplace.Machine) { p.Paused = true }

func manual(p *inplace.MachineDeployment, _ *inplace.Machine) {
	p.Strategy = hotupdate.ManualInPlaceUpdate
}

func unable(_ *inplace.MachineDeployment, m *inplace.Machine) {
	m.InPlace = machineupdate.InPlaceUnable
}

func pending(_ *inplace.MachineDeployment, m *inplace.Machine) {
	m.InPlace = machineupdate.InPlacePending
}

func unknown(_ *inplace.MachineDeployment, m *inplace.Machine) {
	m.InPlace = machineupdate.InPlaceUnknown
}

func unconfirmed(_ *inplace.MachineDeployment, m *inplace.Machine) {
	m.InPlace = machineupdate.InPlaceUnconfirmed
}

func timedOut(_ *inplace.MachineDeployment, m *inplace.Machine)    { m.Phase = "InPlaceUpdateFailed" }
func updating(_ *inplace.MachineDeployment, m *inplace.Machine)    { m.Phase = "InPlaceUpdating" }
func preserved(_ *inplace.MachineDeployment, m *inplace.Machine)   { m.Preserved = true }
func transferred(p *inplace.MachineDeployment, m *inplace.Machine) { m.Owner = p.Target }

func inPhase(phase string) func(*inplace.MachineDeployment, *inplace.Machine) {
	return func(_ *inplace.MachineDeployment, m *inplace.Machine) { m.Phase = phase }
}

func both(changes ...func(*inplace.MachineDeployment, *inplace.Machine)) func(*inplace.MachineDeployment, *inplace.Machine) {
	return func(p *inplace.MachineDeployment, m *inplace.Machine) {
		for _, change := range changes {
			change(p, m)
		}
	}
}

// TestContradictions: a machine that is updated and given back stays so, whatever is written on its
// node. It is not drained again, and no step repeats for ever.
func TestContradictions(t *testing.T) {
	t.Parallel()
	reasons := []string{
		"", "CandidateForUpdate", "SelectedForUpdate", "DrainSuccessful", "ReadyForUpdate", "UpdateSuccessful", "UpdateFailed", "Rebooting",
	}
	phases := []string{"Running", "Unknown", "InPlaceUpdating", "InPlaceUpdateSuccessful", "InPlaceUpdateFailed"}
	some := []string{"candidate", "selected", "cordoned", "theirs", "marker", "changed", "because", "successful", "failed", "unclear"}
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.SliceOfDistinct(rapid.SampledFrom(some), rapid.ID).Draw(t, "words")
		reason := rapid.SampledFrom(reasons).Draw(t, "reason")
		p := inplace.MachineDeployment{Target: "new", Revision: 2, Strategy: hotupdate.AutoInPlaceUpdate}
		m := inplace.Machine{
			Name: "m", Owner: "new", Phase: rapid.SampledFrom(phases).Draw(t, "phase"), InPlace: machineupdate.InPlaceApplied,
			Node: node(reason + " " + strings.Join(given, " ") + ` {"revision":2,"done":true}`),
		}
		for range 5 {
			step, err := inplace.Next(p, m)
			require.NoError(t, err)
			if step.Do == inplace.ActionDone {
				return
			}
			require.Contains(t, []inplace.Action{inplace.ActionWriteNode, inplace.ActionWait}, step.Do, "%s: %s", step.Why, words(m.Node))
			if step.Do == inplace.ActionWriteNode {
				m.Node = step.Node
			} else {
				m.Phase = "InPlaceUpdateSuccessful" // the machine controller follows the answer
			}
		}
		t.Fatalf("goes on for ever: %s", words(m.Node))
	})
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	codes := func(err error) string {
		all := map[string]bool{}
		for _, e := range fault.All(err) {
			all[e.Code] = true
			require.NotEmpty(t, e.Hint)
		}
		return strings.Join(slices.Sorted(maps.Keys(all)), " ")
	}
	_, err := inplace.Next(inplace.MachineDeployment{}, inplace.Machine{})
	require.Equal(t, "no-revision no-target not-in-place", codes(err))
	_, err = inplace.Select(inplace.MachineDeployment{})
	require.Equal(t, "no-revision no-target not-in-place", codes(err))
}
