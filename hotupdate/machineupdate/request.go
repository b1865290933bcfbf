package machineupdate

import (
	"fmt"
	"slices"
)

// UpdateMachineRequest is what a driver is asked for: to bring the resources of a machine from whatever may be live to what is desired.
//
// A driver projects Applied, every one of Attempted, and Desired alike to the infrastructure tags of each of its resources, adds what
// AttemptedAmong recognises among the live ones to the attempted, and hands them to [tags.Rules.Plan].
//
// It returns nil if every resource is as desired, ErrUnimplemented if it cannot update at all and has sent nothing, ErrNotFound if the VM
// is gone, a [*PartialError] if some resources were updated, whatever the cause is, and anything else if none was or nobody knows. It
// sends nothing after the context is done.
//
// It may be called at any time, also while requests of an earlier call are still under way. Each call begins anew: what an earlier one that
// failed has done counts for nothing. So a driver repeats what the cloud throttles, with growing delays, as long as the context lasts, and
// does not give up at the first refusal.
type UpdateMachineRequest struct {
	Machine    string // its name
	ProviderID string
	// Class is the class. Its provider spec holds mandatory infrastructure tags, regions and whatever else a driver needs; of what is Hot in
	// it, Desired counts.
	Class MachineClass
	// Secret is the data of the class's secret.
	Secret map[string][]byte

	// Applied is the hot part of the last success, empty if none is known.
	Applied Hot
	// Attempted are hot parts that may be live, or become live, beside Applied.
	Attempted []Hot
	// Attempts are the leaves of further ones that were too long to be kept, as digests. See AttemptedAmong.
	Attempts []Digest
	// Desired is the hot part that the machine should have. It is that of the class, except where the record is full.
	Desired Hot
}

// AttemptedAmong returns those entries of live whose digests are among the attempts, if they stand in hot parts as members of the object at
// path, such as "tags", "vm". It returns nil if there are none.
func (r *UpdateMachineRequest) AttemptedAmong(live map[string]string, path ...string) map[string]string {
	if len(r.Attempts) == 0 {
		return nil
	}
	var found map[string]string
	for key, value := range live {
		if !slices.Contains(r.Attempts, DigestOf(value, append(slices.Clip(path), key)...)) {
			continue
		}
		if found == nil {
			found = map[string]string{}
		}
		found[key] = value
	}
	return found
}

// Format prints the names of machine and class and the provider ID, for every verb, and neither secret nor spec.
func (r *UpdateMachineRequest) Format(f fmt.State, _ rune) {
	// A formatter has nobody to tell that writing failed; fmt does not either.
	_, _ = fmt.Fprintf(f, "update of machine %s (%s) of class %s", r.Machine, r.ProviderID, r.Class.Name)
}
