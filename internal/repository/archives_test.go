//go:build man

package repository_test

import (
	"cmp"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestArchives: an archive has the licence, the documents, a manual page for every command and the scripts of three shells.
func TestArchives(t *testing.T) {
	documents := filepath.Join(t.TempDir(), "documents")
	write := exec.Command("bash", ".ci/documents", documents)
	write.Dir = root
	out, err := write.CombinedOutput()
	require.NoError(t, err, string(out))
	want := []string{
		"CHANGELOG.md", "LICENSE", "README.md",
		"completions/_hotupdate", "completions/hotupdate.bash", "completions/hotupdate.fish", "completions/kubectl_complete-hotupdate",
	}
	for _, page := range []string{
		"", "-audit", "-completion", "-completion-bash", "-completion-fish", "-completion-powershell", "-completion-zsh",
		"-explain", "-hash", "-plan", "-rules", "-schema", "-schema-config", "-schema-diff", "-schema-report", "-serve", "-version",
	} {
		want = append(want, "man/hotupdate"+page+".1")
	}
	for _, topic := range []string{
		"accept", "apply", "config", "crd", "eras", "fleet", "gardener", "git", "inputs", "verdicts", "webhook",
	} {
		want = append(want, "man/hotupdate-"+topic+".7")
	}
	for _, a := range readRelease(t).Archives {
		var packed []string
		for _, file := range a.Files {
			packed = append(packed, packedBy(t, file, documents)...)
		}
		if strings.HasPrefix(a.ID, "hotupdate-") { // the documents are those of the command that it is for
			assert.Equal(t, []string{"LICENSE"}, packed)
			continue
		}
		assert.ElementsMatch(t, want, packed, a.ID)
	}
}

// packedBy returns the names in an archive of the files that an entry of the list of files finds.
func packedBy(t *testing.T, entry any, documents string) (names []string) {
	t.Helper()
	source := ""
	folder := ""
	switch e := entry.(type) {
	case string:
		source = e
	case map[string]any:
		source, _ = e["src"].(string)
		folder, _ = e["dst"].(string)
		require.Equal(t, true, e["strip_parent"], source)
	}
	pattern := filepath.Join(root, source)
	if below, ok := strings.CutPrefix(source, ".documents/"); ok {
		pattern = filepath.Join(documents, below)
	}
	found, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, found, cmp.Or(source, "an entry without a source"))
	for _, file := range found {
		names = append(names, path.Join(folder, filepath.Base(file)))
	}
	return names
}
