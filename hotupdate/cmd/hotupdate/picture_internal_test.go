package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/extensions"
)

// TestReadmePicture: the README's picture of a terminal shows the output of its first commands. go
// test -update draws it again. The first change rolls in today's release: the README once began
// with a change that today's release refuses.
func TestReadmePicture(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	commands := regexp.MustCompile("(?s)```sh\n(go run .*?)\n```\n\n!\\[.*?\\]\\((.*?)\\)").FindSubmatch(readme)
	require.NotNil(t, commands, "commands, and the picture below them")
	t.Chdir("../../..")
	t.Setenv("PATH", "") // Gardener's own code is not asked
	var terminal strings.Builder
	var verdicts []string
	for command := range strings.Lines(string(commands[1]) + "\n") {
		var stdout, stderr bytes.Buffer
		installed, ok := strings.CutPrefix(command, "go run ./hotupdate/cmd/")
		require.True(t, ok, command)
		code := run(strings.Fields(installed)[1:], streams{providers: extensions.All(), out: &stdout, err: &stderr, color: true})
		require.Equal(t, exitOK, code, stderr.String())
		verdict, _, _ := strings.Cut(stripped(stdout.String()), ":")
		verdicts = append(verdicts, verdict)
		fmt.Fprintf(&terminal, "$ %s%s\n", installed, &stdout)
	}
	assert.Equal(t, []string{"roll", "hot-update"}, verdicts)
	drawn := picture(terminal.String())
	file := string(commands[2])
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(drawn), 0o600))
	}
	shown, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, drawn, string(shown))
}

// escape is an escape sequence that colours text.
var escape = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// stripped is a text without colours.
func stripped(text string) string { return escape.ReplaceAllString(text, "") }

// picture draws the text of a terminal as SVG. A line has the class of its first colour.
func picture(terminal string) string {
	const (
		size    = 13
		leading = 18
		margin  = 16
	)
	lines := strings.Split(strings.TrimRight(terminal, "\n"), "\n")
	var texts strings.Builder
	longest := 0
	for i, line := range lines {
		plain := stripped(line)
		longest = max(longest, len(plain))
		fmt.Fprintf(&texts, "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">", margin, 2*margin+i*leading)
		for _, part := range strings.SplitAfter(line, "\x1b[0m") {
			before, colored, isColored := strings.Cut(part, "\x1b[1;")
			texts.WriteString(html.EscapeString(before))
			if isColored {
				color, text, _ := strings.Cut(colored, "m")
				fmt.Fprintf(&texts, "<tspan class=\"c%s\">%s</tspan>", color, html.EscapeString(strings.TrimSuffix(text, "\x1b[0m")))
			}
		}
		texts.WriteString("</text>\n")
	}
	width := 2*margin + longest*size*6/10 + size
	height := 3*margin + len(lines)*leading
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d">
<style>text { font: %[3]dpx ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #e6edf3 }
tspan { font-weight: bold } .c31 { fill: #f85149 } .c32 { fill: #3fb950 } .c33 { fill: #d29922 } .c35 { fill: #a371f7 } .c36 { fill: #39c5cf }</style>
<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>
%[4]s</svg>
`, width, height, size, &texts)
}
