package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// The ways in which commands write their results.
const (
	textOutput     = "text"
	markdownOutput = "markdown"
	htmlOutput     = "html"
	jsonOutput     = "json"
)

// addOutput adds the flag that says how to write the result; the first format is the default.
func (o *options) addOutput(command *cobra.Command, allowed ...string) {
	o.output.add(command, "output", "o", allowed[0], "the `FORMAT` of the result", allowed...)
}

// addOutputs adds the flag of most commands.
func (c *call) addOutputs(command *cobra.Command) {
	c.addOutput(command, textOutput, markdownOutput, jsonOutput)
}

// write writes a result by the function for the output.
func (o *options) write(text, markdown func(), inJSON func() error) error {
	switch o.output.word {
	case textOutput:
		text()
	case markdownOutput:
		markdown()
	default:
		return inJSON()
	}
	return nil
}

// listVersion is the format of the lists that are written as JSON.
const listVersion = 1

// writeList writes a list of things in JSON, in an object with the version of the format.
func writeList(c *call, name string, all any) error {
	return writeJSON(c, map[string]any{"formatVersion": listVersion, name: all})
}

func writeJSON(c *call, value any) error {
	text, err := report.Indented(value)
	c.out.Write(text)
	return err
}

// writeColumns writes rows with their columns aligned.
func writeColumns(out io.Writer, rows [][]string) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	_ = table.Flush() // out is a buffer
}

// writeMarkdown writes a table of rows.
func writeMarkdown(out io.Writer, header []string, rows [][]string) {
	line := func(cells []string) { fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | ")) }
	line(header)
	line(slices.Repeat([]string{"---"}, len(header)))
	for _, row := range rows {
		line(row)
	}
}

// printable escapes what could move the cursor, colour the terminal or reverse the reading direction.
func printable(text string) string { return plaintext.Printable(text) }

// code makes a cell of a Markdown table of which nothing is Markdown or HTML.
func code(text string) string { return plaintext.MarkdownCode(text) }
