package main

import (
	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// The output formats.
const (
	textOutput     = "text"
	markdownOutput = "markdown"
	htmlOutput     = "html"
	jsonOutput     = "json"
	sarifOutput    = "sarif"
	githubOutput   = "github"
	gitlabOutput   = "gitlab"
	junitOutput    = "junit"
)

// addOutput returns a function that adds the flag of the output format. The first format is the
// default.
func (c *call) addOutput(formats ...string) func(*cobra.Command) {
	return func(command *cobra.Command) {
		command.Flags().StringVarP(&c.output, "output", "o", formats[0], "`FORMAT`")
		oneOf(command, "output", formats...)
		command.Flags().Lookup("output").DefValue = "" // help lists it first
	}
}

// The words of --color.
const (
	autoColor   = "auto"
	alwaysColor = "always"
	neverColor  = "never"
)

// addColor adds the flag of colours.
func (c *call) addColor(command *cobra.Command) {
	command.Flags().StringVar(&c.color, "color", autoColor, "colours in the text, by `WORD`")
	oneOf(command, "color", autoColor, alwaysColor, neverColor)
	command.Flags().Lookup("color").DefValue = ""
}

// addReport adds the flags of what a report lists, and of the exit code.
func (c *call) addReport(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&c.verbose, "verbose", false, "list all of a cause, with Go fields, sources, rules, eras")
	flags.BoolVarP(&c.quiet, "quiet", "q", false, "leave out manifests, pools and changes with the verdict none")
	flags.BoolVar(&c.all, "all", false, "list every manifest and pool, also without a change")
	flags.BoolVar(&c.exitCode, "exit-code", false, "tell the gravest verdict by the exit code")
}

// style is the style of a report.
func (c *call) style() report.Style {
	return report.Style{
		Color: c.isColored(), Verbose: c.verbose, All: c.all, Columns: c.std.columns, Shown: c.audit.shown,
	}
}

// isColored reports whether text has colours: by the flag, or where standard output shows them.
func (c *call) isColored() bool {
	return c.color == alwaysColor || c.color != neverColor && c.std.color
}

// writeFindings writes findings in a format for programs that collect them.
func (c *call) writeFindings(f report.Findings) error {
	switch c.output {
	case sarifOutput:
		return writeJSON(c, report.SARIF(f, ownBuild().Main.Version))
	case gitlabOutput:
		return writeJSON(c, report.GitLab(f))
	case junitOutput:
		return report.JUnit(&c.out, f)
	default:
		c.out.WriteString(report.GitHub(f))
	}
	return nil
}

// show writes the text of a result, or its JSON.
func (c *call) show(text string, value any) (int, error) {
	if c.output == jsonOutput {
		return exitOK, writeJSON(c, value)
	}
	c.out.WriteString(text)
	return exitOK, nil
}

// listVersion is the version of lists in JSON.
const listVersion = 1

// listed returns a list as it is in JSON: in an object with the version of the format.
func listed(name string, all any) any {
	return map[string]any{"formatVersion": listVersion, name: all}
}

func writeJSON(c *call, value any) error {
	text, err := report.JSON(value)
	c.out.Write(text)
	return err
}

// printable escapes characters that can move the cursor, colour the terminal or reverse the reading
// direction.
func printable(text string) string { return plaintext.Printable(text) }
