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
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
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

// volumes is a driver with a lane for what is slow.
var volumes = machineupdate.Driver{
	Kinds: []string{"vm"}, ReadsFirst: true,
	Lanes: []machineupdate.Lane{{Name: "volume", Kinds: []string{"disk"}, Paths: []string{"/volume/iops", "/volume/zones"}}},
}

// laneClass prepares a class of laneSpec.
func laneClass(tb testing.TB, driver machineupdate.Driver, providerSpec string) *machineupdate.Prepared {
	tb.Helper()
	prepared, err := machineupdate.Prepare(machineupdate.MachineClass{Name: "class", ProviderSpec: []byte(providerSpec)}, schemaOf[laneSpec](tb), driver)
	require.NoError(tb, err)
	return prepared
}

// bed is one machine at an API server, with a driver that answers by lane and a clock.
type bed struct {
	*testing.T

	now      time.Time
	machine  *object
	class    *machineupdate.Prepared
	settings machineupdate.Settings
	errs     map[string]error                                 // what the driver returns, by lane
	asked    []*machineupdate.UpdateMachineRequest            // since the last step
	writes   int                                              // since the last step
	writing  func(r *machineupdate.UpdateMachineRequest) bool // what the driver would change; nil is everything
	executor machineupdate.Executor[*object]
	conflict bool // the next write is one
}

func newBed(t *testing.T, class *machineupdate.Prepared) *bed {
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
	b.machine = &object{ObjectMeta: metav1.ObjectMeta{Name: "m-1", ResourceVersion: strconv.Itoa(version + 1), Annotations: patch.Apply(b.machine.Annotations)}}
	return b.machine, nil
}

// update is the driver: it asks for the marker, if it changes anything.
func (b *bed) update(ctx context.Context, r *machineupdate.UpdateMachineRequest) error {
	b.asked = append(b.asked, r)
	if b.writing == nil || b.writing(r) {
		if err := r.BeforeWrite(ctx); err != nil {
			return err
		}
	}
	return b.errs[r.Lane]
}

// step reconciles after a while, and returns which lanes were called, and the result.
func (b *bed) step(after time.Duration) (lanes []string, result machineupdate.Result[*object]) {
	b.Helper()
	b.now, b.asked, b.writes = b.now.Add(after), nil, 0
	result = b.executor.Reconcile(b.Context(), b.observation())
	assert.Equal(b, b.machine.ResourceVersion, result.Machine.ResourceVersion, "the newest machine")
	for _, r := range b.asked {
		lanes = append(lanes, r.Lane)
	}
	return lanes, result
}

func (b *bed) observation() machineupdate.Observation[*object] {
	return machineupdate.Observation[*object]{Machine: b.machine, ProviderID: "i-1", Phase: "Running", Class: b.class, Settings: b.settings}
}

// state is that of a lane's record; empty if it has none.
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

// TestLanesAreApart: each lane has its record, its part of the spec and its call; a refusal of one for hours holds back no other.
func TestLanesAreApart(t *testing.T) {
	b := newBed(t, laneClass(t, volumes, `{"image":"a","tags":{"k":"1"},"volume":{"size":1,"iops":3000,"zones":["b","a"],"tags":{"v":"1"}}}`))
	b.errs["volume"] = &machineupdate.RetryError{After: 6 * time.Hour, Err: assert.AnError}
	lanes, result := b.step(0)
	require.Equal(t, []string{"", "volume"}, lanes)
	assert.Equal(t, []machineupdate.Part{{Kind: "vm", Attempted: []machineupdate.Hot{`{"tags":{"k":"1"},"volume":{"tags":{"v":"1"}}}`}, Desired: `{"tags":{"k":"1"},"volume":{"tags":{"v":"1"}}}`}}, b.asked[0].Parts)
	assert.Equal(t, []machineupdate.Part{{Kind: "disk", Attempted: []machineupdate.Hot{`{"volume":{"iops":3000,"zones":["a","b"]}}`}, Desired: `{"volume":{"iops":3000,"zones":["b","a"]}}`}}, b.asked[1].Parts)
	assert.Equal(t, []string{"Unconfirmed", "Calling"}, []string{b.state(""), b.state("volume")})
	assert.Equal(t, 10*time.Second, result.Delay, "the earliest")
	require.ErrorIs(t, result.Err, assert.AnError)

	lanes, result = b.step(10 * time.Second)
	assert.Equal(t, []string{"volume"}, lanes, "read again: the refusal may be due to a change of ours")
	assert.Equal(t, start.Add(6*time.Hour), b.asked[0].NotBefore)
	assert.Equal(t, time.Hour-10*time.Second, result.Delay, "of the confirmation")
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
	assert.ElementsMatch(t, []string{annotationOf(""), annotationOf("volume")}, slices.Collect(maps.Keys(b.machine.Annotations)), fmt.Sprint(b.machine.Annotations))
}
