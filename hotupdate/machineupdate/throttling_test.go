package machineupdate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// This file has how long failed updates wait.

func recordIn(t *testing.T, annotations map[string]string) machineupdate.Record {
	t.Helper()
	r, err := machineupdate.ParseRecord(annotations[machineupdate.AnnotationRecord])
	require.NoError(t, err)
	return r
}

// TestRetries: Retries count how often a failed update was repeated. Another spec begins at zero.
func TestRetries(t *testing.T) {
	b := newBench(t, "")
	b.callErr = assert.AnError
	two := b.o.Class
	one := classOf(t, `{"tags":{"k":"1"}}`)
	classes := []*machineupdate.PreparedClass{two, two, two, one, one, two, one}
	want := []int{0, 1, 2, 0, 1, 0, 0}
	for i := range 40 {
		b.o.Class = classes[min(i, len(classes)-1)]
		result := b.Reconcile(t.Context(), b.o)
		require.Equal(t, "CallFailed", machineupdate.EndingOf(result))
		b.o.Machine.Annotations = b.writes[i].Apply(b.o.Machine.Annotations)
		retries := min(i-6, 32)
		if i < len(want) {
			retries = want[i]
		}
		require.Equal(t, retries, recordIn(t, b.o.Machine.Annotations).Retries, "%d", i)
		assert.GreaterOrEqual(t, result.RequeueAfter, min(10*time.Second<<min(retries, 20), time.Hour))
		assert.LessOrEqual(
			t, result.RequeueAfter, min(15*time.Second<<min(retries, 20), 90*time.Minute)+time.Second,
			"and a half, and up to a second for the time of the record",
		)
		b.now = b.now.Add(result.RequeueAfter)
		d := machineupdate.DecideAt(
			b.now.Add(-2*time.Second), machineupdate.Observed{Machine: b.o.Machine, Class: b.o.Class, Settings: b.o.Settings},
		)
		assert.Equal(t, "Wait", d.Action, "the delay is that of the next decision")
	}
	b.callErr = nil
	b.Reconcile(t.Context(), b.o)
	assert.Zero(t, recordIn(t, b.writes[len(b.writes)-1].Set()).Retries)
}

// TestRetriesOfFullRecords: the wait grows as well where the record is full.
func TestRetriesOfFullRecords(t *testing.T) {
	b := newBench(t, "")
	b.callErr = assert.AnError
	fail := func(class *machineupdate.PreparedClass) machineupdate.Record {
		t.Helper()
		b.o.Class = class
		result := b.Reconcile(t.Context(), b.o)
		require.Equal(t, "CallFailed", machineupdate.EndingOf(result))
		b.o.Machine.Annotations = b.writes[len(b.writes)-1].Apply(b.o.Machine.Annotations)
		b.now = b.now.Add(result.RequeueAfter)
		return recordIn(t, b.o.Machine.Annotations)
	}
	full := false
	for i := range 18 {
		class := classOf(t, wide(t, 300, 20+i, i))
		r := fail(class)
		require.Zero(t, r.Retries, "another spec")
		for range 2 {
			before := r.Retries
			r = fail(class)
			require.Equal(t, before+1, r.Retries)
		}
		d := machineupdate.DecideAt(b.now, machineupdate.Observed{Machine: b.o.Machine, Class: class, Settings: b.o.Settings})
		full = full || d.Reason == "RecordFull"
	}
	assert.True(t, full)
}

// TestRetriesKeepNoStep: a cloud that fails again and again, at intervals as long as a wait of the machine, does not
// meet every retry.
func TestRetriesKeepNoStep(t *testing.T) {
	b := newBench(t, "")
	b.callErr = assert.AnError
	pass := func() (wait time.Duration, ending string) {
		t.Helper()
		result := b.Reconcile(t.Context(), b.o)
		b.o.Machine.Annotations = b.writes[len(b.writes)-1].Apply(b.o.Machine.Annotations)
		return result.RequeueAfter, machineupdate.EndingOf(result)
	}
	var interval time.Duration
	for range 40 { // longer than Retries count
		interval, _ = pass()
		b.now = b.now.Add(interval)
	}
	began := b.now
	for range 20 {
		b.callErr = nil
		if b.now.Sub(began)%interval < interval/2 {
			b.callErr = assert.AnError
		}
		wait, ending := pass()
		if ending == "Updated" {
			return
		}
		b.now = b.now.Add(wait)
	}
	t.Error("every retry met the failure")
}
