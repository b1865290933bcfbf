//go:build !race

package engine_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/engine"
)

// What is pooled is counted without the race detector, under which sync.Pool drops items at random.

// usual is a configuration like real ones: text, numbers, lists with and without keys, maps.
func usual(items int) *config {
	c := &config{
		Text: "text", Int64: 5, Quantity: resource.MustParse("1Gi"), Far: &Far{FarText: "far"},
		Tags: map[string]string{}, Capacity: map[string]resource.Quantity{}, Counts: map[string]int{}, Tree: map[string]place{},
	}
	for i := range items {
		name := fmt.Sprintf("example.com/name-%05d", (i*7919)%items)
		c.Named = append(c.Named, named{Name: name, Place: place{Zone: "a", Kept: i}})
		c.Ranked = append(c.Ranked, ranked{Rank: int16(i)}) //nolint:gosec // small
		c.Set = append(c.Set, name)
		c.Texts = append(c.Texts, name)
		c.Kids = append(c.Kids, &config{Text: name})
		c.Tags[name] = name
		c.Counts[name] = i
		c.Tree[name] = place{Zone: name}
		c.Capacity[name] = *resource.NewQuantity(int64(i), resource.BinarySI)
	}
	return c
}

func TestWarmRunsDoNotAllocate(t *testing.T) {
	compiled := engine.Of(plan(t))
	for _, items := range []int{0, 1, 20, 200} {
		x := reflect.ValueOf(usual(items))
		assert.Zero(t, testing.AllocsPerRun(50, func() { _, _ = compiled.Sum(x) }), "sum of %d", items)
	}
}

// TestWarmRunsInGoroutinesDoNotAllocate counts the allocations of many goroutines together. The pool may return a few
// more runs than there are goroutines.
func TestWarmRunsInGoroutinesDoNotAllocate(t *testing.T) {
	compiled := engine.Of(plan(t))
	x := reflect.ValueOf(usual(20))
	const (
		goroutines = 8
		calls      = 500
	)
	all := func() {
		var group sync.WaitGroup
		for range goroutines {
			group.Go(func() {
				for range calls {
					_, _ = compiled.Sum(x)
				}
			})
		}
		group.Wait()
	}
	all()
	assert.Less(t, testing.AllocsPerRun(5, all), float64(goroutines*calls)/20)
}

// allocated returns the bytes of all allocations of run, an upper bound of its peak.
func allocated(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestMemoryDoesNotGrowWithTheValue: lists, texts and bytes of any size are written in pieces; keyed lists in order need no index.
func TestMemoryDoesNotGrowWithTheValue(t *testing.T) {
	compiled := engine.Of(plan(t))
	const size = 100_000
	long := strings.Repeat("text with \" and é ", size)
	inOrder := make([]named, size)
	opposite := make([]named, size)
	for i := range size {
		inOrder[i].Name = fmt.Sprintf("%06d", i)
		opposite[size-1-i].Name = inOrder[i].Name
	}
	for name, c := range map[string]*config{
		"list of texts":   {Texts: strings.Fields(long)},
		"list of objects": {Kids: func() []*config { return make([]*config, size) }()},
		"text":            {Text: long},
		"bytes":           {Bytes: []byte(long)},
		"long value":      {Tags: map[string]string{"a": long, "b": long}},
		"keyed list":      {Named: inOrder},
		"opposite order":  {Named: opposite},
	} {
		x := reflect.ValueOf(c)
		runtime.GC() // twice, to empty the pools
		runtime.GC()
		assert.Less(t, allocated(func() {
			_, err := compiled.Sum(x)
			assert.NoError(t, err)
		}), uint64(64<<10), "sum: %s", name)
	}
}

// TestWhatContainsItselfCostsLittle: a run that found a cycle does not write the other members on each level.
func TestWhatContainsItselfCostsLittle(t *testing.T) {
	p := plan(t)
	circle := &config{Bytes: make([]byte, 1<<20), Text: strings.Repeat("x", 1<<20)}
	circle.Next = circle
	x := reflect.ValueOf(circle)
	assert.Less(t, allocated(func() {
		_, err := engine.Of(p).Sum(x)
		assert.Error(t, err)
	}), uint64(1<<20))
}

// TestPoolsKeepNothingOfTheValue: after a run, with or without an error, no text of the configuration is reachable.
func TestPoolsKeepNothingOfTheValue(t *testing.T) {
	compiled := engine.Of(plan(t))
	for _, wrong := range []string{"", "\xff"} {
		watched := runOnTraced(t, compiled, wrong)
		runtime.GC()
		for name, text := range watched {
			assert.Nil(t, text.Value(), "%s with %q", name, wrong)
		}
	}
}

// runOnTraced runs on a traced configuration, and returns its watched memory.
func runOnTraced(t *testing.T, compiled *engine.Program, wrong string) map[string]weak.Pointer[[64]byte] {
	t.Helper()
	c, watched := traced(wrong)
	x := reflect.ValueOf(c)
	_, err := compiled.Sum(x)
	require.Equal(t, wrong == "", err == nil)
	runtime.KeepAlive(c)
	return watched
}

// TestDiffKeepsNothingOfTheValue: no text is reachable after Diff, even if it failed in the middle of a map.
func TestDiffKeepsNothingOfTheValue(t *testing.T) {
	for range 10 { // maps have no order
		c, texts := traced("\xff")
		for i := range 20 {
			memory := new([64]byte)
			memory[0] = byte(i)
			texts[strconv.Itoa(i)] = weak.Make(memory)
			c.Tags[stringOf(memory)] = ""
		}
		c.Tags["\xff"] = "key"
		_, err := engine.Diff(plan(t), reflect.ValueOf(c), reflect.ValueOf(&config{}))
		require.Error(t, err)
		runtime.KeepAlive(c)
		c = nil
		runtime.GC()
		for name, text := range texts {
			assert.Nil(t, text.Value(), name)
		}
	}
}

// traced is a configuration with texts whose memory is watched.
func traced(wrong string) (*config, map[string]weak.Pointer[[64]byte]) {
	watched := map[string]weak.Pointer[[64]byte]{}
	text := func(name string) string {
		memory := new([64]byte)
		copy(memory[:], name+strings.Repeat(".", 64))
		watched[name] = weak.Make(memory)
		return stringOf(memory)
	}
	c := &config{
		Text:     text("text"),
		Tags:     map[string]string{text("tag"): text("value"), "b": "c"},
		Words:    map[word]word{word(text("word")): word(text("meaning"))},
		Capacity: map[string]resource.Quantity{text("resource"): {Format: resource.Format(text("format"))}},
		Named:    []named{{Name: "m"}, {Name: text("named")}, {Name: text("other"), Extra: new(text("extra"))}, {Name: "a"}},
		Tree:     map[string]place{text("tree"): {Zone: text("zone")}},
		Hot:      &hot{Trees: map[string][]named{text("trees"): {{Name: text("deep")}}}},
		Set:      []string{text("element"), "a"},
		Ignored:  wrong,
	}
	if wrong != "" {
		c.Tree[wrong] = place{}
		c.Words["x"] = word(wrong)
		c.Tags["x"] = wrong
	}
	return c, watched
}
