package driver_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// layeredSpec has infrastructure tags for all kinds of resources, and for one kind, which override those for all.
type layeredSpec struct {
	Tags    map[string]string `json:"tags,omitempty"    hotupdatable:"true"`
	PerKind *tags.Tags        `json:"perKind,omitempty" hotupdatable:"true"`
	Groups  []string          `json:"groups,omitempty"  hotupdatable:"true,set"`
	Instead []string          `json:"instead,omitempty" hotupdatable:"true,set"` // of Groups
	Window  *window           `json:"window,omitempty"  hotupdatable:"true"`
}

// window is only read as a whole.
type window struct{ begin, end string }

type windowJSON struct {
	Begin, End struct{ At string }
}

func (w *window) MarshalJSON() ([]byte, error) {
	var all windowJSON
	all.Begin.At = w.begin
	all.End.At = w.end
	return json.Marshal(all)
}

func (w *window) UnmarshalJSON(text []byte) error {
	var all windowJSON
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	if all.Begin.At == "" || all.End.At == "" {
		return errors.New("has no begin or no end")
	}
	*w = window{all.Begin.At, all.End.At}
	return nil
}

// TestHiddenValuesAreOurs: the members of a part may come from different specs. So a value that another member of the
// same part overrides may be live, and is ours.
func TestHiddenValuesAreOurs(t *testing.T) {
	for name, tc := range map[string]struct {
		applied   machineupdate.HotSpec
		attempted []machineupdate.HotSpec
		live      map[string]string
		members   []string
		calls     []string
	}{
		"a spec that dropped the override was sent": {
			`{"perKind":{"disk":{"team":"a"}},"tags":{"team":"b"}}`,
			[]machineupdate.HotSpec{`{}`},
			map[string]string{"team": "b", "theirs": "1"},
			nil,
			[]string{"remove team"},
		},
		"two specs were sent, of which one overrides the other": {
			`{}`,
			[]machineupdate.HotSpec{`{}`, `{"perKind":{"disk":{"team":"a"}},"tags":{"team":"b"}}`},
			map[string]string{"team": "b"},
			nil,
			[]string{"remove team"},
		},
		"a set": {
			`{}`,
			[]machineupdate.HotSpec{`{}`, `{"groups":["nodes"],"instead":["others"]}`},
			nil,
			[]string{"nodes", "theirs"},
			[]string{"remove nodes"},
		},
		"a value that is only read as a whole": {
			`{"tags":{"team":"b"},"window":{"Begin":{"At":"1"},"End":{"At":"2"}}}`,
			[]machineupdate.HotSpec{`{}`},
			map[string]string{"team": "b"},
			nil,
			[]string{"remove team"},
		},
		"nothing was sent since the last success": {
			`{"perKind":{"disk":{"team":"a"}},"tags":{"team":"b"}}`, nil, map[string]string{"team": "b"}, nil, nil,
		},
		"a value that no spec had": {
			`{"perKind":{"disk":{"team":"a"}},"tags":{"team":"b"}}`,
			[]machineupdate.HotSpec{`{}`},
			map[string]string{"team": "c"},
			nil, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var calls []string
			definition := layered(t, &calls)
			definition.Resources = func(context.Context, int) ([]driver.Resource, error) {
				sets := map[string][]string{"groups": tc.members}
				return []driver.Resource{{Kind: tags.Disk, ID: "d", Tags: tc.live, Sets: sets}}, nil
			}
			kit, err := driver.New(definition)
			require.NoError(t, err)
			require.NoError(t, kit.UpdateMachine(t.Context(), &machineupdate.UpdateMachineRequest{
				Machine: "m", ProviderID: "p", Class: machineupdate.MachineClass{ProviderSpec: []byte(`{}`)},
				Parts:       []machineupdate.Part{{Kind: "disk", Applied: tc.applied, Attempted: tc.attempted, Desired: `{}`}},
				BeforeWrite: func(context.Context) error { return nil },
			}))
			assert.Equal(t, tc.calls, calls)
		})
	}
}

// layered returns a driver for disks, with a function for each call.
func layered(t *testing.T, calls *[]string) driver.Definition[layeredSpec, int] {
	t.Helper()
	rules, err := tags.AWS.Rules(tags.Disk)
	require.NoError(t, err)
	tagging := driver.FlatTagging[layeredSpec, int](rules, []tags.Kind{tags.Disk},
		func(spec *layeredSpec) (map[string]string, *tags.Tags) { return spec.Tags, spec.PerKind })
	tagging.Set = func(context.Context, int, []string, []tags.Tag) error { return nil }
	tagging.Remove = func(_ context.Context, _ int, _ []string, removed []tags.Tag) error {
		for _, tag := range removed {
			*calls = append(*calls, "remove "+tag.Key)
		}
		return nil
	}
	return driver.Definition[layeredSpec, int]{
		Connect: func(context.Context, *machineupdate.UpdateMachineRequest, *layeredSpec) (int, error) { return 0, nil },
		Tags:    []driver.Tagging[layeredSpec, int]{tagging},
		Sets: []driver.Set[layeredSpec, int]{{
			Kind: tags.Disk, Name: "groups",
			Members: func(spec *layeredSpec, _ *driver.Resource) []string {
				if len(spec.Instead) > 0 {
					return spec.Instead
				}
				return spec.Groups
			},
			AddMember: func(context.Context, int, *driver.Resource, string) error { return nil },
			RemoveMember: func(_ context.Context, _ int, _ *driver.Resource, member string) error {
				*calls = append(*calls, "remove "+member)
				return nil
			},
		}},
	}
}
