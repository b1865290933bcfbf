package machineupdatetest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/machineupdatetest"
)

// checked checks a controller, and returns the promises that it breaks. In a test, the recorder is its argument.
func checked(check func(testing.TB, reconciling), broken string) (promises []string) {
	t := &recorder{}
	processes := map[*machineupdatetest.World[*machine]]*machineupdate.Classes{}
	check(t, func(ctx context.Context, w *machineupdatetest.World[*machine], m *machine) (time.Duration, error) {
		if processes[w] == nil {
			processes[w] = &machineupdate.Classes{} // lives as long as the controller
		}
		c := &controller{world: w, classes: processes[w], m: m, broken: broken}
		return c.reconcile(ctx), c.err
	})
	for _, failure := range t.failures {
		promise, _, _ := strings.Cut(failure, ":")
		promises = append(promises, promise)
	}
	return promises
}

// The glue makes one reconcile of a machine in a World. A controller that patches without a resourceVersion breaks a
// promise.
func ExampleCheck() {
	check := func(t testing.TB, reconcile reconciling) { //nolint:thelper // the helper is the function around it
		machineupdatetest.Check(t, newMachine, reconcile)
	}
	fmt.Println(checked(check, ""))
	fmt.Println(checked(check, "patch without resourceVersion"))
	// Output:
	// []
	// [blind write]
}
