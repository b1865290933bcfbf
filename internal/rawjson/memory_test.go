package rawjson_test

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// TestTextsStandAlone: a text of a value does not keep the document in memory that it stood in.
func TestTextsStandAlone(t *testing.T) {
	const (
		size  = 1 << 20
		count = 32
	)
	p := build(t, reflect.TypeFor[wide]())
	raw := []byte(
		`{"text":"a","textP":"b","tags":{"c":"d"},"texts":["e","é","\u0065"],"capacity":{"f":"1"},"any":[1]}` + strings.Repeat(" ", size),
	)
	for _, read := range []func(*fieldplan.Plan, []byte) (reflect.Value, error){rawjson.Decode, rawjson.Read} {
		assert.Less(t, heldBy(t, count, func() any {
			v, err := read(p, raw)
			require.NoError(t, err)
			return v
		}), size*count/8)
	}
	assert.Greater(t, heldBy(t, count, func() any { return string(raw) }), size*count/2, "this test can tell")
}

// heldBy is how much memory so many values hold.
func heldBy(t *testing.T, count int, read func() any) int {
	t.Helper()
	before := heap()
	values := make([]any, count)
	for i := range values {
		values[i] = read()
	}
	after := heap()
	runtime.KeepAlive(values)
	return after - before
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc) //nolint:gosec // small
}

// awsConfig is an object as people write it.
var awsConfig = []byte(`{"apiVersion":"aws.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig","volume":{"iops":10000},
	"dataVolumes":[{"name":"kubelet-dir","snapshotID":"snap-13234"}],"iamInstanceProfile":{"name":"my-profile","arn":"my-instance-profile-arn"},
	"nodeTemplate":{"capacity":{"cpu":"8","memory":"32Gi"}},"tags":{"vm":{"key1":"val1","key2":"val2"},"network":{"key3":"val3","key4":"val4"}}}`)

func BenchmarkRead(b *testing.B) {
	p := build(b, reflect.TypeFor[aws.WorkerConfig]())
	b.SetBytes(int64(len(awsConfig)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := rawjson.Read(p, awsConfig)
		if err != nil {
			b.Fatal(err)
		}
	}
}

// TestDecodeConcurrently: a compiled plan is shared.
func TestDecodeConcurrently(t *testing.T) {
	p := build(t, reflect.TypeFor[aws.WorkerConfig]())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				_, err := rawjson.Decode(p, awsConfig)
				assert.NoError(t, err)
			}
		})
	}
	group.Wait()
}
