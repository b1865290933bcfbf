package main

import (
	"fmt"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// value shows the value of a field that is set.
func value(c hotupdate.Change) string {
	if c.Sensitive {
		return "(sensitive)"
	}
	return printable(c.New)
}

// printable escapes what could move the cursor, colour the terminal or reverse the reading direction.
func printable(text string) string { return plaintext.Printable(text) }

// code makes a cell of a Markdown table of which nothing is Markdown or HTML.
func code(text string) string {
	if text == "" {
		return ""
	}
	var b strings.Builder
	for _, r := range printable(text) {
		if strings.ContainsRune("&<>|`\\*_[]~@#!", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return "<code>" + b.String() + "</code>"
}
