package share

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// calls is an action with a bucket that nothing else draws from.
func calls(refill float64) Action {
	limit := Limit{Burst: max(2, 2*refill), Refill: refill}
	return Action{Name: "Set", Draws: []Draw{{Bucket: "writes", Limit: limit, Requests: 1}}}
}

func fresh(ids ...string) *Member[int] {
	return &Member[int]{Action: calls(100), Equal: "same", IDs: ids, Bound: 10}
}

// TestApart: a call with room waits for more members, except a few calls after a quiet time.
func TestApart(t *testing.T) {
	p := Pacer[int]{}
	now := epoch
	expect := func(sent int, wait time.Duration, why string) {
		t.Helper()
		call, gotWait := p.Next(now)
		if call == nil {
			call = &Call[int]{}
		}
		assert.Equal(t, []any{sent, wait}, []any{len(call.Members), gotWait}, why)
	}
	expect(0, 0, "nobody waits")
	for range 1 + few { // the first after a quiet time, and the few
		p.Join(now, fresh("a"))
		expect(1, 0, "nobody else")
	}
	p.Join(now, fresh("a"))
	expect(0, apart, "waits for others")
	now = now.Add(apart - 1)
	p.Join(now, fresh("b"))
	expect(0, 1, "and not longer")
	now = now.Add(1)
	expect(2, 0, "the first has waited")
	p.Join(now, fresh("a"))
	p.Join(now, fresh("b", "c", "d", "e", "f", "g", "h", "i", "j", "k"))
	expect(1, 0, "no other fits")
	expect(1, 0, "full by itself")
	other := fresh("x")
	other.Equal = "other"
	p.Join(now, other)
	now = now.Add(apart - 1)
	p.Join(now, fresh("b", "c", "d", "e", "f", "g", "h", "i", "j", "k"))
	expect(1, 0, "the full one")
	now = now.Add(1)
	expect(1, 0, "the other has waited since it joined, not since the last call")
	now = now.Add(apart)
	p.Join(now, fresh("a"))
	expect(1, 0, "alone again")
	p.Join(now, fresh("a"))
	expect(0, apart, "too early")
	now = now.Add(-time.Hour)
	expect(1, 0, "the clock was turned back")
	confirmation := fresh("a")
	confirmation.Rank = 1
	p.Join(now, confirmation)
	expect(0, 2*apart, "a confirmation waits longer")
	p.Join(now, fresh("b"))
	expect(0, apart, "not in company")
	now = now.Add(apart)
	expect(2, 0, "a change and a confirmation")
	now = now.Add(2*time.Hour - apart)
	p.Join(now, fresh("a"))
	expect(1, 0, "alone")
	p.Join(now, fresh("a"))
	expect(1, 0, "one of a few again")
}

// TestSavedRefill: the refill of a second may be saved up, also one that is not a whole number: after two calls of 2.5,
// half a call is missing.
func TestSavedRefill(t *testing.T) {
	const (
		refill = 2.5
		half   = 400 * time.Millisecond // half of the refill is spent
	)
	var p Pacer[int]
	now := epoch
	for range 2 { // the second time after a quiet time
		now = now.Add(time.Hour)
		for range 3 {
			full := fresh("a")
			full.Action = calls(refill)
			full.Bound = 1 // it does not wait for others
			p.Join(now, full)
		}
		for i, want := range []time.Duration{0, 0, half} {
			if want > 0 {
				_, wait := p.Next(now)
				assert.Equal(t, want, wait)
				now = now.Add(wait)
			}
			call, _ := p.Next(now)
			assert.NotNil(t, call, i)
		}
	}
}

// TestThrottlingDelays: delays grow from one second to twenty, once for all calls under way, and an
// answer ends them.
func TestThrottlingDelays(t *testing.T) {
	p := Pacer[int]{}
	now := epoch
	p.Join(now, fresh("a"))
	other := fresh("a")
	p.Join(now, other)
	first, _ := p.Next(now)
	second, _ := p.Next(now)
	p.Answer(now, first, Answer{Outcome: Throttled})
	p.Answer(now, second, Answer{Outcome: Throttled})
	p.Leave(other)
	var waits []time.Duration
	for range 7 {
		call, wait := p.Next(now)
		assert.Nil(t, call)
		waits = append(waits, wait)
		now = now.Add(wait)
		call, _ = p.Next(now)
		p.Answer(now, call, Answer{Outcome: Throttled})
	}
	assert.Equal(t, []time.Duration{1e9, 2e9, 4e9, 8e9, 16e9, 20e9, 20e9}, waits)
	now = now.Add(-time.Hour)
	_, wait := p.Next(now)
	assert.Equal(t, MaxDelay, wait, "the clock was turned back")
	now = now.Add(MaxDelay + time.Hour)
	call, _ := p.Next(now)
	p.Answer(now, call, Answer{Outcome: Throttled, After: 15 * time.Second})
	now = now.Add(MaxDelay)
	call, _ = p.Next(now)
	p.Answer(now, call, Answer{})
	p.Join(now, fresh("a"))
	call, _ = p.Next(now)
	assert.NotNil(t, call)
	p.Answer(now, call, Answer{Outcome: Throttled, After: 15 * time.Second})
	_, wait = p.Next(now)
	assert.Equal(t, 15*time.Second, wait, "the cloud's delay counts")
}

// TestApartOfMany: a call of many members is sent once nobody joins any more, unless it is about
// confirmations.
func TestApartOfMany(t *testing.T) {
	for rank, waits := range []time.Duration{0, 2*apart - idle} {
		p := Pacer[int]{lines: []*line[int]{{Action: calls(100), spare: quota{debt: few * regain, at: epoch}, last: epoch}}}
		now := epoch
		join := func(ids ...string) {
			m := fresh(ids...)
			m.Bound = 100
			m.Rank = rank
			p.Join(now, m)
		}
		for i := range many - 1 {
			join("a" + strconv.Itoa(i))
		}
		now = now.Add(idle)
		_, wait := p.Next(now)
		assert.Equal(t, time.Duration(1+rank)*apart-idle, wait, "one is missing")
		join("b")
		_, wait = p.Next(now)
		assert.Equal(t, max(waits, idle), wait, "another may join")
		now = now.Add(idle - 1)
		join("c")
		_, wait = p.Next(now)
		assert.Equal(t, max(waits-idle+1, idle), wait, "and another")
		now = now.Add(idle)
		call, wait := p.Next(now)
		assert.Equal(t, rank == 0, call != nil)
		assert.Equal(t, max(waits-2*idle+1, 0), wait)
	}
}
