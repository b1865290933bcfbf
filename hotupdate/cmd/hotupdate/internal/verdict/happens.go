package verdict

import "github.com/hotupdate/providerconfig/internal/plaintext"

// happens has what happens to one subject, such as a pool, and to several.
var happens = map[Verdict][2]string{
	None:                    {"keeps its machines", "keep their machines"},
	HotUpdate:               {"is updated without a drain", "are updated without a drain"},
	MachinesAdded:           {"gets machines", "get machines"},
	Added:                   {"is added", "are added"},
	InPlaceUpdate:           {"is drained and updated in place", "are drained and updated in place"},
	MachinesMayBeDeleted:    {"may lose machines", "may lose machines"},
	Indeterminate:           {"is not decided", "are not decided"},
	Roll:                    {"rolls", "roll"},
	AllMachinesMayBeDeleted: {"may lose all machines", "may lose all machines"},
	MachinesDeleted:         {"loses machines", "lose machines"},
	Forbidden:               {"is refused", "are refused"},
	PoolRenamed:             {"is renamed", "are renamed"},
	Removed:                 {"is removed", "are removed"},
}

// Happens says in a clause what happens to a number of subjects under a verdict on a change: 42 pools roll. The
// verdicts on releases have no such clause.
func (v Verdict) Happens(count int, noun string) string {
	if count == 1 {
		return "1 " + noun + " " + happens[v][0]
	}
	return plaintext.Thousands(count) + " " + noun + "s " + happens[v][1]
}

// IsSilent reports whether a change needs no warning: no machine is touched, or machines are only
// added.
func (v Verdict) IsSilent() bool { return v == None || v == MachinesAdded || v == Added }
