package share

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Action is a cloud action under one key. Only calls of the same action share.
type Action struct {
	Key, Name string
	Draws     []Draw // at least one
}

// Draw is what each call of an action takes from a bucket of its key.
type Draw struct {
	Bucket string
	Limit
	Requests int // at least one
}

// Limit is a quota as the cloud states it: requests at once, and requests a second.
type Limit struct{ Burst, Refill float64 }

// Member is the part of one machine in a call. P is what the caller keeps with it.
type Member[P any] struct {
	Payload P
	Action  Action
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

// Pacer decides when the calls of one key are sent, and for which members.
//
//   - It spends half of the refill and half of the burst of each bucket. Calls of several actions may
//     draw from one bucket. The time between requests is rounded up to whole nanoseconds.
//   - A call that has room for more members is sent half a second after the last call of its action, or
//     after its first member has joined. If its only members are confirmations and adoptions, it is sent
//     after twice that time. A call of ten or more members is sent as soon as no member has joined for
//     50 ms: the workers of a small pool all wait for it. A full call does not wait. After an idle
//     period, five calls of single machines do not wait either.
//   - Members of a lower rank go first, then members that have waited longer. A call that waits for its
//     buckets keeps them from the calls of other actions behind it.
//
// The zero value is ready to use.
type Pacer[P any] struct {
	lines   []*line[P]
	buckets map[string]*bucket
	number  int // of members that have joined
}

// line are the calls of one action.
type line[P any] struct {
	Action

	waiting []*Member[P]  // by rank, then in the order of joining
	spare   quota         // of calls that do not wait for more members
	last    time.Time     // when a call was sent
	newest  time.Time     // when a member joined
	longest time.Duration // the time of the longest call; the answers after it let it decay
}

// bucket is a quota of the cloud.
type bucket struct {
	Limit
	quota

	delay   time.Duration // after the last throttled answer, which came at the time below
	refused time.Time
}

// quota is what has been spent. Each request costs an interval of time, and the debt is paid by the time
// that passes. Whole nanoseconds add up exactly, so that after the time that [quota.missing] returns,
// nothing is missing. A golang.org/x/time/rate.Limiter cannot replace it: its size is a whole number, it
// refuses a request above its size, and it documents nothing about a clock that goes backwards.
type quota struct {
	debt time.Duration
	at   time.Time
}

// pay pays the debt by the time that has passed. A clock that goes backwards pays nothing.
func (q *quota) pay(now time.Time) {
	passed := max(now.Sub(q.at), 0)
	q.debt = max(q.debt-passed, 0)
	q.at = now
}

// missing returns the time after which there is enough for a cost. The quota holds the requests of the
// time saved, and always a single cost.
func (q *quota) missing(now time.Time, cost, saved time.Duration) time.Duration {
	q.pay(now)
	return max(q.debt+cost-max(saved, cost), 0)
}

// cost returns the time that pays for requests if half of the refill is spent. It is rounded up to whole
// nanoseconds: requests spend no more than that half.
func (l Limit) cost(requests int) time.Duration {
	seconds := 2 * float64(time.Second) * float64(requests)
	cost := math.Ceil(seconds / l.Refill)
	isShort := math.FMA(cost, l.Refill, -seconds) < 0 // the quotient above was rounded down
	if isShort {
		cost++
	}
	return time.Duration(cost)
}

// saved returns the time that pays for half of the burst, rounded down.
func (l Limit) saved() time.Duration { return time.Duration(l.Burst / l.Refill * float64(time.Second)) }

func (p *Pacer[P]) bucket(d Draw) *bucket {
	if p.buckets[d.Bucket] == nil {
		if p.buckets == nil {
			p.buckets = map[string]*bucket{}
		}
		p.buckets[d.Bucket] = &bucket{Limit: d.Limit}
	}
	return p.buckets[d.Bucket]
}

// line returns the line of an action. There are few of them.
func (p *Pacer[P]) line(a Action) *line[P] {
	at := slices.IndexFunc(p.lines, func(l *line[P]) bool { return l.Name == a.Name })
	if at >= 0 {
		return p.lines[at]
	}
	l := &line[P]{Action: a}
	p.lines = append(p.lines, l)
	return l
}

// Spend pays for requests that are made now. The time that has passed pays only for those before.
func (p *Pacer[P]) Spend(now time.Time, d Draw) {
	b := p.bucket(d)
	b.pay(now)
	b.debt += d.cost(d.Requests)
}

// Owes returns the time until every bucket is full again.
func (p *Pacer[P]) Owes(now time.Time) (longest time.Duration) {
	for _, b := range p.buckets {
		longest = max(longest, b.debt-max(now.Sub(b.at), 0))
	}
	return longest
}

// Join adds a member, which waits until a call is sent.
func (p *Pacer[P]) Join(now time.Time, m *Member[P]) {
	p.number++
	m.joined = now
	m.number = p.number
	l := p.line(m.Action)
	l.newest = now
	l.enqueue(m)
}

func (l *line[P]) enqueue(m *Member[P]) {
	at, _ := slices.BinarySearchFunc(l.waiting, m, byTurn[P])
	l.waiting = slices.Insert(l.waiting, at, m)
}

// byTurn orders members by rank, then in the order of joining.
func byTurn[P any](a, b *Member[P]) int {
	return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.number, b.number))
}

// Leave removes a member. It returns the call under way that has no member left, or nil.
func (p *Pacer[P]) Leave(m *Member[P]) (abandoned *Call[P]) {
	m.isGone = true
	l := p.line(m.Action)
	l.waiting = slices.DeleteFunc(l.waiting, func(w *Member[P]) bool { return w == m })
	if m.call != nil && len(present(m.call.Members)) == 0 {
		return m.call
	}
	return nil
}

// Expire removes and returns the members for which nothing may be sent any more: their deadline has
// passed, or they have ended.
func (p *Pacer[P]) Expire(now time.Time, hasEnded func(*Member[P]) bool) (expired []*Member[P]) {
	isOver := func(m *Member[P]) bool {
		isLate := !m.Deadline.IsZero() && !now.Before(m.Deadline)
		if !isLate && !hasEnded(m) {
			return false
		}
		m.isGone = true
		expired = append(expired, m)
		return true
	}
	for _, l := range p.lines {
		l.waiting = slices.DeleteFunc(l.waiting, isOver)
	}
	return expired
}

// Next returns the call to send now, or how long to wait if no member joins or leaves; zero if no
// member waits. Call Expire first.
func (p *Pacer[P]) Next(now time.Time) (call *Call[P], wait time.Duration) {
	isIdle := func(l *line[P]) bool { return len(l.waiting) == 0 }
	busy := slices.DeleteFunc(slices.Clone(p.lines), isIdle)
	slices.SortFunc(busy, func(a, b *line[P]) int { return byTurn(a.waiting[0], b.waiting[0]) })
	kept := map[string]bool{} // the buckets for which a call before waits
	for _, l := range busy {
		isKept := slices.ContainsFunc(l.Draws, func(d Draw) bool { return kept[d.Bucket] })
		due := p.turn(now, l)
		if due == 0 && !isKept {
			call, due = p.nextOf(now, l)
			if call != nil {
				return call, 0
			}
		} else {
			for _, d := range l.Draws {
				kept[d.Bucket] = true
			}
		}
		if due > 0 && (wait == 0 || due < wait) {
			wait = due
		}
	}
	return nil, wait
}

// nextOf returns the call of an action to send now, or how long to wait for more members.
func (p *Pacer[P]) nextOf(now time.Time, l *line[P]) (*Call[P], time.Duration) {
	wait := 2 * apart
	for i, first := range l.waiting {
		if slices.ContainsFunc(l.waiting[:i], first.mayShare) {
			continue // was gathered already
		}
		members, isFull := l.gather(now, first)
		patience := apart
		if first.Rank > 0 { // confirmations and adoptions are not urgent
			patience = 2 * apart
		}
		left := patience - max(now.Sub(first.joined), now.Sub(l.last))
		if len(members) >= many && first.Rank == 0 {
			left = min(left, idle-now.Sub(l.newest))
		}
		isDue := isFull || first.isSent
		isPatienceOver := left <= 0 || left > 2*apart // a clock that was set back leaves more than any patience
		if isDue || isPatienceOver {
			return p.send(now, l, members), 0
		}
		if l.spare.missing(now, regain, few*regain) == 0 {
			l.spare.debt += regain
			return p.send(now, l, members), 0
		}
		wait = min(wait, left)
	}
	return nil, wait
}

// turn returns the time until the buckets of an action admit its next call. A clock that goes backwards
// delays it by no more than a delay after throttling.
func (p *Pacer[P]) turn(now time.Time, l *line[P]) (wait time.Duration) {
	for _, d := range l.Draws {
		b := p.bucket(d)
		wait = max(wait, b.missing(now, d.cost(d.Requests), d.saved()))
		if now.Before(b.refused) { // the clock was set back
			b.refused = now
		}
		wait = max(wait, b.refused.Add(b.delay).Sub(now))
	}
	return wait
}

// gather returns the members of a call with its first one, and whether it has no room for another.
func (l *line[P]) gather(now time.Time, first *Member[P]) (members []*Member[P], isFull bool) {
	members = []*Member[P]{first}
	named := map[string]bool{}
	for _, id := range first.IDs {
		named[id] = true
	}
	isFull = len(named) >= first.Bound
	for _, m := range l.waiting {
		isAnyLate := l.isLate(now, m) || l.isLate(now, first)
		if m == first || !m.mayShare(first) || isAnyLate {
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

func (m *Member[P]) mayShare(other *Member[P]) bool {
	isSameCall := m.Equal != "" && m.Equal == other.Equal
	return isSameCall && m.piece == other.piece
}

// isLate reports whether a call could take longer than the member has left. Its deadline would end
// the call of the others, so it gets a separate call.
func (l *line[P]) isLate(now time.Time, m *Member[P]) bool {
	return !m.Deadline.IsZero() && m.Deadline.Sub(now) < l.longest
}

func (p *Pacer[P]) send(now time.Time, l *line[P], members []*Member[P]) *Call[P] {
	call := &Call[P]{Members: members, sent: now}
	for _, m := range members {
		m.call = call
		m.isSent = true
		isEarlier := call.Deadline.IsZero() || m.Deadline.Before(call.Deadline)
		if !m.Deadline.IsZero() && isEarlier {
			call.Deadline = m.Deadline
		}
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(m *Member[P]) bool { return m.call == call })
	for _, d := range l.Draws {
		p.Spend(now, d)
	}
	l.last = now
	return call
}

// Answer ends a call. It returns the members for which the answer is final. Other members wait for
// another call, unless they have gone.
func (p *Pacer[P]) Answer(now time.Time, c *Call[P], a Answer) (final []*Member[P]) {
	l := p.line(c.Members[0].Action)
	l.longest = max(now.Sub(c.sent), l.longest-l.longest/16)
	for _, m := range c.Members {
		m.call = nil
	}
	for _, d := range l.Draws {
		b := p.bucket(d)
		isNews := c.sent.After(b.refused)
		switch {
		case !isNews: // calls that were sent before the last refusal tell nothing new
		case a.Outcome == Throttled:
			b.delay = max(min(max(2*b.delay, FirstDelay), MaxDelay), a.After)
			b.refused = now
		default:
			b.delay = 0
		}
	}
	switch a.Outcome {
	case Throttled:
		l.again(c.Members, c.Members[0].piece)
		return nil
	case Divisible:
		return present(l.divide(c, a.Rejected))
	case Final:
	}
	return present(c.Members)
}

// divide sends a refused call again without the rejected members or, if none of the members is named,
// in halves. It returns the members for which the refusal is final: the rejected members, and members
// for which no further call is left.
func (l *line[P]) divide(c *Call[P], rejected []string) (final []*Member[P]) {
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
			l.again(members, &piece{extra})
		}
	}
	return final
}

func (l *line[P]) again(members []*Member[P], of *piece) {
	for _, m := range present(members) {
		m.piece = of
		l.enqueue(m)
	}
}

// present returns the members that have not gone.
func present[P any](members []*Member[P]) []*Member[P] {
	return slices.DeleteFunc(slices.Clone(members), func(m *Member[P]) bool { return m.isGone })
}
