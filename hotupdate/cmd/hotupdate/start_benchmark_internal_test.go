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
// that only reads them as YAML. The limit is about what dyff 1.12 costs beside that program, for a comparison and even
// for what the command costs without any work. The programs are built as a release is.
func BenchmarkStart(b *testing.B) {
	folder := b.TempDir()
	run := func(program string, arguments ...string) {
		command := exec.CommandContext(b.Context(), program, arguments...)
		command.Env = append(os.Environ(), "CGO_ENABLED=0")
		output, err := command.CombinedOutput()
		require.NoError(b, err, string(output))
	}
	command := filepath.Join(folder, "hotupdate")
	least := filepath.Join(folder, "start")
	build := []string{"build", "-trimpath", "-ldflags=-s -w", "-o"}
	run("go", append(build, command, ".")...)
	run("go", append(build, least, "./testdata/start")...)
	shoot, err := os.ReadFile("internal/pool/testdata/pairs/aws.yaml")
	require.NoError(b, err)
	old := filepath.Join(folder, "old.yaml")
	updated := filepath.Join(folder, "new.yaml")
	require.NoError(b, os.WriteFile(old, shoot, 0o600))
	require.NoError(b, os.WriteFile(updated, bytes.ReplaceAll(shoot, []byte("m5.large"), []byte("m5.xlarge")), 0o600))
	peer := func() { run(least, old, updated) }
	const limit = 3
	b.Run("plan", func(b *testing.B) { ratio.Report(b, limit, func() { run(command, "plan", old, updated) }, peer) })
	b.Run("version", func(b *testing.B) { ratio.Report(b, limit, func() { run(command, "version") }, peer) })
}
