package report

import (
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// table has a line for each change: marker and path, values, class, origin, and what the change causes.
type table [][]string

// The columns that are coloured.
const (
	markerCell = 0
	causeCell  = 4
)

// changeTable fills the table of a pool.
func changeTable(p pool.Planned, escape plaintext.Escape) table {
	causes := isCause(p)
	rows := make(table, len(p.Changes))
	for i, c := range p.Changes {
		mark, _ := marker(c.Op)
		rows[i] = []string{
			mark + " " + shownPath(c.Path, escape), values(c, escape), c.Class.String(), plaintext.Shorten(Origin(c), maxPath, escape), "",
		}
		if causes[i] {
			rows[i][causeCell] = "<- " + p.Outcome.String()
		}
	}
	return rows
}

// maxColumn bounds the width that a column is aligned to, so that one long cell does not push the others out of sight.
const maxColumn = 60

// widths are those of the columns, in characters.
func (t table) widths() []int {
	var widths []int
	for _, row := range t {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if width := utf8.RuneCountInString(cell); width <= maxColumn {
				widths[i] = max(widths[i], width)
			}
		}
	}
	return widths
}

// line writes a row with its columns aligned. Paint may colour a cell, which makes it no wider.
func line(row []string, widths []int, paint func(column int, cell string) string) string {
	var b strings.Builder
	last := len(row) - 1
	for last > 0 && row[last] == "" {
		last--
	}
	for i, cell := range row[:last+1] {
		b.WriteString(paint(i, cell))
		if i < last {
			b.WriteString(strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell))+2))
		}
	}
	return b.String()
}
