package report_test

import (
	"fmt"
	"strconv"
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

// rolling is a pool of 5 machines that rolls by some changes.
func rolling(name string, changes ...hotupdate.Change) pool.Planned {
	p := pool.Planned{
		Name: name, Before: facts.Machines{Known: true, Minimum: 1, Maximum: 5}, After: facts.Machines{Known: true, Minimum: 1, Maximum: 5},
		Comparison: judge.Comparison{Verdict: verdict.Roll},
	}
	for _, c := range changes {
		p.Changes = append(p.Changes, judge.Finding{Change: c})
	}
	return p
}

func warningsOf(plans []*pool.Plan) []string {
	return report.Warnings(report.New(plans, nil, report.Selection{}))
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	long := iops
	long.Path = "volume." + strings.Repeat("x", 70)
	longValue := iops
	longValue.Old = `"` + strings.Repeat("a", 60) + `"`
	longValue.New = `"` + strings.Repeat("b", 60) + `"`
	undecided := pool.Planned{Name: "a", Comparison: judge.Comparison{Verdict: verdict.Indeterminate, Questions: []verdict.Question{{
		Fact: "useGKEFormula", Values: []verdict.Value{verdict.Gives("true", verdict.Roll), verdict.Gives("false", verdict.None)},
	}}, May: verdict.Only(verdict.Roll, verdict.None)}}
	refused := rolling("a", minor)
	refused.Verdict = verdict.Forbidden
	refused.Rules = []verdict.Rule{minorSkipped}
	removed := pool.Planned{
		Name: "old", State: pool.Removed, Before: facts.Machines{Known: true, Maximum: 3},
		Comparison: judge.Comparison{Verdict: verdict.Removed},
	}
	added := pool.Planned{
		Name: "new", State: pool.Added, After: facts.Machines{Known: true, Maximum: 3},
		Comparison: judge.Comparison{Verdict: verdict.Added},
	}
	for name, test := range map[string]struct {
		pools []pool.Planned
		want  []string
	}{
		"nothing": {[]pool.Planned{{Name: "a", Comparison: judge.Comparison{Verdict: verdict.None}}, added}, nil},
		"one change": {
			[]pool.Planned{rolling("a", iops)}, []string{"pool a: roll, up to 5 machines: volume.iops 3000 -> 4000"},
		},
		"several changes": {
			[]pool.Planned{rolling("a", iops, secret)},
			[]string{"pool a: roll, up to 5 machines: volume.iops 3000 -> 4000; token (sensitive)"},
		},
		"what does not decide": {
			[]pool.Planned{rolling("a", addedTag, iops)}, []string{"pool a: roll, up to 5 machines: volume.iops 3000 -> 4000"},
		},
		"more changes than fit": {
			[]pool.Planned{rolling("a", iops, longValue, longValue, longValue)},
			[]string{"pool a: roll, up to 5 machines: volume.iops 3000 -> 4000; and 3 more"},
		},
		"no value fits": {
			[]pool.Planned{rolling("a", longValue)}, []string{"pool a: roll, up to 5 machines: volume.iops"},
		},
		"no path fits": {
			[]pool.Planned{rolling(strings.Repeat("p", 60), long)},
			[]string{"pool " + strings.Repeat(
				"p", 60,
			) + ": roll, up to 5 machines: " + "volume." + strings.Repeat("x", 39) + "..." + strings.Repeat("x", 23) + " 3000 -> 4000"},
		},
		"no change": {
			[]pool.Planned{rolling("a")}, []string{"pool a: roll, up to 5 machines: every machine is replaced"},
		},
		"a fact is not known": {
			[]pool.Planned{undecided}, []string{"pool a: indeterminate (roll or none): not known: useGKEFormula"},
		},
		"it is refused": {[]pool.Planned{refused}, []string{"pool a: forbidden: " + minorSkipped.Text}},
		"the gravest first, after a sum": {
			[]pool.Planned{rolling("a", iops), removed},
			[]string{
				"1 pool is removed, up to 3 machines; 1 pool rolls, up to 5 machines", "pool old: removed, up to 3 machines",
				"pool a: roll, up to 5 machines: volume.iops 3000 -> 4000",
			},
		},
		"pools with one cause": {
			[]pool.Planned{rolling("a", iops), rolling("b", iops), rolling("c", secret)},
			[]string{
				"3 pools roll, up to 15 machines", "pools a and b: roll, up to 10 machines: volume.iops 3000 -> 4000",
				"pool c: roll, up to 5 machines: token (sensitive)",
			},
		},
	} {
		assert.Equal(t, test.want, warningsOf(planOf(test.pools...)), name)
	}
}

// TestWarningsOfManyPools: 1,000 pools with causes of their own fit, and say how many are not told.
func TestWarningsOfManyPools(t *testing.T) {
	t.Parallel()
	var same, different []pool.Planned
	for i := range 1000 {
		name := fmt.Sprintf("pool-%d", i)
		same = append(same, rolling(name, iops))
		change := iops
		change.New = strconv.Itoa(5000 + i)
		different = append(different, rolling(name, change))
	}
	assert.Equal(t, []string{
		"1,000 pools roll, up to 5,000 machines",
		"pools pool-0, pool-1, pool-2 and 997 more: roll, up to 5,000 machines: volume.iops 3000 -> 4000",
	}, warningsOf(planOf(same...)))
	lines := warningsOf(planOf(different...))
	require.Greater(t, len(lines), 40)
	assert.Regexp(t, `^and 9\d\d more warnings$`, lines[len(lines)-1])
	assert.LessOrEqual(t, len(strings.Join(lines, "")), 3500)
}

// TestWarningsFit: whatever a plan holds, a warning is a line of printable ASCII of at most 256 characters, and all have at
// most 3,500. One of more than 120 cannot be shortened: it names its first subjects and one cause.
func TestWarningsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport(t)
		lines := report.Warnings(r)
		require.LessOrEqual(t, len(strings.Join(lines, "")), 3500)
		for _, line := range lines {
			require.Equal(t, -1, strings.IndexFunc(line, func(c rune) bool { return c < ' ' || c > '~' }), "%q", line)
			require.LessOrEqual(t, len(line), 256)
			require.NotEmpty(t, line)
		}
		for _, m := range r.Manifests {
			for _, p := range m.Pools {
				v, _ := verdict.OfWord(p.Verdict)
				require.True(t, v.IsSilent() || len(lines) > 0, "%s is told", p.Verdict)
			}
		}
	})
}
