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

// kindsSpec is a provider spec with infrastructure tags for each kind.
type kindsSpec struct {
	Tags map[string]map[string]string `json:"tags,omitempty" hotupdatable:"true"`
}

// diskless is kindsSpec of a release for which only the tags of VMs are Hot.
type diskless struct {
	Tags struct {
		VM   map[string]string `json:"vm,omitempty"   hotupdatable:"true"`
		Disk map[string]string `json:"disk,omitempty"`
	} `json:"tags"`
}

// fleet is a machine with changing classes and drivers. Every pass succeeds.
type fleet struct {
	t    *testing.T
	o    machineupdate.Observed
	now  time.Time
	last *machineupdate.UpdateMachineRequest
	n    int
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	return &fleet{t: t, o: machineupdate.Observed{Machine: machine("")}, now: start}
}

// classFor prepares a provider spec of the type for a driver that covers the kinds.
func classFor[T any](t *testing.T, providerSpec, epoch string, kinds ...string) *machineupdate.Prepared {
	t.Helper()
	p, err := machineupdate.Prepare(machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "c"}, ProviderSpec: []byte(providerSpec)}, schemaOf[T](t), machineupdate.Driver{Kinds: kinds, Epoch: epoch})
	require.NoError(t, err)
	return p
}

// settle reconciles until the machine is up to date, and returns the first request.
func (f *fleet) settle(class *machineupdate.Prepared) map[string]machineupdate.Part {
	f.t.Helper()
	f.o.Class, f.last, f.n = class, nil, 0
	executor := &executor{Now: func() time.Time { return f.now }, WriteMetadata: writer(f.t, &f.o.Machine), UpdateMachine: f.update}
	for range 10 {
		if executor.Reconcile(f.t.Context(), f.o).Reason == machineupdate.UpToDate {
			parts := map[string]machineupdate.Part{}
			if f.last != nil {
				for _, part := range f.last.Parts {
					parts[part.Kind] = part
				}
			}
			return parts
		}
		f.now = f.now.Add(time.Hour)
	}
	f.t.Fatal("never up to date")
	return nil
}

func (f *fleet) update(_ context.Context, r *machineupdate.UpdateMachineRequest) error {
	if f.n++; f.last == nil {
		f.last = r
	}
	return nil
}

const team, teamless = machineupdate.Hot(`{"tags":{"disk":{"team":"x"},"vm":{"team":"x"}}}`), machineupdate.Hot(`{"tags":{"vm":{"a":"1"}}}`)

// TestLearnedKindIsNotOrphaned: a driver for VMs removes the tag team. When it learns disks, their tag team is still recorded, and is removed.
func TestLearnedKindIsNotOrphaned(t *testing.T) {
	f := newFleet(t)
	f.settle(classFor[kindsSpec](t, string(team), "", "vm", "disk"))
	dropped := f.settle(classFor[kindsSpec](t, string(teamless), "", "vm"))
	assert.Equal(t, []any{team, teamless}, []any{dropped["vm"].Applied, dropped["vm"].Desired})
	assert.Len(t, dropped, 1)
	learned := f.settle(classFor[kindsSpec](t, string(teamless), "", "vm", "disk"))
	assert.Equal(t, []any{team, teamless}, []any{learned["disk"].Applied, learned["disk"].Desired}, "disks still have it, and are rid of it")
	assert.Equal(t, []any{teamless, teamless}, []any{learned["vm"].Applied, learned["vm"].Desired})
	assert.Equal(t, 2, f.n)
}

// TestAdoptionOfKindsThatAreNotCovered: an adoption assumes that the launch gave the disks the tags of the class.
func TestAdoptionOfKindsThatAreNotCovered(t *testing.T) {
	f := newFleet(t)
	adopted := f.settle(classFor[kindsSpec](t, string(team), "", "vm"))
	assert.Empty(t, adopted["vm"].Applied, "of VMs it is not known")
	f.settle(classFor[kindsSpec](t, string(teamless), "", "vm"))
	learned := f.settle(classFor[kindsSpec](t, string(teamless), "", "vm", "disk"))
	assert.Equal(t, team, learned["disk"].Applied)
}

// TestRecededSchemaRemovesNothing: after a rollback the tags of disks are not Hot. They are neither wanted nor removed, and still recorded when the
// Schema returns.
func TestRecededSchemaRemovesNothing(t *testing.T) {
	f := newFleet(t)
	f.settle(classFor[kindsSpec](t, string(team), "", "vm", "disk"))
	receded := f.settle(classFor[diskless](t, string(team), "", "vm", "disk"))
	onlyVM := machineupdate.Hot(`{"tags":{"vm":{"team":"x"}}}`)
	for _, kind := range []string{"vm", "disk"} {
		part := receded[kind]
		assert.Equal(t, []any{onlyVM, []machineupdate.Hot{}, onlyVM}, []any{part.Applied, part.Attempted, part.Desired}, kind)
	}
	returned := f.settle(classFor[kindsSpec](t, string(teamless), "", "vm", "disk"))
	assert.Equal(t, team, returned["disk"].Applied, "so that team can be removed")
}

// TestEpoch: another epoch costs every machine one pass and its confirmation. Its record keeps everything.
func TestEpoch(t *testing.T) {
	f := newFleet(t)
	f.settle(classFor[kindsSpec](t, string(team), "", "vm"))
	assert.Empty(t, f.settle(classFor[kindsSpec](t, string(team), "", "vm")))
	again := f.settle(classFor[kindsSpec](t, string(team), "restored-2026-11-22", "vm"))
	assert.Equal(t, []any{team, team}, []any{again["vm"].Applied, again["vm"].Desired})
	assert.Equal(t, 2, f.n)
}

// TestOrderOfKinds: kinds are a set.
func TestOrderOfKinds(t *testing.T) {
	f := newFleet(t)
	f.settle(classFor[kindsSpec](t, string(team), "", "vm", "disk"))
	assert.Empty(t, f.settle(classFor[kindsSpec](t, string(team), "", "disk", "vm", "vm")), "nothing to do")
}

// TestSlices: a change that is too large for the record is made in several passes. Each reports that the record is full.
func TestSlices(t *testing.T) {
	prepare := func(providerSpec string) *machineupdate.Prepared {
		p, err := machineupdate.PrepareBounded(machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "c"}, ProviderSpec: []byte(providerSpec)}, schemaOf[spec](t), able, 25)
		require.NoError(t, err)
		return p
	}
	m := machine("")
	now := start
	var desired []machineupdate.Hot
	executor := &executor{Now: func() time.Time { return now }, WriteMetadata: writer(t, &m), UpdateMachine: func(_ context.Context, r *machineupdate.UpdateMachineRequest) error {
		desired = append(desired, r.Parts[0].Desired)
		return nil
	}}
	var reasons []machineupdate.Reason
	for i := range 7 {
		o := machineupdate.Observed{Machine: m, Class: prepare(`{"tags":{"k":"1","l":"1"}}`)}
		o.Settings.MirrorSpec = true
		reasons = append(reasons, executor.Reconcile(t.Context(), o).Reason)
		_, mirrored := m.Annotations[machineupdate.AnnotationLastApplied]
		assert.Equal(t, i >= 2, mirrored, "only a spec of which all is applied")
		now = now.Add(time.Hour)
	}
	part, both := machineupdate.Hot(`{"tags":{"k":"1"}}`), machineupdate.Hot(`{"tags":{"k":"1","l":"1"}}`)
	assert.Equal(t, []machineupdate.Hot{part, part, both, both}, desired)
	assert.Equal(t, []machineupdate.Reason{
		machineupdate.RecordFull, machineupdate.ConfirmationDue, machineupdate.SpecChanged, machineupdate.ConfirmationDue,
		machineupdate.UpToDate, machineupdate.UpToDate, machineupdate.UpToDate,
	}, reasons)
}

// TestFullRecordRests: a change for which no leaf has room is tried once. The machine keeps its present
// state, and costs nothing until the class changes.
func TestFullRecordRests(t *testing.T) {
	prepare := func(providerSpec string, bound int) *machineupdate.Prepared {
		p, err := machineupdate.PrepareBounded(machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "c"}, ProviderSpec: []byte(providerSpec)}, schemaOf[spec](t), able, bound)
		require.NoError(t, err)
		return p
	}
	m := machine("")
	now, calls := start, 0
	var told []string
	executor := &executor{
		Now: func() time.Time { return now }, WriteMetadata: writer(t, &m),
		UpdateMachine: func(context.Context, *machineupdate.UpdateMachineRequest) error { calls++; return nil },
	}
	settle := func(class *machineupdate.Prepared) (reasons []machineupdate.Reason) {
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
	const full, due, none, fits = machineupdate.RecordFull, machineupdate.ConfirmationDue, machineupdate.UpToDate, 100
	settle(prepare(`{"tags":{"k":"1"}}`, fits))
	calls, told = 0, nil
	require.Equal(t, []machineupdate.Reason{full, due, full, full, full, full}, settle(prepare(`{"tags":{"k":"2"}}`, 1)))
	assert.Equal(t, 2, calls)
	assert.Equal(t, []string{"HotUpdated", "HotUpdateRecordFull"}, told)
	samples := new(machineupdate.Fleet[*metav1.ObjectMeta]).Samples([]*metav1.ObjectMeta{{UID: "u", Annotations: m.Annotations}}, now)
	assert.InDelta(t, 1, samples["records_full"], 0)
	assert.Equal(t, []machineupdate.Reason{machineupdate.SpecChanged, due, none, none, none, none}, settle(prepare(`{"tags":{"k":"3"}}`, fits)))
	assert.Equal(t, 4, calls)
}
