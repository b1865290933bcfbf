package driver_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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

// lists is a shared read of three lists, of which each may fail.
func (f *fleet) lists(fails func(list, try int) error) {
	read := f.definition.Sharing.Resources
	tries := map[int]int{}
	f.definition.Sharing.Resources = func(ctx context.Context, all []*connection, to func(string, []driver.Resource)) error {
		var parts []func(ctx context.Context) error
		for list := range 3 {
			parts = append(parts, func(context.Context) error {
				f.mutex.Lock()
				defer f.mutex.Unlock()
				tries[list]++
				f.calls = append(f.calls, fmt.Sprint("list ", list))
				return fails(list, tries[list])
			})
		}
		if err := driver.AtOnce(ctx, parts...); err != nil {
			return err
		}
		return read(ctx, all, to)
	}
}

// TestListRepeatedAlone: a list that the cloud fails to answer is read again, the others are not, and no machine fails.
func TestListRepeatedAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Resources": 20})
		f.lists(func(list, try int) error {
			if list == 1 && try < 4 {
				return answer.Unavailable(errors.New("reset"))
			}
			return nil
		})
		none(t, f.together(t.Context(), f.requests("1", "a", "b")...))
		calls := map[string]int{}
		for _, call := range f.calls {
			calls[call]++
		}
		assert.Equal(t, []int{2, 5, 2}, []int{calls["list 0"], calls["list 1"], calls["list 2"]}, "two reads")
		assert.Equal(t, map[string]int{"Resources Succeeded": 2}, f.counts)
	})
}

// TestListsAreBounded: a list that is never answered is read four times in all, not four times four.
func TestListsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, slow())
		tries := 0
		f.lists(func(list, _ int) error {
			if list == 1 {
				tries++
				return answer.Unavailable(errors.New("reset"))
			}
			return nil
		})
		errs := f.together(t.Context(), f.requests("1", "a", "b", "c")...)
		for machine, err := range errs {
			kind, _ := machineupdate.DriverErrorOf(err)
			assert.Equal(t, machineupdate.ErrUnavailable, kind, machine)
		}
		assert.Equal(t, 8, tries, "a read of a, and one of b and c")
	})
}

// TestThrottledListWins: beside a list that is not answered, the delay of a throttled list is kept for the whole read.
func TestThrottledListWins(t *testing.T) {
	for name, other := range map[string]error{
		"final": errors.New("no"), "unanswered": answer.Unavailable(errors.New("500")), "throttled too": machineupdate.ErrThrottled,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFleet(t, map[string]float64{"Resources": 20})
				f.takes = 0
				f.lists(func(list, try int) error {
					switch {
					case try == 1 && list == 1:
						return answer.Throttled(errors.New("429"), 20*time.Second)
					case try == 1 && list == 2:
						return other
					}
					return nil
				})
				none(t, f.together(t.Context(), f.requests("1", "a")...))
				waited := time.Since(f.began)
				assert.GreaterOrEqual(t, waited, 20*time.Second)
				assert.Less(t, waited, 25*time.Second)
			})
		})
	}
}

// TestAgain: a look at an operation is repeated, and the write before it is not.
func TestAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, map[string]float64{"Set": 20})
		looks := 0
		set := f.definition.Tags[0].Set
		f.definition.Tags[0].Set = func(ctx context.Context, c *connection, ids []string, all []tags.Tag) error {
			if err := set(ctx, c, ids, all); err != nil {
				return err
			}
			return driver.Again(ctx, func(context.Context) error {
				looks++
				switch {
				case looks == 1:
					return answer.Throttled(errors.New("429"), 5*time.Second)
				case looks < 5:
					return answer.Unavailable(errors.New("reset"))
				}
				return nil
			})
		}
		none(t, f.together(t.Context(), f.requests("2", "a")...))
		assert.Equal(t, 5, looks)
		assert.Equal(t, map[string]int{"Resources Succeeded": 1, "Set Succeeded": 1}, f.counts)
		assert.Greater(t, time.Since(f.began), 5*time.Second)
	})
	final := errors.New("no")
	require.ErrorIs(t, driver.Again(t.Context(), func(context.Context) error { return final }), final, "also outside of a call")
}

// TestRepeatedPartsAreSpread: the delays before the parts of a call are made again depend on the machine. Machines whose
// calls failed together do not repeat them together.
func TestRepeatedPartsAreSpread(t *testing.T) {
	delays := map[time.Duration]bool{}
	machines := []string{"a", "b", "c", "d"}
	for _, machine := range machines {
		synctest.Test(t, func(t *testing.T) {
			f := newFleet(t, map[string]float64{"Resources": 20})
			f.lists(func(list, try int) error {
				if list == 1 && try == 1 {
					return answer.Unavailable(errors.New("reset"))
				}
				return nil
			})
			f.definition.Wait = func(_ context.Context, d time.Duration) error {
				delays[d] = true
				return nil
			}
			none(t, f.together(t.Context(), f.requests("1", machine)...))
		})
	}
	assert.Len(t, delays, len(machines))
}

// TestPartsThatDoNotReturn: a part that ends its goroutine, or panics, has not read its list: the read fails.
func TestPartsThatDoNotReturn(t *testing.T) {
	for name, part := range map[string]func(context.Context) error{
		"ends its goroutine": func(context.Context) error { runtime.Goexit(); return nil },
		"panics":             func(context.Context) error { panic("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, driver.AtOnce(t.Context(), func(context.Context) error { return nil }, part))
		})
	}
}
