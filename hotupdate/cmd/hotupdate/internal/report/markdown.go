package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// maxMarkdown bounds the text of a report in Markdown, in bytes. GitHub refuses comments of more
// than 65,536 characters.
const maxMarkdown = 64_000

// Markdown returns the report for a comment on a pull request, in GitHub's dialect: a table of the
// numbers of pools and machines by verdict, and the text with the gravest verdict first as a block
// of code. Lines that do not fit into a comment are counted.
//
// All text from a manifest is in the block, where it is neither Markdown nor HTML, mentions nobody
// and links nowhere.
func Markdown(r *Report) string {
	root := viewOf(r)
	root.gravestFirst()
	t := textWriter{escape: plaintext.Printable}
	return r.table() + plaintext.CodeBlock(t.report(root), maxMarkdown)
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
	for _, c := range r.counts() {
		if c.pools > 0 {
			machines := strings.TrimPrefix(strconv.Itoa(c.machines), "0")
			fmt.Fprintf(&text, "| **%s** | %d | %s |\n", c.word, c.pools, machines)
		}
	}
	return text.String() + "\n"
}
