package main

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// poolFlags choose pools and the Schema of their provider configs.
type poolFlags struct{ pool, schema string }

func (p *poolFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&p.pool, "pool", "", "only the worker pool of this `NAME`")
	flags.StringVar(&p.schema, "schema", "", "the `FILE` with the Schema of the provider config, for one that is not built in")
}

// read reads the manifest that is the only argument, and the Schemas.
func (p *poolFlags) read(c *call) (*manifest, *catalog, error) {
	if err := want(1, c.args); err != nil {
		return nil, nil, err
	}
	schemas, err := newCatalog(p.schema)
	if err != nil {
		return nil, nil, err
	}
	m, err := readManifest(c.args[0], c.in)
	return m, schemas, err
}

// choose returns the pools of a manifest that the flag leaves, which must be some.
func (p *poolFlags) choose(m *manifest) ([]pool.Pool, error) {
	if p.pool == "" {
		return m.Pools, nil
	}
	if m.isBare() {
		return nil, &usageError{"--pool is for Worker and Shoot manifests; this is a provider config"}
	}
	var names []string
	for _, one := range m.Pools {
		if one.Worker.Name == p.pool {
			return []pool.Pool{one}, nil
		}
		names = append(names, one.Worker.Name)
	}
	return nil, noPool(p.pool, m.from, names)
}

// config is a provider config to be looked at: on its own, or of a worker pool.
type config struct {
	from   string // for messages
	pool   string
	schema *hotupdate.Schema
	raw    []byte
}

// configs returns the provider config of a file, or those of the pools of a Worker or Shoot. Each must have a Schema.
func (p *poolFlags) configs(c *call) ([]config, error) {
	m, schemas, err := p.read(c)
	if err != nil {
		return nil, err
	}
	pools, err := p.choose(m)
	if err != nil {
		return nil, err
	}
	all := make([]config, len(pools))
	problems := make([]error, len(pools))
	for i, one := range pools {
		from := placeOfConfig(m.from, one)
		schema, err := schemas.schemaOfRaw(from, one.ProviderConfig)
		all[i], problems[i] = config{from, one.Worker.Name, schema, one.ProviderConfig}, err
	}
	return all, errors.Join(problems...)
}
