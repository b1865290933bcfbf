package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden file anew")

// TestStory runs the command over HTTP and compares its output with the golden file, which is the text that a reader sees.
func TestStory(t *testing.T) {
	golden := filepath.Join("testdata", "story.txt")
	var out, problems bytes.Buffer
	require.Zero(t, run(&out, &problems), problems.String())
	assert.Empty(t, problems.String())
	if *update {
		require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())
}

// TestStoryIsTheSameInEveryRun: nothing in it depends on the machine, on goroutines or on the order of maps.
func TestStoryIsTheSameInEveryRun(t *testing.T) {
	first, err := tell()
	require.NoError(t, err)
	for range 2 {
		again, err := tell()
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}

func TestStoryThatCannotBeWrittenFails(t *testing.T) {
	var problems bytes.Buffer
	assert.Equal(t, 1, run(broken{}, &problems))
	assert.Equal(t, "machinecontroller: the pipe is closed\n", problems.String())
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the pipe is closed") }

// TestStoryWaitsInVain: what does not happen is an error, and the first one counts.
func TestStoryWaitsInVain(t *testing.T) {
	s := &story{}
	s.check(nil)
	require.NoError(t, s.err)
	s.check(errors.New("first"))
	s.check(errors.New("second"))
	require.EqualError(t, s.err, "first")
}

// TestLongLinesAreWrapped: nobody reads a line of 300 characters.
func TestLongLinesAreWrapped(t *testing.T) {
	text, err := tell()
	require.NoError(t, err)
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, len(line), 140, line)
	}
}

// TestReadme: the code in the README is that of the example, and what it points to exists.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(readme), "```go\n")
	require.True(t, ok)
	code, rest, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	assert.NotContains(t, rest, "```go", "one piece of code is compared")
	source, err := os.ReadFile(filepath.Join("controller", "update.go"))
	require.NoError(t, err)
	assert.Contains(t, string(source), code)
	for _, link := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(string(readme), -1) {
		assert.FileExists(t, link[1])
	}
}
