package exampletest

import (
	"slices"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Defect is a change for which a hash of an old era is wrong.
type Defect struct {
	name, version, old, updated string
	want                        hotupdate.Outcome
	reason                      string
}

// Missed is a change between members of a WorkerConfig that must replace machines, but does not
// change the hash of a version.
func Missed(name, version, old, updated, reason string) Defect {
	return Defect{name, version, old, updated, hotupdate.OutcomeRoll, reason}
}

// Needless is a change between members of a WorkerConfig that concerns no machine, but changes the
// hash of a version.
func Needless(name, version, old, updated, reason string) Defect {
	return Defect{name, version, old, updated, hotupdate.OutcomeNone, reason}
}

// CheckDefects checks that the old hash is wrong and the canonical one is right.
func (p *Provider[C, I, S]) CheckDefects(t *testing.T, defects []Defect) {
	t.Helper()
	schema := p.schema(t)
	for _, d := range defects {
		t.Run(d.name, func(t *testing.T) {
			old := p.Config(d.old)
			updated := p.Config(d.updated)
			changes, err := schema.DiffRaw(old, updated)
			fatal(t, err)
			if got := changes.Outcome(hotupdate.AutoRollingUpdate); got != d.want {
				t.Errorf("the change means %s, want %s", got, d.want)
			}
			roll := d.want == hotupdate.OutcomeRoll
			if renamed := p.renames(t, d.version, old, updated); renamed == roll {
				t.Errorf("yesterday's hash is not wrong: %s", d.reason)
			}
			if renamed := p.renames(t, Canonical, old, updated); renamed != roll {
				t.Errorf("the canonical hash changes: %t, but machines roll: %t", renamed, roll)
			}
		})
	}
}

func (p *Provider[C, I, S]) renames(t *testing.T, version string, old, updated []byte) bool {
	t.Helper()
	before, err := p.Hash(Pool(version, old))
	fatal(t, err)
	after, err := p.Hash(Pool(version, updated))
	fatal(t, err)
	return before.Digest != after.Digest
}

// Vector is an existing pool with the data that an extension adds to its hash.
type Vector struct {
	Name string
	// Version is the Kubernetes version; empty for a pool without one.
	Version string
	// Strategy is the update strategy.
	Strategy hotupdate.Strategy
	// Raw is the stored provider config; nil for a pool without one.
	Raw []byte
	// Want are the expected strings, written by hand. If it is nil, Sum is expected.
	Want []string
	// Sum are the members of a WorkerConfig whose canonical sum is expected.
	Sum *string
	// Reason says why.
	Reason string
}

// CheckVectors checks that pools with no other hashed field than the config keep their names.
func (p *Provider[C, I, S]) CheckVectors(t *testing.T, vectors []Vector) {
	t.Helper()
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			pool := Bare(v.Version, v.Raw)
			pool.UpdateStrategy = v.Strategy
			if v.Version == "" {
				pool.KubernetesVersion = nil
			}
			name, err := p.Hash(pool)
			fatal(t, err)
			want := v.Want
			if v.Sum != nil {
				want = []string{p.Sum(t, p.Config(*v.Sum))}
			}
			if got := Data(name); !slices.Equal(got, want) {
				t.Errorf("adds %q, want %q: %s", got, want, v.Reason)
			}
		})
	}
}
