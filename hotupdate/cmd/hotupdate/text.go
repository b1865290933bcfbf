package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// writeVerdict writes the line that says what happens to the machines, and which fields decide it.
func writeVerdict(out io.Writer, outcome hotupdate.Outcome, changes hotupdate.Changes, strategy hotupdate.Strategy) {
	fmt.Fprintf(out, "%s: %s%s\n", outcome, consequence(outcome, strategy), causes(outcome, changes))
}

func consequence(outcome hotupdate.Outcome, strategy hotupdate.Strategy) string {
	switch outcome {
	case hotupdate.NoUpdate:
		return "nothing happens to machines"
	case hotupdate.HotUpdate:
		return "running machines are updated, none is replaced"
	case hotupdate.InPlaceUpdate:
		return "every node is drained and updated in place, no machine is replaced"
	case hotupdate.Roll:
		return "every machine of the pool is replaced"
	case hotupdate.UpdateForbidden:
		return strategy.String() + " does not replace machines, which this change needs"
	case hotupdate.Indeterminate:
	}
	return "it depends on defaults that are not known"
}

// causes names the fields of the strictest class, for outcomes that somebody may want to avoid.
func causes(outcome hotupdate.Outcome, changes hotupdate.Changes) string {
	if outcome == hotupdate.NoUpdate || outcome == hotupdate.HotUpdate {
		return ""
	}
	strictest, _ := changes.Strictest()
	strict := changes.Of(strictest)
	var paths []string
	for _, c := range strict[:min(len(strict), maxCauses)] {
		paths = append(paths, printable(c.Path))
	}
	text := "; cause: " + strings.Join(paths, ", ")
	if more := len(strict) - len(paths); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// maxCauses bounds the verdict line; every change has a line of its own below.
const maxCauses = 5

// writeChanges writes a line for each change: what happened, where, from what to what, its class and what decides it.
func writeChanges(out io.Writer, changes hotupdate.Changes) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range changes {
		fmt.Fprintf(table, "%s %s\t%s\t%s\t%s\n", marker(c.Op), printable(c.Path), values(c), c.Class, origin(c))
	}
	_ = table.Flush() // out is a buffer
}

func marker(op hotupdate.Op) string {
	switch op {
	case hotupdate.Add:
		return "+"
	case hotupdate.Remove:
		return "-"
	case hotupdate.Replace:
	}
	return "~"
}

func values(c hotupdate.Change) string {
	switch {
	case c.Sensitive:
		return "(sensitive)"
	case c.Op == hotupdate.Add:
		return printable(c.New)
	case c.Op == hotupdate.Remove:
		return printable(c.Old)
	default:
		return printable(c.Old) + " -> " + printable(c.New)
	}
}

// origin words where a class comes from.
func origin(c hotupdate.Change) string {
	switch c.Origin {
	case hotupdate.OriginStructTag:
		return "struct tag on " + c.Source
	case hotupdate.OriginInherited:
		return "inherited from " + c.Source
	case hotupdate.OriginOverride:
		return "override of " + c.Source
	case hotupdate.OriginHotWhen:
		return "hotwhen on " + c.Source
	case hotupdate.OriginDefault:
	}
	return "default, no struct tag"
}

// printable escapes what could move the cursor, colour the terminal or reverse the reading direction.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
