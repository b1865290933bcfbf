package audit

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Text writes the report for a terminal.
func (r *Report) Text(out io.Writer, v View) {
	fmt.Fprintln(out, r.Headline())
	for _, s := range r.sections(v) {
		fmt.Fprintln(out)
		if s.title != "" {
			fmt.Fprintln(out, s.title+":")
		}
		s.text(out)
	}
	fmt.Fprintf(out, "\n%s\n", r.Accounting())
}

func (s *section) text(out io.Writer) {
	rows := append([]row{rowOf(s.header...)}, s.rows...)
	widths := make([]int, len(s.header))
	for _, one := range rows {
		for i, cell := range one.cells {
			one.cells[i] = plaintext.Printable(cell)
			widths[i] = max(widths[i], utf8.RuneCountInString(one.cells[i]))
		}
	}
	for _, one := range rows {
		var line strings.Builder
		for i, cell := range one.cells {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
		for _, note := range one.notes {
			fmt.Fprintln(out, "    "+plaintext.Printable(note))
		}
	}
	if s.hidden > 0 {
		fmt.Fprintf(out, "and %d more; --limit 0 shows all\n", s.hidden)
	}
}

// maxMarkdown is what a comment of a pull request may hold.
const maxMarkdown = 64 << 10

// Markdown writes the report for a comment of a pull request. What does not fit is counted.
func (r *Report) Markdown(out io.Writer, v View) {
	fmt.Fprintf(out, "**%s**\n", r.Headline())
	end := fmt.Sprintf("\n%s\n", r.Accounting())
	room := maxMarkdown - len(r.Headline()) - len(end) - 16
	for _, s := range r.sections(v) {
		text := s.markdown(room)
		room -= len(text)
		_, _ = io.WriteString(out, text) // out is a buffer
	}
	_, _ = io.WriteString(out, end)
}

// markdown returns the section in so many bytes; nothing if not even its header fits.
func (s *section) markdown(room int) string {
	const rest = 64 // the line that counts what is left out
	var b strings.Builder
	b.WriteString("\n")
	if s.title != "" {
		fmt.Fprintf(&b, "### %s\n\n", s.title)
	}
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(s.header, " | "), strings.Repeat(" --- |", len(s.header)))
	if b.Len()+rest > room {
		return ""
	}
	for i, one := range s.rows {
		cells := make([]string, len(one.cells))
		for j, cell := range one.cells {
			cells[j] = plaintext.MarkdownCode(cell)
		}
		for _, note := range one.notes {
			cells[len(cells)-1] += "<br>" + plaintext.MarkdownCode(note)
		}
		line := "| " + strings.Join(cells, " | ") + " |\n"
		if b.Len()+len(line)+rest > room {
			s.hidden += len(s.rows) - i
			break
		}
		b.WriteString(line)
	}
	if s.hidden > 0 {
		fmt.Fprintf(&b, "\nand %d more\n", s.hidden)
	}
	return b.String()
}
