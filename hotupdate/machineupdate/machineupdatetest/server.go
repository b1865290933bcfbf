package machineupdatetest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// server is an API server with one machine.
type server[M machineupdate.Machine] struct {
	object    map[string]any // as JSON
	version   int
	disturbed bool // somebody else wrote: the controller may have an older object
	interfere bool // somebody else writes before the next write
	lost      int  // how many answers of patches are lost next
	broken    func(promise, format string, args ...any)
}

var machines = schema.GroupResource{Group: "machine.sapcloud.io", Resource: "machines"}

// put replaces the machine.
func (s *server[M]) put(machine M) {
	s.object = fields(machine)
	s.version++
}

// fields is an object as JSON. What cannot be written is empty, and then no write of the controller succeeds.
func fields(object any) (all map[string]any) {
	raw, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil {
		return map[string]any{}
	}
	return all
}

// read returns the machine as a new object.
func (s *server[M]) read() M {
	member(s.object, "metadata")["resourceVersion"] = strconv.Itoa(s.version)
	machine := reflect.New(reflect.TypeFor[M]().Elem()).Interface().(M)
	raw, err := json.Marshal(s.object)
	if err == nil {
		err = json.Unmarshal(raw, machine)
	}
	if err != nil {
		s.broken("machine", "cannot be written as JSON and read again: %v", err)
	}
	return machine
}

// member returns an object within an object, which it adds if it is missing.
func member(object map[string]any, name string) map[string]any {
	found, ok := object[name].(map[string]any)
	if !ok {
		found = map[string]any{}
		object[name] = found
	}
	return found
}

// accepts returns the error that a write gets which names the version.
func (s *server[M]) accepts(write, name, version string) error {
	if s.interfere {
		s.interfere, s.disturbed = false, true
		s.version++
	}
	metadata := member(s.object, "metadata")
	switch {
	case name != metadata["name"]:
		return apierrors.NewNotFound(machines, name)
	case version == "":
		s.broken("blind write", "%s carries no resourceVersion", write)
	case version != strconv.Itoa(s.version):
		if !s.disturbed {
			s.broken("stale object", "%s carries resourceVersion %s, though the write before it returned %d", write, version, s.version)
		}
		return apierrors.NewConflict(machines, name, errors.New("the machine was changed"))
	}
	return nil
}

// write keeps the changed object.
func (s *server[M]) write(changed map[string]any) M {
	s.object = changed
	s.version++
	return s.read()
}

// Update is client-go's: it replaces everything but the status.
func (w *World[M]) Update(_ context.Context, machine M, _ metav1.UpdateOptions) (written M, err error) {
	if err := w.server.accepts("Update", machine.GetName(), machine.GetResourceVersion()); err != nil {
		return written, err
	}
	if machine.GetAnnotations()[machineupdate.AnnotationRecord] != w.server.record() {
		w.broken("blind write", "Update replaces the record by an older one")
	}
	updated := fields(machine)
	updated["status"] = w.server.object["status"]
	return w.server.write(updated), nil
}

// UpdateStatus is client-go's: it replaces the status and nothing else.
func (w *World[M]) UpdateStatus(_ context.Context, machine M, _ metav1.UpdateOptions) (written M, err error) {
	if err := w.server.accepts("UpdateStatus", machine.GetName(), machine.GetResourceVersion()); err != nil {
		return written, err
	}
	updated := fields(w.server.object)
	updated["status"] = fields(machine)["status"]
	written = w.server.write(updated)
	w.checkStatus()
	return written, nil
}

// Patch is client-go's, for merge patches.
func (w *World[M]) Patch(_ context.Context, name string, patchType types.PatchType, data []byte, _ metav1.PatchOptions, subresources ...string) (written M, err error) {
	var patch map[string]any
	if err := json.Unmarshal(data, &patch); err != nil || patchType != types.MergePatchType || len(subresources) > 0 {
		return written, apierrors.NewBadRequest("only merge patches of the machine itself are supported")
	}
	version, _ := member(patch, "metadata")["resourceVersion"].(string)
	if err := w.server.accepts("Patch", name, version); err != nil {
		return written, err
	}
	delete(patch, "status")
	written = w.server.write(merge(fields(w.server.object), patch))
	if w.server.lost > 0 {
		w.server.lost--
		w.server.disturbed = true // the controller has not seen the new version
		var nothing M
		return nothing, apierrors.NewTimeoutError("the answer was lost", 1)
	}
	return written, nil
}

// merge applies a JSON merge patch (RFC 7386).
func merge(object, patch map[string]any) map[string]any {
	for name, value := range patch {
		switch value := value.(type) {
		case nil:
			delete(object, name)
		case map[string]any:
			object[name] = merge(member(object, name), value)
		default:
			object[name] = value
		}
	}
	return object
}

// record is the annotation with the machine's record.
func (s *server[M]) record() string {
	text, _ := member(member(s.object, "metadata"), "annotations")[machineupdate.AnnotationRecord].(string)
	return text
}
