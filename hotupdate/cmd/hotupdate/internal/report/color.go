package report

import (
	"cmp"
	"io/fs"

	"github.com/hotupdate/providerconfig/hotupdate"
)

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

var outcomeColors = map[hotupdate.Outcome]string{
	hotupdate.NoUpdate: green, hotupdate.HotUpdate: cyan, hotupdate.InPlaceUpdate: yellow, hotupdate.Indeterminate: yellow,
}

func colorOf(o hotupdate.Outcome) string { return cmp.Or(outcomeColors[o], red) }

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
