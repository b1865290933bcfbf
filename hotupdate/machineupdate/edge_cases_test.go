package machineupdate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// This file has the two edge cases of the hot-update proposal, section "Reconciliation Changes", with a VM, an interface and a disk.

// driver tags resources one after the other, and stops at a given resource.
type driver struct {
	t      *testing.T
	live   map[string]map[string]string
	stopAt string
	err    error
}

func (d *driver) update(_ context.Context, request *machineupdate.UpdateMachineRequest) error {
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(d.t, err)
	part := request.Parts[0]
	state := tags.State{Recorded: []map[string]string{flatTags(d.t, part.Applied)}, Desired: flatTags(d.t, part.Desired)}
	for _, attempted := range part.Attempted {
		state.Recorded = append(state.Recorded, flatTags(d.t, attempted))
	}
	ids := []string{"vm", "nic", "disk"}
	plans, err := rules.Plan(state, ids, d.live)
	require.NoError(d.t, err)
	byID := map[string]tags.ResourcePlan{}
	for _, plan := range plans {
		byID[plan.Resource] = plan
	}
	for i, id := range ids {
		if id == d.stopAt {
			return d.stop(ids[:i], ids[i:])
		}
		plan := byID[id]
		d.live[id] = plan.Apply(d.live[id])
	}
	return nil
}

func (d *driver) stop(done, notDone []string) error {
	if d.err == nil {
		panic("MCM crashes")
	}
	partial := &machineupdate.PartialError{Err: d.err}
	for _, id := range done {
		partial.Done = append(partial.Done, machineupdate.Resource{Kind: id, ID: id + "-1"})
	}
	for _, id := range notDone {
		partial.NotDone = append(partial.NotDone, machineupdate.Resource{Kind: id, ID: id + "-1"})
	}
	return partial
}

func flatTags(t *testing.T, hot machineupdate.Hot) map[string]string {
	t.Helper()
	if hot == "" {
		return nil
	}
	decoded, err := schemaOf[spec](t).Decode(hot.JSON())
	require.NoError(t, err)
	return decoded.(*spec).Tags
}

// edgeCase updates a settled machine from S1 to S2 with a driver that stops at the interface. It reverts the class to S1, and continues.
func edgeCase(t *testing.T, stop func(*executor, machineupdate.Observed, *driver)) {
	t.Helper()
	now := start
	s1, s2 := classOf(t, `{"tags":{"k":"1"}}`), classOf(t, `{"tags":{"k":"2","new":"2"}}`)
	o := machineupdate.Observed{Machine: machine(settledRecord(s1)), Class: s2}
	o.Settings.ConfirmAfter = time.Hour
	d := &driver{t: t, stopAt: "nic", live: map[string]map[string]string{}}
	for _, id := range []string{"vm", "nic", "disk"} {
		d.live[id] = map[string]string{"k": "1", "foreign": "x"}
	}
	executor := &executor{Now: func() time.Time { return now }, WriteMetadata: writer(t, &o.Machine), UpdateMachine: d.update}
	stop(executor, o, d)
	require.Equal(t, map[string]string{"k": "2", "new": "2", "foreign": "x"}, d.live["vm"], "half of S2 is applied")

	// T4: the class is S1 again, and the last-applied spec is S1 as well.
	o.Class, d.stopAt = s1, ""
	var outcomes []machineupdate.Ending
	for range 4 {
		outcomes = append(outcomes, machineupdate.EndingOf(executor.Reconcile(t.Context(), o)))
		now = now.Add(time.Hour)
	}
	assert.Equal(t, []machineupdate.Ending{machineupdate.Updated, machineupdate.Confirmed, machineupdate.NotCalled, machineupdate.NotCalled}, outcomes)
	for id, live := range d.live {
		assert.Equal(t, map[string]string{"k": "1", "foreign": "x"}, live, id)
	}
}

// TestProposalEdgeCase1: the driver fails at the interface, then the class is reverted. Comparing specs would find no difference.
func TestProposalEdgeCase1(t *testing.T) {
	edgeCase(t, func(e *executor, o machineupdate.Observed, d *driver) {
		d.err = errors.New("throttled")
		result := e.Reconcile(t.Context(), o)
		assert.Equal(t, machineupdate.CallFailed, machineupdate.EndingOf(result))
		partial, ok := errors.AsType[*machineupdate.PartialError](result.Err)
		require.True(t, ok)
		assert.Equal(t, []machineupdate.Resource{{Kind: "vm", ID: "vm-1"}}, partial.Done)
		assert.Len(t, partial.NotDone, 2)
	})
}

// TestProposalEdgeCase2: MCM crashes while the driver is at work, then the class is reverted. No process has seen the result of the call.
func TestProposalEdgeCase2(t *testing.T) {
	edgeCase(t, func(e *executor, o machineupdate.Observed, _ *driver) {
		assert.Panics(t, func() { e.Reconcile(t.Context(), o) })
	})
}
