package pool_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/extensions/recorded"
)

// recording is a record with its pool as a tree.
type recording struct {
	*recorded.Record

	pool map[string]any
}

// judgedChanges is how many changes of each record are judged at least: those seen when it was made, rounded down to tens.
var judgedChanges = map[string]struct{ roll, other, refused int }{
	"alicloud-v1.62.0": {60, 180, 80}, "alicloud-v1.71.0": {60, 180, 80},
	"aws-v1.63.0": {270, 120, 130}, "aws-v1.73.0": {360, 170, 110},
	"azure-v1.53.0": {300, 160, 10}, "azure-v1.62.1": {340, 200, 120}, // the older one takes changes in place
	"gcp-v1.45.1": {320, 120, 160}, "gcp-v1.54.1": {300, 160, 150},
	"openstack-v1.48.0": {50, 300, 110}, "openstack-v1.57.0": {70, 290, 130},
}

// TestRecordedChanges: two pools of a released extension's records that differ in one member, in a landscape with this
// release. The verdict is forbidden where the extension's admission refuses the change, and a pool that rolls is
// replaced exactly if the release gave it another name.
func TestRecordedChanges(t *testing.T) {
	t.Parallel()
	for _, name := range recorded.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			release, err := recorded.Read(name)
			require.NoError(t, err)
			judged := map[string]int{}
			var before recording
			for i := range release.Records {
				after := recording{Record: &release.Records[i]}
				require.NoError(t, json.Unmarshal(after.Pool, &after.pool))
				if before.pool != nil && after.isOneChangeOf(t, before) {
					judged[judgeRecorded(t, release, before, after)]++
				}
				before = after
			}
			t.Logf("%s: %v", name, judged)
			least, isKnown := judgedChanges[name]
			require.True(t, isKnown, "say how many changes of %s are judged at least: %v", name, judged)
			assert.Positive(t, judged["roll"])
			if effort.All() { // a tenth of the pools of some releases has few changes
				assert.GreaterOrEqual(t, judged["roll"], least.roll)
				assert.GreaterOrEqual(t, judged["other"], least.other)
				assert.GreaterOrEqual(t, judged["refused"], least.refused)
			}
		})
	}
}

// TestRecordedSecrets: a pool that rolls and gets or loses its node-agent secret name is replaced where the release
// names it in both states, and refused where the release names no pool without one.
func TestRecordedSecrets(t *testing.T) {
	t.Parallel()
	var allRolled, allRefused int
	for _, name := range recorded.Names() {
		release, err := recorded.Read(name)
		require.NoError(t, err)
		provider := release.Provider
		var rolled, refused int
		for i := 1; i < len(release.Records); i++ {
			before := recording{Record: &release.Records[i-1]}
			after := recording{Record: &release.Records[i]}
			require.NoError(t, json.Unmarshal(before.Pool, &before.pool))
			require.NoError(t, json.Unmarshal(after.Pool, &after.pool))
			isLost := before.hasSecret() && !after.hasSecret()
			isGained := after.hasSecret() && !before.hasSecret()
			isEdit := after.Edit == "pool.nodeAgentSecretName" && !before.isInPlace()
			if !isEdit || isLost == isGained {
				continue
			}
			plan, err := pool.NewPlan(before.manifest(t, provider), after.manifest(t, provider), inRelease(t, release))
			require.NoError(t, err)
			got := plan.Verdict()
			switch {
			case strings.Contains(after.Error, "missing node-agent secret name"):
				refused++
				assert.Equal(t, verdict.Forbidden, got, "%s: pool %d", name, after.Index)
			case before.Names != nil && after.Names != nil:
				rolled++
				assert.Equal(t, verdict.Roll, got, "%s: pool %d", name, after.Index)
			}
		}
		t.Logf("%s %s: %d rolled, %d refused", provider, release.Release, rolled, refused)
		allRolled += rolled
		allRefused += refused
	}
	assert.GreaterOrEqual(t, allRolled, effort.Of(150))
	assert.GreaterOrEqual(t, allRefused, effort.Of(10))
}

func (r recording) hasSecret() bool { return r.pool["nodeAgentSecretName"] != nil }

func (r recording) isInPlace() bool {
	return strings.Contains(textOf(r.pool["updateStrategy"]), "InPlace")
}

// isOneChangeOf reports whether both pools were named, differ in one field that the extension hashes or whose changes
// admission refuses, and have configs as an API server stores them. The records leave the node-agent secret as it is
// where Gardener's fields change, and the server group where its policy does.
func (r recording) isOneChangeOf(t *testing.T, before recording) bool {
	t.Helper()
	isInConfig := strings.HasPrefix(r.Edit, "config.") && !strings.HasPrefix(r.Edit, "config.serverGroup")
	isOfPool := strings.HasPrefix(r.Edit, "pool.dataVolumes") || slices.Contains([]string{"pool.volume.encrypted", "pool.zones"}, r.Edit)
	switch {
	case !isInConfig && !isOfPool:
		return false
	case len(r.RefusedUpdate) > 0: // whatever the names are
		return r.IsStored() && before.IsStored()
	}
	return r.isComparable(t) && before.isComparable(t)
}

// isComparable reports whether the pool was named, by the second version of Gardener's hash, with a config as an API server stores it.
func (r recording) isComparable(t *testing.T) bool {
	t.Helper()
	p, err := r.Read()
	require.NoError(t, err)
	isNamed := r.Names != nil && p.NodeAgentSecretName != nil
	return isNamed && r.IsStored()
}

func (r recording) manifest(t *testing.T, provider string) *facts.Manifest {
	t.Helper()
	if r.Config != nil {
		r.pool["providerConfig"] = json.RawMessage(*r.Config)
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "Worker", "metadata": map[string]any{"name": "w", "namespace": "n"},
		"spec": map[string]any{"type": provider, "region": "r", "pools": []any{r.pool}},
	})
	require.NoError(t, err)
	return read(t, text)
}

// shoot returns the pool in a Shoot, where admission sees it.
func (r recording) shoot(t *testing.T, provider string) *facts.Manifest {
	t.Helper()
	worker := map[string]any{
		"machine": map[string]any{"type": r.pool["machineType"], "image": r.pool["machineImage"]}, "volume": r.pool["volume"],
	}
	for _, same := range []string{"name", "minimum", "maximum", "maxSurge", "maxUnavailable", "zones", "updateStrategy", "dataVolumes"} {
		worker[same] = r.pool[same]
	}
	if r.Config != nil {
		worker["providerConfig"] = json.RawMessage(*r.Config)
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "metadata": map[string]any{"name": "s", "namespace": "n"},
		"spec": map[string]any{
			"cloudProfile": map[string]any{"name": "c"}, "region": "r", "kubernetes": map[string]any{"version": "1.34.2"},
			"provider": map[string]any{"type": provider, "workers": []any{worker}},
		},
	})
	require.NoError(t, err)
	return read(t, text)
}

// judgeRecorded compares a verdict with the answers of the release, and returns what kind of change it was.
func judgeRecorded(t *testing.T, release *recorded.Release, before, after recording) string {
	t.Helper()
	o := inRelease(t, release)
	provider := release.Provider
	manifest := recording.manifest
	if len(after.RefusedUpdate) > 0 {
		manifest = recording.shoot
	}
	plan, err := pool.NewPlan(manifest(before, t, provider), manifest(after, t, provider), o)
	require.NoError(t, err)
	got := plan.Verdict()
	isInPlace := before.isInPlace() || after.isInPlace()
	switch {
	case len(after.RefusedUpdate) > 0 && provider == "alicloud" && after.onlyLosesEncryption(before):
		assert.Contains(t, plan.Pools[0].Rules, verdict.KeptEncryption)
		assert.Equal(t, verdict.Indeterminate, got, "%d: %s: a webhook may keep it", after.Index, after.Edit)
		return "not compared"
	case len(after.RefusedUpdate) > 0 && provider == "alicloud" && after.onlySaysEncryption(before):
		assert.Contains(t, plan.Pools[0].Rules, verdict.FilledEncryption)
		assert.Equal(t, verdict.Indeterminate, got, "%d: %s: a webhook may have set it at creation", after.Index, after.Edit)
		return "not compared"
	case len(after.RefusedUpdate) > 0:
		assert.Equal(t, verdict.Forbidden, got, "%d: %s: the release refuses %v", after.Index, after.Edit, after.RefusedUpdate)
		return "refused"
	case got == verdict.Forbidden || isInPlace || len(plan.Pools) != 1:
		return "not compared"
	case got == verdict.Indeterminate && after.pool["kubernetesVersion"] == nil:
		return "not compared"
	}
	isRoll := before.Hashes()[0] != after.Hashes()[0]
	assert.Equal(
		t, isRoll, got == verdict.Roll, "%d: %s: the release names the pool %s, then %s; the verdict is %s\n%v\n%v", after.Index,
		after.Edit, before.Hashes(), after.Hashes(), got, before.text(), after.text(),
	)
	if isRoll {
		return "roll"
	}
	return "other"
}

// inRelease returns the options for a landscape with a release of an extension.
func inRelease(t *testing.T, release *recorded.Release) judge.Options {
	t.Helper()
	stated := map[string]facts.Extension{release.Provider: {Release: verdict.Known(release.Release, "a.yaml:1")}}
	return judge.Options{
		Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: judge.Released,
		Landscape: facts.Landscape{Extensions: stated},
	}
}

// onlyLosesEncryption reports whether the pools differ only in volumes that no longer say whether they are encrypted.
func (r recording) onlyLosesEncryption(before recording) bool {
	old := encryptionOf(before.pool)
	updated := encryptionOf(r.pool)
	for name, encrypted := range updated {
		if _, isKnown := old[name]; encrypted == nil && isKnown {
			updated[name] = old[name]
		}
	}
	return strings.HasSuffix(r.Edit, ".encrypted") && maps.Equal(old, updated)
}

// onlySaysEncryption reports whether the pools differ only in data volumes that said nothing, and are encrypted now.
func (r recording) onlySaysEncryption(before recording) bool {
	old := encryptionOf(before.pool)
	updated := encryptionOf(r.pool)
	for name, encrypted := range old {
		if encrypted == nil && updated[name] == true {
			old[name] = true
		}
	}
	return strings.HasSuffix(r.Edit, ".encrypted") && maps.Equal(old, updated)
}

// encryptionOf returns whether the data volumes of a pool are encrypted, by their names.
func encryptionOf(pool map[string]any) map[string]any {
	all := map[string]any{}
	volumes, _ := pool["dataVolumes"].([]any)
	for _, volume := range volumes {
		v := volume.(map[string]any)
		all[textOf(v["name"])] = v["encrypted"]
	}
	return all
}

func textOf(v any) string {
	text, _ := v.(string)
	return text
}

func (r recording) text() string {
	text, _ := json.Marshal(r.pool)
	return string(text)
}
