package updater

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// kernelDriver is a driver that is not called. Its Schema has an InPlace field.
type kernelDriver struct {
	tagDriver

	lanes []machineupdate.Lane
}

func (d kernelDriver) Driver() machineupdate.Driver {
	return machineupdate.Driver{Schema: d.schema, Kinds: []string{"vm"}, ReadsFirst: true, Lanes: d.lanes}
}

// TestInPlaceIsTold: the event says what is known about the InPlace part of a machine, and whether a gate would help.
func TestInPlaceIsTold(t *testing.T) {
	schema, err := hotupdate.SchemaOf[struct {
		Kernel string            `json:"kernel,omitempty" hotupdatable:"inplace"`
		Tags   map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
	}]()
	require.NoError(t, err)
	lane := []machineupdate.Lane{{Name: "drain", Paths: []string{"/kernel"}}}
	for name, tc := range map[string]struct {
		lanes  []machineupdate.Lane
		record string
		want   []string
	}{
		"adopted": {
			lane, "",
			[]string{"Normal InPlaceUpdateUnknown it is not known whether the InPlace part of the class new is applied: " +
				"applying it needs a gate at the drain of the node"},
		},
		"another part": {
			lane, `{"v":1,"providerID":"i","schema":"s","since":"2026-03-01T12:00:00Z","parts":[{"applied":{"kernel":"5"}}]}`,
			[]string{"Normal InPlaceUpdatePending the InPlace part of the class new is not applied: " +
				"that needs a gate at the drain of the node"},
		},
		"no lane": {
			nil, "",
			[]string{"Normal InPlaceUpdateUnable the InPlace part of the class new may differ from the machine's, and the driver " +
				"cannot apply it: do not drain the node"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := New(Options{
				Control: &rest.Config{}, Namespace: "n", Driver: kernelDriver{tagDriver{schema}, tc.lanes},
			})
			require.NoError(t, err)
			events := record.NewFakeRecorder(10)
			u.recorder = events
			prepare := func(class, spec string) *machineupdate.PreparedClass {
				named := &object{}
				named.SetName(class)
				prepared, err := u.classes.Prepare(machineupdate.MachineClass{Object: named, ProviderSpec: []byte(spec)}, u.driver)
				require.NoError(t, err)
				return prepared
			}
			machine := &object{}
			machine.SetName("m")
			if tc.record != "" {
				machine.SetAnnotations(map[string]string{machineupdate.AnnotationRecord + "-drain": tc.record})
			}
			observed := machineupdate.Observation{
				ProviderID: "i", Class: prepare("new", `{"kernel":"6"}`), Former: prepare("old", `{"kernel":"5"}`),
			}
			for range 2 {
				u.reportInPlace(machine, &observed, ownership{former: "old", wanted: "new", inPlace: true})
			}
			close(events.Events)
			var told []string
			for event := range events.Events {
				told = append(told, event)
			}
			assert.Equal(t, tc.want, told)
		})
	}
}
