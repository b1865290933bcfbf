package report

import (
	"cmp"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Style says how text is written.
type Style struct {
	Color Color
	// Verbose adds what only developers need: the Go field or override that declares a class, and the sources of rules.
	Verbose bool
}

// Text returns the report for a terminal or a log: printable ASCII and newlines, and the escapes of colours if they are asked for. But for
// what is added for developers, its lines have at most 80 columns. A report about one Shoot looks like
//
//	roll: Shoot garden-dev/web: 2 pools: 1 roll, 1 none
//
//	pool cpu (3 to 10 machines): roll: every machine of the pool is replaced
//	  roll: immutable by default
//	  > ~ providerConfig.volume.iops           3000 -> 4000
//	  hot update: declared hot
//	    + providerConfig.tags.vm[cost-center]  "a"
//
//	none: pool gpu
//
//	assumed unchanged: credentials and their rotation
//
// A line that begins with > decides the verdict. Programs read [JSON].
func Text(r *Report, s Style) string {
	t := &textWriter{Style: s}
	v := viewOf(r)
	if len(v.Manifests) != 1 {
		t.line(t.verdict(v.Verdict) + ": " + v.summary())
	}
	var quiet []string
	for i := range v.Manifests {
		if m := &v.Manifests[i]; m.Quiet && len(v.Manifests) > 1 {
			quiet = append(quiet, m.title(plaintext.ASCII))
		} else {
			t.manifest(m, len(v.Manifests) > 1)
		}
	}
	t.quiet("", quiet)
	t.remarks(append(v.Remarks, warnings(v.Warnings)...), "\n")
	return t.text.String()
}

// warnings makes remarks of warnings.
func warnings(texts []string) []remark {
	all := make([]remark, len(texts))
	for i, text := range texts {
		all[i] = remark{Label: "warning", Text: text}
	}
	return all
}

type textWriter struct {
	Style

	text strings.Builder
}

// columns is the width of a terminal that nobody has made wider.
const columns = 80

// line writes a line, and goes on in the next one, indented, where it is too long.
func (t *textWriter) line(text string) {
	width := 0
	for i, word := range strings.Split(text, " ") {
		length := utf8.RuneCountInString(withoutEscapes.Replace(word))
		switch {
		case i == 0:
		case width+1+length > columns:
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

func (t *textWriter) manifest(m *manifestView, isOneOfSeveral bool) { //nolint:revive // it has a paragraph then
	if m.isBare() {
		t.pool(&m.Pools[0])
		t.remarks(m.Remarks, "")
		return
	}
	if title := m.title(plaintext.ASCII); isOneOfSeveral {
		t.line("\n" + title + ": " + t.verdict(m.Verdict) + ": " + m.summary())
	} else {
		t.line(t.verdict(m.Verdict) + ": " + title + ": " + m.summary())
	}
	t.groups(m.Groups)
	for i := range m.Pools {
		if p := &m.Pools[i]; !p.Quiet {
			t.text.WriteString("\n")
			t.pool(p)
		}
	}
	names := m.quietPools()
	t.quiet(strings.TrimPrefix(plural(len(names), "pool"), strconv.Itoa(len(names))+" ")+" ", names)
	t.remarks(m.Remarks, "\n")
}

// quiet writes one line about all to which nothing happens.
func (t *textWriter) quiet(noun string, names []string) {
	if len(names) == 0 {
		return
	}
	for i, name := range names {
		names[i] = plaintext.Shorten(name, 2*maxName, plaintext.ASCII)
	}
	t.line("\n" + t.verdict(pool.None.String()) + ": " + noun + strings.Join(names, ", "))
}

func (t *textWriter) pool(p *poolView) {
	t.line(p.title(plaintext.ASCII) + t.color(bold+colorOf(p.Verdict), p.word()) + ": " + plaintext.ASCII(p.Message))
	t.groups(p.Groups)
	t.remarks(p.Remarks, "")
}

// title names the pool, its former name and its machines.
func (p *poolView) title(escape plaintext.Escape) string {
	if p.Name == "" {
		return ""
	}
	title := "pool " + plaintext.Shorten(p.Name, maxName, escape)
	var more []string
	if p.FormerName != "" {
		more = append(more, "formerly "+plaintext.Shorten(p.FormerName, maxName, escape))
	}
	if machines := p.machines(); machines != "" {
		more = append(more, machines)
	}
	if len(more) > 0 {
		title += " (" + strings.Join(more, ", ") + ")"
	}
	return title + ": "
}

func (t *textWriter) groups(groups []group) {
	width := pathWidth(groups, plaintext.ASCII)
	for i := range groups {
		g := &groups[i]
		t.line("  " + t.verdict(g.Verdict) + plaintext.ASCII(strings.TrimPrefix(g.heading(), g.Verdict)) + t.forDevelopers(g.Source))
		for j := range g.Changes {
			t.change(&g.Changes[j], width)
		}
	}
}

// maxAligned bounds the width that paths are aligned to, so that one long path does not push all values out of sight.
const maxAligned = 44

// pathWidth is the width of the column of paths.
func pathWidth(groups []group, escape plaintext.Escape) (width int) {
	for _, g := range groups {
		for _, c := range g.Changes {
			if n := utf8.RuneCountInString(shownPath(c.Path, escape)); n <= maxAligned {
				width = max(width, n)
			}
		}
	}
	return width
}

// change writes a change in a line, or in several if there is no room for its values in one.
func (t *textWriter) change(c *Change, width int) {
	mark, color := marker(c.Op)
	head, paint := "    ", func(text string) string { return t.color(color, text[:1]) + text[1:] }
	if c.Decides {
		head, paint = "  > ", func(text string) string { return t.color(bold+colorOf(c.Verdict), text) }
	}
	path := shownPath(c.Path, plaintext.ASCII)
	values := c.values(plaintext.ASCII)
	row := mark + " " + path + strings.Repeat(" ", max(0, width-len(path))) + "  " + strings.Join(values, " -> ")
	if len(head)+len(row) > columns {
		row = mark + " " + path + "\n          " + strings.Join(values, "\n       -> ")
	}
	if c.Decides {
		head = "  " + paint(">") + " "
	}
	t.text.WriteString(head + paint(row) + t.forDevelopers(c.origin()) + "\n")
}

func (t *textWriter) forDevelopers(text string) string {
	if !t.Verbose || text == "" {
		return ""
	}
	return "  [" + plaintext.Shorten(text, maxPath, plaintext.ASCII) + "]"
}

// remarks writes what verdicts rest on: what is assumed or not judged in a line each, the others one by one.
func (t *textWriter) remarks(all []remark, before string) {
	for _, line := range remarkLines(all) {
		t.line(before + plaintext.ASCII(line.Label) + ": " + plaintext.ASCII(line.Text) + t.forDevelopers(line.Source))
		before = ""
	}
}

// remarkLines joins the remarks that share a line. What is assumed stands last.
func remarkLines(all []remark) (lines []remark) {
	joined := map[string][]string{}
	for _, r := range all {
		if r.Label == assumedLabel || r.Label == unjudgedLabel {
			joined[r.Label] = append(joined[r.Label], r.Text)
			if len(joined[r.Label]) > 1 {
				continue
			}
		}
		lines = append(lines, r)
	}
	for i, line := range lines {
		if texts := joined[line.Label]; texts != nil {
			more := len(texts) - maxJoined
			if lines[i].Text = strings.Join(texts[:min(len(texts), maxJoined)], "; "); more > 0 {
				lines[i].Text += "; and " + strconv.Itoa(more) + " more"
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b remark) int { return slices.Index(lastLabels, a.Label) - slices.Index(lastLabels, b.Label) })
	return lines
}

// lastLabels are those of the remarks that stand last.
var lastLabels = []string{eraLabel, assumedLabel, pool.Assumes.String()}

// maxJoined bounds the remarks in a line. JSON has them all.
const maxJoined = 40

// Color says whether text is coloured. The zero value is Plain.
type Color uint8

// The choices.
const (
	Plain Color = iota // ASCII without escapes
	ANSI               // with the colours of a terminal
)

// ColorFor decides about colour: only on a terminal, and not if the user does not want it. Mode is that of the file that is written to;
// noColor and term are the values of the environment variables NO_COLOR (https://no-color.org) and TERM.
func ColorFor(mode fs.FileMode, noColor, term string) Color {
	if mode&fs.ModeCharDevice == 0 || noColor != "" || term == "dumb" {
		return Plain
	}
	return ANSI
}

// The escapes of ECMA-48 that are used.
const (
	reset   = "\x1b[0m"
	bold    = "\x1b[1m"
	red     = "\x1b[31m"
	green   = "\x1b[32m"
	yellow  = "\x1b[33m"
	magenta = "\x1b[35m"
	cyan    = "\x1b[36m"
)

var withoutEscapes = strings.NewReplacer(reset, "", bold, "", red, "", green, "", yellow, "", magenta, "", cyan, "")

// color paints a text.
func (t *textWriter) color(escape, text string) string {
	if t.Color == Plain || text == "" {
		return text
	}
	return escape + text + reset
}

// verdict paints the words of a verdict.
func (t *textWriter) verdict(words string) string { return t.color(bold+colorOf(words), words) }

var verdictColors = map[string]string{
	pool.None.String(): green, pool.HotUpdate.String(): cyan, pool.ComeOrGo.String(): magenta, pool.InPlaceUpdate.String(): yellow,
	pool.Indeterminate.String(): yellow,
}

func colorOf(verdict string) string { return cmp.Or(verdictColors[verdict], red) }

// marker returns the first character of a change and its colour.
func marker(op string) (text, color string) {
	switch op {
	case hotupdate.Add.String():
		return "+", green
	case hotupdate.Remove.String():
		return "-", red
	}
	return "~", yellow
}
