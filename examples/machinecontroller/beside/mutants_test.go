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
	killer   string // the test that has to fail, behind the folder of its package unless that is this one
}

// ofStore is the package whose own tests are about the store.
const ofStore = "../../../hotupdate/updater "

const gateWithoutDrain = `u.executor.ApplyInPlace(ctx, result.Machine, observed, func(context.Context) (machineupdate.DrainedNode, error) {
		return machineupdate.DrainedNode{UID: "node", Drained: time.Now(), Unschedulable: true}, nil
	})
	`

var mutants = []mutant{
	{
		"no machine in creation is written", "reconcile.go", `case "", "Pending", "CrashLoopBackOff", `, `case "CrashLoopBackOff", `,
		"TestUnfinishedMachines",
	},
	{"no pending machine is written", "reconcile.go", `"", "Pending", `, `"", `, "TestUnfinishedMachines"},
	{
		"a version is stored before it is used", "creating.go", "wrote, err := u.store.additions.add(ctx, class.GetName(), version)",
		`later := context.WithoutCancel(ctx)
	go func() { <-ctx.Done(); _, _ = u.store.additions.add(later, class.GetName(), version) }()
	wrote := false`, "TestCreations$",
	},
	{"a stored version is used", "reconcile.go", `found.versions(class)`, `found.versions(class + "?")`, "TestSupersededVersion"},
	{
		"all stored versions are used", "reconcile.go", `versions = append(versions, ofClass...)`,
		`versions = append(versions, ofClass[max(len(ofClass)-1, 0):]...)`, "TestCreations$",
	},
	{
		"an adoption reads the store", "reconcile.go", "\t\tif err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t\torigins",
		"\t\tif err != nil {\n\t\t\treturn nil, nil\n\t\t}\n\t\torigins", "TestUnreadStore",
	},
	{
		"a missing secret is not empty", "secrets.go", "\t\tif err != nil {\n\t\t\treturn nil, fmt",
		"\t\tif err != nil && found == nil {\n\t\t\treturn nil, fmt", "TestMissingSecret",
	},
	{
		"without a gate nothing InPlace is written", "reconcile.go", "u.reportInPlace(result.Machine, &observed, owned)\n",
		gateWithoutDrain, "TestInPlaceIsReported",
	},
	{
		"every machine of a node has to be ready", "gate.go", `problems = append(problems, g.apply(r, machine))`,
		`return g.apply(r, machine)`, "TestGateWithTwoMachines",
	},
	{
		"machines that are being deleted do not count", "gate.go", ` && !isLeaving {`, ` && (!isLeaving || true) {`,
		"TestGateWithTwoMachines",
	},
	{
		"any encoding of a report is held back", "gate.go", `return bytes.Contains(body, []byte(inplace.ReadyForUpdate))`,
		`return bytes.Contains(body, []byte(inplace.ReadyForUpdate)) && json.Valid(body)`, "TestGateEncodings",
	},
	{
		"a patch without the condition's name is held back", "gate.go", `return bytes.Contains(body, []byte(inplace.ReadyForUpdate))`,
		`return bytes.Contains(body, []byte(inplace.ReadyForUpdate)) && bytes.Contains(body, []byte(inplace.ConditionType))`,
		"TestGateEncodings",
	},
	{
		"a panic in the gate ends nothing", "gate.go", `if value := recover(); value != nil {`, `if value := any(nil); value != nil {`,
		"TestGatePanics",
	},
	{"a node that is not drained is not ready", "gate.go", `node.Spec.Unschedulable && `, `node != nil || `, "TestGate"},
	{"the gate holds the report back", "gate.go", `if reportsReady(body) {`, `if false {`, "TestGate"},
	{
		"the class of an in-place pool is the deployment's", "cache.go", `wanted: wantedOf(deployment)`, `wanted: own.wanted`,
		"TestInPlaceIsReported",
	},
	{
		"the class of a pool that rolls is the machine's", "cache.go", "!isInPlace(deployment) {\n\t\treturn own",
		"false {\n\t\treturn own", "TestRollingPool",
	},
	{
		"losing the lease does not end the process", "updater.go", `OnStoppedLeading: func() {}`,
		`OnStoppedLeading: func() { panic("lost") }`, "TestTwoReplicas",
	},
	{
		"who has lost the lease competes again", "updater.go", `wait.UntilWithContext(ctx, u.compete, retryPeriod)`,
		`wait.UntilWithContext(ctx, u.compete, 1000*time.Hour)`, "TestTwoReplicas",
	},
	{
		"who has lost the lease waits for its last term", "updater.go", "\tu.leading <- struct{}{} // the term has ended, or",
		"\tif ctx.Err() == nil {\n\t\treturn\n\t}\n\tu.leading <- struct{}{} // the term has ended, or",
		ofStore + "^TestLateCallIsAwaited$",
	},
	{"a call that returns soon is awaited", "term.go", `isPatient := true`, `isPatient := false`, ofStore + "^TestLateCallIsAwaited$"},
	{
		"a call that does not return keeps no process", "term.go", `!isPatient && outside == 0`, `!isPatient && outside < 0`,
		ofStore + "^TestDeafCallAndLostLease$",
	},
	{
		"a call keeps its machine from later terms", "updater.go", "if !u.claims.take(ctx, name) {",
		"if !u.claims.take(ctx, name) && ctx == nil {", ofStore + "^TestDeafCallAndLostLease$",
	},
	{
		"a machine that was kept is updated once its call returns", "updater.go", "if u.claims.release(name) {",
		"if u.claims.release(name) && false {", ofStore + "^TestDeafCallAndLostLease$",
	},
	{
		"a machine is told once until it is written", "reconcile.go", "u.broken.Swap(machine.GetName(), problem); before != problem {",
		"u.broken.Swap(machine.GetName(), problem); before != problem || problem != \"\" {", ofStore + "^TestLastingFaults$/owner",
	},
	{
		"the error of a secret is read once for all machines", "secrets.go", "\t\ts.read.Set(key, read, secretAge)\n",
		"\t\tif err == nil {\n\t\t\ts.read.Set(key, read, secretAge)\n\t\t}\n", ofStore + "^TestLastingFaults$/class:_no",
	},
	{
		"a new term begins with the short delay", "updater.go", "\tu.memory.Restart(time.Now())\n", "",
		ofStore + "^TestNewTermDuringTheLongestWait$",
	},
	{"a call that ignores its context is told", "calls.go", `if ctx.Err() != nil {`, `if ctx.Err() == nil {`, "TestHungCall"},
	{"a panic outside of the driver ends nothing", "updater.go", `value := recover()`, `value := any(nil)`, "TestPanicElsewhere"},
	{"a driver ends no worker", "updater.go", "\t\t\tif !isOver {\n", "\t\t\tif false {\n", "TestPanic$"},
	{"a machine whose update broke off does not spin", "updater.go", `delay := brokenRetry`, `delay := brokenRetry / 1e6`, "TestPanic"},
	{
		"the stack of a panic is logged", "reconcile.go", `logger.Error(err, "hot update", "stack", problem.Stack)`,
		`logger.Error(err, "hot update", "stack", problem.Value)`, "TestPanic",
	},
	{"a changed strategy enqueues", "updater.go", ` || isInPlace(before) != isInPlace(after)`, ``, "TestStrategyChanges"},
	{
		"a mark of an own write expires", "reconcile.go", `const writtenAge = time.Minute`, `const writtenAge = time.Hour`,
		"TestRestoredVersions",
	},
	{
		"adoptions delay no creation", "options.go", `objects:   clients.versions.ConfigMaps`, `objects:   clients.creating.ConfigMaps`,
		"TestManyWorkers",
	},
	{
		"workers share the read of a secret", "secrets.go", `s.reading.Do(key, func`, `s.reading.Do(key+time.Now().String(), func`,
		"TestManyWorkers",
	},
	{
		"versions stay for every lane that is Hot", "prune.go", "names := u.driver.Annotations()\n\tunrecorded",
		"names := u.driver.Annotations()[:1]\n\tunrecorded", "TestVersionsOfLanes",
	},
	{
		"nothing is written to a ConfigMap that is being deleted", "additions.go", `if found.object.DeletionTimestamp != nil {`,
		`if found.object.DeletionTimestamp == nil && false {`, ofStore + "^TestStoreIsBeingDeleted$",
	},
	{"what is no list is removed", "prune.go", `case malformed != nil, !used`, `case malformed != nil && false, !used`, "TestPruningHeals"},
	{
		"a version that a machine without a record may have used stays", "prune.go", "\t\tif unrecorded {\n",
		"\t\tif unrecorded && false {\n", "TestCreationsWhilePruning",
	},
	{
		"a creation that finds the mark writes", "store.go", `return isNew || isMarked || wasHeld, nil`,
		`return isNew || isMarked && len(known) > 1 || wasHeld, nil`, "TestClassReturnsWhilePruning",
	},
	{
		"a creation that finds the mark and an old version writes", "store.go", `return isNew || isMarked || wasHeld, nil`,
		`return isNew || isMarked && false || wasHeld, nil`, "TestCreationsWhilePruning",
	},
	{
		"the mark removes nothing", "prune.go", `found, err = u.mark(ctx)`,
		`metav1.SetMetaDataAnnotation(&found.object.ObjectMeta, annotationPruning, "true")
	found.object, err = found.write(ctx, u.store.objects)`, "TestCreationsWhilePruning",
	},
	{
		"what passes is tried again", "additions.go", "\t\t\ts.again(round, err)\n",
		"\t\t\tfor _, a := range round {\n\t\t\t\ta.err = err\n\t\t\t\tclose(a.done)\n\t\t\t}\n", ofStore + "^TestCreatingRepeats$",
	},
	{
		"an attempt that hangs leaves time for another", "additions.go", `const attemptTimeout = storeTimeout / 2`,
		`const attemptTimeout = storeTimeout * 2`, ofStore + "^TestCreatingSurvivesAHang$",
	},
	{
		"creations share reads", "additions.go", "\ts.waiting = nil\n\ts.isBusy = len(round) > 0\n\treturn round\n",
		"\ts.waiting = nil\n\tif len(round) > 1 {\n\t\tround, s.waiting = round[:1], round[1:]\n\t}\n\ts.isBusy = len(round) > 0\n\treturn round\n",
		ofStore + "^TestManyCreations$",
	},
	{
		"a class beyond its bound leaves room for the others", "store.go", `min(len(text), maxClass)`, `len(text)`,
		ofStore + "^TestStoreBeyondItsBounds$",
	},
	{
		"only what grew is checked", "store.go", `max(maxClass, len(c.read[class]))`,
		`maxClass && c.read != nil || len(c.read["long"]) > maxClass`, ofStore + "^TestStoreBeyondItsBounds$",
	},
	{"a class has a bound", "store.go", `max(maxClass, len(c.read[class]))`, `maxObject`, ofStore + "^TestStoreBeyondItsBounds$"},
	{
		"all classes have a bound", "store.go", `counted > max(maxStore, countedBefore)`, `counted > max(maxObject, countedBefore)`,
		ofStore + "^TestStoreBeyondItsBounds$",
	},
	{"what concerns a class is told once", "reconcile.go", "before == problem {", "before == problem && false {", "TestClassIsToldOnce"},
	{
		"what concerns a class is no event of its machines", "reconcile.go", "if reason != reasonUnusable {", "if reason != \"\" {",
		"TestClassIsToldOnce",
	},
	{
		"a machine of another namespace is told", "creating.go", `own != "" && own != u.options.Namespace {`, `own != "" && false {`,
		ofStore + "^TestOtherNamespace$",
	},
	{
		"an event reaches the namespace of its machine", "updater.go", `u.clients.core.Events("")`,
		`u.clients.core.Events(u.options.Namespace)`, ofStore + "^TestOtherNamespace$",
	},
	{"a forgotten Run is told", "creating.go", "\tu.tellNotRunning(ctx, machine)\n", "", ofStore + "^TestRunIsNeverCalled$"},
	{"events need no Run", "creating.go", "\tu.record()\n", "", ofStore + "^TestRunIsNeverCalled$"},
	{"Run needs some time to be called", "creating.go", "time.Since(u.made) < runGrace", "false", ofStore + "^TestRunIsNeverCalled$"},
	{
		"a driver without a Schema is told", "options.go", "\t\tproblems = append(problems, fault.All(driver.Validate())...)\n", "",
		ofStore + "^TestSilentWirings$",
	},
	{
		"a driver that is nil inside is told", "options.go", `if value := recover(); value != nil {`,
		`if value := any(nil); value != nil {`, ofStore + "^TestSilentWirings$",
	},
	{
		"a limiter that denies for ever is told", "options.go", "\tproblems = append(problems, fault.All(o.Limiter.Validate())...)\n", "",
		ofStore + "^TestSilentWirings$",
	},
	{
		"versions are passed on to the class that a machine should have", "prune.go", "errors.Join(u.inherit(term), u.prune(term))",
		"u.prune(term)", "TestTransferWithoutRecord",
	},
	{
		"versions that are passed on are stored", "store.go", `return isNews || len(former) > 0, nil`,
		`return isNews && len(former) < 0, nil`, ofStore + "^TestInherit$",
	},
	{"the last version stays the last one", "store.go", `append(former, own...)`, `append(own, former...)`, ofStore + "^TestInherit$"},
	{
		"nothing is removed while an owner is not known", "cache.go", "if set == nil || err != nil {\n\t\treturn names, err\n",
		"if set == nil || err != nil {\n\t\treturn names, nil\n", ofStore + "^TestUnknownOwner$",
	},
	{"what a class inherits stays", "cache.go", "\tnames = append(names, wantedOf(deployment))\n", "", ofStore + "^TestHeirs$"},
	{
		"versions that nobody holds are told", "prune.go", "u.tellLost(written, lost)",
		"u.tellLost(written, map[string][]version{\"\": lost[\"\"]})", ofStore + "^TestRenamedWhileNobodyLeads$",
	},
	{
		"versions that records hold are not told", "prune.go", "if used && c.hold(class) {", "if used && c.held() == nil {",
		ofStore + "^TestAdoptedVersionsGoSilently$",
	},
	{
		"versions that are passed on are not told", "store.go", "isNews := c.hold(class)", "isNews := c.held() == nil",
		ofStore + "^TestVersionsArePassedOnSilently$",
	},
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
	broken := filepath.Join(t.TempDir(), "broken.go")
	replace := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(broken, []byte(strings.Replace(string(source), m.old, m.new, 1)), 0o600))
	written, err := json.Marshal(map[string]map[string]string{"Replace": {original: broken}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(replace, written, 0o600))
	return replace
}
