package pool_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// knowing is a change with all that is known about it.
type knowing struct {
	name         string
	old, updated []byte
	o            judge.Options
}

// taking takes one fact away from what is known. It reports whether the fact was there.
type taking struct {
	fact string
	take func(t require.TestingT, in *knowing) bool
}

// takings are the facts that verdicts read and that can be missing: beside the manifests, and in them, where
// Gardener fills in what a manifest leaves out.
var takings = []taking{
	{"the CloudProfile", func(_ require.TestingT, in *knowing) bool {
		was := in.o.CloudProfile != nil
		in.o.CloudProfile = nil
		return was
	}},
	{"useGKEFormula", func(_ require.TestingT, in *knowing) bool {
		_, was := in.o.Landscape.GKEFormula.Value()
		in.o.Landscape.GKEFormula = verdict.Fact[facts.GKEFormula]{}
		return was
	}},
	{"feature gates", func(_ require.TestingT, in *knowing) bool {
		was := in.o.Landscape.FeatureGates != nil
		in.o.Landscape.FeatureGates = nil
		return was
	}},
	{"the release of the extension", ofExtensions(func(e *facts.Extension) bool {
		_, was := e.Release.Value()
		e.Release = verdict.Fact[string]{}
		return was
	})},
	{"whether the extension has adopted", ofExtensions(func(e *facts.Extension) bool {
		_, was := e.Adopted.Value()
		e.Adopted = verdict.Fact[bool]{}
		return was
	})},
	{"how the manifest is applied", func(_ require.TestingT, in *knowing) bool {
		was := in.o.Ways != nil
		in.o.Ways = nil
		return was
	}},
	{"the release of Gardener", func(_ require.TestingT, in *knowing) bool {
		_, was := in.o.Landscape.Gardener.Value()
		in.o.Landscape.Gardener = verdict.Fact[string]{}
		return was
	}},
	{"respectSyncPeriodOverwrite", func(_ require.TestingT, in *knowing) bool {
		_, was := in.o.Landscape.RespectsSyncPeriod.Value()
		in.o.Landscape.RespectsSyncPeriod = verdict.Fact[bool]{}
		return was
	}},
	{"the extension", func(_ require.TestingT, in *knowing) bool {
		was := in.o.Providers != nil
		in.o.Providers = nil
		return was
	}},
	{"the Schema", func(_ require.TestingT, in *knowing) bool {
		was := in.o.Schema != nil
		in.o.Schema = nil
		return was
	}},
	{"the type of the provider", without(bothSides, "spec", "provider", "type")},
	{"the status", fromSides(bothSides, statusToo, func(root map[string]any) bool { return remove(root, []string{"status"}) })},
	{"the Kubernetes version of the old Shoot", withoutVersion(oldSide)},
	{"the Kubernetes version", withoutVersion(bothSides)},
	{"the machine image of the old pool", withoutOfPool(oldSide, "machine", "image")},
	{"the version of the old machine image", withoutOfPool(oldSide, "machine", "image", "version")},
	{"the machine image", withoutOfPool(bothSides, "machine", "image")},
	{"the version of the machine image", fromSides(bothSides, !statusToo, func(root map[string]any) bool {
		// without a name, the CloudProfile decides about an image without a version
		return hasImageName(root) && ofPools(root, []string{"machine", "image", "version"})
	})},
	{"whether node-local DNS was enabled", func(t require.TestingT, in *knowing) bool {
		isStated := false // by the new side: else it goes with the old one
		fromSides(newSide, !statusToo, func(root map[string]any) bool {
			spec, _ := root["spec"].(map[string]any)
			components, _ := spec["systemComponents"].(map[string]any)
			dns, _ := components["nodeLocalDNS"].(map[string]any)
			isStated = dns["enabled"] != nil
			return false
		})(t, in)
		return isStated && without(oldSide, "spec", "systemComponents", "nodeLocalDNS")(t, in)
	}},
	{"the node-agent secret name", ofWorkers(bothSides, "nodeAgentSecretName")},
	{"the Kubernetes version of the Worker's pools", ofWorkers(bothSides, "kubernetesVersion")},
	{"the old Kubernetes version of the Worker's pools", ofWorkers(oldSide, "kubernetesVersion")},
	{"the new Kubernetes version of the Worker's pools", ofWorkers(newSide, "kubernetesVersion")},
}

// ofExtensions takes a fact from what a landscape states of its extensions.
func ofExtensions(take func(*facts.Extension) bool) func(require.TestingT, *knowing) bool {
	return func(_ require.TestingT, in *knowing) (was bool) {
		in.o.Landscape.Extensions = maps.Clone(in.o.Landscape.Extensions)
		for name, one := range in.o.Landscape.Extensions {
			was = take(&one) || was
			in.o.Landscape.Extensions[name] = one
		}
		return was
	}
}

// hasImageName reports whether the first pool of a Shoot names its machine image.
func hasImageName(root map[string]any) bool {
	workers := root["spec"].(map[string]any)["provider"].(map[string]any)["workers"].([]any)
	if len(workers) == 0 {
		return false
	}
	worker := workers[0].(map[string]any)
	machine, _ := worker["machine"].(map[string]any)
	image, _ := machine["image"].(map[string]any)
	return image["name"] != nil
}

// ofWorkers takes a field from the pools of Workers.
func ofWorkers(sides int, name string) func(require.TestingT, *knowing) bool {
	return func(t require.TestingT, in *knowing) (was bool) {
		for side, raw := range map[int]*[]byte{oldSide: &in.old, newSide: &in.updated} {
			root := rooted(t, *raw)
			if side&sides == 0 || root["kind"] != "Worker" {
				continue
			}
			pools, _ := root["spec"].(map[string]any)["pools"].([]any)
			for _, one := range pools {
				was = remove(one.(map[string]any), []string{name}) || was
			}
			text, err := json.Marshal(root)
			require.NoError(t, err)
			*raw = text
		}
		return was
	}
}

// The sides of a change from which a fact is taken.
const (
	oldSide   = 1
	newSide   = 2
	bothSides = oldSide | newSide
)

// without takes a field from Shoots.
func without(sides int, path ...string) func(require.TestingT, *knowing) bool {
	return fromSides(sides, !statusToo, func(root map[string]any) bool { return remove(root, path) })
}

// withoutOfPool takes a field from the pools of Shoots. An image that only the new side lacks is kept, so a
// new side is not asked.
func withoutOfPool(sides int, path ...string) func(require.TestingT, *knowing) bool {
	return fromSides(sides, !statusToo, func(root map[string]any) bool { return ofPools(root, path) })
}

func withoutVersion(sides int) func(require.TestingT, *knowing) bool {
	return fromSides(sides, !statusToo, func(root map[string]any) bool {
		ofShoot := remove(root, []string{"spec", "kubernetes", "version"})
		ofPool := ofPools(root, []string{"kubernetes", "version"})
		return ofShoot || ofPool
	})
}

// statusToo says that a fact is also taken from Shoots that were read from a cluster.
const statusToo = true

func fromSides(sides int, isOfStatus bool, change func(root map[string]any) bool) func(require.TestingT, *knowing) bool {
	return func(t require.TestingT, in *knowing) (was bool) {
		for side, raw := range map[int]*[]byte{oldSide: &in.old, newSide: &in.updated} {
			if side&sides == 0 {
				continue
			}
			root := rooted(t, *raw)
			_, isReadBack := root["status"] // it has all that Gardener fills in
			isOfUser := root["kind"] == "Shoot" && (!isReadBack || isOfStatus)
			if !isOfUser || !change(root) {
				continue
			}
			text, err := json.Marshal(root)
			require.NoError(t, err)
			*raw = text
			was = true
		}
		return was
	}
}

func remove(at map[string]any, path []string) bool {
	for _, name := range path[:len(path)-1] {
		at, _ = at[name].(map[string]any)
	}
	_, was := at[path[len(path)-1]]
	delete(at, path[len(path)-1])
	return was
}

func ofPools(root map[string]any, path []string) (was bool) {
	spec, _ := root["spec"].(map[string]any)
	of, _ := spec["provider"].(map[string]any)
	pools, _ := of["workers"].([]any)
	for _, one := range pools {
		worker, _ := one.(map[string]any)
		was = remove(worker, path) || was
	}
	return was
}

// assumed are the facts that are taken to be what they were, by the words of the reports, if they are taken
// away. All other facts make the verdict indeterminate if they decide.
var assumed = map[string][]facts.Unknown{
	"the node-agent secret name": {facts.ContainerRuntime, facts.NodeLocalDNS, facts.Credentials},

	"the Kubernetes version of the Worker's pools": {facts.KubernetesVersion},

	"the status": {facts.Credentials},

	"the Kubernetes version": {facts.KubernetesVersion},

	"the Kubernetes version of the old Shoot": {facts.KubernetesVersion},

	"the machine image of the old pool": {facts.MachineImageVersion},

	"the version of the old machine image": {facts.MachineImageVersion},

	"the machine image": {facts.MachineImageVersion},

	"the version of the machine image": {facts.MachineImageVersion},

	"the extension": {facts.ProviderState},

	"the type of the provider": {facts.ProviderState},
}

// assumedRules are the assumptions that a report names instead if a fact is taken away that has a rule.
var assumedRules = map[string]verdict.Rule{
	"the release of Gardener":           verdict.GardenerIsKnown,
	"the release of the extension":      verdict.ExtensionIsKnown,
	"whether the extension has adopted": verdict.ExtensionIsKnown,
	"feature gates":                     verdict.GateIsOn,
}

// isBetter reports whether a verdict is better than the one that is known to be true.
func isBetter(v, truth verdict.Verdict) bool { return v <= verdict.HotUpdate && v < truth }

// checkTakings takes each fact away and compares the verdicts. It counts the facts that decided.
func checkTakings(t require.TestingT, in knowing, decided map[string]int) {
	truth, err := planOf(t, in)
	if err != nil {
		return
	}
	for i, taken := range takings {
		less := in
		isTried := effort.All() || (len(in.name)+i)%3 == 0
		if !isTried || !taken.take(t, &less) {
			continue
		}
		plan, err := planOf(t, less)
		if err != nil {
			continue // an error is no verdict
		}
		if plan.Verdict() != truth.Verdict() {
			decided[taken.fact]++
		}
		why := fmt.Sprintf("%s: %s with all facts, %s without %s", in.name, truth.Verdict(), plan.Verdict(), taken.fact)
		if isBetter(plan.Verdict(), truth.Verdict()) {
			assert.True(t, assumes(plan, taken.fact), why)
		}
		if !assumes(plan, taken.fact) {
			for _, v := range truth.Possible().Verdicts() {
				assert.True(t, plan.Possible().Has(v) || !plan.Possible().IsBounded(), "%s: %s cannot come true", why, v)
			}
		}
	}
}

// assumes reports whether the report of a plan says that a fact is assumed.
func assumes(plan *pool.Plan, fact string) bool {
	if rule, isRule := assumedRules[fact]; isRule {
		ofPool := func(p pool.Planned) bool { return slices.Contains(p.Rules, rule) }
		return slices.Contains(plan.Rules, rule) || slices.ContainsFunc(plan.Pools, ofPool)
	}
	return slices.ContainsFunc(plan.Pools, func(p pool.Planned) bool {
		return slices.ContainsFunc(assumed[fact], func(u facts.Unknown) bool { return slices.Contains(p.Unknown, u) })
	})
}

func planOf(_ require.TestingT, in knowing) (*pool.Plan, error) {
	old, err := facts.ReadIn(tree.Of(in.old), in.o.Landscape.Gardener)
	if err != nil {
		return nil, err
	}
	updated, err := facts.ReadIn(tree.Of(in.updated), in.o.Landscape.Gardener)
	if err != nil {
		return nil, err
	}
	return planPair(old, updated, in.o)
}

// TestEveryFactIsTaken: each fact that stands beside the manifests is one that is taken away, whatever facts there will be.
func TestEveryFactIsTaken(t *testing.T) {
	t.Parallel()
	known := judge.Options{
		CloudProfile: &facts.CloudProfile{}, Providers: extensions.All(), Ways: []apply.Way{{By: apply.Client}},
		Schema: func(facts.TypeMeta) *hotupdate.Schema { return nil },
		Landscape: facts.Landscape{
			GKEFormula: verdict.Known(facts.GKEFormula{}, "a"), Gardener: verdict.Known("v1.150.0", "a"),
			RespectsSyncPeriod: verdict.Known(true, "a"), FeatureGates: map[string]verdict.Fact[bool]{"A": verdict.Known(true, "a")},
			Extensions: map[string]facts.Extension{"aws": {Release: verdict.Known("v1.73.0", "a"), Adopted: verdict.Known(true, "a")}},
		},
	}
	// what the user asks for, the command finds in the manifests, or the API server answers (verdict.NotValidated
	// stands for its silence), and when it is to end
	noFacts := []string{"Strategy", "Extension", "Naming", "Defaulted", "Versions", "Custom", "Effect", "Refused", "Interrupted"}
	of := func(o judge.Options) map[string]reflect.Value {
		all := map[string]reflect.Value{}
		for _, one := range []any{o, o.Landscape, o.Landscape.Extensions["aws"]} {
			value := reflect.ValueOf(one)
			for i := range value.NumField() {
				name := value.Type().Field(i).Name
				if !slices.Contains(noFacts, name) && name != "Landscape" && name != "Extensions" {
					all[value.Type().Name()+"."+name] = value.Field(i)
				}
			}
		}
		return all
	}
	taken := map[string]string{}
	for _, one := range takings {
		in := knowing{"", []byte(`{}`), []byte(`{}`), known}
		one.take(t, &in)
		for name, value := range of(in.o) {
			if value.IsZero() {
				assert.Empty(t, taken[name], "%s is taken by %s too", name, one.fact)
				taken[name] = one.fact
			}
		}
	}
	for name, value := range of(known) {
		assert.False(t, value.IsZero(), "%s is not known in this test", name)
		assert.NotEmpty(t, taken[name], "nothing takes %s away", name)
	}
	assert.Len(t, taken, 10)
}

// TestLessIsNeverBetter: a fact that is taken away never gives a better verdict, unless the report says that the
// fact is assumed. What is true with all facts stays possible.
func TestLessIsNeverBetter(t *testing.T) {
	t.Parallel()
	decided := map[string]int{}
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)}
	for _, one := range allWritten(t) {
		o.CloudProfile = one.profile
		o.Landscape = one.landscape
		checkTakings(t, knowing{one.line, one.old, one.updated, o}, decided)
	}
	profile, err := facts.ReadCloudProfile(tree.Of([]byte(profileOfPairs)), today)
	require.NoError(t, err)
	o.CloudProfile = profile
	for i, c := range slices.Concat(changesOfConfigs(), changesOfPools(), changesInPlace()) {
		for _, extension := range []judge.Extension{judge.Released, judge.Adopted} {
			o.Extension = extension
			old := manifest(t, "pairs/"+c.file, c.both...)
			updated := manifest(t, "pairs/"+c.file, append(append(edits{}, c.both...), c.updated...)...)
			checkTakings(t, knowing{fmt.Sprintf("%d, %s %s: %s", i, extension, c.file, c.why), old, updated, o}, decided)
		}
	}
	for _, extension := range []judge.Extension{judge.Released, judge.Adopted, judge.Both} {
		o.Extension = extension
		for _, one := range changesOfExamples(t) {
			one.o = o
			checkTakings(t, one, decided)
		}
	}
	for _, one := range changesInLandscapes(t, o) {
		for range 3 { // each fact is tried with one of the names
			one.name += " "
			checkTakings(t, one, decided)
		}
	}
	for _, taken := range takings {
		assert.Positive(t, decided[taken.fact], "no change depends on %s", taken.fact)
	}
}

// changesInLandscapes are changes that a release of Gardener, or the configuration of gardenlet, decides.
func changesInLandscapes(t *testing.T, o judge.Options) (changes []knowing) {
	t.Helper()
	ofUser := edit{"metadata", object{"name": "search", "namespace": "garden-shop"}} // the cluster's Shoot has all facts
	noStatus := edit{"status", nil}
	reserved := func(cpu string) edit {
		return at("kubernetes", object{"kubelet": object{"systemReserved": object{"cpu": cpu}}})
	}
	ignored := edit{"metadata.annotations", object{"shoot.gardener.cloud/ignore": "true"}}
	for _, release := range []string{"v1.110.0", "v1.130.0", "v1.150.0"} {
		o.Landscape = facts.Landscape{Gardener: verdict.Known(release, "a.yaml:1")}
		changes = append(changes, knowing{
			"reservations in " + release, manifest(t, "pairs/"+onGCP, ofUser, noStatus, reserved("20m")),
			manifest(t, "pairs/"+onGCP, ofUser, noStatus, reserved("30m")), o,
		}, knowing{
			"in place in " + release, manifest(t, "pairs/"+onGCP, ofUser, noStatus, inPlaceAuto),
			manifest(t, "pairs/"+onGCP, ofUser, noStatus, inPlaceAuto, at("machine.type", "n2")), o,
		})
	}
	capacity := func(cpu string) edit {
		return config("nodeTemplate.virtualCapacity", object{"cpu": cpu})
	}
	for _, release := range []string{"v1.63.0", "v1.73.0", "v1.40.0"} {
		o.Landscape = facts.Landscape{Extensions: map[string]facts.Extension{"aws": {Release: verdict.Known(release, "a.yaml:1")}}}
		changes = append(changes, knowing{
			"virtual capacity in " + release, manifest(t, "pairs/"+onAWS, minor("1.33"), capacity("1")),
			manifest(t, "pairs/"+onAWS, minor("1.33"), capacity("2")), o,
		}, knowing{
			"a list in " + release, manifest(t, "pairs/"+onAWS, minor("1.34")),
			manifest(t, "pairs/"+onAWS, minor("1.34"), config("cpuOptions.amdSevSnp", "enabled")), o,
		})
	}
	for _, adopted := range []bool{false, true} {
		o.Landscape = facts.Landscape{Extensions: map[string]facts.Extension{"aws": {Adopted: verdict.Known(adopted, "a.yaml:1")}}}
		for _, edit := range []edit{config("volume.iops", 4000), config("cpuOptions.amdSevSnp", "enabled")} {
			changes = append(changes, knowing{
				fmt.Sprint("adopted, ", adopted, edit), manifest(t, "pairs/"+onAWS, minor("1.37")),
				manifest(t, "pairs/"+onAWS, minor("1.37"), edit), o,
			})
		}
	}
	for _, isOn := range []bool{false, true} {
		o.Landscape = facts.Landscape{FeatureGates: map[string]verdict.Fact[bool]{"InPlaceNodeUpdates": verdict.Known(isOn, "a.yaml:1")}}
		changes = append(changes, knowing{
			fmt.Sprint("gate, ", isOn), manifest(t, "pairs/"+onAWS, edit{"spec.provider.workers", list{}}),
			manifest(t, "pairs/"+onAWS, inPlaceAuto, at("machine.image.version", "1592.2.0")), o,
		})
	}
	o.Landscape = facts.Landscape{}
	for _, by := range apply.Methods() {
		ways := o
		ways.Ways = []apply.Way{{By: by}}
		changes = append(changes, knowing{
			"applied by " + string(by), manifest(t, "pairs/"+onGCP, at("kubernetes.kubelet.cpuManagerPolicy", "static")),
			manifest(t, "pairs/"+onGCP, ofUser, noStatus), ways,
		})
	}
	for _, heeds := range []bool{false, true} {
		o.Landscape = facts.Landscape{RespectsSyncPeriod: verdict.Known(heeds, "a.yaml:1")}
		changes = append(changes, knowing{
			fmt.Sprint("ignored, ", heeds), manifest(t, "pairs/"+onGCP, ignored), manifest(t, "pairs/"+onGCP), o,
		})
	}
	return changes
}

// changesOfExamples are the changes in the folders of the examples: Shoots, and provider configs, each in the pool of a
// Shoot of its provider.
func changesOfExamples(t *testing.T) (changes []knowing) {
	t.Helper()
	const examples = "../../../../../examples/"
	var files []string
	for _, pattern := range []string{"shoots/*/before.yaml", "*/testdata/before.yaml", "*/testdata/*/before.yaml"} {
		found, err := filepath.Glob(examples + pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.Greater(t, len(files), 15, "the examples have moved")
	for _, before := range files {
		old := readYAML(t, before)
		updated := readYAML(t, filepath.Join(filepath.Dir(before), "after.yaml"))
		if old["kind"] == "WorkerConfig" {
			provider, _, _ := strings.Cut(strings.TrimPrefix(before, examples), "/")
			base := "pairs/" + provider + ".yaml"
			changes = append(changes, knowing{
				before, manifest(t, base, at("providerConfig", old)), manifest(t, base, at("providerConfig", updated)), judge.Options{},
			})
			continue
		}
		oldText, err := json.Marshal(old)
		require.NoError(t, err)
		newText, err := json.Marshal(updated)
		require.NoError(t, err)
		changes = append(changes, knowing{before, oldText, newText, judge.Options{}})
	}
	return changes
}

func readYAML(t *testing.T, file string) (root map[string]any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &root))
	return root
}

// TestLessIsNeverBetterForDrawnShoots is the same for drawn edits of the fields of Shoots.
func TestLessIsNeverBetterForDrawnShoots(t *testing.T) {
	t.Parallel()
	all := drawnFields(t)
	paths := slices.Sorted(maps.Keys(all))
	profile, err := facts.ReadCloudProfile(tree.Of(manifest(t, "pairs/cloudprofile.yaml")), today)
	require.NoError(t, err)
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), CloudProfile: profile}
	base := manifest(t, "pairs/aws.yaml")
	check := func(rt require.TestingT, o judge.Options, drawn []drawnEdit, strategy edit) {
		before, after := all.edits(drawn)
		before = append(before, strategy)
		after = append(after, strategy)
		checkTakings(rt, knowing{
			fmt.Sprint(before, after), editedFrom(t, base, before), editedFrom(t, base, after), o,
		}, map[string]int{})
	}
	formulas := []string{"false", "true", "a=a"}
	rapid.Check(t, func(rt *rapid.T) {
		drawing := o
		drawing.Landscape.GKEFormula = formulaOf(t, rapid.SampledFrom(formulas).Draw(rt, "useGKEFormula"))
		var drawn []drawnEdit
		for range rapid.IntRange(1, 3).Draw(rt, "edits") {
			drawn = append(drawn, drawnEdit{
				rapid.SampledFrom(paths).Draw(rt, "path"), rapid.IntRange(0, 2).Draw(rt, "old"), rapid.IntRange(0, 2).Draw(rt, "updated"),
			})
		}
		check(rt, drawing, drawn, strategy(rapid.SampledFrom([]string{"", "AutoInPlaceUpdate"}).Draw(rt, "strategy")))
	})
	if !effort.All() {
		return
	}
	for _, path := range paths {
		for i := range 9 {
			check(t, o, []drawnEdit{{path, i / 3, i % 3}}, strategy(""))
			check(t, o, []drawnEdit{{path, i / 3, i % 3}}, strategy("AutoInPlaceUpdate"))
		}
	}
}
