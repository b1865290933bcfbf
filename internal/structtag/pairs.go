package structtag

import (
	"strconv"
	"strings"
)

const key = "hotupdatable"

// finding is one occurrence of the key in a struct tag, or of a misspelling of it.
type finding struct {
	state state
	at    int    // index of text in the struct tag
	text  string // from the key to the end of its value
	value string // the class and the options, as far as they can be recognised
	bare  bool   // the key has no value
}

// state says why reflect does not see a finding.
type state uint8

const (
	seen       state = iota // reflect sees the finding
	malformed               // the finding does not follow the convention key:"value"
	hidden                  // the finding follows the convention, but text before it does not
	misspelled              // the key is misspelled
)

// find returns every finding in a struct tag, in order.
//
// Pairs of the form key:"value" are read as [reflect.StructTag.Lookup] reads them. Other keys, and all text from the first malformed pair on,
// are searched for the key and its misspellings. A finding there is a problem.
func find(tag string) []finding {
	var found []finding
	at := 0
	for {
		start, colon, end := nextPair(tag, at)
		if end < 0 {
			break
		}
		switch {
		case tag[start:colon] == key:
			found = append(found, wellFormed(start, tag[start:end], tag[colon+1:end]))
		case endsWithMark(tag[colon+2:end-1]) && runsOn(tag, end): // the closing quote was meant to open a value
			return append(found, search(tag, start, len(tag), len(tag))...)
		default:
			found = append(found, search(tag, start, colon, end)...)
		}
		at = end
	}
	return append(found, search(tag, at, len(tag), len(tag))...)
}

// nextPair returns the indices of the next pair's start, colon and end. The end is -1 if there is no pair or a malformed one.
func nextPair(tag string, at int) (start, colon, end int) {
	for at < len(tag) && tag[at] == ' ' {
		at++
	}
	start = at
	for at < len(tag) && !isBlank(tag[at]) && tag[at] != ':' && tag[at] != '"' {
		at++
	}
	if at == start || !strings.HasPrefix(tag[at:], `:"`) {
		return start, at, -1
	}
	return start, at, quoteEnd(tag, at+1)
}

// quoteEnd returns the index after the double-quoted text that starts at an index, or -1 if the quote is not closed.
func quoteEnd(tag string, at int) int {
	for i := at + 1; i < len(tag); i++ {
		switch tag[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

func wellFormed(at int, text, quoted string) finding {
	value, err := strconv.Unquote(quoted)
	if err != nil {
		return finding{state: malformed, at: at, text: text, value: quoted[1 : len(quoted)-1]}
	}
	return finding{state: seen, at: at, text: text, value: value}
}

// search returns the occurrences of the key and of its misspellings in tag[from:words]. Their values end before to.
func search(tag string, from, words, to int) []finding {
	var found []finding
	for at := from; at < words; {
		end := wordEnd(tag[:to], at)
		if end > at && isKey(tag[from:to], at-from, end-from) {
			var f finding
			f, end = loose(tag, from, at, end, to)
			found = append(found, f)
		}
		at = max(end, at+1)
	}
	return found
}

// runsOn reports whether text other than a blank or a pair follows a closing quote directly.
func runsOn(tag string, at int) bool {
	_, _, end := nextPair(tag, at)
	return end < 0 && at < len(tag) && !isBlank(tag[at])
}

// endsWithMark reports whether a text ends with a colon or an equals sign, apart from blanks.
func endsWithMark(text string) bool {
	text = strings.TrimRightFunc(text, isBlank[rune])
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "=")
}

func wordEnd(tag string, at int) int {
	for at < len(tag) && !isBlank(tag[at]) && !strings.ContainsRune(":=\"'`,;|()[]{}<>\\", rune(tag[at])) {
		at++
	}
	return at
}

// isKey reports whether a word of a text is the key or a misspelling of it. Before a colon, an equals sign or a quote every similar word is.
func isKey(text string, start, end int) bool {
	like := liken(text[start:end])
	behind := strings.TrimLeftFunc(text[end:], isBlank[rune])
	switch {
	case like == unlike:
		return false
	case behind != "" && strings.ContainsRune(`:="`, rune(behind[0])):
		return true
	case endsWithMark(text[:start]):
		return false
	case like == related:
		return strings.TrimFunc(text, isSeparatorRune) == text[start:end]
	}
	return true
}

// loose returns the finding for the key in tag[start:end] and the index after its value. The pairs in tag[:from] are well-formed.
func loose(tag string, from, start, end, to int) (finding, int) {
	word, tail := tag[start:end], tag[end:to]
	opened := start > from && tag[start-1] == '"'
	if opened {
		start--
		tail = strings.TrimPrefix(tail, `"`)
	}
	a := readArgument(tail)
	after := to - len(tail) + a.length
	f := finding{state: malformed, at: start, text: tag[start:after], value: a.value, bare: a.absent}
	switch {
	case word != key:
		f.state = misspelled
	case a.conventional && !opened:
		f.state = hidden
	}
	return f, after
}

// argument is the value after a key that reflect does not see.
type argument struct {
	value        string
	length       int // of the text that holds the value, with marks and quotes
	absent       bool
	conventional bool // written as :"value"
}

func readArgument(tail string) argument {
	lead := len(tail) - len(strings.TrimLeftFunc(tail, func(r rune) bool { return isBlank(r) || r == ':' || r == '=' }))
	marks := tail[:lead]
	quoted := strings.HasPrefix(tail[lead:], `"`)
	switch end := quoteEnd(tail, lead); {
	case quoted && end > 0:
		value, err := strconv.Unquote(tail[lead:end])
		if err != nil {
			value = tail[lead+1 : end-1]
		}
		return argument{value: value, length: end, conventional: marks == ":" && err == nil}
	case !quoted && (!strings.ContainsAny(marks, ":=") || isNextPair(tail, lead)):
		return argument{absent: true, length: len(strings.TrimRightFunc(marks, isBlank[rune]))}
	}
	value, length := unquotedValue(tail[lead:])
	return argument{value: value, length: lead + length, absent: value == ""}
}

// isNextPair reports whether a blank and another pair follow a key without a value.
func isNextPair(tail string, at int) bool {
	_, _, end := nextPair(tail, at)
	return end > 0 && at > 0 && isBlank(tail[at-1])
}

// unquotedValue reads a value up to a blank or a double quote outside single quotes, and removes wrong quotes and commas from both ends.
func unquotedValue(text string) (value string, length int) {
	const wrong = "\"'`\\“”‘’"
	body := strings.TrimLeft(text, wrong)
	lead := len(text) - len(body)
	end := bodyEnd(body, lead == 0)
	length = lead + end
	if strings.HasPrefix(body[end:], `"`) {
		length++
		comma := strings.LastIndexByte(body[:end], ',')
		next := body[comma+1 : end] // the key of another pair, if it ends with a colon
		if comma >= 0 && strings.HasSuffix(next, ":") && !strings.Contains(next, "=") {
			end, length = comma, lead+comma
		}
	}
	value = body[:end]
	if lead > 0 {
		value = strings.TrimRight(value, wrong)
	}
	return strings.TrimRight(value, ",;"), length
}

func bodyEnd(body string, singleQuotes bool) int {
	quoted := false
	for i := range len(body) {
		switch {
		case body[i] == '\'' && singleQuotes:
			quoted = !quoted
		case !quoted && (isBlank(body[i]) || body[i] == '"'):
			return i
		}
	}
	if quoted {
		return bodyEnd(body, false)
	}
	return len(body)
}

// isBlank reports whether a character is a space or a control character, which end a key for reflect.
func isBlank[C byte | rune](c C) bool { return c <= ' ' || c == 0x7f }

func isSeparatorRune(r rune) bool { return isBlank(r) || r == ',' || r == ';' || r == '|' }
