package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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

// read reads the manifest that is the only argument, with the pools that the flag leaves, and the Schemas.
func (p *poolFlags) read(c *call) (*manifest, *catalog, error) {
	if err := want(1, c.args); err != nil {
		return nil, nil, err
	}
	schemas, err := newCatalog(p.schema)
	if err != nil {
		return nil, nil, err
	}
	m, err := readManifest(c.args[0], c.in)
	if err != nil {
		return nil, nil, err
	}
	if err := p.check(m); err != nil {
		return nil, nil, err
	}
	m.Pools, err = choose(m.Pools, p.pool, m.from, func(one pool.Pool) []string { return []string{one.Worker.Name} })
	return m, schemas, err
}

// check refuses a pool's name for a file without pools.
func (p *poolFlags) check(m *manifest) error {
	if p.pool != "" && m.isBare() {
		return &usageError{"--pool is for Worker and Shoot manifests, and not for a provider config"}
	}
	return nil
}

// choose returns the pool that has a name, which there must be, or all pools if the name is empty. The first of a pool's names is its own.
func choose[P any](pools []P, name, from string, namesOf func(P) []string) ([]P, error) {
	if name == "" {
		return pools, nil
	}
	var names []string
	for _, one := range pools {
		if slices.Contains(namesOf(one), name) {
			return []P{one}, nil
		}
		names = append(names, namesOf(one)[0])
	}
	if len(names) == 0 {
		names = []string{"none at all"}
	}
	return nil, fmt.Errorf("%s: has no worker pool %q; it has %s", from, name, printable(strings.Join(names, ", ")))
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
	all := make([]config, len(m.Pools))
	problems := make([]error, len(m.Pools))
	for i, one := range m.Pools {
		from := placeOfConfig(m.from, one)
		schema, err := schemas.schemaOfRaw(from, one.ProviderConfig)
		all[i], problems[i] = config{from, one.Worker.Name, schema, one.ProviderConfig}, err
	}
	return all, errors.Join(problems...)
}
