package hash_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// awsLike builds a configuration with so many data volumes, network interfaces and capacities, and infrastructure tags.
func awsLike(items, tags int) *awsConfig {
	c := &awsConfig{
		TypeMeta:           metav1.TypeMeta{APIVersion: "aws.provider.extensions.gardener.cloud/v1alpha1", Kind: "WorkerConfig"},
		Volume:             &awsVolume{Iops: new(int32(10000))},
		IAMInstanceProfile: &awsProfile{Name: new("my-profile"), ARN: new("my-instance-profile-arn")},
		DataVolumes:        []awsDataVolume{{Name: "kubelet-dir", SnapshotID: new("snap-13234")}},
		NodeTemplate:       &awsNodeTemplate{Capacity: map[string]resource.Quantity{"cpu": resource.MustParse("8")}},
		Tags:               &awsTags{VM: labels("vm", tags), Network: labels("network", tags), Disk: labels("disk", tags)},
	}
	for i := range items {
		c.DataVolumes = append(c.DataVolumes, awsDataVolume{
			Name: fmt.Sprintf("data-volume-%04d", items-i), awsVolume: awsVolume{Iops: new(int32(3000 + i)), Throughput: new(int32(125))}, SnapshotID: new(fmt.Sprintf("snap-%08d", i)),
		})
		c.NetworkInterfaces = append(c.NetworkInterfaces, awsNetworkInterface{NetworkCardIndex: new(int64(i)), DeviceIndex: 1, Type: new("efa-only"), Description: new(`rail "x"`)})
		c.NodeTemplate.Capacity[fmt.Sprintf("example.com/resource-%04d", i)] = *resource.NewQuantity(int64(i)<<20, resource.BinarySI)
	}
	return c
}

func labels(kind string, n int) map[string]string {
	m := map[string]string{}
	for i := range n {
		m[fmt.Sprintf("%s.example.com/key-%02d", kind, i)] = fmt.Sprintf("value-%02d", i)
	}
	return m
}

// sizes are the configurations that are measured.
var sizes = []struct {
	name        string
	items, tags int
	bytes       int // of their JSON, about
}{{"small", 0, 1, 400}, {"typical", 8, 10, 3300}, {"large", 380, 40, 84000}}

func TestBenchmarkSizes(t *testing.T) {
	for _, size := range sizes {
		raw, err := json.Marshal(awsLike(size.items, size.tags))
		require.NoError(t, err)
		assert.InEpsilon(t, size.bytes, len(raw), 0.1, size.name)
	}
}

// eachSize runs a benchmark for a configuration of each size.
func eachSize(b *testing.B, run func(b *testing.B, s *hotupdate.Schema, config *awsConfig)) {
	b.Helper()
	s, err := hotupdate.SchemaOf[awsConfig]()
	require.NoError(b, err)
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			run(b, s, awsLike(size.items, size.tags))
		})
	}
}

func BenchmarkHash(b *testing.B) {
	eachSize(b, func(b *testing.B, s *hotupdate.Schema, config *awsConfig) {
		b.Helper()
		for b.Loop() {
			if _, err := s.Hash(config); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkHashRaw(b *testing.B) {
	eachSize(b, func(b *testing.B, s *hotupdate.Schema, config *awsConfig) {
		b.Helper()
		raw, err := json.Marshal(config)
		require.NoError(b, err)
		for b.Loop() {
			if _, err := s.HashRaw(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDiffWithoutChange(b *testing.B) {
	eachSize(b, func(b *testing.B, s *hotupdate.Schema, config *awsConfig) {
		b.Helper()
		same := clone(b, config)
		for b.Loop() {
			if changes, err := s.Diff(config, same); err != nil || len(changes) != 0 {
				b.Fatal(changes, err)
			}
		}
	})
}

func BenchmarkDiffWithOneChange(b *testing.B) {
	eachSize(b, func(b *testing.B, s *hotupdate.Schema, config *awsConfig) {
		b.Helper()
		updated := clone(b, config)
		updated.Tags.VM["vm.example.com/key-00"] = "changed"
		for b.Loop() {
			if changes, err := s.Diff(config, updated); err != nil || len(changes) != 1 {
				b.Fatal(changes, err)
			}
		}
	})
}

func BenchmarkSchemaOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := hotupdate.SchemaOf[awsConfig](); err != nil {
			b.Fatal(err)
		}
	}
}

// clone copies a configuration through JSON, so that nothing is shared.
func clone(tb testing.TB, config *awsConfig) *awsConfig {
	tb.Helper()
	raw, err := json.Marshal(config)
	require.NoError(tb, err)
	cloned := &awsConfig{}
	require.NoError(tb, json.Unmarshal(raw, cloned))
	return cloned
}
