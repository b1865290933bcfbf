package mutants_test

// The tests that kill.
const (
	shareModel = "hotupdate/driver/internal/share ^TestModel$"
	shareTimes = "hotupdate/driver/internal/share ^Test(Apart|Late|Throttling)"
	shareKit   = "hotupdate/driver ^Test(Shar|UnusableSharing)"
)

const (
	sharePacerFile = "hotupdate/driver/internal/share/pacer.go"
	shareShellFile = "hotupdate/driver/internal/share/shell.go"
	sharingFile    = "hotupdate/driver/sharing.go"
)

// sharingMutants break the rules of shared calls.
var sharingMutants = []mutant{
	// What the model of the pacer checks.
	{"nothing is sent after a deadline", sharePacerFile, "&& !now.Before(m.Deadline)\n", "&& false && !now.Before(m.Deadline)\n", shareModel},
	{"a call ends with the earliest deadline", sharePacerFile, "m.Deadline.Before(call.Deadline)", "m.Deadline.After(call.Deadline)", shareModel},
	{"who is late ends no call of others", sharePacerFile, "m.Deadline.Sub(now) < p.longest", "m.Deadline.Sub(now) < 0", shareKit},
	{"only equal calls are shared", sharePacerFile, `m.Equal != "" && m.Equal == other.Equal`, `m.Equal != ""`, shareModel},
	{"an ID is sent once a call", sharePacerFile, "slices.ContainsFunc(m.IDs, func(id string) bool { return named[id] })", "false", shareModel},
	{"a call has a bound", sharePacerFile, "len(named)+len(m.IDs) > first.Bound {", "len(named) > first.Bound {", shareModel},
	{"half of the refill is spent", sharePacerFile, "max(p.Refill, 1), p.Refill/2)", "max(p.Refill, 1), p.Refill)", shareModel},
	{"the bucket holds a second", sharePacerFile, "max(p.Refill, 1), p.Refill/2)", "max(2*p.Refill, 1), p.Refill/2)", shareModel},
	{"a throttled call is repeated", sharePacerFile, "p.again(c.Members, c.Members[0].piece)\n\t\treturn nil", "return present(c.Members)", shareModel},
	{"who has left is not called again", sharePacerFile, "for _, m := range present(members) {\n\t\tm.piece", "for _, m := range members {\n\t\tm.piece", shareModel},
	{"who has left gets no answer", sharePacerFile, "return present(c.Members)\n}", "return c.Members\n}", shareModel},
	{"a rejected member is not called again", sharePacerFile, "rest = [][]*Member[P]{others}", "rest = [][]*Member[P]{c.Members[1:]}\n\t\t_ = others", shareModel},
	{"a named resource that is not in the call rejects no member", sharePacerFile, "if slices.ContainsFunc(c.Members, isRejected) {", "if len(rejected) > 0 {", shareModel},
	{"a call ends with its last member", sharePacerFile, "m.call != nil && len(present(m.call.Members)) == 0", "m.call != nil && len(m.call.Members) == 1", shareModel},
	{"a call goes on until its last member has gone", sharePacerFile, "m.call != nil && len(present(m.call.Members)) == 0", "m.call != nil", shareModel},
	{"who leaves does not wait", sharePacerFile, "return w == m })", "return false })", shareModel},
	// When a call goes out.
	{"a call with room waits", sharePacerFile, "first.patience() - max(", "0*first.patience() - max(", shareTimes},
	{"a call with room waits from its first member at the longest", sharePacerFile, "max(now.Sub(first.joined), now.Sub(p.last))", "now.Sub(p.last)", shareTimes},
	{"a call with room does not wait after a quiet time", sharePacerFile, "max(now.Sub(first.joined), now.Sub(p.last))", "now.Sub(first.joined)", shareTimes},
	{"a call of many does not wait for nobody", sharePacerFile, "if len(members) >= many && ", "if false && ", shareTimes},
	{"a call of few waits", sharePacerFile, "if len(members) >= many && ", "if ", shareTimes},
	{"a call of many waits for who joins", sharePacerFile, "min(left, idle-now.Sub(p.newest))", "min(left, 0)", shareTimes},
	{"many confirmations wait", sharePacerFile, "len(members) >= many && first.Rank == 0 {", "len(members) >= many {", shareTimes},
	{"a full call does not wait", sharePacerFile, "isDue := isFull || first.isSent", "isDue := isFull && false || first.isSent", shareTimes},
	{"what does not fit makes a call full", sharePacerFile, "\t\t\tisFull = true\n", "", shareTimes},
	{"a clock that goes backwards holds nothing", sharePacerFile, "|| left > 2*apart ", "", shareTimes},
	{"a few calls do not wait", sharePacerFile, "\t\tif p.takeSpare(now) {", "\t\tif false {", shareTimes},
	{"few calls do not wait", sharePacerFile, "\tp.spare.spent++\n", "", shareTimes},
	{"a few calls do not wait again", sharePacerFile, "few, 1/regain.Seconds())", "few, 0)", shareTimes},
	{"a confirmation waits longer", sharePacerFile, "if m.Rank > 0 {", "if false {", shareTimes},
	{"delays after throttling grow", sharePacerFile, "max(2*p.delay, FirstDelay)", "FirstDelay", shareTimes},
	{"delays after throttling are bounded", sharePacerFile, "max(min(max(2*p.delay, FirstDelay), MaxDelay), a.After)", "max(2*p.delay, FirstDelay, a.After)", shareTimes},
	{"the cloud's delay counts for all", sharePacerFile, "max(min(max(2*p.delay, FirstDelay), MaxDelay), a.After)", "min(max(2*p.delay, FirstDelay), MaxDelay)", shareTimes},
	{"calls that are throttled together delay once", sharePacerFile, "\t\tif isNews {\n\t\t\tp.delay", "\t\tif true {\n\t\t\tp.delay", shareTimes},
	{"an answer ends the delays", sharePacerFile, "\tif isNews {\n\t\tp.delay = 0", "\tif false {\n\t\tp.delay = 0", shareTimes},
	// What the kit and the shell do with it.
	{"who changes the spec goes first", sharePacerFile, "cmp.Compare(a.Rank, b.Rank)", "cmp.Compare(b.Rank, a.Rank)", shareKit},
	{"the rank is that of the request", sharingFile, "\tpart.Rank = u.request.Rank\n", "", shareKit},
	{"division has a budget", sharePacerFile, "\t\t\t*extra--\n", "", shareKit},
	{"parts of a divided call stay apart", sharePacerFile, " && m.piece == other.piece", "", shareKit},
	{"the context of a call has its deadline", shareShellFile, "if !call.Deadline.IsZero() {", "if false {", shareKit},
	{"an abandoned call ends", shareShellFile, "\t\tm.abandon()\n", "\t\t_ = m\n", shareKit},
	{"a panic reaches every member", shareShellFile, "\t\t\tanswer = Answer{}\n\t\t\terr = machineupdate.NewPanicError(what)\n", "\t\t\tpanic(machineupdate.NewPanicError(what))\n", shareKit},
	{"other credentials do not share", sharingFile, "for _, part := range s.Key(cloud) {", "for _, part := range s.Key(cloud)[:0] {", shareKit},
	{"other tags do not share", sharingFile, `text = append(text, "set", tag.Key, tag.Value)`, `text = append(text, "set", tag.Key)`, shareKit},
	{"the condition of a removal is equal", sharingFile, "if rules.Guard == tags.GuardValue {", "if false {", shareKit},
	{"a value that is no condition is not compared", sharingFile, "if rules.Guard == tags.GuardValue {", "if true {", shareKit},
	{"a step has the bound of a call", sharingFile, "return min(atMost, max(rules.ResourcesPerCall, 1))", "return any", shareKit},
	{"kinds may have a pacer of their own", sharingFile, "\tif s.Refill[name] == 0 {\n", "\tif true {\n", shareKit},
	{"errors hide the secrets of all members", sharingFile, "redact(whole, secrets, nil)", "redact(whole, m.secrets, nil)", shareKit},
	{"errors name one's own resources", sharingFile, "redact(redact(whole, secrets, nil), ids, m.ids)", "redact(whole, secrets, nil)", shareKit},
	{"wrapped errors name one's own resources", sharingFile, "own := &shown{text: text(err.Error())}", "own := &shown{text: text(err.Error()), kind: err}", shareKit},
	{"the text of an error has no codes of others", sharingFile, "func (s *shown) Unwrap() error { return s.kind }", "func (s *shown) Cause() error { return s.kind }", shareKit},
	{"a shared panic keeps its stack", sharingFile, "own.kind = &machineupdate.PanicError{What: text(problem.What), Stack: problem.Stack}", "_ = problem", shareKit},
	{"NotFound of another is no absence", sharingFile, "{machineupdate.ErrThrottled, machineupdate.ErrPending,", "{machineupdate.ErrThrottled, machineupdate.ErrNotFound,", shareKit},
	{"a machine that is missing is an error", sharingFile, "if answers[id] == 0 {", "if false {", shareKit},
	{"a machine that is answered twice is an error", sharingFile, "answers[providerID] > 1 {", "false {", shareKit},
	{"a machine that nobody asked for is an error", sharingFile, "\tif stray != nil {\n\t\treturn stray\n\t}\n", "", shareKit},
	{"no machine is updated by another's resources", sharingFile, "isOwned && other != providerID {", "isOwned && other == \"\" {", shareKit},
	{"lanes do not share", sharingFile, `"lane " + u.request.Lane`, `"lane "`, shareKit},
	{"Connect is not counted as a read", sharingFile, "u.class)\n\t\tif err != nil {\n\t\t\td.Count(", "u.class)\n\t\tif true {\n\t\t\td.Count(", shareKit},
	{"long delays hold no worker", sharingFile, "&& after <= share.MaxDelay:", "&& after >= 0:", shareKit},
}
