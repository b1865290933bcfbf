package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/extensions"
)

// guideBlock is a block of a page: a file, a command, or the output of the command before it.
var guideBlock = regexp.MustCompile("(?s)```(yaml|sh|text)\n(.*?)```")

// TestGuide follows the page for owners of Shoots in a repository of git: it writes the files of the page, and runs its
// commands. With -update it writes their output into the page.
func TestGuide(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	page, err := filepath.Abs("../../../examples/SHOOTS.md")
	require.NoError(t, err)
	shoots, err := filepath.Abs("../../../examples/shoots/1.36")
	require.NoError(t, err)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	beginRepository(t, shoots)
	output := []byte("no command")
	outputs := 0
	var codes []int
	written := guideBlock.ReplaceAllFunc(text, func(found []byte) []byte {
		block := guideBlock.FindSubmatch(found)
		kind := string(block[1])
		content := string(block[2])
		switch {
		case kind == "yaml":
			commitFile(t, content)
		case kind == "text":
			outputs++
			return slicesOf("```text\n", string(output), "```")
		case strings.HasPrefix(content, "hotupdate "):
			var code int
			output, code = runGuide(t, strings.Fields(content)[1:])
			codes = append(codes, code)
		}
		return found
	})
	assert.Equal(t, 4, outputs)
	assert.Equal(t, []int{exitOK, exitOK, exitOK, exitOK}, codes)
	if *update {
		require.NoError(t, os.WriteFile(page, written, 0o600))
		return
	}
	assert.Equal(t, string(text), string(written), "run go test -run TestGuide -update, and read the difference")
}

// TestGuideGate: with the rules of the page, and without what is accepted, its command ends with the exit code that the page tells.
func TestGuideGate(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	text, err := os.ReadFile("../../../examples/SHOOTS.md")
	require.NoError(t, err)
	shoots, err := filepath.Abs("../../../examples/shoots/1.36")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	beginRepository(t, shoots)
	for _, block := range guideBlock.FindAllSubmatch(text, -1) {
		if config := string(block[2]); strings.HasPrefix(config, "# .hotupdate.yaml\n") {
			commitFile(t, strings.Replace(config, "accept: accept.yaml\n", "", 1))
		}
	}
	_, code := runGuide(t, strings.Fields("plan --git HEAD --quiet shoots"))
	promised := regexp.MustCompile(`With this file, [^.]* exit code (\d+)`).FindSubmatch(text)
	require.NotNil(t, promised, "the page tells the exit code")
	assert.Equal(t, string(promised[1]), strconv.Itoa(code))
}

func slicesOf(parts ...string) []byte { return []byte(strings.Join(parts, "")) }

// beginRepository makes a repository in the working directory whose commit has the Shoot before a change, and whose
// work tree has the one after it.
func beginRepository(t *testing.T, shoots string) {
	t.Helper()
	gitOfGuide(t, "init", "-q", "-b", "main")
	require.NoError(t, os.Mkdir("shoots", 0o700))
	copyTo(t, filepath.Join(shoots, "before.yaml"), "before.yaml", "shoots/orders.yaml")
	gitOfGuide(t, "add", "shoots")
	gitOfGuide(t, "commit", "-q", "-m", "first")
	copyTo(t, filepath.Join(shoots, "after.yaml"), "after.yaml", "shoots/orders.yaml")
}

func copyTo(t *testing.T, from string, to ...string) {
	t.Helper()
	text, err := os.ReadFile(from)
	require.NoError(t, err)
	for _, file := range to {
		require.NoError(t, os.WriteFile(file, text, 0o600))
	}
}

// commitFile commits a file of the page, whose first line is a comment with its name.
func commitFile(t *testing.T, text string) {
	t.Helper()
	line, _, _ := strings.Cut(text, "\n")
	name := strings.TrimPrefix(line, "# ")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	gitOfGuide(t, "add", name)
	gitOfGuide(t, "commit", "-q", "-m", name)
}

func gitOfGuide(t *testing.T, args ...string) {
	t.Helper()
	settings := []string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}
	out, err := exec.CommandContext(t.Context(), "git", append(settings, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
}

// runGuide returns the output and the exit code of a command of the page.
func runGuide(t *testing.T, args []string) ([]byte, int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append(args, "--gardener", "none")
	if args[0] == "rules" {
		args = args[:len(args)-2]
	}
	code := run(args, streams{out: &stdout, err: &stderr, providers: extensions.All()})
	require.Empty(t, stderr.String())
	return stdout.Bytes(), code
}
