package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
)

// stdin is the file argument that stands for standard input.
const stdin = manifests.Stdin

// addPools adds the flags that choose pools and the Schema of their provider configs.
func (c *call) addPools(command *cobra.Command) {
	command.Flags().StringArrayVar(&c.pools, "pool", nil, "only the worker pool of this `NAME`; give the flag again for another one")
	command.Flags().StringVar(&c.schema, "schema", "", "the `FILE` with the Schema of the provider config, for one that is not built in")
	complete(command, "pool", c.completePools)
}

// read reads the manifest that is the only argument.
func (c *call) read() (*side.Reader, *side.Manifest, error) {
	r, err := c.reader()
	if err != nil {
		return nil, nil, err
	}
	m, err := r.One(c.args[0])
	return r, m, err
}

// config is a provider config to be looked at: on its own, or of a worker pool.
type config struct {
	from   string // for messages
	pool   string
	schema *hotupdate.Schema
	raw    []byte
}

// configs returns the provider config of a file, or those of the pools of a Worker or Shoot. Each must have a Schema.
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
