package hash_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The simulated fleet.
//
// An adopter makes releases. Each release is a list of eras, which hash raw bytes, a hand-written list, a list of
// relevant values, or the canonical document of a Schema, of today's Go type or loaded from JSON. One release is in
// force and can be rolled back, or two run side by side. Pools have configs and versions, and users edit them.
//
// After every action, every running release reconciles all pools. The model has its own table of each leaf's class,
// spellings and defaults, and from that the relevant part of a pool in the era in force. The engine must agree: the
// name changes exactly if that part or the minor changes. Full digests are compared.
//
// The actions make only legal histories. Breaking a rule is for TestFleetRules.
func TestFleet(t *testing.T) {
	t.Parallel()
	const (
		releases = 1000 // per run, whatever rapid draws and however few checks it is asked for
		perCheck = 10
	)
	total := 0
	seen := map[string]int{}
	for total < releases {
		rapid.Check(t, func(t *rapid.T) {
			s := newSimulation(t, drawFirst(t))
			for range 4 {
				s.create(t)
			}
			actions := s.actions()
			actions[""] = func(t *rapid.T) { require.NoError(t, s.check()) }
			t.Repeat(actions)
			s.releaseUntil(t, perCheck)
			total += s.released
			for what, n := range s.seen {
				seen[what] += n
			}
		})
	}
	require.GreaterOrEqual(t, total, releases)
	t.Logf("%d releases; reconciled pools: %v", total, seen)
	require.Len(
		t, seen, 3+2*(4+3+2+2+3), "pools that nobody touched, pools that wait, eras that went, and each kind of edit with either outcome",
	)
}

// releaseUntil makes releases until there have been enough.
func (s *simulation) releaseUntil(t *rapid.T, enough int) {
	for s.released < enough {
		rapid.SampledFrom([]func(*rapid.T){
			s.releaseMinor, s.releaseFields, s.releaseLateFields, s.releaseKind, s.releaseClass, s.releaseDefault,
			s.year, s.operate, s.onEveryPool(s.editLeaf), s.onEveryPool(s.updateMinor),
		}).Draw(t, "release")(t)
		require.NoError(t, s.check())
	}
}
