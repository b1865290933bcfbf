package report

import (
	"cmp"
	"io/fs"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Text returns the report for a terminal or a log: printable ASCII and newlines, and the escapes of colours if they are asked for. A report
// about a provider config without pools looks like
//
//	roll: every machine of the pool is replaced; cause: volume.iops
//	+ tags.vm[cost-center]  "a"           hot        inherited from aws.WorkerConfig.Tags
//	~ volume.iops           3000 -> 4000  immutable  default, no struct tag                <- roll
//	assumed unchanged: the rest of the worker pool
//
// Several pools follow a line that counts their verdicts, each below a line with its name. Programs read [JSON].
func Text(plan *pool.Plan, color Color) string {
	t := &textWriter{color: color, shared: sharedRemarks(plan)}
	remarks := t.shared.lines(plaintext.ASCII)
	if isBare(plan) {
		t.pool(plan.Pools[0])
	} else {
		outcome := plan.Verdict()
		t.write(color.paint(bold+colorOf(outcome), outcome.String()) + ": " + summary(plan))
		for _, p := range plan.Pools {
			t.write("")
			t.pool(p)
		}
		if len(remarks) > 0 {
			t.write("")
		}
	}
	t.write(remarks...)
	return t.text.String()
}

type textWriter struct {
	text   strings.Builder
	color  Color
	shared remarks
}

func (t *textWriter) write(lines ...string) {
	for _, line := range lines {
		t.text.WriteString(line + "\n")
	}
}

func (t *textWriter) pool(p pool.Planned) {
	v := verdictOf(p)
	word := t.color.paint(bold+colorOf(p.Effect()), v.word)
	t.write(title(p) + v.line(word, func(path string) string { return shownPath(path, plaintext.ASCII) }))
	rows := changeTable(p, plaintext.ASCII)
	widths := rows.widths()
	for i, row := range rows {
		t.write(line(row, widths, func(column int, cell string) string { return t.paintCell(p.Changes[i].Change, column, cell) }))
	}
	t.write(remarksOf(p, t.shared).lines(plaintext.ASCII)...)
}

func title(p pool.Planned) string {
	if p.Name == "" {
		return ""
	}
	title := "pool " + plaintext.Shorten(p.Name, maxName, plaintext.ASCII)
	if p.FormerName != "" {
		title += " (formerly " + plaintext.Shorten(p.FormerName, maxName, plaintext.ASCII) + ")"
	}
	return title + ": "
}

// paintCell colours the marker by what happened, and the cell that names a cause.
func (t *textWriter) paintCell(c hotupdate.Change, column int, cell string) string {
	switch column {
	case markerCell:
		_, color := marker(c.Op)
		return t.color.paint(color, cell[:1]) + cell[1:]
	case causeCell:
		return t.color.paint(bold+red, cell)
	default:
		return cell
	}
}

// Color says whether text is coloured. The zero value is Plain.
type Color uint8

// The choices.
const (
	Plain Color = iota // ASCII without escapes
	ANSI               // with the colours of a terminal
)

// ColorFor decides about colour: only on a terminal, and not if the user does not want it. Mode is that of the file that is written to;
// noColor and term are the values of the environment variables NO_COLOR (https://no-color.org) and TERM.
func ColorFor(mode fs.FileMode, noColor, term string) Color {
	if mode&fs.ModeCharDevice == 0 || noColor != "" || term == "dumb" {
		return Plain
	}
	return ANSI
}

// The escapes of ECMA-48 that are used.
const (
	reset  = "\x1b[0m"
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
)

func (c Color) paint(escape, text string) string {
	if c == Plain || text == "" {
		return text
	}
	return escape + text + reset
}

var verdictColors = map[pool.Verdict]string{
	pool.None: green, pool.HotUpdate: cyan, pool.ComeOrGo: yellow, pool.InPlaceUpdate: yellow, pool.Indeterminate: yellow,
}

func colorOf(v pool.Verdict) string { return cmp.Or(verdictColors[v], red) }

// marker returns the first character of a change and its colour.
func marker(op hotupdate.Op) (text, color string) {
	switch op {
	case hotupdate.Add:
		return "+", green
	case hotupdate.Remove:
		return "-", red
	case hotupdate.Replace:
	}
	return "~", yellow
}
