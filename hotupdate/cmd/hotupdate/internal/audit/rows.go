package audit

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// Rows writes pools as they are judged, a line each.
type Rows interface {
	Pool(p *Pool) error
	// End writes what follows the last pool.
	End(r *Report) error
}

// line is a line of a result in JSON lines. It holds one of the three; the last line holds the report without what stands in lines before it.
type line struct {
	*Pool

	Unreadable *Unreadable `json:"unreadable,omitempty"`
	Report     *Report     `json:"report,omitempty"`
}

type jsonLines struct{ *json.Encoder }

// JSONLines writes JSON lines: pools, objects that cannot be read, and at last the report.
func JSONLines(out io.Writer) Rows {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return jsonLines{encoder}
}

func (w jsonLines) Pool(p *Pool) error { return w.Encode(line{Pool: p}) }

func (w jsonLines) End(r *Report) error {
	for i := range r.Unreadable {
		if err := w.Encode(line{Unreadable: &r.Unreadable[i]}); err != nil {
			return err
		}
	}
	rest := *r
	rest.Pools, rest.Unreadable = []*Pool{}, []Unreadable{}
	return w.Encode(line{Report: &rest})
}

type csvRows struct{ *csv.Writer }

// CSV writes a table for spreadsheets. Objects that cannot be read are rows without a pool.
func CSV(out io.Writer) Rows {
	w := csvRows{csv.NewWriter(out)}
	_ = w.Write([]string{ // an error comes back with the next row
		"verdict", "project", "namespace", "kind", "name", "pool", "provider", "kubernetesVersion", "strategy", "minimum", "maximum",
		"oldEra", "newEra", "known", "file", "line", "because",
	})
	return w
}

func (w csvRows) Pool(p *Pool) error {
	return w.row(
		string(p.Verdict), p.Project, p.Namespace, p.Kind, p.Name, p.Pool, p.Provider, p.KubernetesVersion, p.Strategy, strconv.Itoa(p.Minimum), strconv.Itoa(p.Maximum),
		p.OldEra, p.NewEra, p.Known, p.File, strconv.Itoa(p.Line), strings.Join(p.texts(), "\n"),
	)
}

func (w csvRows) End(r *Report) error {
	for _, u := range r.Unreadable {
		if err := w.row("unreadable", "", "", "", "", "", "", "", "", "", "", "", "", "", u.File, strconv.Itoa(u.Line), u.Text); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// row writes a row of texts. A spreadsheet takes what begins with one of these for a formula.
func (w csvRows) row(cells ...string) error {
	for i, cell := range cells {
		if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			cells[i] = "'" + cell
		}
	}
	return w.Write(cells)
}
