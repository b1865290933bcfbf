package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

func (p *process) explainCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "explain FILE",
		Short: "the class of every field that is set",
		Long: `Writes every field that is set and concerns machines, with its value, its class and where the class comes from. FILE is a provider
config, or a Worker or Shoot manifest, of which every worker pool is explained.

A provider config whose apiVersion and kind are not built in is an error, unless --schema names its Schema. Only in a pool of a provider that
is not built in it is shown as one field instead.
Exit code: 0; 1 is an error, 2 wrong usage.`,
		Args:              files(1),
		ValidArgsFunction: atMost(1),
	}, explainFields, (*call).addOutputs, (*call).addPools, func(c *call, command *cobra.Command) {
		command.Flags().BoolVar(&c.document, "document", false, "write the exact bytes of the provider config that are hashed instead, without a newline;\nsha256sum of them is the hash")
	})
}

// explained are the fields of a provider config or of a pool.
type explained struct {
	Pool   string       `json:"pool,omitempty"`
	Fields []fieldShown `json:"fields"`
	fields hotupdate.Changes
}

// fieldShown is a field that is set, in JSON.
type fieldShown struct {
	Path      string          `json:"path"`
	Pointer   string          `json:"pointer"`
	Class     string          `json:"class"`
	Origin    string          `json:"origin"`
	Source    string          `json:"source,omitempty"`
	Value     json.RawMessage `json:"value,omitempty"`
	Sensitive bool            `json:"sensitive,omitempty"`
}

func explainFields(c *call) (int, error) {
	if c.document {
		return exitOK, writeDocument(c)
	}
	all, err := explainPools(c)
	if err != nil {
		return 0, err
	}
	if c.output.word == jsonOutput {
		return exitOK, writeList(c, "pools", all)
	}
	for i, one := range all {
		one.write(c, i)
	}
	return exitOK, nil
}

// writeDocument writes the canonical document of the only provider config.
func writeDocument(c *call) error {
	if c.output.word != textOutput {
		return &usageError{"--document is written as it is; leave --output out"}
	}
	configs, err := c.configs()
	if err != nil {
		return err
	}
	if len(configs) != 1 {
		return &usageError{fmt.Sprintf("--document writes one provider config, and there are %d; choose one with --pool", len(configs))}
	}
	document, err := configs[0].schema.DocumentRaw(configs[0].raw)
	c.out.Write(document)
	return inFile(configs[0].from, err)
}

func explainPools(c *call) ([]explained, error) {
	m, schemas, err := c.read()
	if err != nil {
		return nil, err
	}
	if m.isBare() {
		if _, err := schemas.schemaOf(m.from, m.kind); err != nil {
			return nil, err
		}
	}
	all := make([]explained, len(m.Pools))
	problems := make([]error, len(m.Pools))
	for i, p := range m.Pools {
		fields, err := pool.Explain(p, pool.Options{Schema: schemas.schema})
		all[i], problems[i] = explained{p.Worker.Name, []fieldShown{}, fields}, inFile(m.from, err)
		for _, f := range fields {
			all[i].Fields = append(all[i].Fields, fieldShown{
				Path: f.Path, Pointer: f.Pointer, Class: f.Class.String(), Origin: f.Origin.String(), Source: f.Source,
				Value: json.RawMessage(f.New), Sensitive: f.Sensitive,
			})
		}
	}
	return all, errors.Join(problems...)
}

// write writes a line for each field that is set, which is what sets the configuration apart from the empty one.
func (e explained) write(c *call, before int) {
	if c.output.word == markdownOutput {
		if e.Pool != "" {
			fmt.Fprintf(&c.out, "### %s\n\n", code(e.Pool))
		}
		writeMarkdown(&c.out, []string{"field", "value", "class", "origin"}, e.rows(code))
		fmt.Fprintln(&c.out)
		return
	}
	if e.Pool != "" {
		fmt.Fprint(&c.out, strings.Repeat("\n", min(before, 1))+"pool "+printable(e.Pool)+"\n")
	}
	writeColumns(&c.out, e.rows(printable))
}

func (e explained) rows(show func(string) string) (rows [][]string) {
	for _, f := range e.fields {
		value := f.New
		if f.Sensitive {
			value = "(sensitive)"
		}
		rows = append(rows, []string{show(f.Path), show(value), f.Class.String(), show(report.Origin(f.Origin.String(), f.Source))})
	}
	return rows
}

func (p *process) hashCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "hash FILE",
		Short: "the digest that a worker pool's name depends on",
		Long: `Writes v1: and the SHA-256 of the provider config's canonical document: its fields without the hot and ignored ones. FILE is a provider
config, or a Worker or Shoot manifest, of which every worker pool gets a line. A pool without a provider config has the hash of the empty one.

This is what an extension adds to a pool's hash. The whole hash of a pool depends on state that no manifest holds.

A provider config whose apiVersion and kind are not built in has no hash, which is an error, unless --schema names its Schema.
Exit code: 0; 1 is an error, 2 wrong usage.`,
		Args:              files(1),
		ValidArgsFunction: atMost(1),
	}, hashConfigs, (*call).addOutputs, (*call).addPools)
}

// hashed is the hash of a provider config, in JSON as well.
type hashed struct {
	Pool string `json:"pool,omitempty"`
	Hash string `json:"hash"`
}

func hashConfigs(c *call) (int, error) {
	configs, err := c.configs()
	if err != nil {
		return 0, err
	}
	all := make([]hashed, 0, len(configs))
	var problems []error
	for _, config := range configs {
		sum, err := config.schema.HashRaw(config.raw)
		problems = append(problems, inFile(config.from, err))
		all = append(all, hashed{config.pool, sum.String()})
	}
	if err := errors.Join(problems...); err != nil {
		return 0, err
	}
	header := []string{"worker pool", "hash"}
	if len(all) == 1 && all[0].Pool == "" { // a provider config on its own
		header = header[1:]
	}
	rows := func(show func(string) string) (rows [][]string) {
		for _, one := range all {
			row := []string{show(one.Pool), show(one.Hash)}
			rows = append(rows, row[2-len(header):])
		}
		return rows
	}
	return exitOK, c.write(
		func() { writeColumns(&c.out, rows(printable)) },
		func() { writeMarkdown(&c.out, header, rows(code)) },
		func() error { return writeList(c, "hashes", all) },
	)
}
