package audit

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// Rows writes pools as they are judged, one line each, and the rest of the result after the last
// pool.
type Rows struct {
	Pool func(*JudgedPool) error
	End  func(*Report) error
}

// line is a line of a result in JSON lines. It has one of the three; the last line has the report,
// without the objects of the lines before it.
type line struct {
	*JudgedPool

	Unreadable *Unreadable `json:"unreadable,omitempty"`
	Report     *Report     `json:"report,omitempty"`
}

// JSONLines writes JSON lines: pools, objects that cannot be read, and finally the report.
func JSONLines(out io.Writer) *Rows {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &Rows{func(p *JudgedPool) error { return encoder.Encode(line{JudgedPool: p}) }, func(r *Report) error {
		for i := range r.Unreadable {
			if err := encoder.Encode(line{Unreadable: &r.Unreadable[i]}); err != nil {
				return err
			}
		}
		rest := *r
		rest.Pools, rest.Unreadable = []*JudgedPool{}, []Unreadable{}
		return encoder.Encode(line{Report: &rest})
	}}
}

// CSV writes a table for spreadsheets. Objects that cannot be read are rows without a pool.
func CSV(out io.Writer) *Rows {
	w := csv.NewWriter(out)
	_ = w.Write([]string{ // an error comes back with the next row
		"verdict", "project", "namespace", "kind", "name", "pool", "provider", "kubernetesVersion",
		"strategy", "minimum", "maximum",
		"oldEra", "newEra", "known", "file", "line", "because",
	})
	return &Rows{func(p *JudgedPool) error {
		return writeRow(w,
			string(p.Verdict), p.Project, p.Namespace, p.Kind, p.Name, p.Pool, p.Provider, p.KubernetesVersion,
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
