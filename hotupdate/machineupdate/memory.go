package machineupdate

import (
	"hash/maphash"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
	"github.com/hotupdate/providerconfig/internal/jitter"
)

// Memory holds what a process remembers about its machines in addition to their records:
//
//   - Which passes ended without a record. A fault that lasts then costs few calls and writes, and
//     is reported once: see "Faults that last" in FLOW.md. Without a Memory such a pass is repeated
//     at every reconcile.
//   - When its own updates began to wait for their confirmation, by the monotonic clock, so that a
//     wall clock that is set ahead does not end the wait. See "Time" in FLOW.md.
//
// The zero value is ready for use, and safe for concurrent use. One Memory serves all machines of a
// process. It holds at most two entries for each lane of a machine, and drops old ones.
type Memory struct {
	mutex     sync.Mutex
	seed      maphash.Seed
	futile    map[memorized]*futile
	successes map[memorized]success
	purgeAt   int // the number of entries at which old ones are dropped
}

// success is an update that this process has made, and that has yet to be confirmed.
type success struct {
	record string // as it was written
	at     time.Time
	limit  time.Duration // after which it is of no use
}

// memorized identifies a lane of a machine.
type memorized struct {
	machine string // UID, namespace and name
	lane    string // its annotation
	drained bool   // its node is drained for an in-place update
}

// futile describes the last passes of a lane, which ended without a record.
type futile struct {
	circumstances uint64 // a hash of what ends the wait when it changes
	steps         int    // how often the wait was set; it doubles with each step
	since         time.Time
	wait          time.Duration
	limit         time.Duration // of the wait
	refused       string        // the resourceVersion of an ordinary conflict: another one ends the wait
	conflicts     int           // ordinary ones since the last record
	told          map[string]bool
}

const (
	// ordinaryConflicts is how many conflicts since the last record, each about a new version, do
	// not count as a fault.
	ordinaryConflicts = 5
	// lastingSteps is the number of steps after which an error counts as a fault that lasts.
	lastingSteps = 3
	// lookAgain is the longest time until a waiting machine is checked again, because a change of
	// its secret causes no event.
	lookAgain = time.Minute
	// maxTold is how many faults of a lane are reported until it has a record, because the texts of
	// errors may differ each time.
	maxTold = 64
	// purgeFrom is the least number of entries at which old ones are dropped.
	purgeFrom = 64
)

// Restart begins a new term of a leader. Each machine that waits now waits for the short delay, with
// jitter. Call it when the process becomes the leader.
func (m *Memory) Restart(now time.Time) {
	if m == nil {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for of, f := range m.futile {
		f.conflicts = 0
		f.steps = 0
		f.step(&of, now)
	}
}

// step sets the wait: it doubles from the short delay, with up to half of it as jitter, up to the limit.
func (f *futile) step(of *memorized, now time.Time) {
	f.steps++
	d := shortRetry
	for range f.steps - 1 {
		d += min(d, f.limit)
	}
	d = min(d, f.limit*2/3)
	f.since = now
	f.wait = d + jitter.Below(d/2, of.machine+of.lane, now.UnixNano())
}

// rest returns how long a pass has to wait because the passes before it ended without a record.
func (m *Memory) rest(o *observation) time.Duration {
	if m == nil {
		return 0
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	f, isKnown := m.futile[o.memorized()]
	if !isKnown {
		return 0
	}
	isSuperseded := f.refused != "" && f.refused != o.Machine.GetResourceVersion()
	if isSuperseded || f.circumstances != m.circumstances(o) {
		return 0
	}
	return f.wait - elapsed(f.since, o.now)
}

// add remembers a pass that ended without a record. It returns how long the next one waits, at least the
// given time, and whether the fault lasts.
func (m *Memory) add(
	o *observation, how ending, least time.Duration, now time.Time,
) (wait time.Duration, isLasting bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	f := m.of(o, now)
	f.limit = o.Settings.confirmAfter()
	if f.isOrdinary(o, how) {
		f.steps = 0
		f.refused = o.Machine.GetResourceVersion()
	} else if how != conflicted || f.conflicts > ordinaryConflicts {
		f.refused = ""
	}
	f.step(new(o.memorized()), now)
	f.wait = max(f.wait, min(least, f.limit))
	return f.wait, f.steps >= lastingSteps
}

// isOrdinary reports whether a pass ended with a conflict about a new version, because another
// program has just written the machine. After ordinaryConflicts of them, a further conflict is no
// coincidence.
func (f *futile) isOrdinary(o *observation, how ending) bool {
	if how != conflicted || f.refused == o.Machine.GetResourceVersion() {
		return false
	}
	f.conflicts++
	return f.conflicts <= ordinaryConflicts
}

// of returns the entry of a lane under the present circumstances.
func (m *Memory) of(o *observation, now time.Time) *futile {
	key := o.memorized()
	f, isKnown := m.futile[key]
	if !isKnown {
		m.dropOld(now)
		f = &futile{told: map[string]bool{}}
		m.futile[key] = f
	}
	circumstances := m.circumstances(o)
	if f.circumstances != circumstances {
		*f = futile{circumstances: circumstances, told: f.told}
	}
	return f
}

// dropOld drops entries of machines that were not looked at for long, from time to time.
func (m *Memory) dropOld(now time.Time) {
	if m.futile == nil {
		m.futile = map[memorized]*futile{}
		m.successes = map[memorized]success{}
		m.purgeAt = purgeFrom
	}
	if len(m.futile)+len(m.successes) < m.purgeAt {
		return
	}
	maps.DeleteFunc(m.futile, func(_ memorized, f *futile) bool { return elapsed(f.since, now) > f.wait+2*f.limit })
	maps.DeleteFunc(m.successes, func(_ memorized, s success) bool { return now.Sub(s.at) > 2*s.limit })
	m.purgeAt = max(2*(len(m.futile)+len(m.successes)), purgeFrom)
}

// wrote remembers a record that this process has written, if it has to be confirmed, and that the fault
// of its lane is over.
func (m *Memory) wrote(o *observation, annotation string, now time.Time) {
	if m == nil {
		return
	}
	header, _, err := record.ReadHeader(annotation)
	isUnconfirmed := err == nil && header.State == record.Unconfirmed
	m.mutex.Lock()
	defer m.mutex.Unlock()
	delete(m.futile, o.memorized())
	delete(m.successes, o.memorized().inAnyNode())
	if isUnconfirmed {
		m.dropOld(now)
		m.successes[o.memorized().inAnyNode()] = success{
			record: annotation, at: since(&header, o.now, now), limit: o.Settings.confirmAfter(),
		}
	}
}

// marked remembers a pass whose marker was written and that ended without a result, so that the
// faults of its lane are not reported again. The entry is kept until the record makes the pass be
// repeated.
func (m *Memory) marked(o *observation, next time.Duration, now time.Time) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	f := m.of(o, now)
	f.since = now
	f.limit = max(next, o.Settings.confirmAfter())
	delete(m.successes, o.memorized().inAnyNode())
}

// since returns the time of a record that was written between begin and end, with a reading of the
// monotonic clock.
func since(h *record.Header, begin, end time.Time) time.Time {
	ago := end.Round(0).Sub(h.Since)
	return end.Add(-max(min(ago, end.Sub(begin)), 0))
}

// unripe returns how long an update of this process still waits for its confirmation, by the
// monotonic clock; zero if the wait is over, or if another process made the update.
func (m *Memory) unripe(o *observation) time.Duration {
	if m == nil {
		return 0
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	s, isKnown := m.successes[o.memorized().inAnyNode()]
	isKnown = isKnown && s.record == o.Machine.GetAnnotations()[o.lane.annotation]
	if !isKnown {
		return 0
	}
	confirmAfter := o.Settings.confirmAfter()
	return min(max(confirmAfter-o.now.Sub(s.at), 0), confirmAfter)
}

// inAnyNode identifies a lane regardless of whether its node is drained, since the record is the
// same.
func (of memorized) inAnyNode() memorized {
	of.drained = false
	return of
}

// isNews reports whether a fault has not been reported yet, and remembers it as reported. A lane
// has room for maxTold faults.
func (m *Memory) isNews(o *observation, what string) bool {
	if m == nil {
		return true
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	f, isKnown := m.futile[o.memorized()]
	if !isKnown {
		return true
	}
	isNews := !f.told[what] && len(f.told) < maxTold
	if isNews {
		f.told[what] = true
	}
	return isNews
}

func (o *observation) memorized() memorized {
	m := o.Machine
	machine := string(m.GetUID()) + "/" + m.GetNamespace() + "/" + m.GetName()
	of := memorized{machine: machine, drained: o.gate != nil}
	if o.lane != nil { // there is none without a class
		of.lane = o.lane.annotation
	}
	return of
}

// steadyPhase is the phase, with Unknown replaced by Running: MCM switches between the two whenever
// the node's readiness changes.
func (o *observation) steadyPhase() string {
	if o.Phase == phaseUnknown {
		return phaseRunning
	}
	return o.Phase
}

// circumstances is a hash of everything that may end a fault, except the actions of other programs:
// the machine's spec, its phase, our annotations, its class and secret, and the drain of its node.
// Of the machine's status it covers only the phase, because a flapping node changes the status all
// the time.
func (m *Memory) circumstances(o *observation) uint64 {
	if m.seed == (maphash.Seed{}) {
		m.seed = maphash.MakeSeed()
	}
	var h maphash.Hash
	h.SetSeed(m.seed)
	add := func(text string) {
		_, _ = h.WriteString(strconv.Itoa(len(text)) + ":" + text) // never fails
	}
	add(strconv.FormatInt(o.Machine.GetGeneration(), 10)) // counts changes of the spec
	add(o.ProviderID)
	add(o.steadyPhase())
	annotations := o.Machine.GetAnnotations()
	for _, name := range []string{o.lane.annotation, annotationPause, annotationLastApplied} {
		add(annotations[name])
	}
	add(o.Class.class.key())
	add(string(o.Class.class.ProviderSpec))
	for _, key := range slices.Sorted(maps.Keys(o.Secret)) {
		add(key)
		add(string(o.Secret[key]))
	}
	if o.gate != nil {
		add(string(o.gate.node.UID))
		add(o.gate.node.Drained.String())
	}
	return h.Sum64()
}
