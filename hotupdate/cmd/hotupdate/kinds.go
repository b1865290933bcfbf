package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
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
	files, err := fs.Glob(schemaFiles, "schemas/*.json")
	if err != nil {
		return nil, err
	}
	var all []providerSchema
	for _, file := range files {
		data, err := schemaFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var s providerSchema
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, s)
	}
	return all, nil
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
	known map[kindName]*hotupdate.Schema
}

// newCatalog loads the Schemas that are built in and, if a file is named, the one that takes their place.
func newCatalog(schemaFile string) (*catalog, error) {
	c := &catalog{known: map[kindName]*hotupdate.Schema{}}
	if schemaFile != "" {
		given, err := readSchema(schemaFile)
		c.given = given
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
		c.known[kindName{s.APIVersion, s.Kind}] = schema
	}
	return c, nil
}

// readSchema reads a Schema from its JSON.
func readSchema(file string) (*hotupdate.Schema, error) {
	data, err := readWhole(file)
	if err != nil {
		return nil, err
	}
	var list struct {
		Schemas json.RawMessage `json:"schemas"`
	}
	if json.Unmarshal(data, &list) == nil && list.Schemas != nil {
		return nil, fmt.Errorf("%s: is a list of Schemas; write one Schema, as `hotupdate schema PROVIDER` does", file)
	}
	schema, err := hotupdate.LoadSchema(data)
	if err != nil {
		return nil, inFile(file, err)
	}
	return schema, nil
}

// schema returns the Schema of a kind of provider config, nil if it is not known.
func (c *catalog) schema(apiVersion, kind string) *hotupdate.Schema {
	if c.given != nil {
		return c.given
	}
	return c.known[kindName{apiVersion, kind}]
}

// schemaOf returns the Schema of a provider config, which there must be.
func (c *catalog) schemaOf(from string, kind kindName) (*hotupdate.Schema, error) {
	if schema := c.schema(kind.apiVersion, kind.kind); schema != nil {
		return schema, nil
	}
	return nil, fmt.Errorf("%s: has the unknown apiVersion %q and kind %q; known is %s; name the Schema of another one with --schema",
		from, kind.apiVersion, kind.kind, known())
}

// schemaOfRaw returns the Schema of a provider config that may be missing. The empty one is the same under every Schema.
func (c *catalog) schemaOfRaw(from string, raw []byte) (*hotupdate.Schema, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return hotupdate.SchemaOf[emptyConfig]()
	}
	kind, err := kindOf(raw)
	if err != nil {
		return nil, withPlace(from, err)
	}
	return c.schemaOf(from, kind)
}

// emptyConfig stands for every provider config that says nothing.
type emptyConfig struct {
	Nothing *bool `json:"nothing,omitempty"`
}
