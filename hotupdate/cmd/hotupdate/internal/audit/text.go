package audit

import (
	"fmt"
	"io"
	"strings"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Text writes the report for a terminal.
func (r *Report) Text(out io.Writer, v View) error {
	_, err := fmt.Fprintf(out, "%s\n\n%s\n%s\n", r.Headline(), r.tables(v), r.Accounting())
	return err
}

// maxMarkdown bounds the Markdown without the headline, in bytes, so that it fits into a comment of
// a pull request.
const maxMarkdown = 64_000

// Markdown writes the report for a comment of a pull request: the text as code. It counts the lines
// that do not fit.
func (r *Report) Markdown(out io.Writer, v View) error {
	code := plaintext.CodeBlock(r.Accounting()+"\n\n"+r.tables(v), maxMarkdown)
	_, err := fmt.Fprintf(out, "**%s**\n\n%s", r.Headline(), code)
	return err
}

// tables writes the sections as text.
func (r *Report) tables(v View) string {
	var all []string
	for _, s := range r.sections(v, 0, v.By) {
		all = append(all, s.text())
	}
	return strings.Join(all, "\n")
}

// text writes the title and the rows. Notes are below the last cell of their row.
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
