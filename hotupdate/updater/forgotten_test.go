package updater_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// inPlacePool stores a pool that is updated in place, which wants a class, with the only MachineSet that is left.
func (w *world) inPlacePool(wants string) {
	template := values{"spec": values{"class": values{"name": wants}}}
	w.put(pathOf("machinedeployments", "pool"), values{
		"kind": "MachineDeployment", "apiVersion": "machine.sapcloud.io/v1alpha1", "metadata": values{"uid": "pool"},
		"spec": values{"strategy": values{"type": "InPlaceUpdate"}, "template": template},
	})
	w.put(pathOf("machinesets", "set"), values{
		"kind": "MachineSet", "apiVersion": "machine.sapcloud.io/v1alpha1",
		"metadata": values{"uid": "set", "ownerReferences": controlledBy("MachineDeployment", "pool")},
		"spec":     values{"template": template},
	})
}

func controlledBy(kind, name string) []any {
	return []any{values{
		"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": kind, "name": name, "uid": name, "controller": true,
	}}
}

// saidOf returns the messages of events that have a text.
func (w *world) saidOf(text string) (found []string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, message := range w.messages {
		if strings.Contains(message, text) {
			found = append(found, message)
		}
	}
	return found
}

// versions returns the stored versions of a class.
func (w *world) versions(class string) string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	stored := w.objects["/api/v1/namespaces/"+namespace+"/configmaps/"+storeName]
	data, _ := stored["data"].(values)
	text, _ := data[class].(string)
	return text
}

// TestRenamedWhileNobodyLeads: a machine without a record was updated in place while no updater led. A newer
// machine-controller-manager has written the name of the new class into it, and the old class and its set are gone.
// Nothing leads to the versions of the old class any more: they are removed, and an event says so, with the keys that
// they have. Versions that a record has held are removed without an event.
func TestRenamedWhileNobodyLeads(t *testing.T) {
	inWorld(t, func(w *world) {
		w.putClass("next", blue)
		w.inPlacePool("next")
		w.runMachine("m", map[string]string{"team": "red", "gone": "1"})
		w.change(pathOf("machines", "m"), func(machine values) {
			machine["metadata"].(values)["ownerReferences"] = controlledBy("MachineSet", "set")
			machine["spec"].(values)["class"] = values{"name": "next"}
		})
		w.putVersions(`[{"tags":{"gone":"1","team":"red"}}]`)
		w.start()
		w.until("the versions are removed", time.Minute, func() bool { return w.versions("class") == "" })
		time.Sleep(time.Minute)
		said := w.saidOf("HotUpdateVersionsLost")
		if assert.Len(t, said, 1, "%v", w.messages) {
			assert.Contains(t, said[0], "class class")
			assert.Contains(t, said[0], "/tags/gone")
			assert.NotContains(t, said[0], "red", "no value")
		}
	})
}

// TestAdoptedVersionsGoSilently: every machine of a class has a record, then the pool gets another class, and the old one is deleted.
func TestAdoptedVersionsGoSilently(t *testing.T) {
	inWorld(t, func(w *world) {
		w.putClass("class", red)
		w.inPlacePool("class")
		w.runMachine("m", red)
		w.change(pathOf("machines", "m"), func(machine values) {
			machine["metadata"].(values)["ownerReferences"] = controlledBy("MachineSet", "set")
		})
		w.putVersions(`[{"tags":{"gone":"1"}},{"tags":{"team":"red"}}]`)
		w.start()
		w.until("the machine is adopted", time.Hour, func() bool { return w.settled([]string{"m"}) })
		time.Sleep(time.Minute)
		w.putClass("next", blue)
		w.inPlacePool("next")
		w.change(pathOf("machines", "m"), func(machine values) { machine["spec"].(values)["class"] = values{"name": "next"} })
		w.remove(pathOf("machineclasses", "class"))
		w.until("the versions are removed", time.Minute, func() bool { return w.versions("class") == "" })
		time.Sleep(time.Minute)
		assert.Empty(t, w.saidOf("HotUpdateVersionsLost"))
	})
}

// TestVersionsArePassedOnSilently: the versions of a class stand with its heir, so that its own are removed without an event.
func TestVersionsArePassedOnSilently(t *testing.T) {
	inWorld(t, func(w *world) {
		w.putClass("class", red)
		w.inPlacePool("class")
		w.runMachine("m", red)
		w.change(pathOf("machines", "m"), func(machine values) {
			machine["metadata"].(values)["ownerReferences"] = controlledBy("MachineSet", "set")
			machine["metadata"].(values)["annotations"] = values{"machine.sapcloud.io/pause-hot-update": "true"}
		})
		w.putVersions(`[{"tags":{"gone":"1"}}]`)
		w.start()
		w.putClass("next", blue)
		w.inPlacePool("next")
		w.until("the versions are passed on", time.Minute, func() bool { return strings.Contains(w.versions("next"), "gone") })
		w.change(pathOf("machines", "m"), func(machine values) { machine["spec"].(values)["class"] = values{"name": "next"} })
		w.remove(pathOf("machineclasses", "class"))
		w.until("the versions are removed", time.Minute, func() bool { return w.versions("class") == "" })
		time.Sleep(time.Minute)
		assert.Empty(t, w.saidOf("HotUpdateVersionsLost"))
		assert.True(t, slices.Contains([]string{`[{"tags":{"gone":"1"}}]`}, w.versions("next")), w.versions("next"))
	})
}
