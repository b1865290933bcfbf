package share

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Send makes a call for members, the first of which asked for it. Its context derives from no
// member. It ends with the earliest deadline of the members, and once all of them have gone.
type Send[P any] func(ctx context.Context, members []P) (Answer, error)

// Shell makes the calls of a [Pacer] for each key. It is safe for concurrent use.
type Shell[P any] struct {
	// Wait returns after d, or with an error when the context is done.
	Wait func(ctx context.Context, d time.Duration) error

	mutex sync.Mutex
	keys  map[string]*paced[P]
	skew  time.Duration // how far Wait is ahead of the wall clock, which tests simulate
}

// paced is a pacer with its alarm.
type paced[P any] struct {
	Pacer[P]

	used  time.Time
	alarm time.Time // when Next is due; zero if no alarm is set
	stop  context.CancelFunc
}

// waiter is what the shell keeps with a member.
type waiter[P any] struct {
	ctx     context.Context //nolint:containedctx // of the goroutine that waits for the member
	send    Send[P]
	abandon context.CancelFunc // ends the call under way
	peers   []P                // the members of the last call
	err     error              // of the last call
	done    chan struct{}
}

// Do makes a call for a member, alone or with others, and returns the payloads of all members of
// the last call with the call's error. It returns when ctx is done, although the call may still be
// under way.
func (s *Shell[P]) Do(ctx context.Context, m *Member[P], send Send[P]) (peers []P, err error) {
	m.waiter = waiter[P]{ctx: ctx, send: send, done: make(chan struct{})}
	s.mutex.Lock()
	if deadline, ok := ctx.Deadline(); ok {
		m.Deadline = deadline.Round(0).Add(s.skew)
	}
	l := s.of(m.Action.Key)
	l.Join(s.now(), m)
	s.drive(l)
	s.mutex.Unlock()
	select {
	case <-m.done:
	case <-ctx.Done():
		s.leave(l, m)
	}
	return m.peers, m.err
}

// of returns the pacer of a key. It forgets pacers that are not used any more, and whose buckets are
// full again: credentials change.
func (s *Shell[P]) of(key string) *paced[P] {
	if s.keys[key] == nil {
		if s.keys == nil {
			s.keys = map[string]*paced[P]{}
		}
		maps.DeleteFunc(s.keys, func(_ string, l *paced[P]) bool {
			return s.now().Sub(l.used) > max(forgetAfter, l.Owes(l.used))
		})
		s.keys[key] = &paced[P]{stop: func() {}}
	}
	return s.keys[key]
}

// forgetAfter is longer than any delay of a pacer.
const forgetAfter = time.Hour

// leave ends a member whose context is done, unless its call has ended meanwhile.
func (s *Shell[P]) leave(l *paced[P], m *Member[P]) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	select {
	case <-m.done:
		return
	default:
	}
	if abandoned := l.Leave(m); abandoned != nil {
		m.abandon()
	}
	m.err = cmp.Or(m.err, m.ctx.Err())
}

// now is the wall clock: a process that was suspended must not send for members whose deadline has
// passed meanwhile.
func (s *Shell[P]) now() time.Time { return time.Now().Round(0).Add(s.skew) }

// Ended returns the error of a context that is done, or whose deadline has passed by the wall clock:
// the timer of a context stands still while a computer sleeps, and another process may have settled
// the machine meanwhile.
func Ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	deadline, ok := ctx.Deadline()
	if ok && !time.Now().Round(0).Before(deadline.Round(0)) {
		return context.DeadlineExceeded
	}
	return nil
}

// drive sends what is due, and sets the alarm for what is not.
func (s *Shell[P]) drive(l *paced[P]) {
	l.used = s.now()
	for {
		for _, m := range l.Expire(s.now(), func(m *Member[P]) bool { return m.ctx.Err() != nil }) {
			// The error of the last call says more than the error of the context.
			m.err = cmp.Or(m.err, m.ctx.Err(), context.DeadlineExceeded)
			close(m.done)
		}
		call, wait := l.Next(s.now())
		if call == nil {
			s.setAlarm(l, wait)
			return
		}
		s.send(l, call)
	}
}

func (s *Shell[P]) setAlarm(l *paced[P], wait time.Duration) {
	due := s.now().Add(wait)
	isEarlyEnough := !l.alarm.IsZero() && !l.alarm.After(due)
	if wait > 0 && isEarlyEnough {
		return // it will be set again
	}
	l.stop()
	l.alarm = time.Time{}
	if wait == 0 {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	l.alarm = due
	l.stop = stop
	go func() {
		defer stop()
		if ctx.Err() != nil || s.Wait(ctx, wait) != nil {
			return
		}
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if ctx.Err() == nil {
			s.skew += max(due.Sub(s.now()), 0)
			l.alarm = time.Time{}
			s.drive(l)
		}
	}()
}

func (s *Shell[P]) send(l *paced[P], call *Call[P]) {
	ctx, abandon := context.WithCancel(context.Background())
	if !call.Deadline.IsZero() {
		ctx, abandon = context.WithTimeout(context.Background(), call.Deadline.Sub(s.now()))
	}
	members := make([]P, len(call.Members))
	for i, m := range call.Members {
		members[i] = m.Payload
		m.abandon = abandon
	}
	ctx = context.WithValue(ctx, spendKey{}, func(further func(Draw) int) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		for _, d := range call.Members[0].Action.Draws {
			d.Requests = further(d)
			l.Spend(s.now(), d)
		}
	})
	go func() {
		defer abandon()
		answer := Answer{}
		err := errNoReturn
		defer func() { s.answered(l, call, members, answer, err) }()
		answer, err = attempt(ctx, call.Members[0].send, members)
	}()
}

// spendKey is the key of the function in a call's context that pays for further requests.
type spendKey struct{}

// Spend pays for further requests of the call whose context it gets.
func Spend(ctx context.Context, bucket string, requests int) {
	spend(ctx, func(d Draw) int {
		if d.Bucket == bucket {
			return requests
		}
		return 0
	})
}

// SpendAgain pays once more for all that the call draws.
func SpendAgain(ctx context.Context) { spend(ctx, func(d Draw) int { return d.Requests }) }

// SpendOne pays for one more request from each bucket that the call draws from.
func SpendOne(ctx context.Context) { spend(ctx, func(Draw) int { return 1 }) }

func spend(ctx context.Context, further func(Draw) int) {
	pay, isPaced := ctx.Value(spendKey{}).(func(func(Draw) int))
	if isPaced {
		pay(further)
	}
}

// errNoReturn is the error of a function that ends its goroutine.
var errNoReturn = errors.New("the function did not return")

func (s *Shell[P]) answered(l *paced[P], call *Call[P], members []P, answer Answer, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, m := range present(call.Members) {
		m.peers = members
		m.err = err
	}
	for _, m := range l.Answer(s.now(), call, answer) {
		close(m.done)
	}
	s.drive(l)
}

// attempt makes a call. A panic is an error for all of its members.
func attempt[P any](ctx context.Context, send Send[P], members []P) (answer Answer, err error) {
	defer func() {
		if what := recover(); what != nil {
			answer = Answer{}
			err = machineupdate.NewPanicError(what)
		}
	}()
	return send(ctx, members)
}
