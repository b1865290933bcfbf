package machineupdatetest

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// server is an API server with one machine.
type server[M machineupdate.MachineObject] struct {
	object    unstructured.Unstructured
	version   int
	disturbed bool // another client wrote: the controller may have an older object
	interfere bool // another client writes before the next write
	lost      bool // the answer of the next patch is lost
	broken    func(promise, format string, args ...any)
	require   func(holds bool, promise, format string, args ...any) // else the promise is broken
}

// fields converts an object to JSON.
func (s *server[M]) fields(object any) map[string]any {
	all, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	s.require(err == nil, "machine", "cannot be written as JSON: %v", err)
	return all
}

// write stores a changed machine and returns it as a new object.
func (s *server[M]) write(changed map[string]any) M {
	s.version++
	s.object.Object = changed
	return s.read()
}

func (s *server[M]) read() M {
	s.object.SetResourceVersion(strconv.Itoa(s.version))
	machine := reflect.New(reflect.TypeFor[M]().Elem()).Interface().(M)
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(s.object.Object, machine)
	s.require(err == nil, "machine", "cannot be read from JSON: %v", err)
	return machine
}

// refuses returns the error for a write with the resourceVersion, or nil.
func (s *server[M]) refuses(write, name, version string) error {
	if s.interfere {
		s.interfere = false
		s.disturbed = true
		s.version++
	}
	switch {
	case name != s.object.GetName():
		return apierrors.NewNotFound(schema.GroupResource{}, name)
	case version == "":
		s.broken("blind write", "%s carries no resourceVersion", write)
	case version != strconv.Itoa(s.version):
		s.require(s.disturbed, "stale object",
			"%s carries resourceVersion %s, though the write before it returned %d", write, version, s.version)
		return apierrors.NewConflict(schema.GroupResource{}, name, nil)
	}
	return nil
}

// Update is client-go's: it replaces everything except the status.
func (w *World[M]) Update(_ context.Context, machine M, _ metav1.UpdateOptions) (written M, err error) {
	if err := w.server.refuses("Update", machine.GetName(), machine.GetResourceVersion()); err != nil {
		return written, err
	}
	for _, lane := range []string{"", slowLane, drainedLane} {
		w.server.require(machine.GetAnnotations()[annotationOf(lane)] == w.server.record(lane),
			"blind write", "Update replaces the record by an older one")
	}
	updated := w.server.fields(machine)
	updated["status"] = w.server.object.Object["status"]
	return w.server.write(updated), nil
}

// UpdateStatus is client-go's: it replaces only the status.
func (w *World[M]) UpdateStatus(_ context.Context, machine M, _ metav1.UpdateOptions) (written M, err error) {
	if err := w.server.refuses("UpdateStatus", machine.GetName(), machine.GetResourceVersion()); err != nil {
		return written, err
	}
	before := w.server.status()
	updated := w.server.object.DeepCopy().Object
	updated["status"] = w.server.fields(machine)["status"]
	written = w.server.write(updated)
	w.checkStatus(before)
	return written, nil
}

// Patch is client-go's, for merge patches.
func (w *World[M]) Patch(
	_ context.Context, name string, patchType types.PatchType, data []byte, _ metav1.PatchOptions,
	subresources ...string,
) (written M, err error) {
	patch := unstructured.Unstructured{}
	err = json.Unmarshal(data, &patch.Object)
	if err != nil || patchType != types.MergePatchType || len(subresources) > 0 {
		return written, apierrors.NewBadRequest("only merge patches of the machine itself are supported")
	}
	if err := w.server.refuses("Patch", name, patch.GetResourceVersion()); err != nil {
		return written, err
	}
	delete(patch.Object, "status")
	patched := w.server.write(merge(w.server.object.Object, patch.Object))
	if w.server.lost {
		w.server.lost = false
		w.server.disturbed = true
		return written, apierrors.NewTimeoutError("the answer was lost", 1)
	}
	return patched, nil
}

// merge returns an object after a JSON merge patch (RFC 7386), without members that are null.
func merge(object, patch map[string]any) map[string]any {
	merged := map[string]any{}
	maps.Copy(merged, object)
	for name, value := range patch {
		if below, ok := value.(map[string]any); ok {
			old, _ := object[name].(map[string]any)
			value = merge(old, below)
		}
		merged[name] = value
	}
	maps.DeleteFunc(merged, func(_ string, value any) bool { return value == nil })
	return merged
}

// record returns the annotation with the machine's record of a lane.
func (s *server[M]) record(lane string) string {
	return s.object.GetAnnotations()[annotationOf(lane)]
}

func annotationOf(lane string) string {
	return strings.TrimSuffix(machineupdate.AnnotationRecord+"-"+lane, "-")
}

func (s *server[M]) status() map[string]any {
	status, _, _ := unstructured.NestedMap(s.object.Object, "status") // nil if there is none
	return status
}

// text returns a text of the status, or nothing.
func (s *server[M]) text(path ...string) string {
	text, _, _ := unstructured.NestedString(s.status(), path...)
	return text
}
