package machineupdate

import (
	"hash/maphash"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/internal/jitter"
)

// Memory is what a process remembers of its machines beside their records: which passes ended without
// a record. So a fault that lasts costs few calls and writes, and is reported once: see "Faults that
// last" in FLOW.md. The zero value is ready for use, and safe for concurrent use. One Memory serves
// all machines of a process. A nil Memory remembers nothing: such a pass is repeated at every
// reconcile.
//
// Its size is bounded by the lanes of machines with such a fault.
type Memory struct {
	mutex   sync.Mutex
	seed    maphash.Seed
	futile  map[memorized]*futile
	purgeAt int // the number of entries at which old ones are dropped
}

// memorized identifies a lane of a machine.
type memorized struct {
	machine string // UID, namespace and name
	lane    string // its annotation
	drained bool   // its node is drained for an in-place update
}

// futile is about the last passes of a lane, which ended without a record.
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
	// ordinaryConflicts is how many conflicts without a record between them do not count as a fault, each
	// about a version that was not refused before.
	ordinaryConflicts = 5
	// lastingSteps is how many steps make a fault that lasts of an error that may pass.
	lastingSteps = 3
	// lookAgain is the longest time until a machine that waits is looked at: a change of its secret has
	// no event.
	lookAgain = time.Minute
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
	f.wait = max(f.wait, least)
	return f.wait, f.steps >= lastingSteps
}

// isOrdinary reports whether a pass ended by a conflict about a version that was not refused before, as
// one does when another program has just written the machine. Beyond some of them it is no chance.
func (f *futile) isOrdinary(o *observation, how ending) bool {
	if how != conflicted || f.refused == o.Machine.GetResourceVersion() {
		return false
	}
	f.conflicts++
	return f.conflicts <= ordinaryConflicts
}

// of returns the entry of a lane, as it is under the present circumstances.
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
		m.purgeAt = purgeFrom
	}
	if len(m.futile) < m.purgeAt {
		return
	}
	maps.DeleteFunc(m.futile, func(_ memorized, f *futile) bool { return elapsed(f.since, now) > f.wait+2*f.limit })
	m.purgeAt = max(2*len(m.futile), purgeFrom)
}

// forget forgets a lane: it has a record again.
func (m *Memory) forget(o *observation) {
	if m == nil {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	delete(m.futile, o.memorized())
}

// isNews reports whether a fault was not told yet, and remembers that it is.
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
	wasTold := f.told[what]
	f.told[what] = true
	return !wasTold
}

func (o *observation) memorized() memorized {
	m := o.Machine
	machine := string(m.GetUID()) + "/" + m.GetNamespace() + "/" + m.GetName()
	return memorized{machine: machine, lane: o.lane.annotation, drained: o.gate != nil}
}

// circumstances is a hash of all that may end a fault, apart from what other programs do: the machine's
// spec, phase and annotations of ours, its class and secret, and the drain of its node. It has nothing
// of the machine's status but the phase: a node that flaps changes the status all the time.
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
	add(o.Phase)
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
