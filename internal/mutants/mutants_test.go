package mutants_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// mutant is one way to break a rule.
type mutant struct {
	breaks   string // the rule
	file     string // below the root
	old, new string // the text that stands in the file once, and what replaces it
	killer   string // the package whose tests have to fail, and which of them, such as "hotupdate TestDiff"
}

var all = slices.Concat(updateMutants, splitMutants, setMutants, accessMutants, extensionMutants, repeatedMutants)

// TestMutationsApply says which rows of the table have to follow a change of the code.
func TestMutationsApply(t *testing.T) {
	for _, m := range all {
		t.Run(m.breaks, func(t *testing.T) { m.broken(t) })
	}
}

// TestKillersExist: a package has the tests that have to fail. Only a share of the mutants runs for a commit.
func TestKillersExist(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
	for _, m := range all {
		folder, tests, _ := strings.Cut(m.killer, " ")
		files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
		require.NoError(t, err)
		wanted := regexp.MustCompile(tests)
		var exists bool
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, found := range declared.FindAllSubmatch(text, -1) {
				exists = exists || wanted.Match(found[1])
			}
		}
		assert.True(t, exists, "%s: there is no test %s", m.breaks, m.killer)
	}
}

// overlay writes the broken file, and the file that tells the go command to read it in place of the right one.
func (m mutant) overlay(t *testing.T) string {
	t.Helper()
	original, err := filepath.Abs(filepath.Join(root, m.file))
	require.NoError(t, err)
	broken := filepath.Join(t.TempDir(), "broken.go")
	replace := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(broken, []byte(m.broken(t)), 0o600))
	written, err := json.Marshal(map[string]map[string]string{"Replace": {original: broken}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(replace, written, 0o600))
	return replace
}

// broken is the text of the broken file.
func (m mutant) broken(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, m.file))
	require.NoError(t, err, "the mutation no longer applies: the file is gone")
	require.Equal(
		t, 1, strings.Count(string(source), m.old), "the mutation no longer applies: %s has to hold exactly once: %s", m.file, m.old,
	)
	return strings.Replace(string(source), m.old, m.new, 1)
}
