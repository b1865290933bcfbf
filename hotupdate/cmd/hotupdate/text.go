package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// value shows the value of a field that is set.
func value(c hotupdate.Change) string {
	if c.Sensitive {
		return "(sensitive)"
	}
	return printable(c.New)
}

// origin words where a class comes from.
func origin(c hotupdate.Change) string {
	switch c.Origin {
	case hotupdate.OriginStructTag:
		return "struct tag on " + c.Source
	case hotupdate.OriginInherited:
		return "inherited from " + c.Source
	case hotupdate.OriginOverride:
		return "override of " + c.Source
	case hotupdate.OriginHotWhen:
		return "hotwhen on " + c.Source
	case hotupdate.OriginUnknown:
		return "not in the Schema"
	case hotupdate.OriginDefault:
	}
	return "default, no struct tag"
}

// printable escapes what could move the cursor, colour the terminal or reverse the reading direction.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

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
