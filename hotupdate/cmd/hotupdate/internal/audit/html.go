package audit

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/page"
)

//go:embed audit.html
var content string

//go:embed audit.js
var script string

// tones are the colours of the verdicts.
var tones = map[Verdict]page.Tone{
	Rejected: page.Stop, Rolled: page.Replace, Renamed: page.Drain, Indeterminate: page.Unsure, Invalid: page.Unsure,
	Accepted: page.Live, Unchanged: page.Calm,
	differ: page.Replace,
}

// The limits of a page that a browser shows without delay.
const (
	maxBars = 20
	maxRows = 5000
)

// bars are the bars of one dimension.
type bars struct {
	Title  string
	Bars   []page.Bar
	Hidden int
}

// HTML writes the report as one page that needs no network.
func (r *Report) HTML(out io.Writer, v View) error {
	if v.ListLimit == 0 {
		v.ListLimit = maxRows
	}
	return page.Write(out, page.Page{
		Title: fmt.Sprintf("hotupdate audit: %s to %s", r.Old, r.New), Lead: r.Headline(), Tone: tones[r.Gravest()],
		Script: script, Template: content, Functions: template.FuncMap{
			"tone": func(cell string) page.Tone { return tones[Verdict(cell)] },
		},
		Content: map[string]any{
			"All": barOf("pools", r.Verdicts, Verdicts()), "Accounting": strings.Split(r.Accounting(), "\n"),
			"Verdicts": Verdicts(),
			"Groups":   r.groups(v), "Sections": r.sections(v),
		},
	})
}

// head is the beginning of a list, or all of it if the limit is 0.
func head[E any](list []E, limit int) []E {
	if limit <= 0 {
		return list
	}
	return list[:min(limit, len(list))]
}

// barOf is a bar of some verdicts.
func barOf(label string, counts Counts, verdicts []Verdict) page.Bar {
	bar := page.Bar{Label: label}
	for _, v := range verdicts {
		bar.Parts = append(bar.Parts, page.Part{Name: string(v), Tone: tones[v], Count: counts[v].Pools})
	}
	return bar
}

// groups are the bars by cause, by project and by minor.
func (r *Report) groups(v View) []bars {
	byCause := map[string]Counts{}
	for _, c := range r.shownCauses(v) {
		group(byCause, c.Text).add(c.Verdict, c.Count)
	}
	shown := slices.DeleteFunc(Verdicts(), func(verdict Verdict) bool { return !v.Shows(verdict) })
	return []bars{
		barsOf(ByCause, byCause, shown), barsOf(ByProject, r.Groups[ByProject], shown),
		barsOf(ByMinor, r.Groups[ByMinor], shown),
	}
}

// barsOf are the bars of the first groups. Their lengths are proportional to their counts: all but
// the longest end with a blank part.
func barsOf(d Dimension, groups map[string]Counts, shown []Verdict) bars {
	all, most := values(d, groups), 0
	b := bars{Title: "by " + string(d), Hidden: max(0, len(all)-maxBars)}
	all = head(all, maxBars)
	for _, value := range all {
		most = max(most, groups[value].Of(shown...).Pools)
	}
	for _, value := range all {
		bar := barOf(value, groups[value], shown)
		bar.Parts = append(bar.Parts, page.Part{Count: most - groups[value].Of(shown...).Pools})
		b.Bars = append(b.Bars, bar)
	}
	return b
}
