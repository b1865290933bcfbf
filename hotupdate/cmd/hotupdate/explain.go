package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

func explainCommand() command {
	return command{
		name:     "explain",
		synopsis: "[--pool NAME] [--schema FILE] [--output FORMAT | --document] FILE",
		help: `Writes every field that is set and concerns machines, with its value, its class and where the class comes from. FILE is a provider
config, or a Worker or Shoot manifest, of which every worker pool is explained.

A provider config whose apiVersion and kind are not built in is an error, unless --schema names its Schema. Only in a pool of a provider that
is not built in it is shown as one field instead.
Exit code: 0; 1 is an error, 2 wrong usage.`,
		flags: func(flags *pflag.FlagSet) action {
			e := &explainer{output: addOutput(flags, textOutput, markdownOutput, jsonOutput)}
			e.pools.add(flags)
			flags.BoolVar(&e.document, "document", false, "write the exact bytes of the provider config that are hashed instead, without a newline;\nsha256sum of them is the hash")
			return e.run
		},
	}
}

type explainer struct {
	pools    poolFlags
	output   *outputFlag
	document bool
}

// explained are the fields of a provider config or of a pool.
type explained struct {
	pool   string
	fields hotupdate.Changes
}

func (e *explainer) run(c *call) (int, error) {
	if e.document {
		return exitOK, e.writeDocument(c)
	}
	all, err := e.explain(c)
	if err != nil {
		return 0, err
	}
	switch e.output.output {
	case textOutput:
		for i, one := range all {
			one.write(&c.out, i)
		}
	case markdownOutput:
		for _, one := range all {
			one.writeMarkdown(&c.out)
		}
	case jsonOutput:
		return exitOK, writeJSON(c, explainList{listVersion, jsonOf(all)})
	}
	return exitOK, nil
}

// writeDocument writes the canonical document of the only provider config.
func (e *explainer) writeDocument(c *call) error {
	if e.output.output != textOutput {
		return &usageError{"--document is written as it is; leave --output out"}
	}
	configs, err := e.pools.configs(c)
	if err != nil {
		return err
	}
	if len(configs) != 1 {
		return &usageError{fmt.Sprintf("--document writes one provider config, and there are %d; choose one with --pool", len(configs))}
	}
	document, err := hash.DocumentRaw(configs[0].schema, configs[0].raw)
	if err != nil {
		return inFile(configs[0].from, err)
	}
	_, err = c.out.Write(document)
	return err
}

func (e *explainer) explain(c *call) ([]explained, error) {
	if err := want(1, c.args); err != nil {
		return nil, err
	}
	schemas, err := newCatalog(e.pools.schema)
	if err != nil {
		return nil, err
	}
	m, err := readManifest(c.args[0], c.in)
	if err != nil {
		return nil, err
	}
	if m.pools != nil {
		return e.explainPools(m, schemas)
	}
	configs, err := e.pools.bareConfig(m, schemas)
	if err != nil {
		return nil, err
	}
	fields, err := hotupdate.DiffRaw(configs[0].schema, nil, m.raw)
	if err != nil {
		return nil, inFile(m.from, err)
	}
	return []explained{{fields: fields}}, nil
}

func (e *explainer) explainPools(m *manifest, schemas *catalog) ([]explained, error) {
	pools, err := e.pools.choose(m)
	if err != nil {
		return nil, err
	}
	if err := schemas.checkPools(m.from, pools); err != nil {
		return nil, err
	}
	options := pool.Options{Schema: schemas.schema}
	if err := pool.Check(pools, options); err != nil {
		return nil, inFile(m.from, err)
	}
	var all []explained
	for _, p := range pools {
		fields, err := pool.Explain(p, options)
		if err != nil {
			return nil, inFile(m.from, err)
		}
		all = append(all, explained{p.Worker.Name, fields})
	}
	return all, nil
}

// write writes a line for each field that is set, which is what sets the configuration apart from the empty one.
func (e explained) write(out io.Writer, before int) {
	if e.pool != "" {
		fmt.Fprint(out, strings.Repeat("\n", min(before, 1))+"pool "+printable(e.pool)+"\n")
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range e.fields {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", printable(f.Path), value(f), f.Class, printable(report.Origin(f)))
	}
	_ = table.Flush() // out is a buffer
}

func (e explained) writeMarkdown(out io.Writer) {
	if e.pool != "" {
		fmt.Fprintf(out, "### %s\n\n", code(e.pool))
	}
	fmt.Fprint(out, "| field | value | class | origin |\n| --- | --- | --- | --- |\n")
	for _, f := range e.fields {
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", code(f.Path), code(value(f)), f.Class, code(report.Origin(f)))
	}
	fmt.Fprintln(out)
}

// The JSON of explained fields.
type (
	explainList struct {
		FormatVersion int             `json:"formatVersion"`
		Pools         []jsonExplained `json:"pools"`
	}
	jsonExplained struct {
		Pool   string      `json:"pool,omitempty"`
		Fields []jsonField `json:"fields"`
	}
	jsonField struct {
		Path      string          `json:"path"`
		Pointer   string          `json:"pointer"`
		Class     string          `json:"class"`
		Origin    string          `json:"origin"`
		Source    string          `json:"source,omitempty"`
		Value     json.RawMessage `json:"value,omitempty"`
		Sensitive bool            `json:"sensitive,omitempty"`
	}
)

func jsonOf(all []explained) []jsonExplained {
	out := make([]jsonExplained, len(all))
	for i, e := range all {
		out[i] = jsonExplained{Pool: e.pool, Fields: []jsonField{}}
		for _, f := range e.fields {
			out[i].Fields = append(out[i].Fields, jsonField{
				Path: f.Path, Pointer: f.Pointer, Class: f.Class.String(), Origin: f.Origin.String(), Source: f.Source,
				Value: json.RawMessage(f.New), Sensitive: f.Sensitive,
			})
		}
	}
	return out
}
