// Package measure times functions against one another on a machine that has other things to do.
//
// It owns how a time is taken: in turns, so that a slow moment meets all alike, and the best of
// many turns, since noise only adds. It must not know what it times.
package measure

import (
	"runtime"
	"testing"
	"time"
)

// Case is a function that is timed.
type Case struct {
	Name string
	Run  func()

	PerOp  time.Duration // the best time of one call
	Allocs float64       // allocations of one call
}

// Options say how long measuring may take.
type Options struct {
	Turns int           // how often each case is timed
	Slice time.Duration // how long each turn of a case takes, at least
}

// InTurns times the cases in turns and fills in their results.
func InTurns(o Options, cases []*Case) {
	calls := make([]int, len(cases))
	for i, c := range cases {
		c.Allocs = testing.AllocsPerRun(10, c.Run)
		calls[i] = callsPer(o.Slice, c.Run)
	}
	for range o.Turns {
		for i, c := range cases {
			if took := timed(calls[i], c.Run); c.PerOp == 0 || took < c.PerOp {
				c.PerOp = took
			}
		}
	}
}

// callsPer returns how many calls fill a slice of time.
func callsPer(slice time.Duration, run func()) int {
	for n := 1; ; n *= 2 {
		if total := timed(n, run) * time.Duration(n); total >= slice/2 || n >= 1<<24 {
			return n
		}
	}
}

// timed returns the time of one of n calls. It is cut to nanoseconds, the clock's unit.
func timed(n int, run func()) time.Duration {
	start := time.Now()
	for range n {
		run()
	}
	return time.Since(start) / time.Duration(n)
}

// Allocated returns the bytes of all that run allocates, whether or not it is still in use
// afterwards: an upper bound of its peak.
func Allocated(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
