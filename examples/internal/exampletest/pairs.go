package exampletest

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Pair is a folder below testdata with before.yaml and after.yaml, and the expected meaning of the
// change.
type Pair struct {
	dir              string
	rolling, inPlace hotupdate.Outcome
	spec             *hotupdate.Class
	reason           string
	changed          []string
}

// Immutable is a pair with changes at the paths. At least one needs new machines.
func Immutable(dir, reason string, changed ...string) Pair {
	return Pair{dir, hotupdate.OutcomeRoll, hotupdate.OutcomeForbidden, new(hotupdate.Immutable), reason, changed}
}

// InPlace is a pair with changes at the paths. At least one needs an in-place update.
func InPlace(dir, reason string, changed ...string) Pair {
	return Pair{dir, hotupdate.OutcomeRoll, hotupdate.OutcomeInPlaceUpdate, new(hotupdate.InPlace), reason, changed}
}

// Hot is a pair with changes at the paths. All are applied to running machines.
func Hot(dir, reason string, changed ...string) Pair {
	return Pair{dir, hotupdate.OutcomeHotUpdate, hotupdate.OutcomeHotUpdate, new(hotupdate.Hot), reason, changed}
}

// Nothing is a pair that concerns no machine. Only Ignored paths may change.
func Nothing(dir, reason string, changed ...string) Pair {
	return Pair{dir, hotupdate.OutcomeNone, hotupdate.OutcomeNone, nil, reason, changed}
}

// AndSpec sets the strictest class of the changes in the driver's provider spec, if it differs from
// the class of the WorkerConfig.
func (p Pair) AndSpec(class hotupdate.Class) Pair {
	p.spec = &class
	return p
}

// SpecStays says that the driver's provider spec does not change.
func (p Pair) SpecStays() Pair {
	p.spec = nil
	return p
}

// testPairs checks every pair: its changes, the names of pools, and the changes of the driver's
// provider spec.
func (p *Provider[C, I, S]) testPairs(t *testing.T) {
	if len(p.Pairs) == 0 {
		t.Fatal("the row has no Pairs")
	}
	checkAllListed(t, p.Pairs)
	schema := p.schema(t)
	for _, pair := range p.Pairs {
		t.Run(pair.dir, func(t *testing.T) {
			before := Manifest(t, pair.dir, "before.yaml")
			after := Manifest(t, pair.dir, "after.yaml")
			changes, err := schema.DiffRaw(before, after)
			fatal(t, err)
			if got := paths(changes); !slices.Equal(got, pair.changed) {
				t.Errorf("changed %q, want %q: %s", got, pair.changed, pair.reason)
			}
			p.checkOutcome(t, pair, changes, hotupdate.AutoRollingUpdate, pair.rolling)
			p.checkOutcome(t, pair, changes, hotupdate.AutoInPlaceUpdate, pair.inPlace)
			p.checkSpec(t, pair, before, after)
		})
	}
}

// checkOutcome checks the outcome, and that a pool gets another name exactly if its machines are
// replaced or updated in place.
func (p *Provider[C, I, S]) checkOutcome(
	t *testing.T, pair Pair, changes hotupdate.Changes, strategy hotupdate.Strategy, want hotupdate.Outcome,
) {
	t.Helper()
	if got := changes.Outcome(strategy); got != want {
		t.Errorf("%s: %s, want %s: %s", strategy, got, want, pair.reason)
	}
	before := p.name(t, strategy, Manifest(t, pair.dir, "before.yaml"))
	after := p.name(t, strategy, Manifest(t, pair.dir, "after.yaml"))
	immutable := []hotupdate.Outcome{
		hotupdate.OutcomeRoll, hotupdate.OutcomeInPlaceUpdate, hotupdate.OutcomeForbidden,
	}
	renamed := slices.Contains(immutable, want)
	if (before.Digest != after.Digest) != renamed {
		t.Errorf("%s: named %s before and %s after, but the outcome is %s: %s", strategy, before,
			after, want, pair.reason)
	}
}

func (p *Provider[C, I, S]) name(t *testing.T, strategy hotupdate.Strategy, raw []byte) hash.Name {
	t.Helper()
	pool := Pool(Canonical, raw)
	pool.UpdateStrategy = strategy
	name, err := p.Hash(pool)
	fatal(t, err)
	return name
}

// checkSpec checks that a change of the config reaches the driver as a change of the same class.
func (p *Provider[C, I, S]) checkSpec(t *testing.T, pair Pair, before, after []byte) {
	t.Helper()
	changes, err := p.specSchema(t).Diff(p.ProviderSpec(t, before), p.ProviderSpec(t, after))
	fatal(t, err)
	class, changed := changes.Strictest()
	switch {
	case changed && pair.spec == nil:
		t.Errorf("the provider spec changes in %q: %s", paths(changes), pair.reason)
	case !changed && pair.spec != nil:
		t.Errorf("the provider spec stays: %s", pair.reason)
	case changed && class != *pair.spec:
		t.Errorf("the provider spec has %s changes in %q, want %s: %s", class, paths(changes), *pair.spec, pair.reason)
	}
}

// checkAllListed checks that every pair below testdata is tested.
func checkAllListed(t *testing.T, pairs []Pair) {
	t.Helper()
	for _, pattern := range []string{"testdata/before.yaml", "testdata/*/before.yaml"} {
		files, err := filepath.Glob(pattern)
		fatal(t, err)
		for _, file := range files {
			dir, err := filepath.Rel("testdata", filepath.Dir(file))
			fatal(t, err)
			if !slices.ContainsFunc(pairs, func(p Pair) bool { return p.dir == dir }) {
				t.Errorf("testdata/%s is not tested", dir)
			}
		}
	}
}

func paths(changes hotupdate.Changes) []string {
	var all []string
	for _, c := range changes {
		all = append(all, c.Path)
	}
	return all
}
