package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// Limits of text and Markdown, in characters as they are shown. What is longer is shortened to about this.
const (
	maxValue = 64
	maxPath  = 160
	maxName  = 80

	// context is how much is shown of what two long values have in common before they differ.
	context = 16
)

const ellipsis = "..."

// values are what a change shows of its values: hidden, one of them, or both around the first difference.
func values(c hotupdate.Change, escape func(string) string) string {
	switch {
	case c.Sensitive:
		return "(sensitive)"
	case c.Op == hotupdate.Add:
		return value(c.New, 0, escape)
	case c.Op == hotupdate.Remove:
		return value(c.Old, 0, escape)
	}
	from := 0
	if len(c.Old) > maxValue || len(c.New) > maxValue {
		from = firstDifference(c.Old, c.New)
	}
	return value(c.Old, from, escape) + " -> " + value(c.New, from, escape)
}

// firstDifference is where to begin to show two values: a little before they differ, at the beginning of a character.
func firstDifference(a, b string) int {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	if at < maxValue-context {
		return 0
	}
	at -= context
	for at > 0 && !utf8.RuneStart(a[at]) {
		at--
	}
	return at
}

// value shows one value, from a place on if it is long. Only what is long says how long it is.
func value(text string, from int, escape func(string) string) string {
	if from == 0 && len(text) <= maxValue {
		if shown := escape(text); len(shown) <= 2*maxValue {
			return shown
		}
	}
	shown, rest := head(text[from:], maxValue, escape)
	if from > 0 {
		shown = ellipsis + shown
	}
	if rest != "" {
		shown += ellipsis
	}
	return fmt.Sprintf("%s (%d bytes)", shown, len(text))
}

// head escapes text character by character until the limit is reached, and returns what is left over.
func head(text string, limit int, escape func(string) string) (shown, rest string) {
	var b strings.Builder
	for i, r := range text {
		piece := escape(string(r))
		if b.Len()+len(piece) > limit {
			return b.String(), text[i:]
		}
		b.WriteString(piece)
	}
	return b.String(), ""
}

// shortened shows the beginning and the end of a path or name: either may be what tells it from others.
func shortened(text string, limit int, escape func(string) string) string {
	if len(text) <= limit {
		if shown := escape(text); len(shown) <= 2*limit {
			return shown
		}
	}
	begin, rest := head(text, limit*2/3, escape)
	if rest == "" {
		return begin
	}
	at := max(0, len(rest)-limit/3)
	for at < len(rest) && !utf8.RuneStart(rest[at]) {
		at++
	}
	end := escape(rest[at:])
	if at == 0 {
		return begin + end
	}
	return begin + ellipsis + end
}

// shownPath shows a path. That of the configuration itself is empty.
func shownPath(path string, escape func(string) string) string {
	if path == "" {
		return "(root)"
	}
	return shortened(path, maxPath, escape)
}
