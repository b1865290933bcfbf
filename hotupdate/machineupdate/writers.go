package machineupdate

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// rewritten is a key that another writer has changed on a resource of a machine.
type rewritten struct {
	machine  types.UID
	name     string // of the machine
	resource string
	key      string
	live     string // its value
}

// writers remembers which changes of other writers were reported for the machines of a class. It
// keeps hashes, because the values may be secret and a class may have many machines.
type writers struct {
	mutex sync.Mutex
	seed  maphash.Seed
	known map[uint64]struct{}
}

// maxKnown bounds the memory of a class, to some megabytes. Beyond it everything is forgotten, and
// reported again.
const maxKnown = 1 << 17

// news removes what was reported before, and remembers the rest.
func (w *writers) news(found []rewritten) []rewritten {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.known == nil {
		w.seed = maphash.MakeSeed()
		w.known = map[uint64]struct{}{}
	}
	isKnown := func(r rewritten) bool {
		hash := maphash.Comparable(w.seed, r)
		_, known := w.known[hash]
		if !known && len(w.known) >= maxKnown {
			clear(w.known)
		}
		w.known[hash] = struct{}{}
		return known
	}
	return slices.DeleteFunc(found, isKnown)
}

// findings collects what a call of the driver reports. A driver may report from several goroutines,
// and after its call has returned.
type findings struct {
	mutex sync.Mutex
	found []rewritten
}

func (f *findings) add(r rewritten) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.found = append(f.found, r)
}

// take returns the findings, sorted.
func (f *findings) take() []rewritten {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	found := f.found
	f.found = nil
	slices.SortFunc(found, func(a, b rewritten) int {
		return cmp.Or(
			strings.Compare(a.key, b.key), strings.Compare(a.resource, b.resource), strings.Compare(a.live, b.live),
		)
	})
	return found
}

// watchWriters lets the request report other writers, if reads have caught up since the last
// success, and returns a function that publishes what is new.
func (e *Executor[M]) watchWriters(o *observation, d *decision, request *UpdateMachineRequest) (publish func(M)) {
	isConfirmation := d.action == actConfirm && !d.again
	haveReadsCaughtUp := isConfirmation || d.reason == verifyDue
	if e.Event == nil || !haveReadsCaughtUp {
		return func(M) {}
	}
	var reported findings
	request.OtherWriter = func(resource, key, live string) {
		reported.add(rewritten{o.Machine.GetUID(), o.Machine.GetName(), resource, key, live})
	}
	return func(machine M) {
		if found := o.lane.writers.news(reported.take()); len(found) > 0 {
			e.Event(machine, warning, "HotUpdateOtherWriter", message(found))
		}
	}
}

// message says which keys another writer has changed, and what to do. It shows no value.
func message(found []rewritten) string {
	var keys []string
	for _, r := range found {
		keys = append(keys, strconv.Quote(r.key)+" of "+r.resource)
	}
	return "another writer has changed keys of the class, which are written again: " + strings.Join(keys, ", ") +
		"; stop that writer, remove the keys from the class, or name them in AnyValue of the driver's Rules"
}
