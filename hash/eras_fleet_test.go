package hash_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// fleetConfig is a WorkerConfig of a real shape.
type fleetConfig struct {
	metav1.TypeMeta `json:",inline"`

	Volume      *fleetVolume      `json:"volume,omitempty"`
	DataVolumes []fleetDataVolume `json:"dataVolumes,omitempty" hotupdatable:"false,key=name"`
	Tags        map[string]string `json:"tags,omitempty"        hotupdatable:"true"`
	Profile     *string           `json:"profile,omitempty"`
}

type fleetVolume struct {
	IOPS       *int32 `json:"iops,omitempty"`
	Throughput *int32 `json:"throughput,omitempty"`
}

type fleetDataVolume struct {
	Name       string `json:"name"`
	SnapshotID string `json:"snapshotID,omitempty"`
}

// fleetPool is the pool for the adopter's functions: the decoded config, and a field of the pool itself.
type fleetPool struct {
	config    fleetConfig
	encrypted *bool
}

func (p fleetPool) own() []string {
	if p.encrypted == nil {
		return nil
	}
	return []string{strconv.FormatBool(*p.encrypted)}
}

// rawBytes is the first hash of pools: the raw config, and no string if there is none.
func rawBytes(raw []byte, pool fleetPool) ([]string, error) {
	data := pool.own()
	if raw != nil {
		data = append(data, string(raw))
	}
	return data, nil
}

// handWrittenList is the next hash of pools: values without names. It forgot the profile.
func handWrittenList(_ []byte, pool fleetPool) ([]string, error) {
	data := pool.own()
	if v := pool.config.Volume; v != nil {
		for _, number := range []*int32{v.IOPS, v.Throughput} {
			if number != nil {
				data = append(data, strconv.Itoa(int(*number)))
			}
		}
	}
	for _, v := range pool.config.DataVolumes {
		data = append(data, v.Name)
		if v.SnapshotID != "" {
			data = append(data, v.SnapshotID)
		}
	}
	return data, nil
}

// mendedList is the list with the profile.
func mendedList(raw []byte, pool fleetPool) ([]string, error) {
	data, err := handWrittenList(raw, pool)
	if p := pool.config.Profile; p != nil {
		data = append(data, *p)
	}
	return data, err
}

// allowList is the hash of a third kind of pools: the sorted names of relevant values, never the raw bytes.
func allowList(_ []byte, pool fleetPool) ([]string, error) {
	var names []string
	for _, v := range pool.config.DataVolumes {
		names = append(names, v.Name)
	}
	slices.Sort(names)
	return names, nil
}

func canonicalFleet(t require.TestingT) func([]byte, fleetPool) ([]string, error) {
	schema, err := hotupdate.SchemaOf[fleetConfig]()
	require.NoError(t, err)
	return hash.Canonical(schema, fleetPool.own)
}

// firstRelease returns the eras before adoption, and adopted those after it.
func firstRelease() []hash.Era[fleetPool] {
	return []hash.Era[fleetPool]{{Name: "raw", Data: rawBytes}, {Name: "list", From: "1.34", Data: handWrittenList}}
}

func adopted(t require.TestingT) []hash.Era[fleetPool] {
	return append(firstRelease(), hash.Era[fleetPool]{Name: "canonical", From: "1.37", Data: canonicalFleet(t)})
}

// fleetMachine is one pool of the fleet.
type fleetMachine struct {
	version   string
	strategy  hotupdate.Strategy
	raw       []byte
	encrypted *bool
}

// name hashes the pool like an extension. Calls share no state.
func (m fleetMachine) name(t require.TestingT, list []hash.Era[fleetPool]) hash.Name {
	pool := fleetPool{encrypted: m.encrypted}
	if m.raw != nil {
		require.NoError(t, json.Unmarshal(m.raw, &pool.config))
	}
	eras, err := hash.NewEras(list)
	require.NoError(t, err)
	data, err := eras.AdditionalData(&m.version, m.raw, pool)
	require.NoError(t, err)
	worker := hash.Worker{Name: "pool", UpdateStrategy: m.strategy, KubernetesVersion: m.version}
	secret, err := hash.NodeAgentSecretName(worker)
	require.NoError(t, err)
	name, err := hash.WorkerPool(&secret.Text, data...)
	if m.strategy != hotupdate.AutoRollingUpdate {
		name, err = hash.WorkerPoolInPlace(&secret.Text, worker, data...)
	}
	require.NoError(t, err)
	return name
}

func (m fleetMachine) at(version string) fleetMachine {
	m.version = version
	return m
}

func (m fleetMachine) with(raw string) fleetMachine {
	m.raw = []byte(raw)
	return m
}

func strategies() []hotupdate.Strategy {
	return []hotupdate.Strategy{hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate}
}

// fleet is a pool of each kind at each version and strategy.
func fleet(versions ...string) []fleetMachine {
	var all []fleetMachine
	for _, strategy := range strategies() {
		for _, version := range versions {
			for _, raw := range [][]byte{
				nil,
				[]byte(`{}`),
				[]byte(`{"apiVersion":"cloud/v1alpha1","kind":"WorkerConfig"}`),
				[]byte(`{"apiVersion":"cloud/v1alpha1","kind":"WorkerConfig","volume":{"iops":3000}}`),
				[]byte(`{ "dataVolumes": [ {"name":"b"}, {"name":"a","snapshotID":"snap"} ], "profile": "p" }`),
			} {
				all = append(all, fleetMachine{version, strategy, raw, nil}, fleetMachine{version, strategy, raw, new(true)})
			}
		}
	}
	return all
}

func TestThreeErasAdoptionKeepsEveryName(t *testing.T) {
	t.Parallel()
	before := func(m fleetMachine) []hash.Era[fleetPool] { // only today's hash of each kind of pool
		if slices.Contains([]string{"1.32.1", "1.33.9"}, m.version) {
			return []hash.Era[fleetPool]{{Name: "today", Data: rawBytes}}
		}
		return []hash.Era[fleetPool]{{Name: "today", Data: handWrittenList}}
	}
	for _, m := range fleet("1.32.1", "1.33.9", "1.34.0-rc.1", "1.34.0", "1.36.4") {
		assert.Equal(t, m.name(t, before(m)), m.name(t, adopted(t)), "%+v", m)
	}

	today := []hash.Era[fleetPool]{{Name: "allow-list", Data: allowList}}
	later := append(slices.Clip(today), hash.Era[fleetPool]{Name: "canonical", From: "1.37", Data: canonicalFleet(t)})
	for _, m := range fleet("1.30.0", "1.36.4") {
		assert.Equal(t, m.name(t, today), m.name(t, later), "%+v", m)
	}
}

func TestThreeErasWhatAnEditDoes(t *testing.T) {
	t.Parallel()
	const base = `{"apiVersion":"v","kind":"k","volume":{"iops":3000},"dataVolumes":[{"name":"b"},{"name":"a"}]}`
	for _, test := range []struct {
		name                 string
		from, to             string
		raw, list, canonical bool // whether the name changes in this era
		reason               string
	}{
		{"nothing", base, base, false, false, false, ""},
		{
			"white space", base, `{ "apiVersion":"v","kind":"k","volume":{"iops":3000},"dataVolumes":[{"name":"b"},{"name":"a"}]}`,
			true, false, false, "bytes count where bytes are hashed",
		},
		{
			"order of members", base, `{"kind":"k","apiVersion":"v","volume":{"iops":3000},"dataVolumes":[{"name":"b"},{"name":"a"}]}`,
			true, false, false, "the same",
		},
		{
			"API version", base, `{"apiVersion":"w","kind":"k","volume":{"iops":3000},"dataVolumes":[{"name":"b"},{"name":"a"}]}`,
			true, false, false, "the same",
		},
		{
			"order of volumes", base, `{"apiVersion":"v","kind":"k","volume":{"iops":3000},"dataVolumes":[{"name":"a"},{"name":"b"}]}`,
			true, true, false, "volumes are looked up by name, and only the Schema knows it",
		},
		{
			"another meaning", base, `{"apiVersion":"v","kind":"k","volume":{"throughput":3000},"dataVolumes":[{"name":"b"},{"name":"a"}]}`,
			true, false, true, "a list without names takes iops for throughput: the change is lost",
		},
		{"forgotten field", `{"profile":"a"}`, `{"profile":"b"}`, true, false, true, "the list forgot it: the change is lost"},
		{"immutable field", `{"volume":{"iops":3000}}`, `{"volume":{"iops":4000}}`, true, true, true, "machines are replaced in each era"},
		{"hot tag", `{"tags":{"a":"b"}}`, `{"tags":{"a":"c"}}`, true, false, false, "raw bytes need hot members cut out first"},
		{"first hot tag", `{}`, `{"tags":{"a":"b"}}`, true, false, false, "the same"},
	} {
		for _, strategy := range strategies() {
			for version, want := range map[string]bool{"1.33.1": test.raw, "1.34.1": test.list, "1.37.1": test.canonical} {
				old := fleetMachine{version, strategy, []byte(test.from), nil}
				changed := old.name(t, adopted(t)).Digest != old.with(test.to).name(t, adopted(t)).Digest
				assert.Equalf(t, want, changed, "%s at %s, %s: %s", test.name, version, strategy, test.reason)
			}
		}
	}
}

// A pool that never had a config gets its first hot tag. The raw bytes contribute no string before and one after; the sum is that of {}
// before and after.
func TestThreeErasFirstHotTagOnAPoolWithoutConfig(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"1.33.1": true, "1.34.1": false, "1.37.1": false} {
		without := fleetMachine{version: version}
		tagged := without.with(`{"apiVersion":"v","kind":"k","tags":{"a":"b"}}`)
		assert.Equal(t, want, without.name(t, adopted(t)).Digest != tagged.name(t, adopted(t)).Digest, version)
	}
}

// A minor update replaces the machines, or updates the nodes in place, whichever eras there are: so switching there costs nothing.
func TestThreeErasSwitchWhereMachinesChangeAnyway(t *testing.T) {
	t.Parallel()
	for _, m := range fleet("1.33.9") {
		for _, step := range [][2]string{{"1.33.9", "1.34.0"}, {"1.34.0", "1.35.0"}, {"1.36.4", "1.37.0-rc.1"}} {
			for _, list := range [][]hash.Era[fleetPool]{{{Name: "one", Data: allowList}}, adopted(t)} {
				a, b := m.at(step[0]).name(t, list), m.at(step[1]).name(t, list)
				assert.NotEqual(t, a.Digest, b.Digest, "%+v: %v", m, step)
			}
		}
		a, b := m.at("1.37.0-rc.1").name(t, adopted(t)), m.at("1.37.4").name(t, adopted(t))
		assert.Equal(t, a, b, "from the pre-release to the release nothing is replaced, so nothing may switch")
	}
}

// gardener-extensions#474: the fix of a hash itself replaced every node of every cluster.
func TestIncidentGardenerExtensions474FixingAHashRollsNobody(t *testing.T) {
	t.Parallel()
	fixed := append(firstRelease(), hash.Era[fleetPool]{Name: "mended", From: "1.37", Data: mendedList})
	for _, m := range fleet("1.33.9", "1.34.0", "1.36.4") {
		assert.Equal(t, m.name(t, firstRelease()), m.name(t, fixed), "%+v", m)
	}
	broken := fleetMachine{version: "1.36.4"}
	assert.Equal(t, broken.with(`{"profile":"a"}`).name(t, fixed), broken.with(`{"profile":"b"}`).name(t, fixed), "still broken")
	mended := broken.at("1.37.0")
	assert.NotEqual(t, mended.with(`{"profile":"a"}`).name(t, fixed), mended.with(`{"profile":"b"}`).name(t, fixed), "mended at the next minor")
}

// gardener#9699, gardener#10290: a field joined the hash. That took two versions of the hash, stored with each pool, and a switch when the pool rolls
// anyway. Here nothing is stored, and the switch is also when the pool rolls anyway.
func TestIncidentGardener9699And10290AFieldJoinsTheHashAtANaturalRoll(t *testing.T) {
	t.Parallel()
	releases := [][]hash.Era[fleetPool]{
		firstRelease(),
		append(firstRelease(), hash.Era[fleetPool]{Name: "with profile", From: "1.37", Data: mendedList}),
	}
	names := map[string]hash.Name{}
	for _, release := range []int{0, 1, 0, 1, 1, 0} { // a rollback, and two releases side by side
		for i, m := range fleet("1.33.9", "1.36.4") {
			name := m.name(t, releases[release])
			if before, seen := names[strconv.Itoa(i)]; seen {
				assert.Equal(t, before, name, "%+v", m)
			}
			names[strconv.Itoa(i)] = name
		}
	}
}

// provider-openstack#602: a changed input of the hash replaced pools, and an annotation was added to preserve their hash. Here the new input is an
// era, and a process finds the name from the pool alone: there is no annotation that could get lost.
func TestIncidentProviderOpenStack602AReleaseAloneChangesNoHash(t *testing.T) {
	t.Parallel()
	today := []hash.Era[fleetPool]{{Name: "allow-list", Data: allowList}}
	next := append(slices.Clip(today), hash.Era[fleetPool]{Name: "more", From: "1.36", Data: handWrittenList})
	last := append(slices.Clip(next), hash.Era[fleetPool]{Name: "canonical", From: "1.38", Data: canonicalFleet(t)})
	for _, m := range fleet("1.33.9", "1.35.9") {
		name := m.name(t, today)
		assert.Equal(t, name, m.name(t, next), "%+v", m)
		assert.Equal(t, name, m.name(t, last), "two releases at once: %+v", m)
	}
	for _, m := range fleet("1.36.0", "1.37.9") {
		assert.Equal(t, m.name(t, next), m.name(t, last), "%+v", m)
	}
}
