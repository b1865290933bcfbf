package updater

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
)

// made returns an object of MCM's API, which is controlled by another one unless owner is empty.
func made(kind, name, ownerKind, owner, class string) *object {
	metadata := map[string]any{"name": name, "namespace": "n", "uid": name}
	if owner != "" {
		metadata["ownerReferences"] = []any{map[string]any{
			"apiVersion": machineAPI.String(), "kind": ownerKind, "name": owner, "uid": owner, "controller": true,
		}}
	}
	spec := map[string]any{"template": map[string]any{"spec": map[string]any{"class": map[string]any{"name": class}}}}
	if kind == "Machine" {
		spec = map[string]any{"class": map[string]any{"name": class}, "providerID": "id"}
	}
	return &object{Object: map[string]any{
		"apiVersion": machineAPI.String(), "kind": kind, "metadata": metadata, "spec": spec,
	}}
}

// TestOrigins: a newer MCM gives a machine that was updated in place the name of its new class. If it
// has no record yet, the versions of the class with which it was created still count, and are not
// pruned. A machine of a pool that rolls has the class that it names.
func TestOrigins(t *testing.T) {
	inPlace := made("MachineDeployment", "in-place", "", "", "new")
	inPlace.Object["spec"].(map[string]any)["strategy"] = map[string]any{"type": "InPlaceUpdate"}
	rolling := made("MachineDeployment", "rolling", "", "", "new")
	transferred := made("Machine", "transferred", "MachineSet", "in-place-new", "new")
	kept := made("Machine", "kept", "MachineSet", "in-place-new", "old") // up to v0.62.1
	replaced := made("Machine", "replaced", "MachineSet", "rolling-new", "new")
	orphan := made("Machine", "orphan", "", "", "old")
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		machineAPI.WithResource("machines"): "MachineList", machineAPI.WithResource("machineclasses"): "MachineClassList",
		machineAPI.WithResource("machinesets"):        "MachineSetList",
		machineAPI.WithResource("machinedeployments"): "MachineDeploymentList",
	}, inPlace, rolling, transferred, kept, replaced, orphan,
		made("MachineSet", "in-place-old", "MachineDeployment", "in-place", "old"),
		made("MachineSet", "in-place-new", "MachineDeployment", "in-place", "new"),
		made("MachineSet", "rolling-old", "MachineDeployment", "rolling", "former"),
		made("MachineSet", "rolling-new", "MachineDeployment", "rolling", "new"))
	c := newCache(client, "n")
	c.factory.Start(t.Context().Done())
	require.True(t, c.sync(t.Context()))
	for _, row := range []struct {
		machine *object
		wanted  string
		origins []string
	}{
		{transferred, "new", []string{"new", "old"}},
		{kept, "new", []string{"old", "new"}},
		{replaced, "new", []string{"new"}},
		{orphan, "old", []string{"old"}},
	} {
		own, err := c.ownership(row.machine)
		require.NoError(t, err)
		assert.Equal(t, row.wanted, own.wanted, row.machine.GetName())
		assert.Equal(t, row.origins, c.origins(row.machine), row.machine.GetName())
	}

	u := &Updater{cache: c}
	assert.Equal(t, map[string]bool{"new": true, "old": true}, u.usage([]*object{transferred}))
	recorded := transferred.DeepCopy()
	recorded.SetAnnotations(map[string]string{u.annotations()[0]: `{"providerID":"id"}`})
	assert.Equal(t, map[string]bool{"new": false}, u.usage([]*object{recorded}))
}
