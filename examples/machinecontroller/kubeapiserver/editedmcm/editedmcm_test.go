package editedmcm_test

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/kubeapiserver/editedmcm"
)

// TestHotUpdates: with hot updates, MCM's controller of machines keeps the promises of package machineupdatetest, and
// passes MCM's own tests, which do not know of them.
func TestHotUpdates(t *testing.T) {
	modfile, err := editedmcm.HotUpdates.Copy(t.Context(), t.TempDir())
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), "go", "test", "-modfile", modfile, "-vet=off", "-count=1", "-v",
		editedmcm.Module+"/pkg/util/provider/machinecontroller")
	output, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	for _, test := range []string{"TestHotUpdates", "TestHotUpdatesInPlace", "TestMachineControllerSuite"} {
		assert.Regexp(t, "(?m)^--- PASS: "+test+" ", string(output), "it has run")
	}
}

// TestNextRelease: the change applies to the release of MCM that go.mod requires.
func TestNextRelease(t *testing.T) {
	_, err := editedmcm.NextRelease.Copy(t.Context(), t.TempDir())
	require.NoError(t, err)
}

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	return string(text)
}

// TestReadme: every piece of code in the README is in the change.
func TestReadme(t *testing.T) {
	change := strings.Join(editedmcm.HotUpdates.Sources(), "\n")
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readme(t), -1)
	assert.Greater(t, len(blocks), 8)
	for _, block := range blocks {
		assert.Contains(t, change, block[1])
	}
}

// TestReadmeCounts: the README's table has each file of the change with its lines, and their sum.
func TestReadmeCounts(t *testing.T) {
	lines := editedmcm.HotUpdates.Lines()
	sum := 0
	for _, n := range lines {
		sum += n
	}
	assert.Contains(t, readme(t), strconv.Itoa(sum)+" added lines of Go")
	for _, row := range regexp.MustCompile(`(?m)^\| (.*\.go.*?) \| (\d+) \|`).FindAllStringSubmatch(readme(t), -1) {
		want, err := strconv.Atoi(row[2])
		require.NoError(t, err)
		added := 0
		for _, name := range regexp.MustCompile("`(.*?)`").FindAllStringSubmatch(row[1], -1) {
			file := path.Join("pkg/util/provider", name[1])
			require.Contains(t, lines, file)
			added += lines[file]
			delete(lines, file)
		}
		assert.Equal(t, want, added, row[1])
	}
	assert.Empty(t, slices.Sorted(maps.Keys(lines)), "files that the README does not have")
}
