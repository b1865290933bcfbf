package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// repository is a folder with the Shoots of two revisions, in 50 folders.
type repository struct{ old, updated string }

const shootOfRepository = `apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: shoot-%[1]d, namespace: garden-p%[2]d}
spec:
  cloudProfile: {name: aws}
  region: eu-west-1
  kubernetes: {version: 1.34.1}
  networking: {type: calico, pods: 100.96.0.0/11, nodes: 10.250.0.0/16, services: 100.64.0.0/13}
  provider:
    type: aws
    workers:
    - name: general
      minimum: 1
      maximum: 5
      machine: {type: m5.large, image: {name: gardenlinux, version: 1592.9.0}}
      zones: [eu-west-1a]
      volume: {type: gp3, size: 100Gi}
      providerConfig:
        apiVersion: aws.provider.extensions.gardener.cloud/v1alpha1
        kind: WorkerConfig
        volume: {iops: 3000}
    - name: batch
      minimum: 0
      maximum: 50
      machine: {type: m5.4xlarge, image: {name: gardenlinux, version: 1592.9.0}}
      zones: [eu-west-1a]
      volume: {type: gp3, size: 100Gi}
`

// newRepository makes a repository of n Shoots. The other revision of each is what a function makes of
// it; nothing if it is removed.
func newRepository(t *testing.T, n int, change func(i int, text string) string) repository {
	t.Helper()
	r := repository{filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "new")}
	for i := range n {
		name := fmt.Sprintf("p%d/shoot-%d.yaml", i%50, i)
		text := fmt.Sprintf(shootOfRepository, i, i%50)
		put(t, filepath.Join(r.old, name), text)
		put(t, filepath.Join(r.updated, name), change(i, text))
	}
	return r
}

func put(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// ran is the result of a command.
type ran struct {
	code           int
	stdout, stderr string
	memory         int // the most that its process had, in MiB; 0 if it is not measured
}

// plan runs the command on the two revisions.
func (r repository) plan(t *testing.T, flags ...string) ran {
	t.Helper()
	inTest.Lock()
	defer inTest.Unlock()
	var stdout, stderr bytes.Buffer
	code := run(r.arguments(flags), streams{
		providers: extensions.All(), program: "hotupdate", in: strings.NewReader(""), out: &stdout, err: &stderr,
	})
	return ran{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

func (r repository) arguments(flags []string) []string {
	return append([]string{"plan", "--gardener", "none", r.old, r.updated}, flags...)
}

// planMeasured is plan in a process of its own, whose memory is measured. Not every system tells it.
func (r repository) planMeasured(t *testing.T, flags ...string) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), "hotupdate", r.arguments(flags)...) //nolint:gosec // the test's own arguments
	command.Stdout = &stdout
	command.Stderr = &stderr
	memory := filepath.Join(t.TempDir(), "memory")
	command.Env = append(os.Environ(), memoryFile+"="+memory)
	err := command.Run()
	if _, isExit := errors.AsType[*exec.ExitError](err); err != nil && !isExit {
		require.NoError(t, err)
	}
	return ran{command.ProcessState.ExitCode(), stdout.String(), stderr.String(), readMemory(t, memory)}
}

// report decodes the JSON of a run.
func (r ran) report(t *testing.T) (made report.Report) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &made), r.stderr)
	return made
}

// TestGate: in a repository of 300 manifests, or of 3,000, some are broken, templates, renamed, or roll on purpose.
// All others are judged, what is not judged is named, and intended rolls do not fail the gate.
func TestGate(t *testing.T) {
	shoots := effort.Of(3000)
	const ( // of each hundred
		rolling  = 1
		renamed  = 2
		broken   = 3
		template = 4
		unknown  = 5
	)
	gate := newRepository(t, shoots, func(i int, text string) string {
		switch i % 100 {
		case rolling:
			return strings.Replace(text, "m5.large", "m5.xlarge", 1)
		case renamed:
			return strings.Replace(text, "name: shoot-", "name: other-", 1)
		case broken:
			before, _, _ := strings.Cut(text, "    workers:")
			return before + "    workers: [\n"
		case template:
			return strings.Replace(text, "1.34.1", "{{ .Values.version }}", 1)
		case unknown:
			return strings.Replace(text, "extensions.gardener.cloud/v1alpha1", "extensions.gardener.cloud/v9", 1)
		}
		return text
	})
	of := func(i int) int { return shoots / 100 * i }

	first := gate.plan(t, "--output", "json", "--exit-code")
	assert.Equal(t, exitError, first.code, "something was not judged")
	made := first.report(t)
	assert.Equal(t, []report.Summand{
		{Verdict: "roll", Count: report.Count{Pools: of(1), Machines: of(5)}},
		{Verdict: "added", Count: report.Count{Pools: 2 * of(1), Machines: of(55)}},
		{Verdict: "none", Count: report.Count{Pools: 2*(shoots-of(5)) + of(1)}},
	}, made.Sum, "a template may have the former names of renamed Shoots")
	assert.Len(t, made.NotJudged, of(6), "broken files and templates with their old sides, old names, unknown configs")
	assert.Len(t, made.Manifests, of(2))
	for _, one := range made.NotJudged {
		assert.Contains(t, first.stderr, one.Text)
		assert.Contains(t, one.Text, one.File)
	}
	assert.Contains(t, first.stderr, "p3/shoot-3.yaml: is not valid YAML or JSON")
	assert.Contains(t, first.stderr, "p4/shoot-4.yaml: is a template")
	assert.Contains(t, first.stderr, "p2/shoot-2.yaml: Shoot garden-p2/shoot-2 is not judged: ")
	assert.Contains(t, first.stderr, "p3/shoot-3.yaml may hold it")
	assert.Contains(t, first.stderr, `has the unknown apiVersion "aws.provider.extensions.gardener.cloud/v9"`)

	// Without what cannot be read, the gate decides by verdicts.
	var exclude []string
	for _, i := range []int{broken, template, unknown} {
		exclude = append(exclude, "--exclude", fmt.Sprintf("shoot-*0%d.yaml", i), "--exclude", fmt.Sprintf("shoot-%d.yaml", i))
	}
	second := gate.plan(t, append(exclude, "--output", "json", "--exit-code")...)
	assert.Equal(t, exitRemoved, second.code, second.stderr)
	made = second.report(t)
	assert.Empty(t, made.NotJudged)
	assert.Equal(t, []report.Summand{
		{Verdict: "removed", Count: report.Count{Pools: 2 * of(1), Machines: of(55)}},
		{Verdict: "roll", Count: report.Count{Pools: of(1), Machines: of(5)}},
		{Verdict: "added", Count: report.Count{Pools: 2 * of(1), Machines: of(55)}},
		{Verdict: "none", Count: report.Count{Pools: 2*(shoots-of(5)) + of(1)}},
	}, made.Sum)

	// Intended verdicts do not count.
	accept := filepath.Join(t.TempDir(), "accept.yaml")
	put(t, accept, "formatVersion: 1\naccepted:\n"+
		"- {verdict: roll, path: machine.type, reason: larger machines, expires: 2999-12-31}\n"+
		"- {verdict: removed, reason: new names, expires: 2999-12-31}\n")
	third := gate.plan(t, append(exclude, "--accept", accept, "--fail-on", "roll,removed,forbidden,indeterminate")...)
	assert.Equal(t, exitOK, third.code, third.stdout)
	removed := 2 * of(1)
	rolled := of(1)
	assert.Regexp(
		t, fmt.Sprintf(`: %d removed \(up to [0-9,]+ machines, %[1]d accepted\), %d roll \(up to`, removed, rolled),
		strings.ReplaceAll(third.stdout, "\n    ", " "),
	)
}

// TestMemory: the memory of a comparison is that of the texts, and not of what is known about them.
// JSON says nothing about what did not change. Package side counts what is held of each Shoot; this test finds what
// the command takes beside it.
func TestMemory(t *testing.T) {
	t.Setenv("GOMAXPROCS", "2") // as many objects are read at once, and the collector has as many workers
	// The program itself takes 27 MiB, and the Shoots were measured at 10 to 15 MiB, since the collector starts when it
	// likes, and at 28 MiB. Twice as much is too much.
	shoots := 600
	maximum := 46
	if effort.All() {
		shoots = 3000
		maximum = 80
	}
	gate := newRepository(t, shoots, func(i int, text string) string {
		if i == 0 {
			return strings.Replace(text, "m5.large", "m5.xlarge", 1)
		}
		return text
	})
	judged := gate.planMeasured(t, "--output", "json")
	require.Equal(t, exitOK, judged.code, judged.stderr)
	assert.Less(t, len(judged.stdout), 10_000)
	assert.Equal(t, shoots-1, judged.report(t).Omitted)
	t.Logf("%d MiB", judged.memory)
	assert.LessOrEqual(t, judged.memory, maximum)
	if runtime.GOOS == "linux" {
		assert.NotZero(t, judged.memory)
	}
}
