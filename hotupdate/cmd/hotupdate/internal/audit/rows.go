package audit

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Writer takes the listed pools as they are judged, and the report after the last pool.
type Writer struct {
	Pool func(*JudgedPool) error
	End  func(*Report) error
}

// Whole writes a whole report at the end, with the listed pools if lists is set.
func Whole(lists bool, write func(*Report) error) *Writer {
	var pools []*JudgedPool
	return &Writer{func(p *JudgedPool) error {
		if lists {
			pools = append(pools, p)
		}
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

	Unreadable *Unreadable `json:"unreadable,omitempty"`
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
		rest.Pools, rest.Unreadable = []*JudgedPool{}, []Unreadable{}
		return errors.Join(encoder.Encode(line{Report: &rest}), buffered.Flush())
	}}
}

// CSV writes a table for spreadsheets. Objects that cannot be read are rows without a pool.
func CSV(out io.Writer) *Writer {
	w := csv.NewWriter(out)
	_ = w.Write([]string{ // an error comes back with the next row
		"verdict", "project", "namespace", "kind", "name", "pool", "provider", "kubernetesVersion",
		"strategy", "minimum", "maximum",
		"oldEra", "newEra", "known", "file", "line", "because",
	})
	return &Writer{func(p *JudgedPool) error {
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
