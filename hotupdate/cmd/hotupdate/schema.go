package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/config"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
)

func (c *call) schemaCommand() *cobra.Command {
	command := c.command(&cobra.Command{
		Use:       "schema [PROVIDER]",
		Short:     "the Schemas of the provider configs that are built in",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: c.providerNames(),
	}, c.schemas, c.addDefinitions, c.addOutput(textOutput, jsonOutput))
	command.AddCommand(c.schemaDiffCommand(), c.schemaReportCommand(), c.schemaConfigCommand())
	return command
}

// providerNames returns the names of the providers with built-in configs.
func (c *call) providerNames() (names []string) {
	for _, one := range c.std.providers {
		names = append(names, one.Name)
	}
	return names
}

// schemas writes the Schemas that are built in, or the fields of CRDs.
func (c *call) schemas() (int, error) {
	switch {
	case c.crd != "":
		return c.listClasses()
	case c.classes != "":
		return 0, &usageError{"--classes is for the objects of --crd"}
	}
	return exitOK, printSchemas(c)
}

func printSchemas(c *call) error {
	all, err := side.BuiltIn(c.std.providers)
	if err != nil {
		return err
	}
	if len(c.args) == 1 {
		names := c.providerNames()
		i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, c.args[0]) })
		if i < 0 {
			return fmt.Errorf("no Schema of a provider %q is built in; there is %s%s", c.args[0],
				strings.Join(names, ", "), nearest(c.args[0], names))
		}
		return writeJSON(c, all[i].Schema)
	}
	return writeJSON(c, listed("schemas", all))
}

func (c *call) schemaDiffCommand() *cobra.Command {
	return c.command(&cobra.Command{
		Use:   "diff OLD NEW",
		Short: "what another Schema does to unchanged configs",
		Args:  needs("OLD", "NEW"),
	}, c.diffSchemas, c.addOutput(textOutput, jsonOutput), func(command *cobra.Command) {
		command.Flags().BoolVar(&c.exitCode, "exit-code", false,
			"also tell the gravest consequence by the exit code")
		c.addClasses(command, "OLD and NEW")
	})
}

func (c *call) schemaReportCommand() *cobra.Command {
	return c.command(&cobra.Command{
		Use:   "report",
		Short: "the JSON Schema of the reports of plan",
		Args:  cobra.NoArgs,
	}, func() (int, error) {
		c.out.Write(report.Schema())
		return exitOK, nil
	})
}

func (c *call) schemaConfigCommand() *cobra.Command {
	return c.command(&cobra.Command{
		Use:   "config",
		Short: "the JSON Schema of the config file",
		Args:  cobra.NoArgs,
	}, func() (int, error) {
		c.out.Write(config.Schema())
		return exitOK, nil
	})
}

// schemaDiff is the JSON output of schema diff.
type schemaDiff struct {
	FormatVersion  int           `json:"formatVersion,omitempty"` // only of the whole output
	OldFingerprint string        `json:"oldFingerprint"`
	NewFingerprint string        `json:"newFingerprint"`
	Harmless       bool          `json:"harmless"`
	Findings       []jsonFinding `json:"findings"`
}

type jsonFinding struct {
	hotupdate.Finding

	Harmless bool   `json:"harmless"`
	Text     string `json:"text"`
	// Undecided says that the field of a custom resource has no class, so that the effect of the
	// finding on machines is unknown.
	Undecided bool `json:"undecided,omitempty"`
}

func (c *call) diffSchemas() (int, error) {
	if old, updated, err := c.definitions(c.args[0], c.args[1]); err != nil || old != nil {
		return c.diffDefinitions(old, updated, err)
	}
	if err := c.checkNoClasses(); err != nil {
		return 0, err
	}
	old, oldErr := release.Read(c.args[0])
	updated, newErr := release.Read(c.args[1])
	if err := errors.Join(oldErr, newErr); err != nil {
		return 0, err
	}
	diff, err := newSchemaDiff(old.Schema, updated.Schema)
	if err != nil {
		return 0, err
	}
	diff.FormatVersion = listVersion
	_, err = c.show(cmp.Or(diff.text(""), "the Schemas mean the same\n"), diff)
	return c.codeOf(diff), err
}

// newSchemaDiff compares two Schemas.
func newSchemaDiff(old, updated *hotupdate.Schema) (*schemaDiff, error) {
	diff, err := newFingerprints(old, updated)
	if err != nil {
		return nil, err
	}
	findings, err := hotupdate.Compatibility(old, updated)
	for _, f := range findings {
		diff.Harmless = diff.Harmless && f.Harmless()
		diff.Findings = append(diff.Findings, jsonFinding{Finding: f, Harmless: f.Harmless(), Text: f.String()})
	}
	return diff, err
}

// newFingerprints is a comparison of two Schemas that has no findings yet.
func newFingerprints(old, updated *hotupdate.Schema) (*schemaDiff, error) {
	before, oldErr := old.Fingerprint()
	after, newErr := updated.Fingerprint()
	if err := errors.Join(oldErr, newErr); err != nil {
		return nil, err
	}
	return &schemaDiff{OldFingerprint: before, NewFingerprint: after, Harmless: true, Findings: []jsonFinding{}}, nil
}

// text has a line for each finding, which begins with a name.
func (d *schemaDiff) text(name string) string {
	var text strings.Builder
	for _, f := range d.Findings {
		marker := "! "
		if f.Harmless {
			marker = "  "
		}
		text.WriteString(marker + printable(name+f.Text) + "\n")
	}
	return text.String()
}

// codeOf is the exit code of the gravest consequence, if the user asks for it.
func (c *call) codeOf(d *schemaDiff) int {
	code := exitOK
	for _, f := range d.Findings {
		switch {
		case !c.exitCode:
		case f.Forbidden.Where != "":
			return exitForbidden
		case f.Undecided:
			code = graver(code, exitIndeterminate)
		case f.Roll.Where != "":
			code = graver(code, exitRoll)
		}
	}
	return code
}

// graver returns the exit code of the graver of two consequences of another Schema.
func graver(a, b int) int {
	byGravity := []int{exitOK, exitIndeterminate, exitRoll, exitForbidden}
	return byGravity[max(slices.Index(byGravity, a), slices.Index(byGravity, b))]
}
