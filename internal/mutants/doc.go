// Package mutants checks tests: it breaks each rule on purpose, one at a time, and a test has to fail.
// The rules are those of the flow that updates machines and of its record, of the parts of a config, of
// the plans of infrastructure tags and of sets, of the logins and throttled calls of drivers, and of the
// lists that released extensions hash. The other packages have a second opinion that does not name source
// text, see .github/TESTING.md. Package mutants has only tests. That every mutation still applies is part
// of go test ./..., running the mutants is not:
//
//	go test -tags mutants ./internal/mutants
//
// .ci/run takes a sixth of them for each commit.
//
// A mutant that survives means that a rule has no test. A mutation that no longer applies means
// that the code has changed: the table needs the text that stands there now, or another way to
// break the same rule.
package mutants
