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

// maxRows bounds the listed pools of each verdict, so that a browser shows the page without delay.
const maxRows = 2000

// HTML writes the report as one page that needs no network.
func (r *Report) HTML(out io.Writer, v View) error {
	return page.Write(out, page.Page{
		Title: fmt.Sprintf("hotupdate audit: %s to %s", r.Old, r.New), Lead: r.Headline(), Tone: tones[r.Gravest()],
		Script: script, Template: content, Functions: template.FuncMap{
			"tone": func(cell string) page.Tone { return tones[Verdict(cell)] },
		},
		Content: map[string]any{
			"Accounting": strings.Split(r.Accounting(), "\n"),
			"Sections":   r.sections(v, maxRows, append(Dimensions(), ByCause)...),
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
