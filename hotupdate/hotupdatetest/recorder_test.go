package hotupdatetest_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

// TestMain keeps rapid from writing the failures that are asked for here into the source tree.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(fixedseed.Run(m))
}

// recorder is a test that fails on paper only.
type recorder struct {
	name   string
	errors []string
	ended  bool
}

var _ hotupdatetest.T = (*recorder)(nil)

func (r *recorder) Helper()      {}
func (r *recorder) Name() string { return r.name }

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) FailNow() { r.ended = true }

func (r *recorder) text() string { return strings.Join(r.errors, "\n\n") }

// record runs what may fail.
func record(t *testing.T, run func(t hotupdatetest.T)) *recorder {
	t.Helper()
	r := &recorder{name: t.Name()}
	run(r)
	return r
}
