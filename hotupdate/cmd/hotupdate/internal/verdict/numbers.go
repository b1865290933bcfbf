package verdict

import (
	"fmt"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Numbers count the machines that a change of the number of machines adds and deletes. The zero value
// says that they are not known.
type Numbers struct {
	// DeletedAtLeast are the machines that are deleted for sure, and DeletedAtMost those that may be.
	DeletedAtLeast, DeletedAtMost int
	// AddedAtMost are the machines that are added at most, at once or by the cluster autoscaler.
	AddedAtMost int
}

// Touched is the number of machines that are added or deleted, at most.
func (n Numbers) Touched() int { return n.DeletedAtMost + n.AddedAtMost }

// Of is the number of machines that a verdict on their number is about: those that are deleted, or those that are
// added, at most.
func (n Numbers) Of(v Verdict) int {
	if v == MachinesAdded {
		return n.AddedAtMost
	}
	return n.DeletedAtMost
}

// Consequence says in a clause for people what a verdict on the number of machines means.
func (n Numbers) Consequence(v Verdict) string {
	switch v {
	case MachinesAdded:
		return upTo(n.AddedAtMost, "is", "are") + " added, and none is deleted or replaced"
	case MachinesMayBeDeleted:
		return upTo(n.DeletedAtMost, "may be", "may be") + " deleted"
	case AllMachinesMayBeDeleted:
		return "the pool keeps no machine: " + upTo(n.DeletedAtMost, "is", "are") + " deleted"
	case MachinesDeleted:
		return n.deleted()
	case None, BecomesReadable, Added, HotUpdate, InPlaceUpdate, Unreadable, Indeterminate, ClassRenamed, Roll,
		Forbidden, PoolRenamed, Removed:
	}
	return ""
}

// upTo names machines, at most, with a verb for one and for several. A number of 0 is not known.
func upTo(most int, one, several string) string {
	switch most {
	case 0:
		return "machines " + several
	case 1:
		return "up to 1 machine " + one
	}
	return "up to " + plaintext.Thousands(most) + " machines " + several
}

// deleted says how many machines are deleted for sure.
func (n Numbers) deleted() string {
	const done = " deleted"
	least := plaintext.Thousands(n.DeletedAtLeast)
	most := plaintext.Thousands(n.DeletedAtMost)
	switch {
	case n.DeletedAtLeast == 0:
		return "machines are" + done
	case n.DeletedAtMost == 1:
		return "1 machine is" + done
	case least == most:
		return least + " machines are" + done
	}
	return fmt.Sprintf("at least %s and up to %s machines are%s", least, most, done)
}
