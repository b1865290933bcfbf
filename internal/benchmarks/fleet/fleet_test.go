package fleet_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/benchmarks/fleet"
)

// scenario is a small fleet.
func scenario(machines int) fleet.Scenario {
	return fleet.Scenario{
		Machines: machines, Classes: 1, Workers: 50, Writes: 100, DescribeRefill: 20,
		Latency: fleet.Latency{
			Describe: 100 * time.Millisecond, Tag: 200 * time.Millisecond, Run: 2 * time.Second,
			Write: 10 * time.Millisecond,
		},
	}
}

func simulate(t *testing.T, s fleet.Scenario) (r fleet.Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		r, err = s.Simulate()
		require.NoError(t, err)
	})
	assert.Zero(t, r.Wrong, "every machine gets its tag")
	assert.Zero(t, r.Failed)
	return r
}

// TestFleetIsNeverRefused: EC2 refuses no call of machines that share, however many tag sets there
// are.
func TestFleetIsNeverRefused(t *testing.T) {
	for classes, calls := range map[int]int{1: 220, 20: 400} {
		for _, isOwn := range []bool{false, true} {
			t.Run(strconv.Itoa(classes)+strconv.FormatBool(isOwn), func(t *testing.T) {
				s := scenario(400)
				s.Classes = classes
				if isOwn {
					s.Own = true
					s.Workers = 500
					s.Writes = 200
				}
				r := simulate(t, s)
				assert.Zero(t, r.Refused)
				assert.LessOrEqual(t, r.Calls, calls)
			})
		}
	}
}

// TestFleetAlone: without sharing the same cloud is asked seven times for a machine, and refuses.
func TestFleetAlone(t *testing.T) {
	s := scenario(400)
	s.Alone = true
	r := simulate(t, s)
	assert.Positive(t, r.Refused)
	assert.Greater(t, r.Calls, 7*s.Machines)
}

// TestFleetOfOne: a machine alone waits for nobody.
func TestFleetOfOne(t *testing.T) {
	s := scenario(1)
	shared := simulate(t, s)
	s.Alone = true
	assert.Equal(t, simulate(t, s), shared)
}
