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
	if err := tell(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// maxUnavailable 1, maxSurge 0
	// v1-0 v1           v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           5 available, Worker Processing
	// v1-0 under update v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           4 available, Worker Processing
	// v1-0 v2           v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           4 available, Worker Processing
	// v1-0 v2           v1-1 under update v1-2 v1           v1-3 v1           v1-4 v1           4 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v1           v1-3 v1           v1-4 v1           4 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 under update v1-3 v1           v1-4 v1           4 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v1           v1-4 v1           4 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 under update v1-4 v1           4 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v1-4 v1           4 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v1-4 under update 4 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v1-4 v2           4 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v1-4 v2           5 available, Worker Succeeded
	// maxUnavailable 0, maxSurge 1
	// v1-0 v1           v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           v2-0 joins        5 available, Worker Processing
	// v1-0 v1           v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           v2-0 v2           6 available, Worker Processing
	// v1-0 under update v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           v2-0 v2           5 available, Worker Processing
	// v1-0 v2           v1-1 v1           v1-2 v1           v1-3 v1           v1-4 v1           v2-0 v2           5 available, Worker Processing
	// v1-0 v2           v1-1 under update v1-2 v1           v1-3 v1           v1-4 v1           v2-0 v2           5 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v1           v1-3 v1           v1-4 v1           v2-0 v2           5 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 under update v1-3 v1           v1-4 v1           v2-0 v2           5 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v1           v1-4 v1           v2-0 v2           5 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 under update v1-4 v1           v2-0 v2           5 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v1-4 v1           v2-0 v2           5 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v2-0 v2           5 available, Worker Processing
	// v1-0 v2           v1-1 v2           v1-2 v2           v1-3 v2           v2-0 v2           5 available, Worker Succeeded
	// the user selects the nodes
	// v1-0 v1           v1-1 v1           2 available, Worker Succeeded, ManualInPlaceWorkersUpdated False
	// v1-0 under update v1-1 v1           1 available, Worker Processing, ManualInPlaceWorkersUpdated False
	// v1-0 v2           v1-1 v1           1 available, Worker Processing, ManualInPlaceWorkersUpdated False
	// v1-0 v2           v1-1 under update 1 available, Worker Processing, ManualInPlaceWorkersUpdated False
	// v1-0 v2           v1-1 v2           1 available, Worker Processing, ManualInPlaceWorkersUpdated False
	// v1-0 v2           v1-1 v2           2 available, Worker Succeeded, ManualInPlaceWorkersUpdated True
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the pipe is closed") }

func TestStoryThatCannotBeWrittenFails(t *testing.T) {
	require.EqualError(t, tell(broken{}), "the pipe is closed")
}

// TestMistakeEndsTheStory: an invalid pool is an error.
func TestMistakeEndsTheStory(t *testing.T) {
	c := newCluster(hotupdate.AutoInPlaceUpdate, 1, 1, 0)
	c.pool.Record = "{"
	_, err := c.reconcile()
	require.Error(t, err)
	c.pool = inplace.Pool{}
	_, err = c.reconcile()
	require.Error(t, err)
}
