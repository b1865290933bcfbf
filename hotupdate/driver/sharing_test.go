package driver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
	"github.com/hotupdate/providerconfig/tags"
)

// fleet is a cloud with machines of two resources each, and what was called.
type fleet struct {
	t          *testing.T
	definition driver.Definition[providerSpec, *connection]
	kit        *driver.Kit[providerSpec, *connection]

	mutex  sync.Mutex
	live   map[string]map[string]string // tags by ID
	calls  []string                     // what was called, with the IDs
	counts map[string]int
	refuse func(call string) error // before a call takes effect
	answer func(ids []string) []string
	began  time.Time
	takes  time.Duration
}

// connection is the access of one machine.
type connection struct {
	*fleet
	machine, account string
}

func (c *connection) resources() []driver.Resource {
	all := []driver.Resource{{Kind: tags.VM, ID: "vm-" + c.machine}, {Kind: tags.Disk, ID: "disk-" + c.machine}}
	for i := range all {
		all[i].Tags = maps.Clone(c.live[all[i].ID])
		all[i].Attributes = map[string]driver.Reading{"iops": driver.Settled("3000")}
	}
	return all
}

// call is a call to the cloud, which ends with its context.
func (f *fleet) call(ctx context.Context, name string) error {
	f.mutex.Lock()
	f.calls = append(f.calls, fmt.Sprintf("%v %s", time.Since(f.began).Round(time.Millisecond), name))
	refuse := f.refuse
	f.mutex.Unlock()
	select {
	case <-time.After(f.takes):
		return refuse(name)
	case <-ctx.Done():
		f.mutex.Lock()
		defer f.mutex.Unlock()
		f.calls = append(f.calls, fmt.Sprintf("%v ended", time.Since(f.began).Round(time.Millisecond)))
		return ctx.Err()
	}
}

// buckets are buckets of single functions, which hold what is refilled in two seconds.
func buckets(refill map[string]float64) (list []driver.Bucket) {
	for _, function := range slices.Sorted(maps.Keys(refill)) {
		each := refill[function]
		list = append(list, driver.Bucket{
			Name: function, Burst: max(2, 2*each), Refill: each, Requests: map[string]int{function: 1},
		})
	}
	return list
}

func newFleet(t *testing.T, refill map[string]float64) *fleet {
	t.Helper()
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(t, err)
	schema, err := hotupdate.SchemaOf[providerSpec]()
	require.NoError(t, err)
	f := &fleet{t: t, live: map[string]map[string]string{}, counts: map[string]int{}, began: time.Now(), takes: 100 * time.Millisecond}
	f.refuse = func(string) error { return nil }
	f.answer = func(ids []string) []string { return ids }
	f.definition = driver.Definition[providerSpec, *connection]{
		Schema: schema,
		Connect: func(_ context.Context, request *machineupdate.UpdateMachineRequest, _ *providerSpec) (*connection, error) {
			return &connection{fleet: f, machine: request.Machine, account: string(request.Secret["account"])}, nil
		},
		Resources: func(ctx context.Context, c *connection) ([]driver.Resource, error) {
			err := f.call(ctx, "read "+c.machine)
			f.mutex.Lock()
			defer f.mutex.Unlock()
			return c.resources(), err
		},
		Tags: []driver.Tagging[providerSpec, *connection]{{
			Kinds: []tags.Kind{tags.VM, tags.Disk}, Rules: rules,
			Project: func(spec *providerSpec, kind tags.Kind) map[string]string { return spec.Tags.Of(kind) },
			Set: func(ctx context.Context, _ *connection, ids []string, set []tags.Tag) error {
				return f.change(ctx, "set", ids, fakecloud.Call{Set: set})
			},
			Remove: func(ctx context.Context, _ *connection, ids []string, remove []tags.Tag) error {
				return f.change(ctx, "remove", ids, fakecloud.Call{Remove: remove})
			},
		}},
		Sharing: driver.Sharing[*connection]{
			Key: func(c *connection) []string { return []string{c.account} }, Buckets: buckets(refill), Resources: f.readMany,
			MaxMachines: 10,
			Divisible: func(err error) ([]string, bool) {
				culprit, ok := errors.AsType[*culpritError](err)
				if !ok {
					return nil, false
				}
				return culprit.named, true
			},
		},
		Count: func(function, outcome string) {
			f.mutex.Lock()
			defer f.mutex.Unlock()
			f.counts[function+" "+outcome]++
		},
	}
	if refill["Resources"] == 0 {
		f.definition.Sharing.Resources = nil
		f.definition.Sharing.MaxMachines = 0
	}
	return f
}

func (f *fleet) change(ctx context.Context, function string, ids []string, call fakecloud.Call) error {
	ids = slices.Sorted(slices.Values(ids))
	if err := f.call(ctx, function+" "+strings.Join(ids, " ")); err != nil {
		return err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return fakecloud.ChangeIn(f.live, f.definition.Tags[0].Rules, call, ids...)
}

// readMany reads machines by their provider IDs.
func (f *fleet) readMany(ctx context.Context, clouds []*connection, answer func(providerID string, live []driver.Resource)) error {
	byID := map[string]*connection{}
	for _, c := range clouds {
		byID["id-"+c.machine] = c
	}
	ids := slices.Sorted(maps.Keys(byID))
	if err := f.call(ctx, "read "+strings.Join(ids, " ")); err != nil {
		return err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, id := range f.answer(ids) {
		id, isGone := strings.CutPrefix(id, "gone ")
		id, from, isLent := strings.Cut(id, " from ")
		if !isLent {
			from = id
		}
		c := byID[from]
		if c == nil || isGone {
			answer(id, nil)
		} else {
			answer(id, c.resources())
		}
	}
	return nil
}

// culpritError is the error of a call that the cloud refused because of some resources.
type culpritError struct{ named []string }

func (e *culpritError) Error() string { return fmt.Sprint("InvalidID.NotFound: ", e.named) }

// hot is the hot part of a spec with the tag mine.
func (f *fleet) hot(value string) machineupdate.HotSpec {
	f.t.Helper()
	mine := map[string]string{"mine": value}
	text, err := (*schemabridge.Schema)(f.definition.Schema).HotPart(&providerSpec{Tags: &tags.Tags{VM: mine, Network: mine, Disk: mine}})
	require.NoError(f.t, err)
	return machineupdate.HotSpec(text)
}

// request asks to change the tag mine from 1 to the value, for all kinds.
func (f *fleet) request(machine, value string) *machineupdate.UpdateMachineRequest {
	f.t.Helper()
	class, err := json.Marshal(map[string]any{"cluster": "c"})
	require.NoError(f.t, err)
	request := &machineupdate.UpdateMachineRequest{
		Machine: machine, ProviderID: "id-" + machine, Class: machineupdate.MachineClass{ProviderSpec: class},
		Secret: map[string][]byte{"token": []byte("token-of-" + machine)},
	}
	for _, kind := range []tags.Kind{tags.VM, tags.Disk} {
		request.Parts = append(request.Parts, machineupdate.Part{Kind: string(kind), Applied: f.hot("1"), Desired: f.hot(value)})
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, id := range []string{"vm-" + machine, "disk-" + machine} {
		if f.live[id] == nil {
			f.live[id] = map[string]string{"mine": "1"}
		}
	}
	return request
}

// together makes updates at the same time and returns their errors by machine. The marker of each takes a millisecond longer than that of
// the one before, so that their order is fixed.
func (f *fleet) together(ctx context.Context, requests ...*machineupdate.UpdateMachineRequest) map[string]error {
	f.t.Helper()
	if f.kit == nil {
		kit, err := driver.New(f.definition)
		require.NoError(f.t, err)
		f.kit = kit
	}
	var all sync.WaitGroup
	errs := map[string]error{}
	for i, request := range requests {
		request.BeforeWrite = func(context.Context) error {
			time.Sleep(time.Duration(i) * time.Millisecond)
			return nil
		}
		all.Go(func() {
			err := f.kit.UpdateMachine(ctx, request)
			f.mutex.Lock()
			defer f.mutex.Unlock()
			errs[request.Machine] = err
		})
		synctest.Wait()
	}
	all.Wait()
	return errs
}

func (f *fleet) requests(value string, machines ...string) (list []*machineupdate.UpdateMachineRequest) {
	f.t.Helper()
	for _, machine := range machines {
		list = append(list, f.request(machine, value))
	}
	return list
}

// slow is a refill with which only the first call is sent at once. The next turn comes after 2 seconds, or 2.5 for writes.
func slow() map[string]float64 { return map[string]float64{"Resources": 1, "Set": 0.8, "Remove": 0.8} }

func none(t *testing.T, errs map[string]error) {
	t.Helper()
	for machine, err := range errs {
		require.NoError(t, err, machine)
	}
}

// TestSharedCalls: machines that wait for their turn share the next call, and the counter counts calls.
func TestSharedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, slow())
		none(t, f.together(t.Context(), f.requests("2", "a", "b", "c", "d")...))
		assert.Equal(t, []string{
			"0s read id-a", "100ms set disk-a vm-a", "2s read id-b id-c id-d", "2.6s set disk-b disk-c disk-d vm-b vm-c vm-d",
		}, f.calls)
		assert.Equal(t, map[string]int{"Resources Succeeded": 2, "Set Succeeded": 2}, f.counts)
		for id, live := range f.live {
			assert.Equal(t, map[string]string{"mine": "2"}, live, id)
		}
	})
}

// TestSharingAlone: a machine alone waits for nobody, also for several calls of one action.
func TestSharingAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Resources": 20, "Set": 10, "Remove": 10})
		for _, value := range []string{"2", "3", "4"} {
			none(t, f.together(t.Context(), f.requests(value, "a")...))
		}
		assert.Equal(t, 600*time.Millisecond, time.Since(f.began), "six calls of 100 ms")
	})
}

// TestSharingPaces: attributes are never shared, and paced; so are reads without a function for many machines.
func TestSharingPaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Resources": 2, "Modify disk": 1})
		f.definition.Sharing.Resources = nil
		f.definition.Sharing.MaxMachines = 0
		f.definition.Groups = []driver.AttributeGroup[providerSpec, *connection]{{
			Kind: tags.Disk, Attributes: driver.Attributes{Defaults: map[string]string{"iops": "3000"}},
			Project: func(*providerSpec, *driver.Resource) map[string]string { return map[string]string{"iops": "4000"} },
			Modify: func(ctx context.Context, _ *connection, r *driver.Resource, _ map[string]string) error {
				return f.call(ctx, "modify "+r.ID)
			},
		}}
		none(t, f.together(t.Context(), f.requests("1", "a", "b", "c")...))
		assert.Equal(t, []string{
			"0s read a", "0s read b", "100ms modify disk-a", "1s read c", "2.1s modify disk-b", "4.1s modify disk-c",
		}, f.calls)
	})
}

// TestOneBucket: functions that draw from one bucket share its burst and its refill, one function as much as its calls have requests.
func TestOneBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Resources": 20})
		f.takes = 0
		f.definition.Sharing.Buckets = append(f.definition.Sharing.Buckets, driver.Bucket{
			Name: "writes", Burst: 4, Refill: 2, Requests: map[string]int{"Set": 1, "Remove": 2},
		})
		add := func(key string) *machineupdate.UpdateMachineRequest {
			r := f.request("a", "2")
			for i := range r.Parts {
				r.Parts[i].Desired = machineupdate.HotSpec(strings.ReplaceAll(string(r.Parts[i].Desired), "mine", key))
			}
			return r
		}
		none(t, f.together(t.Context(), add("other")))
		none(t, f.together(t.Context(), f.requests("3", "b")...))
		assert.Equal(t, []string{
			"0s read id-a", "0s set disk-a vm-a", "1s remove disk-a vm-a", // two requests are left, and one pays for the third
			"1s read id-b", "2s set disk-b vm-b",
		}, f.calls)
	})
}

// TestSpend: a call that made more requests than its bucket says delays the next ones.
func TestSpend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Resources": 1})
		f.takes = 0
		read := f.definition.Sharing.Resources
		f.definition.Sharing.Resources = func(ctx context.Context, all []*connection, answer func(string, []driver.Resource)) error {
			driver.Spend(ctx, "Resources", 2)
			driver.Spend(ctx, "no bucket", 200)
			return read(ctx, all, answer)
		}
		none(t, f.together(t.Context(), f.requests("1", "a")...))
		none(t, f.together(t.Context(), f.requests("1", "b")...))
		assert.Equal(t, []string{"0s read id-a", "6s read id-b"}, f.calls, "three requests of two seconds each")
		driver.Spend(t.Context(), "Resources", 2) // of no call
	})
}

// TestOneByOneIsPaid: a function that makes a request for each key and resource draws as often from its bucket.
func TestOneByOneIsPaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 2})
		f.takes = 0
		f.definition.Tags[0].Set = driver.OneByOne(func(ctx context.Context, _ *connection, id string, set tags.Tag) error {
			return f.change(ctx, "set", []string{id}, fakecloud.Call{Set: []tags.Tag{set}})
		})
		none(t, f.together(t.Context(), f.requests("2", "a")...))
		none(t, f.together(t.Context(), f.requests("2", "b")...))
		assert.Equal(t, []string{
			"0s read a", "0s set vm-a", "0s set disk-a", // the bucket is empty
			"0s read b", "1s set vm-b", "1s set disk-b",
		}, f.calls)
	})
}

// TestReadBeforeReplaceIsPaid: the read before an unguarded Replace, or before a further attempt, draws from the bucket of reads.
func TestReadBeforeReplaceIsPaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Resources": 1, "Replace": 10})
		f.definition.Sharing.Buckets[0].Burst = 4
		f.definition.Sharing.Buckets[1].Burst = 4
		f.takes = 0
		tagging := &f.definition.Tags[0]
		tagging.Kinds = []tags.Kind{tags.VM}
		tagging.Rules.Guard = tags.Unguarded
		tagging.Set = nil
		tagging.Remove = nil
		tagging.Replace = func(ctx context.Context, _ *connection, r *driver.Resource, _ map[string]string) error {
			return f.call(ctx, "replace "+r.ID)
		}
		requests := f.requests("2", "a", "b")
		for _, r := range requests {
			r.Parts = r.Parts[:1]
		}
		none(t, f.together(t.Context(), requests...))
		assert.Equal(t, []string{
			"0s read id-a", "0s read a", "0s replace vm-a", // two reads are left
			"2s read id-b", "4s read b", "4s replace vm-b",
		}, f.calls)
		tagging.Rules.Guard = tags.GuardVersion // a read comes before a further attempt only
		f.calls = nil
		failures := 1
		tagging.Replace = func(ctx context.Context, _ *connection, r *driver.Resource, _ map[string]string) error {
			if err := f.call(ctx, "replace "+r.ID); err != nil || failures == 0 {
				return err
			}
			failures--
			return driver.Outdated(errCloud)
		}
		time.Sleep(time.Hour) // the buckets are full
		again := f.requests("3", "a", "b")
		for _, r := range again {
			r.Parts = r.Parts[:1]
		}
		none(t, f.together(t.Context(), again...))
		assert.Equal(t, []string{
			"1h0m4s read id-a", "1h0m4s replace vm-a", "1h0m4s read id-b", "1h0m4.001s replace vm-b",
			"1h0m6s read a", "1h0m6s replace vm-a", // a third read is paid for
		}, f.calls)
		for i := range f.definition.Sharing.Buckets {
			f.definition.Sharing.Buckets[i] = driver.Bucket{
				Name: "all", Burst: 5, Refill: 1, Requests: map[string]int{"Resources": 2, "Replace": 1},
			}
		}
		f.definition.Sharing.Buckets = f.definition.Sharing.Buckets[:1]
		_, err := driver.New(f.definition)
		require.ErrorContains(t, err, `must hold twice the requests of a Replace with the read before it: "all"`)
	})
}

// TestWindows: in no window do the bucket's requests exceed the quota, also if it was full at the start.
func TestWindows(t *testing.T) {
	burst, refill := driver.Windows(1500, time.Minute)
	assert.Equal(t, []float64{300, 20}, []float64{burst, refill})
	assert.LessOrEqual(t, burst+60*refill, 1500.0)
}

// TestSharingNeedsEquality: other keys, tags and lanes do not share.
func TestSharingNeedsEquality(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, slow())
		requests := append(f.requests("2", "a", "b", "c"), f.requests("3", "d")...)
		other := f.request("e", "2")
		other.Secret["account"] = []byte("other")
		none(t, f.together(t.Context(), append(requests, other)...))
		assert.Equal(t, []string{
			"0s read id-a", "0s read id-e", "100ms set disk-a vm-a", "104ms set disk-e vm-e",
			"2s read id-b id-c id-d", "2.6s set disk-b disk-c vm-b vm-c", "5.1s set disk-d vm-d",
		}, f.calls)
	})
}

// TestSharingByLane: a read of one lane does not show what another lane needs.
func TestSharingByLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, slow())
		f.definition.Lanes = []machineupdate.Lane{{Name: "disks", Paths: []string{"/iops"}}}
		f.definition.Groups = []driver.AttributeGroup[providerSpec, *connection]{{
			Kind: tags.Disk, Lane: "disks", Attributes: driver.Attributes{Defaults: map[string]string{"iops": ""}},
			Project: func(*providerSpec, *driver.Resource) map[string]string { return nil },
			Modify:  func(context.Context, *connection, *driver.Resource, map[string]string) error { return nil },
		}}
		requests := f.requests("1", "a", "b", "c", "d")
		for _, request := range requests[2:] {
			request.Lane = "disks"
			request.Parts = request.Parts[1:]
		}
		none(t, f.together(t.Context(), requests...))
		assert.Equal(t, []string{"0s read id-a", "2s read id-b", "4s read id-c id-d"}, f.calls)
	})
}

// TestSharingByRank: who changes the spec goes first.
func TestSharingByRank(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		requests := append(f.requests("2", "a"), append(f.requests("3", "b"), f.requests("4", "c")...)...)
		requests[1].Rank = 2
		requests[2].Rank = 1
		none(t, f.together(t.Context(), requests...))
		assert.Equal(t, []string{"100ms set disk-a vm-a", "2.1s set disk-c vm-c", "4.1s set disk-b vm-b"}, f.calls[3:])
	})
}

// TestSharingBound: a machine is not cut across calls.
func TestSharingBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		f.definition.Tags[0].Rules.ResourcesPerCall = 3
		none(t, f.together(t.Context(), f.requests("2", "a", "b", "c")...))
		assert.Equal(t, []string{"100ms set disk-a vm-a", "2.1s set disk-b vm-b", "4.1s set disk-c vm-c"}, f.calls[3:])
	})
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 10})
		f.definition.Tags[0].Rules.ResourcesPerCall = 1
		none(t, f.together(t.Context(), f.requests("2", "a")...))
		assert.Equal(t, []string{"100ms set vm-a", "200ms set disk-a"}, f.calls[1:], "unless it exceeds the bound")
	})
}

// TestSharingThrottled: a throttled call is repeated once for all.
func TestSharingThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, slow())
		f.refuse = func(call string) error {
			if strings.HasPrefix(call, "set disk-b") && len(f.calls) < 6 {
				return machineupdate.ErrThrottled
			}
			return nil
		}
		none(t, f.together(t.Context(), f.requests("2", "a", "b", "c")...))
		assert.Equal(t, []string{
			"2.6s set disk-b disk-c vm-b vm-c", "5.1s set disk-b disk-c vm-b vm-c", "7.6s set disk-b disk-c vm-b vm-c",
		}, f.calls[3:])
		assert.Equal(t, map[string]int{"Resources Succeeded": 2, "Set Succeeded": 2, "Set Throttled": 2}, f.counts)
	})
}

// TestSharingDivides: a call that is refused for one machine is made for the others, and every machine has an error of its own.
func TestSharingDivides(t *testing.T) {
	for _, named := range [][]string{{"disk-c"}, nil, {"disk-x"}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFleet(t, map[string]float64{"Set": 1})
			f.refuse = func(call string) error {
				if strings.HasPrefix(call, "set") && strings.Contains(call, "disk-c") {
					return fmt.Errorf("token-of-b %w: %w", machineupdate.ErrNotFound, &culpritError{named})
				}
				return nil
			}
			errs := f.together(t.Context(), f.requests("2", "a", "b", "c", "d", "e")...)
			require.ErrorContains(t, errs["c"], "Set vm vm-c disk disk-c: ")
			delete(errs, "c")
			none(t, errs)
		})
	}
}

// TestSharingDivisionHasABudget: if every machine is refused, the division ends after ten more calls.
func TestSharingDivisionHasABudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		f.refuse = func(call string) error {
			if strings.HasPrefix(call, "set") {
				return &culpritError{}
			}
			return nil
		}
		machines := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
		for machine, err := range f.together(t.Context(), f.requests("2", machines...)...) {
			require.ErrorContains(t, err, "Set vm vm-"+machine+" disk disk-"+machine+": ")
		}
		assert.Equal(t, map[string]int{"Resources Succeeded": 26, "Set Failed": 1 + 1 + 10}, f.counts, "a alone, and the others divided")
	})
}

// TestSharingKeepsSecrets: an error shows neither the values nor the resources of another member, also not in a wrapped
// one, and NotFound of another's resource is no proof of absence.
func TestSharingKeepsSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		f.refuse = func(call string) error {
			if strings.HasPrefix(call, "set disk-b") {
				return fmt.Errorf("%w: vm-b disk-c token-of-b token-of-c", machineupdate.ErrNotFound)
			}
			return nil
		}
		errs := f.together(t.Context(), f.requests("2", "a", "b", "c")...)
		require.NoError(t, errs["a"])
		require.ErrorContains(t, errs["b"], "vm-b … … …")
		require.ErrorContains(t, errs["c"], "… disk-c … …")
		for _, machine := range []string{"b", "c"} {
			require.NotErrorIs(t, errs[machine], machineupdate.ErrNotFound)
			other := map[string]string{"b": "-c", "c": "-b"}[machine]
			for err := errs[machine]; err != nil; err = errors.Unwrap(err) {
				require.NotContains(t, err.Error(), other)
			}
		}
	})
}

// TestSharingPanic: a panic is an error of every member, and the next call is made.
func TestSharingPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		f.refuse = func(call string) error {
			if strings.HasPrefix(call, "set disk-b") {
				panic(&status{"Unimplemented", "token-of-c"})
			}
			return nil
		}
		errs := f.together(t.Context(), f.requests("2", "a", "b", "c")...)
		for _, machine := range []string{"b", "c"} {
			require.ErrorContains(t, errs[machine], "panic: machine codes error: code = [Unimplemented] message = […]")
			problem, ok := errors.AsType[*machineupdate.PanicError](errs[machine])
			require.True(t, ok)
			require.Contains(t, problem.Stack, "TestSharingPanic")
			require.NotContains(t, problem.Value, "token")
			kind, _ := machineupdate.DriverErrorOf(errs[machine])
			require.Empty(t, kind, "something may have been sent")
		}
		none(t, f.together(t.Context(), f.requests("2", "d")...))
	})
}

// TestSharingPanicOutsideOfTheCall: a panic in Divisible is an error as well.
func TestSharingPanicOutsideOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		f.refuse = func(call string) error {
			if strings.HasPrefix(call, "set") {
				return &culpritError{}
			}
			return nil
		}
		f.definition.Sharing.Divisible = func(error) ([]string, bool) { panic(machineupdate.ErrUnimplemented) }
		for _, err := range f.together(t.Context(), f.requests("2", "a", "b", "c")...) {
			_, ok := errors.AsType[*machineupdate.PanicError](err)
			require.True(t, ok, "%v", err)
		}
	})
}

// TestSharingKindsOfOthers: MCM's codes are read in the text of an error, which a member of a shared call sees without
// the error itself. NotFound may be about another member, as in TestSharingKeepsSecrets.
func TestSharingKindsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		code := "NotFound"
		f.refuse = func(call string) error {
			if strings.HasPrefix(call, "set") && strings.Contains(call, "disk-b") {
				return &status{code, "disk-c"}
			}
			return nil
		}
		kindOfB := func(value string) machineupdate.DriverError {
			errs := f.together(t.Context(), f.requests(value, "a", "b", "c")...)
			require.Error(t, errs["b"])
			kind, _ := machineupdate.DriverErrorOf(errs["b"])
			return kind
		}
		assert.Empty(t, kindOfB("2"))
		code = "Internal"
		assert.Empty(t, kindOfB("2"))
		code = "Unimplemented"

		assert.Equal(t, machineupdate.ErrUnimplemented, kindOfB("3"), "it is about the driver, and not about another member")
	})
}

// TestSharingLeaves: a call goes on without the member whose context has ended, also if that member asked for it.
func TestSharingLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		none(t, f.together(t.Context(), f.requests("2", "a")...))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(1950*time.Millisecond, cancel)
		var errB error
		var all sync.WaitGroup
		all.Go(func() {
			request := f.request("b", "2")
			request.BeforeWrite = func(context.Context) error { return nil }
			errB = f.kit.UpdateMachine(ctx, request)
		})
		none(t, f.together(t.Context(), f.requests("2", "c")...))
		all.Wait()
		require.ErrorIs(t, errB, context.Canceled)
		assert.Equal(t, []string{"2.1s set disk-b disk-c vm-b vm-c"}, f.calls[4:])
		assert.Equal(t, "2", f.live["vm-b"]["mine"], "the call had been sent")
	})
}

// TestSharingEndsAbandonedCall: the context of a call ends once its last member has gone.
func TestSharingEndsAbandonedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		none(t, f.together(t.Context(), f.requests("2", "a")...))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(1950*time.Millisecond, cancel) // at 2.15 s
		errs := f.together(ctx, f.requests("2", "b", "c")...)
		synctest.Wait()
		require.ErrorIs(t, errs["b"], context.Canceled)
		require.ErrorIs(t, errs["c"], context.Canceled)
		assert.Equal(t, []string{"2.1s set disk-b disk-c vm-b vm-c", "2.15s ended"}, f.calls[4:])
	})
}

// TestSharingDeadline: nothing is sent for a member after its deadline, also not when a throttled call is repeated.
func TestSharingDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		f.refuse = func(call string) error {
			if strings.Contains(call, "set") {
				return machineupdate.ErrThrottled
			}
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		errs := f.together(ctx, f.requests("2", "a", "b")...)
		for _, err := range errs {
			require.ErrorIs(t, err, machineupdate.ErrThrottled)
		}
		assert.Equal(t, 5*time.Second, time.Since(f.began))
		time.Sleep(time.Hour)
		assert.Equal(
			t, []string{"100ms set disk-a vm-a", "2.1s set disk-a disk-b vm-a vm-b", "4.2s set disk-a disk-b vm-a vm-b"}, f.calls[2:],
		)
	})
}

// TestSharingEarliestDeadline: a call ends with the earliest deadline of its members, and the others get its error.
func TestSharingEarliestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		none(t, f.together(t.Context(), f.requests("2", "a")...))
		f.takes = 300 * time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), 2050*time.Millisecond) // at 2.25 s
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			request := f.request("b", "2")
			request.BeforeWrite = func(context.Context) error { return nil }
			assert.ErrorContains(t, f.kit.UpdateMachine(ctx, request), "context deadline exceeded")
		})
		errs := f.together(t.Context(), f.requests("2", "c")...)
		all.Wait()
		require.ErrorContains(t, errs["c"], "context deadline exceeded")
		assert.Equal(t, []string{"2.1s set disk-b disk-c vm-b vm-c", "2.25s ended"}, f.calls[4:])
	})
}

// TestSharingLate: a member with less time left than a call took gets a call of its own.
func TestSharingLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 1})
		none(t, f.together(t.Context(), f.requests("2", "a")...))
		ctx, cancel := context.WithTimeout(t.Context(), 1950*time.Millisecond) // at 2.15 s
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			request := f.request("b", "2")
			request.BeforeWrite = func(context.Context) error { return nil }
			assert.ErrorIs(t, f.kit.UpdateMachine(ctx, request), context.DeadlineExceeded)
		})
		request := f.request("c", "2")
		request.BeforeWrite = func(context.Context) error {
			time.Sleep(time.Millisecond)
			return nil
		}
		require.NoError(t, f.kit.UpdateMachine(t.Context(), request))
		all.Wait()
		assert.Equal(t, []string{"2.1s set disk-b vm-b", "2.15s ended", "4.1s set disk-c vm-c"}, f.calls[4:])
	})
}

// TestSharingRemovals: the values of a removal are compared only if they are its condition.
func TestSharingRemovals(t *testing.T) {
	for guard, calls := range map[tags.Guard][]string{
		tags.Unguarded:  {"100ms remove disk-a vm-a", "2.6s remove disk-b disk-c vm-b vm-c"},
		tags.GuardValue: {"100ms remove disk-a vm-a", "2.6s remove disk-b vm-b", "5.1s remove disk-c vm-c"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFleet(t, map[string]float64{"Remove": 0.8})
			f.definition.Tags[0].Rules.Guard = guard
			requests := f.requests("2", "a", "b", "c")
			for i, request := range requests {
				value := strconv.Itoa(i)
				f.live["vm-"+request.Machine] = map[string]string{"mine": value}
				f.live["disk-"+request.Machine] = map[string]string{"mine": value}
			}
			f.definition.Tags[0].Project = func(spec *providerSpec, kind tags.Kind) map[string]string {
				projected := maps.Clone(spec.Tags.Of(kind))
				maps.DeleteFunc(projected, func(_, value string) bool { return value == "none" })
				return projected
			}
			for i, request := range requests {
				for j := range request.Parts {
					request.Parts[j].Applied = f.hot(strconv.Itoa(i))
					request.Parts[j].Desired = f.hot("none")
				}
			}
			none(t, f.together(t.Context(), requests...))
			assert.Equal(t, calls, f.calls[3:])
		})
	}
}

// TestSharingAloneIsAsBefore: whatever the cloud answers, a machine alone makes the calls and returns the error that it
// does without Sharing.
func TestSharingAloneIsAsBefore(t *testing.T) {
	answers := []error{
		nil, machineupdate.ErrThrottled, &machineupdate.RetryError{After: time.Minute + 1, Err: machineupdate.ErrThrottled},
		machineupdate.ErrNotFound, errors.New("token-of-a"), &culpritError{[]string{"vm-a"}}, &culpritError{},
	}
	run := func(t *testing.T, refill map[string]float64, of []error) (seen []string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			f := newFleet(t, refill)
			f.definition.Sharing.Resources = nil
			f.definition.Sharing.MaxMachines = 0
			if refill == nil {
				f.definition.Sharing = driver.Sharing[*connection]{}
			}
			f.refuse = func(call string) error {
				seen = append(seen, call)
				if len(of) < len(seen) {
					return nil
				}
				return of[len(seen)-1]
			}
			err := f.together(t.Context(), f.requests("2", "a")...)["a"]
			kind, after := machineupdate.DriverErrorOf(err)
			seen = append(seen, fmt.Sprint(err, kind, after, f.counts, f.live))
		})
		return seen
	}
	for _, first := range answers {
		for _, second := range answers {
			for _, third := range answers {
				of := []error{first, second, third}
				alone := run(t, nil, of)
				require.Equal(t, alone, run(t, map[string]float64{"Resources": 20, "Set": 10}, of), "%v", of)
			}
		}
	}
}

// TestSharingAnswers: no machine is updated by another's answer. A machine that is gone is told from one that is missing.
func TestSharingAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		answer []string
		errs   map[string]string
	}{
		"missing": {[]string{"id-b"}, map[string]string{"c": "id-c: is not answered"}},
		"gone":    {[]string{"id-b", "gone id-c"}, map[string]string{"c": machineupdate.ErrNotFound.Error()}},
		"twice":   {[]string{"id-b", "id-c", "id-c"}, map[string]string{"c": "id-c: is answered twice"}},
		"stray": {
			[]string{"id-b", "id-c", "id-x"},
			map[string]string{"b": "id-x: is answered, and was not asked for", "c": "id-x: is answered, and was not asked for"},
		},
		"another's": {
			[]string{"id-b", "id-c from id-b"},
			map[string]string{"b": "id-b: is answered with a resource of another", "c": "id-c: is answered with a resource of another"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFleet(t, slow())
				f.answer = func(ids []string) []string {
					if len(ids) == 2 {
						return test.answer
					}
					return ids
				}
				errs := f.together(t.Context(), f.requests("2", "a", "b", "c")...)
				for machine, err := range errs {
					if test.errs[machine] == "" {
						assert.NoError(t, err, machine)
					} else {
						assert.ErrorContains(t, err, test.errs[machine], machine)
						assert.Equal(t, map[string]string{"mine": "1"}, f.live["vm-"+machine])
					}
				}
			})
		})
	}
}

func TestUnusableSharing(t *testing.T) {
	one := func(function string, burst, refill float64, requests int) []driver.Bucket {
		return []driver.Bucket{{Name: "all", Burst: burst, Refill: refill, Requests: map[string]int{function: requests}}}
	}
	key := func(*connection) []string { return nil }
	read := func(context.Context, []*connection, func(string, []driver.Resource)) error { return nil }
	for name, sharing := range map[string]driver.Sharing[*connection]{
		"no key":          {Buckets: one("Set", 2, 1, 1)},
		"no function":     {Key: key, Buckets: one("Tag", 2, 1, 1)},
		"no kind":         {Key: key, Buckets: one("Set bucket", 2, 1, 1)},
		"no kind of set":  {Key: key, Buckets: one("AddMember bucket", 2, 1, 1)},
		"no rate":         {Key: key, Buckets: one("Set", 2, -1, 1)},
		"no burst":        {Key: key, Buckets: one("Set", 0, 1, 1)},
		"a small burst":   {Key: key, Buckets: one("Set", 5, 1, 3)},
		"a large burst":   {Key: key, Buckets: one("Set", 1e7, 1, 3)},
		"no requests":     {Key: key, Buckets: one("Set", 2, 1, 0)},
		"no name":         {Key: key, Buckets: []driver.Bucket{{Burst: 2, Refill: 1}}},
		"one name twice":  {Key: key, Buckets: append(one("Set", 2, 1, 1), one("Remove", 2, 1, 1)...)},
		"no bound":        {Key: key, Buckets: one("Resources", 2, 1, 1), Resources: read},
		"no bucket":       {Key: key, Resources: read, MaxMachines: 10},
		"a useless bound": {Key: key, MaxMachines: 10},
	} {
		f := newFleet(t, nil)
		f.definition.Sharing = sharing
		_, err := driver.New(f.definition)
		assert.ErrorContains(t, err, "Sharing", name)
	}
}
