package action_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// releases stands in for the page of the releases. Files has the downloads, by their path below
// download.
type releases struct {
	*httptest.Server

	files  map[string][]byte
	latest string // the tag of the latest release; empty if there is none
	mutex  sync.Mutex
	asked  []string
}

func startReleases(t *testing.T) *releases {
	t.Helper()
	r := &releases{files: map[string][]byte{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *releases) serve(w http.ResponseWriter, request *http.Request) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.asked = append(r.asked, request.URL.Path)
	name, isDownload := strings.CutPrefix(request.URL.Path, "/download/")
	file, known := r.files[name]
	switch {
	case request.URL.Path == "/latest":
		http.Redirect(w, request, r.URL+"/"+r.latest, http.StatusFound)
	case isDownload && known:
		_, _ = w.Write(file) // a client that has gone needs no answer
	default:
		http.NotFound(w, request)
	}
}

// publish adds a release for Linux on amd64 whose command is a file with this content.
func (r *releases) publish(t *testing.T, tag string, command []byte) {
	t.Helper()
	var archive bytes.Buffer
	zipped := gzip.NewWriter(&archive)
	packed := tar.NewWriter(zipped)
	for name, content := range map[string][]byte{"README.md": []byte("text"), "hotupdate": command} {
		require.NoError(t, packed.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}))
		_, err := packed.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, packed.Close())
	require.NoError(t, zipped.Close())
	name := "hotupdate_" + strings.TrimPrefix(tag, "v") + "_linux_amd64.tar.gz"
	r.files[tag+"/"+name] = archive.Bytes()
	r.files[tag+"/checksums.txt"] = fmt.Appendf(nil, "%x  kubectl-%s\n%x  %s\n", 0, name, sha256.Sum256(archive.Bytes()), name)
}

// standIn is the command of a release. Its output is the file $FAKE_REPORT, its standard error the
// file $FAKE_ERRORS, and its exit code $FAKE_CODE. It logs its arguments.
const standIn = `#!/usr/bin/env bash
echo "$*" >>"$LOG"
cat "$FAKE_REPORT"
cat "$FAKE_ERRORS" >&2
exit "$FAKE_CODE"
`

// gh stands in for GitHub's API. The file $COMMENTS is the only comment of a pull request; its
// number is 41. $GITHUB is forbidden, readonly, down or empty.
const gh = `#!/usr/bin/env bash
set -euo pipefail
echo "$*" >>"$LOG"
[ -n "$GH_TOKEN" ] || { echo 'gh: To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN environment variable.' >&2; exit 4; }
case $GITHUB:$* in
forbidden:* | readonly:*--method*) echo 'gh: Resource not accessible by integration (HTTP 403)' >&2; exit 1 ;;
down:*) echo 'gh: Bad Gateway (HTTP 502)' >&2; exit 1 ;;
esac
case $* in
*--paginate*repos/o/fleet/issues/7/comments*) [ ! -s "$COMMENTS" ] || echo 41 ;;
*--method\ DELETE\ repos/o/fleet/issues/comments/41) rm "$COMMENTS" ;;
*--method\ PATCH\ repos/o/fleet/issues/comments/41\ * | *--method\ POST\ repos/o/fleet/issues/7/comments\ *)
	all=$*
	cp "${all##*body=@}" "$COMMENTS"
	;;
*) echo "gh: unexpected: $*" >&2; exit 2 ;;
esac
`

// goCommand stands in for the compiler. It installs a command that prints "compiled".
const goCommand = `#!/usr/bin/env bash
echo "go $*" >>"$LOG"
printf '#!/bin/sh\necho compiled\n' >"$GOBIN/hotupdate"
chmod 755 "$GOBIN/hotupdate"
`

// world has the clone and the stand-ins of jobs.
type world struct {
	t        *testing.T
	releases *releases
	bin      string // the folder of the stand-ins
	clone    string
	comments string // the file of the comment
	log      string // the file with the calls of the stand-ins
	cache    map[string]string
}

// newWorld makes a clone with one commit of these files, and a release v1.0.0 with the stand-in.
func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	w := &world{
		t: t, releases: startReleases(t), bin: t.TempDir(), clone: t.TempDir(), cache: map[string]string{},
		comments: filepath.Join(t.TempDir(), "comment"), log: filepath.Join(t.TempDir(), "log"),
	}
	w.releases.publish(t, "v1.0.0", []byte(standIn))
	for name, script := range map[string]string{"gh": gh, "go": goCommand} {
		require.NoError(t, os.WriteFile(filepath.Join(w.bin, name), []byte(script), 0o700)) //nolint:gosec // a program
	}
	w.git("init", "-q", "-b", "main")
	w.commit(files)
	return w
}

func (w *world) git(args ...string) {
	w.t.Helper()
	command := exec.CommandContext(w.t.Context(), "git",
		append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
	command.Dir = w.clone
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := command.CombinedOutput()
	require.NoError(w.t, err, string(out))
}

// commit writes files and commits them. A file with an empty text is removed.
func (w *world) commit(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(w.clone, name)
		if text == "" {
			require.NoError(w.t, os.Remove(path))
			continue
		}
		require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(w.t, os.WriteFile(path, []byte(text), 0o600))
	}
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", "a commit")
}

// pullRequest commits files on a branch, and checks out its merge into main.
func (w *world) pullRequest(files map[string]string) {
	w.t.Helper()
	w.git("checkout", "-q", "-B", "branch", "main")
	w.commit(files)
	w.git("checkout", "-q", "main")
	w.git("merge", "-q", "--no-ff", "-m", "merge", "branch")
}

// fake is the behaviour of the command's stand-in.
type fake struct {
	report, errors string
	code           int
}

// run runs the action in the clone, for pull request 7. Inputs and values replace the defaults.
func (w *world) run(does fake, inputs, values map[string]string) *job {
	w.t.Helper()
	j := w.job(does)
	for name, value := range inputs {
		require.Contains(w.t, j.definition.Inputs, name)
		j.values["inputs."+name] = value
	}
	for name, value := range values {
		if _, isValue := j.values[name]; isValue {
			j.values[name] = value
		} else {
			j.env[name] = value
		}
	}
	j.run()
	return j
}

func (w *world) job(does fake) *job {
	w.t.Helper()
	temp := w.t.TempDir()
	require.NoError(w.t, os.WriteFile(filepath.Join(temp, "report"), []byte(does.report), 0o600))
	require.NoError(w.t, os.WriteFile(filepath.Join(temp, "errors"), []byte(does.errors), 0o600))
	j := &job{
		t: w.t, definition: readDefinition(w.t), folder: w.clone, temp: temp, cache: w.cache, unsaved: map[string]string{},
		values: map[string]string{
			"github.token": "secret", "github.repository": "o/fleet", "github.server_url": "https://github.com",
			"github.run_id": "5", "github.event.pull_request.number": "7", "runner.temp": temp, "runner.os": "Linux",
			"runner.arch": "X64",
		},
		env: map[string]string{
			"PATH": w.bin + ":" + os.Getenv("PATH"), "RELEASES": w.releases.URL, "HOME": temp, "TMPDIR": temp,
			"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64",
			"COMMENTS": w.comments, "LOG": w.log, "GITHUB": "", "FAKE_CODE": strconv.Itoa(does.code),
			"FAKE_REPORT": filepath.Join(temp, "report"), "FAKE_ERRORS": filepath.Join(temp, "errors"),
		},
	}
	for name, input := range j.definition.Inputs {
		j.values["inputs."+name] = j.text(input.Default)
	}
	j.values["inputs.version"] = "v1.0.0"
	return j
}

// comment is the comment on the pull request.
func (w *world) comment() string { return read(w.t, w.comments) }

// calls returns the calls of the stand-ins since the previous call.
func (w *world) calls() string {
	text := read(w.t, w.log)
	require.NoError(w.t, os.WriteFile(w.log, nil, 0o600))
	return text
}

// real publishes the command of this repository as v1.0.0.
func (w *world) real() {
	w.t.Helper()
	built := filepath.Join(w.t.TempDir(), "hotupdate")
	command := exec.CommandContext(w.t.Context(), "go", "build", "-o", built, "./hotupdate/cmd/hotupdate")
	command.Dir = root
	out, err := command.CombinedOutput()
	require.NoError(w.t, err, string(out))
	program, err := os.ReadFile(built)
	require.NoError(w.t, err)
	maps.DeleteFunc(w.cache, func(string, string) bool { return true })
	w.releases.publish(w.t, "v1.0.0", program)
}
