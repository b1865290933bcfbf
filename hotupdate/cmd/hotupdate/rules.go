package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
	"github.com/hotupdate/providerconfig/internal/plaintext"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// rulesCommand writes the table by which plan judges.
func (c *call) rulesCommand() *cobra.Command {
	return c.command(&cobra.Command{
		Use:   "rules [FIELD]",
		Short: "the fields that plan judges, or one, with the functions that say so",
		Args:  cobra.MaximumNArgs(1),
	}, c.writeRules, c.addConfig, c.addExtension, c.addDefinitions, func(command *cobra.Command) {
		command.Flags().BoolVar(&c.policy, "policy", false,
			"a ValidatingAdmissionPolicy that warns, for Shoots or for the resources of --crd")
	})
}

func (c *call) writeRules() (int, error) {
	if err := c.configureAndTell(); err != nil {
		return 0, err
	}
	if c.policy {
		return c.writePolicies()
	}
	if c.crd != "" || c.classes != "" {
		return 0, &usageError{"--crd and --classes are for --policy; hotupdate explain --crd lists the fields of CRDs"}
	}
	if len(c.args) == 0 {
		c.out.WriteString(rulesText())
		return exitOK, nil
	}
	text, err := c.ruleOf(inPools().ReplaceAllString(c.args[0], ""))
	c.out.WriteString(text)
	return exitOK, err
}

// inPools is the path of the pools of a Shoot or a Worker: the tables have the fields below it.
var inPools = lazyregexp.New(`^spec\.(provider\.workers|pools)(\[[^\]]*\])?\.`)

// ruleOf says what a change of one field does today, with the facts of the landscape. For a field
// of a Shoot, Worker or pool it uses the tables. For a field of a provider config it judges each
// provider that has the field, in each era of its release. The path may lack the name
// providerConfig, as explain shows the fields of a bare provider config.
func (c *call) ruleOf(field string) (string, error) {
	config, isConfig := strings.CutPrefix(field, fields.Config+".")
	isWhole := field == fields.Config
	if isWhole {
		config = ""
	}
	var parts []string
	if rows := c.rowsOf(field); len(rows) > 1 && !isConfig && !isWhole {
		parts = append(parts, plaintext.Table(rows)+ifAdmitted)
	}
	if isWhole || config != "" {
		rows, err := c.rulesOfConfig(config)
		if err != nil {
			return "", err
		}
		if len(rows) > 1 {
			parts = append(parts, plaintext.Table(rows))
		}
	}
	if len(parts) == 0 {
		return "", c.noRule(field)
	}
	return strings.Join(parts, "\n"), nil
}

// ifAdmitted ends a rule, because the tables do not say what Gardener admits.
const ifAdmitted = "if Gardener admits the change; hotupdate help gardener says who answers that\n"

// noRule is the error about a field that no table has.
func (c *call) noRule(field string) error {
	for _, section := range fieldTables() {
		if section.table.Below(fields.InShoot(field)) {
			return fmt.Errorf("%s: has members, which plan judges one by one; write one of them, as hotupdate rules "+
				"lists them", field)
		}
	}
	if meant := c.meantFields(field); len(meant) > 0 {
		return fmt.Errorf("%s: is not a field that plan judges%s", field, didYouMean(oneOfThem(meant)))
	}
	return fmt.Errorf("%s: is not a field that plan judges; write it as hotupdate rules or explain does, such "+
		"as machine.type, spec.region, providerConfig.volume.iops or providerConfig.dataVolumes[].iops", field)
}

// meantFields returns the fields that were probably meant: the fields that end with the text,
// ignoring case, or else the most similar field.
func (c *call) meantFields(field string) (fields []string) {
	paths := c.knownFields()
	lower := "." + strings.ToLower(strings.TrimPrefix(field, "."))
	for _, path := range paths {
		if strings.HasSuffix("."+strings.ToLower(path), lower) {
			fields = append(fields, path)
		}
	}
	depth := func(path string) int { return strings.Count(path, ".") }
	slices.SortStableFunc(fields, func(a, b string) int { return depth(a) - depth(b) })
	nearest := fieldpath.Nearest(field, paths)
	if len(fields) == 0 && nearest != "" {
		fields = append(fields, nearest)
	}
	return fields
}

// knownFields are the fields of the tables and of all provider configs.
func (c *call) knownFields() (paths []string) {
	for _, section := range fieldTables() {
		for _, row := range section.table.Sorted() {
			if !slices.Contains(paths, row.Path) {
				paths = append(paths, row.Path)
			}
		}
	}
	ofConfigs := map[string]bool{}
	for _, p := range c.std.providers {
		if schema, err := p.Schema(); err == nil {
			maps.Copy(ofConfigs, provider.Paths(schema))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(ofConfigs)) {
		paths = append(paths, fields.Config+"."+path)
	}
	return paths
}

// maxMeant bounds the fields of a suggestion.
const maxMeant = 5

// oneOfThem lists words of which one is meant.
func oneOfThem(words []string) string {
	if more := len(words) - maxMeant; more > 0 {
		return fmt.Sprintf("%s or one of %d more", strings.Join(words[:maxMeant], ", "), more)
	}
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (c *call) rowsOf(field string) [][]string {
	rows := [][]string{
		{"field of", "a change today, of a pool that rolls", "of a pool that is updated in place", "source"},
	}
	for _, section := range fieldTables() {
		if answer, isKnown := pool.AnswerIn(&c.config.Landscape, section.table, section.kind, field); isKnown {
			rows = append(rows, []string{section.title, answer.Rolling, answer.InPlace, answer.Source})
		}
	}
	return rows
}

func (c *call) rulesOfConfig(field string) ([][]string, error) {
	rows := [][]string{{"provider", "Kubernetes", "a change today, of a pool that rolls", "era"}}
	given, err := c.optionsOfConfigs()
	if err != nil {
		return nil, err
	}
	for _, p := range c.std.providers {
		for _, version := range minorsOf(p) {
			sampler, err := pool.NewSampler(p, version+".0", optionsFor(p, given))
			if err != nil {
				return nil, err
			}
			v, era, isField := sampler.Today(field)
			last := rows[len(rows)-1]
			isSame := last[0] == p.Name && isField && last[3] == era
			from := "from " + version
			if version == oldestMinor {
				from = "the oldest"
			}
			if isField && !isSame {
				rows = append(rows, []string{p.Name, from, v.String(), era})
			}
		}
	}
	return rows, nil
}

// optionsOfConfigs are the options for provider configs, of all providers.
func (c *call) optionsOfConfigs() (judge.Options, error) {
	schemas, err := side.NewCatalog("", c.std.providers)
	if err != nil {
		return judge.Options{}, err
	}
	return judge.Options{
		Schema: schemas.Schema, Providers: c.std.providers, Landscape: c.config.Landscape,
		Extension: judge.Extension(cmp.Or(c.extension, judge.Both.String())),
	}, nil
}

// optionsFor returns the options for the configs of a provider, by default those of its released
// extension.
func optionsFor(p provider.Provider, given judge.Options) judge.Options {
	given.Extension = given.ExtensionOf(p.Name)
	if given.Extension == judge.Both {
		given.Extension = judge.Released
	}
	return given
}

// minorsOf are Kubernetes minors, one in each era of a provider, the oldest first.
func minorsOf(p provider.Provider) []string {
	return append([]string{oldestMinor}, slices.DeleteFunc(slices.Clone(p.Versions), isEmpty)...)
}

// oldestMinor is in the first era of every provider.
const oldestMinor = "1.30"

func isEmpty(version string) bool { return version == "" }

// fieldTable is a table of fields with its title.
type fieldTable struct {
	title string
	kind  facts.Kind // none for the fields of a pool
	table fields.Table
}

func fieldTables() []fieldTable {
	return []fieldTable{
		{"Shoot", facts.Shoot, fields.Shoot()},
		{"Worker", facts.Worker, fields.Worker()},
		{"pool", facts.NoKind, fields.Pool()},
	}
}

func rulesText() string {
	var text strings.Builder
	for _, section := range fieldTables() {
		rows := [][]string{{"field", "rolling", "in place", "source"}}
		for _, f := range section.table.Sorted() {
			rows = append(rows, []string{f.Path, f.Rolling.String(), f.InPlace.String(), f.Source})
		}
		text.WriteString(section.title + "\n" + plaintext.Table(rows) + "\n")
	}
	rows := [][]string{{"rule", "text", "source"}}
	for _, r := range verdict.Rules() {
		rows = append(rows, []string{string(r.Kind), r.Text, r.Source})
	}
	text.WriteString("rules\n" + plaintext.Table(rows) + "\n")
	rows = [][]string{{"assumption", "text", "what decides it", "source"}}
	for _, a := range verdict.Assumptions() {
		rows = append(rows, []string{a.Name, a.Text, a.Answer, a.Source})
	}
	return text.String() + "assumptions\n" + plaintext.Table(rows)
}
