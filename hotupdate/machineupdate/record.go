package machineupdate

import "time"

// The annotations on Machine objects.
const (
	// AnnotationRecord holds what a machine remembers of its hot updates. The package documentation specifies its JSON.
	AnnotationRecord = "machine.sapcloud.io/hot-update"
	// AnnotationPause on a Machine or on a MachineClass pauses its hot updates, whatever its value, unless that is "false". Creations and their
	// records go on. An update that was begun stays begun, and is finished afterwards.
	AnnotationPause = "machine.sapcloud.io/pause-hot-update"
	// AnnotationLastApplied mirrors the provider spec of the last success for people, as in the hot-update proposal, section
	// "Reconciliation Changes". Nothing reads it. It is left out where the spec is longer than 64 KiB.
	AnnotationLastApplied = "machine.sapcloud.io/last-applied-providerspec"
)

func isPaused(annotations map[string]string) bool {
	value, ok := annotations[AnnotationPause]
	return ok && value != "false"
}

// state says how far the last update of a machine came.
type state uint8

const (
	settled     state = iota // applied and confirmed: nothing is under way
	calling                  // the driver may have been called, with any result
	unconfirmed              // the driver succeeded, but earlier requests may still land and reads may still lag
)

// String returns the state's name. A record spells it out, unless it is settled.
func (s state) String() string {
	return [...]string{settled: "Settled", calling: "Calling", unconfirmed: "Unconfirmed"}[s]
}

// record is what a machine remembers of its hot updates. Copies share its slices, so these are replaced and never changed.
type record struct {
	ProviderID string // the VM that the record is about: machine templates copy annotations
	Creating   string // the name of the machine whose VM is being created; either it or ProviderID is set
	Schema     string // what was Hot, and what the driver could apply, when the record was written
	State      state
	Since      time.Time // when the record was written, in whole seconds
	Retries    int       // how many times the update under way repeats one that was not successful
	Applied    Hot       // the hot part of the last success; empty if there was none
	// Attempted are hot parts that may be live, or become live, beside Applied: those sent since, and the one applied before a success that is
	// not confirmed.
	Attempted []Hot
	Attempts  []Digest // the leaves of attempts that were too long to be recorded in full
}

// maxRetries is where Retries stop: more would make no difference.
const maxRetries = 32

// isOf reports whether the record is about this machine.
func (r *record) isOf(m *machine) bool {
	if r.Creating != "" {
		return r.Creating == m.Name
	}
	return r.ProviderID == m.ProviderID && r.ProviderID != ""
}
