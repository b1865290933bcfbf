package report

import (
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Text returns the report for a terminal or a log: printable ASCII and newlines, and the escapes of colours if they are asked for. The
// verdict comes first. A report about a provider config without pools looks like
//
//	roll: every machine of the pool is replaced; cause: volume.iops
//	+ tags.vm[cost-center]  "a"           hot        inherited from aws.WorkerConfig.Tags
//	~ volume.iops           3000 -> 4000  immutable  default, no struct tag                <- roll
//	assumed unchanged: the rest of the worker pool
//
// Several pools follow a line that counts their verdicts, each below a line with its name. The layout is for people; programs read
// [JSON].
func Text(r Report, color Color) string {
	t := &textWriter{color: color}
	if !r.isBare() {
		t.write(color.paint(bold+colorOf(r.Outcome()), r.Outcome().String()) + ": " + r.summary())
	}
	for _, p := range r.Pools {
		if !r.isBare() {
			t.write("")
		}
		t.pool(p)
	}
	if !r.isBare() && len(r.Assumed)+len(r.Notes) > 0 {
		t.write("")
	}
	t.remarks(r.Assumed, r.Notes)
	return t.text.String()
}

type textWriter struct {
	text  strings.Builder
	color Color
}

func (t *textWriter) write(line string) { t.text.WriteString(line + "\n") }

func (t *textWriter) pool(p Pool) {
	t.write(t.title(p) + t.verdict(p.verdict()))
	rows := p.changeTable(plaintext.ASCII)
	widths := rows.widths()
	for i, row := range rows {
		t.write(line(row, widths, func(column int, cell string) string { return t.paintCell(p.Changes[i], column, cell) }))
	}
	t.remarks(p.Assumed, p.Notes)
}

func (t *textWriter) title(p Pool) string {
	title := ""
	if p.Name != "" {
		title = "pool " + plaintext.Shorten(p.Name, maxName, plaintext.ASCII)
	}
	if p.FormerName != "" {
		title += " (formerly " + plaintext.Shorten(p.FormerName, maxName, plaintext.ASCII) + ")"
	}
	if title != "" {
		title += ": "
	}
	return title
}

func (t *textWriter) verdict(v verdict) string {
	word := t.color.paint(bold+colorOf(v.outcome), v.word)
	return word + ": " + v.meaning + v.blame(func(path string) string { return shownPath(path, plaintext.ASCII) })
}

// remarks writes what is assumed unchanged, and notes.
func (t *textWriter) remarks(assumed, notes []string) {
	if len(assumed) > 0 {
		t.write("assumed unchanged: " + plaintext.ASCII(strings.Join(assumed, "; ")))
	}
	for _, note := range notes {
		t.write("note: " + plaintext.ASCII(note))
	}
}

// paintCell colours the marker by what happened, and the cell that names a cause.
func (t *textWriter) paintCell(c hotupdate.Change, column int, cell string) string {
	switch column {
	case markerCell:
		return t.color.paint(colorOfMarker(c.Op), cell[:1]) + cell[1:]
	case causeCell:
		return t.color.paint(bold+red, cell)
	default:
		return cell
	}
}
