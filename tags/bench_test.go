package tags_test

import (
	"fmt"
	"testing"

	"github.com/hotupdate/providerconfig/tags"
)

// load is a machine with three resources to plan for.
type load struct {
	rules     *tags.Rules
	state     tags.PlanInput
	resources []string
	live      map[string]map[string]string
}

// settledLoad is the machine that nearly every plan is made for: everything is as it should be.
func settledLoad(tb testing.TB, cloud tags.Cloud, keys int) load {
	tb.Helper()
	l := load{rules: rulesOf(tb, cloud, tags.VM), live: map[string]map[string]string{}}
	l.rules.MaxTags = max(l.rules.MaxTags, 10*keys)
	l.state = tags.PlanInput{Recorded: []map[string]string{many(keys)}, Desired: many(keys)}
	for i := range 3 {
		id := fmt.Sprintf("resource-%d", i)
		l.resources = append(l.resources, id)
		l.live[id] = many(keys)
	}
	return l
}

// changedLoad is the machine of which half the keys change and some are dropped and taken over.
func changedLoad(tb testing.TB, cloud tags.Cloud, keys int) load {
	tb.Helper()
	l := settledLoad(tb, cloud, keys)
	attempt := many(keys)
	for i := range keys {
		key := fmt.Sprintf("key-%04d", i)
		switch i % 5 {
		case 0:
			l.state.Desired[key] = "new"
		case 1:
			delete(l.state.Desired, key)
		case 2:
			attempt[key] = "attempted"
		case 3:
			for _, live := range l.live {
				live[key] = "foreign"
			}
		}
	}
	l.state.Recorded = append(l.state.Recorded, attempt, l.state.Desired)
	return l
}

func (l *load) plan(tb testing.TB) []tags.ResourcePlan {
	tb.Helper()
	plans, err := l.rules.Plan(l.state, l.resources, l.live)
	if err != nil {
		tb.Fatal(err)
	}
	return plans
}

func BenchmarkPlan(b *testing.B) {
	for _, cloud := range []tags.Cloud{tags.AWS, tags.Azure} {
		for name, l := range map[string]load{"settled": settledLoad(b, cloud, 50), "changed": changedLoad(b, cloud, 50)} {
			b.Run(fmt.Sprintf("%v/%s/3x50", cloud, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					l.plan(b)
				}
			})
		}
	}
}

// BenchmarkPlanGrowth shows linear growth: the time for a key stays about the same.
func BenchmarkPlanGrowth(b *testing.B) {
	for _, keys := range []int{10, 100, 1_000, 10_000} {
		l := changedLoad(b, tags.AWS, keys)
		b.Run(fmt.Sprintf("3x%d", keys), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.plan(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*3*keys), "ns/key")
		})
	}
}
