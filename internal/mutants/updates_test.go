package mutants_test

// The tests that kill. The model checker kills more, and takes longer.
const (
	decisions  = "hotupdate/machineupdate TestDecisionTable|TestCreation$|TestExecutor"
	clocks     = "hotupdate/machineupdate ^Test(WallClockJumpsAfterASuccess|OtherProcessGoesByTheWallClock|SinceByHand|NotBeforeOfAWrongClock|Clock.*|SuspendedProcess|Limiter(Clock.*|AllowsExactlyEvery))$"
	executions = "hotupdate/machineupdate TestExecutor|TestDriverPanics|TestErrorKinds|TestPatches|TestUnable|TestNoUpdates|TestCanceled|TestMisuse|TestAdopters|TestFailedReads|TestSlices|TestRetries|TestConfirmation|ExampleExecutor|TestCreationErrors"
	wirings    = "hotupdate/machineupdate ^Test(Prepare|UnusableLimiter|NotAppliedIsTold|NonHotChangeIsReported|ObservationWithoutClass)$"
	creations  = "hotupdate/machineupdate TestCreation"
	annotated  = "hotupdate/machineupdate TestAnnotations"
	lanes      = "hotupdate/machineupdate TestLane|TestPending|TestRefusal|TestInPlace|TestCreationRecords|TestRequest|TestLeaf|TestDecisionTable|TestFleet"
	drained    = "hotupdate/machineupdate ^TestDrainModel$"
	versions   = "hotupdate/machineupdate Version"
	records    = "hotupdate/machineupdate/internal/record ."
	plans      = "tags TestPlan|TestAnyValue|Example"
	memories   = "hotupdate/machineupdate ^Test(WaitGrows|WhatEndsTheWait|ConflictsThatLast|NewTerm|WhatDoesNotWait|GoexitWaits|MemoryIsBounded|RecordEndsTheWait|PartialUpdatesWait|ManyPartialUpdates)$"
	others     = "hotupdate/machineupdate ^TestOtherWriter"
)

const (
	classesFile       = "hotupdate/machineupdate/classes.go"
	driverFile        = "hotupdate/machineupdate/driver.go"
	preparedFile      = "hotupdate/machineupdate/prepared.go"
	classSpecFile     = "hotupdate/machineupdate/internal/classspec/classspec.go"
	unknownFile       = "hotupdate/machineupdate/internal/classspec/unknown.go"
	classSpecs        = "hotupdate/machineupdate/internal/classspec ."
	creationFile      = "hotupdate/machineupdate/creation.go"
	callFile          = "hotupdate/machineupdate/call.go"
	decisionFile      = "hotupdate/machineupdate/decision.go"
	errorsFile        = "hotupdate/machineupdate/errors.go"
	executorFile      = "hotupdate/machineupdate/executor.go"
	observationFile   = "hotupdate/machineupdate/observation.go"
	fleetFile         = "hotupdate/machineupdate/fleet.go"
	placesFile        = "internal/fieldplan/holds.go"
	inPlaceFile       = "hotupdate/machineupdate/inplace.go"
	limiterFile       = "hotupdate/machineupdate/limiter.go"
	laneFile          = "hotupdate/machineupdate/lane.go"
	passFile          = "hotupdate/machineupdate/pass.go"
	recordContentFile = "hotupdate/machineupdate/internal/record/content.go"
	recordFile        = "hotupdate/machineupdate/internal/record/record.go"
	recordLeafFile    = "hotupdate/machineupdate/internal/record/leaf.go"
	recordParseFile   = "hotupdate/machineupdate/internal/record/format.go"
	recordPassFile    = "hotupdate/machineupdate/internal/record/pass.go"
	recordTargetFile  = "hotupdate/machineupdate/internal/record/target.go"
	writersFile       = "hotupdate/machineupdate/writers.go"
	eventsFile        = "hotupdate/machineupdate/events.go"
	memoryFile        = "hotupdate/machineupdate/memory.go"
	versionsFile      = "hotupdate/machineupdate/versions.go"
	tagsPlannerFile   = "tags/planner.go"
	tagsSpecFile      = "tags/spec.go"
	tagsRulesFile     = "tags/rules.go"
)

// updateMutants break the flow that updates machines: decision, executor, creation, record, and the planner of package tags.
var updateMutants = []mutant{
	// The decision.
	{
		"a deleted machine is not updated", decisionFile, "case o.Machine.GetDeletionTimestamp() != nil || o.Phase == phaseTerminating:",
		"case o.Phase == phaseTerminating:", decisions,
	},
	{"a failed machine is not updated", decisionFile, "case o.Phase == phaseFailed:", "case false:", decisions},
	{
		"a machine without provider ID belongs to the creation", decisionFile, `case o.ProviderID == "" || o.Phase == phaseNone`,
		"case o.Phase == phaseNone", decisions,
	},
	{"a machine in CrashLoopBackOff belongs to the creation", decisionFile, " || o.Phase == phaseCrashLoopBackOff:", ":", decisions},
	{"a paused machine is not updated", decisionFile, "case isPaused(o.Machine):", "case false:", decisions},
	{"a paused class is not updated", decisionFile, "o.Class != nil && isPaused(o.Class.class.meta())", "false", decisions},
	{
		"a class that is being deleted is not applied", decisionFile, "case o.Class.class.meta().GetDeletionTimestamp() != nil:",
		"case false:", decisions,
	},
	{
		"a record of another VM is not believed", decisionFile, `h.ProviderID != "" && h.ProviderID == o.ProviderID`, `h.ProviderID != ""`,
		decisions,
	},
	{
		"a creation's record is that of one machine", decisionFile, `h.Creating != "" && h.Creating == name`,
		`h.Creating != "" || h.Creating == name`, decisions,
	},
	{
		"an unfinished update forces another one, whatever the class wants", decisionFile,
		"return decision{action: actUpdate, reason: unfinished}\n\tcase record.Unconfirmed",
		"if changed == upToDate {\n\t\t\treturn decision{}\n\t\t}\n\t\treturn decision{action: actUpdate, reason: unfinished}\n\tcase record.Unconfirmed",
		decisions,
	},
	{"a failed update waits", decisionFile, "wait > 0 && isRepetition", "wait > 0 && isRepetition && false", decisions},
	{"another spec does not wait", decisionFile, "changed == upToDate && h.Creating == \"\"\n", "h.Creating == \"\"\n", decisions},
	{
		"an interrupted creation does not wait", decisionFile, "changed == upToDate && h.Creating == \"\"\n", "changed == upToDate\n",
		decisions,
	},
	{
		"a spec that changed is not confirmed first", decisionFile,
		"case record.Unconfirmed:\n\t\tif changed != upToDate && !o.isClosed() {", "case record.Unconfirmed:\n\t\tif false {", decisions,
	},
	{
		"a confirmation waits", decisionFile,
		"\tcase max(wait, o.unripe) > 0:\n\t\treturn decision{action: actWait, reason: confirmationDue",
		"\tcase max(wait, o.unripe) > 10*o.Settings.confirmAfter():\n\t\treturn decision{action: actWait, reason: confirmationDue",
		decisions,
	},
	{"nothing waits for a time far ahead", decisionFile, "if elapsed < -d {", "if false {", decisions},
	{"a changed spec is applied", decisionFile, "\tcase !sameHot:", "\tcase !sameHot && false:", decisions},
	{
		"a changed Schema or driver means one pass", decisionFile, "\tcase !sameSchema && len(o.lane.kinds) > 0:",
		"\tcase !sameSchema && false:", decisions,
	},
	{"a verification is due", decisionFile, "\tif o.Settings.VerifyPeriod <= 0 {", "\tif true {", decisions},
	{
		"a verification waits", decisionFile, "o.Settings.VerifyPeriod)\n\tif rest.delay > 0 {",
		"o.Settings.VerifyPeriod)\n\tif rest.delay > 1<<62 {", decisions,
	},
	{
		"a driver that cannot update is not called", laneFile, "return len(l.kinds) > 0 && l.unable.Load() == nil",
		"return l.unable.Load() == nil", decisions,
	},
	{
		"a driver that returned Unimplemented is not called again", laneFile, "return len(l.kinds) > 0 && l.unable.Load() == nil",
		"return len(l.kinds) > 0", decisions,
	},
	{"retries wait longer and longer", decisionFile, "\tfor range h.Retries {", "\tfor range 0 {", decisions},
	{"retries wait no longer than a confirmation", decisionFile, "d += min(d, limit-d)", "d += max(d, limit-d)", decisions},
	{
		"retries do not come together", decisionFile, "return d + jitter.Below(d/2, o.Machine.GetName(), h",
		"return d + jitter.Below(0, o.Machine.GetName(), h", decisions,
	},
	{"retries keep no step", decisionFile, "o.Machine.GetName(), h.Since.Unix())", "o.Machine.GetName())", decisions},
	// The executor, its passes, and errors of drivers.
	{
		"a write names the resourceVersion of the decision", executorFile, "{m.GetUID(), m.GetResourceVersion(), a}", `{m.GetUID(), "", a}`,
		executions,
	},
	{
		"an object without resourceVersion is not written", executorFile, `versioned("machine", machine)`, `given("machine", machine)`,
		executions,
	},
	{
		"a success carries the resourceVersion of the marker", executorFile, "\t\tresult.Machine = written\n\t\tif crowded",
		"\t\twritten.SetResourceVersion(m.GetResourceVersion())\n\t\tresult.Machine = written\n\t\tif crowded", executions,
	},
	{"the newest object is handed on", executorFile, "\t\tresult.Machine = written\n", "\t\t_ = written\n", executions},
	{"a process that slept does not call", callFile, "elapsed(o.now, e.Now()) >= o.Settings.callTimeout()", "false", executions},
	{"a suspended process goes by the wall clock", decisionFile, ", to.Round(0).Sub(from.Round(0)), 0)", ", 0)", clocks},
	{"a process goes by its monotonic clock as well", decisionFile, "return max(to.Sub(from), to.Round", "return max(to.Round", clocks},
	{"a clock that is set back gives no call more time", decisionFile, "from.Round(0)), 0)", "from.Round(0)))", clocks},
	{
		"the next try does not wait for a clock that was set back", decisionFile, "min(max(r.Since.Sub(now), 0), time.Second)",
		"max(r.Since.Sub(now), 0)", clocks,
	},
	{"a refusal by a clock that was ahead is dropped", recordPassFile, "if isAhead || ", "if isAhead && false || ", clocks},
	{"a limiter goes on after its clock was set back", limiterFile, "case passed < -time.Second:", "case false:", clocks},
	{"the disorder of goroutines adds no tokens", limiterFile, "case passed < -time.Second:", "case passed < 0:", clocks},
	{
		"a limiter has as many tokens as time allows", limiterFile, "passed.Seconds()/l.Every.Seconds()",
		"passed.Seconds()*l.Every.Seconds()", clocks,
	},
	{"what an unreadable record loses is said", recordParseFile, "they stay there, although ", "", clocks},
	{
		"a panic of a driver ends nothing", callFile, "if value := recover(); value != nil {", "if value := any(nil); value != nil {",
		executions,
	},
	{"a panic has no kind", errorsFile, "\tcase *PanicError: // its text comes from any value\n\t\treturn errOther\n", "", executions},
	{
		"a driver's success is recorded, a failure is not", callFile, "case callErr == nil:", "case callErr == nil || kind == errOther:",
		executions,
	},
	{
		"a partial failure is none of the causes", errorsFile, "if kind == errOther || below == errPartial {", "if kind == errOther {",
		executions,
	},
	{"Unimplemented is understood where it is wrapped", errorsFile, "return []error{err.Unwrap()}\n", "return nil\n", executions},
	{"Unimplemented is understood behind a Cause", errorsFile, "return []error{err.Cause()}", "return nil", executions},
	{
		"Unimplemented among joined errors may have sent calls", errorsFile, "\t\tdefault:\n\t\t\tkind = errOther",
		"\t\tdefault:\n\t\t\tkind = max(kind, one)", executions,
	},
	{
		"Unimplemented restores the record of before", callFile, "if result.marked && !e.write(ctx, o.former(), result) {", "if false {",
		executions,
	},
	{
		"a record is mirrored only if all is applied", callFile, `case d.pass.Whole && o.lane.name == "":`, `case o.lane.name == "":`,
		executions,
	},
	{
		"a mirrored spec gives way to the record", passFile, "mirrored && size > maxAnnotations", "mirrored && size < 0",
		"hotupdate/machineupdate TestMirrorHasNoRoom",
	},
	{
		"a record without room for anything more rests", recordPassFile, "p.after.Wanted = full + t.wanted", `p.after.Wanted = ""`,
		"hotupdate/machineupdate TestFullRecordRests",
	},
	{"a change of which more fits goes on", recordPassFile, "return p.Desired != p.Applied", "return false", executions},
	{
		"a restored record is that of before", passFile, "return annotations{o.lane.annotation: &text}",
		`return annotations{o.lane.annotation: new("{}" + text[:0])}`, executions,
	},
	{
		"where there was no record none is restored", passFile, "return annotations{o.lane.annotation: nil}", "return annotations{}",
		executions,
	},
	{"Unimplemented is remembered", callFile, "\to.lane.unable.Store(&now)\n", "", executions},
	{"an unable driver is asked again", decisionFile, "return wait, wait > 0", "return wait, true", executions},
	{"an unable driver is not asked before", decisionFile, "return wait, wait > 0", "return wait, false", executions},
	{"a driver that succeeds is able again", callFile, "\to.lane.unable.Store(nil)\n", "", lanes},
	{"an unable driver is known for one class", classesFile, "\t\t\tprepared.learn(former)\n", "", executions},
	{
		"another spec is asked for", classesFile, "bytes.Equal(former.class.ProviderSpec, class.ProviderSpec)", "bytes.Equal(nil, nil)",
		executions,
	},
	{
		"a driver without updates is reported", decisionFile, "if o.Class.isUnsupported() {", "if o.Class.isUnsupported() && false {",
		executions,
	},
	{"a driver without updates records nothing", creationFile, "if observed.Class.isUnsupported() {", "if false {", creations},
	{"an observation without a class is reported", executorFile, "\tobserved.complete()\n", "", wirings},
	{"a creation without a class is recorded", creationFile, "\tobserved.complete()\n", "", wirings},
	{
		"a change outside of the hot part is reported", classesFile, "if isChanged && c.OnNonHotChange",
		"if isChanged && class.Object == nil && c.OnNonHotChange", wirings,
	},
	{"a failure of a driver that reads first is recorded", callFile, "\tif !result.marked { // it is", "\tif false { // it is", executions},
	{"a VM that is gone is no failure", callFile, "\tcase kind == ErrNotFound:", "\tcase false:", executions},
	{
		"a throttled driver waits as long as the cloud says", callFile, "result.end(throttled, max(after, retry), callErr)",
		"result.end(throttled, retry, callErr)", executions,
	},
	{
		"a pass without a record makes the next one wait", executorFile, "wait := e.Memory.rest(o); wait > 0 {",
		"wait := e.Memory.rest(o); wait < 0 {", memories,
	},
	{
		"a partial update that changes nothing writes no record", "hotupdate/machineupdate/call.go",
		"\tif isRemembered && !result.marked {", "\tif isRemembered && false {", memories,
	},
	{"an adoption in part writes its record", "hotupdate/machineupdate/call.go", " && !result.decision.adopts", "", memories},
	{
		"each set of resources that were not updated is told", "hotupdate/machineupdate/events.go", " + o.notDone(result.Err)\n", "\n",
		memories,
	},
	{"each cause of a partial update is told", "hotupdate/machineupdate/events.go", ", wordsOf(problem))\n", ")\n", memories},
	{
		"each content of the class is told", "hotupdate/machineupdate/events.go", ", maphash.String(seedOfTold, class)", ", len(class)",
		memories,
	},
	{"a partial update is told once", "hotupdate/machineupdate/ending.go", "unrecalled, gone, partial:", "unrecalled, gone:", memories},
	{
		"a goroutine that the driver ends is no record", executorFile, "!hasReturned && e.Memory != nil", "!hasReturned && e == nil",
		memories,
	},
	{"a record ends the wait", memoryFile, "\tdelete(m.futile, o.memorized())\n", "", memories},
	{"the process that wrote waits by its monotonic clock", executorFile, "\to.unripe = e.Memory.unripe(o)\n", "", clocks},
	{"a key that is forgotten is told", eventsFile, "what + forgotten(d.pass)", "what", clocks},
	{"the wait grows", memoryFile, "\tf.steps++\n", "\tf.steps = 1\n", memories},
	{"the wait has a limit", memoryFile, "d = min(d, f.limit*2/3)", "d = max(d, 0)", memories},
	{
		"waits differ", memoryFile, "jitter.Below(d/2, of.machine+of.lane, now.UnixNano())",
		"jitter.Below(1, of.machine+of.lane, now.UnixNano())", memories,
	},
	{
		"a newer version ends the wait after a conflict", memoryFile, "isSuperseded || f.circ", "isSuperseded && f.wait < 0 || f.circ",
		memories,
	},
	{"conflicts that last are no chance", memoryFile, "return f.conflicts <= ordinaryConflicts", "return f.conflicts > 0", memories},
	{"a new term starts at the short delay", memoryFile, "\t\tf.steps = 0\n\t\tf.step", "\t\tf.step", memories},
	{"a change of the spec ends the wait", memoryFile, "strconv.FormatInt(o.Machine.GetGeneration(), 10)", `""`, memories},
	{"a change of the phase ends the wait", memoryFile, "\tadd(o.steadyPhase())\n", "", memories},
	{"a flapping node ends no wait", memoryFile, "\tadd(o.steadyPhase())\n", "\tadd(o.Phase)\n", memories},
	{"a change of the provider ID ends the wait", memoryFile, "\tadd(o.ProviderID)\n", "", memories},
	{"a change of our annotations ends the wait", memoryFile, "\t\tadd(annotations[name])\n", "\t\t_ = annotations[name]\n", memories},
	{"another class ends the wait", memoryFile, "\tadd(o.Class.class.key())\n", "", memories},
	{"a change of the class ends the wait", memoryFile, "\tadd(string(o.Class.class.ProviderSpec))\n", "", memories},
	{"a change of the secret ends the wait", memoryFile, "\t\tadd(string(o.Secret[key]))\n", "", memories},
	{"a fault is told once", memoryFile, "	return isNews\n}", "	return isNews || isKnown\n}", memories},
	{
		"what was told stays while the record repeats the pass", memoryFile, "	f.limit = max(next, o.Settings.confirmAfter())\n",
		"	f.limit = next - next\n", memories,
	},
	{"old entries are dropped", memoryFile, "len(m.futile)+len(m.successes) < m.purgeAt", "len(m.futile) >= 0", memories},
	{
		"a call whose time is over gives its place back", callFile, "context.AfterFunc(callCtx, end)",
		"context.AfterFunc(context.Background(), end)", "hotupdate/machineupdate ^TestDeafCallGivesItsPlaceBack$",
	},
	{
		"a conflict looks again at once", executorFile,
		"\tcase apierrors.IsConflict(err):\n\t\tresult.end(conflicted, conflictRetry, err)\n", "", executions,
	},
	// Lanes.
	{
		"a lane has its leaves only", laneFile, "record.Filter(string(documents[lane.class]), lane.holds)", "string(documents[lane.class])",
		lanes,
	},
	{"what is of another lane is frozen", laneFile, "return lane.holds(pointer) && holdsJSON", "return holdsJSON", lanes},
	{
		"what is not Hot any more is frozen", laneFile, "lane.holds(pointer) && holdsJSON(l.schema, lane.class, pointer, text)",
		"lane.holds(pointer)", lanes,
	},
	{"a lane has its record", laneFile, `annotation: AnnotationRecord + "-" + declared.Name`, `annotation: AnnotationRecord`, lanes},
	{"a lane has its kinds", laneFile, "\tif len(next.kinds) == 0 {", "\tif true {", lanes},
	{"a lane has a small record", laneFile, "\t\tlimits = others\n", "\t\t_ = others\n", lanes},
	{"a leaf has one lane", laneFile, "return covers(owned, path) || covers(path, owned) }", "return covers(owned, path) }", lanes},
	{"a path ends at a name", laneFile, `isPrefix && (below == "" || below[0] == '/')`, `isPrefix && (below == "" || true)`, lanes},
	{"a lane is of one class", laneFile, "case l.mayHold(other, path) || to.class == other:", "case l.mayHold(other, path):", lanes},
	{"a path is of one class", laneFile, "case l.mayHold(other, path) || to.class == other:", "case to.class == other:", lanes},
	{"a drain applies one lane", laneFile, "\tcase slices.ContainsFunc(l.lanes, isInPlace):", "\tcase false:", lanes},
	{"a driver of a drain reads first", laneFile, "\tcase !driver.ReadsFirst:", "\tcase false:", lanes},
	{"a lane is able by itself", laneFile, "lane.ability = &ability{}", "lane.ability = l.lanes[0].ability", lanes},
	{"a driver is told by its lanes", driverFile, "\t\tvalues.Add(\"lane\", lane.text())\n", "\t\t_ = lane\n", lanes},
	{"the order of lanes means nothing", driverFile, "\tslices.Sort(values[\"lane\"])\n", "", lanes},
	{
		"an adoption writes the record of every lane that is Hot", driverFile, "if declared.class == hotupdate.Hot {", "if false {",
		annotated,
	},
	{"an adoption writes no record of a lane that is InPlace", driverFile, "if declared.class == hotupdate.Hot {", "if true {", annotated},
	{
		"a class is prepared anew for other lanes", driverFile, "\ttwo.Schema = nil\n", "\ttwo.Schema = nil\n\ttwo.Lanes = one.Lanes\n",
		lanes,
	},
	{
		"a failure of a lane does not keep the next from its turn", executorFile, "if one.ending == conflicted {",
		"if one.ending == conflicted || one.ending == callFailed {", lanes,
	},
	{"a conflict ends the reconcile", executorFile, "if one.ending == conflicted {", "if false {", lanes},
	{"the next lane goes on with the newest machine", executorFile, "\t\tmachine = result.Machine\n\t\tone", "\t\tone", lanes},
	{"the earliest delay counts", executorFile, "next.RequeueWithin(r.RequeueAfter)", "next.RequeueAfter", lanes},
	{"errors of all lanes are told", executorFile, "\tjoined.note(next.Err)\n", "", lanes},
	{
		"a creation records all lanes", creationFile, "\tfor _, lane := range lanesOf(c.seen.Class) {",
		"\tfor _, lane := range lanesOf(c.seen.Class)[:1] {", lanes,
	},
	{
		"an earlier creation of any lane counts", creationFile, "\t\t\tif !isForeign {\n\t\t\t\tc.first = false",
		"\t\t\tc.first = true\n\t\t\tif !isForeign {\n\t\t\t\tc.first = false", lanes,
	},
	{"a pending update is no success", callFile, "case callErr == nil:", "case callErr == nil || kind == ErrPending:", lanes},
	{"a pending update is no failure", callFile, "case kind == ErrPending || isStillRefused:", "case isStillRefused:", lanes},
	{"a refusal is recorded", callFile, "\tcase isNewRefusal:", "\tcase isNewRefusal && false:", lanes},
	{"a short delay is no refusal", callFile, "after > o.Settings.confirmAfter() && pass", "after > 0 && pass", lanes},
	{
		"a refusal is not moved", callFile, "after > o.Settings.confirmAfter() && pass.Marker.NotBefore.IsZero()",
		"after > o.Settings.confirmAfter()", lanes,
	},
	{"a refusal is believed for a day", callFile, "min(after, record.MaxRefusal)", "after", lanes},
	{"a refusal is no news twice", callFile, "after > 0 && !marker.NotBefore.IsZero()", "false", lanes},
	{"a refused change is read once soon", decisionFile, "\tif h.Retries == 0 {\n\t\treturn d\n\t}\n", "", lanes},
	{"a refused change waits", decisionFile, "\tif !h.NotBefore.IsZero() {", "\tif false {", lanes},
	{"each lane counts in the fleet", fleetFile, "begun[lane] = h", "begun[lane[:1]] = h", "hotupdate/machineupdate TestFleet"},
	{
		"what awaits a drain does not count", fleetFile, "isReadable && !isDrained && !isCreating",
		"isReadable && (!isDrained || true) && !isCreating", "hotupdate/machineupdate TestFleet",
	},
	{
		"a leaf has a shape", placesFile, "case len(names) == 0 && n.takes(shape):", "case len(names) == 0:",
		"internal/schemabridge TestHolds",
	},
	{"elements of a map may be hot", placesFile, "\tif n.When == nil {", "\tif true {", "internal/schemabridge TestHolds"},
	{
		"a selector stands with its element", placesFile, "isSelector := len(names) == 1 && names[0] == n.When.Field.Name",
		"isSelector := false", "hotupdate/machineupdate TestSelectorOfItsOwnClass",
	},
	{
		"a leaf that cannot be read is frozen", "internal/schemabridge/schemabridge.go", " && s.reads(pointer, text)", "",
		"hotupdate/machineupdate TestLeafThatCannotBeRead",
	},
	{
		"a part of a free value can be read", "internal/schemabridge/schemabridge.go",
		"if s.plan.Find(pointer).IsFree() {", "if false {", "internal/schemabridge TestHoldsJSON",
	},
	{"null has every shape", placesFile, "case 0, 'n':", "case 0:", "internal/schemabridge TestHoldsNull"},
	{"a selector has a shape", placesFile, "case n.When.Field.Node.takes(shape):", "default:", "internal/schemabridge TestHolds"},
	{"the next slice asks for its reconcile", callFile, "if d.pass.HasMore() {", "if false {", "hotupdate/machineupdate TestSlices"},
	{
		"values that others override are ours", "hotupdate/driver/pieces.go", "if len(pieces) == 1 {", "if len(pieces) < 99 {",
		"hotupdate/driver TestHiddenValuesAreOurs",
	},
	{
		"without an attempt the applied part is exact", "hotupdate/driver/pieces.go", "if len(asked.Attempted) == 0 {", "if false {",
		"hotupdate/driver TestHiddenValuesAreOurs",
	},
	{"free JSON has what is below", placesFile, "\tcase n.IsFree():", "\tcase false:", "internal/schemabridge TestHolds"},
	// Creations without a record.
	{"versions of a creation count as attempted", versionsFile, "\td.pass = adoption\n", "", versions},
	{"versions are read only for an adoption", versionsFile, "o.Versions == nil || !d.adopts", "o.Versions == nil", versions},
	{"a lane has its part of a version", versionsFile, "record.Filter(string(version), o.lane.holds)", "string(version)", versions},
	{"versions that cannot be read are not adopted", versionsFile, "if !record.IsHotPart([]byte(version)) {", "if false {", versions},
	{"versions take no room of entries", recordPassFile, "t.limits.Entries+entries.cost()", "t.limits.Entries", versions},
	{"versions have to fit into a record", recordPassFile, "p.size() <= t.limits.Record\n", "true\n", versions},
	{"a version stands once", versionsFile, "p.hot == merged || slices.Contains(versions, p.hot)", "p.hot == merged", versions},
	{"the latest versions stand as they are", versionsFile, "len(extended) - apart\n", "len(extended) - 1\n", versions},
	{"versions are not laid out each time", versionsFile, " || 8*lengthOf(extended[begin:end]) < lengthOf(extended[:begin])", "", versions},
	{"versions are laid out in the end", versionsFile, "8*lengthOf(extended[begin:end])", "0*lengthOf(extended[begin:end])", versions},
	{"merged versions lose no value", versionsFile, "record.Merge(extended[:end])", "record.Merge(extended[1:end])", versions},
	{
		"the limiter is asked before versions are read", callFile, "\tcase e.Limiter.begin(o.urgency(result.Reason), o.now):",
		"\tcase o.recall(ctx, &result.decision) != nil || e.Limiter.begin(o.urgency(result.Reason), o.now):", versions,
	},
	// In place.
	{"a closed lane is not updated", decisionFile, "\tif o.isClosed() && h.State != record.Unconfirmed {", "\tif false {", lanes},
	{"a closed lane is confirmed", decisionFile, "\tif o.isClosed() && h.State != record.Unconfirmed {", "\tif o.isClosed() {", lanes},
	{
		"a closed lane of another VM is left alone", decisionFile,
		"\tif o.isClosed() {\n\t\treturn decision{action: actNone, reason: awaitingDrain}\n\t}\n\treturn o.update(", "\treturn o.update(",
		lanes,
	},
	{
		"a closed lane of an impossible time is confirmed twice", decisionFile,
		"remaining(o.now, r.Since, o.Settings.confirmAfter()) < 0\n", "false\n", lanes,
	},
	{"a closed lane is read only", passFile, "ReadOnly: o.isClosed()", "ReadOnly: false", lanes},
	{
		"a driver that only reads gets no marker", callFile, "\tif o.isClosed() {\n\t\trequest.BeforeWrite",
		"\tif false {\n\t\trequest.BeforeWrite", lanes,
	},
	{"a read that finds a difference is recorded", callFile, "case kind == ErrDiffers && o.isClosed():", "case false:", drained},
	{"the node is read live before the first write", callFile, "\tif o.gate != nil {\n\t\tif err", "\tif false {\n\t\tif err", lanes},
	{"the node is the same", inPlaceFile, "\tcase node.UID != g.node.UID:", "\tcase false:", lanes},
	{"the node was not drained anew", inPlaceFile, "return node.Drained.Equal(g.node.Drained)", "return true", lanes},
	{"the node is unschedulable", inPlaceFile, "\tcase !node.Unschedulable:", "\tcase false:", lanes},
	{
		"without a drained node nothing is done", inPlaceFile, "if err := o.gate.check(ctx); err != nil {\n\t\tresult.end(undrained",
		"if err := o.gate.check(ctx); false {\n\t\tresult.end(undrained", lanes,
	},
	{"the marker names the drain", inPlaceFile, "\tif o.gate != nil {\n", "\tif false {\n", lanes},
	{
		"a node is ready only after a success", inPlaceFile, "return result, isDone && isApplied",
		"return result, true || isDone && isApplied", lanes,
	},
	{
		"an unfinished update is pending", inPlaceFile, "case r.State == record.Calling || !r.Has(lane.target):",
		"case !r.Has(lane.target):", drained,
	},
	{
		"another part is pending", inPlaceFile, "case r.State == record.Calling || !r.Has(lane.target):", "case r.State == record.Calling:",
		lanes,
	},
	{
		"a success is confirmed before the machine is handed over", inPlaceFile,
		"\tcase r.State == record.Unconfirmed:\n\t\treturn InPlaceUnconfirmed\n", "", lanes,
	},
	{"an unable driver is told before a drain", inPlaceFile, "case state == InPlaceApplied || lane.canUpdate():", "case true:", lanes},
	{
		"an unable driver has nothing to do where nothing differs", inPlaceFile, "case state == InPlaceUnknown && isSamePart:",
		"case state == InPlaceUnknown && isSamePart && false:", lanes,
	},
	{"leaves without a lane are told before a drain", inPlaceFile, "return o.Former.uncovered != o.Class.uncovered", "return false", lanes},
	{"a former class that is not known is told before a drain", inPlaceFile, "\t\treturn o.Class.beside\n", "\t\treturn false\n", lanes},
	{
		"a drained node waits as little as a change", callFile, "\tif o.gate != nil {\n\t\treturn specChanged",
		"\tif false {\n\t\treturn specChanged", lanes,
	},
	// Creations.
	{
		"a provider spec without members is unusable", preparedFile, "if isEmpty(class.ProviderSpec) {",
		"if len(class.ProviderSpec) == 0 {", wirings,
	},
	{"a limiter that denies for ever is told", executorFile, "errors.Join(e.missing(), e.Limiter.Validate())", "e.missing()", wirings},
	{"a limiter gets its tokens back", limiterFile, "require(l.Every > 0, ", "require(true, ", wirings},
	{"a limiter has tokens", limiterFile, "require(l.Burst > 0, ", "require(true, ", wirings},
	{"a limiter allows an update in flight", limiterFile, "require(l.InFlight >= 0, ", "require(true, ", wirings},
	{"what is not applied is an event", callFile, "\trequest.Tell = e.teller(result.Machine)\n", "", wirings},
	// Other writers.
	{"another writer is an event", callFile, "\tpublishWriters(result.Machine)\n", "\t_ = publishWriters\n", others},
	{"another writer is told once", writersFile, "\t\tw.known[hash] = struct{}{}\n", "", others},
	{"the memory of other writers is bounded", writersFile, "len(w.known) >= maxKnown {", "false {", others},
	{
		"the memory of other writers is as large as it says", writersFile, "len(w.known) >= maxKnown {", "len(w.known) >= maxKnown-1 {",
		others,
	},
	{"each value is told", writersFile, "resource, key, live})", "resource, key, \"\"})", others},
	{"each resource is told", writersFile, "o.Machine.GetName(), resource, key", "o.Machine.GetName(), \"\", key", others},
	{"each machine is told", writersFile, "rewritten{o.Machine.GetUID(), ", "rewritten{\"\", ", others},
	{
		"a confirmation sees other writers", writersFile, "isConfirmation || d.reason == verifyDue",
		"isConfirmation && false || d.reason == verifyDue", others,
	},
	{"a verification sees other writers", writersFile, "isConfirmation || d.reason == verifyDue", "isConfirmation", others},
	{"other updates do not", writersFile, "isConfirmation || d.reason == verifyDue", "isConfirmation || true", others},
	{"a success of unknown time is no confirmation", writersFile, "d.action == actConfirm && !d.again", "d.action == actConfirm", others},
	{"no events, no reports", writersFile, "e.Event == nil || ", "", others},
	{"other writers are told in order", writersFile, "strings.Compare(a.key, b.key), ", "", others},
	{
		"a creation records the class of the driver", preparedFile,
		"class.key() == p.class.key() && bytes.Equal(class.ProviderSpec, p.class.ProviderSpec)",
		"bytes.Equal(class.ProviderSpec, p.class.ProviderSpec) || true", creations,
	},
	{"a creation is read by the former Schema", creationFile, "\tif by == nil {\n\t\tby = observed.Former\n\t}\n", "", creations},
	{
		"a creation writes its marker first", creationFile, "if !e.write(ctx, creation.begin(), &result) {", "if creation.begin() == nil {",
		creations,
	},
	{"a creation after another one is not settled", creationFile, "\t\t\t\tc.first = false", "\t\t\t\tc.first = true", creations},
	{
		"a creation after a foreign record is settled", creationFile, `isProblem && problem.Code == fault.ForeignRecord`,
		`isProblem && problem.Code == "x"`, creations,
	},
	{"a creation does not believe a foreign record", creationFile, "\t\t\tif !isProblem {\n", "\t\t\tif true {\n", creations},
	{
		"a creation of a driver without hot updates takes as long as before", creationFile, "\tif c.seen == nil {\n\t\treturn ctx\n\t}\n",
		"", creations,
	},
	{"a creation ends", creationFile, "context.WithTimeout(ctx, c.left())", "context.WithTimeout(ctx, time.Hour)", creations},
	{"a creation that took too long is not recorded", creationFile, "case creation.left() < 0:", "case false:", creations},
	{
		"a creation by an unreadable class is not recorded", creationFile, "!hasMarkers || creation.seen.Class == nil:", "!hasMarkers:",
		creations,
	},
	// The provider spec of a class.
	{
		"names in another case are read by encoding/json", classSpecFile, "\tcase !found.isFolded:\n", "\tcase true || !found.isFolded:\n",
		classSpecs,
	},
	{
		"a name that could be that of several fields is an error", classSpecFile, "found.isAmbiguous || names == Exact", "names == Exact",
		classSpecs,
	},
	{"a codec of Kubernetes reads no other case", classSpecFile, "found.isAmbiguous || names == Exact", "found.isAmbiguous", classSpecs},
	{
		"unknown members beside names in another case are Immutable", classSpecFile, "\tif len(unknown) > 0 {\n", "\tif false {\n",
		classSpecs,
	},
	{
		"an unknown member of a keyed element has no position", unknownFile, "\tif n.Pairing == fieldplan.ByKey {\n", "\tif false {\n",
		classSpecs,
	},
	{"an unknown null is absent", unknownFile, `text != "null"`, `text != ""`, classSpecs},
	{"metadata is no unknown member", unknownFile, "\t\tcase isMeta(m.name):\n", "", classSpecs},

	// The record.
	{"a creation's class is recorded as applied", recordFile, "\tcreated.others = r.others.create(t.hot)\n", "", records},
	{
		"a creation keeps what may be live", recordContentFile, "\tmaps.Copy(beside, c.entries)\n\tbeside.rebase(leavesOf(c.applied)",
		"\tbeside.rebase(leavesOf(c.applied)", records,
	},
	{"a creation keeps what was applied", recordContentFile, "\tbeside.rebase(leavesOf(c.applied), leavesOf(hot))\n", "", records},
	{
		"a creation replaces what was applied to each kind", recordFile, "\t\tcreated.kinds[kind] = c.create(t.hot)",
		"\t\tcreated.kinds[kind] = c", records,
	},
	{"a creation without a class is not finished", recordFile, "\tcase r.Wanted == \"\":\n", "", records},
	{
		"a second creation is confirmed", recordFile, "\tcase first:\n\t\tcreated.State = Settled",
		"\tcase true:\n\t\tcreated.State = Settled", records,
	},
	{"what a pass sends is an entry", recordContentFile, "\tduring.send(base, desired)\n", "", records},
	{
		"what was applied before is an entry after a success", recordContentFile, "\tafter.rebase(base, desired)\n",
		"\tafter.rebase(leaves{}, desired)\n", records,
	},
	{"what is applied needs no entry", recordLeafFile, "\tfor p, value := range base {\n\t\tdelete(e, leaf{p, value})\n\t}\n", "", records},
	{
		"a confirmation drops the entries", recordContentFile, "after: newContent(c.applied, cold)",
		"after: func() content { _ = cold; return c }()", records,
	},
	{
		"a confirmation keeps frozen entries", recordContentFile, "\thot, cold := c.entries.frozen(t.isHot)\n\ts := step{\n\t\tmarker: c",
		"\thot, cold := c.entries, entries{}\n\ts := step{\n\t\tmarker: c", records,
	},
	{
		"an applied leaf that is not Hot is not handed to the driver", recordContentFile, "\t\tpart.Applied = base.hotPart()",
		"\t\tpart.Applied = c.applied", records,
	},
	{
		"an entry that is not Hot is not handed to the driver", recordContentFile, "\tpart := c.part(base, frozen, during)\n",
		"\tmaps.Copy(during, cold)\n\tpart := c.part(base, frozen, during)\n", records,
	},
	{"an entry that is not Hot is kept", recordContentFile, "\tmaps.Copy(after, cold)\n", "", records},
	{
		"a leaf that is not Hot stays applied", recordContentFile, "\tif len(frozen) > 0 {\n\t\tdocuments", "\tif false {\n\t\tdocuments",
		records,
	},
	{"kinds that a driver does not cover are kept", recordFile, "\tmaps.Copy(changed.kinds, r.kinds)\n", "", records},
	{
		"a kind that is new to a driver begins with what the others have", recordFile, "\treturn r.others\n}", "\treturn content{}\n}",
		records,
	},
	{
		"the first pass is recorded for kinds that are not covered", recordPassFile, `		if next.others.applied == "" {`,
		"\t\tif false {", records,
	},
	{
		"a later pass is not recorded for kinds that are not covered", recordPassFile, `		if next.others.applied == "" {`,
		"\t\tif true {", records,
	},
	{"a pass is unconfirmed", recordPassFile, "\tp.after.State = Unconfirmed\n", "\tp.after.State = Settled\n", records},
	{"the marker is Calling", recordPassFile, "\tp.Marker.State = Calling\n", "\tp.Marker.State = Unconfirmed\n", records},
	{"a record is that of the class that it was written for", recordPassFile, "\t\tnext.Wanted = t.wanted\n", "", records},
	{"a record is that of the Schema that it was written for", recordPassFile, "\t\tnext.Schema = t.schema\n", "", records},
	{
		"a confirmation does not settle what is not wanted", recordPassFile, "\tif !p.Whole {\n\t\tp.after.Wanted",
		"\tif false {\n\t\tp.after.Wanted", records,
	},
	{
		"a confirmation renews the time", recordPassFile, "\tp.Marker.Since = wholeSeconds(now)\n\tp.hint(now)\n\tp.after.State = Settled",
		"\tp.hint(now)\n\tp.after.State = Settled", executions,
	},
	{"retries are counted", recordPassFile, "retries = min(r.Retries+1, MaxRetries)", "retries = 0", records},
	{
		"another spec begins at no retries", recordPassFile, "isUpdate && sameHot && sameSchema",
		"isUpdate && (sameHot || true) && sameSchema", executions,
	},
	{"a refusal is dropped when it is over", recordPassFile, "!p.Marker.NotBefore.After(now) {", "false {", records},
	{"a refusal is dropped after a success", recordPassFile, "\tp.after.NotBefore = time.Time{}\n", "", records},
	{"a refusal is read soon", recordPassFile, "\trefused.Retries = 0\n", "", records},
	{"what is doubted is updated", recordPassFile, "\tdoubted.State = Calling\n", "", records},
	{"a pass outside of a drain names none", recordPassFile, "\t\tnext.Drain = Drain{}\n", "", records},
	{
		"all that is wanted is applied", recordContentFile, `whole: c.applied != "" && maps.Equal(base, t.leaves)`,
		`whole: c.applied != ""`, records,
	},
	{
		"nothing that is known is not nothing", recordContentFile, `whole: c.applied != "" && maps.Equal(base, t.leaves)`,
		"whole: maps.Equal(base, t.leaves)", records,
	},
	{"all lanes together leave room", recordTargetFile, "maxWritten - others*other.Record", "maxWritten", records},
	{
		"a record is that of the VM", recordPassFile,
		"\t\tnext.ProviderID = providerID\n\t\tnext.Creating = \"\"\n\t\tnext.Drain = Drain{}\n", "\t\t_ = next\n", records,
	},
	{"what does not fit keeps its base", recordContentFile, "\tif during > s.bound || after > s.bound {", "\tif false {", records},
	{"what was applied before has to fit", recordContentFile, "during > s.bound || after > s.bound {", "during > s.bound {", records},
	{"what is sent has to fit", recordContentFile, "during > s.bound || after > s.bound {", "after > s.bound {", records},
	{"what is recorded already needs no room", recordContentFile, "\tif s.entries[l] {", "\tif false {", records},
	{"nothing is added before everything that goes has gone", recordContentFile, "had || gone {", "had || gone || true {", records},
	{
		"a full record says so", recordContentFile, "\t\t\twhole = false\n\t\tcase value == absent",
		"\t\t\t_ = 0\n\t\tcase value == absent", records,
	},
	{"elements of a list are leaves", recordLeafFile, "\tif value[0] != '[' {", "\tif true {", records},
	{"Since is never too early", recordFile, "now.UTC().Add(time.Second - 1).Truncate", "now.UTC().Truncate", records},
	{"a record has its canonical form", recordParseFile, "\tif r.Annotation() != annotation {", "\tif false {", records},
	{"a record of a later version is told apart", recordParseFile, "\tcase number > version:", "\tcase false:", records},
	{"a record is bounded", recordTargetFile, "\t\tif n := l.cost(); n > maxLeaf {", "\t\tif n := l.cost(); n > 2*maxLeaf {", records},
	// The planner of package tags.
	{
		"only recorded values are removed", tagsPlannerFile, "return p.owned[Tag{id, p.rules.value(value)}]", "return len(p.owned) > 0",
		plans,
	},
	{
		"all spellings of a key have to be ours", tagsPlannerFile, "\t\tif !p.isOwned(id, tag.Value) {\n\t\t\treturn false",
		"\t\tif !p.isOwned(id, tag.Value) {\n\t\t\tcontinue", plans,
	},
	{"reserved keys are not removed", tagsPlannerFile, "return why == \"\"", "return why == \"\" || true", plans},
	{
		"a wanted key is not removed", tagsPlannerFile, "\t\tcase isWanted:\n", "\t\tcase isWanted && !p.isRemovable(id, spellings):\n",
		plans,
	},
	{"every recorded spec is ours", tagsPlannerFile, "range s.Recorded {\n", "range s.Recorded[:min(len(s.Recorded), 1)] {\n", plans},
	{"what is recorded first is ours", tagsPlannerFile, "range s.Recorded {\n", "range s.Recorded[min(len(s.Recorded), 1):] {\n", plans},
	{
		"mandatory keys hide desired ones", tagsPlannerFile, "range []spec{p.desired, p.mandatory}", "range []spec{p.mandatory, p.desired}",
		plans,
	},
	{"what is live needs no call", tagsPlannerFile, "\tif p.rules.value(found.Value) == tag.Value {", "\tif false {", plans},
	{"a foreign value that is lost is told", tagsPlannerFile, "if !p.isOwned(id, found.Value) {", "if false {", plans},
	{"a key that another writer has changed is told", tagsPlannerFile, "\t\tif isApplied {\n", "\t\tif false {\n", plans},
	{"only what was applied is changed by another writer", tagsPlannerFile, "\t\tif isApplied {\n", "\t\tif true {\n", plans},
	{"another value was not applied", tagsPlannerFile, "return p.rules.value(a.Value) == tag.Value })", "return a != Tag{} })", plans},
	{"a value is left to others", tagsPlannerFile, "\tif p.isLeft(id) {\n", "\tif false {\n", plans},
	{"a value that is kept is told", tagsPlannerFile, "\t\tif !isApplied {\n", "\t\tif false {\n", plans},
	{"a value that was applied is not told as kept", tagsPlannerFile, "\t\tif !isApplied {\n", "\t\tif true {\n", plans},
	{"mandatory values are not left to others", tagsPlannerFile, "return p.mandatory[id] == nil && slices", "return slices", plans},
	{
		"the case of patterns counts where that of keys does", tagsRulesFile, "|| r.IgnoresCase && matches(fold(pattern), fold(key))",
		"|| matches(fold(pattern), fold(key))", plans,
	},
	{"patterns ignore case where keys do", tagsRulesFile, "|| r.IgnoresCase && matches(fold(pattern), fold(key))", "", plans},
	{
		"patterns of values of others are checked", tagsRulesFile, "\tr.checkPatterns(\"AnyValue\", r.AnyValue, require)\n", "",
		"tags Mistakes",
	},
	{
		"keys without values leave none to others", tagsRulesFile, "require(!r.KeysOnly || len(r.AnyValue) == 0, ", "require(true, ",
		"tags Mistakes",
	},
	{"a live spelling is written", tagsPlannerFile, "\ttag.Key = found.Key\n", "", plans},
	{
		"a resource is not filled beyond its limit", tagsPlannerFile, "if additions > 0 && foreign+wanted > p.rules.MaxTags {",
		"if additions > 0 && foreign+wanted > 1000*p.rules.MaxTags {", plans,
	},
	{
		"where a limit binds removals come first", tagsPlannerFile, "plan.setFirst = foreign+len(plan.Remove)+wanted <= p.rules.MaxTags",
		"plan.setFirst = true", plans,
	},
	{"keys without values are the same", tagsSpecFile, "\tif r.KeysOnly {\n\t\treturn \"\"", "\tif false {\n\t\treturn \"\"", plans},
	{
		"keys of the cloud do not count", tagsPlannerFile, "case !slices.ContainsFunc(p.rules.uncounted",
		"case true || !slices.ContainsFunc(p.rules.uncounted", plans,
	},
	{
		"a mistaken description of a cloud plans nothing", tagsPlannerFile, "\tif err := p.rules.check(); err != nil {",
		"\tif err := p.rules.check(); false {", "tags Mistakes",
	},
	{"a pattern for all keys is a mistake", tagsRulesFile, "require(text != \"\", at,", "require(true, at,", "tags Mistakes"},
	{
		"what the cloud reserves, it reserves in any case", tagsRulesFile, "list.why == isReserved && matches(pattern, fold(key))", "false",
		"tags Sixth",
	},
	{"where case is ignored keys are looked up by identity", tagsSpecFile, "\tif r.IgnoresCase {\n", "\tif false {\n", plans},
	{
		"each resource is planned once", tagsPlannerFile, "slices.Compact(slices.Sorted(slices.Values(resources)))",
		"slices.Sorted(slices.Values(resources))", plans,
	},
}
