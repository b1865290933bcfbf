package pool_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds/kindstest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// reading is another reading of Gardener's rules: patterns of paths, each with what a change can at
// most and at least do to a Shoot whose pool rolls. It knows neither the table nor the judgements.
// The first pattern that matches counts. What none matches is graver than harmless.
var reading = []struct {
	paths string
	least verdict.Verdict
	most  verdict.Verdict
}{
	{`.*unknownMember`, verdict.Indeterminate, verdict.Indeterminate},
	{`spec\.hibernation\..*`, verdict.None, verdict.MachinesDeleted},
	{
		`spec\.kubernetes\.(version|kubelet\..*|kubeProxy\.(enabled|mode))|spec\.systemComponents\.nodeLocalDNS\.enabled`, verdict.None,
		verdict.Roll,
	},
	{`spec\.maintenance\.confineSpecUpdateRollout`, verdict.None, verdict.Indeterminate}, // an earlier change may wait
	{`spec\..*`, verdict.None, verdict.None},
	{`w\.(minimum|maximum)`, verdict.None, verdict.MachinesDeleted},
	{`w\.zones`, verdict.None, verdict.Forbidden},
	{`w\.updateStrategy`, verdict.None, verdict.Forbidden},
	{
		`w\.(machine\.(type|image\.(name|version))|volume\.(size|type|encrypted)|dataVolumes|cri\.name|kubernetes\..*|providerConfig)`,
		verdict.None, verdict.Roll,
	},
	{`w\..*`, verdict.None, verdict.None},
}

// namesOf composes the node-agent secret name of the pool of a Shoot from its text, without package
// pool.
func nameFrom(t require.TestingT, root map[string]any) string {
	spec := root["spec"].(map[string]any)
	worker := spec["provider"].(map[string]any)["workers"].([]any)[0].(map[string]any)
	get := func(from any, path ...string) any {
		for _, name := range path {
			from, _ = from.(map[string]any)[name]
		}
		return from
	}
	str := func(value any) string { s, _ := value.(string); return s }
	kubernetes := spec["kubernetes"].(map[string]any)
	version := str(kubernetes["version"])
	var own map[string]any
	if k, ok := worker["kubernetes"].(map[string]any); ok {
		own = k
		if v := str(k["version"]); v != "" {
			version = v
		}
	}
	kubelet := kubernetes["kubelet"]
	if own != nil && own["kubelet"] != nil {
		kubelet = own["kubelet"]
	}
	if version == "" {
		version = "0.0"
	}
	w := hash.Worker{Name: str(worker["name"]), KubernetesVersion: version, MachineType: str(get(worker, "machine", "type"))}
	if image, ok := get(worker, "machine", "image").(map[string]any); ok {
		w.Image = &hash.Image{Name: str(image["name"]), Version: str(image["version"])}
	}
	if volume, ok := worker["volume"].(map[string]any); ok {
		w.Volume = &hash.Volume{Size: str(volume["size"])}
		if kind := str(volume["type"]); kind != "" {
			w.Volume.Type = &kind
		}
	}
	if k, ok := kubelet.(map[string]any); ok {
		w.Kubelet = &hash.Kubelet{}
		if policy := str(k["cpuManagerPolicy"]); policy != "" {
			w.Kubelet.CPUManagerPolicy = &policy
		}
	}
	name, err := hash.NodeAgentSecretName(w)
	require.NoError(t, err)
	return name.Text
}

// drawnValues are two values for each field of a Shoot, and for some that no release knows.
type drawnValues map[string][2]any

func drawnFields(t *testing.T) drawnValues {
	t.Helper()
	all := drawnValues{
		"spec.unknownMember": {1, 2}, "w.unknownMember": {1, 2}, "spec.kubernetes.unknownMember": {1, 2}, "w.machine.unknownMember": {1, 2},
	}
	for path, values := range leaves(t, kindstest.At(kinds.Shoot, "spec"), "", 0) {
		if path != "provider.workers" && path != "provider.type" {
			all["spec."+path] = values
		}
	}
	for path, values := range leaves(t, kindstest.At(kinds.Shoot, "spec", "provider", "workers", "0"), "", 0) {
		if path != "name" {
			all["w."+path] = values
		}
	}
	for path, values := range special {
		if _, ok := all["w."+path]; ok {
			all["w."+path] = values
		}
	}
	all["spec.kubernetes.version"] = [2]any{"1.33.5", "1.34.0"}
	all["spec.hibernation.enabled"] = [2]any{true, true} // absent is false
	all["w.volume.size"] = [2]any{"60Gi", "70Gi"}
	all["w.cri.name"] = [2]any{"containerd", "containerd"}
	all["w.kubernetes.kubelet.cpuManagerPolicy"] = [2]any{"none", "static"}
	all["spec.kubernetes.kubelet.cpuManagerPolicy"] = [2]any{"none", "static"}
	return all
}

// edits returns the edits of both sides, without those that overlap an earlier one.
func (d drawnValues) edits(drawn []drawnEdit) (before, after []edit) {
	for _, e := range drawn {
		values := []any{nil, d[e.path][0], d[e.path][1]}
		at := strings.Replace(e.path, "w.", shootsPool, 1)
		if !strings.HasPrefix(e.path, "w.") {
			at = e.path
		}
		overlaps := func(other edit) bool {
			return strings.HasPrefix(other.path+".", at+".") || strings.HasPrefix(at+".", other.path+".")
		}
		if !slices.ContainsFunc(before, overlaps) {
			before = append(before, edit{at, values[e.old]})
			after = append(after, edit{at, values[e.updated]})
		}
	}
	return before, after
}

// TestEveryEditAgreesWithAnotherReading: each edit of any field of a Shoot, of one that no release
// knows, or of several, has a verdict within the bounds of the other reading, and replaces machines
// whenever the composed name changes.
func TestEveryEditAgreesWithAnotherReading(t *testing.T) {
	t.Parallel()
	all := drawnFields(t)
	paths := slices.Sorted(maps.Keys(all))
	schemas := schemaOfExamples(t)
	base := manifest(t, "pairs/aws.yaml")
	var patterns []*regexp.Regexp
	for _, r := range reading {
		patterns = append(patterns, regexp.MustCompile("^("+r.paths+")$"))
	}
	bounds := func(path string) (least, most verdict.Verdict) {
		for i, r := range reading {
			if patterns[i].MatchString(path) {
				return r.least, r.most
			}
		}
		return verdict.Indeterminate, verdict.Forbidden
	}
	check := func(rt require.TestingT, edits []drawnEdit) {
		least := verdict.None
		most := verdict.None
		before, after := all.edits(edits)
		for i := range before {
			if fmt.Sprint(before[i].value) != fmt.Sprint(after[i].value) {
				atLeast, atMost := bounds(strings.Replace(before[i].path, shootsPool, "w.", 1))
				least = max(least, atLeast)
				most = max(most, atMost)
			}
		}
		old := editedFrom(t, base, before)
		updated := editedFrom(t, base, after)
		oldManifest, err := facts.Read(tree.Of(old))
		require.NoError(rt, err)
		newManifest, err := facts.Read(tree.Of(updated))
		require.NoError(rt, err)
		o := judge.Options{Providers: extensions.All(), Schema: schemas, Extension: judge.Adopted}
		plan, err := pool.NewPlan(oldManifest, newManifest, o)
		if err != nil {
			return // such as an unreadable version
		}
		if len(newManifest.Pools) > 0 && newManifest.Pools[0].IsReversed() {
			most = verdict.Forbidden // a minimum above the maximum
		}
		got := plan.Verdict()
		require.GreaterOrEqual(rt, got, least, "%v %v: %s", before, after, got)
		require.LessOrEqual(rt, got, most, "%v %v: %s", before, after, got)
		before2 := rooted(rt, old)
		after2 := rooted(rt, updated)
		keepImage(before2, after2)
		if plan.Pools[0].Strategy == hotupdate.AutoRollingUpdate && nameFrom(rt, before2) != nameFrom(rt, after2) {
			require.GreaterOrEqual(rt, got, verdict.Indeterminate, "%v %v: the name changes", before, after)
		}
	}
	for _, path := range paths {
		for i := range 9 {
			if comesOrChanges := i == 1 || i == 5; !comesOrChanges && !effort.All() {
				continue
			}
			check(t, []drawnEdit{{path, i / 3, i % 3}})
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		var edits []drawnEdit
		for range rapid.IntRange(2, 3).Draw(rt, "edits") {
			edits = append(edits, drawnEdit{
				rapid.SampledFrom(paths).Draw(rt, "path"), rapid.IntRange(0, 2).Draw(rt, "old"), rapid.IntRange(0, 2).Draw(rt, "updated"),
			})
		}
		check(rt, edits)
	})
}

// TestStatedStrategiesAreThoseOfManifests: a strategy that the user states for all pools has the effects of manifests
// that have it, for pools that stay, come, go and change their names.
func TestStatedStrategiesAreThoseOfManifests(t *testing.T) {
	t.Parallel()
	all := drawnFields(t)
	paths := slices.Sorted(maps.Keys(all))
	base := manifest(t, "pairs/aws.yaml")
	profile, err := facts.ReadCloudProfile(tree.Of(manifest(t, "pairs/cloudprofile.yaml")), today)
	require.NoError(t, err)
	strategies := []hotupdate.Strategy{hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate}
	const strategy = shootsPool + "updateStrategy"
	effects := func(old, updated []edit, o judge.Options) (lines []string) {
		plan, err := pool.NewPlan(read(t, editedFrom(t, base, old)), read(t, editedFrom(t, base, updated)), o)
		if err != nil {
			return nil // such as an unreadable version
		}
		for i := range plan.Pools {
			p := &plan.Pools[i]
			adopted := verdict.None
			if p.Adopted != nil {
				adopted = *p.Adopted
			}
			lines = append(lines, fmt.Sprint(p.State, p.Name, p.Effects(), p.Possible(), adopted))
		}
		return lines
	}
	rapid.Check(t, func(rt *rapid.T) {
		var edits []drawnEdit
		for range rapid.IntRange(0, 3).Draw(rt, "edits") {
			edits = append(edits, drawnEdit{
				rapid.SampledFrom(paths).Draw(rt, "path"), rapid.IntRange(0, 2).Draw(rt, "old"), rapid.IntRange(0, 2).Draw(rt, "updated"),
			})
		}
		before, after := all.edits(edits)
		isOther := func(e edit) bool { return e.path != strategy }
		before = slices.DeleteFunc(before, func(e edit) bool { return !isOther(e) })
		after = slices.DeleteFunc(after, func(e edit) bool { return !isOther(e) })
		if rapid.Bool().Draw(rt, "another name") {
			after = append(after, edit{shootsPool + "name", "other"})
		}
		stated := rapid.SampledFrom(strategies).Draw(rt, "stated")
		written := func(edits []edit, s hotupdate.Strategy) []edit {
			return append(slices.Clone(edits), edit{strategy, s.String()})
		}
		o := judge.Options{
			Providers: extensions.All(), Schema: schemaOfExamples(t),
			Extension: rapid.SampledFrom([]judge.Extension{judge.Adopted, judge.Released, judge.Both}).Draw(rt, "extension"),
		}
		if rapid.Bool().Draw(rt, "profile") {
			o.CloudProfile = profile
		}
		want := effects(written(before, stated), written(after, stated), o)
		o.Strategy = &stated
		oldStrategy := rapid.SampledFrom(strategies).Draw(rt, "old strategy")
		newStrategy := rapid.SampledFrom(strategies).Draw(rt, "new strategy")
		require.Equal(rt, want, effects(written(before, oldStrategy), written(after, newStrategy), o))
	})
}

// keepImage gives the image of the old Shoot to a new one that leaves it out, as admission does.
func keepImage(old, updated map[string]any) {
	machine := func(root map[string]any) map[string]any {
		workers := root["spec"].(map[string]any)["provider"].(map[string]any)["workers"].([]any)
		m, _ := workers[0].(map[string]any)["machine"].(map[string]any)
		return m
	}
	before := machine(old)
	after := machine(updated)
	was, _ := before["image"].(map[string]any)
	is, _ := after["image"].(map[string]any)
	losesVersion := after != nil && was["version"] != nil && is["version"] == nil
	keepsName := is["name"] == nil || is["name"] == was["name"]
	if losesVersion && keepsName {
		after["image"] = was
	}
}

// drawnEdit is an edit of a field from one of its values to another: 0 is absent.
type drawnEdit struct {
	path         string
	old, updated int
}

func rooted(t require.TestingT, raw []byte) (root map[string]any) {
	require.NoError(t, json.Unmarshal(raw, &root))
	return root
}
