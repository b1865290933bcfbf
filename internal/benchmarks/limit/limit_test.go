package limit_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
	"github.com/hotupdate/providerconfig/internal/benchmarks/limit"
)

func schema(t require.TestingT) *hotupdate.Schema {
	s, err := hotupdate.SchemaOf[fixture.WorkerConfig]()
	require.NoError(t, err)
	return s
}

// checkSame compares bytes and digest of the hand-written encoder with the library's.
func checkSame(t require.TestingT, s *hotupdate.Schema, c *fixture.WorkerConfig) {
	want, err := s.Document(c)
	require.NoError(t, err)
	got, err := limit.Document(c)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	sum, err := limit.Sum(c)
	require.NoError(t, err)
	wantSum, err := s.Hash(c)
	require.NoError(t, err)
	require.Equal(t, [32]byte(wantSum), sum)
}

func TestBytesOfTheFixtures(t *testing.T) {
	s := schema(t)
	for _, size := range fixture.Sizes() {
		checkSame(t, s, size.New())
	}
	checkSame(t, s, &fixture.WorkerConfig{})
}

// TestBytesOfRawJSON: the limit of raw JSON has the library's digest.
func TestBytesOfRawJSON(t *testing.T) {
	s := schema(t)
	for _, size := range fixture.Sizes() {
		raw := toJSON(t, size.New())
		want, err := s.HashRaw(raw)
		require.NoError(t, err)
		got, err := limit.SumRaw(raw)
		require.NoError(t, err)
		require.Equal(t, [32]byte(want), got)
	}
	_, err := limit.SumRaw([]byte(`{"volume":`))
	require.Error(t, err)
}

func texts() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"interface", "", "a\"\\\n\x01<é世 \u2028😀", "plain and long enough to be read by eight"}),
		rapid.String(),
	)
}

func numbers[T int32 | int64]() *rapid.Generator[*T] {
	return rapid.Ptr(rapid.Map(rapid.Int32(), func(i int32) T { return T(i) }), true)
}

// dataVolumes draws data volumes with a name, which often is that of another, or absent.
func dataVolumes(other *rapid.Generator[string]) *rapid.Generator[fixture.DataVolume] {
	name := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "a!", "a long name of a disk", "b"}), other)
	return rapid.Custom(func(t *rapid.T) fixture.DataVolume {
		return fixture.DataVolume{
			Name: name.Draw(t, "name"), SnapshotID: rapid.SampledFrom([]*string{nil, new("snap")}).Draw(t, "snapshot"),
			Volume: fixture.Volume{Iops: numbers[int32]().Draw(t, "iops"), Throughput: numbers[int32]().Draw(t, "throughput")},
		}
	})
}

func configs() *rapid.Generator[*fixture.WorkerConfig] {
	text := rapid.Ptr(texts(), true)
	profiles := rapid.Custom(func(t *rapid.T) fixture.Profile {
		return fixture.Profile{Name: text.Draw(t, "name"), ARN: text.Draw(t, "arn")}
	})
	interfaces := rapid.Custom(func(t *rapid.T) fixture.NetworkInterface {
		return fixture.NetworkInterface{
			NetworkCardIndex: numbers[int64]().Draw(t, "card"), DeviceIndex: int64(rapid.Int8().Draw(t, "device")),
			Type:        text.Draw(t, "type"),
			Description: text.Draw(t, "description"), SubnetID: text.Draw(t, "subnet"),
			NetworkCardRange: rapid.SampledFrom([]*fixture.IndexRange{nil, {}, {From: 1}, {To: 2}, {From: 3, To: 4}}).Draw(t, "range"),
		}
	})
	quantities := rapid.Map(rapid.SampledFrom([]string{"0", "8", "100m", "1Gi", "1.5", "-3", "12e6", "1n"}), resource.MustParse)
	return rapid.Custom(func(t *rapid.T) *fixture.WorkerConfig {
		c := fixture.Size{Items: rapid.IntRange(0, 3).Draw(t, "items"), Tags: 1}.New()
		c.DataVolumes = rapid.SliceOfN(dataVolumes(texts()), 0, 40).Draw(t, "data volumes")
		c.IAMInstanceProfile = rapid.Ptr(profiles, true).Draw(t, "profile")
		c.NetworkInterfaces = rapid.SliceOfN(interfaces, 0, 3).Draw(t, "interfaces")
		c.NodeTemplate.Capacity = rapid.MapOfN(texts(), quantities, 0, 4).Draw(t, "capacity")
		c.MetadataOptions = rapid.SampledFrom(
			[]*fixture.MetadataOptions{nil, {}, {HTTPTokens: new("required"), HTTPPutResponseHopLimit: new(int32(2))}},
		).Draw(t, "metadata")
		c.CPUOptions = rapid.SampledFrom(
			[]*fixture.CPUOptions{nil, {}, {AmdSevSnp: new("enabled")}, {CoreCount: new(int32(2)), ThreadsPerCore: new(int32(0))}},
		).Draw(t, "cpu")
		c.Placement = rapid.SampledFrom([]*fixture.Placement{
			nil, {}, {PartitionNumber: new(int64(3)), Tenancy: new("")}, {Affinity: new("host"), GroupID: new("g"), HostID: new("h")},
		}).Draw(t, "placement")
		c.CapacityReservation = rapid.SampledFrom(
			[]*fixture.CapacityReservation{nil, {}, {Preference: new("open")}, {ID: new("i"), ResourceGroupARN: new("a")}},
		).Draw(t, "reservation")
		c.InstanceMarketOptions = rapid.SampledFrom([]*fixture.MarketOptions{nil, {}, {MarketType: "spot"}}).Draw(t, "market")
		c.Volume = rapid.SampledFrom([]*fixture.Volume{nil, {}, {Iops: new(int32(0))}, {Throughput: new(int32(7))}}).Draw(t, "volume")
		return c
	})
}

func TestBytesOfRandomConfigurations(t *testing.T) {
	s := schema(t)
	rapid.Check(t, func(t *rapid.T) { checkSame(t, s, configs().Draw(t, "config")) })
}

// TestBytesOfRandomRawJSON: names may be repeated, empty or absent.
func TestBytesOfRandomRawJSON(t *testing.T) {
	s := schema(t)
	rapid.Check(t, func(t *rapid.T) {
		c := fixture.Size{Items: 1, Tags: 1}.New()
		c.DataVolumes = rapid.SliceOfN(dataVolumes(rapid.StringMatching(`[ !#-%'-;=?-Z^-~]*`)), 0, 40).Draw(t, "data volumes")
		raw := toJSON(t, c)
		if rapid.Bool().Draw(t, "absent") {
			raw = bytes.ReplaceAll(raw, []byte(`"name":"",`), nil)
			raw = bytes.ReplaceAll(raw, []byte(`{"name":""}`), []byte("{}"))
		}
		want, err := s.HashRaw(raw)
		require.NoError(t, err)
		got, err := limit.SumRaw(raw)
		require.NoError(t, err)
		require.Equal(t, [32]byte(want), got, string(raw))
	})
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]*fixture.WorkerConfig{
		"text": {IAMInstanceProfile: &fixture.Profile{Name: new("\xff")}},
		"key":  {NodeTemplate: &fixture.NodeTemplate{Capacity: map[string]resource.Quantity{"\xff": {}}}},
		"name": {DataVolumes: []fixture.DataVolume{{Name: "\xff"}}},
	} {
		_, err := limit.Sum(c)
		require.Error(t, err, name)
		_, err = schema(t).Hash(c)
		require.Error(t, err, name)
	}
}

func TestSizes(t *testing.T) {
	for _, size := range fixture.Sizes() {
		t.Run(size.Name, func(t *testing.T) { assert.InEpsilon(t, size.Bytes, len(toJSON(t, size.New())), 0.1) })
	}
}

func toJSON(t require.TestingT, c *fixture.WorkerConfig) []byte {
	raw, err := json.Marshal(c)
	require.NoError(t, err)
	return raw
}
