package share

import (
	"math/big"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

func TestMain(m *testing.M) { os.Exit(fixedseed.Run(m)) }

// exactBucket is a quota in exact numbers: half of the burst, from which each request takes one, and to which half of
// the refill is added. It is never overdrawn exactly if there are, in every time, no more requests than half of the
// burst and half of the refill since.
type exactBucket struct {
	size, rate, spent *big.Rat
	at                time.Time
}

func newExactBucket(limit Limit) *exactBucket {
	rate := new(big.Rat).SetFloat64(limit.Refill / 2) // half of a float64 is exact
	size := new(big.Rat).SetFloat64(limit.Burst / 2)
	return &exactBucket{size: size, rate: rate, spent: new(big.Rat), at: epoch}
}

// earliest is the first nanosecond, not before from, at which a call may be sent.
func (b *exactBucket) earliest(from time.Time) time.Time {
	missing := new(big.Rat).Sub(new(big.Rat).Add(b.spent, big.NewRat(1, 1)), b.size)
	if missing.Sign() <= 0 {
		return from
	}
	nanoseconds := new(big.Rat).Mul(new(big.Rat).Quo(missing, b.rate), big.NewRat(int64(time.Second), 1))
	up := new(big.Int).Add(nanoseconds.Num(), new(big.Int).Sub(nanoseconds.Denom(), big.NewInt(1)))
	up.Quo(up, nanoseconds.Denom())
	return slices.MaxFunc([]time.Time{from, b.at.Add(time.Duration(up.Int64()))}, time.Time.Compare)
}

func (b *exactBucket) send(now time.Time, requests int) {
	passed := new(big.Rat).Mul(b.rate, big.NewRat(now.Sub(b.at).Nanoseconds(), int64(time.Second)))
	b.spent.Sub(b.spent, passed)
	if b.spent.Sign() < 0 {
		b.spent.SetInt64(0)
	}
	b.spent.Add(b.spent, big.NewRat(int64(requests), 1))
	b.at = now
}

// alarms is a Pacer of calls that wait for nobody, with the alarms of its shell.
type alarms struct {
	pacer Pacer[int]
	now   time.Time
	sent  []time.Time
	draws []int // the requests of each call
	wakes int
}

// until sends what is due, until a time or until nobody waits.
func (a *alarms) until(end time.Time) {
	for {
		call, wait := a.pacer.Next(a.now)
		switch {
		case call != nil:
			a.sent = append(a.sent, a.now)
			a.draws = append(a.draws, call.Members[0].Action.Draws[0].Requests)
			a.pacer.Answer(a.now, call, Answer{})
		case wait == 0 || a.now.Add(wait).After(end):
			a.now = end
			return
		default:
			a.now = a.now.Add(wait)
			a.wakes++
		}
	}
}

// TestRefillIsKept: in no time are more calls sent than the refill allows, no call comes later than after the exact
// quota and a nanosecond for each call before it, and the alarm of a call goes off once. Refills of clouds are
// fractions, such as 25 calls in three seconds.
func TestRefillIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		refill := rapid.OneOf(
			rapid.SampledFrom([]float64{25.0 / 3, 1.0 / 3, 0.01, 0.7, 1, 2.5, 1e6, 999_983}),
			rapid.Float64Range(0.01, 1e6),
			rapid.Map(rapid.IntRange(1, 600), func(calls int) float64 { return float64(calls) / 60 }),
		).Draw(t, "refill")
		burst := rapid.OneOf(rapid.Just(max(2, 2*refill)), rapid.Float64Range(2, 1000)).Draw(t, "burst")
		limit := Limit{Burst: burst, Refill: refill}
		a := alarms{now: epoch}
		exact := newExactBucket(limit)
		var wanted []time.Time
		for range rapid.IntRange(1, 8).Draw(t, "arrivals") {
			pause := rapid.SampledFrom([]time.Duration{
				0, 1, time.Millisecond, 333_333_333, time.Duration(float64(time.Second) / refill), 2 * time.Second, time.Hour,
			})
			a.until(a.now.Add(pause.Draw(t, "pause")))
			for range rapid.IntRange(1, 60).Draw(t, "members") {
				full := fresh("a")
				full.Action.Draws[0].Limit = limit
				full.Bound = 1
				a.pacer.Join(a.now, full)
				wanted = append(wanted, a.now)
			}
		}
		a.until(a.now.Add(time.Hour * 24 * 365))
		require.Len(t, a.sent, len(wanted), "nobody starves")
		require.LessOrEqual(t, a.wakes, len(wanted), "one alarm for each call, refill %v", refill)
		for i, sent := range a.sent {
			earliest := exact.earliest(slices.MaxFunc([]time.Time{wanted[i], exact.at}, time.Time.Compare))
			late := sent.Sub(earliest)
			require.LessOrEqual(t, late, time.Duration(i+1), "call %d of refill %v is late", i, refill)
			exact.send(earliest, 1)
		}
		spent := newExactBucket(limit)
		for i, sent := range a.sent {
			spent.send(sent, 1)
			require.LessOrEqual(t, spent.spent.Cmp(spent.size), 0, "call %d of refill %v is early", i, refill)
		}
	})
}

// TestOthersAreNeverRefused: several actions draw from one bucket of the cloud, and other programs take all of their half whenever it
// hurts most. The cloud, with the whole burst and the whole refill, refuses neither us nor them, and every call is sent.
func TestOthersAreNeverRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := Limit{
			Burst:  float64(rapid.IntRange(8, 250).Draw(t, "burst")),
			Refill: rapid.SampledFrom([]float64{1.0 / 3, 1, 2.5, 25.0 / 3, 10, 25}).Draw(t, "refill"),
		}
		names := []string{"Resources", "Set", "Remove"}
		requests := map[string]int{"Resources": rapid.IntRange(1, 4).Draw(t, "requests of a read"), "Set": 1, "Remove": 2}
		a := alarms{now: epoch}
		joined := 0
		for range rapid.IntRange(1, 8).Draw(t, "arrivals") {
			a.until(a.now.Add(rapid.SampledFrom([]time.Duration{0, time.Millisecond, time.Second, time.Minute}).Draw(t, "pause")))
			for range rapid.IntRange(1, 80).Draw(t, "members") {
				m := fresh("a")
				m.Bound = 1
				m.Action.Name = rapid.SampledFrom(names).Draw(t, "action")
				m.Action.Draws[0] = Draw{Bucket: "all", Limit: limit, Requests: requests[m.Action.Name]}
				a.pacer.Join(a.now, m)
				joined++
			}
		}
		a.until(a.now.Add(time.Hour * 24))
		require.Len(t, a.sent, joined, "nobody starves")
		theirs := newExactBucket(limit)
		whole := newExactBucket(Limit{Burst: 2 * limit.Burst, Refill: 2 * limit.Refill}) // an exactBucket admits half
		send := func(now time.Time, requests int) {
			whole.send(now, requests)
			require.LessOrEqual(t, whole.spent.Cmp(whole.size), 0, "the cloud with %v refuses a call", limit)
		}
		for i, sent := range a.sent {
			isGreedy := rapid.Bool().Draw(t, "others send")
			for isGreedy && theirs.earliest(sent).Equal(sent) {
				theirs.send(sent, 1)
				send(sent, 1)
			}
			send(sent, a.draws[i])
		}
	})
}

// TestDearCallsDoNotStarve: a call of many requests keeps its bucket from the cheap calls behind it.
func TestDearCallsDoNotStarve(t *testing.T) {
	limit := Limit{Burst: 8, Refill: 2}
	join := func(a *alarms, name string, requests int) {
		m := fresh("a")
		m.Bound = 1
		m.Action = Action{Name: name, Draws: []Draw{{Bucket: "all", Limit: limit, Requests: requests}}}
		a.pacer.Join(a.now, m)
	}
	a := alarms{now: epoch}
	for range 4 {
		join(&a, "cheap", 1)
	}
	a.until(epoch)
	join(&a, "dear", 4)
	for range 20 {
		join(&a, "cheap", 1)
	}
	a.until(epoch.Add(time.Hour))
	require.Equal(t, []int{1, 1, 1, 1, 4, 1}, a.draws[:6])
	require.Equal(t, epoch.Add(4*time.Second), a.sent[4], "one request a second pays for four")
}

// TestFurtherRequests: what a call spends beyond its draw delays the calls after it, also those of other actions.
func TestFurtherRequests(t *testing.T) {
	limit := Limit{Burst: 2, Refill: 2}
	var p Pacer[int]
	read := Draw{Bucket: "all", Limit: limit, Requests: 1}
	m := fresh("a")
	m.Action = Action{Name: "Resources", Draws: []Draw{read}}
	p.Join(epoch, m)
	call, _ := p.Next(epoch)
	require.NotNil(t, call)
	read.Requests = 3
	p.Spend(epoch, read)
	other := fresh("a")
	other.Action.Draws[0] = Draw{Bucket: "all", Limit: limit, Requests: 1}
	p.Join(epoch, other)
	_, wait := p.Next(epoch)
	require.Equal(t, 4*time.Second, wait)
	require.Equal(t, 4*time.Second, p.Owes(epoch))
}

// TestSpendLater: the time before a request does not pay for it. A call that lasts for half a minute draws for its pages then.
func TestSpendLater(t *testing.T) {
	limit := Limit{Burst: 200, Refill: 10}
	var p Pacer[int]
	read := Draw{Bucket: "all", Limit: limit, Requests: 1}
	m := fresh("a")
	m.Action = Action{Name: "Resources", Draws: []Draw{read}}
	p.Join(epoch, m)
	call, _ := p.Next(epoch)
	require.NotNil(t, call)
	now := epoch.Add(30 * time.Second)
	read.Requests = 100
	p.Spend(now, read)
	require.Equal(t, 20*time.Second, p.Owes(now), "five requests a second")
	p.Answer(now, call, Answer{})
	other := fresh("b")
	other.Bound = 1
	other.Action = Action{Name: "Set", Draws: []Draw{{Bucket: "all", Limit: limit, Requests: 1}}}
	p.Join(now, other)
	call, wait := p.Next(now)
	require.Nil(t, call, "half of the burst is spent")
	require.Equal(t, 200*time.Millisecond, wait)
}

// TestThrottledBeforeClockIsSetBack: after the clock was set back, a bucket waits for its delay once more, and not until
// the clock shows the time of the refusal again.
func TestThrottledBeforeClockIsSetBack(t *testing.T) {
	action := Action{Name: "Resources", Draws: []Draw{{Bucket: "all", Limit: Limit{Burst: 200, Refill: 10}, Requests: 1}}}
	var p Pacer[int]
	m := fresh("a")
	m.Action = action
	p.Join(epoch, m)
	call, _ := p.Next(epoch)
	require.NotNil(t, call)
	p.Answer(epoch.Add(time.Second), call, Answer{Outcome: Throttled})
	p.Leave(m)
	now := epoch.Add(-time.Hour)
	other := fresh("b")
	other.Bound = 1
	other.Action = action
	p.Join(now, other)
	call, wait := p.Next(now)
	require.Nil(t, call)
	require.Equal(t, FirstDelay, wait)
	call, _ = p.Next(now.Add(wait))
	require.NotNil(t, call)
}
