//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/providers"
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
		"text": "partial, for it was interrupted: ", "markdown": "**partial, for it was interrupted: ", "json": `"partial": true`, "ndjson": `"partial":true`, "html": "partial, for it was interrupted: ",
	} {
		var stdout, stderr bytes.Buffer
		in := interrupting{strings.NewReader("apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Worker\nspec: {pools: [{name: a}]}\n---\n")}
		code := run([]string{"audit", "--old", v1, "--new", v1, "-o", output, "-"}, streams{providers: providers.All(), in: in, out: &stdout, err: &stderr, errIsTerminal: true})
		assert.Equal(t, exitInterrupted, code, stderr.String())
		assert.Contains(t, stdout.String(), want, output)
		assert.Empty(t, stderr.String())
	}
}

// pause reads nothing, for longer than the period of the progress line.
type pause struct{}

func (pause) Read([]byte) (int, error) {
	time.Sleep(300 * time.Millisecond)
	return 0, io.EOF
}

// TestProgress: a line has the number of pools, the number of findings and the rate, and is removed
// at the end. It is written only to a terminal.
func TestProgress(t *testing.T) {
	v1 := filepath.Join(t.TempDir(), "v1.json")
	require.NoError(t, writeSchema[fleetV1](v1))
	var workers strings.Builder
	for i := range 20 {
		fmt.Fprintf(&workers, `{"apiVersion":"extensions.gardener.cloud/v1alpha1","kind":"Worker","metadata":{"name":"a%d"},"spec":{"pools":[{"name":"a"%s}]}}`+"\n", i, map[int]string{3: `,"providerConfig":{"nonsense":1}`}[i])
	}
	for _, isTerminal := range []bool{true, false} {
		var stdout, stderr bytes.Buffer
		in := io.MultiReader(strings.NewReader(workers.String()), pause{}, strings.NewReader(strings.ReplaceAll(workers.String(), `"name":"a`, `"name":"b`)))
		code := run([]string{"audit", "--old", v1, "--new", v1, "-"}, streams{providers: providers.All(), in: in, out: &stdout, err: &stderr, errIsTerminal: isTerminal})
		assert.Equal(t, exitOK, code)
		if isTerminal {
			assert.Regexp(t, `^\r\x1b\[K32 pools, 2 findings \(\d+ pools/s\)\r\x1b\[K$`, stderr.String())
		} else {
			assert.Empty(t, stderr.String())
		}
	}
}
