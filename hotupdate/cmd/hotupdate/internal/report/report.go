// Package report shows what a change does to the machines of worker pools, to people and to programs: as text for a terminal, as Markdown
// for a comment on a pull request, as a page for a browser, as JSON for everything else. The JSON is read back, and shown in every other way.
//
// It owns words, order, escaping and shortening. What changed, and what that means, a [pool.Plan] says; the package must not read
// configurations, files or the environment.
//
// A report begins with the verdict. Then comes every change with a marker (+ added, - removed, ~ replaced), path, values, what it does and
// why. The changes that decide a verdict are marked as well. What is unknown of every pool is said once, at the end, and pools to which
// nothing happens share a line.
//
//   - The same plan gives the same bytes. Manifests, pools and changes stand in the order in which they are given.
//   - Values of sensitive fields are not in a report, even if a change holds them. Their paths and verdicts are.
//   - Nothing in a value, path or name can move a cursor, colour a terminal, reverse the reading direction, or become Markdown or HTML.
//   - Text, Markdown and pages shorten long values around the first difference of old and new. JSON holds whole values.
package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Report is what a change does to each manifest. Its JSON form is documented in report.schema.json.
type Report struct {
	FormatVersion int        `json:"formatVersion"`
	Verdict       string     `json:"verdict"`
	Manifests     []Manifest `json:"manifests"`
	Warnings      []string   `json:"warnings"`
}

// Manifest is what a change does to a Shoot, to a Worker, or to a provider config on its own, which has no kind and one pool without a name.
type Manifest struct {
	Kind      string   `json:"kind,omitempty"`
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name,omitempty"`
	Verdict   string   `json:"verdict"`
	Changes   []Change `json:"changes"`
	Pools     []Pool   `json:"pools"`

	Basis
}

// Pool is what a change does to one worker pool.
type Pool struct {
	Name       string    `json:"name,omitempty"`
	FormerName string    `json:"formerName,omitempty"`
	State      string    `json:"state"`
	Strategy   string    `json:"strategy"`
	Verdict    string    `json:"verdict"`
	Message    string    `json:"message"`
	Before     *Machines `json:"before,omitempty"`
	After      *Machines `json:"after,omitempty"`
	OldEra     string    `json:"oldEra,omitempty"`
	NewEra     string    `json:"newEra,omitempty"`
	Changes    []Change  `json:"changes"`

	Basis
}

// Basis is what a verdict rests on beside the changes.
type Basis struct {
	Assumed  []string `json:"assumedUnchanged"`
	Unjudged []string `json:"unjudged"`
	Rules    []Rule   `json:"rules"`
}

// Rule is a rule that a verdict rests on, with its source.
type Rule struct {
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Source string `json:"source,omitempty"`
}

// Machines is how many machines a pool may have.
type Machines struct {
	Minimum int `json:"minimum"`
	Maximum int `json:"maximum"`
}

// Change is a difference, and what it does by itself.
type Change struct {
	Op        string          `json:"op"`
	Path      string          `json:"path"`
	Pointer   string          `json:"pointer"`
	Verdict   string          `json:"verdict"`
	Decides   bool            `json:"decides,omitempty"`
	Class     string          `json:"class"`
	Origin    string          `json:"origin"`
	Source    string          `json:"source,omitempty"`
	Rule      *Rule           `json:"rule,omitempty"`
	Old       json.RawMessage `json:"old,omitempty"`
	New       json.RawMessage `json:"new,omitempty"`
	Sensitive bool            `json:"sensitive,omitempty"`
	Omitted   bool            `json:"omitted,omitempty"`
}

// Origin says where the class of a change comes from, to a developer. The text holds names from a Schema, which may be hostile.
func Origin(c hotupdate.Change) string {
	if c.Origin == hotupdate.OriginDefault {
		return "default, no struct tag"
	}
	shown := Change{Origin: c.Origin.String(), Source: c.Source}
	return shown.origin()
}

// origin says where the class of a change comes from, to a developer; nothing if the field has the default.
func (c *Change) origin() string {
	switch c.Origin {
	case hotupdate.OriginDefault.String(), "":
		return ""
	case hotupdate.OriginUnknown.String():
		return "not in the Schema"
	case hotupdate.OriginInherited.String():
		return "inherited from " + c.Source
	case hotupdate.OriginOverride.String():
		return "override of " + c.Source
	}
	return c.Origin + " on " + c.Source
}

// New makes a report of plans, and of warnings about what was read. It is an error if the values of a change are no JSON, which those of a
// Diff always are.
func New(plans []*pool.Plan, warnings []string) (*Report, error) {
	r := &Report{FormatVersion: FormatVersion, Manifests: make([]Manifest, len(plans)), Warnings: present(warnings)}
	gravest := pool.None
	for i, plan := range plans {
		m, verdict := &r.Manifests[i], plan.Verdict()
		if pool.Severity(verdict) > pool.Severity(gravest) {
			gravest = verdict
		}
		*m = Manifest{
			Kind: string(plan.Kind), Namespace: plan.Namespace, Name: plan.Name, Verdict: verdict.String(),
			Pools: make([]Pool, len(plan.Pools)), Basis: basisOf(nil, plan.Unjudged, plan.Rules),
		}
		var err error
		if m.Changes, err = changesOf(plan.Changes); err != nil {
			return nil, err
		}
		for j, p := range plan.Pools {
			if m.Pools[j], err = poolOf(p); err != nil {
				return nil, err
			}
		}
	}
	r.Verdict = gravest.String()
	return r, nil
}

func poolOf(p pool.Planned) (Pool, error) {
	changes, err := changesOf(p.Changes)
	for i := range changes { // of a renamed pool, the name decides
		changes[i].Decides = changes[i].Decides && p.State == pool.Kept
	}
	return Pool{
		Name: p.Name, FormerName: p.FormerName, State: p.State.String(), Strategy: p.Strategy.String(), Verdict: p.Effect().String(),
		Message: cmp.Or(stateMeanings[p.State], p.Consequence()), Before: machinesOf(p.Before), After: machinesOf(p.After),
		OldEra: p.OldEra, NewEra: p.NewEra, Changes: changes, Basis: basisOf(p.Unknown, p.Unjudged, p.Rules),
	}, err
}

var stateMeanings = map[pool.State]string{
	pool.Added:   "its machines are created",
	pool.Removed: "its machines are deleted",
	pool.Renamed: "every machine of the pool is replaced, since its name is in their names",
}

func machinesOf(m pool.Machines) *Machines {
	if !m.Known {
		return nil
	}
	return &Machines{m.Minimum, m.Maximum}
}

func basisOf(unknown []pool.Unknown, unjudged []string, rules []pool.Rule) Basis {
	b := Basis{Assumed: make([]string, len(unknown)), Unjudged: present(unjudged), Rules: make([]Rule, len(rules))}
	for i, u := range unknown {
		b.Assumed[i] = u.String()
	}
	for i, rule := range rules {
		b.Rules[i] = ruleOf(rule)
	}
	return b
}

func ruleOf(r pool.Rule) Rule { return Rule{r.Kind().String(), r.String(), r.Source()} }

// present is a list that is not null in JSON.
func present(list []string) []string { return append([]string{}, list...) }

func changesOf(changes []pool.Change) ([]Change, error) {
	all := make([]Change, len(changes))
	for i, c := range changes {
		all[i] = Change{
			Op: c.Op.String(), Path: c.Path, Pointer: c.Pointer, Verdict: c.Verdict.String(), Decides: c.Decides, Class: c.Class.String(),
			Origin: c.Origin.String(), Source: c.Source, Sensitive: c.Sensitive, Omitted: c.Omitted,
		}
		if c.Rule != pool.NoRule {
			all[i].Rule = new(ruleOf(c.Rule))
		}
		if c.Sensitive {
			continue
		}
		for _, value := range []string{c.Old, c.New} {
			if value != "" && !json.Valid([]byte(value)) {
				return nil, fmt.Errorf("report: %s: has a value that is no JSON; take changes from hotupdate.Schema.Diff", plaintext.Printable(c.Path))
			}
		}
		all[i].Old, all[i].New = json.RawMessage(plaintext.Printable(c.Old)), json.RawMessage(plaintext.Printable(c.New)) // the same JSON
	}
	return all, nil
}

// isBare reports whether the manifest is a provider config on its own.
func (m *Manifest) isBare() bool { return len(m.Pools) == 1 && m.Pools[0].Name == "" }

// title names the manifest: Shoot garden-dev/web, or Shoot if it has no name.
func (m *Manifest) title(escape plaintext.Escape) string {
	if m.isBare() {
		return "provider config"
	}
	name := strings.Trim(m.Namespace+"/"+m.Name, "/")
	return strings.TrimSpace(escape(m.Kind) + " " + plaintext.Shorten(name, maxName, escape))
}

// word is the verdict of a pool in a word, or what became of the pool itself.
func (p *Pool) word() string {
	if p.State != pool.Kept.String() {
		return p.State
	}
	return p.Verdict
}

// words lists the verdicts and states of pools, the gravest first.
var words = []string{
	pool.Forbidden.String(), pool.Roll.String(), pool.Renamed.String(), pool.Indeterminate.String(), pool.InPlaceUpdate.String(),
	pool.ComeOrGo.String(), pool.Removed.String(), pool.HotUpdate.String(), pool.Added.String(), pool.None.String(),
}

// counted counts words, the gravest first: 1 roll, 1 come or go, 2 none.
func counted(all []string) string {
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(slices.Index(words, a), slices.Index(words, b)) })
	var parts []string
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n] == all[0] {
			n++
		}
		parts = append(parts, strconv.Itoa(n)+" "+strings.TrimPrefix(all[0], "machines "))
		all = all[n:]
	}
	return strings.Join(parts, ", ")
}

// summary counts the verdicts of the pools: 4 pools: 1 roll, 1 removed, 2 none.
func (m *Manifest) summary() string {
	all := make([]string, len(m.Pools))
	for i := range m.Pools {
		all[i] = m.Pools[i].word()
	}
	if len(all) == 0 {
		return "there are no worker pools"
	}
	return plural(len(all), "pool") + ": " + counted(all)
}

// summary counts the verdicts of the manifests: 3 manifests: 1 roll, 2 none.
func (r *Report) summary() string {
	all := make([]string, len(r.Manifests))
	for i := range r.Manifests {
		all[i] = r.Manifests[i].Verdict
	}
	return plural(len(all), "manifest") + ": " + counted(all)
}

// plural returns a number and its noun.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// machines says how many machines the pool may have, before and after: 3 to 10 machines, or 1 to 3 machines, then 2 to 3 machines.
func (p *Pool) machines() string {
	before, after := p.Before.String(), p.After.String()
	switch {
	case before == "" || before == after || p.State == pool.Added.String():
		return after
	case after == "" || p.State == pool.Removed.String():
		return before
	}
	return before + ", then " + after
}

// String returns the numbers in words, nothing if they are not known.
func (m *Machines) String() string {
	switch {
	case m == nil:
		return ""
	case m.Minimum != m.Maximum:
		return fmt.Sprintf("%d to %s", m.Minimum, plural(m.Maximum, "machine"))
	}
	return plural(m.Maximum, "machine")
}
