// Package released tests the drivers of the examples with MachineClasses that released extensions
// have written. The MachineClasses are the files in testdata/released of each cloud, see README.md
// there.
package released

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Class is a MachineClass.
type Class struct {
	Pool string // plain, rich or gpu
	Meta metav1.ObjectMeta
	Spec map[string]any // the provider spec
}

// Classes returns the MachineClasses of a cloud.
func Classes(tb testing.TB, folder string) (classes []Class) {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	fatal(tb, err)
	for _, file := range files {
		manifest, err := os.ReadFile(file) //nolint:gosec // test data
		fatal(tb, err)
		var read struct {
			Metadata     metav1.ObjectMeta `json:"metadata"`
			ProviderSpec map[string]any    `json:"providerSpec"`
		}
		fatal(tb, json.Unmarshal(manifest, &read))
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		classes = append(classes, Class{Pool: name, Meta: read.Metadata, Spec: read.ProviderSpec})
	}
	if len(classes) < 3 {
		tb.Fatalf("%s has %d MachineClasses", folder, len(classes))
	}
	return classes
}

// JSON returns the provider spec as JSON.
func (c *Class) JSON(tb testing.TB) string {
	tb.Helper()
	text, err := json.Marshal(c.Spec)
	fatal(tb, err)
	return string(text)
}

// With returns a copy of a class with a changed provider spec. Change gets a copy of the spec.
func (c *Class) With(tb testing.TB, change func(spec map[string]any)) Class {
	tb.Helper()
	changed := *c
	changed.Spec = nil
	fatal(tb, json.Unmarshal([]byte(c.JSON(tb)), &changed.Spec))
	change(changed.Spec)
	return changed
}

// Texts returns the members of an object in a provider spec whose values are texts, such as its
// tags.
func Texts(tb testing.TB, object any) map[string]string {
	tb.Helper()
	text, err := json.Marshal(object)
	fatal(tb, err)
	all := map[string]string{}
	fatal(tb, json.Unmarshal(text, &all))
	return all
}

// Joined merges maps. Later ones win.
func Joined(all ...map[string]string) map[string]string {
	joined := map[string]string{}
	for _, one := range all {
		maps.Copy(joined, one)
	}
	return joined
}

// Kit is a driver.Kit.
type Kit interface {
	Driver() machineupdate.Driver
	UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error
}

// Machine is a machine of a class.
type Machine struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

// DeepCopyObject implements [runtime.Object].
func (m *Machine) DeepCopyObject() runtime.Object {
	return &Machine{m.TypeMeta, *m.DeepCopy()}
}

// Update creates a machine with the first class, and then gives it each of the other classes in
// turn. For each class it reconciles the machine four times, an hour apart. Update returns the
// warnings of all events.
func Update(
	tb testing.TB, kit Kit, name, providerID string, secret map[string][]byte, versions ...Class,
) (warnings []string) {
	tb.Helper()
	now := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	machine := &Machine{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: "machine", ResourceVersion: "1", CreationTimestamp: metav1.Time{Time: now},
	}}
	executor := machineupdate.Executor[*Machine]{
		Now: func() time.Time { return now }, UpdateMachine: kit.UpdateMachine,
		Event: func(_ runtime.Object, eventType, reason, message string) {
			if eventType == "Warning" {
				warnings = append(warnings, reason+": "+message)
			}
		},
		Patch: func(
			_ context.Context, _ string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string,
		) (*Machine, error) {
			machine = patched(tb, machine, data)
			return machine, nil
		},
	}
	var classes machineupdate.Classes
	for i, version := range versions {
		meta := version.Meta.DeepCopy()
		meta.UID = "class"
		meta.ResourceVersion = strings.Repeat("1", i+1)
		class, err := classes.Prepare(
			machineupdate.MachineClass{Object: meta, ProviderSpec: []byte(version.JSON(tb))}, kit.Driver())
		fatal(tb, err)
		observed := machineupdate.Observation{ProviderID: providerID, Phase: "Running", Class: class, Secret: secret}
		for range 4 { // enough for the update and its confirmation
			result := executor.Reconcile(tb.Context(), machine, observed)
			fatal(tb, result.Err)
			now = now.Add(time.Hour)
		}
	}
	return warnings
}

// patched applies the patch of a write to a machine, as the API server does.
func patched(tb testing.TB, machine *Machine, data []byte) *Machine {
	tb.Helper()
	var sent struct {
		Metadata struct {
			Annotations map[string]*string `json:"annotations"`
		} `json:"metadata"`
	}
	fatal(tb, json.Unmarshal(data, &sent))
	written := &Machine{machine.TypeMeta, *machine.DeepCopy()}
	written.ResourceVersion += "1"
	for key, value := range sent.Metadata.Annotations {
		if value == nil {
			delete(written.Annotations, key)
		} else {
			metav1.SetMetaDataAnnotation(&written.ObjectMeta, key, *value)
		}
	}
	return written
}

func fatal(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// GetObjectKind implements [runtime.Object].
func (m *Machine) GetObjectKind() schema.ObjectKind { return &m.TypeMeta }
