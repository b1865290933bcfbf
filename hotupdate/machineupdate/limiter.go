package machineupdate

import (
	"hash/fnv"
	"sync"
	"time"
)

// Limiter bounds how many updates begin and how many are under way: a fleet that adopts hot updates calls the driver once for every machine, and each
// call holds a worker of the controller. It counts updates, each of which makes several calls. The zero value denies everything. It has no clock, and
// is safe for concurrent use. One serves a process with one account in one region, as the machine-controller-manager of a Shoot is. A process with
// more hands in that of the machine's credentials and region: an [Executor] may be made for each reconcile.
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

	mutex    sync.Mutex
	spent    float64 // of Burst, at a time
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
func (l *Limiter) begin(reason Reason, now time.Time) bool {
	if l == nil {
		return true
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if elapsed := now.Sub(l.at); elapsed > 0 && l.Every > 0 {
		l.spent, l.at = max(l.spent-elapsed.Seconds()/l.Every.Seconds(), 0), now
	}
	rank := reason.rank()
	allowed := l.spent+float64(1+l.Burst*rank/4) <= float64(l.Burst) && (l.InFlight == 0 || l.inFlight < l.InFlight-l.InFlight*rank/4)
	if allowed {
		l.spent++
		l.inFlight++
	}
	return allowed
}

func (l *Limiter) end() {
	if l == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.inFlight--
}

// spread returns a delay shorter than d that depends on the text.
func spread(d time.Duration, text string) time.Duration {
	h := fnv.New64a()
	// Writing to a hash never fails.
	_, _ = h.Write([]byte(text))
	return time.Duration(h.Sum64() % uint64(max(d, 1)))
}
