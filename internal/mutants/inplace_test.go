package mutants_test

const (
	steps      = "hotupdate/inplace TestNext$|TestMistakes|TestAgent|TestContradictions"
	selections = "hotupdate/inplace TestSelect$|TestSelectRefuses|TestSelectSaysTheSame|TestProgress"
	admissions = "hotupdate/inplace TestValidate|TestPending"
	nodeModel  = "hotupdate/inplace TestModelNode"
	poolModel  = "hotupdate/inplace TestModelPool"
)

const (
	inPlaceAdmissionFile = "hotupdate/inplace/admission.go"
	inPlaceAgentFile     = "hotupdate/inplace/agent.go"
	inPlaceProgressFile  = "hotupdate/inplace/progress.go"
	inPlaceMachineFile   = "hotupdate/inplace/machine.go"
	inPlaceNextFile      = "hotupdate/inplace/next.go"
	inPlacePoolFile      = "hotupdate/inplace/deployment.go"
	inPlaceSelectFile    = "hotupdate/inplace/select.go"
)

// inPlaceMutants break the rollout decisions of in-place updates, and what Gardener admits of them.
var inPlaceMutants = []mutant{
	// A machine and its node.
	{"a machine that leaves is left alone", inPlaceNextFile, "case m.leaves() || ", "case ", steps},
	{"a machine that has not joined is left alone", inPlaceMachineFile, "return !slices.Contains(", "return true || slices.Contains(", steps},
	{"the node of a machine that has not joined is not selected", inPlaceSelectFile, "m.Node = nil", "_ = m.Node", selections},
	{"a node that we cordoned is unavailable", inPlaceSelectFile, "m.Available && !isUnderUpdate && !isSelected", "m.Available && !isSelected", selections},
	{"a node with the target's state is not selected again", inPlaceSelectFile, "case isTargets || isSelected:", "case isSelected:", selections},
	{"an update to another target may have begun", inPlaceMachineFile, "[]string{DrainSuccessful, ReadyForUpdate, updateFailed}", "[]string{DrainSuccessful, updateFailed}", selections},
	{"a stale controller waits", inPlaceNextFile, "m.Node != nil && m.Node.mark().Revision > d.Revision", "false", steps},
	{"an unfinished update is not taken for done after a rollback", inPlaceMachineFile, "return false // an update to another", "return true // an update to another", steps},
	{"an InPlace part that was found to differ is applied anew", inPlaceMachineFile, "case m.InPlace == machineupdate.InPlacePending, ", "case ", steps},
	{"only a cordon of ours is undone", inPlaceNextFile, "free.Unschedulable = m.Node.Unschedulable && !old.Cordoned", "free.Unschedulable = false", steps},
	{"a cordon of somebody else is not ours", inPlaceNextFile, "mark.Cordoned = mark.Cordoned || !n.Unschedulable", "mark.Cordoned = true", steps},
	{"the phase follows the answer before it is removed", inPlaceNextFile, "m.Phase != phaseUpdating && m.Phase != phaseUpdateFailed", "m.Phase != phaseTerminating", steps},
	{"a node that the driver cannot update is not drained", inPlaceNextFile, "case n.isSelected() && m.InPlace != machineupdate.InPlaceUnable:", "case n.isSelected():", steps},
	{"a drained node is given back if the driver has become unable", inPlaceNextFile, "if !n.isSelected() || m.InPlace == machineupdate.InPlaceUnable {", "if !n.isSelected() {", steps},
	{"a node that nobody selects any more is given back", inPlaceNextFile, "if !n.isSelected() || m.InPlace == machineupdate.InPlaceUnable {", "if m.InPlace == machineupdate.InPlaceUnable {", steps},
	{"a silent agent has failed", inPlaceNextFile, "if m.Phase != phaseUpdateFailed {", "if true {", steps},
	{"time at the gate is not the agent's", inPlaceNextFile, "\tcase m.Phase == phaseUpdateFailed:\n\t\tconst why", "\tcase false:\n\t\tconst why", steps},
	{"a drained node that takes pods is drained again", inPlaceNextFile, "case !n.Unschedulable && n.Reason == DrainSuccessful:", "case false:", steps},
	{"a newer target is remembered before the agent begins", inPlaceNextFile, "case !n.Unschedulable || mark.Revision != d.Revision || mark.Done:", "case !n.Unschedulable || mark.Done:", steps},
	{"the InPlace part comes before the agent", inPlaceNextFile, "case m.InPlace == machineupdate.InPlaceUnknown || m.InPlace == machineupdate.InPlacePending:", "case m.InPlace == machineupdate.InPlacePending:", steps},
	{"an answer for another target does not count", inPlaceNextFile, "\tcase mark.Revision != d.Revision:\n\t\treturn d.again", "\tcase false:\n\t\treturn d.again", steps},
	{"the first answer after a failure does not count", inPlaceNextFile, "case !asked || mark.Unconfirmed:", "case !asked:", steps},
	{"an answer that nobody asked for does not count", inPlaceNextFile, "case !asked || mark.Unconfirmed:", "case mark.Unconfirmed && asked:", nodeModel},
	{"a transfer waits for the confirmation", inPlaceNextFile, "case m.InPlace == machineupdate.InPlaceUnconfirmed:", "case false:", steps},
	{"a transfer needs the InPlace part", inPlaceNextFile, "case m.InPlace != machineupdate.InPlaceApplied:", "case false:", steps},
	{"a newer target clears a failure", inPlaceNextFile, "\tcase n.mark().Revision != d.Revision:\n", "\tcase false:\n", steps},
	{"a cleared failure leaves doubt", inPlaceNextFile, "if mark := n.mark(); !mark.Unconfirmed {", "if mark := n.mark(); false {", steps},
	{"a failure leaves doubt before it is removed", inPlaceNextFile, "case n.Labels[resultLabel] == answerFailed && !mark.Unconfirmed:", "case false:", steps},
	{"a manual pool is asked again", inPlaceNextFile, "case d.Strategy == hotupdate.ManualInPlaceUpdate && !confirms:", "case !confirms && false:", steps},
	{"a manual pool is not asked again to confirm", inPlaceNextFile, "case d.Strategy == hotupdate.ManualInPlaceUpdate && !confirms:", "case d.Strategy == hotupdate.ManualInPlaceUpdate && (confirms || true):", steps},
	{"the condition goes before the answer", inPlaceNextFile, "if n.Reason == candidateForUpdate || n.Reason == selectedForUpdate {", "if n.Reason == candidateForUpdate || n.Reason == selectedForUpdate || n.Reason == ReadyForUpdate {", steps},
	{"a node that failed stays cordoned", inPlaceNextFile, "waiting.Unschedulable = n.Unschedulable && (!old.Cordoned || old.Unconfirmed)", "waiting.Unschedulable = n.Unschedulable && !old.Cordoned", steps},
	{"an update that had begun is remembered", inPlaceNextFile, "kept := mark{Revision: old.Revision, Done", "kept := mark{Done", steps},
	{"a node knows its last revision", inPlaceNextFile, "mark{Revision: old.Revision, Done: old.Revision != 0}", "mark{}", steps},
	{"the autoscaler does not remove a candidate", inPlaceNextFile, "n.edit(kept).protected()", "n.edit(kept)", steps},
	{"the autoscaler does not remove a node under update", inPlaceNextFile, "if m.Node.IsUnderUpdate() && !m.Node.isProtected() {", "if false {", nodeModel},
	{"our annotation for the autoscaler is taken away", inPlaceNextFile, "\tif !m.Preserved {", "\tif false {", nodeModel},
	{"a preserved machine keeps the annotation", inPlaceNextFile, "\tif !m.Preserved {", "\tif true {", steps},
	{"an annotation of somebody else stays", inPlaceMachineFile, "if has(n.Annotations, scaleDownDisabledByMCM) && n.Annotations", "if n.Annotations", nodeModel},
	{"a value that the autoscaler does not heed protects nothing", inPlaceMachineFile, "return n.Annotations[scaleDownDisabled] == \"true\" }", "return has(n.Annotations, scaleDownDisabled) }", nodeModel},
	{"an annotation of somebody else is not marked as ours", inPlaceMachineFile, "\tif !n.isProtected() {\n", "\tif true {\n", nodeModel},
	{"a value of somebody else stays", inPlaceMachineFile, ` && n.Annotations[scaleDownDisabled] == "true" {`, " {", steps},
	{"an agent begins once", inPlaceAgentFile, " && !has(n.Labels, resultLabel)", "", steps},
	{"a drained node is under update", inPlaceAgentFile, " || n.mark().Cordoned", "", steps},
	{"a success removes the reason of a failure", inPlaceAgentFile, "n.copied().unanswered()", "n.copied()", steps},
	{"an unreadable mark is none", inPlaceMachineFile, "if json.Unmarshal([]byte(text), &m) != nil {\n\t\treturn mark{}", "if json.Unmarshal([]byte(text), &m) != nil {\n\t\treturn mark{Cordoned: true}", steps},
	// A pool.
	{"the minimum stays available", inPlaceSelectFile, "return m.available }) > r.Replicas-r.unavailable", "return m.available }) >= r.Replicas-r.unavailable", selections},
	{"an unavailable machine costs nothing", inPlaceSelectFile, "\tif !m.available {\n\t\treturn true\n\t}\n\treturn r.count", "\treturn r.count", selections},
	{"no more are selected than the pool needs", inPlaceSelectFile, "r.canAfford(m) && r.missing() > 0", "r.canAfford(m)", selections},
	{"a machine without a node does not count as updated", inPlaceSelectFile, "m.stage == updated && m.Node != nil", "m.stage == updated", selections},
	{"nothing is selected in a manual pool", inPlaceSelectFile, "\tif r.Strategy == hotupdate.ManualInPlaceUpdate {\n\t\treturn\n", "\tif false {\n\t\treturn\n", selections},
	{"no promise to select is kept in a manual pool", inPlaceSelectFile, "s.Select = nil", "_ = s.Select", selections},
	{"what the driver cannot update is not selected", inPlaceSelectFile, "\tcase c.InPlace == machineupdate.InPlaceUnable:", "\tcase c.InPlace > machineupdate.InPlaceUnable:", selections},
	{"only candidates are selected", inPlaceSelectFile, "return has(c.Node.Labels, candidateLabel)", "return true", selections},
	{"surplus is deleted against available machines", inPlaceSelectFile, "other != m && other.available && other.stage == updated", "other != m && other.stage == updated", selections},
	{"surplus is deleted against updated machines", inPlaceSelectFile, "other != m && other.available && other.stage == updated", "other != m && other.available", selections},
	{"a node under update is not deleted", inPlaceSelectFile, "m.stage != underway && r.isSurplus(m)", "r.isSurplus(m)", selections},
	{"a failed machine is deleted first", inPlaceSelectFile, "cmp.Compare(a.stage, b.stage)", "cmp.Compare(b.stage, a.stage)", selections},
	{"unavailable machines go first", inPlaceSelectFile, "\tif c.available {\n\t\treturn 1", "\tif !c.available {\n\t\treturn 1", selections},
	{"no surge without nodes to update", inPlaceSelectFile, "wanted += min(r.surge, r.count(func(m *candidate) bool { return m.stage == idle }))", "wanted += r.surge", selections},
	{"a promised selection counts", inPlaceSelectFile, "slices.Contains(r.promised.Select, m.Name)", "false", poolModel},
	{"a selection counts at once", inPlaceSelectFile, "\t\t\tm.stage = underway\n\t\t\tm.available = false\n", "\t\t\t_ = m.stage\n", selections},
	{"a promised deletion counts", inPlaceSelectFile, "!m.leaves() && !slices.Contains(r.promised.Delete, m.Name)", "!m.leaves()", poolModel},
	{"the lowest priority goes first", inPlaceSelectFile, "cmp.Compare(a.priority, b.priority), cmp.Compare(a.stage", "cmp.Compare(a.stage", poolModel},
	{"an unreadable priority is the default", inPlaceMachineFile, "; err == nil {\n\t\treturn n", "; err == nil || true {\n\t\treturn n", selections},
	{"a low priority is updated last", inPlaceSelectFile, ", cmp.Compare(b.priority, a.priority))", ")", selections},
	{"what holds up the rollout is named", inPlaceProgressFile, "case step.Do == Blocked:\n\t\treturn Failed", "case step.Do == Blocked:\n\t\treturn Waiting", selections},
	{"the agent's reason is told", inPlaceProgressFile, "return Failed, message", "return Failed, step.Why", selections},
	{"a machine that does not come up is unavailable", inPlaceProgressFile, "m.stage == updated && m.Available", "m.stage == updated", selections},
	{"a machine of a manual pool waits for its user", inPlaceProgressFile, "m.stage == underway && !isManual", "m.stage == underway", selections},
	{"a pool that loses a machine is not finished", inPlaceSelectFile, `s.Record == "" && len`, `len`, selections},
	{"more than all cannot be unavailable", inPlacePoolFile, "unavailableShare > 100:", "unavailableShare > 1000:", selections},
	{"a pool without limits is refused", inPlacePoolFile, "case unavailableShare == 0 && surgeShare == 0:", "case unavailableShare < 0 && surgeShare < 0:", selections},
	{"percentages of unavailable machines are rounded down", inPlacePoolFile, `scaled("maxUnavailable", d.MaxUnavailable, d.Replicas, false)`, `scaled("maxUnavailable", d.MaxUnavailable, d.Replicas, true)`, selections},
	{"percentages of surge machines are rounded up", inPlacePoolFile, `scaled("maxSurge", d.MaxSurge, d.Replicas, true)`, `scaled("maxSurge", d.MaxSurge, d.Replicas, false)`, selections},
	{"one machine may be unavailable if nothing else can happen", inPlacePoolFile, "unavailable = 1\n", "unavailable = 0\n", selections},
	{"a promise is kept until it is seen", inPlacePoolFile, "return !m.isUpdated(d)", "return false", selections},
	{"a kept promise is dropped", inPlacePoolFile, "Create: keep(r.Create, func(m *Machine) bool { return m == nil }),", "Create: r.Create,", poolModel},
	// Admission.
	{"a version is not lowered", inPlaceAdmissionFile, "case isLower(updated, old):", "case false:", admissions},
	{"no minor is skipped in place", inPlaceAdmissionFile, "after.Minor() > before.Minor()+1", "false", admissions},
	{"a rolling pool may skip a minor", inPlaceAdmissionFile, "case strategy != hotupdate.AutoRollingUpdate && skipsMinor", "case skipsMinor", admissions},
	{"a partial version stands for the highest", inPlaceAdmissionFile, `case strings.HasPrefix(old, updated+"."):`, `case strings.HasPrefix(old, updated+".") && false:`, admissions},
	{"an image is not lowered", inPlaceAdmissionFile, "\tcase isLowered:", "\tcase isLowered && false:", admissions},
	{"the CloudProfile has to say from where", inPlaceAdmissionFile, "\tif _, err := parseVersion(minimum); err != nil {", "\tif _, err := parseVersion(minimum); err != nil && false {", admissions},
	{"the image of a new pool has to support it", inPlaceAdmissionFile, "case old == hash.Image{} && !ok:", "case false:", admissions},
	{"the strategy is not switched", inPlaceAdmissionFile, "if (old == hotupdate.AutoRollingUpdate) == (updated == hotupdate.AutoRollingUpdate) {", "if old != hotupdate.AutoRollingUpdate || old == updated {", admissions},
	{"a pending pool is not changed", inPlaceAdmissionFile, "if !p.has(pool) || slices.Contains", "if slices.Contains", admissions},
	{"a rotation waits", inPlaceAdmissionFile, "if len(p.AutoInPlaceUpdate)+len(p.ManualInPlaceUpdate) == 0 {", "if len(p.AutoInPlaceUpdate) == 0 {", admissions},
}
