package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExitCodes: each problem is told with its place and what mends it.
func TestExitCodes(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	const cluster = `{"apiVersion":"v1","kind":"Config","current-context":"n","contexts":[{"name":"n","context":{"cluster":"n"}}],
"clusters":[{"name":"n","cluster":{"server":"http://127.0.0.1:1"}}]}`
	require.NoError(t, os.WriteFile(kubeconfig, []byte(cluster), 0o600))
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	file := filepath.Join(dir, "file.json")
	for name, test := range map[string]struct {
		arguments []string
		code      int
		want      string
	}{
		"no file":       {nil, exitUsage, "needs --file: the file that hotupdate serve reads"},
		"an argument":   {[]string{"--file", file, "x"}, exitUsage, `takes no arguments, but got ["x"]`},
		"a wrong flag":  {[]string{"--fil", file}, exitUsage, "not defined: -fil; --help shows the flags"},
		"help":          {[]string{"--help"}, exitOK, "Keeps FILE up to date"},
		"no cluster":    {[]string{"--file", file}, exitError, "the cluster that this runs in: "},
		"no kubeconfig": {[]string{"--file", file, "--kubeconfig", dir + "/missing"}, exitError, "--kubeconfig: "},
		"a taken address": {
			[]string{"--file", file, "--kubeconfig", kubeconfig, "--listen", taken.Addr().String()}, exitError, "--listen: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			assert.Equal(t, test.code, run(t.Context(), test.arguments, &stderr))
			assert.Contains(t, stderr.String(), test.want)
		})
	}
	t.Run("the end", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var stderr bytes.Buffer
		assert.Equal(
			t, exitOK, run(ctx, []string{"--file", file, "--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0"}, &stderr), stderr.String(),
		)
	})
}
