//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/extensions"
)

// interrupting reads a text, then interrupts this process, as Ctrl-C does, and never ends.
type interrupting struct{ *strings.Reader }

func (in interrupting) Read(p []byte) (int, error) {
	if n, err := in.Reader.Read(p); err == nil {
		return n, nil
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
	select {}
}

// TestAuditIsInterrupted: the partial result is printed, in every format, and the exit code says
// that it is partial.
func TestAuditIsInterrupted(t *testing.T) {
	v1 := filepath.Join(t.TempDir(), "v1.json")
	require.NoError(t, writeSchema[fleetV1](v1))
	for output, want := range map[string]string{
		"text": "(partial: the audit was interrupted)", "markdown": "(partial: the audit was interrupted)", "json": `"partial": true`,
		"ndjson": `"partial":true`, "html": "(partial: the audit was interrupted)",
	} {
		var stdout, stderr bytes.Buffer
		in := interrupting{
			strings.NewReader("apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Worker\nspec: {pools: [{name: a}]}\n---\n"),
		}
		code := run(
			[]string{"audit", "--old", v1, "--new", v1, "-o", output, "-"},
			streams{providers: extensions.All(), in: in, out: &stdout, err: &stderr},
		)
		assert.Equal(t, exitInterrupted, code, stderr.String())
		assert.Contains(t, stdout.String(), want, output)
		assert.Empty(t, stderr.String())
	}
}

// TestPlanIsInterrupted: nothing sounds like a result, and the error says how far the command came.
func TestPlanIsInterrupted(t *testing.T) {
	var stdout, stderr bytes.Buffer
	in := interrupting{strings.NewReader("apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Worker\nspec: {pools: [{name: a}]}\n---\n")}
	code := run(
		[]string{"plan", "--gardener", "none", "/dev/null", "-"}, streams{providers: extensions.All(), in: in, out: &stdout, err: &stderr},
	)
	assert.Equal(t, exitInterrupted, code)
	assert.Empty(t, stdout.String())
	assert.Regexp(t, `^interrupted after [01] objects were read\n$`, stderr.String())
}
