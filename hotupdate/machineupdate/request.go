package machineupdate

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// UpdateMachineRequest asks a driver to bring the resources of a machine from any state that may be
// live to the desired one.
//
// For each of the Parts a driver projects Applied, each of Attempted, and Desired by the same
// function to the infrastructure tags of each resource of the kind, and passes them to
// [tags.Rules.Plan]. If one member of a part overrides another in this projection, the driver also
// passes what the other one alone projects to, see Attempted.
//
// The driver returns nil if every resource is in the desired state, ErrPending if an accepted
// change is under way or the target of a resource is unknown, ErrUnimplemented if it cannot update
// at all and has sent nothing, ErrNotFound if the VM is gone, a [*RetryError] if the cloud says
// when it accepts the change, a [*PartialError] if some resources were updated, whatever the cause,
// and another error if none was or it does not know. It sends nothing once the context is done.
//
// The driver may be called at any time, also while requests of an earlier call are still under way.
// Each call starts from the beginning and repeats what an earlier, failed call did not do. The next
// update comes only after RetryAfter, and each further one after a longer delay. So a driver
// retries throttled calls with growing delays until the context is done, and retries a few times a
// call that the cloud failed to answer. Package driver implements all this.
//
// Its JSON has all fields except Class, Secret, Object, BeforeWrite, Tell, TellClass and
// OtherWriter. So a driver interface that has these seven can pass on the rest as bytes, without a
// type of this package.
type UpdateMachineRequest struct {
	Machine    string `json:"machine"` // its name
	ProviderID string `json:"providerID"`
	// Class has the provider spec with mandatory infrastructure tags, regions and everything else
	// that a driver needs. For Hot fields use the Parts instead.
	Class  MachineClass      `json:"-"`
	Secret map[string][]byte `json:"-"`              // the data of the class's secret
	Object metav1.Object     `json:"-"`              // the caller's machine object; the class's object is in Class
	Lane   string            `json:"lane,omitempty"` // the name of the [Lane]; empty for the first one
	Parts  []Part            `json:"parts"`          // one for each kind of the lane, with the leaves of the lane
	// Rank is the urgency of the update, for drivers that queue calls; the lowest goes first. It is
	// 0 for a change of the provider spec, 1 for a confirmation or an unfinished update, and 2 for
	// an adoption and everything else.
	Rank int `json:"rank,omitempty"`
	// NotBefore is when the cloud accepts changes again after a refusal; zero if no refusal is
	// known. Until then a driver only reads: the refused change may already have been done. It
	// returns nil if so, ErrPending while the change is under way, and otherwise a RetryError.
	NotBefore time.Time `json:"notBefore,omitzero"`
	// ReadOnly says that the driver must change nothing, and BeforeWrite fails: the lane is
	// InPlace, and the node is not drained. A driver returns nil if every resource is in the
	// desired state, and otherwise ErrDiffers.
	ReadOnly bool `json:"readOnly,omitempty"`
	// BeforeWrite must be called, and must have returned nil, before the first request that changes
	// the cloud. After an error the driver sends nothing and returns the error. Later calls return
	// the same. An [Executor] sets it. If the driver does not declare ReadsFirst, it does nothing.
	BeforeWrite func(ctx context.Context) error `json:"-"`
	// Tell reports facts for people that are not failures: that a change of the class is not applied
	// to the machine, or that a resource keeps a value that is left to others. It must not
	// quote values of the provider spec. An [Executor] makes it the event HotUpdateNotApplied. Nil
	// reports nothing.
	Tell func(message string) `json:"-"`
	// TellClass reports, as Tell does, what concerns every machine of the class, such as a key of its
	// infrastructure tags that no update sets. An [Executor] makes an event of each message once for each
	// content of the class, at the first machine that is updated. Nil reports nothing.
	TellClass func(message string) `json:"-"`
	// OtherWriter reports a key that the update overwrites on a resource, although the flow has
	// applied it before with the value that it writes now: another writer, such as a policy of the
	// cloud, has changed it. The resource is a text for people, such as "vm i-1". The live value
	// tells reports apart and is never shown. An [Executor] makes the event HotUpdateOtherWriter of
	// what it has not reported yet. It sets OtherWriter only for confirmations and verifications,
	// when reads have caught up since the last success. Nil reports nothing.
	OtherWriter func(resource, key, live string) `json:"-"`
}

// Part holds the known and the desired state of the resources of one kind. A driver reads only
// fields that concern the kind.
type Part struct {
	Kind    string  `json:"kind"`
	Applied HotSpec `json:"applied,omitempty"` // the hot part of the last success; empty if none is known
	// Attempted are hot parts that may be live, or become live, instead of Applied: the parts sent
	// since, and the part applied before an unconfirmed success. They are merged into as few parts
	// as can hold all their leaves. The first is {} if something was to be removed. Any combination
	// of leaves of Applied and Attempted may be live.
	Attempted []HotSpec `json:"attempted,omitempty"`
	// Desired is the hot part that the resources should have: the hot part of the class, unless the
	// record is full.
	Desired HotSpec `json:"desired"`
}

// Format prints the names of machine and class and the provider ID, for every verb. It prints
// neither secret nor spec.
func (r *UpdateMachineRequest) Format(f fmt.State, _ rune) {
	// A Formatter cannot return an error.
	_, _ = fmt.Fprintf(f, "update of machine %s (%s) of class %s", r.Machine, r.ProviderID, r.Class.meta().GetName())
}

// HotSpec is the hot part of a provider spec: the Hot fields in canonical JSON, as
// [hotupdate.Schema.PartDocument] writes them. The empty string means that no hot part is known, as
// before the first success. {} is the hot part of a provider spec without Hot fields: applying it
// removes everything that is owned.
//
// Printing it shows only its length, since it may be secret. Convert it to a string to read it.
type HotSpec string

// Format prints the length, for every verb.
func (h HotSpec) Format(f fmt.State, _ rune) {
	// A Formatter cannot return an error.
	_, _ = io.WriteString(f, "hot part of "+strconv.Itoa(len(h))+" bytes")
}
