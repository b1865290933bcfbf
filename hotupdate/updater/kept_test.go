package updater_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestMembersThatAreNotKept: an Updater keeps no node template, condition or last operation of a Machine, and its writes
// leave them as they are. Drivers get all else.
func TestMembersThatAreNotKept(t *testing.T) {
	inWorld(t, func(w *world) {
		w.putClass("class", red)
		all := w.fleet(3, red)
		template := values{"metadata": values{"labels": values{"pool": "general"}}}
		conditions := []any{values{"type": "Ready", "status": "True"}}
		operation := values{"type": "Create", "state": "Successful"}
		for _, name := range all {
			w.change(pathOf("machines", name), func(machine values) {
				machine["spec"].(values)["nodeTemplate"] = template
				machine["status"].(values)["conditions"] = conditions
				machine["status"].(values)["lastOperation"] = operation
				machine["status"].(values)["node"] = "node-" + name
			})
		}
		w.start(fast)
		w.until("the fleet is adopted", time.Hour, func() bool { return w.settled(all) })
		first := make(chan values, 1)
		w.doesInstead(func(_ context.Context, r *machineupdate.UpdateMachineRequest) (error, bool) {
			select {
			case first <- r.Object.(*unstructured.Unstructured).Object: //nolint:forcetypeassert // as the updater has it
			default:
			}
			return nil, false
		})
		w.putClass("class", blue)
		w.until("all are updated", time.Hour, func() bool { return w.tagged(all, blue) && w.settled(all) })

		got := <-first
		assert.Equal(t, values{"currentStatus": values{"phase": "Running"}, "node": got["status"].(values)["node"]}, got["status"])
		assert.NotContains(t, got["spec"], "nodeTemplate")
		w.mutex.Lock()
		defer w.mutex.Unlock()
		for _, name := range all {
			stored := w.objects[pathOf("machines", name)]
			assert.Equal(t, template, stored["spec"].(values)["nodeTemplate"])
			assert.Equal(t, conditions, stored["status"].(values)["conditions"])
			assert.Equal(t, operation, stored["status"].(values)["lastOperation"])
		}
	})
}
