package main

import (
	"fmt"
	"strings"
)

// poolVerdict is what a release does to a pool that nobody touches.
type poolVerdict string

// The verdicts.
const (
	verdictRejected      poolVerdict = "rejected"      // the new release cannot read the config
	verdictRolled        poolVerdict = "rolled"        // machines are replaced
	verdictRenamed       poolVerdict = "renamed"       // the MachineClass gets another name, nodes are updated in place
	verdictIndeterminate poolVerdict = "indeterminate" // an era hashes by a function that is not known
	verdictInvalid       poolVerdict = "invalid"       // neither release can read the config
	verdictAccepted      poolVerdict = "accepted"      // only the new release can read the config
	verdictUnchanged     poolVerdict = "unchanged"     // nothing happens
)

// verdicts are ordered from the gravest on.
var verdicts = []poolVerdict{verdictRejected, verdictRolled, verdictRenamed, verdictIndeterminate, verdictInvalid, verdictAccepted, verdictUnchanged}

// auditReport is what audit writes in JSON.
type auditReport struct {
	FormatVersion int            `json:"formatVersion"`
	Old           string         `json:"old"`
	New           string         `json:"new"`
	Summary       auditSummary   `json:"summary"`
	Pools         []*auditedPool `json:"pools"`
	Unreadable    []string       `json:"unreadable"`
}

// auditSummary counts pools by verdict, and what was read beside them.
type auditSummary map[string]int

// The counters beside those of the verdicts.
const (
	countPools          = "pools"          // that have a verdict
	countOtherPools     = "otherPools"     // pools whose config is of another kind or provider
	countOtherDocuments = "otherDocuments" // documents that hold no pools
	countUnreadable     = "unreadable"     // documents that cannot be read
)

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
	Finding string `json:"finding,omitempty"` // the kind of a hotupdate.Finding
	Code    string `json:"code,omitempty"`    // the code of a fault.Error
	Text    string `json:"text"`
}

func newAuditReport(r *releases) *auditReport {
	summary := auditSummary{countPools: 0, countOtherPools: 0, countOtherDocuments: 0, countUnreadable: 0}
	for _, v := range verdicts {
		summary[string(v)] = 0
	}
	return &auditReport{listVersion, r.old.from, r.updated.from, summary, []*auditedPool{}, []string{}}
}

// add counts a pool, and lists it if something happens to it or if it is asked for.
func (r *auditReport) add(p *auditedPool, all bool) { //nolint:revive // the flag of the command line, as it is
	r.Summary[countPools]++
	r.Summary[string(p.Verdict)]++
	if all || p.Verdict != verdictUnchanged {
		r.Pools = append(r.Pools, p)
	}
}

// exitCode is 1 if a manifest could not be read, otherwise that of the gravest verdict if it is asked for.
func (r *auditReport) exitCode(asked bool) int {
	has := func(v poolVerdict) bool { return r.Summary[string(v)] > 0 }
	switch {
	case r.Summary[countUnreadable] > 0:
		return exitError
	case !asked:
		return exitOK
	case has(verdictRejected):
		return exitForbidden
	case has(verdictRolled), has(verdictRenamed):
		return exitRoll
	case has(verdictIndeterminate):
		return exitIndeterminate
	}
	return exitOK
}

// headline sums up in one line.
func (r *auditReport) headline() string {
	var parts []string
	for _, v := range verdicts {
		if n := r.Summary[string(v)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	text := counted(r.Summary[countPools], "pool")
	others, unreadable := r.Summary[countOtherPools], r.Summary[countUnreadable]
	switch {
	case len(parts) > 0:
		text += ": " + strings.Join(parts, ", ")
	case others+unreadable == 0:
		text += ": there is no Worker or Shoot with a worker pool in what was read"
	}
	if others > 0 {
		text += fmt.Sprintf("; %d of other providers", others)
	}
	if unreadable > 0 {
		text += "; " + counted(unreadable, "manifest") + " cannot be read"
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
	for _, p := range r.Pools {
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
	var rows [][]string
	for _, p := range r.Pools {
		var texts []string
		for _, because := range p.Reasons {
			texts = append(texts, code(because.Text))
		}
		rows = append(rows, []string{string(p.Verdict), code(p.name()), code(p.File), strings.Join(texts, "<br>")})
	}
	if len(rows) > 0 {
		fmt.Fprintln(&c.out)
		writeMarkdown(&c.out, []string{"verdict", "pool", "file", "because"}, rows)
	}
	if len(r.Unreadable) > 0 {
		fmt.Fprint(&c.out, "\nunreadable:\n\n")
	}
	for _, problem := range r.Unreadable {
		fmt.Fprintf(&c.out, "- %s\n", code(problem))
	}
}
