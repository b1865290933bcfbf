package inorder_test

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/inorder"
)

// count counts from 0 without an end, and tells how far it came.
func count(reached *atomic.Int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
			reached.Store(int64(i))
		}
	}
}

// TestMapKeepsTheOrder: a slow element does not let later ones pass, and the elements under way are bounded.
func TestMapKeepsTheOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reached, running, most atomic.Int64
		slowEarly := func(i int) int {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Duration(100-i%100) * time.Second)
			running.Add(-1)
			return i
		}
		var got []int
		for one := range inorder.Map(context.WithoutCancel(t.Context()), count(&reached), slowEarly) {
			assert.LessOrEqual(t, int(reached.Load())-one, 2*runtime.GOMAXPROCS(0)+2)
			if got = append(got, one); len(got) == 250 {
				break
			}
		}
		assert.True(t, slices.IsSorted(got))
		assert.Equal(t, 249, got[249])
		assert.Greater(t, most.Load(), int64(1), "several at once")
		assert.LessOrEqual(t, most.Load(), int64(2*runtime.GOMAXPROCS(0)+2))
		time.Sleep(time.Hour) // no goroutine may go on after the break
		assert.Zero(t, running.Load())
	})
}

// TestMapEndsWithTheContext: even while an element takes for ever.
func TestMapEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		ended := make(chan struct{})
		defer close(ended)
		never := func(yield func(int) bool) {
			if yield(1) {
				<-ended
			}
		}
		assert.Equal(t, []int{2}, slices.Collect(inorder.Map(ctx, never, func(i int) int { return 2 * i })))
		assert.Error(t, ctx.Err())
	})
}

// TestMapOfOne: the caller's goroutine calls the function for the first element, also if there are others, and a
// sequence of one needs no further goroutine than that which reads it.
func TestMapOfOne(t *testing.T) {
	t.Parallel()
	for _, elements := range [][]int{nil, {1}, {1, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		var byCaller atomic.Int64
		do := func(i int) int {
			stack := make([]byte, 1<<20)
			stack = stack[:runtime.Stack(stack, false)]
			if strings.Contains(string(stack), "TestMapOfOne(") {
				byCaller.Add(1)
			}
			return i
		}
		assert.Equal(t, elements, slices.Collect(inorder.Map(t.Context(), slices.Values(elements), do)))
		assert.Equal(t, min(len(elements), 1), int(byCaller.Load()))
	}
}
