package report

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/page"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Style says how text is written. Verbose adds facts for developers: the Go field or override that
// declares a class, and the sources of rules.
type Style struct {
	Color   bool // with escape sequences of a terminal
	Verbose bool
	// Columns is the width of the lines; 0 means 80.
	Columns int
}

// Text returns the report for a terminal or a log: printable ASCII and newlines, and the escape
// sequences of colours with [Style].Color. Lines have at most [Style].Columns columns without the facts
// for developers. A change whose line begins with > decides the verdict.
func Text(r *Report, s Style) string {
	t := textWriter{Style: s, escape: plaintext.ASCII}
	t.report(viewOf(r)) // the objects that are not judged are errors, on another stream
	if sentence := r.sentence(); sentence != "" {
		t.line("\n" + sentence + ".")
	}
	return t.text.String()
}

// maxMarkdown bounds the text of a report in Markdown, in bytes. GitHub refuses comments of more
// than 65,536 characters.
const maxMarkdown = 64_000

// Markdown returns the report for a comment on a pull request, in GitHub's dialect: a table of the
// numbers of pools and machines by verdict, and the text with the gravest verdict first as a block
// of code. Lines that do not fit into a comment are counted.
//
// All text from a manifest is in the block, where it is neither Markdown nor HTML, makes no
// mention or link.
func Markdown(r *Report) string {
	root := viewOf(r)
	root.addNotJudged(r.NotJudged)
	t := textWriter{escape: plaintext.Printable}
	t.report(root)
	return r.table() + plaintext.CodeBlock(t.text.String(), maxMarkdown)
}

// table counts the pools and machines of each verdict. For a provider config on its own, which has
// neither, there is only the verdict.
func (r *Report) table() string {
	counted := func(m ManifestReport) bool { return !m.isBare() && len(m.Pools) > 0 }
	if !slices.ContainsFunc(r.Manifests, counted) {
		return "**" + r.Verdict + "**\n\n"
	}
	var text strings.Builder
	text.WriteString("| verdict | " + r.noun() + "s | machines, at most |\n|---|---:|---:|\n")
	for _, c := range r.Sum {
		machines := ""
		if c.Machines > 0 {
			machines = strconv.Itoa(c.Machines)
		}
		fmt.Fprintf(&text, "| **%s** | %d | %s |\n", c.Verdict, c.Pools, machines)
	}
	return text.String() + "\n"
}

type textWriter struct {
	Style

	escape plaintext.Escape
	text   strings.Builder
}

// report writes a whole report.
func (t *textWriter) report(root *section) {
	name, verdict := t.head(root)
	t.line(verdict + name + t.escape(root.Message))
	t.section(root)
}

// defaultColumns is the width of lines if the terminal's width is not known, leastColumns the least width.
const (
	defaultColumns = 80
	leastColumns   = 40
)

// columns is the width of the lines.
func (t *textWriter) columns() int { return max(leastColumns, cmp.Or(t.Columns, defaultColumns)) }

// line writes a line. It breaks long lines and indents the rest.
func (t *textWriter) line(text string) {
	width := 0
	for i, word := range strings.Split(text, " ") {
		length := utf8.RuneCountInString(escapes.ReplaceAllString(word, ""))
		switch {
		case i == 0:
		case width+1+length > t.columns():
			t.text.WriteString("\n    ")
			width = 4
		default:
			t.text.WriteString(" ")
			width++
		}
		t.text.WriteString(word)
		width += length
	}
	t.text.WriteString("\n")
}

// head returns the name and the verdict in the first line of a section. The report begins with the
// verdict, a part with the name.
func (t *textWriter) head(s *section) (name, verdict string) {
	name = s.heading(t.escape)
	if s.Facts != "" {
		name += " (" + plaintext.Shorten(s.Facts, maxTitle, t.escape) + ")"
	}
	if name != "" {
		name += ": "
	}
	return name, t.color(s.Word, s.Word) + ": "
}

// section writes a section without its first line.
func (t *textWriter) section(s *section) {
	t.groups(s.Groups)
	shown, quiet := s.parts()
	for _, part := range shown {
		name, verdict := t.head(part)
		t.line("\n" + name + verdict + t.escape(part.Message))
		t.section(part)
	}
	if len(quiet) > 0 {
		for i, name := range quiet {
			quiet[i] = plaintext.Shorten(name, maxTitle, t.escape)
		}
		t.line("\n" + t.color(none, none) + ": " + strings.Join(quiet, ", "))
	}
	if len(s.Sections)*len(s.Remarks) > 0 {
		t.text.WriteString("\n")
	}
	t.remarks(s.Remarks)
	t.leftOut(s.LeftOut)
}

// leftOut lists for developers the fields that are not among the changes, with the reason of each.
func (t *textWriter) leftOut(all []pool.LeftOut) {
	if !t.Verbose {
		return
	}
	for _, field := range all {
		t.line("left out: " + shownPath(field.Path, t.escape) + ": " + t.escape(field.Why))
	}
}

func (t *textWriter) remarks(all []remark) {
	for _, r := range remarkLines(all) {
		t.line(t.escape(r.Label+": "+r.Text) + t.forDevelopers(r.Source))
	}
}

func (t *textWriter) groups(groups []group) {
	width := t.pathWidth(groups)
	for i := range groups {
		g := &groups[i]
		t.line("  " + t.color(g.Verdict, g.Verdict) + t.escape(strings.TrimSuffix(": "+g.Why, ": ")) +
			t.forDevelopers(g.Source))
		for j := range g.Changes {
			t.change(&g.Changes[j], width)
		}
	}
}

// maxAligned bounds the width of the column of paths, so that one long path does not move all
// values out of sight.
const maxAligned = 44

// pathWidth returns the width of the column of paths.
func (t *textWriter) pathWidth(groups []group) (width int) {
	for _, g := range groups {
		for _, c := range g.Changes {
			if n := utf8.RuneCountInString(shownPath(c.Path, t.escape)); n <= maxAligned {
				width = max(width, n)
			}
		}
	}
	return width
}

// change writes a change in one line, or in several if its values do not fit.
func (t *textWriter) change(c *ChangeReport, width int) {
	path := shownPath(c.Path, t.escape)
	values := c.values(t.escape)
	row := c.mark() + " " + path + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(path))) + "  " +
		strings.Join(values, " -> ")
	if len("  > ")+utf8.RuneCountInString(row) > t.columns() {
		row = c.mark() + " " + path + "\n          " + strings.Join(values, "\n       -> ")
	}
	if c.Decides {
		row = t.color(c.Verdict, "> "+row)
	} else {
		row = "  " + row
	}
	t.text.WriteString("  " + row + t.forDevelopers(c.origin()) + "\n")
}

func (t *textWriter) forDevelopers(text string) string {
	if !t.Verbose || text == "" {
		return ""
	}
	return "  [" + plaintext.Shorten(text, maxPath, t.escape) + "]"
}

// IsColored reports whether the output has colours: only on a terminal, and not if the user does
// not want them. Mode is the mode of the output file. NoColor and term are the values of the
// environment variables NO_COLOR (https://no-color.org) and TERM.
func IsColored(mode fs.FileMode, noColor, term string) bool {
	return mode&fs.ModeCharDevice != 0 && noColor == "" && term != "dumb"
}

// Escape sequences of ECMA-48: bold with a colour for each tone. 4 underlines one of two tones of a
// colour, as terminals have fewer colours than there are tones.
var (
	toneColors = map[page.Tone]string{
		page.Calm:    "\x1b[1;32m",
		page.Live:    "\x1b[1;36m",
		page.Add:     "\x1b[1;4;35m",
		page.Move:    "\x1b[1;35m",
		page.Drain:   "\x1b[1;33m",
		page.Unsure:  "\x1b[1;4;33m",
		page.Replace: "\x1b[1;31m",
		page.Stop:    "\x1b[1;34m",
		page.Delete:  "\x1b[1;97;41m",
	}
	escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

const reset = "\x1b[0m"

// color paints a text in the colour of a verdict or state.
func (t *textWriter) color(word, text string) string {
	if !t.Color {
		return text
	}
	return toneColors[toneOf(word)] + text + reset
}
