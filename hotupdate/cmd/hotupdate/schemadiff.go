package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hotupdate"
)

func schemaDiffCommand() command {
	return command{
		name:     "schema diff",
		synopsis: "[--output FORMAT] [--exit-code] OLD NEW",
		help: `Tells what a release that brings the Schema NEW instead of OLD does to configurations that nobody touches: every difference, with what it
does to hashes and which configurations it refuses. A difference by which pools may roll or configurations may be refused is marked with !.

OLD and NEW are files: a Schema (as hotupdate schema PROVIDER or Schema.MarshalJSON writes it), a golden file of hotupdatetest, or a set of
eras (see hotupdate audit), of which the Schema is compared that configs are read by.

Exit code: 0; with --exit-code 13 if a configuration may be refused, else 12 if a pool may roll. 1 is an error, 2 wrong usage.`,
		flags: func(flags *pflag.FlagSet) action {
			d := &schemaDiffer{output: addOutput(flags, textOutput, markdownOutput, jsonOutput)}
			flags.BoolVar(&d.exitCode, "exit-code", false, "tell the gravest consequence by the exit code as well")
			return d.run
		},
	}
}

type schemaDiffer struct {
	output   *outputFlag
	exitCode bool
}

// schemaDiff is what schema diff writes in JSON.
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

func (d *schemaDiffer) run(c *call) (int, error) {
	if err := want(2, c.args); err != nil {
		return 0, err
	}
	old, oldErr := readRelease(c.args[0])
	updated, newErr := readRelease(c.args[1])
	if err := errors.Join(oldErr, newErr); err != nil {
		return 0, err
	}
	findings, err := hotupdate.Compatibility(old.schema, updated.schema)
	if err != nil {
		return 0, err
	}
	err = d.output.write(
		func() { writeFindings(&c.out, findings) },
		func() {
			var rows [][]string
			for _, f := range findings {
				rows = append(rows, []string{marker(f), code(f.Path), f.Kind, code(f.String())})
			}
			writeMarkdown(&c.out, []string{"", "field", "change", "consequence"}, rows)
		},
		func() error { return writeDiffJSON(c, old.schema, updated.schema, findings) },
	)
	if !d.exitCode {
		return exitOK, err
	}
	return exitCodeOfFindings(findings), err
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

func writeFindings(out io.Writer, findings []hotupdate.Finding) {
	if len(findings) == 0 {
		fmt.Fprintln(out, "the Schemas mean the same")
	}
	for _, f := range findings {
		fmt.Fprintf(out, "%s %s\n", marker(f), printable(f.String()))
	}
}

// marker is ! for what may roll or refuse something.
func marker(f hotupdate.Finding) string {
	if f.Harmless() {
		return " "
	}
	return "!"
}

func writeDiffJSON(c *call, old, updated *hotupdate.Schema, findings []hotupdate.Finding) error {
	before, oldErr := old.Fingerprint()
	after, newErr := updated.Fingerprint()
	if err := errors.Join(oldErr, newErr); err != nil {
		return err
	}
	d := schemaDiff{FormatVersion: listVersion, OldFingerprint: before, NewFingerprint: after, Harmless: true, Findings: []jsonFinding{}}
	for _, f := range findings {
		d.Harmless = d.Harmless && f.Harmless()
		d.Findings = append(d.Findings, jsonFinding{f, f.Harmless(), f.String()})
	}
	return writeJSON(c, d)
}
