package machineupdate_test

import (
	"context"
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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// laneSpec is the provider spec of a driver with infrastructure tags, attributes of volumes, and a service account.
type laneSpec struct {
	Image   string            `json:"image,omitempty"`
	Tags    map[string]string `json:"tags,omitempty"    hotupdatable:"true"`
	Volume  *laneVolume       `json:"volume,omitempty"`
	Account string            `json:"account,omitempty" hotupdatable:"inplace"`
	Kernel  string            `json:"kernel,omitempty"  hotupdatable:"inplace"`
}

type laneVolume struct {
	Size  int               `json:"size,omitempty"`
	IOPS  int               `json:"iops,omitempty"  hotupdatable:"true"`
	Zones []string          `json:"zones,omitempty" hotupdatable:"true"`
	Tags  map[string]string `json:"tags,omitempty"  hotupdatable:"true"`
}

// volumes is a driver with a lane for slow changes.
var volumes = machineupdate.Driver{
	Kinds: []string{"vm"}, ReadsFirst: true,
	Lanes: []machineupdate.Lane{{Name: "volume", Kinds: []string{"disk"}, Paths: []string{"/volume/iops", "/volume/zones"}}},
}

// laneClass prepares a class of laneSpec.
func laneClass(tb testing.TB, driver machineupdate.Driver, providerSpec string) *machineupdate.PreparedClass {
	tb.Helper()
	prepared, err := machineupdate.Prepare(
		machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: []byte(providerSpec)}, schemaOf[laneSpec](tb),
		driver,
	)
	require.NoError(tb, err)
	return prepared
}

// bed is one machine at an API server, with a driver that answers by lane and a clock.
type bed struct {
	*testing.T

	now      time.Time
	machine  *object
	class    *machineupdate.PreparedClass
	settings machineupdate.Settings
	errs     map[string]error                                 // what the driver returns, by lane
	asked    []*machineupdate.UpdateMachineRequest            // since the last step
	writes   int                                              // since the last step
	writing  func(r *machineupdate.UpdateMachineRequest) bool // whether the driver would change something; nil for always
	executor machineupdate.Executor[*object]
	conflict bool // the next write is a conflict
	versions func(context.Context) ([]machineupdate.HotSpec, error)
}

func newBed(t *testing.T, class *machineupdate.PreparedClass) *bed {
	t.Helper()
	b := &bed{T: t, now: start, class: class, errs: map[string]error{}}
	b.machine = &object{ObjectMeta: metav1.ObjectMeta{Name: "m-1", ResourceVersion: "1", Annotations: map[string]string{}}}
	b.settings = machineupdate.Settings{ConfirmAfter: time.Hour, RetryAfter: 10 * time.Second}
	b.executor = machineupdate.Executor[*object]{Patch: b.patch, UpdateMachine: b.update, Now: func() time.Time { return b.now }}
	return b
}

func (b *bed) patch(_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*object, error) {
	patch, err := readPatch(name, data)
	require.NoError(b, err)
	if b.writes++; b.conflict || patch.ResourceVersion != b.machine.ResourceVersion {
		b.conflict = false
		return nil, errConflict
	}
	version, err := strconv.Atoi(b.machine.ResourceVersion)
	require.NoError(b, err)
	meta := b.machine.ObjectMeta
	meta.ResourceVersion = strconv.Itoa(version + 1)
	meta.Annotations = patch.Apply(meta.Annotations)
	b.machine = &object{ObjectMeta: meta}
	return b.machine, nil
}

// update is the driver: it requests the marker if it changes anything.
func (b *bed) update(ctx context.Context, r *machineupdate.UpdateMachineRequest) error {
	b.asked = append(b.asked, r)
	if b.writing == nil || b.writing(r) {
		if err := r.BeforeWrite(ctx); err != nil {
			return err
		}
	}
	return b.errs[r.Lane]
}

// step reconciles after a while, and returns the called lanes, and the result.
func (b *bed) step(after time.Duration) (lanes []string, result machineupdate.Result[*object]) {
	b.Helper()
	b.now = b.now.Add(after)
	b.asked = nil
	b.writes = 0
	result = b.executor.Reconcile(b.Context(), b.machine, b.observation())
	assert.Equal(b, b.machine.ResourceVersion, result.Machine.ResourceVersion, "the newest machine")
	for _, r := range b.asked {
		lanes = append(lanes, r.Lane)
	}
	return lanes, result
}

func (b *bed) observation() machineupdate.Observation {
	return machineupdate.Observation{
		ProviderID: "i-1", Phase: "Running", Class: b.class, Settings: b.settings, Versions: b.versions,
	}
}

// state returns the state of a lane's record; empty if it has none.
func (b *bed) state(lane string) string {
	b.Helper()
	annotation, ok := b.machine.Annotations[annotationOf(lane)]
	if !ok {
		return ""
	}
	r, err := machineupdate.ParseRecord(annotation)
	require.NoError(b, err)
	return r.State.String()
}

func annotationOf(lane string) string {
	return strings.TrimSuffix(machineupdate.AnnotationRecord+"-"+lane, "-")
}

// TestLanesAreApart: each lane has its record, its part of the spec and its call. A refusal of one lane for hours delays no other lane.
func TestLanesAreApart(t *testing.T) {
	b := newBed(
		t, laneClass(t, volumes, `{"image":"a","tags":{"k":"1"},"volume":{"size":1,"iops":3000,"zones":["b","a"],"tags":{"v":"1"}}}`),
	)
	b.errs["volume"] = &machineupdate.RetryError{After: 6 * time.Hour, Err: assert.AnError}
	lanes, result := b.step(0)
	require.Equal(t, []string{"", "volume"}, lanes)
	assert.Equal(
		t,
		[]machineupdate.Part{{
			Kind: "vm", Attempted: []machineupdate.HotSpec{`{"tags":{"k":"1"},"volume":{"tags":{"v":"1"}}}`},
			Desired: `{"tags":{"k":"1"},"volume":{"tags":{"v":"1"}}}`,
		}},
		b.asked[0].Parts,
	)
	assert.Equal(
		t,
		[]machineupdate.Part{{
			Kind: "disk", Attempted: []machineupdate.HotSpec{`{"volume":{"iops":3000,"zones":["a","b"]}}`},
			Desired: `{"volume":{"iops":3000,"zones":["b","a"]}}`,
		}},
		b.asked[1].Parts,
	)
	assert.Equal(t, []string{"Unconfirmed", "Calling"}, []string{b.state(""), b.state("volume")})
	assert.Equal(t, 10*time.Second, result.RequeueAfter, "the earliest")
	require.ErrorIs(t, result.Err, assert.AnError)

	lanes, result = b.step(10 * time.Second)
	assert.Equal(t, []string{"volume"}, lanes, "read again: the refusal may be due to a change of ours")
	assert.Equal(t, start.Add(6*time.Hour), b.asked[0].NotBefore)
	assert.Equal(t, time.Hour-10*time.Second, result.RequeueAfter, "of the confirmation")
	lanes, _ = b.step(time.Hour)
	assert.Equal(t, []string{""}, lanes, "tags are confirmed")
	assert.Equal(t, []string{"Settled", "Calling"}, []string{b.state(""), b.state("volume")})

	b.class = laneClass(t, volumes, `{"tags":{"k":"2"},"volume":{"iops":3000,"zones":["b","a"]}}`)
	lanes, _ = b.step(time.Second)
	assert.Equal(t, []string{""}, lanes, "tags change while the volume is refused")
	b.class = laneClass(t, volumes, `{"tags":{"k":"2"},"volume":{"iops":4000}}`)
	lanes, _ = b.step(time.Second)
	assert.Equal(t, []string{"volume"}, lanes, "a change of the spec is looked at at once")
	assert.Equal(t, start.Add(6*time.Hour), b.asked[0].NotBefore)
	b.step(10 * time.Second)
	lanes, _ = b.step(4 * time.Hour)
	assert.Equal(t, []string{""}, lanes, "not before the time")
	b.errs["volume"] = nil
	lanes, _ = b.step(time.Hour)
	assert.Equal(t, []string{"volume"}, lanes, "and then at once")
	assert.True(t, b.asked[0].NotBefore.IsZero())
	assert.Equal(t, []string{"Settled", "Unconfirmed"}, []string{b.state(""), b.state("volume")})
	assert.NotContains(t, b.machine.Annotations[annotationOf("volume")], "notBefore")
	assert.ElementsMatch(
		t, []string{annotationOf(""), annotationOf("volume")}, slices.Collect(maps.Keys(b.machine.Annotations)),
		fmt.Sprint(b.machine.Annotations),
	)
}

// TestPending: acceptance is no success. A pass stays unfinished, and a confirmation unconfirmed, until a read shows the desired state.
func TestPending(t *testing.T) {
	b := newBed(t, laneClass(t, volumes, `{"volume":{"iops":3000}}`))
	counted := counters{}
	b.executor.Count = counted.count
	var events []string
	b.executor.Event = func(_ runtime.Object, _, reason, message string) { events = append(events, reason+": "+message) }
	b.errs["volume"] = fmt.Errorf("aws: %w", machineupdate.ErrPending)
	_, result := b.step(0)
	require.ErrorIs(t, result.Err, machineupdate.ErrPending)
	assert.Equal(t, []string{"Unconfirmed", "Calling"}, []string{b.state(""), b.state("volume")})
	assert.Equal(t, []string{"HotUpdated: the machine was updated (FirstAdoption)"}, events, "neither success nor failure")
	accepted := b.machine.Annotations[annotationOf("volume")]
	b.writing = func(*machineupdate.UpdateMachineRequest) bool { return false }
	lanes, _ := b.step(10 * time.Second)
	assert.Equal(t, []string{"volume"}, lanes, "read soon")
	assert.Contains(t, b.machine.Annotations[annotationOf("volume")], `"retries":1`, "and then later and later")
	assert.Equal(t, partsOf(accepted), partsOf(b.machine.Annotations[annotationOf("volume")]), "what was sent stays known")

	b.errs["volume"] = nil
	b.step(time.Minute)
	assert.Equal(t, "Unconfirmed", b.state("volume"))
	b.errs["volume"] = machineupdate.ErrPending // a late request
	confirmed := b.machine.Annotations[annotationOf("volume")]
	lanes, result = b.step(time.Hour)
	assert.Equal(t, []any{[]string{"", "volume"}, "Unconfirmed"}, []any{lanes, b.state("volume")})
	assert.Equal(t, time.Hour, result.RequeueAfter)
	assert.NotEqual(t, confirmed, b.machine.Annotations[annotationOf("volume")], "Since is renewed")
	assert.Equal(t, partsOf(confirmed), partsOf(b.machine.Annotations[annotationOf("volume")]), "and nothing is forgotten")
	b.errs["volume"] = nil
	b.step(time.Hour)
	assert.Equal(t, "Settled", b.state("volume"))
	assert.Equal(t, 3, counted.ended("Pending"))
}

// partsOf returns the values of a record.
func partsOf(annotation string) string {
	_, parts, _ := strings.Cut(annotation, `"parts":`)
	return parts
}

// TestPendingIsAFailureThatNobodyHearsOf: ErrPending has the same record as a failure without an event, so the model of
// failures covers it as well.
func TestPendingIsAFailureThatNobodyHearsOf(t *testing.T) {
	for _, reads := range []bool{false, true} {
		for _, state := range []string{
			"", settledRecord(classOf(t, `{"image":""}`), inState(record.Unconfirmed)),
			settledRecord(classOf(t, `{"image":""}`), inState(record.Calling, hotTwo)),
		} {
			var written [2][]machineupdate.Patch
			for i, err := range []error{assert.AnError, machineupdate.ErrPending} {
				b := newBench(t, state)
				b.o.Class = preparedFor(t, b.o.Class, machineupdate.Driver{Kinds: able.Kinds, ReadsFirst: reads})
				b.now = start.Add(time.Hour)
				b.callErr = err
				result := b.reconcile(t)
				assert.Equal(t, i == 0, slices.ContainsFunc(result.Events, func(e published) bool { return e.Reason == "HotUpdateFailed" }))
				written[i] = b.writes
			}
			assert.NotEmpty(t, written[0])
			assert.Equal(t, written[0], written[1])
		}
	}
}

// TestRefusal: the time of a refusal is recorded once, and at most a day. A driver that counts from each read does not move it.
func TestRefusal(t *testing.T) {
	b := newBed(t, laneClass(t, volumes, `{"volume":{"iops":3000}}`))
	var events []string
	b.executor.Event = func(_ runtime.Object, _, reason, message string) { events = append(events, reason+": "+message) }
	hint := func() time.Time {
		r, err := machineupdate.ParseRecord(b.machine.Annotations[annotationOf("volume")])
		require.NoError(t, err)
		return r.NotBefore
	}
	b.errs["volume"] = &machineupdate.RetryError{After: time.Hour, Err: assert.AnError}
	b.step(0)
	assert.True(t, hint().IsZero(), "no longer than ConfirmAfter")
	b.errs["volume"] = &machineupdate.RetryError{After: 48 * time.Hour, Err: assert.AnError}
	events = nil
	b.step(10 * time.Second)
	until := b.now.Add(24 * time.Hour)
	assert.Equal(t, until, hint())
	assert.Len(t, events, 1)
	assert.Contains(t, events[0], "HotUpdateFailed: the machine was not, or not wholly, updated (Unfinished, lane volume): ")
	_, result := b.step(10 * time.Second)
	assert.Equal(t, until, hint())
	assert.Len(t, events, 1, "no news")
	require.Error(t, result.Err)
	lanes, _ := b.step(23 * time.Hour)
	assert.Equal(t, []string{""}, lanes)
	b.errs["volume"] = assert.AnError
	b.step(time.Hour)
	assert.True(t, hint().IsZero(), "over")

	b.errs["volume"] = nil
	b.step(time.Hour)
	require.Equal(t, "Unconfirmed", b.state("volume"))
	b.errs["volume"] = &machineupdate.RetryError{After: 6 * time.Hour, Err: assert.AnError}
	_, result = b.step(time.Hour)
	assert.Equal(
		t, []any{"Unconfirmed", b.now.Add(6 * time.Hour), time.Hour}, []any{b.state("volume"), hint(), result.RequeueAfter},
		"a confirmation that has to change something",
	)
	b.step(time.Hour)
	assert.Equal(t, hint(), b.asked[len(b.asked)-1].NotBefore, "reads until then")
	b.errs["volume"] = nil
	b.step(time.Hour)
	assert.Equal(t, []any{"Settled", true}, []any{b.state("volume"), hint().IsZero()}, "it was done already")
}

// TestLaneWaitsForNoOther: after every result of a lane except a conflict, the next lane is called. After the context
// is done, nothing is called.
func TestLaneWaitsForNoOther(t *testing.T) {
	for _, tc := range []struct {
		name  string
		given func(b *bed)
		lanes []string
		delay time.Duration
	}{
		{"a failure", func(b *bed) { b.errs[""] = assert.AnError }, []string{"", "volume"}, 10 * time.Second},
		{"no VM", func(b *bed) { b.errs[""] = machineupdate.ErrNotFound }, []string{"", "volume"}, 10 * time.Second},
		{
			"a refusal", func(b *bed) { b.errs[""] = &machineupdate.RetryError{After: 6 * time.Hour, Err: assert.AnError} },
			[]string{"", "volume"},
			10 * time.Second,
		},
		{"unable", func(b *bed) { b.errs[""] = machineupdate.ErrUnimplemented }, []string{"", "volume"}, time.Hour},
		{"a conflict", func(b *bed) { b.conflict = true }, []string{""}, 200 * time.Millisecond},
		{"known to be unable", func(b *bed) { b.class = b.class.DisableLane(0, start) }, []string{"volume"}, time.Hour},
		{"only the other is unable", func(b *bed) { b.class = b.class.DisableLane(1, start) }, []string{""}, time.Hour},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBed(t, laneClass(t, volumes, `{"tags":{"k":"1"},"volume":{"iops":3000}}`))
			tc.given(b)
			lanes, result := b.step(0)
			assert.Equal(t, []any{tc.lanes, tc.delay}, []any{lanes, result.RequeueAfter})
		})
	}
	b := newBed(t, laneClass(t, volumes, `{"image":""}`))
	ctx, cancel := context.WithCancel(t.Context())
	b.executor.UpdateMachine = func(ctx context.Context, r *machineupdate.UpdateMachineRequest) error {
		cancel()
		return b.update(ctx, r)
	}
	assert.Equal(t, "Canceled", machineupdate.EndingOf(b.executor.Reconcile(ctx, b.machine, b.observation())))
	assert.Len(t, b.asked, 1)
}

// TestLeafThatIsFrozen: a leaf moves from the first lane to another, or is not Hot after a rollback of the Schema. It
// is neither wanted nor removed, and stays in the record of the first lane. The other lane adopts it.
func TestLeafThatIsFrozen(t *testing.T) {
	class := machineupdate.MachineClass{
		Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: []byte(`{"tags":{"k":"1"},"volume":{"iops":3000}}`),
	}
	alone := machineupdate.Driver{Kinds: volumes.Kinds, ReadsFirst: true}
	former, err := hotupdate.SchemaOf[laneSpec](hotupdate.WithTag("volume.iops", "false"))
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		schema *hotupdate.Schema
		driver machineupdate.Driver
		others [][]machineupdate.Part
	}{
		"moved": {
			schemaOf[laneSpec](t), volumes,
			[][]machineupdate.Part{
				{{Kind: "disk", Attempted: []machineupdate.HotSpec{`{"volume":{"iops":3000}}`}, Desired: `{"volume":{"iops":3000}}`}},
			},
		},
		"not Hot": {former, alone, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, laneClass(t, alone, string(class.ProviderSpec)))
			b.step(0)
			b.step(time.Hour)
			b.class, err = machineupdate.Prepare(class, tc.schema, tc.driver)
			require.NoError(t, err)
			b.step(0)
			var parts [][]machineupdate.Part
			for _, r := range b.asked {
				parts = append(parts, r.Parts)
			}
			tags := machineupdate.HotSpec(`{"tags":{"k":"1"}}`)
			first := []machineupdate.Part{{Kind: "vm", Applied: tags, Attempted: []machineupdate.HotSpec{}, Desired: tags}}
			assert.Equal(t, append([][]machineupdate.Part{first}, tc.others...), parts)
			assert.Contains(t, b.machine.Annotations[machineupdate.AnnotationRecord], `"applied":{"tags":{"k":"1"},"volume":{"iops":3000}}`)
		})
	}
}

// TestKeyThatIsFrozen: a key of the tags is not Hot any more in a release. It is neither wanted nor removed, and stays
// in the record. When it is Hot again, it is one update.
func TestKeyThatIsFrozen(t *testing.T) {
	class := machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: []byte(`{"tags":{"k":"1","other":"2"}}`)}
	driver := machineupdate.Driver{Kinds: volumes.Kinds, ReadsFirst: true}
	kept, err := hotupdate.SchemaOf[laneSpec](hotupdate.WithTag(`tags["k"]`, "false"))
	require.NoError(t, err)
	b := newBed(t, laneClass(t, driver, string(class.ProviderSpec)))
	b.step(0)
	b.step(time.Hour)
	prepare := func(schema *hotupdate.Schema, spec string) {
		class.ProviderSpec = []byte(spec)
		b.class, err = machineupdate.Prepare(class, schema, driver)
		require.NoError(t, err)
		b.asked = nil
		b.step(0)
	}
	prepare(kept, `{"tags":{"k":"9","other":"3"}}`)
	require.Len(t, b.asked, 1)
	applied := machineupdate.HotSpec(`{"tags":{"other":"2"}}`)
	desired := machineupdate.HotSpec(`{"tags":{"other":"3"}}`)
	assert.Equal(
		t, []machineupdate.HotSpec{applied, desired}, []machineupdate.HotSpec{b.asked[0].Parts[0].Applied, b.asked[0].Parts[0].Desired},
	)
	assert.Contains(t, b.machine.Annotations[machineupdate.AnnotationRecord], `"k":"1"`)
	b.step(time.Hour)

	prepare(schemaOf[laneSpec](t), `{"tags":{"k":"9","other":"3"}}`)
	require.Len(t, b.asked, 1)
	desired = `{"tags":{"k":"9","other":"3"}}`
	assert.Equal(t, desired, b.asked[0].Parts[0].Desired)
	assert.Contains(
		t, string(b.asked[0].Parts[0].Applied), `"k":"1"`,
		"which the record knows, so that the driver does not take the key for a foreign one",
	)
}

// TestLeafThatCannotBeRead: another release reads a leaf of the record in no way: elements of its list have other
// members, or a value has another type. The driver does not get it, and it stays in the record until a release can read
// it again.
func TestLeafThatCannotBeRead(t *testing.T) {
	type disk struct {
		Name string `json:"name"`
		IOPS int    `json:"iops,omitempty" hotupdatable:"true"`
	}
	type widerDisk struct {
		disk       `json:",inline"`
		Throughput int `json:"throughput,omitempty" hotupdatable:"true"`
	}
	type newer struct {
		Disks []widerDisk `json:"disks,omitempty" hotupdatable:"false,key=name"`
		Size  string      `json:"size,omitempty"  hotupdatable:"true"`
		Zones []string    `json:"zones,omitempty" hotupdatable:"true,set"`
	}
	type older struct {
		Disks []disk `json:"disks,omitempty" hotupdatable:"false,key=name"`
		Size  int    `json:"size,omitempty"  hotupdatable:"true"`
		Zones []int  `json:"zones,omitempty" hotupdatable:"true,set"`
	}
	for name, tc := range map[string]struct{ newer, older, desired string }{
		"member of an element": {
			`{"disks":[{"name":"a","iops":1,"throughput":2}]}`, `{"disks":[{"name":"a","iops":3,"throughput":2}]}`,
			`{"disks":[{"iops":3,"name":"a"}]}`,
		},
		"type of a value":   {`{"size":"large"}`, `{"size":3}`, `{"size":3}`},
		"type of a list":    {`{"zones":["b"]}`, `{"zones":[2]}`, `{"zones":[2]}`},
		"dropped meanwhile": {`{"size":"large","zones":["b"]}`, `{"disks":[{"name":"a"}]}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			prepare := func(schema *hotupdate.Schema, spec string) *machineupdate.PreparedClass {
				prepared, err := machineupdate.Prepare(machineupdate.MachineClass{ProviderSpec: []byte(spec)}, schema, able)
				require.NoError(t, err)
				return prepared
			}
			b := newBed(t, prepare(schemaOf[newer](t), tc.newer))
			b.step(0)
			b.step(time.Hour)
			hot := b.asked[0].Parts[0].Desired

			b.class = prepare(schemaOf[older](t), tc.older)
			b.step(0)
			require.Len(t, b.asked, 1)
			part := b.asked[0].Parts[0]
			assert.Equal(t, machineupdate.HotSpec(tc.desired), part.Desired)
			for _, recorded := range append(part.Attempted, part.Applied) {
				_, err := schemaOf[older](t).Decode([]byte(recorded))
				require.NoError(t, err)
			}
			b.step(time.Hour)
			_, result := b.step(time.Hour)
			assert.Equal(t, machineupdate.Reason("UpToDate"), result.Reason)

			b.class = prepare(schemaOf[newer](t), `{"disks":[{"name":"b","iops":9}]}`)
			b.step(0)
			require.Len(t, b.asked, 1)
			part = b.asked[0].Parts[0]
			known := ""
			var knownSb492 strings.Builder
			for _, recorded := range append(part.Attempted, part.Applied) {
				knownSb492.WriteString(string(recorded))
			}
			known += knownSb492.String()
			assert.Contains(t, known, strings.Trim(string(hot), "{}"), "what the former release applied is still known")
		})
	}
}

// TestSelectorOfItsOwnClass: a hot part has the selector of a hot element, also if the selector's field is Immutable.
func TestSelectorOfItsOwnClass(t *testing.T) {
	type label struct {
		Value string `json:"value"`
		Roll  bool   `json:"roll"  hotupdatable:"false"`
	}
	type labelled struct {
		Labels map[string]label `json:"labels" hotupdatable:"false,hotwhen=roll:false"`
	}
	class := machineupdate.MachineClass{
		Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: []byte(`{"labels":{"team":{"value":"a","roll":false}}}`),
	}
	prepared, err := machineupdate.Prepare(class, schemaOf[labelled](t), able)
	require.NoError(t, err)
	b := newBed(t, prepared)
	b.step(0)
	b.step(time.Hour)
	_, result := b.step(time.Hour)
	assert.Equal(t, machineupdate.Reason("UpToDate"), result.Reason)
	assert.Contains(t, b.machine.Annotations[machineupdate.AnnotationRecord], `"applied":{"labels":{"team":{"roll":false,"value":"a"}}}`)
}

// TestRequestHasTheCallersObjects: helpers of drivers need the caller's objects.
func TestRequestHasTheCallersObjects(t *testing.T) {
	class := &object{ObjectMeta: metav1.ObjectMeta{Name: "class", UID: "u", ResourceVersion: "1"}}
	var classes machineupdate.Classes
	prepared, err := classes.Prepare(
		machineupdate.MachineClass{Object: class, ProviderSpec: []byte(`{"image":""}`)}, with(schemaOf[laneSpec](t), volumes),
	)
	require.NoError(t, err)
	b := newBed(t, prepared)
	b.step(0)
	require.Len(t, b.asked, 2)
	assert.Same(t, class, b.asked[1].Class.Object)
	assert.Equal(t, "3", b.asked[1].Object.GetResourceVersion(), "the newest: the first lane wrote two records")
}

// TestCreationRecordsAllLanes: the VM has all of the spec.
func TestCreationRecordsAllLanes(t *testing.T) {
	driver := volumes
	driver.Lanes = append(slices.Clone(volumes.Lanes), accounts.Lanes...)
	b := newBed(t, laneClass(t, driver, `{"tags":{"k":"1"},"volume":{"iops":3000},"account":"a"}`))
	o := b.observation()
	o.ProviderID = ""
	o.Phase = ""
	creation, begun := b.executor.BeginCreation(t.Context(), b.machine, o, o.Class.Class())
	require.NoError(t, begun.Err)
	assert.Equal(t, []string{"Calling", "Calling", "Calling"}, []string{b.state(""), b.state("volume"), b.state(lane)})
	assert.Equal(t, 1, b.writes)
	b.executor.FinishCreation(t.Context(), creation, begun.Machine, "i-1")
	assert.Equal(t, 2, b.writes)
	for lane, want := range map[string]string{"": `{"tags":{"k":"1"}}`, "volume": `{"volume":{"iops":3000}}`, lane: `{"account":"a"}`} {
		assert.Equal(
			t, []string{"Settled", `[{"applied":` + want + `}]}`},
			[]string{b.state(lane), partsOf(b.machine.Annotations[annotationOf(lane)])},
		)
	}
	lanes, _ := b.step(time.Hour)
	assert.Empty(t, lanes)

	b = newBed(t, laneClass(t, volumes, `{"image":""}`))
	o = b.observation()
	o.ProviderID = ""
	o.Phase = ""
	_, _ = b.executor.BeginCreation(t.Context(), b.machine, o, o.Class.Class()) // and crash
	b.class = laneClass(t, driver, `{"account":"a"}`)
	o = b.observation()
	o.ProviderID = ""
	o.Phase = ""
	creation, begun = b.executor.BeginCreation(t.Context(), b.machine, o, o.Class.Class())
	b.executor.FinishCreation(t.Context(), creation, begun.Machine, "i-1")
	assert.Equal(
		t, []string{"Unconfirmed", "Unconfirmed", "Unconfirmed"}, []string{b.state(""), b.state("volume"), b.state(lane)},
		"the attempt before may have made the VM",
	)

	b.machine.Annotations[machineupdate.AnnotationRecord] = strings.Replace(
		b.machine.Annotations[machineupdate.AnnotationRecord], `"providerID":"i-1"`, `"providerID":"i-2"`, 1,
	)
	b.machine.Annotations[annotationOf(
		"volume",
	)] = strings.Replace(b.machine.Annotations[annotationOf("volume")], `"providerID":"i-1"`, `"creating":"m-1"`, 1)
	b.machine.Annotations[annotationOf(
		"volume",
	)] = strings.Replace(b.machine.Annotations[annotationOf("volume")], `Unconfirmed`, `Calling`, 1)
	b.machine.Annotations[annotationOf(
		lane,
	)] = strings.Replace(b.machine.Annotations[annotationOf(lane)], `"providerID":"i-1"`, `"providerID":"i-2"`, 1)
	o = b.observation()
	o.ProviderID = ""
	o.Phase = ""
	creation, begun = b.executor.BeginCreation(t.Context(), b.machine, o, o.Class.Class())
	b.executor.FinishCreation(t.Context(), creation, begun.Machine, "i-3")
	assert.Equal(
		t, []string{"Unconfirmed", "Unconfirmed", "Unconfirmed"}, []string{b.state(""), b.state("volume"), b.state(lane)},
		"one lane knows of an attempt",
	)
}

// TestLanesFitTheSchema: each leaf has one lane, and each mistake is an error when a class is prepared.
func TestLanesFitTheSchema(t *testing.T) {
	lanes := func(lanes ...machineupdate.Lane) []machineupdate.Lane { return lanes }
	paths := func(name string, paths ...string) machineupdate.Lane {
		return machineupdate.Lane{Name: name, Paths: paths}
	}
	var many []machineupdate.Lane
	for i := range 9 {
		many = append(many, paths(fmt.Sprint("l", i), "/tags/"+strconv.Itoa(i)))
	}
	for _, tc := range []struct {
		name  string
		lanes []machineupdate.Lane
		want  []string // parts of the messages
	}{
		{"fits", lanes(paths("a", "/volume/iops", "/volume/tags/k"), paths("b", "/tags"), paths("c", "/account", "/kernel")), nil},
		{"eight", many[:8], nil},
		{"nine", many, []string{`lane "l8" of the driver: is one too many`}},
		{
			"name", lanes(paths("A", "/tags"), paths("", "/volume/iops"), paths(strings.Repeat("a", 53), "/kernel")),
			[]string{`lane "A"`, `lane ""`, `"` + strings.Repeat("a", 53) + `" of the driver: has a name that cannot`},
		},
		{"the longest name", lanes(paths(strings.Repeat("a", 52), "/kernel")), nil},
		{"twice", lanes(paths("a", "/tags"), paths("a", "/account")), []string{"is declared twice"}},
		{"no paths", lanes(paths("a")), []string{"has no paths"}},
		{"no pointer", lanes(paths("a", "tags")), []string{`"tags" is not an RFC 6901 pointer`}},
		{
			"unknown", lanes(paths("a", "/new", "/volume/zones/0")),
			[]string{`"/new" has no Hot or InPlace leaf`, `"/volume/zones/0" has no Hot or InPlace leaf`},
		},
		{
			"nothing hot", lanes(paths("a", "/image", "/volume/size")),
			[]string{`"/image" has no Hot or InPlace leaf`, `"/volume/size" has no Hot or InPlace leaf`},
		},
		{"mixed", lanes(paths("a", "/account", "/tags")), []string{`"/tags" mixes Hot and InPlace leaves`}},
		{"mixed, the other way round", lanes(paths("a", "/tags", "/account")), []string{`"/account" mixes Hot and InPlace leaves`}},
		{"mixed below", lanes(paths("a", "")), []string{`"" mixes Hot and InPlace leaves`}},
		{"overlap", lanes(paths("a", "/volume/tags/k"), paths("b", "/volume")), []string{`"/volume" overlaps with another path`}},
		{
			"overlap with several", lanes(paths("a", "/volume/tags", "/volume/iops"), paths("b", "/volume")),
			[]string{`"/volume" overlaps with another path`},
		},
		{"overlap with itself", lanes(paths("a", "/tags", "/tags")), []string{`overlaps`}},
		{"names that begin alike", lanes(paths("a", "/tags/k", "/tags/kk")), nil},
		{
			"two for a drain", lanes(paths("a", "/account"), paths("b", "/kernel")),
			[]string{`lane "b" of the driver: is a second lane that is InPlace`},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := machineupdate.Prepare(
				machineupdate.MachineClass{ProviderSpec: []byte(`{"image":""}`)}, schemaOf[laneSpec](t),
				machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true, Lanes: tc.lanes},
			)
			problems := fault.All(err)
			require.Len(t, problems, len(tc.want), "%v", err)
			for i, want := range tc.want {
				assert.Equal(t, "invalid-lane", problems[i].Code)
				assert.Contains(t, problems[i].Error(), want)
			}
		})
	}
	_, err := machineupdate.Prepare(
		machineupdate.MachineClass{ProviderSpec: []byte(`{"image":""}`)}, schemaOf[laneSpec](t),
		machineupdate.Driver{Kinds: []string{"vm"}, Lanes: lanes(paths("a", "/account"))},
	)
	require.ErrorContains(t, err, "does not read first")
	_, err = machineupdate.Prepare(
		machineupdate.MachineClass{
			Object: &metav1.ObjectMeta{Name: "c"}, ProviderSpec: []byte(`{"volume":{"zones":["` + strings.Repeat("z", 3<<10) + `"]}}`),
		},
		schemaOf[laneSpec](t), volumes,
	)
	assert.Equal(t, "large-hot-part", codeOf(err))
	require.ErrorContains(t, err, "class c, lane volume: ")
}

// TestLanesAreTold: with other lanes a driver covers other leaves. The order of lanes has no meaning.
func TestLanesAreTold(t *testing.T) {
	schema := func(lanes ...machineupdate.Lane) string {
		return strings.SplitN(laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, Lanes: lanes}, `{"image":""}`).Schema(), "?", 2)[1]
	}
	a := machineupdate.Lane{Name: "a", Paths: []string{"/tags"}}
	b := machineupdate.Lane{Name: "b", Kinds: []string{"disk"}, Paths: []string{"/volume/tags", "/volume/iops"}}
	assert.Equal(t, "kind=vm", schema())
	assert.Equal(
		t, "kind=vm&lane=a%3Fpath%3D%252Ftags&lane=b%3Fkind%3Ddisk%26path%3D%252Fvolume%252Fiops%26path%3D%252Fvolume%252Ftags",
		schema(b, a),
	)
	assert.Equal(t, schema(a, b), schema(b, a))

	var classes machineupdate.Classes
	class := machineupdate.MachineClass{
		Object: &metav1.ObjectMeta{Name: "c", UID: "u", ResourceVersion: "1"}, ProviderSpec: []byte(`{"image":""}`),
	}
	prepare := func(lanes ...machineupdate.Lane) *machineupdate.PreparedClass {
		prepared, err := classes.Prepare(class, machineupdate.Driver{Schema: schemaOf[laneSpec](t), Kinds: []string{"vm"}, Lanes: lanes})
		require.NoError(t, err)
		return prepared
	}
	assert.Same(t, prepare(a), prepare(a))
	for _, other := range []machineupdate.Lane{
		{Name: "b", Paths: a.Paths}, {Name: "a", Paths: []string{"/volume"}}, {Name: "a", Paths: a.Paths, Kinds: []string{"disk"}},
	} {
		assert.NotSame(t, prepare(a), prepare(other))
	}
}

// TestAnnotations: what an adoption writes. A lane that is InPlace has a record from its first drain on.
func TestAnnotations(t *testing.T) {
	const own = machineupdate.AnnotationRecord
	inPlace := machineupdate.Lane{Name: "account", Paths: []string{"/account", "/kernel"}}
	tags := machineupdate.Lane{Name: "tags", Paths: []string{"/volume/tags"}}
	for _, tc := range []struct {
		name  string
		lanes []machineupdate.Lane
		want  []string
	}{
		{"no lanes", nil, []string{own}},
		{"a hot lane", volumes.Lanes, []string{own, own + "-volume"}},
		{"a lane that is InPlace", []machineupdate.Lane{inPlace}, []string{own}},
		{"in their order", []machineupdate.Lane{tags, inPlace, volumes.Lanes[0]}, []string{own, own + "-tags", own + "-volume"}},
	} {
		driver := machineupdate.Driver{Schema: schemaOf[laneSpec](t), Kinds: []string{"vm"}, ReadsFirst: true, Lanes: tc.lanes}
		assert.Equal(t, tc.want, driver.Annotations(), tc.name)
	}
}
