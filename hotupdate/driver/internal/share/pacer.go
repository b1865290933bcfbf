package share

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Member is the part of one machine in a call. P is what the caller keeps with it.
type Member[P any] struct {
	Payload P
	// Equal is the content of the call apart from IDs. Only members with the same Equal share a
	// call. A member with an empty Equal shares no call.
	Equal string
	// IDs are what the call names for the member, at most Bound of them.
	IDs   []string
	Bound int // the number of IDs that one call may name
	// Rank orders waiting members, the lowest first.
	Rank int
	// Deadline is the wall-clock time after which nothing is sent. The zero value is none.
	Deadline time.Time

	joined time.Time
	number int      // the order of joining
	call   *Call[P] // the call under way
	isGone bool
	isSent bool // was in a call before
	piece  *piece

	waiter[P] // of the Shell
}

// piece is a part of a divided call. Its members share calls only with each other.
type piece struct {
	extra *int // the number of further calls that the division may cost
}

// Call is a call under way.
type Call[P any] struct {
	Members  []*Member[P]
	Deadline time.Time // the earliest of the members'

	sent time.Time
}

// Outcome is how the cloud answered a call. The zero value ends the call, with or without an error.
type Outcome int

// The outcomes that do not end the call for all of its members.
const (
	Final     Outcome = iota
	Throttled         // the call is repeated
	Divisible         // the call was refused because of some of its members
)

// Answer is the answer to a call.
type Answer struct {
	Outcome Outcome
	After   time.Duration // of Throttled: the shortest time until the call may be repeated
	// Rejected are, of Divisible, the IDs because of which the call was refused, if known.
	Rejected []string
}

const (
	// FirstDelay is the first delay after a throttled call. Each delay is twice the delay before.
	FirstDelay = time.Second
	// MaxDelay is the longest of these delays.
	MaxDelay = 20 * time.Second
	// MaxNamedDelay is the longest delay named by a cloud for which an update waits itself. A cloud
	// names a minute where it counts calls by the minute.
	MaxNamedDelay = time.Minute
	// apart is the time between calls that have room for more members.
	apart = 500 * time.Millisecond
	// many members do not wait for more once no member has joined for idle.
	many = 10
	idle = 50 * time.Millisecond
	// few is the number of such calls that do not wait, and regain is the time until another call
	// does not wait.
	few    = 5
	regain = 30 * time.Second
	// maxExtra is the number of further calls that the division of a call may cost.
	maxExtra = 10
)

// Pacer decides when calls of one cloud action are sent, and for which members.
//
//   - It spends half of the refill. It may save up the refill of a second. The time between calls is
//     rounded up to whole nanoseconds.
//   - A call that has room for more members is sent half a second after the last call, or after its
//     first member has joined. If its only members are confirmations and adoptions, it is sent after
//     twice that time. A call of ten or more members is sent as soon as no member has joined for
//     50 ms: the workers of a small pool all wait for it. A full call does not wait. After an idle
//     period, five calls of single machines do not wait either.
//   - Members of a lower rank go first, then members that have waited longer.
type Pacer[P any] struct {
	Refill float64 // calls a second

	waiting []*Member[P] // by rank, then in the order of joining
	number  int
	turns   bucket        // of all calls
	spare   bucket        // of calls that do not wait for more members
	last    time.Time     // when a call was sent
	newest  time.Time     // when a member joined
	delay   time.Duration // after the last throttled answer, which came at the time below
	refused time.Time
	longest time.Duration // the time of the longest call; the answers after it let it decay
}

// bucket is a quota. Each call costs an interval of time, and the debt is paid by the time that passes.
// Whole nanoseconds add up exactly, so that after the time that [bucket.missing] returns, nothing is
// missing. A golang.org/x/time/rate.Limiter has only whole numbers as its size, documents nothing about
// a clock that goes backwards, and must not be copied, as the model in the tests does in every state.
type bucket struct {
	debt time.Duration
	at   time.Time
}

// missing returns the time after which there is enough for one more call. The bucket holds the calls of
// the time saved. A clock that goes backwards pays nothing.
func (b *bucket) missing(now time.Time, interval, saved time.Duration) time.Duration {
	passed := max(now.Sub(b.at), 0)
	b.debt = max(b.debt-passed, 0)
	b.at = now
	return max(b.debt+interval-saved, 0)
}

// interval returns the time between calls that spend half of the refill. It is rounded up to whole
// nanoseconds: calls spend no more than that half.
func (p *Pacer[P]) interval() time.Duration {
	const second = float64(time.Second)
	interval := math.Ceil(2 * second / p.Refill)
	isShort := math.FMA(interval, p.Refill, -2*second) < 0 // the quotient above was rounded down
	if isShort {
		interval++
	}
	return time.Duration(interval)
}

// Join adds a member, which waits until a call is sent.
func (p *Pacer[P]) Join(now time.Time, m *Member[P]) {
	p.number++
	m.joined = now
	m.number = p.number
	p.newest = now
	p.enqueue(m)
}

func (p *Pacer[P]) enqueue(m *Member[P]) {
	at, _ := slices.BinarySearchFunc(p.waiting, m, func(a, b *Member[P]) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.number, b.number))
	})
	p.waiting = slices.Insert(p.waiting, at, m)
}

// Leave removes a member. It returns the call under way that has no member left, or nil.
func (p *Pacer[P]) Leave(m *Member[P]) (abandoned *Call[P]) {
	m.isGone = true
	p.waiting = slices.DeleteFunc(p.waiting, func(w *Member[P]) bool { return w == m })
	if m.call != nil && len(present(m.call.Members)) == 0 {
		return m.call
	}
	return nil
}

// Expire removes and returns the members for which nothing may be sent any more: their deadline has
// passed, or they have ended.
func (p *Pacer[P]) Expire(now time.Time, hasEnded func(*Member[P]) bool) (expired []*Member[P]) {
	p.waiting = slices.DeleteFunc(p.waiting, func(m *Member[P]) bool {
		isLate := !m.Deadline.IsZero() && !now.Before(m.Deadline)
		if !isLate && !hasEnded(m) {
			return false
		}
		m.isGone = true
		expired = append(expired, m)
		return true
	})
	return expired
}

// Next returns the call to send now, or how long to wait if no member joins or leaves; zero if no
// member waits. Call Expire first.
func (p *Pacer[P]) Next(now time.Time) (*Call[P], time.Duration) {
	if len(p.waiting) == 0 {
		return nil, 0
	}
	if wait := p.turn(now); wait > 0 {
		return nil, wait
	}
	wait := 2 * apart
	for i, first := range p.waiting {
		if slices.ContainsFunc(p.waiting[:i], first.mayShare) {
			continue // was gathered already
		}
		members, isFull := p.gather(now, first)
		left := first.patience() - max(now.Sub(first.joined), now.Sub(p.last))
		if len(members) >= many && first.Rank == 0 {
			left = min(left, idle-now.Sub(p.newest))
		}
		isDue := isFull || first.isSent
		isPatienceOver := left <= 0 || left > 2*apart // a clock that was set back leaves more than any patience
		if isDue || isPatienceOver {
			return p.send(now, members), 0
		}
		if p.takeSpare(now) {
			return p.send(now, members), 0
		}
		wait = min(wait, left)
	}
	return nil, wait
}

// patience is how long a call waits for more members. Confirmations and adoptions are not urgent.
func (m *Member[P]) patience() time.Duration {
	if m.Rank > 0 {
		return 2 * apart
	}
	return apart
}

// turn returns the time until the next call may be sent. A clock that goes backwards delays it by
// no more than a delay after throttling.
func (p *Pacer[P]) turn(now time.Time) (wait time.Duration) {
	interval := p.interval()
	saved := max(2*time.Second, interval) // the refill of a second, of which half is spent in each second
	wait = p.turns.missing(now, interval, saved)
	return max(wait, min(p.refused.Add(p.delay).Sub(now), p.delay))
}

func (p *Pacer[P]) takeSpare(now time.Time) bool {
	if p.spare.missing(now, regain, few*regain) > 0 {
		return false
	}
	p.spare.debt += regain
	return true
}

// gather returns the members of a call with its first one, and whether it has no room for another.
func (p *Pacer[P]) gather(now time.Time, first *Member[P]) (members []*Member[P], isFull bool) {
	members = []*Member[P]{first}
	named := map[string]bool{}
	for _, id := range first.IDs {
		named[id] = true
	}
	isFull = len(named) >= first.Bound
	for _, m := range p.waiting {
		if m == first || !p.mayJoin(now, m, first) {
			continue
		}
		if slices.ContainsFunc(m.IDs, func(id string) bool { return named[id] }) {
			continue
		}
		if len(named)+len(m.IDs) > first.Bound {
			isFull = true
			continue
		}
		members = append(members, m)
		for _, id := range m.IDs {
			named[id] = true
		}
	}
	return members, isFull
}

// mayJoin reports whether a member may join the call of another member.
func (p *Pacer[P]) mayJoin(now time.Time, m, first *Member[P]) bool {
	isAnyLate := p.isLate(now, m) || p.isLate(now, first)
	return m.mayShare(first) && !isAnyLate
}

func (m *Member[P]) mayShare(other *Member[P]) bool {
	isSameCall := m.Equal != "" && m.Equal == other.Equal
	return isSameCall && m.piece == other.piece
}

// isLate reports whether a call could take longer than the member has left. Its deadline would end
// the call of the others, so it gets a separate call.
func (p *Pacer[P]) isLate(now time.Time, m *Member[P]) bool {
	return !m.Deadline.IsZero() && m.Deadline.Sub(now) < p.longest
}

func (p *Pacer[P]) send(now time.Time, members []*Member[P]) *Call[P] {
	call := &Call[P]{Members: members, sent: now}
	for _, m := range members {
		m.call = call
		m.isSent = true
		isEarlier := call.Deadline.IsZero() || m.Deadline.Before(call.Deadline)
		if !m.Deadline.IsZero() && isEarlier {
			call.Deadline = m.Deadline
		}
	}
	p.waiting = slices.DeleteFunc(p.waiting, func(m *Member[P]) bool { return m.call == call })
	p.turns.debt += p.interval()
	p.last = now
	return call
}

// Answer ends a call. It returns the members for which the answer is final. Other members wait for
// another call, unless they have gone.
func (p *Pacer[P]) Answer(now time.Time, c *Call[P], a Answer) (final []*Member[P]) {
	p.longest = max(now.Sub(c.sent), p.longest-p.longest/16)
	for _, m := range c.Members {
		m.call = nil
	}
	isNews := c.sent.After(p.refused)
	if a.Outcome == Throttled {
		if isNews {
			p.delay = max(min(max(2*p.delay, FirstDelay), MaxDelay), a.After)
			p.refused = now
		}
		p.again(c.Members, c.Members[0].piece)
		return nil
	}
	if isNews {
		p.delay = 0
	}
	if a.Outcome == Divisible {
		return present(p.divide(c, a.Rejected))
	}
	return present(c.Members)
}

// divide sends a refused call again without the rejected members or, if none of the members is named,
// in halves. It returns the members for which the refusal is final: the rejected members, and members
// for which no further call is left.
func (p *Pacer[P]) divide(c *Call[P], rejected []string) (final []*Member[P]) {
	extra := new(maxExtra)
	if of := c.Members[0].piece; of != nil {
		extra = of.extra
	}
	rest := slices.Collect(slices.Chunk(c.Members, (len(c.Members)+1)/2))
	isRejected := func(m *Member[P]) bool {
		return slices.ContainsFunc(m.IDs, func(id string) bool { return slices.Contains(rejected, id) })
	}
	if slices.ContainsFunc(c.Members, isRejected) {
		others := slices.DeleteFunc(slices.Clone(c.Members), isRejected)
		final = slices.DeleteFunc(slices.Clone(c.Members), func(m *Member[P]) bool { return !isRejected(m) })
		rest = [][]*Member[P]{others}
	}
	for _, members := range rest {
		switch {
		case len(present(members)) == 0:
		case len(members) == len(c.Members) || *extra == 0:
			final = append(final, members...)
		default:
			*extra--
			p.again(members, &piece{extra})
		}
	}
	return final
}

func (p *Pacer[P]) again(members []*Member[P], of *piece) {
	for _, m := range present(members) {
		m.piece = of
		p.enqueue(m)
	}
}

// present returns the members that have not gone.
func present[P any](members []*Member[P]) []*Member[P] {
	return slices.DeleteFunc(slices.Clone(members), func(m *Member[P]) bool { return m.isGone })
}
