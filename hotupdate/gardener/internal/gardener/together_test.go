package gardener_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// togetherOf is how many pairs plan judges with hotupdate-gardener: one of so many.
const togetherOf = 4

// TestTogether: plan with hotupdate-gardener in the PATH reports every refusal of Gardener's, refuses
// nothing else, and finds no defect of its own.
func TestTogether(t *testing.T) {
	drawn := map[string]*pair{}
	for i, p := range answers(t) {
		isAnswered := p.gardener.shoot != failed && p.plan.shoot != failed && p.base.profile != ""
		if isAnswered && i%togetherOf == 0 {
			drawn[p.id] = p
		}
	}
	refusals := 0
	known := readList(t)
	for id, m := range planTogether(t, slices.Collect(maps.Values(drawn))) {
		p := drawn[id]
		if p.gardener.shoot == refused {
			refusals++
			_, text, _ := strings.Cut(p.gardener.text, ": ")
			text, _, _ = strings.Cut(text, ": supported values") // Gardener lists them in no order
			assert.Equal(t, "forbidden", m.Verdict, p)
			assert.True(t, m.says("Gardener refuses the change: "+text), "%s: %s", p, text)
		} else if m.Verdict == "forbidden" && !p.isRefusedByExtension {
			assert.Equal(t, refused, p.plan.shoot, p)
		}
		isListed := len(p.disagreements()) > 0 && len(known.unlisted(p)) == 0 // such as a defect that is to be mended
		assert.False(t, !isListed && m.says("report this defect"), "%s %+v", p, m)
	}
	t.Logf("%d pairs, %d refused", len(drawn), refusals)
	assert.Greater(t, refusals, len(drawn)/10)
}

// says reports whether a rule of the manifest or of a pool has a text.
func (m *planManifest) says(text string) bool {
	all := m.Rules
	for _, pool := range m.Pools {
		all = append(all, pool.Rules...)
	}
	for _, rule := range all {
		if strings.Contains(rule.Text, text) {
			return true
		}
	}
	return false
}

// planTogether judges pairs by plan with the module.
func planTogether(t *testing.T, pairs []*pair) map[string]planManifest {
	t.Helper()
	command, err := buildPlan()
	require.NoError(t, err)
	folder := t.TempDir()
	build := exec.Command("go", "build", "-o", folder, "../../cmd/hotupdate-gardener")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	var landscape bytes.Buffer
	for _, object := range setup(t).Objects {
		landscape.Write(append(object, '\n'))
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "landscape.jsonl"), landscape.Bytes(), 0o600))
	for _, side := range []string{"old", "new"} {
		require.NoError(t, os.Mkdir(filepath.Join(folder, side), 0o700))
	}
	for _, p := range pairs {
		p.write(t, folder)
	}
	run := exec.Command(
		command, "plan", "--all", "--apply", "client", "--output", "json", "--cloudprofile", "landscape.jsonl", "old", "new",
	)
	run.Dir = folder
	run.Env = append(os.Environ(), "PATH="+folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var problems bytes.Buffer
	run.Stderr = &problems
	text, err := run.Output()
	require.NoError(t, err, problems.String())
	var report planReport
	require.NoError(t, json.Unmarshal(text, &report))
	all := map[string]planManifest{}
	for _, raw := range report.Manifests {
		var m planManifest
		require.NoError(t, json.Unmarshal(raw, &m))
		all[m.Name] = m
	}
	require.Len(t, all, len(pairs))
	return all
}
