package inplace_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

func TestAgent(t *testing.T) {
	t.Parallel()
	const ours = `{"revision":2,"cordoned":true}`
	for _, tc := range []struct {
		node             string
		isReady, isUnder bool
		isCandidate      bool
		reason           string
	}{
		{"", false, false, false, "no update"},
		{"CandidateForUpdate candidate", false, false, true, "it waits for its turn"},
		{"CandidateForUpdate candidate selected", false, true, true, "it is drained soon"},
		{`CandidateForUpdate candidate {"revision":2}`, false, false, true, "its update was canceled"},
		{"CandidateForUpdate candidate unclear", false, false, true, "that is no answer"},
		{"CandidateForUpdate candidate successful", false, false, false, "the answer is yet to be removed"},
		{"CandidateForUpdate candidate failed", false, false, false, "the answer is yet to be removed"},
		{
			`CandidateForUpdate candidate cordoned {"revision":2,"cordoned":true,"unconfirmed":true}`, false, true, false,
			"the agent may be at work",
		},
		{"SelectedForUpdate candidate selected cordoned " + ours, false, true, false, "it is drained"},
		{"ReadyForUpdate candidate selected cordoned " + ours, true, true, false, "the agent begins"},
		{"ReadyForUpdate candidate cordoned " + ours, true, true, false, "somebody has removed the label meanwhile"},
		{"ReadyForUpdate candidate selected cordoned successful " + ours, false, true, false, "the agent has answered"},
		{"ReadyForUpdate candidate selected cordoned failed because " + ours, false, true, false, "the agent has answered"},
		{`UpdateSuccessful {"revision":2,"done":true}`, false, false, false, "it is over"},
		{"cordoned", false, false, false, "somebody else has cordoned it"},
	} {
		assert.Equal(t, tc.isReady, node(tc.node).IsReadyForUpdate(), "%s: %s", tc.node, tc.reason)
		assert.Equal(t, tc.isCandidate, node(tc.node).IsCandidate(), "%s: %s", tc.node, tc.reason)
		assert.Equal(t, tc.isUnder, node(tc.node).IsUnderUpdate(), "%s: %s", tc.node, tc.reason)
	}
	assert.False(t, (&inplace.Node{}).IsReadyForUpdate(), "without maps")
	var none *inplace.Node
	assert.False(t, none.IsReadyForUpdate() || none.IsUnderUpdate() || none.IsCandidate(), "no node")
	assert.Equal(t, "successful", none.WithSuccess().Labels[resultLabel])
	assert.Equal(t, "failed", none.WithFailure("why").Labels[resultLabel])
}

// TestAgentAnswers: the controller acts on the answers, whatever the agent answered before.
func TestAgentAnswers(t *testing.T) {
	t.Parallel()
	p := inplace.MachineDeployment{Target: "new", Revision: 2, Strategy: hotupdate.AutoInPlaceUpdate}
	m := inplace.Machine{Name: "m", Owner: "old", Phase: "Running", InPlace: machineupdate.InPlaceApplied}
	next := func() inplace.Step {
		step, err := inplace.Next(p, m)
		require.NoError(t, err)
		return step
	}
	const ready = `ReadyForUpdate candidate selected cordoned {"revision":2,"cordoned":true}`
	m.Node = node(ready).WithFailure("the disk is full")
	require.Equal(t, words(node(ready+" failed because")), words(m.Node))
	m.Node = next().Node
	require.Equal(t, inplace.ActionBlocked, next().Do)
	require.Contains(t, next().Why, "the disk is full")
	m.Node = m.Node.WithSuccess()
	require.Equal(
		t, `UpdateFailed candidate cordoned selected successful {"revision":2,"cordoned":true}`, words(m.Node), "no reason is left",
	)
	m.Node = next().Node
	require.Equal(t, inplace.ActionTransfer, next().Do)
	bare := &inplace.Node{}
	require.Equal(t, "successful", bare.WithSuccess().Labels[resultLabel])
	require.Equal(t, "x", bare.WithFailure("x").Annotations[failureAnnotation])
	require.Equal(t, &inplace.Node{}, bare, "the observed node is not changed")
}
