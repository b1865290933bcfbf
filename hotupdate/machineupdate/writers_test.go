package machineupdate_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestOtherWriter: a driver can report other writers where reads have caught up with the last success. What it reports
// becomes one event for each pass, once for each machine, resource, key and value.
func TestOtherWriter(t *testing.T) {
	b := newBed(t, laneClass(t, able, `{"tags":{"a":"1"}}`))
	b.settings.VerifyPeriod = 24 * time.Hour
	var told []string
	b.executor.Event = func(of runtime.Object, level, reason, message string) {
		if reason == "HotUpdateOtherWriter" {
			told = append(told, fmt.Sprint(of.(*object).Name, " ", level, " ", message))
		}
	}
	const (
		vm   = "vm i-1"
		disk = "disk vol-1"
	)
	var reports func(report func(resource, key, live string))
	isAsked := false
	b.executor.UpdateMachine = func(_ context.Context, r *machineupdate.UpdateMachineRequest) error {
		if isAsked = r.OtherWriter != nil; isAsked && reports != nil {
			reports(r.OtherWriter)
		}
		return b.errs[r.Lane]
	}
	const (
		prefix = "m-1 Warning another writer has changed keys of the class, which are written again: "
		suffix = "; stop that writer, remove the keys from the class, or name them in AnyValue of the driver's Rules"
	)
	report := func(of, key, live string) func(func(resource, key, live string)) {
		return func(report func(resource, key, live string)) { report(of, key, live) }
	}
	for i, tc := range []struct {
		reason  string
		after   time.Duration
		change  func()
		reports func(func(resource, key, live string))
		isAsked bool
		want    string
	}{
		{"FirstAdoption", 0, nil, nil, false, ""},
		{"ConfirmationDue", time.Hour, nil, report(vm, "a", "secret"), true, `"a" of vm i-1`},
		{"VerifyDue", 24 * time.Hour, nil, report(vm, "a", "secret"), true, ""},
		{"ConfirmationDue", time.Hour, nil, func(report func(resource, key, live string)) {
			report(vm, "a", "secret")
			report(vm, "b", "a secret")
			report(disk, "a", "secret")
			report(vm, "a", "another secret")
		}, true, `"a" of disk vol-1, "a" of vm i-1, "b" of vm i-1`},
		{"SpecChanged", time.Hour, func() { b.class = laneClass(t, able, `{"tags":{"a":"2"}}`) }, nil, false, ""},
		{"ConfirmationDue", time.Hour, func() { b.errs[""] = assert.AnError }, report(vm, "a", "secret"), true, `"a" of vm i-1`},
		{"ConfirmationDue", time.Hour, func() { delete(b.errs, "") }, report(vm, "a", "secret"), true, ""},
		{"VerifyDue", 24 * time.Hour, func() { b.machine.UID = types.UID("another") }, report(vm, "a", "secret"), true, `"a" of vm i-1`},
		{"ConfirmationDue", time.Hour, nil, nil, true, ""},
	} {
		told = nil
		reports = tc.reports
		isAsked = false
		if tc.change != nil {
			tc.change()
		}
		_, result := b.step(tc.after)
		assert.Equal(t, []any{tc.reason, tc.isAsked}, []any{string(result.Reason), isAsked}, i)
		var want []string
		if tc.want != "" {
			want = []string{prefix + tc.want + suffix}
		}
		assert.Equal(t, want, told, "%d %s", i, tc.reason)
	}
	b.executor.Event = nil
	_, result := b.step(24 * time.Hour)
	require.NoError(t, result.Err)
	assert.False(t, isAsked, "nothing is told without events")
}

// TestOtherWriterByTheClock: a success whose time is unknown is no reason to believe that reads have caught up.
func TestOtherWriterByTheClock(t *testing.T) {
	p := newPool(t).created()
	p.drain()
	p.wantsB()
	p.apply()
	p.executor.Event = func(runtime.Object, string, string, string) {}
	p.now = p.now.Add(-48 * time.Hour)
	_, result := p.step(0)
	require.NoError(t, result.Err)
	require.NotEmpty(t, p.asked)
	for _, r := range p.asked {
		assert.Nil(t, r.OtherWriter, r.Lane)
	}
}

// TestOtherWriterIsForgotten: the memory of a class is bounded. What is forgotten is reported again.
func TestOtherWriterIsForgotten(t *testing.T) {
	var w machineupdate.Writers
	assert.False(t, w.Knows("m", "key"))
	assert.True(t, w.Knows("m", "key"))
	assert.False(t, w.Knows("n", "key"))
	for i := range machineupdate.MaxKnown - 2 {
		w.Knows("m", strconv.Itoa(i))
	}
	assert.Equal(t, machineupdate.MaxKnown, w.Size())
	assert.True(t, w.Knows("m", "key"))
	assert.False(t, w.Knows("m", "one more"))
	assert.Equal(t, 1, w.Size())
	assert.False(t, w.Knows("m", "key"))
}

// TestOtherWriterConcurrently: machines of a class are updated at once, and each is reported once.
func TestOtherWriterConcurrently(t *testing.T) {
	var w machineupdate.Writers
	var mutex sync.Mutex
	var workers sync.WaitGroup
	news := 0
	for range 8 {
		workers.Go(func() {
			for i := range 100 {
				if !w.Knows("m-"+strconv.Itoa(i), "key") {
					mutex.Lock()
					news++
					mutex.Unlock()
				}
			}
		})
	}
	workers.Wait()
	assert.Equal(t, 100, news)
}
