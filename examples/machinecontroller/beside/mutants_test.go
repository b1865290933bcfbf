package beside_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mutant is one way to break a rule of package updater.
type mutant struct {
	breaks   string // the rule
	file     string // of the package
	old, new string // the text that stands in the file once, and what replaces it
	killer   string // the test that has to fail
}

const gateWithoutDrain = `u.executor.ApplyInPlace(ctx, observed, func(context.Context) (machineupdate.DrainedNode, error) {
		return machineupdate.DrainedNode{UID: "node", Drained: time.Now(), Unschedulable: true}, nil
	})
	`

var mutants = []mutant{
	{"no machine in creation is written", "reconcile.go", `case "", "Pending", "CrashLoopBackOff", `, `case "CrashLoopBackOff", `, "TestUnfinishedMachines"},
	{"no pending machine is written", "reconcile.go", `"", "Pending", `, `"", `, "TestUnfinishedMachines"},
	{"a version is stored before it is used", "creating.go", "switch wrote, err := u.store.add(ctx, class.GetName(), version); {", `later := context.WithoutCancel(ctx)
	go func() { <-ctx.Done(); _, _ = u.store.add(later, class.GetName(), version) }()
	switch wrote, err := false, error(nil); {`, "TestCreations$"},
	{"a stored version is used", "reconcile.go", `all = append(all, found.hots[class]...)`, `all = append(all, found.hots[class+"?"]...)`, "TestSupersededVersion"},
	{"all stored versions are used", "reconcile.go", `all = append(all, found.hots[class]...)`, `all = append(all, found.hots[class][max(len(found.hots[class])-1, 0):]...)`, "TestCreations$"},
	{"an adoption reads the store", "reconcile.go", `return all, err`, `_ = err
		return all, nil`, "TestUnreadStore"},
	{"a missing secret is not empty", "reconcile.go", "\t\tfound, err := u.secret(ctx, namespace, name)\n", "\t\tfound, err := u.secret(ctx, namespace, name)\n\t\tif apierrors.IsNotFound(err) {\n\t\t\tcontinue\n\t\t}\n", "TestMissingSecret"},
	{"without a gate nothing InPlace is written", "reconcile.go", "u.reportInPlace(&observed, owned)\n", gateWithoutDrain, "TestInPlaceIsReported"},
	{"a node that is not drained is not ready", "gate.go", `node.Spec.Unschedulable && `, `node != nil || `, "TestGate"},
	{"the gate holds the report back", "gate.go", `if reportsReady(body) {`, `if false {`, "TestGate"},
	{"the class of an in-place pool is the deployment's", "cache.go", `wanted: wantedOf(deployment)`, `wanted: own.wanted`, "TestInPlaceIsReported"},
	{"the class of a pool that rolls is the machine's", "cache.go", `text(deployment, "spec", "strategy", "type") == "InPlaceUpdate"`, `true`, "TestRollingPool"},
	{"losing the lease does not end the process", "updater.go", `OnStoppedLeading: func() {}`, `OnStoppedLeading: func() { panic("lost") }`, "TestTwoReplicas"},
	{"who has lost the lease competes again", "updater.go", `wait.UntilWithContext(ctx, u.compete, retryPeriod)`, `u.compete(ctx)`, "TestTwoReplicas"},
	{"a version that a machine without a record may have used stays", "prune.go", `case unrecorded:`, `case unrecorded && false:`, "TestCreationsWhilePruning"},
	{"a creation that finds the mark writes", "store.go", `!write && isMarked`, `!write && !isMarked && false`, "TestCreationsWhilePruning"},
	{"the mark removes nothing", "prune.go", `if found, err = u.mark(ctx); err == nil {`, `metav1.SetMetaDataAnnotation(&found.object.ObjectMeta, annotationPruning, "true")
	if found.object, err = u.store.write(ctx, found); err == nil {`, "TestCreationsWhilePruning"},
	{"versions are removed", "prune.go", `case len(versions) > 1:`, `case false:`, "TestSupersededVersion"},
}

// TestMutationsApply says which rows of the table have to follow a change of the code.
func TestMutationsApply(t *testing.T) {
	t.Parallel()
	for _, m := range mutants {
		t.Run(m.breaks, func(t *testing.T) { m.overlay(t) })
	}
}

// overlay writes the broken file, and the file that tells the go command to read it in place of the
// right one.
func (m mutant) overlay(t *testing.T) string {
	t.Helper()
	original, err := filepath.Abs(filepath.Join("../../../hotupdate/updater", m.file))
	require.NoError(t, err)
	source, err := os.ReadFile(original)
	require.NoError(t, err, "the mutation no longer applies: the file is gone")
	require.Equal(t, 1, strings.Count(string(source), m.old), "it no longer applies: %s must have once: %s", m.file, m.old)
	broken, replace := filepath.Join(t.TempDir(), "broken.go"), filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(broken, []byte(strings.Replace(string(source), m.old, m.new, 1)), 0o600))
	written, err := json.Marshal(map[string]map[string]string{"Replace": {original: broken}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(replace, written, 0o600))
	return replace
}
