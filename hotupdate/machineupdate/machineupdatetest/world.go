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

// World stands in for the environment of a controller: functions of client-go, of the driver, and of the recorder. It is not safe for concurrent use.
type World[M machineupdate.Machine] struct {
	server  server[M]
	prepare func() (*machineupdate.Prepared, error)
	former  func() (*machineupdate.Prepared, error)
	now     time.Time

	vm            bool  // the VM exists
	uninitialized int   // calls of InitializeMachine until the VM is initialized; the last one succeeds
	createErr     error // the result of CreateMachine
	created       int   // calls of CreateMachine
	failures      int   // events about failures

	updateErr map[string]error // the results of UpdateMachine, by lane
	updated   map[string]int   // calls of UpdateMachine, by lane

	node node // for in-place updates
}

// providerID is the provider ID of the VM.
const providerID = "machineupdatetest:///vm"

// codeError is an error with the text of MCM's status.Status: it has no Unwrap, and its text is parsed. With OutOfRange in the message, MCM looks
// for orphans.
type codeError string

func (e codeError) Error() string {
	return "machine codes error: code = [" + string(e) + "] message = [OutOfRange]"
}

// Now returns the time, for Executor.Now.
func (w *World[M]) Now() time.Time { return w.now }

// Prepare stands in for Classes.Prepare with the class of the machine. Its results belong into the Observation. Drivers can create from the class
// even if Prepare fails.
func (w *World[M]) Prepare() (*machineupdate.Prepared, error) { return w.prepare() }

// Event is the method of the recorder.
func (w *World[M]) Event(_ runtime.Object, _, reason, _ string) {
	if reason == "HotUpdateFailed" {
		w.failures++
	}
}

// Call calls a method of the driver by its name in MCM: GetMachineStatus, CreateMachine or InitializeMachine. It returns the provider ID, or an error
// with the text of a status.Status of MCM. With the error Uninitialized of GetMachineStatus it returns both.
func (w *World[M]) Call(ctx context.Context, method string) (string, error) {
	if _, ends := ctx.Deadline(); method != "GetMachineStatus" && (!ends || !strings.Contains(w.server.record(""), `"state":"Calling"`)) {
		w.server.broken("creation endless", "%s is called before BeginCreation, or not with the context of Creation.Context", method)
	}
	switch method {
	case "GetMachineStatus":
		if !w.vm {
			return "", codeError("NotFound")
		} else if w.uninitialized > 0 {
			return providerID, codeError("Uninitialized")
		}
	case "CreateMachine":
		w.created++
		if w.createErr != nil {
			return "", w.createErr
		}
		w.vm = true
	case "InitializeMachine":
		if w.uninitialized = max(0, w.uninitialized-1); w.uninitialized > 0 {
			return "", codeError("Internal")
		}
	default:
		return "", errors.New("there is no method " + method)
	}
	return providerID, nil
}

// UpdateMachine is the method of the driver. A controller may convert the request and the error for its driver interface.
func (w *World[M]) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	w.updated[request.Lane]++
	if w.server.disturbed && request.Lane != drainedLane { // in that lane the driver reads first
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
