package hash_test

import (
	"slices"
	"strconv"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// The actions. An action that is not possible yet does nothing, or makes a release without a change.

const (
	simOldest = 30 // the minor below which no pool ever was
	simPools  = 5  // the oldest pool is removed if there are more
)

// actions are the actions of users, Gardener, the adopter and the operator.
func (s *simulation) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"create a pool":             s.create,
		"delete a pool":             s.remove,
		"edit a leaf":               s.onPool(s.editLeaf),
		"edit two leaves of a pool": s.onPool(func(t *rapid.T, p *simPool) { s.editLeaf(t, p); s.editLeaf(t, p) }),
		"edit a leaf of every pool": s.onEveryPool(s.editLeaf),
		"respell every config":      s.onEveryPool(respell),
		"respell the config":        s.onPool(respell),
		"first tag": s.onPool(
			func(t *rapid.T, p *simPool) { p.config = simConfig{"tags.vm.team": drawIndex(t, simTexts)} },
		),
		"remove the config":       s.onPool(func(_ *rapid.T, p *simPool) { p.config = nil }),
		"edit the pool":           s.onPool(editPool),
		"update to a later minor": s.onPool(s.updateMinor),
		"update every pool":       s.onEveryPool(s.updateMinor),
		"update the patch version": s.onPool(
			func(t *rapid.T, p *simPool) { p.patch = rapid.IntRange(p.patch, len(simPatches)-1).Draw(t, "patch") },
		),
		"set versions":                  s.onEveryPool(s.setVersion),
		"release nothing":               func(t *rapid.T) { s.release(t, func(*simRelease) {}) },
		"release a minor":               s.releaseMinor,
		"release fields":                s.releaseFields,
		"release fields in older eras":  s.releaseLateFields,
		"release another kind of era":   s.releaseKind,
		"release another class":         s.releaseClass,
		"release a default":             s.releaseDefault,
		"release without old minors":    s.releaseWithoutOldest,
		"release without an unused era": s.releaseWithoutEra,
		"a year":                        s.year,
		"run other releases":            s.operate,
		"restart":                       func(t *rapid.T) { s.restart(t) },
	}
}

// drawFirst draws the first release of an adopter: any of the kinds of hashes of today.
func drawFirst(t *rapid.T) *simRelease {
	e := simEra{name: "first", shape: simShape{generation: 1}, bareNone: rapid.Bool().Draw(t, "only TypeMeta is none")}
	e.kind = drawKind(t)
	r := &simRelease{generation: 1, oldest: simOldest, newest: simOldest + 2, eras: []simEra{e}}
	if e.kind == simRaw && rapid.Bool().Draw(t, "two eras") {
		r.eras = append(r.eras, simEra{name: "second", kind: simList, from: simOldest + 2, shape: e.shape})
	}
	return r
}

func drawKind(t *rapid.T) simKind {
	return rapid.SampledFrom([]simKind{simRaw, simList, simAllow, simCanonical}).Draw(t, "kind")
}

func drawIndex[V any](t *rapid.T, list []V) int {
	return rapid.IntRange(0, len(list)-1).Draw(t, "index")
}

func drawSpelling(t *rapid.T) simSpelling {
	return simSpelling{
		order: rapid.Byte().Draw(t, "order"), unit: rapid.IntRange(0, 5).Draw(t, "unit"),
		indented: rapid.Bool().Draw(t, "indented"), version: rapid.Bool().Draw(t, "other version"),
	}
}

// Users and Gardener.

func (s *simulation) onPool(edit func(*rapid.T, *simPool)) func(*rapid.T) {
	return func(t *rapid.T) {
		if len(s.pools) > 0 {
			edit(t, &s.pools[drawIndex(t, s.pools)])
		}
	}
}

func (s *simulation) create(t *rapid.T) {
	if len(s.pools) == simPools {
		s.pools = s.pools[1:]
	}
	r := s.active[0]
	p := simPool{
		strategy:    rapid.SampledFrom(strategies()).Draw(t, "strategy"),
		minor:       rapid.IntRange(r.oldest, r.newest).Draw(t, "minor"),
		unversioned: r.oldest == simOldest && rapid.IntRange(0, 9).Draw(t, "version") == 9,
		encrypted:   rapid.Bool().Draw(t, "encrypted"),
	}
	if rapid.IntRange(0, 3).Draw(t, "config") > 0 {
		p.config = simConfig{}
		p.spelling = drawSpelling(t)
		for range rapid.IntRange(0, 8).Draw(t, "leaves") {
			s.editLeaf(t, &p)
		}
	}
	s.add(p)
}

func (s *simulation) remove(t *rapid.T) {
	if len(s.pools) > 1 {
		i := drawIndex(t, s.pools)
		s.pools = slices.Delete(s.pools, i, i+1)
	}
}

func (s *simulation) onEveryPool(edit func(*rapid.T, *simPool)) func(*rapid.T) {
	return func(t *rapid.T) {
		for i := range s.pools {
			edit(t, &s.pools[i])
		}
	}
}

// editLeaf sets or removes a leaf. Sometimes no release knows the leaf yet: then the pool waits.
func (s *simulation) editLeaf(t *rapid.T, p *simPool) {
	known := s.inForce().generation
	if rapid.IntRange(0, 9).Draw(t, "early") == 9 {
		known = simNewest
	}
	fields := simKnown(known)
	f := fields[drawIndex(t, fields)]
	p.config = p.config.with(f, rapid.IntRange(0, len(f.values)).Draw(t, "value"))
}

func respell(t *rapid.T, p *simPool) { p.spelling = drawSpelling(t) }

func editPool(t *rapid.T, p *simPool) {
	switch rapid.IntRange(0, 3).Draw(t, "field") {
	case 0:
		p.machineType = rapid.SampledFrom([]string{"m5.large", "m5.xlarge"}).Draw(t, "machine type")
	case 1:
		p.image++
	case 2:
		p.encrypted = !p.encrypted
	default:
		p.maximum++
	}
}

// updateMinor updates to a supported minor; for an unversioned pool it updates the cluster.
func (s *simulation) updateMinor(t *rapid.T, p *simPool) {
	if newest := s.inForce().newest; p.minor < newest {
		p.minor = rapid.IntRange(p.minor+1, newest).Draw(t, "minor")
		p.patch = 0
	}
}

// setVersion sets the version of a pool without one, like Gardener did once, before there was a second era.
func (s *simulation) setVersion(_ *rapid.T, p *simPool) {
	versioned := *p
	versioned.unversioned = false
	if s.latest.index(versioned) == 0 && s.previous.index(versioned) == 0 {
		*p = versioned
	}
}

// The adopter. A release may be followed by any other, also while the latest one is rolled back.

// releaseMinor supports more minors, if the release before names their pools alike.
func (s *simulation) releaseMinor(t *rapid.T) {
	rollback := s.inForce()
	s.release(t, func(next *simRelease) {
		for range rapid.IntRange(1, 3).Draw(t, "minors") {
			p := simPool{minor: next.newest + 1}
			if next.eras[next.index(p)].name == rollback.eras[rollback.index(p)].name {
				next.newest++
			}
		}
	})
}

// releaseFields has a Go type with new fields. Each era's Schema may get them, or refuse configs with them. An era of
// raw bytes must get new hot fields now: a hot member that is not stripped from the first day on becomes part of names.
func (s *simulation) releaseFields(t *rapid.T) {
	s.release(t, func(next *simRelease) {
		next.generation = min(next.generation+1, simNewest)
		for i, e := range next.eras {
			missed := e.kind == simRaw && (next.generation == s.latest.generation || e.shape.generation < s.latest.generation)
			if !missed && rapid.IntRange(0, 3).Draw(t, "grows") > 0 {
				next.eras[i] = e.grown(t, next.generation)
			}
		}
	})
}

// releaseLateFields adds fields to Schemas of older eras later.
func (s *simulation) releaseLateFields(t *rapid.T) {
	s.release(t, func(next *simRelease) {
		for i, e := range next.eras {
			if e.kind == simCanonical && rapid.Bool().Draw(t, "grows") {
				next.eras[i] = e.grown(t, next.generation)
			}
		}
	})
}

// newEra adds a last era, which begins with a minor that no release supports. The Schemas of the others become JSON.
func (s *simulation) newEra(t *rapid.T, change func(simEra) simEra) {
	s.release(t, func(next *simRelease) {
		e := next.last()
		for i, old := range next.eras {
			if old.exported == "" && (old.kind == simRaw || old.kind == simCanonical) {
				next.eras[i] = old.export(t)
			}
		}
		e.from = max(next.newest, e.from) + rapid.IntRange(1, 2).Draw(t, "from")
		e.name = "release " + strconv.Itoa(s.released)
		e.exported = ""
		e.shape.generation = next.generation
		next.eras = append(next.eras, change(e))
	})
}

func (s *simulation) releaseKind(t *rapid.T) {
	s.newEra(t, func(e simEra) simEra {
		e.kind = drawKind(t)
		e.bareNone = rapid.Bool().Draw(t, "only TypeMeta is none")
		return e
	})
}

func (s *simulation) releaseClass(t *rapid.T) {
	known := slices.DeleteFunc(simKnown(s.latest.generation), func(f simField) bool { return f.owner == "" })
	owner := known[drawIndex(t, known)].owner
	class := rapid.SampledFrom([]hotupdate.Class{hotupdate.Hot, hotupdate.Immutable, hotupdate.InPlace, hotupdate.Ignored}).Draw(t, "class")
	s.newEra(t, func(e simEra) simEra {
		if e.kind == simList || e.kind == simAllow {
			e.kind = simCanonical
		}
		return e.reclassified(owner, class)
	})
}

// releaseDefault declares a default for a field that was there before.
func (s *simulation) releaseDefault(t *rapid.T) {
	s.newEra(t, func(e simEra) simEra {
		e.kind = simCanonical
		e.shape.tier = true
		return e
	})
}

// releaseWithoutOldest no longer supports minors below the oldest pool, nor pools without a version if there are none.
func (s *simulation) releaseWithoutOldest(t *rapid.T) {
	oldest := s.latest.newest
	unversioned := false
	for _, p := range s.pools {
		oldest = min(oldest, p.minor)
		unversioned = unversioned || p.unversioned
	}
	s.release(t, func(next *simRelease) {
		if !unversioned {
			next.oldest = max(next.oldest, oldest)
		}
	})
}

// releaseWithoutEra drops an era that no pool can be in, also after a rollback.
func (s *simulation) releaseWithoutEra(t *rapid.T) {
	eras := s.latest.eras
	used := slices.ContainsFunc(s.pools, func(p simPool) bool { return s.latest.index(p) == 0 })
	s.release(t, func(next *simRelease) {
		if len(eras) > 1 && !used && min(s.inForce().oldest, next.oldest) >= eras[1].from {
			next.eras = next.eras[1:]
			s.seen["era gone"]++
		}
	})
}

// year lets a year pass: new minors come, all pools follow, and old minors and eras go. Meanwhile the operator may roll back.
func (s *simulation) year(t *rapid.T) {
	follow := func(_ *rapid.T, p *simPool) {
		p.minor = max(p.minor, s.inForce().newest)
		p.patch = 0
	}
	for _, step := range []func(*rapid.T){
		s.releaseMinor, s.onEveryPool(follow), s.operate, s.onEveryPool(s.editLeaf), s.releaseWithoutOldest, s.operate, s.releaseWithoutEra,
		s.operate, s.create, s.operate,
	} {
		step(t)
		require.NoError(t, s.check())
	}
}

// operate runs other releases than before, or the same.
func (s *simulation) operate(t *rapid.T) {
	rapid.SampledFrom([]func(){func() {}, s.rollBack, s.alternate, s.rollOut}).Draw(t, "releases")()
}
