package driver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// TestNotApplied: a change that succeeds without an effect is told: of fields that no Project reads, and of an
// attribute that keeps its value because it has no default. What is applied, adopted, confirmed or only read tells
// nothing.
func TestNotApplied(t *testing.T) {
	const nothing = "the driver applies nothing of what has changed in the lane without a name of the class"
	const kept = "vm i-1 keeps its httpTokens: the class no longer sets it, and the group has no default"
	one := uniform(map[string]string{"mine": "1"})
	two := uniform(map[string]string{"mine": "2"})
	for _, tc := range []struct {
		name             string
		applied, desired *providerSpec
		change           func(w *world, r *machineupdate.UpdateMachineRequest)
		want             []string
	}{
		{"tags", &providerSpec{Tags: &one}, &providerSpec{Tags: &two}, nil, nil},
		{"attribute", &providerSpec{}, &providerSpec{HTTPTokens: "required"}, nil, nil},
		{"nothing", &providerSpec{Tags: &one}, &providerSpec{Tags: &one}, nil, nil},
		{"a field of another lane", &providerSpec{}, &providerSpec{IOPS: 4000}, nil, []string{nothing}},
		{"a field and tags", &providerSpec{Tags: &one}, &providerSpec{Tags: &two, IOPS: 4000}, nil, nil},
		{
			"a field that nobody reads", &providerSpec{}, &providerSpec{HTTPTokens: "required"},
			func(w *world, _ *machineupdate.UpdateMachineRequest) {
				w.definition.Groups[1].Project = func(*providerSpec, *driver.Resource) map[string]string { return nil }
			},
			[]string{nothing},
		},
		{
			"tags that nobody reads", &providerSpec{Tags: &one}, &providerSpec{Tags: &two},
			func(w *world, _ *machineupdate.UpdateMachineRequest) {
				w.definition.Tags[0].Project = func(*providerSpec, tags.Kind) map[string]string { return nil }
			},
			[]string{nothing},
		},
		{"an adoption", &providerSpec{}, &providerSpec{IOPS: 4000}, func(_ *world, r *machineupdate.UpdateMachineRequest) {
			for i := range r.Parts {
				r.Parts[i].Applied = ""
			}
		}, nil},
		{"no default", &providerSpec{HTTPTokens: "required"}, &providerSpec{}, nil, []string{kept}},
		{"no default, and tags", &providerSpec{HTTPTokens: "required", Tags: &one}, &providerSpec{Tags: &two}, nil, []string{kept}},
		{"confirmed", &providerSpec{}, &providerSpec{}, func(w *world, r *machineupdate.UpdateMachineRequest) {
			for i := range r.Parts {
				r.Parts[i].Attempted = []machineupdate.HotSpec{w.hot(&providerSpec{HTTPTokens: "required"})}
			}
		}, nil},
		{"sent and dropped", &providerSpec{}, &providerSpec{}, func(w *world, r *machineupdate.UpdateMachineRequest) {
			w.find("i-1").Attributes["httpTokens"] = driver.Settled("required")
			for i := range r.Parts {
				r.Parts[i].Attempted = []machineupdate.HotSpec{w.hot(&providerSpec{HTTPTokens: "required"})}
			}
		}, []string{kept}},
		{"only read", &providerSpec{HTTPTokens: "required"}, &providerSpec{}, func(_ *world, r *machineupdate.UpdateMachineRequest) {
			r.ReadOnly = true
		}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newVolumes(t)
			var told []string
			request := w.request(tc.applied, tc.desired)
			request.Tell = func(message string) { told = append(told, message) }
			if tc.change != nil {
				tc.change(w, request)
			}
			_ = w.kit().UpdateMachine(t.Context(), request)
			assert.Equal(t, tc.want, told)
			w.calls = nil
			request.Tell = nil
			_ = w.kit().UpdateMachine(t.Context(), request)
		})
	}
}

// TestDefaultIsNotKept: an attribute with a default gets it, so nothing is kept.
func TestDefaultIsNotKept(t *testing.T) {
	w := newVolumes(t)
	w.find("vol-1").Attributes["iops"] = driver.Settled("4000")
	request := w.inLane("volume", &providerSpec{IOPS: 4000}, &providerSpec{})
	request.Tell = func(message string) { require.Fail(t, message) }
	require.ErrorIs(t, w.kit().UpdateMachine(t.Context(), request), machineupdate.ErrPending)
}
