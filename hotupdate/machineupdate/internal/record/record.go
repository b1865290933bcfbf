package record

import (
	"maps"
	"strings"
	"time"
)

// State is the state of a machine's last update.
type State uint8

// The states.
const (
	Settled     State = iota // applied and confirmed: nothing is under way
	Calling                  // the driver may have been called, with any result
	Unconfirmed              // the driver succeeded, but earlier requests may still take effect and reads may still lag
)

// stateNames are the states as written in a record; a settled one has none.
var stateNames = [...]string{Calling: "Calling", Unconfirmed: "Unconfirmed"}

// String returns the state's name.
func (s State) String() string {
	if s == Settled {
		return "Settled"
	}
	return stateNames[s]
}

// Header holds the fields that a decision depends on.
type Header struct {
	ProviderID string // the VM that the record is about: machine templates copy annotations
	Creating   string // the name of the machine whose VM is being created; either Creating or ProviderID is set
	Schema     string // identifies the Schema and the driver when the record was written
	State      State
	Since      time.Time // when the record was written, in whole seconds
	Retries    int       // how many times the update has been repeated since the last success
	NotBefore  time.Time // when the cloud accepts changes again, in whole seconds; zero if no refusal is known
	Drain      Drain     // for which drain of the node the last update was begun; zero outside of in-place updates
	// Wanted is a digest of the hot part of the class. A settled record has it only if the whole
	// hot part is applied, or if the record has no room for the rest, see [Header.IsFull].
	Wanted string
}

// full stands before the digest of a hot part that a settled record has no room for.
const full = "!"

// IsFull reports whether the record is settled although a part of the wanted hot part is not applied,
// because the record has no room for it.
func (h *Header) IsFull() bool { return h.State == Settled && strings.HasPrefix(h.Wanted, full) }

// Drain is one drain of a machine's node for an in-place update.
type Drain struct {
	Class string    // the applied class
	Node  string    // the UID of the node
	Since time.Time // when the node was drained
}

// MaxRetries is the greatest number of Retries: more would make no difference.
const MaxRetries = 32

// Record is the record of a machine's hot updates. It is a value: the data behind it is never
// changed.
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

// with returns the record with new contents of kinds.
func (r *Record) with(kinds map[string]content) Record {
	changed := *r
	changed.kinds = map[string]content{}
	maps.Copy(changed.kinds, r.kinds)
	maps.Copy(changed.kinds, kinds)
	return changed
}

// Create returns the record for the creation of a machine's VM with the hot part of the target,
// which is nil if the class cannot be read. It is Calling, so that a VM is updated even if its
// creation is never finished. There is room for every creation: if necessary, old attempts are
// dropped.
func (r *Record) Create(machine string, t *Target, now time.Time) Record {
	created := *r
	if r.ProviderID == "" {
		created.Creating = machine
	}
	created.State = Calling
	created.Since = wholeSeconds(now)
	created.Retries = 0
	created.NotBefore = time.Time{}
	created.Drain = Drain{}
	if t == nil {
		created.Schema = ""
		created.Wanted = ""
		return created
	}
	created.Schema = t.schema
	created.Wanted = t.wanted
	created.others = r.others.create(t.hot)
	created.kinds = map[string]content{}
	for kind, c := range r.kinds {
		created.kinds[kind] = c.create(t.hot)
	}
	if len(created.Annotation()) > t.limits.Record {
		created.others = newContent(t.hot, nil)
		created.kinds = nil
	}
	return created
}

// Created returns the record of a newly created VM: settled if no other attempt to create it can be
// under way. If the class could not be read, the machine must be updated.
func (r *Record) Created(providerID string, first bool, now time.Time) Record {
	created := *r
	created.ProviderID = providerID
	created.Creating = ""
	created.Since = wholeSeconds(now)
	switch {
	case r.Wanted == "":
	case first:
		created.State = Settled
	default:
		created.State = Unconfirmed
	}
	return created
}

// Has reports whether the whole hot part of the target is applied to all kinds that it covers.
func (r *Record) Has(t *Target) bool {
	return r.pass(t, func(c content) step { return c.confirm(t) }).Whole
}

// wholeSeconds returns the first whole second that is not before now, so that Since is never too
// early.
func wholeSeconds(now time.Time) time.Time {
	return now.UTC().Add(time.Second - 1).Truncate(time.Second)
}
