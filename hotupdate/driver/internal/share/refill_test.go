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

// exactBucket is a quota in exact numbers: the refill of a second, from which each call takes one, and to which half of the refill is added. It
// is never overdrawn exactly if there are, in every time, no more calls than the saved refill of a second and half of the refill since.
type exactBucket struct {
	size, rate, spent *big.Rat
	at                time.Time
}

func newExactBucket(refill float64) *exactBucket {
	rate := new(big.Rat).SetFloat64(refill / 2) // half of a float64 is exact
	size := new(big.Rat).SetFloat64(max(refill, 1))
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

func (b *exactBucket) send(now time.Time) {
	passed := new(big.Rat).Mul(b.rate, big.NewRat(now.Sub(b.at).Nanoseconds(), int64(time.Second)))
	b.spent.Sub(b.spent, passed)
	if b.spent.Sign() < 0 {
		b.spent.SetInt64(0)
	}
	b.spent.Add(b.spent, big.NewRat(1, 1))
	b.at = now
}

// alarms is a Pacer of calls that wait for nobody, with the alarms of its shell.
type alarms struct {
	pacer Pacer[int]
	now   time.Time
	sent  []time.Time
	wakes int
}

// until sends what is due, until a time or until nobody waits.
func (a *alarms) until(end time.Time) {
	for {
		call, wait := a.pacer.Next(a.now)
		switch {
		case call != nil:
			a.sent = append(a.sent, a.now)
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

// TestRefillIsKept: in no time are more calls sent than the refill allows, no call comes later than after the exact quota and a nanosecond for each
// call before it, and the alarm of a call goes off once. Refills of clouds are fractions, such as 25 calls in three seconds.
func TestRefillIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		refill := rapid.OneOf(
			rapid.SampledFrom([]float64{25.0 / 3, 1.0 / 3, 0.01, 0.7, 1, 2.5, 1e6, 999_983}),
			rapid.Float64Range(0.01, 1e6),
			rapid.Map(rapid.IntRange(1, 600), func(calls int) float64 { return float64(calls) / 60 }),
		).Draw(t, "refill")
		a := alarms{pacer: Pacer[int]{Refill: refill}, now: epoch}
		exact := newExactBucket(refill)
		var wanted []time.Time
		for range rapid.IntRange(1, 8).Draw(t, "arrivals") {
			pause := rapid.SampledFrom([]time.Duration{0, 1, time.Millisecond, 333_333_333, time.Duration(float64(time.Second) / refill), 2 * time.Second, time.Hour})
			a.until(a.now.Add(pause.Draw(t, "pause")))
			for range rapid.IntRange(1, 60).Draw(t, "members") {
				full := fresh("a")
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
			exact.send(earliest)
		}
		spent := newExactBucket(refill)
		for i, sent := range a.sent {
			spent.send(sent)
			require.LessOrEqual(t, spent.spent.Cmp(spent.size), 0, "call %d of refill %v is early", i, refill)
		}
	})
}
