package updater

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
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

// known returns a cache with objects.
func known(tb testing.TB, objects ...runtime.Object) *caches {
	tb.Helper()
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		machineAPI.WithResource("machines"): "MachineList", machineAPI.WithResource("machineclasses"): "MachineClassList",
		machineAPI.WithResource("machinesets"):        "MachineSetList",
		machineAPI.WithResource("machinedeployments"): "MachineDeploymentList",
	}, objects...)
	c := newCache(client, "n")
	c.factory.Start(tb.Context().Done())
	require.True(tb, c.sync(tb.Context()))
	return c
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
	c := known(t, inPlace, rolling, transferred, kept, replaced, orphan,
		made("MachineSet", "in-place-old", "MachineDeployment", "in-place", "old"),
		made("MachineSet", "in-place-new", "MachineDeployment", "in-place", "new"),
		made("MachineSet", "rolling-old", "MachineDeployment", "rolling", "former"),
		made("MachineSet", "rolling-new", "MachineDeployment", "rolling", "new"))
	for _, row := range []struct {
		machine *object
		wanted  string
		origins []string
	}{
		{transferred, "new", []string{"new", "old"}},
		{kept, "new", []string{"new", "old"}},
		{replaced, "new", []string{"new"}},
		{orphan, "old", []string{"old"}},
	} {
		own, err := c.ownership(row.machine)
		require.NoError(t, err)
		assert.Equal(t, row.wanted, own.wanted, row.machine.GetName())
		origins, err := c.origins(row.machine)
		require.NoError(t, err)
		assert.Equal(t, row.origins, origins, row.machine.GetName())
	}

	paused := inPlace.DeepCopy()
	paused.Object["spec"].(map[string]any)["paused"] = true
	require.NoError(t, c.deployments.Informer().GetStore().Update(paused))
	own, err := c.ownership(kept)
	require.NoError(t, err)
	assert.Equal(t, "new", own.wanted, "a pause holds back the rollout, and no hot update")

	u := &Updater{cache: c}
	usage, err := u.usage([]*object{transferred})
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"new": true, "old": true}, usage)
	recorded := transferred.DeepCopy()
	recorded.SetAnnotations(map[string]string{u.driver.Annotations()[0]: `{"providerID":"id"}`})
	usage, err = u.usage([]*object{recorded})
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"new": false}, usage)
}

// TestHeirs: the class that a machine without a record should have inherits the versions of the classes
// with which the machine may have been created.
func TestHeirs(t *testing.T) {
	inPlace := made("MachineDeployment", "in-place", "", "", "newest")
	inPlace.Object["spec"].(map[string]any)["strategy"] = map[string]any{"type": "InPlaceUpdate"}
	rolling := made("MachineDeployment", "rolling", "", "", "newest")
	u := &Updater{cache: known(t, inPlace, rolling, // MCM has not made a set for the newest class yet
		made("MachineSet", "in-place-old", "MachineDeployment", "in-place", "old"),
		made("MachineSet", "in-place-new", "MachineDeployment", "in-place", "new"),
		made("MachineSet", "rolling-old", "MachineDeployment", "rolling", "former"))}
	machine := made("Machine", "m", "MachineSet", "in-place-new", "old")
	rolled := made("Machine", "rolled", "MachineSet", "rolling-old", "former")
	orphan := made("Machine", "orphan", "", "", "older")
	leaving := machine.DeepCopy()
	leaving.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
	recorded := machine.DeepCopy()
	recorded.SetAnnotations(map[string]string{u.driver.Annotations()[0]: `{"providerID":"id"}`})
	for name, tc := range map[string]struct {
		machines []*object
		want     map[string]sets.Set[string]
	}{
		"without a record":  {[]*object{rolled, machine, orphan}, map[string]sets.Set[string]{"newest": sets.New("old", "new")}},
		"with a record":     {[]*object{recorded}, map[string]sets.Set[string]{}},
		"being deleted":     {[]*object{leaving}, map[string]sets.Set[string]{}},
		"of a rolling pool": {[]*object{rolled}, map[string]sets.Set[string]{}},
	} {
		heirs, err := u.heirs(tc.machines)
		require.NoError(t, err, name)
		assert.Equal(t, tc.want, heirs, name)
	}
	usage, err := u.usage([]*object{machine})
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"old": true, "new": true, "newest": true}, usage, "what it inherits stays")
}

// TestUnknownOwner: the cache of MachineSets may lag behind the machines, which are listed. As long as the
// owner of a machine without a record is not known, no version is removed.
func TestUnknownOwner(t *testing.T) {
	u := &Updater{cache: known(t)}
	stored := content{object: &corev1.ConfigMap{Data: map[string]string{"old": `[{"tags":{"gone":"1"}},{}]`}}}
	transferred := made("Machine", "m", "MachineSet", "unknown", "new")
	isChanged, _, err := u.dropUnused(&stored, []*object{transferred})
	require.Error(t, err)
	assert.False(t, isChanged)
	assert.Equal(t, map[string]string{"old": `[{"tags":{"gone":"1"}},{}]`}, stored.object.Data)
	_, err = u.heirs([]*object{transferred})
	require.Error(t, err)
	isChanged, _, err = u.dropUnused(&stored, nil)
	require.NoError(t, err)
	assert.True(t, isChanged)
	assert.Empty(t, stored.object.Data)
}

// TestInherit: the versions of another class are stored before those of the class, so that its last
// version stays the last one. Each version is stored once.
func TestInherit(t *testing.T) {
	const (
		a = `{"tags":{"a":"1"}}`
		b = `{"tags":{"b":"1"}}`
		c = `{"tags":{"c":"1"}}`
	)
	for name, tc := range map[string]struct {
		former, own, want string
		isNew, isFull     bool
	}{
		"both have versions":      {"[" + a + "," + b + "]", "[" + b + "," + c + "]", "[" + a + "," + b + "," + c + "]", true, false},
		"the class has none":      {"[" + a + "]", "", "[" + a + "]", true, false},
		"the other has none":      {"", "[" + a + "]", "[" + a + "]", false, false},
		"it has them":             {"[" + a + "]", "[" + a + "," + b + "]", "[" + a + "," + b + "]", false, false},
		"merged versions":         {"[" + a + ",{}," + b + "]", "[" + c + "]", "[" + a + ",{}," + b + "," + c + "]", true, false},
		"more than a class takes": {"[" + long(maxClass) + "]", "[" + a + "]", "[" + a + "]", false, true},
	} {
		stored := content{object: &corev1.ConfigMap{Data: map[string]string{}}}
		for class, text := range map[string]string{"former": tc.former, "heir": tc.own} {
			if text != "" {
				stored.object.Data[class] = text
			}
		}
		isChanged, err := stored.inherit("heir", "former")
		isNew := stored.object.Data["heir"] != tc.own
		assert.Equal(t, tc.former != "" && !tc.isFull, isChanged, "%s: that the heir has them is noted", name)
		problem, _ := errors.AsType[*fault.Error](err)
		assert.Equal(t, tc.isNew, isNew, name)
		assert.Equal(t, tc.isFull, problem != nil && problem.Code == "versions-full", "%s: %v", name, err)
		assert.Equal(t, tc.want, stored.object.Data["heir"], name)
	}
	for _, broken := range []string{"former", "heir"} {
		stored := content{object: &corev1.ConfigMap{Data: map[string]string{"former": "[" + a + "]", "heir": "[" + b + "]"}}}
		stored.object.Data[broken] = "[{"
		_, err := stored.inherit("heir", "former")
		require.Error(t, err)
		assert.Equal(t, "[{", stored.object.Data[broken])
	}
}

// TestCreationsUnhold: another machine is created with a version that is known, and that the record of an adopted
// machine holds. The new machine has no record: if its versions are removed, that is told again.
func TestCreationsUnhold(t *testing.T) {
	schema, err := hotupdate.SchemaOf[struct {
		Tags map[string]string `json:"tags" hotupdatable:"true"`
	}]()
	require.NoError(t, err)
	u, err := New(Options{Control: &rest.Config{}, Namespace: "n", Driver: tagDriver{schema}})
	require.NoError(t, err)
	u.recorder = record.NewFakeRecorder(10)
	class := &object{}
	class.SetName("class")
	prepared, err := u.classes.Prepare(machineupdate.MachineClass{Object: class, ProviderSpec: []byte(`{"tags":{"a":"1"}}`)}, u.driver)
	require.NoError(t, err)
	stored := content{object: &corev1.ConfigMap{Data: map[string]string{}}}
	for _, want := range []bool{true, false} {
		isWritten, err := stored.add("class", prepared)
		require.NoError(t, err)
		assert.Equal(t, want, isWritten)
	}
	require.True(t, stored.hold("class"))
	isWritten, err := stored.add("class", prepared)
	require.NoError(t, err)
	assert.True(t, isWritten)
	assert.False(t, stored.held().Has("class"))
}

func long(n int) string { return `{"tags":{"long":"` + strings.Repeat("x", n) + `"}}` }
