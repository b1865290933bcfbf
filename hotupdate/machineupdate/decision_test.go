package machineupdate_test

import (
	"errors"
	"hash/fnv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

const (
	hotOne = machineupdate.Hot(`{"tags":{"k":"1"}}`)
	hotTwo = machineupdate.Hot(`{"tags":{"k":"2"}}`)
)

// settledRecord is the record of a machine with the class of classOf(`{"tags":{"k":"1"}}`).
func settledRecord(class *machineupdate.Prepared, changes ...func(*machineupdate.Record)) string {
	r := machineupdate.Record{ProviderID: "aws:///i-1", Schema: class.Schema(), Since: start, Applied: hotOne}
	for _, change := range changes {
		change(&r)
	}
	return r.Annotation()
}

func inState(state machineupdate.State, attempted ...machineupdate.Hot) func(*machineupdate.Record) {
	return func(r *machineupdate.Record) { r.State, r.Attempted = state, attempted }
}

// TestDecisionTable has a test for each row of the table in the package documentation, which it names.
func TestDecisionTable(t *testing.T) {
	one := classOf(t, `{"image":"a","tags":{"k":"1"}}`)
	deleting := one.Class()
	deleting.Deleting = true
	gone, err := machineupdate.Prepare(deleting, schemaOf[spec](t), able)
	require.NoError(t, err)
	type observation = machineupdate.Observed
	pausedClass := one.Class()
	pausedClass.Paused = true
	paused, err := machineupdate.Prepare(pausedClass, schemaOf[spec](t), able)
	require.NoError(t, err)
	annotated := func(value string) func(*observation) {
		return func(o *observation) { o.Machine.Annotations[machineupdate.AnnotationPause] = value }
	}
	record := func(changes ...func(*machineupdate.Record)) func(*observation) {
		return func(o *observation) {
			o.Machine.Annotations[machineupdate.AnnotationRecord] = settledRecord(one, changes...)
		}
	}
	raw := func(annotation string) func(*observation) {
		return func(o *observation) { o.Machine.Annotations[machineupdate.AnnotationRecord] = annotation }
	}
	phase := func(p string) func(*observation) { return func(o *observation) { o.Machine.Phase = p } }
	class := func(p *machineupdate.Prepared) func(*observation) { return func(o *observation) { o.Class = p } }
	after := func(d time.Duration) func(*observation) { return func(o *observation) { o.SetNow(start.Add(d)) } }
	otherSchema := func(r *machineupdate.Record) { r.Schema = "s1:other" }
	wantsTwo := class(classOf(t, `{"tags":{"k":"2"}}`))
	calling := record(inState(machineupdate.Calling, hotOne))
	unconfirmed := record(inState(machineupdate.Unconfirmed, hotTwo))
	for _, tc := range []struct {
		row    string
		given  []func(*observation)
		action machineupdate.Action
		reason machineupdate.Reason
		delay  time.Duration
		code   string
	}{
		{row: "row 1: deletion timestamp", given: []func(*observation){calling, func(o *observation) { o.Machine.Deleting = true }}, reason: machineupdate.MachineDeleting},
		{row: "row 1: Terminating", given: []func(*observation){calling, phase("Terminating")}, reason: machineupdate.MachineDeleting},
		{row: "row 2: Failed", given: []func(*observation){calling, phase("Failed")}, reason: machineupdate.MachineFailed},
		{row: "row 3: phase empty", given: []func(*observation){calling, phase("")}, reason: machineupdate.CreationPending},
		{row: "row 3: CrashLoopBackOff", given: []func(*observation){calling, phase("CrashLoopBackOff")}, reason: machineupdate.CreationPending},
		{row: "row 3: no provider ID", given: []func(*observation){calling, func(o *observation) { o.Machine.ProviderID = "" }}, reason: machineupdate.CreationPending},
		{row: "paused: the machine", given: []func(*observation){calling, annotated("")}, reason: machineupdate.Paused},
		{row: "paused: the machine is not", given: []func(*observation){record(), annotated("false")}, reason: machineupdate.UpToDate},
		{row: "paused: the class", given: []func(*observation){calling, class(paused)}, reason: machineupdate.Paused},
		{row: "paused: all", given: []func(*observation){calling, func(o *observation) { o.Settings.Paused = func() bool { return true } }}, reason: machineupdate.Paused},
		{row: "paused: none", given: []func(*observation){record(), func(o *observation) { o.Settings.Paused = func() bool { return false } }}, reason: machineupdate.UpToDate},
		{row: "row 4: no class", given: []func(*observation){calling, class(nil)}, reason: machineupdate.ClassUnusable},
		{row: "row 5: class with deletion timestamp", given: []func(*observation){calling, class(gone)}, reason: machineupdate.ClassDeleting},
		{row: "row 6: no record", action: machineupdate.Update, reason: machineupdate.FirstAdoption},
		{row: "row 7: empty", given: []func(*observation){raw("")}, action: machineupdate.Update, reason: machineupdate.RecordUnusable, code: "malformed-record"},
		{row: "row 7: truncated", given: []func(*observation){record(), truncate}, action: machineupdate.Update, reason: machineupdate.RecordUnusable, code: "malformed-record"},
		{row: "row 7: later", given: []func(*observation){raw(`{"v":2,"new":1}`)}, action: machineupdate.Update, reason: machineupdate.RecordUnusable, code: "future-record"},
		{row: "row 7: of another VM", given: []func(*observation){record(func(r *machineupdate.Record) { r.ProviderID = "aws:///i-2" })}, action: machineupdate.Update, reason: machineupdate.RecordUnusable, code: "foreign-record"},
		{row: "row 7: of another VM, whose ID in JSON is this one's", given: []func(*observation){record(func(r *machineupdate.Record) { r.ProviderID = `i"1` }), func(o *observation) { o.Machine.ProviderID = `i\"1` }}, action: machineupdate.Update, reason: machineupdate.RecordUnusable, code: "foreign-record"},
		{row: "row 7: of another machine's creation", given: []func(*observation){record(inState(machineupdate.Calling, hotOne), creatingOf("m-2"))}, action: machineupdate.Update, reason: machineupdate.RecordUnusable, code: "foreign-record"},
		{row: "row 8: RetryAfter not over", given: []func(*observation){calling, after(time.Second)}, action: machineupdate.Wait, reason: machineupdate.Unfinished, delay: 9 * time.Second},
		{row: "row 8: RetryAfter doubled", given: []func(*observation){record(inState(machineupdate.Calling, hotOne), retried(2)), after(39 * time.Second)}, action: machineupdate.Wait, reason: machineupdate.Unfinished, delay: time.Second + spreadIn(20*time.Second)},
		{row: "row 8: RetryAfter doubled up to ConfirmAfter", given: []func(*observation){record(inState(machineupdate.Calling, hotOne), retried(32)), after(time.Hour - time.Second)}, action: machineupdate.Wait, reason: machineupdate.Unfinished, delay: time.Second + spreadIn(30*time.Minute)},
		{row: "row 8: RetryAfter longer than ConfirmAfter", given: []func(*observation){record(inState(machineupdate.Calling, hotOne), retried(2)), after(time.Hour), func(o *observation) { o.Settings.RetryAfter = 2 * time.Hour }}, action: machineupdate.Wait, reason: machineupdate.Unfinished, delay: time.Hour + spreadIn(time.Hour)},
		{row: "row 9: RetryAfter doubled, over", given: []func(*observation){record(inState(machineupdate.Calling, hotOne), retried(32)), after(90 * time.Minute)}, action: machineupdate.Update, reason: machineupdate.Unfinished},
		{row: "row 9: RetryAfter over", given: []func(*observation){calling, after(10 * time.Second)}, action: machineupdate.Update, reason: machineupdate.Unfinished},
		{row: "row 9: another class does not wait", given: []func(*observation){calling, after(time.Second), wantsTwo}, action: machineupdate.Update, reason: machineupdate.Unfinished},
		{row: "row 9: another Schema does not wait", given: []func(*observation){record(inState(machineupdate.Calling, hotOne), otherSchema), after(time.Second)}, action: machineupdate.Update, reason: machineupdate.Unfinished},
		{row: "row 9: a part of what was attempted does not wait", given: []func(*observation){record(inState(machineupdate.Calling, `{"tags":{"k":"1","l":"1"}}`)), after(time.Second)}, action: machineupdate.Update, reason: machineupdate.Unfinished},
		{row: "row 9: reverted", given: []func(*observation){record(inState(machineupdate.Calling, hotTwo)), after(time.Second)}, action: machineupdate.Update, reason: machineupdate.Unfinished},
		{row: "row 9: of the own creation", given: []func(*observation){record(inState(machineupdate.Calling, hotTwo), creatingOf("m-1"))}, action: machineupdate.Update, reason: machineupdate.Unfinished},
		{row: "row 9: of the own creation with the same spec", given: []func(*observation){record(inState(machineupdate.Calling, hotOne), creatingOf("m-1")), after(time.Second)}, action: machineupdate.Update, reason: machineupdate.Unfinished},
		{row: "row 9: impossibly late", given: []func(*observation){calling, after(-time.Hour)}, action: machineupdate.Update, reason: machineupdate.Unfinished},
		{row: "row 10: another class", given: []func(*observation){unconfirmed, wantsTwo, after(time.Second)}, action: machineupdate.Update, reason: machineupdate.SpecChanged},
		{row: "row 10: another Schema", given: []func(*observation){record(inState(machineupdate.Unconfirmed), otherSchema)}, action: machineupdate.Update, reason: machineupdate.SchemaChanged},
		{row: "row 11: ConfirmAfter not over", given: []func(*observation){unconfirmed, after(time.Minute)}, action: machineupdate.Wait, reason: machineupdate.ConfirmationDue, delay: 59 * time.Minute},
		{row: "row 11: the clock of the other leader is ahead", given: []func(*observation){unconfirmed, after(-time.Minute)}, action: machineupdate.Wait, reason: machineupdate.ConfirmationDue, delay: 61 * time.Minute},
		{row: "row 12: impossibly late", given: []func(*observation){unconfirmed, after(-2 * time.Hour)}, action: machineupdate.Update, reason: machineupdate.Unfinished},
		{row: "row 13: ConfirmAfter over", given: []func(*observation){unconfirmed, after(time.Hour)}, action: machineupdate.Confirm, reason: machineupdate.ConfirmationDue},
		{row: "row 14: another class", given: []func(*observation){record(), wantsTwo}, action: machineupdate.Update, reason: machineupdate.SpecChanged},
		{row: "row 15: another Schema", given: []func(*observation){record(otherSchema)}, action: machineupdate.Update, reason: machineupdate.SchemaChanged},
		{row: "row 16: VerifyPeriod over", given: []func(*observation){record(), verifying, after(24 * time.Hour)}, action: machineupdate.Update, reason: machineupdate.VerifyDue},
		{row: "row 16: impossibly late", given: []func(*observation){record(), verifying, after(-48 * time.Hour)}, action: machineupdate.Update, reason: machineupdate.VerifyDue},
		{row: "row 17: up to date", given: []func(*observation){record()}, reason: machineupdate.UpToDate},
		{row: "row 17: only what is not hot changed", given: []func(*observation){record(), class(classOf(t, `{"image":"b","labels":{"x":"y"},"tags":{"k":"1"}}`))}, reason: machineupdate.UpToDate},
		{row: "row 17: spelled otherwise", given: []func(*observation){record(), respell}, reason: machineupdate.UpToDate},
		{row: "row 17: VerifyPeriod not over", given: []func(*observation){record(), verifying, after(time.Hour)}, reason: machineupdate.UpToDate, delay: 23 * time.Hour},
		{row: "row 17: VerifyPeriod not over, spelled otherwise", given: []func(*observation){record(), respell, verifying, after(time.Hour)}, reason: machineupdate.UpToDate, delay: 23 * time.Hour},
	} {
		t.Run(tc.row, func(t *testing.T) {
			o := observation{Machine: machine(""), Class: one}
			o.SetNow(start)
			o.Machine.Annotations = map[string]string{}
			o.Settings = machineupdate.Settings{ConfirmAfter: time.Hour, RetryAfter: 10 * time.Second}
			for _, change := range tc.given {
				change(&o)
			}
			d := machineupdate.Decide(o)
			assert.Equal(t, []any{tc.action, tc.reason, tc.delay}, []any{d.Action, d.Reason, d.Delay})
			assert.Equal(t, tc.code, codeOf(d.Err))
			calls := tc.action == machineupdate.Update || tc.action == machineupdate.Confirm
			require.Equal(t, calls, d.Pass != nil)
			if calls {
				unable := o
				unable.Class = preparedFor(t, o.Class, machineupdate.Driver{})
				d := machineupdate.Decide(unable)
				assert.Equal(t, []any{machineupdate.Unsupported, tc.reason}, []any{d.Action, d.Reason}, "where the driver cannot update")
				assert.Equal(t, tc.code, codeOf(d.Err))
				assert.Nil(t, d.Pass)
			}
		})
	}
}

func retried(n int) func(*machineupdate.Record) {
	return func(r *machineupdate.Record) { r.Retries = n }
}

// spreadIn is FNV-1a of the machine's name, within d.
func spreadIn(d time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte("m-1"))
	return time.Duration(h.Sum64() % uint64(d))
}

func preparedFor(t *testing.T, p *machineupdate.Prepared, driver machineupdate.Driver) *machineupdate.Prepared {
	t.Helper()
	prepared, err := machineupdate.Prepare(p.Class(), schemaOf[spec](t), driver)
	require.NoError(t, err)
	return prepared
}

func codeOf(err error) string {
	if problem, ok := errors.AsType[*fault.Error](err); ok {
		return problem.Code
	}
	return ""
}

func creatingOf(name string) func(*machineupdate.Record) {
	return func(r *machineupdate.Record) { r.ProviderID, r.Creating, r.Applied = "", name, "" }
}

func truncate(o *machineupdate.Observed) {
	annotations := o.Machine.Annotations
	annotations[machineupdate.AnnotationRecord] = annotations[machineupdate.AnnotationRecord][:60]
}

// respell writes the record in a form that is not canonical, but equivalent.
func respell(o *machineupdate.Observed) {
	annotations := o.Machine.Annotations
	annotations[machineupdate.AnnotationRecord] = " " + annotations[machineupdate.AnnotationRecord] + "\n"
}

func verifying(o *machineupdate.Observed) { o.Settings.VerifyPeriod = 24 * time.Hour }

// TestMigrationKeepsRecord: a control-plane migration drops the status and keeps the annotations. The attempts stay known.
func TestMigrationKeepsRecord(t *testing.T) {
	class := classOf(t, `{"tags":{"k":"1"}}`)
	o := machineupdate.Observed{Machine: machine(settledRecord(class, inState(machineupdate.Calling, hotTwo))), Class: class}
	o.SetNow(start)
	o.Machine.Phase = ""
	assert.Equal(t, machineupdate.CreationPending, machineupdate.Decide(o).Reason, "the creation flow finds the VM")
	o.Machine.Phase = "Running"
	d := machineupdate.Decide(o)
	require.Equal(t, machineupdate.Unfinished, d.Reason)
	assert.Equal(t, []machineupdate.Hot{hotTwo, hotOne}, d.Pass.Request().Attempted)
}

// TestConfirmationChangesTheRecord: an API server ignores a write that changes nothing and keeps the resourceVersion. A process that decided by an
// older record would not get a conflict.
func TestConfirmationChangesTheRecord(t *testing.T) {
	class := classOf(t, `{"tags":{"k":"1"}}`)
	record := settledRecord(class, inState(machineupdate.Unconfirmed, hotTwo))
	now := start.Add(15 * time.Minute)
	d := machineupdate.DecideAt(now, machineupdate.Observed{Machine: machine(record), Class: class})
	require.Equal(t, machineupdate.Confirm, d.Action)
	marker := d.Pass.Marker()
	assert.Equal(t, []any{machineupdate.Unconfirmed, now, hotOne, []machineupdate.Hot{hotTwo}}, []any{marker.State, marker.Since, marker.Applied, marker.Attempted})
	assert.NotEqual(t, record, d.Pass.AboutToCall().Set[machineupdate.AnnotationRecord])
}

// TestClassErrorIsReported: the decision has the error of a class that cannot be prepared.
func TestClassErrorIsReported(t *testing.T) {
	_, err := machineupdate.Prepare(machineupdate.MachineClass{Name: "c", ProviderSpec: []byte(`{"tags":{"k":"secret"},"image":{"iops":"secret"}}`)}, schemaOf[spec](t), able)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "secret")
	d := machineupdate.DecideAt(start, machineupdate.Observed{Machine: machine(""), ClassError: err})
	assert.Equal(t, machineupdate.ClassUnusable, d.Reason)
	assert.Equal(t, "unusable-class", codeOf(d.Err))
}

// TestDecidingAllocatesNothing: a controller decides for hundreds of thousands of machines that are up to date.
func TestDecidingAllocatesNothing(t *testing.T) {
	class := classOf(t, `{"tags":{"k":"1"}}`)
	o := machineupdate.Observed{Machine: machine(settledRecord(class)), Class: class}
	o.SetNow(start)
	allocs := testing.AllocsPerRun(100, func() {
		if machineupdate.Decide(o).Reason != machineupdate.UpToDate {
			t.Error("the machine is not up to date")
		}
	})
	assert.Zero(t, allocs)
	o.Settings.VerifyPeriod = time.Hour
	assert.Zero(t, testing.AllocsPerRun(100, func() { machineupdate.Decide(o) }), "with VerifyPeriod")
}

func BenchmarkDecide100000(b *testing.B) {
	class := classOf(b, `{"image":"a","tags":{"cost-center":"1","owner":"somebody","stage":"prod"}}`)
	record := machineupdate.Record{ProviderID: "aws:///i-1", Schema: class.Schema(), Since: start, Applied: class.Hot()}
	machines := make([]machineupdate.Seen, 100_000)
	for i := range machines {
		machines[i] = machine(record.Annotation())
	}
	for _, bc := range []struct {
		name  string
		class *machineupdate.Prepared
	}{{"unchanged", class}, {"changed", classOf(b, `{"tags":{"owner":"somebody else"}}`)}} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for i := range machines {
					machineupdate.DecideAt(start, machineupdate.Observed{Machine: machines[i], Class: bc.class})
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(machines)), "ns/machine")
		})
	}
}
