package reader_test

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/reader"
)

// TestLastingTextsStandAlone: a text of a lasting value does not keep the document in memory that it stood in.
func TestLastingTextsStandAlone(t *testing.T) {
	const size, count = 1 << 20, 32
	p := build(t, reflect.TypeFor[config]())
	raw := []byte(`{"text":"a","textP":"b","tags":{"c":"d"},"texts":["e","é","\u0065"],"capacity":{"f":"1"}}` + strings.Repeat(" ", size))
	lasting := heldBy(t, p, raw, reader.Lasting, count)
	passing := heldBy(t, p, raw, reader.Passing, count)
	assert.Less(t, lasting, size*count/8)
	assert.Greater(t, passing, size*count/2, "this test can tell")
}

// heldBy is how much memory so many values hold.
func heldBy(t *testing.T, p *fieldplan.Plan, raw []byte, life reader.Life, count int) int {
	t.Helper()
	before := heap()
	values := make([]reflect.Value, count)
	for i := range values {
		v, ok := reader.Read(p, raw, life)
		require.True(t, ok)
		values[i] = v
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

// TestReadTwice: memory that one document leaves behind says nothing in the next one, also after a run that gave up.
func TestReadTwice(t *testing.T) {
	p := build(t, reflect.TypeFor[config]())
	for range 3 {
		for _, text := range []string{
			`{"tags":{"a":"b","c":"d"},"capacity":{"a":"1","b":"2"},"text":"\u0061\u0062"}`, `{"tags":{"a":"b","c":"d","e":`, `{"capacity":{"a":"1","b":"2","c":true}}`,
			`{"tags":{"a":null,"c":null},"capacity":{"a":null}}`, `{"tags":{},"capacity":{}}`, `{"text":"\u0061"}`, `{"tags":{"a":"b","a":"b"}}`,
		} {
			check(t, p, text)
		}
	}
}

// awsConfig is an object as people write it.
var awsConfig = []byte(`{"apiVersion":"aws.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig","volume":{"iops":10000},
	"dataVolumes":[{"name":"kubelet-dir","snapshotID":"snap-13234"}],"iamInstanceProfile":{"name":"my-profile","arn":"my-instance-profile-arn"},
	"nodeTemplate":{"capacity":{"cpu":"8","memory":"32Gi"}},"tags":{"vm":{"key1":"val1","key2":"val2"},"network":{"key3":"val3","key4":"val4"}}}`)

func BenchmarkRead(b *testing.B) {
	p := build(b, reflect.TypeFor[aws.WorkerConfig]())
	for _, life := range []reader.Life{reader.Lasting, reader.Passing} {
		b.Run([]string{"lasting", "passing"}[life], func(b *testing.B) {
			b.SetBytes(int64(len(awsConfig)))
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := reader.Read(p, awsConfig, life); !ok {
					b.Fatal("gave up")
				}
			}
		})
	}
}
