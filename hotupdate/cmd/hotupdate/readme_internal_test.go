package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadmeCommand runs the README's first command and compares its output with the one shown there.
func TestReadmeCommand(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```sh\ngo run ./hotupdate/cmd/hotupdate (.*?)\n```\n\n```\n(.*?)```").FindSubmatch(readme)
	require.NotNil(t, shown)
	t.Chdir("../../..")
	var stdout, stderr bytes.Buffer
	code := run(strings.Fields(string(shown[1])), streams{out: &stdout, err: &stderr})
	assert.Equal(t, exitOK, code, stderr.String())
	assert.Equal(t, string(shown[2]), stdout.String())
}
