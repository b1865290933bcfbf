package hotupdate_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadmeShowsTestedCode finds every Go snippet of the README, and the output beside it, in the examples that are run as tests.
func TestReadmeShowsTestedCode(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	examples, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	snippets := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	require.Len(t, snippets, 2)
	for _, snippet := range snippets {
		assert.Contains(t, string(examples), string(snippet[1]))
	}
	output := regexp.MustCompile("(?s)```\n(hot update true .*?)```").FindSubmatch(readme)
	require.NotNil(t, output)
	commented := regexp.MustCompile("(?m)^").ReplaceAllString(string(output[1]), "\t// ")
	assert.Contains(t, string(examples), commented[:len(commented)-len("\t// ")])
}
