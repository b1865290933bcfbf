package machineupdate

import (
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Limiter bounds how many updates begin and how many are under way: a fleet that adopts hot updates
// calls the driver once for every machine, and each call occupies a worker of the controller. It
// counts updates, each of which makes several calls. A nil Limiter allows everything. A Limiter that
// would deny updates for ever, such as the zero value, is an error of [Limiter.Validate]: an
// [Executor] then updates nothing and returns that error. It has no clock, and is safe for concurrent
// use. One is enough for a process with one account in one region, such as the
// machine-controller-manager of a Shoot. A process with more needs one for each account and region,
// and creates the [Executor] of each reconcile with the machine's.
//
// Limits depend on the reason of an update. Changes of the provider spec may use all of Burst and
// InFlight. Confirmations and unfinished updates leave a quarter of both, rounded down. Adoption,
// verification and other updates without a change of the spec leave a half.
//
// Recommended: InFlight a third of the controller's workers, at least one; Every so long that the
// calls of one update use half of the cloud's quota for that time, so that concurrent updates do
// not starve each other; Burst ten. A driver that paces its calls needs no such Every: see "Shared
// calls" in package driver.
type Limiter struct {
	Every    time.Duration // the time until another update may begin; must be positive
	Burst    int           // how many updates may begin at once; at least 1
	InFlight int           // how many updates may be under way; zero means no bound

	mutex    sync.Mutex
	spent    float64 // part of Burst, as of the time below
	at       time.Time
	inFlight int
}

// Validate returns an error for a Limiter that would deny updates for ever. The error joins all
// problems, each a [*fault.Error] with the code unusable-limiter. A nil Limiter is valid.
func (l *Limiter) Validate() error {
	if l == nil {
		return nil
	}
	var problems fault.List
	require := func(holds bool, field, what, hint string) {
		if !holds {
			problem := misuse("unusable-limiter", "machineupdate.Limiter", what, hint)
			problem.Field = field
			problems.Add(problem)
		}
	}
	require(l.Every > 0, "Every", "is not positive, so that no update may begin after the first Burst",
		"set it to the time after which another update may begin, such as 100 ms")
	require(l.Burst > 0, "Burst", "is not positive, so that no update may begin", "set it to at least 1, such as 10")
	require(l.InFlight >= 0, "InFlight", "is negative, so that no update may begin", "use 0 for no bound")
	return problems.Err()
}

// rank returns how many quarters of a limit are reserved for more urgent updates.
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

// begin takes a token and reports whether there was one. If so, the update is under way until end
// is called. A nil limiter allows everything.
//
// The tokens are counted here, because a golang.org/x/time/rate.Limiter whose clock was set back
// adds none until the clock has caught up: this type would have to store the time, too.
func (l *Limiter) begin(reason Reason, now time.Time) bool {
	if l == nil {
		return true
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	passed := now.Sub(l.at)
	switch {
	case passed > 0 && l.Every > 0:
		l.spent = max(l.spent-passed.Seconds()/l.Every.Seconds(), 0)
		l.at = now
	case passed < -time.Second: // the clock was set back; less is the disorder of goroutines
		l.at = now
	}
	rank := reason.rank()
	mayBegin := l.spent+float64(1+l.Burst*rank/4) <= float64(l.Burst)
	hasPlace := l.InFlight == 0 || l.inFlight < l.InFlight-l.InFlight*rank/4
	if !mayBegin || !hasPlace {
		return false
	}
	l.spent++
	l.inFlight++
	return true
}

func (l *Limiter) end() {
	if l == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.inFlight--
}
