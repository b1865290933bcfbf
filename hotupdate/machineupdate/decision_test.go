package machineupdate_test

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

const (
	hotOne = machineupdate.HotSpec(`{"tags":{"k":"1"}}`)
	hotTwo = machineupdate.HotSpec(`{"tags":{"k":"2"}}`)
)

// settledRecord is the record of a machine with the class of classOf(`{"tags":{"k":"1"}}`).
func settledRecord(class *machineupdate.PreparedClass, changes ...func(*machineupdate.Record)) string {
	r := machineupdate.Record{Header: record.Header{ProviderID: "aws:///i-1", Schema: class.Schema(), Since: start}, Applied: hotOne}
	for _, change := range changes {
		change(&r)
	}
	return r.Annotation()
}

func inState(state record.State, attempted ...machineupdate.HotSpec) func(*machineupdate.Record) {
	return func(r *machineupdate.Record) {
		r.State = state
		r.Attempted = attempted
	}
}

// TestDecisionTable has a test for each row of the table in FLOW.md, which it names.
func TestDecisionTable(t *testing.T) {
	one := classOf(t, `{"image":"a","tags":{"k":"1"}}`)
	with := func(meta metav1.ObjectMeta) *machineupdate.PreparedClass {
		class, err := machineupdate.Prepare(
			machineupdate.MachineClass{Object: &meta, ProviderSpec: one.Class().ProviderSpec}, schemaOf[spec](t), able,
		)
		require.NoError(t, err)
		return class
	}
	gone := with(metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{}})
	paused := with(metav1.ObjectMeta{Annotations: map[string]string{"machine.sapcloud.io/pause-hot-update": "true"}})
	type observation = machineupdate.Observed
	annotated := func(value string) func(*observation) {
		return func(o *observation) { o.Machine.Annotations["machine.sapcloud.io/pause-hot-update"] = value }
	}
	withRecord := func(changes ...func(*machineupdate.Record)) func(*observation) {
		return func(o *observation) {
			o.Machine.Annotations[machineupdate.AnnotationRecord] = settledRecord(one, changes...)
		}
	}
	raw := func(annotation string) func(*observation) {
		return func(o *observation) { o.Machine.Annotations[machineupdate.AnnotationRecord] = annotation }
	}
	phase := func(p string) func(*observation) { return func(o *observation) { o.Machine.Phase = p } }
	class := func(p *machineupdate.PreparedClass) func(*observation) { return func(o *observation) { o.Class = p } }
	after := func(d time.Duration) func(*observation) { return func(o *observation) { o.SetNow(start.Add(d)) } }
	otherSchema := func(r *machineupdate.Record) { r.Schema = "s1:other" }
	wantsTwo := class(classOf(t, `{"tags":{"k":"2"}}`))
	drained := laneClass(t, accounts, `{"account":"a"}`)
	applied := func(account string, changes ...func(*machineupdate.Record)) string {
		hot := func(r *machineupdate.Record) { r.Applied = machineupdate.HotSpec(`{"account":"` + account + `"}`) }
		return settledRecord(drained, append([]func(*machineupdate.Record){hot}, changes...)...)
	}
	closed := func(annotation string) func(*observation) {
		return func(o *observation) {
			o.Class = drained
			o.SetLane(lane)
			if annotation != "" {
				o.Machine.Annotations[annotationOf(lane)] = annotation
			}
		}
	}
	calling := withRecord(inState(record.Calling, hotOne))
	unconfirmed := withRecord(inState(record.Unconfirmed, hotTwo))
	for _, tc := range []struct {
		row    string
		given  []func(*observation)
		action string
		reason string
		delay  time.Duration
		code   string
	}{
		{
			row: "row 1: deletion timestamp", given: []func(*observation){calling, func(o *observation) { o.Machine.Deleting = true }},
			reason: "MachineDeleting",
		},
		{row: "row 1: Terminating", given: []func(*observation){calling, phase("Terminating")}, reason: "MachineDeleting"},
		{row: "row 2: Failed", given: []func(*observation){calling, phase("Failed")}, reason: "MachineFailed"},
		{row: "row 3: phase empty", given: []func(*observation){calling, phase("")}, reason: "CreationPending"},
		{row: "row 3: CrashLoopBackOff", given: []func(*observation){calling, phase("CrashLoopBackOff")}, reason: "CreationPending"},
		{
			row: "row 3: no provider ID", given: []func(*observation){calling, func(o *observation) { o.Machine.ProviderID = "" }},
			reason: "CreationPending",
		},
		{row: "row 4: the machine", given: []func(*observation){calling, annotated("")}, reason: "Paused"},
		{row: "row 4: the machine is not", given: []func(*observation){withRecord(), annotated("false")}, reason: "UpToDate"},
		{row: "row 4: the class", given: []func(*observation){calling, class(paused)}, reason: "Paused"},
		{
			row:    "row 4: all",
			given:  []func(*observation){calling, func(o *observation) { o.Settings.Paused = func() bool { return true } }},
			reason: "Paused",
		},
		{
			row:    "row 4: none",
			given:  []func(*observation){withRecord(), func(o *observation) { o.Settings.Paused = func() bool { return false } }},
			reason: "UpToDate",
		},
		{row: "row 5: no class", given: []func(*observation){calling, class(nil)}, reason: "ClassUnusable"},
		{row: "row 6: class with deletion timestamp", given: []func(*observation){calling, class(gone)}, reason: "ClassDeleting"},
		{row: "row 7: closed, none", given: []func(*observation){closed("")}, reason: "AwaitingDrain"},
		{row: "row 7: closed, settled, wanted other", given: []func(*observation){closed(applied("b"))}, reason: "AwaitingDrain"},
		{
			row:   "row 7: closed, settled, VerifyPeriod over",
			given: []func(*observation){closed(applied("a")), verifying, after(24 * time.Hour)}, reason: "AwaitingDrain",
		},
		{
			row: "row 7: closed, Calling", given: []func(*observation){closed(applied("a", inState(record.Calling))), after(time.Hour)},
			reason: "AwaitingDrain",
		},
		{
			row:   "row 7: closed, unusable",
			given: []func(*observation){closed(applied("a", inState(record.Unconfirmed)) + "}"), after(time.Hour)}, reason: "AwaitingDrain",
		},
		{
			row: "row 7: closed, of another VM",
			given: []func(*observation){
				closed(applied("a", inState(record.Unconfirmed), func(r *machineupdate.Record) { r.ProviderID = "aws:///i-2" })),
				after(time.Hour),
			},
			reason: "AwaitingDrain",
		},
		{
			row:   "row 8: closed, ConfirmAfter over",
			given: []func(*observation){closed(applied("a", inState(record.Unconfirmed))), after(time.Hour)}, action: "Confirm",
			reason: "ConfirmationDue",
		},
		{
			row:   "row 8: closed, wanted other",
			given: []func(*observation){closed(applied("b", inState(record.Unconfirmed))), after(time.Hour)}, action: "Confirm",
			reason: "ConfirmationDue",
		},
		{
			row:   "row 8: closed, impossibly late",
			given: []func(*observation){closed(applied("a", inState(record.Unconfirmed))), after(-2 * time.Hour)}, action: "Confirm",
			reason: "ConfirmationDue",
		},
		{
			row: "row 14: closed", given: []func(*observation){closed(applied("b", inState(record.Unconfirmed)))}, action: "Wait",
			reason: "ConfirmationDue", delay: time.Hour,
		},
		{row: "row 9: no record", action: "Update", reason: "FirstAdoption"},
		{row: "row 10: empty", given: []func(*observation){raw("")}, action: "Update", reason: "RecordUnusable", code: "malformed-record"},
		{
			row: "row 10: truncated", given: []func(*observation){withRecord(), truncate}, action: "Update", reason: "RecordUnusable",
			code: "malformed-record",
		},
		{
			row: "row 10: spelled otherwise", given: []func(*observation){withRecord(), respell}, action: "Update",
			reason: "RecordUnusable", code: "malformed-record",
		},
		{
			row: "row 10: contents cut short, and something to do", given: []func(*observation){withRecord(otherSchema), cutShort},
			action: "Update", reason: "RecordUnusable", code: "malformed-record",
		},
		{
			row: "row 10: later", given: []func(*observation){raw(`{"v":2,"new":1}`)}, action: "Update", reason: "RecordUnusable",
			code: "future-record",
		},
		{
			row:   "row 10: of another VM",
			given: []func(*observation){withRecord(func(r *machineupdate.Record) { r.ProviderID = "aws:///i-2" })}, action: "Update",
			reason: "RecordUnusable", code: "foreign-record",
		},
		{
			row: "row 10: of another VM, whose ID in JSON is this one's",
			given: []func(
				*observation,
			){withRecord(func(r *machineupdate.Record) { r.ProviderID = `i"1` }), func(o *observation) { o.Machine.ProviderID = `i\"1` }},
			action: "Update", reason: "RecordUnusable", code: "foreign-record",
		},
		{
			row:   "row 10: of another machine's creation",
			given: []func(*observation){withRecord(inState(record.Calling, hotOne), creatingOf("m-2"))}, action: "Update",
			reason: "RecordUnusable", code: "foreign-record",
		},
		{
			row: "row 11: RetryAfter not over", given: []func(*observation){calling, after(time.Second)}, action: "Wait",
			reason: "Unfinished", delay: 9 * time.Second,
		},
		{
			row:   "row 11: RetryAfter doubled",
			given: []func(*observation){withRecord(inState(record.Calling, hotOne), retried(2)), after(39 * time.Second)}, action: "Wait",
			reason: "Unfinished", delay: time.Second + spreadIn(20*time.Second),
		},
		{
			row:    "row 11: RetryAfter doubled up to ConfirmAfter",
			given:  []func(*observation){withRecord(inState(record.Calling, hotOne), retried(32)), after(time.Hour - time.Second)},
			action: "Wait", reason: "Unfinished", delay: time.Second + spreadIn(30*time.Minute),
		},
		{
			row: "row 11: RetryAfter longer than ConfirmAfter",
			given: []func(*observation){
				withRecord(inState(record.Calling, hotOne), retried(2)), after(time.Hour),
				func(o *observation) { o.Settings.RetryAfter = 2 * time.Hour },
			},
			action: "Wait", reason: "Unfinished", delay: time.Hour + spreadIn(time.Hour),
		},
		{
			row:   "row 11: refused just now, RetryAfter not over",
			given: []func(*observation){withRecord(inState(record.Calling, hotOne), refused), after(time.Second)}, action: "Wait",
			reason: "Unfinished", delay: 9 * time.Second,
		},
		{
			row:   "row 12: refused, RetryAfter over",
			given: []func(*observation){withRecord(inState(record.Calling, hotOne), refused), after(10 * time.Second)}, action: "Update",
			reason: "Unfinished",
		},
		{
			row:   "row 11: refused, and read since",
			given: []func(*observation){withRecord(inState(record.Calling, hotOne), retried(1), refused), after(time.Hour)}, action: "Wait",
			reason: "Unfinished", delay: 5 * time.Hour,
		},
		{
			row:    "row 12: refused, and NotBefore over",
			given:  []func(*observation){withRecord(inState(record.Calling, hotOne), retried(1), refused), after(6 * time.Hour)},
			action: "Update", reason: "Unfinished",
		},
		{
			row:    "row 12: refused, and another class",
			given:  []func(*observation){withRecord(inState(record.Calling, hotOne), retried(1), refused), after(time.Hour), wantsTwo},
			action: "Update", reason: "Unfinished",
		},
		{
			row:    "row 12: refused until an impossible time",
			given:  []func(*observation){withRecord(inState(record.Calling, hotOne), retried(1), refused), after(-7 * time.Hour)},
			action: "Update", reason: "Unfinished",
		},
		{
			row:    "row 12: RetryAfter doubled, over",
			given:  []func(*observation){withRecord(inState(record.Calling, hotOne), retried(32)), after(90 * time.Minute)},
			action: "Update", reason: "Unfinished",
		},
		{
			row: "row 12: RetryAfter over", given: []func(*observation){calling, after(10 * time.Second)}, action: "Update",
			reason: "Unfinished",
		},
		{
			row: "row 12: another class does not wait", given: []func(*observation){calling, after(time.Second), wantsTwo},
			action: "Update", reason: "Unfinished",
		},
		{
			row:   "row 12: another Schema does not wait",
			given: []func(*observation){withRecord(inState(record.Calling, hotOne), otherSchema), after(time.Second)}, action: "Update",
			reason: "Unfinished",
		},
		{
			row:    "row 12: a part of what was attempted does not wait",
			given:  []func(*observation){withRecord(inState(record.Calling, `{"tags":{"k":"1","l":"1"}}`)), after(time.Second)},
			action: "Update", reason: "Unfinished",
		},
		{
			row: "row 12: reverted", given: []func(*observation){withRecord(inState(record.Calling, hotTwo)), after(time.Second)},
			action: "Update", reason: "Unfinished",
		},
		{
			row: "row 12: of the own creation", given: []func(*observation){withRecord(inState(record.Calling, hotTwo), creatingOf("m-1"))},
			action: "Update", reason: "Unfinished",
		},
		{
			row:    "row 12: of the own creation with the same spec",
			given:  []func(*observation){withRecord(inState(record.Calling, hotOne), creatingOf("m-1")), after(time.Second)},
			action: "Update", reason: "Unfinished",
		},
		{row: "row 12: impossibly late", given: []func(*observation){calling, after(-time.Hour)}, action: "Update", reason: "Unfinished"},
		{
			row: "row 13: another class", given: []func(*observation){unconfirmed, wantsTwo, after(time.Second)}, action: "Update",
			reason: "SpecChanged",
		},
		{
			row: "row 13: another Schema", given: []func(*observation){withRecord(inState(record.Unconfirmed), otherSchema)},
			action: "Update", reason: "SchemaChanged",
		},
		{
			row: "row 14: ConfirmAfter not over", given: []func(*observation){unconfirmed, after(time.Minute)}, action: "Wait",
			reason: "ConfirmationDue", delay: 59 * time.Minute,
		},
		{
			row: "row 14: the clock of the other leader is ahead", given: []func(*observation){unconfirmed, after(-time.Minute)},
			action: "Wait", reason: "ConfirmationDue", delay: 61 * time.Minute,
		},
		{
			row: "row 15: impossibly late", given: []func(*observation){unconfirmed, after(-2 * time.Hour)}, action: "Update",
			reason: "Unfinished",
		},
		{
			row: "row 16: ConfirmAfter over", given: []func(*observation){unconfirmed, after(time.Hour)}, action: "Confirm",
			reason: "ConfirmationDue",
		},
		{row: "row 17: another class", given: []func(*observation){withRecord(), wantsTwo}, action: "Update", reason: "SpecChanged"},
		{row: "row 18: another Schema", given: []func(*observation){withRecord(otherSchema)}, action: "Update", reason: "SchemaChanged"},
		{
			row: "row 19: VerifyPeriod over", given: []func(*observation){withRecord(), verifying, after(24 * time.Hour)}, action: "Update",
			reason: "VerifyDue",
		},
		{
			row: "row 19: impossibly late", given: []func(*observation){withRecord(), verifying, after(-48 * time.Hour)}, action: "Update",
			reason: "VerifyDue",
		},
		{row: "row 20: up to date", given: []func(*observation){withRecord()}, reason: "UpToDate"},
		{
			row:    "row 20: only what is not hot changed",
			given:  []func(*observation){withRecord(), class(classOf(t, `{"image":"b","labels":{"x":"y"},"tags":{"k":"1"}}`))},
			reason: "UpToDate",
		},
		{
			row:   "row 20: another Schema, and a driver that cannot update",
			given: []func(*observation){withRecord(otherSchema), class(preparedFor(t, one, machineupdate.Driver{}))}, reason: "UpToDate",
		},
		{
			row: "row 20: VerifyPeriod not over", given: []func(*observation){withRecord(), verifying, after(time.Hour)},
			reason: "UpToDate", delay: 23 * time.Hour,
		},
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
			assert.Equal(t, []any{cmp.Or(tc.action, "None"), tc.reason, tc.delay}, []any{d.Action, d.Reason, d.Delay})
			assert.Equal(t, tc.code, codeOf(d.Err))
			calls := tc.action == "Update" || tc.action == "Confirm"
			require.Equal(t, calls, d.Pass != nil)
			if calls {
				unable := o
				unable.Disable()
				d := machineupdate.Decide(unable)
				assert.Equal(t, []any{"Unsupported", tc.reason}, []any{d.Action, d.Reason}, "where the driver cannot update")
				assert.Equal(t, tc.code, codeOf(d.Err))
				assert.Nil(t, d.Pass)
			}
		})
	}
}

// refused is a refusal for six hours.
func refused(r *machineupdate.Record) { r.NotBefore = r.Since.Add(6 * time.Hour) }

func retried(n int) func(*machineupdate.Record) {
	return func(r *machineupdate.Record) { r.Retries = n }
}

// spreadIn is FNV-1a of the machine's name and, in one step, of the record's Since in seconds, within d.
func spreadIn(d time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte("m-1"))
	const prime = 0x100000001b3
	return time.Duration((h.Sum64() ^ uint64(start.Unix())) * prime % uint64(d))
}

func preparedFor(t *testing.T, p *machineupdate.PreparedClass, driver machineupdate.Driver) *machineupdate.PreparedClass {
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
	return func(r *machineupdate.Record) {
		r.ProviderID = ""
		r.Creating = name
		r.Applied = ""
	}
}

func truncate(o *machineupdate.Observed) {
	annotations := o.Machine.Annotations
	annotations[machineupdate.AnnotationRecord] = annotations[machineupdate.AnnotationRecord][:60]
}

// cutShort removes a part from the middle of the contents.
func cutShort(o *machineupdate.Observed) {
	annotations := o.Machine.Annotations
	annotations[machineupdate.AnnotationRecord] = strings.Replace(annotations[machineupdate.AnnotationRecord], `{"k":"1"`, "", 1)
}

// respell writes the record in a form that is not canonical, but equivalent JSON.
func respell(o *machineupdate.Observed) {
	annotations := o.Machine.Annotations
	annotations[machineupdate.AnnotationRecord] = " " + annotations[machineupdate.AnnotationRecord] + "\n"
}

func verifying(o *machineupdate.Observed) { o.Settings.VerifyPeriod = 24 * time.Hour }

// TestConfirmationChangesTheRecord: an API server ignores a write that changes nothing and keeps the resourceVersion. A
// process that decided by an older record would not get a conflict.
func TestConfirmationChangesTheRecord(t *testing.T) {
	class := classOf(t, `{"tags":{"k":"1"}}`)
	text := settledRecord(class, inState(record.Unconfirmed, hotTwo))
	now := start.Add(15 * time.Minute)
	d := machineupdate.DecideAt(now, machineupdate.Observed{Machine: machine(text), Class: class})
	require.Equal(t, "Confirm", d.Action)
	marker := d.Pass.Marker()
	assert.Equal(
		t, []any{record.Unconfirmed, now, hotOne, []machineupdate.HotSpec{hotTwo}},
		[]any{marker.State, marker.Since, marker.Applied, marker.Attempted},
	)
	assert.NotEqual(t, text, d.Pass.AboutToCall().Set()[machineupdate.AnnotationRecord])
}

// TestClassErrorIsReported: the decision has the error of a class that cannot be prepared.
func TestClassErrorIsReported(t *testing.T) {
	_, err := machineupdate.Prepare(
		machineupdate.MachineClass{
			Object: &metav1.ObjectMeta{Name: "c"}, ProviderSpec: []byte(`{"tags":{"k":"secret"},"image":{"iops":"secret"}}`),
		},
		schemaOf[spec](t), able,
	)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "secret")
	d := machineupdate.DecideAt(start, machineupdate.Observed{Machine: machine(""), ClassError: err})
	assert.Equal(t, "ClassUnusable", d.Reason)
	assert.Equal(t, "unusable-class", codeOf(d.Err))
}

// decided has machines of a class with 150 infrastructure tags, by decision. A changed class has one tag less.
func decided(tb testing.TB) map[string]machineupdate.Observed {
	tb.Helper()
	const n = 150
	tags := func(n int) string {
		members := make([]string, n)
		for i := range members {
			members[i] = fmt.Sprintf(`"key-%03d":"some value of usual length"`, i)
		}
		return `{"image":"a","tags":{` + strings.Join(members, ",") + `}}`
	}
	class := classOf(tb, tags(n))
	changed := classOf(tb, tags(n-1))
	withRecord := func(change func(*machineupdate.Record)) string {
		r := machineupdate.Record{
			Header: record.Header{ProviderID: "aws:///i-1", Schema: class.Schema(), Since: start}, Applied: class.Hot(),
		}
		change(&r)
		return r.Annotation()
	}
	settled := withRecord(func(*machineupdate.Record) {})
	unconfirmed := withRecord(func(r *machineupdate.Record) {
		r.State = record.Unconfirmed
		r.Attempted = []machineupdate.HotSpec{changed.Hot()}
	})
	calling := withRecord(func(r *machineupdate.Record) {
		r.State = record.Calling
		r.Retries = 3
		r.Wanted = machineupdate.WantedOf(class.Hot())
	})
	observed := func(annotation string, class *machineupdate.PreparedClass) machineupdate.Observed {
		o := machineupdate.Observed{Machine: machine(annotation), Class: class}
		o.SetNow(start)
		return o
	}
	return map[string]machineupdate.Observed{
		"unchanged": observed(settled, class), "unconfirmed": observed(unconfirmed, class), "calling": observed(calling, class),
		"changed": observed(settled, changed), "unconfirmed and changed": observed(unconfirmed, changed),
	}
}

// TestDecidingAllocatesNothing: if there is nothing to do, the header of the record is enough.
func TestDecidingAllocatesNothing(t *testing.T) {
	for name, o := range decided(t) {
		decide := machineupdate.Decider(o)
		d := decide()
		if assert.Equal(t, strings.HasSuffix(name, "changed") && name != "unchanged", d.Pass != nil, name); d.Pass == nil {
			assert.Zero(t, testing.AllocsPerRun(100, func() { decide() }), name)
			o.Settings.VerifyPeriod = time.Hour
			decide = machineupdate.Decider(o)
			assert.Zero(t, testing.AllocsPerRun(100, func() { decide() }), "%s with VerifyPeriod", name)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	for name, o := range decided(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			decide := machineupdate.Decider(o)
			for b.Loop() {
				decide()
			}
		})
	}
}
