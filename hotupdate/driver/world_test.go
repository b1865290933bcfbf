package driver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
	"github.com/hotupdate/providerconfig/tags"
)

// providerSpec is the provider spec of the tests.
type providerSpec struct {
	Cluster     string     `json:"cluster,omitempty"`
	Tags        *tags.Tags `json:"tags,omitempty"        hotupdatable:"true"`
	IOPS        int        `json:"iops,omitempty"        hotupdatable:"true"`
	Throughput  int        `json:"throughput,omitempty"  hotupdatable:"true"`
	HTTPTokens  string     `json:"httpTokens,omitempty"  hotupdatable:"true"`
	Groups      []string   `json:"groups,omitempty"      hotupdatable:"true,set"`
	MachineType string     `json:"machineType,omitempty" hotupdatable:"inplace"`
	Roles       []string   `json:"roles,omitempty"       hotupdatable:"inplace,set"`
}

// world is a cloud with the resources of one machine, a driver on the kit, and what was called.
type world struct {
	t          *testing.T
	resources  []driver.Resource
	definition driver.Definition[providerSpec, *world]
	calls      []string         // the writes
	fail       map[string]error // by call; "Resources" and "Connect" are calls as well
	waits      []time.Duration
	marked     int
	takeovers  []string
}

// newWorld is a world with a VM, an interface and two disks, whose rules are AWS's.
func newWorld(t *testing.T) *world {
	t.Helper()
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(t, err)
	schema, err := hotupdate.SchemaOf[providerSpec]()
	require.NoError(t, err)
	w := &world{t: t, fail: map[string]error{}}
	for _, r := range []driver.Resource{
		{Kind: tags.Disk, ID: "vol-2"}, {Kind: tags.VM, ID: "i-1"}, {Kind: tags.Disk, ID: "vol-1"}, {Kind: tags.Network, ID: "eni-1"},
	} {
		r.Tags = map[string]string{"mine": "1", "cluster": "c"}
		w.resources = append(w.resources, r)
	}
	w.definition = driver.Definition[providerSpec, *world]{
		Schema: schema,
		Connect: func(_ context.Context, _ *machineupdate.UpdateMachineRequest, class *providerSpec) (*world, error) {
			require.Equal(t, "c", class.Cluster, "the class has fields that are not hot")
			return w, w.fail["Connect"]
		},
		Resources: func(context.Context, *world) ([]driver.Resource, error) { return w.read(), w.fail["Resources"] },
		Wait: func(ctx context.Context, d time.Duration) error {
			w.waits = append(w.waits, d)
			return ctx.Err()
		},
		Takeover: func(r machineupdate.ResourceID, key string) { w.takeovers = append(w.takeovers, r.ID+" "+key) },
		Tags: []driver.Tagging[providerSpec, *world]{{
			Kinds: tags.Kinds(), Rules: rules,
			Project: func(spec *providerSpec, kind tags.Kind) map[string]string { return spec.Tags.Of(kind) },
			Mandatory: func(class *providerSpec, _ string) map[string]string {
				return map[string]string{"cluster": class.Cluster}
			},
			Set: set, Remove: remove,
		}},
	}
	return w
}

func (w *world) read() []driver.Resource {
	all := slices.Clone(w.resources)
	for i := range all {
		all[i].Tags = maps.Clone(all[i].Tags)
	}
	return all
}

func (w *world) find(id string) *driver.Resource {
	return &w.resources[slices.IndexFunc(w.resources, func(r driver.Resource) bool { return r.ID == id })]
}

// called notes a call and returns the error that the test wants.
func (w *world) called(call string) error {
	w.calls = append(w.calls, call)
	return w.fail[call]
}

// change is a call that sets or removes infrastructure tags.
func (w *world) change(function string, ids []string, call fakecloud.Call) error {
	if err := w.called(fmt.Sprint(function, " ", ids)); err != nil {
		return err
	}
	live := map[string]map[string]string{}
	for _, id := range ids {
		live[id] = w.live(id)
	}
	err := fakecloud.ChangeIn(live, w.definition.Tags[0].Rules, call, ids...)
	for id, all := range live {
		w.find(id).Tags = all
	}
	return err
}

func set(_ context.Context, w *world, ids []string, set []tags.Tag) error {
	return w.change("set", ids, fakecloud.Call{Set: set})
}

func remove(_ context.Context, w *world, ids []string, remove []tags.Tag) error {
	return w.change("remove", ids, fakecloud.Call{Remove: remove})
}

func (w *world) kit() *driver.Kit[providerSpec, *world] {
	w.t.Helper()
	kit, err := driver.New(w.definition)
	require.NoError(w.t, err)
	return kit
}

// hot is the hot part of a spec.
func (w *world) hot(spec *providerSpec) machineupdate.HotSpec {
	w.t.Helper()
	hot, err := (*schemabridge.Schema)(w.definition.Schema).HotPart(spec)
	require.NoError(w.t, err)
	return machineupdate.HotSpec(hot)
}

// request asks for a change of all kinds.
func (w *world) request(applied, desired *providerSpec) *machineupdate.UpdateMachineRequest {
	w.t.Helper()
	class, err := json.Marshal(map[string]any{"cluster": "c", "newer": "member", "tags": desired.Tags})
	require.NoError(w.t, err)
	request := &machineupdate.UpdateMachineRequest{
		Machine: "m", ProviderID: "aws:///i-1", Class: machineupdate.MachineClass{ProviderSpec: class},
		Secret: map[string][]byte{"key": []byte("secret-key\n")},
		BeforeWrite: func(context.Context) error {
			require.Empty(w.t, w.calls, "the marker stands before the first write")
			w.marked++
			return w.fail["BeforeWrite"]
		},
	}
	for _, kind := range tags.Kinds() {
		request.Parts = append(request.Parts, machineupdate.Part{
			Kind: string(kind), Applied: w.hot(applied), Attempted: []machineupdate.HotSpec{w.hot(desired)}, Desired: w.hot(desired),
		})
	}
	return request
}

// update makes the change, for every kind of resource, from the tag mine=1 to others.
func (w *world) update(desired map[string]string) error {
	w.t.Helper()
	one := uniform(map[string]string{"mine": "1"})
	other := uniform(desired)
	return w.kit().UpdateMachine(w.t.Context(), w.request(&providerSpec{Tags: &one}, &providerSpec{Tags: &other}))
}

func (w *world) live(id string) map[string]string { return w.find(id).Tags }

// uniform are the same infrastructure tags for every kind.
func uniform(all map[string]string) tags.Tags {
	return tags.Tags{VM: maps.Clone(all), Network: maps.Clone(all), Disk: maps.Clone(all)}
}
