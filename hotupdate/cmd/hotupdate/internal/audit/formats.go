package audit

import (
	"bufio"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/page"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Writer takes the listed pools as they are judged, and the report after the last pool.
type Writer struct {
	Pool func(*JudgedPool) error
	End  func(*Report) error
}

// Whole writes the report at the end, with all listed pools.
func Whole(write func(*Report) error) *Writer {
	var pools []*JudgedPool
	return &Writer{func(p *JudgedPool) error {
		pools = append(pools, p)
		return nil
	}, func(r *Report) error {
		r.List(pools)
		return write(r)
	}}
}

// line is a line of a result in JSON lines. It has one of the three; the last line has the report,
// without the objects of the lines before it.
type line struct {
	*JudgedPool

	Unreadable *Unreadable `json:"notJudged,omitempty"`
	Report     *Report     `json:"report,omitempty"`
}

// JSONLines writes JSON lines: pools, objects that cannot be read, and finally the report.
func JSONLines(out io.Writer) *Writer {
	buffered := bufio.NewWriter(out)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	return &Writer{func(p *JudgedPool) error { return encoder.Encode(line{JudgedPool: p}) }, func(r *Report) error {
		for i := range r.Unreadable {
			if err := encoder.Encode(line{Unreadable: &r.Unreadable[i]}); err != nil {
				return err
			}
		}
		rest := *r
		rest.Pools = []*JudgedPool{}
		rest.Unreadable = []Unreadable{}
		return errors.Join(encoder.Encode(line{Report: &rest}), buffered.Flush())
	}}
}

// CSV writes a table for spreadsheets. Objects that cannot be read, and assumptions, are rows without a pool.
func CSV(out io.Writer) *Writer {
	w := csv.NewWriter(out)
	_ = w.Write([]string{ // an error comes back with the next row
		"verdict", "project", "namespace", "kind", "name", "pool", "provider", "kubernetesVersion",
		"strategy", "minimum", "maximum",
		"oldEra", "newEra", "known", "file", "line", "because",
	})
	return &Writer{func(p *JudgedPool) error {
		return writeRow(w,
			p.Verdict, p.Project, p.Namespace, p.Kind, p.Name, p.Pool, p.Provider, p.KubernetesVersion,
			p.Strategy, strconv.Itoa(p.Minimum), strconv.Itoa(p.Maximum),
			p.OldEra, p.NewEra, p.Known, p.File, strconv.Itoa(p.Line), strings.Join(p.texts(), "\n"),
		)
	}, func(r *Report) error {
		for _, u := range r.Unreadable {
			if err := writeRow(w, "unreadable", "", "", "", "", "", "", "", "", "", "", "", "", "", u.File,
				strconv.Itoa(u.Line), u.Text); err != nil {
				return err
			}
		}
		for _, a := range r.Assumptions {
			if err := writeRow(w, string(verdict.Assumes), "", "", "", "", "", "", "", "", "", "", "", "", "", "", "",
				a.String()); err != nil {
				return err
			}
		}
		w.Flush()
		return w.Error()
	}}
}

// writeRow writes a row of texts. A spreadsheet reads a text that begins with one of these
// characters as a formula.
func writeRow(w *csv.Writer, cells ...string) error {
	for i, cell := range cells {
		if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			cells[i] = "'" + cell
		}
	}
	return w.Write(cells)
}

// Text writes the report for a terminal.
func (r *Report) Text(out io.Writer, v View) error {
	_, err := fmt.Fprintf(out, "%s\n\n%s\n%s\n", r.Headline(), r.tables(v), r.Accounting())
	return err
}

// maxMarkdown bounds the Markdown without the headline, in bytes, so that it fits into a comment of
// a pull request.
const maxMarkdown = 64_000

// Markdown writes the report for a comment of a pull request: the text as code. It counts the lines
// that do not fit.
func (r *Report) Markdown(out io.Writer, v View) error {
	code := plaintext.CodeBlock(r.Accounting()+"\n\n"+r.tables(v), maxMarkdown)
	_, err := fmt.Fprintf(out, "**%s**\n\n%s", r.Headline(), code)
	return err
}

// tables writes the sections as text.
func (r *Report) tables(v View) string {
	var all []string
	for _, s := range r.sections(v, 0, v.By) {
		all = append(all, s.text())
	}
	return strings.Join(all, "\n")
}

// text writes the title and the rows. Notes are below the last cell of their row.
func (s *section) text() string {
	text := ""
	last := len(s.Header) - 1
	if s.Title != "" {
		text = s.Title + ":\n"
	}
	rows := [][]string{s.Header}
	for _, one := range s.Rows {
		rows = append(rows, one[:last+1])
		for _, note := range one[last+1:] {
			rows = append(rows, append(make([]string, last), "  "+note))
		}
	}
	text += plaintext.Table(rows)
	if s.Hidden > 0 {
		text += fmt.Sprintf("and %d more; --limit 0 shows all\n", s.Hidden)
	}
	return text
}

//go:embed audit.html
var content string

// toneOf is the colour of a cell, if it has a verdict.
func toneOf(cell string) page.Tone {
	if cell == hashedDifferently {
		return page.Replace
	}
	if _, isVerdict := verdict.OfWord(cell); isVerdict {
		return report.ToneOf(cell)
	}
	return ""
}

// maxRows bounds the listed pools of each verdict, so that a browser shows the page without delay.
const maxRows = 2000

// HTML writes the report as one page that needs no network.
func (r *Report) HTML(out io.Writer, v View) error {
	return page.Write(out, page.Page{
		Title: fmt.Sprintf("hotupdate audit: %s to %s", r.Compared.Old, r.Compared.New), Lead: r.Headline(),
		About:  report.Compared{Version: r.Compared.Version, At: r.Compared.At}.String(),
		Tone:   toneOf(r.Gravest().String()),
		Script: page.Tables, Template: content, Functions: template.FuncMap{
			"tone": toneOf,
		},
		Content: map[string]any{
			"Accounting": strings.Split(r.Accounting(), "\n"),
			"Sections":   r.sections(v, maxRows, append([]Dimension{ByCause}, Dimensions()...)...),
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

// Findings returns what the report says about the listed pools, in the model of plan.
func (r *Report) Findings() report.Findings {
	all := report.Findings{Command: "audit", Warnings: slices.Clone(r.Remarks)}
	for _, p := range r.Pools {
		if p.Verdict == unchanged {
			continue
		}
		for _, text := range p.texts() {
			all.All = append(all.All, report.Finding{
				Place: placeOf(p.Place), Verdict: p.Verdict, Subject: p.Title(), Text: text, Accepted: p.Known,
			})
		}
	}
	report.Sort(all.All)
	if r.Partial {
		all.Warnings = append(all.Warnings, "the audit was interrupted: the result is partial")
	}
	for _, u := range r.Unreadable {
		all.NotJudged = append(all.NotJudged, report.NotJudged{Place: placeOf(u.Place), Text: u.Text})
	}
	for _, a := range r.Assumptions {
		all.Assumptions = append(all.Assumptions, a.String())
	}
	return all
}

// placeOf is a place in a file, which standard input is not.
func placeOf(at manifest.Place) pool.Place {
	if at.File == manifest.StdinName {
		return pool.Place{}
	}
	return pool.Place{File: at.File, Line: at.Line}
}
