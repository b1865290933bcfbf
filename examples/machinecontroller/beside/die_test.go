//go:build mutants

package beside_test

import (
	"flag"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every thirty-sixth row is a part, because a row takes up to two minutes.
var part = flag.Int("part", -1, "which part of the mutants to run: 0 to 35; all without it")

const parts = 36

// TestMutationsCompile takes all rows, while TestMutantsDie takes a part of them.
func TestMutationsCompile(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.breaks, func(t *testing.T) {
			written, err := exec.Command("go", "build", "-overlay", m.overlay(t), "../../../hotupdate/updater").CombinedOutput()
			require.NoError(t, err, string(written))
		})
	}
}

// TestMutantsDie breaks each rule, and a test has to fail.
func TestMutantsDie(t *testing.T) {
	for i, m := range mutants {
		if *part >= 0 && i%parts != *part%parts {
			continue
		}
		t.Run(m.breaks, func(t *testing.T) {
			folder, killer, isElsewhere := strings.Cut(m.killer, " ")
			if !isElsewhere {
				folder = "."
				killer = m.killer
			}
			command := exec.Command("go", "test", "-overlay", m.overlay(t), "-vet=off", "-failfast", "-count=1", "-run", killer, ".")
			command.Dir = folder
			written, err := command.CombinedOutput()
			out := string(written)
			require.NotContains(t, out, "no tests to run", "there is no test %s", m.killer)
			require.Error(t, err, "no test fails if this rule is broken:\n%s: %s\n  instead of %s", m.file, m.new, m.old)
			require.Regexp(t, "--- FAIL:|panic:", out, "no test says what is wrong")
		})
	}
}
