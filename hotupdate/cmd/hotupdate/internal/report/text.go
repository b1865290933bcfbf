package report

import (
	"cmp"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/page"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Style says how text is written. Verbose adds facts for developers: the Go field or override that
// declares a class, and the sources of rules.
type Style struct {
	Color   bool // with escape sequences of a terminal
	Verbose bool
	// All lists every pool of a cause, and every pool to which nothing happens.
	All bool
	// Columns is the width of the lines; 0 means 80.
	Columns int
	// Shown selects the parts of a report of audit.
	Shown Shown
}

// Text returns the report for a terminal or a log: printable ASCII and newlines, and the escape
// sequences of colours with [Style].Color. Lines have at most [Style].Columns columns without the
// facts for developers. The first line is about the whole report. The causes follow, the gravest
// first, each with the pools that it concerns. A change whose line begins with > decides the
// verdict.
func Text(r *Report, s Style) string {
	t := textWriter{Style: s, escape: plaintext.ASCII}
	t.report(viewOf(r, s.Shown, s.Shown.By)) // the objects that are not judged are errors, on another stream
	if count := len(r.NotJudged); count > 0 && r.Fleet == nil {
		t.line("\n" + numberOf(count, "object") + plural(count, " is", " are") + " not judged")
	}
	return t.text.String()
}

// maxMarkdown bounds the text of a report in Markdown, in bytes. GitHub refuses comments of more
// than 65,536 characters.
const maxMarkdown = 64_000

// Markdown returns the report for a comment on a pull request, in GitHub's dialect: a table of the
// numbers of pools and machines by verdict, and the text with the gravest verdict first as a block
// of code. Lines that do not fit into a comment are counted. Of the style, only Verbose counts.
//
// All text from a manifest is in the block, where it is neither Markdown nor HTML, makes no
// mention or link.
func Markdown(r *Report, s Style) string {
	root := viewOf(r, s.Shown, s.Shown.By)
	root.addNotJudged(r.NotJudged)
	root.Counts = "" // the table has them
	t := textWriter{Style: Style{Verbose: s.Verbose, All: s.All}, escape: plaintext.Printable}
	t.line(t.about(root))
	t.section(root)
	return r.table() + plaintext.CodeBlock(t.text.String(), maxMarkdown)
}

// table counts the pools and machines of each verdict. For a single pool there is only the verdict.
func (r *Report) table() string {
	if len(r.Sum) < 2 && len(r.Manifests)+r.Omitted < 2 {
		return "**" + r.Verdict + "**\n\n"
	}
	var text strings.Builder
	text.WriteString("| verdict | " + r.noun() + "s | machines, at most |\n|---|---:|---:|\n")
	for _, c := range r.Sum {
		machines := ""
		if c.Machines > 0 {
			machines = plaintext.Thousands(c.Machines)
		}
		fmt.Fprintf(&text, "| **%s** | %s | %s |\n", c.Verdict, plaintext.Thousands(c.Pools), machines)
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
	t.line(t.head(root))
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
		length := utf8.RuneCountInString(escapes().ReplaceAllString(word, ""))
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

// head is the first line of a section: the verdict, what the section is about, and what happens.
func (t *textWriter) head(s *section) string { return t.color(s.Word, s.Word) + ": " + t.about(s) }

// about says what a section is about, and what happens.
func (t *textWriter) about(s *section) string {
	text := s.heading(t.escape)
	if s.Facts != "" {
		text += " (" + plaintext.Shorten(s.Facts, maxTitle, t.escape) + ")"
	}
	switch {
	case strings.HasPrefix(s.Counts, "("): // the machines of all
		text += " " + s.Counts
	case s.Counts != "":
		text += ": " + s.Counts
	}
	if isContinued := strings.HasPrefix(s.Message, ","); text != "" && s.Message != "" && !isContinued {
		text += ": "
	}
	return text + t.escape(s.Message)
}

// section writes a section without its first line.
func (t *textWriter) section(s *section) {
	if s.Word != none || len(s.Groups)+len(s.Remarks) > 0 {
		t.subjects(s)
	}
	t.groups(s.Groups, s.Word)
	t.remarks(s.Remarks)
	shown, quiet := s.parts()
	for _, part := range shown {
		t.text.WriteString("\n")
		t.line(t.head(part))
		t.section(part)
	}
	if len(quiet) > 0 {
		t.text.WriteString("\n")
		t.line(t.color(none, none) + ": " + t.listed(quiet))
	}
	t.tables(s.Tables)
	t.leftOut(s.LeftOut)
	if len(s.Tail) > 0 {
		t.text.WriteString("\n")
		t.remarks(s.Tail)
	}
}

// listed lists names, some of them if there are many.
func (t *textWriter) listed(names []string) string {
	for i, name := range names {
		names[i] = plaintext.Shorten(name, maxTitle, t.escape)
	}
	if t.Verbose || t.All {
		return strings.Join(names, ", ")
	}
	return someOf(names)
}

// tables writes the tables of an audit. Their lines are not broken.
func (t *textWriter) tables(all []*table) {
	for _, one := range all {
		t.line("\n" + one.Title + ":")
		rows := [][]string{one.Header}
		for _, row := range one.Rows {
			cells := make([]string, len(row))
			for column, cell := range row {
				cells[column] = plaintext.Shorten(cell, maxTitle, t.escape)
			}
			rows = append(rows, cells)
		}
		t.text.WriteString(plaintext.Table(rows))
		if one.Hidden > 0 {
			t.line("and " + plaintext.Thousands(one.Hidden) + " more; --limit 0 shows all")
		}
	}
}

// subjects names the subjects of a cause, each with its place. The name of a single subject is in
// the line above.
func (t *textWriter) subjects(s *section) {
	all := s.Of
	shown := all
	if !t.Verbose && !t.All {
		shown = all[:min(len(all), maxSubjects)]
	}
	for i := range shown {
		of := &shown[i]
		text := ""
		if s.subjects() > 1 {
			text = plaintext.Shorten(of.Name, 2*maxTitle, t.escape)
		}
		if len(of.Places) > 0 {
			text = strings.TrimSpace(text + " at " + t.escape(placesOf(of.Places)))
		}
		text += t.forDevelopers(of.Eras)
		if text != "" {
			t.line("  " + strings.TrimSpace(text))
		}
	}
	if more := s.subjects() - len(shown); more > 0 {
		t.line("  and " + plaintext.Thousands(more) + " more; --verbose lists all")
	}
}

// maxSubjects bounds the subjects that are listed of a cause.
const maxSubjects = 5

// placesOf lists the lines in a file: a.yaml:3, 7.
func placesOf(places []pool.Place) string {
	lines := make([]string, min(len(places), maxSubjects))
	for i := range lines {
		lines[i] = strconv.Itoa(places[i].Line)
	}
	return places[0].File + ":" + strings.Join(lines, ", ")
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

// groups writes changes. A reason has no verdict if that is the one of the section.
func (t *textWriter) groups(groups []group, word string) {
	width := t.pathWidth(groups)
	for i := range groups {
		g := &groups[i]
		reason := t.escape(g.Why)
		if g.Verdict != word {
			reason = t.color(g.Verdict, g.Verdict) + t.escape(strings.TrimSuffix(": "+g.Why, ": "))
		}
		if reason += t.forDevelopers(g.Source); reason != "" {
			t.line("  " + strings.TrimSpace(reason))
		}
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

// Escape sequences of ECMA-48: bold with a colour for each tone. Terminals have fewer colours than
// there are tones, so two tones may share a colour; one of them is underlined (4).
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
	escapes = lazyregexp.New("\x1b\\[[0-9;]*m")
)

const reset = "\x1b[0m"

// color paints a text in the colour of a verdict or state.
func (t *textWriter) color(word, text string) string {
	if !t.Color {
		return text
	}
	return toneColors[ToneOf(word)] + text + reset
}
