package machineupdate_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// wide returns a spec with n infrastructure tags, of which one holds the number i.
func wide(t *testing.T, n, length, i int) string {
	t.Helper()
	s := spec{Tags: map[string]string{"changing": strconv.Itoa(i)}}
	for key := range n {
		s.Tags[fmt.Sprintf("key-%03d", key)] = strings.Repeat("v", length)
	}
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	return string(raw)
}

// attempts lets the driver fail for each of the specs, and returns the last request. The observation then has the record.
func attempts(t *testing.T, o *machineupdate.Observed, providerSpecs ...string) *machineupdate.UpdateMachineRequest {
	t.Helper()
	var requests []*machineupdate.UpdateMachineRequest
	failure := assert.AnError
	now := start
	executor := &executor{Now: func() time.Time { return now }, WriteMetadata: writer(t, &o.Machine), UpdateMachine: caller(&requests, &failure)}
	for _, providerSpec := range providerSpecs {
		now = now.Add(time.Hour) // longer than any retry takes
		o.Class = classOf(t, providerSpec)
		require.Equal(t, machineupdate.CallFailed, machineupdate.EndingOf(executor.Reconcile(t.Context(), *o)))
		require.Less(t, len(o.Machine.Annotations[machineupdate.AnnotationRecord]), machineupdate.MaxAttempted+machineupdate.MaxHotPart+1000)
	}
	return requests[len(requests)-1]
}

// owns reports whether a request says that the value of an infrastructure tag is ours.
func owns(t *testing.T, r *machineupdate.UpdateMachineRequest, key, value string) bool {
	t.Helper()
	for _, hot := range append(r.Attempted, r.Applied) {
		if got, ok := flatTags(t, hot)[key]; ok && got == value {
			return true
		}
	}
	return r.AttemptedAmong(map[string]string{key: value, "else": "x"}, "tags")[key] == value
}

// TestAttemptsAreMerged: many attempts with small differences need little space.
func TestAttemptsAreMerged(t *testing.T) {
	o := machineupdate.Observed{Machine: machine(settledRecord(classOf(t, `{}`)))}
	var specs []string
	for i := range 40 {
		specs = append(specs, wide(t, 40, 40, i))
	}
	request := attempts(t, &o, specs...)
	assert.Empty(t, request.Attempts, "not as digests")
	assert.Contains(t, request.Attempted, machineupdate.Nothing, "whatever was applied may have been removed")
	for i := range 40 {
		assert.True(t, owns(t, request, "changing", strconv.Itoa(i)), i)
	}
	assert.True(t, owns(t, request, "key-000", strings.Repeat("v", 40)))
	assert.True(t, owns(t, request, "k", "1"), "applied")
	assert.False(t, owns(t, request, "changing", "41"), "never sent")
	assert.False(t, owns(t, request, "key-000", "x"), "never sent")
}

// TestAttemptsBecomeDigests: long attempts without common leaves stay owned.
func TestAttemptsBecomeDigests(t *testing.T) {
	o := machineupdate.Observed{Machine: machine(settledRecord(classOf(t, `{}`)))}
	var request *machineupdate.UpdateMachineRequest
	for i := range 5 {
		request = attempts(t, &o, wide(t, 100, 200+i, i))
		assert.Contains(t, request.Attempted, request.Desired, "desired is contested, so it is set again, whatever reads show")
	}
	assert.NotEmpty(t, request.Attempts)
	assert.Contains(t, request.Attempted, machineupdate.Nothing, "whatever was applied may have been removed")
	assert.Less(t, len(request.Attempted), 5)
	assert.Contains(t, request.Attempted, o.Class.Hot(), "the wanted one is always known")
	for i := range 5 {
		assert.True(t, owns(t, request, "changing", strconv.Itoa(i)), i)
		assert.True(t, owns(t, request, "key-050", strings.Repeat("v", 200+i)), i)
	}
	assert.False(t, owns(t, request, "key-050", strings.Repeat("v", 199)), "never sent")
	assert.Nil(t, request.AttemptedAmong(map[string]string{"changing": "1"}, "tags", "vm"), "of another kind")
	assert.Equal(t, o.Class.Hot(), request.Desired)
}

// TestFullRecordIsEmptied: where no further attempt fits, the machine is updated back to the applied hot part. The confirmation empties the
// record, and then the wanted hot part is applied.
func TestFullRecordIsEmptied(t *testing.T) {
	o := machineupdate.Observed{Machine: machine(settledRecord(classOf(t, `{}`)))}
	var specs []string
	for i := range 12 {
		specs = append(specs, wide(t, 150, 100+i, i))
	}
	request := attempts(t, &o, specs...)
	require.Equal(t, hotOne, request.Desired, "back to what was applied")
	require.Greater(t, len(request.Attempts), 1000)

	now := start.Add(24 * time.Hour)
	var none error
	var requests []*machineupdate.UpdateMachineRequest
	executor := &executor{Now: func() time.Time { return now }, WriteMetadata: writer(t, &o.Machine), UpdateMachine: caller(&requests, &none)}
	var reasons []machineupdate.Reason
	for range 8 {
		result := executor.Reconcile(t.Context(), o)
		reasons = append(reasons, result.Reason)
		_, mirrored := o.Machine.Annotations[machineupdate.AnnotationLastApplied]
		assert.Equal(t, len(reasons) > 2, mirrored, "only what was applied is mirrored")
		now = now.Add(result.Delay)
	}
	assert.Equal(t, []machineupdate.Reason{
		machineupdate.RecordFull, machineupdate.ConfirmationDue, machineupdate.SpecChanged, machineupdate.ConfirmationDue, machineupdate.UpToDate,
		machineupdate.UpToDate, machineupdate.UpToDate, machineupdate.UpToDate,
	}, reasons)
	require.Len(t, requests, 4)
	assert.Equal(t, hotOne, requests[1].Desired, "confirmed, although the class wants something else")
	assert.Equal(t, o.Class.Hot(), requests[2].Desired)
}

// TestFullRecordWithoutSuccess: a machine without an applied hot part goes back to Nothing.
func TestFullRecordWithoutSuccess(t *testing.T) {
	o := machineupdate.Observed{Machine: machine("")}
	var specs []string
	for i := range 12 {
		specs = append(specs, wide(t, 150, 100+i, i))
	}
	assert.Equal(t, machineupdate.Nothing, attempts(t, &o, specs...).Desired)
}

func TestLargeHotPart(t *testing.T) {
	for _, tc := range []struct {
		name string
		spec string
		ok   bool
	}{
		{"50 tags of the largest size on three kinds fit", wide(t, 150, 256+120, 0), true},
		{"too long", wide(t, 200, 600, 0), false},
		{"too many", wide(t, machineupdate.MaxLeaves, 1, 0), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := machineupdate.Prepare(machineupdate.MachineClass{Name: "c", ProviderSpec: []byte(tc.spec)}, schemaOf[spec](t), able)
			if tc.ok {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, "large-hot-part", codeOf(err))
		})
	}
}

// TestFormerAppliedIsRememberedAsDigests: the former applied hot part stays owned until the success is confirmed, however long it is.
func TestFormerAppliedIsRememberedAsDigests(t *testing.T) {
	former := classOf(t, wide(t, 150, 376, 1))
	require.Greater(t, len(former.Hot()), machineupdate.MaxAttempted)
	record := machineupdate.Record{ProviderID: "aws:///i-1", Schema: former.Schema(), Since: start, Applied: former.Hot()}
	now, none := start, error(nil)
	o := machineupdate.Observed{Machine: machine(record.Annotation()), Class: classOf(t, wide(t, 150, 375, 2))}
	var requests []*machineupdate.UpdateMachineRequest
	executor := &executor{Now: func() time.Time { return now }, WriteMetadata: writer(t, &o.Machine), UpdateMachine: caller(&requests, &none)}
	for _, want := range []machineupdate.Ending{machineupdate.Updated, machineupdate.Confirmed, machineupdate.NotCalled} {
		require.Equal(t, want, machineupdate.EndingOf(executor.Reconcile(t.Context(), o)))
		now = now.Add(time.Hour)
	}
	require.Len(t, requests, 2)
	for i, request := range requests {
		assert.True(t, owns(t, request, "changing", "1"), "pass %d", i)
		assert.True(t, owns(t, request, "key-149", strings.Repeat("v", 376)), "pass %d", i)
		assert.Equal(t, o.Class.Hot(), request.Desired)
	}
}
