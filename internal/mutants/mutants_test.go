package mutants_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var enabled = flag.Bool("mutants", false, "break the engine's rules one at a time, and check that a test fails")

const root = "../.."

// mutant is one way to break a rule.
type mutant struct {
	breaks   string // the rule
	file     string // below the root
	old, new string // the text that stands in the file once, and what replaces it
	killer   string // the package whose tests have to fail, and which of them, such as "hotupdate TestDiff"
}

// patience is how long the tests of one mutant may take. One that does not end is none that a test kills.
const patience = 100 * time.Second

// TestMutationsApply takes a second, and says which rows of the table have to follow a change of the code.
func TestMutationsApply(t *testing.T) {
	if !*enabled {
		t.Skip("only with -args -mutants")
	}
	for _, m := range mutants {
		t.Run(m.breaks, func(t *testing.T) { m.overlay(t) })
	}
}

func TestMutantsDie(t *testing.T) {
	if !*enabled {
		t.Skip("only with -args -mutants")
	}
	for _, m := range mutants {
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

// overlay writes the broken file, and the file that tells the go command to read it in place of the right one.
func (m mutant) overlay(t *testing.T) string {
	t.Helper()
	original, err := filepath.Abs(filepath.Join(root, m.file))
	require.NoError(t, err)
	source, err := os.ReadFile(original)
	require.NoError(t, err, "the mutation no longer applies: the file is gone")
	require.Equal(t, 1, strings.Count(string(source), m.old), "the mutation no longer applies: %s has to hold exactly once: %s", m.file, m.old)
	broken, replace := filepath.Join(t.TempDir(), "broken.go"), filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(broken, []byte(strings.Replace(string(source), m.old, m.new, 1)), 0o600))
	written, err := json.Marshal(map[string]map[string]string{"Replace": {original: broken}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(replace, written, 0o600))
	return replace
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
	written, err := command.CombinedOutput()
	return string(written), err != nil
}

// draws reports whether the tests of a package take the flags of rapid.
func (m mutant) draws(t *testing.T, pkg string) bool {
	t.Helper()
	main, err := os.ReadFile(filepath.Join(root, pkg, "main_test.go"))
	return err == nil && strings.Contains(string(main), "fixedseed")
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
