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

	"github.com/hotupdate/providerconfig/examples/providers"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// reading is another reading of Gardener's rules: patterns of paths, each with what a change can at
// most and at least do to a Shoot whose pool rolls. It knows neither the table nor the judgements.
// The first pattern that matches counts. What none matches is graver than harmless.
var reading = []struct {
	paths string
	least pool.Verdict
	most  pool.Verdict
}{
	{`.*unknownMember`, pool.Indeterminate, pool.Forbidden},
	{`spec\.(region|seedName|provider\.type|networking\.(type|pods|services)|kubernetes\.kubeControllerManager\.nodeCIDRMask.*|dns\.domain|schedulerName)`, pool.None, pool.Forbidden},
	{`spec\.controlPlane\..*|spec\.secretBindingName|spec\.networking\.ipFamilies|spec\.kubernetes\.version`, pool.None, pool.Forbidden},
	{`spec\.(cloudProfile.*|networking\.nodes|networking\.providerConfig|provider\.(infra|control).*|exposureClassName|seedSelector.*|credentialsBindingName)`, pool.Indeterminate, pool.Forbidden},
	{`spec\.hibernation\..*`, pool.ComeOrGo, pool.Forbidden},
	{`spec\.kubernetes\.(kubelet|kubeProxy)\..*|spec\.kubernetes\.kubeAPIServer\.encryptionConfig.*|spec\.systemComponents\.nodeLocalDNS\.enabled`, pool.None, pool.Forbidden},
	{`spec\.(addons|accessRestrictions|extensions|maintenance|monitoring|purpose|resources|tolerations|systemComponents|dns)(\..*)?`, pool.None, pool.Forbidden},
	{`spec\.kubernetes\..*|spec\.provider\.workersSettings\..*`, pool.None, pool.None},
	{`w\.(minimum|maximum)`, pool.ComeOrGo, pool.Forbidden},
	{`w\.(controlPlane\..*|zones)`, pool.ComeOrGo, pool.Forbidden},
	{`w\.(machine\.(type|image\.(name|version))|volume\.(size|type|encrypted)|dataVolumes|cri\.name|kubernetes\..*|updateStrategy|providerConfig)`, pool.None, pool.Forbidden},
	{`w\.(annotations|labels|taints|caBundle|sysctls|priority|max.*|machineControllerManager.*|clusterAutoscaler.*|systemComponents.*)`, pool.None, pool.Forbidden},
	{`w\.(kubeletDataVolumeName|volume\.name|machine\.(architecture|image\.providerConfig)|cri\.containerRuntimes)`, pool.None, pool.Forbidden},
}

// namesOf composes the node-agent secret name of the pool of a Shoot from its text, without package
// pool.
func nameFrom(t *rapid.T, root map[string]any) string {
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

// TestEveryEditAgreesWithAnotherReading: an edit of any field of a Shoot, of one that no release
// knows, or of several, has a verdict within the bounds of the other reading, and replaces machines
// whenever the composed name changes.
func TestEveryEditAgreesWithAnotherReading(t *testing.T) {
	t.Parallel()
	all := map[string][2]any{"spec.unknownMember": {1, 2}, "w.unknownMember": {1, 2}, "spec.kubernetes.unknownMember": {1, 2}, "w.machine.unknownMember": {1, 2}}
	for path, values := range leaves(t, "ShootSpec", "", 0) {
		if path != "provider.workers" && path != "provider.type" {
			all["spec."+path] = values
		}
	}
	for path, values := range leaves(t, "ShootWorker", "", 0) {
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
	all["w.volume.size"], all["w.cri.name"] = [2]any{"60Gi", "70Gi"}, [2]any{"containerd", "containerd"}
	all["w.kubernetes.kubelet.cpuManagerPolicy"], all["spec.kubernetes.kubelet.cpuManagerPolicy"] = [2]any{"none", "static"}, [2]any{"none", "static"}
	paths, schemas := slices.Sorted(maps.Keys(all)), schemaOfExamples(t)
	base := manifest(t, "pairs/aws.yaml")
	var patterns []*regexp.Regexp
	for _, r := range reading {
		patterns = append(patterns, regexp.MustCompile("^("+r.paths+")$"))
	}
	rapid.Check(t, func(rt *rapid.T) {
		before, after := map[string]any{}, map[string]any{}
		var before2, after2 []edit
		least, most := pool.None, pool.None
		for range rapid.IntRange(1, 3).Draw(rt, "edits") {
			path := rapid.SampledFrom(paths).Draw(rt, "path")
			values := []any{nil, all[path][0], all[path][1]}
			old, updated := rapid.IntRange(0, 2).Draw(rt, "old"), rapid.IntRange(0, 2).Draw(rt, "updated")
			at := strings.Replace(path, "w.", shootsPool, 1)
			if !strings.HasPrefix(path, "w.") {
				at = path
			}
			if _, twice := before[at]; twice || old == updated || strings.Contains(fmt.Sprint(slices.Sorted(maps.Keys(before))), at) {
				continue
			}
			before[at], after[at] = values[old], values[updated]
			before2, after2 = append(before2, edit{at, values[old]}), append(after2, edit{at, values[updated]})
			found := false
			for i, r := range reading {
				if patterns[i].MatchString(path) {
					found = true
					if fmt.Sprint(values[old]) != fmt.Sprint(values[updated]) {
						least, most = max(least, r.least), max(most, r.most)
					}
					break
				}
			}
			if !found {
				least, most = max(least, pool.Indeterminate), pool.Forbidden
			}
		}
		old, updated := editedFrom(t, base, before2), editedFrom(t, base, after2)
		oldManifest, err := pool.Read(old)
		require.NoError(rt, err)
		newManifest, err := pool.Read(updated)
		require.NoError(rt, err)
		plan, err := pool.NewPlan(oldManifest, newManifest, pool.Options{Providers: providers.All(), Schema: schemas, Extension: pool.Adopted})
		if err != nil {
			return // such as an unreadable version
		}
		got := plan.Verdict()
		require.GreaterOrEqual(rt, got, least, "%v %v: %s", before2, after2, got)
		require.LessOrEqual(rt, got, most, "%v %v: %s", before2, after2, got)
		first, second := rooted(rt, old), rooted(rt, updated)
		strategy := plan.Pools[0].Strategy
		if strategy == hotupdate.AutoRollingUpdate && nameFrom(rt, first) != nameFrom(rt, second) {
			require.GreaterOrEqual(rt, got, pool.Indeterminate, "%v %v: the name changes", before2, after2)
		}
	})
}

func rooted(t *rapid.T, raw []byte) (root map[string]any) {
	require.NoError(t, json.Unmarshal(raw, &root))
	return root
}
