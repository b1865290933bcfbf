package hotupdatetest_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

// TestMain keeps rapid from writing the failures that are asked for here into the source tree.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(fixedseed.RunAll(m))
}

// recorder is a test that fails on paper only.
type recorder struct {
	rapid.TB // no method of it is called but those below

	name   string
	errors []string
	ended  bool
}

func (r *recorder) Helper()      {}
func (r *recorder) Name() string { return r.name }

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) FailNow() { r.ended = true }

func (r *recorder) text() string { return strings.Join(r.errors, "\n\n") }

// updating is the option of a test that was run with these flags.
func updating(t rapid.TB, arguments ...string) hotupdatetest.Option {
	t.Helper()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	option := hotupdatetest.UpdateFlag(flags, "update")
	if err := flags.Parse(arguments); err != nil {
		t.Errorf("%v", err)
	}
	return option
}

// record runs what may fail.
func record(t *testing.T, run func(t rapid.TB)) *recorder {
	t.Helper()
	r := &recorder{name: t.Name()}
	run(r)
	return r
}
