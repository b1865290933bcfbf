package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// auditVersion is the version of audit's JSON.
const auditVersion = 1

// poolVerdict is what a release does to a pool that nobody touches.
type poolVerdict string

// The verdicts, from the gravest on.
const (
	verdictRejected      poolVerdict = "rejected"      // the new release cannot read the config
	verdictRolled        poolVerdict = "rolled"        // machines are replaced
	verdictRenamed       poolVerdict = "renamed"       // the MachineClass gets another name, nodes are updated in place
	verdictIndeterminate poolVerdict = "indeterminate" // an era hashes by a function that is not known
	verdictInvalid       poolVerdict = "invalid"       // neither release can read the config
	verdictAccepted      poolVerdict = "accepted"      // only the new release can read the config
	verdictKept          poolVerdict = "kept"          // nothing happens
	verdictOther         poolVerdict = "other"         // the config is of another kind
)

var verdicts = []poolVerdict{verdictRejected, verdictRolled, verdictRenamed, verdictIndeterminate, verdictInvalid, verdictAccepted, verdictKept, verdictOther}

// auditReport is what audit writes in JSON.
type auditReport struct {
	FormatVersion int           `json:"formatVersion"`
	Old           string        `json:"old"`
	New           string        `json:"new"`
	Summary       auditSummary  `json:"summary"`
	Pools         []auditedPool `json:"pools"`
	Unreadable    []string      `json:"unreadable"`
}

// auditSummary counts pools by verdict.
type auditSummary struct {
	Pools          int `json:"pools"`
	Rejected       int `json:"rejected"`
	Rolled         int `json:"rolled"`
	Renamed        int `json:"renamed"`
	Indeterminate  int `json:"indeterminate"`
	Invalid        int `json:"invalid"`
	Accepted       int `json:"accepted"`
	Kept           int `json:"kept"`
	OtherPools     int `json:"otherPools"`
	OtherDocuments int `json:"otherDocuments"`
	Unreadable     int `json:"unreadable"`
}

// auditedPool is one pool.
type auditedPool struct {
	File              string      `json:"file"`
	Namespace         string      `json:"namespace,omitempty"`
	Manifest          string      `json:"manifest"`
	Pool              string      `json:"pool"`
	KubernetesVersion string      `json:"kubernetesVersion,omitempty"`
	Strategy          string      `json:"strategy"`
	Verdict           poolVerdict `json:"verdict"`
	OldEra            string      `json:"oldEra,omitempty"`
	NewEra            string      `json:"newEra,omitempty"`
	OldHash           string      `json:"oldHash,omitempty"`
	NewHash           string      `json:"newHash,omitempty"`
	Reasons           []reason    `json:"reasons,omitempty"`
}

// reason is why a pool has its verdict.
type reason struct {
	Path    string `json:"path,omitempty"`
	Finding string `json:"finding,omitempty"` // a kind of hotupdate.Finding
	Code    string `json:"code,omitempty"`    // a code of hotupdate.Error
	Text    string `json:"text"`
}

func newAuditReport(r *releases) *auditReport {
	return &auditReport{FormatVersion: auditVersion, Old: r.old.from, New: r.updated.from, Pools: []auditedPool{}, Unreadable: []string{}}
}

// count is the counter of a verdict.
func (s *auditSummary) count(v poolVerdict) *int {
	switch v {
	case verdictRejected:
		return &s.Rejected
	case verdictRolled:
		return &s.Rolled
	case verdictRenamed:
		return &s.Renamed
	case verdictIndeterminate:
		return &s.Indeterminate
	case verdictInvalid:
		return &s.Invalid
	case verdictAccepted:
		return &s.Accepted
	case verdictOther:
		return &s.OtherPools
	case verdictKept:
	}
	return &s.Kept
}

// add counts a pool, and keeps it if something happens to it or if it is asked for.
func (r *auditReport) add(p *auditedPool, all bool) { //nolint:revive // the flag of the command line, as it is
	*r.Summary.count(p.Verdict)++
	if p.Verdict == verdictOther {
		return
	}
	r.Summary.Pools++
	if all || p.Verdict != verdictKept {
		r.Pools = append(r.Pools, *p)
	}
}

func (r *auditReport) unreadable(err error) {
	r.Summary.Unreadable++
	r.Unreadable = append(r.Unreadable, err.Error())
}

// order puts the gravest verdicts first; pools of one verdict stay in the order in which they were read.
func (r *auditReport) order() {
	slices.SortStableFunc(r.Pools, func(a, b auditedPool) int {
		return cmp.Compare(slices.Index(verdicts, a.Verdict), slices.Index(verdicts, b.Verdict))
	})
}

// exitCode is 1 if a manifest could not be read, otherwise that of the gravest verdict if it is asked for.
func (r *auditReport) exitCode(asked bool) int {
	switch s := r.Summary; {
	case s.Unreadable > 0:
		return exitError
	case !asked:
		return exitOK
	case s.Rejected > 0:
		return exitRejected
	case s.Rolled+s.Renamed > 0:
		return exitRoll
	case s.Indeterminate > 0:
		return exitIndeterminate
	}
	return exitOK
}

func (r *auditReport) write(c *call, as output) error {
	switch as {
	case textOutput:
		r.writeText(c)
	case markdownOutput:
		r.writeMarkdown(c)
	case jsonOutput:
		return writeJSON(c, r)
	}
	return nil
}

// headline sums up in one line.
func (r *auditReport) headline() string {
	var parts []string
	for _, v := range verdicts {
		if n := *r.Summary.count(v); n > 0 && v != verdictOther {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	text := fmt.Sprintf("%d pools: ", r.Summary.Pools)
	switch {
	case r.Summary.Pools == 1:
		text = "1 pool: "
	case r.Summary.Pools+r.Summary.OtherPools+r.Summary.Unreadable == 0:
		parts = []string{"there is no Worker or Shoot with a worker pool in what was read"}
	case r.Summary.Pools == 0:
		text = "0 pools"
	}
	text += strings.Join(parts, ", ")
	if r.Summary.OtherPools > 0 {
		text += fmt.Sprintf("; %d of other providers", r.Summary.OtherPools)
	}
	switch r.Summary.Unreadable {
	case 0:
	case 1:
		text += "; 1 manifest cannot be read"
	default:
		text += fmt.Sprintf("; %d manifests cannot be read", r.Summary.Unreadable)
	}
	return text
}

func (p *auditedPool) name() string {
	name := p.Manifest + ", pool " + p.Pool
	if p.Namespace != "" {
		name = p.Namespace + ": " + name
	}
	return name
}

func (r *auditReport) writeText(c *call) {
	fmt.Fprintln(&c.out, r.headline())
	for i := range r.Pools {
		p := &r.Pools[i]
		fmt.Fprintf(&c.out, "%-8s  %s  (%s)\n", p.Verdict, printable(p.name()), printable(p.File))
		for _, because := range p.Reasons {
			fmt.Fprintf(&c.out, "          %s\n", printable(because.Text))
		}
	}
	for _, problem := range r.Unreadable {
		for line := range strings.Lines(problem) {
			fmt.Fprintf(&c.out, "unreadable  %s\n", printable(strings.TrimSuffix(line, "\n")))
		}
	}
}

func (r *auditReport) writeMarkdown(c *call) {
	fmt.Fprintf(&c.out, "**%s**\n", r.headline())
	if len(r.Pools) > 0 {
		fmt.Fprint(&c.out, "\n| verdict | pool | file | because |\n| --- | --- | --- | --- |\n")
	}
	for i := range r.Pools {
		p := &r.Pools[i]
		var texts []string
		for _, because := range p.Reasons {
			texts = append(texts, code(because.Text))
		}
		fmt.Fprintf(&c.out, "| %s | %s | %s | %s |\n", p.Verdict, code(p.name()), code(p.File), strings.Join(texts, "<br>"))
	}
	if len(r.Unreadable) > 0 {
		fmt.Fprint(&c.out, "\nunreadable:\n\n")
	}
	for _, problem := range r.Unreadable {
		fmt.Fprintf(&c.out, "- %s\n", code(problem))
	}
}
