package pool_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// furtherEdits are edits of the fields whose verdict depends on more, in the form of verdicts.txt.
const furtherEdits = `
x | | w.minimum=4
x | | w.minimum=2
x | | w.minimum=0
x | | w.maximum=40
x | | w.maximum=1
x | w.minimum=0 | w.maximum=0
x | w.minimum=0 & w.maximum=9 | w.maximum=4
x | | w.updateStrategy="AutoInPlaceUpdate"
x | w.updateStrategy="AutoInPlaceUpdate" | w.updateStrategy="ManualInPlaceUpdate"
x | w.updateStrategy="ManualInPlaceUpdate" | w.updateStrategy="AutoRollingUpdate"
x | spec.kubernetes.version="1.34.1" | spec.kubernetes.kubeProxy.enabled=false
x | spec.kubernetes.version="1.34.1" & spec.systemComponents.nodeLocalDNS.enabled=true & spec.kubernetes.kubeProxy.mode="IPVS" | spec.kubernetes.kubeProxy.enabled=false
x | spec.kubernetes.version="1.34.1" & w.updateStrategy="AutoInPlaceUpdate" & spec.systemComponents.nodeLocalDNS.enabled=true | spec.kubernetes.kubeProxy.mode="IPVS"
x | spec.hibernation.enabled=true | spec.hibernation.enabled=false
x | w.minimum=0 | spec.hibernation.enabled=true
x | | spec.provider.infrastructureConfig.zoned=true
x | | op.="maintain"
x | | op.="reconcile"
x | w.updateStrategy="AutoInPlaceUpdate" | op.="rotate-credentials-start"
x | spec.provider.type="metal" | spec.provider.infrastructureConfig.any=true
`

// TestAnswersHoldForEdits: what rules says of a field is not milder than what plan says of an edit of it, and names
// this verdict where it depends.
func TestAnswersHoldForEdits(t *testing.T) {
	t.Parallel()
	lines := strings.Split(furtherEdits, "\n")
	for _, one := range allWritten(t) {
		lines = append(lines, one.line)
	}
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t)}
	judged := 0
	for _, line := range lines {
		columns := strings.Split(line, " |")
		if len(columns) < 3 {
			continue
		}
		both := editsOf(t, columns[1])
		changed := editsOf(t, columns[2])
		if len(changed) != 1 {
			continue
		}
		answer, isKnown := answerOf(changed[0].path)
		if !isKnown {
			continue
		}
		judged++
		plan, err := pool.NewPlan(read(t, edited(t, both)), read(t, edited(t, append(both, changed...))), o)
		require.NoError(t, err, line)
		text := answer.Rolling
		if strings.Contains(columns[1]+columns[2], "InPlaceUpdate") && answer.InPlace != "the same" {
			text = answer.InPlace
		}
		got := plan.Verdict()
		assert.True(t, holds(text, got), "%s: plan says %s, rules %q", line, got, text)
	}
	require.Greater(t, judged, 100)
}

// answerOf returns the answer for a path of an edit.
func answerOf(path string) (fields.Answer, bool) {
	if name, isOfPool := strings.CutPrefix(path, "w."); isOfPool {
		return fields.Pool().Answer(name)
	}
	return fields.Shoot().Answer(path)
}

// holds reports whether a text names a verdict, or is a verdict that is as grave.
func holds(text string, v verdict.Verdict) bool {
	for _, known := range verdict.OfChanges() {
		if text == known.String() {
			return known >= v
		}
	}
	return strings.Contains(text, v.String())
}

// TestEveryRowHasAnAnswer: no row is answered by the word of an effect alone.
func TestEveryRowHasAnAnswer(t *testing.T) {
	t.Parallel()
	for _, table := range []fields.Table{fields.Shoot(), fields.Worker(), fields.Pool()} {
		for _, row := range table.Sorted() {
			path := row.Path
			if path == fields.Config || path == fields.Config+".*" { // rules answers for each provider
				continue
			}
			answer, isKnown := table.Answer(strings.ReplaceAll(path, "*", "a"))
			assert.True(t, isKnown, path)
			assert.NotEmpty(t, answer.Rolling, path)
			assert.NotEmpty(t, answer.InPlace, path)
			assert.NotContains(t, []string{"pools", "judged", "scale", "fixed", "drain"}, answer.Rolling, path)
		}
	}
}

// TestRulesTakeThePathsOfExplain: each path that explain shows has an answer of rules.
func TestRulesTakeThePathsOfExplain(t *testing.T) {
	t.Parallel()
	o := judge.Options{Providers: extensions.All(), Schema: schemaOfExamples(t), Extension: judge.Released}
	for _, of := range extensions.All() {
		t.Run(of.Name, func(t *testing.T) {
			t.Parallel()
			m := read(t, manifest(t, "pairs/"+of.Name+".yaml"))
			m.Pools[0].Worker.Kubelet = &hash.Kubelet{EvictionHard: &hash.EvictionHard{MemoryAvailable: new("5%")}}
			m.Pools[0].DataVolumes = []facts.DataVolume{{Name: "a", Size: "30Gi", Type: new("fast")}}
			shown, err := pool.Explain(m.Pools[0], o)
			require.NoError(t, err)
			require.NotEmpty(t, shown)
			sampler, err := pool.NewSampler(of, "1.35.0", o)
			require.NoError(t, err)
			for _, field := range shown {
				config, isOfConfig := strings.CutPrefix(field.Path, fields.Config+".")
				_, _, isAnswered := sampler.Today(config)
				for _, table := range []fields.Table{fields.Shoot(), fields.Worker(), fields.Pool()} {
					_, isKnown := table.Answer(field.Path)
					isAnswered = isAnswered || isKnown && !isOfConfig
				}
				require.True(t, isAnswered, field.Path)
			}
		})
	}
}
