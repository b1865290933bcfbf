package fleet_test

import (
	"flag"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var machines = flag.Int("machines", 400, "how many machines get another tag")

// usual has the times and limits of EC2 and an API server on a usual day, and MCM's workers and writes.
func usual(machines int) Scenario {
	return Scenario{
		Machines: machines, Classes: 1, Workers: 50, Writes: 100, DescribeRefill: 20,
		Latency: Latency{
			Describe: 100 * time.Millisecond, Tag: 200 * time.Millisecond, Run: 2 * time.Second,
			Write: 10 * time.Millisecond,
		},
	}
}

// simulate runs a scenario and checks that every machine has its tag.
func simulate(t *testing.T, s Scenario) (r Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		r, err = s.Simulate()
		require.NoError(t, err)
	})
	assert.Zero(t, r.Wrong, "every machine gets its tag")
	return r
}

// TestFleet: EC2 refuses no call of machines that share their calls, however many sets of tags there are, and the
// writes to the API server are what the update waits for.
func TestFleet(t *testing.T) {
	shared := usual(*machines)
	third := shared
	third.InFlight = 16
	own := shared
	own.Workers = 500
	own.Writes = 200
	own.Own = true
	classes := own
	classes.Classes = 20
	for name, row := range map[string]struct {
		Scenario

		calls   float64       // for each machine, at most
		updated time.Duration // when all are, at the latest
		waited  time.Duration // by a creation, at most; zero sets no limit
	}{
		"MCM's 50 workers, 100 writes a second": {shared, 1, written(shared) * 3 / 2, 0},
		"the same, a third of the workers by the Limiter": {
			third, 2.5, written(shared)*4 + 2*time.Minute, // which a machine may wait that the Limiter denies
			time.Second,
		},
		"500 workers of the updater, 200 writes a second": {own, 0.55, written(own) * 3 / 2, time.Second},
		"the same, 20 classes, queued class by class":     {classes, 1, written(own) * 3 / 2, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			r := simulate(t, row.Scenario)
			show(t, r)
			assert.Zero(t, r.Refused)
			assert.Zero(t, r.Failed)
			assert.LessOrEqual(t, float64(r.Calls), row.calls*float64(row.Machines))
			assert.LessOrEqual(t, r.Updated, row.updated)
			if row.waited > 0 {
				assert.LessOrEqual(t, r.Waited, row.waited)
			}
		})
	}
}

// written is how long the two writes for each machine take.
func written(s Scenario) time.Duration {
	return time.Duration(float64(2*s.Machines) / s.Writes * float64(time.Second))
}

// TestFleetAlone: without sharing the same cloud is asked seven times for a machine, and refuses.
func TestFleetAlone(t *testing.T) {
	filtered := usual(*machines)
	filtered.Alone = true
	unfiltered := filtered
	unfiltered.DescribeRefill = 10
	for name, s := range map[string]Scenario{"today": filtered, "today, reads without a filter": unfiltered} {
		t.Run(name, func(t *testing.T) {
			r := simulate(t, s)
			show(t, r)
			assert.Positive(t, r.Refused)
			assert.Greater(t, r.Calls, 7*s.Machines)
		})
	}
}

// TestFleetOfOne: a machine alone waits for nobody.
func TestFleetOfOne(t *testing.T) {
	shared := usual(1)
	alone := shared
	alone.Alone = true
	assert.Equal(t, simulate(t, alone), simulate(t, shared))
}

// show prints what a scenario took.
func show(t *testing.T, r Result) {
	t.Helper()
	round := func(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
	t.Logf("%d calls to EC2, of which %d were refused; updated after %v, confirmed after %v; a creation waited up to %v",
		r.Calls, r.Refused, round(r.Updated), round(r.Confirmed), round(r.Waited))
}
