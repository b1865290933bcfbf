package report

import (
	"cmp"
	_ "embed"
	"html/template"
	"io"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/page"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

//go:embed report.html
var content string

// HTML writes the report as one self-contained page for a browser: the pools as bars by what happens to them, then every pool with its
// changes and why they do what they do.
func HTML(out io.Writer, r *Report) error {
	t, err := page.Template(content, template.FuncMap{
		"tone": toneOf, "shown": plaintext.Printable, "lines": remarkLines, "plural": plural,
		"name":    func(text string) string { return plaintext.Shorten(text, maxName, plaintext.Printable) },
		"path":    func(text string) string { return shownPath(text, plaintext.Printable) },
		"title":   func(m manifestView) string { return m.title(plaintext.Printable) },
		"summary": func(m manifestView) string { return m.summary() },
		"word":    func(p poolView) string { return p.word() },
		"facts":   func(p poolView) string { return p.facts(plaintext.Printable) },
		"mark":    func(c Change) string { return c.mark() },
		"values":  func(c Change) []string { return c.values(plaintext.Printable) },
		"origin":  func(c Change) string { return Origin(c.Origin, c.Source) },
		"quiet":   func(m manifestView) []string { return m.quiet() },
		"bars":    bars,
	})
	if err != nil {
		return err
	}
	v := viewOf(r)
	return page.Write(out, t, page.Page{Title: "What the change does to machines", Lead: v.lead(), Tone: toneOf(v.Verdict), Content: v})
}

// lead is the sentence about all.
func (v *view) lead() string {
	if len(v.Manifests) != 1 {
		return v.Verdict + ": " + v.summary()
	}
	m := &v.Manifests[0]
	if m.isBare() {
		return m.Pools[0].word() + ": " + plaintext.Printable(m.Pools[0].Message)
	}
	return v.Verdict + ": " + m.title(plaintext.Printable) + ": " + m.summary()
}

var tones = map[string]page.Tone{
	pool.None.String(): page.Calm, pool.Added.String(): page.Move, pool.Removed.String(): page.Move, pool.ComeOrGo.String(): page.Move,
	pool.HotUpdate.String(): page.Live, pool.InPlaceUpdate.String(): page.Drain, pool.Roll.String(): page.Replace, pool.Renamed.String(): page.Replace,
	pool.Forbidden.String(): page.Stop,
}

// toneOf is the colour of a verdict or state.
func toneOf(word string) page.Tone { return cmp.Or(tones[word], page.Unsure) }

// bars are the machines of all pools, and the pools, by what happens to them. Where no number of machines is known, there is no bar of them.
func bars(v *view) []page.Bar {
	machines, pools := page.Bar{Label: "machines, at most"}, page.Bar{Label: "worker pools"}
	known := 0
	for _, word := range words {
		inPools, count := 0, 0
		for _, m := range v.Manifests {
			for _, p := range m.Pools {
				if p.word() == word {
					inPools++
					count += max(p.Before.Maximum, p.After.Maximum)
				}
			}
		}
		known += count
		machines.Parts = append(machines.Parts, page.Part{Name: word, Tone: toneOf(word), Count: count})
		pools.Parts = append(pools.Parts, page.Part{Name: word, Tone: toneOf(word), Count: inPools})
	}
	if known == 0 {
		return []page.Bar{pools}
	}
	return []page.Bar{machines, pools}
}
