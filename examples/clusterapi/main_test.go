package main

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	ctrl "sigs.k8s.io/controller-runtime"
)

// TestStory: the command succeeds, and the README shows its output.
func TestStory(t *testing.T) {
	ctrl.SetLogger(logr.Discard())
	var told bytes.Buffer
	require.NoErrorf(t, demonstrate(t.Context(), &told), "%s", &told)
	assert.Contains(t, read(t, "README.md"), "```text\n"+told.String()+"```\n")
}

// TestReadme: the README's code is the example's, which compiles. Its versions are the versions in
// go.mod, or the versions of the newest managers.
func TestReadme(t *testing.T) {
	readme := read(t, "README.md")
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readme, -1)
	require.Len(t, blocks, 1)
	assert.Contains(t, read(t, "extension/example_test.go"), blocks[0][1])
	modules := read(t, "go.mod") + "\n" + read(t, "managers/newest/go.mod")
	for _, version := range regexp.MustCompile(`\bv\d+\.\d+\.\d+`).FindAllString(readme, -1) {
		assert.Regexp(t, `sigs\.k8s\.io/cluster-api\S* `+regexp.QuoteMeta(version)+`\s`, modules)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}
