package machineupdate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// TestCreation: after InitializeMachine the record has the spec that the VM was created with. It is settled if no other
// attempt can have created the VM.
func TestCreation(t *testing.T) {
	class := classOf(t, `{"tags":{"k":"1"}}`)
	creating := func(name string, attempted ...machineupdate.HotSpec) string {
		return settledRecord(class, creatingOf(name), inState(record.Calling, attempted...))
	}
	for _, tc := range []struct {
		name      string
		annotated string
		state     record.State
		attempted []machineupdate.HotSpec
		reason    string
	}{
		{"first", "", record.Settled, nil, "one attempt, which was successful"},
		{
			"after a crash", creating("m-1", hotTwo), record.Unconfirmed,
			[]machineupdate.HotSpec{hotTwo},
			"the attempt before may have made it",
		},
		{"after a crash with the same spec", creating("m-1", hotOne), record.Unconfirmed, nil, "and it may still be at work"},
		{"with the annotation of a template", creating("m-0", hotTwo), record.Settled, nil, "it is another machine's"},
		{"unreadable", "{", record.Unconfirmed, nil, "the attempts are unknown"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := machine(tc.annotated)
			m.ProviderID = ""
			m.Phase = ""
			executor := &executor{Now: func() time.Time { return start }, WriteMetadata: writer(t, &m)}
			o := machineupdate.Observed{Machine: m, Class: class}
			o.Settings.MirrorSpec = true
			c, version, result := executor.BeginCreation(t.Context(), o)
			require.Equal(t, "NotCalled", machineupdate.EndingOf(result))
			marker, err := machineupdate.ParseRecord(m.Annotations[machineupdate.AnnotationRecord])
			require.NoError(t, err)
			assert.Equal(t, []any{"m-1", record.Calling}, []any{marker.Creating, marker.State})
			assert.Equal(t, hotOne, marker.Applied, "what is about to be created")

			result = executor.FinishCreation(t.Context(), c, "aws:///i-1", version)
			require.Equal(t, "Updated", machineupdate.EndingOf(result))
			r, err := machineupdate.ParseRecord(m.Annotations[machineupdate.AnnotationRecord])
			require.NoError(t, err)
			assert.Equal(t, []any{"aws:///i-1", tc.state, hotOne}, []any{r.ProviderID, r.State, r.Applied}, tc.reason)
			assert.Equal(t, tc.attempted, r.Attempted, tc.reason)
			assert.Equal(t, `{"tags":{"k":"1"}}`, m.Annotations["machine.sapcloud.io/last-applied-providerspec"])
		})
	}
}

// TestCreationGoesOnWithAFullRecord: a creation that fails for long attempts many specs. A full record does not stop it.
func TestCreationGoesOnWithAFullRecord(t *testing.T) {
	m := machine("")
	m.ProviderID = ""
	m.Phase = ""
	executor := &executor{Now: func() time.Time { return start }, WriteMetadata: writer(t, &m)}
	for i := range 20 {
		class := classOf(t, wide(t, 150, 100+i, i))
		_, _, result := executor.BeginCreation(t.Context(), machineupdate.Observed{Machine: m, Class: class})
		require.Equal(t, "NotCalled", machineupdate.EndingOf(result))
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
	o := machineupdate.Observed{Machine: machine(""), Class: classOf(t, `{"image":""}`)}
	_, _, result := fail(errConflict).BeginCreation(t.Context(), o)
	assert.Equal(t, "Conflicted", machineupdate.EndingOf(result))
	c, version, result := fail(nil).BeginCreation(t.Context(), o)
	require.Equal(t, "NotCalled", machineupdate.EndingOf(result))
	assert.Equal(t, "Conflicted", machineupdate.EndingOf(fail(errConflict).FinishCreation(t.Context(), c, "i", version)))
}

// TestCreationWithoutClass: drivers create from specs that the Schema cannot read. The VM is created, and updated once
// its class can be read.
func TestCreationWithoutClass(t *testing.T) {
	for _, annotation := range []string{"", settledRecord(classOf(t, `{"image":""}`), creatingOf("m-1"), inState(record.Calling, hotTwo))} {
		m := machine(annotation)
		m.ProviderID = ""
		m.Phase = ""
		executor := &executor{
			Now: func() time.Time { return start }, WriteMetadata: writer(t, &m),
			UpdateMachine: func(context.Context, *machineupdate.UpdateMachineRequest) error { return nil },
		}
		c, version, begun := executor.BeginCreation(t.Context(), machineupdate.Observed{Machine: m, ClassError: assert.AnError})
		require.NotNil(t, c)
		require.NoError(t, begun.Err)
		require.Len(t, begun.Events, 1)
		assert.Equal(t, "HotUpdateClassUnusable", begun.Events[0].Reason)
		marker := m.Annotations[machineupdate.AnnotationRecord]
		finished := executor.FinishCreation(t.Context(), c, "aws:///i-1", version)
		require.NoError(t, finished.Err)
		assert.Equal(t, marker, m.Annotations[machineupdate.AnnotationRecord], "with which spec is not known")

		m.ProviderID = "aws:///i-1"
		m.Phase = "Running"
		o := machineupdate.Observed{Machine: m, Class: classOf(t, `{"tags":{"k":"1"}}`)}
		d := machineupdate.DecideAt(start, o)
		assert.Equal(t, []any{"Update", "Unfinished"}, []any{d.Action, d.Reason})
		assert.Equal(
			t, annotation != "", slices.Contains(d.Pass.Request().Parts[0].Attempted, hotTwo), "what was attempted before stays known",
		)
	}
}

// TestCreationWithoutHotUpdates: nothing is written for a driver without hot updates.
func TestCreationWithoutHotUpdates(t *testing.T) {
	executor := &executor{
		Now: func() time.Time { return start },
		WriteMetadata: func(context.Context, machineupdate.Patch) (string, error) {
			t.Error("written")
			return "8", nil
		},
	}
	var classes machineupdate.Classes
	o := machineupdate.Observed{Machine: machine(""), Class: classes.PrepareUnsupported(machineupdate.MachineClass{})}
	c, version, begun := executor.BeginCreation(t.Context(), o)
	require.NotNil(t, c)
	require.NoError(t, begun.Err)
	assert.Empty(t, begun.Events)
	_, ends := c.Context(t.Context()).Deadline()
	assert.False(t, ends, "its creations may take as long as before")
	require.NoError(t, executor.FinishCreation(t.Context(), c, "aws:///i-1", version).Err)
	executor.Reconcile(t.Context(), o)
}

// TestObservationWithoutClass: a caller that drops the error of Prepare gets it reported, and records its creations as
// with any class that cannot be read.
func TestObservationWithoutClass(t *testing.T) {
	m := machine("")
	executor := &executor{Now: func() time.Time { return start }, WriteMetadata: writer(t, &m)}
	for range 2 {
		result := executor.Reconcile(t.Context(), machineupdate.Observed{Machine: m})
		assert.Equal(t, []string{"missing-class Observation"}, codes(result.Err))
		assert.Equal(t, []any{"None", "ClassUnusable"}, []any{machineupdate.DecisionOf(result).Action, string(result.Reason)})
		require.Len(t, result.Events, 1)
		assert.Equal(t, "HotUpdateClassUnusable", result.Events[0].Reason)
	}
	assert.Empty(t, m.Annotations)
	m.ProviderID = ""
	m.Phase = ""
	c, _, begun := executor.BeginCreation(t.Context(), machineupdate.Observed{Machine: m})
	require.NotNil(t, c)
	require.Len(t, begun.Events, 1)
	marker, err := machineupdate.ParseRecord(m.Annotations[machineupdate.AnnotationRecord])
	require.NoError(t, err)
	assert.Equal(t, record.Calling, marker.State)
	_, ready := (&machineupdate.Executor[*object]{
		Patch: executor.patch(nil), Now: executor.Now,
	}).ApplyInPlace(
		t.Context(), &object{ObjectMeta: metav1.ObjectMeta{Name: "m-1", ResourceVersion: "7"}}, machineupdate.Observation{}, drained,
	)
	assert.False(t, ready)
}

func drained(context.Context) (machineupdate.DrainedNode, error) {
	return machineupdate.DrainedNode{UID: "n", Drained: start, Unschedulable: true}, nil
}

// TestCreationHasADeadline: a leader slept through ConfirmAfter, and then initialised a machine that another leader had
// settled. Its tags stayed for ever.
func TestCreationHasADeadline(t *testing.T) {
	m := machine("")
	m.ProviderID = ""
	m.Phase = ""
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
	assert.Equal(
		t, []any{"NotCalled", marker}, []any{machineupdate.EndingOf(result), m.Annotations[machineupdate.AnnotationRecord]},
		"nothing is recorded of it",
	)
}

// TestCreationWithoutResourceVersion: fake clients have none. Nothing is written, there is an error, and the machine is created.
func TestCreationWithoutResourceVersion(t *testing.T) {
	executor := &executor{
		Now: func() time.Time { return start },
		WriteMetadata: func(context.Context, machineupdate.Patch) (string, error) {
			t.Error("written blindly")
			return "", nil
		},
	}
	o := machineupdate.Observed{Machine: machine(""), Class: classOf(t, `{"image":""}`)}
	o.Machine.ResourceVersion = ""
	c, version, begun := executor.BeginCreation(t.Context(), o)
	require.NotNil(t, c)
	assert.Equal(t, []string{"missing-resource-version machine"}, codes(begun.Err))
	require.NoError(t, executor.FinishCreation(t.Context(), c, "i", version).Err)
}

func TestPatches(t *testing.T) {
	long := classOf(t, `{"image":"`+strings.Repeat("x", 64<<10)+`","tags":{"k":"2"}}`)
	short := classOf(t, `{"tags":{"k":"2"}}`)
	for _, tc := range []struct {
		name     string
		class    *machineupdate.PreparedClass
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
				m.Annotations = map[string]string{"machine.sapcloud.io/last-applied-providerspec": tc.mirrored}
			}
			b := newBench(t, "")
			b.o.Machine = m
			b.o.Class = tc.class
			b.o.Settings.MirrorSpec = tc.mirror
			b.now = start.Add(time.Millisecond)
			b.reconcile(t)
			body, err := b.writes[1].MergePatch()
			require.NoError(t, err)
			record := `"{\"v\":1,\"providerID\":\"aws:///i-1\",\"schema\":\"` + tc.class.Schema() +
				`\",\"state\":\"Unconfirmed\",\"since\":\"2026-01-02T03:04:06Z\",\"wanted\":\"` + machineupdate.WantedOf(
				hotTwo,
			) + `\",\"parts\":[{\"applied\":{\"tags\":{\"k\":\"2\"}}}]}"`
			want := `{"metadata":{"annotations":{"machine.sapcloud.io/hot-update":` + record + tc.want + `},"resourceVersion":"after-1"}}`
			assert.JSONEq(t, want, string(body), "since is rounded up")
		})
	}
	b := newBench(t, "")
	b.o.Machine = machine("")
	b.o.Class = long
	b.callErr = machineupdate.ErrUnimplemented
	b.reconcile(t)
	body, err := b.writes[1].MergePatch()
	require.NoError(t, err)
	assert.JSONEq(t, `{"metadata":{"annotations":{"machine.sapcloud.io/hot-update":null},"resourceVersion":"after-1"}}`, string(body))
}

// TestCreationTakesTheDriversClass: while a pool is rolled out, a machine is made from the class
// that it names, and should have another one. The record said that the other one was applied: a
// dropped tag stayed forever, and the InPlace part needed no drain.
func TestCreationTakesTheDriversClass(t *testing.T) {
	own := laneClass(t, accounts, `{"tags":{"k":"1","dropped":"1"},"account":"a"}`)
	wanted := laneClass(t, accounts, `{"tags":{"k":"2"},"account":"b"}`)
	for _, tc := range []struct {
		name   string
		change func(*machineupdate.Observation)
		known  bool
	}{
		{"the wanted class differs", func(*machineupdate.Observation) {}, true},
		{"the wanted class is the own one", func(o *machineupdate.Observation) { o.Class = own }, true},
		{"the wanted class cannot be read", func(o *machineupdate.Observation) {
			o.Class = nil
			o.ClassError = assert.AnError
			o.Former = own
		}, true},
		{"no class can be read", func(o *machineupdate.Observation) {
			o.Class = nil
			o.ClassError = assert.AnError
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBed(t, wanted)
			o := b.observation()
			o.ProviderID = ""
			o.Phase = ""
			tc.change(&o)
			creation, begun := b.executor.BeginCreation(t.Context(), b.machine, o, own.Class())
			require.NotNil(t, creation)
			require.NoError(t, begun.Err)
			require.Equal(t, "Calling", b.state(""))
			b.executor.FinishCreation(t.Context(), creation, begun.Machine, "i-1")
			if !tc.known {
				assert.Equal(t, "Calling", b.state(""))
				return
			}
			assert.Equal(
				t, []string{"Settled", `[{"applied":{"tags":{"dropped":"1","k":"1"}}}]}`},
				[]string{b.state(""), partsOf(b.machine.Annotations[annotationOf("")])},
			)
			assert.Equal(
				t, []string{"Settled", `[{"applied":{"account":"a"}}]}`},
				[]string{b.state(lane), partsOf(b.machine.Annotations[annotationOf(lane)])},
			)
			b.class = wanted
			o = b.observation()
			assert.Equal(t, machineupdate.InPlacePending, o.InPlace(b.machine), "the node has to be drained")
			lanes, _ := b.step(0)
			require.Equal(t, []string{""}, lanes)
			assert.Equal(
				t, machineupdate.HotSpec(`{"tags":{"dropped":"1","k":"1"}}`), b.asked[0].Parts[0].Applied, "what is dropped is ours",
			)
		})
	}
}

// TestCreationByAnUnreadableClass: the class of the driver cannot be read, and the wanted one can.
func TestCreationByAnUnreadableClass(t *testing.T) {
	b := newBed(t, laneClass(t, accounts, `{"tags":{"k":"2"}}`))
	o := b.observation()
	o.ProviderID = ""
	o.Phase = ""
	creation, begun := b.executor.BeginCreation(t.Context(), b.machine, o, machineupdate.MachineClass{ProviderSpec: []byte(`{"tags":1}`)})
	require.NotNil(t, creation)
	require.NoError(t, begun.Err)
	assert.Equal(t, "Calling", b.state(""))
	b.executor.FinishCreation(t.Context(), creation, begun.Machine, "i-1")
	assert.Equal(t, "Calling", b.state(""), "it is not known what the VM got")
}

// TestMirrorHasNoRoom: the API server accepts 256 KiB of annotations. A mirrored spec gives way to the
// record, in the marker already, and an event tells it.
func TestMirrorHasNoRoom(t *testing.T) {
	m := machine("")
	now := start
	var told []string
	executor := &executor{
		Now:           func() time.Time { return now },
		UpdateMachine: func(context.Context, *machineupdate.UpdateMachineRequest) error { return nil },
		WriteMetadata: func(ctx context.Context, p machineupdate.Patch) (string, error) {
			size := 0
			for name, value := range p.Apply(m.Annotations) {
				size += len(name) + len(value)
			}
			if size > 256<<10 {
				return "", errors.New("metadata.annotations: too long")
			}
			return writer(t, &m)(ctx, p)
		},
	}
	update := func(padding, hot int) machineupdate.Result[*object] {
		class := classOf(t, `{"image":"`+strings.Repeat("x", padding)+`","tags":{"k":"`+strings.Repeat("v", hot)+`"}}`)
		o := machineupdate.Observed{Machine: m, Class: class}
		o.Settings.MirrorSpec = true
		result := executor.Reconcile(t.Context(), o)
		for _, event := range result.Events {
			told = append(told, event.Reason)
		}
		now = now.Add(time.Hour)
		return result.Result
	}
	for hot, tc := range []struct {
		others, padding int
		mirrored        bool
		events          []string
	}{
		{0, 60 << 10, true, []string{"HotUpdated", "HotUpdateConfirmed"}},
		{
			185 << 10, 60 << 10, false,
			[]string{
				"HotUpdateSpecNotMirrored", "HotUpdateSpecNotMirrored", "HotUpdated", "HotUpdateSpecNotMirrored", "HotUpdateConfirmed",
			},
		},
		{185 << 10, 10 << 10, true, []string{"HotUpdated", "HotUpdateConfirmed"}},
	} {
		m.Annotations = maps.Clone(m.Annotations)
		if m.Annotations == nil {
			m.Annotations = map[string]string{}
		}
		m.Annotations["others"] = strings.Repeat("o", tc.others)
		told = nil
		for range 2 {
			require.NoError(t, update(tc.padding, 1+hot).Err)
		}
		_, mirrored := m.Annotations["machine.sapcloud.io/last-applied-providerspec"]
		assert.Equal(t, tc.mirrored, mirrored)
		assert.Equal(t, tc.events, told)
	}
}
