package mutants_test

// The tests that kill.
const (
	kitTags   = "hotupdate/driver ^Test(Panic|Tags|Removal|Attempted|Nothing|Kinds|Plan|Partial|Batch|Total|NoVM|Whole|Throttling|LongThrottling|InFlight|Errors|Unusable|Definitions|Rules)"
	kitGroups = "hotupdate/driver ^Test(Attributes|Defaults|Unset|Synchronous|Lanes|ReadOnly|NotBefore|Refusal|Impossible|Admission|Driver|Groups|Partial)"
	kitTold   = "hotupdate/driver ^Test(NotApplied|DefaultIsNotKept)$"
	kitOthers = "hotupdate/driver ^Test(Policy|PolicyOfOneWrite|OtherWriter|AnyValueIsRemoved|AnyValueIsARevision)$"
	kitModel  = "hotupdate/driver ^TestModel$"
)

const (
	kitCallFile    = "hotupdate/driver/call.go"
	kitFile        = "hotupdate/driver/kit.go"
	kitGroupFile   = "hotupdate/driver/group.go"
	kitTaggingFile = "hotupdate/driver/tagging.go"
	kitUnapplied   = "hotupdate/driver/unapplied.go"
	kitUpdateFile  = "hotupdate/driver/update.go"
)

// driverMutants break the kit for drivers.
var driverMutants = []mutant{
	// What is not applied.
	{"a change of which nothing is applied is told", kitUpdateFile, "\tu.tellUnapplied()\n", "", kitTold},
	{"a change of which something is applied is not told", kitUnapplied, " || u.isProjected() {", " {", kitTold},
	{"tags are applied", kitUnapplied, "slices.ContainsFunc(t.Kinds, differs) {", "slices.ContainsFunc(t.Kinds[:0], differs) {", kitTold},
	{"attributes are applied", kitUnapplied, "slices.ContainsFunc(u.of(g.Kind), differs) {", "slices.ContainsFunc(u.of(g.Kind)[:0], differs) {", kitTold},
	{"an adoption is no change", kitUnapplied, `part.Applied != "" && part`, "part", kitTold},
	{"an attribute that keeps its value is told", kitGroupFile, "u.tellKept(g, r, projected[0], projected[1])", "_ = r", kitTold},
	{"an attribute that was never set is not told", kitUnapplied, ` && applied[name] != "" {`, " {", kitTold},
	{"an update that only reads tells nothing", kitUnapplied, " && !u.request.ReadOnly {", " {", kitTold},
	// Other writers.
	{"another writer is told", kitTaggingFile, "range plan.Rewritten {", "range plan.Rewritten[:0] {", kitOthers},
	{"a takeover is not another writer", kitTaggingFile, "range plan.Rewritten {", "range plan.Takeover {", kitOthers},
	{"what is applied is known", kitTaggingFile, "Applied: projected[1], ", "", kitOthers},
	{"what is desired is not applied", kitTaggingFile, "Applied: projected[1], ", "Applied: projected[0], ", kitOthers},
	{"a value that is left to others is told", kitTaggingFile, "if len(plan.Kept) > 0 {", "if false {", kitOthers},
	{"a value that is no longer left to others is another revision", kitFile, "len(t.Rules.AnyValue) > 0 {", "false {", kitOthers},
	{"no value that is left to others is no revision", kitFile, "len(t.Rules.AnyValue) > 0 {", "true {", kitOthers},
	{"each pattern is another revision", kitFile, `any value %q", t.Kinds`, `any value %v", t.Kinds`, kitOthers},
	{"another writer is told after the marker", kitTaggingFile, "u.takeovers = append(u.takeovers, func() { u.request.OtherWriter(r.text(), key, r.Tags[key]) })", "u.request.OtherWriter(r.text(), key, r.Tags[key])", kitOthers},
	// Infrastructure tags.
	{"what was attempted is owned", kitTaggingFile, "Recorded: projected[1:]}", "Recorded: projected[1:2]}", kitTags},
	{"what was applied is owned", kitTaggingFile, "Recorded: projected[1:]}", "Recorded: projected[2:]}", kitTags},
	{"mandatory keys stay", kitTaggingFile, "s.Mandatory = t.Mandatory(u.class, u.request.Machine)", "", kitTags},
	{"a resource that is right gets no call", kitTaggingFile, "if len(plans[i].Set)+len(plans[i].Remove) > 0 {", "if true {", kitTags},
	{"whole sets have foreign keys", kitTaggingFile, "Apply(r.Tags)", "Apply(nil)", kitTags},
	{"an unguarded whole set is read again before it is written", kitTaggingFile, "if t.Rules.Guard == tags.Unguarded {", "if false {", kitTags},
	{"a whole set is not written to a resource that is gone", kitTaggingFile, "\t\treturn errGone\n", "\t\treturn nil\n", kitTags},
	{"values of the second read are hidden", kitTaggingFile, "\tread.hide(maps.Values(live[at].Tags))\n", "", kitTags},
	{"mistakes in rules are told when the kit is made", kitFile, "problems = append(problems, fault.All(err)...)", "_ = err", kitTags},
	{"resources have IDs", kitUpdateFile, `if r.ID == "" || u`, "if u", kitTags},
	{"resources have IDs of their own", kitUpdateFile, "|| u.named[r.text()] != nil {", "{", kitTags},
	{"kinds without a part are left", kitUpdateFile, "if u.parts[string(r.Kind)] != nil {", "if u.parts[string(r.Kind)] != nil || true {", kitTags},
	{"parts of other kinds are an error", kitUpdateFile, "!slices.Contains(u.definition.kinds(u.request.Lane), asked.Kind)", "false", kitTags},
	{"no resource is no VM", kitUpdateFile, "return machineupdate.ErrNotFound", "return nil", kitTags},
	{"a failed read ends the update", kitUpdateFile, `return u.failure("Resources", nil, err)`, "_ = err", kitTags},
	{"nothing is called if something cannot be done", kitFile, "if err := u.plan(); err != nil {", "if err := u.plan(); false {\n\t\t_ = err", kitTags},
	// Calls.
	{"the marker is written if something differs", kitCallFile, "case len(u.steps) == 0:", "case false:", kitTags},
	{"nothing is called without the marker", kitCallFile, "if err := u.request.BeforeWrite(ctx); err != nil {", "if err := u.request.BeforeWrite(ctx); false {\n\t\t_ = err", kitTags},
	{"a takeover is told", kitCallFile, "tell()", "_ = tell", kitTags},
	{"a resource whose call failed gets no further one", kitCallFile, "u.notDone[r] = true", "_ = r", kitTags},
	{"a resource whose call failed does not hold up others", kitCallFile, "\tif len(of) == 0 {", "\tif len(of) == 0 || len(u.problems) > 0 {", kitTags},
	{"a partial failure is one", kitCallFile, "\t\tu.isTaken = true\n\t\terr = s.failed\n", "\t\terr = s.failed\n", kitTags},
	{"a total failure keeps its kind", kitCallFile, "if !u.isTaken {", "if false {", kitTags},
	{"errors wrap what the driver returned", kitCallFile, "What: u.redacted(err.Error()), Cause: err,", "What: u.redacted(err.Error()),", kitTags},
	{"errors show no secret", kitCallFile, "return strings.NewReplacer(pairs...).Replace(text)", "return text", kitTags},
	{"the longest secret is hidden first", kitCallFile, "len(b)-len(a)", "len(a)-len(b)", kitTags},
	{"secrets of the class are hidden", kitUpdateFile, "u.hide(slices.Values([]string{string(secret)}))", "_ = secret", kitTags},
	{"live values are hidden", kitUpdateFile, "\t\tu.hide(maps.Values(r.Tags))\n", "", kitTags},
	{"desired values are hidden", kitTaggingFile, "\t\tu.hide(maps.Values(projected[len(projected)-1]))\n", "", kitTags},
	{"throttled calls are made again", kitCallFile, "if kind != machineupdate.ErrThrottled || after > maxDelay {", "if kind != machineupdate.ErrThrottled || after >= 0 {", kitTags},
	{"only throttled calls are made again", kitCallFile, "if kind != machineupdate.ErrThrottled || after > maxDelay {", "if err == nil || after > maxDelay || kind != machineupdate.ErrThrottled && delay == maxDelay {", kitTags},
	{"a long delay holds no worker", kitCallFile, " || after > maxDelay {", " {", kitTags},
	{"the cloud's delay counts", kitCallFile, "max(after, delay/2+", "max(0, delay/2+", kitTags},
	{"delays grow", kitCallFile, "delay = min(2*delay, maxDelay)", "delay = min(delay, maxDelay)", kitTags},
	{"delays are bounded", kitCallFile, "delay = min(2*delay, maxDelay)", "delay *= 2", kitTags},
	{"machines do not return together", kitCallFile, "u.request.Machine+strconv.Itoa(try)", "strconv.Itoa(try)", kitTags},
	{"nothing is sent after the context", kitCallFile, "\tif err := share.Ended(ctx); err != nil {\n\t\treturn err", "\tif err := share.Ended(ctx); false {\n\t\treturn err", kitTags},
	{"a suspended process sends nothing late", shareShellFile, "if ok && !time.Now()", "if ok && false && !time.Now()", kitTags},
	{"a panic of a call is its error", kitCallFile, "\terr := caught(func() error { return f(ctx) })", "\terr := f(ctx)", kitTags},
	{"a panic of the kit hides secrets", kitFile, "\t\treturn u.failure(\"UpdateMachine\", nil, problem)\n", "\t\treturn problem\n", kitTags},
	// Attributes.
	{"a group is called only if it differs", kitGroupFile, "read.isKnown && !maps.Equal(read.targets, whole)", "read.isKnown", kitGroups},
	{"an unknown attribute is waited for", kitGroupFile, "isDifferent := read.isKnown && ", "isDifferent := ", kitGroups},
	{"what is unknown is pending", kitGroupFile, "case !read.isKnown || read.isBusy:", "case read.isBusy:", kitGroups},
	{"what is under way is pending", kitGroupFile, "case !read.isKnown || read.isBusy:", "case !read.isKnown:", kitGroups},
	{"the target counts", kitGroupFile, "read.targets[name] = reading.target", "read.targets[name] = reading.value", kitGroups},
	{"acceptance is no success", kitGroupFile, "s.pending = pendingOn(r)", "", kitGroups},
	{"a change that failed is told", kitGroupFile, "s.failed = errFailedBefore", "_ = s", kitGroups},
	{"a default is restored only if it was ours", kitGroupFile, "slices.ContainsFunc(recorded, a.anyOf)", "len(recorded) > 0", kitGroups},
	{"a default is restored", kitGroupFile, "slices.ContainsFunc(recorded, a.anyOf)", "len(recorded) < 0", kitGroups},
	{"a group is complete", kitGroupFile, `if whole != nil && whole[name] == "" {`, "if false {", kitGroups},
	{"a group has its attributes only", kitGroupFile, "if _, ok := a.Defaults[name]; !ok {", "if _, ok := a.Defaults[name]; !ok && false {", kitGroups},
	{"what cannot be done is refused", kitGroupFile, "refused = append(refused, g.check(read.targets, whole, nil)...)", "", kitGroups},
	{"admission knows the default of before", kitGroupFile, "if before := a.whole(old, a.Defaults); before != nil {", "if before := a.whole(old); before != nil {", kitGroups},
	{"admission knows the default that comes back", kitGroupFile, "whole := a.whole(new, old)", "whole := a.whole(new)", kitGroups},
	{"values of attributes are hidden", kitGroupFile, "\t\tu.hide(maps.Values(whole))\n", "", kitGroups},
	{"infrastructure tags belong to the first lane", kitUpdateFile, `if u.request.Lane == "" {`, "if true {", kitGroups},
	{"a group belongs to its lane", kitUpdateFile, "g.Lane == u.request.Lane {", "g != nil {", kitGroups},
	{"a request that is to read only calls nothing", kitCallFile, "case u.request.ReadOnly:", "case false:", kitGroups},
	{"a refusal lasts", kitCallFile, "case !u.request.NotBefore.IsZero():", "case false:", kitGroups},
	{"a refusal that lasts is told as one", kitCallFile, "&machineupdate.RetryError{After: firstDelay, ", "&machineupdate.RetryError{", kitGroups},
	{"a refusal does not hold up what failed", kitCallFile, "refused.Cause = nil", "_ = refused", kitGroups},
	{"lanes have the kinds of their groups", kitFile, "lane.Kinds = k.definition.kinds(lane.Name)", "", kitGroups},
	{"another default is another revision", kitFile, `fmt.Sprint(" ", g.Kind, g.Defaults)`, `fmt.Sprint(" ", g.Kind, len(g.Defaults))`, kitGroups},
	{"lanes are checked", kitFile, "if err := described.Check(definition.Schema); err != nil {", "if err := described.Check(definition.Schema); err != nil && false {", kitGroups},
	// The model.
	{"in the model acceptance is no success", kitGroupFile, "s.pending = pendingOn(r)", "", kitModel},
	{"in the model a refusal lasts", kitCallFile, "case !u.request.NotBefore.IsZero():", "case false:", kitModel},
	{"in the model a default is restored only if it was ours", kitGroupFile, "slices.ContainsFunc(recorded, a.anyOf)", "len(recorded) > 0", kitModel},
	{"in the model a default is restored", kitGroupFile, "slices.ContainsFunc(recorded, a.anyOf)", "len(recorded) < 0", kitModel},
	{"in the model what is under way is pending", kitGroupFile, "case !read.isKnown || read.isBusy:", "case !read.isKnown:", kitModel},
}
