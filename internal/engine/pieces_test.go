package engine_test

import (
	"bytes"
	"crypto/sha256"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/engine"
)

// TestPiecesOfEveryLength: a piece may end anywhere, inside or outside of texts and keys. No byte is lost or written twice.
func TestPiecesOfEveryLength(t *testing.T) {
	p := plan(t)
	compiled := engine.Of(p)
	const piece = 4 << 10
	for _, end := range []int{piece, piece / 4 * 3, 2 * piece} {
		for size := end - 40; size < end+4; size++ {
			for _, unit := range []string{"x", "é", "\""} {
				text := strings.Repeat(unit, size/len(unit)) + "."
				for _, c := range []*config{
					{Text: text, Int64: 1},
					{Default: text, Bytes: []byte(text)},
					{Texts: []string{text, text, "a"}, Lists: [][]string{{"a"}, {text}, nil}},
					{Set: []string{"b", text, "a", text}, Array: [2]place{{Zone: text}}},
					{Named: []named{{Name: text, Extra: &text}, {Name: "a"}}, Tags: map[string]string{text: text, "a": "b"}},
					{Tree: map[string]place{text: {Zone: "a"}, "b": {}}, HotTree: map[string]*place{text: {Zone: "gone"}, "c": {Kept: 1}}},
					{Ranked: []ranked{{Rank: 2, Text: text}, {Rank: 1}}, HotNamed: []named{{Name: text}}, TextP: new(new(word(text)))},
				} {
					checkPieces(t, compiled, documentOnce(t, c), c)
				}
			}
		}
	}
}

func documentOnce(t *testing.T, c *config) []byte {
	t.Helper()
	want, err := documentOf(plan(t), c)
	require.NoError(t, err)
	return want
}

func checkPieces(t *testing.T, compiled *engine.Program, want []byte, c *config) {
	t.Helper()
	got, err := compiled.Append(nil, reflect.ValueOf(c))
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got), "%d bytes", len(want))
	sum, err := compiled.Sum(reflect.ValueOf(c))
	require.NoError(t, err)
	require.Equal(t, sha256.Sum256(want), sum)
}

// TestOneValueInManyGoroutines: a value that many goroutines read at once, while the garbage collector runs, is never written to and
// never lost.
func TestOneValueInManyGoroutines(t *testing.T) {
	p := plan(t)
	compiled := engine.Of(p)
	seeds := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
	var values []*config
	var want [][]byte
	for _, seed := range seeds {
		values = append(values, draw(seed))
		want = append(want, documentOnce(t, values[len(values)-1]))
	}
	done := make(chan struct{})
	var readers, collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	})
	for range 4 {
		readers.Go(func() {
			for i := range 200 {
				c := values[i%len(values)]
				sum, err := compiled.Sum(reflect.ValueOf(*c))
				assert.NoError(t, err)
				assert.Equal(t, sha256.Sum256(want[i%len(values)]), sum)
				other := draw(seeds[i%len(values)])
				assert.True(t, isSame(p, c, other))
			}
		})
	}
	readers.Wait()
	close(done)
	collector.Wait()
}
