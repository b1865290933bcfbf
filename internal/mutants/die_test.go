//go:build mutants

package mutants_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long the tests of one mutant may take. One that does not end is none that a test kills.
const patience = 100 * time.Second

// Every sixth row is a part.
var part = flag.Int("part", -1, "which part of the mutants to run: 0 to 5; all without it")

const parts = 6

func TestMutantsDie(t *testing.T) {
	for i, m := range all {
		if *part >= 0 && i%parts != *part%parts {
			continue
		}
		t.Run(m.breaks, func(t *testing.T) {
			t.Parallel()
			overlay := m.overlay(t)
			out, died := m.test(t, overlay)
			require.NotContains(t, out, "[build failed]", "the mutation does not compile")
			require.NotContains(t, out, "no tests to run", "there is no test %s", m.killer)
			require.True(t, died, "no test fails if this rule is broken:\n%s: %s\n  instead of %s", m.file, m.new, m.old)
			require.Regexp(t, "--- FAIL:|panic:", out, "no test says what is wrong")
			t.Logf("killed by %s", killedBy(out))
		})
	}
}

// test runs the killer's tests with the broken file.
func (m mutant) test(t *testing.T, overlay string) (out string, died bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	pkg, run, _ := strings.Cut(m.killer, " ")
	args := []string{"test", "-overlay", overlay, "-vet=off", "-ldflags=-s -w", "-failfast", "-count=1", "-run", run, "./" + pkg}
	if m.draws(t, pkg) {
		args = append(args, "-rapid.shrinktime=0s", "-rapid.nofailfile")
	}
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = root
	command.Env = append(os.Environ(), "DRAWS=all") // a rare value may be what finds it
	written, err := command.CombinedOutput()
	return string(written), err != nil
}

// draws reports whether the tests of a package take the flags of rapid: a test imports it.
func (m mutant) draws(t *testing.T, pkg string) bool {
	t.Helper()
	tests, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(tests, func(name string) bool {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return strings.Contains(string(text), `"pgregory.net/rapid"`)
	})
}

var failure = regexp.MustCompile(`--- FAIL: (\S+)`)

// killedBy is the innermost test that failed.
func killedBy(out string) string {
	names := failure.FindAllStringSubmatch(out, -1)
	if len(names) == 0 {
		return "a panic"
	}
	return names[len(names)-1][1]
}
