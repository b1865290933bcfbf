package record

import (
	"maps"
	"time"
)

// State says how far the last update of a machine came.
type State uint8

// The states.
const (
	Settled     State = iota // applied and confirmed: nothing is under way
	Calling                  // the driver may have been called, with any result
	Unconfirmed              // the driver succeeded, but earlier requests may still land and reads may still lag
)

var stateNames = [...]string{Settled: "Settled", Calling: "Calling", Unconfirmed: "Unconfirmed"}

// String returns the state's name. A record spells it out, unless it is settled.
func (s State) String() string { return stateNames[s] }

// Header is what a decision depends on.
type Header struct {
	ProviderID string // the VM that the record is about: machine templates copy annotations
	Creating   string // the name of the machine whose VM is being created; either it or ProviderID is set
	Schema     string // what was Hot, and what the driver applied, when the record was written
	State      State
	Since      time.Time // when the record was written, in whole seconds
	Retries    int       // how many times the update under way repeats one that was not successful
	NotBefore  time.Time // when the cloud takes changes again, in whole seconds; zero if it is not known to refuse them
	Drain      Drain     // for which drain of the node the last update was begun; zero outside of in-place updates
	// Wanted is a digest of the hot part that the class had. A settled record has it only if all of it is applied.
	Wanted string
}

// Drain is one drain of a machine's node for an in-place update.
type Drain struct {
	Class string    // the class that is applied
	Node  string    // the UID of the node
	Since time.Time // when the node was drained
}

// MaxRetries is where Retries stop: more would make no difference.
const MaxRetries = 32

// Record is what a machine remembers of its hot updates. It is a value: nothing changes what it refers to.
type Record struct {
	Header
	others content            // of every kind that is not in kinds
	kinds  map[string]content // of kinds whose content differs
}

func (r *Record) of(kind string) content {
	if c, ok := r.kinds[kind]; ok {
		return c
	}
	return r.others
}

// with returns the record with other contents of kinds.
func (r *Record) with(kinds map[string]content) Record {
	changed := *r
	changed.kinds = map[string]content{}
	maps.Copy(changed.kinds, r.kinds)
	maps.Copy(changed.kinds, kinds)
	return changed
}

// Create returns the record for the creation of a machine's VM with the hot part of the target, which is nil if the class cannot be read. It is
// Calling, so that a VM of which nobody hears is updated. There is room for every creation: if need be, what was attempted long ago is
// forgotten.
func (r *Record) Create(machine string, t *Target, now time.Time) Record {
	created := *r
	if r.ProviderID == "" {
		created.Creating = machine
	}
	created.State, created.Since, created.Retries, created.NotBefore, created.Drain = Calling, wholeSeconds(now), 0, time.Time{}, Drain{}
	if t == nil {
		created.Schema, created.Wanted = "", ""
		return created
	}
	created.Schema, created.Wanted = t.schema, t.wanted
	created.others = r.others.create(t.hot)
	created.kinds = map[string]content{}
	for kind, c := range r.kinds {
		created.kinds[kind] = c.create(t.hot)
	}
	if len(created.Annotation()) > t.limits.Record {
		created.others, created.kinds = newContent(t.hot, nil), nil
	}
	return created
}

// Created returns the record of a VM that the creation has made: settled if no other attempt to create it can be under way. Where the class
// could not be read the machine has to be updated.
func (r *Record) Created(providerID string, first bool, now time.Time) Record {
	created := *r
	created.ProviderID, created.Creating, created.Since = providerID, "", wholeSeconds(now)
	switch {
	case r.Wanted == "":
	case first:
		created.State = Settled
	default:
		created.State = Unconfirmed
	}
	return created
}

// Has reports whether everything that the target wants is applied to all kinds that it covers.
func (r *Record) Has(t *Target) bool {
	for _, kind := range t.kinds {
		c := r.of(kind)
		if base, _ := leavesOf(c.applied).frozen(t.isHot); c.applied == "" || !maps.Equal(base, t.leaves) {
			return false
		}
	}
	return true
}

// wholeSeconds returns the first whole second that is not before now, so that Since is never too early.
func wholeSeconds(now time.Time) time.Time {
	return now.UTC().Add(time.Second - 1).Truncate(time.Second)
}
