package audit

import (
	"fmt"
	"io"
	"strings"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Text writes the report for a terminal.
func (r *Report) Text(out io.Writer, v View) {
	fmt.Fprintf(out, "%s\n\n%s\n%s\n", r.Headline(), r.tables(v), r.Accounting())
}

// maxMarkdown is what a comment of a pull request may hold beside the headline, in bytes.
const maxMarkdown = 64_000

// Markdown writes the report for a comment of a pull request: the text as code. Lines that do not fit are counted.
func (r *Report) Markdown(out io.Writer, v View) {
	fmt.Fprintf(out, "**%s**\n\n%s", r.Headline(), plaintext.CodeBlock(r.Accounting()+"\n\n"+r.tables(v), maxMarkdown))
}

// tables are the sections as text.
func (r *Report) tables(v View) string {
	var all []string
	for _, s := range r.sections(v) {
		all = append(all, s.text())
	}
	return strings.Join(all, "\n")
}

// text is the title and the rows. Notes stand below the last cell of their row.
func (s *section) text() string {
	text, last := "", len(s.Header)-1
	if s.Title != "" {
		text = s.Title + ":\n"
	}
	rows := [][]string{s.Header}
	for _, one := range s.Rows {
		rows = append(rows, one[:last+1])
		for _, note := range one[last+1:] {
			rows = append(rows, append(make([]string, last), "  "+note))
		}
	}
	text += plaintext.Table(rows)
	if s.Hidden > 0 {
		text += fmt.Sprintf("and %d more; --limit 0 shows all\n", s.Hidden)
	}
	return text
}
