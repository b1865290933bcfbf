package main

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

func Example() {
	if err := printRollouts(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// maxUnavailable 1, maxSurge 0
	// v1-0 v1           v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           5 available, 5 Waiting
	// v1-0 under update v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           4 available, 1 Updating, 4 Waiting
	// v1-0 v2           v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           4 available, 1 Updating, 4 Waiting
	// v1-0 v2           v1-1 under update v1-2 v1           v1-3 v1           v1-4 v1           4 available, 1 Updated, 1 Updating, 3 Waiting
	// v1-0 v2           v1-1 v2           v1-2 v1           v1-3 v1           v1-4 v1           4 available, 1 Updated, 1 Updating, 3 Waiting
	// v1-0 v2           v1-1 v2           v1-2 under update v1-3 v1           v1-4 v1           4 available, 2 Updated, 1 Updating, 2 Waiting
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v1           v1-4 v1           4 available, 2 Updated, 1 Updating, 2 Waiting
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 under update v1-4 v1           4 available, 3 Updated, 1 Updating, 1 Waiting
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v1-4 v1           4 available, 3 Updated, 1 Updating, 1 Waiting
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v1-4 under update 4 available, 4 Updated, 1 Updating
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v1-4 v2           4 available, 4 Updated, 1 Updating
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v1-4 v2           5 available, 5 Updated
	// maxUnavailable 0, maxSurge 1
	// v1-0 v1           v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           v2-0 joins        5 available, 5 Waiting
	// v1-0 v1           v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           v2-0 v2           6 available, 1 Updated, 5 Waiting
	// v1-0 under update v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           v2-0 v2           5 available, 1 Updated, 1 Updating, 4 Waiting
	// v1-0 v2           v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           v2-0 v2           5 available, 1 Updated, 1 Updating, 4 Waiting
	// v1-0 v2           v1-1 under update v1-2 v1           v1-3 v1           v1-4 v1           v2-0 v2           5 available, 2 Updated, 1 Updating, 3 Waiting
	// v1-0 v2           v1-1 v2           v1-2 v1           v1-3 v1           v1-4 v1           v2-0 v2           5 available, 2 Updated, 1 Updating, 3 Waiting
	// v1-0 v2           v1-1 v2           v1-2 under update v1-3 v1           v1-4 v1           v2-0 v2           5 available, 3 Updated, 1 Updating, 2 Waiting
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v1           v1-4 v1           v2-0 v2           5 available, 3 Updated, 1 Updating, 2 Waiting
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 under update v1-4 v1           v2-0 v2           5 available, 4 Updated, 1 Updating, 1 Waiting
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v1-4 v1           v2-0 v2           5 available, 4 Updated, 1 Updating, 1 Waiting
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v2-0 v2           5 available, 5 Updated
	// the user selects the nodes
	// v1-0 v1           v1-1 v1           2 available, 2 WaitingForUser
	// v1-0 under update v1-1 v1           1 available, 1 Updating, 1 WaitingForUser
	// v1-0 v2           v1-1 v1           1 available, 1 Updating, 1 WaitingForUser
	// v1-0 v2           v1-1 under update 1 available, 1 Updated, 1 Updating
	// v1-0 v2           v1-1 v2           1 available, 1 Updated, 1 Updating
	// v1-0 v2           v1-1 v2           2 available, 2 Updated
	// the user pauses the rollout during the first update
	// v1-0 v1           v1-1 v1           v1-2 v1           3 available, 3 Waiting
	// v1-0 under update v1-1 v1           v1-2 v1           2 available, 1 Updating, 2 Waiting
	// v1-0 under update v1-1 v1           v1-2 v1           2 available, paused, 1 Updating, 2 Waiting
	// v1-0 v2           v1-1 v1           v1-2 v1           2 available, paused, 1 Updating, 2 Waiting
	// v1-0 v2           v1-1 v1           v1-2 v1           3 available, paused, 1 Updated, 2 Waiting
	// v1-0 v2           v1-1 under update v1-2 v1           2 available, 1 Updated, 1 Updating, 1 Waiting
	// v1-0 v2           v1-1 v2           v1-2 v1           2 available, 1 Updated, 1 Updating, 1 Waiting
	// v1-0 v2           v1-1 v2           v1-2 under update 2 available, 2 Updated, 1 Updating
	// v1-0 v2           v1-1 v2           v1-2 v2           2 available, 2 Updated, 1 Updating
	// v1-0 v2           v1-1 v2           v1-2 v2           3 available, 3 Updated
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the pipe is closed") }

func TestStoryThatCannotBeWrittenFails(t *testing.T) {
	require.EqualError(t, printRollouts(broken{}), "the pipe is closed")
}

// TestMistakeEndsTheStory: an invalid pool is an error.
func TestMistakeEndsTheStory(t *testing.T) {
	c := newCluster(hotupdate.AutoInPlaceUpdate, 1, 1, 0)
	c.pool.Record = "{"
	_, err := c.reconcile()
	require.Error(t, err)
	c.pool = inplace.MachineDeployment{}
	_, err = c.reconcile()
	require.Error(t, err)
}
