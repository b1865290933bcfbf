package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/examples/providers"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

func (p *process) schemaCommand() *cobra.Command {
	command := p.command(&cobra.Command{
		Use:   "schema [PROVIDER]",
		Short: "the Schemas of the provider configs that are built in",
		Long: `Writes the Schemas of the provider configs that are built in: every field with its type, class and options. Of one PROVIDER the JSON is
what --schema takes; of all of them it is an object with the list schemas, each with provider, apiVersion, kind and schema.`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				names = providerNames()
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}, func(c *call) (int, error) { return exitOK, printSchemas(c) },
		func(c *call, command *cobra.Command) { c.addOutput(command, jsonOutput, markdownOutput) })
	command.AddCommand(p.schemaDiffCommand())
	return command
}

// providerNames are the providers whose configs are built in.
func providerNames() (names []string) {
	for _, p := range providers.All() {
		names = append(names, p.Name)
	}
	return names
}

func printSchemas(c *call) error {
	all, err := builtIn()
	if err != nil {
		return err
	}
	if len(c.args) == 1 {
		names := providerNames()
		i := slices.Index(names, c.args[0])
		if i < 0 {
			return fmt.Errorf("no Schema of a provider %q is built in; there is %s", c.args[0], strings.Join(names, ", "))
		}
		if c.output.word == jsonOutput {
			return writeJSON(c, all[i].Schema)
		}
		all = all[i : i+1]
	}
	if c.output.word == jsonOutput {
		return writeList(c, "schemas", all)
	}
	return writeSchemas(&c.out, all)
}

// writeSchemas writes Schemas as Markdown, a table each.
func writeSchemas(out io.Writer, all []providerSchema) error {
	for _, s := range all {
		var document schemajson.Document
		if err := json.Unmarshal(s.Schema, &document); err != nil {
			return err
		}
		fmt.Fprintf(out, "## %s\n\n%s %s, fingerprint %s\n\n", code(s.Provider), code(s.APIVersion), code(s.Kind), code(document.Fingerprint))
		writeMarkdown(out, []string{"field", "type", "class", "options"}, fieldRows("", document.Root))
		fmt.Fprintln(out)
	}
	return nil
}

// fieldRows returns a row for every field below a node: those of an object, or of the elements of a collection.
func fieldRows(path string, n *schemajson.Node) (rows [][]string) {
	for n.Elem != nil {
		path, n = path+"[]", n.Elem
	}
	for _, f := range n.Fields {
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		rows = append(rows, []string{code(at), code(typeOf(f.Type)), f.Class, code(strings.Join(f.Options(), ", "))})
		rows = append(rows, fieldRows(at, f.Type)...)
	}
	return rows
}

func typeOf(n *schemajson.Node) string {
	switch {
	case n.Kind == "map":
		return "map of " + typeOf(n.Elem)
	case n.Elem != nil:
		return n.Kind + " of " + typeOf(n.Elem)
	case n.Bits != 0:
		return fmt.Sprintf("%s%d", n.Kind, n.Bits)
	default:
		return n.Kind
	}
}

func (p *process) schemaDiffCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "diff OLD NEW",
		Short: "what another Schema does to configs that nobody touches",
		Long: `Tells what a release that brings the Schema NEW instead of OLD does to configurations that nobody touches: every difference, with what it
does to hashes and which configurations it refuses. A difference by which pools may roll or configurations may be refused is marked with !.

OLD and NEW are files: a Schema (as hotupdate schema PROVIDER or Schema.MarshalJSON writes it), a golden file of hotupdatetest, or a set of
eras (see hotupdate audit), of which the Schema is compared that configs are read by.

Exit code: 0; with --exit-code 13 if a configuration may be refused, else 12 if a pool may roll. 1 is an error, 2 wrong usage.`,
		Args:              files(2),
		ValidArgsFunction: atMost(2),
	}, diffSchemas, (*call).addOutputs, func(c *call, command *cobra.Command) {
		command.Flags().BoolVar(&c.exitCode, "exit-code", false, "tell the gravest consequence by the exit code as well")
	})
}

// schemaDiff is what schema diff writes in JSON.
type schemaDiff struct {
	FormatVersion  int           `json:"formatVersion"`
	OldFingerprint string        `json:"oldFingerprint"`
	NewFingerprint string        `json:"newFingerprint"`
	Harmless       bool          `json:"harmless"`
	Findings       []jsonFinding `json:"findings"`
}

type jsonFinding struct {
	hotupdate.Finding

	Harmless bool   `json:"harmless"`
	Text     string `json:"text"`
}

func diffSchemas(c *call) (int, error) {
	old, oldErr := release.Read(c.args[0])
	updated, newErr := release.Read(c.args[1])
	if err := errors.Join(oldErr, newErr); err != nil {
		return 0, err
	}
	findings, err := hotupdate.Compatibility(old.Schema, updated.Schema)
	if err != nil {
		return 0, err
	}
	err = c.write(
		func() {
			if len(findings) == 0 {
				fmt.Fprintln(&c.out, "the Schemas mean the same")
			}
			for _, f := range findings {
				fmt.Fprintf(&c.out, "%s %s\n", marker(f), printable(f.String()))
			}
		},
		func() {
			var rows [][]string
			for _, f := range findings {
				rows = append(rows, []string{marker(f), code(f.Path), f.Kind, code(f.String())})
			}
			writeMarkdown(&c.out, []string{"", "field", "change", "consequence"}, rows)
		},
		func() error { return writeDiffJSON(c, old.Schema, updated.Schema, findings) },
	)
	if !c.exitCode {
		return exitOK, err
	}
	return exitCodeOfFindings(findings), err
}

func exitCodeOfFindings(findings []hotupdate.Finding) int {
	code := exitOK
	for _, f := range findings {
		if f.Rolls.Where != "" {
			code = max(code, exitRoll)
		}
		if f.Refuses.Where != "" {
			code = exitForbidden
		}
	}
	return code
}

// marker is ! for what may roll or refuse something.
func marker(f hotupdate.Finding) string {
	if f.Harmless() {
		return " "
	}
	return "!"
}

func writeDiffJSON(c *call, old, updated *hotupdate.Schema, findings []hotupdate.Finding) error {
	before, oldErr := old.Fingerprint()
	after, newErr := updated.Fingerprint()
	if err := errors.Join(oldErr, newErr); err != nil {
		return err
	}
	d := schemaDiff{FormatVersion: listVersion, OldFingerprint: before, NewFingerprint: after, Harmless: true, Findings: []jsonFinding{}}
	for _, f := range findings {
		d.Harmless = d.Harmless && f.Harmless()
		d.Findings = append(d.Findings, jsonFinding{f, f.Harmless(), f.String()})
	}
	return writeJSON(c, d)
}

// providerSchema is a provider config that is built in: that of an example, in the form that every program reads.
type providerSchema struct {
	Provider   string          `json:"provider"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Schema     json.RawMessage `json:"schema"`
}

// builtIn returns the provider configs that are built in, by the names of their providers.
func builtIn() (all []providerSchema, err error) {
	for _, p := range providers.All() {
		schema, schemaErr := p.Schema()
		text, textErr := schema.MarshalJSON()
		err = errors.Join(err, schemaErr, textErr)
		all = append(all, providerSchema{p.Name, p.APIVersion, p.Kind, text})
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
		given, err := release.Read(schemaFile)
		if err == nil {
			c.given = given.Schema
		}
		return c, err
	}
	all, err := builtIn()
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		schema, err := hotupdate.LoadSchema(s.Schema) // whose messages do not name Go types
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
		return hotupdate.SchemaOf[struct {
			Nothing *bool `json:"nothing,omitempty"`
		}]()
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
