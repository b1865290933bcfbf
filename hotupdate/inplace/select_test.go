package inplace_test

import (
	"fmt"
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
func pool(replicas int, unavailable, surge string, states ...machineState) inplace.Pool {
	p := inplace.Pool{Target: "t", Revision: 2, Strategy: hotupdate.AutoInPlaceUpdate, Replicas: replicas, MaxUnavailable: intstr.Parse(unavailable), MaxSurge: intstr.Parse(surge)}
	for i, state := range states {
		p.Machines = append(p.Machines, observed(string(rune('a'+i)), state))
	}
	return p
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
	joining.Machines[0].Phase, joining.Record = "Pending", `{"select":["a"]}`
	promisedInAuto := byUser
	promisedInAuto.Record = `{"select":["b"]}`

	for _, tc := range []struct {
		name           string
		pool           inplace.Pool
		sel, crea, del string
		blocked        int
	}{
		{"one may be unavailable", pool(3, "1", "0", idle, idle, idle), "[a]", "[]", "[]", 0},
		{"one is under update", pool(3, "1", "0", selected, idle, idle), "[]", "[]", "[]", 0},
		{"one is unavailable, and goes first", pool(3, "1", "0", idle, down, idle), "[b]", "[]", "[]", 0},
		{"a percentage of unavailable machines is rounded down", pool(5, "50%", "0", idle, idle, idle, idle, idle), "[a b]", "[]", "[]", 0},
		{"both percentages become 0", pool(3, "10%", "0%", idle, idle, idle), "[a]", "[]", "[]", 0},
		{"a percentage of surge machines is rounded up", pool(5, "0", "25%", idle, idle, idle, idle, idle), "[]", "[t-0 t-1]", "[]", 2},
		{"no more surge machines than nodes to update", pool(3, "0", "3", updated, updated, idle), "[]", "[t-0]", "[]", 1},
		{"a surge machine has come up", pool(2, "0", "1", idle, idle, updated), "[a]", "[]", "[]", 0},
		{"a surge machine has not come up", pool(2, "0", "1", idle, idle, unborn), "[]", "[]", "[]", 1},
		{"the others go on without the surge machine", pool(2, "1", "1", idle, idle, unborn), "[a]", "[]", "[]", 1},
		{"of two the unavailable one goes first", pool(2, "1", "1", idle, down, updated), "[b]", "[]", "[]", 0},
		{"a surge machine that never came up is not counted on", pool(2, "1", "1", idle, updated, unborn), "[a]", "[]", "[]", 1},
		{"surplus", pool(2, "0", "1", idle, updated, updated), "[]", "[]", "[a]", 0},
		{"surplus that failed goes first", pool(2, "0", "2", idle, failed, updated, updated), "[]", "[]", "[b a]", 0},
		{"no surplus as long as the updated machines are not available", pool(2, "0", "1", idle, updated, fresh), "[]", "[]", "[]", 1},
		{"the surge machine that never came up is the surplus", pool(2, "1", "1", updated, updated, unborn), "[]", "[]", "[c]", 0},
		{"fewer replicas", pool(1, "1", "0", idle, idle, idle), "[c]", "[]", "[a b]", 0},
		{"fewer replicas, down machines first", pool(2, "1", "0", idle, down, idle), "[a]", "[]", "[b]", 0},
		{"fewer replicas, and a node under update is let finish", pool(1, "1", "0", selected, idle), "[]", "[]", "[]", 0},
		{"more replicas", pool(3, "1", "0", updated, updated), "[]", "[t-0]", "[]", 1},
		{"no replicas", pool(0, "1", "0", idle, updated), "[]", "[]", "[a b]", 0},
		{"all is done", pool(2, "1", "0", updated, updated), "[]", "[]", "[]", 0},
		{"a machine leaves", pool(2, "1", "0", updated, terminating), "[]", "[t-0]", "[]", 1},
		{"a failed node blocks the last one", pool(2, "1", "0", failed, idle), "[]", "[]", "[]", 1},
		{"a failed node blocks one of two", pool(3, "2", "0", failed, idle, idle), "[b]", "[]", "[]", 1},
		{"the driver cannot", driverUnable, "[]", "[]", "[]", 1},
		{"not labelled yet", unlabelled, "[]", "[]", "[]", 0},
		{"a manual pool", byUser, "[]", "[]", "[]", 0},
		{"a manual pool that lacks a machine", lacking, "[]", "[t-0]", "[]", 1},
		{"what is promised is asked for again", promised, "[b]", "[]", "[]", 0},
		{"a machine that has not joined", joining, "[]", "[]", "[]", 1},
		{"what is promised is done", kept, "[]", "[]", "[]", 0},
		{"not any more in a manual pool", promisedInAuto, "[]", "[]", "[]", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := inplace.Select(tc.pool)
			require.NoError(t, err)
			require.Equal(t, []string{tc.sel, tc.crea, tc.del}, []string{fmt.Sprint(s.Select), fmt.Sprint(s.Create), fmt.Sprint(s.Delete)})
			require.Len(t, s.Blocked, tc.blocked, "%v", s.Blocked)
			if tc.pool.Strategy == hotupdate.ManualInPlaceUpdate && tc.pool.Record == "" {
				require.NotContains(t, s.Record, "select")
			}
		})
	}
}

func TestSelectRefuses(t *testing.T) {
	t.Parallel()
	_, err := inplace.Select(pool(-1, "many", "-1%", idle))
	var codes []string
	for _, e := range fault.All(err) {
		codes = append(codes, e.Code+" "+e.Path)
	}
	require.Equal(t, []string{"negative-replicas replicas", "invalid-limit maxUnavailable", "invalid-limit maxSurge"}, codes)

	p := pool(1, "1", "0", idle)
	p.Record = `{"select":"a"}`
	_, err = inplace.Select(p)
	require.ErrorAs(t, err, new(*fault.Error))
	require.Equal(t, "invalid-rollout-record", fault.All(err)[0].Code)
}

// TestSelectSaysTheSameAgain: once the record is written, the selection stays until something happens. So each of its parts can be repeated.
func TestSelectSaysTheSameAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) machineState {
			return machineState(rapid.IntRange(1, int(terminating)).Draw(t, "state"))
		}), 0, 8).Draw(t, "machines")
		limit := rapid.SampledFrom([]string{"0", "1", "2", "30%", "100%"})
		p := pool(rapid.IntRange(0, 8).Draw(t, "replicas"), limit.Draw(t, "unavailable"), limit.Draw(t, "surge"), states...)
		p.Strategy = rapid.SampledFrom([]hotupdate.Strategy{hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate}).Draw(t, "strategy")
		first, err := inplace.Select(p)
		require.NoError(t, err)
		p.Record = first.Record
		again, err := inplace.Select(p)
		require.NoError(t, err)
		require.Equal(t, first, again)
	})
}

// FuzzRecord: a record is read, or refused with a typed error, whatever somebody has annotated.
func FuzzRecord(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"select":["a"]}`, `{"create":["t-0"],"delete":["b","gone"]}`, `{"select":1}`, "[", "null", `{"select":["a","a"],"delete":["a"]}`} {
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

// TestSelectIsLinear: twice the machines take twice the work. Each decision counted all machines, and read the mark of each; a pool of a thousand
// took seconds.
func TestSelectIsLinear(t *testing.T) {
	deciding := func(replicas, n int, state machineState, owner string) float64 {
		p := pool(replicas, "100%", "100%")
		for i := range n {
			m := observed(fmt.Sprintf("m-%d", i), state)
			m.Node.Annotations, m.Owner = map[string]string{inplace.RolloutAnnotation: `{"revision":1}`}, owner
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
