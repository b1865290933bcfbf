package fleet

import (
	"context"
	"sync"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Updater is a driver's kit.
type Updater interface {
	UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error
}

// Update updates machines at the same time, and reports each error. Requests may lack BeforeWrite.
func Update(tb testing.TB, kit Updater, requests ...*machineupdate.UpdateMachineRequest) {
	tb.Helper()
	var all sync.WaitGroup
	for _, request := range requests {
		if request.BeforeWrite == nil {
			request.BeforeWrite = func(context.Context) error { return nil }
		}
		all.Go(func() {
			if err := kit.UpdateMachine(tb.Context(), request); err != nil {
				tb.Errorf("%s: %v", request.Machine, err)
			}
		})
	}
	all.Wait()
}
