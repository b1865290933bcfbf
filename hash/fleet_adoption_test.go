package hash_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// The hashes of extensions before and after they adopt this library.

// adoptingPool is the pool for the functions: Gardener's pool with its volumes.
type adoptingPool struct {
	encrypted   *bool
	dataVolumes []adoptingVolume
}

type adoptingVolume struct {
	size      string
	kind      *string
	encrypted *bool
}

// own returns the strings of the pool's own fields, as for AWS.
func (p adoptingPool) own() []string {
	data := adoptingFlag(nil, p.encrypted)
	for _, v := range p.dataVolumes {
		data = append(data, v.size)
		if v.kind != nil {
			data = append(data, *v.kind)
		}
		data = adoptingFlag(data, v.encrypted)
	}
	return data
}

func adoptingFlag(data []string, flag *bool) []string {
	if flag == nil {
		return data
	}
	return append(data, strconv.FormatBool(*flag))
}

type adoptingData func(raw []byte, pool adoptingPool) ([]string, error)

// yesterdaysBytes hashes the raw config, from which expressions have cut virtualCapacity.
func yesterdaysBytes(raw []byte, pool adoptingPool) ([]string, error) {
	if raw == nil {
		return pool.own(), nil
	}
	return append(pool.own(), byExpressions(string(raw))), nil
}

// yesterdaysList hashes values without names.
func yesterdaysList(raw []byte, pool adoptingPool) ([]string, error) {
	var config awsConfig
	if err := json.Unmarshal(orEmpty(raw), &config); err != nil {
		return nil, err
	}
	data := pool.own()
	if v := config.Volume; v != nil {
		data = adoptingNumber(adoptingNumber(data, v.Iops), v.Throughput)
	}
	for _, v := range config.DataVolumes {
		data = adoptingNumber(adoptingNumber(append(data, v.Name), v.Iops), v.Throughput)
	}
	if t := config.NodeTemplate; t != nil && len(t.Capacity) > 0 {
		for _, name := range []string{"cpu", "gpu", "memory"} {
			q := t.Capacity[name]
			data = append(data, strconv.FormatInt(q.Value(), 10))
		}
	}
	return data, nil
}

func adoptingNumber(data []string, number *int32) []string {
	if number == nil {
		return data
	}
	return append(data, strconv.Itoa(int(*number)))
}

// yesterdaysAllowList hashes a few relevant values, as for OpenStack, and never the raw bytes.
func yesterdaysAllowList(raw []byte, _ adoptingPool) ([]string, error) {
	var config struct {
		MachineLabels []struct {
			Name, Value string
			Trigger     bool `json:"triggerRollingOnUpdate"`
		}
		Groups []string `json:"additionalSecurityGroups"`
	}
	if err := json.Unmarshal(orEmpty(raw), &config); err != nil {
		return nil, err
	}
	var labels []string
	for _, l := range config.MachineLabels {
		if l.Trigger {
			labels = append(labels, l.Name+"="+l.Value)
		}
	}
	slices.Sort(labels)
	slices.Sort(config.Groups)
	return append(labels, config.Groups...), nil
}

func orEmpty(raw []byte) []byte {
	if raw == nil {
		return []byte("{}")
	}
	return raw
}

// bareTypeMeta is the extension's choice for a config with only its TypeMeta left.
type bareTypeMeta uint8

const (
	bareAsToday bareTypeMeta = iota
	bareIsNone
)

// bytesWithout hashes the raw config without hot members.
func bytesWithout(schema *hotupdate.Schema, bare bareTypeMeta) adoptingData {
	return func(raw []byte, pool adoptingPool) ([]string, error) {
		cut, err := schema.StripRawKeepNulls(raw)
		isBare := bare == bareIsNone && hash.OnlyTypeMeta(cut)
		if err != nil || raw == nil || isBare {
			return pool.own(), err
		}
		return append(pool.own(), string(cut)), nil
	}
}

func awsSchema(t require.TestingT) *hotupdate.Schema {
	schema, err := hotupdate.SchemaOf[awsConfig]()
	require.NoError(t, err)
	return schema
}

// adoptedEras has three eras of a real shape: raw bytes below 1.34, the hand-written list, and the canonical document from 1.37 on.
func adoptedEras(t require.TestingT, bare bareTypeMeta) rollingEras[adoptingPool] {
	schema := awsSchema(t)
	eras, err := newRolling([]hash.Era[adoptingPool]{
		{Name: "raw bytes", Data: bytesWithout(schema, bare)},
		{Name: "list", From: "1.34", Data: yesterdaysList},
		{Name: "canonical", From: "1.37", Data: hash.CanonicalData(schema, adoptingPool.own)},
	})
	require.NoError(t, err)
	return eras
}

const typeMeta = `"apiVersion":"aws.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig"`

// adoptingConfigs are compact, as an API server stores them, with virtualCapacity where the expressions look for it: last or alone.
var adoptingConfigs = []string{
	`{` + typeMeta + `}`,
	`{` + typeMeta + `,"nodeTemplate":{"virtualCapacity":{"a.example/fpga":"4"}}}`,
	`{"nodeTemplate":{"virtualCapacity":{"a.example/fpga":"4"}},` + typeMeta + `}`,
	`{"apiVersion":"v","nodeTemplate":{"virtualCapacity":{"a":"4","b":"1Gi"}},"kind":"k"}`,
	`{` + typeMeta + `,"nodeTemplate":{"capacity":{"cpu":"8","gpu":"0","memory":"16Gi"}}}`,
	`{` + typeMeta + `,"nodeTemplate":{"capacity":{"cpu":"8","gpu":"0","memory":"16Gi"},"virtualCapacity":{"a":"1"}},"volume":{"iops":3000}}`,
	`{` + typeMeta + `,"nodeTemplate":{"capacity":{"cpu":"100m"},"virtualCapacity":null}}`,
	`{` + typeMeta + `,"nodeTemplate":{"virtualCapacity":null}}`,
	`{` + typeMeta + `,"nodeTemplate":{"virtualCapacity":{}},"volume":{"iops":3000,"throughput":125}}`,
	`{` + typeMeta + `,"nodeTemplate":{},"volume":{}}`,
	`{` + typeMeta + `,"volume":{"throughput":3000},"dataVolumes":[{"name":"b","iops":1},{"name":"a","snapshotID":"snap"}]}`,
	`{ "volume" : { "iops" : 3000 } , "kind" : "k" }`,
	proposalExample,
}

func adoptingPools() []adoptingPool {
	return []adoptingPool{
		{},
		{encrypted: new(true)},
		{encrypted: new(false), dataVolumes: []adoptingVolume{{"20Gi", new("gp3"), new(true)}, {"30Gi", nil, nil}}},
	}
}

// requireSameStrings compares the old functions with adopted eras, for all configs and pools of a version.
func requireSameStrings(t *testing.T, version string, yesterday adoptingData, eras rollingEras[adoptingPool], configs []string) {
	t.Helper()
	raws := [][]byte{nil}
	for _, config := range configs {
		raws = append(raws, []byte(config))
	}
	for _, raw := range raws {
		for _, pool := range adoptingPools() {
			want, err := yesterday(raw, pool)
			require.NoError(t, err)
			got, err := eras.AdditionalData(&version, raw, pool)
			require.NoError(t, err)
			require.Equal(t, want, got, "%s at %s", raw, version)
		}
	}
}

func TestThreeErasAdoptionKeepsTheStringsOfRawBytesAndLists(t *testing.T) {
	t.Parallel()
	eras := adoptedEras(t, bareAsToday)
	for _, version := range []string{"1.31.1", "1.33.9", "v1.33.0-rc.1"} {
		requireSameStrings(t, version, yesterdaysBytes, eras, adoptingConfigs)
	}
	for _, version := range []string{"1.34.0-alpha.1", "1.34.0", "1.36.9"} {
		requireSameStrings(t, version, yesterdaysList, eras, adoptingConfigs)
	}
}

func TestThreeErasAdoptionKeepsTheStringsOfAnAllowList(t *testing.T) {
	t.Parallel()
	eras, err := newRolling([]hash.Era[adoptingPool]{
		{Name: "allow-list", Data: yesterdaysAllowList},
		{Name: "canonical", From: "1.37", Data: hash.CanonicalData(awsSchema(t), adoptingPool.own)},
	})
	require.NoError(t, err)
	configs := append(slices.Clone(adoptingConfigs),
		`{"machineLabels":[{"name":"b","value":"1","triggerRollingOnUpdate":true},{"name":"a","value":"2","triggerRollingOnUpdate":true}]}`,
		`{"additionalSecurityGroups":["z","a"],"machineLabels":[{"name":"hot","value":"1"}]}`,
	)
	for _, version := range []string{"1.30.0", "1.34.2", "1.36.9"} {
		requireSameStrings(t, version, yesterdaysAllowList, eras, configs)
	}
}

// changesBetween reports for each era whether a pool's strings change from one config to the other.
func changesBetween(t *testing.T, eras rollingEras[adoptingPool], from, to []byte) (changed []string) {
	t.Helper()
	for _, version := range []string{"1.33.9", "1.36.9", "1.37.0"} {
		before, err := eras.AdditionalData(&version, from, adoptingPool{})
		require.NoError(t, err)
		after, err := eras.AdditionalData(&version, to, adoptingPool{})
		require.NoError(t, err)
		if !slices.Equal(before, after) {
			era, _, err := eras.Explain(&version)
			require.NoError(t, err)
			changed = append(changed, era)
		}
	}
	return changed
}

func TestThreeErasWhatHotAndOtherMembersDo(t *testing.T) {
	t.Parallel()
	const config = `{` + typeMeta + `,"volume":{"iops":1}}`
	for _, test := range []struct {
		name, to string
		want     []string
		reason   string
	}{
		{"tag behind", `{` + typeMeta + `,"volume":{"iops":1},"tags":{"vm":{"team":"a"}}}`, nil, "hot in each era"},
		{
			"tag in front", `{"tags":{"vm":{"team":"a, }"}},` + typeMeta + `,"volume":{"iops":1}}`, nil,
			"wherever it stands, whatever it says",
		},
		{
			"virtual capacity", `{` + typeMeta + `,"nodeTemplate":{"virtualCapacity":{"a}":"1"}},"volume":{"iops":1}}`, nil,
			"with its parent",
		},
		{
			"null", `{` + typeMeta + `,"volume":{"iops":1},"tags":null}`,
			[]string{"raw bytes"},
			"as today, so that no pool changes its name on the day of the adoption",
		},
		{"empty parent", `{` + typeMeta + `,"nodeTemplate":{},"volume":{"iops":1}}`, []string{"raw bytes"}, "bytes that are not hot"},
		{"spelling", `{` + typeMeta + `,"volume":{"iops": 1}}`, []string{"raw bytes"}, "as today"},
		{
			"forgotten", `{` + typeMeta + `,"volume":{"iops":1},"cpuOptions":{"amdSevSnp":"enabled"}}`,
			[]string{"raw bytes", "canonical"},
			"the list has its holes until its pools leave it",
		},
		{"ambiguous", `{` + typeMeta + `,"volume":{"throughput":1}}`, []string{"raw bytes", "canonical"}, "the same"},
		{
			"immutable", `{` + typeMeta + `,"volume":{"iops":2}}`,
			[]string{"raw bytes", "list", "canonical"},
			"machines are replaced in each era",
		},
	} {
		assert.Equal(
			t, test.want, changesBetween(t, adoptedEras(t, bareAsToday), []byte(config), []byte(test.to)), "%s: %s", test.name, test.reason,
		)
	}
}

// In the era of raw bytes, either the first hot tag of a pool without a config replaces machines, or the adoption does
// for a pool with only TypeMeta. The extension chooses.
func TestThreeErasFirstHotTagOnAPoolWithoutConfigIsTheExtensionsChoice(t *testing.T) {
	t.Parallel()
	bare := []byte(`{` + typeMeta + `}`)
	tagged := []byte(`{` + typeMeta + `,"tags":{"vm":{"team":"a"}}}`)
	for _, test := range []struct {
		choice             bareTypeMeta
		firstTag, adoption []string
	}{
		{choice: bareAsToday, firstTag: []string{"raw bytes"}},
		{choice: bareIsNone, adoption: []string{"raw bytes"}},
	} {
		eras := adoptedEras(t, test.choice)
		assert.Equal(t, test.firstTag, changesBetween(t, eras, nil, tagged), "the first tag")
		assert.Nil(t, changesBetween(t, eras, bare, tagged), "the first tag where there was a config")
		assert.Equal(t, test.adoption, adoptionOf(t, eras, bare), "the day of the adoption")
		assert.Nil(t, adoptionOf(t, eras, nil))
	}
}

// adoptionOf lists the eras in which the strings differ from the old ones.
func adoptionOf(t *testing.T, eras rollingEras[adoptingPool], raw []byte) (changed []string) {
	t.Helper()
	for version, yesterday := range map[string]adoptingData{"1.33.9": yesterdaysBytes, "1.36.9": yesterdaysList} {
		before, err := yesterday(raw, adoptingPool{})
		require.NoError(t, err)
		after, err := eras.AdditionalData(&version, raw, adoptingPool{})
		require.NoError(t, err)
		if !slices.Equal(before, after) {
			era, _, err := eras.Explain(&version)
			require.NoError(t, err)
			changed = append(changed, era)
		}
	}
	return changed
}
