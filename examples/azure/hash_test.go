package azure_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/azure"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
)

const typeMeta = `"apiVersion":"azure.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig"`

// TestPoolsKeepTheirNames checks existing pools of each kind, with the strings that name them today.
func TestPoolsKeepTheirNames(t *testing.T) {
	const full = `"diagnosticsProfile":{"enabled":true,"storageURI":"u"},"volume":{"caching":"None"},` +
		`"dataVolumes":[{"name":"b","imageRef":{"id":"i"}},{"name":"a"}],"capacityReservation":{"capacityReservationGroupID":"g"},` +
		`"nodeTemplate":{"capacity":{"gpu":"2","cpu":"1500m"}}`
	provider.CheckVectors(t, []exampletest.Vector{
		{Name: "raw bytes, no config", Version: "1.34.1", Reason: "no string"},
		{
			Name: "raw bytes", Version: "1.34.1", Raw: provider.Config(`"volume":{"caching":"None"},"tags":{"vm":{"a":"b"}}`),
			Want: []string{`{` + typeMeta + `,"volume":{"caching":"None"}}`}, Reason: "a new hot field is hot here too",
		},
		{
			Name: "raw bytes, virtual capacity only", Version: "1.34.1",
			Raw:  provider.Config(`"nodeTemplate":{"virtualCapacity":{"a":"1"}}`),
			Want: []string{`{` + typeMeta + `}`}, Reason: "its TypeMeta",
		},
		{Name: "list, no config", Version: "1.35.0", Reason: "no string"},
		{
			Name: "list", Version: "1.35.0", Raw: provider.Config(full + `,"tags":{"vm":{"a":"1"}}`),
			Want:   []string{"cpu=2", "gpu=2", "None", "b", "i", "a", "true", "u", "g"},
			Reason: "value by value, without names",
		},
		{Name: "canonical, no config", Version: "1.37.0", Sum: new(""), Reason: "the empty config"},
		{Name: "canonical", Version: "1.37.0", Raw: provider.Config(full + `,"tags":{"vm":{"a":"1"}}`), Sum: new(full), Reason: "one sum"},
		{Name: "in place", Version: "1.36.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(full), Reason: "nothing"},
		{
			Name: "in place, canonical", Version: "1.37.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(full),
			Sum: new(full), Reason: "one sum",
		},
	})
}

// TestYesterday shows where the hand-written list and the raw bytes are wrong.
func TestYesterday(t *testing.T) {
	const (
		list = "1.36.0"
		raw  = "1.34.0"
	)
	provider.CheckDefects(t, []exampletest.Defect{
		exampletest.Missed("image to image of a gallery", list,
			`"dataVolumes":[{"name":"a","imageRef":{"id":"i"}}]`, `"dataVolumes":[{"name":"a","imageRef":{"sharedGalleryImageID":"i"}}]`, "values have no names"),
		exampletest.Missed("fraction of a quantity", list,
			`"nodeTemplate":{"capacity":{"cpu":"100m"}}`, `"nodeTemplate":{"capacity":{"cpu":"1"}}`, "rounded up"),
		exampletest.Needless("data volumes reordered", list,
			`"dataVolumes":[{"name":"a","imageRef":{"id":"i"}},{"name":"b"}]`, `"dataVolumes":[{"name":"b"},{"name":"a","imageRef":{"id":"i"}}]`, "looked up by name"),
		exampletest.Needless(
			"off", list, `"volume":{"caching":"None"}`, `"volume":{"caching":"None"},"diagnosticsProfile":{"enabled":false}`,
			"off is as good as absent",
		),
		exampletest.Needless("white space", raw, `"volume":{"caching":"None"}`, `"volume": {"caching": "None"}`, "bytes"),
	})
}

// TestZones: in a zone with a subnet of its own, a pool has a name of its own, in every era.
func TestZones(t *testing.T) {
	zone := azure.Zone{IdentityID: new("identity"), AvailabilitySet: new("set"), Subnet: new("nodes-z1")}
	own := []string{"40Gi", "30Gi", "Premium_LRS", "30Gi", "identity", "set", "nodes-z1"}
	canonical := append([]string{provider.Sum(t, nil)}, own...)
	for version, want := range map[string][]string{"1.34.0": own, "1.36.0": own, "1.37.0": canonical} {
		pool := exampletest.Pool(version, nil)
		pool.DataVolumes = []gardener.DataVolume{
			{Name: "c", Size: "30Gi"}, {Name: "b", Size: "30Gi", Type: new("Premium_LRS")}, {Name: "a", Size: "40Gi", Encrypted: new(true)},
		}
		got, err := azure.GenerateWorkerPoolHash(pool, zone)
		require.NoError(t, err)
		assert.Equal(t, want, exampletest.Data(got), version)
		assert.Equal(t, "c", pool.DataVolumes[0].Name, "sorted in a copy")
	}
}

// TestVolumesAreHashedInTheOrderOfTheirNames: the disk of a name has another size or type exactly if the name of the pool changes, or the
// order of the names did.
func TestVolumesAreHashedInTheOrderOfTheirNames(t *testing.T) {
	old := []gardener.DataVolume{{Name: "a", Size: "10Gi", Type: new("Standard_LRS")}, {Name: "b", Size: "20Gi", Type: new("Premium_LRS")}}
	volume := func(name string, like gardener.DataVolume) gardener.DataVolume {
		like.Name = name
		return like
	}
	data := func(version string, volumes []gardener.DataVolume) []string {
		pool := exampletest.Pool(version, nil)
		pool.DataVolumes = volumes
		got, err := azure.GenerateWorkerPoolHash(pool, azure.Zone{})
		require.NoError(t, err)
		return exampletest.Data(got)
	}
	for _, version := range []string{"1.33.2", "1.35.1", "1.37.0"} {
		before := data(version, old)
		for _, test := range []struct {
			name    string
			updated []gardener.DataVolume
			renames bool
		}{
			{"written in another order", []gardener.DataVolume{old[1], old[0]}, false},
			{"sizes and types exchanged", []gardener.DataVolume{volume("a", old[1]), volume("b", old[0])}, true},
			{"renamed, in the same order", []gardener.DataVolume{volume("a2", old[0]), old[1]}, false},
			{"renamed, in another order", []gardener.DataVolume{volume("z", old[0]), old[1]}, true},
		} {
			assert.Equal(t, test.renames, !slices.Equal(before, data(version, test.updated)), "%s: %s", version, test.name)
		}
	}
	// of the extension's own test
	vector := []gardener.DataVolume{{Name: "foo", Size: "25Gi"}, {Name: "bar", Size: "30Gi", Type: new("type")}}
	assert.Equal(t, []string{"30Gi", "type", "25Gi"}, data("1.33.2", vector))
}

// TestDataVolumesOfOneName: the extension's admission takes two data volumes of one name, and the extension uses the
// last. So every era hashes them, and exchanging them is a change from the canonical era on.
func TestDataVolumesOfOneName(t *testing.T) {
	data := func(version, volumes string, strategy hotupdate.Strategy) []string {
		pool := exampletest.Pool(version, provider.Config(`"dataVolumes":[`+volumes+`]`))
		pool.UpdateStrategy = strategy
		got, err := azure.GenerateWorkerPoolHash(pool, azure.Zone{})
		require.NoError(t, err)
		return exampletest.Data(got)
	}
	const (
		first  = `{"name":"a","imageRef":{"id":"i"}}`
		second = `{"name":"a","imageRef":{"id":"j"}}`
		other  = `{"name":"b"}`
	)
	for _, version := range []string{"1.33.2", "1.35.1", "1.37.0"} {
		for _, strategy := range []hotupdate.Strategy{hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate} {
			data(version, first+","+second, strategy)
		}
	}
	before := data("1.37.0", first+","+other+","+second, hotupdate.AutoRollingUpdate)
	assert.Equal(t, before, data("1.37.0", other+","+first+","+second, hotupdate.AutoRollingUpdate))
	assert.NotEqual(t, before, data("1.37.0", second+","+other+","+first, hotupdate.AutoRollingUpdate))
}
