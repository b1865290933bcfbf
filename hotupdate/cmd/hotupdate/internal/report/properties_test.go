package report_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// anyText has what is hostile to terminals, Markdown and JSON.
func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "bc", "`", "```", "~~~", "|", "*", "\n", "\r\n", "\n```\n", "<b>", "&", "@x", "\x1b[2J", "\u202e", "\u2066", "\u009b",
			"\x00", "\xff", "\u00e9", "\U0001f40b", `\`, `"`, "#", " ", strings.Repeat("long", 50),
		}), 0, 8).Draw(t, "pieces")
		return strings.Join(pieces, "")
	})
}

// anyPlan draws plans whose every text is anything.
func anyPlan(t *rapid.T) *pool.Plan {
	text := func() string { return anyText().Draw(t, "text") }
	plan := &pool.Plan{Kind: facts.Shoot, Namespace: text(), Name: text()}
	if rapid.Bool().Draw(t, "placed") {
		plan.NewPlace = pool.Place{File: text(), Line: rapid.IntRange(1, 9).Draw(t, "line")}
	}
	plan.Unjudged = rapid.SliceOfN(anyText(), 0, 2).Draw(t, "unjudged")
	for range rapid.IntRange(0, 3).Draw(t, "pools") {
		p := pool.Planned{
			Name: text(), FormerName: text(), State: pool.State(rapid.IntRange(0, 3).Draw(t, "state")), Comparison: judge.Comparison{
				Strategy: hotupdate.Strategy(rapid.IntRange(0, 3).Draw(t, "strategy")),
				Verdict:  rapid.SampledFrom(verdict.OfChanges()).Draw(t, "outcome"),
				Unknown: rapid.SliceOfNDistinct(
					rapid.SampledFrom([]facts.Unknown{facts.ContainerRuntime, facts.Credentials, facts.ProviderState, facts.RestOfPool}), 0,
					3, rapid.ID[facts.Unknown],
				).Draw(t, "unknown"),
				Rules: rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 3), noteOf), 0, 2).Draw(t, "notes"),
			},
		}
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			old, _ := json.Marshal(text())
			updated, _ := json.Marshal(map[string]any{"a": []string{text()}})
			p.Changes = append(p.Changes,
				judge.Finding{
					Decides: rapid.Bool().Draw(t, "decides"), Verdict: rapid.SampledFrom(verdict.OfChanges()).Draw(t, "alone"),
					Change: hotupdate.Change{
						Path: text(), Pointer: text(), Source: text(), Old: string(old), New: string(updated),
						Sensitive: rapid.Bool().Draw(t, "sensitive"),
						Op: rapid.SampledFrom(
							[]hotupdate.Op{hotupdate.OpAdd, hotupdate.OpRemove, hotupdate.OpReplace},
						).Draw(t, "op"),
						Class: hotupdate.Class(rapid.IntRange(0, 4).Draw(t, "class")),
						Origin: rapid.SampledFrom(
							[]string{"default", "struct tag", "inherited", "override", "hotwhen", "unknown member"},
						).Draw(t, "origin"),
					},
				})
		}
		plan.Pools = append(plan.Pools, p)
	}
	return plan
}

// anyReport draws reports on some plans.
func anyReport(t *rapid.T) *report.Report {
	return report.New(rapid.SliceOfN(rapid.Custom(anyPlan), 0, 3).Draw(t, "plans"), rapid.SliceOfN(anyText(), 0, 2).Draw(t, "warnings"),
		report.Selection{All: rapid.Bool().Draw(t, "all"), Quiet: rapid.Bool().Draw(t, "quiet")})
}

func noteOf(i int) verdict.Rule {
	return []verdict.Rule{minorSkipped, verdict.Shrunk, verdict.ReservationsBySum, verdict.SurgeReplaces}[i]
}

// TestTextIsHarmless: whatever a plan holds, its text is printable ASCII.
func TestTextIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport(t)
		text := report.Text(r, report.Style{Verbose: true})
		require.Equal(t, -1, strings.IndexFunc(text, func(c rune) bool { return c != '\n' && (c < ' ' || c > '~') }), "%q", text)
		for line := range strings.SplitSeq(report.Text(r, report.Style{}), "\n") {
			require.True(
				t, len(line) <= 80 || !strings.Contains(strings.TrimSpace(line), " "),
				"only a word that is longer than a line does not fit: %q", line,
			)
		}
	})
}

// TestTextTellsAll: every pool, change and remark is in the text.
func TestTextTellsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport(t)
		text := unwrapped(report.Text(r, report.Style{Verbose: true}))
		changes := 0
		for _, m := range r.Manifests {
			changes += len(m.Changes)
			for _, p := range m.Pools {
				changes += len(p.Changes)
				isCompared := p.State == pool.Kept.String() || p.State == pool.Renamed.String()
				for _, rule := range p.Rules {
					if rule.Kind == verdict.Assumes {
						continue // see TestAssumptionsArePrinted
					}
					require.True(t, !isCompared || strings.Contains(text, rule.Text), "%s in %s", rule.Text, text)
				}
			}
		}
		if !isMerged.MatchString(text) {
			require.Equal(t, changes, len(changeLine.FindAllString(report.Text(r, report.Style{}), -1)), "%s", text)
		}
	})
}

// TestAssumptionsArePrinted: each report prints each assumption that a verdict in it rests on, once, with the number of
// pools that it concerns and what would decide it, and no other assumption.
func TestAssumptionsArePrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport(t)
		want := map[string]int{} // the number of pools, by the text of the assumption
		for _, m := range r.Manifests {
			for _, p := range m.Pools {
				if !isDifferent(m) || slices.Contains([]string{"roll", "removed", "renamed", "forbidden"}, p.Verdict) {
					continue // there is nothing to rest on, or all machines are replaced
				}
				for _, unchanged := range p.Assumed {
					want["unchanged: "+string(unchanged)]++
				}
			}
			for _, p := range m.Pools {
				for _, rule := range p.Rules {
					if isDifferent(m) && rule.Kind == verdict.Assumes {
						want[rule.Text]++
					}
				}
			}
		}
		require.Len(t, r.Assumptions, len(want))
		sarif, err := json.Marshal(report.SARIF(r.Findings(), ""))
		require.NoError(t, err)
		for _, a := range r.Assumptions {
			require.Equal(t, want[a.Text], a.Pools, a.Text)
			line := "assumption: " + a.Text
			for name, printed := range map[string]string{
				"text": unwrapped(report.Text(r, report.Style{})), "Markdown": unwrapped(report.Markdown(r, report.Style{})),
				"SARIF": string(sarif), "HTML": html.UnescapeString(page(t, r)),
				"GitHub": strings.ReplaceAll(report.GitHub(r.Findings()), "title=assumption::", "assumption: "),
			} {
				require.Equal(t, 1, strings.Count(printed, line), "%s: %s in %s", name, line, printed)
				require.Contains(t, printed, a.Answer, name)
			}
		}
	})
}

// isDifferent reports whether the two sides of a manifest differ.
func isDifferent(m report.ManifestReport) bool {
	isChanged := func(p report.PoolReport) bool {
		isKept := p.State == "kept" && p.Verdict == "none"
		return !isKept || len(p.Changes)+len(p.Unjudged) > 0
	}
	isKept := m.State == "kept" && m.Verdict == "none" && len(m.Changes)+len(m.Unjudged) == 0
	return !isKept || slices.ContainsFunc(m.Pools, isChanged)
}

// isMerged matches a cause that concerns several pools or manifests.
var isMerged = regexp.MustCompile(`(?m)^\S+: \d+ (pool|Shoot|manifest)s\b`)

// changeLine matches the beginning of a line about a change.
var changeLine = regexp.MustCompile(`(?m)^  [ >] [-+~] `)

// unwrapped takes out the line ends at which text goes on in the next line.
func unwrapped(text string) string { return strings.ReplaceAll(text, "\n    ", " ") }

// TestColorsChangeNothingElse: without the escapes that were asked for, coloured text is plain text.
func TestColorsChangeNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport(t)
		text := report.Text(r, report.Style{Color: true})
		for _, escape := range []string{"0", "1;31", "1;32", "1;33", "1;34", "1;35", "1;36", "1;4;33", "1;4;35", "1;97;41"} {
			text = strings.ReplaceAll(text, "\x1b["+escape+"m", "")
		}
		require.Equal(t, report.Text(r, report.Style{}), text)
	})
}

// TestMarkdownIsHarmless: outside of the block of code there are but the words of this library, whatever a plan holds.
func TestMarkdownIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := report.Markdown(anyReport(t), report.Style{})
		require.Equal(t, -1, strings.IndexFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }), "%q", text)
		before, block, _ := strings.Cut(text, "```\n")
		for line := range strings.Lines(before) {
			require.Regexp(t, linesBefore, line)
		}
		require.True(t, strings.HasSuffix(block, "\n```\n\n"), "%q", text)
		require.Equal(t, 1, strings.Count(block, "```"), "the block ends once: %q", text)
	})
}

// linesBefore matches the lines before the block of code: the table or the verdict.
var linesBefore = regexp.MustCompile(
	`^(\| (verdict|\*\*[a-z -]+\*\*) \| [a-z0-9 ]+ \| [a-z0-9, ]* \||\|---\|---:\|---:\||\*\*[a-z -]+\*\*|)\n$`,
)

// TestJSONHasEverything: what a plan holds is in its JSON, whole, in printable characters.
func TestJSONHasEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := anyPlan(t)
		encoded, err := report.JSON(made(t, plan))
		require.NoError(t, err)
		require.Equal(
			t, -1, strings.IndexFunc(string(encoded), func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }), "%q", encoded,
		)
		var decoded report.Report
		require.NoError(t, json.Unmarshal(encoded, &decoded))
		pools := decoded.Manifests[0].Pools
		require.Len(t, pools, len(plan.Pools))
		for i, p := range plan.Pools {
			require.Equal(t, valid(p.Name), pools[i].Name)
			above := plan.AbovePools.Verdict()
			want := p.Effect()
			isOfAll := p.State == pool.Kept && !plan.IsRefused
			if isOfAll && above != verdict.Forbidden { // the machines of all pools that are kept
				want = max(want, above)
			}
			require.Equal(t, [2]string{p.State.String(), want.String()}, [2]string{pools[i].State, pools[i].Verdict})
			require.ElementsMatch(t, p.Rules, pools[i].Rules)
			require.ElementsMatch(t, p.Unknown, pools[i].Assumed)
			require.Len(t, pools[i].Unjudged, len(p.Unjudged))
			for j, c := range p.Changes {
				got := pools[i].Changes[j]
				require.Equal(t, [2]string{valid(c.Path), valid(c.Pointer)}, [2]string{got.Path, got.Pointer})
				require.Equal(t, c.Decides && p.State == pool.Kept, got.Decides)
				if c.Sensitive {
					require.Empty(t, string(got.Old)+string(got.New))
				} else {
					require.JSONEq(t, c.Old, string(got.Old))
					require.JSONEq(t, c.New, string(got.New))
				}
			}
		}
	})
}

// TestPageIsHarmless: whatever a plan holds, a page has the elements that this package writes, and nothing is loaded or runs.
func TestPageIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := page(t, anyReport(t))
		require.Equal(t, -1, strings.IndexFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }), "%q", text)
		_, body, _ := strings.Cut(text, "<body>")
		for _, tag := range tagName.FindAllStringSubmatch(body, -1) {
			require.Contains(t, []string{
				"header", "input", "script", "h1", "h2", "p", "main", "figure", "figcaption", "div", "span", "ul", "li", "b", "section",
				"details", "summary", "table", "thead",
				"tbody", "tr", "th", "td", "code", "body", "html",
			}, tag[1])
		}
		require.NotContains(t, text, "ZgotmplZ")
	})
}

var tagName = regexp.MustCompile(`</?([a-zA-Z!][^\s>/]*)`)

// valid is text as JSON can hold it.
func valid(text string) string {
	var b strings.Builder
	for _, c := range text { // bytes that are not UTF-8 are replaced one by one, as encoding/json does
		b.WriteRune(c)
	}
	return b.String()
}

// TestSecretsAreNotInReports: nothing of a sensitive value reaches a rendering, though path and verdict do.
func TestSecretsAreNotInReports(t *testing.T) {
	plans := bare(hotupdate.AutoInPlaceUpdate, verdict.Forbidden, secret)
	plans[0].Pools = append(
		plans[0].Pools,
		pool.Planned{Name: "a", State: pool.Removed, Comparison: judge.Comparison{Verdict: verdict.Removed, Changes: judged(secret)}},
	)
	r := made(t, plans...)
	encoded, err := report.JSON(r)
	require.NoError(t, err)
	for _, rendering := range []string{
		report.Text(r, report.Style{}), report.Text(r, report.Style{Color: true, Verbose: true}), report.Markdown(r, report.Style{}),
		page(t, r), string(encoded),
	} {
		assert.NotContains(t, rendering, "hunter")
		assert.Contains(t, rendering, "token")
		assert.Contains(t, rendering, "forbidden")
	}
}

func TestIsColored(t *testing.T) {
	const terminal = fs.ModeDevice | fs.ModeCharDevice
	for _, tc := range []struct {
		name          string
		mode          fs.FileMode
		noColor, term string
		want          bool
	}{
		{"terminal", terminal, "", "xterm", true},
		{"terminal of unknown kind", terminal, "", "", true},
		{"terminal without colours", terminal, "", "dumb", false},
		{"user wants none", terminal, "1", "xterm", false},
		{"any value of NO_COLOR counts", terminal, "0", "xterm", false},
		{"file", 0, "", "xterm", false},
		{"pipe", fs.ModeNamedPipe, "", "xterm", false},
		{"disk", fs.ModeDevice, "", "xterm", false},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, report.IsColored(tc.mode, tc.noColor, tc.term)) })
	}
}

// TestMarkdownFitsIntoComment: GitHub refuses a comment of more than 65,536 characters; what is left out is counted.
func TestMarkdownFitsIntoComment(t *testing.T) {
	for _, size := range []struct{ pools, changes int }{{1, 5000}, {20, 500}, {3000, 1}, {20_000, 1}} {
		plan := &pool.Plan{Kind: facts.Shoot, Name: strings.Repeat("n", 300)}
		for i := range size.pools {
			p := pool.Planned{
				Name:       fmt.Sprintf("pool-%d", i),
				Comparison: judge.Comparison{Verdict: verdict.Roll, Unjudged: slices.Repeat([]string{"spec.a"}, size.changes)},
			}
			for j := range size.changes {
				c := iops
				c.Path = fmt.Sprintf("args[%d-%d]", i, j)
				p.Changes = append(p.Changes, judge.Finding{Change: c, Decides: true, Verdict: verdict.Roll})
			}
			plan.Pools = append(plan.Pools, p)
		}
		text := report.Markdown(made(t, plan), report.Style{})
		assert.Less(t, len(text), 65_536, size)
		assert.Greater(t, len(text), 60_000, size)
		assert.True(t, strings.HasPrefix(text, "**roll**\n"), "the only verdict")
		assert.Regexp(t, `\nand \d+ more lines\n`+"```\n\n$", text[len(text)-100:])
	}
	text := report.Markdown(
		made(t, bare(hotupdate.AutoRollingUpdate, verdict.Roll, slices.Repeat([]hotupdate.Change{iops}, 4000)...)...), report.Style{},
	)
	shown := strings.Count(text, "  > ~ volume.iops")
	assert.Greater(t, shown, 1000)
	assert.Contains(t, text, fmt.Sprintf("\nand %d more lines\n```\n", 4000-shown))
}

// TestValuesMustBeJSON: a Change that somebody made by hand fails instead of breaking the JSON around it, and its value is not quoted.
func TestValuesMustBeJSON(t *testing.T) {
	_, err := report.JSON(made(t, bare(hotupdate.AutoRollingUpdate, verdict.Roll, replaced("1", "hunter2"))...))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
}

// TestReportOfDiff: what Diff finds in a provider config is shown with all its values, and no value is null that is not.
func TestReportOfDiff(t *testing.T) {
	schema, err := hotupdate.SchemaOf[aws.WorkerConfig]()
	require.NoError(t, err)
	changes, err := schema.DiffRaw([]byte(
		`{"placement":{"partitionNumber":1},"dataVolumes":[{"name":"a","snapshotID":"s"},{"name":"b"}],"tags":{"vm":{"b":"2"}}}`,
	),
		[]byte(`{"placement":{"partitionNumber":2},"dataVolumes":[{"name":"b"}],"tags":{"vm":{"a":"1","b":"2"}}}`))
	require.NoError(t, err)
	r := made(t, bare(hotupdate.AutoRollingUpdate, verdict.Roll, changes...)...)
	assert.Equal(t, []string{
		"roll: every machine is replaced",
		"  declared immutable",
		`  > - dataVolumes[name=a].snapshotID  "s"`,
		"  immutable by default",
		`  > ~ placement.partitionNumber       1 -> 2`,
		"  hot-update: declared hot",
		`    + tags.vm[a]                      "1"`,
		"",
	}, strings.Split(report.Text(r, report.Style{}), "\n"))
	assert.Contains(
		t, report.Text(r, report.Style{Verbose: true}),
		"  > - dataVolumes[name=a].snapshotID  \"s\"  [inherited from aws.WorkerConfig.DataVolumes]\n",
	)
}

// TestEqualChangesAreOneCause: sixty Shoots with the same change were sixty sections. Their names and numbers of machines differ.
func TestEqualChangesAreOneCause(t *testing.T) {
	var plans []*pool.Plan
	for i := range 60 {
		judged := verdict.Roll
		if i == 30 {
			judged = verdict.HotUpdate
		}
		change := judge.Finding{Change: iops, Verdict: judged, Decides: true, NewLine: i}
		plans = append(plans, &pool.Plan{
			Kind: facts.Shoot, Name: fmt.Sprintf("shoot-%d", i),
			NewPlace: pool.Place{File: fmt.Sprintf("%d.yaml", i), Line: 1}, Pools: []pool.Planned{{
				Name: fmt.Sprintf("pool-%d", i), Before: facts.Machines{Maximum: i, Known: true},
				Comparison: judge.Comparison{Verdict: judged, Changes: []judge.Finding{change}},
			}},
		})
	}
	r := made(t, plans...)
	text := report.Text(r, report.Style{})
	assert.Contains(t, text, "roll: 60 manifests, 60 pools: 59 roll (up to 1,740 machines), 1 hot-update (up\n    to 30 machines)\n")
	assert.Contains(
		t, text,
		"\nroll: 59 pools (up to 1,740 machines): every machine is replaced\n  pool pool-0 of Shoot shoot-0 at 0.yaml:1\n  pool pool-1 of Shoot shoot-1 at 1.yaml:1\n",
	)
	assert.Contains(t, text, "\n  and 54 more; --verbose lists all\n")
	assert.Equal(t, 2, strings.Count(text, "volume.iops"))
	assert.Less(t, strings.Count(text, "\n"), 25)
	assert.Equal(t, 60, strings.Count(report.Text(r, report.Style{Verbose: true}), ".yaml:"), "--verbose lists all")
	markdown := report.Markdown(r, report.Style{})
	assert.True(
		t, strings.HasPrefix(markdown, "| verdict | worker pools | machines, at most |\n|---|---:|---:|\n| **roll** | 59 | 1,740 |\n"),
		markdown,
	)
	assert.Equal(t, 2, strings.Count(markdown, "volume.iops"))
	assert.Contains(t, markdown, "\n  and 54 more")
	annotations := report.GitHub(r.Findings())
	assert.Equal(t, 2, strings.Count(annotations, "\n"), annotations)
	assert.True(
		t,
		strings.HasPrefix(
			annotations, "::error file=0.yaml,line=1,title=roll%3A pool pool-0 of Shoot shoot-0 and 58 more::~ volume.iops 3000 -> 4000",
		),
		annotations,
	)
	html := page(t, r)
	assert.Equal(t, 2, strings.Count(html, `<section class="cause">`))
	assert.Contains(
		t, html,
		`<td data-label="concerned">pool pool-59 of Shoot shoot-59</td><td class="number" data-label="machines">59</td><td data-label="place">59.yaml:59</td></tr>`,
	)
	slices.Reverse(plans)
	html = page(t, made(t, plans...))
	assert.Less(t, strings.Index(html, "shoot-59"), strings.Index(html, "shoot-30"), "the gravest first")
}

// TestOnePoolIsToldOnce: of one pool that rolls the verdict was said four times.
func TestOnePoolIsToldOnce(t *testing.T) {
	r := made(t,
		shootOf("web", pool.Planned{Name: "a", Before: facts.Machines{Minimum: 1, Maximum: 3, Known: true}, Comparison: judge.Comparison{
			Verdict: verdict.Roll, OldEra: "hand-written list", NewEra: "hand-written list", Changes: judged(iops),
		}}))
	assert.Equal(t, "roll: Shoot garden-dev/web, pool a (1 to 3 machines): every machine is replaced\n"+
		"  by Gardener's rules for worker pools\n  > ~ volume.iops  3000 -> 4000\n", report.Text(r, report.Style{}))
	for name, rendering := range map[string]string{
		"text": report.Text(r, report.Style{}), "Markdown": report.Markdown(r, report.Style{}),
	} {
		assert.Equal(t, 1, len(regexp.MustCompile(`\broll`).FindAllString(rendering, -1)), "%s: %s", name, rendering)
		assert.NotContains(t, rendering, "era", name)
	}
	assert.NotContains(t, page(t, r), "era hand")
	assert.Contains(t, report.Text(r, report.Style{Verbose: true}), "[era hand-written list]")
}

// TestRefusedChangesTouchNoMachine: a pool whose change is refused had machines, and so did the others of its Shoot.
func TestRefusedChangesTouchNoMachine(t *testing.T) {
	ten := facts.Machines{Minimum: 1, Maximum: 10, Known: true}
	r := made(t, shootOf("web",
		pool.Planned{
			Name: "a", Before: ten, After: ten,
			Comparison: underAutoInPlace(judge.Comparison{Verdict: verdict.Forbidden, Changes: judged(iops)}),
		},
		pool.Planned{Name: "b", Before: ten, After: ten, Comparison: judge.Comparison{Verdict: verdict.Roll, Changes: judged(iops)}},
	))
	for _, s := range r.Sum {
		assert.Zero(t, s.Machines, s.Verdict)
	}
	assert.NotContains(t, report.Text(r, report.Style{}), "up to")
	assert.Equal(t, 20, r.Machines)
}

// TestFindingsAreAcceptedAsByTheGate: the findings for programs are accepted exactly where the gate does not count the
// verdict.
func TestFindingsAreAcceptedAsByTheGate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := rapid.Custom(anyPlan).Draw(t, "plan")
		plan.Unjudged = nil // which has no finding of its own
		accepted := func(label string) string {
			return rapid.SampledFrom([]string{"", "accepted until 2999-12-31: x"}).Draw(t, label)
		}
		for range rapid.IntRange(0, 1).Draw(t, "above") {
			v := rapid.SampledFrom([]verdict.Verdict{verdict.None, verdict.AllMachinesMayBeDeleted, verdict.MachinesAdded, verdict.Indeterminate}).Draw(t, "verdict above")
			plan.Changes = append(plan.Changes, judge.Finding{Change: hotupdate.Change{Path: "spec.a", Op: hotupdate.OpAdd}, Verdict: v})
		}
		if plan.IsRefused = rapid.Bool().Draw(t, "refused"); plan.IsRefused {
			change := hotupdate.Change{Path: "spec.b", Op: hotupdate.OpReplace}
			plan.Changes = append(plan.Changes, judge.Finding{Change: change, Verdict: verdict.Forbidden})
		}
		plan.Accepted = accepted("accepted above")
		for i := range plan.Pools {
			p := &plan.Pools[i]
			p.State = pool.Kept
			p.Before = facts.Machines{Maximum: 2, Known: true}
			p.After = p.Before
			p.Accepted = accepted("accepted")
		}
		counted := map[string]bool{}
		for _, v := range plan.Counted() {
			if v != verdict.None {
				counted[v.String()] = true
			}
		}
		open := map[string]bool{}
		for _, found := range report.New([]*pool.Plan{plan}, nil, report.Selection{}).Findings().All {
			if found.Accepted == "" {
				open[found.Verdict] = true
			}
		}
		require.Equal(t, counted, open)
	})
}

// TestBarsShowAllMachines: a bar was red as a whole if 16 of 66 machines are deleted.
func TestBarsShowAllMachines(t *testing.T) {
	old := facts.Machines{Minimum: 1, Maximum: 66, Known: true}
	r := made(t, shootOf("web",
		pool.Planned{Name: "a", Before: old, After: facts.Machines{Minimum: 1, Maximum: 50, Known: true}, Comparison: judge.Comparison{
			Verdict: verdict.MachinesMayBeDeleted, Numbers: verdict.Numbers{DeletedAtMost: 16},
		}}))
	html := page(t, r)
	assert.Contains(
		t, html,
		`<span class="part move" style="flex-grow: 16" title="machines-may-be-deleted: 16"></span><span class="part calm" style="flex-grow: 50" title="not touched: 50"></span>`,
	)
}

// TestPageSaysWhatWasCompared: and when, and by which version.
func TestPageSaysWhatWasCompared(t *testing.T) {
	r := made(t, placedPlans()...)
	r.Compared = report.Compared{Old: "old <b>", New: "new", Version: "v1.2.3", At: "2026-11-29 10:00 UTC"}
	assert.Contains(t, page(t, r), `<p class="about">old &lt;b&gt; compared with new; 2026-11-29 10:00 UTC; hotupdate v1.2.3</p>`)
	encoded, err := report.JSON(r)
	require.NoError(t, err)
	assert.NotContains(t, string(encoded), "2026", "JSON of the same plans has the same bytes")
	assert.Empty(t, validate(t, encoded))
}

// TestNumberOfEqualChangesIsWhole: a long name was shortened together with the number of Shoots that
// it stands for, which was lost.
func TestNumberOfEqualChangesIsWhole(t *testing.T) {
	var plans []*pool.Plan
	for i := range 21 {
		plans = append(plans, &pool.Plan{
			Kind: facts.Shoot, Namespace: "garden-" + strings.Repeat("long", 20), Name: strconv.Itoa(i),
			Pools: []pool.Planned{{Name: "a", State: pool.Removed, Comparison: judge.Comparison{Verdict: verdict.Removed}}},
		})
	}
	r := made(t, plans...)
	assert.Contains(t, report.Text(r, report.Style{}), "removed: 21 manifests, 21 pools: the machines are deleted\n")
	assert.Contains(t, report.Text(r, report.Style{}), "\n  and 16 more; --verbose lists all\n")
	assert.Contains(t, page(t, r), "removed: 21 manifests, 21 pools: the machines are deleted</p>")
}
