// Package exampletest has the checks that all example providers share, and helpers for the other
// tests. The test of each provider has a row, a [Provider], and [Provider.Test] runs the checks.
package exampletest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
)

// Canonical is a Kubernetes version in the canonical era of every provider.
const Canonical = "1.37.0"

// Pool returns a worker pool of a Kubernetes version with a raw provider config, nil for none.
func Pool(version string, raw []byte) *gardener.WorkerPool {
	pool := &gardener.WorkerPool{
		Name:                "pool",
		NodeAgentSecretName: new("gardener-node-agent-pool-b1b1b1b1b1b1b1b1"),
		KubernetesVersion:   &version,
		MachineType:         "large",
		MachineImage:        hash.Image{Name: "gardenlinux", Version: "1592.1.0"},
		Volume:              &gardener.Volume{Size: "20Gi"},
		DataVolumes: []gardener.DataVolume{
			{Name: "a", Size: "30Gi", Type: new("fast")}, {Name: "kubelet-dir", Size: "40Gi"},
		},
		Labels: map[string]string{"worker.gardener.cloud/pool": "pool"},
	}
	if raw != nil {
		pool.ProviderConfig = &runtime.RawExtension{Raw: raw}
	}
	return pool
}

// Bare returns a pool with no other hashed field than the raw provider config.
func Bare(version string, raw []byte) *gardener.WorkerPool {
	pool := Pool(version, raw)
	pool.Volume = nil
	pool.DataVolumes = nil
	return pool
}

// Data returns the strings that an extension added to a hash.
func Data(name hash.Name) []string {
	var data []string
	for _, part := range name.Inputs {
		if strings.HasPrefix(string(part.Name), "additional data ") {
			data = append(data, part.Value)
		}
	}
	return data
}

// Manifest returns a manifest below testdata as raw JSON for a worker pool.
func Manifest(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.Join(path...)))
	if err == nil {
		data, err = yaml.YAMLToJSONStrict(data)
	}
	fatal(t, err)
	return data
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
