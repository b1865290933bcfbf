package pool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

func TestReadCloudProfileRefuses(t *testing.T) {
	t.Parallel()
	const head = `"apiVersion":"core.gardener.cloud/v1beta1","kind":"CloudProfile"`
	for raw, want := range map[string][]string{
		`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot"}`: {"unknown-kind"},
		`[]`: {"unknown-kind"},
		`{` + head + `,"spec":{"machineImages":{}}}`: {"wrong-json-type"},
		`{` + head + `,"spec":{"machineImages":[{"name":1,"versions":[{"version":2,"inPlaceUpdates":{"supported":"yes"}}]}]}}`: {
			"wrong-json-type", "wrong-json-type", "wrong-json-type",
		},
	} {
		_, err := facts.ReadCloudProfile(tree.Of([]byte(raw)), today)
		codes(t, err, want...)
	}
}

// TestNamespacedCloudProfile: its status has its own images and those of its parent.
func TestNamespacedCloudProfile(t *testing.T) {
	t.Parallel()
	profile, err := facts.ReadCloudProfile(tree.Of([]byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"NamespacedCloudProfile","spec":{"machineImages":[]},
		"status":{"cloudProfileSpec":{"machineImages":[{"name":"gardenlinux","versions":[{"version":"1443.9.0","inPlaceUpdates":{"supported":true,"minVersionForUpdate":"1.0.0"}}]}]}}}`)), today)
	require.NoError(t, err)
	o := options(t)
	o.CloudProfile = profile
	old := manifest(t, "shoot.yaml", inPlaceAuto)
	got := compare(t, old, manifest(t, "shoot.yaml", inPlaceAuto, at("machine.image.version", "1443.9.0")), o)
	assert.Equal(t, verdict.InPlaceUpdate, got.Verdict)
}

// TestAddedPools: a new pool is created, unless Gardener refuses it.
func TestAddedPools(t *testing.T) {
	t.Parallel()
	profile, err := facts.ReadCloudProfile(tree.Of([]byte(profileOfPairs)), today)
	require.NoError(t, err)
	image := func(version string) edit {
		return at("machine.image", object{"name": "gardenlinux", "version": version})
	}
	for _, test := range []struct {
		edits   edits
		profile *facts.CloudProfile
		want    verdict.Verdict
		reason  string
	}{
		{nil, nil, verdict.Added, "machines are created"},
		{edits{inPlaceAuto, image("1592.2.0")}, profile, verdict.Added, "the image can be updated in place"},
		{edits{inPlaceAuto, image("1592.3.0")}, profile, verdict.Added, "also without a lowest version to come from"},
		{edits{inPlaceAuto, image("1592.1.0")}, profile, verdict.Forbidden, "the image cannot be updated in place"},
		{edits{inPlaceAuto, image("1592.2.0")}, nil, verdict.Indeterminate, "nobody knows"},
		{
			edits{inPlaceManual, at("maxSurge", 1), image("1592.2.0")},
			profile, verdict.Added,
			"whether Gardener admits maxSurge is its answer",
		},
	} {
		updated := read(t, manifest(t, "shoot.yaml", test.edits...))
		old := *updated
		old.Pools = []facts.Pool{updated.Pools[0]}
		old.Pools[0].Worker.Name = "other"
		old.Pools[0].Worker.MachineType = "other"
		plan, err := pool.NewPlan(
			&old, updated, judge.Options{Providers: extensions.All(), CloudProfile: test.profile, Schema: schemaOfExamples(t)},
		)
		require.NoError(t, err)
		require.Equal(t, pool.Added, plan.Pools[0].State)
		assert.Equal(t, test.want, plan.Pools[0].Effect(), test.reason)
		for _, rule := range plan.Pools[0].Comparison.Rules {
			assert.NotContains(t, rule.Text, "from the old version", "a new pool has none: %s", test.reason)
		}
		assert.Equal(t, "3 to 5 machines", plan.Pools[0].After.String())
	}
}

// TestUnknownMinors: a pool without a Kubernetes version is judged in all eras, which must agree.
func TestUnknownMinors(t *testing.T) {
	t.Parallel()
	of := func(config string) facts.Pool {
		p := examplePool("aws", "")
		p.Config = facts.ConfigOf([]byte(`{"apiVersion":"` + configVersion + `","kind":"` + configKind + `",` + config + `}`))
		return p
	}
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)}
	for _, test := range []struct {
		old, updated string
		want         verdict.Verdict
		reason       string
	}{
		{`"placement":{"tenancy":"host"}`, `"placement":{"tenancy":"dedicated"}`, verdict.Roll, "every era hashes it"},
		{`"volume":{"iops":1}`, `"volume":{"iops":2}`, verdict.Indeterminate, "hot in the canonical era, and hashed by those before"},
		{
			`"cpuOptions":{"coreCount":1}`, `"cpuOptions":{"coreCount":1,"amdSevSnp":"enabled"}`, verdict.Indeterminate,
			"the hand-written list does not",
		},
		{`"tags":{"vm":{"a":"1"}}`, `"tags":{"vm":{"a":"2"}}`, verdict.HotUpdate, "no era does"},
	} {
		got, err := comparePools(of(test.old), of(test.updated), o)
		require.NoError(t, err)
		assert.Equal(t, test.want.String(), got.Verdict.String(), test.reason)
	}
}

// TestUnknownFunctions: if an unknown function names the pool, it is not known whether it hashes a
// change.
func TestUnknownFunctions(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Naming = &judge.Naming{
		Versions:   []string{""},
		Additional: func(*facts.Pool) (judge.Additional, error) { return judge.Additional{Era: "x", Unknown: true}, nil },
	}
	for path, want := range map[string]verdict.Verdict{"agent": verdict.Indeterminate, "tags.a": verdict.HotUpdate, "hint": verdict.None} {
		got := compare(t, manifest(t, "shoot.yaml"), manifest(t, "shoot.yaml", config(path, "1")), o)
		assert.Equal(t, want, got.Verdict, path)
		assert.Equal(t, "x", got.NewEra)
	}
	o.Extension = judge.Released // which need not strip anything, and does not know the tags
	for path, want := range map[string]verdict.Verdict{
		"agent": verdict.Indeterminate, "hint": verdict.Indeterminate, "tags.a": verdict.Forbidden,
	} {
		got := compare(t, manifest(t, "shoot.yaml"), manifest(t, "shoot.yaml", config(path, "1")), o)
		assert.Equal(t, want, got.Verdict, path)
	}
}

// Reading a CloudProfile never panics, and all its errors are typed.
func FuzzReadCloudProfile(f *testing.F) {
	f.Add([]byte(cloudProfile))
	f.Add([]byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"NamespacedCloudProfile","status":{"cloudProfileSpec":null}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := facts.ReadCloudProfile(tree.Of(raw), today); err != nil {
			require.NotEmpty(t, fault.All(err))
		}
	})
}

// TestSpellingUnderReleasedAdmission: admission compares bytes, so another order of members may be
// refused.
func TestSpellingUnderReleasedAdmission(t *testing.T) {
	t.Parallel()
	of := func(config string) facts.Pool {
		p := examplePool("aws", "1.34.0")
		p.Worker.UpdateStrategy = hotupdate.AutoInPlaceUpdate
		p.Config = facts.ConfigOf([]byte(config))
		return p
	}
	old := of(`{"kind":"` + configKind + `","apiVersion":"` + configVersion + `"}`)
	updated := of(`{"apiVersion":"` + configVersion + `", "kind":"` + configKind + `"}`)
	for extension, want := range map[judge.Extension]verdict.Verdict{judge.Released: verdict.Indeterminate, judge.Adopted: verdict.None} {
		got, err := comparePools(
			old, updated, judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: extension},
		)
		require.NoError(t, err)
		assert.Equal(t, want.String(), got.Verdict.String(), extension)
	}
}
