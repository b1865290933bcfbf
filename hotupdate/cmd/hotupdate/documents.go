package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// stdin is the file argument that stands for standard input.
const stdin = manifests.Stdin

// manifest is a Worker, a Shoot or a provider config on its own.
type manifest struct {
	from   string
	kind   pool.TypeMeta
	object *manifests.Object
	// Manifest holds the pools of a Worker or Shoot, or the bare one of a provider config.
	*pool.Manifest
}

// isBare reports whether the manifest is a provider config on its own.
func (m *manifest) isBare() bool { return m.Kind == pool.NoKind }

func nameOf(file string) string {
	if file == stdin {
		return "standard input"
	}
	return file
}

// kindOf returns the apiVersion and kind of a manifest, which it must have.
func kindOf(raw []byte) (pool.TypeMeta, error) {
	var meta struct {
		APIVersion *string `json:"apiVersion"`
		Kind       *string `json:"kind"`
	}
	if err := json.Unmarshal(raw, &meta); err != nil {
		return pool.TypeMeta{}, errors.New("is no object with the strings apiVersion and kind; write a provider config, a Worker or a Shoot")
	}
	if meta.APIVersion == nil || meta.Kind == nil {
		return pool.TypeMeta{}, errors.New("has no apiVersion and kind; write them, such as " + known())
	}
	return pool.TypeMeta{APIVersion: *meta.APIVersion, Kind: *meta.Kind}, nil
}

// inFile puts the file, or the place in it, in front of every problem, a line each.
func inFile(file string, err error) error { return manifests.InFile(file, err) }

// addPools adds the flags that choose pools and the Schema of their provider configs.
func (c *call) addPools(command *cobra.Command) {
	command.Flags().StringArrayVar(&c.pools, "pool", nil, "only the worker pool of this `NAME`; give the flag again for another one")
	command.Flags().StringVar(&c.schema, "schema", "", "the `FILE` with the Schema of the provider config, for one that is not built in")
	complete(command, "pool", c.completePools)
	completeFiles(command, []string{"json"}, "schema")
}

// read reads the manifest that is the only argument, with the pools that the flag leaves, and the Schemas.
func (c *call) read() (*manifest, *catalog, error) {
	schemas, err := newCatalog(c.schema)
	if err != nil {
		return nil, nil, err
	}
	if info, err := os.Stat(c.args[0]); c.args[0] != stdin && err == nil && info.IsDir() {
		return nil, nil, inFile(c.args[0], syscall.EISDIR)
	}
	r := &reader{call: c, schemas: schemas, options: pool.Options{Schema: schemas.schema}}
	found := r.read(c.args[0])
	if err := errors.Join(r.problems...); err != nil {
		return nil, nil, err
	}
	if len(found) != 1 {
		return nil, nil, fmt.Errorf("%s: has %d manifests; split it into files of one manifest each", nameOf(c.args[0]), len(found))
	}
	m := found[0]
	m.Pools, err = choose(m.Pools, c.pools, m.from, func(one pool.Pool) []string { return []string{one.Worker.Name} })
	return m, schemas, err
}

// checkPool refuses a pool's name for a file without pools.
func (o *options) checkPool(m *manifest) error {
	if len(o.pools) > 0 && m.isBare() {
		return &usageError{"--pool is for Worker and Shoot manifests, and not for a provider config"}
	}
	return nil
}

// choose returns the pools that have one of the wanted names, or all pools if none is wanted. The first of a pool's names is its own. There must
// be a pool of every wanted name.
func choose[P any](pools []P, wanted []string, from string, namesOf func(P) []string) ([]P, error) {
	if len(wanted) == 0 {
		return pools, nil
	}
	var chosen []P
	var names []string
	missing := slices.Clone(wanted)
	for _, one := range pools {
		own := namesOf(one)
		names = append(names, own[0])
		if slices.ContainsFunc(own, func(name string) bool { return slices.Contains(wanted, name) }) {
			chosen = append(chosen, one)
			missing = slices.DeleteFunc(missing, func(name string) bool { return slices.Contains(own, name) })
		}
	}
	if len(missing) == 0 {
		return chosen, nil
	}
	if len(names) == 0 {
		names = []string{"none at all"}
	}
	return nil, fmt.Errorf("%s: has no worker pool %s; it has %s", from, quoted(missing), printable(strings.Join(names, ", ")))
}

// quoted lists names in quotes.
func quoted(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = strconv.Quote(name)
	}
	return strings.Join(all, ", ")
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
	m, schemas, err := c.read()
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
