package pool_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// machines makes a pool with a machine type, which distinguishes pools.
func machines(name, machineType string, config ...string) facts.Pool {
	p := facts.Pool{Provider: "aws", Worker: hash.Worker{Name: name, KubernetesVersion: "1.34.0", MachineType: machineType}}
	if len(config) > 0 {
		p.Config = facts.ConfigOf([]byte(`{"apiVersion":"` + configVersion + `","kind":"` + configKind + `",` + config[0] + `}`))
	}
	return p
}

func manifestOf(pools ...facts.Pool) *facts.Manifest {
	return &facts.Manifest{Kind: facts.Shoot, Provider: "aws", Pools: pools}
}

func TestPoolsThatComeAndGo(t *testing.T) {
	t.Parallel()
	rotated := machines("b", "m")
	rotated.Worker.CARotation.LastInitiationTime = &metav1.Time{Time: time.Unix(1e9, 0)}
	inPlace := machines("b", "m")
	inPlace.Worker.UpdateStrategy = hotupdate.AutoInPlaceUpdate
	secret := func(p facts.Pool, name string) facts.Pool {
		p.NodeAgentSecretName = &name
		return p
	}
	for _, test := range []struct {
		name     string
		old, new *facts.Manifest
		want     []string
		reason   string
	}{
		{"nothing", manifestOf(), manifestOf(), nil, "a Shoot without workers"},
		{"first pool", manifestOf(), manifestOf(machines("a", "m")), []string{"added a"}, "everything is new"},
		{"last pool", manifestOf(machines("a", "m")), manifestOf(), []string{"removed a"}, "everything goes"},
		{"kept", manifestOf(machines("a", "m")), manifestOf(machines("a", "n")), []string{"kept a"}, "paired by name, whatever changed"},
		{
			"reordered", manifestOf(machines("a", "m"), machines("b", "n")), manifestOf(machines("b", "n"), machines("a", "m")),
			[]string{"kept b", "kept a"},
			"order of the new manifest",
		},
		{
			"added", manifestOf(machines("a", "m")), manifestOf(machines("b", "m"), machines("a", "m")),
			[]string{"added b", "kept a"},
			"content of a pool that stays is no reason to be renamed",
		},
		{
			"removed", manifestOf(machines("a", "m"), machines("b", "m")), manifestOf(machines("b", "m")),
			[]string{"kept b", "removed a"},
			"last",
		},
		{"renamed", manifestOf(machines("a", "m")), manifestOf(machines("b", "m")), []string{"renamed b from a"}, "same content"},
		{"replaced", manifestOf(machines("a", "m")), manifestOf(machines("b", "n")), []string{"added b", "removed a"}, "other content"},
		{
			"other strategy", manifestOf(machines("a", "m")), manifestOf(inPlace),
			[]string{"added b", "removed a"},
			"the strategy is content",
		},
		{
			"other credentials", manifestOf(machines("a", "m")), manifestOf(rotated),
			[]string{"renamed b from a"},
			"a new pool has not seen the same rotations",
		},
		{
			"other secret", manifestOf(secret(machines("a", "m"), "x-a")), manifestOf(secret(machines("b", "m"), "x-b")),
			[]string{"renamed b from a"},
			"the secret's name holds the pool's",
		},
		{
			"renamed with its config", manifestOf(machines("a", "m", `"agent":"1"`), machines("b", "m", `"agent":"2"`)),
			manifestOf(machines("c", "m", `"agent":"2"`), machines("d", "m", `"agent":"1"`)),
			[]string{"renamed c from b", "renamed d from a"},
			"the provider config is content",
		},
		{
			"renamed with other tags", manifestOf(machines("a", "m", `"tags":{"a":"b"}`)),
			manifestOf(machines("b", "m", `"tags":{"a":"c"}`)),
			[]string{"renamed b from a"},
			"hot fields are shown as changes",
		},
		{
			"several alike", manifestOf(machines("a", "m"), machines("b", "m"), machines("c", "m")),
			manifestOf(machines("x", "m"), machines("y", "m")),
			[]string{"renamed x from a", "renamed y from b", "removed c"},
			"first with first",
		},
		{
			"names swapped", manifestOf(machines("a", "m"), machines("b", "n")), manifestOf(machines("a", "n"), machines("b", "m")),
			[]string{"kept a", "kept b"},
			"names go first: the machines of both are replaced",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			planned, err := pool.NewPlan(test.old, test.new, options(t))
			require.NoError(t, err)
			var got []string
			for _, p := range planned.Pools {
				text := p.State.String() + " " + p.Name
				if p.FormerName != "" {
					text += " from " + p.FormerName
				}
				got = append(got, text)
			}
			assert.Equal(t, test.want, got, test.reason)
		})
	}
}

func TestRenamedPoolsShowTheirHotChanges(t *testing.T) {
	t.Parallel()
	planned, err := pool.NewPlan(
		manifestOf(machines("a", "m", `"tags":{"a":"b"}`)), manifestOf(machines("b", "m", `"tags":{"a":"c"}`)), options(t),
	)
	require.NoError(t, err)
	assert.Equal(t, []string{"providerConfig.tags[a]"}, paths(planned.Pools[0].Changes))
}

func TestSecretNamesOfRenamedPoolsAreNoChange(t *testing.T) {
	t.Parallel()
	old := machines("a", "m")
	updated := machines("b", "m")
	old.NodeAgentSecretName = new("gardener-node-agent-a-0")
	updated.NodeAgentSecretName = new("gardener-node-agent-b-0")
	planned, err := pool.NewPlan(manifestOf(old), manifestOf(updated), options(t))
	require.NoError(t, err)
	assert.Equal(t, pool.Renamed, planned.Pools[0].State)
	assert.Empty(t, planned.Pools[0].Changes)
}

// TestRenamedPoolsMayBeRefused: where it is not known whether the pool of the new name is admitted, both answers are told.
func TestRenamedPoolsMayBeRefused(t *testing.T) {
	t.Parallel()
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: judge.Both}
	both := editsOf(t, `w.updateStrategy="AutoInPlaceUpdate"`)
	renamed := edited(t, append(slices.Clone(both), editsOf(t, `w.name="other"`)...))
	plan, err := pool.NewPlan(read(t, edited(t, both)), read(t, renamed), o)
	require.NoError(t, err)
	require.Len(t, plan.Pools, 1)
	planned := &plan.Pools[0]
	require.Equal(t, pool.Renamed, planned.State)
	assert.Equal(t, verdict.Indeterminate, planned.Effect())
	assert.Equal(t, verdict.Only(verdict.PoolRenamed, verdict.Forbidden), planned.Possible())
	assert.Contains(t, planned.Rules, verdict.NoCloudProfile)
	require.Len(t, planned.Questions, 1)
	assert.Equal(t, "whether the machine image can be updated in place (yes gives renamed, no gives forbidden), "+
		"in the CloudProfile; name it with --cloudprofile", planned.Questions[0].String())
}

// TestNewPoolsAreRefusedAsChangedOnes: whether the extension refuses a field of a config does not depend on whether the
// pool is new, however pools are named.
func TestNewPoolsAreRefusedAsChangedOnes(t *testing.T) {
	t.Parallel()
	none := func(*facts.Pool) (judge.Additional, error) { return judge.Additional{Era: "all"}, nil }
	namings := map[string]*judge.Naming{
		"the extension's": nil,
		"eras":            {Versions: []string{"1.33"}, Additional: none},
		"a Schema":        {Versions: []string{"1.33"}, Additional: none, Assumed: true},
	}
	refused := 0
	for name, naming := range namings {
		for _, extension := range []judge.Extension{judge.Adopted, judge.Released, judge.Both} {
			o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: extension, Naming: naming}
			old := read(t, manifest(t, "pairs/aws.yaml"))
			updated := read(t, manifest(t, "pairs/aws.yaml", tagged))
			changed, err := o.ReceiverOf(updated).Compare(old.Pools[0], updated.Pools[0])
			require.NoError(t, err)
			added, err := o.ReceiverOf(updated).Added(&updated.Pools[0])
			require.NoError(t, err)
			isRefused := slices.Contains(changed.Rules, verdict.NotReleased)
			assert.Equal(t, isRefused, slices.Contains(added.Rules, verdict.NotReleased), "%s, %s", name, extension)
			assert.Equal(t, isRefused, added.Verdict == verdict.Forbidden, "%s, %s", name, extension)
			if isRefused {
				refused++
			}
		}
	}
	assert.Equal(t, 5, refused, "by today's release, however it is named, and by both unless eras are given")
}

// TestRenamedPoolsAreNewPools: whether a pool of another name is refused does not depend on the old pool, and what a
// change would do to machines that stay is not told of it.
func TestRenamedPoolsAreNewPools(t *testing.T) {
	t.Parallel()
	const inPlace = `w.updateStrategy="AutoInPlaceUpdate"`
	profile, err := facts.ReadCloudProfile(tree.Of(manifest(t, "pairs/cloudprofile.yaml")), today)
	require.NoError(t, err)
	for _, test := range []struct {
		name, both, edit string
		want             verdict.Verdict
		rules            []verdict.Rule
		adopted          *verdict.Verdict
	}{
		{"the same", "", "", verdict.PoolRenamed, nil, nil},
		{"more machines", "", "w.maximum=20", verdict.PoolRenamed, nil, nil},
		{"minimum above maximum", "", "w.minimum=30", verdict.Forbidden, []verdict.Rule{verdict.MinimumAboveMaximum}, nil},
		{
			"a field of the adopted extension", "", `w.providerConfig.tags={"vm":{"a":"b"}}`, verdict.Forbidden,
			[]verdict.Rule{verdict.NotReleased},
			new(verdict.PoolRenamed),
		},
		{"a hot change", "", "w.providerConfig.volume.iops=4000", verdict.PoolRenamed, nil, nil},
		{
			"a config that is fixed in place", inPlace + ` & w.machine.image.version="1592.2.0"`, "w.providerConfig.volume.iops=4000",
			verdict.PoolRenamed, nil, nil,
		},
		{
			"a field that is fixed in place", inPlace + ` & w.machine.image.version="1592.2.0"`, `w.volume.name="a"`,
			verdict.PoolRenamed, nil, nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: judge.Both, CloudProfile: profile}
			both := editsOf(t, test.both)
			edits := append(slices.Clone(both), editsOf(t, test.edit)...)
			updated := edited(t, append(edits, editsOf(t, `w.name="other"`)...))
			plan, err := pool.NewPlan(read(t, edited(t, both)), read(t, updated), o)
			require.NoError(t, err)
			require.Len(t, plan.Pools, 1)
			planned := &plan.Pools[0]
			require.Equal(t, pool.Renamed, planned.State)
			assert.Equal(t, test.want, planned.Effect())
			assert.Equal(t, verdict.Only(test.want), planned.Possible())
			assert.Equal(t, test.adopted, planned.Adopted)
			var refusals []verdict.Rule
			for _, rule := range planned.Rules {
				if rule.Kind == verdict.Refuses {
					refusals = append(refusals, rule)
				}
			}
			assert.Equal(t, test.rules, refusals)
			for _, c := range planned.Changes {
				assert.Equal(t, verdict.None, c.Verdict, c.Path)
				assert.False(t, c.Decides, c.Path)
			}
		})
	}
}

func TestManifestsOfDifferentKinds(t *testing.T) {
	t.Parallel()
	_, err := pool.NewPlan(manifestOf(), &facts.Manifest{Kind: facts.Worker, Provider: "aws"}, judge.Options{Providers: extensions.All()})
	codes(t, err, "other-provider")
	_, err = pool.NewPlan(manifestOf(), &facts.Manifest{Kind: facts.Shoot, Provider: "gcp"}, judge.Options{Providers: extensions.All()})
	codes(t, err, "other-provider")
}

// All problems of all pools are joined, including those of new pools.
func TestAllProblemsOfAPlan(t *testing.T) {
	t.Parallel()
	broken := func(name string) facts.Pool { return machines(name, "m", `"agent":1`) }
	_, err := pool.NewPlan(
		manifestOf(machines("a", "m"), machines("b", "m")), manifestOf(broken("a"), broken("b"), broken("c")), options(t),
	)
	codes(t, err, "wrong-json-type", "wrong-json-type", "wrong-json-type")
}

func TestExplain(t *testing.T) {
	t.Parallel()
	m := read(t, manifest(t, "worker.yaml"))
	got, err := pool.Explain(m.Pools[0], options(t))
	require.NoError(t, err)
	classes := map[string]hotupdate.Class{}
	for _, c := range got {
		assert.Equal(t, hotupdate.OpAdd, c.Op)
		classes[c.Path] = c.Class
	}
	for path, want := range map[string]hotupdate.Class{
		"machineType": hotupdate.Immutable, "machineImage.name": hotupdate.Immutable, "machineImage.version": hotupdate.InPlace,
		"kubernetesVersion": hotupdate.InPlace, "kubeletConfig.kubeReserved.memory": hotupdate.InPlace,
		"volume.encrypted":    hotupdate.Immutable,
		"dataVolumes[0].size": hotupdate.Immutable, "providerConfig.volume.iops": hotupdate.Immutable,
		"nodeAgentSecretName": hotupdate.Immutable,
		"updateStrategy":      hotupdate.Immutable,
	} {
		assert.Contains(t, classes, path)
		assert.Equal(t, want, classes[path], path)
	}
	got, err = pool.Explain(m.Pools[0], judge.Options{Providers: extensions.All()})
	require.NoError(t, err)
	isVolume := func(f pool.SetField) bool { return f.Path == "providerConfig.volume" }
	assert.True(t, slices.ContainsFunc(got, isVolume), "a member as a whole")
}

func TestOutcomeOfAPlan(t *testing.T) {
	kept := func(o verdict.Verdict) pool.Planned { return pool.Planned{Comparison: judge.Comparison{Verdict: o}} }
	for _, tc := range []struct {
		name   string
		pools  []pool.Planned
		want   verdict.Verdict
		reason string
	}{
		{"no pool", nil, verdict.None, "there is no machine"},
		{
			"the gravest",
			[]pool.Planned{kept(verdict.None), kept(verdict.InPlaceUpdate), kept(verdict.HotUpdate)},
			verdict.InPlaceUpdate,
			"wherever it stands",
		},
		{"uncertain", []pool.Planned{kept(verdict.Indeterminate), kept(verdict.InPlaceUpdate)}, verdict.Indeterminate, "it may be a roll"},
		{"certain", []pool.Planned{kept(verdict.Indeterminate), kept(verdict.Roll)}, verdict.Roll, "one roll is certain"},
		{"forbidden", []pool.Planned{kept(verdict.Forbidden), kept(verdict.Roll)}, verdict.Forbidden, "nothing is applied at all"},
		{"unknown", []pool.Planned{kept(99), kept(verdict.HotUpdate)}, 99, "what this release does not know may be anything"},
		{
			"added",
			[]pool.Planned{{State: pool.Added, Comparison: judge.Comparison{Verdict: verdict.Forbidden}}},
			verdict.Forbidden,
			"it is not admitted",
		},
		{
			"removed",
			[]pool.Planned{{State: pool.Removed, Comparison: judge.Comparison{Verdict: verdict.Removed}}},
			verdict.Removed,
			"its machines go, and none come instead",
		},
		{
			"renamed",
			[]pool.Planned{{State: pool.Renamed, Comparison: judge.Comparison{Verdict: verdict.PoolRenamed}}},
			verdict.PoolRenamed,
			"its machines go, and others come instead",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, (&pool.Plan{Pools: tc.pools}).Verdict(), tc.reason)
		})
	}
}

// TestRemovedShoots: a Shoot that is removed is removed, also if it has no pools.
func TestRemovedShoots(t *testing.T) {
	assert.Equal(t, verdict.Removed, pool.OneSided(&facts.Manifest{Kind: facts.Shoot}, pool.Removed, judge.Options{}).Verdict())
	assert.Equal(t, verdict.None, pool.OneSided(&facts.Manifest{Kind: facts.Shoot}, pool.Added, judge.Options{}).Verdict())
	for _, state := range []pool.State{pool.Added, pool.Removed} {
		ofShoot := pool.OneSided(&facts.Manifest{Kind: facts.Shoot}, state, judge.Options{})
		assert.Contains(t, ofShoot.Rules, verdict.AdmissionUnjudged, "%s: Gardener may refuse it", state)
		ofWorker := pool.OneSided(&facts.Manifest{Kind: facts.Worker}, state, judge.Options{})
		assert.NotContains(t, ofWorker.Rules, verdict.AdmissionUnjudged, "no admission is asked about Workers")
		ofShoot.AdmissionAsked()
		assert.Equal(
			t, state == pool.Removed, slices.Contains(ofShoot.Rules, verdict.AdmissionUnjudged), "%s: nobody asks about deletions", state,
		)
	}
	with := manifestOf(machines("a", "m"))
	assert.Equal(t, verdict.Removed, pool.OneSided(with, pool.Removed, judge.Options{}).Verdict())
	assert.Equal(t, verdict.Added, pool.OneSided(with, pool.Added, judge.Options{}).Verdict())
}

// TestTouchedMachines: where only the number of machines changes, those that are added or deleted; else all.
func TestTouchedMachines(t *testing.T) {
	few := facts.Machines{Minimum: 3, Maximum: 50, Known: true}
	many := facts.Machines{Minimum: 5, Maximum: 60, Known: true}
	none := facts.Machines{Known: true}
	spread := verdict.Numbers{DeletedAtMost: 5, AddedAtMost: 3}
	for _, tc := range []struct {
		name          string
		state         pool.State
		before, after facts.Machines
		v             verdict.Verdict
		also          []verdict.Verdict
		want          int
	}{
		{"nothing", pool.Kept, few, few, verdict.None, nil, 0},
		{"their number alone", pool.Kept, few, many, verdict.MachinesMayBeDeleted, nil, 8},
		{"a roll", pool.Kept, few, many, verdict.Roll, nil, 60},
		{"a roll, with more machines", pool.Kept, few, many, verdict.Roll, []verdict.Verdict{verdict.MachinesAdded}, 60},
		{"fewer machines, and a roll", pool.Kept, many, few, verdict.MachinesDeleted, []verdict.Verdict{verdict.Roll}, 60},
		{"a new pool", pool.Added, none, few, verdict.Added, nil, 50},
		{"a pool less", pool.Removed, few, none, verdict.Removed, nil, 50},
		{"another name", pool.Renamed, few, few, verdict.PoolRenamed, nil, 50},
	} {
		planned := pool.Planned{
			State: tc.state, Before: tc.before, After: tc.after,
			Comparison: judge.Comparison{Verdict: tc.v, Also: tc.also, Numbers: spread},
		}
		assert.Equal(t, tc.want, planned.Touched(), tc.name)
	}
}

// A hundred pools with 200 fields each, and ten times as many: the time per pool stays the same. In
// the last third of the pools one field changes; some are renamed.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("pools=%d", n), func(b *testing.B) {
			old := fleet(b, n, "a")
			updated := fleet(b, n, "b")
			o := options(b)
			b.SetBytes(int64(len(old) + len(updated)))
			b.ReportAllocs()
			for b.Loop() {
				before, err := facts.Read(tree.Of(old))
				require.NoError(b, err)
				after, err := facts.Read(tree.Of(updated))
				require.NoError(b, err)
				planned, err := pool.NewPlan(before, after, o)
				require.NoError(b, err)
				if len(planned.Pools) != n {
					b.Fatal(len(planned.Pools))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/pool")
		})
	}
}

// fleet writes a Shoot with n pools, whose provider configs have 200 fields.
func fleet(b *testing.B, n int, variant string) []byte {
	b.Helper()
	workers := make([]any, n)
	for i := range workers {
		tags := map[string]any{}
		volumes := make([]any, 50)
		for j := range 100 {
			tags[fmt.Sprintf("key-%d", j)] = fmt.Sprintf("value-%d", j)
		}
		for j := range volumes {
			volumes[j] = map[string]any{"name": fmt.Sprintf("volume-%d", j), "iops": 1000 + j}
		}
		name := fmt.Sprintf("pool-%d", i)
		machineType := fmt.Sprintf("type-%d", i)
		if variant == "b" && i%3 == 0 {
			machineType += "-large"
		}
		if i%30 == 1 {
			name += variant // renamed
		}
		workers[i] = map[string]any{
			"name": name, "machine": map[string]any{"type": machineType, "image": map[string]any{"name": "linux", "version": "1.2.3"}},
			"volume": map[string]any{"type": "gp3", "size": "50Gi"}, "minimum": 1, "maximum": 9, "labels": map[string]any{"a": "b"},
			"providerConfig": map[string]any{"apiVersion": configVersion, "kind": configKind, "tags": tags, "dataVolumes": volumes},
		}
	}
	return mustJSON(b, map[string]any{
		"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot",
		"spec": map[string]any{
			"kubernetes": map[string]any{"version": "1.33.2"}, "provider": map[string]any{"type": "aws", "workers": workers},
		},
	})
}
