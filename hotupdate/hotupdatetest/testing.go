package hotupdatetest

import (
	"strings"
	"sync"

	"pgregory.net/rapid"
)

// T is what the kit needs of a test: a *testing.T, a *testing.B, or a recorder of one's own.
type T interface {
	Helper()
	Name() string
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	FailNow()
}

// trialRun stands between rapid and the test: it keeps rapid's own report, in which values are not hidden, and knows whether it failed.
type trialRun struct {
	name   string
	mu     sync.Mutex
	failed bool
	report strings.Builder
}

var _ rapid.TB = (*trialRun)(nil)

// Helper does nothing.
func (r *trialRun) Helper() {}

// Name is that of the test and the guarantee, under which rapid keeps failing inputs.
func (r *trialRun) Name() string { return r.name }

// Logf drops what rapid logs: the values that it drew.
func (r *trialRun) Logf(string, ...any) {}

// Log drops as Logf does.
func (r *trialRun) Log(...any) {}

// Skipf does nothing: no guarantee is skipped.
func (r *trialRun) Skipf(string, ...any) {}

// Skip does nothing.
func (r *trialRun) Skip(...any) {}

// SkipNow does nothing.
func (r *trialRun) SkipNow() {}

// Errorf keeps how rapid says to reproduce the failure.
func (r *trialRun) Errorf(format string, args ...any) {
	r.Fail()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.WriteString(sprintf(format, args...) + "\n")
}

// Error fails as Errorf does.
func (r *trialRun) Error(args ...any) { r.Errorf("%s", sprint(args...)) }

// Fatalf fails; rapid does not rely on its ending the test.
func (r *trialRun) Fatalf(format string, args ...any) { r.Errorf(format, args...) }

// Fatal fails as Fatalf does.
func (r *trialRun) Fatal(args ...any) { r.Error(args...) }

// FailNow fails; the run ends by itself.
func (r *trialRun) FailNow() { r.Fail() }

// Fail marks the run as failed.
func (r *trialRun) Fail() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
}

// Failed reports whether the run failed.
func (r *trialRun) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// reproduce is rapid's line that says how to see the failure again.
func (r *trialRun) reproduce() string {
	for line := range strings.Lines(r.report.String()) {
		if strings.HasPrefix(line, "To ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
