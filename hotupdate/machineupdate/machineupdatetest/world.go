package machineupdatetest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// World stands in for the environment of a controller: functions of client-go, of the driver, and
// of the recorder, and the content of caches. It is not safe for concurrent use.
type World[M machineupdate.MachineObject] struct {
	server  server[M]
	driver  machineupdate.Driver
	classes map[string]class // by name
	own     string           // the class that the machine names
	limiter *machineupdate.Limiter
	now     time.Time

	vm            bool           // the VM exists
	uninitialized int            // calls of InitializeMachine until the VM is initialized; the last one succeeds
	createErr     error          // the result of CreateMachine
	created       int            // calls of CreateMachine
	events        map[string]int // by reason

	updateErr map[string]error  // the results of UpdateMachine, by lane
	updated   map[string]int    // calls of UpdateMachine, by lane
	live      map[string]string // the hot part that the VM has, by lane

	node node // for in-place updates
}

// providerID is the provider ID of the VM.
const providerID = "machineupdatetest:///vm"

// The names of the classes. In a pool that is updated in place, the machine and its MachineSet name
// the former.
const (
	wantedClass = "class"
	formerClass = "former"
)

// class is a MachineClass.
type class struct {
	spec    string
	version int // its resourceVersion
}

// failed is the reason of the event about an update that fails.
const failed = "HotUpdateFailed"

const formerSpec = `{"tags":{"dropped":"1","k":"0"},"account":"a"}`

// hot returns the hot part in the first lane, or nothing if the class cannot be read.
func (c class) hot() string {
	var read spec
	if err := json.Unmarshal([]byte(c.spec), &read); err != nil {
		return ""
	}
	hot, _ := json.Marshal(spec{Tags: read.Tags}) // has no error
	return string(hot)
}

// codeError is an error with the text of MCM's status.Status: it has no Unwrap, and its text is
// parsed. With OutOfRange in the message, MCM looks for orphans.
type codeError string

func (e codeError) Error() string {
	return "machine codes error: code = [" + string(e) + "] message = [OutOfRange]"
}

// Now returns the time, for Executor.Now.
func (w *World[M]) Now() time.Time { return w.now }

// Limiter returns the limiter of the process, for Executor.Limiter.
func (w *World[M]) Limiter() *machineupdate.Limiter { return w.limiter }

// Classes returns the classes in the cache, with name, UID and resourceVersion. A class that a
// machine names may be missing there. The data of a class's secret have the name of the class under
// the key "class". Drivers can create from a class that cannot be prepared.
func (w *World[M]) Classes() []machineupdate.MachineClass {
	var all []machineupdate.MachineClass
	for name, class := range w.classes {
		object := &metav1.ObjectMeta{Name: name, UID: types.UID(name), ResourceVersion: strconv.Itoa(class.version)}
		all = append(all, machineupdate.MachineClass{Object: object, ProviderSpec: []byte(class.spec)})
	}
	return all
}

// Describe returns the description of the driver, for Classes.PrepareDescribed.
func (w *World[M]) Describe() ([]byte, error) {
	schema, err := hotupdate.SchemaOf[spec]()
	if err != nil {
		return nil, err
	}
	driver := w.driver
	driver.Schema = schema
	return driver.Describe()
}

// Event is the method of the recorder.
func (w *World[M]) Event(_ runtime.Object, _, reason, _ string) {
	w.events[reason]++
}

// Call calls a method of the driver by its name in MCM: GetMachineStatus, CreateMachine or
// InitializeMachine. Class and secret come from the driver's request. Call returns the provider
// ID, or an error with the text of a status.Status of MCM. With the error Uninitialized of
// GetMachineStatus it returns both.
func (w *World[M]) Call(
	ctx context.Context, method string, class machineupdate.MachineClass, secret map[string][]byte,
) (string, error) {
	w.checkClass(method, w.own, class, secret)
	if method != "GetMachineStatus" {
		w.checkCreation(ctx, method)
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
		w.live[""] = w.classes[w.own].hot()
	case "InitializeMachine":
		w.uninitialized = max(0, w.uninitialized-1)
		if w.uninitialized > 0 {
			return "", codeError("Internal")
		}
	default:
		return "", errors.New("the driver has no method " + method)
	}
	return providerID, nil
}

// checkCreation checks the context of a call, and that the marker has what the VM gets.
func (w *World[M]) checkCreation(ctx context.Context, method string) {
	record := w.server.record("")
	hot := w.classes[w.own].hot()
	_, isReadable := w.classes[wantedClass] // without it there may be no Schema to read the other class by
	if _, ends := ctx.Deadline(); !ends || !strings.Contains(record, `"state":"Calling"`) {
		w.server.broken("creation endless", "%s is called before BeginCreation, or not with Creation.Context", method)
	} else if isReadable && hot != "" && !strings.Contains(record, `"applied":`+hot) {
		w.server.broken("class confused", "%s gets the hot part %s, and the record is %q", method, hot, record)
	}
}

// checkClass checks class and secret of a call.
func (w *World[M]) checkClass(method, want string, class machineupdate.MachineClass, secret map[string][]byte) {
	name := cmp.Or[metav1.Object](class.Object, &metav1.ObjectMeta{}).GetName()
	switch {
	case name != want || string(class.ProviderSpec) != w.classes[want].spec:
		w.server.broken("class confused", "%s gets the class %q: %s, not %q", method, name, class.ProviderSpec, want)
	case string(secret["class"]) != want:
		w.server.broken("class confused", "%s gets the class %q, and the secret of %q", method, want, secret["class"])
	}
}

// UpdateMachine is the method of the driver. A controller may convert the request and the error for
// its driver interface.
func (w *World[M]) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	w.updated[request.Lane]++
	w.checkClass("UpdateMachine", wantedClass, request.Class, request.Secret)
	err := w.updateErr[request.Lane]
	desired := string(request.Parts[0].Desired)
	switch {
	case err == codeError("Unimplemented"), err == codeError("NotFound"): //nolint:errorlint // not wrapped
		return err // and has sent nothing
	case w.live[request.Lane] == desired:
		return err
	case request.ReadOnly:
		return machineupdate.ErrDiffers
	}
	if err := request.BeforeWrite(ctx); err != nil {
		return err
	}
	w.checkWrite(request)
	if err == nil {
		w.live[request.Lane] = desired
	}
	return err
}

// checkWrite checks that the driver may change the cloud.
func (w *World[M]) checkWrite(request *machineupdate.UpdateMachineRequest) {
	switch {
	case w.server.disturbed:
		w.server.broken("blind write", "UpdateMachine changes the VM though the marker met a conflict")
	case !strings.Contains(w.server.record(request.Lane), `"state":"Calling"`):
		w.server.broken("blind write", "UpdateMachine changes the VM without a marker: pass on BeforeWrite")
	case request.Lane == drainedLane && !w.node.live.Unschedulable:
		w.server.broken("write to a live node", "UpdateMachine changes what needs a drained node")
	}
}

// checkStatus checks a status that a reconcile has written.
func (w *World[M]) checkStatus(before map[string]any) {
	status := w.server.status()
	for name := range before {
		now, _, _ := unstructured.NestedMap(status, name)
		w.server.require(status[name] != nil && (now == nil || len(now) > 0), "status wiped", "%s is gone", name)
	}
	state := w.server.text("lastOperation", "state")
	description := w.server.text("lastOperation", "description")
	harms := state == "Failed" || strings.Contains(description, "OutOfRange")
	w.server.require(len(w.updated) == 0 || !harms, "report that harms",
		"lastOperation has the state %q and the description %q", state, description)
}
