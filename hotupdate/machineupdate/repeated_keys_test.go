package machineupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// listSpec has keyed lists of a driver.
type listSpec struct {
	Image string     `json:"image"`
	Disks []listDisk `json:"disks,omitempty" hotupdatable:"true,key=name"`
	Kept  []listDisk `json:"kept,omitempty"  hotupdatable:"inplace,key=name"`
	Fixed []listDisk `json:"fixed,omitempty" hotupdatable:"false,key=name"`
}

type listDisk struct {
	Name string `json:"name"`
	Size int    `json:"size,omitempty"`
}

// TestClassOfRepeatedKeys: a class that repeats a key in a Hot or InPlace list of the driver is unusable: the event
// says where and what to do, no value, and the driver is not called. In an Immutable list a repetition is no matter of
// the driver.
func TestClassOfRepeatedKeys(t *testing.T) {
	prepare := func(spec string) (*machineupdate.PreparedClass, error) {
		class := machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "c"}, ProviderSpec: []byte(spec)}
		return machineupdate.Prepare(class, schemaOf[listSpec](t), machineupdate.Driver{Kinds: []string{"vm"}})
	}
	b := newBench(t, "")
	class, err := prepare(`{"image":"i","disks":[{"name":"a","size":73},{"name":"b"},{"name":"a","size":74}]}`)
	assert.Equal(t, "unusable-class", codeOf(err))
	require.ErrorContains(t, err, "disks[name=a]#2")
	require.ErrorContains(t, err, "give each element a key of its own")
	assert.NotContains(t, err.Error(), "74")

	b.o.Class = class
	b.o.ClassError = err
	result := b.reconcile(t)
	assert.Equal(t, []any{"None", "ClassUnusable"}, []any{machineupdate.DecisionOf(result).Action, string(result.Reason)})
	require.Len(t, result.Events, 1)
	assert.Equal(t, "HotUpdateClassUnusable", result.Events[0].Reason)
	assert.Empty(t, b.calls)
	assert.Empty(t, b.writes)

	_, err = prepare(`{"image":"i","kept":[{"name":"a","size":1},{"name":"a","size":2}]}`)
	require.ErrorContains(t, err, "kept[name=a]#2")

	b = newBench(t, "")
	b.o.Class, err = prepare(`{"image":"i","disks":[{"name":"a"}],"fixed":[{"name":"a","size":1},{"name":"a"}]}`)
	require.NoError(t, err)
	b.reconcile(t)
	assert.Len(t, b.calls, 1)
}
