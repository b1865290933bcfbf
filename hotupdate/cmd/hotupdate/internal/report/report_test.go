package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden is a report whose renderings stand in testdata/golden.
type golden struct {
	name   string
	report report.Report
	reason string
}

// Changes of every kind.
var (
	addedTag  = hotupdate.Change{Path: "tags.vm[cost-center]", Pointer: "/tags/vm/cost-center", Op: hotupdate.Add, Class: hotupdate.Hot, Origin: hotupdate.OriginInherited, Source: "aws.WorkerConfig.Tags", New: `"a"`}
	goneLabel = hotupdate.Change{Path: "machineLabels[name=a].value", Pointer: "/machineLabels/0/value", Op: hotupdate.Remove, Class: hotupdate.Hot, Origin: hotupdate.OriginHotWhen, Source: "openstack.WorkerConfig.MachineLabels", Old: `"b"`}
	iops      = hotupdate.Change{Path: "volume.iops", Pointer: "/volume/iops", Op: hotupdate.Replace, Class: hotupdate.Immutable, Origin: hotupdate.OriginDefault, Old: "3000", New: "4000"}
	account   = hotupdate.Change{Path: "serviceAccount.email", Pointer: "/serviceAccount/email", Op: hotupdate.Replace, Class: hotupdate.InPlace, Origin: hotupdate.OriginStructTag, Source: "gcp.WorkerConfig.ServiceAccount", Old: `"a@b"`, New: `"c@d"`}
	minor     = hotupdate.Change{Path: "kubernetes.version", Pointer: "/kubernetes/version", Op: hotupdate.Replace, Class: hotupdate.InPlace, Origin: hotupdate.OriginInherited, Source: "pool.TriggersV1.Kubernetes", Old: `"1.33"`, New: `"1.35"`}
	hint      = hotupdate.Change{Path: "nodeTemplate", Pointer: "/nodeTemplate", Op: hotupdate.Add, Class: hotupdate.Ignored, Origin: hotupdate.OriginOverride, Source: "nodeTemplate", New: `{}`}
	secret    = hotupdate.Change{Path: "token", Pointer: "/token", Op: hotupdate.Replace, Class: hotupdate.Immutable, Origin: hotupdate.OriginStructTag, Source: "x.Config.Token", Sensitive: true, Old: `"hunter2"`, New: `"hunter3"`}
	defaulted = hotupdate.Change{Path: "volume.type", Pointer: "/volume/type", Op: hotupdate.Add, Class: hotupdate.Immutable, Origin: hotupdate.OriginDefault, New: `"gp3"`, Omitted: true}
)

// bare is a report about a provider config without pools.
func bare(strategy hotupdate.Strategy, outcome hotupdate.Outcome, changes ...hotupdate.Change) report.Report {
	return report.Report{Pools: []report.Pool{{Strategy: strategy, Outcome: outcome, Changes: changes}}}
}

func replaced(old, updated string) hotupdate.Change {
	c := iops
	c.Old, c.New = old, updated
	return c
}

func goldens() []golden {
	userData := `"` + strings.Repeat("I2Nsb3VkLWNvbmZpZwo", 40)
	manyTags := make([]hotupdate.Change, 0, 7)
	for key := range strings.SplitSeq("abcdefg", "") {
		c := iops
		c.Path, c.Pointer = "args["+key+"]", "/args/"+key
		manyTags = append(manyTags, c)
	}
	mention := addedTag
	mention.Path, mention.Pointer, mention.New = "tags.vm[@everyone]", "/tags/vm/@everyone", `"</code><script>x</script> ![x](https://x.org) | `+"``` `x"+`"`
	cyrillic := addedTag
	cyrillic.Path, cyrillic.New = "tags.vm[\u0430ws]", `"K\u00fcche \U0001f40b"`
	cyrillic.New = strings.NewReplacer(`\u00fc`, "\u00fc", `\U0001f40b`, "\U0001f40b").Replace(cyrillic.New)
	terminal := addedTag
	terminal.Path, terminal.Source = "tags.vm[\x1b[2J\x07\x00\xff]", "a\rb"
	terminal.New = "\"\u202egnp.exe \u2066 \u200b \u0085 \u009b31m \u007f\""
	deepPath := iops
	deepPath.Path = "labels[" + strings.Repeat("long", 100) + "].value.at.the.end"

	return []golden{
		{"none", bare(hotupdate.AutoRollingUpdate, hotupdate.NoUpdate), "no change at all still has a verdict"},
		{"ignored", bare(hotupdate.AutoRollingUpdate, hotupdate.NoUpdate, hint), "an ignored change is listed, and has no cause to show"},
		{"hot", bare(hotupdate.AutoRollingUpdate, hotupdate.HotUpdate, goneLabel, addedTag), "hot updates want no excuse: no cause"},
		{"roll", bare(hotupdate.AutoRollingUpdate, hotupdate.Roll, account, addedTag, iops), "under AutoRollingUpdate in-place fields roll as well: both are causes"},
		{"in_place", bare(hotupdate.AutoInPlaceUpdate, hotupdate.InPlaceUpdate, account, addedTag), "the in-place change is the cause"},
		{"manual", bare(hotupdate.ManualInPlaceUpdate, hotupdate.InPlaceUpdate, account), "a node waits until somebody selects it"},
		{"forbidden", bare(hotupdate.AutoInPlaceUpdate, hotupdate.UpdateForbidden, account, iops), "only the immutable change is forbidden, the in-place one is not to blame"},
		{"forbidden_in_place", report.Report{Pools: []report.Pool{{
			Name: "web", Strategy: hotupdate.AutoInPlaceUpdate, Outcome: hotupdate.UpdateForbidden,
			Changes: hotupdate.Changes{addedTag, account, minor}, Causes: hotupdate.Changes{minor},
		}}}, "what is to blame is told beside the classes: the minor, not the account"},
		{"forbidden_by_rule", report.Report{Pools: []report.Pool{{
			Name: "web", Strategy: hotupdate.AutoInPlaceUpdate, Outcome: hotupdate.UpdateForbidden,
			Meaning: "an in-place update has to take the next minor", Changes: hotupdate.Changes{minor}, Causes: hotupdate.Changes{minor},
		}}}, "the verdict says what the caller knows: no machine would have to be replaced"},
		{"indeterminate", bare(hotupdate.AutoRollingUpdate, hotupdate.Indeterminate, addedTag, defaulted), "the change that may be a default decides"},
		{"many_causes", bare(hotupdate.AutoRollingUpdate, hotupdate.Roll, manyTags...), "the verdict names five causes, the list all"},
		{"sensitive", bare(hotupdate.AutoRollingUpdate, hotupdate.Roll, secret), "a value is hidden even if a Change made by hand holds it; path, verdict and cause are shown"},
		{
			"long_values", bare(hotupdate.AutoRollingUpdate, hotupdate.Roll,
				replaced(userData+`a"`, userData+`b"`), replaced(`"short"`, userData+`"`), replaced(`"`+strings.Repeat("é", 60)+`"`, `"`+strings.Repeat("é", 60)+`f"`), deepPath),
			"a difference at the end of two long values is shown; beginning and end of a path are; JSON has everything",
		},
		{"hostile_terminal", bare(hotupdate.AutoRollingUpdate, hotupdate.HotUpdate, terminal), "escapes, bidi controls, NUL, C1 controls and bytes that are not UTF-8 are harmless"},
		{"hostile_markdown", bare(hotupdate.AutoRollingUpdate, hotupdate.HotUpdate, mention), "neither HTML nor Markdown nor mentions"},
		{"unicode", bare(hotupdate.AutoRollingUpdate, hotupdate.HotUpdate, cyrillic), "text is ASCII, where a Cyrillic letter cannot pass for a Latin one; Markdown and JSON keep what is printable"},
		{"whole", bare(hotupdate.AutoRollingUpdate, hotupdate.Roll, hotupdate.Change{Op: hotupdate.Replace, Old: `{"a":1}`, New: `{}`}), "a config that is compared as a whole has an empty path"},
		{"no_pools", report.Report{}, "a manifest without pools"},
		{"pools", report.Report{
			Pools: []report.Pool{
				{Name: "web", Outcome: hotupdate.Roll, Changes: hotupdate.Changes{addedTag, iops}, Assumed: []string{"the machine image's version"}},
				{Name: "db", Strategy: hotupdate.AutoInPlaceUpdate, Outcome: hotupdate.InPlaceUpdate, Changes: hotupdate.Changes{account}, Notes: []string{"Its provider is not known."}},
				{Name: "calm", Outcome: hotupdate.NoUpdate},
				{Name: "quiet", Outcome: hotupdate.NoUpdate},
				{Name: "new", State: report.Added},
				{Name: "gone", State: report.Removed},
				{Name: "b", FormerName: "a", State: report.Renamed, Outcome: hotupdate.HotUpdate, Changes: hotupdate.Changes{addedTag}},
			},
			Assumed: []string{"credential rotation", "the extension's status"},
			Notes:   []string{"One of the files was read from a cluster."},
		}, "every state; the summary has the gravest first; a renamed pool rolls whatever changed besides"},
		{"hostile_pool", report.Report{Pools: []report.Pool{
			{Name: "a`b``c\n# x\x1b[31m", Outcome: hotupdate.NoUpdate, Assumed: []string{"a\n```"}, Notes: []string{"@x\n```\n<b>"}},
			{Name: "`", FormerName: strings.Repeat("n", 200), State: report.Renamed},
		}, Notes: []string{"\u202e"}}, "names and remarks come from manifests, too"},
	}
}

// TestGolden compares every rendering with its golden file. The reason of a case is what to look for in it.
func TestGolden(t *testing.T) {
	for _, tc := range goldens() {
		t.Run(tc.name, func(t *testing.T) {
			encoded, err := report.JSON(tc.report)
			require.NoError(t, err)
			for extension, got := range map[string]string{
				"txt": report.Text(tc.report, report.Plain), "ansi": report.Text(tc.report, report.ANSI), "md": report.Markdown(tc.report), "json": string(encoded),
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
