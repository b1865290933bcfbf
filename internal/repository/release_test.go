package repository_test

import (
	"cmp"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// release is what .goreleaser.yaml says of builds and archives. Its schema is checked by bash .ci/run release.
type release struct {
	Builds []struct {
		ID, Dir, Main, Binary string
		Goos, Goarch          []string
	}
	Archives []struct {
		ID    string
		IDs   []string
		Files []any
	}
	Krews   []struct{ IDs []string }
	Release struct {
		ExtraFiles []struct{ Glob string } `json:"extra_files"`
	}
}

func readRelease(t *testing.T) (r release) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(read(t, ".goreleaser.yaml")), &r))
	return r
}

// TestReleaseBuilds: each binary is built for the six targets, from a command that is there, and stands in an archive.
func TestReleaseBuilds(t *testing.T) {
	r := readRelease(t)
	var binaries, packed []string
	for _, b := range r.Builds {
		binaries = append(binaries, b.Binary)
		assert.Equal(t, []string{"linux", "darwin", "windows"}, b.Goos, b.ID)
		assert.Equal(t, []string{"amd64", "arm64"}, b.Goarch, b.ID)
		assert.FileExists(t, filepath.Join(root, b.Dir, b.Main, "main.go"), b.ID)
		assert.Equal(t, b.ID, b.Binary)
	}
	assert.Equal(
		t, []string{"hotupdate", "kubectl-hotupdate", "hotupdatelint", "hotupdate-gardener", "hotupdate-crd", "hotupdate-cloudprofiles"},
		binaries,
	)
	for _, a := range r.Archives {
		packed = append(packed, a.IDs...)
	}
	assert.ElementsMatch(t, binaries, packed)
	require.Len(t, r.Krews, 1)
	for _, a := range r.Archives {
		if slices.Contains(a.IDs, "kubectl-hotupdate") {
			assert.Equal(t, []string{a.ID}, r.Krews[0].IDs, "krew installs the binary that kubectl looks for")
		}
	}
}

// TestReleaseHasTheSchemas: a release publishes the schemas of all versions of the reports of plan, and of the config file, from the first
// one that was released on.
func TestReleaseHasTheSchemas(t *testing.T) {
	extra := readRelease(t).Release.ExtraFiles
	var published []string
	for _, files := range extra {
		found, err := filepath.Glob(filepath.Join(root, files.Glob))
		require.NoError(t, err)
		require.NotEmpty(t, found)
		for _, file := range found {
			published = append(published, filepath.Base(file))
		}
	}
	assert.Equal(t, []string{"report.v4.schema.json", "config.v1.schema.json"}, published)
}

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
