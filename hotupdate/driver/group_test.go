package driver_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
	"github.com/hotupdate/providerconfig/tags"
)

// performance are the rules of EBS gp3, as far as the tests need them.
var performance = driver.Attributes{
	Defaults: map[string]string{"iops": "3000", "throughput": "125"},
	Check: func(_, new map[string]string, path *field.Path) field.ErrorList {
		iops, _ := strconv.Atoi(new["iops"])
		throughput, _ := strconv.Atoi(new["throughput"])
		var problems field.ErrorList
		if iops < 3000 || iops > 16000 {
			problems = append(problems, field.Invalid(path.Child("iops"), iops, "is not from 3000 to 16000"))
		}
		if throughput*4 > iops {
			problems = append(problems, field.Invalid(path.Child("throughput"), throughput, "is more than a quarter of iops"))
		}
		return problems
	},
}

// number is an attribute's value; zero is unset.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func volume(spec *providerSpec, _ *driver.Resource) map[string]string {
	return map[string]string{"iops": number(spec.IOPS), "throughput": number(spec.Throughput)}
}

// newVolumes is a world in which the volume vol-1 has attributes in a lane of its own, and the VM has one in the lane
// of tags, and one InPlace.
func newVolumes(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.resources = slices.DeleteFunc(w.resources, func(r driver.Resource) bool { return r.ID == "vol-2" })
	w.find("vol-1").Attributes = map[string]driver.Reading{"iops": driver.Settled("3000"), "throughput": driver.Settled("125")}
	w.find(
		"i-1",
	).Attributes = map[string]driver.Reading{"httpTokens": driver.Settled("optional"), "machineType": driver.Settled("m5.large")}
	modify := func(_ context.Context, w *world, r *driver.Resource, values map[string]string) error {
		return w.called(fmt.Sprint("modify ", r.ID, " ", values))
	}
	w.definition.Lanes = []machineupdate.Lane{
		{Name: "volume", Paths: []string{"/iops", "/throughput"}}, {Name: "drain", Paths: []string{"/machineType"}},
	}
	w.definition.Groups = []driver.AttributeGroup[providerSpec, *world]{
		{Attributes: performance, Kind: tags.Disk, Lane: "volume", Asynchronous: true, Project: volume, Modify: modify},
		{
			Attributes: driver.Attributes{Defaults: map[string]string{"httpTokens": ""}}, Kind: tags.VM, Modify: modify,
			Project: func(spec *providerSpec, _ *driver.Resource) map[string]string {
				return map[string]string{"httpTokens": spec.HTTPTokens}
			},
		},
		{
			Attributes: driver.Attributes{Defaults: map[string]string{"machineType": ""}}, Kind: tags.VM, Lane: "drain", Modify: modify,
			Project: func(spec *providerSpec, _ *driver.Resource) map[string]string {
				return map[string]string{"machineType": spec.MachineType}
			},
		},
	}
	return w
}

// inLane asks for a change in a lane.
func (w *world) inLane(lane string, applied, desired *providerSpec) *machineupdate.UpdateMachineRequest {
	w.t.Helper()
	request := w.request(applied, desired)
	request.Lane = lane
	kinds := map[string][]string{"": {"vm", "network", "disk"}, "volume": {"disk"}, "drain": {"vm"}}[lane]
	request.Parts = slices.DeleteFunc(request.Parts, func(p machineupdate.Part) bool { return !slices.Contains(kinds, p.Kind) })
	return request
}

// TestAttributes: what is called, and what is returned, for each reading of a volume whose iops is to be 4000.
func TestAttributes(t *testing.T) {
	type readings = map[string]driver.Reading
	const call = "modify vol-1 map[iops:4000 throughput:125]"
	for _, tc := range []struct {
		name    string
		live    readings
		call    bool
		want    error // nil is none
		problem string
	}{
		{"as desired", readings{"iops": driver.Settled("4000"), "throughput": driver.Settled("125")}, false, nil, ""},
		{"other", readings{"iops": driver.Settled("3000"), "throughput": driver.Settled("125")}, true, machineupdate.ErrPending, ""},
		{
			"the other attribute differs",
			readings{"iops": driver.Settled("4000"), "throughput": driver.Settled("500")},
			true,
			machineupdate.ErrPending, "",
		},
		{"no value", readings{"iops": driver.Settled(""), "throughput": driver.Settled("")}, true, machineupdate.ErrPending, ""},
		{
			"on its way",
			readings{"iops": driver.Modifying("3000", "4000"), "throughput": driver.Settled("125")},
			false,
			machineupdate.ErrPending, "",
		},
		{
			"on its way elsewhere",
			readings{"iops": driver.Modifying("4000", "3000"), "throughput": driver.Settled("125")},
			true,
			machineupdate.ErrPending, "",
		},
		{
			"on its way to somewhere",
			readings{"iops": driver.Modifying("4000", ""), "throughput": driver.Settled("125")},
			false,
			machineupdate.ErrPending, "",
		},
		{"unknown", readings{"throughput": driver.Settled("500")}, false, machineupdate.ErrPending, ""},
		{"nothing known", nil, false, machineupdate.ErrPending, ""},
		{"failed", readings{"iops": driver.ModifyFailed("3000"), "throughput": driver.Settled("125")}, true, nil, "did not make it"},
		{"failed on the way elsewhere", readings{"iops": driver.ModifyFailed("4000"), "throughput": driver.Settled("125")}, false, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newVolumes(t)
			w.find("vol-1").Attributes = tc.live
			err := w.kit().UpdateMachine(t.Context(), w.inLane("volume", &providerSpec{}, &providerSpec{IOPS: 4000}))
			assert.Equal(t, map[bool][]string{true: {call}}[tc.call], w.calls)
			assert.Equal(t, tc.call, w.marked == 1)
			switch kind, _ := machineupdate.DriverErrorOf(err); {
			case tc.problem != "":
				require.ErrorContains(t, err, tc.problem)
				assert.NotEqual(t, machineupdate.ErrPending, kind, "a change that fails is told")
			case tc.want != nil:
				assert.Equal(t, machineupdate.ErrPending, kind, err)
			default:
				require.NoError(t, err)
			}
		})
	}
}

// TestDefaults: what the spec does not set any more gets the cloud's default only if we set it, and all of the group does.
func TestDefaults(t *testing.T) {
	set := &providerSpec{IOPS: 4000}
	unset := &providerSpec{}
	for _, tc := range []struct {
		name               string
		applied, attempted *providerSpec
		want               []string
	}{
		{"never set: people tuned it by hand", unset, unset, nil},
		{"set before", set, unset, []string{"modify vol-1 map[iops:3000 throughput:125]"}},
		{"attempted", unset, set, []string{"modify vol-1 map[iops:3000 throughput:125]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newVolumes(t)
			w.find("vol-1").Attributes = map[string]driver.Reading{"iops": driver.Settled("5000"), "throughput": driver.Settled("500")}
			request := w.inLane("volume", tc.applied, unset)
			for i := range request.Parts {
				request.Parts[i].Attempted = append(request.Parts[i].Attempted, w.hot(tc.attempted))
			}
			err := w.kit().UpdateMachine(t.Context(), request)
			assert.Equal(t, tc.want, w.calls)
			assert.Equal(t, tc.want != nil, errors.Is(err, machineupdate.ErrPending))
		})
	}
}

// TestUnsetWithoutDefault stays as it is, also if we set it.
func TestUnsetWithoutDefault(t *testing.T) {
	w := newVolumes(t)
	w.find("i-1").Attributes["httpTokens"] = driver.Reading{}
	require.NoError(
		t, w.kit().UpdateMachine(t.Context(), w.request(&providerSpec{HTTPTokens: "required"}, &providerSpec{Tags: &tags.Tags{}})),
	)
	assert.Empty(t, w.calls)
}

// TestSynchronous: a change that is done when the call returns is a success.
func TestSynchronous(t *testing.T) {
	w := newVolumes(t)
	require.NoError(t, w.kit().UpdateMachine(t.Context(), w.request(&providerSpec{}, &providerSpec{HTTPTokens: "required"})))
	assert.Equal(t, []string{"modify i-1 map[httpTokens:required]"}, w.calls)
}

// TestLanes: a request is about its lane only.
func TestLanes(t *testing.T) {
	one := uniform(map[string]string{"more": "1"})
	desired := &providerSpec{Tags: &one, IOPS: 4000, HTTPTokens: "required", MachineType: "m5.xlarge"}
	for lane, want := range map[string][]string{
		"":       {"set [i-1 eni-1 vol-1]", "modify i-1 map[httpTokens:required]"},
		"volume": {"modify vol-1 map[iops:4000 throughput:125]"},
		"drain":  {"modify i-1 map[machineType:m5.xlarge]"},
	} {
		w := newVolumes(t)
		request := w.inLane(lane, &providerSpec{}, desired)
		if lane == "drain" {
			document, err := (*schemabridge.Schema)(w.definition.Schema).InPlacePart(desired)
			require.NoError(t, err)
			for i := range request.Parts {
				request.Parts[i].Desired = machineupdate.HotSpec(document)
			}
		}
		err := w.kit().UpdateMachine(t.Context(), request)
		assert.Equal(t, want, w.calls)
		assert.Equal(t, lane == "volume", errors.Is(err, machineupdate.ErrPending), err)
	}
}

// TestReadOnly: nothing is called, not even the marker, and the result says what a call would be for.
func TestReadOnly(t *testing.T) {
	for _, tc := range []struct {
		live driver.Reading
		want error
	}{
		{driver.Settled("4000"), nil},
		{driver.Settled("3000"), machineupdate.ErrDiffers},
		{driver.Modifying("3000", "4000"), machineupdate.ErrPending},
		{driver.Reading{}, machineupdate.ErrPending},
	} {
		w := newVolumes(t)
		w.find("vol-1").Attributes["iops"] = tc.live
		request := w.inLane("volume", &providerSpec{}, &providerSpec{IOPS: 4000})
		request.ReadOnly = true
		require.ErrorIs(t, w.kit().UpdateMachine(t.Context(), request), tc.want)
		assert.Empty(t, w.calls)
		assert.Zero(t, w.marked)
	}
}

// TestNotBefore: while a refusal lasts the kit reads only, for what was refused may have been done already.
func TestNotBefore(t *testing.T) {
	for _, tc := range []struct {
		live driver.Reading
		want error
	}{
		{driver.Settled("4000"), nil},
		{driver.Modifying("3000", "4000"), machineupdate.ErrPending},
	} {
		w := newVolumes(t)
		w.find("vol-1").Attributes["iops"] = tc.live
		request := w.inLane("volume", &providerSpec{}, &providerSpec{IOPS: 4000})
		request.NotBefore = time.Now().Add(time.Hour)
		require.ErrorIs(t, w.kit().UpdateMachine(t.Context(), request), tc.want)
		assert.Empty(t, w.calls)
	}
	w := newVolumes(t)
	request := w.inLane("volume", &providerSpec{}, &providerSpec{IOPS: 4000})
	request.NotBefore = time.Now().Add(time.Hour)
	_, after := machineupdate.DriverErrorOf(w.kit().UpdateMachine(t.Context(), request))
	assert.Positive(t, after, "the flow takes it for no failure")
	assert.Empty(t, w.calls)
	assert.Zero(t, w.marked)
}

// TestRefusal: the time that the cloud names reaches the flow.
func TestRefusal(t *testing.T) {
	w := newVolumes(t)
	w.fail["modify vol-1 map[iops:4000 throughput:125]"] = &machineupdate.RetryError{After: 6 * time.Hour, Err: errCloud}
	err := w.kit().UpdateMachine(t.Context(), w.inLane("volume", &providerSpec{}, &providerSpec{IOPS: 4000}))
	_, after := machineupdate.DriverErrorOf(err)
	assert.Equal(t, 6*time.Hour, after)
	assert.Len(t, w.calls, 1)
}

// TestRefusalBesideFailure: a refusal is for the whole lane, so it is not told to the flow as one while something else
// has to be tried again soon.
func TestRefusalBesideFailure(t *testing.T) {
	for other, want := range map[error]time.Duration{
		errCloud: 0,
		&machineupdate.RetryError{After: 8 * time.Hour, Err: errCloud}: 8 * time.Hour,
		nil: 6 * time.Hour,
	} {
		w := newVolumes(t)
		second := *w.find("vol-1")
		second.ID = "vol-2"
		w.resources = append(w.resources, second)
		w.fail["modify vol-1 map[iops:4000 throughput:125]"] = &machineupdate.RetryError{
			After: 6 * time.Hour, Err: errors.New("4000 comes too early"),
		}
		w.fail["modify vol-2 map[iops:4000 throughput:125]"] = other
		err := w.kit().UpdateMachine(t.Context(), w.inLane("volume", &providerSpec{}, &providerSpec{IOPS: 4000}))
		_, after := machineupdate.DriverErrorOf(err)
		assert.Equal(t, want, after, err)
		assert.Len(t, w.calls, 2)
		require.ErrorContains(t, err, "disk vol-1")
		assert.NotContains(t, err.Error(), "4000")
	}
}

// TestImpossibleChanges are refused before anything is called, all at once, and without values.
func TestImpossibleChanges(t *testing.T) {
	for _, tc := range []struct {
		name    string
		desired *providerSpec
		want    []string
	}{
		{"beyond a bound", &providerSpec{IOPS: 99999}, []string{"disk vol-1 iops"}},
		{"limited by another", &providerSpec{IOPS: 4000, Throughput: 1001}, []string{"disk vol-1 throughput"}},
		{"both", &providerSpec{IOPS: 1000, Throughput: 1000}, []string{"disk vol-1 iops", "disk vol-1 throughput"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newVolumes(t)
			err := w.kit().UpdateMachine(t.Context(), w.inLane("volume", &providerSpec{}, tc.desired))
			var got []string
			for _, problem := range fault.All(err) {
				assert.Equal(t, "impossible-change", problem.Code)
				got = append(got, problem.Where+" "+problem.Path)
			}
			assert.Equal(t, tc.want, got)
			assert.NotContains(t, err.Error(), "99999")
			assert.NotContains(t, err.Error(), "1001")
			assert.Zero(t, w.marked)
			assert.Empty(t, w.calls)
		})
	}
	t.Run("live is beyond a bound already", func(t *testing.T) {
		w := newVolumes(t)
		w.find("vol-1").Attributes["iops"] = driver.Settled("99999")
		require.NoError(t, w.kit().UpdateMachine(t.Context(), w.inLane("volume", &providerSpec{}, &providerSpec{IOPS: 99999})))
	})
	t.Run("a group without defaults is set in part", func(t *testing.T) {
		w := newVolumes(t)
		w.definition.Groups[0].Attributes = driver.Attributes{Defaults: map[string]string{"iops": "", "throughput": ""}}
		problems := fault.All(w.kit().UpdateMachine(t.Context(), w.inLane("volume", &providerSpec{}, &providerSpec{IOPS: 4000})))
		require.Len(t, problems, 1)
		assert.Equal(t, "throughput", problems[0].Path)
		assert.Empty(t, w.calls, "the value that was read is not written back")
	})
	t.Run("an attribute that the group does not have", func(t *testing.T) {
		w := newVolumes(t)
		w.definition.Groups[0].Attributes = driver.Attributes{Defaults: map[string]string{"iops": "3000"}}
		problems := fault.All(w.kit().UpdateMachine(t.Context(), w.inLane("volume", &providerSpec{}, &providerSpec{Throughput: 500})))
		require.Len(t, problems, 1)
		assert.Equal(t, "throughput", problems[0].Path)
	})
}

// TestAdmission: the same rules, for two provider specs.
func TestAdmission(t *testing.T) {
	type values = map[string]string
	grows := driver.Attributes{Defaults: values{"size": ""}, Check: func(old, new map[string]string, path *field.Path) field.ErrorList {
		if was, _ := strconv.Atoi(old["size"]); new["size"] < strconv.Itoa(was) {
			return field.ErrorList{field.Invalid(path.Child("size"), new["size"], "volumes do not shrink")}
		}
		return nil
	}}
	fromDefault := driver.Attributes{Defaults: values{"size": "30"}, Check: grows.Check}
	pair := driver.Attributes{Defaults: values{"a": "", "b": ""}}
	for _, tc := range []struct {
		name     string
		rules    driver.Attributes
		old, new values
		want     []string
	}{
		{"shrinks", grows, values{"size": "20"}, values{"size": "10"}, []string{"FieldValueInvalid spec.volume.size"}},
		{"grows", grows, values{"size": "10"}, values{"size": "20"}, nil},
		{"left", grows, values{"size": "20"}, nil, nil},
		{"shrinks from the default", fromDefault, nil, values{"size": "20"}, []string{"FieldValueInvalid spec.volume.size"}},
		{"shrinks to the default", fromDefault, values{"size": "40"}, nil, []string{"FieldValueInvalid spec.volume.size"}},
		{"incomplete", pair, nil, values{"b": "1"}, []string{"FieldValueRequired spec.volume.a"}},
		{"unknown", pair, nil, values{"c": "1"}, []string{"FieldValueForbidden spec.volume.c"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, problem := range tc.rules.Validate(tc.old, tc.new, field.NewPath("spec", "volume")) {
				got = append(got, string(problem.Type)+" "+problem.Field)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

// TestAdmissionAgreesWithTheKit: for every change between these specs admission reports what the kit would refuse, at
// the same attributes. Where nothing has to be called the kit refuses nothing.
func TestAdmissionAgreesWithTheKit(t *testing.T) {
	var specs []providerSpec
	for _, iops := range []int{0, 1000, 3000, 4000, 99999} {
		for _, throughput := range []int{0, 125, 1000, 1001} {
			specs = append(specs, providerSpec{IOPS: iops, Throughput: throughput})
		}
	}
	refused := 0
	for _, old := range specs {
		for _, updated := range specs {
			live := []int{max(old.IOPS, 3000), max(old.Throughput, 125)}
			wanted := []int{cmp.Or(updated.IOPS, 3000), cmp.Or(updated.Throughput, 125)}
			var want, got []string
			for _, problem := range performance.Validate(volume(&old, nil), volume(&updated, nil), nil) {
				want = append(want, problem.Field)
			}
			w := newVolumes(t)
			w.find(
				"vol-1",
			).Attributes = map[string]driver.Reading{"iops": driver.Settled(number(live[0])), "throughput": driver.Settled(number(live[1]))}
			for _, problem := range fault.All(w.kit().UpdateMachine(t.Context(), w.inLane("volume", &old, &updated))) {
				got = append(got, problem.Path)
			}
			if slices.Equal(live, wanted) {
				want = nil
			}
			assert.Equal(t, want, got, "%+v to %+v", old, updated)
			refused += len(got)
		}
	}
	assert.Greater(t, refused, 100)
}

// TestDriverWithLanes: the kit declares what the definition says, and another default is another revision.
func TestDriverWithLanes(t *testing.T) {
	w := newVolumes(t)
	said := w.kit().Driver()
	assert.Equal(t, []string{"vm", "network", "disk"}, said.Kinds)
	assert.Equal(t, []machineupdate.Lane{
		{Name: "volume", Kinds: []string{"disk"}, Paths: []string{"/iops", "/throughput"}},
		{Name: "drain", Kinds: []string{"vm"}, Paths: []string{"/machineType"}},
	}, said.Lanes)
	w.definition.Groups[0].Defaults = map[string]string{"iops": "3000", "throughput": "250"}
	assert.NotEqual(t, said.Revision, w.kit().Driver().Revision)
}

// TestGroupsInDefinitions: a group or lane that cannot work is told when the kit is made.
func TestGroupsInDefinitions(t *testing.T) {
	type definition = driver.Definition[providerSpec, *world]
	for _, tc := range []struct {
		name  string
		spoil func(*definition)
		want  string
	}{
		{"no kind", func(d *definition) { d.Groups[0].Kind = "" }, "unusable-driver AttributeGroup"},
		{"no Project", func(d *definition) { d.Groups[0].Project = nil }, "unusable-driver AttributeGroup"},
		{"no Modify", func(d *definition) { d.Groups[0].Modify = nil }, "unusable-driver AttributeGroup"},
		{"no attributes", func(d *definition) { d.Groups[0].Defaults = nil }, "unusable-driver AttributeGroup.Defaults"},
		{
			"some defaults", func(d *definition) { d.Groups[0].Defaults = map[string]string{"iops": "3000", "throughput": ""} },
			"unusable-driver AttributeGroup.Defaults",
		},
		{"undeclared lane", func(d *definition) { d.Groups[0].Lane = "disk" }, "unusable-driver AttributeGroup.Lane"},
		{"lane without a group", func(d *definition) { d.Groups[0].Lane = "" }, "unusable-driver Lanes"},
		{"lane without paths", func(d *definition) { d.Lanes[0].Paths = nil }, "invalid-lane "},
		{
			"a group with fields of both lanes", func(d *definition) { d.Lanes[0].Paths = []string{"/iops", "/machineType"} },
			"invalid-lane ",
		},
		{"a field that is not hot", func(d *definition) { d.Lanes[0].Paths = []string{"/cluster"} }, "invalid-lane "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newVolumes(t)
			tc.spoil(&w.definition)
			_, err := driver.New(w.definition)
			var got []string
			for _, problem := range fault.All(err) {
				got = append(got, problem.Code+" "+problem.Field)
			}
			assert.Contains(t, got, tc.want)
		})
	}
}

// TestPartialFailureWithPending: a tag that could not be set and a volume under way are told together.
func TestPartialFailureWithPending(t *testing.T) {
	w := newVolumes(t)
	w.definition.Groups[0].Lane = ""
	w.definition.Lanes = w.definition.Lanes[1:]
	w.fail["modify i-1 map[httpTokens:required]"] = errCloud
	err := w.kit().UpdateMachine(t.Context(), w.request(&providerSpec{}, &providerSpec{IOPS: 4000, HTTPTokens: "required"}))
	partial, ok := errors.AsType[*machineupdate.PartialError](err)
	require.True(t, ok)
	assert.Equal(t, []machineupdate.ResourceID{{Kind: "vm", ID: "i-1"}}, partial.NotDone)
	require.ErrorIs(t, err, errCloud)
	require.ErrorIs(t, err, machineupdate.ErrPending)
	kind, _ := machineupdate.DriverErrorOf(err)
	assert.NotEqual(t, machineupdate.ErrPending, kind, "a failure is told")
}
