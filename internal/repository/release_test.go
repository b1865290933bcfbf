package repository_test

import (
	"path/filepath"
	"slices"
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
