package policy_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// The pairs of Shoots that Gardener's code has judged, and the verdict of plan for each.
const (
	pool    = "../../../hotupdate/cmd/hotupdate/internal/pool/testdata/"
	pairs   = pool + "gardener.jsonl.gz"
	planned = pool + "planned.txt.gz"
)

func unzippedLines(t *testing.T, name string) []string {
	t.Helper()
	file, err := os.ReadFile(name)
	require.NoError(t, err)
	reader, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

type pair struct {
	Base     int
	Edits    string
	Old, New []edit
	Shoot    string
}

// edit sets the value on a path of names and indices, or removes it.
type edit struct {
	Path    []any
	Value   any
	Removed bool
}

type base struct {
	Name     string
	Old, New json.RawMessage
}

// edited returns an object with edits.
func edited(t *testing.T, raw json.RawMessage, edits []edit) []byte {
	t.Helper()
	var root any
	require.NoError(t, json.Unmarshal(raw, &root))
	for _, e := range edits {
		last := len(e.Path) - 1
		at := root
		for _, step := range e.Path[:last] {
			if name, isName := step.(string); isName {
				at = at.(map[string]any)[name]
			} else {
				at = at.([]any)[int(step.(float64))]
			}
		}
		switch holder := at.(type) {
		case map[string]any:
			holder[e.Path[last].(string)] = e.Value
			if e.Removed {
				delete(holder, e.Path[last].(string))
			}
		case []any:
			holder[int(e.Path[last].(float64))] = e.Value
		}
	}
	text, err := json.Marshal(root)
	require.NoError(t, err)
	return text
}

// tally counts changes by the verdict of plan and by whether the policy warns.
type tally struct{ right, silent, falsely, missed int }

// The policy must warn of the verdicts in loud, and must not warn of the verdicts in silent. Of
// other verdicts it may do either.
var (
	loud   = []string{"roll", "in-place-update", "removed", "renamed"}
	silent = []string{"none", "hot-update", "machines-added", "added"}
)

func (c *tally) add(verdict string, warns bool) {
	isLoud := slices.Contains(loud, verdict)
	isSilent := slices.Contains(silent, verdict)
	switch {
	case isLoud && warns:
		c.right++
	case isLoud:
		c.missed++
	case isSilent && warns:
		c.falsely++
	case isSilent:
		c.silent++
	}
}

func (c *tally) String() string {
	return fmt.Sprintf(
		"warned of %d that touch machines and of %d that do not, silent about %d that do and %d that do not", c.right, c.falsely, c.missed,
		c.silent,
	)
}

// TestShoots: among the changes that Gardener's code admits, at most one warning in ten is false:
// plan says that the change touches no machine. At most one change in fifty that touches machines
// has no warning. The page of serve states these limits. Pairs of a manifest and the cluster's
// object are left out, because an API server fills in both objects before it evaluates a policy.
func TestShoots(t *testing.T) {
	t.Parallel()
	policy := policiesOf(t)[0]
	lines := unzippedLines(t, pairs)
	answers := unzippedLines(t, planned)
	var head struct{ Bases []base }
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &head))
	counts := &tally{}
	unevaluated := 0
	for i, line := range lines[1:] {
		var p pair
		require.NoError(t, json.Unmarshal([]byte(line), &p))
		of := head.Bases[p.Base]
		isAdmitted := p.Shoot != "refused" && p.Shoot != "error"
		if !isAdmitted || !bytes.Equal(of.Old, of.New) {
			continue
		}
		answer, isOfPair := strings.CutPrefix(answers[i], of.Name+": "+p.Edits+" | ")
		require.True(t, isOfPair, answers[i])
		verdict := strings.TrimRight(strings.Fields(answer)[0], ";:")
		warnings, problems := policy.warned(t, edited(t, of.Old, p.Old), edited(t, of.New, p.New))
		if len(problems) > 0 {
			unevaluated++
		}
		counts.add(verdict, len(warnings) > 0)
	}
	t.Logf("%v; of %d not evaluated", counts, unevaluated)
	assert.Greater(t, counts.right, 3000)
	assert.Less(t, 10*counts.falsely, counts.right+counts.falsely)
	assert.Less(t, 50*counts.missed, counts.right+counts.missed)
	assert.Less(t, 100*unevaluated, counts.right)
}

// TestProviderConfigs changes the values of the fields of provider configs.
func TestProviderConfigs(t *testing.T) {
	t.Parallel()
	for _, extension := range []string{"released", "adopted"} {
		policy := policiesOf(t, "--config", "none", "--extension", extension)[0]
		counts := &tally{}
		for _, provider := range []string{"alicloud", "aws", "azure", "gcp", "openstack"} {
			file, err := os.ReadFile(pool + "pairs/" + provider + ".yaml")
			require.NoError(t, err)
			text, err := yaml.YAMLToJSON(file)
			require.NoError(t, err)
			path := []any{"spec", "provider", "workers", 0.0, "providerConfig"}
			for _, leaf := range leavesOf(t, text, path) {
				changed := edited(t, text, []edit{{Path: leaf.Path, Value: other(leaf.Value)}})
				verdict := plan(t, extension, text, changed)
				warnings, problems := policy.warned(t, text, changed)
				assert.Empty(t, problems)
				counts.add(verdict, len(warnings) > 0)
				if slices.Contains(silent, verdict) == (len(warnings) > 0) {
					t.Logf("%s, %s: %v is %s, %q", extension, provider, leaf.Path, verdict, warnings)
				}
			}
		}
		t.Logf("%s: %v", extension, counts)
		assert.Positive(t, counts.right)
		assert.LessOrEqual(t, counts.missed, counts.right/10)
	}
}

// leavesOf returns the leaves below a path, except the kind of the object there.
func leavesOf(t *testing.T, text []byte, path []any) (leaves []edit) {
	t.Helper()
	var root any
	require.NoError(t, json.Unmarshal(text, &root))
	for _, step := range path {
		if name, isName := step.(string); isName {
			root = root.(map[string]any)[name]
		} else {
			root = root.([]any)[int(step.(float64))]
		}
	}
	return below(root, path)
}

func below(value any, path []any) (leaves []edit) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if name != "apiVersion" && name != "kind" {
				leaves = append(leaves, below(member, append(slices.Clone(path), name))...)
			}
		}
	case []any:
		for i, element := range value {
			leaves = append(leaves, below(element, append(slices.Clone(path), float64(i)))...)
		}
	case nil: // the pool has none
	default:
		leaves = append(leaves, edit{Path: path, Value: value})
	}
	return leaves
}

// other returns another value of the same type.
func other(value any) any {
	switch value := value.(type) {
	case bool:
		return !value
	case float64:
		return value + 1
	}
	return fmt.Sprint(value) + "0"
}

// plan returns the verdict of plan for two Shoots.
func plan(t *testing.T, extension string, old, updated []byte) string {
	t.Helper()
	dir := t.TempDir()
	before := filepath.Join(dir, "old.json")
	after := filepath.Join(dir, "new.json")
	require.NoError(t, os.WriteFile(before, old, 0o600))
	require.NoError(t, os.WriteFile(after, updated, 0o600))
	file, err := command()
	require.NoError(t, err)
	out, err := exec.CommandContext(
		t.Context(), file, "plan", "--config", "none", "--extension", extension, "-o", "json", before, after,
	).Output()
	if err != nil {
		return "error"
	}
	var report struct{ Verdict string }
	require.NoError(t, json.Unmarshal(out, &report))
	return report.Verdict
}

// shootOf returns the Shoot of the other tests after an edit.
func shootOf(t *testing.T, edit func(spec map[string]any)) []byte {
	t.Helper()
	text, err := os.ReadFile("../testdata/shoot.yaml")
	require.NoError(t, err)
	var shoot map[string]any
	require.NoError(t, yaml.Unmarshal(text, &shoot))
	edit(shoot["spec"].(map[string]any))
	text, err = json.Marshal(shoot)
	require.NoError(t, err)
	return text
}

// workersOf returns the pools of a spec.
func workersOf(spec map[string]any) []any {
	return spec["provider"].(map[string]any)["workers"].([]any)
}

func unchanged(map[string]any) {}

// TestMessages: for each way in which machines are touched there is a warning, with the pools and
// their fields.
func TestMessages(t *testing.T) {
	t.Parallel()
	policy := policiesOf(t)[0]
	const more = "; hotupdate plan tells more"
	inPlace := func(spec map[string]any) {
		workersOf(spec)[0].(map[string]any)["updateStrategy"] = "AutoInPlaceUpdate"
	}
	larger := func(spec map[string]any) {
		workersOf(spec)[0].(map[string]any)["machine"].(map[string]any)["type"] = "m5.xlarge"
	}
	hibernated := func(spec map[string]any) { spec["hibernation"] = map[string]any{"enabled": true} }
	for name, test := range map[string]struct {
		old, updated func(spec map[string]any)
		want         []string
	}{
		"hibernated, which replaces no machine": {unchanged, func(spec map[string]any) {
			hibernated(spec)
			larger(spec)
		}, nil},
		"woken up before hibernation is finished": {
			hibernated, larger, []string{"machines are replaced: cpu (machine.type)" + more},
		},
		"nothing": {unchanged, unchanged, nil},
		"rolls": {unchanged, func(spec map[string]any) {
			worker := workersOf(spec)[0].(map[string]any)
			worker["machine"].(map[string]any)["type"] = "m5.xlarge"
			worker["volume"] = map[string]any{"size": "77Gi"}
		}, []string{"machines are replaced: cpu (machine.type, volume.size)" + more}},
		"the minor of the Shoot": {unchanged, func(spec map[string]any) {
			spec["kubernetes"].(map[string]any)["version"] = "1.32.2"
		}, []string{"machines are replaced: cpu (kubernetes.version)" + more}},
		"in place": {inPlace, func(spec map[string]any) {
			inPlace(spec)
			workersOf(spec)[0].(map[string]any)["machine"].(map[string]any)["image"] = map[string]any{"name": "a", "version": "9.9.9"}
		}, []string{"nodes are updated in place: cpu (machine.image.version)" + more}},
		"removed": {unchanged, func(spec map[string]any) {
			workersOf(spec)[0].(map[string]any)["name"] = "other"
		}, []string{"all machines are deleted: cpu" + more}},
		"number of machines": {unchanged, func(spec map[string]any) {
			workersOf(spec)[0].(map[string]any)["maximum"] = 9
		}, nil},
		"a null, with which the expression has an error": {unchanged, func(spec map[string]any) {
			spec["kubernetes"].(map[string]any)["version"] = nil
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			warnings, _ := policy.warned(t, shootOf(t, test.old), shootOf(t, test.updated))
			assert.Equal(t, test.want, warnings)
		})
	}
}

// TestWokenUp: a Shoot that has finished hibernation has no machines that a change could replace.
func TestWokenUp(t *testing.T) {
	t.Parallel()
	policy := policiesOf(t)[0]
	hibernation := edit{Path: []any{"spec", "hibernation"}, Value: map[string]any{"enabled": true}}
	finished := edit{Path: []any{"status"}, Value: map[string]any{"hibernated": true}}
	larger := edit{Path: []any{"spec", "provider", "workers", 0.0, "machine", "type"}, Value: "m5.xlarge"}
	shoot := shootOf(t, unchanged)
	old := edited(t, shoot, []edit{hibernation, finished})
	warnings, problems := policy.warned(t, old, edited(t, shoot, []edit{finished, larger}))
	assert.Empty(t, problems)
	assert.Empty(t, warnings)
}

// TestOperations: an annotation can request an operation that replaces machines. The policy warns
// of it.
func TestOperations(t *testing.T) {
	t.Parallel()
	policy := policiesOf(t)[0]
	for operation, warns := range map[string]bool{
		"rotate-credentials-start": true, "reconcile;rotate-ca-start": true, "rollout-workers=cpu": true,
		"reconcile; rotate-ca-start": true, " rollout-workers=cpu": true,
		"rotate-credentials-complete": false,
		"reconcile":                   false, "rotate-ca-start-without-workers-rollout": false,
	} {
		old := shootOf(t, unchanged)
		updated := edited(
			t, old, []edit{{Path: []any{"metadata", "annotations"}, Value: map[string]any{"gardener.cloud/operation": operation}}},
		)
		warnings, problems := policy.warned(t, old, updated)
		assert.Empty(t, problems)
		assert.Equal(t, warns, len(warnings) > 0, "%s: %q", operation, warnings)
	}
}

// TestLargeShoot: for 300 pools that all change, the costs of the expressions are within the limits
// of an API server, and a message names the first pools.
func TestLargeShoot(t *testing.T) {
	t.Parallel()
	policy := policiesOf(t)[0]
	large := func(machine string) []byte {
		return shootOf(t, func(spec map[string]any) {
			worker, err := json.Marshal(workersOf(spec)[0])
			require.NoError(t, err)
			var all []any
			for i := range 300 {
				var one map[string]any
				require.NoError(t, json.Unmarshal(worker, &one))
				one["name"] = fmt.Sprintf("pool-%d", i)
				one["machine"].(map[string]any)["type"] = machine
				all = append(all, one)
			}
			spec["provider"].(map[string]any)["workers"] = all
		})
	}
	warnings, problems := policy.warned(t, large("m5.large"), large("m5.xlarge"))
	assert.Empty(t, problems)
	assert.Equal(t,
		[]string{"machines are replaced: pool-0 (machine.type), pool-1 (machine.type), pool-2 (machine.type), pool-3 (machine.type), " +
			"pool-4 (machine.type) and 295 more; hotupdate plan tells more"}, warnings)
}
