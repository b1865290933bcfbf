package action_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// TestSources: each form of the input version selects a build of the command, and a build that
// cannot change is installed once.
func TestSources(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, version, latest string
		calls                 string // the calls of the compiler
		cached                bool
	}{
		{"a release", "v1.0.0", "", "", true},
		{"the latest release", "latest", "releases/tag/v1.0.0", "", true},
		{"no release yet", "latest", "releases", "@latest\n", false},
		{"a release without binaries", "v0.9.0-rc.1", "", "@v0.9.0-rc.1\n", true},
		{"a commit", commit, "", "@" + commit + "\n", true},
		{"a branch", "main", "", "@main\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := changed(t)
			w.releases.latest = test.latest
			for turn, isInstalled := range []bool{true, !test.cached} {
				j := w.run(fake{report: "released\n"}, map[string]string{"version": test.version}, nil)
				require.False(t, j.failed, j.log)
				assert.Equal(t, isInstalled, slices.Contains(j.ran, "install.sh"), "%d: %v", turn, j.ran)
				isCompiled := test.calls != ""
				assert.Equal(t, isInstalled && isCompiled, slices.Contains(j.ran, "actions/setup-go"), "%d: %v", turn, j.ran)
				assert.Equal(t, map[bool]string{true: "compiled\n", false: "released\n"}[isCompiled], j.summary)
				calls := w.calls()
				const compile = "go install github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate"
				assert.Equal(t, isInstalled && isCompiled, strings.Contains(calls, compile+test.calls), calls)
			}
		})
	}
}

// TestRefusedBuilds: a build that differs from the released one is refused, and the action does not
// compile one instead.
func TestRefusedBuilds(t *testing.T) {
	t.Parallel()
	const (
		archive = "v1.0.0/hotupdate_1.0.0_linux_amd64.tar.gz"
		sums    = "v1.0.0/checksums.txt"
	)
	for _, test := range []struct {
		name, version string
		spoil         func(files map[string][]byte)
		want          string
	}{
		{"another archive", "v1.0.0", func(f map[string][]byte) { f[archive] = append(f[archive], 0) }, "FAILED"},
		{"no checksum", "v1.0.0", func(f map[string][]byte) {
			f[sums] = bytes.ReplaceAll(f[sums], []byte("  hotupdate_1.0.0_linux_amd64"), []byte("  x"))
		}, "checksums.txt: has no hotupdate_1.0.0_linux_amd64.tar.gz"},
		{"no archive", "v1.0.0", func(f map[string][]byte) { delete(f, archive) }, "404"},
		{"no version", "$(touch x)", func(map[string][]byte) {}, "version: must be latest, a tag such as v1.2.3, a commit or a branch"},
		{"two lines", "main\nkey=x", func(map[string][]byte) {}, "version: must be latest"},
		{"a flag", "-version", func(map[string][]byte) {}, "version: must be latest"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := changed(t)
			test.spoil(w.releases.files)
			j := w.run(fake{report: "a report"}, map[string]string{"version": test.version}, nil)
			assert.True(t, j.failed)
			assert.Contains(t, j.log, test.want)
			assert.NotContains(t, j.ran, "plan.sh")
			assert.Empty(t, w.calls())
			assert.NoFileExists(t, filepath.Join(j.temp, "hotupdate", "hotupdate"))
			assert.Empty(t, w.cache)
		})
	}
}

// TestOutageOfReleases: if the server of releases fails, the action does not treat this as a
// release without binaries.
func TestOutageOfReleases(t *testing.T) {
	t.Parallel()
	w := changed(t)
	w.releases.Close()
	for _, version := range []string{"v1.0.0", "latest"} {
		j := w.run(fake{}, map[string]string{"version": version}, nil)
		assert.Equal(t, []string{"version.sh"}, j.ran, version)
		assert.Contains(t, j.log, "exit code", version)
	}
	assert.Empty(t, w.calls())
}

// TestNamesOfArchives: on every runner for which a release has an archive, the action uses the name
// that goreleaser gives the archive. On other runners it compiles.
func TestNamesOfArchives(t *testing.T) {
	t.Parallel()
	systems := map[string]string{"linux": "Linux", "darwin": "macOS", "windows": "Windows"}
	processors := map[string]string{"amd64": "X64", "arm64": "ARM64"}
	w := changed(t)
	var want, got []string
	for _, target := range targets(t) {
		w.releases.asked = nil
		out := w.install(systems[target.os], processors[target.arch])
		assert.Contains(t, out, "404")
		want = append(want, "/download/v2.3.4/"+target.archive)
		got = append(got, w.releases.asked[len(w.releases.asked)-1])
	}
	assert.Len(t, want, 6)
	assert.Equal(t, want, got)
	for _, other := range [][2]string{{"Linux", "X86"}, {"FreeBSD", "X64"}} {
		w.install(other[0], other[1])
		assert.Contains(t, w.calls(), "go install ", other)
	}
}

// install runs the script for a release that has checksums only, and returns its output.
func (w *world) install(system, processor string) string {
	w.t.Helper()
	w.releases.files["v2.3.4/checksums.txt"] = []byte("none\n")
	command := exec.CommandContext(w.t.Context(), "bash", filepath.Join(folder, "install.sh"), "v2.3.4", "release", w.t.TempDir())
	command.Env = append(os.Environ(), "RELEASES="+w.releases.URL, "RUNNER_OS="+system, "RUNNER_ARCH="+processor,
		"PATH="+w.bin+":"+os.Getenv("PATH"), "LOG="+w.log)
	out, _ := command.CombinedOutput() // the output says what failed
	return string(out)
}

type target struct{ os, arch, archive string }

// targets returns the archives of a release v2.3.4 with the command.
func targets(t *testing.T) (targets []target) {
	t.Helper()
	var release struct {
		Builds []struct {
			ID     string   `json:"id"`
			Goos   []string `json:"goos"`
			Goarch []string `json:"goarch"`
		} `json:"builds"`
		Archives []struct {
			ID              string   `json:"id"`
			NameTemplate    string   `json:"name_template"`
			Formats         []string `json:"formats"`
			FormatOverrides []struct {
				Goos    string   `json:"goos"`
				Formats []string `json:"formats"`
			} `json:"format_overrides"`
		} `json:"archives"`
		Checksum struct {
			NameTemplate string `json:"name_template"`
			Algorithm    string `json:"algorithm"`
		} `json:"checksum"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, filepath.Join(root, ".goreleaser.yaml"))), &release))
	assert.Equal(t, "checksums.txt sha256", release.Checksum.NameTemplate+" "+release.Checksum.Algorithm)
	build := release.Builds[0]
	archive := release.Archives[0]
	require.Equal(t, "hotupdate hotupdate", build.ID+" "+archive.ID)
	name, err := template.New("").Parse(archive.NameTemplate)
	require.NoError(t, err)
	for _, system := range build.Goos {
		format := archive.Formats[0]
		for _, override := range archive.FormatOverrides {
			if override.Goos == system {
				format = override.Formats[0]
			}
		}
		for _, processor := range build.Goarch {
			var text strings.Builder
			require.NoError(t, name.Execute(&text, map[string]string{"Version": "2.3.4", "Os": system, "Arch": processor}))
			targets = append(targets, target{system, processor, text.String() + "." + format})
		}
	}
	return targets
}
