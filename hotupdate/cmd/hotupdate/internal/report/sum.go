package report

import (
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Summand has the numbers of pools with a verdict, and of the machines that the verdict is about, at
// most: the deleted ones of pools that only lose machines. A custom resource or a provider config counts as a pool.
type Summand struct {
	Verdict  string `json:"verdict"`
	Pools    int    `json:"pools"`
	Machines int    `json:"machines"`
	// Accepted is the number of the pools whose verdict people accept.
	Accepted int `json:"accepted,omitempty"`
}

// words lists the verdicts under which pools are counted, the gravest first.
var words = verdict.Words(verdict.OfPools())

// sumOf counts the pools of all manifests by verdict, the gravest first.
func sumOf(all []ManifestReport) []Summand {
	sum := []Summand{}
	for _, word := range words {
		s := Summand{Verdict: word}
		for i := range all {
			for j := range all[i].Pools {
				if p := &all[i].Pools[j]; p.Verdict == word {
					s.Pools++
					s.Machines += p.counted
					if p.Accepted != "" {
						s.Accepted++
					}
				}
			}
		}
		if s.Pools > 0 {
			sum = append(sum, s)
		}
	}
	return sum
}

// phrase says what happens to one pool, and to several.
type phrase struct{ one, several string }

var phrases = map[string]phrase{
	verdict.Removed.String():                 {"is removed", "are removed"},
	verdict.PoolRenamed.String():             {"is renamed", "are renamed"},
	verdict.Forbidden.String():               {"is forbidden", "are forbidden"},
	verdict.Roll.String():                    {"rolls", "roll"},
	verdict.Indeterminate.String():           {"is indeterminate", "are indeterminate"},
	verdict.InPlaceUpdate.String():           {"is updated in place", "are updated in place"},
	verdict.MachinesDeleted.String():         {"loses machines", "lose machines"},
	verdict.AllMachinesMayBeDeleted.String(): {"may lose all machines", "may lose all machines"},
	verdict.MachinesMayBeDeleted.String():    {"may lose machines", "may lose machines"},
	verdict.MachinesAdded.String():           {"gets more machines", "get more machines"},
	verdict.HotUpdate.String():               {"is updated hot", "are updated hot"},
	verdict.Added.String():                   {"is added", "are added"},
	verdict.None.String():                    {"is untouched", "are untouched"},
}

// sentence says in one line what happens to all pools: 2 pools roll (up to 45 machines), 1 is removed
// (up to 3 machines), 2,997 are untouched. It is empty for a provider config on its own.
func (r *Report) sentence() string {
	if len(r.Manifests) == 1 && r.Omitted == 0 && r.Manifests[0].isBare() {
		return ""
	}
	var parts []string
	for i, s := range r.Sum {
		text := plaintext.Thousands(s.Pools)
		if i == 0 {
			text += " " + plural(s.Pools, r.noun(), r.noun()+"s")
		}
		text += " " + plural(s.Pools, phrases[s.Verdict].one, phrases[s.Verdict].several)
		parts = append(parts, text+s.details())
	}
	if count := len(r.NotJudged); count > 0 {
		parts = append(parts, plaintext.Thousands(count)+plural(count, " object is", " objects are")+" not judged")
	}
	return strings.Join(parts, ", ")
}

// details are the machines of the pools and the accepted pools, in brackets, if there are any.
func (s *Summand) details() string {
	var details []string
	if s.Machines > 0 {
		details = append(details, "up to "+plaintext.Thousands(s.Machines)+plural(s.Machines, " machine", " machines"))
	}
	if s.Accepted > 0 {
		details = append(details, plaintext.Thousands(s.Accepted)+" accepted")
	}
	if len(details) == 0 {
		return ""
	}
	return " (" + strings.Join(details, ", ") + ")"
}

func plural(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
