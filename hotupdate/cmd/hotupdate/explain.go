package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

func (p *process) explainCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "explain FILE",
		Short: "the class of every field that is set",
		Long: `Writes every field that is set and concerns machines, with its value, its class and the origin
of the class. FILE is a provider config, or a Worker or Shoot manifest. In a manifest, every
worker pool is explained.

A provider config whose apiVersion and kind are not built in is an error, unless --schema names
its Schema. In a pool of a provider that is not built in, the config's members are shown without
values. Exit code: 0; 1 is an error, 2 wrong usage.`,
		Args: cobra.ExactArgs(1),
	}, explainFields, (*call).addOutputs, (*call).addPools, func(c *call, command *cobra.Command) {
		command.Flags().BoolVar(&c.document, "document", false,
			"write the exact bytes of the provider config that are hashed instead, without a "+
				"newline;\nsha256sum of them is the hash")
		command.MarkFlagsMutuallyExclusive("document", "output")
	})
}

// explained are the fields of a provider config or of a pool.
type explained struct {
	Pool   string       `json:"pool,omitempty"`
	Fields []fieldShown `json:"fields"`
}

// fieldShown is a set field in JSON.
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
	if c.output == jsonOutput {
		return exitOK, writeList(c, "pools", all)
	}
	var parts []string
	for _, one := range all {
		parts = append(parts, one.text())
	}
	c.out.WriteString(strings.Join(parts, "\n"))
	return exitOK, nil
}

// writeDocument writes the canonical document of the only provider config.
func writeDocument(c *call) error {
	configs, err := c.configs()
	if err != nil {
		return err
	}
	if len(configs) != 1 {
		return &usageError{
			fmt.Sprintf("--document writes one provider config, and there are %d; choose one with --pool",
				len(configs)),
		}
	}
	document, err := configs[0].schema.DocumentRaw(configs[0].raw)
	c.out.Write(document)
	return manifests.InFile(configs[0].from, err)
}

func explainPools(c *call) ([]explained, error) {
	r, m, err := c.read()
	if err != nil {
		return nil, err
	}
	if m.IsBare() {
		if _, err := r.Schemas.SchemaOf(m.From, m.Type); err != nil {
			return nil, err
		}
	}
	all := make([]explained, len(m.Pools))
	problems := make([]error, len(m.Pools))
	for i, p := range m.Pools {
		fields, err := pool.Explain(p, r.Options)
		all[i], problems[i] = explained{p.Worker.Name, []fieldShown{}}, manifests.InFile(m.From, err)
		for _, f := range fields {
			all[i].Fields = append(all[i].Fields, fieldShown{
				Path: f.Path, Pointer: f.Pointer, Class: f.Class.String(), Origin: f.Origin, Source: f.Source,
				Value: json.RawMessage(f.New), Sensitive: f.Sensitive,
			})
		}
	}
	return all, errors.Join(problems...)
}

// text returns a table with a row for each field that is set.
func (e explained) text() string {
	var rows [][]string
	for _, f := range e.Fields {
		value := string(f.Value)
		if f.Sensitive {
			value = "(sensitive)"
		}
		rows = append(rows, []string{f.Path, value, f.Class, report.Origin(f.Origin, f.Source)})
	}
	title := ""
	if e.Pool != "" {
		title = "pool " + printable(e.Pool) + "\n"
	}
	return title + plaintext.Table(rows)
}

func (p *process) hashCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "hash FILE",
		Short: "the digest that a worker pool's name depends on",
		Long: `Writes v1: and the SHA-256 of the provider config's canonical document: its fields without the
hot and ignored ones. FILE is a provider config, or a Worker or Shoot manifest with a line for
every worker pool. A pool without a provider config has the hash of the empty one.

An extension adds this hash to that of the pool. The whole hash of a pool depends on state that
is in no manifest.

A provider config whose apiVersion and kind are not built in is an error, unless --schema names
its Schema. Exit code: 0; 1 is an error, 2 wrong usage.`,
		Args: cobra.ExactArgs(1),
	}, hashConfigs, (*call).addOutputs, (*call).addPools)
}

// hashed is the hash of a provider config, also in JSON.
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
		problems = append(problems, manifests.InFile(config.from, err))
		all = append(all, hashed{config.pool, sum.String()})
	}
	if err := errors.Join(problems...); err != nil {
		return 0, err
	}
	if c.output == jsonOutput {
		return exitOK, writeList(c, "hashes", all)
	}
	var rows [][]string
	for _, one := range all {
		rows = append(rows, slices.DeleteFunc([]string{one.Pool, one.Hash},
			func(cell string) bool { return cell == "" }))
	}
	c.out.WriteString(plaintext.Table(rows))
	return exitOK, nil
}

// stdin is the file argument for standard input.
const stdin = manifests.Stdin

// addPools adds the flags that choose pools and the Schema of their provider configs.
func (c *call) addPools(command *cobra.Command) {
	command.Flags().StringArrayVar(&c.pools, "pool", nil,
		"only the worker pool of this `NAME`; give the flag again for another one: --pool a --pool b")
	command.Flags().StringVar(&c.schema, "schema", "",
		"the `FILE` with the Schema of the provider config, for one that is not built in;\n"+
			"hotupdate schema aws shows the format")
	complete(command, "pool", c.completePools)
}

// read reads the manifest that is the only argument.
func (c *call) read() (*side.Reader, *side.Input, error) {
	r, err := c.reader()
	if err != nil {
		return nil, nil, err
	}
	m, err := r.One(c.args[0])
	return r, m, err
}

// config is a provider config of a file, or of a worker pool.
type config struct {
	from   string // for messages
	pool   string
	schema *hotupdate.Schema
	raw    []byte
}

// configs returns the provider config of a file, or the provider configs of the pools of a Worker
// or Shoot. Each must have a Schema.
func (c *call) configs() ([]config, error) {
	r, m, err := c.read()
	if err != nil {
		return nil, err
	}
	all := make([]config, len(m.Pools))
	problems := make([]error, len(m.Pools))
	for i, one := range m.Pools {
		from := side.PlaceOfConfig(m.From, one)
		schema, err := r.Schemas.SchemaOfRaw(from, one.ProviderConfig)
		all[i], problems[i] = config{from, one.Worker.Name, schema, one.ProviderConfig}, err
	}
	return all, errors.Join(problems...)
}
