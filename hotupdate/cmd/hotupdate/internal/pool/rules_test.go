package pool_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// TestRulesHaveRows: each rule has the row of its own name in the table, and each row is a rule.
func TestRulesHaveRows(t *testing.T) {
	source, err := os.ReadFile("rules.go")
	require.NoError(t, err)
	var names, rows []string
	for _, declared := range regexp.MustCompile(`(\w+) += rule\("(\w+)"\)`).FindAllStringSubmatch(string(source), -1) {
		assert.Equal(t, declared[1], declared[2])
		names = append(names, declared[2])
	}
	_, rules, found := strings.Cut(pool.Table, "\n[refusals]\n")
	require.True(t, found)
	for line := range strings.Lines(rules) {
		if columns := strings.Split(strings.TrimSpace(line), "  "); len(columns) > 1 {
			rows = append(rows, columns[0])
			assert.Len(t, columns, 3, "a name, a source and a text")
		}
	}
	assert.ElementsMatch(t, names, rows)
	assert.NotEqual(t, pool.NoRule, pool.Scaled)
}
