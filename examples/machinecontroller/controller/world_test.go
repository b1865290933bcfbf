package controller_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/simulation"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/store"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

const (
	readLag      = 10 * time.Second
	confirmAfter = 15 * time.Minute

	vm, root, data, card = "i-1", "vol-1", "vol-2", "eni-1" // of machine m
	csi, cni             = "vol-3", "eni-2"                 // of others
)

// mandatory are the keys by which the driver finds the machine m.
var mandatory = map[string]string{"kubernetes.io/cluster/shoot--demo": "1", "kubernetes.io/role/node": "1", "Name": "m"}

// spec is a provider spec with these tags on all resources.
func spec(all map[string]string) *awsdriver.ProviderSpec {
	flat := map[string]string{"kubernetes.io/cluster/shoot--demo": "1", "kubernetes.io/role/node": "1"}
	maps.Copy(flat, all)
	return &awsdriver.ProviderSpec{
		AMI: "ami-1", MachineType: "m5.large", Region: "eu-west-1",
		BlockDevices:           []awsdriver.BlockDevice{{DeviceName: "/dev/sda1", VolumeSize: 20}, {DeviceName: "/dev/sdf", VolumeSize: 50}},
		NetworkInterfaces:      []awsdriver.NetworkInterface{{SubnetID: "subnet-1"}},
		SrcAndDstChecksEnabled: new(false),
		Tags:                   flat,
	}
}

// world is a simulation with a class, and one controller.
type world struct {
	*simulation.Simulation

	t       *testing.T
	process *simulation.Process
	writes  []cloud.Request // of the controllers
	log     []string
	theirs  map[string]bool // resources of others
}

func start(t *testing.T, s *awsdriver.ProviderSpec, configure ...func(*simulation.Config)) *world {
	t.Helper()
	w := &world{t: t, theirs: map[string]bool{}}
	config := simulation.Config{
		ReadLag: readLag, CacheLag: 100 * time.Millisecond, BootTime: time.Minute,
		Settings: machineupdate.Settings{CallTimeout: 3 * time.Minute, ConfirmAfter: confirmAfter},
		Updates:  awsdriver.Updates(),
		Request:  w.observe,
		Report: func(process, machine, text string) {
			w.log = append(w.log, process+" "+machine+": "+text)
		},
	}
	for _, c := range configure {
		c(&config)
	}
	var err error
	w.Simulation, err = simulation.Start(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, w.Close())
		if t.Failed() {
			t.Log("\n" + strings.Join(w.log, "\n"))
		}
	})
	require.NoError(t, w.CreateClass(s))
	w.process = w.StartController("c1")
	return w
}

// observe notes what controllers write, and that they never write to what others own.
func (w *world) observe(r cloud.Request) {
	if r.Action.Reads() {
		return
	}
	at := r.At.Format("15:04:05")
	w.log = append(w.log, fmt.Sprintf("%s %s %s %s: %s", at, r.AccessKey, r.Action, names(r.Body), r.Outcome))
	if r.AccessKey == simulation.OthersKey {
		return
	}
	w.writes = append(w.writes, r)
	if request, ok := r.Body.(*cloudapi.TagsRequest); ok {
		for _, id := range request.Resources {
			assert.Falsef(w.t, w.theirs[id], "%s of %s, which belongs to others", r.Action, id)
		}
	}
}

func names(body any) string {
	request, ok := body.(*cloudapi.TagsRequest)
	if !ok {
		return ""
	}
	var all []string
	for _, tag := range request.Tags {
		text := tag.Key
		if tag.Value != nil {
			text += "=" + *tag.Value
		}
		all = append(all, text)
	}
	return fmt.Sprint(request.Resources, all)
}

// running creates the machine m, waits until it runs, and attaches what others attach, with the very tags of the machine.
func (w *world) running(all map[string]string) {
	w.t.Helper()
	require.NoError(w.t, w.CreateMachine("m"))
	w.until(10*time.Minute, "the machine runs", func() bool { return w.phase() == api.MachineRunning })
	w.theirs[csi], w.theirs[cni] = true, true
	for _, attach := range []func() (string, error){
		func() (string, error) { return w.AttachVolume(vm, "/dev/xvdba", all) },
		func() (string, error) { return w.AttachInterface(vm, 1, all) },
	} {
		id, err := attach()
		require.NoError(w.t, err)
		assert.True(w.t, w.theirs[id])
	}
}

func (w *world) until(limit time.Duration, what string, holds func() bool) {
	w.t.Helper()
	require.True(w.t, w.RunUntil(limit, holds), "in %s: %s", limit, what)
}

func (w *world) machine() *api.Machine {
	w.t.Helper()
	machine, err := w.Machine("m")
	require.NoError(w.t, err)
	return machine
}

func (w *world) phase() api.MachinePhase { return w.machine().Status.CurrentStatus.Phase }

// record is what the machine remembers of its updates. A settled one has no state.
type record struct {
	ProviderID string `json:"providerID"`
	State      string `json:"state"`
	Parts      []struct {
		Applied   awsdriver.ProviderSpec   `json:"applied"`
		Attempted []awsdriver.ProviderSpec `json:"attempted"`
	} `json:"parts"` // those of the kinds that were updated stand first
}

func recordOf(machine *api.Machine) (r record, ok bool) {
	err := json.Unmarshal([]byte(machine.Annotations[machineupdate.AnnotationRecord]), &r)
	return r, err == nil
}

func (r record) settled() bool { return r.State == "" && r.ProviderID != "" }

func (w *world) record() record {
	w.t.Helper()
	record, ok := recordOf(w.machine())
	require.True(w.t, ok)
	return record
}

func (w *world) settled() bool {
	_, ok := w.machine().Annotations[machineupdate.AnnotationRecord]
	return ok && w.record().settled()
}

// updated waits until an update has succeeded. The time between two of them grows, up to a few minutes after four that failed.
func (w *world) updated() {
	w.t.Helper()
	w.until(5*time.Minute, "the machine is updated", func() bool {
		_, ok := w.machine().Annotations[machineupdate.AnnotationRecord]
		return ok && w.record().State == "Unconfirmed"
	})
}

func (w *world) change(all map[string]string) {
	w.t.Helper()
	require.NoError(w.t, w.ChangeClass(spec(all)))
}

// own are the resources of machine m.
func own() []string { return []string{vm, card, root, data} }

// carry asserts that each of the resources has exactly mandatory and these tags.
func (w *world) carry(resources []string, all map[string]string) {
	w.t.Helper()
	want := maps.Clone(mandatory)
	maps.Copy(want, all)
	for _, id := range resources {
		live, ok := w.Cloud.Tags(id)
		require.True(w.t, ok, id)
		assert.Equal(w.t, want, live, id)
	}
}

// converged asserts that the machine settles, that its resources carry exactly these tags, that what others attached is as they left
// it, and that the cloud is left alone from then on.
func (w *world) converged(all, theirs map[string]string) {
	w.t.Helper()
	w.until(time.Hour, "the record settles", func() bool {
		return w.settled() && maps.Equal(spec(all).Tags, w.record().Parts[0].Applied.Tags)
	})
	w.carry(own(), all)
	for id := range w.theirs {
		live, _ := w.Cloud.Tags(id)
		assert.Equal(w.t, theirs, live, id)
	}
	before := len(w.writes)
	w.Run(2 * time.Hour)
	assert.Len(w.t, w.writes, before, "once settled, nothing is written")
	w.carry(own(), all)
}

// said reports whether a controller reported a text.
func (w *world) said(text string) bool {
	return slices.ContainsFunc(w.log, func(line string) bool { return strings.Contains(line, text) })
}

// tagCalls counts the calls of an action.
func (w *world) tagCalls(action cloudapi.Action) int {
	n := 0
	for _, r := range w.writes {
		if r.Action == action {
			n++
		}
	}
	return n
}

// kill ends the controller, and again starts another one.
func (w *world) kill() { w.process.Kill() }

func (w *world) again() { w.process = w.StartController("c2") }

// loseStatus is what a control-plane migration does to the machine m.
func (w *world) loseStatus() {
	w.t.Helper()
	machine := w.machine()
	machine.Status = api.MachineStatus{}
	_, err := store.UpdateStatus(w.t.Context(), w.Store, machine)
	require.NoError(w.t, err)
}
