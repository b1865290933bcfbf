package repository_test

import (
	"regexp"
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
	alone := group("alone")
	require.NotEmpty(t, defined)
	assert.ElementsMatch(t, defined, append(append(group("steps"), group("deep")...), alone...))
	var jobs []string
	for _, found := range regexp.MustCompile(`(?m)run: bash \.ci/run(.*)$`).FindAllStringSubmatch(read(t, ".github/workflows/ci.yml"), -1) {
		jobs = append(jobs, strings.TrimSpace(found[1]))
	}
	assert.ElementsMatch(t, append([]string{"", "deep"}, alone...), jobs)
}
