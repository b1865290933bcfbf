package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Limits of Markdown. GitHub refuses comments of more than 65,536 characters.
const (
	maxMarkdown = 64_000 // bytes, before the line about omitted pools
	maxBlock    = 16_000 // bytes of the changes of a pool
	maxOpen     = 12     // unfolded changes of a pool that do not decide
)

// Markdown returns the report for a comment on a pull request, in GitHub's dialect. Changes are in
// blocks of code, formatted as in text. Long lists of changes, and pools to which nothing happens,
// are folded. If the report does not fit into a comment, changes are omitted first, and then pools;
// the omitted pools are counted.
//
// All text from a manifest is in code, where it is neither Markdown nor HTML, mentions nobody and
// links nowhere.
func Markdown(r *Report) string {
	m := &markdownWriter{}
	m.table(r)
	m.section(viewOf(r), "##")
	if len(m.left) > 0 {
		m.text.WriteString("Not shown here: " + counted(r.noun(), m.left) + ".\n")
	}
	return m.text.String()
}

type markdownWriter struct {
	text strings.Builder
	left []string // verdicts of pools that did not fit
}

// add writes a piece if it fits.
func (m *markdownWriter) add(piece string) bool {
	fits := m.text.Len()+len(piece) <= maxMarkdown
	if fits {
		m.text.WriteString(piece)
	}
	return fits
}

// table begins the report with the numbers of pools and machines of each verdict.
func (m *markdownWriter) table(r *Report) {
	known := func(m Manifest) bool { return !m.isBare() && len(m.Pools) > 0 }
	if !slices.ContainsFunc(r.Manifests, known) {
		return
	}
	var text strings.Builder
	text.WriteString("| verdict | " + r.noun() + "s | machines, at most |\n|---|---:|---:|\n")
	for _, c := range r.counts() {
		if c.pools > 0 {
			machines := strings.TrimPrefix(strconv.Itoa(c.machines), "0")
			text.WriteString("| **" + c.word + "** | " + strconv.Itoa(c.pools) + " | " + machines + " |\n")
		}
	}
	m.add(text.String() + "\n")
}

// section writes a section under a heading, and its parts.
func (m *markdownWriter) section(s *section, level string) {
	head, remarks := "", s.Remarks
	if s.Title != "" {
		head = level + " " + shortCode(s.Title) + "\n\n"
	}
	if s.Facts != "" {
		head += shortCode(s.Facts) + ": "
	}
	head += "**" + s.Word + "**: " + codeIfOdd(s.Message) + "\n\n"
	if len(s.Sections) > 0 { // the remarks come after them
		remarks = nil
	}
	if !m.add(head+rows(s.Groups, remarks)) && !m.add(head+"The changes do not fit into a comment.\n\n") &&
		len(s.Sections) == 0 {
		m.left = append(m.left, s.Word)
	}
	shown, quiet := s.parts()
	for _, part := range shown {
		m.section(part, level+"#")
	}
	m.quiet(quiet)
	if len(s.Sections) > 0 {
		m.add(block(nil, s.Remarks))
	}
}

// quiet folds the names of pools and manifests to which nothing happens.
func (m *markdownWriter) quiet(names []string) {
	if len(names) == 0 {
		return
	}
	text := "<details><summary>" + none + ": " + strconv.Itoa(len(names)) + "</summary>\n\n"
	for i, name := range names {
		names[i] = shortCode(name)
	}
	if !m.add(text + strings.Join(names, ", ") + "\n\n</details>\n\n") {
		m.left = append(m.left, slices.Repeat([]string{none}, len(names))...)
	}
}

// codeIfOdd returns a sentence, as code if it has characters with a meaning in Markdown.
func codeIfOdd(text string) string {
	if strings.ContainsAny(text, "&<>|`\\*_[]~@#!\n") || plaintext.Printable(text) != text {
		return plaintext.MarkdownCode(text)
	}
	return text
}

func shortCode(text string) string {
	return plaintext.MarkdownCode(plaintext.Shorten(text, maxTitle, plaintext.Printable))
}

// rows writes changes and remarks. The changes that decide come first. Many other changes are folded.
func rows(groups []group, remarks []remark) string {
	decides, others := len(groups), 0
	for i, g := range slices.Backward(groups) {
		if !g.Decides {
			decides, others = i, others+len(g.Changes)
		}
	}
	if others <= maxOpen {
		return block(groups, remarks)
	}
	return block(groups[:decides], remarks) + "<details><summary>" + plaintext.Counted(others, "more change") +
		"</summary>\n\n" + block(groups[decides:], nil) + "</details>\n\n"
}

// block writes changes and remarks as text.
func block(groups []group, remarks []remark) string {
	t := textWriter{escape: plaintext.Printable}
	t.groups(groups)
	t.remarks(remarks)
	return plaintext.CodeBlock(t.text.String(), maxBlock)
}
