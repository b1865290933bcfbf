package audit

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// Writer takes the listed pools as they are judged, and the report after the last pool.
type Writer struct {
	Pool func(*JudgedPool) error
	End  func(*report.Report) error
}

// Whole writes the report at the end, with all listed pools.
func Whole(write func(*report.Report) error) *Writer {
	var pools []*JudgedPool
	return &Writer{func(p *JudgedPool) error {
		pools = append(pools, p)
		return nil
	}, func(r *report.Report) error {
		List(r, pools)
		return write(r)
	}}
}

// line is a line of a result in JSON lines. It has one of the three: an object with a pool, an object that is not
// judged or, in the last line, the report without the objects of the lines before it.
type line struct {
	*report.ManifestReport

	NotJudged *report.NotJudged `json:"notJudged,omitempty"`
	Report    *report.Report    `json:"report,omitempty"`
}

// JSONLines writes JSON lines: pools, objects that cannot be read, and finally the report.
func JSONLines(out io.Writer) *Writer {
	buffered := bufio.NewWriter(out)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	return &Writer{func(p *JudgedPool) error {
		one := p.alone()
		return encoder.Encode(line{ManifestReport: &one})
	}, func(r *report.Report) error {
		for i := range r.NotJudged {
			if err := encoder.Encode(line{NotJudged: &r.NotJudged[i]}); err != nil {
				return err
			}
		}
		rest := *r
		rest.Manifests = []report.ManifestReport{}
		rest.NotJudged = []report.NotJudged{}
		return errors.Join(encoder.Encode(line{Report: &rest}), buffered.Flush())
	}}
}

// CSV writes a table for spreadsheets. Objects that cannot be read, and assumptions, are rows without a pool.
func CSV(out io.Writer) *Writer {
	w := csv.NewWriter(out)
	_ = w.Write([]string{ // an error comes back with the next row
		"verdict", "project", "namespace", "kind", "name", "pool", "provider", "kubernetesVersion",
		"strategy", "minimum", "maximum",
		"oldEra", "newEra", "accepted", "file", "line", "because",
	})
	return &Writer{func(p *JudgedPool) error {
		of := p.Of
		place := cmp.Or(of.NewPlace, &pool.Place{})
		return writeRow(w,
			p.Verdict, of.Project, of.Namespace, of.Kind, of.Name, p.Name, of.Provider, p.KubernetesVersion,
			p.Strategy, strconv.Itoa(p.After.Minimum), strconv.Itoa(p.After.Maximum),
			p.OldEra, p.NewEra, p.Accepted, place.File, strconv.Itoa(place.Line),
			strings.Join(p.texts(), "\n"),
		)
	}, func(r *report.Report) error {
		for _, u := range r.NotJudged {
			if err := writeRow(w, "not-judged", "", "", "", "", "", "", "", "", "", "", "", "", "", u.File,
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

// texts are the texts of the reasons.
func (p *JudgedPool) texts() (texts []string) {
	for _, because := range p.Reasons {
		texts = append(texts, because.Text)
	}
	return texts
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
