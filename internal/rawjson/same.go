package rawjson

import (
	"bytes"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Same reports whether two documents differ at most in white space between their tokens, and no
// type of the plan may depend on that. It neither decodes nor validates them: both decode to the
// same value, or fail in the same way.
func Same(p *fieldplan.Plan, a, b []byte) bool {
	return bytes.Equal(a, b) || !p.Raw && sameTokens(a, b)
}

func sameTokens(a, b []byte) bool {
	for {
		a, b = trimSpace(a), trimSpace(b)
		n := tokenLength(a)
		if n != tokenLength(b) || string(a[:n]) != string(b[:n]) {
			return false
		}
		if n == 0 {
			return true
		}
		a, b = a[n:], b[n:]
	}
}

func trimSpace(raw []byte) []byte {
	for len(raw) > 0 && isSpace(raw[0]) {
		raw = raw[1:]
	}
	return raw
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// tokenLength returns the length of the first token, and 0 at the end. Invalid text ends where a
// word would end.
func tokenLength(raw []byte) int {
	for i, c := range raw {
		switch {
		case isSpace(c), i > 0 && (c == '"' || isPunctuation(c)):
			return i
		case c == '"':
			return textLength(raw)
		case isPunctuation(c):
			return 1
		}
	}
	return len(raw)
}

func isPunctuation(c byte) bool {
	return c == ',' || c == ':' || c == '{' || c == '}' || c == '[' || c == ']'
}

// textLength returns the length of a string with its quotes.
func textLength(raw []byte) int {
	for at := 1; ; at++ {
		at = canonjson.PlainEnd(raw, at)
		switch {
		case at >= len(raw):
			return len(raw)
		case raw[at] == '"':
			return at + 1
		case raw[at] == '\\':
			at++
		}
	}
}
