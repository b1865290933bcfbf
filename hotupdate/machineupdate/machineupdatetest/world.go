package machineupdatetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// World is what a controller works with. Its methods stand for functions of client-go, of the driver, and of the recorder. It is for one
// reconcile after the other.
type World[M machineupdate.Machine] struct {
	server server[M]
	broken func(promise, format string, args ...any)
	before map[string]any // the status at the beginning of the reconcile
	reads  func() (*machineupdate.Prepared, error)
	now    time.Time

	vm        bool  // there is one
	createErr error // what CreateMachine returns
	updateErr error // what UpdateMachine returns
	created   int   // calls of CreateMachine
	updated   int   // calls of UpdateMachine
	failures  int   // events that tell of failures
}

// providerID is that of the VM.
const providerID = "machineupdatetest:///vm"

// driverText stands in the errors of the driver, beside a code that makes MCM look for orphans.
const driverText = "OutOfRange: said the cloud"

// codeError is an error as MCM's status.Status is one: it has no Unwrap, and its text is parsed.
type codeError struct{ code string }

func (e *codeError) Error() string {
	return "machine codes error: code = [" + e.code + "] message = [" + driverText + "]"
}

// Now is the time, for Executor.Now.
func (w *World[M]) Now() time.Time { return w.now }

// Prepare stands for Classes.Prepare with the class of the machine. Its results belong into the Observation. Whatever they are, drivers can create from
// the class.
func (w *World[M]) Prepare() (*machineupdate.Prepared, error) { return w.reads() }

// Event is the recorder's.
func (w *World[M]) Event(_ runtime.Object, _, reason, _ string) {
	if reason == "HotUpdateFailed" {
		w.failures++
	}
}

// Call calls a method of the driver by its name in MCM: GetMachineStatus, CreateMachine or InitializeMachine. It returns the provider ID, or an error
// with the text of MCM's status.Status.
func (w *World[M]) Call(ctx context.Context, method string) (string, error) {
	switch method {
	case "GetMachineStatus":
		if !w.vm {
			return "", &codeError{"NotFound"}
		}
		return providerID, nil
	case "CreateMachine":
		w.created++
		w.checkMarker(ctx, method)
		if w.createErr != nil {
			return "", w.createErr
		}
		w.vm = true
		return providerID, nil
	case "InitializeMachine":
		w.checkMarker(ctx, method)
		return providerID, nil
	}
	return "", errors.New("there is no method " + method)
}

// checkMarker checks that a creation stands in the record, and will end.
func (w *World[M]) checkMarker(ctx context.Context, method string) {
	if _, ok := ctx.Deadline(); !ok {
		w.broken("creation endless", "%s has a context without a deadline: use that of Creation.Context", method)
	}
	if !strings.Contains(w.server.record(), `"state":"Calling"`) {
		w.broken("creation endless", "%s is called before BeginCreation", method)
	}
}

// UpdateMachine is the driver's. A controller may convert the request and the error as its driver interface wants it.
func (w *World[M]) UpdateMachine(_ context.Context, _ *machineupdate.UpdateMachineRequest) error {
	w.updated++
	if w.server.disturbed {
		w.broken("blind write", "UpdateMachine is called though the marker met a conflict")
	}
	return w.updateErr
}

// operation is the part of a status that others read.
type operation struct{ Description, State, Type string }

func (w *World[M]) operation() (o operation) {
	raw, err := json.Marshal(member(w.server.object, "status")["lastOperation"])
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	if err != nil {
		w.broken("machine", "has no lastOperation with MCM's names: %v", err)
	}
	return o
}

// checkStatus checks a status that was written by a reconcile.
func (w *World[M]) checkStatus() {
	status := member(w.server.object, "status")
	for name, value := range w.before {
		if now, ok := status[name]; name != "lastOperation" && (!ok || fmt.Sprint(now) == "map[]" && fmt.Sprint(value) != "map[]") {
			w.broken("status wiped", "%s is gone", name)
		}
	}
	if o := w.operation(); w.updated > 0 && (o.State == "Failed" || strings.Contains(o.Description, driverText) || strings.Contains(o.Description, "OutOfRange")) {
		w.broken("report that harms", "lastOperation has the state %q and the description %q", o.State, o.Description)
	}
}
