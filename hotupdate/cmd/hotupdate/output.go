package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

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

// outputFlag is a flag that takes some of the outputs, the first of which is the default.
type outputFlag struct {
	output  string
	allowed []string
}

func (o *options) addOutput(flags *pflag.FlagSet, allowed ...string) {
	o.output = outputFlag{allowed[0], allowed}
	flags.VarP(&o.output, "output", "o", "how to write the result: "+o.output.choices())
}

func (f *outputFlag) choices() string {
	last := len(f.allowed) - 1
	return strings.Join(f.allowed[:last], ", ") + " or " + f.allowed[last]
}

// String returns the output.
func (f *outputFlag) String() string { return f.output }

// Type returns the word that stands for the value in --help.
func (f *outputFlag) Type() string { return "FORMAT" }

// Set reads the output.
func (f *outputFlag) Set(text string) error {
	if !slices.Contains(f.allowed, text) {
		return &usageError{"write " + f.choices()}
	}
	f.output = text
	return nil
}

// write writes a result by the function for the output.
func (f *outputFlag) write(text, markdown func(), inJSON func() error) error {
	switch f.output {
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
