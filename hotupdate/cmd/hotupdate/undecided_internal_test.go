package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// planOf is a plan with one pool.
func planOf(judged verdict.Verdict, may verdict.Set) []*pool.Plan {
	return []*pool.Plan{{Pools: []pool.Planned{{Comparison: judge.Comparison{Verdict: judged, May: may}}}}}
}

// The gate fails for what can still come true, unless it was told to pass what is not decided.
func TestGateOfWhatIsNotDecided(t *testing.T) {
	t.Parallel()
	open := verdict.Only(verdict.None, verdict.Roll)
	for _, test := range []struct {
		name          string
		failOn        []string
		plans         []*pool.Plan
		want, passing int
	}{
		{"it can become roll", []string{"roll"}, planOf(verdict.Indeterminate, open), exitIndeterminate, exitOK},
		{"it cannot become removed", []string{"removed"}, planOf(verdict.Indeterminate, open), exitOK, exitOK},
		{"indeterminate is listed", []string{"indeterminate"}, planOf(verdict.Indeterminate, open), exitIndeterminate, exitIndeterminate},
		{
			"without a set, anything can come true",
			[]string{"removed"},
			planOf(verdict.Indeterminate, verdict.Set{}), exitIndeterminate,
			exitOK,
		},
		{
			"it rolls for sure, and may be refused",
			[]string{"forbidden"},
			planOf(verdict.Roll, verdict.Only(verdict.Roll, verdict.Forbidden)), exitIndeterminate, exitOK,
		},
		{
			"it rolls for sure, and may do more",
			[]string{"hot-update"},
			planOf(verdict.Roll, verdict.Any().And(verdict.Only(verdict.Roll))), exitIndeterminate, exitOK,
		},
		{"it rolls for sure", []string{"forbidden"}, planOf(verdict.Roll, verdict.Set{}), exitOK, exitOK},
		{
			"roll is graver than indeterminate",
			[]string{"roll", "removed"},
			planOf(verdict.Roll, verdict.Any().And(verdict.Only(verdict.Roll))), exitRoll, exitRoll,
		},
		{"no list", nil, planOf(verdict.Indeterminate, verdict.Any()), exitOK, exitOK},
	} {
		failing := &call{options: options{failOn: test.failOn}}
		passing := &call{options: options{failOn: test.failOn, passUndecided: true}}
		assert.Equal(t, test.want, failing.planExitCode(test.plans), test.name)
		assert.Equal(t, test.passing, passing.planExitCode(test.plans), "%s, passing", test.name)
	}
}
