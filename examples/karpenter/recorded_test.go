package karpenter_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordedFields are the kinds with built-in classes whose releases module proxies serve, with the CRD in the release.
var recordedFields = []struct{ kind, module, file string }{
	{"NodePool", "sigs.k8s.io/karpenter@v1.14.1", "pkg/apis/crds/karpenter.sh_nodepools.yaml"},
	{"EC2NodeClass", "github.com/aws/karpenter-provider-aws@v1.14.1", "pkg/apis/crds/karpenter.k8s.aws_ec2nodeclasses.yaml"},
	{"MachineDeployment", "sigs.k8s.io/cluster-api@v1.14.2", "core/config/crd/bases/cluster.x-k8s.io_machinedeployments.yaml"},
	{
		"KubeadmConfigTemplate", "sigs.k8s.io/cluster-api@v1.14.2",
		"bootstrap/kubeadm/config/crd/bases/bootstrap.cluster.x-k8s.io_kubeadmconfigtemplates.yaml",
	},
	{
		"AWSMachineTemplate", "sigs.k8s.io/cluster-api-provider-aws/v2@v2.13.0",
		"config/crd/bases/infrastructure.cluster.x-k8s.io_awsmachinetemplates.yaml",
	},
}

// TestRecordedFields: the fields that internal/fieldclasses has a row for are all fields of the released CRDs, and the
// command gives each a class.
func TestRecordedFields(t *testing.T) {
	command := buildCommand(t)
	for _, of := range recordedFields {
		crd := filepath.Join(t.TempDir(), "crd.yaml")
		require.NoError(t, os.WriteFile(crd, fileOf(t, of.module, of.file), 0o600))
		text, err := exec.CommandContext(t.Context(), command, "schema", "-o", "json", "--crd", crd).Output()
		require.NoError(t, err, of.kind)
		var listed struct {
			Kinds []struct {
				APIVersion, Source string
				Fields             []struct{ Path, Class string }
			}
		}
		require.NoError(t, json.Unmarshal(text, &listed))
		var fields []string
		for _, kind := range listed.Kinds {
			assert.Equal(t, of.module, strings.Replace(kind.Source, " ", "@", 1), "%s: the classes were read in another release", of.kind)
			for _, field := range kind.Fields {
				_, version, _ := strings.Cut(kind.APIVersion, "/")
				fields = append(fields, version+" "+field.Path)
				assert.NotEmpty(t, field.Class, "%s: %s", of.kind, field.Path)
			}
		}
		recorded, err := os.ReadFile(filepath.Join("..", "..", "internal", "fieldclasses", "testdata", of.kind+".txt"))
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(recorded)), "\n")
		assert.Contains(t, lines[0], of.file)
		assert.Equal(t, lines[1:], leavesOf(fields), of.kind)
	}
}

// leavesOf leaves out the objects and lists that are listed because they have a class themselves.
func leavesOf(fields []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool {
		return slices.ContainsFunc(fields, func(other string) bool {
			return strings.HasPrefix(other, field+".") || strings.HasPrefix(other, field+"[")
		})
	})
}

// buildCommand builds the command hotupdate, and returns its file.
func buildCommand(t *testing.T) string {
	t.Helper()
	command := filepath.Join(t.TempDir(), "hotupdate")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", command, "./hotupdate/cmd/hotupdate")
	build.Dir = filepath.Join("..", "..")
	said, err := build.CombinedOutput()
	require.NoError(t, err, "%s", said)
	return command
}
