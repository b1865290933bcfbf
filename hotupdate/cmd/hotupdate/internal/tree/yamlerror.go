package tree

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// ErrTemplate is the problem of a text that is the template of a manifest.
var ErrTemplate = errors.New("is a template, since it has {{ and }}; render it first, such as by helm template")

// IsTemplate reports whether a text has the marks of Go templates.
func IsTemplate(text []byte) bool {
	return !IsBinary(text) && bytes.Contains(text, []byte("{{")) && bytes.Contains(text, []byte("}}"))
}

// IsBinary reports whether bytes are not text: they are not UTF-8, or have the byte 0.
func IsBinary(text []byte) bool { return !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 }

var errBinary = errors.New("is not text: it has bytes that are not UTF-8, or the byte 0; YAML and JSON are text")

// yamlError writes a parser's error on one line. It keeps lines, keys and types, and removes quoted
// values.
func yamlError(text []byte, err error, line int) error {
	switch {
	case IsBinary(text):
		return errBinary
	case IsTemplate(text):
		return ErrTemplate
	}
	what := strings.TrimPrefix(err.Error(), "yaml: ")
	what = strings.Join(strings.Fields(what), " ")
	if before, _, quoted := strings.Cut(what, "`"); quoted {
		what = strings.TrimSpace(before)
	}
	if what == "control characters are not allowed" {
		what = controlCharacter(text)
	}
	if name, ok := strings.CutPrefix(what, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		before, _, _ := bytes.Cut(text, []byte("*"+name))
		what = fmt.Sprintf("line %d: an alias names no anchor; put a value that begins with * in quotes",
			bytes.Count(before, []byte("\n"))+1)
	}
	what = lineNumber().ReplaceAllStringFunc(what, func(found string) string {
		n, _ := strconv.Atoi(strings.TrimPrefix(found, "line "))
		return fmt.Sprintf("line %d", n+line-1)
	})
	return errors.New("is not valid YAML or JSON: " + what)
}

// lineNumber matches the line number at the beginning of a parser's error.
var lineNumber = lazyregexp.New(`^line \d+`)

// controlCharacter says where a text has the first character that YAML only takes as an escape.
func controlCharacter(text []byte) string {
	line := 1
	for _, r := range string(text) {
		switch {
		case r == '\n':
			line++
		case !isPrintable(r):
			return fmt.Sprintf(`line %d: the character U+%04X; write it in double quotes as \u%04[2]x`, line, r)
		}
	}
	return "a control character; write it in double quotes as an escape"
}

// isPrintable reports whether YAML's parser accepts a character without an escape.
func isPrintable(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == '\u0085', r >= 0x10000:
		return true
	case r < ' ', r >= 0x7f && r < 0xa0, r == '\ufeff', r >= 0xfffe:
		return false
	}
	return true
}
