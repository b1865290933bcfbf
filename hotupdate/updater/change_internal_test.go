package updater

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// tagDriver is a driver that is not called.
type tagDriver struct{ schema *hotupdate.Schema }

func (d tagDriver) Driver() machineupdate.Driver {
	return machineupdate.Driver{Schema: d.schema, Kinds: []string{"vm"}}
}

func (tagDriver) UpdateMachine(context.Context, *machineupdate.UpdateMachineRequest) error {
	return nil
}

// TestNonHotChangeIsTold: a change of a class that running machines do not get is an event of the class, once.
func TestNonHotChangeIsTold(t *testing.T) {
	schema, err := hotupdate.SchemaOf[struct {
		Image string            `json:"image"`
		Tags  map[string]string `json:"tags"  hotupdatable:"true"`
	}]()
	require.NoError(t, err)
	u, err := New(Options{Control: &rest.Config{}, Namespace: "n", Driver: tagDriver{schema}})
	require.NoError(t, err)
	events := record.NewFakeRecorder(10)
	u.recorder = events
	for _, tc := range []struct{ version, spec string }{
		{"1", `{"image":"a"}`}, {"2", `{"image":"a","tags":{"k":"1"}}`}, {"3", `{"image":"b"}`}, {"3", `{"image":"b"}`},
	} {
		class := &object{}
		class.SetName("class")
		class.SetUID("u")
		class.SetResourceVersion(tc.version)
		_, err := u.classes.Prepare(machineupdate.MachineClass{Object: class, ProviderSpec: []byte(tc.spec)}, u.driver)
		require.NoError(t, err)
	}
	require.Len(t, events.Events, 1)
	assert.Contains(t, <-events.Events, "Normal HotUpdateBeyond")
}
