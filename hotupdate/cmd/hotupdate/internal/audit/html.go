package audit

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
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
	hashedDifferently: page.Replace,
}

// maxRows bounds the listed pools of a page, so that a browser shows it without delay.
const maxRows = 5000

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
			"All": r.bar(), "Accounting": strings.Split(r.Accounting(), "\n"),
			"Verdicts": Verdicts(), "Sections": r.sections(v, append(Dimensions(), ByCause)...),
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

// bar is the bar of all pools.
func (r *Report) bar() page.Bar {
	bar := page.Bar{Label: "pools"}
	for _, v := range Verdicts() {
		bar.Parts = append(bar.Parts, page.Part{Name: string(v), Tone: tones[v], Count: r.Verdicts[v].Pools})
	}
	return bar
}
