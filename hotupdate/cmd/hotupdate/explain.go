package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

func (c *call) explainCommand() *cobra.Command {
	return c.command(&cobra.Command{
		Use:   "explain FILE",
		Short: "the class of every field that is set",
		Args:  needs("FILE"),
	}, c.explainFields, c.addOutput(textOutput, jsonOutput), c.addPools, c.addDefinitions, c.addDocument,
		c.addConfig, c.addFacts)
}

func (c *call) addDocument(command *cobra.Command) {
	command.Flags().BoolVar(&c.document, "document", false,
		"write the exact bytes of the provider config or spec that are hashed instead, without a newline;\n"+
			"sha256sum of them is the hash")
	command.MarkFlagsMutuallyExclusive("document", "output")
}

// explained are the fields of a provider config or of a pool. Manifest names the object if the file has several.
type explained struct {
	Manifest string `json:"manifest,omitempty"`

	Pool   string       `json:"pool,omitempty"`
	Fields []fieldShown `json:"fields"`
}

// fieldShown is a set field in JSON. Today says what a change of the field does under the extension
// that receives it; it is empty for custom resources. As is the meaning of the value, if it differs
// from the value, and By says how As was derived, see schemabridge.Description.
type fieldShown struct {
	Path      string          `json:"path"`
	Pointer   string          `json:"pointer"`
	Today     string          `json:"today,omitempty"`
	Class     string          `json:"class"`
	Origin    string          `json:"origin"`
	Source    string          `json:"source,omitempty"`
	Value     json.RawMessage `json:"value,omitempty"`
	Sensitive bool            `json:"sensitive,omitempty"`
	As        string          `json:"as,omitempty"`
	By        string          `json:"by,omitempty"`

	inSpec bool // of a custom resource
}

// origin says what the class comes from.
func (f fieldShown) origin() string {
	if f.inSpec {
		return report.OriginInSpec(f.Origin, f.Source)
	}
	return report.Origin(f.Origin, f.Source)
}

func (c *call) explainFields() (int, error) {
	if err := c.configureAndTell(); err != nil {
		return 0, err
	}
	if c.document {
		return exitOK, writeDocument(c)
	}
	all, err := perPool(c, explainPool)
	if err != nil {
		return 0, err
	}
	var parts []string
	for _, one := range all {
		parts = append(parts, one.text())
	}
	return c.show(strings.Join(parts, "\n"), listed("pools", all))
}

// writeDocument writes the canonical document of the only provider config.
func writeDocument(c *call) error {
	documents, err := perPool(c, bySchema((*hotupdate.Schema).DocumentRaw))
	switch {
	case err != nil:
		return err
	case len(documents) != 1:
		return &usageError{
			fmt.Sprintf("--document writes one provider config, and there are %d; choose one with --pool",
				len(documents)),
		}
	}
	c.out.Write(documents[0])
	return nil
}

func explainPool(r *side.Reader, m *side.Input, p facts.Pool) (explained, error) {
	one := explained{Manifest: m.Title, Pool: p.Worker.Name, Fields: []fieldShown{}}
	if m.IsBare() {
		if _, err := r.SchemaOf(m, p); err != nil {
			return one, err
		}
	}
	options := r.OptionsOf(m)
	isCustom := options.Custom != nil
	fields, err := pool.Explain(p, options)
	for _, f := range fields {
		today := ""
		if !isCustom {
			today = pool.Today(m.Manifest, &p, f.Change, options).String()
		}
		one.Fields = append(one.Fields, fieldShown{
			Today: today, Path: f.Path, Pointer: f.Pointer, Class: m.ClassOf(f.Change),
			Origin: f.Origin, Source: f.Source,
			Value: json.RawMessage(f.New), Sensitive: f.Sensitive, As: f.As, By: f.By, inSpec: isCustom,
		})
	}
	return one, manifests.InFile(m.PlaceOfConfig(p), err)
}

// text returns a table with a row for each field that is set.
func (e explained) text() string {
	var rows [][]string
	for _, f := range e.Fields {
		value := string(f.Value)
		if f.Sensitive {
			value = "(sensitive)"
		}
		row := []string{f.Path, value, f.Class, f.origin(), f.meaning()}
		if f.Today != "" {
			row = slices.Insert(row, 2, f.Today)
		}
		rows = append(rows, row)
	}
	if len(e.Fields) > 0 && e.Fields[0].Today != "" {
		rows = slices.Insert(rows, 0, []string{"field", "value", "a change today", "class", "declared by", ""})
	}
	title := printable(e.Manifest)
	if e.Pool != "" {
		title = strings.TrimSpace(title + " pool " + printable(e.Pool))
	}
	if title != "" {
		title += "\n"
	}
	return title + plaintext.Table(rows)
}

// meaning says what the value means, such as: quantity by its pattern.
func (f fieldShown) meaning() string {
	if f.As == "" {
		return ""
	}
	return f.As + " by " + f.By
}

func (c *call) hashCommand() *cobra.Command {
	return c.command(&cobra.Command{
		Use:   "hash FILE",
		Short: "the digest that a worker pool's name depends on",
		Args:  needs("FILE"),
	}, c.hashConfigs, c.addOutput(textOutput, jsonOutput), c.addPools, c.addDefinitions)
}

// hashed is the canonical hash of a provider config, also in JSON. Today is what today's release of the
// extension hashes instead; nil if that is not known.
type hashed struct {
	Manifest string `json:"manifest,omitempty"` // if the file has several

	Pool  string       `json:"pool,omitempty"`
	Hash  string       `json:"hash"`
	Today *hashedToday `json:"today,omitempty"`
}

// hashedToday is the digest of the data that today's release adds to the name of a pool, see
// [hash.Compose]. Era describes the data. If the manifest lacks some of them, there is no digest.
type hashedToday struct {
	Era    string   `json:"era"`
	Digest string   `json:"digest,omitempty"`
	Lacks  []string `json:"lacks,omitempty"`
}

func hashedTodayOf(p *facts.Pool, o judge.Options) *hashedToday {
	additional, isKnown := o.Today(p)
	if !isKnown {
		return nil
	}
	today := &hashedToday{Era: additional.Era}
	for _, part := range o.Lacks(p) {
		today.Lacks = append(today.Lacks, part.Name+" ("+part.Path+")")
	}
	if len(today.Lacks) == 0 {
		today.Digest = hash.Compose(additional.Data...).String()
	}
	return today
}

// row is the line of the text.
func (h *hashed) row() []string {
	row := []string{strings.TrimSpace(h.Manifest + " " + h.Pool), h.Hash, "canonical"}
	switch {
	case h.Today == nil:
	case len(h.Today.Lacks) > 0:
		row = append(row, "today: "+h.Today.Era, "not known without "+strings.Join(h.Today.Lacks, ", "))
	default:
		row = append(row, "today: "+h.Today.Era, h.Today.Digest)
	}
	return row
}

func (c *call) hashConfigs() (int, error) {
	sumOf := bySchema((*hotupdate.Schema).HashRaw)
	all, err := perPool(c, func(r *side.Reader, m *side.Input, p facts.Pool) (hashed, error) {
		sum, err := sumOf(r, m, p)
		return hashed{m.Title, p.Worker.Name, sum.String(), hashedTodayOf(&p, r.Options)}, err
	})
	if err != nil {
		return 0, err
	}
	var rows [][]string
	for _, one := range all {
		rows = append(rows, one.row())
	}
	text := strings.TrimLeft(plaintext.Table(rows), " ") // a bare provider config has no pool
	return c.show(text, listed("hashes", all))
}

// stdin is the file argument for standard input.
const stdin = manifests.Stdin

// addPools adds the flags that choose pools and the Schema of their provider configs.
func (c *call) addPools(command *cobra.Command) {
	command.Flags().StringArrayVar(&c.pools, "pool", nil,
		"only the worker pool of this `NAME`; may be repeated")
	command.Flags().StringVar(&c.schema, "schema", "",
		"the `FILE` with the Schema of a config that is not built in")
	_ = command.RegisterFlagCompletionFunc("pool", c.completePools)
}

// perPool calls a function for every pool of every manifest in the file that is the argument. A
// bare provider config and a custom resource count as one pool.
func perPool[T any](c *call, do func(r *side.Reader, m *side.Input, p facts.Pool) (T, error)) ([]T, error) {
	r, err := c.reader()
	if err != nil {
		return nil, err
	}
	inputs, err := r.All(c.args[0])
	if err != nil {
		return nil, err
	}
	warnings := r.Warnings
	for _, m := range inputs {
		for _, rule := range r.Options.Landscape.Dropped(m.Manifest) {
			warnings = append(warnings, m.From+": "+rule.Text)
		}
	}
	for _, warning := range warnings {
		fmt.Fprintln(c.std.err, printable("warning: "+warning))
	}
	all := []T{} // a list in JSON
	var problems []error
	for _, m := range inputs {
		for _, p := range r.WantedOf(m) {
			one, problem := do(r, m, p)
			all = append(all, one)
			problems = append(problems, problem)
		}
	}
	return all, errors.Join(problems...)
}

// bySchema returns a function of a provider config or spec that asks its Schema, which it must have.
func bySchema[T any](
	ask func(*hotupdate.Schema, []byte) (T, error),
) func(r *side.Reader, m *side.Input, p facts.Pool) (T, error) {
	return func(r *side.Reader, m *side.Input, p facts.Pool) (answer T, err error) {
		schema, err := r.SchemaOf(m, p)
		if err != nil {
			return answer, err
		}
		answer, err = ask(schema, p.Config.Raw())
		return answer, manifests.InFile(m.PlaceOfConfig(p), err)
	}
}
