package hash_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hash"
)

// collide returns two images with which a pool has one MachineClass and two digests.
func (s *simulation) collide(t *testing.T, p simPool) (first, second int) {
	t.Helper()
	images := map[string]int{}
	for p.image = range 1 << 14 {
		name, err := s.latest.name(p)
		require.NoError(t, err)
		if image, found := images[name.Text]; found {
			return image, p.image
		}
		images[name.Text] = p.image
	}
	t.Fatal("no collision")
	return 0, 0
}

// simColliding is a fleet of one pool whose next change gives it the same name.
func simColliding(t *testing.T) (s *simScript, second int) {
	t.Helper()
	s = newSimScript(t)
	s.pools = s.pools[:1]
	first, second := s.collide(t, s.pools[0])
	s.each(func(p *simPool) { p.image = first })
	require.NoError(t, s.err)
	return s, second
}

func TestFleetGuardRefusesACollision(t *testing.T) {
	t.Parallel()
	s, second := simColliding(t)
	before := s.deployed[0]
	for range 2 { // the change also waits when it is tried again
		s.each(func(p *simPool) { p.image = second })
		require.NoError(t, s.err)
		assert.Equal(t, before, s.deployed[0], "the change is not applied")
		assert.True(t, s.waiting[0], "and not lost either")
	}

	s.each(func(p *simPool) { p.encrypted = !p.encrypted })
	require.NoError(t, s.err)
	assert.NotEqual(t, before.class, s.deployed[0].class, "one more change, and another name")
	assert.Equal(t, second, s.deployed[0].pool.image)
	assert.Empty(t, s.waiting)
}

// Without the record the collision is not detected, and the change is lost.
func TestFleetACollisionWithoutARecordIsAbsorbed(t *testing.T) {
	t.Parallel()
	s, second := simColliding(t)
	s.records = map[string]hash.Digest{}
	s.each(func(p *simPool) { p.image = second })
	assert.ErrorIs(t, s.err, errUnguarded)
}
