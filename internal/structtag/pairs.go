package structtag

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// finding is one occurrence of the key in a struct tag, or of a misspelling of it.
type finding struct {
	at      int          // index of text in the struct tag
	text    string       // from the key to the end of its value
	word    string       // the key as it is spelled
	value   string       // the class and the options, as far as they can be recognised; "" if there is no value
	problem *fault.Error // why reflect does not see the finding; nil if it does
}

// find returns every finding in a struct tag, in order.
//
// Pairs of the form key:"value" are read as [reflect.StructTag.Lookup] reads them. Other keys, and all text from the first malformed pair on,
// are searched for the key and its misspellings. A finding there is a problem.
func find(tag string) (found []finding) {
	for at := 0; ; {
		start, colon, end := nextPair(tag, at)
		switch {
		case end < 0, endsWithMark(tag[colon+2:end-1]) && runsOn(tag, end): // the closing quote was meant to open a value
			return append(found, search(tag, start, len(tag))...)
		case tag[start:colon] == key:
			found = append(found, wellFormed(start, tag[start:end]))
		default:
			found = append(found, search(tag, start, colon)...)
		}
		at = end
	}
}

// nextPair returns the indices of the next pair's start, colon and end. The end is -1 if there is no pair or a malformed one.
func nextPair(tag string, at int) (start, colon, end int) {
	for at < len(tag) && tag[at] == ' ' {
		at++
	}
	start = at
	for at < len(tag) && !isBlank(rune(tag[at])) && tag[at] != ':' && tag[at] != '"' {
		at++
	}
	if at == start || !strings.HasPrefix(tag[at:], `:"`) {
		return start, at, -1
	}
	quoted := doubleQuoted.FindString(tag[at+1:])
	if quoted == "" {
		return start, at, -1
	}
	return start, at, at + 1 + len(quoted)
}

// wellFormed returns the finding for a pair with the key. Reflect does not see it if the value is no Go string.
func wellFormed(at int, text string) finding {
	f := finding{at: at, text: text, word: key}
	var ok bool
	if f.value, ok = unquoted(text[len(key)+1:]); !ok {
		f.problem = f.malformed()
	}
	return f
}

func (f finding) malformed() *fault.Error {
	return problem("malformed-tag", "has malformed struct tag "+tick(f.text), f.hint())
}

// unquoted returns a text without its double quotes, with its escapes as they stand if Go does not know them: then it is not ok.
func unquoted(quoted string) (value string, ok bool) {
	if value, err := strconv.Unquote(quoted); err == nil {
		return value, true
	}
	return strings.Trim(quoted, `"`), false
}

// runsOn reports whether text other than a blank or a pair follows a closing quote directly.
func runsOn(tag string, at int) bool {
	_, _, end := nextPair(tag, at)
	return end < 0 && at < len(tag) && !isBlank(rune(tag[at]))
}

// endsWithMark reports whether a text ends with a colon or an equals sign, apart from blanks.
func endsWithMark(text string) bool {
	text = strings.TrimRightFunc(text, isBlank)
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "=")
}

// isBlank reports whether a character is a space or a control character, which end a key for reflect.
func isBlank(r rune) bool { return r <= ' ' || r == 0x7f }

var (
	doubleQuoted = regexp.MustCompile(`(?s)^"(?:[^"\\]|\\.)*"`)
	word         = regexp.MustCompile("[^\\x00- \\x7f:=\"'`,;|()\\[\\]{}<>\\\\]+")
	// looseValue is what follows a key that reflect does not see: marks, and a value in double quotes or another one up to a blank.
	looseValue = regexp.MustCompile("(?s)^\"?([\\x00- \\x7f:=]*)(?:(\"(?:[^\"\\\\]|\\\\.)*\")|([" + regexp.QuoteMeta(wrongQuotes) + "]*(?:'[^']*'|[^\\x00- \\x7f\"])*)\"?)")
)

const wrongQuotes = "\"'`\\“”‘’"

// search returns the occurrences of the key and of its misspellings in tag[from:to]. The text before is well-formed.
func search(tag string, from, to int) (found []finding) {
	for at := from; ; {
		match := word.FindStringIndex(tag[at:to])
		if match == nil {
			return found
		}
		start, end := at+match[0], at+match[1]
		if isKey(tag[start:end], tag[from:start], tag[end:]) {
			f := loose(tag, start, end)
			found, end = append(found, f), f.at+len(f.text)
		}
		at = min(end, to)
	}
}

// isKey reports whether a word is meant as the key. Before a colon, an equals sign or a quote, and alone, every word like it is.
func isKey(word, before, behind string) bool {
	behind = strings.TrimLeftFunc(behind, isBlank)
	isMarked := behind != "" && strings.ContainsRune(`:="`, rune(behind[0]))
	isAlone := before+behind == ""
	return isLikeKey(word) && (isMarked || isAlone || !slices.Contains(related, fold(word)) && !endsWithMark(before))
}

// loose returns the finding for the key in tag[start:end].
func loose(tag string, start, end int) finding {
	f := finding{at: start, word: tag[start:end]}
	match := looseValue.FindStringSubmatch(tag[end:])
	whole, marks, quoted, other := match[0], match[1], match[2], match[3]
	value, isGoString := unquoted(quoted)
	switch body := strings.TrimLeft(other, wrongQuotes); {
	case quoted != "":
		f.value = value
	case !strings.ContainsAny(marks, ":="):
		whole = ""
	case body != other:
		f.value = strings.TrimRight(body, wrongQuotes+",;")
	default:
		f.value = strings.TrimRight(body, ",;")
	}
	isOpened := start > 0 && tag[start-1] == '"'
	if isOpened {
		f.at--
	}
	f.text = tag[f.at : end+len(whole)]
	switch {
	case f.word != key:
		f.problem = problem("misspelled-key", "has misspelled struct tag "+tick(f.text), f.hint())
	case marks == ":" && isGoString && !isOpened:
		f.problem = problem("malformed-tag", "has struct tag "+tick(f.text)+" behind malformed text, where reflect does not see it",
			f.hint()+" behind key:\"value\" pairs, with spaces between them")
	default:
		f.problem = f.malformed()
	}
	return f
}
