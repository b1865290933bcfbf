package inplace_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// pool returns a pool of machines in these states, with names a, b, c.
func pool(replicas int, unavailable, surge string, states ...machineState) inplace.MachineDeployment {
	p := inplace.MachineDeployment{
		Target: "t", Revision: 2, Strategy: hotupdate.AutoInPlaceUpdate, Replicas: replicas, MaxUnavailable: intstr.Parse(unavailable),
		MaxSurge: intstr.Parse(surge),
	}
	for i, state := range states {
		p.Machines = append(p.Machines, observed(string(rune('a'+i)), state))
	}
	return p
}

// prioritized returns the pool, whose machine with the name has a priority.
func prioritized(p inplace.MachineDeployment, name, priority string) inplace.MachineDeployment {
	for i := range p.Machines {
		if p.Machines[i].Name == name {
			p.Machines[i].Annotations = map[string]string{machinePriority: priority}
		}
	}
	return p
}

// paused returns the pool during a pause.
func paused(p inplace.MachineDeployment) inplace.MachineDeployment {
	p.Paused = true
	return p
}

// isSelectedFor reports whether a node has the label of a selected node, and its annotation.
func isSelectedFor(n *inplace.Node, revision string) bool {
	return n.Labels[inplace.SelectedLabel] == "true" && n.Annotations[inplace.SelectionAnnotation] == revision
}

// states returns the machines by state in words, sorted.
func states(s inplace.Selection) string {
	var all []string
	for state, machines := range s.Progress {
		all = append(all, fmt.Sprintf("%s %s", state, strings.Join(slices.Sorted(maps.Keys(machines)), " ")))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestSelect(t *testing.T) {
	t.Parallel()
	driverUnable := pool(1, "1", "0", idle)
	driverUnable.Machines[0].InPlace = machineupdate.InPlaceUnable
	unlabelled := pool(1, "1", "0", idle)
	unlabelled.Machines[0].Node = node("")
	byUser := pool(2, "1", "1", idle, idle)
	byUser.Strategy = hotupdate.ManualInPlaceUpdate
	lacking := pool(2, "1", "1", idle)
	lacking.Strategy = hotupdate.ManualInPlaceUpdate
	promised := pool(2, "1", "0", idle, idle)
	promised.Record = `{"select":["b"]}`
	kept := pool(2, "1", "0", idle, selected)
	kept.Record = `{"select":["b"]}`
	joining := pool(2, "1", "0", down, updated)
	joining.Machines[0].Phase = "Pending"
	joining.Record = `{"select":["a"]}`
	promisedInAuto := byUser
	promisedInAuto.Record = `{"select":["b"]}`
	lost := pool(2, "1", "0", idle, stillborn)
	lost.Record = `{"select":["b","gone"],"delete":["gone"]}`
	downByUser := pool(2, "1", "1", down, selected)
	downByUser.Strategy = hotupdate.ManualInPlaceUpdate
	cordoned := pool(2, "1", "0", idle, idle)
	cordoned.Machines[1].Node = node(`CandidateForUpdate candidate cordoned {"revision":2,"cordoned":true}`)
	owned := pool(1, "1", "0", updated)
	owned.Machines[0].Node = node(`UpdateSuccessful candidate cordoned {"revision":2,"cordoned":true}`)
	rolledBack := pool(1, "1", "0", updated)
	rolledBack.Machines[0].Node = node("ReadyForUpdate candidate")
	promisedSpared := pool(2, "1", "0", idle, spared)
	promisedSpared.Record = `{"select":["b"]}`
	notAgain := pool(2, "1", "0", deselected, idle)
	notAgain.Record = `{"select":["a"]}`
	deselectedBefore := pool(1, "1", "0", deselected)
	deselectedBefore.Machines[0].Node.Annotations[inplace.SelectionAnnotation] = "1"
	unreadable := pool(1, "1", "0", deselected)
	unreadable.Machines[0].Node.Annotations[inplace.SelectionAnnotation] = "two"
	deselectedDown := pool(1, "1", "0", deselected)
	deselectedDown.Machines[0].Available = false
	held := paused(pool(2, "1", "0", idle, idle))
	held.Machines[1].Node = node(`CandidateForUpdate candidate cordoned {"revision":2,"cordoned":true,"unconfirmed":true}`)
	promisedSurge := paused(pool(2, "0", "1", idle, idle))
	promisedSurge.Record = `{"create":["t-0"]}`
	givenBack := pool(1, "1", "0", updated)
	givenBack.Machines[0].Node = node(`UpdateSuccessful candidate selected cordoned successful {"revision":2}`)

	for _, tc := range []struct {
		name           string
		pool           inplace.MachineDeployment
		sel, crea, del string
		progress       string
	}{
		{"one may be unavailable", pool(3, "1", "0", idle, idle, idle), "[a]", "[]", "[]", "Updating a, Waiting b c"},
		{"one is under update", pool(3, "1", "0", selected, idle, idle), "[]", "[]", "[]", "Updating a, Waiting b c"},
		{"one is unavailable, and goes first", pool(3, "1", "0", idle, down, idle), "[b]", "[]", "[]", "Updating b, Waiting a c"},
		{
			"a percentage of unavailable machines is rounded down", pool(5, "50%", "0", idle, idle, idle, idle, idle), "[a b]", "[]", "[]",
			"Updating a b, Waiting c d e",
		},
		{"both percentages become 0", pool(3, "10%", "0%", idle, idle, idle), "[a]", "[]", "[]", "Updating a, Waiting b c"},
		{
			"a percentage of surge machines is rounded up", pool(5, "0", "25%", idle, idle, idle, idle, idle), "[]", "[t-0 t-1]", "[]",
			"Waiting a b c d e",
		},
		{
			"no more surge machines than nodes to update", pool(3, "0", "3", updated, updated, idle), "[]", "[t-0]", "[]",
			"Updated a b, Waiting c",
		},
		{"a surge of more than all", pool(1, "0", "300%", idle), "[]", "[t-0]", "[]", "Waiting a"},
		{"a surge machine has come up", pool(2, "0", "1", idle, idle, updated), "[a]", "[]", "[]", "Updated c, Updating a, Waiting b"},
		{"a surge machine has not come up", pool(2, "0", "1", idle, idle, unborn), "[]", "[]", "[]", "Unavailable c, Waiting a b"},
		{
			"the others go on without the surge machine", pool(2, "1", "1", idle, idle, unborn), "[a]", "[]", "[]",
			"Unavailable c, Updating a, Waiting b",
		},
		{
			"of two the unavailable one goes first", pool(2, "1", "1", idle, down, updated), "[b]", "[]", "[]",
			"Updated c, Updating b, Waiting a",
		},
		{
			"a surge machine that never came up is not counted on", pool(2, "1", "1", idle, updated, unborn), "[a]", "[]", "[]",
			"Unavailable c, Updated b, Updating a",
		},
		{"surplus", pool(2, "0", "1", idle, updated, updated), "[]", "[]", "[a]", "Updated b c"},
		{"surplus that failed goes first", pool(2, "0", "2", idle, failed, updated, updated), "[]", "[]", "[b a]", "Updated c d"},
		{
			"no surplus as long as the updated machines are not available", pool(2, "0", "1", idle, updated, fresh), "[]", "[]", "[]",
			"Unavailable c, Updated b, Waiting a",
		},
		{
			"the surge machine that never came up is the surplus", pool(2, "1", "1", updated, updated, unborn), "[]", "[]", "[c]",
			"Updated a b",
		},
		{"fewer replicas", pool(1, "1", "0", idle, idle, idle), "[c]", "[]", "[a b]", "Updating c"},
		{"fewer replicas, down machines first", pool(2, "1", "0", idle, down, idle), "[a]", "[]", "[b]", "Updating a, Waiting c"},
		{
			"fewer replicas, and a node under update is let finish", pool(1, "1", "0", selected, idle), "[]", "[]", "[]",
			"Updating a, Waiting b",
		},
		{
			"fewer replicas, the lowest priority goes", prioritized(pool(2, "1", "0", idle, idle, idle), "b", "1"), "[a]", "[]", "[b]",
			"Updating a, Waiting c",
		},
		{
			"fewer replicas, a low priority counts more than a failure",
			prioritized(pool(2, "1", "0", idle, failed, idle, updated), "d", "1"), "[a]", "[]", "[d b]", "Updating a, Waiting c",
		},
		{
			"fewer replicas, a high priority stays", prioritized(pool(2, "1", "0", idle, idle, idle), "a", "10"), "[a]", "[]", "[b]",
			"Updating a, Waiting c",
		},
		{
			"an unreadable priority is 3", prioritized(prioritized(pool(2, "1", "0", idle, idle, idle), "a", "low"), "c", "2"), "[a]", "[]",
			"[c]", "Updating a, Waiting b",
		},
		{
			"an updated machine of a low priority is no surplus of a surge",
			prioritized(pool(2, "0", "1", idle, updated, updated), "c", "1"), "[]", "[]", "[a]", "Updated b c",
		},
		{
			"a low priority is updated last", prioritized(pool(2, "1", "0", idle, idle), "a", "1"), "[b]", "[]", "[]",
			"Updating b, Waiting a",
		},
		{"more replicas", pool(3, "1", "0", updated, updated), "[]", "[t-0]", "[]", "Updated a b"},
		{"no replicas", pool(0, "1", "0", idle, updated), "[]", "[]", "[a b]", ""},
		{"all is done", pool(2, "1", "0", updated, updated), "[]", "[]", "[]", "Updated a b"},
		{"not all is done before the node is given back", givenBack, "[]", "[]", "[]", "Updating a"},
		{"a node that we cordoned is unavailable without its label too", cordoned, "[b]", "[]", "[]", "Updating b, Waiting a"},
		{"nor is it selected again to be given back", owned, "[]", "[]", "[]", "Updating a"},
		{"a node in an update to another target is not updated", rolledBack, "[a]", "[]", "[]", "Updating a"},
		{"a machine leaves", pool(2, "1", "0", updated, terminating), "[]", "[t-0]", "[]", "Unavailable b, Updated a"},
		{"a failed node blocks the last one", pool(2, "1", "0", failed, idle), "[]", "[]", "[]", "Failed a, Waiting b"},
		{"a failed node blocks one of two", pool(3, "2", "0", failed, idle, idle), "[b]", "[]", "[]", "Failed a, Updating b, Waiting c"},
		{"the driver cannot", driverUnable, "[]", "[]", "[]", "Failed a"},
		{"not labelled yet", unlabelled, "[]", "[]", "[]", "Waiting a"},
		{"a manual pool", byUser, "[]", "[]", "[]", "WaitingForUser a b"},
		{"a manual pool that lacks a machine", lacking, "[]", "[t-0]", "[]", "WaitingForUser a"},
		{"a manual pool with a machine that is down", downByUser, "[]", "[]", "[]", "Unavailable a, Updating b"},
		{"what is promised is asked for again", promised, "[b]", "[]", "[]", "Updating b, Waiting a"},
		{"a machine that has not joined", joining, "[]", "[]", "[]", "Unavailable a, Updated b"},
		{"promises for a machine without a node, and for a node without a machine", lost, "[]", "[]", "[]", "Unavailable b, Waiting a"},
		{"what is promised is done", kept, "[]", "[]", "[]", "Updating b, Waiting a"},
		{
			"what is promised is not asked for again once its user has deselected it", notAgain, "[]", "[]", "[]",
			"Waiting b, WaitingForUser a",
		},
		{
			"once the record says so, another one takes its turn", pool(2, "1", "0", deselected, idle), "[b]", "[]", "[]",
			"Updating b, WaitingForUser a",
		},
		{"a deselected node is left alone", pool(2, "2", "1", deselected, idle), "[b]", "[]", "[]", "Updating b, WaitingForUser a"},
		{"no surge machine for a deselected node", pool(2, "0", "1", deselected, updated), "[]", "[]", "[]", "Updated b, WaitingForUser a"},
		{"a deselected node is surplus as others are", pool(1, "0", "1", deselected, updated), "[]", "[]", "[a]", "Updated b"},
		{"a deselected node that is down is left alone", deselectedDown, "[]", "[]", "[]", "Unavailable a"},
		{"deselected for a former revision", deselectedBefore, "[a]", "[]", "[]", "Updating a"},
		{"an annotation that cannot be read is none", unreadable, "[a]", "[]", "[]", "Updating a"},
		{"a pause selects nothing", paused(pool(2, "2", "1", idle, down)), "[]", "[]", "[]", "Unavailable b, Waiting a"},
		{"a pause carries out no promise to select", paused(promised), "[]", "[]", "[]", "Waiting a b"},
		{"a pause lets a node that is cordoned go on", held, "[b]", "[]", "[]", "Updating b, Waiting a"},
		{"a pause lets a node under update go on", paused(pool(2, "1", "0", selected, idle)), "[]", "[]", "[]", "Updating a, Waiting b"},
		{"a pause does not keep the pool small", paused(pool(3, "1", "1", idle, updated)), "[]", "[t-0]", "[]", "Updated b, Waiting a"},
		{"a pause does not keep the pool large", paused(pool(1, "1", "0", idle, idle, idle)), "[]", "[]", "[a b]", "Waiting c"},
		{"a pause carries out a promise to create", promisedSurge, "[]", "[t-0]", "[]", "Waiting a b"},
		{"a pause of a manual pool", paused(byUser), "[]", "[]", "[]", "Waiting a b"},
		{
			"all is done, but the template may have changed during the pause", paused(pool(2, "1", "0", updated, updated)), "[]", "[]",
			"[]", "Updated a b",
		},
		{
			"a preserved machine that has failed is neither replaced nor selected", pool(2, "2", "1", updated, spared), "[]", "[]", "[]",
			"Unavailable b, Updated a",
		},
		{
			"a preserved machine is the last to be deleted", pool(2, "2", "0", down, spared, idle), "[c]", "[]", "[a]",
			"Unavailable b, Updating c",
		},
		{"a preserved machine is surplus if no other may be deleted", pool(1, "1", "0", idle, spared), "[a]", "[]", "[b]", "Updating a"},
		{
			"what is promised is not done to a preserved machine that has failed", promisedSpared, "[]", "[]", "[]",
			"Unavailable b, Waiting a",
		},
		{"not any more in a manual pool", promisedInAuto, "[]", "[]", "[]", "WaitingForUser a b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := inplace.Select(tc.pool)
			require.NoError(t, err)
			selects := slices.Sorted(maps.Keys(s.Select))
			require.Equal(t, []string{tc.sel, tc.crea, tc.del}, []string{fmt.Sprint(selects), fmt.Sprint(s.Create), fmt.Sprint(s.Delete)})
			for name, n := range s.Select {
				require.True(t, isSelectedFor(n, "2"), name)
			}
			require.Equal(t, tc.progress, states(s))
			require.Equal(t, tc.name == "all is done", s.Finished)
			for state, machines := range s.Progress {
				for name, message := range machines {
					require.NotEmpty(t, message, "%s %s", state, name)
				}
			}
			if tc.pool.Strategy == hotupdate.ManualInPlaceUpdate && tc.pool.Record == "" {
				require.NotContains(t, s.Record, "select")
			}
		})
	}
}

// TestPreservedMachineHoldsUpNoOther: a preserved machine that has failed is not updated, however far its update has
// come. Another machine is selected instead of it, and it is surplus once the pool is updated without it.
func TestPreservedMachineHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		record  string
		machine inplace.Machine
	}{
		"nothing has begun":         {"", observed("a", spared)},
		"promised to be selected":   {`{"select":["a"]}`, observed("a", spared)},
		"selected":                  {"", observed("a", held)},
		"selected, promise is open": {`{"select":["a"]}`, observed("a", held)},
		"cordoned": {
			"", spareMachine("former", `SelectedForUpdate candidate selected cordoned {"revision":2,"cordoned":true}`),
		},
		"its agent was at work": {
			"", spareMachine("former", `ReadyForUpdate candidate selected cordoned {"revision":2,"cordoned":true}`),
		},
		"transferred, not given back": {
			"", spareMachine("t", `UpdateSuccessful candidate selected cordoned successful {"revision":2,"cordoned":true}`),
		},
		"updated": {"", spareMachine("t", `UpdateSuccessful {"revision":2,"done":true}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pool(2, "1", "1", spared, idle, updated)
			p.Machines[0] = test.machine
			p.Record = test.record
			s, err := inplace.Select(p)
			require.NoError(t, err)
			require.Equal(t, `{"select":["b"]}`, s.Record)
			require.Equal(t, "Unavailable a, Updated c, Updating b", states(s))

			p.Machines[1] = observed("b", updated)
			p.Record = s.Record
			s, err = inplace.Select(p)
			require.NoError(t, err)
			require.Equal(t, []string{"a"}, s.Delete)
		})
	}
}

// spareMachine returns the machine a, which has failed and is preserved, with a node as of function node.
func spareMachine(owner, of string) inplace.Machine {
	m := observed("a", spared)
	m.Owner = owner
	m.Node = node(of)
	m.InPlace = machineupdate.InPlaceApplied
	return m
}

// TestDroppedPromiseIsNotAvailable: a machine whose promise is dropped because it has failed leaves no room for another
// one before the record says so, even if its caller calls it available. With the record, it takes its turn again once
// it runs.
func TestDroppedPromiseIsNotAvailable(t *testing.T) {
	t.Parallel()
	p := pool(2, "1", "0", spared, idle)
	p.Record = `{"select":["a"]}`
	p.Machines[0].Available = true
	s, err := inplace.Select(p)
	require.NoError(t, err)
	require.Empty(t, s.Record)

	p.Record = s.Record
	p.Machines[0] = observed("a", idle)
	s, err = inplace.Select(p)
	require.NoError(t, err)
	require.JSONEq(t, `{"select":["a"]}`, s.Record)
}

// TestProgressHasTheReason: the agent's own words reach whoever looks at the rollout.
func TestProgressHasTheReason(t *testing.T) {
	t.Parallel()
	p := pool(1, "1", "0", failed)
	p.Machines[0].Node = node(`UpdateFailed candidate selected cordoned failed because {"revision":2,"cordoned":true}`)
	s, err := inplace.Select(p)
	require.NoError(t, err)
	require.Equal(t, map[inplace.MachineState]map[string]string{inplace.StateFailed: {"a": "the disk is full"}}, s.Progress)
	step, err := inplace.Next(p, p.Machines[0])
	require.NoError(t, err)
	require.Contains(t, step.Why, "the disk is full")

	p.Machines[0].Node = node(`UpdateFailed candidate selected cordoned failed {"revision":2,"cordoned":true}`)
	s, err = inplace.Select(p)
	require.NoError(t, err)
	require.NotEmpty(t, s.Progress[inplace.StateFailed]["a"], "the agent has given no reason")

	p.Machines[0].Node = node(`ReadyForUpdate candidate selected cordoned because {"revision":2,"cordoned":true}`)
	s, err = inplace.Select(p)
	require.NoError(t, err)
	require.Equal(t, "Updating a", states(s), "the reason of a former failure")
}

func TestSelectRefuses(t *testing.T) {
	t.Parallel()
	refused := func(p inplace.MachineDeployment) (codes []string) {
		s, err := inplace.Select(p)
		require.False(t, s.Finished)
		for _, e := range fault.All(err) {
			codes = append(codes, e.Code+" "+e.Path)
		}
		return codes
	}
	require.Equal(
		t, []string{"negative-replicas replicas", "invalid-limit maxUnavailable", "invalid-limit maxSurge"},
		refused(pool(-1, "many", "-1%", idle)),
	)
	require.Equal(t, []string{"invalid-limit maxUnavailable"}, refused(pool(3, "101%", "1", idle)))
	for _, zero := range []string{"0", "0%"} {
		require.Equal(t, []string{"invalid-limit maxUnavailable"}, refused(pool(3, zero, "0", idle)))
	}
	require.Equal(
		t, []string{"invalid-limit maxUnavailable"},
		refused(inplace.MachineDeployment{Target: "t", Revision: 2, Strategy: hotupdate.AutoInPlaceUpdate}),
	)
	require.Empty(t, refused(inplace.MachineDeployment{Target: "t", Revision: 2, Strategy: hotupdate.ManualInPlaceUpdate, Replicas: 1}))
	require.Empty(t, refused(pool(3, "100%", "200%", idle)))
	require.Empty(t, refused(pool(1, "7", "0", idle, updated)), "a number above the replicas")

	p := pool(1, "1", "0", idle)
	p.Record = `{"select":"a"}`
	require.Equal(t, []string{"invalid-rollout-record " + inplace.RolloutAnnotation}, refused(p))
}

// TestSelectSaysTheSameAgain: once the record is written, the selection stays until something happens. So each of its
// parts can be repeated.
func TestSelectSaysTheSameAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) machineState {
			return machineState(rapid.IntRange(1, int(terminating)).Draw(t, "state"))
		}), 0, 8).Draw(t, "machines")
		limit := rapid.SampledFrom([]string{"0", "1", "2", "30%", "100%"})
		unavailable := limit.Draw(t, "unavailable")
		surge := limit.Draw(t, "surge")
		p := pool(rapid.IntRange(0, 8).Draw(t, "replicas"), unavailable, surge, states...)
		p.Paused = rapid.Bool().Draw(t, "paused")
		p.Strategy = rapid.SampledFrom([]hotupdate.Strategy{hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate}).Draw(t, "strategy")
		for i := range p.Machines {
			p.Machines[i].Annotations = map[string]string{machinePriority: rapid.SampledFrom([]string{"", "1", "5"}).Draw(t, "priority")}
		}
		first, err := inplace.Select(p)
		if unavailable == "0" && surge == "0" && p.Strategy == hotupdate.AutoInPlaceUpdate {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		p.Record = first.Record
		again, err := inplace.Select(p)
		require.NoError(t, err)
		require.Equal(t, first, again)
	})
}

// FuzzRecord: a record is read, or refused with a typed error, whatever somebody has annotated.
func FuzzRecord(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `{"select":["a"]}`, `{"create":["t-0"],"delete":["b","gone"]}`, `{"select":1}`, "[", "null",
		`{"select":["a","a"],"delete":["a"]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, record string) {
		p := pool(2, "1", "1", idle, selected, updated)
		p.Record = record
		first, err := inplace.Select(p)
		if err != nil {
			require.ErrorAs(t, err, new(*fault.Error))
			return
		}
		p.Record = first.Record
		again, err := inplace.Select(p)
		require.NoError(t, err)
		require.Equal(t, first.Record, again.Record)
	})
}

// TestSelectIsLinear: twice the machines take twice the work. Each decision counted all machines, and read the mark of
// each; a pool of a thousand took seconds.
func TestSelectIsLinear(t *testing.T) {
	deciding := func(replicas, n int, state machineState, owner string) float64 {
		p := pool(replicas, "100%", "100%")
		for i := range n {
			m := observed(fmt.Sprintf("m-%d", i), state)
			m.Node.Annotations = map[string]string{inplace.RolloutAnnotation: `{"revision":1}`}
			m.Owner = owner
			p.Machines = append(p.Machines, m)
		}
		return testing.AllocsPerRun(1, func() {
			_, err := inplace.Select(p)
			require.NoError(t, err)
		})
	}
	const n = 200
	require.Less(t, deciding(2*n, 2*n, idle, "other"), 3*deciding(n, n, idle, "other"), "all are selected")
	require.Less(t, deciding(n, 2*n, idle, "other"), 3*deciding(n/2, n, idle, "other"), "half of them are surplus")
	require.Less(t, deciding(2*n, 0, idle, ""), 3*deciding(n, 0, idle, ""), "all are created")
}
