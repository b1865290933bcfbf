package driver_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestTagsGoOnWhileAVolumeIsRefused: the cloud refuses another iops for six hours. Infrastructure tags are set and confirmed meanwhile, nothing is
// called for the volume before the time, and then it is as desired.
func TestTagsGoOnWhileAVolumeIsRefused(t *testing.T) {
	w := newVolumes(t)
	now, until := modelNow, modelNow.Add(6*time.Hour)
	w.definition.Groups[0].Modify = func(_ context.Context, w *world, r *driver.Resource, values map[string]string) error {
		w.calls = append(w.calls, "modify")
		if wait := until.Sub(now); wait > 0 {
			return &machineupdate.RetryError{After: wait, Err: errCloud}
		}
		readings := map[string]driver.Reading{}
		for name, value := range values {
			readings[name] = driver.Done(value)
		}
		w.find(r.ID).Attributes = readings
		return nil
	}
	kit := w.kit()
	machine := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "m", ResourceVersion: "1"}}
	executor := machineupdate.Executor[*metav1.PartialObjectMetadata]{
		UpdateMachine: kit.UpdateMachine, Now: func() time.Time { return now },
		Patch: func(_ context.Context, _ string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*metav1.PartialObjectMetadata, error) {
			patched := machine.DeepCopy()
			require.NoError(t, json.Unmarshal(data, patched))
			patched.ResourceVersion = strconv.FormatInt(now.UnixNano(), 10)
			machine = patched
			return patched, nil
		},
	}
	tag := uniform(map[string]string{"mine": "2"})
	raw, err := json.Marshal(providerSpec{Cluster: "c", Tags: &tag, IOPS: 4000})
	require.NoError(t, err)
	class, _, err := new(machineupdate.Classes).Prepare(machineupdate.MachineClass{ProviderSpec: raw}, w.definition.Schema, kit.Driver())
	require.NoError(t, err)

	settled := map[string]time.Duration{} // when, by annotation
	for now.Before(until.Add(2 * time.Hour)) {
		result := executor.Reconcile(t.Context(), machineupdate.Observation[*metav1.PartialObjectMetadata]{Machine: machine, ProviderID: "i-1", Phase: "Running", Class: class})
		for name, record := range machine.Annotations {
			if _, known := settled[name]; !known && !slices.Contains(membersOf(t, record), "state") {
				settled[name] = now.Sub(modelNow)
			}
		}
		if result.Delay == 0 {
			break
		}
		now = now.Add(result.Delay)
	}
	assert.Less(t, settled[machineupdate.AnnotationRecord], time.Hour)
	assert.Equal(t, "2", w.live("i-1")["mine"])
	assert.Greater(t, settled[machineupdate.AnnotationRecord+"-volume"], 6*time.Hour)
	assert.Equal(t, driver.Done("4000"), w.find("vol-1").Attributes["iops"])
	assert.Equal(t, []string{"set [i-1 eni-1 vol-1]", "modify", "modify"}, w.calls, "once to be refused, and once after the time")
}

// membersOf returns the members of a record.
func membersOf(t *testing.T, record string) []string {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(record), &members))
	return slices.Collect(maps.Keys(members))
}
