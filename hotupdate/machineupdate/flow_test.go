package machineupdate_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// spec is the provider spec of a driver with one flat map of infrastructure tags, like that of AWS.
type spec struct {
	Image  string            `json:"image,omitempty"`
	Tags   map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
	Labels map[string]string `json:"labels,omitempty" hotupdatable:"ignore"`
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func schemaOf[T any](tb testing.TB) *hotupdate.Schema {
	tb.Helper()
	schema, err := hotupdate.SchemaOf[T]()
	require.NoError(tb, err)
	return schema
}

var able = machineupdate.Driver{Kinds: []string{machineupdate.Kind}}

// classOf prepares a class with the provider spec.
func classOf(tb testing.TB, providerSpec string) *machineupdate.Prepared {
	tb.Helper()
	class := machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "class", UID: "uid", ResourceVersion: "1"}, ProviderSpec: []byte(providerSpec)}
	prepared, err := machineupdate.Prepare(class, schemaOf[spec](tb), able)
	require.NoError(tb, err)
	return prepared
}

// machine returns a running machine.
func machine(annotation string) machineupdate.Seen {
	m := machineupdate.Seen{Name: "m-1", ResourceVersion: "7", ProviderID: "aws:///i-1", Phase: "Running"}
	if annotation != "" {
		m.Annotations = map[string]string{machineupdate.AnnotationRecord: annotation}
	}
	return m
}

// TestLife follows a machine from its first adoption through a failed update to a settled one, and on to the next update.
func TestLife(t *testing.T) {
	now := start
	o := machineupdate.Observed{Machine: machine(""), Class: classOf(t, `{"image":"a","tags":{"k":"1"}}`)}
	o.Settings.ConfirmAfter = time.Hour
	var fail error
	var requests []*machineupdate.UpdateMachineRequest
	executor := executor{
		Now:           func() time.Time { return now },
		WriteMetadata: writer(t, &o.Machine),
		UpdateMachine: caller(&requests, &fail),
		Counters:      counters{},
	}
	run := func(action machineupdate.Action, reason machineupdate.Reason, outcome machineupdate.Ending) {
		t.Helper()
		result := executor.Reconcile(t.Context(), o)
		assert.Equal(t, []any{action, reason, outcome}, []any{machineupdate.DecisionOf(result).Action, result.Reason, machineupdate.EndingOf(result)})
	}
	record := func(want string) {
		t.Helper()
		assert.Equal(t, want, o.Machine.Annotations[machineupdate.AnnotationRecord])
	}
	head := `{"v":1,"providerID":"aws:///i-1","schema":"` + o.Class.Schema() + `",`
	one, nothing := `"wanted":"`+machineupdate.WantedOf(hotOne)+`"`, `"wanted":"`+machineupdate.WantedOf(machineupdate.Hot("{}"))+`"`

	fail = errors.New("throttled")
	run(machineupdate.Update, machineupdate.FirstAdoption, machineupdate.CallFailed)
	record(head + `"state":"Calling","since":"2026-01-02T03:04:05Z",` + one + `,"parts":[{"kinds":["vm"],"attempted":[{"tags":{"k":"1"}}]},{"applied":{"tags":{"k":"1"}}}]}`)
	fail = nil
	run(machineupdate.Wait, machineupdate.Unfinished, machineupdate.NotCalled)
	now = now.Add(15 * time.Second)
	run(machineupdate.Update, machineupdate.Unfinished, machineupdate.Updated)
	record(head + `"state":"Unconfirmed","since":"2026-01-02T03:04:20Z",` + one + `,"parts":[{"applied":{"tags":{"k":"1"}}}]}`)
	run(machineupdate.Wait, machineupdate.ConfirmationDue, machineupdate.NotCalled)
	now = now.Add(time.Hour)
	run(machineupdate.Confirm, machineupdate.ConfirmationDue, machineupdate.Confirmed)
	record(head + `"since":"2026-01-02T04:04:20Z",` + one + `,"parts":[{"applied":{"tags":{"k":"1"}}}]}`)
	run(machineupdate.None, machineupdate.UpToDate, machineupdate.NotCalled)
	o.Class = classOf(t, `{"image":"b"}`)
	run(machineupdate.Update, machineupdate.SpecChanged, machineupdate.Updated)
	record(head + `"state":"Unconfirmed","since":"2026-01-02T04:04:20Z",` + nothing + `,"parts":[{"kinds":["vm"],"applied":{},"attempted":[{"tags":{"k":"1"}}]},{"applied":{"tags":{"k":"1"}}}]}`)
	require.Len(t, requests, 4)
	assert.Equal(t, []machineupdate.Hot{"{}"}, requests[3].Parts[0].Attempted)
}
