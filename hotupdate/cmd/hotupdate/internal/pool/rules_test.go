package pool_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// TestRulesHaveRows: each rule that code names has a row in the table, and product code names each row.
func TestRulesHaveRows(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, used := range regexp.MustCompile(`RuleOf\("(\w+)"\)`).FindAllStringSubmatch(string(source), -1) {
			names[used[1]] = names[used[1]] || !strings.HasSuffix(file, "_test.go")
		}
	}
	maps.DeleteFunc(names, func(name string, isProduct bool) bool { return !isProduct && pool.RuleOf(name) != pool.NoRule })
	var rows []string
	_, rules, found := strings.Cut(pool.Table, "\n[refusals]\n")
	require.True(t, found)
	for line := range strings.Lines(rules) {
		if columns := strings.Split(strings.TrimSpace(line), "  "); len(columns) > 1 {
			rows = append(rows, columns[0])
			assert.Len(t, columns, 3, "a name, a source and a text")
		}
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(names)), rows)
}
