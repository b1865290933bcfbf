package hotupdate_test

import (
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// together runs f in many goroutines at once and returns what each returned.
func together[T any](f func() T) []T {
	results := make([]T, 64)
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			<-start
			results[i] = f()
		})
	}
	close(start)
	group.Wait()
	return results
}

// raced is a goroutine's result for a type.
type raced struct {
	sum      hotupdate.Sum
	changes  hotupdate.Changes
	problems []problem
}

func race[T any](old, updated *T, options ...hotupdate.Option) func() raced {
	return func() raced {
		s, err := hotupdate.SchemaOf[T](options...)
		if err != nil {
			return raced{problems: problemsOf(err)}
		}
		sum, err := s.Hash(updated)
		if err != nil {
			return raced{problems: problemsOf(err)}
		}
		changes, err := s.Diff(old, updated)
		return raced{sum, changes, problemsOf(err)}
	}
}

func TestTypesAreCompiledConcurrently(t *testing.T) {
	type volume struct {
		Name string `json:"name"`
		IOPS int    `json:"iops" hotupdatable:"true"`
	}
	type unseen struct {
		Zones   []string          `json:"zones"   hotupdatable:"false,set"`
		Volumes []volume          `json:"volumes" hotupdatable:"false,key=name"`
		Tags    map[string]string `json:"tags"    hotupdatable:"true,sensitive"`
		Next    *unseen           `json:"next"`
	}
	config := &unseen{
		Zones: []string{"b", "a"}, Volumes: []volume{{"b", 1}, {"a", 2}}, Tags: map[string]string{"k": "v"},
		Next: &unseen{Zones: []string{"c"}},
	}
	assertAgreement(t, together(race(nil, config)), 8)
	assertAgreement(t, together(race(nil, config, hotupdate.WithTag("next", "ignore"))), 8)
}

func assertAgreement(t *testing.T, results []raced, changes int) {
	t.Helper()
	require.Empty(t, results[0].problems)
	require.Len(t, results[0].changes, changes)
	for _, r := range results {
		require.Equal(t, results[0], r)
	}
}

func TestErrorsAreFoundConcurrently(t *testing.T) {
	type unseen struct {
		Tags string   `json:"tags" hotupdatable:"yes"`
		Chan chan int `json:"chan"`
		Next *unseen  `json:"next"`
	}
	want := append(at("unsupported-type", "hotupdate_test.unseen", "Chan"), at("unknown-class", "hotupdate_test.unseen", "Tags")...)
	for _, r := range together(race[unseen](nil, nil)) {
		assert.Equal(t, want, r.problems)
	}
}

// TestSchemasAreSharedConcurrently compiles a type under many sets of overrides at once, and walks one value with all of them.
func TestSchemasAreSharedConcurrently(t *testing.T) {
	type unseen struct {
		A string `json:"a"`
		B string `json:"b"`
	}
	classes := []hotupdate.Class{hotupdate.Immutable, hotupdate.InPlace, hotupdate.Hot, hotupdate.Ignored}
	config := &unseen{"a", "b"}
	for _, class := range classes {
		a := hotupdate.WithTag("a", word(class))
		b := hotupdate.WithTag("b", "true")
		for _, r := range append(together(race(nil, config, a, b)), together(race(nil, config, b, a))...) {
			assert.Empty(t, r.problems)
			assert.Equal(t, class, r.changes[0].Class)
			assert.Equal(t, hotupdate.Hot, r.changes[1].Class)
		}
	}
}

// TestOneValueInManyGoroutines: a value that many goroutines read at once, while the garbage collector runs, is never
// written to and never lost. It stands in an early file: a collection takes longer with each type that a test before it
// has compiled, which Go never frees.
func TestOneValueInManyGoroutines(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		old, updated := s.drawPair(t)
		type result struct {
			sum     hotupdate.Sum
			changes hotupdate.Changes
		}
		var collector sync.WaitGroup
		collector.Go(runtime.GC)
		results := together(func() (r result) {
			r.sum, _ = s.schema.Hash(updated.Interface())
			r.changes, _ = s.schema.Diff(old.Interface(), updated.Interface())
			return r
		})
		want := result{s.hash(t, updated), s.diff(t, old, updated)} // the goroutines were the first to read
		for _, got := range results {
			require.True(t, reflect.DeepEqual(want, got), "%s", s.describe(old, updated))
		}
		collector.Wait()
	})
}
