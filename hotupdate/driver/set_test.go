package driver_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/tags"
)

// newSets is a world in which the VM has groups in the lane of tags, and roles in a lane that is InPlace. The group
// theirs is that of a load balancer.
func newSets(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.find("i-1").Sets = map[string][]string{"groups": {"nodes", "theirs"}, "roles": {"theirs", "web"}}
	of := func(name, lane string, members func(spec *providerSpec) []string) driver.Set[providerSpec, *world] {
		change := func(function string) func(context.Context, *world, *driver.Resource, string) error {
			return func(_ context.Context, w *world, r *driver.Resource, member string) error {
				return w.changeMember(function, name, r.ID, member)
			}
		}
		return driver.Set[providerSpec, *world]{
			Kind: tags.VM, Name: name, Lane: lane, AddMember: change("add"), RemoveMember: change("remove"),
			Members: func(spec *providerSpec, _ *driver.Resource) []string { return members(spec) },
		}
	}
	w.definition.Lanes = []machineupdate.Lane{{Name: "drain", Paths: []string{"/machineType", "/roles"}}}
	w.definition.Sets = []driver.Set[providerSpec, *world]{
		of("groups", "", func(spec *providerSpec) []string { return spec.Groups }),
		of("roles", "drain", func(spec *providerSpec) []string { return spec.Roles }),
	}
	return w
}

func (w *world) changeMember(function, set, id, member string) error {
	if err := w.called(strings.Join([]string{function, id, member}, " ")); err != nil {
		return err
	}
	vm := w.find(id)
	sets := maps.Clone(vm.Sets)
	isMember := func(other string) bool { return other == member }
	sets[set] = slices.DeleteFunc(slices.Clone(sets[set]), isMember)
	if function == "add" {
		sets[set] = append(sets[set], member)
	}
	vm.Sets = sets
	return nil
}

// TestSets: what is added and removed, and what the set is afterwards.
func TestSets(t *testing.T) {
	type names = []string
	for _, tc := range []struct {
		name                        string
		applied, attempted, desired names
		live                        names
		calls, want                 names
	}{
		{"as desired", names{"nodes"}, nil, names{"nodes"}, names{"nodes", "theirs"}, nil, names{"nodes", "theirs"}},
		{
			"added before others are removed",
			names{"nodes"},
			nil,
			names{"z", "b"},
			names{"nodes", "theirs"},
			names{"add i-1 b", "add i-1 z", "remove i-1 nodes"},
			names{"b", "theirs", "z"},
		},
		{
			"the empty set",
			names{"nodes", "more"},
			nil, nil,
			names{"nodes", "more", "theirs"},
			names{"remove i-1 more", "remove i-1 nodes"},
			names{"theirs"},
		},
		{"never set", nil, nil, nil, names{"theirs"}, nil, names{"theirs"}},
		{
			"adopted: dropped before, so it belongs to others", nil, nil,
			names{"more"},
			names{"nodes"},
			names{"add i-1 more"},
			names{"more", "nodes"},
		},
		{
			"dropped while calls failed",
			names{"a"},
			names{"b"},
			names{"c"},
			names{"a", "b"},
			names{"add i-1 c", "remove i-1 a", "remove i-1 b"},
			names{"c"},
		},
		{
			"ours, and others have removed it",
			names{"nodes"},
			nil,
			names{"nodes"},
			names{"theirs"},
			names{"add i-1 nodes"},
			names{"nodes", "theirs"},
		},
		{"ours and dropped, and others have removed it", names{"nodes"}, nil, nil, names{"theirs"}, nil, names{"theirs"}},
		{"of others, and the class wants it", nil, nil, names{"theirs"}, names{"theirs"}, nil, names{"theirs"}},
		{"repeated in the spec", nil, nil, names{"b", "a", "b"}, nil, names{"add i-1 a", "add i-1 b"}, names{"a", "b"}},
		{
			"read once for each interface",
			names{"nodes"},
			nil, nil,
			names{"nodes", "theirs", "nodes", "theirs"},
			names{"remove i-1 nodes"},
			names{"theirs"},
		},
		{"case counts", names{"Nodes"}, nil, names{"nodes"}, names{"Nodes"}, names{"add i-1 nodes", "remove i-1 Nodes"}, names{"nodes"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newSets(t)
			w.find("i-1").Sets = map[string][]string{"groups": tc.live}
			request := w.request(&providerSpec{Groups: tc.applied}, &providerSpec{Groups: tc.desired})
			for i := range request.Parts {
				request.Parts[i].Attempted = append(request.Parts[i].Attempted, w.hot(&providerSpec{Groups: tc.attempted}))
			}
			require.NoError(t, w.kit().UpdateMachine(t.Context(), request))
			assert.Equal(t, tc.calls, w.calls)
			live := slices.Compact(slices.Sorted(slices.Values(w.find("i-1").Sets["groups"])))
			assert.Equal(t, tc.want, live)
			w.calls = nil
			require.NoError(t, w.kit().UpdateMachine(t.Context(), request))
			assert.Empty(t, w.calls, "nothing is left to do")
		})
	}
}

// TestDrawnSets: whatever was applied and attempted, a set ends up with all that is wanted, without what was ours and
// is not, and with all else as it was. Each member takes one call, and a second pass none.
func TestDrawnSets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() (names []string) {
		for range random.IntN(5) {
			names = append(names, among(random, "a", "A", "b", "nodes", "theirs", "a b", "\u00e9"))
		}
		return names
	}
	for range effort.Of(2000) {
		w := newSets(t)
		live := draw()
		applied := draw()
		desired := draw()
		w.find("i-1").Sets = map[string][]string{"groups": live}
		request := w.request(&providerSpec{Groups: applied}, &providerSpec{Groups: desired})
		ours := slices.Clone(applied)
		for range random.IntN(3) {
			attempted := draw()
			ours = append(ours, attempted...)
			for i := range request.Parts {
				request.Parts[i].Attempted = append(request.Parts[i].Attempted, w.hot(&providerSpec{Groups: attempted}))
			}
		}
		about := fmt.Sprintf("live %q, ours %q, desired %q", live, ours, desired)
		require.NoError(t, w.kit().UpdateMachine(t.Context(), request), about)
		calls := 0
		for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(live, ours, desired)))) {
			isWanted := slices.Contains(desired, name)
			isKept := slices.Contains(live, name) && !slices.Contains(ours, name)
			require.Equal(t, isWanted || isKept, slices.Contains(w.find("i-1").Sets["groups"], name), "%q: %s", name, about)
			if (isWanted || isKept) != slices.Contains(live, name) {
				calls++
			}
		}
		require.Len(t, w.calls, calls, about)
		w.calls = nil
		require.NoError(t, w.kit().UpdateMachine(t.Context(), request), about)
		require.Empty(t, w.calls, about)
	}
}

func among(random *rand.Rand, names ...string) string { return names[random.IntN(len(names))] }

// TestMemberThatOthersAddedIsOurs as soon as the class has wanted it, as a tag with an equal value is.
func TestMemberThatOthersAddedIsOurs(t *testing.T) {
	w := newSets(t)
	require.NoError(t, w.kit().UpdateMachine(t.Context(), w.request(&providerSpec{Groups: []string{"theirs"}}, &providerSpec{})))
	assert.Equal(t, []string{"remove i-1 theirs"}, w.calls)
}

// TestUnknownSet: a set that is missing is unknown, which is not empty. A set that no spec of the machine has concerns nobody.
func TestUnknownSet(t *testing.T) {
	some := &providerSpec{Groups: []string{"nodes"}}
	for _, tc := range []struct {
		name             string
		live             map[string][]string
		applied, desired *providerSpec
		want             error
		calls            []string
	}{
		{"unknown", nil, &providerSpec{}, some, machineupdate.ErrPending, nil},
		{"unknown, to be removed", map[string][]string{"roles": nil}, some, &providerSpec{}, machineupdate.ErrPending, nil},
		{"unknown, and not ours", nil, &providerSpec{}, &providerSpec{}, nil, nil},
		{"empty", map[string][]string{"groups": nil}, &providerSpec{}, some, nil, []string{"add i-1 nodes"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newSets(t)
			w.find("i-1").Sets = tc.live
			require.ErrorIs(t, w.kit().UpdateMachine(t.Context(), w.request(tc.applied, tc.desired)), tc.want)
			assert.Equal(t, tc.calls, w.calls)
			assert.Equal(t, len(tc.calls), w.marked)
		})
	}
}

// TestFailedMember: a VM whose call failed gets no further one, so that nothing is removed before everything is added.
// Others do. The error names neither members nor those of others.
func TestFailedMember(t *testing.T) {
	w := newSets(t)
	second := *w.find("i-1")
	second.ID = "i-2"
	w.resources = append(w.resources, second)
	w.fail["add i-1 more"] = fmt.Errorf("more is refused beside theirs and former: %w", errCloud)
	one := uniform(map[string]string{"mine": "1"})
	desired := &providerSpec{Tags: &one, Groups: []string{"last", "more"}}
	request := w.request(&providerSpec{Tags: &one, Groups: []string{"former", "nodes"}}, desired)
	for i := range request.Parts {
		request.Parts[i].Attempted = nil
	}
	err := w.kit().UpdateMachine(t.Context(), request)
	assert.Equal(t, []string{"add i-1 last", "add i-1 more", "add i-2 last", "add i-2 more", "remove i-2 nodes"}, w.calls)
	partial, ok := errors.AsType[*machineupdate.PartialError](err)
	require.True(t, ok)
	assert.Equal(t, []machineupdate.ResourceID{{Kind: "vm", ID: "i-1"}}, partial.NotDone)
	require.ErrorIs(t, err, errCloud)
	problems := fault.All(partial.Err)
	require.Len(t, problems, 1)
	assert.Equal(t, "failed-call", problems[0].Code)
	assert.Equal(t, "AddMember vm i-1", problems[0].Where)
	for _, member := range []string{"more", "theirs", "former"} {
		assert.NotContains(t, problems[0].What, member)
	}
}

// TestMemberAfterFailedTags: the calls of a VM keep their order, tags first.
func TestMemberAfterFailedTags(t *testing.T) {
	w := newSets(t)
	w.fail["set [i-1 eni-1 vol-1 vol-2]"] = errCloud
	one := uniform(map[string]string{"more": "1"})
	err := w.kit().UpdateMachine(t.Context(), w.request(&providerSpec{}, &providerSpec{Tags: &one, Groups: []string{"more"}}))
	require.ErrorIs(t, err, errCloud)
	assert.Len(t, w.calls, 1)
}

// TestThrottledMember: only the call that was throttled is repeated.
func TestThrottledMember(t *testing.T) {
	w := newSets(t)
	w.fail["add i-1 more"] = machineupdate.ErrThrottled
	var counted []string
	w.definition.Count = func(function, outcome string) { counted = append(counted, function+" "+outcome) }
	w.definition.Wait = func(context.Context, time.Duration) error {
		delete(w.fail, "add i-1 more")
		return nil
	}
	desired := &providerSpec{Groups: []string{"last", "more"}}
	require.NoError(t, w.kit().UpdateMachine(t.Context(), w.request(&providerSpec{Groups: []string{"nodes"}}, desired)))
	assert.Equal(t, []string{"add i-1 last", "add i-1 more", "add i-1 more", "remove i-1 nodes"}, w.calls)
	assert.Equal(t, []string{
		"Resources Succeeded", "AddMember Succeeded", "AddMember Throttled", "AddMember Succeeded", "RemoveMember Succeeded",
	}, counted)
}

// TestPacedMembers: Buckets pace the calls of each function, for all kinds or for one.
func TestPacedMembers(t *testing.T) {
	for _, added := range []string{"AddMember", "AddMember vm"} {
		w := newSets(t)
		var waited time.Duration
		w.definition.Wait = func(ctx context.Context, d time.Duration) error {
			waited += d
			return ctx.Err()
		}
		w.definition.Sharing = driver.Sharing[*world]{
			Key: func(*world) []string { return nil }, Buckets: buckets(map[string]float64{added: 0.5, "RemoveMember": 0.5}),
		}
		desired := &providerSpec{Groups: []string{"a", "b", "c"}}
		require.NoError(t, w.kit().UpdateMachine(t.Context(), w.request(&providerSpec{Groups: []string{"nodes"}}, desired)))
		assert.Equal(t, []string{"add i-1 a", "add i-1 b", "add i-1 c", "remove i-1 nodes"}, w.calls)
		assert.Positive(t, waited, added)
	}
}

// TestSetsAreOnlyRead, not even with the marker, while the request is ReadOnly or a refusal lasts.
func TestSetsAreOnlyRead(t *testing.T) {
	one := &providerSpec{Groups: []string{"nodes"}}
	two := &providerSpec{Groups: []string{"nodes", "more"}}
	for _, tc := range []struct {
		desired *providerSpec
		want    error
	}{{one, nil}, {two, machineupdate.ErrDiffers}} {
		w := newSets(t)
		request := w.request(one, tc.desired)
		request.ReadOnly = true
		require.ErrorIs(t, w.kit().UpdateMachine(t.Context(), request), tc.want)
		request.ReadOnly = false
		request.NotBefore = time.Now().Add(time.Hour)
		_, after := machineupdate.DriverErrorOf(w.kit().UpdateMachine(t.Context(), request))
		assert.Equal(t, tc.want != nil, after > 0)
		assert.Empty(t, w.calls)
		assert.Zero(t, w.marked)
	}
}

// TestLanesOfSets: a request is about the sets of its lane, whatever its parts have.
func TestLanesOfSets(t *testing.T) {
	for lane, want := range map[string][]string{
		"":      {"add i-1 more", "remove i-1 nodes"},
		"drain": {"add i-1 db", "remove i-1 web"},
	} {
		w := newSets(t)
		assert.Equal(t, []machineupdate.Lane{
			{Name: "drain", Kinds: []string{"vm"}, Paths: []string{"/machineType", "/roles"}},
		}, w.kit().Driver().Lanes)
		request := w.inLane(lane, &providerSpec{}, &providerSpec{})
		for i := range request.Parts {
			request.Parts[i].Applied = `{"groups":["nodes"],"roles":["web"]}`
			request.Parts[i].Desired = `{"groups":["more"],"roles":["db"]}`
		}
		require.NoError(t, w.kit().UpdateMachine(t.Context(), request))
		assert.Equal(t, want, w.calls)
	}
}

// TestDriverWithSets: a kind that has only a set is covered, and a driver that learns a set checks every machine once.
func TestDriverWithSets(t *testing.T) {
	w := newSets(t)
	w.definition.Tags = nil
	said := w.kit().Driver()
	assert.Equal(t, []string{"vm"}, said.Kinds)
	w.definition.Sets[0].Name = "securityGroups"
	assert.NotEqual(t, said.Revision, w.kit().Driver().Revision)
}

// TestSetsInDefinitions: a set that cannot work is told when the kit is made.
func TestSetsInDefinitions(t *testing.T) {
	type definition = driver.Definition[providerSpec, *world]
	for _, tc := range []struct {
		name  string
		spoil func(*definition)
		want  []string
	}{
		{"nothing", func(*definition) {}, nil},
		{"no kind", func(d *definition) { d.Sets[0].Kind = "x" }, []string{"Set.Kind"}},
		{"no name", func(d *definition) { d.Sets[0].Name = "" }, []string{"Set.Name"}},
		{"undeclared lane", func(d *definition) { d.Sets[0].Lane = "disk" }, []string{"Set.Lane"}},
		{"no Members", func(d *definition) { d.Sets[0].Members = nil }, []string{"Set.Members"}},
		{"no AddMember", func(d *definition) { d.Sets[0].AddMember = nil }, []string{"Set.AddMember"}},
		{"no RemoveMember", func(d *definition) { d.Sets[0].RemoveMember = nil }, []string{"Set.RemoveMember"}},
		{"a name twice", func(d *definition) { d.Sets[1].Name = "groups" }, []string{"Set.Name"}},
		{"a name for each kind", func(d *definition) {
			d.Sets[0].Kind = tags.Network
			d.Sets[0].Name = "roles"
		}, nil},
		{"lane without a set", func(d *definition) { d.Sets = d.Sets[:1] }, []string{"Lanes"}},
		{"all", func(d *definition) { d.Sets[0] = driver.Set[providerSpec, *world]{Lane: "x"} }, []string{
			"Set.Kind", "Set.Name", "Set.Lane", "Set.Members", "Set.AddMember", "Set.RemoveMember",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newSets(t)
			tc.spoil(&w.definition)
			_, err := driver.New(w.definition)
			var got []string
			for _, problem := range fault.All(err) {
				assert.Equal(t, "unusable-driver", problem.Code)
				got = append(got, problem.Field)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

// TestSetsNotApplied: a change of members is told only if no Members shows it. The order of members is no change.
func TestSetsNotApplied(t *testing.T) {
	const nothing = "the driver applies nothing of what has changed in the lane without a name of the class"
	for _, tc := range []struct {
		name    string
		members func(spec *providerSpec) []string
		want    []string
	}{
		{"members", func(spec *providerSpec) []string { return spec.Groups }, nil},
		{"nothing", func(*providerSpec) []string { return nil }, []string{nothing}},
	} {
		w := newSets(t)
		w.definition.Sets[0].Members = func(spec *providerSpec, _ *driver.Resource) []string { return tc.members(spec) }
		var told []string
		request := w.request(&providerSpec{Groups: []string{"nodes"}}, &providerSpec{Groups: []string{"more"}})
		request.Tell = func(message string) { told = append(told, message) }
		require.NoError(t, w.kit().UpdateMachine(t.Context(), request))
		assert.Equal(t, tc.want, told, tc.name)
	}
}
