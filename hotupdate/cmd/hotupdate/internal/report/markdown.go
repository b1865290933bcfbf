package report

import (
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// maxMarkdown bounds the characters of Markdown that list changes. GitHub refuses comments of more than 65,536 characters.
const maxMarkdown = 56_000

// Markdown returns the report for a comment on a pull request, in GitHub's dialect. The verdict comes first, then each pool with its
// changes, in a block that GitHub colours as a diff: a line begins with + or -, or with ! where a value was replaced.
//
// Everything that comes from a manifest stands in code spans and code blocks, where it is neither Markdown nor HTML, mentions nobody and
// links nowhere. Changes beyond what fits into a comment are counted instead of shown; the verdicts are all there.
func Markdown(plan *pool.Plan) string {
	m := &markdownWriter{shared: sharedRemarks(plan)}
	if !isBare(plan) {
		m.write("**" + plan.Verdict().String() + "**: " + summary(plan) + "\n")
	}
	for _, p := range plan.Pools {
		m.pool(p)
	}
	m.block(nil, m.shared)
	return m.text.String()
}

type markdownWriter struct {
	text   strings.Builder
	shared remarks
}

func (m *markdownWriter) write(line string) { m.text.WriteString(line + "\n") }

func (m *markdownWriter) pool(p pool.Planned) {
	if p.Name != "" {
		m.write("### Pool " + codeSpan(plaintext.Shorten(p.Name, maxName, plaintext.Printable)) + "\n")
	}
	v := verdictOf(p)
	word := "**" + v.word + "**"
	if p.FormerName != "" {
		word += " from " + codeSpan(plaintext.Shorten(p.FormerName, maxName, plaintext.Printable))
	}
	m.write(v.line(word, func(path string) string { return codeSpan(shownPath(path, plaintext.Printable)) }) + "\n")
	m.block(changeTable(p, plaintext.Printable), remarksOf(p, m.shared))
}

// block writes changes and remarks into a code block. All of its lines begin with a marker, and so none begins with the fence.
func (m *markdownWriter) block(rows table, remarks remarks) {
	notes := remarks.lines(plaintext.Printable)
	if len(rows)+len(notes) == 0 {
		return
	}
	m.write("```diff")
	widths := rows.widths()
	for i, row := range rows {
		if row[markerCell][:1] == "~" {
			row[markerCell] = "!" + row[markerCell][1:]
		}
		text := line(row, widths, func(_ int, cell string) string { return cell })
		if m.text.Len()+len(text) > maxMarkdown {
			m.write("# " + strconv.Itoa(len(rows)-i) + " more changes are not shown here")
			break
		}
		m.write(text)
	}
	for _, remark := range notes {
		m.write("# " + remark)
	}
	m.write("```\n")
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
