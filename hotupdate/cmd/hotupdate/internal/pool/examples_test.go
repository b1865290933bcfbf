package pool_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/openstack"
	"github.com/hotupdate/providerconfig/examples/providers"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// For each changed field of a pool, the example extensions give the pool another name exactly if
// the verdict is that its machines are replaced. There is one version for each era.
func TestComparisonAgreesWithTheExampleExtensions(t *testing.T) {
	t.Parallel()
	agrees(t, "aws", aws.GenerateWorkerPoolHash, "1.33.0", "1.34.0", "1.37.0")
	agrees(t, "gcp", gcp.GenerateWorkerPoolHash, "1.34.0", "1.35.0", "1.37.0")
	agrees(t, "alicloud", alicloud.GenerateWorkerPoolHash, "1.36.0", "1.37.0")
	agrees(t, "azure", first(azure.GenerateWorkerPoolHash), "1.34.0", "1.35.0", "1.37.0")
	agrees(t, "openstack", first(openstack.GenerateWorkerPoolHash), "1.36.0", "1.37.0")
}

// first leaves out the facts that an extension reads beside the pool.
func first[P, Q any](name func(P, Q) (hash.Name, error)) func(P) (hash.Name, error) {
	return func(p P) (hash.Name, error) { return name(p, *new(Q)) }
}

// agrees gets the type of the extension's worker pool from its function, because only the examples
// may import the type's package.
func agrees[P any](t *testing.T, provider string, name func(*P) (hash.Name, error), versions ...string) {
	t.Helper()
	digest := func(t *testing.T, p pool.Pool, team string) hash.Digest {
		t.Helper()
		named, err := name(workerPool[P](t, p, team))
		require.NoError(t, err)
		return named.Digest
	}
	for _, version := range versions {
		unchanged := examplePool(provider, version)
		require.Equal(t, digest(t, unchanged, "red"), digest(t, unchanged, "blue"), "labels, which no Pool has")
		for change, apply := range poolChanges() {
			t.Run(provider+"/"+version+"/"+change, func(t *testing.T) {
				t.Parallel()
				old, updated := examplePool(provider, version), examplePool(provider, version)
				apply(&updated)
				got, err := pool.Compare(old, updated, pool.Options{Providers: providers.All()})
				require.NoError(t, err)
				require.Equal(t, digest(t, old, "red") != digest(t, updated, "red"), got.Verdict == pool.Roll, "the outcome is %s", got.Verdict)
			})
		}
	}
}

// workerPool turns a pool into the worker pool of an example extension, with Gardener's node-agent
// secret name.
func workerPool[P any](t *testing.T, p pool.Pool, team string) *P {
	t.Helper()
	secret, err := hash.NodeAgentSecretName(p.Worker)
	require.NoError(t, err)
	w := p.Worker
	raw, err := json.Marshal(map[string]any{
		"Name": w.Name, "NodeAgentSecretName": secret.Text, "KubernetesVersion": w.KubernetesVersion, "MachineType": w.MachineType,
		"MachineImage": w.Image, "DataVolumes": p.DataVolumes, "Labels": map[string]string{"team": team},
		"Volume": map[string]any{"Size": w.Volume.Size, "Type": w.Volume.Type, "Encrypted": p.Encrypted},
	})
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	var converted P
	require.NoError(t, decoder.Decode(&converted))
	return &converted
}

func examplePool(provider, version string) pool.Pool {
	return pool.Pool{
		Provider: provider,
		Worker: hash.Worker{
			Name: "pool", KubernetesVersion: version, MachineType: "large",
			Image: &hash.Image{Name: "gardenlinux", Version: "1592.1.0"}, Volume: &hash.Volume{Size: "20Gi"},
		},
		DataVolumes: []pool.DataVolume{{Name: "a", Size: "30Gi", Type: new("fast")}, {Name: "kubelet-dir", Size: "40Gi"}},
	}
}

// poolChanges each change one field of an examplePool.
func poolChanges() map[string]func(*pool.Pool) {
	return map[string]func(*pool.Pool){
		"nothing":                func(*pool.Pool) {},
		"patch version":          func(p *pool.Pool) { p.Worker.KubernetesVersion = p.Worker.KubernetesVersion[:5] + "7" },
		"machine type":           func(p *pool.Pool) { p.Worker.MachineType = "small" },
		"machine image":          func(p *pool.Pool) { p.Worker.Image.Version = "2" },
		"root size":              func(p *pool.Pool) { p.Worker.Volume.Size = "21Gi" },
		"root type":              func(p *pool.Pool) { p.Worker.Volume.Type = new("fast") },
		"root encryption":        func(p *pool.Pool) { p.Encrypted = new(true) },
		"data volume size":       func(p *pool.Pool) { p.DataVolumes[0].Size = "31Gi" },
		"data volume type":       func(p *pool.Pool) { p.DataVolumes[1].Type = new("slow") },
		"data volume encrypted":  func(p *pool.Pool) { p.DataVolumes[0].Encrypted = new(true) },
		"data volume renamed":    func(p *pool.Pool) { p.DataVolumes[0].Name = "z" },
		"data volume gone":       func(p *pool.Pool) { p.DataVolumes = p.DataVolumes[1:] },
		"data volumes reordered": func(p *pool.Pool) { slices.Reverse(p.DataVolumes) },
	}
}
