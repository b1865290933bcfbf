package machineupdatetest

import (
	"context"
	"errors"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// World is what a controller works with. Its methods stand for functions of client-go, of the driver, and of the recorder. It is for one
// reconcile after the other.
type World[M machineupdate.Machine] struct {
	server  server[M]
	prepare func() (*machineupdate.Prepared, error)
	former  func() (*machineupdate.Prepared, error)
	now     time.Time

	vm        bool  // there is one
	createErr error // what CreateMachine returns
	created   int   // calls of CreateMachine
	failures  int   // events that tell of failures

	updateErr map[string]error // what UpdateMachine returns, by lane
	updated   map[string]int   // calls of UpdateMachine, by lane

	node node // where in-place updates are checked
}

// providerID is that of the VM.
const providerID = "machineupdatetest:///vm"

// codeError is the code of an error as MCM's status.Status is one: it has no Unwrap, and its text is parsed. The message is one by which MCM
// looks for orphans.
type codeError string

func (e codeError) Error() string {
	return "machine codes error: code = [" + string(e) + "] message = [OutOfRange]"
}

// Now is the time, for Executor.Now.
func (w *World[M]) Now() time.Time { return w.now }

// Prepare stands for Classes.Prepare with the class of the machine. Its results belong into the Observation. Whatever they are, drivers can create from
// the class.
func (w *World[M]) Prepare() (*machineupdate.Prepared, error) { return w.prepare() }

// Event is the recorder's.
func (w *World[M]) Event(_ runtime.Object, _, reason, _ string) {
	if reason == "HotUpdateFailed" {
		w.failures++
	}
}

// Call calls a method of the driver by its name in MCM: GetMachineStatus, CreateMachine or InitializeMachine. It returns the provider ID, or an error
// with the text of MCM's status.Status.
func (w *World[M]) Call(ctx context.Context, method string) (string, error) {
	if _, ends := ctx.Deadline(); method != "GetMachineStatus" && (!ends || !strings.Contains(w.server.record(""), `"state":"Calling"`)) {
		w.server.broken("creation endless", "%s is called before BeginCreation, or not with the context of Creation.Context", method)
	}
	switch method {
	case "GetMachineStatus":
		if !w.vm {
			return "", codeError("NotFound")
		}
	case "CreateMachine":
		w.created++
		if w.createErr != nil {
			return "", w.createErr
		}
		w.vm = true
	case "InitializeMachine":
	default:
		return "", errors.New("there is no method " + method)
	}
	return providerID, nil
}

// UpdateMachine is the driver's. A controller may convert the request and the error as its driver interface wants it.
func (w *World[M]) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	w.updated[request.Lane]++
	if w.server.disturbed && request.Lane != drainedLane { // of which the driver reads first
		w.server.broken("blind write", "UpdateMachine is called though the marker met a conflict")
	}
	if request.Lane == drainedLane {
		return w.updateDrained(ctx, request)
	}
	return w.updateErr[request.Lane]
}

// checkStatus checks a status that a reconcile has written.
func (w *World[M]) checkStatus(before map[string]any) {
	status := w.server.status()
	for name := range before {
		if now, _, _ := unstructured.NestedMap(status, name); status[name] == nil || now != nil && len(now) == 0 {
			w.server.broken("status wiped", "%s is gone", name)
		}
	}
	state, description := w.server.text("lastOperation", "state"), w.server.text("lastOperation", "description")
	if len(w.updated) > 0 && (state == "Failed" || strings.Contains(description, "OutOfRange")) {
		w.server.broken("report that harms", "lastOperation has the state %q and the description %q", state, description)
	}
}
