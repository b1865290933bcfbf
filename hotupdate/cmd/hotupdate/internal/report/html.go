package report

import (
	"cmp"
	_ "embed"
	"html/template"
	"io"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/page"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

//go:embed report.html
var content string

// HTML writes the report as one self-contained page for a browser: bars with the shares of pools and machines of each
// verdict, then every cause with its changes, their reasons, and a table of the pools that it concerns.
func HTML(out io.Writer, r *Report, shown Shown) error {
	s := viewOf(r, shown, append([]Dimension{ByCause}, Dimensions()...)...)
	s.addNotJudged(r.NotJudged)
	causes, _ := s.parts()
	w := textWriter{escape: plaintext.Printable}
	functions := template.FuncMap{
		"tone": ToneOf, "shown": plaintext.Printable, "lines": remarkLines,
		"title":  func(text string) string { return plaintext.Shorten(text, 2*maxTitle, plaintext.Printable) },
		"about":  w.about,
		"path":   func(text string) string { return shownPath(text, plaintext.Printable) },
		"parts":  func(s *section) []*section { shown, _ := s.parts(); return shown },
		"quiet":  func(s *section) []string { _, quiet := s.parts(); return quiet },
		"mark":   func(c ChangeReport) string { return c.mark() },
		"values": func(c ChangeReport) []string { return c.values(plaintext.Printable) },
		"origin": func(c ChangeReport) string { return c.origin() },
		"rows":   func(s *section) []subject { return s.Of[:min(len(s.Of), maxRows)] },
		"more":   func(s *section) int { return max(0, s.subjects()-min(len(s.Of), maxRows)) },
		"long":   func(s *section) bool { return len(s.Of) > maxPrinted },
		"changes": func(s *section) bool {
			return slices.ContainsFunc(s.Groups, func(g group) bool { return len(g.Changes) > 0 })
		},
		"many": func(s *section) bool { return s.subjects() > 1 },
		"versions": func(s *section) bool {
			return slices.ContainsFunc(s.Of, func(of subject) bool { return of.Version != "" })
		},
		"machines": func(s *section) bool {
			return slices.ContainsFunc(s.Of, func(of subject) bool { return of.Machines > 0 })
		},
		"place": shownPlaces,
	}
	title := "What the change does to machines"
	if r.Fleet != nil {
		title = "What the release does to machines"
	}
	return page.Write(out, page.Page{
		Title: title, Lead: s.Word + ": " + w.about(s), About: r.Compared.String(),
		Tone:   ToneOf(s.Word),
		Script: page.Tables, Template: content, Functions: functions, Content: map[string]any{
			"Bars": bars(r), "Section": s, "Long": len(causes) > maxPrinted,
		},
	})
}

// shownPlaces are the places of a subject.
func shownPlaces(s subject) string {
	if len(s.Places) == 0 {
		return ""
	}
	return plaintext.Printable(placesOf(s.Places))
}

// On paper, only the sums of causes, or of pools of a cause, are printed if there are more than
// maxPrinted. A cause lists at most maxRows pools.
const (
	maxPrinted = 20
	maxRows    = 2000
)

var tones = map[verdict.Verdict]page.Tone{
	verdict.None: page.Calm, verdict.BecomesReadable: page.Live, verdict.HotUpdate: page.Live,
	verdict.MachinesAdded: page.Add, verdict.Added: page.Add, verdict.MachinesMayBeDeleted: page.Move,
	verdict.InPlaceUpdate: page.Drain, verdict.ClassRenamed: page.Drain, verdict.Roll: page.Replace,
	verdict.Forbidden: page.Stop, verdict.MachinesDeleted: page.Delete, verdict.AllMachinesMayBeDeleted: page.Delete,
	verdict.PoolRenamed: page.Delete, verdict.Removed: page.Delete,
}

// ToneOf returns the colour of a verdict, in every output. Any other text has the tone of
// indeterminate.
func ToneOf(word string) page.Tone {
	v, _ := verdict.OfWord(word)
	return cmp.Or(tones[v], page.Unsure)
}

// bars returns a bar of the machines and a bar of the pools, by verdict. The bar of the machines
// stands for all machines of the pools; machines that no verdict touches count as none. It is
// missing if no number of machines is known.
func bars(r *Report) []page.Bar {
	machines := page.Bar{Label: "machines, at most"}
	pools := page.Bar{Label: r.noun() + "s"}
	touched := 0
	for _, c := range r.Sum {
		touched += c.Machines
		machines.Parts = append(machines.Parts, page.Part{Name: c.Verdict, Tone: ToneOf(c.Verdict), Count: c.Machines})
		pools.Parts = append(pools.Parts, page.Part{Name: c.Verdict, Tone: ToneOf(c.Verdict), Count: c.Pools})
	}
	if r.Machines == 0 {
		return []page.Bar{pools}
	}
	rest := page.Part{Name: "not touched", Tone: page.Calm, Count: max(0, r.Machines-touched)}
	machines.Parts = append(machines.Parts, rest)
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
