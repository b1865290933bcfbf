package side

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// ProviderSchema is a built-in provider config, in the JSON form of a Schema.
type ProviderSchema struct {
	Provider   string          `json:"provider"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Schema     json.RawMessage `json:"schema"`
}

// BuiltIn returns the built-in provider configs, by the names of their providers.
func BuiltIn(providers []provider.Provider) (schemas []ProviderSchema, err error) {
	for _, p := range providers {
		one, problem := builtIn(p)
		schemas = append(schemas, one)
		err = errors.Join(err, problem)
	}
	return schemas, err
}

func builtIn(p provider.Provider) (ProviderSchema, error) {
	one := ProviderSchema{Provider: p.Name, APIVersion: p.APIVersion, Kind: p.Kind}
	schema, err := p.Schema()
	if err != nil {
		return one, err
	}
	one.Schema, err = schema.MarshalJSON()
	return one, err
}

// kinds lists the kinds of the built-in provider configs.
func (c *Catalog) kinds() string {
	var names []string
	for _, p := range c.providers {
		names = append(names, p.APIVersion+" "+p.Kind)
	}
	return strings.Join(names, ", ")
}

// Catalog finds the Schema of a provider config.
type Catalog struct {
	given *hotupdate.Schema // replaces all others, if not nil
	// known loads the built-in Schemas. A Schema is compiled when a config of its kind is read.
	known map[facts.TypeMeta]func() (*hotupdate.Schema, error)
	own   map[string]bool // the built-in providers, by their names and by their API groups

	providers []provider.Provider // that are built in

	custom *crds.Set // custom resources; nil for none
}

// NewCatalog returns a Catalog of the built-in Schemas or, if a file is named, of the one Schema that
// replaces them.
func NewCatalog(schemaFile string, providers []provider.Provider) (*Catalog, error) {
	c := &Catalog{
		known: map[facts.TypeMeta]func() (*hotupdate.Schema, error){}, own: map[string]bool{}, providers: providers,
	}
	if schemaFile != "" {
		given, err := release.Read(schemaFile)
		if err == nil {
			c.given = given.Schema
		}
		return c, err
	}
	for _, p := range providers {
		c.known[facts.TypeMeta{APIVersion: p.APIVersion, Kind: p.Kind}] = sync.OnceValues(p.Schema)
		c.own[p.Name] = true
		c.own[facts.GroupOf(p.APIVersion)] = true
	}
	return c, nil
}

// versionsOf returns the apiVersions of a kind that is read, in order.
func (c *Catalog) versionsOf(kind string) []string {
	versions := append(facts.VersionsOf(kind), c.custom.APIVersions(kind)...)
	for meta := range c.known {
		if meta.Kind == kind {
			versions = append(versions, meta.APIVersion)
		}
	}
	slices.Sort(versions)
	return versions
}

// Kinds are the kinds of the objects that are read, in order; nil if they may be of any kind.
func (c *Catalog) Kinds() []string {
	if c.given != nil {
		return nil
	}
	all := append(facts.Kinds(), configKind)
	for meta := range c.known {
		all = append(all, meta.Kind)
	}
	all = append(all, c.custom.Kinds()...)
	slices.Sort(all)
	return slices.Compact(all)
}

// configKind is the kind of a provider config in every API group.
const configKind = "WorkerConfig"

// Schema returns the Schema of a kind of provider config, or nil if it is not known or cannot be
// compiled. The configs of a side were read before by [Catalog.SchemaOf], which reports the latter.
func (c *Catalog) Schema(meta facts.TypeMeta) *hotupdate.Schema {
	schema, _ := c.find(meta)
	return schema
}

// find returns the Schema of a kind of provider config; nil without an error if it is not known.
func (c *Catalog) find(meta facts.TypeMeta) (*hotupdate.Schema, error) {
	if c.given != nil {
		return c.given, nil
	}
	if load := c.known[meta]; load != nil {
		return load()
	}
	return nil, nil //nolint:nilnil // it is not known
}

// SchemaOf returns the Schema of a provider config. A config without a Schema is an error.
func (c *Catalog) SchemaOf(from string, kind facts.TypeMeta) (*hotupdate.Schema, error) {
	schema, err := c.find(kind)
	if err != nil {
		return nil, manifests.InFile(from, err)
	}
	if schema != nil {
		return schema, nil
	}
	hint := "name the Schema of another one with --schema"
	if c.custom != nil {
		hint = "no CRD in --crd defines it"
	}
	return nil, fmt.Errorf("%s: has the unknown apiVersion %q and kind %q; known is %s; %s", from, kind.APIVersion,
		kind.Kind, c.kinds(), hint)
}

// schemaOfConfig returns the Schema of a provider config that may be missing. A missing config means
// the same under every Schema.
func (c *Catalog) schemaOfConfig(from string, config facts.Config) (*hotupdate.Schema, error) {
	if config.IsAbsent() {
		return hotupdate.SchemaOf[struct{}]()
	}
	kind, err := c.kindOf(config.Tree())
	if err != nil {
		return nil, manifests.InFile(from, err)
	}
	return c.SchemaOf(from, kind)
}

// check reports a provider config of a built-in provider whose version or kind is not built in: a
// typo, or newer than this command. If it were compared as a whole, its verdict would differ from
// the behavior of the provider's own code. Every config in a pool of a built-in provider belongs to
// that provider.
func (c *Catalog) check(from string, pools []facts.Pool) error {
	var problems []error
	for _, p := range pools {
		kind, err := c.kindOf(p.Config.Tree())
		if c.own[p.Provider] || err == nil && c.own[facts.GroupOf(kind.APIVersion)] {
			_, err := c.schemaOfConfig(placeOfConfig(from, p), p.Config)
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// placeOfConfig names a pool's provider config, or the file if it is a bare provider config.
func placeOfConfig(from string, p facts.Pool) string {
	if p.Worker.Name == "" {
		return from
	}
	return fmt.Sprintf("%s: pool %q: providerConfig", from, p.Worker.Name)
}

// kindOf returns the apiVersion and kind of a manifest. A manifest without them is an error.
func (c *Catalog) kindOf(object *tree.Node) (facts.TypeMeta, error) {
	meta := facts.TypeMetaOf(object)
	if meta.APIVersion == "" || meta.Kind == "" {
		return meta,
			errors.New("is not an object with the strings apiVersion and kind; write a Worker, a Shoot or a provider " +
				"config, such as " + c.kinds())
	}
	return meta, nil
}
