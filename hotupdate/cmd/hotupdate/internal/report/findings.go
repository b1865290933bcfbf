package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Findings are a report of plan or audit for programs that collect findings: one model, with a renderer for each
// format, such as [SARIF] and [JUnit].
type Findings struct {
	// Command is the command that found them, plan or audit.
	Command string
	// All are the findings, the gravest first, without those that touch no machine.
	All []Finding
	// NotJudged are the objects that were not judged.
	NotJudged []NotJudged
	// Warnings are about the call and the files. Assumptions are the assumptions behind the
	// verdicts.
	Warnings, Assumptions []string
}

// Finding is a result for a line of a file: a change that decides a verdict, or a verdict that no
// change of the file decides alone.
type Finding struct {
	Place   pool.Place // without a file if it is not known
	Verdict string
	Subject string // such as pool a of Shoot garden-dev/web
	Text    string
	// Accepted says why people accept the verdict; empty if they do not.
	Accepted string
}

// Findings returns the report as findings about lines of files.
func (r *Report) Findings() Findings {
	all := Findings{Command: r.Command, NotJudged: r.NotJudged, Warnings: slices.Clone(r.Warnings)}
	if r.Fleet != nil && r.Partial {
		all.Warnings = append(all.Warnings, "the audit was interrupted: the result is partial")
	}
	for i := range r.Manifests {
		all.All = append(all.All, r.Manifests[i].findings()...)
	}
	slices.SortStableFunc(all.All, func(a, b Finding) int { return verdict.CompareWords(a.Verdict, b.Verdict) })
	for _, a := range r.Assumptions {
		all.Assumptions = append(all.Assumptions, r.assumptionText(a))
	}
	return all
}

// Cause is a finding about one or several pools.
type Cause struct {
	Verdict string `json:"verdict"`

	Reason

	Accepted string `json:"accepted,omitempty"`
	Pools    int    `json:"pools"`
	// Machines is the number of machines of the pools that the verdict is about, at most. OldEra and NewEra
	// are in force for the minor. All are of audit.
	Machines int    `json:"machines,omitempty"`
	OldEra   string `json:"oldEra,omitempty"`
	NewEra   string `json:"newEra,omitempty"`
	Minor    string `json:"minor,omitempty"`
	// Samples are the first of the pools.
	Samples []Sample `json:"samples"`
}

// Sample is one of the pools of a cause, with its place if that is known.
type Sample struct {
	*pool.Place

	Pool string `json:"pool"`
}

// maxSamples bounds the samples of a cause.
const maxSamples = maxSubjects

// AddSample adds a pool to the samples, unless there are enough.
func (c *Cause) AddSample(samples ...Sample) {
	all := slices.Concat(c.Samples, samples)
	c.Samples = all[:min(len(all), maxSamples)]
}

// Causes returns the findings without repetition.
func (f *Findings) Causes() []Cause {
	type cause struct{ verdict, text, accepted string }
	at := map[cause]int{}
	last := map[int]Finding{}
	all := []Cause{}
	for _, found := range f.All {
		key := cause{found.Verdict, found.Text, found.Accepted}
		i, isKnown := at[key]
		if !isKnown {
			i = len(all)
			at[key] = i
			all = append(all, Cause{
				Verdict: found.Verdict, Reason: Reason{Text: found.Text}, Accepted: found.Accepted,
			})
		}
		one := &all[i]
		if isKnown && last[i] == found {
			continue // two of its fields have the same text
		}
		last[i] = found
		one.Pools++
		one.AddSample(Sample{placeOf(found.Place), found.Subject})
	}
	return all
}

func (m *ManifestReport) findings() (findings []Finding) {
	config := ""
	if !m.isBare() {
		config = configField
	}
	if len(m.Pools) == 0 && m.Verdict != none && len(m.Changes) == 0 {
		findings = append(findings, Finding{
			Place: m.at(0, 0), Verdict: m.Verdict, Subject: m.Subject(""), Text: "the manifest is " + m.State,
		})
	}
	forbidden := verdict.Forbidden.String()
	for i := range m.Changes {
		c := &m.Changes[i]
		happens := !m.isRefused && c.Verdict != none
		if happens || c.Verdict == forbidden {
			findings = append(findings, m.findingOf(c, m.Subject(""), c.Verdict, config))
		}
	}
	for i := range findings {
		findings[i].Accepted = m.Accepted
	}
	if m.isRefused { // what would happen otherwise is neither counted nor accepted, see [pool.Plan.Counted]
		return findings
	}
	for i := range m.Pools {
		p := &m.Pools[i]
		if p.Verdict == none {
			continue
		}
		findings = append(findings, m.findingsOf(p, config)...)
	}
	return findings
}

// findingsOf returns a finding for each reason of an audit, for each change of a pool that decides, and one for a
// verdict that no change decides alone.
func (m *ManifestReport) findingsOf(p *PoolReport, config string) (findings []Finding) {
	subject := m.Subject(p.Name)
	for _, reason := range p.Reasons {
		findings = append(findings, Finding{
			Place: m.at(p.OldLine, p.NewLine), Verdict: p.Verdict, Subject: subject, Text: reason.Text,
			Accepted: p.Accepted,
		})
	}
	if len(findings) > 0 {
		return findings
	}
	for _, word := range append([]string{p.Verdict}, p.Also...) {
		decided := false
		first := len(findings)
		for j := range p.Changes {
			if c := &p.Changes[j]; c.Decides && c.Verdict == word {
				decided = true
				findings = append(findings, m.findingOf(c, subject, word, config))
			}
		}
		if !decided {
			findings = append(findings, Finding{
				Place: m.at(p.OldLine, p.NewLine), Verdict: word, Subject: subject, Text: p.Message,
			})
		}
		for i := range findings[first:] {
			findings[first+i].Accepted = p.acceptedFor(word, m)
		}
	}
	return findings
}

// Subject names a pool of the manifest, or the manifest.
func (m *ManifestReport) Subject(pool string) string {
	title := cmp.Or(m.title(), "the provider config")
	if pool != "" {
		title = "pool " + pool + " of " + title
	}
	return plaintext.Shorten(title, 2*maxTitle, plaintext.Printable)
}

// findingOf describes a change by path, values and reason.
func (m *ManifestReport) findingOf(c *ChangeReport, subject, word, config string) Finding {
	why, _ := c.why(config)
	text := c.mark() + " " + shownPath(c.Path, plaintext.Printable) + " " +
		strings.Join(c.values(plaintext.Printable), " -> ") + ": " + plaintext.Printable(why)
	return Finding{Place: m.at(c.OldLine, c.NewLine), Verdict: word, Subject: subject, Text: text}
}

// PlaceOf returns the place of a pool of an audit: the place of its manifest.
func (m *ManifestReport) PlaceOf() *pool.Place { return placeOf(m.at(0, 0)) }

// at returns the place of a line: in the new file, or in the old one if the manifest is gone. No
// place is in standard input, which is not a file.
func (m *ManifestReport) at(oldLine, newLine int) pool.Place {
	place := m.NewPlace
	line := newLine
	if place == nil {
		place = m.OldPlace
		line = oldLine
	}
	if place == nil || place.File == manifest.StdinName {
		return pool.Place{}
	}
	return pool.Place{File: place.File, Line: cmp.Or(line, place.Line)}
}
