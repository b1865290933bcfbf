package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Limits of Markdown. GitHub refuses comments of more than 65,536 characters.
const (
	maxMarkdown = 64_000 // bytes, before the lines about what is left out
	maxOpen     = 12     // changes of a pool that are shown without unfolding, those that decide aside
	maxRows     = 200    // changes of a pool that are shown at all
)

// Markdown returns the report for a comment on a pull request, in GitHub's dialect. The verdict comes first, then each pool with its
// changes, in a block that GitHub colours as a diff: a line begins with + or -, or with ! where a value was replaced, and ends with an arrow
// if it decides the verdict. Long lists of changes and pools to which nothing happens are folded.
//
// Everything that comes from a manifest stands in code spans and code blocks, where it is neither Markdown nor HTML, mentions nobody and
// links nowhere. What does not fit into a comment is counted instead of shown, the changes of a pool before the pool.
func Markdown(r *Report) string {
	m := &markdownWriter{}
	v := viewOf(r)
	if len(v.Manifests) != 1 {
		m.add("**" + v.Verdict + "**: " + v.summary() + "\n\n")
	}
	var quiet []string
	for i := range v.Manifests {
		if one := &v.Manifests[i]; one.Quiet && len(v.Manifests) > 1 {
			quiet = append(quiet, one.title(plaintext.Printable))
		} else {
			if len(v.Manifests) > 1 {
				m.add("## " + codeSpan(one.title(plaintext.Printable)) + "\n\n")
			}
			m.manifest(one)
		}
	}
	m.quiet("manifest", quiet)
	m.add(block(nil, append(v.Remarks, warnings(v.Warnings)...)))
	if len(m.left) > 0 {
		m.text.WriteString("Not shown here: " + plural(len(m.left), "pool") + ": " + counted(m.left) + ".\n")
	}
	return m.text.String()
}

type markdownWriter struct {
	text strings.Builder
	left []string // the words of pools that did not fit
}

// add writes a piece if there is room for it.
func (m *markdownWriter) add(piece string) bool {
	if m.text.Len()+len(piece) > maxMarkdown {
		return false
	}
	m.text.WriteString(piece)
	return true
}

func (m *markdownWriter) manifest(v *manifestView) {
	if !v.isBare() {
		m.add("**" + v.Verdict + "**: " + codeSpan(v.title(plaintext.Printable)) + ": " + v.summary() + "\n\n" + rows(v.Groups, nil))
	}
	for i := range v.Pools {
		p := &v.Pools[i]
		head := p.heading()
		switch {
		case p.Quiet:
		case m.add(head + rows(p.Groups, p.Remarks)):
		case m.add(head + "The changes of this pool do not fit into a comment.\n\n"):
		default:
			m.left = append(m.left, p.word())
		}
	}
	m.quiet("pool", v.quietPools())
	m.add(block(nil, v.Remarks))
}

// quiet folds the names of those to which nothing happens.
func (m *markdownWriter) quiet(noun string, names []string) {
	if len(names) == 0 {
		return
	}
	for i, name := range names {
		names[i] = codeSpan(plaintext.Shorten(name, 2*maxName, plaintext.Printable))
	}
	text := "<details><summary>" + pool.None.String() + ": " + plural(len(names), noun) + "</summary>\n\n"
	if !m.add(text + strings.Join(names, ", ") + "\n\n</details>\n\n") {
		m.left = append(m.left, slices.Repeat([]string{pool.None.String()}, len(names))...)
	}
}

// heading names a pool, and says what happens to it.
func (p *poolView) heading() string {
	text := ""
	if p.Name != "" {
		text = "### Pool " + codeSpan(plaintext.Shorten(p.Name, maxName, plaintext.Printable)) + "\n\n"
	}
	text += "**" + p.word() + "**"
	if p.FormerName != "" {
		text += " from " + codeSpan(plaintext.Shorten(p.FormerName, maxName, plaintext.Printable))
	}
	if machines := p.machines(); machines != "" {
		text += " (" + machines + ")"
	}
	return text + ": " + prose(p.Message) + "\n\n"
}

// rows writes changes and remarks: those that decide and the first others in a block, the rest folded.
func rows(groups []group, remarks []remark) string {
	open, folded := cutGroups(groups)
	text := block(open, remarks)
	if len(folded) > 0 {
		text += "<details><summary>" + plural(countChanges(folded), "more change") + "</summary>\n\n" + block(folded, nil) + "</details>\n\n"
	}
	return text
}

func countChanges(groups []group) (n int) {
	for _, g := range groups {
		n += len(g.Changes)
	}
	return n
}

// cutGroups divides changes after those that decide and some others.
func cutGroups(groups []group) (open, folded []group) {
	room := maxOpen
	for _, g := range groups {
		first, rest := g, g
		first.Changes, rest.Changes = g.Changes[:min(len(g.Changes), room)], g.Changes[min(len(g.Changes), room):]
		if g.Decides {
			first, rest.Changes = g, nil
		}
		if room -= len(first.Changes); room < 0 {
			room = 0
		}
		if len(first.Changes) > 0 {
			open = append(open, first)
		}
		if len(rest.Changes) > 0 {
			folded = append(folded, rest)
		}
	}
	return open, folded
}

// block writes changes and remarks into a code block. All of its lines begin with a marker, and so none begins with the fence.
func block(groups []group, remarks []remark) string {
	if len(groups)+len(remarks) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString("```diff\n")
	left := maxRows
	width := pathWidth(groups, plaintext.Printable)
	for _, g := range groups {
		text.WriteString("# " + plaintext.Printable(g.heading()) + "\n")
		for i := range g.Changes[:min(left, len(g.Changes))] {
			text.WriteString(g.Changes[i].markdown(width))
		}
		if more := len(g.Changes) - left; more > 0 {
			text.WriteString("# " + plural(more, "more change") + "\n")
		}
		left = max(0, left-len(g.Changes))
	}
	for _, line := range remarkLines(remarks) {
		text.WriteString("# " + plaintext.Printable(line.Label) + ": " + plaintext.Shorten(line.Text, maxRemark, plaintext.Printable) + "\n")
	}
	return text.String() + "```\n\n"
}

// maxRemark bounds a remark, in which many paths may be long.
const maxRemark = 2000

// markdown writes a change as a line of a diff.
func (c *Change) markdown(width int) string {
	mark, _ := marker(c.Op)
	if mark == "~" {
		mark = "!"
	}
	path := shownPath(c.Path, plaintext.Printable)
	row := fmt.Sprintf("%s %s%s  %s", mark, path, strings.Repeat(" ", max(0, width-utf8.RuneCountInString(path))), strings.Join(c.values(plaintext.Printable), " -> "))
	if c.Decides {
		row += "  <- " + c.Verdict
	}
	return row + "\n"
}

// prose shows text outside of code, where nothing of it is Markdown or HTML.
func prose(text string) string {
	var b strings.Builder
	for _, r := range plaintext.Printable(text) {
		if strings.ContainsRune("&<>|`\\*_[]~@#!", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// codeSpan shows text as it is: its fence is longer than every run of backticks inside.
func codeSpan(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " " // one space on either side is not shown
	}
	return fence + text + fence
}
