package main

import (
	"errors"

	"github.com/spf13/pflag"
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
		flags: func(flags *pflag.FlagSet, c *call) {
			c.addOutput(flags, textOutput, markdownOutput, jsonOutput)
			c.addPools(flags)
		},
		do: hashConfigs,
	}
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
	return exitOK, writeHashes(c, all)
}

func writeHashes(c *call, all []hashed) error {
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
	return c.output.write(
		func() { writeColumns(&c.out, rows(printable)) },
		func() { writeMarkdown(&c.out, header, rows(code)) },
		func() error { return writeList(c, "hashes", all) },
	)
}
