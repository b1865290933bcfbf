package machineupdate

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// UpdateMachineRequest asks a driver to bring the resources of a machine from whatever may be live to what is desired.
//
// For each of the Parts a driver projects Applied, each of Attempted, and Desired alike to the infrastructure tags of each resource of the kind,
// and passes them to [tags.Rules.Plan].
//
// It returns nil if every resource is as desired, ErrPending if a change is under way that the cloud has accepted, or if it does not know what
// will become of a resource, ErrUnimplemented if it cannot update at all and has sent nothing, ErrNotFound if the VM is gone, a [*RetryError] if the
// cloud says when it takes the change, a [*PartialError] if some resources were updated, whatever the cause, and another error if none was or it
// does not know. It sends nothing after the context is done.
//
// It may be called at any time, also while requests of an earlier call are still under way. Each call begins anew and repeats what an earlier,
// failed one did not do. So a driver retries calls that the cloud throttles, with growing delays, as long as the context lasts. Package
// driver does all this for one that says what its spec means and how its cloud is called.
type UpdateMachineRequest struct {
	Machine    string // its name
	ProviderID string
	// Class has the provider spec with mandatory infrastructure tags, regions and whatever else a driver needs. For Hot fields use the Parts
	// instead.
	Class  MachineClass
	Secret map[string][]byte // the data of the class's secret
	Object metav1.Object     // the machine as the caller has it; that of the class is in Class
	Lane   string            // the name of the [Lane]; empty for the first one
	Parts  []Part            // one for each kind of the lane, with the leaves of the lane
	// NotBefore is when the cloud takes changes again that it refused; zero if it is not known to refuse any. Until then a driver only reads: what
	// was refused may have been done already. It returns nil if so, ErrPending while it is being done, and else a RetryError.
	NotBefore time.Time
	// ReadOnly says that the driver must change nothing, and BeforeWrite fails: the lane is InPlace, and the node is not drained. A driver returns nil
	// if every resource is as desired, and ErrDiffers if one is not.
	ReadOnly bool
	// BeforeWrite must be called, and must have returned nil, before the first request that changes the cloud. After an error the driver sends
	// nothing and returns the error. Later calls return the same. An [Executor] sets it; where the driver does not declare ReadsFirst it does
	// nothing.
	BeforeWrite func(ctx context.Context) error
}

// Part is what is known and wanted of the resources of one kind. A driver reads of it what concerns the kind.
type Part struct {
	Kind    string
	Applied Hot // the hot part of the last success; empty if none is known
	// Attempted are hot parts that may be live, or become live, beside Applied: those sent since, and the one applied before a success that is
	// not confirmed. They are laid out as the fewest that together have all their leaves. The first is [Nothing] if something was to be removed.
	Attempted []Hot
	// Desired is the hot part that the resources should have. It is that of the class, except where the record is full.
	Desired Hot
}

// Format prints the names of machine and class and the provider ID, for every verb, and neither secret nor spec.
func (r *UpdateMachineRequest) Format(f fmt.State, _ rune) {
	// A Formatter cannot return an error.
	_, _ = fmt.Fprintf(f, "update of machine %s (%s) of class %s", r.Machine, r.ProviderID, r.Class.Name)
}

// Hot is the hot part of a provider spec: the Hot fields in canonical JSON, as [hotupdate.Schema.HotDocument] writes them. The empty string
// means that no hot part is known, as before the first success.
//
// Printing it shows its length: it may be secret. Convert it to a string to read it.
type Hot string

// Nothing is the hot part of a provider spec without Hot fields. Applying it removes everything that is owned.
const Nothing Hot = "{}"

// Format prints the length, for every verb.
func (h Hot) Format(f fmt.State, _ rune) {
	// A Formatter cannot return an error.
	_, _ = io.WriteString(f, "hot part of "+strconv.Itoa(len(h))+" bytes")
}
