// Package report shows what a change does to the machines of worker pools, to people and to programs: as text for a terminal, as Markdown
// for a comment on a pull request, as JSON for everything else.
//
// It owns words, order, escaping and shortening. What changed, and what that means, a [pool.Plan] says; the package must not read
// configurations, files or the environment.
//
// A report begins with the verdict. Then comes every change with a marker (+ added, - removed, ~ replaced), path, values, class, the class's
// origin, and whether it causes a roll, a drained update or a refusal. What is unknown of every pool on both sides is said once, at the end.
//
//   - The same plan gives the same bytes. Nothing is sorted: pools and changes stand in the order in which they are given.
//   - Values of sensitive fields are not shown, even if a [hotupdate.Change] holds them. Their paths and verdicts are.
//   - Nothing in a value, path or name can move a cursor, colour a terminal, reverse the reading direction, or become Markdown or HTML.
//   - Text and Markdown shorten long values around the first difference of old and new. JSON holds whole values.
package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// isBare reports whether the plan is about one provider config, without pools.
func isBare(plan *pool.Plan) bool { return len(plan.Pools) == 1 && plan.Pools[0].Name == "" }

// summary counts the verdicts of several pools: 4 pools: 1 roll, 1 removed, 2 none.
func summary(plan *pool.Plan) string {
	var words []string
	counts := map[string]int{}
	for _, p := range slices.SortedStableFunc(slices.Values(plan.Pools), byGravity) {
		word := verdictOf(p).word
		if counts[word]++; counts[word] == 1 {
			words = append(words, word)
		}
	}
	for i, word := range words {
		words[i] = strconv.Itoa(counts[word]) + " " + word
	}
	all := strings.Join(words, ", ")
	switch len(plan.Pools) {
	case 0:
		return "there are no worker pools"
	case 1:
		return "1 pool: " + all
	default:
		return strconv.Itoa(len(plan.Pools)) + " pools: " + all
	}
}

// byGravity orders pools by severity, the gravest first, and then by state, kept ones first.
func byGravity(a, b pool.Planned) int {
	if d := pool.Severity(b.Effect()) - pool.Severity(a.Effect()); d != 0 {
		return d
	}
	return int(a.State) - int(b.State)
}

// remarks are what a verdict rests on beside the changes: what it takes to be unchanged, and notes.
type remarks struct{ assumed, notes []string }

// lines returns the remarks as lines, each escaped.
func (r remarks) lines(escape plaintext.Escape) []string {
	var lines []string
	if len(r.assumed) > 0 {
		lines = append(lines, "assumed unchanged: "+escape(strings.Join(r.assumed, "; ")))
	}
	for _, note := range r.notes {
		lines = append(lines, "note: "+escape(note))
	}
	return lines
}

// sharedRemarks lists what is unknown of every pool that is in both manifests.
func sharedRemarks(plan *pool.Plan) (shared remarks) {
	compared := slices.DeleteFunc(slices.Clone(plan.Pools), func(p pool.Planned) bool { return p.State == pool.Added || p.State == pool.Removed })
	if len(compared) == 0 {
		return remarks{}
	}
	shared.assumed = texts(compared[0].Unknown)
	for _, p := range compared[1:] {
		own := texts(p.Unknown)
		shared.assumed = slices.DeleteFunc(shared.assumed, func(text string) bool { return !slices.Contains(own, text) })
	}
	return shared
}

// remarksOf are the remarks on one pool. The verdict of a kept pool names the rules that forbid the update.
func remarksOf(p pool.Planned, shared remarks) remarks {
	assumed := slices.DeleteFunc(texts(p.Unknown), func(text string) bool { return slices.Contains(shared.assumed, text) })
	notes := slices.DeleteFunc(slices.Clone(p.Rules), func(n pool.Rule) bool { return p.State == pool.Kept && n.Kind() == pool.Refuses })
	return remarks{assumed, texts(notes)}
}

func texts[T fmt.Stringer](values []T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = v.String()
	}
	return all
}

var origins = map[hotupdate.Origin]string{
	hotupdate.OriginStructTag: "struct tag on ", hotupdate.OriginInherited: "inherited from ", hotupdate.OriginOverride: "override of ",
	hotupdate.OriginHotWhen: "hotwhen on ",
}

// Origin says where the class of a change comes from. The text holds names from a Schema, which may be hostile.
func Origin(c hotupdate.Change) string {
	if words, ok := origins[c.Origin]; ok {
		return words + c.Source
	}
	if c.Origin == hotupdate.OriginUnknown {
		return "not in the Schema"
	}
	return "default, no struct tag"
}

// verdict is the first line about a pool: a word, what that means, and the paths to blame. Text and Markdown show it alike.
type verdict struct {
	word    string
	meaning string
	causes  []pool.Change
}

// maxCauses bounds the causes in a verdict; every change has a line of its own below.
const maxCauses = 5

var stateMeanings = map[pool.State]string{
	pool.Added:   "its machines are created",
	pool.Removed: "its machines are deleted",
	pool.Renamed: "every machine of the pool is replaced, since its name is in their names",
}

func verdictOf(p pool.Planned) verdict {
	if meaning, ok := stateMeanings[p.State]; ok {
		return verdict{word: p.State.String(), meaning: meaning}
	}
	v := verdict{word: p.Verdict.String(), meaning: p.Consequence()}
	if p.State == pool.Kept && p.Verdict != pool.HotUpdate { // which wants no excuse
		v.causes = p.Causes()
	}
	return v
}

// line writes the verdict with the word as it is given, and each cause as show shows it.
func (v verdict) line(word string, show func(path string) string) string {
	text := word + ": " + v.meaning
	if len(v.causes) == 0 {
		return text
	}
	var shown []string
	for _, c := range v.causes[:min(len(v.causes), maxCauses)] {
		shown = append(shown, show(c.Path))
	}
	text += "; cause: " + strings.Join(shown, ", ")
	if more := len(v.causes) - maxCauses; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
