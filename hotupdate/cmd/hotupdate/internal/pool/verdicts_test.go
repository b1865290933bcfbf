package pool_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// words are the verdicts of verdicts.txt.
var words = map[string]verdict.Verdict{
	"none": verdict.None, "hot": verdict.HotUpdate, "adds": verdict.MachinesAdded, "may lose": verdict.MachinesMayBeDeleted,
	"may empty": verdict.AllMachinesMayBeDeleted, "deletes": verdict.MachinesDeleted, "drain": verdict.InPlaceUpdate,
	"unknown": verdict.Indeterminate, "roll": verdict.Roll,
	"refused": verdict.Forbidden, "removed": verdict.Removed,
}

// writtenVerdict is a line of verdicts.txt: two Shoots, what is known of the landscape, and the verdict.
type writtenVerdict struct {
	line         string
	old, updated []byte
	profile      *facts.CloudProfile
	landscape    facts.Landscape
	want         verdict.Verdict
}

// formulaOf reads the configuration of useGKEFormula: false, true, or a selector of labels.
func formulaOf(t *testing.T, text string) verdict.Fact[facts.GKEFormula] {
	t.Helper()
	formula := facts.GKEFormula{}
	switch text {
	case "false":
	case "true":
		formula.Selector = labels.Everything()
	default:
		selector, err := labels.Parse(text)
		require.NoError(t, err)
		formula.Selector = selector
	}
	return verdict.Known(formula, "verdicts.txt")
}

// allWritten reads verdicts.txt.
func allWritten(t *testing.T) (written []writtenVerdict) {
	t.Helper()
	text, err := os.ReadFile("testdata/verdicts.txt")
	require.NoError(t, err)
	var profile *facts.CloudProfile
	var landscape facts.Landscape
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if file, ok := strings.CutPrefix(line, "with "); ok {
			profile, err = facts.ReadCloudProfile(tree.Of(manifest(t, file)), today)
			require.NoError(t, err)
			continue
		}
		if formula, ok := strings.CutPrefix(line, "useGKEFormula "); ok {
			landscape.GKEFormula = formulaOf(t, formula)
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, " |")
		require.Len(t, columns, 4, line)
		want, known := words[strings.TrimSpace(columns[3])]
		require.True(t, known, line)
		both := editsOf(t, columns[1])
		written = append(written, writtenVerdict{
			line, edited(t, both), edited(t, append(both, editsOf(t, columns[2])...)), profile, landscape, want,
		})
	}
	return written
}

// TestVerdictsByFunction: each line of verdicts.txt was decided by reading the function that it
// names.
func TestVerdictsByFunction(t *testing.T) {
	t.Parallel()
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)}
	all := allWritten(t)
	for _, one := range all {
		o.CloudProfile = one.profile
		o.Landscape = one.landscape
		plan, err := pool.NewPlan(read(t, one.old), read(t, one.updated), o)
		require.NoError(t, err, one.line)
		assert.Equal(t, one.want.String(), plan.Verdict().String(), one.line)
	}
	n := len(all) + len(changesOfConfigs()) + len(changesOfPools()) + len(changesInPlace())
	require.GreaterOrEqual(t, n, 240)
}

// edited returns the Shoot of pairs/aws.yaml with edits.
func edited(t *testing.T, edits []edit) []byte {
	t.Helper()
	return editedFrom(t, manifest(t, "pairs/aws.yaml"), edits)
}

func editedFrom(t *testing.T, base []byte, edits []edit) []byte {
	t.Helper()
	var root map[string]any
	require.NoError(t, json.Unmarshal(base, &root))
	for _, e := range edits {
		if key, ok := strings.CutPrefix(e.path, "metadata.annotations."); ok {
			annotations, _ := root["metadata"].(map[string]any)["annotations"].(map[string]any)
			if annotations == nil {
				annotations = map[string]any{}
				root["metadata"].(map[string]any)["annotations"] = annotations
			}
			if annotations[key] = e.value; e.value == nil {
				delete(annotations, key)
			}
			continue
		}
		set(t, root, strings.Split(e.path, "."), e.value)
	}
	raw, err := json.Marshal(root)
	require.NoError(t, err)
	return raw
}

// editsOf reads a column with edits.
func editsOf(t *testing.T, column string) (edits []edit) {
	t.Helper()
	for text := range strings.SplitSeq(column, " & ") {
		path, value, found := strings.Cut(strings.TrimSpace(text), "=")
		if !found {
			continue
		}
		for short, long := range map[string]string{
			"w.": shootsPool, "p.": workersPool, "op.": "metadata.annotations.gardener.cloud/operation",
			"mop.": "metadata.annotations.maintenance.gardener.cloud/operation",
			"ann.": "metadata.annotations.",
		} {
			if rest, ok := strings.CutPrefix(path, short); ok {
				path = long + rest
				break
			}
		}
		e := edit{path: path}
		if value != "" {
			require.NoError(t, json.Unmarshal([]byte(value), &e.value), text)
		}
		edits = append(edits, e)
	}
	return edits
}
