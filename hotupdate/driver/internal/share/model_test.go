package share

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotupdate/providerconfig/internal/effort"
)

// The model explores every interleaving of the events of a Pacer with two and three members: join,
// send, answer, cancel, expire, panic and divide, and the passing of time. The state of each member
// is followed by alone, the specification: what one machine's call may see and do if no other
// machine exists. A step of the Pacer that alone does not allow for a member is a failure.

// alone is the call of one machine without sharing, as the kit makes it: the request is sent with
// exactly the machine's resources, before the deadline, by a caller that still waits. It is sent
// again only after an answer that leaves it undone. A final answer is that of the last request.
type alone int

const (
	notAsked alone = iota
	waits          // nothing is under way
	underWay       // a request has been sent
	ended
)

// model is a Pacer with its members and their specifications. Its clock ticks in halves of a second.
type model struct {
	pacer   Pacer[int]
	refill  float64
	now     time.Time
	members []*Member[int]
	specs   []alone
	calls   []*Call[int]
	sent    int // the number of all requests
	divided int // of them refused and divided
	trail   []string
}

var epoch = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

const tick = time.Second / 2

// world is what the members of a model are.
type world struct {
	name    string
	members []Member[int]
	refill  float64
	ticks   int // how long the model runs
}

func worlds() []world {
	later := func(ticks int) time.Time { return epoch.Add(time.Duration(ticks) * tick) }
	one := func(id string, rank, deadline int) Member[int] {
		return Member[int]{Equal: "same", IDs: []string{id}, Bound: 2, Rank: rank, Deadline: later(deadline)}
	}
	other := one("c", 0, 5)
	other.Equal = "other"
	removal := one("b", 0, 6)
	removal.Action.Name = "Remove"
	two := []world{
		{"two alike", []Member[int]{one("a", 0, 4), one("b", 0, 6)}, 2, 7},
		{"two ranks, slow refill", []Member[int]{one("a", 1, 5), one("b", 0, 5)}, 1, 6},
		{"two actions of one bucket", []Member[int]{one("a", 0, 4), removal}, 1, 5},
		{"two with the same resource", []Member[int]{one("a", 0, 4), one("a", 0, 4)}, 2, 5},
	}
	if !effort.All() {
		two[0].ticks-- // still as long as the last deadline
		return two
	}
	return append(two, []world{
		{"three, of which two fit", []Member[int]{one("a", 0, 3), one("b", 0, 4), one("c", 1, 4)}, 2, 4},
		{"three, one unlike", []Member[int]{one("a", 0, 3), one("b", 0, 3), other}, 2, 3},
	}...)
}

func (w world) start() *model {
	m := &model{now: epoch, refill: w.refill}
	for i := range w.members {
		member := w.members[i]
		draws := calls(w.refill).Draws
		if member.Action.Name == "" {
			member.Action.Name = "Set"
		}
		member.Action.Draws = draws
		member.Payload = i
		m.members = append(m.members, &member)
	}
	m.specs = make([]alone, len(w.members))
	return m
}

// clone copies a model, so that both copies share nothing that changes.
func (m *model) clone() *model {
	c := *m
	members := map[*Member[int]]*Member[int]{}
	calls := map[*Call[int]]*Call[int]{}
	pieces := map[*piece]*piece{}
	budgets := map[*int]*int{}
	for i, old := range m.members {
		copied := *old
		if old.piece != nil {
			if pieces[old.piece] == nil {
				if budgets[old.piece.extra] == nil {
					budgets[old.piece.extra] = new(*old.piece.extra)
				}
				pieces[old.piece] = &piece{budgets[old.piece.extra]}
			}
			copied.piece = pieces[old.piece]
		}
		members[old] = &copied
		c.members = slices.Clone(c.members)
		c.members[i] = &copied
	}
	mapped := func(list []*Member[int]) (copies []*Member[int]) {
		for _, old := range list {
			copies = append(copies, members[old])
		}
		return copies
	}
	c.calls = nil
	for _, old := range m.calls {
		calls[old] = &Call[int]{Members: mapped(old.Members), Deadline: old.Deadline, sent: old.sent}
		c.calls = append(c.calls, calls[old])
	}
	for _, copied := range members {
		copied.call = calls[copied.call]
	}
	c.pacer.lines = nil
	for _, old := range m.pacer.lines {
		copied := *old
		copied.waiting = mapped(old.waiting)
		c.pacer.lines = append(c.pacer.lines, &copied)
	}
	c.pacer.buckets = map[string]*bucket{}
	for name, old := range m.pacer.buckets {
		c.pacer.buckets[name] = new(*old)
	}
	c.specs = slices.Clone(m.specs)
	c.trail = slices.Clip(m.trail)
	return &c
}

// state identifies a model but for its trail.
func (m *model) state() string {
	var b strings.Builder
	index := func(member *Member[int]) int { return slices.Index(m.members, member) }
	_, _ = fmt.Fprint(&b, m.now.Sub(epoch), m.specs, m.sent)
	for _, bucket := range m.pacer.buckets { // there is one
		_, _ = fmt.Fprint(&b, bucket.debt, bucket.delay)
		if bucket.delay > 0 {
			_, _ = fmt.Fprint(&b, m.now.Sub(bucket.refused))
		}
	}
	for _, l := range m.pacer.lines {
		_, _ = fmt.Fprint(&b, " ", l.Name, l.spare.debt, m.now.Sub(l.last), l.longest)
		for _, member := range l.waiting {
			_, _ = fmt.Fprint(&b, " w", index(member))
		}
	}
	var pieces []*piece
	for _, member := range m.members {
		at := slices.Index(pieces, member.piece)
		if at < 0 {
			at = len(pieces)
			pieces = append(pieces, member.piece)
		}
		_, _ = fmt.Fprint(&b, " m", member.joined.Sub(epoch), member.number, member.isGone, member.isSent, at)
		if member.piece != nil {
			_, _ = fmt.Fprint(&b, "/", *member.piece.extra)
		}
	}
	for _, call := range m.calls {
		_, _ = fmt.Fprint(&b, " c", call.sent.Sub(epoch))
		for _, member := range call.Members {
			_, _ = fmt.Fprint(&b, index(member))
		}
	}
	return b.String()
}

// event is a step of the model. It returns what alone does not allow.
type event struct {
	name string
	do   func(m *model) error
}

// events returns what can happen next.
func (m *model) events(w world) (possible []event) {
	for i, spec := range m.specs {
		switch spec {
		case notAsked:
			possible = append(possible, event{fmt.Sprint("join ", i), func(m *model) error { return m.join(i) }})
		case waits, underWay:
			possible = append(possible, event{fmt.Sprint("cancel ", i), func(m *model) error { return m.cancel(i) }})
		case ended:
		}
	}
	for i, call := range m.calls {
		answers := []Answer{{}, {Outcome: Throttled}, {Outcome: Divisible}}
		for _, member := range call.Members {
			answers = append(answers, Answer{Outcome: Divisible, Rejected: member.IDs})
		}
		answers = append(answers, Answer{Outcome: Divisible, Rejected: []string{"nobody"}})
		for _, a := range answers {
			possible = append(possible, event{fmt.Sprint("answer ", i, a), func(m *model) error { return m.answer(i, a) }})
		}
	}
	if m.now.Before(epoch.Add(time.Duration(w.ticks) * tick)) {
		possible = append(possible, event{"tick", func(m *model) error {
			m.now = m.now.Add(tick)
			return m.drive()
		}})
	}
	return possible
}

func (m *model) join(i int) error {
	m.specs[i] = waits
	m.pacer.Join(m.now, m.members[i])
	return m.drive()
}

// cancel is the end of a member's context, at any time.
func (m *model) cancel(i int) error {
	wasLast := m.members[i].call != nil
	for _, call := range m.calls {
		if call == m.members[i].call {
			for _, other := range call.Members {
				wasLast = wasLast && (other == m.members[i] || m.specs[other.Payload] != underWay)
			}
		}
	}
	abandoned := m.pacer.Leave(m.members[i])
	m.specs[i] = ended
	if (abandoned != nil) != wasLast {
		return fmt.Errorf("the call ends with its last member: %v", wasLast)
	}
	return m.drive()
}

// answer ends a call. A panic and an expired context are final answers.
func (m *model) answer(i int, a Answer) error {
	call := m.calls[i]
	m.calls = slices.Delete(m.calls, i, i+1)
	final := m.pacer.Answer(m.now, call, a)
	for _, member := range call.Members {
		isFinal := slices.Contains(final, member)
		isGuilty := slices.ContainsFunc(member.IDs, func(id string) bool { return slices.Contains(a.Rejected, id) })
		mayBeInnocent := !isGuilty && len(call.Members) > 1
		switch spec := &m.specs[member.Payload]; {
		case *spec == ended && isFinal:
			return fmt.Errorf("member %d gets an answer after it has left", member.Payload)
		case *spec == ended:
		case *spec != underWay:
			return fmt.Errorf("member %d gets the answer to a request that it has not sent", member.Payload)
		case !isFinal && a.Outcome == Final:
			return fmt.Errorf("member %d does not get the answer", member.Payload)
		case isFinal && a.Outcome == Throttled:
			return fmt.Errorf("member %d is not called again after throttling", member.Payload)
		case !isFinal && isGuilty:
			return fmt.Errorf("member %d is called again, and was refused", member.Payload)
		case isFinal && a.Outcome == Divisible && mayBeInnocent:
			return fmt.Errorf("member %d is refused, and was not alone", member.Payload)
		case isFinal:
			*spec = ended
		default:
			*spec = waits
		}
		if !isFinal && a.Outcome == Divisible {
			m.divided++
		}
	}
	return m.drive()
}

// drive does what the shell does after each event.
func (m *model) drive() error {
	for _, member := range m.pacer.Expire(m.now, func(*Member[int]) bool { return false }) {
		if m.now.Before(member.Deadline) {
			return fmt.Errorf("member %d expires too early", member.Payload)
		}
		if m.specs[member.Payload] != waits {
			return fmt.Errorf("member %d expires and does not wait", member.Payload)
		}
		m.specs[member.Payload] = ended
	}
	for {
		before := 0
		for _, l := range m.pacer.lines {
			before += len(l.waiting)
		}
		call, wait := m.pacer.Next(m.now)
		if call == nil {
			return m.rests(before, wait)
		}
		if err := m.send(call); err != nil {
			return err
		}
	}
}

// rests checks that nobody waits for ever.
func (m *model) rests(waiting int, wait time.Duration) error {
	if (wait > 0) != (waiting > 0) {
		return fmt.Errorf("%d members wait for %v", waiting, wait)
	}
	if wait > max(apart, MaxDelay, time.Duration(2/m.refill*float64(time.Second))) {
		return fmt.Errorf("the next turn comes after %v", wait)
	}
	return nil
}

// send is a request to the cloud, which every member of the call makes.
func (m *model) send(call *Call[int]) error {
	m.calls = append(m.calls, call)
	m.sent++
	var ids []string
	for _, member := range call.Members {
		i := member.Payload
		ids = append(ids, member.IDs...)
		switch {
		case m.specs[i] != waits:
			return fmt.Errorf("a request is sent for member %d, which is in state %d", i, m.specs[i])
		case !m.now.Before(member.Deadline):
			return fmt.Errorf("a request is sent for member %d after its deadline", i)
		case call.Deadline.After(member.Deadline):
			return fmt.Errorf("the call may outlive the deadline of member %d", i)
		case member.Equal != call.Members[0].Equal || member.Action.Name != call.Members[0].Action.Name:
			return fmt.Errorf("member %d makes the call of another", i)
		case len(call.Members) > 1 && member.Deadline.Sub(m.now) < m.pacer.line(member.Action).longest:
			return fmt.Errorf("member %d may end the call of others", i)
		}
		m.specs[i] = underWay
	}
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != len(ids) || len(ids) > call.Members[0].Bound {
		return fmt.Errorf("a call names %v", ids)
	}
	// Half of the refill since the start, and half of the burst.
	if allowed := max(m.refill, 1) + m.now.Sub(epoch).Seconds()*m.refill/2; float64(m.sent) > allowed+1e-6 {
		return fmt.Errorf("%d requests are sent and %v allowed", m.sent, allowed)
	}
	return nil
}

// TestModel checks every state that the worlds can reach.
func TestModel(t *testing.T) {
	seed := maphash.MakeSeed()
	for _, w := range worlds() {
		t.Run(w.name, func(t *testing.T) {
			seen := map[uint64]bool{}
			queue := []*model{w.start()}
			shared := 0
			divided := 0
			for len(queue) > 0 {
				m := queue[len(queue)-1]
				queue = queue[:len(queue)-1]
				for _, e := range m.events(w) {
					next := m.clone()
					next.trail = append(next.trail, e.name)
					if err := e.do(next); err != nil {
						t.Fatalf("%v, after %q", err, next.trail)
					}
					if at := maphash.String(seed, next.state()); !seen[at] {
						seen[at] = true
						queue = append(queue, next)
						divided += next.divided
						for _, call := range next.calls {
							shared += len(call.Members) - 1
						}
					}
				}
			}
			t.Logf("%d states, %d shared, %d divided", len(seen), shared, divided)
			isAlone := w.name == "two with the same resource" || w.name == "two actions of one bucket"
			if (shared == 0) != isAlone {
				t.Errorf("%d states have a shared call", shared)
			}
		})
	}
}
