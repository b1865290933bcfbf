package machineupdate

import (
	"hash/fnv"
	"sync"
	"time"
)

// LimitKey is what clouds limit calls by.
type LimitKey struct {
	Credentials string // a name of the credentials, not the credentials
	Region      string
}

// Limiter is a token bucket for each key, for AskLimiter of an [Executor]: a fleet that adopts hot updates calls the driver once for every
// machine. It counts updates, each of which makes several calls. Allow only so many that the cloud does not throttle them, or machines that are
// updated side by side take the calls from each other. The zero value denies everything. It has no clock, and is safe for concurrent use.
type Limiter struct {
	Every time.Duration // how long it takes until another update is allowed
	Burst int           // how many updates are allowed at once

	mutex   sync.Mutex
	buckets map[LimitKey]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

// Ask takes a token and reports whether there was one.
func (l *Limiter) Ask(key LimitKey, now time.Time) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.buckets == nil {
		l.buckets = map[LimitKey]bucket{}
	}
	b, ok := l.buckets[key]
	if !ok {
		b = bucket{tokens: float64(l.Burst), at: now}
	}
	if elapsed := now.Sub(b.at); elapsed > 0 && l.Every > 0 {
		b.tokens, b.at = min(b.tokens+elapsed.Seconds()/l.Every.Seconds(), float64(l.Burst)), now
	}
	allowed := b.tokens >= 1
	if allowed {
		b.tokens--
	}
	l.buckets[key] = b
	return allowed
}

// spread returns a delay shorter than d that depends on the text.
func spread(d time.Duration, text string) time.Duration {
	h := fnv.New64a()
	// Writing to a hash never fails.
	_, _ = h.Write([]byte(text))
	return time.Duration(h.Sum64() % uint64(max(d, 1)))
}
