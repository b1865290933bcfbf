package report_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden is a plan whose renderings stand in testdata/golden.
type golden struct {
	name   string
	plans  []*pool.Plan
	reason string
}

// Changes of every kind.
var (
	addedTag = hotupdate.Change{
		Path: "tags.vm[cost-center]", Pointer: "/tags/vm/cost-center", Op: hotupdate.OpAdd, Class: hotupdate.Hot, Origin: "inherited",
		Source: "aws.WorkerConfig.Tags", New: `"a"`,
	}
	goneLabel = hotupdate.Change{
		Path: "machineLabels[name=a].value", Pointer: "/machineLabels/0/value", Op: hotupdate.OpRemove, Class: hotupdate.Hot,
		Origin: "hotwhen", Source: "openstack.WorkerConfig.MachineLabels", Old: `"b"`,
	}
	iops = hotupdate.Change{
		Path: "volume.iops", Pointer: "/volume/iops", Op: hotupdate.OpReplace, Class: hotupdate.Immutable, Origin: "default", Old: "3000",
		New: "4000",
	}
	account = hotupdate.Change{
		Path: "serviceAccount.email", Pointer: "/serviceAccount/email", Op: hotupdate.OpReplace, Class: hotupdate.InPlace,
		Origin: "struct tag", Source: "gcp.WorkerConfig.ServiceAccount", Old: `"a@b"`, New: `"c@d"`,
	}
	minor = hotupdate.Change{
		Path: "kubernetes.version", Pointer: "/kubernetes/version", Op: hotupdate.OpReplace, Class: hotupdate.InPlace, Origin: "inherited",
		Source: "pool.Triggers.Kubernetes", Old: `"1.33"`, New: `"1.35"`,
	}
	hint = hotupdate.Change{
		Path: "nodeTemplate", Pointer: "/nodeTemplate", Op: hotupdate.OpAdd, Class: hotupdate.Ignored, Origin: "override",
		Source: "nodeTemplate", New: `{}`,
	}
	secret = hotupdate.Change{
		Path: "token", Pointer: "/token", Op: hotupdate.OpReplace, Class: hotupdate.Immutable, Origin: "struct tag",
		Source: "x.Config.Token", Sensitive: true, Old: `"hunter2"`, New: `"hunter3"`,
	}
	defaulted = hotupdate.Change{
		Path: "volume.type", Pointer: "/volume/type", Op: hotupdate.OpAdd, Class: hotupdate.Immutable, Origin: "default", New: `"gp3"`,
		Omitted: true,
	}
)

// minorSkipped refuses the change of minor.
var minorSkipped = verdict.Rule{
	Kind: verdict.Refuses, Text: "a Shoot, and a pool that is updated in place, has to take one Kubernetes minor after the other",
	Source: "Gardener v1.150, validation of Shoots; GEP-31",
}

// planOf is a plan of pools whose changes decide as their classes do; a skipped minor decides where the change is refused.
func planOf(pools ...pool.Planned) []*pool.Plan { return []*pool.Plan{shootOf("", pools...)} }

// shootOf is the plan of a Shoot in the namespace garden-dev.
func shootOf(name string, pools ...pool.Planned) *pool.Plan {
	for _, p := range pools {
		for i := range p.Changes {
			c := &p.Changes[i]
			alone := (hotupdate.Changes{c.Change}).Outcome(p.Strategy).String()
			if c.Omitted {
				alone = verdict.Indeterminate.String()
			}
			for _, v := range verdict.OfChanges() {
				if v.String() == alone {
					c.Verdict = v
				}
			}
			if c.Path == minor.Path && slices.Contains(p.Rules, minorSkipped) {
				c.Verdict = verdict.Forbidden
				c.Rule = minorSkipped
			}
			c.Decides = p.Verdict != verdict.None && c.Verdict == p.Verdict
		}
	}
	if name == "" {
		return &pool.Plan{Kind: facts.Shoot, Pools: pools}
	}
	return &pool.Plan{Kind: facts.Shoot, Namespace: "garden-dev", Name: name, Pools: pools}
}

// judged makes changes of a pool.
func judged(changes ...hotupdate.Change) (findings []judge.Finding) {
	for _, c := range changes {
		findings = append(findings, judge.Finding{Change: c})
	}
	return findings
}

// bare is a plan for a provider config without pools.
func bare(strategy hotupdate.Strategy, outcome verdict.Verdict, changes ...hotupdate.Change) []*pool.Plan {
	return planOf(pool.Planned{Comparison: judge.Comparison{Strategy: strategy, Verdict: outcome, Changes: judged(changes...)}})
}

// compared is a comparison under AutoRollingUpdate, of which credentials and the infrastructure are unknown besides.
func compared(outcome verdict.Verdict, unknown []facts.Unknown, notes []verdict.Rule, changes ...hotupdate.Change) judge.Comparison {
	return judge.Comparison{
		Verdict: outcome, Unknown: append(unknown, facts.Credentials, facts.ProviderState), Rules: notes, Changes: judged(changes...),
	}
}

func underAutoInPlace(c judge.Comparison) judge.Comparison {
	c.Strategy = hotupdate.AutoInPlaceUpdate
	return c
}

func replaced(old, updated string) hotupdate.Change {
	c := iops
	c.Old = old
	c.New = updated
	return c
}

func goldens() []golden {
	userData := `"` + strings.Repeat("I2Nsb3VkLWNvbmZpZwo", 40)
	manyTags := make([]hotupdate.Change, 0, 7)
	for key := range strings.SplitSeq("abcdefg", "") {
		c := iops
		c.Path = "args[" + key + "]"
		c.Pointer = "/args/" + key
		manyTags = append(manyTags, c)
	}
	manyHot := make([]hotupdate.Change, 30)
	for i := range manyHot {
		manyHot[i] = addedTag
		manyHot[i].Path = fmt.Sprintf("tags.vm[%02d]", i)
	}
	mention := addedTag
	mention.Path = "tags.vm[@everyone]"
	mention.Pointer = "/tags/vm/@everyone"
	mention.New = `"</code><script>x</script> ![x](https://x.org) | ` + "``` `x" + `"`
	cyrillic := addedTag
	cyrillic.Path = "tags.vm[\u0430ws]"
	cyrillic.New = `"K\u00fcche \U0001f40b"`
	cyrillic.New = strings.NewReplacer(`\u00fc`, "\u00fc", `\U0001f40b`, "\U0001f40b").Replace(cyrillic.New)
	terminal := addedTag
	terminal.Path = "tags.vm[\x1b[2J\x07\x00\xff]"
	terminal.Source = "a\rb"
	terminal.New = "\"\u202egnp.exe \u2066 \u200b \u0085 \u009b31m \u007f\""
	deepPath := iops
	deepPath.Path = "labels[" + strings.Repeat("long", 100) + "].value.at.the.end"

	return []golden{
		{"none", bare(hotupdate.AutoRollingUpdate, verdict.None), "no change at all still has a verdict"},
		{"ignored", bare(hotupdate.AutoRollingUpdate, verdict.None, hint), "an ignored change is listed, and has no cause to show"},
		{"hot", bare(hotupdate.AutoRollingUpdate, verdict.HotUpdate, goneLabel, addedTag), "every hot change decides"},
		{
			"roll", bare(hotupdate.AutoRollingUpdate, verdict.Roll, account, addedTag, iops),
			"under AutoRollingUpdate in-place fields roll as well: both are causes",
		},
		{"in_place", bare(hotupdate.AutoInPlaceUpdate, verdict.InPlaceUpdate, account, addedTag), "the in-place change is the cause"},
		{"manual", bare(hotupdate.ManualInPlaceUpdate, verdict.InPlaceUpdate, account), "a node waits until somebody selects it"},
		{
			"forbidden", bare(hotupdate.AutoInPlaceUpdate, verdict.Forbidden, account, iops),
			"only the immutable change is forbidden, the in-place one is not to blame",
		},
		{"forbidden_in_place", planOf(pool.Planned{Name: "web", Comparison: judge.Comparison{
			Strategy: hotupdate.AutoInPlaceUpdate, Verdict: verdict.Forbidden, Rules: []verdict.Rule{minorSkipped},
			Changes: judged(addedTag, account, minor),
		}}), "what is to blame is told beside the classes: the minor, not the account"},
		{"forbidden_by_rule", planOf(pool.Planned{Name: "web", Comparison: judge.Comparison{
			Strategy: hotupdate.AutoInPlaceUpdate, Verdict: verdict.Forbidden, Rules: []verdict.Rule{minorSkipped, verdict.SurgeReplaces},
			Changes: judged(minor),
		}}), "the verdict says which rule forbids it: no machine would have to be replaced; the other note is shown"},
		{
			"indeterminate", bare(hotupdate.AutoRollingUpdate, verdict.Indeterminate, addedTag, defaulted),
			"the change that may be a default decides",
		},
		{"many_causes", bare(hotupdate.AutoRollingUpdate, verdict.Roll, manyTags...), "every change that decides is marked"},
		{
			"sensitive", bare(hotupdate.AutoRollingUpdate, verdict.Roll, secret),
			"a value is hidden even if a Change made by hand holds it; path, verdict and cause are shown",
		},
		{
			"long_values", bare(hotupdate.AutoRollingUpdate, verdict.Roll,
				replaced(userData+`a"`, userData+`b"`), replaced(
					`"short"`, userData+`"`,
				), replaced(`"`+strings.Repeat("é", 60)+`"`, `"`+strings.Repeat("é", 60)+`f"`), deepPath),
			"a difference at the end of two long values is shown; beginning and end of a path are; JSON has everything",
		},
		{
			"hostile_terminal", bare(hotupdate.AutoRollingUpdate, verdict.HotUpdate, terminal),
			"escapes, bidi controls, NUL, C1 controls and bytes that are not UTF-8 are harmless",
		},
		{"hostile_markdown", bare(hotupdate.AutoRollingUpdate, verdict.HotUpdate, mention), "neither HTML nor Markdown nor mentions"},
		{
			"unicode", bare(hotupdate.AutoRollingUpdate, verdict.HotUpdate, cyrillic),
			"text is ASCII, where a Cyrillic letter cannot pass for a Latin one; Markdown and JSON keep what is printable",
		},
		{
			"whole", bare(hotupdate.AutoRollingUpdate, verdict.Roll, hotupdate.Change{Op: hotupdate.OpReplace, Old: `{"a":1}`, New: `{}`}),
			"a config that is compared as a whole has an empty path",
		},
		{"no_pools", planOf(), "a manifest without pools"},
		{"pools", planOf(
			pool.Planned{Name: "web", Comparison: compared(verdict.Roll, []facts.Unknown{facts.MachineImageVersion}, nil, addedTag, iops)},
			pool.Planned{
				Name:       "db",
				Comparison: underAutoInPlace(compared(verdict.InPlaceUpdate, nil, []verdict.Rule{verdict.ConfigAsWhole}, account)),
			},
			pool.Planned{Name: "calm", Comparison: compared(verdict.None, nil, nil)},
			pool.Planned{Name: "quiet", Comparison: compared(verdict.None, nil, nil)},
			pool.Planned{Name: "new", State: pool.Added, Comparison: judge.Comparison{Verdict: verdict.MachinesAdded}},
			pool.Planned{Name: "gone", State: pool.Removed, Comparison: judge.Comparison{Verdict: verdict.Removed}},
			pool.Planned{Name: "b", FormerName: "a", State: pool.Renamed, Comparison: compared(verdict.PoolRenamed, nil, nil, addedTag)},
		), "every state; the summary has the gravest first; a renamed pool rolls whatever changed besides; what is unknown of all is said once"},
		{"consequences", []*pool.Plan{{
			Kind: facts.Shoot, Name: "web", AbovePools: judge.AbovePools{Unjudged: []string{"spec.dns.domain", "spec.region"}},
			Pools: []pool.Planned{
				{
					Name: "cpu", Before: facts.Machines{Minimum: 3, Maximum: 10, Known: true},
					After: facts.Machines{Minimum: 1, Maximum: 1, Known: true}, Comparison: judge.Comparison{
						Verdict: verdict.MachinesDeleted, Numbers: verdict.Numbers{DeletedAtLeast: 2, DeletedAtMost: 9},
						Rules:    []verdict.Rule{verdict.Shrunk, verdict.NotHashed, verdict.ReservationsBySum},
						Unjudged: []string{"sysctls.a"}, OldEra: "raw", NewEra: "canonical",
						Changes: []judge.Finding{
							{
								Change: hotupdate.Change{Path: "labels.a", Op: hotupdate.OpAdd, Class: hotupdate.Ignored, New: `"b"`},
								Rule:   verdict.NotHashed, Verdict: verdict.None,
							},
							{
								Change: hotupdate.Change{
									Path: "maximum", Op: hotupdate.OpReplace, Class: hotupdate.Ignored, Old: "10", New: "1",
								},
								Rule: verdict.Shrunk, Verdict: verdict.MachinesDeleted, Decides: true,
							},
						},
					},
				},
				{
					Name: "gpu", Before: facts.Machines{Minimum: 1, Maximum: 1, Known: true},
					After: facts.Machines{Minimum: 1, Maximum: 1, Known: true}, Comparison: judge.Comparison{
						Verdict: verdict.None, Rules: []verdict.Rule{verdict.ReservationsBySum}, OldEra: "canonical", NewEra: "canonical",
					},
				},
				{
					Name: "old", State: pool.Removed, Comparison: judge.Comparison{Verdict: verdict.Removed},
					Before: facts.Machines{Minimum: 1, Maximum: 3, Known: true},
				},
			},
		}}, "machines are deleted; what was not judged; the eras; what is assumed of both pools is said once"},
		{"manifests", []*pool.Plan{
			shootOf("a", pool.Planned{Name: "cpu", Comparison: compared(verdict.None, nil, nil)}),
			shootOf(
				"b", pool.Planned{Name: "cpu", Comparison: compared(verdict.Roll, nil, nil, iops)},
				pool.Planned{Name: "gpu", Comparison: compared(verdict.None, nil, nil)},
			),
			shootOf("c", pool.Planned{Name: "cpu", Comparison: compared(verdict.None, nil, nil)}),
		}, "every Shoot is named; those to which nothing happens share a line; what is unknown of all is said once"},
		{
			"many_changes", bare(hotupdate.AutoRollingUpdate, verdict.Roll, append(manyHot, iops)...),
			"the change that decides stands first; Markdown folds the rest",
		},
		{"hostile_pool", planOf(
			pool.Planned{Name: "a`b``c\n# x\x1b[31m", Comparison: compared(verdict.None, nil, []verdict.Rule{verdict.StrategyRefined})},
			pool.Planned{Name: "`", FormerName: strings.Repeat("n", 200), State: pool.Renamed, Comparison: judge.Comparison{Verdict: verdict.PoolRenamed}},
		), "names come from manifests, too"},
	}
}

// made makes a report of plans, which must have JSON values.
func made(_ require.TestingT, plans ...*pool.Plan) *report.Report {
	return report.New(plans, nil, report.Selection{All: true})
}

// page writes a report as a page.
func page(t require.TestingT, r *report.Report) string {
	var out strings.Builder
	require.NoError(t, report.HTML(&out, r, report.Shown{}))
	return out.String()
}

// TestGolden compares every rendering with its golden file. The reason of a case is what to look for in it.
func TestGolden(t *testing.T) {
	for _, tc := range goldens() {
		t.Run(tc.name, func(t *testing.T) {
			r := made(t, tc.plans...)
			encoded, err := report.JSON(r)
			require.NoError(t, err)
			_, body, _ := strings.Cut(page(t, r), "<body>") // the style has no cases
			for extension, got := range map[string]string{
				"txt": report.Text(r, report.Style{}), "ansi": report.Text(r, report.Style{Color: true}),
				"md": report.Markdown(r, report.Style{}), "html": body,
				"json": string(encoded),
			} {
				file := filepath.Join("testdata", "golden", tc.name+"."+extension)
				if *update {
					require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, string(want), got, "%s: %s", file, tc.reason)
			}
		})
	}
}
