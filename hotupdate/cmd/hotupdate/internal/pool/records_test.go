package pool_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// recorded is a pool that a released extension named, see package extensions.
type recorded struct {
	Edit          string
	Pool          map[string]any
	Config        *string
	Names         []string
	Error         string
	RefusedUpdate []string
}

// TestRecordedChanges: two pools of a released extension's records that differ in one member. The verdict is forbidden where the extension's
// admission refuses the change, and a pool that rolls is replaced exactly if the release gave it another name.
func TestRecordedChanges(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../../internal/extensions/testdata/*.jsonl.gz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, _, _ := strings.Cut(name, "-")
			judged := map[string]int{}
			var before recorded
			for i, after := range readRecorded(t, file) {
				if after.isOneChangeOf(before) {
					judged[judgeRecorded(t, provider, i, before, after)]++
				}
				before = after
			}
			t.Logf("%s: %v", name, judged)
			assert.Greater(t, judged["roll"], 10)
			assert.Greater(t, judged["other"], 50)
			assert.Greater(t, judged["refused"], 5)
		})
	}
}

func readRecorded(t *testing.T, file string) (all []recorded) {
	t.Helper()
	packed, err := os.Open(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, packed.Close()) }()
	text, err := gzip.NewReader(packed)
	require.NoError(t, err)
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	lines.Scan() // the header
	for lines.Scan() {
		var r recorded
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		all = append(all, r)
	}
	return all
}

// isOneChangeOf reports whether both pools were named, differ in one field that the extension hashes or whose changes admission refuses, and
// have configs as an API server stores them. The records leave the node-agent secret as it is where Gardener's fields change, and the server group
// where its policy does.
func (r recorded) isOneChangeOf(before recorded) bool {
	isInConfig := strings.HasPrefix(r.Edit, "config.") && !strings.HasPrefix(r.Edit, "config.serverGroup")
	isOfPool := strings.HasPrefix(r.Edit, "pool.dataVolumes") || slices.Contains([]string{"pool.volume.encrypted", "pool.zones"}, r.Edit)
	if !isInConfig && !isOfPool {
		return false
	}
	return r.isComparable() && before.isComparable()
}

// isComparable reports whether the pool was named, by the second version of Gardener's hash, with a config as an API server stores it.
func (r recorded) isComparable() bool {
	isNamed := r.Error == "" && r.Names != nil
	return isNamed && r.isStored() && r.hasSecret()
}

func (r recorded) isStored() bool {
	if r.Config == nil {
		return true
	}
	decoder := json.NewDecoder(strings.NewReader(*r.Config))
	decoder.UseNumber()
	var config any
	if err := decoder.Decode(&config); err != nil {
		return false
	}
	written, err := json.Marshal(config)
	return err == nil && string(written) == *r.Config
}

// hasSecret is true of all pools but those that Gardener up to 1.145 names by the first version of its hash.
func (r recorded) hasSecret() bool { return r.Pool["nodeAgentSecretName"] != nil }

func (r recorded) manifest(t *testing.T, provider string) *facts.Manifest {
	t.Helper()
	if r.Config != nil {
		r.Pool["providerConfig"] = json.RawMessage(*r.Config)
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "Worker", "metadata": map[string]any{"name": "w", "namespace": "n"},
		"spec": map[string]any{"type": provider, "region": "r", "pools": []any{r.Pool}},
	})
	require.NoError(t, err)
	return read(t, text)
}

// shoot returns the pool in a Shoot, where admission sees it.
func (r recorded) shoot(t *testing.T, provider string) *facts.Manifest {
	t.Helper()
	worker := map[string]any{
		"machine": map[string]any{"type": r.Pool["machineType"], "image": r.Pool["machineImage"]}, "volume": r.Pool["volume"],
	}
	for _, same := range []string{"name", "minimum", "maximum", "maxSurge", "maxUnavailable", "zones", "updateStrategy", "dataVolumes"} {
		worker[same] = r.Pool[same]
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

// hashOf returns the first hash among the names, without the zone.
func (r recorded) hashOf() string {
	if len(r.Names) == 0 {
		return ""
	}
	parts := strings.Split(r.Names[0], "-")
	i := slices.IndexFunc(parts, func(part string) bool { return len(part) == 5 })
	return parts[i]
}

// judgeRecorded compares a verdict with the answers of the release, and returns what kind of change it was.
func judgeRecorded(t *testing.T, provider string, i int, before, after recorded) string {
	t.Helper()
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: judge.Released}
	manifest := recorded.manifest
	if len(after.RefusedUpdate) > 0 {
		manifest = recorded.shoot
	}
	plan, err := pool.NewPlan(manifest(before, t, provider), manifest(after, t, provider), o)
	require.NoError(t, err)
	got := plan.Verdict()
	isInPlace := strings.Contains(textOf(before.Pool["updateStrategy"])+textOf(after.Pool["updateStrategy"]), "InPlace")
	switch {
	case len(after.RefusedUpdate) > 0:
		assert.Equal(t, verdict.Forbidden, got, "%d: %s: the release refuses %v", i, after.Edit, after.RefusedUpdate)
		return "refused"
	case got == verdict.Forbidden || isInPlace || len(plan.Pools) != 1:
		return "not compared"
	case got == verdict.Indeterminate && after.Pool["kubernetesVersion"] == nil:
		return "not compared"
	}
	isRoll := before.hashOf() != after.hashOf()
	assert.Equal(t, isRoll, got == verdict.Roll, "%d: %s: the release names the pool %s, then %s; the verdict is %s\n%v\n%v", i, after.Edit, before.hashOf(), after.hashOf(), got, before.text(), after.text())
	if isRoll {
		return "roll"
	}
	return "other"
}

func textOf(v any) string {
	text, _ := v.(string)
	return text
}

func (r recorded) text() string {
	text, _ := json.Marshal(r.Pool)
	return string(text)
}
