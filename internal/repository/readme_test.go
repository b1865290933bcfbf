package repository_test

import (
	"bytes"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadmeProgram: the README's Go code is one program that runs as printed in a module of its own, and writes what
// the comment in it says.
func TestReadmeProgram(t *testing.T) {
	readme := read(t, "README.md")
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readme, -1)
	require.Len(t, blocks, 1)
	program := blocks[0][1]
	require.NotContains(t, program, "/internal/")
	assert.Equal(t, firstMatch(t, `(?m)^\t// (hot-update .*)$`, program)+"\n", runInModule(t, program))
}

// TestGoBlocksAreFormatted: the Go code of every document has the form of gofmt. The README once had a struct on one line,
// which gofmt breaks.
func TestGoBlocksAreFormatted(t *testing.T) {
	blocks := 0
	for _, document := range documents(t) {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(text, -1) {
			blocks++
			formatted, err := formatFragment(block[1])
			if assert.NoError(t, err, document) {
				assert.Equal(t, string(formatted), string(block[1]), document)
			}
		}
	}
	require.Greater(t, blocks, 10)
}

// formatFragment formats a file, declarations, statements, or else the fields of a struct.
func formatFragment(source []byte) ([]byte, error) {
	formatted, err := format.Source(source)
	if err == nil {
		return formatted, nil
	}
	const (
		before = "type _ struct {\n"
		after  = "}\n"
	)
	fields, notFields := format.Source(slices.Concat([]byte(before), source, []byte(after)))
	if notFields != nil {
		return nil, err
	}
	return bytes.TrimSuffix(bytes.TrimPrefix(fields, []byte(before)), []byte(after)), nil
}

// documents returns the paths of the Markdown files.
func documents(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", ".github/*.md", "examples/*.md", "examples/*/*.md", "hash/*.md", "hotupdate/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		paths = append(paths, found...)
	}
	return paths
}

// runInModule runs a program as an adopter does who has only this library, and returns what it writes. The adopter's
// go.mod demands what the library's demands, as go mod tidy would write it: with less, the go command reads modules that
// nothing else in this repository downloads, and the test fails with an empty module cache.
func runInModule(t *testing.T, program string) string {
	t.Helper()
	folder := t.TempDir()
	library, err := filepath.Abs(root)
	require.NoError(t, err)
	files := map[string]string{
		"main.go": program,
		"go.mod": strings.Replace(read(t, "go.mod"), "module "+module+"\n", "module example.test/adopter\n", 1) +
			"\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + library + "\n",
		"go.sum": read(t, "go.sum"), // what an adopter downloads is a part of it
	}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	run := exec.Command("go", "run", ".")
	run.Dir = folder
	run.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off")
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// TestStepRunsTheReadmesCommand: .ci/run tests with the very command that the README names, and with an empty module
// cache. A test once needed modules that the command does not download, and failed only for newcomers.
func TestStepRunsTheReadmesCommand(t *testing.T) {
	promised := firstMatch(t, "(?s)All tests need only Go.*?```sh\n(.*?)\n```", read(t, "README.md"))
	step := firstMatch(t, `(?s)\nstep_test\(\) \{\n(.*?)\n\}\n`, read(t, ".ci/run"))
	assert.Regexp(t, `export GOMODCACHE="\$tmp/[a-z-]+" .*\n\t`+regexp.QuoteMeta(promised)+`\n`, step)
}

// TestCountedLines: the guide counts the lines of the examples' drivers as a reader would.
func TestCountedLines(t *testing.T) {
	counts := firstMatch(t, `(?s)Lines of code of the examples.*?\n\n(.*?)\n\n`, read(t, "examples/DRIVER.md"))
	counted := regexp.MustCompile(`\]\((\S+)\) (?:\| )?(\d+)`).FindAllStringSubmatch(counts, -1)
	require.Len(t, counted, 7)
	for _, count := range counted {
		lines := regexp.MustCompile(`(?m)^\s*[^\s/].*$`).FindAllString(read(t, "examples/"+count[1]), -1)
		assert.Equal(t, count[2], strconv.Itoa(len(lines)), count[1])
	}
}

// TestReadmeIsShort: a reader decides within two minutes.
func TestReadmeIsShort(t *testing.T) {
	assert.LessOrEqual(t, strings.Count(read(t, "README.md"), "\n"), 120)
}

// TestLinksLead: what a document of the repository points to is there.
func TestLinksLead(t *testing.T) {
	for _, document := range documents(t) {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		prose := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`").ReplaceAll(text, []byte("code"))
		for _, link := range regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`).FindAllSubmatch(prose, -1) {
			if target := string(link[1]); !strings.Contains(target, "://") {
				_, err := os.Stat(filepath.Join(filepath.Dir(document), target))
				assert.NoError(t, err, document)
			}
		}
	}
}

// TestMapIsComplete: the guide's map of the packages has every package that others may import.
func TestMapIsComplete(t *testing.T) {
	drawn := firstMatch(t, "(?s)```mermaid\n(.*?)```", read(t, "examples/README.md"))
	for _, p := range packages(t) {
		path := p.path()
		if l := layer(path); l == "internal" || isTop(l) || strings.Contains("/"+path, "/internal/") {
			continue
		}
		assert.Regexp(t, `[\["]`+regexp.QuoteMeta(path)+`[<\]":]|<br>`+regexp.QuoteMeta(path)+`[<"]`, drawn)
	}
}

// read returns a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(text)
}

// firstMatch returns what the parentheses of a regular expression match first.
func firstMatch(t *testing.T, expression, text string) string {
	t.Helper()
	found := regexp.MustCompile(expression).FindStringSubmatch(text)
	require.NotNil(t, found, expression)
	return found[1]
}

// goVersion is the version of Go that the module demands.
func goVersion(t *testing.T) string {
	t.Helper()
	return firstMatch(t, `(?m)^go ([0-9.]+)$`, read(t, "go.mod"))
}
