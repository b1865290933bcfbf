package karpenter_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateGuide = flag.Bool("update-guide", false, "write the output of the commands into the guide")

// TestGuide runs the commands of the guide's page on released CRDs, and compares their output with
// the page. With -update-guide it writes the output into the page.
func TestGuide(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "guide"))))
	for name, crd := range map[string][2]string{
		"nodepools.yaml":           {"sigs.k8s.io/karpenter@v1.14.1", "pkg/apis/crds/karpenter.sh_nodepools.yaml"},
		"nodepools-v1.9.0.yaml":    {"sigs.k8s.io/karpenter@v1.9.0", "pkg/apis/crds/karpenter.sh_nodepools.yaml"},
		"awsmachinetemplates.yaml": {"sigs.k8s.io/cluster-api-provider-aws/v2@v2.13.0", "config/crd/bases/infrastructure.cluster.x-k8s.io_awsmachinetemplates.yaml"},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), fileOf(t, crd[0], crd[1]), 0o600))
	}
	const page = "../CUSTOM.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```sh\n(hotupdate [^\n]+)\n```\n\n```text\n(.*?)```")
	assert.Len(t, block.FindAll(text, -1), 3)
	assert.True(t, strings.HasPrefix(string(text), "# Karpenter and Cluster API\n\n```sh\nhotupdate "), "the page begins with commands")
	program := buildCommand(t)
	written := block.ReplaceAllFunc(text, func(found []byte) []byte {
		parts := block.FindSubmatch(found)
		command := exec.CommandContext(t.Context(), program, strings.Fields(string(parts[1]))[1:]...)
		command.Dir = folder
		output, err := command.Output()
		require.NoError(t, err, "%s", parts[1])
		return []byte("```sh\n" + string(parts[1]) + "\n```\n\n```text\n" + string(output) + "```")
	})
	if *updateGuide {
		require.NoError(t, os.WriteFile(page, written, 0o600))
		return
	}
	assert.Equal(t, string(text), string(written), "run go test -run TestGuide -update-guide, and read the difference")
}
