package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
)

func (p *process) schemaCommand() *cobra.Command {
	command := p.command(&cobra.Command{
		Use:   "schema [PROVIDER]",
		Short: "the Schemas of the provider configs that are built in",
		Long: `Writes the Schemas of the provider configs that are built in: every field with its type, class
and options. With a PROVIDER the JSON is what --schema takes. Without one it is an object with
the list schemas, each with provider, apiVersion, kind and schema.`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(
			_ *cobra.Command, args []string, _ string,
		) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				names = p.providerNames()
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}, func(c *call) (int, error) { return exitOK, printSchemas(c) })
	command.AddCommand(p.schemaDiffCommand())
	return command
}

// providerNames returns the names of the providers with built-in configs.
func (p *process) providerNames() (names []string) {
	for _, one := range p.std.providers {
		names = append(names, one.Name)
	}
	return names
}

func printSchemas(c *call) error {
	all, err := side.BuiltIn(c.std.providers)
	if err != nil {
		return err
	}
	if len(c.args) == 1 {
		names := c.providerNames()
		i := slices.Index(names, c.args[0])
		if i < 0 {
			return fmt.Errorf("no Schema of a provider %q is built in; there is %s", c.args[0],
				strings.Join(names, ", "))
		}
		return writeJSON(c, all[i].Schema)
	}
	return writeList(c, "schemas", all)
}

func (p *process) schemaDiffCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "diff OLD NEW",
		Short: "what another Schema does to configs that nobody touches",
		Long: `Says what a release with the Schema NEW instead of OLD does to configurations that nobody
touches: every difference, with its effect on hashes and the configurations that it refuses. A
difference by which pools may roll or configurations may be refused is marked with !.

OLD and NEW are files: a Schema (written by hotupdate schema PROVIDER or Schema.MarshalJSON), a
golden file of hotupdatetest, or a set of eras (see hotupdate audit). For eras, the Schemas that
configs are read with are compared.

Exit code: 0; with --exit-code 13 if a configuration may be refused, else 12 if a pool may roll.
1 is an error, 2 wrong usage.`,
		Args: cobra.ExactArgs(2),
	}, diffSchemas, (*call).addOutputs, func(c *call, command *cobra.Command) {
		command.Flags().BoolVar(&c.exitCode, "exit-code", false,
			"tell the gravest consequence by the exit code as well")
	})
}

// schemaDiff is the JSON output of schema diff.
type schemaDiff struct {
	FormatVersion  int           `json:"formatVersion"`
	OldFingerprint string        `json:"oldFingerprint"`
	NewFingerprint string        `json:"newFingerprint"`
	Harmless       bool          `json:"harmless"`
	Findings       []jsonFinding `json:"findings"`
}

type jsonFinding struct {
	hotupdate.Finding

	Harmless bool   `json:"harmless"`
	Text     string `json:"text"`
}

func diffSchemas(c *call) (int, error) {
	old, oldErr := release.Read(c.args[0])
	updated, newErr := release.Read(c.args[1])
	if err := errors.Join(oldErr, newErr); err != nil {
		return 0, err
	}
	findings, err := hotupdate.Compatibility(old.Schema, updated.Schema)
	if err != nil {
		return 0, err
	}
	switch {
	case c.output == jsonOutput:
		err = writeDiffJSON(c, old.Schema, updated.Schema, findings)
	case len(findings) == 0:
		c.out.WriteString("the Schemas mean the same\n")
	default:
		c.writeFindings(findings)
	}
	if !c.exitCode {
		return exitOK, err
	}
	return exitCodeOfFindings(findings), err
}

// writeFindings writes a row for each finding, with a ! before one that may roll pools or refuse
// configs.
func (c *call) writeFindings(findings []hotupdate.Finding) {
	for _, f := range findings {
		marker := "! "
		if f.Harmless() {
			marker = "  "
		}
		c.out.WriteString(marker + printable(f.String()) + "\n")
	}
}

func exitCodeOfFindings(findings []hotupdate.Finding) int {
	code := exitOK
	for _, f := range findings {
		if f.Rolls.Where != "" {
			code = max(code, exitRoll)
		}
		if f.Refuses.Where != "" {
			code = exitForbidden
		}
	}
	return code
}

func writeDiffJSON(c *call, old, updated *hotupdate.Schema, findings []hotupdate.Finding) error {
	before, oldErr := old.Fingerprint()
	after, newErr := updated.Fingerprint()
	if err := errors.Join(oldErr, newErr); err != nil {
		return err
	}
	d := schemaDiff{
		FormatVersion: listVersion, OldFingerprint: before, NewFingerprint: after, Harmless: true,
		Findings: []jsonFinding{},
	}
	for _, f := range findings {
		d.Harmless = d.Harmless && f.Harmless()
		d.Findings = append(d.Findings, jsonFinding{f, f.Harmless(), f.String()})
	}
	return writeJSON(c, d)
}
