package gardener_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

var reportTo = flag.String("report", "", "write the matrix, all differences and a pair for each cause to this folder")

// cause is why plan answers differently, by its own words.
type cause struct {
	disagreement
	text string
}

// causes returns the causes of a pair's differences.
func (p *pair) causes() (causes []cause) {
	for _, d := range p.disagreements() {
		causes = append(causes, cause{d, p.reason(d)})
	}
	return causes
}

// reason returns what plan says about a disagreement.
func (p *pair) reason(d disagreement) string {
	if d.plan == failed {
		return withoutNames(p.plan.text)
	}
	var m planManifest
	if err := json.Unmarshal(p.plan.raw, &m); err != nil {
		return err.Error()
	}
	changes := slices.Clone(m.Changes)
	for _, pool := range m.Pools {
		isOf := p.gardener.pools[pool.Name] == d.gardener || d.plan == refused
		if !isOf || effectOfVerdict[pool.Verdict] != d.plan {
			continue
		}
		changes = append(changes, pool.Changes...)
		if len(pool.Rules) > 0 && d.plan != none {
			return pool.Rules[0].Text
		}
	}
	for _, c := range changes {
		if effectOfVerdict[c.Verdict] != d.plan || d.plan == none {
			continue
		}
		if c.Rule != nil {
			return c.Rule.Text
		}
		path, _, _ := strings.Cut(c.Path, ".kubeReserved.") // one cause, whichever of them comes first
		if path != c.Path {
			path += ".kubeReserved"
		}
		return c.Origin + " of " + withoutNames(path)
	}
	var basis struct {
		Unjudged []string `json:"unjudged"`
		Rules    []planRule
	}
	if err := json.Unmarshal(p.plan.raw, &basis); err == nil {
		switch {
		case len(basis.Unjudged) > 0 && d.plan == indeterminate:
			return "not judged"
		case len(basis.Rules) > 0 && d.plan != none:
			return basis.Rules[0].Text
		}
	}
	if d.plan == indeterminate {
		return "not judged"
	}
	return "nothing changes"
}

var names = regexp.MustCompile(`"[^"]*"|\[\d+\]`)

// withoutNames makes messages about several objects the same.
func withoutNames(text string) string { return names.ReplaceAllString(text, "…") }

// writeReport writes what mends the list: which causes there are, how often, and a pair for each.
func writeReport(tb testing.TB, pairs []*pair, known *list) {
	tb.Helper()
	if *reportTo == "" {
		return
	}
	require.NoError(tb, os.MkdirAll(*reportTo, 0o755))
	write := func(name string, text []byte) {
		require.NoError(tb, os.WriteFile(filepath.Join(*reportTo, name), text, 0o644))
	}
	write("matrix.txt", matrix(pairs))
	counted := map[cause]int{}
	first := map[cause]*pair{}
	placed := map[difference]bool{}
	groups := map[cause]*group{}
	fields := map[cause]map[string]int{}
	refusals := map[string]int{}
	for _, p := range pairs {
		if p.gardener.shoot == refused && p.plan.shoot != refused && p.plan.shoot != failed {
			refusals[fmt.Sprintf("%s\t%s\t%s", p.plan.shoot, p.edits[0].field, withoutNames(p.gardener.text))]++
		}
		for i, c := range p.causes() {
			d := p.differences()[i]
			if known.accepts(d) || len(p.edits) == 2 && known.explains(p, c.disagreement) {
				continue
			}
			counted[c]++
			if first[c] == nil || len(mustJSON(p.old)) < len(mustJSON(first[c].old)) {
				first[c] = p
			}
			if groups[c] == nil {
				groups[c] = &group{Cause: c.text, Gardener: c.gardener, Plan: c.plan, Fields: map[string][]kind{}}
				fields[c] = map[string]int{}
			}
			fields[c][d.field]++
			if !placed[d] {
				placed[d] = true
				groups[c].Fields[d.field] = append(groups[c].Fields[d.field], d.kind)
			}
		}
	}
	order := slices.SortedFunc(maps.Keys(counted), func(a, b cause) int {
		return strings.Compare(
			fmt.Sprintf("%s %s %06d", a.gardener, a.plan, 1e6-counted[a])+a.text,
			fmt.Sprintf("%s %s %06d", b.gardener, b.plan, 1e6-counted[b])+b.text,
		)
	})
	full := &list{Accepted: known.Accepted}
	var text bytes.Buffer
	for i, c := range order {
		full.ToBeMended = append(full.ToBeMended, *groups[c])
		name := fmt.Sprintf("pair%03d", i)
		fmt.Fprintf(
			&text, "%5d  Gardener: %s, plan: %s: %s\n       %s.{old,new}.yaml: %s\n", counted[c], c.gardener, c.plan, c.text, name,
			first[c],
		)
		for _, field := range slices.SortedFunc(maps.Keys(fields[c]), func(a, b string) int { return fields[c][b] - fields[c][a] }) {
			fmt.Fprintf(&text, "%12d %s\n", fields[c][field], field)
		}
		write(name+".old.yaml", commented(tb, first[c], c, first[c].old))
		write(name+".new.yaml", commented(tb, first[c], c, first[c].updated))
	}
	write("causes.txt", text.Bytes())
	write("differences.yaml", full.bytes())
	var missed bytes.Buffer
	for _, r := range slices.Sorted(maps.Keys(refusals)) {
		fmt.Fprintf(&missed, "%d\t%s\n", refusals[r], r)
	}
	write("missed-refusals.txt", missed.Bytes())
}

func commented(tb testing.TB, p *pair, c cause, shoot object) []byte {
	tb.Helper()
	text, err := yaml.Marshal(shoot)
	require.NoError(tb, err)
	return fmt.Appendf(nil, "# %s\n# Gardener: %s %s\n# plan: %s: %s\n%s", p, c.gardener, p.gardener.text, c.plan, c.text, text)
}

// matrix counts the answers of both.
func matrix(pairs []*pair) []byte {
	count := map[disagreement]int{}
	for _, p := range pairs {
		count[disagreement{p.gardener.shoot, p.plan.shoot}]++
	}
	var out bytes.Buffer
	columns := []effect{none, indeterminate, inPlace, roll, refused, failed}
	fmt.Fprintf(&out, "%-20s", `Gardener \ plan`)
	for _, c := range columns {
		fmt.Fprintf(&out, "%14s", c)
	}
	out.WriteString("\n")
	for _, row := range []effect{refused, roll, inPlace, none, indeterminate, failed} {
		fmt.Fprintf(&out, "%-20s", row)
		for _, c := range columns {
			fmt.Fprintf(&out, "%14d", count[disagreement{row, c}])
		}
		out.WriteString("\n")
	}
	return out.Bytes()
}
