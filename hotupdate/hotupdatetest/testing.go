package hotupdatetest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// trialRun intercepts rapid's calls of the test. It withholds rapid's report, in which values are
// not hidden, and records whether the run failed.
type trialRun struct {
	rapid.TB // no method of it is called but those below

	name   string // of the test and the guarantee, under which rapid keeps failing inputs
	report strings.Builder
}

func (*trialRun) Helper()                        {}
func (r *trialRun) Name() string                 { return r.name }
func (*trialRun) Logf(string, ...any)            {} // the values that rapid drew
func (*trialRun) Log(...any)                     {}
func (*trialRun) FailNow()                       {} // after Errorf
func (r *trialRun) Failed() bool                 { return r.report.Len() > 0 }
func (r *trialRun) Fatalf(f string, args ...any) { r.Errorf(f, args...) }

// Errorf keeps rapid's instructions to reproduce the failure.
func (r *trialRun) Errorf(format string, args ...any) {
	fmt.Fprintf(&r.report, format+"\n", args...)
}

// reproduce is rapid's line that says how to reproduce the failure.
func (r *trialRun) reproduce() string {
	for line := range strings.Lines(r.report.String()) {
		if strings.HasPrefix(line, "To ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
