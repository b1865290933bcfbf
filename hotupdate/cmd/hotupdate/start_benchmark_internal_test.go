package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/ratio"
)

// BenchmarkStart compares two small files by a command of its own, as a hook of git does, and sets it beside a program
// that only reads them as YAML. The limit is about what dyff 1.12 costs beside that program.
func BenchmarkStart(b *testing.B) {
	folder := b.TempDir()
	run := func(program string, arguments ...string) {
		output, err := exec.CommandContext(b.Context(), program, arguments...).CombinedOutput()
		require.NoError(b, err, string(output))
	}
	command := filepath.Join(folder, "hotupdate")
	least := filepath.Join(folder, "start")
	run("go", "build", "-o", command, ".")
	run("go", "build", "-o", least, "./testdata/start")
	shoot, err := os.ReadFile("internal/pool/testdata/pairs/aws.yaml")
	require.NoError(b, err)
	old := filepath.Join(folder, "old.yaml")
	updated := filepath.Join(folder, "new.yaml")
	require.NoError(b, os.WriteFile(old, shoot, 0o600))
	require.NoError(b, os.WriteFile(updated, bytes.ReplaceAll(shoot, []byte("m5.large"), []byte("m5.xlarge")), 0o600))
	ratio.Report(b, 3, func() { run(command, "plan", old, updated) }, func() { run(least, old, updated) })
}
