package repository_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryStepHasAJob: the workflow runs each step of .ci/run, alone or in a group, and each once.
func TestEveryStepHasAJob(t *testing.T) {
	t.Parallel()
	script := read(t, ".ci/run")
	group := func(name string) []string {
		return strings.Fields(firstMatch(t, `(?m)^`+name+`=\((.*)\)$`, script))
	}
	var defined []string
	for _, found := range regexp.MustCompile(`(?m)^step_(\w+)\(\)`).FindAllStringSubmatch(script, -1) {
		defined = append(defined, found[1])
	}
	require.NotEmpty(t, defined)
	deep := group("deep")
	assert.ElementsMatch(t, defined, append(append(group("steps"), deep...), group("alone")...))
	var run []string
	for _, found := range regexp.MustCompile(`(?m)run: bash \.ci/run(.*)$`).FindAllStringSubmatch(read(t, ".github/workflows/ci.yml"), -1) {
		steps := strings.Fields(found[1])
		require.NotEmpty(t, steps, "a job names its steps")
		if slices.Equal(steps, []string{"deep"}) {
			steps = deep
		}
		run = append(run, steps...)
	}
	assert.ElementsMatch(t, defined, run)
}
