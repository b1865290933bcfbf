package machineupdate

import (
	"fmt"
	"slices"
)

// UpdateMachineRequest asks a driver to bring the resources of a machine from whatever may be live to what is desired.
//
// A driver projects Applied, each of Attempted, and Desired alike to the infrastructure tags of each of its resources. To the attempted ones it
// adds the live ones that AttemptedAmong recognises, and passes all to [tags.Rules.Plan].
//
// It returns nil if every resource is as desired, ErrUnimplemented if it cannot update at all and has sent nothing, ErrNotFound if the VM
// is gone, a [*PartialError] if some resources were updated, whatever the cause, and another error if none was or it does not know. It
// sends nothing after the context is done.
//
// It may be called at any time, also while requests of an earlier call are still under way. Each call begins anew and repeats what an earlier,
// failed one did. So a driver retries calls that the cloud throttles, with growing delays, as long as the context lasts.
type UpdateMachineRequest struct {
	Machine    string // its name
	ProviderID string
	// Class has the provider spec with mandatory infrastructure tags, regions and whatever else a driver needs. For Hot fields use Desired
	// instead.
	Class  MachineClass
	Secret map[string][]byte // the data of the class's secret

	Applied Hot // the hot part of the last success, empty if none is known
	// Attempted are hot parts that may be live, or become live, beside Applied.
	Attempted []Hot
	// Attempts are digests of the leaves of attempts that were too long to be recorded in full. See AttemptedAmong.
	Attempts []Digest
	// Desired is the hot part that the machine should have. It is that of the class, except where the record is full.
	Desired Hot
}

// AttemptedAmong returns those entries of live whose digests are in Attempts, nil if there are none. Path is where hot parts have them: the
// object "tags", "vm", for example.
func (r *UpdateMachineRequest) AttemptedAmong(live map[string]string, path ...string) map[string]string {
	if len(r.Attempts) == 0 {
		return nil
	}
	var found map[string]string
	for key, value := range live {
		if slices.Contains(r.Attempts, DigestOf(value, append(slices.Clip(path), key)...)) {
			if found == nil {
				found = map[string]string{}
			}
			found[key] = value
		}
	}
	return found
}

// Format prints the names of machine and class and the provider ID, for every verb, and neither secret nor spec.
func (r *UpdateMachineRequest) Format(f fmt.State, _ rune) {
	// A Formatter cannot return an error.
	_, _ = fmt.Fprintf(f, "update of machine %s (%s) of class %s", r.Machine, r.ProviderID, r.Class.Name)
}
