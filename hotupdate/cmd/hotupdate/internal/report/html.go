package report

import (
	"cmp"
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/page"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

//go:embed report.html
var content string

// HTML writes the report as one self-contained page for a browser: bars with the number of pools of
// each verdict, then every pool with its changes and their reasons.
func HTML(out io.Writer, r *Report) error {
	s := viewOf(r)
	s.addNotJudged(r.NotJudged)
	lead := strings.TrimPrefix(s.Title+": "+s.Message, ": ")
	functions := template.FuncMap{
		"tone": toneOf, "shown": plaintext.Printable, "lines": remarkLines,
		"title":   func(text string) string { return plaintext.Shorten(text, maxTitle, plaintext.Printable) },
		"heading": func(s *section) string { return s.heading(plaintext.Printable) },
		"path":    func(text string) string { return shownPath(text, plaintext.Printable) },
		"parts":   func(s section) []*section { shown, _ := s.parts(); return shown },
		"quiet":   func(s section) []string { _, quiet := s.parts(); return quiet },
		"mark":    func(c ChangeReport) string { return c.mark() },
		"values":  func(c ChangeReport) []string { return c.values(plaintext.Printable) },
		"origin":  func(c ChangeReport) string { return c.origin() },
	}
	return page.Write(out, page.Page{
		Title: "What the change does to machines", Lead: s.Word + ": " + plaintext.Printable(lead),
		Tone:     toneOf(s.Word),
		Template: content, Functions: functions, Content: map[string]any{
			"Bars": bars(r), "Sentence": r.sentence(), "Section": *s, "Long": len(s.Sections) > maxPrinted,
		},
	})
}

// maxPrinted bounds the manifests or pools of a page that are printed on paper; of more, the sums are.
const maxPrinted = 20

var tones = map[string]page.Tone{
	verdict.None.String(): page.Calm, verdict.HotUpdate.String(): page.Live, verdict.MachinesAdded.String(): page.Add,
	verdict.MachinesMayBeDeleted.String(): page.Move, verdict.AllMachinesMayBeDeleted.String(): page.Delete,
	verdict.MachinesDeleted.String(): page.Delete,
	verdict.Added.String():           page.Add,
	verdict.InPlaceUpdate.String():   page.Drain,
	verdict.Roll.String():            page.Replace,
	verdict.Forbidden.String():       page.Stop, verdict.Removed.String(): page.Delete,
	verdict.PoolRenamed.String(): page.Delete,
}

// toneOf returns the colour of a verdict or state.
func toneOf(word string) page.Tone { return cmp.Or(tones[word], page.Unsure) }

// bars returns a bar of the machines and a bar of the pools, by verdict or state. Without known
// machines, there is no bar of machines.
func bars(r *Report) []page.Bar {
	machines := page.Bar{Label: "machines, at most"}
	pools := page.Bar{Label: r.noun() + "s"}
	known := 0
	for _, c := range r.Sum {
		known += c.Machines
		machines.Parts = append(machines.Parts, page.Part{Name: c.Verdict, Tone: toneOf(c.Verdict), Count: c.Machines})
		pools.Parts = append(pools.Parts, page.Part{Name: c.Verdict, Tone: toneOf(c.Verdict), Count: c.Pools})
	}
	if known == 0 {
		return []page.Bar{pools}
	}
	return []page.Bar{machines, pools}
}

// gravestFirst orders the sections by their verdicts, and the sections in them likewise.
func (s *section) gravestFirst() {
	slices.SortStableFunc(s.Sections,
		func(a, b section) int { return verdict.CompareWords(a.Word, b.Word) })
	for i := range s.Sections {
		s.Sections[i].gravestFirst()
	}
}
