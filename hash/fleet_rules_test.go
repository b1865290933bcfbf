package hash_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// simRules are the rules for an adopter, each with a history that obeys it and one that breaks it.
var simRules = []struct {
	name           string
	obeyed, broken func(s *simScript)
	want           error
}{
	{
		"a field becomes hot in a new era, not in one that pools are in",
		func(s *simScript) { s.release(behind(34, class("tier", hotupdate.Hot))) },
		func(s *simScript) { s.release(inEra(1, class("tier", hotupdate.Hot))) },
		errByRelease,
	},
	{
		"so does one that becomes immutable: gardener#9699, gardener#10290",
		func(s *simScript) { s.release(behind(34, class("tags.vm", hotupdate.Immutable))) },
		func(s *simScript) { s.release(inEra(1, class("tags.vm", hotupdate.Immutable))) },
		errByRelease,
	},
	{
		"a hash is mended, or gets another input, in a new era: gardener-extensions#474, provider-openstack#602",
		func(s *simScript) { s.release(behind(34, func(e simEra) simEra { e.kind = simList; return e })) },
		func(s *simScript) { s.release(inEra(1, func(e simEra) simEra { e.kind = simList; return e })) },
		errByRelease,
	},
	{
		"a field becomes hot in a new era in raw bytes too",
		func(s *simScript) { s.release(behind(34, class("tier", hotupdate.Hot))) },
		func(s *simScript) { s.release(inEra(0, class("tier", hotupdate.Hot))) },
		errByRelease,
	},
	{
		"a field that was there gets its default in a new era",
		func(s *simScript) { s.release(behind(34, withDefault)) },
		func(s *simScript) { s.release(inEra(1, withDefault)) },
		errByRelease,
	},
	{
		"only TypeMeta comes to count as none in a new era",
		func(s *simScript) {
			s.release(behind(34, func(e simEra) simEra {
				e.kind = simRaw
				e.bareNone = true
				return e
			}))
		},
		func(s *simScript) { s.release(inEra(0, func(e simEra) simEra { e.bareNone = true; return e })) },
		errByRelease,
	},
	{
		"a new era begins at a minor that nobody runs",
		func(s *simScript) { s.release(behind(34, class("tier", hotupdate.Hot))) },
		func(s *simScript) { s.release(behind(33, class("tier", hotupdate.Hot))) },
		errByRelease,
	},
	{
		"a release that supports a minor can be rolled back to one that knows its era",
		func(s *simScript) {
			s.release(behind(34, class("tier", hotupdate.Hot)))
			s.release(supportingOneMore)
			s.each(updating(34))
			s.rollBack()
		},
		func(s *simScript) {
			s.release(func(next *simRelease) { behind(34, class("tier", hotupdate.Hot))(next); supportingOneMore(next) })
			s.each(updating(34))
			s.rollBack()
		},
		errByRelease,
	},
	{
		"so do two releases that alternate",
		func(s *simScript) {
			s.release(behind(34, class("tier", hotupdate.Hot)))
			s.release(supportingOneMore)
			s.alternate()
			s.each(updating(34))
		},
		func(s *simScript) {
			s.release(func(next *simRelease) { behind(34, class("tier", hotupdate.Hot))(next); supportingOneMore(next) })
			s.alternate()
			s.each(updating(34))
		},
		errByRelease,
	},
	{
		"the release that knows the era is not skipped",
		func(s *simScript) {
			s.release(behind(34, class("tier", hotupdate.Hot)))
			s.release(supportingOneMore)
			s.each(updating(34))
			s.rollBack()
		},
		func(s *simScript) {
			s.release(behind(34, class("tier", hotupdate.Hot)))
			s.rollBack()
			s.release(supportingOneMore)
			s.each(updating(34))
			s.rollBack()
		},
		errByRelease,
	},
	{
		"eras keep their order",
		func(s *simScript) { s.release(func(*simRelease) {}) },
		func(s *simScript) {
			s.release(func(next *simRelease) {
				slices.Reverse(next.eras)
				next.eras[1].from = 32
			})
		},
		errByRelease,
	},
	{
		"an era keeps its From",
		func(s *simScript) { s.release(func(*simRelease) {}) },
		func(s *simScript) { s.release(inEra(1, func(e simEra) simEra { e.from = 33; return e })) },
		errByRelease,
	},
	{
		"an era goes after its last pool",
		func(s *simScript) {
			s.each(updating(33))
			s.release(func(next *simRelease) { next.oldest = 32 })
			s.release(retiring)
		},
		func(s *simScript) { s.release(retiring) },
		errByRelease,
	},
	{
		"an era goes one release after its minors, for the one that can be rolled back to still creates pools there",
		func(s *simScript) {
			s.each(updating(33))
			s.release(func(next *simRelease) { next.oldest = 32 })
			s.release(retiring)
			s.rollBack()
			s.add(simPool{minor: s.inForce().oldest, config: simConfig{"tier": 1}})
			s.look()
			s.rollOut()
		},
		func(s *simScript) {
			s.each(updating(33))
			s.release(func(next *simRelease) { next.oldest = 32; retiring(next) })
			s.rollBack()
			s.add(simPool{minor: s.inForce().oldest, config: simConfig{"tier": 1}})
			s.look()
			s.rollOut()
		},
		errByRelease,
	},
	{
		"a hot field is cut out of raw bytes from the day on which it exists",
		func(s *simScript) {
			s.release(growing(s.t, 2, 0, 1))
			s.each(setting("labels.team"))
			s.release(func(*simRelease) {})
		},
		func(s *simScript) {
			s.release(growing(s.t, 2, 1))
			s.each(setting("labels.team"))
			s.release(growing(s.t, 2, 0, 1))
		},
		errByRelease,
	},
	{
		"configs are decoded before they are hashed, so that an older release does not take a new field for a change",
		func(s *simScript) {
			s.release(growing(s.t, 2, 0, 1))
			s.each(setting("labels.team"))
			s.rollBack()
		},
		func(s *simScript) {
			s.latest.lenient = true
			s.release(growing(s.t, 2, 0, 1))
			s.each(setting("labels.team"))
			s.rollBack()
		},
		errByRelease,
	},
	{
		"a field that an era does not know is refused, not dropped",
		func(s *simScript) {
			s.release(growing(s.t, 3, 0))
			s.each(setting("placement.group"))
			s.release(growing(s.t, 3, 1))
		},
		func(s *simScript) {
			s.release(growing(s.t, 3, 0, 1))
			s.release(inEra(1, withDefect(stripping("placement"))))
			s.each(setting("placement.group"))
		},
		errAbsorbed,
	},
	{
		"an era depends on nothing but the pool",
		func(s *simScript) { s.restart(s.t); s.look() },
		func(s *simScript) {
			s.release(behind(34, withDefect(counting())))
			s.release(supportingOneMore)
			s.each(updating(34))
			s.restart(s.t)
			s.look()
		},
		errByRelease,
	},
	{
		"an era of meaning does not see bytes",
		func(s *simScript) { s.each(func(p *simPool) { p.spelling.indented = true }) },
		func(s *simScript) {
			s.release(behind(34, withDefect(leaking)))
			s.release(supportingOneMore)
			s.each(updating(34))
			s.each(func(p *simPool) { p.spelling.indented = true })
		},
		errForNothing,
	},
	{
		"a pool gets its version while it is in the first era",
		func(s *simScript) {
			s.add(simPool{minor: 31, unversioned: true})
			s.look()
			s.each(func(p *simPool) { p.unversioned = false })
		},
		func(s *simScript) {
			s.add(simPool{minor: 33, unversioned: true})
			s.look()
			s.each(func(p *simPool) { p.unversioned = false })
		},
		errForNothing,
	},
}

// TestFleetRules: no pool is renamed if the rule is obeyed. If it is broken, the checker reports that.
func TestFleetRules(t *testing.T) {
	t.Parallel()
	for _, rule := range simRules {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			s := newSimScript(t)
			rule.obeyed(s)
			require.NoError(t, s.err)

			s = newSimScript(t)
			require.NoError(t, s.err, "before the rule is broken")
			rule.broken(s)
			assert.ErrorIs(t, s.err, rule.want)
		})
	}
}
