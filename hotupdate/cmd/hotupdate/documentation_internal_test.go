package main

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/config"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// TestPackageDocumentation: go doc has the commands with their descriptions and arguments, in the
// words of --help. It once said that only plan takes Shoots.
func TestPackageDocumentation(t *testing.T) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "main.go", nil, parser.ParseComments)
	require.NoError(t, err)
	text := file.Doc.Text()
	shown := regexp.MustCompile(`(?m)^\t(hotupdate .*?) {2,}(.*)$`).FindAllStringSubmatch(text, -1)
	told := map[string]string{}
	for _, line := range shown {
		told[line[1]] = line[2]
	}
	root := (&call{}).root()
	want := map[string]string{}
	for _, c := range commandsBelow(root) {
		use := strings.TrimSuffix(c.UseLine(), " [flags]")
		want[use] = c.Short
	}
	assert.Equal(t, want, told)
	for paragraph := range strings.SplitSeq(root.Long, "\n\n") {
		assert.Contains(t, text, paragraph)
	}
}

// commandsBelow returns the commands that a user sees.
func commandsBelow(command *cobra.Command) (commands []*cobra.Command) {
	for _, c := range command.Commands() {
		if c.IsAvailableCommand() {
			commands = append(append(commands, c), commandsBelow(c)...)
		}
	}
	return commands
}

// TestEveryCommandHasHelp: each has a text, in the folder help but for packaging, and each text there has a command.
func TestEveryCommandHasHelp(t *testing.T) {
	root := (&call{}).root()
	commands := slices.Concat([]*cobra.Command{root}, root.Commands())
	for _, c := range root.Commands() {
		commands = append(commands, c.Commands()...)
	}
	for _, c := range commands {
		assert.NotEmpty(t, c.Long, c.CommandPath())
	}
	texts, err := help.ReadDir("help")
	require.NoError(t, err)
	const itself = 1 // cobra adds it when it runs
	assert.Len(t, texts, len(commands)-len((&call{}).packaging())+itself)
}

// shown is what a command line writes to standard output.
func shown(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	require.Equal(t, exitOK, run(args, streams{out: &stdout, err: &stderr, providers: extensions.All()}), stderr.String())
	return stdout.String()
}

// TestTopicsArePages: hotupdate help TOPIC writes the page, word for word, and the guide links to it.
func TestTopicsArePages(t *testing.T) {
	guide, err := os.ReadFile("../../../examples/README.md")
	require.NoError(t, err)
	list := shown(t, "help")
	pages, err := filepath.Glob("help/*.md")
	require.NoError(t, err)
	require.Greater(t, len(pages), 8)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		assert.Equal(t, string(text), shown(t, "help", name))
		assert.Equal(t, string(text), shown(t, name, "--help"))
		heading, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		assert.Regexp(t, `(?m)^  `+name+` +`+regexp.QuoteMeta(heading)+`$`, list)
		assert.Contains(t, string(guide), "(../hotupdate/cmd/hotupdate/"+page+")")
	}
}

// TestHelpBeginsWithAnExample: plan --help had 1,390 words, and no example.
func TestHelpBeginsWithAnExample(t *testing.T) {
	topics := map[string]bool{}
	for _, command := range []string{"plan", "audit"} {
		text := shown(t, command, "--help")
		lines := strings.Split(text, "\n")
		assert.LessOrEqual(t, len(lines)-1, 40, text)
		assert.Contains(t, lines[2], "    ", text)
		assert.Contains(t, lines[2], "hotupdate "+command, text)
		more := regexp.MustCompile(`(?m)^More: hotupdate help (.*) or (\w+)$`).FindStringSubmatch(text)
		require.NotNil(t, more, text)
		for _, topic := range append(strings.Split(more[1], ", "), more[2]) {
			shown(t, "help", topic)
			topics[topic] = true
		}
	}
	pages, err := filepath.Glob("help/*.md")
	require.NoError(t, err)
	assert.Len(t, topics, len(pages), "each topic is named by plan or audit")
}

// TestPagesExplainEveryFlag: a flag has one line in the help of its command, and the rest in a page.
func TestPagesExplainEveryFlag(t *testing.T) {
	var all strings.Builder
	pages, err := filepath.Glob("help/*.md")
	require.NoError(t, err)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		all.Write(text)
	}
	for _, command := range (&call{}).root().Commands() {
		if !slices.Contains([]string{"plan", "audit", "serve"}, command.Name()) {
			continue
		}
		command.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden { // --help
				assert.Regexp(t, "--"+f.Name+`\b[^-]`, all.String())
			}
		})
	}
}

// TestPageOfVerdicts: it lists every verdict of plan with its exit code, the gravest first, and every verdict of audit.
func TestPageOfVerdicts(t *testing.T) {
	text, err := os.ReadFile("help/verdicts.md")
	require.NoError(t, err)
	var told []string
	for _, row := range regexp.MustCompile(`(?m)^ {4,5}(\d+)  (\S+(?: \S+)*) {2,}\S`).FindAllSubmatch(text, -1) {
		told = append(told, string(row[1])+" "+string(row[2]))
	}
	var want []string
	for _, v := range verdict.OfPools() {
		want = append(want, strconv.Itoa(exitCodeOf(v))+" "+v.String())
	}
	assert.Equal(t, want, told)
	_, ofAudit, _ := strings.Cut(string(text), "## Verdicts of audit\n\n")
	told = nil
	for _, row := range regexp.MustCompile(`(?m)^ {4}([-\w]+) {2,}\S`).FindAllStringSubmatch(ofAudit, -1) {
		told = append(told, row[1])
	}
	assert.ElementsMatch(t, verdict.Words(verdict.OfReleases()), told)
}

// TestDocumentedCommandLines: the command accepts every command line in the documentation.
func TestDocumentedCommandLines(t *testing.T) {
	files := []string{"main.go"}
	for _, pattern := range []string{
		"../../../*.md", "../../../examples/*.md", "../../../.github/*.md", "../../../.github/*/*/*.sh", "../../../.goreleaser.yaml",
		"../../../.ci/*", "help/*",
	} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	checked := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, line := range regexp.MustCompile(`(?:^|[\n\t ("'/])hotupdate ((?:plan|hash|explain|schema|rules|audit|serve|version|completion|man|help)\b[^\n#|)"'<>`+"`"+`;]*)`).FindAllSubmatch(text, -1) {
			checked++
			args := strings.Fields(string(line[1]))
			command, rest, err := (&call{}).root().Find(args)
			if assert.NoError(t, err, "%s: %s", file, line[1]) {
				assert.NoError(t, command.ParseFlags(rest), "%s: hotupdate %s", file, line[1])
			}
		}
	}
	require.Greater(t, checked, 15)
}

// TestHelpNamesTheSchema: plan and schema report name the place of the schema of this version.
func TestHelpNamesTheSchema(t *testing.T) {
	var schema struct {
		ID string `json:"$id"`
	}
	require.NoError(t, json.Unmarshal(report.Schema(), &schema))
	for _, command := range [][]string{{"help", "inputs"}, {"schema", "report", "--help"}} {
		var stdout, stderr strings.Builder
		require.Equal(t, exitOK, run(command, streams{out: &stdout, err: &stderr}))
		assert.Contains(t, stdout.String(), "  "+schema.ID+"\n")
	}
	var stdout, stderr strings.Builder
	require.Equal(t, exitOK, run([]string{"schema", "report"}, streams{out: &stdout, err: &stderr}))
	assert.Equal(t, string(report.Schema()), stdout.String())
}

// TestHelpShowsTheConfigFile: the file in the help is valid, and has each member and each fact that the schema has.
func TestHelpShowsTheConfigFile(t *testing.T) {
	var stdout, stderr strings.Builder
	require.Equal(t, exitOK, run([]string{"help", "config"}, streams{out: &stdout, err: &stderr}))
	_, shown, _ := strings.Cut(stdout.String(), "  formatVersion: 1\n")
	shown, _, _ = strings.Cut(shown, "\n\n")
	text := "formatVersion: 1\n" + regexp.MustCompile(`(?m)^    `).ReplaceAllString(shown, "")
	_, err := config.Parse([]byte(text), "help")
	require.NoError(t, err, text)
	var schema struct {
		ID         string `json:"$id"`
		Properties map[string]struct{ Properties map[string]any }
	}
	require.NoError(t, json.Unmarshal(config.Schema(), &schema))
	assert.Contains(t, stdout.String(), "  "+schema.ID+"\n")
	for name, member := range schema.Properties {
		assert.Contains(t, text, name+":")
		for fact := range member.Properties {
			assert.Contains(t, text, fact+":")
		}
	}
}

// TestHelpIsAtMost100ColumnsWide: help had lines of 180 columns.
func TestHelpIsAtMost100ColumnsWide(t *testing.T) {
	for _, command := range []string{
		"", "plan", "hash", "explain", "schema", "schema diff", "schema report", "schema config", "rules", "audit", "serve", "webhook",
		"version", "help", "help inputs", "verdicts", "git", "apply", "gardener", "crd", "accept", "config", "eras", "fleet",
	} {
		var stdout, stderr strings.Builder
		require.Equal(t, exitOK, run(append(strings.Fields(command), "--help"), streams{out: &stdout, err: &stderr}), command)
		for line := range strings.Lines(stdout.String()) {
			assert.LessOrEqual(t, len(strings.TrimRight(line, "\n")), 100, "%s: %s", command, line)
		}
	}
}
