package machineupdate_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// accounts is a driver that can change the service account and the kernel of a stopped VM.
var accounts = machineupdate.Driver{
	Kinds: []string{"vm"}, ReadsFirst: true, Lanes: []machineupdate.Lane{{Name: "drained", Paths: []string{"/account", "/kernel"}}},
}

const lane = "drained"

// pool is a bed with a node that can be drained, and the driver's VM.
type pool struct {
	*bed

	former  *machineupdate.PreparedClass
	node    machineupdate.DrainedNode // at the first read
	live    machineupdate.DrainedNode // before the first write
	liveErr error
	account string // of the VM
	ready   bool   // the result of the last call of apply
}

func newPool(t *testing.T) *pool {
	t.Helper()
	p := &pool{bed: newBed(t, laneClass(t, accounts, accountSpec("a"))), account: "a"}
	p.former = p.class
	p.executor.UpdateMachine = p.update
	return p
}

func accountSpec(account string) string {
	return `{"tags":{"k":"1"},"account":"` + account + `"}`
}

// created records the creation of the machine with its class.
func (p *pool) created() *pool {
	p.Helper()
	observation := p.observation()
	observation.ProviderID = ""
	observation.Phase = ""
	creation, begun := p.executor.BeginCreation(p.Context(), p.machine, observation, observation.Class.Class())
	require.NoError(p, begun.Err)
	require.NoError(p, p.executor.FinishCreation(p.Context(), creation, begun.Machine, "i-1").Err)
	return p
}

// update is the driver: it changes the account of the VM, if that differs and the request allows it.
func (p *pool) update(ctx context.Context, r *machineupdate.UpdateMachineRequest) error {
	p.asked = append(p.asked, r)
	if r.Lane != lane {
		return nil
	}
	var account string
	_, err := fmt.Sscanf(string(r.Parts[0].Desired.JSON()), `{"account":%q}`, &account)
	require.NoError(p, err)
	switch {
	case p.account == account:
		return p.errs[lane]
	case r.ReadOnly:
		return machineupdate.ErrDiffers
	}
	if err := r.BeforeWrite(ctx); err != nil {
		return err
	}
	p.account = account
	return p.errs[lane]
}

// drain drains the node, each time at another time.
func (p *pool) drain() {
	p.now = p.now.Add(time.Minute)
	p.node = machineupdate.DrainedNode{UID: "node-1", Drained: p.now, Unschedulable: true}
	p.live = p.node
}

// wantsB changes the class of the pool, so that the account is to be b.
func (p *pool) wantsB() {
	p.class = laneClass(p.T, accounts, accountSpec("b"))
}

func (p *pool) observed() machineupdate.Observation {
	o := p.observation()
	o.Former = p.former
	o.Phase = "InPlaceUpdating"
	return o
}

// apply is MCM's step between DrainSuccessful and ReadyForUpdate.
func (p *pool) apply() machineupdate.Result[*object] {
	p.Helper()
	p.asked = nil
	p.writes = 0
	again := false // the first read is older
	result, ready := p.executor.ApplyInPlace(p.Context(), p.machine, p.observed(),
		func(context.Context) (machineupdate.DrainedNode, error) {
			if !again {
				again = true
				return p.node, nil
			}
			return p.live, p.liveErr
		})
	p.ready = ready
	return result
}

// is checks the state, and the account of the VM.
func (p *pool) is(state machineupdate.InPlaceState, account, reason string) {
	p.Helper()
	o := p.observed()
	assert.Equal(p, []string{string(state), account}, []string{string(o.InPlace(p.machine)), p.account}, reason)
}

// TestInPlaceUpdate follows a machine through an in-place update: the account changes while the node is drained, and is
// confirmed by a read.
func TestInPlaceUpdate(t *testing.T) {
	p := newPool(t).created()
	p.is(machineupdate.InPlaceApplied, "a", "a creation records both lanes")
	p.wantsB()
	p.is(machineupdate.InPlacePending, "a", "another class")
	lanes, _ := p.step(time.Hour)
	assert.Empty(t, lanes, "nothing is called outside of a drain")
	p.is(machineupdate.InPlacePending, "a", "nor changed")

	p.drain()
	result := p.apply()
	require.NoError(t, result.Err)
	assert.True(t, p.ready)
	p.is(machineupdate.InPlaceUnconfirmed, "b", "applied")
	assert.Contains(t, p.machine.Annotations[annotationOf(lane)], `"class":"class","node":"node-1","drained":"2026-01-02T04:05:05Z"`)
	p.apply()
	assert.Equal(t, []any{true, 0, 0}, []any{p.ready, len(p.asked), p.writes}, "nothing is left to do, also for another process")

	lanes, _ = p.step(time.Minute)
	assert.Empty(t, lanes, "reads may lag")
	lanes, result = p.step(time.Hour)
	assert.Equal(t, []string{lane}, lanes)
	assert.True(t, p.asked[0].ReadOnly)
	require.NoError(t, result.Err)
	p.is(machineupdate.InPlaceApplied, "b", "confirmed: the machine may be handed over")
}

// TestInPlaceNeedsTheDrain: nothing is sent unless the node is still the one, and in the drain, that was read at first.
// TestDrainModel has all other disturbances, in every order.
func TestInPlaceNeedsTheDrain(t *testing.T) {
	undrained := []string{"node-not-drained node of the machine"}
	for name, tc := range map[string]struct {
		change func(*pool)
		codes  []string
		writes int // two are the marker and the success
	}{
		"uncordoned by a user": {func(p *pool) { p.live.Unschedulable = false }, undrained, 1},
		"drained anew":         {func(p *pool) { p.live.Drained = p.live.Drained.Add(time.Second) }, undrained, 1},
		"another node":         {func(p *pool) { p.live.UID = "node-2" }, undrained, 1},
		"no such drain":        {func(p *pool) { p.live = machineupdate.DrainedNode{} }, undrained, 1},
		"it cannot be read":    {func(p *pool) { p.liveErr = assert.AnError }, nil, 1},
		"none in the cache":    {func(p *pool) { p.node.Unschedulable = false }, undrained, 0},
		"an API server of tests, without UIDs": {func(p *pool) {
			p.node.UID = ""
			p.live.UID = ""
		}, nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPool(t).created()
			p.wantsB()
			p.drain()
			tc.change(p)
			result := p.apply()
			assert.Equal(t, []any{tc.codes, tc.writes, tc.writes == 2}, []any{codes(result.Err), p.writes, p.ready})
			if tc.writes == 2 {
				p.is(machineupdate.InPlaceUnconfirmed, "b", "applied")
				return
			}
			assert.Equal(t, "Undrained", machineupdate.EndingOf(result))
			require.Error(t, result.Err)
			p.is(machineupdate.InPlacePending, "a", "nothing was sent")
		})
	}
}

// TestInPlaceByAClockFarAhead: a record of an impossible time is confirmed twice.
func TestInPlaceByAClockFarAhead(t *testing.T) {
	p := newPool(t).created()
	p.wantsB()
	p.drain()
	p.apply()
	p.now = p.now.Add(-24 * time.Hour)
	lanes, _ := p.step(0)
	assert.Contains(t, lanes, lane)
	p.is(machineupdate.InPlaceUnconfirmed, "b", "nobody knows how long ago it was applied")
	p.step(time.Hour)
	p.is(machineupdate.InPlaceApplied, "b", "now it is known")
}

// TestInPlaceReadOnlyHoldsADriverBack: a driver that wants to write outside of a drain gets no marker.
func TestInPlaceReadOnlyHoldsADriverBack(t *testing.T) {
	p := newPool(t).created()
	p.wantsB()
	p.drain()
	p.apply()
	before := p.machine.Annotations[annotationOf(lane)]
	p.executor.UpdateMachine = func(ctx context.Context, r *machineupdate.UpdateMachineRequest) error { return r.BeforeWrite(ctx) }
	_, result := p.step(time.Hour)
	assert.Equal(t, []string{"read-only UpdateMachine"}, codes(result.Err))
	p.is(machineupdate.InPlaceUnconfirmed, "b", "nothing is confirmed")
	assert.Equal(t, partsOf(before), partsOf(p.machine.Annotations[annotationOf(lane)]))
}

// TestInPlaceIsUrgent: a drained node waits no longer for the limiter than a change of the spec, also without a record.
func TestInPlaceIsUrgent(t *testing.T) {
	p := newPool(t)
	p.drain()
	p.executor.Limiter = &machineupdate.Limiter{Every: time.Hour, Burst: 4, InFlight: 4}
	for range 3 {
		require.True(t, p.executor.Limiter.Ask("SpecChanged", p.now))
	}
	p.apply()
	assert.True(t, p.ready)
}

// TestInPlaceUnable: a driver that cannot apply the difference is found before a node is drained. A drained node does not continue.
func TestInPlaceUnable(t *testing.T) {
	part := machineupdate.Driver{
		Kinds: []string{"vm"}, ReadsFirst: true, Lanes: []machineupdate.Lane{{Name: lane, Paths: []string{"/account"}}},
	}
	unable := func(class *machineupdate.PreparedClass) *machineupdate.PreparedClass {
		return class.DisableLane(1, start)
	}
	of := func(driver machineupdate.Driver, spec string) *machineupdate.PreparedClass {
		return laneClass(t, driver, spec)
	}
	for _, tc := range []struct {
		name           string
		former, target *machineupdate.PreparedClass
		want           machineupdate.InPlaceState
	}{
		{
			"no lane, and nothing differs", of(able, `{"account":"a"}`), of(able, `{"account":"a","image":"b"}`),
			machineupdate.InPlaceApplied,
		},
		{"no lane, and the account differs", of(able, `{"account":"a"}`), of(able, `{"account":"b"}`), machineupdate.InPlaceUnable},
		{"no lane, and nothing is known of the former class", nil, of(able, `{"account":"a"}`), machineupdate.InPlaceUnable},
		{"a lane without the kernel, which differs", of(part, `{"kernel":"1"}`), of(part, `{"kernel":"2"}`), machineupdate.InPlaceUnable},
		{
			"a lane without the kernel, which is the same", of(part, `{"kernel":"1"}`), of(part, `{"kernel":"1","account":"b"}`),
			machineupdate.InPlaceUnknown,
		},
		{"a lane without the kernel, and nothing is known of the former class", nil, of(part, `{"image":""}`), machineupdate.InPlaceUnable},
		{"a lane with all, and nothing is known of the former class", nil, of(accounts, `{"kernel":"1"}`), machineupdate.InPlaceUnknown},
		{
			"it turned out to be unable, and nothing is known of the former class", nil, unable(of(accounts, `{"image":""}`)),
			machineupdate.InPlaceUnable,
		},
		{
			"it turned out to be unable, and the account differs", of(accounts, `{"account":"a"}`), unable(of(accounts, `{"account":"b"}`)),
			machineupdate.InPlaceUnable,
		},
		{
			"it turned out to be unable, and nothing differs", of(accounts, `{"account":"a"}`), unable(of(accounts, `{"account":"a"}`)),
			machineupdate.InPlaceApplied,
		},
		{"no class", of(accounts, `{"image":""}`), nil, machineupdate.InPlaceUnknown},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPool(t)
			p.former = tc.former
			p.class = tc.target
			o := p.observed()
			assert.Equal(t, string(tc.want), string(o.InPlace(p.machine)))
			p.drain()
			p.errs[lane] = machineupdate.ErrUnimplemented
			var events []string
			p.executor.Event = func(_ runtime.Object, _, reason, _ string) { events = append(events, reason) }
			if tc.want == machineupdate.InPlaceUnable {
				result := p.apply()
				assert.Equal(t, []string{"in-place-unsupported machine m-1"}, codes(result.Err))
				assert.Equal(t, []string{"HotUpdateUnsupported"}, events)
			}
			if tc.want != machineupdate.InPlaceApplied {
				return
			}
			p.apply()
			assert.True(t, p.ready)
			assert.Empty(t, p.asked)
		})
	}
	p := newPool(t)
	p.class = new(machineupdate.Classes).PrepareUnsupported(machineupdate.MachineClass{})
	p.apply()
	assert.True(t, p.ready, "a driver that knows no hot updates holds up no node")
	p.drain()
	unreadable := p.observed()
	unreadable.Class = nil
	unreadable.ClassError = assert.AnError
	_, ready := p.executor.ApplyInPlace(
		t.Context(), p.machine, unreadable, func(context.Context) (machineupdate.DrainedNode, error) { return p.node, nil },
	)
	assert.False(t, ready, "nobody knows what a class says that cannot be read")
	p.executor.Memory = &machineupdate.Memory{}
	_, ready = p.executor.ApplyInPlace(
		t.Context(), p.machine, unreadable, func(context.Context) (machineupdate.DrainedNode, error) { return p.node, nil },
	)
	assert.False(t, ready, "the same with a Memory")

	p = newPool(t)
	p.wantsB()
	p.drain()
	p.errs[lane] = machineupdate.ErrUnimplemented
	p.account = "b"
	result := p.apply()
	assert.Equal(t, "Unable", machineupdate.EndingOf(result))
	assert.False(t, p.ready)
	p.is(machineupdate.InPlaceUnable, "b", "it is remembered")

	p = newPool(t).created()
	p.wantsB()
	p.drain()
	p.apply()
	p.class = p.class.DisableLane(1, start)
	p.is(machineupdate.InPlaceUnable, "b", "nobody can confirm it")
	assert.Equal(t, machineupdate.InPlaceUnknown, (&machineupdate.Observation{Class: p.class}).InPlace((*object)(nil)), "no machine")

	other := p.observed()
	newest := &object{ObjectMeta: metav1.ObjectMeta{Name: "m-2", ResourceVersion: "1"}}
	assert.Equal(t, machineupdate.InPlaceUnable, other.InPlace(newest))
	asked, _ := p.step(2 * time.Hour)
	assert.Contains(t, asked, lane, "after an hour the driver is asked to confirm, which needs no drain")
	p.is(machineupdate.InPlaceApplied, "b", "it is confirmed")
	assert.Equal(t, machineupdate.InPlaceUnknown, other.InPlace(newest), "the driver is able again")
}
