package report

import (
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Summand has the numbers of pools with a verdict. A custom resource or a provider config counts as a pool.
type Summand struct {
	Verdict string `json:"verdict"`

	Count
}

// Count is a number of pools, and the largest number of machines that the verdict on them concerns:
// for pools that only lose machines, the deleted machines. A refused change touches no machine.
type Count struct {
	Pools    int `json:"pools"`
	Machines int `json:"machines"`
	// Accepted is the number of the pools whose verdict people accept.
	Accepted int `json:"accepted,omitempty"`
}

// Plus returns the sum of two counts.
func (c Count) Plus(more Count) Count {
	return Count{c.Pools + more.Pools, c.Machines + more.Machines, c.Accepted + more.Accepted}
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

// Gravest returns the gravest verdict that people do not accept on all of its pools, or [verdict.None].
func (r *Report) Gravest() verdict.Verdict {
	for _, s := range r.Sum {
		if s.Pools > s.Accepted {
			v, _ := verdict.OfWord(s.Verdict)
			return v
		}
	}
	return verdict.None
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
