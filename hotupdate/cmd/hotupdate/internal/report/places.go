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

// notice is what a report says about a line of a file: a change that decides a verdict, or a verdict
// that no change of the file decides alone.
type notice struct {
	place   pool.Place // without a file if it is not known
	word    string     // the verdict or state
	subject string     // such as pool a of Shoot garden-dev/web
	text    string
	// accepted says why people accept the verdict; empty if they do not.
	accepted string
}

// notices returns what a report says, the gravest first, without what touches no machine.
func (r *Report) notices() (all []notice) {
	for i := range r.Manifests {
		all = append(all, r.Manifests[i].notices()...)
	}
	slices.SortStableFunc(all, func(a, b notice) int {
		return verdict.CompareWords(a.word, b.word)
	})
	return all
}

// causes returns the notices without repetition: one that concerns several pools is at the first of them.
func (r *Report) causes() (all []notice) {
	type cause struct{ word, text, accepted string }
	at := map[cause]int{}
	more := map[int]int{}
	for _, n := range r.notices() {
		key := cause{n.word, n.text, n.accepted}
		i, isKnown := at[key]
		if !isKnown {
			at[key] = len(all)
			all = append(all, n)
			continue
		}
		more[i]++
	}
	for i, count := range more {
		all[i].subject += " and " + plaintext.Thousands(count) + " more"
	}
	return all
}

func (m *ManifestReport) notices() (all []notice) {
	config := ""
	if !m.isBare() {
		config = configField
	}
	if len(m.Pools) == 0 && m.Verdict != none && len(m.Changes) == 0 {
		all = append(all, notice{
			place: m.at(0, 0), word: m.Verdict, subject: m.subject(""), text: "the manifest is " + m.State,
		})
	}
	for i := range m.Changes {
		if c := &m.Changes[i]; c.Verdict != none {
			all = append(all, m.noticeOf(c, m.subject(""), c.Verdict, config))
		}
	}
	for i := range all {
		all[i].accepted = m.Accepted
	}
	for i := range m.Pools {
		p := &m.Pools[i]
		if p.Verdict == none {
			continue
		}
		all = append(all, m.noticesOf(p, config)...)
	}
	return all
}

// noticesOf returns a notice for each change of a pool that decides, and one for a verdict that no change
// decides alone.
func (m *ManifestReport) noticesOf(p *PoolReport, config string) (all []notice) {
	subject := m.subject(p.Name)
	for _, word := range append([]string{p.Verdict}, p.Also...) {
		decided := false
		for j := range p.Changes {
			if c := &p.Changes[j]; c.Decides && c.Verdict == word {
				decided = true
				all = append(all, m.noticeOf(c, subject, word, config))
			}
		}
		if !decided {
			all = append(all, notice{
				place: m.at(p.OldLine, p.NewLine), word: word, subject: subject, text: p.Message,
			})
		}
	}
	for i := range all {
		all[i].accepted = p.Accepted
	}
	return all
}

// subject names a pool of the manifest, or the manifest.
func (m *ManifestReport) subject(pool string) string {
	title := cmp.Or(m.title(), "the provider config")
	if pool != "" {
		title = "pool " + pool + " of " + title
	}
	return plaintext.Shorten(title, 2*maxTitle, plaintext.Printable)
}

// noticeOf says what a change is: path, values and reason.
func (m *ManifestReport) noticeOf(c *ChangeReport, subject, word, config string) notice {
	why, _ := c.why(config)
	text := c.mark() + " " + shownPath(c.Path, plaintext.Printable) + " " +
		strings.Join(c.values(plaintext.Printable), " -> ") + ": " + plaintext.Printable(why)
	return notice{place: m.at(c.OldLine, c.NewLine), word: word, subject: subject, text: text}
}

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
