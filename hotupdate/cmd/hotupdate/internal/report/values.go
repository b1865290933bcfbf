package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Limits of all formats except JSON, in characters after escaping. Longer texts are shortened to
// about these lengths.
const (
	maxValue = 48
	maxPath  = 72
	maxTitle = 72 // names of Kubernetes have at most 63

	// context is the number of common bytes that are shown before the first difference of two long
	// values. Their escapes leave room for more.
	context = 12
)

// values returns the shown values of a change: none if it is sensitive, one, or both from about the
// first difference on. An unchanged field has a row if Gardener refuses it.
func (c *ChangeReport) values(escape plaintext.Escape) []string {
	old := string(c.Old)
	updated := string(c.New)
	switch {
	case c.Sensitive:
		return []string{"(sensitive)"}
	case old == updated:
		return []string{strings.TrimSpace(value(old, 0, escape) + " (unchanged)")}
	case c.Op == string(hotupdate.OpAdd):
		return []string{value(updated, 0, escape)}
	case c.Op == string(hotupdate.OpRemove):
		return []string{value(old, 0, escape)}
	}
	from := 0
	if len(old) > maxValue || len(updated) > maxValue {
		from = firstDifference(old, updated, escape)
	}
	return []string{value(old, from, escape), value(updated, from, escape)}
}

// firstDifference returns the offset from which two values are shown: a little before they differ,
// at the beginning of a character.
func firstDifference(a, b string, escape plaintext.Escape) int {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	if len(escape(a[:at])) < maxValue-context {
		return 0
	}
	for at = max(0, at-context); at > 0 && !utf8.RuneStart(a[at]); {
		at--
	}
	return at
}

// value shows one value, or a long one from an offset on. A shortened value is followed by its
// length.
func value(text string, from int, escape plaintext.Escape) string {
	shown, rest := plaintext.Head(text[from:], maxValue, escape)
	if from == 0 && rest == "" {
		return shown
	}
	if from > 0 {
		shown = plaintext.Ellipsis + shown
	}
	if rest != "" {
		shown += plaintext.Ellipsis
	}
	return fmt.Sprintf("%s (%d bytes)", shown, len(text))
}

// shownPath shows a path. The path of the configuration itself is empty.
func shownPath(path string, escape plaintext.Escape) string {
	if path == "" {
		return "(root)"
	}
	return plaintext.Shorten(path, maxPath, escape)
}
