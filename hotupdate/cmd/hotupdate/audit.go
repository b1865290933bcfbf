package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

func auditCommand() command {
	return command{
		name:     "audit",
		synopsis: "--old FILE --new FILE [--provider NAME] [--all] [--output FORMAT] [--exit-code] PATH...",
		help: `Tells what a release of a provider extension does to a fleet that nobody touches: which worker pools it refuses, which it rolls, and which
field is to blame. PATH is a file, a directory or -, with Worker and Shoot manifests as a cluster returns them, in any number of documents
and lists; other kinds are passed over.

--old and --new are files that say how the releases read and hash provider configs. Each is a Schema (as hotupdate schema PROVIDER or
Schema.MarshalJSON writes it), a golden file of hotupdatetest, or a set of eras:

  {"formatVersion": 1, "apiVersion": "…", "kind": "WorkerConfig", "schema": SCHEMA, "eras": [
    {"name": "bytes", "hash": "cut", "nulls": "keep"}, {"name": "canonical", "from": "1.35", "hash": "schema", "schema": SCHEMA}]}

SCHEMA is a Schema or the name of a file with one. An era hashes by "schema" (the canonical document), "raw" (the bytes), "cut" (the bytes
without hot members; "nulls" says whether hot nulls are cut or kept, "onlyTypeMeta" whether a config with nothing else is then kept or
absent) or "other" (a function that is not known here, and the same in both releases if the eras' names are). Which era is in force follows
from a pool's Kubernetes version. The top-level schema is what configs are read by; apiVersion and kind say which configs.

Of a pool it says
  rejected       the new release cannot read its config
  rolled         its machines are replaced
  renamed        its MachineClass gets another name, and its nodes are updated in place as its strategy says
  indeterminate  an era hashes by a function that is not known
  invalid        neither release can read its config
  accepted       only the new release can read its config
  unchanged      nothing happens to it
What the pool holds beside its provider config is taken to be hashed alike by both releases.

Exit code: 0; with --exit-code 13 if a pool is rejected, else 12 if one is rolled or renamed, else 14 if one is indeterminate. 1 is an error,
or a manifest that cannot be read; 2 wrong usage.`,
		flags: func(flags *pflag.FlagSet, c *call) {
			c.addOutput(flags, textOutput, markdownOutput, jsonOutput)
			flags.StringVar(&c.old, "old", "", "the `FILE` with the Schema or the eras of the release that the fleet runs")
			flags.StringVar(&c.updated, "new", "", "the `FILE` with the Schema or the eras of the release to come")
			flags.StringVar(&c.provider, "provider", "", "only Workers and Shoots of the provider of this `NAME`, such as aws")
			flags.BoolVar(&c.all, "all", false, "list the pools that are unchanged as well")
			flags.BoolVar(&c.exitCode, "exit-code", false, "tell the gravest verdict by the exit code as well")
		},
		do: auditFleet,
	}
}

func auditFleet(c *call) (int, error) {
	switch {
	case c.old == "" || c.updated == "":
		return 0, &usageError{"needs --old and --new"}
	case len(c.args) == 0:
		return 0, &usageError{"needs a file, a directory or - with Worker manifests"}
	}
	if err := wantStdinOnce(c.args); err != nil {
		return 0, err
	}
	old, oldErr := readRelease(c.old)
	updated, newErr := readRelease(c.updated)
	if err := errors.Join(oldErr, newErr); err != nil {
		return 0, err
	}
	both, err := newReleases(old, updated)
	if err != nil {
		return 0, err
	}
	report := both.audit(c)
	err = c.output.write(func() { report.writeText(c) }, func() { report.writeMarkdown(c) }, func() error { return writeJSON(c, report) })
	return report.exitCode(c.exitCode), err
}

// audit looks at every pool of every manifest. The gravest verdicts come first, and pools of one verdict in the order of the manifests.
func (r *releases) audit(c *call) *auditReport {
	report := newAuditReport(r)
	for d, err := range documents(c.args, c.in) {
		kind, kindErr := kindOf(d.raw)
		if err == nil && (kindErr != nil || pool.KindOf(kind) == pool.NoKind) {
			report.Summary[countOtherDocuments]++
			continue
		}
		var m *manifest
		if err == nil {
			m, err = parseManifest(d)
		}
		if err != nil {
			report.Summary[countUnreadable]++
			report.Unreadable = append(report.Unreadable, err.Error())
			continue
		}
		for _, p := range m.Pools {
			if c.provider != "" && m.Provider != c.provider || !r.concern(p.ProviderConfig) {
				report.Summary[countOtherPools]++
				continue
			}
			report.add(r.pool(m, p), c.all)
		}
	}
	slices.SortStableFunc(report.Pools, func(a, b *auditedPool) int {
		return cmp.Compare(slices.Index(verdicts, a.Verdict), slices.Index(verdicts, b.Verdict))
	})
	return report
}

// releases are the two releases that pools are audited under, with what is known about their Schemas.
type releases struct {
	old, updated *release
	kind         pool.TypeMeta // of the provider configs, empty if neither release says it
	findings     map[[2]*hotupdate.Schema][]hotupdate.Finding
	nodes        map[*hotupdate.Schema]*schemajson.Node
}

func newReleases(old, updated *release) (*releases, error) {
	none := pool.TypeMeta{}
	if old.kind != none && updated.kind != none && old.kind != updated.kind {
		return nil, fmt.Errorf("%s: is of another kind than %s; compare releases of one extension", updated.from, old.from)
	}
	return &releases{old, updated, cmp.Or(old.kind, updated.kind), map[[2]*hotupdate.Schema][]hotupdate.Finding{}, map[*hotupdate.Schema]*schemajson.Node{}}, nil
}

// concern reports whether a provider config is of the releases' kind. Empty ones are of every kind.
func (r *releases) concern(raw []byte) bool {
	if r.kind == (pool.TypeMeta{}) || pool.IsNull(raw) {
		return true
	}
	kind, err := kindOf(raw)
	return err != nil || kind == r.kind
}

// pool audits one pool: it reads and hashes the provider config under both releases.
func (r *releases) pool(m *manifest, p pool.Pool) *auditedPool {
	audited := &auditedPool{
		File: m.from, Namespace: m.Namespace, Manifest: string(m.Kind) + " " + m.Name, Pool: p.Worker.Name,
		KubernetesVersion: p.Worker.KubernetesVersion, Strategy: p.Worker.UpdateStrategy.String(), Verdict: verdictUnchanged,
	}
	raw := p.ProviderConfig
	if pool.IsNull(raw) {
		raw = nil
	}
	var version *string
	if p.Worker.KubernetesVersion != "" {
		version = &p.Worker.KubernetesVersion
	}
	old, oldErr := r.old.hash(version, raw)
	updated, newErr := r.updated.hash(version, raw)
	audited.OldEra, audited.NewEra = old.era.Name, updated.era.Name
	audited.OldHash, audited.NewHash = old.shown(), updated.shown()
	switch {
	case oldErr != nil && newErr != nil:
		audited.Verdict = verdictInvalid
		audited.addErrors(oldErr)
	case newErr != nil:
		audited.Verdict = verdictRejected
		audited.addErrors(newErr)
		audited.explainRejection(r.findingsOf(r.old.schema, r.updated.schema))
	case oldErr != nil:
		audited.Verdict = verdictAccepted
		audited.addErrors(oldErr)
	case slices.Equal(old.data, updated.data):
	case old.era.Hash == function || updated.era.Hash == function:
		audited.Verdict = verdictIndeterminate
		audited.Reasons = append(audited.Reasons, reason{Text: fmt.Sprintf("era %q is in force, it was %q, and one of them hashes by a function that is not known here", updated.era.Name, old.era.Name)})
	default:
		audited.Verdict = verdictRolled
		if p.Worker.UpdateStrategy != hotupdate.AutoRollingUpdate {
			audited.Verdict = verdictRenamed
		}
		audited.Reasons = r.reasons(old, updated, raw)
	}
	return audited
}

// hashedConfig is what a release makes of a provider config.
type hashedConfig struct {
	era  *era
	data []string
}

// shown identifies the hash: the sum of a canonical document, or the digest of other additional data.
func (h hashedConfig) shown() string {
	switch {
	case h.era.Hash == canonical:
		return strings.Join(h.data, " ")
	case h.era.Hash == function || len(h.data) == 0:
		return ""
	default:
		return hash.Compose(h.data...).String()
	}
}

// hash reads a provider config, and hashes it by the era in force.
func (r *release) hash(version *string, raw []byte) (hashedConfig, error) {
	h := hashedConfig{era: &era{}}
	choice, err := r.eras.Explain(version)
	if err != nil {
		return h, err
	}
	h.era = r.byName[choice.Era]
	if h.era.Hash != canonical || h.era.schema != r.schema { // otherwise hashing reads it
		if _, err := r.schema.Decode(raw); err != nil {
			return h, err
		}
	}
	if h.data, err = r.eras.AdditionalData(version, raw, struct{}{}); err != nil {
		if failed, ok := errors.AsType[*fault.Error](err); ok && failed.Code == "era-failed" {
			err = failed.Cause
		}
		return h, err
	}
	return h, nil
}

// reasons says why two releases hash a provider config differently.
func (r *releases) reasons(old, updated hashedConfig, raw []byte) []reason {
	var all []reason
	if old.era.Name != updated.era.Name || old.era.Hash != updated.era.Hash {
		all = append(all, reason{Text: fmt.Sprintf("era %q is in force and hashes %s; it was %q, which hashes %s", updated.era.Name, updated.era.Hash.words(), old.era.Name, old.era.Hash.words())})
	}
	var paths []string
	switch {
	case old.era.Hash == canonical && updated.era.Hash == canonical:
		before, oldErr := old.era.schema.DocumentRaw(raw)
		after, newErr := updated.era.schema.DocumentRaw(raw)
		if oldErr != nil || newErr != nil {
			return all
		}
		paths = differences(r.root(old.era.schema), r.root(updated.era.schema), before, after)
	case old.era.Hash != updated.era.Hash || old.era.schema == nil || updated.era.schema == nil:
		return all
	}
	return append(all, r.findingReasons(old.era.schema, updated.era.schema, paths)...)
}

// findingReasons are the findings between two Schemas that concern the paths, or all of them. A path without one is named by itself.
func (r *releases) findingReasons(old, updated *hotupdate.Schema, paths []string) []reason {
	var all []reason
	explained := map[string]bool{}
	for _, f := range r.findingsOf(old, updated) {
		if f.Rolls.Where == "" {
			continue
		}
		concerned := paths == nil
		for _, path := range paths {
			if within(path, f.Path) || within(f.Path, path) {
				concerned, explained[path] = true, true
			}
		}
		if concerned {
			all = append(all, reason{Path: f.Path, Finding: f.Kind, Text: f.String()})
		}
	}
	for _, path := range paths {
		if !explained[path] {
			all = append(all, reason{Path: path, Text: path + ": is hashed in another way"})
		}
	}
	return all
}

// within reports whether a path lies at or below another one.
func within(path, above string) bool {
	rest, ok := strings.CutPrefix(path, above)
	return ok && (rest == "" || above == "" || rest[0] == '.' || rest[0] == '[')
}

func (r *releases) findingsOf(old, updated *hotupdate.Schema) []hotupdate.Finding {
	key := [2]*hotupdate.Schema{old, updated}
	if _, known := r.findings[key]; !known {
		r.findings[key], _ = hotupdate.Compatibility(old, updated) // both are there
	}
	return r.findings[key]
}

// root returns the root of a Schema's description, an empty one if it cannot be exported.
func (r *releases) root(s *hotupdate.Schema) *schemajson.Node {
	if r.nodes[s] == nil {
		var d schemajson.Document
		if exported, err := s.MarshalJSON(); err == nil {
			_ = json.Unmarshal(exported, &d) // what MarshalJSON writes
		}
		r.nodes[s] = cmp.Or(d.Root, &schemajson.Node{})
	}
	return r.nodes[s]
}

// addErrors adds the problems of a provider config, a reason each.
func (p *auditedPool) addErrors(err error) {
	problems := fault.All(err)
	if len(problems) == 0 {
		p.Reasons = append(p.Reasons, reason{Text: err.Error()})
	}
	for _, problem := range problems {
		p.Reasons = append(p.Reasons, reason{Path: problem.Path, Code: problem.Code, Text: strings.TrimPrefix(problem.Error(), "hotupdate: ")})
	}
}

// explainRejection adds the findings that say why configs are refused, for the paths that are.
func (p *auditedPool) explainRejection(findings []hotupdate.Finding) {
	for _, f := range findings {
		if f.Refuses.Where == "" {
			continue
		}
		refused := slices.ContainsFunc(p.Reasons, func(r reason) bool { return r.Code != "" && within(patternOf(r.Path), f.Path) })
		if refused {
			p.Reasons = append(p.Reasons, reason{Path: f.Path, Finding: f.Kind, Text: f.String()})
		}
	}
}

// brackets matches a step in brackets, whose quotes may hold brackets.
var brackets = regexp.MustCompile(`\[(?:[^\]"]|"(?:[^"\\]|\\.)*"?)*\]?`)

// patternOf turns the path of an element into the path of all: dataVolumes[name=a].iops into dataVolumes[].iops. Names in brackets become [], too.
func patternOf(path string) string { return brackets.ReplaceAllString(path, "[]") }

// differences lists the paths at which two canonical documents differ, each once, as WithTag takes them. The roots of their Schemas tell the
// members of objects from the keys of maps, so that a difference is named by its field and no key is shown.
func differences(old, updated *schemajson.Node, before, after []byte) []string {
	found := map[string]bool{}
	compareTrees(found, "", old, updated, treeOf(before), treeOf(after))
	return slices.Sorted(maps.Keys(found))
}

func treeOf(document []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var tree any
	_ = decoder.Decode(&tree) // a canonical document is JSON
	return tree
}

func compareTrees(found map[string]bool, path string, old, updated *schemajson.Node, before, after any) {
	first, isObject := before.(map[string]any)
	second, isToo := after.(map[string]any)
	list, isList := before.([]any)
	other, isListToo := after.([]any)
	switch {
	case reflect.DeepEqual(before, after):
	case (isObject || before == nil) && (isToo || after == nil) && (old.Kind == "object" || updated.Kind == "object"):
		for name := range union(first, second) {
			compareTrees(found, fieldpath.Join(path, name), member(old, name), member(updated, name), first[name], second[name])
		}
	case isObject && isToo:
		for name := range union(first, second) {
			compareTrees(found, path+"[]", elem(old), elem(updated), first[name], second[name])
		}
	case isList && isListToo && len(list) == len(other):
		for i := range list {
			compareTrees(found, path+"[]", elem(old), elem(updated), list[i], other[i])
		}
	default:
		found[path] = true
	}
}

// member returns the node of an object's member, an empty one if it is not known.
func member(n *schemajson.Node, name string) *schemajson.Node {
	for _, f := range n.Fields {
		if f.Name == name {
			return f.Type
		}
	}
	return &schemajson.Node{}
}

func elem(n *schemajson.Node) *schemajson.Node { return cmp.Or(n.Elem, &schemajson.Node{}) }

func union(a, b map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
