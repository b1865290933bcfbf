package machineupdate_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// This file has classes of which a record has no room for all at once.

// boundedClass prepares a class for records with a bound for their entries.
func boundedClass(t *testing.T, providerSpec string, bound int) *machineupdate.PreparedClass {
	t.Helper()
	p, err := machineupdate.PrepareBounded(
		machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "c"}, ProviderSpec: []byte(providerSpec)}, schemaOf[spec](t), able,
		bound,
	)
	require.NoError(t, err)
	return p
}

// TestSlices: a change that is too large for the record is made in several passes. Each reports that the record is full.
func TestSlices(t *testing.T) {
	m := machine("")
	now := start
	var desired []machineupdate.HotSpec
	executor := &executor{
		Now: func() time.Time { return now }, WriteMetadata: writer(t, &m),
		UpdateMachine: func(_ context.Context, r *machineupdate.UpdateMachineRequest) error {
			desired = append(desired, r.Parts[0].Desired)
			return nil
		},
	}
	var reasons []machineupdate.Reason
	for i := range 7 {
		o := machineupdate.Observed{Machine: m, Class: boundedClass(t, `{"tags":{"k":"1","l":"1"}}`, 25)}
		o.Settings.MirrorSpec = true
		result := executor.Reconcile(t.Context(), o)
		reasons = append(reasons, result.Reason)
		assert.Equal(t, i < 3, result.RequeueAfter > 0, "only the last confirmation calls for no reconcile")
		_, mirrored := m.Annotations["machine.sapcloud.io/last-applied-providerspec"]
		assert.Equal(t, i >= 2, mirrored, "only a spec of which all is applied")
		now = now.Add(time.Hour)
	}
	part := machineupdate.HotSpec(`{"tags":{"k":"1"}}`)
	both := machineupdate.HotSpec(`{"tags":{"k":"1","l":"1"}}`)
	assert.Equal(t, []machineupdate.HotSpec{part, part, both, both}, desired)
	assert.Equal(t, []machineupdate.Reason{
		"RecordFull", "ConfirmationDue", "SpecChanged", "ConfirmationDue",
		"UpToDate", "UpToDate", "UpToDate",
	}, reasons)
}

// TestFullRecordRests: a change for which no leaf has room is tried once. The machine keeps its present
// state, and costs nothing until the class changes.
func TestFullRecordRests(t *testing.T) {
	m := machine("")
	now := start
	calls := 0
	var told []string
	executor := &executor{
		Now: func() time.Time { return now }, WriteMetadata: writer(t, &m),
		UpdateMachine: func(context.Context, *machineupdate.UpdateMachineRequest) error { calls++; return nil },
	}
	settle := func(class *machineupdate.PreparedClass) (reasons []machineupdate.Reason) {
		for range 6 {
			result := executor.Reconcile(t.Context(), machineupdate.Observed{Machine: m, Class: class})
			reasons = append(reasons, result.Reason)
			for _, event := range result.Events {
				told = append(told, event.Reason)
			}
			now = now.Add(time.Hour)
		}
		return reasons
	}
	const (
		full = "RecordFull"
		due  = "ConfirmationDue"
		none = "UpToDate"
		fits = 100
	)
	settle(boundedClass(t, `{"tags":{"k":"1"}}`, fits))
	calls = 0
	told = nil
	require.Equal(t, []machineupdate.Reason{full, due, full, full, full, full}, settle(boundedClass(t, `{"tags":{"k":"2"}}`, 1)))
	assert.Equal(t, 2, calls)
	assert.Equal(t, []string{"HotUpdated", "HotUpdateRecordFull"}, told)
	samples := new(machineupdate.Fleet[*metav1.ObjectMeta]).Samples([]*metav1.ObjectMeta{{UID: "u", Annotations: m.Annotations}}, now)
	assert.InDelta(t, 1, samples["records_full"], 0)
	assert.Equal(t, []machineupdate.Reason{"SpecChanged", due, none, none, none, none}, settle(boundedClass(t, `{"tags":{"k":"3"}}`, fits)))
	assert.Equal(t, 4, calls)
}
