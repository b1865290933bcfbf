package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

func hashCommand() command {
	return command{
		name:     "hash",
		synopsis: "[--pool NAME] [--schema FILE] [--output FORMAT] FILE",
		help: `Writes v1: and the SHA-256 of the provider config's canonical document: its fields without the hot and ignored ones. FILE is a provider
config, or a Worker or Shoot manifest, of which every worker pool gets a line. A pool without a provider config has the hash of the empty one.

This is what an extension adds to a pool's hash. The whole hash of a pool depends on state that no manifest holds.

A provider config whose apiVersion and kind are not built in has no hash, which is an error, unless --schema names its Schema.
Exit code: 0; 1 is an error, 2 wrong usage.`,
		flags: func(flags *pflag.FlagSet) action {
			h := &hasher{output: addOutput(flags, textOutput, markdownOutput, jsonOutput)}
			h.pools.add(flags)
			return h.run
		},
	}
}

type hasher struct {
	pools  poolFlags
	output *outputFlag
}

// hashed is the hash of a provider config, in JSON as well.
type hashed struct {
	Pool string `json:"pool,omitempty"`
	Hash string `json:"hash"`
}

func (h *hasher) run(c *call) (int, error) {
	configs, err := h.pools.configs(c)
	if err != nil {
		return 0, err
	}
	all := make([]hashed, 0, len(configs))
	var problems []error
	for _, config := range configs {
		sum, err := hash.OfRaw(config.schema, config.raw)
		if err != nil {
			problems = append(problems, inFile(config.from, err))
		}
		all = append(all, hashed{config.pool, sum.String()})
	}
	if err := errors.Join(problems...); err != nil {
		return 0, err
	}
	return exitOK, h.write(c, all)
}

func (h *hasher) write(c *call, all []hashed) error {
	switch h.output.output {
	case textOutput:
		table := tabwriter.NewWriter(&c.out, 0, 0, 2, ' ', 0)
		for _, one := range all {
			if one.Pool != "" {
				fmt.Fprint(table, printable(one.Pool)+"\t")
			}
			fmt.Fprintln(table, one.Hash)
		}
		return table.Flush()
	case markdownOutput:
		h.writeMarkdown(&c.out, all)
	case jsonOutput:
		return writeJSON(c, hashList{listVersion, all})
	}
	return nil
}

// writeMarkdown writes a table. A provider config on its own is of no pool.
func (h *hasher) writeMarkdown(out io.Writer, all []hashed) {
	if len(all) == 1 && all[0].Pool == "" {
		fmt.Fprintf(out, "| hash |\n| --- |\n| %s |\n", code(all[0].Hash))
		return
	}
	fmt.Fprint(out, "| worker pool | hash |\n| --- | --- |\n")
	for _, one := range all {
		fmt.Fprintf(out, "| %s | %s |\n", code(one.Pool), code(one.Hash))
	}
}

// config is a provider config to be looked at: on its own, or of a worker pool.
type config struct {
	from   string // for messages
	pool   string
	schema *hotupdate.Schema
	raw    []byte
}

// configs returns the provider config of a file, or those of the pools of a Worker or Shoot.
func (p *poolFlags) configs(c *call) ([]config, error) {
	if err := want(1, c.args); err != nil {
		return nil, err
	}
	schemas, err := newCatalog(p.schema)
	if err != nil {
		return nil, err
	}
	m, err := readManifest(c.args[0], c.in)
	if err != nil {
		return nil, err
	}
	if m.pools == nil {
		return p.bareConfig(m, schemas)
	}
	pools, err := p.choose(m)
	if err != nil {
		return nil, err
	}
	var all []config
	var problems []error
	for _, pool := range pools {
		from := placeOfConfig(m.from, pool)
		schema, err := schemas.schemaOfRaw(from, pool.ProviderConfig)
		if err != nil {
			problems = append(problems, err)
		}
		all = append(all, config{from, pool.Worker.Name, schema, pool.ProviderConfig})
	}
	return all, errors.Join(problems...)
}

func (p *poolFlags) bareConfig(m *manifest, schemas *catalog) ([]config, error) {
	if p.pool != "" {
		return nil, &usageError{"--pool is for Worker and Shoot manifests; this is a provider config"}
	}
	schema, err := schemas.schemaOf(m.from, m.kind)
	if err != nil {
		return nil, err
	}
	return []config{{from: m.from, schema: schema, raw: m.raw}}, nil
}

// listVersion is the format of the lists that hash, explain and schema write as JSON.
const listVersion = 1

// hashList is the JSON of all hashes.
type hashList struct {
	FormatVersion int      `json:"formatVersion"`
	Hashes        []hashed `json:"hashes"`
}

func writeJSON(c *call, value any) error {
	encoder := json.NewEncoder(&c.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
