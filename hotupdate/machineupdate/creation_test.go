package machineupdate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestCreation: after InitializeMachine the record has the spec that the VM was created with. It is settled if no other attempt can have created
// the VM.
func TestCreation(t *testing.T) {
	class := classOf(t, `{"tags":{"k":"1"}}`)
	creating := func(name string, attempted ...machineupdate.Hot) string {
		return settledRecord(class, creatingOf(name), inState(machineupdate.Calling, attempted...))
	}
	for _, tc := range []struct {
		name      string
		annotated string
		state     machineupdate.State
		attempted []machineupdate.Hot
		reason    string
	}{
		{"first", "", machineupdate.Settled, nil, "one attempt, which was successful"},
		{"after a crash", creating("m-1", hotTwo), machineupdate.Unconfirmed, []machineupdate.Hot{hotTwo}, "the attempt before may have made it"},
		{"after a crash with the same spec", creating("m-1", hotOne), machineupdate.Unconfirmed, nil, "and it may still be at work"},
		{"with the annotation of a template", creating("m-0", hotTwo), machineupdate.Settled, nil, "it is another machine's"},
		{"unreadable", "{", machineupdate.Unconfirmed, nil, "the attempts are unknown"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := machine(tc.annotated)
			m.ProviderID, m.Phase = "", ""
			executor := &executor{Now: func() time.Time { return start }, WriteMetadata: writer(t, &m)}
			o := machineupdate.Observed{Machine: m, Class: class}
			o.Settings.MirrorSpec = true
			c, version, result := executor.BeginCreation(t.Context(), o)
			require.Equal(t, machineupdate.NotCalled, machineupdate.EndingOf(result))
			marker, err := machineupdate.ParseRecord(m.Annotations[machineupdate.AnnotationRecord])
			require.NoError(t, err)
			assert.Equal(t, []any{"m-1", machineupdate.Calling}, []any{marker.Creating, marker.State})
			assert.Equal(t, hotOne, marker.Applied, "what is about to be created")

			result = executor.FinishCreation(t.Context(), c, "aws:///i-1", version)
			require.Equal(t, machineupdate.Updated, machineupdate.EndingOf(result))
			r, err := machineupdate.ParseRecord(m.Annotations[machineupdate.AnnotationRecord])
			require.NoError(t, err)
			assert.Equal(t, []any{"aws:///i-1", tc.state, hotOne}, []any{r.ProviderID, r.State, r.Applied}, tc.reason)
			assert.Equal(t, tc.attempted, r.Attempted, tc.reason)
			assert.Equal(t, `{"tags":{"k":"1"}}`, m.Annotations[machineupdate.AnnotationLastApplied])
		})
	}
}

// TestCrashBetweenCreateAndRecord: the VM is found, and only the marker has the spec that made it.
func TestCrashBetweenCreateAndRecord(t *testing.T) {
	m := machine("")
	m.ProviderID, m.Phase = "", ""
	executor := &executor{Now: func() time.Time { return start }, WriteMetadata: writer(t, &m)}
	_, _, result := executor.BeginCreation(t.Context(), machineupdate.Observed{Machine: m, Class: classOf(t, `{"tags":{"k":"1"}}`)})
	require.Equal(t, machineupdate.NotCalled, machineupdate.EndingOf(result))

	m.ProviderID, m.Phase = "aws:///i-1", "Pending"
	d := machineupdate.DecideAt(start, machineupdate.Observed{Machine: m, Class: classOf(t, `{"tags":{"k":"2"}}`)})
	require.Equal(t, machineupdate.Unfinished, d.Reason)
	part := d.Pass.Request().Parts[0]
	assert.Equal(t, []any{hotOne, []machineupdate.Hot{hotTwo}}, []any{part.Applied, part.Attempted})
	marker := d.Pass.Marker()
	assert.Equal(t, []string{"aws:///i-1", ""}, []string{marker.ProviderID, marker.Creating})
}

// TestInitializationOfAVMThatExists keeps the record of the VM, as after a control-plane migration.
func TestInitializationOfAVMThatExists(t *testing.T) {
	class := classOf(t, `{"tags":{"k":"2"}}`)
	m := machine(settledRecord(class))
	m.Phase = "CrashLoopBackOff"
	c := machineupdate.BeginCreation(machineupdate.Observed{Machine: m, Class: class})
	r, err := machineupdate.ParseRecord(c.AboutToCall().Set()[machineupdate.AnnotationRecord])
	require.NoError(t, err)
	assert.Equal(t, []any{"aws:///i-1", machineupdate.Calling, hotTwo, []machineupdate.Hot{hotOne}}, []any{r.ProviderID, r.State, r.Applied, r.Attempted})
}

// TestCreationGoesOnWithAFullRecord: a creation that fails for long attempts many specs. A full record does not stop it.
func TestCreationGoesOnWithAFullRecord(t *testing.T) {
	m := machine("")
	m.ProviderID, m.Phase = "", ""
	executor := &executor{Now: func() time.Time { return start }, WriteMetadata: writer(t, &m)}
	for i := range 20 {
		class := classOf(t, wide(t, 150, 100+i, i))
		_, _, result := executor.BeginCreation(t.Context(), machineupdate.Observed{Machine: m, Class: class})
		require.Equal(t, machineupdate.NotCalled, machineupdate.EndingOf(result))
		r, err := machineupdate.ParseRecord(m.Annotations[machineupdate.AnnotationRecord])
		require.NoError(t, err)
		require.Equal(t, class.Hot(), r.Applied, i)
	}
}

// wide returns a spec with n infrastructure tags. One has the value i.
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

func TestCreationErrors(t *testing.T) {
	fail := func(err error) *executor {
		return &executor{
			Now:           func() time.Time { return start },
			WriteMetadata: func(context.Context, machineupdate.Patch) (string, error) { return "8", err },
		}
	}
	o := machineupdate.Observed{Machine: machine(""), Class: classOf(t, `{}`)}
	_, _, result := fail(errConflict).BeginCreation(t.Context(), o)
	assert.Equal(t, machineupdate.Conflicted, machineupdate.EndingOf(result))
	c, version, result := fail(nil).BeginCreation(t.Context(), o)
	require.Equal(t, machineupdate.NotCalled, machineupdate.EndingOf(result))
	assert.Equal(t, machineupdate.Conflicted, machineupdate.EndingOf(fail(errConflict).FinishCreation(t.Context(), c, "i", version)))
}

// TestCreationWithoutClass: drivers create from specs that the Schema cannot read. The VM is created, and updated once its class can be read.
func TestCreationWithoutClass(t *testing.T) {
	for _, annotation := range []string{"", settledRecord(classOf(t, `{}`), creatingOf("m-1"), inState(machineupdate.Calling, hotTwo))} {
		m := machine(annotation)
		m.ProviderID, m.Phase = "", ""
		executor := &executor{Now: func() time.Time { return start }, WriteMetadata: writer(t, &m), UpdateMachine: func(context.Context, *machineupdate.UpdateMachineRequest) error { return nil }}
		c, version, begun := executor.BeginCreation(t.Context(), machineupdate.Observed{Machine: m, ClassError: assert.AnError})
		require.NotNil(t, c)
		require.NoError(t, begun.Err)
		require.Len(t, begun.Events, 1)
		assert.Equal(t, "HotUpdateClassUnusable", begun.Events[0].Reason)
		marker := m.Annotations[machineupdate.AnnotationRecord]
		finished := executor.FinishCreation(t.Context(), c, "aws:///i-1", version)
		require.NoError(t, finished.Err)
		assert.Equal(t, marker, m.Annotations[machineupdate.AnnotationRecord], "with which spec is not known")

		m.ProviderID, m.Phase = "aws:///i-1", "Running"
		o := machineupdate.Observed{Machine: m, Class: classOf(t, `{"tags":{"k":"1"}}`)}
		d := machineupdate.DecideAt(start, o)
		assert.Equal(t, []any{machineupdate.Update, machineupdate.Unfinished}, []any{d.Action, d.Reason})
		assert.Equal(t, annotation != "", slices.Contains(d.Pass.Request().Parts[0].Attempted, hotTwo), "what was attempted before stays known")
	}
}

// TestCreationWithoutHotUpdates: nothing is written for a driver without hot updates.
func TestCreationWithoutHotUpdates(t *testing.T) {
	executor := &executor{Now: func() time.Time { return start }, WriteMetadata: func(context.Context, machineupdate.Patch) (string, error) {
		t.Error("written")
		return "8", nil
	}}
	c, version, begun := executor.BeginCreation(t.Context(), machineupdate.Observed{Machine: machine("")})
	require.NotNil(t, c)
	require.NoError(t, begun.Err)
	assert.Empty(t, begun.Events)
	_, ends := c.Context(t.Context()).Deadline()
	assert.False(t, ends, "its creations may take as long as before")
	require.NoError(t, executor.FinishCreation(t.Context(), c, "aws:///i-1", version).Err)
	assert.Empty(t, executor.Reconcile(t.Context(), machineupdate.Observed{Machine: machine("")}).Events)
}

// TestCreationHasADeadline: a leader slept through ConfirmAfter, and then initialised a machine that another leader had settled. Its tags stayed for
// ever.
func TestCreationHasADeadline(t *testing.T) {
	m := machine("")
	m.ProviderID, m.Phase = "", ""
	now := start
	executor := &executor{Now: func() time.Time { return now }, WriteMetadata: writer(t, &m)}
	o := machineupdate.Observed{Machine: m, Class: classOf(t, `{"tags":{"k":"1"}}`)}
	o.Settings.CreationTimeout = time.Minute
	c, version, _ := executor.BeginCreation(t.Context(), o)
	ctx := c.Context(t.Context())
	require.NoError(t, ctx.Err())
	deadline, ok := ctx.Deadline()
	require.True(t, ok)
	assert.LessOrEqual(t, time.Until(deadline), time.Minute)
	now = now.Add(time.Minute)
	require.ErrorIs(t, c.Context(t.Context()).Err(), context.DeadlineExceeded, "no call is made")
	now = now.Add(1)
	marker := m.Annotations[machineupdate.AnnotationRecord]
	result := executor.FinishCreation(t.Context(), c, "aws:///i-1", version)
	assert.Equal(t, []any{machineupdate.NotCalled, marker}, []any{machineupdate.EndingOf(result), m.Annotations[machineupdate.AnnotationRecord]}, "nothing is recorded of it")
}

// TestCreationWithoutResourceVersion: fake clients have none. Nothing is written, there is an error, and the machine is created.
func TestCreationWithoutResourceVersion(t *testing.T) {
	executor := &executor{Now: func() time.Time { return start }, WriteMetadata: func(context.Context, machineupdate.Patch) (string, error) {
		t.Error("written blindly")
		return "", nil
	}}
	o := machineupdate.Observed{Machine: machine(""), Class: classOf(t, `{}`)}
	o.Machine.ResourceVersion = ""
	c, version, begun := executor.BeginCreation(t.Context(), o)
	require.NotNil(t, c)
	assert.Equal(t, []string{"missing-resource-version Observation.Machine"}, codes(begun.Err))
	require.NoError(t, executor.FinishCreation(t.Context(), c, "i", version).Err)
}

func TestPatches(t *testing.T) {
	long := classOf(t, `{"image":"`+strings.Repeat("x", 64<<10)+`","tags":{"k":"2"}}`)
	short := classOf(t, `{"tags":{"k":"2"}}`)
	for _, tc := range []struct {
		name     string
		class    *machineupdate.Prepared
		mirror   bool
		mirrored string // what stood there before
		want     string
	}{
		{"mirrored", short, true, "", `,"machine.sapcloud.io/last-applied-providerspec":"{\"tags\":{\"k\":\"2\"}}"`},
		{"too long to be mirrored", long, true, "{}", `,"machine.sapcloud.io/last-applied-providerspec":null`},
		{"not mirrored", short, false, "", ``},
		{"not mirrored any more", short, false, "{}", `,"machine.sapcloud.io/last-applied-providerspec":null`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := machine("")
			if tc.mirrored != "" {
				m.Annotations = map[string]string{machineupdate.AnnotationLastApplied: tc.mirrored}
			}
			b := newBench(t, "")
			b.o.Machine, b.o.Class, b.o.Settings.MirrorSpec, b.now = m, tc.class, tc.mirror, start.Add(time.Millisecond)
			b.reconcile(t)
			body, err := b.writes[1].MergePatch()
			require.NoError(t, err)
			record := `"{\"v\":1,\"providerID\":\"aws:///i-1\",\"schema\":\"` + tc.class.Schema() +
				`\",\"state\":\"Unconfirmed\",\"since\":\"2026-01-02T03:04:06Z\",\"wanted\":\"` + machineupdate.WantedOf(hotTwo) + `\",\"parts\":[{\"applied\":{\"tags\":{\"k\":\"2\"}}}]}"`
			want := `{"metadata":{"annotations":{"machine.sapcloud.io/hot-update":` + record + tc.want + `},"resourceVersion":"after-1"}}`
			assert.JSONEq(t, want, string(body), "since is rounded up")
		})
	}
	d := machineupdate.DecideAt(start, machineupdate.Observed{Machine: machine(""), Class: long})
	body, err := d.Pass.RestorePrevious("8").MergePatch()
	require.NoError(t, err)
	assert.JSONEq(t, `{"metadata":{"annotations":{"machine.sapcloud.io/hot-update":null},"resourceVersion":"8"}}`, string(body))
}
