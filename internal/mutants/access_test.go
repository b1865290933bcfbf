package mutants_test

const (
	logins  = "hotupdate/driver/login ."
	answers = "hotupdate/driver/answer ."

	loginCacheFile = "hotupdate/driver/login/cache.go"
	secretFile     = "hotupdate/driver/login/secret.go"
	digestFile     = "hotupdate/driver/internal/digest/digest.go"
	answerFile     = "hotupdate/driver/answer/answer.go"
)

// accessMutants break a driver's access to a cloud: its logins, and what it reads from answers.
var accessMutants = []mutant{
	{"a failed login is not kept", loginCacheFile, "\t\tdelete(c.entries, key)\n\t\treturn\n", "\t\treturn\n", logins},
	{"a late refusal drops no newer client", loginCacheFile, "e.isEnded && e.client == client", "e.isEnded", logins},
	{"a caller ends no login", loginCacheFile, "context.WithoutCancel(ctx), Timeout", "ctx, Timeout", logins},
	{
		"a login has the values of its caller", loginCacheFile, "context.WithoutCancel(ctx), Timeout", "context.Background(), Timeout",
		logins,
	},
	{
		"a login that ignores its context is given up", loginCacheFile, "context.AfterFunc(shared, ",
		"context.AfterFunc(context.WithoutCancel(shared), ", logins,
	},
	{
		"a panic of a login ends no process", loginCacheFile, "if value := recover(); value != nil {",
		"if value := any(nil); value != nil {", logins,
	},
	{
		"a caller that has given up begins no login", loginCacheFile, "if err := ctx.Err(); err != nil {", "if err := ctx.Err(); false {",
		logins,
	},
	{"a client is used for its lifetime", loginCacheFile, "time.AfterFunc(lifetime,", "time.AfterFunc(2*lifetime,", logins},
	{"an expiry drops no newer client", loginCacheFile, "e != nil && e.firstUse == firstUse", "e != nil", logins},
	{"the client that was used least recently goes", loginCacheFile, "e.lastUse < first.lastUse", "e.lastUse > first.lastUse", logins},
	{"clients are bounded", loginCacheFile, "if kept > maxClients {", "if kept > 2*maxClients {", logins},
	{"logins under way do not count", loginCacheFile, "\t\tif !e.isEnded {\n\t\t\tcontinue\n", "\t\tif false {\n\t\t\tcontinue\n", logins},
	{"a login does not get the cloud-init", loginCacheFile, "\tdelete(own, userData)\n", "", logins},
	{"the cloud-init is no credential", secretFile, "if name != userData {", "if name != \"\" {", logins},
	{"the scope counts", secretFile, "texts := []string{scope}", "texts := []string{scope[:0]}", logins},
	{"the names of values count", secretFile, "append(texts, name, string(secret[name]))", "append(texts, string(secret[name]))", logins},
	{"credentials are not joined", digestFile, `"%d %s", len(text), text`, `"%[2]s", len(text), text`, logins},
	{
		"the errors of calls are translated", "hotupdate/driver/call.go", "k.definition.translated(cloud, f(ctx))", "f(ctx)",
		"hotupdate/driver TestTranslate",
	},
	{
		"the error of Connect is translated", "hotupdate/driver/sharing.go", "\t\terr = d.translated(u.cloud, err)\n", "",
		"hotupdate/driver TestTranslate",
	},
	{
		"an error that says what it means is not translated", "hotupdate/driver/call.go", "\tif isTold {\n", "\tif isTold && false {\n",
		"hotupdate/driver TestTranslate",
	},
	{
		"a write whose version is out of date is made again after a read", "hotupdate/driver/tagging.go", "s.rereads = isOutdated(err)",
		"_ = isOutdated(err)", "hotupdate/driver TestUnansweredReplace",
	},
	{
		"a write whose version is out of date is not repeated before a read", "hotupdate/driver/again.go", " && !isOutdated(err)", "",
		"hotupdate/driver TestOutdatedReplace",
	},
	{
		"what a later plan takes from others is told", "hotupdate/driver/call.go", "\tu.tellReplanned(s)\n", "",
		"hotupdate/driver TestOutdatedReplace",
	},
	{
		"a change that a read shows is not written again", "hotupdate/driver/tagging.go", "\tif isEmpty(again.plan) {\n",
		"\tif isEmpty(again.plan) && false {\n", "hotupdate/driver TestUnansweredReplace",
	},
	{
		"a further attempt merges with what it reads", "hotupdate/driver/tagging.go", "again.plan.Apply(live.Tags)",
		"again.plan.Apply(s.resources[0].Tags)", "hotupdate/driver TestUnansweredReplace",
	},
	{
		"the read before a further attempt is paid", "hotupdate/driver/call.go", "\t\tif s.rereads {\n", "\t\tif false {\n",
		"hotupdate/driver TestReadBeforeReplaceIsPaid",
	},
	{"a 503 without a delay is not throttled", answerFile, "isTemporary && after > 0", "isTemporary", answers},
	{"a delay is bounded", answerFile, "min(max(next.Sub(sent), 0), MaxDelay)", "max(next.Sub(sent), 0)", answers},
	{"a date that is over is no delay", answerFile, "max(next.Sub(sent), 0)", "next.Sub(sent)", answers},
	{"a number of any length is a delay", answerFile, "*unit, MaxDelay)", "*unit, 1<<62)", answers},
	{"no error is not throttled", answerFile, "\tif err == nil {\n\t\treturn nil\n\t}\n\tthrottled", "\tthrottled", answers},
}
