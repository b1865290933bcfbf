package machineupdate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// versionsOf adds the classes to the versions, one after the other.
func versionsOf(t *testing.T, specs ...string) (hots []machineupdate.HotSpec) {
	t.Helper()
	for _, spec := range specs {
		hots, _ = laneClass(t, volumes, spec).AddVersion(hots)
	}
	return hots
}

func TestAddVersion(t *testing.T) {
	const (
		a = `{"tags":{"k":"a"}}`
		b = `{"tags":{"k":"b"}}`
		c = `{"tags":{},"volume":{"iops":1,"tags":{"k":"c"}}}`
	)
	for _, tc := range []struct {
		name  string
		known []machineupdate.HotSpec
		spec  string
		want  []machineupdate.HotSpec
		isNew bool
	}{
		{"the first", nil, a, []machineupdate.HotSpec{a}, true},
		{"only the hot part", nil, `{"image":"i","account":"s","volume":{"size":1},"tags":{"k":"a"}}`, []machineupdate.HotSpec{a}, true},
		{"nothing", []machineupdate.HotSpec{a}, `{"image":"i"}`, []machineupdate.HotSpec{a}, false},
		{"the hot part of all lanes", nil, c, []machineupdate.HotSpec{`{"volume":{"iops":1,"tags":{"k":"c"}}}`}, true},
		{"another", []machineupdate.HotSpec{b}, a, []machineupdate.HotSpec{b, a}, true},
		{"the last again", []machineupdate.HotSpec{b, a}, a, []machineupdate.HotSpec{b, a}, false},
		{"an earlier one again", []machineupdate.HotSpec{b, a}, b, []machineupdate.HotSpec{b, a}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := slices.Clone(tc.known)
			all, isNew := laneClass(t, volumes, tc.spec).AddVersion(tc.known)
			assert.Equal(t, tc.want, all)
			assert.Equal(t, tc.isNew, isNew)
			assert.Equal(t, before, tc.known)
		})
	}
}

// TestVersionsAreMerged: many versions take little room, and no value of a leaf is lost.
func TestVersionsAreMerged(t *testing.T) {
	var all []machineupdate.HotSpec
	size := func() int { return len(fmt.Sprint(asTexts(all))) }
	const same = `"owner":"somebody with a long name, which does not change"`
	first := 0
	for i := range 100 {
		spec := fmt.Sprintf(`{"tags":{"build":"%d",%s},"volume":{"zones":["z%d"]}}`, i, same, i%3)
		all, _ = laneClass(t, volumes, spec).AddVersion(all)
		if first == 0 {
			first = size()
		}
		again, isNew := laneClass(t, volumes, spec).AddVersion(all)
		assert.False(t, isNew)
		assert.Equal(t, all, again, "the last one is kept apart")
	}
	text := fmt.Sprint(asTexts(all))
	for i := range 100 {
		assert.Contains(t, text, fmt.Sprintf(`"build":"%d"`, i))
	}
	assert.LessOrEqual(t, strings.Count(text, same), 16, "a value that all versions have is kept once")
	assert.Less(t, size(), 50*first)
}

// TestAddVersionIsLinear: twice the versions take twice the work. Values of one leaf cannot be merged, so that with
// each version all were laid out in vain; 3,000 took half a minute.
func TestAddVersionIsLinear(t *testing.T) {
	schema := schemaOf[spec](t)
	for name, specOf := range map[string]func(i int) string{
		"values of one leaf":  func(i int) string { return fmt.Sprintf(`{"tags":{"build":"%d"}}`, i) },
		"leaves of one value": func(i int) string { return fmt.Sprintf(`{"tags":{"build%d":"1"}}`, i) },
		"both, with much in common": func(i int) string {
			return fmt.Sprintf(`{"tags":{"build":"%d","k%d":"v","owner":"%s"}}`, i%97, i, strings.Repeat("x", 100))
		},
		"known values in new combinations": func(i int) string { return fmt.Sprintf(`{"tags":{"a":"%d","b":"%d"}}`, i%53, i/53) },
	} {
		t.Run(name, func(t *testing.T) {
			adding := func(n int) float64 {
				var classes []*machineupdate.PreparedClass
				for i := range n {
					class, err := new(
						machineupdate.Classes,
					).Prepare(machineupdate.MachineClass{ProviderSpec: []byte(specOf(i))}, with(schema, able))
					require.NoError(t, err)
					classes = append(classes, class)
				}
				return testing.AllocsPerRun(1, func() {
					var all []machineupdate.HotSpec
					for _, class := range classes {
						all, _ = class.AddVersion(all)
					}
				})
			}
			half := 300
			if effort.All() {
				half = 1500
			}
			require.Less(t, adding(2*half), 3*adding(half))
		})
	}
}

// TestAddVersionKeepsValues: whatever is merged and when, the versions have exactly the leaves that were added, each is
// one or a list of a hot part in canonical form, and the latest stand as they are.
func TestAddVersionKeepsValues(t *testing.T) {
	schema := schemaOf[spec](t)
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]string{"", "1", "2", "3", "4", "5", "6", "7", "8", "9"})
		var all []machineupdate.HotSpec
		var added []machineupdate.HotSpec
		for range rapid.IntRange(1, 60).Draw(t, "versions") {
			tags := map[string]string{}
			for _, key := range []string{"a", "b", "c"} {
				if v := value.Draw(t, key); v != "" {
					tags[key] = v
				}
			}
			text, err := json.Marshal(spec{Tags: tags})
			require.NoError(t, err)
			whole, err := json.Marshal(spec{Image: "a", Tags: tags})
			require.NoError(t, err)
			class, err := new(machineupdate.Classes).Prepare(machineupdate.MachineClass{ProviderSpec: whole}, with(schema, able))
			require.NoError(t, err)
			before := slices.Clone(all)
			next, isNew := class.AddVersion(all)
			require.Equal(t, before, all, "it is not changed")
			if all = next; isNew {
				added = append(added, machineupdate.HotSpec(text))
			}
		}
		require.Equal(t, leavesOf(added), leavesOf(all))
		latest := added[max(len(added)-8, 0):]
		require.Equal(t, latest, all[len(all)-len(latest):])
		require.LessOrEqual(t, len(all), 15+9+1, "texts: the latest, one for each value of a leaf, and the mark")
	})
}

// leavesOf returns the infrastructure tags of hot parts, each with its value.
func leavesOf(hots []machineupdate.HotSpec) map[string]bool {
	all := map[string]bool{}
	for _, hot := range hots {
		var s spec
		if err := json.Unmarshal([]byte(hot), &s); err != nil {
			panic(err)
		}
		for key, value := range s.Tags {
			all[key+"="+value] = true
		}
	}
	return all
}

func asTexts(hots []machineupdate.HotSpec) (texts []string) {
	for _, hot := range hots {
		texts = append(texts, string(hot))
	}
	return texts
}

// recalling makes the bed's machine one whose VM was created with these versions. It returns the
// number of reads.
func (b *bed) recalling(versions []machineupdate.HotSpec, err error) *int {
	reads := 0
	b.versions = func(context.Context) ([]machineupdate.HotSpec, error) {
		reads++
		return versions, err
	}
	return &reads
}

// TestAdoptionWithVersions: what the creation may have set is attempted, in each lane its own part,
// until the adoption is confirmed.
func TestAdoptionWithVersions(t *testing.T) {
	b := newBed(t, laneClass(t, volumes, `{"tags":{"k":"new"}}`))
	b.writing = func(*machineupdate.UpdateMachineRequest) bool { return false }
	long := `{"tags":{"gone":"1"},"volume":{"iops":3000,"tags":{"v":"1"}}}`
	old := versionsOf(t, long, `{"tags":{"k":"old"}}`, `{"tags":{"k":"new"}}`)
	reads := b.recalling(old, nil)
	b.step(0)
	require.Len(t, b.asked, 2)
	assert.Equal(t, 1, *reads, "once for all lanes")
	assert.Equal(t, 2, b.writes, "one success for each lane")
	first := b.asked[0].Parts[0]
	volume := b.asked[1].Parts[0]
	assert.Equal(t, machineupdate.HotSpec(""), first.Applied, "nothing is known to be applied")
	want := `[{"tags":{"gone":"1","k":"new"},"volume":{"tags":{"v":"1"}}} {"tags":{"k":"old"}}]`
	assert.Equal(t, want, fmt.Sprint(asTexts(first.Attempted)))
	assert.Equal(t, machineupdate.HotSpec(`{"tags":{"k":"new"}}`), first.Desired)
	assert.Equal(t, `[{"volume":{"iops":3000}}]`, fmt.Sprint(asTexts(volume.Attempted)))

	b.step(b.settings.ConfirmAfter)
	require.Len(t, b.asked, 2)
	assert.Equal(t, 1, *reads, "the record knows them now")
	want = `[{"tags":{"gone":"1","k":"old"},"volume":{"tags":{"v":"1"}}}]`
	assert.Equal(t, want, fmt.Sprint(asTexts(b.asked[0].Parts[0].Attempted)))
	assert.Equal(t, 2, b.writes)
	r, err := machineupdate.ParseRecord(b.machine.Annotations[machineupdate.AnnotationRecord])
	require.NoError(t, err)
	assert.Equal(t, []any{record.Settled, machineupdate.HotSpec(`{"tags":{"k":"new"}}`)}, []any{r.State, r.Applied})
	assert.Empty(t, r.Attempted, "after the confirmation they are forgotten, but for kinds that are not covered")
	b.step(0)
	assert.Empty(t, b.asked)
}

// TestVersionsLeaveRoom: versions that are longer than the room of a record's entries delay
// nothing.
func TestVersionsLeaveRoom(t *testing.T) {
	b := newBed(t, laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, `{"tags":{"k":"new"}}`))
	long := strings.Repeat("x", 4000)
	var old []machineupdate.HotSpec
	for i := range 20 {
		old = append(old, machineupdate.HotSpec(fmt.Sprintf(`{"tags":{"k":"%d%s"}}`, i, long)))
	}
	b.recalling(old, nil)
	b.step(0)
	require.Len(t, b.asked, 1)
	assert.Len(t, b.asked[0].Parts[0].Attempted, 21)
	assert.Equal(t, machineupdate.HotSpec(`{"tags":{"k":"new"}}`), b.asked[0].Parts[0].Desired)
}

// TestUnusableVersions: as long as they cannot be read, nothing is called or written.
func TestUnusableVersions(t *testing.T) {
	errServer := errors.New("no API server")
	long := machineupdate.HotSpec(`{"tags":{"k":"` + strings.Repeat("x", 250_000) + `"}}`)
	for _, tc := range []struct {
		name     string
		versions []machineupdate.HotSpec
		err      error
		code     string
	}{
		{"not read", nil, errServer, ""},
		{"no JSON", []machineupdate.HotSpec{""}, nil, "unusable-versions"},
		{"no object", []machineupdate.HotSpec{"[]"}, nil, "unusable-versions"},
		{"not canonical", []machineupdate.HotSpec{`{"tags": {}}`}, nil, "unusable-versions"},
		{"too long", []machineupdate.HotSpec{long}, nil, "unusable-versions"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBed(t, laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, `{"image":""}`))
			b.recalling(tc.versions, tc.err)
			_, result := b.step(0)
			assert.Empty(t, b.asked)
			assert.Zero(t, b.writes)
			assert.Positive(t, result.RequeueAfter)
			if problem, ok := errors.AsType[*fault.Error](result.Err); assert.Equal(t, tc.code != "", ok) && ok {
				assert.Equal(t, tc.code, problem.Code)
			} else {
				assert.ErrorIs(t, result.Err, errServer)
			}
		})
	}
}

// TestUnreadVersionsAreTold: what does not pass by itself is reported, and is not taken for a refusal of the record. An
// API server that is down is not reported for each machine.
func TestUnreadVersionsAreTold(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "versions", nil)
	malformed := &fault.Error{Kind: fault.Invalid, Code: "malformed-versions", What: "cannot be read"}
	for name, tc := range map[string]struct {
		err    error
		isTold bool
	}{"forbidden": {forbidden, true}, "malformed": {malformed, true}, "down": {errors.New("no API server"), false}} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, `{"image":""}`))
			var events []string
			b.executor.Event = func(_ runtime.Object, _, reason, message string) { events = append(events, reason+" "+message) }
			b.recalling(nil, tc.err)
			_, result := b.step(0)
			assert.Equal(t, "Unrecalled", machineupdate.EndingOf(result))
			if !tc.isTold {
				assert.Empty(t, events)
				return
			}
			require.Len(t, events, 1)
			assert.Contains(t, events[0], "HotUpdateFailed the machine is not adopted: the versions of its class cannot be read")
			assert.Contains(t, events[0], tc.err.Error())
		})
	}
}

// TestVersionsAreReadOnlyForAnAdoption: not where nothing is adopted, and not before the limiter
// allows it.
func TestVersionsAreReadOnlyForAnAdoption(t *testing.T) {
	b := newBed(t, laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, `{"image":""}`))
	reads := b.recalling(nil, nil)
	b.executor.Limiter = exhausted(b.now)
	b.step(0)
	assert.Zero(t, *reads, "the limiter denied the adoption")
	b.executor.Limiter = nil
	b.step(0)
	assert.Equal(t, 1, *reads)
	b.class = laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, `{"tags":{"k":"1"}}`)
	b.step(0)
	require.Len(t, b.asked, 1)
	assert.Equal(t, 1, *reads, "the machine has a record")
	name := machineupdate.AnnotationRecord
	b.machine.Annotations[name] = strings.Replace(b.machine.Annotations[name], "i-1", "i-2", 1)
	b.step(0)
	assert.Equal(t, 2, *reads, "the record is that of another VM")
}
