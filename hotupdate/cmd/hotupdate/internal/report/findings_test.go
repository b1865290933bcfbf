package report_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// placedPlans are a Shoot with a pool that rolls, one that is removed and one that is untouched, and a
// Shoot that is removed without pools.
func placedPlans() []*pool.Plan {
	rolls := pool.Planned{
		Name: "a", OldLine: 12, NewLine: 14, After: facts.Machines{Minimum: 1, Maximum: 3, Known: true},
		Comparison: judge.Comparison{Verdict: verdict.Roll, Changes: []judge.Finding{
			{Change: iops, Verdict: verdict.Roll, Decides: true, OldLine: 20, NewLine: 22},
			{Change: addedTag, Verdict: verdict.HotUpdate, NewLine: 30},
		}},
	}
	gone := pool.Planned{Name: "b", State: pool.Removed, Comparison: judge.Comparison{Verdict: verdict.Removed}, OldLine: 40, NewLine: 10}
	same := pool.Planned{Name: "c", Comparison: judge.Comparison{Verdict: verdict.None}}
	shoot := shootOf("web", rolls, gone, same)
	shoot.OldPlace = pool.Place{File: "old/w%b.yaml", Line: 3}
	shoot.NewPlace = pool.Place{File: "new/w b.yaml", Line: 5}
	removed := &pool.Plan{Kind: facts.Shoot, Name: "gone", State: pool.Removed, OldPlace: pool.Place{File: "old/gone.yaml", Line: 7}}
	return []*pool.Plan{shoot, removed}
}

// TestGitHub: an annotation for each change that decides, at its line of the new file.
func TestGitHub(t *testing.T) {
	r := report.New(placedPlans(), []string{"new/w b.yaml:3: 100% odd"}, report.Selection{})
	assert.Equal(t, `::error file=new/w b.yaml,line=10,title=removed%3A pool b of Shoot garden-dev/web::the machines are deleted
::error file=old/gone.yaml,line=7,title=removed%3A Shoot gone::the manifest is removed
::error file=new/w b.yaml,line=22,title=roll%3A pool a of Shoot garden-dev/web::~ volume.iops 3000 -> 4000: by Gardener's rules for worker pools
::warning::new/w b.yaml:3: 100%25 odd
`, report.GitHub(r.Findings()))
}

// TestOneRuleIsOneCause: pools with the same change by the same rule are one cause. Only those without a rule were.
func TestOneRuleIsOneCause(t *testing.T) {
	var plans []*pool.Plan
	for _, name := range []string{"a", "b", "c"} {
		plans = append(plans, shootOf(name, pool.Planned{
			Name: "a", Comparison: judge.Comparison{Verdict: verdict.Roll, Changes: []judge.Finding{
				{Change: iops, Verdict: verdict.Roll, Decides: true, Rule: verdict.Rule{Kind: verdict.Decides, Text: "it is so"}},
			}},
		}))
	}
	text := report.Text(report.New(plans, nil, report.Selection{}), report.Style{})
	assert.Equal(t, 1, strings.Count(text, "it is so"), text)
}

func TestGravityOfAnnotations(t *testing.T) {
	for v, want := range map[verdict.Verdict]string{
		verdict.HotUpdate: "notice", verdict.MachinesAdded: "warning", verdict.MachinesMayBeDeleted: "warning",
		verdict.AllMachinesMayBeDeleted: "error", verdict.MachinesDeleted: "error", verdict.InPlaceUpdate: "warning",
		verdict.Indeterminate: "warning", verdict.Roll: "error", verdict.Forbidden: "error",
	} {
		plan := shootOf("web", pool.Planned{Name: "a"})
		plan.Pools[0].Verdict = v
		annotation := report.GitHub(report.New([]*pool.Plan{plan}, nil, report.Selection{}).Findings())
		assert.True(t, strings.HasPrefix(annotation, "::"+want+" title="), "%v: %s", v, annotation)
	}
}

// TestGitHubIsHarmless: whatever a plan holds, a line is one annotation, whose properties are those of
// this library.
func TestGitHubIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := report.GitHub(anyReport(t).Findings())
		for line := range strings.Lines(text) {
			require.Regexp(t, `^::(notice|warning|error) ?(file=[^,:\r]*,line=\d+,)?(title=[^,:\r]*)?::[^\r\n]*\n$`, line)
		}
	})
}

// TestSARIF: a result for each change that decides, with a rule that the log declares.
func TestSARIF(t *testing.T) {
	text, err := report.JSON(report.SARIF(report.New(placedPlans(), []string{"odd"}, report.Selection{}).Findings(), "v1.2.3"))
	require.NoError(t, err)
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version string
					Rules         []struct{ ID string }
				}
			}
			Invocations []struct {
				ToolExecutionNotifications []struct{ Message struct{ Text string } }
			}
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &log))
	assert.Equal(t, "2.1.0", log.Version)
	require.Len(t, log.Runs, 1)
	run := log.Runs[0]
	assert.Equal(t, "hotupdate v1.2.3", run.Tool.Driver.Name+" "+run.Tool.Driver.Version)
	assert.Equal(t, "odd", run.Invocations[0].ToolExecutionNotifications[0].Message.Text)
	declared := map[string]bool{}
	for _, rule := range run.Tool.Driver.Rules {
		declared[rule.ID] = true
	}
	var found []string
	for _, result := range run.Results {
		assert.True(t, declared[result.RuleID], result.RuleID)
		assert.Equal(t, "error", result.Level)
		at := result.Locations[0].PhysicalLocation
		found = append(found, strings.Join([]string{result.RuleID, at.ArtifactLocation.URI, result.Message.Text}, " "))
		assert.Positive(t, at.Region.StartLine)
	}
	assert.Equal(t, []string{
		"removed new/w%20b.yaml removed: pool b of Shoot garden-dev/web: the machines are deleted",
		"removed old/gone.yaml removed: Shoot gone: the manifest is removed",
		"roll new/w%20b.yaml roll: pool a of Shoot garden-dev/web: ~ volume.iops 3000 -> 4000: by Gardener's rules for worker pools",
	}, found)
}

// TestSARIFOfAnything: places are references, and every result has a rule.
func TestSARIFOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := report.JSON(report.SARIF(anyReport(t).Findings(), ""))
		require.NoError(t, err)
		var log struct {
			Runs []struct {
				Results []struct {
					RuleID    string
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		require.NoError(t, json.Unmarshal(text, &log))
		for _, result := range log.Runs[0].Results {
			require.NotEmpty(t, result.RuleID)
			for _, at := range result.Locations {
				_, err := url.Parse(at.PhysicalLocation.ArtifactLocation.URI)
				require.NoError(t, err)
			}
		}
	})
}

// TestSelection: what is left out is counted, and the sum has it.
func TestSelection(t *testing.T) {
	unchanged := func(name string) *pool.Plan {
		return shootOf(name, pool.Planned{Name: "a", Comparison: judge.Comparison{Verdict: verdict.None}})
	}
	relabelled := unchanged("relabelled")
	relabelled.Changes = []judge.Finding{{Change: hotupdate.Change{Path: "metadata.labels"}, Verdict: verdict.None}}
	plans := append(placedPlans(), unchanged("x"), unchanged("y"), relabelled)
	for _, test := range []struct {
		selection report.Selection
		names     []string
		omitted   int
	}{
		{report.Selection{}, []string{"web", "gone", "relabelled"}, 2},
		{report.Selection{All: true}, []string{"web", "gone", "x", "y", "relabelled"}, 0},
		{report.Selection{Quiet: true}, []string{"web", "gone"}, 3},
		{report.Selection{All: true, Quiet: true}, []string{"web", "gone"}, 3},
	} {
		r := report.New(plans, nil, test.selection)
		var names []string
		for _, m := range r.Manifests {
			names = append(names, m.Name)
		}
		assert.Equal(t, test.names, names, "%+v", test.selection)
		assert.Equal(t, test.omitted, r.Omitted)
		assert.Equal(t, []report.Summand{
			{Verdict: "removed", Count: report.Count{Pools: 1}},
			{Verdict: "roll", Count: report.Count{Pools: 1, Machines: 3}},
			{Verdict: "none", Count: report.Count{Pools: 4}},
		}, r.Sum)
		assert.Equal(t, "removed", r.Verdict)
		text := report.Text(r, report.Style{})
		assert.True(t, strings.HasPrefix(text, "removed: 5 manifests, 6 pools: 1 removed, 1 roll (up to 3 machines), 4 none\n"), text)
		assert.Less(t, strings.Index(text, "pool b"), strings.Index(text, "pool a"), "the gravest first")
		if test.selection.Quiet {
			assert.Len(t, r.Manifests[0].Pools, 2, "the pool that is untouched is left out")
			assert.Len(t, r.Manifests[0].Pools[0].Changes, 2, "a hot update is no silence")
			assert.NotContains(t, text, "relabelled")
		}
	}

	one := report.New([]*pool.Plan{unchanged("x")}, nil, report.Selection{})
	assert.Len(t, one.Manifests, 1, "the only manifest is listed")
	assert.Zero(t, one.Omitted)
	none := report.New([]*pool.Plan{unchanged("x"), unchanged("y")}, nil, report.Selection{})
	assert.Equal(t, "none: 2 manifests, 2 pools\n", report.Text(none, report.Style{}))
}
