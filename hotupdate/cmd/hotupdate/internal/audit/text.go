package audit

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Text writes the report for a terminal.
func (r *Report) Text(out io.Writer, v View) {
	fmt.Fprintf(out, "%s\n%s\n%s\n", r.Headline(), r.tables(v), r.Accounting())
}

// tables are the sections as text.
func (r *Report) tables(v View) string {
	var text strings.Builder
	for _, s := range r.sections(v) {
		text.WriteString("\n")
		if s.Title != "" {
			text.WriteString(s.Title + ":\n")
		}
		s.text(&text)
	}
	return text.String()
}

func (s *section) text(out io.Writer) {
	rows := append([][]string{s.Header}, s.Rows...)
	widths := make([]int, len(s.Header))
	for _, one := range rows {
		for i, cell := range one {
			one[i] = plaintext.Printable(cell)
			if i < len(widths) {
				widths[i] = max(widths[i], utf8.RuneCountInString(one[i]))
			}
		}
	}
	for _, one := range rows {
		var line strings.Builder
		for i, width := range widths {
			line.WriteString(one[i] + strings.Repeat(" ", width-utf8.RuneCountInString(one[i])+2))
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
		for _, note := range one[len(widths):] {
			fmt.Fprintln(out, "    "+note)
		}
	}
	if s.Hidden > 0 {
		fmt.Fprintf(out, "and %d more; --limit 0 shows all\n", s.Hidden)
	}
}

// maxMarkdown is what a comment of a pull request may hold.
const maxMarkdown = 64 << 10

// Markdown writes the report for a comment of a pull request: the text as code. Lines that do not fit are counted.
func (r *Report) Markdown(out io.Writer, v View) {
	const fence = "```"
	end := plaintext.Printable(strings.ReplaceAll(r.Accounting(), "\n", "; "))
	room := maxMarkdown - len(r.Headline()) - len(end) - 64
	lines := strings.SplitAfter(r.tables(v), "\n")
	first := slices.IndexFunc(lines, func(line string) bool {
		room -= len(line)
		return room < 0
	})
	if first >= 0 {
		end = fmt.Sprintf("and %s\n\n%s", plaintext.Counted(len(lines)-1-first, "more line"), end)
		lines = lines[:first]
	}
	text := strings.ReplaceAll(strings.Join(lines, "")+"\n"+end, fence, "'''")
	fmt.Fprintf(out, "**%s**\n\n%s\n%s\n%s\n", r.Headline(), fence, strings.TrimPrefix(text, "\n"), fence)
}
