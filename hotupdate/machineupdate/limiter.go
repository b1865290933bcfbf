package machineupdate

import (
	"hash/fnv"
	"sync"
	"time"
)

// Limiter bounds how many updates begin and how many are under way for each [Observation.Limit]: a fleet that adopts hot updates calls the driver once for every
// machine, and each call holds a worker of the controller. It counts updates, each of which makes several calls. The zero value denies everything. It
// has no clock, and is safe for concurrent use. One serves a process.
//
// It knows what an update is for. Changes of the provider spec may take all. Confirmations, and updates that were begun and not finished, leave a
// quarter of Burst and of InFlight, rounded down, and adoption, verification and other updates without a change of the spec leave a half.
//
// Recommended: InFlight a third of the controller's workers; Every such that the calls of one update take half of what the cloud allows
// in that time, so that machines which are updated side by side do not take the calls from each other; Burst ten.
type Limiter struct {
	Every    time.Duration // how long it takes until another update may begin
	Burst    int           // how many updates may begin at once
	InFlight int           // how many updates may be under way; zero is no bound

	mutex   sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	tokens   float64
	at       time.Time
	inFlight int
}

// rank says how many quarters of a limit are left to what is more urgent.
func (r Reason) rank() int {
	//exhaustive:ignore
	switch r {
	case specChanged, recordFull:
		return 0
	case unfinished, confirmationDue:
		return 1
	default:
		return 2
	}
}

// begin takes a token and reports whether there was one. Then the update is under way until end is called. A nil limiter allows everything.
func (l *Limiter) begin(key string, reason Reason, now time.Time) bool {
	if l == nil {
		return true
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.buckets == nil {
		l.buckets = map[string]*bucket{}
	}
	b := l.buckets[key]
	if b == nil {
		b = &bucket{tokens: float64(l.Burst), at: now}
		l.buckets[key] = b
	}
	if elapsed := now.Sub(b.at); elapsed > 0 && l.Every > 0 {
		b.tokens, b.at = min(b.tokens+elapsed.Seconds()/l.Every.Seconds(), float64(l.Burst)), now
	}
	rank := reason.rank()
	allowed := b.tokens >= float64(1+l.Burst*rank/4) && (l.InFlight == 0 || b.inFlight < l.InFlight-l.InFlight*rank/4)
	if allowed {
		b.tokens--
		b.inFlight++
	}
	return allowed
}

func (l *Limiter) end(key string) {
	if l == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.buckets[key].inFlight--
}

// spread returns a delay shorter than d that depends on the text.
func spread(d time.Duration, text string) time.Duration {
	h := fnv.New64a()
	// Writing to a hash never fails.
	_, _ = h.Write([]byte(text))
	return time.Duration(h.Sum64() % uint64(max(d, 1)))
}
