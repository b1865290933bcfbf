package main

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// The Schemas of the providers in examples. The command does not import them: it reads what every program reads.
//
//go:generate go test -run ^TestSchemasAreThoseOfTheExamples$ -update .
//go:embed schemas/*.json
var schemaFiles embed.FS

// providerSchema is a provider config that is built in: the content of one of the embedded files.
type providerSchema struct {
	Provider   string          `json:"provider"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Schema     json.RawMessage `json:"schema"`
}

// builtIn returns the provider configs that are built in, by the names of their providers.
func builtIn() ([]providerSchema, error) {
	files, err := schemaFiles.ReadDir("schemas")
	all := make([]providerSchema, len(files))
	for i, file := range files {
		data, readErr := schemaFiles.ReadFile("schemas/" + file.Name())
		err = errors.Join(err, readErr, json.Unmarshal(data, &all[i]))
	}
	return all, err
}

// known lists the kinds of provider configs that are built in.
func known() string {
	all, _ := builtIn() // a test reads them
	var names []string
	for _, s := range all {
		names = append(names, s.APIVersion+" "+s.Kind)
	}
	return strings.Join(names, ", ")
}

// catalog finds the Schema of a provider config.
type catalog struct {
	given *hotupdate.Schema // for every kind, if there is one
	known map[pool.TypeMeta]*hotupdate.Schema
	own   map[string]bool // providers that are built in, by their names and by their API groups
}

// newCatalog loads the built-in Schemas or, if a file is named, the one Schema that replaces them.
func newCatalog(schemaFile string) (*catalog, error) {
	c := &catalog{known: map[pool.TypeMeta]*hotupdate.Schema{}, own: map[string]bool{}}
	if schemaFile != "" {
		given, err := readRelease(schemaFile)
		if err == nil {
			c.given = given.schema
		}
		return c, err
	}
	all, err := builtIn()
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		schema, err := hotupdate.LoadSchema(s.Schema)
		if err != nil {
			return nil, inFile("the Schema of "+s.Provider, err)
		}
		c.known[pool.TypeMeta{APIVersion: s.APIVersion, Kind: s.Kind}] = schema
		c.own[s.Provider], c.own[groupOf(s.APIVersion)] = true, true
	}
	return c, nil
}

// schema returns the Schema of a kind of provider config, nil if it is not known.
func (c *catalog) schema(meta pool.TypeMeta) *hotupdate.Schema { return cmp.Or(c.given, c.known[meta]) }

// schemaOf returns the Schema of a provider config, which there must be.
func (c *catalog) schemaOf(from string, kind pool.TypeMeta) (*hotupdate.Schema, error) {
	if schema := c.schema(kind); schema != nil {
		return schema, nil
	}
	return nil, fmt.Errorf("%s: has the unknown apiVersion %q and kind %q; known is %s; name the Schema of another one with --schema",
		from, kind.APIVersion, kind.Kind, known())
}

// schemaOfRaw returns the Schema of a provider config that may be missing. The empty one is the same under every Schema.
func (c *catalog) schemaOfRaw(from string, raw []byte) (*hotupdate.Schema, error) {
	if pool.IsNull(raw) {
		return hotupdate.SchemaOf[emptyConfig]()
	}
	kind, err := kindOf(raw)
	if err != nil {
		return nil, inFile(from, err)
	}
	return c.schemaOf(from, kind)
}

// check reports a provider config of a built-in provider in a version or kind that is not: a typo, or newer than this command. Compared as a
// whole, it would get another verdict than the provider's own code gives. Every config in a pool of a built-in provider is that provider's.
func (c *catalog) check(from string, pools []pool.Pool) error {
	var problems []error
	for _, p := range pools {
		kind, err := kindOf(p.ProviderConfig)
		if c.own[p.Provider] || err == nil && c.own[groupOf(kind.APIVersion)] {
			_, err := c.schemaOfRaw(placeOfConfig(from, p), p.ProviderConfig)
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// placeOfConfig names a pool's provider config, or the file that is one.
func placeOfConfig(from string, p pool.Pool) string {
	if p.Worker.Name == "" {
		return from
	}
	return fmt.Sprintf("%s: pool %q: providerConfig", from, p.Worker.Name)
}

// groupOf returns the API group of an apiVersion.
func groupOf(apiVersion string) string {
	group, _, _ := strings.Cut(apiVersion, "/")
	return group
}

// emptyConfig is the type of a missing provider config.
type emptyConfig struct {
	Nothing *bool `json:"nothing,omitempty"`
}
