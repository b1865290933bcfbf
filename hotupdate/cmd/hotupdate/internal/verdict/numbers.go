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
	// AreOthersDeleted says that machines may be deleted even without the change.
	AreOthersDeleted bool
}

// Or returns numbers that hold if either of two does.
func (n Numbers) Or(other Numbers) Numbers {
	return Numbers{
		DeletedAtLeast: min(n.DeletedAtLeast, other.DeletedAtLeast),
		DeletedAtMost:  max(n.DeletedAtMost, other.DeletedAtMost), AddedAtMost: max(n.AddedAtMost, other.AddedAtMost),
		AreOthersDeleted: n.AreOthersDeleted || other.AreOthersDeleted,
	}
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
		return n.alone()
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

// Beside is [Numbers.Consequence] for a change that does something else to machines, too.
func (n Numbers) Beside(v Verdict) string {
	if v == MachinesAdded {
		return n.added()
	}
	return n.Consequence(v)
}

func (n Numbers) added() string { return upTo(n.AddedAtMost, "is", "are") + " added" }

// alone says that machines are added, and that nothing else happens if that is known.
func (n Numbers) alone() string {
	if n.AreOthersDeleted {
		return n.added()
	}
	return n.added() + ", and none is deleted or replaced"
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
