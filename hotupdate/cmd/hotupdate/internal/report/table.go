package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate"
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
	rows := make(table, len(p.Changes))
	for i, c := range p.Changes {
		mark, _ := marker(c.Op)
		rows[i] = []string{
			mark + " " + shownPath(c.Path, escape), values(c.Change, escape), c.Class.String(), plaintext.Shorten(Origin(c.Change), maxPath, escape), "",
		}
		if c.Decides && len(verdictOf(p).causes) > 0 {
			rows[i][causeCell] = "<- " + p.Verdict.String()
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

// Limits of text and Markdown, in characters as they are shown. Longer texts are shortened to about these lengths.
const (
	maxValue = 64
	maxPath  = 160
	maxName  = 80

	// context is how much is shown of what two long values have in common before they differ.
	context = 16
)

// values are what a change shows of its values: hidden, one of them, or both around the first difference.
func values(c hotupdate.Change, escape plaintext.Escape) string {
	switch {
	case c.Sensitive:
		return "(sensitive)"
	case c.Op == hotupdate.Add:
		return value(c.New, 0, escape)
	case c.Op == hotupdate.Remove:
		return value(c.Old, 0, escape)
	}
	from := 0
	if len(c.Old) > maxValue || len(c.New) > maxValue {
		from = firstDifference(c.Old, c.New)
	}
	return value(c.Old, from, escape) + " -> " + value(c.New, from, escape)
}

// firstDifference is where to begin to show two values: a little before they differ, at the beginning of a character.
func firstDifference(a, b string) int {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	if at < maxValue-context {
		return 0
	}
	at -= context
	for at > 0 && !utf8.RuneStart(a[at]) {
		at--
	}
	return at
}

// value shows one value, beginning at an offset if it is long. A shortened value is followed by its length.
func value(text string, from int, escape plaintext.Escape) string {
	if from == 0 && len(text) <= maxValue {
		if shown := escape(text); len(shown) <= 2*maxValue {
			return shown
		}
	}
	shown, rest := plaintext.Head(text[from:], maxValue, escape)
	if from > 0 {
		shown = plaintext.Ellipsis + shown
	}
	if rest != "" {
		shown += plaintext.Ellipsis
	}
	return fmt.Sprintf("%s (%d bytes)", shown, len(text))
}

// shownPath shows a path. That of the configuration itself is empty.
func shownPath(path string, escape plaintext.Escape) string {
	if path == "" {
		return "(root)"
	}
	return plaintext.Shorten(path, maxPath, escape)
}
