package driver_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// This file has calls that the cloud fails to answer.

// TestUnavailable: a call that the cloud fails to answer is made four times, with growing delays. The fourth failure ends
// the calls of its resource, and the error has the kind.
func TestUnavailable(t *testing.T) {
	down := answer.Unavailable(errCloud)
	one := uniform(map[string]string{"mine": "1"})
	for _, tc := range []struct {
		call     string
		failures int
		attempts int
	}{
		{"Connect", 3, 4},
		{"Resources", 3, 4},
		{"remove", 3, 4},
		{"Connect", 9, 4},
		{"Resources", 9, 4},
		{"remove", 9, 4},
	} {
		w := newWorld(t)
		attempts := 0
		fail := func(call string) error {
			if call != tc.call {
				return nil
			}
			attempts++
			if attempts <= tc.failures {
				return down
			}
			return nil
		}
		connect := w.definition.Connect
		w.definition.Connect = func(ctx context.Context, r *machineupdate.UpdateMachineRequest, class *providerSpec) (*world, error) {
			_, err := connect(ctx, r, class)
			return w, errors.Join(err, fail("Connect"))
		}
		w.definition.Resources = func(context.Context, *world) ([]driver.Resource, error) { return w.read(), fail("Resources") }
		w.definition.Tags[0].Remove = func(context.Context, *world, []string, []tags.Tag) error { return fail("remove") }
		err := w.kit().UpdateMachine(t.Context(), w.request(&providerSpec{Tags: &one}, &providerSpec{}))
		kind, _ := machineupdate.DriverErrorOf(err)
		if tc.failures < tc.attempts {
			require.NoError(t, err, tc.call)
		} else {
			assert.Equal(t, machineupdate.ErrUnavailable, kind, tc.call)
			require.ErrorIs(t, err, errCloud)
		}
		assert.Equal(t, tc.attempts, attempts, tc.call)
		require.Len(t, w.waits, 3, tc.call)
		for i, d := range w.waits {
			assert.GreaterOrEqual(t, d, time.Second<<i/2)
			assert.LessOrEqual(t, d, time.Second<<i)
		}
	}
}

// TestUnavailableOnly: no other failure is repeated by the kit, and nothing is sent once the context is done.
func TestUnavailableOnly(t *testing.T) {
	one := uniform(map[string]string{"mine": "1"})
	later := &machineupdate.RetryError{After: time.Minute + 1, Err: machineupdate.ErrUnavailable}
	for name, failure := range map[string]error{
		"any": errCloud, "not found": machineupdate.ErrNotFound, "for longer than a worker is held": later,
		"and another": errors.Join(machineupdate.ErrUnavailable, errCloud),
	} {
		w := newWorld(t)
		w.fail["remove [i-1 eni-1 vol-1 vol-2]"] = failure
		require.Error(t, w.kit().UpdateMachine(t.Context(), w.request(&providerSpec{Tags: &one}, &providerSpec{})), name)
		assert.Len(t, w.calls, 1, name)
	}
	w := newWorld(t)
	w.fail["remove [i-1 eni-1 vol-1 vol-2]"] = machineupdate.ErrUnavailable
	ctx, cancel := context.WithCancel(t.Context())
	w.definition.Wait = func(context.Context, time.Duration) error {
		cancel()
		return ctx.Err()
	}
	require.ErrorIs(t, w.kit().UpdateMachine(ctx, w.request(&providerSpec{Tags: &one}, &providerSpec{})), machineupdate.ErrUnavailable)
	assert.Len(t, w.calls, 1)
}

// TestUnansweredReplace: where a write of all infrastructure tags is refused because its version is out of date, the
// resource is read. The change may be there already, by an attempt without an answer. Otherwise it is merged with what
// others wrote.
func TestUnansweredReplace(t *testing.T) {
	const first = "i-1 v0 map[cluster:c mine:2]"
	for name, tc := range map[string]struct {
		isCarriedOut bool
		theirs       map[string]string // what others set after the first attempt
		calls        []string
		want         map[string]string
	}{
		"carried out": {
			true, nil, []string{first, first}, map[string]string{"cluster": "c", "mine": "2"},
		},
		"carried out, and others write": {
			true,
			map[string]string{"theirs": "1"},
			[]string{first, first},
			map[string]string{"cluster": "c", "mine": "2", "theirs": "1"},
		},
		"lost": {
			false, nil, []string{first, first}, map[string]string{"cluster": "c", "mine": "2"},
		},
		"lost, and others write": {
			false,
			map[string]string{"theirs": "1"},
			[]string{first, first, "i-1 v1 map[cluster:c mine:2 theirs:1]"},
			map[string]string{"cluster": "c", "mine": "2", "theirs": "1"},
		},
		"carried out, and others take it back": {
			true,
			map[string]string{"mine": "3"},
			[]string{first, first, "i-1 v2 map[cluster:c mine:2]"},
			map[string]string{"cluster": "c", "mine": "2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, vm, write := newVersioned(t)
			w.definition.Tags[0].Replace = func(_ context.Context, w *world, r *driver.Resource, all map[string]string) error {
				_ = w.called(fmt.Sprint("i-1 ", r.Version, " ", all))
				isFirst := len(w.calls) == 1
				if vm.Version != r.Version {
					return driver.Outdated(errCloud)
				}
				if !isFirst || tc.isCarriedOut {
					write(all)
				}
				if isFirst && tc.theirs != nil {
					write(merged(vm.Tags, tc.theirs))
				}
				if isFirst {
					return answer.Unavailable(errCloud)
				}
				return nil
			}
			require.NoError(t, w.update(map[string]string{"mine": "2"}))
			assert.Equal(t, tc.calls, w.calls)
			assert.Equal(t, tc.want, vm.Tags)
		})
	}
}

// TestOutdatedReplace: others write between the read and a write of all infrastructure tags, which is refused. The kit
// reads again and plans again: Takeover, OtherWriter and AnyValue hold for what others have written. Again and AtOnce
// do not repeat the refused write.
func TestOutdatedReplace(t *testing.T) {
	const (
		first = "i-1 v0 map[cluster:c mine:1 owner:ours]"
		kept  = `vm i-1 keeps its values of ["owner"]: AnyValue of the driver's Rules leaves them to others`
	)
	for name, tc := range map[string]struct {
		anyValue  []string
		live      map[string]string // before the read, beside cluster and mine
		theirs    map[string]string // what others write after the read
		calls     []string
		takeovers []string
		rewritten []string
		told      []string
	}{
		"a key of others": {
			theirs: map[string]string{"theirs": "1"},
			calls:  []string{first, "i-1 v1 map[cluster:c mine:1 owner:ours theirs:1]"},
		},
		"a desired key": {
			theirs:    map[string]string{"owner": "theirs"},
			calls:     []string{first, "i-1 v1 map[cluster:c mine:1 owner:ours]"},
			takeovers: []string{"i-1 owner"},
		},
		"a desired key that was theirs before": {
			live:      map[string]string{"owner": "before"},
			theirs:    map[string]string{"owner": "theirs"},
			calls:     []string{first, "i-1 v1 map[cluster:c mine:1 owner:ours]"},
			takeovers: []string{"i-1 owner"},
		},
		"the desired value": {
			theirs: map[string]string{"owner": "ours"},
			calls:  []string{first},
		},
		"an applied key": {
			theirs:    map[string]string{"mine": "theirs"},
			calls:     []string{first, "i-1 v1 map[cluster:c mine:1 owner:ours]"},
			takeovers: []string{"i-1 mine"},
			rewritten: []string{"vm i-1 mine=theirs"},
		},
		"a key with any value": {
			anyValue: []string{"owner"},
			theirs:   map[string]string{"owner": "theirs"},
			calls:    []string{first},
			told:     []string{kept},
		},
		"a key with any value, and another": {
			anyValue:  []string{"owner"},
			theirs:    map[string]string{"owner": "theirs", "mine": "theirs"},
			calls:     []string{first, "i-1 v1 map[cluster:c mine:1 owner:theirs]"},
			takeovers: []string{"i-1 mine"},
			rewritten: []string{"vm i-1 mine=theirs"},
			told:      []string{kept},
		},
	} {
		for way, of := range map[string]func(ctx context.Context, write func(context.Context) error) error{
			"alone":     func(ctx context.Context, write func(context.Context) error) error { return write(ctx) },
			"by Again":  driver.Again,
			"by AtOnce": func(ctx context.Context, write func(context.Context) error) error { return driver.AtOnce(ctx, write) },
		} {
			t.Run(name+", "+way, func(t *testing.T) {
				w, vm, write := newVersioned(t)
				tagging := &w.definition.Tags[0]
				tagging.Rules.AnyValue = tc.anyValue
				maps.Copy(vm.Tags, tc.live)
				w.definition.Translate = func(_ *world, err error) error { return driver.Outdated(err) }
				tagging.Replace = func(ctx context.Context, w *world, r *driver.Resource, all map[string]string) error {
					return of(ctx, func(context.Context) error {
						_ = w.called(fmt.Sprint("i-1 ", r.Version, " ", all))
						if len(w.calls) == 1 {
							write(merged(vm.Tags, tc.theirs))
						}
						if vm.Version != r.Version {
							return errCloud
						}
						write(all)
						return nil
					})
				}
				one := uniform(map[string]string{"mine": "1"})
				other := uniform(map[string]string{"mine": "1", "owner": "ours"})
				request := w.request(&providerSpec{Tags: &one}, &providerSpec{Tags: &other})
				var rewritten, told []string
				request.OtherWriter = func(resource, key, value string) {
					rewritten = append(rewritten, resource+" "+key+"="+value)
				}
				request.Tell = func(message string) { told = append(told, message) }
				require.NoError(t, w.kit().UpdateMachine(t.Context(), request))
				assert.Equal(t, tc.calls, w.calls)
				assert.Equal(t, tc.takeovers, w.takeovers)
				assert.Equal(t, tc.rewritten, rewritten)
				assert.Equal(t, tc.told, told)
			})
		}
	}
}

// TestOutdatedTwice: a takeover by a later plan is told if its write may have been carried out, also if the answer is lost. It is not told
// if the write is refused and the next plan takes nothing.
func TestOutdatedTwice(t *testing.T) {
	for name, tc := range map[string]struct {
		second    func(theirs, ours func()) error // what follows the second write
		takeovers []string
	}{
		"the answer is lost": {func(_, ours func()) error {
			ours()
			return answer.Unavailable(errCloud)
		}, []string{"i-1 owner"}},
		"they take it back": {func(theirs, _ func()) error {
			theirs()
			return driver.Outdated(errCloud)
		}, nil},
		"they take it back, and the write is throttled": {func(theirs, _ func()) error {
			theirs()
			return machineupdate.ErrThrottled
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, vm, write := newVersioned(t)
			before := maps.Clone(vm.Tags)
			w.definition.Tags[0].Replace = func(_ context.Context, w *world, r *driver.Resource, all map[string]string) error {
				_ = w.called(r.Version)
				switch {
				case len(w.calls) == 1:
					write(merged(vm.Tags, map[string]string{"owner": "theirs"}))
					return driver.Outdated(errCloud)
				case len(w.calls) == 2:
					return tc.second(func() { write(before) }, func() { write(all) })
				}
				assert.Equal(t, vm.Version, r.Version)
				write(all)
				return nil
			}
			require.NoError(t, w.update(map[string]string{"mine": "1", "owner": "ours"}))
			assert.Equal(t, map[string]string{"cluster": "c", "mine": "1", "owner": "ours"}, vm.Tags)
			assert.Equal(t, tc.takeovers, w.takeovers)
		})
	}
}

// newVersioned is a world with a VM alone, whose infrastructure tags have a version, and what writes all of them.
func newVersioned(t *testing.T) (w *world, vm *driver.Resource, write func(all map[string]string)) {
	t.Helper()
	w = newWorld(t)
	w.resources = w.resources[1:2]
	vm = w.find("i-1")
	vm.Version = "v0"
	version := 0
	tagging := &w.definition.Tags[0]
	tagging.Rules.Guard = tags.GuardVersion
	tagging.Set = nil
	tagging.Remove = nil
	return w, vm, func(all map[string]string) {
		vm.Tags = maps.Clone(all)
		version++
		vm.Version = fmt.Sprint("v", version)
	}
}

// merged returns infrastructure tags with others.
func merged(all, more map[string]string) map[string]string {
	all = maps.Clone(all)
	maps.Copy(all, more)
	return all
}

// TestUnavailableAsynchronous: only a read tells whether the cloud has accepted such a change.
func TestUnavailableAsynchronous(t *testing.T) {
	w := newVolumes(t)
	w.fail["modify vol-1 map[iops:4000 throughput:125]"] = machineupdate.ErrUnavailable
	request := w.inLane("volume", &providerSpec{}, &providerSpec{IOPS: 4000})
	require.ErrorIs(t, w.kit().UpdateMachine(t.Context(), request), machineupdate.ErrUnavailable)
	assert.Len(t, w.calls, 1)
}

// TestSharingUnavailable: the members of a call that the cloud fails to answer join another, each after a delay that
// depends on the machine.
func TestSharingUnavailable(t *testing.T) {
	for failures, want := range map[int]error{3: nil, 9: machineupdate.ErrUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			f := newFleet(t, slow())
			f.refuse = func(call string) error {
				isShared := strings.HasPrefix(call, "set") && !strings.HasSuffix(call, "vm-a")
				if isShared && failures > 0 {
					failures--
					return fmt.Errorf("token-of-b: %w", machineupdate.ErrUnavailable)
				}
				return nil
			}
			errs := f.together(t.Context(), f.requests("2", "a", "b", "c")...)
			for machine, err := range errs {
				if machine == "a" {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, want, machine)
				}
			}
			assert.LessOrEqual(t, f.counts["Set Failed"], 8, "four attempts of each machine at most")
		})
	}
}
