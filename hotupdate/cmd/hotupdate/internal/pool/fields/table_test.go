package fields_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds/kindstest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
)

// leavesOf lists the paths of all fields below a type that have no members. A path that ends with
// .anything stands for members that no type lists.
func leavesOf(typ kindstest.Type, path string) (paths []string) {
	if typ.Leaf() == kindstest.Any || typ.IsMap() {
		return []string{path + ".anything"}
	}
	for name, member := range typ.Members() {
		paths = append(paths, leavesOf(member, strings.TrimPrefix(path+"."+name, "."))...)
	}
	if len(typ.Members()) == 0 {
		return []string{path}
	}
	return paths
}

// TestEveryFieldHasARow: package kinds has the names and types of all fields of Gardener's API. Each
// has a row, or was measured.
func TestEveryFieldHasARow(t *testing.T) {
	for _, of := range []struct {
		name  string
		table fields.Table
		typ   kindstest.Type
		least int
	}{
		{"Shoot", fields.Shoot(), kindstest.At(kinds.Shoot), 200},
		{"Worker", fields.Worker(), kindstest.At(kinds.Worker), 20},
		{"pool of a Shoot", fields.Pool(), shootsPool(), 100},
		{"pool of a Worker", fields.Pool(), workersPool(), 90},
	} {
		leaves := leavesOf(of.typ, "")
		require.Greater(t, len(leaves), of.least, of.name)
		for _, path := range leaves {
			if strings.HasPrefix(path, "spec.provider.workers") || path == "spec.pools" {
				continue // the pools
			}
			row, known := of.table.Row(fields.InShoot(path))
			assert.True(t, known, "%s: %s has no row", of.name, path)
			assert.NotEmpty(t, row.Source, path)
		}
	}
}

// TestEveryRowIsAField: no row is misspelled, and every row has effects and a source.
func TestEveryRowIsAField(t *testing.T) {
	ofCluster := []string{fields.NodeLocalDNS, fields.Credentials} // which the pools get from the Shoot
	for _, of := range []struct {
		name  string
		table fields.Table
		types []kindstest.Type
	}{
		{"Shoot", fields.Shoot(), []kindstest.Type{kindstest.At(kinds.Shoot)}},
		{"Worker", fields.Worker(), []kindstest.Type{kindstest.At(kinds.Shoot), kindstest.At(kinds.Worker)}},
		{"pool", fields.Pool(), []kindstest.Type{shootsPool(), workersPool()}},
	} {
		for _, row := range of.table.Sorted() {
			path := row.Path
			assert.NotEmpty(t, row.Rolling.String(), path)
			assert.NotEmpty(t, row.InPlace.String(), path)
			isOfCluster := func(above string) bool { return strings.HasPrefix(path, above) }
			isTypeMeta := path == "apiVersion" || path == "kind"
			if isTypeMeta || strings.HasPrefix(path, "metadata.annotations.") || slices.ContainsFunc(ofCluster, isOfCluster) {
				continue
			}
			steps := strings.Split(strings.TrimSuffix(path, ".*"), ".")
			worker := strings.Split(strings.TrimSuffix(fields.InWorker(path), ".*"), ".")
			isField := func(typ kindstest.Type) bool { return hasMember(typ, steps) || hasMember(typ, worker) }
			assert.True(t, slices.ContainsFunc(of.types, isField), "%s: %s", of.name, path)
		}
	}
}

func hasMember(typ kindstest.Type, path []string) bool { return typ.At(path...) != (kindstest.Type{}) }

// The types of pools.
func shootsPool() kindstest.Type {
	return kindstest.At(kinds.Shoot, "spec", "provider", "workers", "0")
}

func workersPool() kindstest.Type { return kindstest.At(kinds.Worker, "spec", "pools", "0") }

// TestNames: both names of a field of a pool lead to one another.
func TestNames(t *testing.T) {
	for shoot, worker := range map[string]string{
		"machine.type": "machineType", "machine.image.version": "machineImage.version", "machine.architecture": "architecture",
		"kubernetes.version": "kubernetesVersion", "kubernetes.kubelet.maxPods": "kubeletConfig.maxPods", "volume.size": "volume.size",
		"machine.typeless": "machine.typeless",
	} {
		assert.Equal(t, worker, fields.InWorker(shoot))
		assert.Equal(t, shoot, fields.InShoot(worker))
	}
}

// TestAnnotationsOfGardenerAreNotHarmless: an annotation of Gardener's may request an operation, so
// one without a row is not judged.
func TestAnnotationsOfGardenerAreNotHarmless(t *testing.T) {
	for path, isKnown := range map[string]bool{
		"metadata.annotations.example.org/a": true, "metadata.annotations.shoot.gardener.cloud/new": false,
		"metadata.annotations.gardener.cloud/operation": true,
	} {
		_, known := fields.Shoot().Row(path)
		assert.Equal(t, isKnown, known, path)
	}
}
